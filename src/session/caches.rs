//! Cached results about the trace of a session, which are valid until the trace changes.

use std::ops::Range;
use std::rc::Rc;

use crate::analysis::{Bits, ChildSpans, FilteredItems, Hits, Order, Queries, ShownItems, SqlShapes};
use crate::compare::Comparison;
use crate::pivot::{self, Filtered, Pivot, PivotError};
use crate::protocol::{
    CriticalPath, FileReport, FilterReply, Finding, FindingList, FindingsRequest, PivotChoices, QueryList,
    RuleFindingsRequest, RunSummary, ShapePath, ShapePathRequest, ViewFilter,
};
use crate::rows::TraceTables;
use crate::stats::{
    self, Areas, BufferQueries, FindingSearch, ParallelScope, Sources, StatementShapes, TableRows,
    Transactions,
};
use crate::trace::{Item, Trace};

/// Number of cached orders of the query list: enough to alternate between two orders.
const ORDERS: usize = 4;
/// Number of cached filters, at up to three bits per span and event.
const FILTERS: usize = 4;

/// Number of spans and events from which on a trace is large.
const LARGE: usize = 2_000_000;

/// Whether a rule for findings may take so long that it delays other requests noticeably.
pub(super) fn is_large(trace: &Trace) -> bool {
    trace.spans.len() + trace.events.len() > LARGE
}

/// Cached results that may be requested again.
#[derive(Default)]
pub(crate) struct Caches {
    pub(super) queries: Option<Queries>,
    pub(super) children: Option<ChildSpans>,
    /// The critical path that was requested last, with its scope and with the item whose run it was searched in.
    pub(super) critical: Option<((ParallelScope, Option<Item>), CriticalPath)>,
    /// Orders of the query list, most recently used last.
    orders: Vec<(QueryList, Order)>,
    /// The text of the current search; empty if there is no search. Kept when the trace grows.
    pub(super) search: String,
    pub(super) hits: Option<Hits>,
    /// The items that recent filters select, most recently used last.
    filtered: Vec<Filtered>,
    /// The items that scenes highlight: the hits of the current search that also match the most recent filter.
    filter_hits: Option<Hits>,
    /// The items that the most recent view with a hiding filter shows, and the text of the filter.
    shown: Option<(String, Rc<ShownItems>)>,
    pub(super) transactions: Option<Transactions>,
    runs: Option<Vec<RunSummary>>,
    /// The last search for findings, complete or not.
    findings: Option<FindingSearch>,
    pub(super) shapes: StatementShapes,
    pub(super) sources: Sources,
    pub(super) buffer_queries: BufferQueries,
    pub(super) tables: TableRows,
    pub(super) areas: Areas,
    /// Shapes of the statements that jumps and areas have compared so far.
    pub(super) sql_shapes: SqlShapes,
    pub(crate) pivot: Pivot,
    choices: Option<PivotChoices>,
    /// Data that the tables for SQL derive from the trace.
    pub(super) sql: Option<TraceTables>,
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

    pub(super) fn run_summaries(&mut self, trace: &Trace) -> &[RunSummary] {
        self.runs.get_or_insert_with(|| stats::summaries(trace))
    }

    /// The findings for a request.
    pub(super) fn findings(
        &mut self,
        trace: &Trace,
        files: &dyn Fn() -> Vec<FileReport>,
        request: &FindingsRequest,
    ) -> &FindingList {
        let (search, queries) = self.finding_search(trace, files, request);
        if request.in_steps && is_large(trace) {
            search.advance(trace, queries)
        } else {
            search.finish(trace, queries)
        }
    }

    /// The worst findings of one rule.
    pub(super) fn rule_findings(
        &mut self,
        trace: &Trace,
        files: &dyn Fn() -> Vec<FileReport>,
        request: &RuleFindingsRequest,
    ) -> Vec<Finding> {
        let (search, queries) = self.finding_search(trace, files, &request.all);
        search.of_rule(trace, queries, &request.rule, request.count as usize)
    }

