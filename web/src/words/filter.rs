//! Texts of the filter of all views.

use super::common::{NOT_REPORTED, count};
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
pub const SHOWN_AGAIN: &str = "Filter set to Dim.";
pub const WAS_HIDDEN: &str = "The span does not match the filter and was hidden.";

pub fn matched(n: u32) -> String {
    match n {
        0 => "No span or event matches".to_owned(),
        1 => "1 match".to_owned(),
        _ => format!("{} matches", count(n.into())),
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
        (Tab::Flame, Flame::Merged) | (Tab::Sources, _) => "Counts what matches, and everything inside it.",
        (Tab::Statements, _) => "Shows executions that match or contain a match.",
        (Tab::Pivot, _) => "Counts only spans and events that match.",
        _ => "This view is not filtered.",
    }
}
