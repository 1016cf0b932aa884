//! [`U16Column`]: a column of numbers, most of which fit into two bytes.

use super::BlockColumn;

/// Code of a number that is stored in the overflow.
const APART: u16 = u16::MAX;
const SHIFT: usize = 4;
const GROUP: usize = 1 << SHIFT;

/// A column of numbers: two bytes for a number below 65,535, ten bytes for any other number.
#[derive(Clone, Default, Debug)]
pub struct U16Column {
    codes: BlockColumn<u16>,
    /// Overflow: numbers that do not fit into two bytes, with their indexes in the column.
    apart: BlockColumn<(u32, u32)>,
}

impl U16Column {
    /// Appends a number.
    #[inline]
    pub fn push(&mut self, number: u32) {
        let code = u16::try_from(number).unwrap_or(APART);
        if code == APART {
            self.apart.push((self.codes.len() as u32, number));
        }
        self.codes.push(code);
    }

    /// The number at `index`, which must be below [`len`](Self::len).
    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        match self.codes.get(index) {
            APART => self.far(index),
            code => u32::from(code),
        }
    }

    #[inline(never)]
    fn far(&self, index: usize) -> u32 {
        let at = self.apart.partition_point(0..self.apart.len(), |(of, _)| (of as usize) < index);
        self.apart.get(at).1
    }

    /// All numbers, in order.
    fn iter(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        let mut apart = self.apart.iter();
        self.codes.iter().map(move |code| match code {
            APART => apart.next().map_or(0, |(_, number)| number),
            code => u32::from(code),
        })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.codes.len()
    }
}

#[inline]
fn unfolded(base: u32, folded: u32) -> u32 {
    base.wrapping_add(folded >> 1 ^ (folded & 1).wrapping_neg())
}

/// A column of numbers that are close to their neighbours: 2.25 bytes per number within 32,767 of the first number of
/// its group of 16.
#[derive(Clone, Default, Debug)]
pub struct Close {
    bases: BlockColumn<u32>,
    distances: U16Column,
}

impl Close {
    /// Appends a number.
    #[inline]
    pub fn push(&mut self, number: u32) {
        let at = self.distances.len();
        if at.is_multiple_of(GROUP) {
            self.bases.push(number);
        }
        let distance = number.wrapping_sub(self.bases.get(at >> SHIFT)).cast_signed();
        // Zigzag encoding: small distances in either direction become small non-negative numbers.
        self.distances.push((distance << 1 ^ distance >> 31).cast_unsigned());
    }

    /// All numbers in order; faster than calling [`get`](Self::get) for each.
    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        let (mut bases, mut base) = (self.bases.iter(), 0);
        self.distances.iter().enumerate().map(move |(at, folded)| {
            if at.is_multiple_of(GROUP) {
                base = bases.next().unwrap_or(base);
            }
            unfolded(base, folded)
        })
    }

    /// The number at `index`, which must be less than the number of values.
    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        unfolded(self.bases.get(index >> SHIFT), self.distances.get(index))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_number() -> impl Strategy<Value = u32> {
        prop_oneof![0_u32..100, any::<u32>(), 65_530_u32..65_540, Just(u32::MAX), 1_u32 << 31..(1 << 31) + 9]
    }

    proptest! {
        #[test]
        fn numbers_stay_as_they_are(values in prop::collection::vec(any_number(), 0..80)) {
            let (mut shorts, mut close) = (U16Column::default(), Close::default());
            values.iter().for_each(|&number| (shorts.push(number), close.push(number)).1);
            prop_assert!(values.iter().enumerate().all(|(at, &number)| shorts.get(at) == number));
            prop_assert!(values.iter().enumerate().all(|(at, &number)| close.get(at) == number));
            prop_assert!(close.iter().eq(values.iter().copied()));
            prop_assert_eq!(shorts.len(), values.len());
        }
    }
}
