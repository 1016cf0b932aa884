//! Trends as text.

use std::io::{self, Write};

use super::super::table::{Align, TextTable, plain};
use super::{CHANGES, GROUPS, TrendOutput};
use crate::base::text;

/// Maximum length of the text of a group, in characters.
const TITLE: usize = 80;

pub(super) fn write(output: &TrendOutput, out: &mut impl Write) -> io::Result<()> {
    let runs = text::counted(output.trend.runs.len() as u64, "run", "runs");
    writeln!(out, "{}", plain(&format!("{runs}: {}", output.first_and_last())))?;
    if let Some(versions) = output.versions() {
        writeln!(out, "{}", plain(&format!("versions: {versions}")))?;
    }
    writeln!(out)?;
    let changes = table(&CHANGES, output.group_title, output.change_rows(TITLE));
    changes.write(&format!("Change points ({})", output.trend.measure.name()), out)?;
    let heading = match output.not_listed() {
        0 => "By total time".to_owned(),
        more => format!("By total time; {} more are not listed", text::count(more as i64)),
    };
    table(&GROUPS, output.group_title, output.group_rows(TITLE)).write(&heading, out)?;
    output.notes().iter().try_for_each(|note| writeln!(out, "{note}"))
}

fn table(titles: &[&str], group: &str, rows: Vec<Vec<String>>) -> TextTable {
    let align = |title: &str| match title {
        "change" | "from run" | "version" | "course" => Align::Left,
        _ => Align::Right,
    };
    let mut columns: Vec<(&str, Align)> = titles.iter().map(|title| (*title, align(title))).collect();
    columns.push((group, Align::Left));
    let mut table = TextTable::new(&columns);
    rows.into_iter().for_each(|row| table.row(row));
    table
}
