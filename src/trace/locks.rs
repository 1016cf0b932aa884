//! Lock waits as reported by the source's own lock tables: a snapshot taken when the tables were read.

use super::{RecordId, RunId, SpanId};
use crate::base::interner::StrId;

/// A thread that waits for a lock or holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockParty {
    /// Name of the thread.
    pub thread: StrId,
    /// The waiting span, or the span that holds the lock (a transaction if there is one). `None` if not in the trace.
    pub span: Option<SpanId>,
    /// The waiting statement, or the statement that acquired the lock; `None` if not in the trace.
    pub statement: Option<SpanId>,
    /// Statement that the thread was running according to the lock tables; [`StrId::NONE`] if there was none.
    pub running: StrId,
}

/// A lock wait: a thread that waits for a lock, and a thread that holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockWait {
    /// Run that the lock wait was exported with.
    pub run: RunId,
    /// The locked object, such as `shop.items, index PRIMARY, record 5`.
    pub object: StrId,
    /// The requested lock mode; [`StrId::NONE`] if it is not reported.
    pub wanted: StrId,
    /// The mode in which the lock is held; [`StrId::NONE`] if it is not reported.
    pub held: StrId,
    /// Time since which the lock is held, as the source writes it; [`StrId::NONE`] if it is not reported.
    pub since: StrId,
    /// The thread that waits.
    pub waiter: LockParty,
    /// The thread that holds the lock.
    pub holder: LockParty,
    /// Number of further holders of the same lock that are not listed (an upper bound).
    pub more: u32,
    /// The record that reports this lock wait.
    pub record: RecordId,
}
