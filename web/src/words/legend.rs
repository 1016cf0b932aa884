//! Texts of the legend.

use queryscope::internal::text;

pub const NEXT_TO_TABS: &str = "Legend next to the tabs";
pub const LEGEND: &str = "Legend";
pub const TITLE: &str = "Show what each colour means";
pub const SHOW_ALL: &str = "Show all colours";
pub const SHARED_COLOURS: &str = "Names that share a colour differ in their labels.";
pub const NO_CONNECTOR: &str = "no connector";
pub const NO_DATASOURCE: &str = "no datasource";
pub const NO_QUERY: &str = "no query";
pub const FETCHING_ROWS: &str = "fetching rows";
pub const FAILED: &str = "failed";

pub fn highlight(name: &str) -> String {
    format!("Highlight {name}")
}

pub fn names(n: u64) -> String {
    text::counted(n, "name", "names")
}

pub fn other_names(n: u64) -> String {
    format!("and {}", text::counted(n, "other name", "other names"))
}