    /// The cached search for findings, or a new one if that is for another request.
    fn finding_search(
        &mut self,
        trace: &Trace,
        files: &dyn Fn() -> Vec<FileReport>,
        request: &FindingsRequest,
    ) -> (&mut FindingSearch, &Queries) {
        self.findings.take_if(|search| !search.is_for(request));
        if self.findings.is_none() {
            let filter = self.filtered(trace, &request.filter);
            self.findings = Some(FindingSearch::new(request, filter, files()));
        }
        let search = self.findings.get_or_insert_default();
        let queries = self.queries.get_or_insert_with(|| Queries::of(trace));
        (search, queries)
    }

    /// Applies one rule of the search for findings in the whole trace; returns whether there are more. Does nothing while the
    /// findings of another request are cached.
    pub(super) fn find_ahead(&mut self, trace: &Trace, files: impl FnOnce() -> Vec<FileReport>) -> bool {
        let whole = FindingsRequest::default();
        let search = self.findings.get_or_insert_with(|| FindingSearch::new(&whole, None, files()));
        let queries = self.queries.get_or_insert_with(|| Queries::of(trace));
        search.is_for(&whole) && search.step(trace, queries)
    }

    /// Dimensions and quantities that pivot tables offer; computed by the first call.
    pub(super) fn choices(&mut self, trace: &Trace) -> &PivotChoices {
        self.choices.get_or_insert_with(|| pivot::choices(trace))
    }

    /// Computes the dimensions and quantities that pivot tables offer, if they are not cached; returns whether it had
    /// to.
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

    /// Whether a filter is valid, and what it selects in numbers.
    #[inline(never)]
    pub(super) fn check(&mut self, trace: &Trace, text: &str) -> FilterReply {
        let Self { queries, pivot, filtered, .. } = self;
        let queries = queries.get_or_insert_with(|| Queries::of(trace));
        match select(filtered, pivot, (trace, queries), text) {
            Ok(found) => found.reply(trace, pivot),
            Err((error, at)) => {
                let error = Some((error.to_string(), at.start as u32, at.end as u32));
                FilterReply { text: text.to_owned(), error, ..FilterReply::default() }
            }
        }
    }

    /// The spans and events that match a filter: spans by their ids, then events. `None` if it is not valid.
    pub(super) fn matching(&mut self, trace: &Trace, text: &str) -> Option<&Bits> {
        let Self { queries, pivot, filtered, .. } = self;
        let queries = queries.get_or_insert_with(|| Queries::of(trace));
        Some(&select(filtered, pivot, (trace, queries), text).ok()?.points)
    }

    /// The spans and events that pass a filter; `None` if it is empty or not valid.
    #[inline(never)]
    pub(super) fn filtered(&mut self, trace: &Trace, filter: &str) -> Option<FilteredItems> {
        let Self { queries, pivot, filtered, .. } = self;
        let queries = queries.get_or_insert_with(|| Queries::of(trace));
        chosen(filtered, pivot, (trace, queries), filter)?;
        Some(filtered.last_mut()?.items(trace, pivot))
    }

    /// The queries, the shapes of their statements, and the spans that pass a filter; `None` if all pass because the
    /// filter is empty or not valid.
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

    /// The steps on the critical paths of the executions of a shape that pass the request's filter; `None` if there is no such
    /// shape.
    #[inline(never)]
    pub(super) fn shape_path(&mut self, trace: &Trace, request: &ShapePathRequest) -> Option<ShapePath> {
        let Self { queries, children, pivot, filtered, shapes, .. } = self;
        let queries = &*queries.get_or_insert_with(|| Queries::of(trace));
        let children = children.get_or_insert_with(|| ChildSpans::of(trace));
        let passing = passing(filtered, pivot, (trace, queries), &request.filter).unwrap_or(None);
        shapes.path(trace, queries, children, (request, passing))
    }

