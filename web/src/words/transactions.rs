//! Texts of the transactions and lock waits.

use queryscope::internal::text;
use queryscope::protocol::TransactionPage;

use super::common::share;

pub const AFTER: &str = " after ";
pub const BLOCKED_BY: &str = "Blocked by";
pub const BLOCKING_STATEMENT: &str = "Blocking statement";
pub const DURATION: &str = "Duration";
pub const HOLDER_DURATION: &str = "Holder duration";
pub const IDLE: &str = "Idle";
pub const IDLE_GAPS: &str = "Idle gaps";
pub const IDLE_MEANING: &str =
    "Idle: the transaction was open, its locks were held, and its thread ran no statement.";
pub const LOCKED_OBJECT: &str = "Locked object";
pub const LOCK_WAITS: &str = "Lock waits";
pub const LOCK_WAITS_MEANING: &str = "As recorded in the server's lock tables at the time of export. Select one to show it in the Gantt view, with the arrow from its blocker.";
pub const LONGEST_IDLE_GAP: &str = "Longest idle gap";
pub const NARROW_TO_GAP: &str =
    "Select this idle gap as the time range, to see what other threads did meanwhile";
pub const NOT_IN_TRACE: &str = "Not in the trace";
pub const NOT_TIMED: &str = "not timed";
pub const NO_STATEMENTS: &str = "No statements of this transaction in the trace";
pub const REGION: &str = "Transactions and lock waits";
pub const SHARE: &str = "Share";
pub const START: &str = "Start";
pub const STATEMENTS: &str = "Statements";
pub const TRANSACTION: &str = "Transaction";
pub const TRANSACTIONS: &str = "Transactions";
pub const UNFINISHED: &str = "unfinished";
pub const UNKNOWN_THREAD: &str = "unknown thread";
pub const WAITING: &str = "Waiting";
pub const WAITING_STATEMENT: &str = "Waiting statement";
pub const WORK_AND_IDLE_TIME: &str = "Work and idle time";

/// Summarises all transactions of a list in one sentence.
pub fn summary(page: &TransactionPage) -> String {
    match page.total {
        0 => "No transactions.".to_owned(),
        total => format!(
            "{}, {} with idle gaps: {} of {} idle ({}).",
            text::counted(u64::from(total), "transaction", "transactions"),
            text::count(i64::from(page.idle)),
            text::duration(page.idle_time),
            text::duration(page.duration),
            share(page.idle_time, page.duration)
        ),
    }
}

pub fn other_holders(n: u32) -> String {
    format!("and up to {} more holders", text::count(n.into()))
}

pub fn show(title: &str) -> String {
    format!("Show in the Gantt view: {title}")
}

pub fn waited(duration: Option<i64>, since: Option<&str>) -> String {
    match (duration, since) {
        (Some(waited), Some(since)) => format!("for {}, since {since}", text::duration(waited)),
        (Some(waited), None) => format!("for {}", text::duration(waited)),
        (None, Some(since)) => format!("since {since}"),
        (None, None) => String::new(),
    }
}

pub fn not_in_trace(statement: &str) -> String {
    format!("{statement} (not in the trace)")
}
