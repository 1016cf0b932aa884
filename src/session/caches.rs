//! What a session has computed about its trace, kept for as long as the trace stays as it is.

use crate::analysis::{Hits, Order, Queries};
use crate::compare::Comparison;
use crate::pivot::Pivot;
use crate::protocol::QueryList;
use crate::stats::{TableRows, Transactions};
use crate::trace::Trace;

/// Orders of the query list that are kept: enough to go back and forth between two.
const ORDERS: usize = 4;

/// What was computed about the trace and may be asked for again.
#[derive(Default)]
pub(crate) struct Caches {
    pub(super) queries: Option<Queries>,
    /// The latest last.
    orders: Vec<(QueryList, Order)>,
    /// The text that is searched for; empty for none. Stays when the trace grows.
    pub(super) search: String,
    pub(super) hits: Option<Hits>,
    pub(super) transactions: Option<Transactions>,
    pub(super) tables: TableRows,
    pub(crate) pivot: Pivot,
    pub(super) compare: Comparison,
}

impl Caches {
    /// Drops everything but the text that is searched for: the trace changed.
    pub(crate) fn forget(&mut self) {
        *self = Self { search: std::mem::take(&mut self.search), ..Self::default() };
    }

    #[inline(never)]
    pub(super) fn queries(&mut self, trace: &Trace) -> &Queries {
        self.queries.get_or_insert_with(|| Queries::of(trace))
    }

    /// What the current search finds, if there is one.
    #[inline(never)]
    pub(super) fn hits(&mut self, trace: &Trace) -> Option<&Hits> {
        if self.hits.is_none() && !self.search.is_empty() {
            self.hits = Some(Hits::of(trace, &self.search));
        }
        self.hits.as_ref()
    }

    /// The query list in the order that is asked for.
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
