//! Transactions with the time in which nothing was done in them, and who waited for whose locks.

use serde::{Deserialize, Serialize};

use super::Link;

/// Order and part of the list of transactions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TransactionList {
    /// The column that orders it, the largest first (starts: the earliest).
    pub sort: TransactionColumn,
    /// The other way round.
    pub reversed: bool,
    /// Only transactions that overlap this half-open range; times are clipped to it.
    pub range: Option<(i64, i64)>,
}

/// A column of the list of transactions.
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

/// A page of the list of transactions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TransactionPage {
    /// Transactions in the trace, or in the range.
    pub total: u32,
    /// Those in which the thread was idle for a while.
    pub idle: u32,
    /// Time of all of them together, inside the range.
    pub duration: i64,
    /// Idle time of all of them together, inside the range.
    pub idle_time: i64,
    /// The first row of the page.
    pub first: u32,
    /// The rows.
    pub rows: Vec<TransactionRow>,
}

/// A transaction.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TransactionRow {
    /// Its span.
    pub link: Link,
    /// How long it took, as far as that lies inside the range of the list.
    pub duration: i64,
    /// Whether its end is not in the trace.
    pub open: bool,
    /// The thread.
    pub thread: String,
    /// How it ended, as the source says it.
    pub state: Option<String>,
    /// Statements that overlap it.
    pub statements: u32,
    /// Time between its statements; `None` where the trace has no statements of its thread.
    pub idle: Option<i64>,
    /// How many pauses that are.
    pub pauses: u32,
    /// The longest of them.
    pub longest: Option<Pause>,
}

/// Time inside a transaction in which its thread ran no statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pause {
    /// From.
    pub start: i64,
    /// To.
    pub end: i64,
    /// The statement before it.
    pub before: Option<Link>,
    /// The statement after it; `None` where the transaction ends first.
    pub after: Option<Link>,
}

/// Who waits for locks, as the source's tables of locks tell it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LockWaits {
    /// Each lock that somebody waits for.
    pub rows: Vec<LockRow>,
    /// Of runs without any: whether tables of locks are in their files, and how many rows they have.
    pub notes: Vec<String>,
}

/// A lock that somebody waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LockRow {
    /// What is locked; empty where that is not told.
    pub object: String,
    /// The mode that is asked for.
    pub wanted: Option<String>,
    /// The mode in which it is held.
    pub held: Option<String>,
    /// Since when, as the source writes it.
    pub since: Option<String>,
    /// Others that hold the same lock and are not listed, at most so many.
    pub more: u32,
    /// Who waits.
    pub waiter: LockSide,
    /// For whom.
    pub holder: LockSide,
}

/// Who waits for a lock, or holds it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LockSide {
    /// The thread.
    pub thread: String,
    /// What waits, or what holds the lock: a wait, a statement, a transaction.
    pub span: Option<Link>,
    /// The statement that waits, or the one that took the lock.
    pub statement: Option<Link>,
    /// What the source's own tables say that it was running.
    pub running: Option<String>,
}
