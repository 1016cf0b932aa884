//! Texts of the filter of all views.

use queryscope::internal::text;
use queryscope::protocol::FilterReply;

use super::common::NOT_REPORTED;
use crate::state::{Flame, Nav, Tab};

pub const FILTER: &str = "Filter";
pub const LABEL: &str = "Filter spans and events";
pub const EXAMPLE: &str = "Filter: orders duration > 5ms";
pub const SYNTAX: &str = "Words, and conditions that must all hold: kind = query  sql ~ orders  connector != js-conn  duration > 5ms  rows_read >= 1000  failed";
pub const OPEN: &str = "Filter all views (Shift F)";
pub const COMPLETIONS: &str = "Completions";
pub const MENU: &str = "Filter by this value";
pub const ONLY: &str = "Only this";
pub const INCLUDE: &str = "Include";
pub const EXCLUDE: &str = "Exclude";
pub const CONDITIONS: &str = "Conditions";
pub const CLOSE: &str = "Close";
pub const REST: &str = "Spans and events that do not match";
pub const DIM: &str = "Dim";
pub const HIDE: &str = "Hide";
pub const UNFINISHED: &str = "Press Enter to apply the filter as typed";
pub const WHOLE: &str = "A query matches as a whole if, for each condition, it or something inside it meets the condition. The query list, Statements and charts of queries show these queries.";
pub const SHOWN_AGAIN: &str = "Filter set to Dim.";
pub const WAS_HIDDEN: &str = "The span does not match the filter and was hidden.";

/// How many spans and events match, and how many queries do as a whole if that number differs.
pub fn matched(found: &FilterReply, has_queries: bool) -> String {
    let &FilterReply { matched, listed, .. } = found;
    let (one, many) =
        if has_queries { ("query matches", "queries match") } else { ("span matches", "spans match") };
    let whole = format!("{} as a whole", text::counted(listed.into(), one, many));
    let single = text::counted(matched.into(), "match", "matches");
    match matched {
        0 if listed == 0 => "No span or event matches".to_owned(),
        0 => format!("{whole}, but no single span or event meets all conditions"),
        _ if listed == matched || !has_queries => single,
        _ => format!("{single}; {whole}"),
    }
}

/// Follows the headings of filtered sections.
pub fn filtered(is_filtered: bool) -> &'static str {
    if is_filtered { " (filtered)" } else { "" }
}

/// Why a list of executions or events is empty: because of the filter, the time range, or both.
pub fn none(what: &str, nav: &Nav) -> String {
    let matching = if nav.filter.is_empty() { "" } else { " match the filter" };
    let place = if nav.range.is_none() { "" } else { " in this time range" };
    match (matching, place) {
        ("", "") => format!("No {what} in this trace."),
        _ => format!("No {what}{matching}{place}."),
    }
}

/// Label of the button that opens the menu of a value.
pub fn by(attribute: &str, value: Option<&str>) -> String {
    format!("Filter by {attribute}: {}", value.unwrap_or(NOT_REPORTED))
}

pub fn remove(condition: &str) -> String {
    format!("Remove {condition}")
}

pub fn turn(opposite: &str) -> String {
    format!("Change to {opposite}")
}

/// States how the filter affects a view; for timelines, names what [`DIM`] and [`HIDE`] affect.
pub fn scope(tab: Tab, flame: Flame) -> &'static str {
    match (tab, flame) {
        (Tab::Overview, _) => "The tables of runs, threads and names are not filtered.",
        (Tab::Gantt, _) | (Tab::Flame, Flame::Time(_)) => REST,
        (Tab::Flame, Flame::Merged) | (Tab::Sources, _) => {
            "Counts what meets all conditions together with the spans around it."
        }
        (Tab::Statements, _) => {
            "Shows executions that meet all conditions together with what is inside them."
        }
        (Tab::Compare, _) => {
            "Runs: compares executions that meet all conditions together with what is inside them. Two executions step by step are not filtered."
        }
        (Tab::Pivot, _) => "Counts only spans and events that meet all conditions themselves.",
        _ => "This view is not filtered: it shows everything.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn matches_of_spans_and_of_queries_are_both_counted_where_they_differ() {
        for (matched, listed, has_queries, expected) in [
            (0, 0, true, "No span or event matches"),
            (0, 2, true, "2 queries match as a whole, but no single span or event meets all conditions"),
            (0, 1, false, "1 span matches as a whole, but no single span or event meets all conditions"),
            (1, 1, true, "1 match"),
            (7, 1, true, "7 matches; 1 query matches as a whole"),
            (7, 0, true, "7 matches; 0 queries match as a whole"),
            (7, 9, false, "7 matches"),
        ] {
            let found = FilterReply { matched, listed, ..FilterReply::default() };
            assert_eq!(super::matched(&found, has_queries), expected);
        }
    }
}
