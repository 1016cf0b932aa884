//! A comparison of runs as Markdown tables (GitHub Flavored Markdown).

use std::io::{self, Write};

use super::{ComparisonOutput, as_text, cells};
use crate::base::markdown::code;
use crate::base::text;

/// Maximum length of the text of a group, in characters.
pub(in crate::export) const TITLE: usize = 200;

pub(super) fn write(output: &ComparisonOutput, out: &mut impl Write) -> io::Result<()> {
    let comparison = output.comparison;
    conditions(output, "", out)?;
    writeln!(out, "- base: {}", code(&as_text::side(&comparison.base)))?;
    writeln!(out, "- new: {}", code(&as_text::side(&comparison.new)))?;
    filter(output.filter, out)?;
    writeln!(out)?;
    let heads = ["", "base", "new", "difference"].map(str::to_owned);
    table(&heads, 1, cells::totals(comparison).into_iter().map(Vec::from), out)?;
    let listed = &comparison.groups[..output.n_listed()];
    let columns = cells::group_columns(listed);
    let mut heads = vec!["durations".to_owned()];
    heads.extend(columns.iter().map(|(title, _)| (*title).to_owned()));
    heads.insert(1, if output.has_statements() { "statement" } else { "name" }.to_owned());
    let rows = listed.iter().map(|group| {
        let mut row = vec![group.verdict.name().to_owned(), code(&text::shortened(&group.text, TITLE))];
        row.extend(columns.iter().map(|(_, cell)| cell(group)));
        row
    });
    table(&heads, 2, rows, out)?;
    let more = comparison.groups.len() - listed.len();
    if more > 0 {
        writeln!(
            out,
            "{} with smaller differences of their total time are not listed.\n",
            output.groups(more)
        )?;
    }
    writeln!(out, "{}", output.verdicts())?;
    output.notes().iter().try_for_each(|note| writeln!(out, "{note}"))
}

/// Writes the filter of the executions, if there is one.
pub(super) fn filter(text: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    text.map_or(Ok(()), |text| writeln!(out, "- filter: {}", code(text)))
}

/// Writes the results of the conditions; `place` names the run where there are several.
pub(super) fn conditions(output: &ComparisonOutput, place: &str, out: &mut impl Write) -> io::Result<()> {
    for check in output.checks {
        let condition = code(&check.text);
        let checked = format!("{}{place}", output.groups(check.checked));
        match (check.met.len(), check.checked) {
            (_, 0) => writeln!(out, "**Not checked**{place}: {}\n", as_text::unchecked(&condition))?,
            (0, _) => writeln!(out, "**Passed**: {condition} holds for none of {checked}.\n")?,
            (n, _) => writeln!(out, "**Failed**: {condition} holds for {n} of {checked}:\n")?,
        }
        let met: Vec<_> = check.met.iter().filter_map(|&at| output.comparison.groups.get(at)).collect();
        for group in &met {
            writeln!(
                out,
                "- {}: {}",
                code(&text::shortened(&group.text, TITLE)),
                cells::summary(group, &[check.measure])
            )?;
        }
        if !met.is_empty() {
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Writes a table; all but the first `n_texts` columns are aligned to the right.
pub(in crate::export) fn table(
    heads: &[String],
    n_texts: usize,
    rows: impl Iterator<Item = Vec<String>>,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "| {} |", heads.join(" | "))?;
    let lines: Vec<&str> = (0..heads.len()).map(|at| if at < n_texts { "---" } else { "---:" }).collect();
    writeln!(out, "| {} |", lines.join(" | "))?;
    for row in rows {
        writeln!(out, "| {} |", row.join(" | "))?;
    }
    writeln!(out)
}
