//! Transactions with their idle time, and lock waits.

use serde::{Deserialize, Serialize};

use super::Link;

/// Order and time range of the transaction list.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TransactionList {
    /// Column that orders the list, largest first (for `Start`: earliest first).
    pub sort: TransactionColumn,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// If set, only transactions that overlap this half-open range, in nanoseconds, with times clipped to it.
    pub range: Option<(i64, i64)>,
}

/// A column of the transaction list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum TransactionColumn {
    Start,
    Duration,
    #[default]
    Idle,
    Share,
    Longest,
    Statements,
}

/// A page of the transaction list.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TransactionPage {
    /// Number of transactions in the trace; with a range, only those that overlap it.
    pub total: u32,
    /// Number of transactions in which the thread was idle for some time.
    pub idle: u32,
    /// Sum of the durations of all transactions, clipped to the range, in nanoseconds.
    pub duration: i64,
    /// Sum of the idle times of all transactions, clipped to the range, in nanoseconds.
    pub idle_time: i64,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<TransactionRow>,
}

/// A row of the transaction list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TransactionRow {
    /// Link to the transaction's span.
    pub link: Link,
    /// Duration, clipped to the list's range, in nanoseconds.
    pub duration: i64,
    /// Whether the end of the transaction is not in the trace.
    pub open: bool,
    /// Name of the thread.
    pub thread: String,
    /// Final state as the source reports it, such as `COMMITTED`; `None` if not reported.
    pub state: Option<String>,
    /// Number of statements that overlap the transaction.
    pub statements: u32,
    /// Time between its statements, in nanoseconds; `None` if the trace has no statements of its thread.
    pub idle: Option<i64>,
    /// Number of idle gaps that add up to `idle`.
    pub pauses: u32,
    /// Longest idle gap; `None` if there is none.
    pub longest: Option<Pause>,
}

/// An idle gap: time inside a transaction in which its thread ran no statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pause {
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// End, in nanoseconds since the run's first event.
    pub end: i64,
    /// Statement before the gap; `None` if the transaction begins with the gap.
    pub before: Option<Link>,
    /// Statement after the gap; `None` if the transaction ends with the gap.
    pub after: Option<Link>,
}

/// Lock waits, as the source's lock tables report them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LockWaits {
    /// Every lock that a thread waits for.
    pub rows: Vec<LockRow>,
    /// For runs without lock waits: whether their files contain lock tables, and how many rows those have.
    pub notes: Vec<String>,
}

/// A lock wait: a thread that waits for a lock, and a thread that holds it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LockRow {
    /// Name of the locked object; empty if not reported.
    pub object: String,
    /// Requested lock mode; `None` if not reported.
    pub wanted: Option<String>,
    /// Mode in which the lock is held; `None` if not reported.
    pub held: Option<String>,
    /// Time since which the lock is held, as the source writes it; `None` if not reported.
    pub since: Option<String>,
    /// Number of further holders of this lock that are not listed (an upper bound).
    pub more: u32,
    /// The thread that waits.
    pub waiter: LockSide,
    /// The thread that holds the lock.
    pub holder: LockSide,
}

/// A thread that waits for a lock or holds it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LockSide {
    /// Name of the thread.
    pub thread: String,
    /// The waiting span, or the span that holds the lock: a wait, statement or transaction. `None` if not in the trace.
    pub span: Option<Link>,
    /// The waiting statement, or the statement that acquired the lock; `None` if not in the trace.
    pub statement: Option<Link>,
    /// Statement that the thread was running according to the lock tables; `None` if not reported.
    pub running: Option<String>,
}
