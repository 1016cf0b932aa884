//! A set of small numbers: one bit each.

use std::ops::Range;

/// A set of the numbers below a limit.
#[derive(Clone, Default)]
pub struct Bits {
    words: Vec<u64>,
    count: u32,
}

impl Bits {
    /// The empty set of numbers below `limit`.
    pub fn below(limit: usize) -> Self {
        Self { words: vec![0; limit.div_ceil(64)], count: 0 }
    }

    /// Adds `number`; nothing happens at or above the limit.
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

    /// Whether one of a range is in the set.
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

    /// How many numbers are in the set.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// The numbers of the set, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let numbers = |(at, &word): (usize, &u64)| {
            (0..64_u32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as u32 * 64 + bit)
        };
        self.words.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(numbers)
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
}
