//! Bit set of small numbers.

use std::ops::Range;

use crate::base::chunked;

/// Set of the numbers below a limit.
#[derive(Clone, Default)]
pub struct Bits {
    words: Vec<u64>,
    count: u32,
}

impl Bits {
    /// Creates an empty set of numbers below `limit`.
    pub fn below(limit: usize) -> Self {
        Self { words: vec![0; limit.div_ceil(64)], count: 0 }
    }

    /// Creates the set of all numbers below `limit`.
    pub fn all(limit: usize) -> Self {
        let mut words = vec![u64::MAX; limit.div_ceil(64)];
        if let Some(last) = words.last_mut() {
            *last >>= (64 - limit % 64) % 64;
        }
        Self { words, count: limit as u32 }
    }

    /// Adds `number`. Numbers at or above the limit are ignored.
    pub fn insert(&mut self, number: u32) {
        let bit = 1 << (number % 64);
        if let Some(word) = self.words.get_mut(number as usize / 64) {
            self.count += u32::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// Whether `number` is in the set.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Creates the set of the numbers below `limit` for which `test` is true. `test` is called in ascending order.
    pub fn of(limit: usize, mut test: impl FnMut(u32) -> bool) -> Self {
        let mut bits = Self::below(limit);
        let Self { words, count } = &mut bits;
        chunked::for_each(0..words.len() as u32, |at| {
            let first = at as usize * 64;
            let bits = 0..64.min(limit - first);
            let word = bits.fold(0, |word, bit| word | u64::from(test((first + bit) as u32)) << bit);
            words[at as usize] = word;
            *count += word.count_ones();
        });
        bits
    }

    /// Returns the union of this set, whose numbers are below `limit`, and of `other` with `limit` added to each number.
    pub fn followed_by(&self, limit: usize, other: &Self) -> Self {
        let mut all = self.clone();
        all.words.resize((limit + other.words.len() * 64).div_ceil(64), 0);
        other.iter().for_each(|number| all.insert(limit as u32 + number));
        all
    }

    /// Removes the numbers that are not in `other`.
    pub fn keep(&mut self, other: &Self) {
        self.count = 0;
        for (at, word) in self.words.iter_mut().enumerate() {
            *word &= other.words.get(at).copied().unwrap_or(0);
            self.count += word.count_ones();
        }
    }

    /// Whether the set contains any number of a range.
    pub fn has_any(&self, range: Range<u32>) -> bool {
        let mut at = range.start;
        while at < range.end {
            let Some(word) = self.words.get(at as usize / 64) else { return false };
            let rest = word >> (at % 64);
            if rest != 0 {
                return at + rest.trailing_zeros() < range.end;
            }
            at = (at / 64 + 1) * 64;
        }
        false
    }

    /// Number of elements in the set.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// Iterates over the numbers of the set in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let rest = |word: u64| (word != 0).then_some(word);
        let numbers = move |(at, &word): (usize, &u64)| {
            let words = std::iter::successors(rest(word), move |word| rest(word & (word - 1)));
            words.map(move |word| at as u32 * 64 + word.trailing_zeros())
        };
        self.words.iter().enumerate().flat_map(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let mut bits = Bits::below(130);
        for number in [0, 63, 64, 129, 129, 500] {
            bits.insert(number);
        }
        assert!(bits.iter().eq([0, 63, 64, 129]));
        assert_eq!(bits.len(), 4);
        assert!(bits.followed_by(130, &bits).iter().eq([0, 63, 64, 129, 130, 193, 194, 259]));
        assert!(Bits::default().followed_by(0, &bits).iter().eq(bits.iter()));
        for (range, any) in [
            (0..1, true),
            (1..63, false),
            (1..64, true),
            (65..129, false),
            (65..900, true),
            (130..900, false),
            (5..5, false),
        ] {
            assert_eq!(bits.has_any(range.clone()), any, "{range:?}");
        }
        assert!(bits.contains(63) && !bits.contains(62) && !bits.contains(500));
    }

    #[test]
    fn sets_are_made_and_narrowed() {
        for limit in [0, 1, 63, 64, 65, 130, 200] {
            let mut threes = Bits::of(limit, |number| number.is_multiple_of(3));
            assert!(threes.iter().eq((0..limit as u32).step_by(3)), "{limit}");
            assert_eq!(threes.len() as usize, limit.div_ceil(3));
            let all = Bits::all(limit);
            assert!(all.iter().eq(0..limit as u32) && all.len() as usize == limit, "{limit}");
            // Numbers beyond the smaller set's limit are removed.
            threes.keep(&Bits::of(limit.min(100), |number| number % 2 == 0));
            assert!(threes.iter().eq((0..limit.min(100) as u32).step_by(6)), "{limit}");
            assert_eq!(threes.len() as usize, limit.min(100).div_ceil(6));
        }
    }
}
