//! Scope of the requests about thread utilisation.

use super::caches::Caches;
use crate::analysis::Queries;
use crate::stats::{self, ParallelScope};
use crate::trace::{Item, Trace};

/// The scope of a request: the time range, or else the query of the item, or else the longest query, or else the whole trace.
/// `None` if the trace has no data on parallelism; see [`stats::has_parallel`].
pub(super) fn scope<'a>(
    trace: &Trace,
    caches: &'a mut Caches,
    range: Option<(i64, i64)>,
    item: Option<Item>,
) -> Option<(&'a Queries, ParallelScope)> {
    if !stats::has_parallel(trace) {
        return None;
    }
    let queries = caches.queries(trace);
    let of_item = || queries.row_of(trace, item?);
    let longest = || (0..queries.len()).max_by_key(|&row| queries.duration(row));
    let scope = match range {
        Some((start, end)) => ParallelScope::Range(start, end),
        None => of_item().or_else(longest).map_or(ParallelScope::Range(0, trace.end()), ParallelScope::Query),
    };
    Some((queries, scope))
}
