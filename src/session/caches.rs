//! Cached results about the trace of a session, which are valid until the trace changes.

use std::ops::Range;

use crate::analysis::{Bits, Hits, Order, Queries};
use crate::compare::Comparison;
use crate::pivot::{Filtered, Pivot, PivotError};
use crate::protocol::{FilterReply, QueryList};
use crate::stats::{BufferQueries, Sources, StatementShapes, TableRows, Transactions};
use crate::trace::Trace;

/// Number of cached orders of the query list: enough to alternate between two orders.
const ORDERS: usize = 4;

/// Cached results that may be requested again.
#[derive(Default)]
pub(crate) struct Caches {
    pub(super) queries: Option<Queries>,
    /// Orders of the query list, most recently used last.
    orders: Vec<(QueryList, Order)>,
    /// The text of the current search; empty if there is no search. Kept when the trace grows.
    pub(super) search: String,
    pub(super) hits: Option<Hits>,
    /// What the filter that was requested last selects.
    filtered: Option<Filtered>,
    /// What the scenes highlight under a filter and the current search.
    filter_hits: Option<Hits>,
    pub(super) transactions: Option<Transactions>,
    pub(super) shapes: StatementShapes,
    pub(super) sources: Sources,
    pub(super) buffer_queries: BufferQueries,
    pub(super) tables: TableRows,
    pub(crate) pivot: Pivot,
    pub(super) compare: Comparison,
}

impl Caches {
    /// Drops all cached results after a change of the trace, but keeps the text of the current search.
    pub(crate) fn forget(&mut self) {
        *self = Self { search: std::mem::take(&mut self.search), ..Self::default() };
    }

    #[inline(never)]
    pub(super) fn queries(&mut self, trace: &Trace) -> &Queries {
        self.queries.get_or_insert_with(|| Queries::of(trace))
    }

    /// Hits of the current search; `None` if there is no search.
    #[inline(never)]
    pub(super) fn hits(&mut self, trace: &Trace) -> Option<&Hits> {
        if self.hits.is_none() && !self.search.is_empty() {
            self.hits = Some(Hits::of(trace, &self.search));
        }
        self.hits.as_ref()
    }

    /// Whether a filter is valid, and the number of spans and events that match.
    #[inline(never)]
    pub(super) fn check(&mut self, trace: &Trace, text: &str) -> FilterReply {
        let Self { queries, pivot, filtered, .. } = self;
        let queries = queries.get_or_insert_with(|| Queries::of(trace));
        let error = select(filtered, pivot, (trace, queries), text).err();
        let matched = filtered.as_ref().filter(|known| known.text == text).map_or(0, |known| known.count);
        let error = error.map(|(error, at)| (error.to_string(), at.start as u32, at.end as u32));
        FilterReply { text: text.to_owned(), error, matched }
    }

    /// The queries, the shapes of their statements, and the spans that pass a filter. All pass a filter that is not valid.
    #[inline(never)]
    pub(super) fn shapes(
        &mut self,
        trace: &Trace,
        filter: &str,
    ) -> (&Queries, &mut StatementShapes, Option<&Bits>) {
        let Self { queries, pivot, filtered, shapes, .. } = self;
        let queries = &*queries.get_or_insert_with(|| Queries::of(trace));
        let passing = passing(filtered, pivot, (trace, queries), filter).unwrap_or(None);
        (queries, shapes, passing)
    }

    /// What scenes highlight: the hits of the search, among the spans and events that match the filter.
    #[inline(never)]
    pub(super) fn highlighted(&mut self, trace: &Trace, filter: &str) -> Option<&Hits> {
        self.hits(trace);
        let Self { queries, pivot, filtered, hits, filter_hits, .. } = self;
        let queries = queries.get_or_insert_with(|| Queries::of(trace));
        if filter.trim().is_empty() || select(filtered, pivot, (trace, queries), filter).is_err() {
            return hits.as_ref();
        }
        let points = &filtered.as_ref()?.points;
        let name = format!("{}\0{filter}", self.search);
        if filter_hits.as_ref().is_none_or(|known| known.text() != name) {
            *filter_hits = Some(Hits::among(trace, points, hits.as_ref(), name));
        }
        filter_hits.as_ref()
    }

    /// The queries, and their order for `list`.
    #[inline(never)]
    pub(super) fn order(&mut self, trace: &Trace, list: &QueryList) -> (&Queries, &Order) {
        let Self { queries, pivot, filtered, .. } = self;
        let queries = &*queries.get_or_insert_with(|| Queries::of(trace));
        let passing =
            passing(filtered, pivot, (trace, queries), &list.filter).map_err(|(error, _)| error.to_string());
        let kept = self.orders.iter().position(|(of, _)| of == list);
        let order = match kept {
            Some(at) => self.orders.remove(at).1,
            None => match passing {
                Err(error) => Order { error: Some(error), ..Order::default() },
                Ok(passing) => queries.order(trace, list, passing),
            },
        };
        if self.orders.len() >= ORDERS {
            self.orders.remove(0);
        }
        self.orders.push((list.clone(), order));
        (queries, &self.orders[self.orders.len() - 1].1)
    }
}

/// Parses a filter and selects what matches, unless it is the filter of the last request.
fn select(
    filtered: &mut Option<Filtered>,
    pivot: &mut Pivot,
    (trace, queries): (&Trace, &Queries),
    text: &str,
) -> Result<(), (PivotError, Range<usize>)> {
    if filtered.as_ref().is_none_or(|known| known.text != text) {
        *filtered = Some(pivot.filtered(trace, queries, text)?);
    }
    Ok(())
}

/// The spans that pass a filter in lists of executions; `None` if the filter is empty.
fn passing<'a>(
    filtered: &'a mut Option<Filtered>,
    pivot: &mut Pivot,
    of: (&Trace, &Queries),
    text: &str,
) -> Result<Option<&'a Bits>, (PivotError, Range<usize>)> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    select(filtered, pivot, of, text)?;
    Ok(filtered.as_ref().map(|filtered| &filtered.executions))
}
