//! Trends as CSV: a row for each group in each run, for spreadsheets and notebooks.

use std::io::{self, Write};

use super::TrendOutput;
use crate::base::csv;
use crate::compare::RunMeasure;

/// Titles of the columns before the measures.
const FIRST: [&str; 7] = ["trace", "trace_id", "run", "run_id", "day", "version", "group"];
/// Titles of the columns after the measures.
const LAST: [&str; 6] = ["incomplete", "min_ns", "first_start_ns", "slowest_span_id", "change", "change_p"];

pub(super) fn write(output: &TrendOutput, out: &mut impl Write) -> io::Result<()> {
    let measures = RunMeasure::ALL.map(RunMeasure::json_key);
    let names: Vec<&str> = FIRST.into_iter().chain(measures.iter().map(String::as_str)).chain(LAST).collect();
    writeln!(out, "{}", names.join(","))?;
    for group in output.listed(usize::MAX) {
        for (run, point) in &group.points {
            let Some(about) = output.trend.runs.get(*run) else { continue };
            let text = |text: &str| csv::field(text).into_owned();
            let or_empty = |text_or: &Option<String>| text_or.as_deref().map_or_else(String::new, text);
            let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
            let change = group.changes.iter().find(|change| change.run == *run);
            let mut cells = vec![
                text(&about.trace),
                about.trace_id.to_string(),
                text(&about.name),
                about.run_id.to_string(),
                or_empty(&about.day),
                or_empty(&about.version),
                text(&group.text),
            ];
            cells.extend(RunMeasure::ALL.map(|measure| number(point.get(measure))));
            cells.extend([
                point.incomplete.to_string(),
                number(point.min),
                number(point.first_start),
                number(point.slowest.map(|slowest| i64::from(slowest.span))),
                change.map_or_else(String::new, |change| output.verdict(change).to_owned()),
                change.map_or_else(String::new, |change| change.p.to_string()),
            ]);
            writeln!(out, "{}", cells.join(","))?;
        }
    }
    Ok(())
}
