//! Lock waits, as the source's own tables of locks report them: a snapshot of the moment at which they were read.

use super::{RecordId, RunId, SpanId};
use crate::base::interner::StrId;

/// One who waits for a lock, or holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockParty {
    /// Name of the thread.
    pub thread: StrId,
    /// What waits; what holds the lock: a transaction where there is one. `None` where it is not in the trace.
    pub span: Option<SpanId>,
    /// The statement that waits; the one that took the lock.
    pub statement: Option<SpanId>,
    /// What the tables themselves say that it was running; [`StrId::NONE`] for nothing.
    pub running: StrId,
}

/// A lock that a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockWait {
    /// The run that it was exported with.
    pub run: RunId,
    /// What is locked: `shop.items, index PRIMARY, record 5`.
    pub object: StrId,
    /// The requested lock mode; [`StrId::NONE`] if it is not reported.
    pub wanted: StrId,
    /// The mode in which the lock is held; [`StrId::NONE`] if it is not reported.
    pub held: StrId,
    /// Since when the lock is held, as the source writes it; [`StrId::NONE`] if it is not reported.
    pub since: StrId,
    /// Who waits.
    pub waiter: LockParty,
    /// For whom.
    pub holder: LockParty,
    /// Others that hold the same lock and are not listed, at most so many.
    pub more: u32,
    /// The record that reports this wait.
    pub record: RecordId,
}
