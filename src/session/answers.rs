//! Requests to replies: what is asked for is looked up or computed, and kept for as long as the trace stays as it is.
//!
//! Every id that comes in is checked here, once, so that nothing behind this door meets one that does not exist.

use super::Session;
use crate::protocol::{Details, QueryList, QueryPage, Reply, Request};
use crate::stats::{self, Hits, Order, Queries};
use crate::trace::{Item, Trace};

/// Orders of the query list that are kept: enough to go back and forth between two.
const ORDERS: usize = 4;
/// Rows of a page of the query list.
const MAX_ROWS: u32 = 1_000;

/// What was computed about the trace and may be asked for again.
#[derive(Default)]
pub(crate) struct Caches {
    queries: Option<Queries>,
    /// The latest last.
    orders: Vec<(QueryList, Order)>,
    /// What is looked for; empty for nothing. Stays when the trace grows.
    search: String,
    hits: Option<Hits>,
}

impl Caches {
    /// The trace changed: nothing but the text that is looked for is true any more.
    pub(crate) fn forget(&mut self) {
        *self = Self { search: std::mem::take(&mut self.search), ..Self::default() };
    }

    fn queries(&mut self, trace: &Trace) -> &Queries {
        self.queries.get_or_insert_with(|| Queries::of(trace))
    }

    /// What the current search finds, if there is one.
    fn hits(&mut self, trace: &Trace) -> Option<&Hits> {
        if self.hits.is_none() && !self.search.is_empty() {
            self.hits = Some(Hits::of(trace, &self.search));
        }
        self.hits.as_ref()
    }

    /// The query list in the order that is asked for.
    fn order(&mut self, trace: &Trace, list: &QueryList) -> (&Queries, &Order) {
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

impl Session {
    /// The answer to a request. Every request has one; one that names what does not exist is answered by
    /// [`Reply::Gone`].
    pub fn handle(&mut self, request: &Request) -> Reply {
        let Self { trace, answers, .. } = self;
        match request {
            Request::Card { item } => {
                Reply::Card(known(trace, *item).map(|item| stats::card(trace, answers.queries(trace), item)))
            }
            Request::Details { item } => Reply::Details(self.details(*item).map(Box::new)),
            Request::Queries { list, first, count } => Reply::Queries(self.page(list, *first, *count)),
            Request::QueryPosition { list, item } => Reply::Position(self.position(list, *item)),
            Request::Range { start, end } => Reply::Range(stats::range(trace, *start, *end)),
            Request::Search { text } => self.search(text),
            Request::SearchStep { from, backwards } => {
                let from = from.and_then(|code| known(trace, code));
                let step = answers.hits(trace).and_then(|hits| hits.step(trace, from, *backwards));
                Reply::Moved(step.map(Item::code))
            }
            Request::Summary => Reply::Summary(stats::summaries(trace)),
            Request::Report => Reply::Report(self.report()),
            Request::Charts { start, end, buckets } => {
                Reply::Charts(stats::charts(trace, answers.queries(trace), *start, *end, *buckets))
            }
            _ => Reply::Gone,
        }
    }

    fn details(&mut self, code: u32) -> Option<Details> {
        let item = known(&self.trace, code)?;
        let details = stats::details(&self.trace, self.answers.queries(&self.trace), item);
        let places = stats::records(&self.trace, item).filter_map(|record| self.place(record));
        Some(Details { records: places.collect(), ..details })
    }

    fn page(&mut self, list: &QueryList, first: u32, count: u32) -> QueryPage {
        let trace = &self.trace;
        let (queries, order) = self.answers.order(trace, list);
        let rows = order.rows.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        QueryPage {
            total: queries.len(),
            matched: order.rows.len() as u32,
            filter_error: order.error.clone(),
            longest: order.longest,
            first,
            rows: rows.map(|&row| queries.row(trace, row)).collect(),
        }
    }

    fn position(&mut self, list: &QueryList, code: u32) -> Option<u32> {
        let item = known(&self.trace, code)?;
        let (queries, order) = self.answers.order(&self.trace, list);
        let row = queries.row_of(&self.trace, item)?;
        order.rows.iter().position(|&found| found == row).map(|at| at as u32)
    }

    fn search(&mut self, text: &str) -> Reply {
        let Self { trace, answers, .. } = self;
        text.trim().clone_into(&mut answers.search);
        answers.hits = None;
        answers.queries(trace);
        answers.hits(trace);
        let found = answers.hits.as_ref().zip(answers.queries.as_ref());
        Reply::Found(found.map(|(hits, queries)| hits.found(trace, queries)).unwrap_or_default())
    }
}

/// The item behind a code, if the trace has it.
fn known(trace: &Trace, code: u32) -> Option<Item> {
    Some(Item::from_code(code)).filter(|&item| trace.contains(item))
}
