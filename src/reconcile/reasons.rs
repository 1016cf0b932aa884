//! Why a server's sum and that of its events may differ, though both are right. Each was seen on real exports.

use super::columns::{Column, Coordinate};
use crate::strings::StrId;
use crate::trace::{Table, Trace};

/// A cell that differs.
pub struct Case<'a> {
    pub table: &'a str,
    pub column: &'a str,
    /// The values of the row's key.
    pub event: Vec<&'a str>,
    pub server: i128,
    pub events: i128,
    /// Whether the row has no events at all.
    pub none: bool,
    /// Whether the row was not 0 in an earlier export.
    pub base: bool,
    /// Whether threads were gone when the export was made.
    pub any_gone: bool,
}

/// What nothing explains.
pub const UNEXPLAINED: &str = "unexplained";

/// The reason of a difference, in words for its reader.
pub fn reason(case: &Case) -> &'static str {
    let is = |prefix: &str| case.table.starts_with(prefix);
    let has = |event: &str| case.event.iter().any(|part| part.starts_with(event));
    let by_account = ["_by_account_", "_by_user_", "_by_host_"].iter().any(|by| case.table.contains(by));
    match () {
        () if is("objects_summary_") && ["PROCEDURE", "FUNCTION", "TRIGGER"].iter().any(|kind| has(kind)) => {
            "the server converts times of stored programs with the timer of waits (a fault of MySQL); they have no events of their own"
        }
        () if by_account && has("wait/io/socket/") && case.server < case.events => {
            "the server adds the sockets of live connections to their account when they disconnect"
        }
        () if by_account && case.any_gone && case.server > case.events => {
            "threads were gone when the export was made: whose their events are is not known"
        }
        () if has("idle") && !case.table.contains("_by_thread_") => {
            "the server counts `idle` of threads that are alive twice"
        }
        () if case.base => "the earlier export had counted something already, and TRUNCATE had not reset it",
        () if case.server < case.events && (has("wait/io/table/") || has("wait/lock/table/")) => {
            "a table was dropped or rebuilt: the server forgets its sums"
        }
        () if case.server < case.events && (is("table_") || is("objects_summary_")) => {
            "a table was dropped or rebuilt: the server forgets its sums"
        }
        () if case.table == "events_waits_summary_global_by_event_name"
            && has("wait/synch/")
            && case.server > case.events =>
        {
            "TRUNCATE does not reset the sums of mutexes, locks and conditions that are gone: an export of the sums from before the events would tell by how much"
        }
        () if case.column.starts_with("MIN_") && case.server == 0 => {
            "an event took less than one tick of the timer"
        }
        () if (has("wait/io/file/") || is("file_")) && case.server < case.events => {
            "a file was deleted or renamed: the server forgets its sums"
        }
        () if has("wait/io/file/") || is("file_") => {
            "the server counts some operations on files that it never puts into its history"
        }
        () if case.none && case.server > 0 => {
            "no event of it is in the export: its history was off, full, or reset later"
        }
        () if case.server > case.events => {
            "events are missing from the export: the history was overwritten, or still running"
        }
        () => UNEXPLAINED,
    }
}

/// Why the server has no row for events.
pub fn only_events(trace: &Trace, table: &Table, columns: &[Option<Column>], key: &[StrId]) -> &'static str {
    let name = trace.str(table.name);
    let by = |coordinate| columns.contains(&Some(Column::Key(coordinate)));
    match () {
        () if by(Coordinate::Thread) => {
            "the thread was gone when the export was made: the server forgets its sums"
        }
        () if by(Coordinate::Instance) || name == "file_summary_by_instance" => {
            "the object was destroyed or closed: the server forgets its sums"
        }
        () if name.starts_with("table_") || name.starts_with("objects_summary_") => {
            "the table was dropped: the server forgets its sums"
        }
        () if by(Coordinate::Digest) && key.contains(&StrId::NONE) => "the server had no room for its digest",
        () if by(Coordinate::User) || by(Coordinate::Host) => "the server keeps no sums of this account",
        () => UNEXPLAINED,
    }
}
