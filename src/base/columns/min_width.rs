//! [`MinWidthColumn`]: a column of numbers that all have the width of the largest number.

use super::BlockColumn;

/// A column of small numbers, such as thread numbers: one byte each if all are at most 255, two bytes if all are at most
/// 65,535, otherwise four bytes.
#[derive(Clone, Debug)]
pub enum MinWidthColumn {
    /// One byte per number.
    Bytes(BlockColumn<u8>),
    /// Two bytes per number.
    Shorts(BlockColumn<u16>),
    /// Four bytes per number.
    Words(BlockColumn<u32>),
}

impl Default for MinWidthColumn {
    fn default() -> Self {
        Self::Bytes(BlockColumn::default())
    }
}

impl MinWidthColumn {
    /// Appends a number.
    #[inline]
    pub fn push(&mut self, number: u32) {
        match self {
            Self::Bytes(column) if number <= u8::MAX.into() => column.push(number as u8),
            Self::Shorts(column) if number <= u16::MAX.into() => column.push(number as u16),
            Self::Words(column) => column.push(number),
            _ => self.widen(number),
        }
    }

    /// The number at `index`, which must be below [`len`](Self::len).
    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        match self {
            Self::Bytes(column) => column.get(index).into(),
            Self::Shorts(column) => column.get(index).into(),
            Self::Words(column) => column.get(index),
        }
    }

    #[cold]
    fn widen(&mut self, number: u32) {
        let all = (0..self.len()).map(|index| self.get(index)).chain([number]);
        *self = match u16::try_from(number) {
            Ok(_) => Self::Shorts(all.map(|number| number as u16).collect()),
            Err(_) => Self::Words(all.collect()),
        };
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(column) => column.len(),
            Self::Shorts(column) => column.len(),
            Self::Words(column) => column.len(),
        }
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_as_they_are() {
        for numbers in [&[][..], &[0, 255], &[1, 256, 2], &[65_535, 0], &[3, 300, 65_536, 7], &[u32::MAX, 1]]
        {
            let mut narrow = MinWidthColumn::default();
            numbers.iter().for_each(|&number| narrow.push(number));
            let found: Vec<u32> = (0..narrow.len()).map(|index| narrow.get(index)).collect();
            assert_eq!(found, numbers);
        }
    }
}
