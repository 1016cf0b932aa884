//! How long the rows are that stand after a file's first line, which may be what is left of one: a log that was cut at
//! its front, a half of a download.

use super::Dialect;
use super::delimited::{Delimited, is_chatter};
use super::row::TableRow;

/// What the lines of a file's head say, but for the first and the last one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Ahead {
    /// How many values most rows have; `None` where there is no row.
    pub width: Option<usize>,
    /// Whether all rows have so many, or nearly all.
    pub is_uniform: bool,
}

/// Lines that are examined.
const LINES: usize = 200;

impl Ahead {
    /// What stands ahead in a file that begins so.
    pub fn of(head: &str, dialect: Dialect, is_header: impl Fn(&TableRow) -> bool) -> Self {
        // The head's last line may be cut.
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

    /// The number of values of each row, for rows without a header whose first row has `first` values.
    pub fn for_rows(&self, first: usize) -> usize {
        // Where the first row is longer, lines after it may be the rest of a text in it.
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
            // The last line may be cut.
            ("2\t3\n1\t2\t3", 2, 2),
            ("9\t9\t1\t2\n1\t2\t3\n1\t2\t3\n", 4, 3),
            // Another table begins; texts go on in the next line.
            ("2\t3\na\tb\tc\n1\t2\n", 2, 2),
            ("3\n1\tx\\\ny\t3\n", 1, 3),
            ("1\tx\ny\t3\n", 2, 2),
        ] {
            assert_eq!(Ahead::of(head, Dialect::of(head), is_header).for_rows(first), width, "{head:?}");
        }
    }
}
