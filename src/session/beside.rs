//! Requests about what ran beside each other: threads at the same time, executions of the same statement.

use super::Session;
use super::answers::{Caches, known};
use crate::analysis::Queries;
use crate::protocol::{Reply, Request};
use crate::stats::{self, ParallelScope};
use crate::trace::Trace;

impl Session {
    /// The answer to a request about threads or executions; [`Reply::Gone`] for any other.
    #[inline(never)]
    pub(super) fn beside(&mut self, request: &Request) -> Reply {
        match request {
            Request::Parallel { range, item } => {
                let answer = |trace: &Trace, queries: &Queries, scope| {
                    let item = item.and_then(|code| known(trace, code));
                    stats::parallel(trace, queries, scope, item)
                };
                Reply::Parallel(self.threads(*range, *item, answer).map(Box::new))
            }
            Request::Heat { range, item, columns } => {
                let answer =
                    |trace: &Trace, queries: &Queries, scope| stats::heat(trace, queries, scope, *columns);
                Reply::Heat(self.threads(*range, *item, answer).map(Box::new))
            }
            Request::Busiest { range, most } => {
                Reply::Busiest(Box::new(stats::busiest(&self.trace, *range, *most as usize)))
            }
            Request::Compare { view } => {
                let Self { trace, answers: Caches { queries, compare, .. }, .. } = self;
                let queries = queries.get_or_insert_with(|| Queries::of(trace));
                Reply::Compare(Box::new(compare.compare(trace, queries, view)))
            }
            _ => Reply::Gone,
        }
    }

    /// What is to be said of the threads in a range, of the query of an item, or of the longest query.
    fn threads<T>(
        &mut self,
        range: Option<(i64, i64)>,
        code: Option<u32>,
        answer: impl FnOnce(&Trace, &Queries, ParallelScope) -> T,
    ) -> Option<T> {
        let trace = &self.trace;
        if !stats::has_parallel(trace) {
            return None;
        }
        let queries = self.answers.queries(trace);
        let of_item = || queries.row_of(trace, known(trace, code?)?);
        let longest = || (0..queries.len()).max_by_key(|&row| queries.duration(row));
        let scope = match range {
            Some((start, end)) => ParallelScope::Range(start, end),
            None => {
                of_item().or_else(longest).map_or(ParallelScope::Range(0, trace.end()), ParallelScope::Query)
            }
        };
        Some(answer(trace, queries, scope))
    }
}
