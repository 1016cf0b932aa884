//! Cached results about the trace of a session, which are valid until the trace changes.

use crate::analysis::{ChildSpans, Hits, Order, Queries};
use crate::compare::Comparison;
use crate::pivot::{self, Pivot};
use crate::protocol::{CriticalPath, FileReport, FindingList, FindingsRequest, PivotChoices, QueryList};
use crate::stats::{
    Areas, BufferQueries, FindingSearch, PathScope, Sources, StatementShapes, TableRows, Transactions,
};
use crate::trace::{Item, Trace};

/// Number of cached orders of the query list: enough to alternate between two orders.
const ORDERS: usize = 4;

/// Cached results that may be requested again.
#[derive(Default)]
pub(crate) struct Caches {
    pub(super) queries: Option<Queries>,
    pub(super) children: Option<ChildSpans>,
    /// The critical path that was requested last, with its scope and the item that chose the run.
    pub(super) critical: Option<((PathScope, Option<Item>), CriticalPath)>,
    /// Orders of the query list, most recently used last.
    orders: Vec<(QueryList, Order)>,
    /// The text of the current search; empty if there is no search. Kept when the trace grows.
    pub(super) search: String,
    pub(super) hits: Option<Hits>,
    pub(super) transactions: Option<Transactions>,
    /// The last search for findings, complete or not.
    findings: Option<FindingSearch>,
    pub(super) shapes: StatementShapes,
    pub(super) sources: Sources,
    pub(super) buffer_queries: BufferQueries,
    pub(super) tables: TableRows,
    pub(super) areas: Areas,
    pub(crate) pivot: Pivot,
    choices: Option<PivotChoices>,
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

    /// The findings for a request.
    pub(super) fn findings(
        &mut self,
        trace: &Trace,
        files: &[FileReport],
        request: &FindingsRequest,
    ) -> &FindingList {
        let FindingsRequest { range, thresholds } = request;
        self.findings.take_if(|search| !search.is_for(*range, thresholds));
        let search = self.findings.get_or_insert_with(|| FindingSearch::new(*range, thresholds));
        let queries = self.queries.get_or_insert_with(|| Queries::of(trace));
        search.finish(trace, queries, files)
    }

    /// Applies one rule of the search for findings in the whole trace; returns whether there are more. Does nothing while the
    /// findings of another request are cached.
    pub(super) fn find_ahead(&mut self, trace: &Trace, files: &[FileReport]) -> bool {
        let search = self.findings.get_or_insert_with(|| FindingSearch::new(None, &[]));
        let queries = self.queries.get_or_insert_with(|| Queries::of(trace));
        search.is_for(None, &[]) && search.step(trace, queries, files)
    }

    /// Dimensions and quantities of pivot tables.
    pub(super) fn choices(&mut self, trace: &Trace) -> &PivotChoices {
        self.choices.get_or_insert_with(|| pivot::choices(trace))
    }

    /// Computes the choices of pivot tables; returns whether there was anything to do.
    pub(super) fn choose_ahead(&mut self, trace: &Trace) -> bool {
        let is_missing = self.choices.is_none();
        self.choices(trace);
        is_missing
    }

    /// Hits of the current search; `None` if there is no search.
    #[inline(never)]
    pub(super) fn hits(&mut self, trace: &Trace) -> Option<&Hits> {
        if self.hits.is_none() && !self.search.is_empty() {
            self.hits = Some(Hits::of(trace, &self.search));
        }
        self.hits.as_ref()
    }

    /// The queries, and their order for `list`.
    #[inline(never)]
    pub(super) fn order(&mut self, trace: &Trace, list: &QueryList) -> (&Queries, &Order) {
        let queries = self.queries.get_or_insert_with(|| Queries::of(trace));
        let kept = self.orders.iter().position(|(of, _)| of == list);
        let order = match kept {
            Some(at) => self.orders.remove(at).1,
            None => queries.order(trace, list),
        };
        if self.orders.len() >= ORDERS {
            self.orders.remove(0);
        }
        self.orders.push((list.clone(), order));
        (queries, &self.orders[self.orders.len() - 1].1)
    }
}