    /// The cached statement shapes for jumps, and the spans and events that match a filter; `None` if all match because
    /// the filter is empty or not valid.
    #[inline(never)]
    pub(super) fn jumps(&mut self, trace: &Trace, filter: &str) -> (&mut SqlShapes, Option<&Bits>) {
        let Self { queries, pivot, filtered, sql_shapes, .. } = self;
        let queries = queries.get_or_insert_with(|| Queries::of(trace));
        let found = chosen(filtered, pivot, (trace, queries), filter);
        (sql_shapes, found.map(|found| &*found.points))
    }

    /// The spans and events that a view with a filter shows while it hides all others; `None` if the filter is empty or not
    /// valid, so that everything is shown.
    #[inline(never)]
    pub(super) fn shown(&mut self, trace: &Trace, filter: &str) -> Option<Rc<ShownItems>> {
        let Self { queries, pivot, filtered, shown, .. } = self;
        let queries = queries.get_or_insert_with(|| Queries::of(trace));
        let found = chosen(filtered, pivot, (trace, queries), filter)?;
        let kept = shown.take().filter(|(text, _)| text == filter);
        let new = || (filter.to_owned(), Rc::new(ShownItems::new(trace, &found.points, filter)));
        Some(shown.insert(kept.unwrap_or_else(new)).1.clone())
    }

    /// The items that scenes highlight, while they dim all others: the hits of the search among the spans and events that match
    /// the filter. `None` if nothing is dimmed: there is no search, and no valid filter or one that hides.
    #[inline(never)]
    pub(super) fn highlighted(
        &mut self,
        trace: &Trace,
        ViewFilter { text: filter, hides }: &ViewFilter,
    ) -> Option<&Hits> {
        let search = self.hits(trace);
        if *hides && search.is_none_or(Hits::is_of_places) {
            return None;
        }
        let Self { queries, pivot, filtered, hits, filter_hits, .. } = self;
        let queries = queries.get_or_insert_with(|| Queries::of(trace));
        let found = chosen(filtered, pivot, (trace, queries), filter);
        let Some(Filtered { points, .. }) = found else { return hits.as_ref() };
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
        let kept = self.orders.iter().position(|(of, _)| of == list);
        let order = match kept {
            Some(at) => self.orders.remove(at).1,
            None => match passing(filtered, pivot, (trace, queries), &list.filter) {
                // A filter that is not valid hides nothing; the list comes with the reason.
                Err((error, _)) => {
                    Order { error: Some(error.to_string()), ..queries.order(trace, list, None) }
                }
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

/// Parses a filter and selects the matching items, unless they are cached. An error has the byte range of the wrong
/// condition in the text.
fn select<'a>(
    filtered: &'a mut Vec<Filtered>,
    pivot: &mut Pivot,
    (trace, queries): (&Trace, &Queries),
    text: &str,
) -> Result<&'a mut Filtered, (PivotError, Range<usize>)> {
    match filtered.iter().position(|known| known.text == text) {
        Some(at) => filtered[at..].rotate_left(1),
        None => {
            let found = pivot.filtered(trace, queries, text)?;
            if filtered.len() >= FILTERS {
                filtered.remove(0);
            }
            filtered.push(found);
        }
    }
    let last = filtered.len() - 1;
    Ok(&mut filtered[last])
}

/// The items that a filter selects; `None` if it is empty or not valid.
fn chosen<'a>(
    filtered: &'a mut Vec<Filtered>,
    pivot: &mut Pivot,
    of: (&Trace, &Queries),
    text: &str,
) -> Option<&'a mut Filtered> {
    (!text.trim().is_empty()).then(|| select(filtered, pivot, of, text).ok())?
}

/// The spans that pass a filter in lists of executions; `None` if the filter is empty. An error has the byte range of
/// the wrong condition in the text.
fn passing<'a>(
    filtered: &'a mut Vec<Filtered>,
    pivot: &mut Pivot,
    of: (&Trace, &Queries),
    text: &str,
) -> Result<Option<&'a Bits>, (PivotError, Range<usize>)> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(Some(&select(filtered, pivot, of, text)?.executions))
}
