//! Texts of the filter of all views.

use super::common::count;

pub const FILTER: &str = "Filter";
pub const LABEL: &str = "Filter spans and events";
pub const EXAMPLE: &str = "Filter: orders duration > 5ms";
pub const SYNTAX: &str = "Words, and conditions that must all hold: kind = query  sql ~ orders  connector != js-conn  duration > 5ms  rows_read >= 1000  failed";
pub const OPEN: &str = "Filter all views (Shift F)";
pub const SCOPE: &str = "Applies to the query list, statements, pivot tables and “Where the time went”; timelines dim all other spans.";
pub const CLOSE: &str = "Close";

pub fn matched(n: u32) -> String {
    match n {
        0 => "No span or event matches".to_owned(),
        1 => "1 match".to_owned(),
        _ => format!("{} matches", count(n.into())),
    }
}
