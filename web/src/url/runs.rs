//! The part of an address that stores the comparison of runs. Runs and groups are numbers, so that the address
//! contains no text of the trace.

use queryscope::protocol::{
    ComparedRunColumn, DurationVerdict, GroupBy, MergedDifference, RunSelection, RunTableMeasure,
    RunTableOrder,
};

use super::{interval, name, named, reversible};
use crate::state::{CompareMode, Nav};

const MODES: [(CompareMode, &str); 2] =
    [(CompareMode::Runs, "runs"), (CompareMode::Executions, "executions")];
pub(super) const GROUPS: [(GroupBy, &str); 5] = [
    (GroupBy::Shape, "shape"),
    (GroupBy::Name, "name"),
    (GroupBy::Kind, "kind"),
    (GroupBy::Datasource, "datasource"),
    (GroupBy::Connector, "connector"),
];
pub(super) const RUN_COLUMNS: [(ComparedRunColumn, &str); 13] = [
    (ComparedRunColumn::Group, "group"),
    (ComparedRunColumn::Verdict, "verdict"),
    (ComparedRunColumn::Count, "count"),
    (ComparedRunColumn::Total, "total"),
    (ComparedRunColumn::Difference, "difference"),
    (ComparedRunColumn::P50, "p50"),
    (ComparedRunColumn::P95, "p95"),
    (ComparedRunColumn::Change, "change"),
    (ComparedRunColumn::SelfTime, "self"),
    (ComparedRunColumn::RowsRead, "rows-read"),
    (ComparedRunColumn::RowsReturned, "rows-returned"),
    (ComparedRunColumn::Bytes, "bytes"),
    (ComparedRunColumn::Failed, "failed"),
];
pub(super) const TABLE_MEASURES: [(RunTableMeasure, &str); 5] = [
    (RunTableMeasure::Total, "total"),
    (RunTableMeasure::P50, "p50"),
    (RunTableMeasure::P95, "p95"),
    (RunTableMeasure::Max, "max"),
    (RunTableMeasure::SelfTime, "self"),
];
pub(super) const VERDICTS: [(DurationVerdict, &str); 6] = [
    (DurationVerdict::Slower, "slower"),
    (DurationVerdict::Faster, "faster"),
    (DurationVerdict::New, "new"),
    (DurationVerdict::Vanished, "vanished"),
    (DurationVerdict::NoDifference, "same"),
    (DurationVerdict::TooFew, "few"),
];
const DIFFERENCE: &str = "difference";
const GROUP: &str = "group";
const WIDTH_BY_BASE: &str = "base";
const WIDTH_BY_NEW: &str = "new";
/// Value for all runs, in place of run numbers.
const ALL: &str = "all";
/// Maximum number of runs of a side in a link.
const MOST: usize = 200;

/// Applies one name-value pair of an address; returns `false` if the pair is not about runs.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    let view = &mut nav.runs;
    match name {
        "compare" => view.chosen_mode = named(&MODES, value),
        "runs.base" => view.base = selection(value),
        "runs.new" => view.new = selection(value),
        "runs.by" => view.by = named(&GROUPS, value).unwrap_or_default(),
        "runs.order" => {
            let (column, minus) = reversible(value);
            if let Some(sort) = named(&RUN_COLUMNS, column) {
                (view.sort, view.reversed) = (sort, minus);
            }
        }
        "runs.only" => view.only = named(&VERDICTS, value),
        "runs.group" => view.group = value.parse().ok(),
        "runs.measure" => view.table.measure = named(&TABLE_MEASURES, value).unwrap_or_default(),
        "runs.rows" => {
            let (column, minus) = reversible(value);
            if let Some(sort) = table_order(column) {
                (view.table.sort, view.table.reversed) = (sort, minus);
            }
        }
        "runs.rows-only" => {
            view.table.only = value
                .split_once('.')
                .and_then(|(at, verdict)| Some((at.parse().ok()?, named(&VERDICTS, verdict)?)));
        }
        "difference" => nav.merged.difference = difference(value),
        _ => return false,
    }
    true
}

