//! [`Texts`]: compressed columns of texts, optimised for few distinct texts.

use crate::base::columns::BlockColumn;
use crate::base::interner::StrId;

/// Number of distinct texts up to which a column stores one byte per text.
const FEW: usize = 256;
/// Number of recently used codes that are cached.
const PLACES: usize = 128;

/// A column of texts: one byte per text for up to 256 distinct texts, four bytes per text above that.
#[derive(Clone)]
pub enum Texts {
    /// Codes that are indexes into a list of distinct texts.
    Few(Box<Few>),
    /// Text ids, without a list of distinct texts.
    Many(BlockColumn<StrId>),
}

#[derive(Clone)]
pub struct Few {
    texts: Vec<StrId>,
    codes: BlockColumn<u8>,
    memo: [u8; PLACES],
}

impl Default for Few {
    fn default() -> Self {
        Self { texts: Vec::new(), codes: BlockColumn::default(), memo: [0; PLACES] }
    }
}

impl Default for Texts {
    fn default() -> Self {
        Self::Few(Box::default())
    }
}

impl Texts {
    /// Appends a text.
    #[inline]
    pub fn push(&mut self, text: StrId) {
        match self {
            Self::Many(texts) => texts.push(text),
            Self::Few(few) => {
                if !few.push(text) {
                    let all = (0..few.codes.len()).map(|index| few.get(index)).chain([text]);
                    *self = Self::Many(all.collect());
                }
            }
        }
    }

    /// The text at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> StrId {
        match self {
            Self::Many(texts) => texts.get(index),
            Self::Few(few) => few.get(index),
        }
    }

    /// Whether some text may pass a test. Checks only the list of distinct texts, and returns true if there is no list.
    pub fn may_pass(&self, test: impl Fn(StrId) -> bool) -> bool {
        match self {
            Self::Many(_) => true,
            Self::Few(few) => few.texts.iter().any(|text| text.some().is_some_and(&test)),
        }
    }

    /// Whether any text is present, that is, not [`StrId::NONE`].
    pub fn has_any(&self) -> bool {
        let is_text = |text: StrId| text.some().is_some();
        match self {
            Self::Many(texts) => texts.iter().any(is_text),
            Self::Few(few) => few.texts.iter().any(|&text| is_text(text)),
        }
    }
}

impl Few {
    /// Appends a text; returns false if the list of distinct texts is full.
    #[inline]
    fn push(&mut self, text: StrId) -> bool {
        let memo = self.memo[text.0 as usize % PLACES];
        if self.texts.get(usize::from(memo)) == Some(&text) {
            self.codes.push(memo);
            return true;
        }
        self.push_other(text)
    }

    #[inline(never)]
    fn push_other(&mut self, text: StrId) -> bool {
        let known = self.texts.iter().position(|&known| known == text);
        let code = known.unwrap_or_else(|| {
            self.texts.push(text);
            self.texts.len() - 1
        });
        if code >= FEW {
            return false;
        }
        self.memo[text.0 as usize % PLACES] = code as u8;
        self.codes.push(code as u8);
        true
    }

    #[inline]
    fn get(&self, index: usize) -> StrId {
        self.texts[usize::from(self.codes.get(index))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_as_they_are() {
        for different in [1, 3, 255, 256, 257, 1_000] {
            let text = |at: u32| StrId(if at.is_multiple_of(7) { u32::MAX } else { at * 31 % different });
            let mut texts = Texts::default();
            (0..2_000).for_each(|at| texts.push(text(at)));
            assert!((0..2_000).all(|at| texts.get(at as usize) == text(at)), "{different}");
            assert!(texts.has_any(), "{different}");
        }
        let mut none = Texts::default();
        assert!(!none.has_any());
        none.push(StrId::NONE);
        assert!(!none.has_any());
    }
}
