//! Busiest threads and span names of a trace without statements.

use super::{NameJson, ThreadJson};
use crate::protocol::{BusyName, BusyThread};
use crate::stats;
use crate::trace::Trace;

/// Maximum number of threads and of names that are listed.
const SHOWN: usize = 10;

/// Returns the busiest threads, and the span names with the most time.
pub fn busiest(trace: &Trace) -> (Vec<ThreadJson>, Vec<NameJson>) {
    let found = stats::busiest(trace, None, SHOWN);
    let has_threads = !found.threads.is_empty();
    let thread = |thread: BusyThread| ThreadJson {
        thread: thread.name,
        busy_ns: thread.busy,
        waiting_ns: thread.waiting,
        spans: thread.spans,
        names: thread.names.into_iter().map(|(name, _)| name).collect(),
    };
    let name = |of: BusyName| NameJson {
        name: of.name,
        count: i64::try_from(of.count).unwrap_or(i64::MAX),
        total_ns: of.total,
        self_ns: of.self_time,
        max_ns: of.longest,
        busy_ns: has_threads.then_some(of.busy),
    };
    (found.threads.into_iter().map(thread).collect(), found.names.into_iter().map(name).collect())
}