/// Adds the settings that differ from their default.
pub(super) fn add(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let view = &nav.runs;
    if let Some(MergedDifference { base, new, width_by_base }) = nav.merged.difference.as_deref() {
        let width = if *width_by_base { WIDTH_BY_BASE } else { WIDTH_BY_NEW };
        add("difference", &format!("{}~{}~{width}", written(base), written(new)));
    }
    if let Some(mode) = view.chosen_mode {
        add("compare", name(&MODES, mode));
    }
    for (name, side) in [("runs.base", &view.base), ("runs.new", &view.new)] {
        if let Some(side) = side {
            add(name, &written(side));
        }
    }
    if view.by != GroupBy::default() {
        add("runs.by", name(&GROUPS, view.by));
    }
    if (view.sort, view.reversed) != (ComparedRunColumn::default(), false) {
        let sign = if view.reversed { "-" } else { "" };
        add("runs.order", &format!("{sign}{}", name(&RUN_COLUMNS, view.sort)));
    }
    if let Some(verdict) = view.only {
        add("runs.only", name(&VERDICTS, verdict));
    }
    if let Some(group) = view.group {
        add("runs.group", &group.to_string());
    }
    let table = view.table;
    if table.measure != RunTableMeasure::default() {
        add("runs.measure", name(&TABLE_MEASURES, table.measure));
    }
    if (table.sort, table.reversed) != (RunTableOrder::default(), false) {
        let sign = if table.reversed { "-" } else { "" };
        let column = match table.sort {
            RunTableOrder::Difference => DIFFERENCE.to_owned(),
            RunTableOrder::Group => GROUP.to_owned(),
            RunTableOrder::Run(at) => at.to_string(),
        };
        add("runs.rows", &format!("{sign}{column}"));
    }
    if let Some((at, verdict)) = table.only {
        add("runs.rows-only", &format!("{at}.{}", name(&VERDICTS, verdict)));
    }
}

/// Parses what orders the table of all runs: a word, or the index of a run in the table.
fn table_order(text: &str) -> Option<RunTableOrder> {
    match text {
        DIFFERENCE => Some(RunTableOrder::Difference),
        GROUP => Some(RunTableOrder::Group),
        run => run.parse().ok().map(RunTableOrder::Run),
    }
}

/// Parses the sides of a difference flame graph, and the side that determines the widths.
fn difference(text: &str) -> Option<Box<MergedDifference>> {
    let mut parts = text.splitn(3, '~');
    let (base, new) = (selection(parts.next()?)?, selection(parts.next()?)?);
    Some(Box::new(MergedDifference { base, new, width_by_base: parts.next() == Some(WIDTH_BY_BASE) }))
}

/// Formats a side: its runs, then `in` or `out` and a time range, such as `0.2_in_100,200`.
pub fn written(side: &RunSelection) -> String {
    let runs: Vec<String> = side.runs.iter().take(MOST).map(u32::to_string).collect();
    let mut text = if runs.is_empty() { ALL.to_owned() } else { runs.join(".") };
    if let Some((from, until)) = side.within {
        text += &format!("_{}_{from},{until}", if side.outside { "out" } else { "in" });
    }
    text
}

/// Parses a side as [`written`] formats it.
pub fn selection(text: &str) -> Option<RunSelection> {
    let mut parts = text.splitn(3, '_');
    let runs = match parts.next()? {
        ALL => Vec::new(),
        runs => runs.split('.').take(MOST).map(|run| run.parse().ok()).collect::<Option<Vec<u32>>>()?,
    };
    let Some(sign) = parts.next() else { return Some(RunSelection { runs, ..RunSelection::default() }) };
    let within = Some(interval(parts.next()?)?);
    Some(RunSelection { runs, within, outside: sign == "out" })
}
