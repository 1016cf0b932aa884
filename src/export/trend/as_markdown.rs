//! Trends as Markdown tables (GitHub Flavored Markdown).

use std::io::{self, Write};

use super::super::comparison::as_markdown::{TITLE, table};
use super::{CHANGES, GROUPS, TrendOutput};
use crate::base::markdown::code;
use crate::base::text;

pub(super) fn write(output: &TrendOutput, out: &mut impl Write) -> io::Result<()> {
    let runs = text::counted(output.trend.runs.len() as u64, "run", "runs");
    writeln!(out, "- {runs}: {}", code(&output.first_and_last()))?;
    if let Some(versions) = output.versions() {
        writeln!(out, "- versions: {}", code(&versions))?;
    }
    writeln!(out)?;
    let changes = output.change_rows(TITLE);
    if !changes.is_empty() {
        writeln!(out, "**Change points** ({})\n", output.trend.measure.name())?;
        rows(&CHANGES, output.group_title, changes, out)?;
    }
    rows(&GROUPS, output.group_title, output.group_rows(TITLE), out)?;
    if output.not_listed() > 0 {
        writeln!(out, "{} more are not listed.\n", text::count(output.not_listed() as i64))?;
    }
    output.notes().iter().try_for_each(|note| writeln!(out, "{note}"))
}

/// Writes a table whose first column is the text of the group. Names from the trace are code, so that they are only text.
fn rows(titles: &[&str], group: &str, rows: Vec<Vec<String>>, out: &mut impl Write) -> io::Result<()> {
    let heads: Vec<String> =
        std::iter::once(group).chain(titles.iter().copied()).map(str::to_owned).collect();
    let rows = rows.into_iter().map(|mut row| {
        let text = row.pop().unwrap_or_default();
        let cells = row.into_iter().zip(titles).map(|(cell, title)| match *title {
            "from run" | "version" if !cell.is_empty() => code(&cell),
            _ => cell,
        });
        std::iter::once(code(&text)).chain(cells).collect()
    });
    table(&heads, 1, rows, out)
}
