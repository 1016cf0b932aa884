//! [`Columns`]: rows with the same numbers and texts.

use super::NOT_REPORTED;
use super::texts::Texts;
use crate::base::columns::NumberColumn;
use crate::base::interner::StrId;

/// Rows that carry the same numbers and texts.
#[derive(Clone, Default)]
pub struct Columns {
    rows: u32,
    /// Row by row.
    nums: NumberColumn,
    width: usize,
    /// A bit for each column (for several columns if there are more than 64), set if some row has a number in the column.
    has_num: u64,
    texts: Vec<Texts>,
}

impl Columns {
    /// No rows yet, each of so many numbers and texts.
    pub fn new(nums: usize, texts: usize) -> Self {
        Self { width: nums, texts: vec![Texts::default(); texts], ..Self::default() }
    }

    /// Appends a row; what is missing is "not reported", what is too much is left out. Returns its number.
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

    /// The number of a row in a column; both must exist.
    #[inline]
    pub fn num(&self, row: u32, column: usize) -> i64 {
        self.nums.get(row as usize * self.width + column)
    }

    /// The text of a row in a column; both must exist.
    #[inline]
    pub fn text(&self, row: u32, column: usize) -> StrId {
        self.texts[column].get(row as usize)
    }

    /// The numbers and texts of a row, which must exist, as far as there is room.
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

    /// Whether a text in a column, which must exist, may pass a test: without a look at every row.
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
