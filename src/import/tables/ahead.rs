//! Width of the rows after a file's first line. The first line may be incomplete, for example in a log that was cut at
//! its front or a partial download.

use super::Dialect;
use super::delimited::{Delimited, is_chatter};
use super::row::TableRow;

/// Properties of the lines of a file's head, except the first and the last line.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Ahead {
    /// Number of values of most rows; `None` if there are no rows.
    pub width: Option<usize>,
    /// Whether at least three quarters of the rows have this width.
    pub is_uniform: bool,
}

/// Maximum number of lines that are examined.
const LINES: usize = 200;

impl Ahead {
    /// Examines the head of a file.
    pub fn of(head: &str, dialect: Dialect, is_header: impl Fn(&TableRow) -> bool) -> Self {
        // The last line of the head may be incomplete.
        let whole = head.rfind('\n').map_or("", |end| &head[..end]);
        let is_aside = |line: &&str| line.is_empty() || line.starts_with('#') || is_chatter(line);
        let lines = whole.lines().skip_while(is_aside).skip(1).take(LINES);
        let (mut rows, mut widths) = (Delimited::new(dialect), Vec::new());
        for line in lines.filter(|line| !line.is_empty()) {
            let Some(row) = rows.row_of(line) else { continue };
            if !is_header(&row) {
                widths.push(row.len());
            }
        }
        let count = |width: usize| widths.iter().filter(|&&other| other == width).count();
        let width = widths.iter().copied().max_by_key(|&width| (count(width), width));
        Self { width, is_uniform: width.is_some_and(|width| count(width) * 4 >= widths.len() * 3) }
    }

    /// Returns the number of values per row, for rows without a header whose first row has `first` values.
    pub fn for_rows(&self, first: usize) -> usize {
        // If the first row is longer, the lines after it may be the rest of one of its texts.
        self.width.filter(|&width| width > first || self.is_uniform && width + 2 > first).unwrap_or(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_behind_the_first_tell_its_length() {
        let is_header = |row: &TableRow| row.get(0) == Some("a");
        for (head, first, width) in [
            ("", 3, 3),
            ("1\t2\n", 2, 2),
            ("2\t3\n1\t2\t3\n", 2, 3),
            // The last line may be incomplete.
            ("2\t3\n1\t2\t3", 2, 2),
            ("9\t9\t1\t2\n1\t2\t3\n1\t2\t3\n", 4, 3),
            // Another table begins; a text continues in the next line.
            ("2\t3\na\tb\tc\n1\t2\n", 2, 2),
            ("3\n1\tx\\\ny\t3\n", 1, 3),
            ("1\tx\ny\t3\n", 2, 2),
        ] {
            assert_eq!(Ahead::of(head, Dialect::of(head), is_header).for_rows(first), width, "{head:?}");
        }
    }
}
