//! [`Columns`]: a table of rows that have values under the same keys.

use super::NOT_REPORTED;
use super::texts::Texts;
use crate::base::columns::NumberColumn;
use crate::base::interner::StrId;

/// A table of rows that have values under the same keys.
#[derive(Clone, Default)]
pub struct Columns {
    rows: u32,
    /// Numbers of all rows, row by row.
    nums: NumberColumn,
    width: usize,
    /// One bit per column (or per group of columns if there are more than 64), set if some row has a number in it.
    has_num: u64,
    texts: Vec<Texts>,
}

impl Columns {
    /// Creates a table without rows, with this number of numeric and text columns.
    pub fn new(nums: usize, texts: usize) -> Self {
        Self { width: nums, texts: vec![Texts::default(); texts], ..Self::default() }
    }

    /// Appends a row and returns its number. Missing values become "not reported"; surplus values are ignored.
    #[inline]
    pub fn push(
        &mut self,
        nums: impl IntoIterator<Item = i64>,
        texts: impl IntoIterator<Item = StrId>,
    ) -> u32 {
        let mut nums = nums.into_iter();
        for column in 0..self.width {
            let num = nums.next().unwrap_or(NOT_REPORTED);
            self.has_num |= u64::from(num != NOT_REPORTED) << (column % 64);
            self.nums.push(num);
        }
        let mut texts = texts.into_iter();
        self.texts.iter_mut().for_each(|column| column.push(texts.next().unwrap_or(StrId::NONE)));
        self.rows += 1;
        self.rows - 1
    }

    /// The number at a row and column, which must exist; [`NOT_REPORTED`] if there is none.
    #[inline]
    pub fn num(&self, row: u32, column: usize) -> i64 {
        self.nums.get(row as usize * self.width + column)
    }

    /// The text at a row and column, which must exist; [`StrId::NONE`] if there is none.
    #[inline]
    pub fn text(&self, row: u32, column: usize) -> StrId {
        self.texts[column].get(row as usize)
    }

    /// Copies the numbers and texts of a row, which must exist, into the slices, as far as they fit.
    #[inline]
    pub fn read(&self, row: u32, nums: &mut [i64], texts: &mut [StrId]) {
        let first = row as usize * self.width;
        nums.iter_mut().zip(first..first + self.width).for_each(|(num, at)| *num = self.nums.get(at));
        texts.iter_mut().zip(&self.texts).for_each(|(text, column)| *text = column.get(row as usize));
    }

    /// Whether some row has a number in a column, which must exist.
    pub fn has_num(&self, column: usize) -> bool {
        let may_have = self.has_num >> (column % 64) & 1 == 1;
        may_have && (self.width <= 64 || (0..self.rows).any(|row| self.num(row, column) != NOT_REPORTED))
    }

    /// Whether a text in a column, which must exist, may pass a test. Does not test every row.
    pub fn may_pass(&self, column: usize, test: impl Fn(StrId) -> bool) -> bool {
        self.texts[column].may_pass(test)
    }

    /// Whether some row has a text in a column, which must exist.
    pub fn has_text(&self, column: usize) -> bool {
        self.texts[column].has_any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_what_some_row_has() {
        for width in [3, 64, 130] {
            let mut columns = Columns::new(width, 0);
            let row = |at: usize| (0..width).map(move |column| if column == at { 0 } else { NOT_REPORTED });
            columns.push(row(1), []);
            columns.push(row(width - 1), []);
            let has: Vec<usize> = (0..width).filter(|&column| columns.has_num(column)).collect();
            assert_eq!(has, [1, width - 1], "{width}");
        }
    }
}
