//! Scope of the requests about thread utilisation.

use super::caches::Caches;
use crate::analysis::Queries;
use crate::stats::{self, ParallelScope};
use crate::trace::{Item, Trace};

/// The queries, and the scope of a request by [`ParallelScope::of`]. `None` if the trace has no data on parallelism; see
/// [`stats::has_parallel`].
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
    let scope = ParallelScope::of(trace, queries, range, item);
    Some((queries, scope))
}
