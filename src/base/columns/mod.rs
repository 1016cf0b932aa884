//! Growing columns that never copy their values, stored as lists of blocks of equal length.
//!
//! A growing `Vec` doubles its capacity and copies its values, which on wasm32 needs twice the memory and is limited to 2 GiB.
//! The other column types compress values that are small, close to their neighbours, or repeated.

mod delta;
mod frame_of_reference;
mod min_width;
mod numbers;
mod u16;

use std::ops::Range;

pub use delta::{DeltaColumn, GROUP, Near};
pub use frame_of_reference::FrameOfReferenceColumn;
pub use min_width::MinWidthColumn;
pub use numbers::{NumberColumn, Overflow};
pub use u16::{Close, U16Column};

const SHIFT: usize = 14;
const BLOCK: usize = 1 << SHIFT;
const MASK: usize = BLOCK - 1;

/// A column of `Copy` values in blocks of 16,384.
#[derive(Debug)]
pub struct BlockColumn<T> {
    full: Vec<Box<[T; BLOCK]>>,
    /// Values after the full blocks: at most one block.
    last: Vec<T>,
}

impl<T> Default for BlockColumn<T> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Vec::new() }
    }
}

impl<T: Copy> Clone for BlockColumn<T> {
    fn clone(&self) -> Self {
        self.iter().collect()
    }
}

impl<T: Copy> BlockColumn<T> {
    /// Appends a value.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.last.len() & MASK == 0 {
            self.begin_block();
        }
        self.last.push(value);
    }

    /// Begins a new block. Only the first block grows from a small to the full size, since most traces are small.
    #[inline(never)]
    fn begin_block(&mut self) {
        if self.last.len() == BLOCK {
            let next = Vec::with_capacity(BLOCK);
            if let Ok(block) = std::mem::replace(&mut self.last, next).try_into() {
                self.full.push(block);
            }
        }
    }

    /// Releases unused memory, for columns that are complete.
    pub fn shrink(&mut self) {
        self.last.shrink_to_fit();
    }

    /// The value at `index`, which must be below [`len`](Self::len).
    #[inline]
    pub fn get(&self, index: usize) -> T {
        *self.at(index)
    }

    /// A reference to the value at `index`, for values that are expensive to copy.
    #[inline]
    pub fn at(&self, index: usize) -> &T {
        match self.full.get(index >> SHIFT) {
            Some(block) => &block[index & MASK],
            None => &self.last[index - (self.full.len() << SHIFT)],
        }
    }

    /// Replaces the value at `index`, which must be below [`len`](Self::len).
    #[inline]
    pub fn set(&mut self, index: usize, value: T) {
        let behind = self.full.len() << SHIFT;
        match self.full.get_mut(index >> SHIFT) {
            Some(block) => block[index & MASK] = value,
            None => self.last[index - behind] = value,
        }
    }

    /// Number of values.
    #[inline]
    pub fn len(&self) -> usize {
        (self.full.len() << SHIFT) + self.last.len()
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All values, in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + Clone + '_ {
        self.rows().copied()
    }

    /// References to all values, in order.
    pub fn rows(&self) -> impl Iterator<Item = &T> + Clone + '_ {
        self.full.iter().map(|block| block.as_slice()).chain([self.last.as_slice()]).flatten()
    }

    /// The values at the indexes in `range`, which must not exceed [`len`](Self::len).
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = T> + '_ {
        range.map(|index| self.get(index))
    }

    /// The first index in `range` for which `before` is false, or the end of `range`; found by binary search.
    /// `before` must be true for a prefix of the range and false for the rest.
    pub fn partition_point(&self, range: Range<usize>, before: impl Fn(T) -> bool) -> usize {
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.get(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

impl<T: Copy> FromIterator<T> for BlockColumn<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut blocks = Self::default();
        values.into_iter().for_each(|value| blocks.push(value));
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_order_across_blocks() {
        let blocks: BlockColumn<usize> = (0..BLOCK * 3 + 5).collect();
        assert_eq!(blocks.len(), BLOCK * 3 + 5);
        assert!(blocks.iter().eq(0..BLOCK * 3 + 5));
        assert!(blocks.range(BLOCK - 2..BLOCK + 2).eq(BLOCK - 2..BLOCK + 2));
        assert_eq!(blocks.partition_point(0..blocks.len(), |v| v < BLOCK + 7), BLOCK + 7);
    }
}
