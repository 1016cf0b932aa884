//! Texts of the side tables.

use queryscope::internal::text;

pub const FIND_ROWS: &str = "Find rows";
pub const FIND_TABLE: &str = "Find table";
pub const HIDE_ZERO_ROWS: &str = "Hide zero rows";
pub const HIDE_ZERO_ROWS_MEANING: &str = "Hide rows in which all counts and sums are 0";
pub const NO_MATCHING_ROWS: &str = "No matching rows";
pub const NO_MATCHING_TABLES: &str = "No matching tables";
pub const NO_TABLES: &str = "No tables";
pub const NO_TABLES_REASON: &str = "These files contain only events.";
pub const NO_TIMELINE: &str = "No timeline in these files. ";
pub const NULL: &str = "NULL";
pub const RAW_VALUES: &str = "Raw values";
pub const RAW_VALUES_MEANING: &str = "Show every digit as recorded in the file, with times in picoseconds";
pub const TABLES: &str = "Tables";

/// Formats the number of shown rows: "12 of 374 rows, 3 columns hidden (only NULL)".
pub fn shown(matched: u32, total: u32, empty_columns: u32) -> String {
    let rows = text::counted(total.into(), "row", "rows");
    let mut shown = match matched {
        all if all == total => rows,
        some => format!("{} of {rows}", text::count(some.into())),
    };
    if empty_columns > 0 {
        let columns = text::counted(empty_columns.into(), "column", "columns");
        shown += &format!(", {columns} hidden (only NULL)");
    }
    shown
}
