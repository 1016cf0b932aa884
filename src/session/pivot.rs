//! Requests about aggregates: ours, and the server's own.

use super::Session;
use crate::pivot::{self, Pivot};
use crate::protocol::{Reply, Request};
use crate::reconcile::reconcile;
use crate::trace::Trace;

impl Session {
    /// The trace that was built last, and its aggregates.
    pub fn pivot(&mut self) -> (&Trace, &mut Pivot) {
        (&self.trace, &mut self.answers.pivot)
    }

    /// The answer to a request about aggregates; [`Reply::Gone`] for any other.
    #[inline(never)]
    pub(super) fn aggregates(&mut self, request: &Request) -> Reply {
        let (trace, pivot) = self.pivot();
        match request {
            Request::Pivot { view, first, count } => Reply::Pivot(pivot.page(trace, view, *first, *count)),
            Request::PivotText { view } => pivot.csv(trace, view).map_or(Reply::Gone, Reply::Text),
            Request::Reconcile => Reply::Reconciled(reconcile(trace)),
            Request::PivotChoices => Reply::PivotChoices(pivot::choices(trace)),
            _ => Reply::Gone,
        }
    }
}
