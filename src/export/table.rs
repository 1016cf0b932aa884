//! Text tables with aligned columns.

use std::io::{self, Write};

use crate::base::text;

/// A text table that is being built.
pub(super) struct TextTable {
    /// Titles and alignments of the columns.
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

/// Alignment of a column's values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

impl TextTable {
    pub(super) fn new(columns: &[(&str, Align)]) -> Self {
        let columns = columns.iter().map(|(title, align)| (plain(title), *align));
        Self { columns: columns.collect(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| plain(cell)).collect());
    }

    /// Writes a heading and the table; writes nothing if the table has no rows.
    pub(super) fn write(&self, heading: &str, out: &mut impl Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let titles: Vec<String> = self.columns.iter().map(|(title, _)| title.clone()).collect();
        let rows = || std::iter::once(&titles).chain(&self.rows);
        let width = |at: usize| rows().map(|row| row.get(at).map_or(0, |cell| cell.chars().count())).max();
        let widths: Vec<usize> = (0..self.columns.len()).map(|at| width(at).unwrap_or(0)).collect();
        writeln!(out, "{heading}")?;
        for row in rows() {
            let mut line = String::new();
            for ((cell, width), (_, align)) in row.iter().zip(&widths).zip(&self.columns) {
                let cell = match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                };
                line.push_str("  ");
                line.push_str(&cell);
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        writeln!(out)
    }
}

/// `name` with control characters replaced, so that a name cannot send escape sequences to the terminal.
pub(super) fn plain(name: &str) -> String {
    name.chars().map(text::in_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = TextTable::new(&[("name", Align::Left), ("n", Align::Right)]);
        let mut out = Vec::new();
        table.write("Nothing", &mut out).expect("a vector takes everything");
        assert!(out.is_empty());
        table.row(vec!["ä".to_owned(), "1,000".to_owned()]);
        table.row(vec!["\u{1b}[31m".to_owned(), "1".to_owned()]);
        table.write("Things", &mut out).expect("a vector takes everything");
        let expected = "Things\n  name       n\n  ä      1,000\n  \u{241b}[31m      1\n\n";
        assert_eq!(String::from_utf8(out).as_deref(), Ok(expected));
    }
}
