//! A comparison of runs as text.

use std::io::{self, Write};

use super::super::table::{Align, TextTable, plain};
use super::{ComparisonOutput, RunSide, cells};
use crate::base::text;

/// Maximum length of the text of a group, in characters.
pub(super) const TITLE: usize = 80;

pub(super) fn write(output: &ComparisonOutput, out: &mut impl Write) -> io::Result<()> {
    let comparison = output.comparison;
    writeln!(out, "base: {}", side(&comparison.base))?;
    writeln!(out, "new:  {}", side(&comparison.new))?;
    filter(output.filter, out)?;
    writeln!(out)?;
    let mut totals = TextTable::new(&[
        ("", Align::Left),
        ("base", Align::Right),
        ("new", Align::Right),
        ("difference", Align::Right),
    ]);
    cells::totals(comparison).into_iter().for_each(|row| totals.row(row.into()));
    totals.write("Totals", out)?;
    groups(output, out)?;
    writeln!(out, "{}", output.verdicts())?;
    output.notes().iter().try_for_each(|note| writeln!(out, "{note}"))?;
    conditions(output, "", out)
}

/// Writes the filter of the executions, if there is one.
pub(super) fn filter(text: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    text.map_or(Ok(()), |text| writeln!(out, "filter: {}", plain(text)))
}

/// Writes the results of the conditions; `place` names the run where there are several, such as " in new.json".
pub(super) fn conditions(output: &ComparisonOutput, place: &str, out: &mut impl Write) -> io::Result<()> {
    for check in output.checks {
        let checked = plain(&format!("{}{place}", output.groups(check.checked)));
        match (check.met.len(), check.checked) {
            (_, 0) => writeln!(out, "\nNot checked{}: {}", plain(place), plain(&unchecked(&check.text)))?,
            (0, _) => writeln!(out, "\nPassed: {} holds for none of {checked}.", plain(&check.text))?,
            (n, _) => writeln!(out, "\nFailed: {} holds for {n} of {checked}:", plain(&check.text))?,
        }
        for group in check.met.iter().filter_map(|&at| output.comparison.groups.get(at)) {
            writeln!(out, "  {}", plain(&text::shortened(&group.text, TITLE)))?;
            writeln!(out, "    {}", cells::summary(group, &[check.measure]))?;
        }
    }
    Ok(())
}

/// Sentence that states that a condition could not be checked for any group.
pub(super) fn unchecked(condition: &str) -> String {
    format!("{condition}: no group has the values that it needs, on the sides that it needs.")
}

/// Label and run names of a side; if there are many runs, only their number.
pub(super) fn side(side: &RunSide) -> String {
    let names: Vec<&str> = side.runs.iter().map(String::as_str).collect();
    let runs = if names.len() == 1 { "run" } else { "runs" };
    plain(&format!("{} ({runs} {})", side.label, text::listed(&names, 5)))
}

fn groups(output: &ComparisonOutput, out: &mut impl Write) -> io::Result<()> {
    let listed = &output.comparison.groups[..output.n_listed()];
    let columns = cells::group_columns(listed);
    let mut heads = vec![("durations", Align::Left)];
    heads.extend(columns.iter().map(|(title, _)| (*title, Align::Right)));
    heads.push((if output.has_statements() { "statement" } else { "name" }, Align::Left));
    let mut table = TextTable::new(&heads);
    for group in listed {
        let mut row = vec![group.verdict.name().to_owned()];
        row.extend(columns.iter().map(|(_, cell)| cell(group)));
        row.push(text::shortened(&group.text, TITLE));
        table.row(row);
    }
    let all = output.comparison.groups.len();
    let heading = match all - listed.len() {
        0 => "By difference of total time".to_owned(),
        more => {
            format!("By difference of total time: the first {}; {more} more are not listed", listed.len())
        }
    };
    table.write(&heading, out)
}
