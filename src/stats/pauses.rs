//! Idle gaps: time inside a transaction in which its thread ran no statement. The transaction keeps its locks meanwhile.
//!
//! ```text
//! transaction   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇
//! statements  ▇▇▇▇   ▇▇▇       ▇▇▇   ▇▇▇
//! idle gaps       ───   ───────   ───
//! ```
//! A transaction begins inside a statement. If the first recorded statement starts later, the statement that began the
//! transaction was lost, so the time before the first statement is not an idle gap.

use crate::base::sort;
use crate::trace::{Flags, Kind, SpanId, Trace, TrackId, clipped, overlaps};

/// Idle gap of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// End, in nanoseconds since the run's first event.
    pub end: i64,
    /// Statement before the gap.
    pub before: SpanId,
    /// Statement after the gap; `None` if the transaction ends first.
    pub after: Option<SpanId>,
}

/// A transaction and its idle gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paused {
    /// Span of the transaction.
    pub span: SpanId,
    /// Number of statements that overlap the transaction. A transaction without any has no known idle gaps.
    pub statements: u32,
    /// Idle gaps in chronological order.
    pub gaps: Vec<Gap>,
}

impl Paused {
    /// Total idle time, in nanoseconds.
    pub fn idle(&self) -> i64 {
        self.gaps.iter().fold(0, |idle, gap| idle.saturating_add(gap.end - gap.start))
    }

    /// Returns the transaction with only the idle gaps that overlap a half-open range, clipped to the range.
    #[must_use]
    pub fn inside(&self, range: (i64, i64)) -> Self {
        let inside = |gap: &Gap| {
            let (start, end) = clipped((gap.start, gap.end), range);
            overlaps(gap.start, gap.end, range).then_some(Gap { start, end, ..*gap })
        };
        Self { gaps: self.gaps.iter().filter_map(inside).collect(), ..*self }
    }

    /// Longest idle gap; the first one if several are equally long; `None` if there are no gaps.
    pub fn longest(&self) -> Option<Gap> {
        self.gaps.iter().rev().max_by_key(|gap| gap.end - gap.start).copied()
    }
}

/// Period in which the thread ran statements without a gap.
#[derive(Clone, Copy)]
struct Work {
    start: i64,
    end: i64,
    first: SpanId,
    last: SpanId,
}

/// Returns the transactions of a track with their idle gaps, sorted by start.
pub fn pauses(trace: &Trace, track: TrackId) -> Vec<Paused> {
    let mut transactions: Vec<(SpanId, i64, i64)> = Vec::new();
    let mut work: Vec<Work> = Vec::new();
    for id in trace.tracks.spans(track).map(SpanId) {
        let (start, end) = trace.spans.bounds(id);
        match trace.spans.kind(id) {
            Kind::Transaction => transactions.push((id, start, end)),
            // Top-level statements, and stages whose statement was lost.
            Kind::Query => add(&mut work, id, (start, end)),
            Kind::Stage if trace.spans.parent(id).is_none() => add(&mut work, id, (start, end)),
            _ => {}
        }
    }
    sort::by_key(&mut transactions, |&(id, start, _)| (start, u64::from(id.0)));
    once(&mut transactions);
    let next = |at: usize| transactions.get(at + 1).map_or(i64::MAX, |&(_, start, _)| start);
    // A thread has one transaction at a time. If two overlap, the earlier one is cut where the later one starts.
    let paused = |(at, &(span, start, end)): (usize, &(SpanId, i64, i64))| {
        let end = end.min(next(at)).max(start);
        let first = work.partition_point(|work| work.end <= start);
        let count = work[first..].partition_point(|work| work.start < end);
        // Inferred times give only an order, so the time between statements is unknown.
        let is_told = !trace.spans.flags(span).has(Flags::INFERRED);
        let count = if is_told { count } else { 0 };
        let during = &work[first..first + count];
        Paused { span, statements: count as u32, gaps: gaps(during, end) }
    };
    transactions.iter().enumerate().map(paused).collect()
}

/// Removes duplicate transactions: MariaDB writes some twice, first with an end that is too early. The longest of those
/// with the same start is kept.
fn once(transactions: &mut Vec<(SpanId, i64, i64)>) {
    transactions.dedup_by(|next, kept| {
        let same = next.1 == kept.1;
        if same && next.2 > kept.2 {
            *kept = *next;
        }
        same
    });
}

fn add(work: &mut Vec<Work>, id: SpanId, (start, end): (i64, i64)) {
    match work.last_mut() {
        Some(last) if start < last.end => {
            last.end = last.end.max(end);
            last.last = id;
        }
        _ => work.push(Work { start, end, first: id, last: id }),
    }
}

/// Idle gaps between the periods of work in a transaction that ends at `end`.
fn gaps(work: &[Work], end: i64) -> Vec<Gap> {
    let starts = work.iter().skip(1).map(|next| (next.start, Some(next.first)));
    let starts = starts.chain([(end, None)]);
    let between = work.iter().zip(starts).map(|(before, (start, after))| Gap {
        start: before.end,
        end: start,
        before: before.last,
        after,
    });
    between.filter(|gap| gap.start < gap.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::interner::{Interner, StrId};
    use crate::trace::{RecordId, Span, TraceBuilder, TrackKind};

    /// Checks the idle gaps of each transaction on a thread with these spans; `None` if they are unknown.
    fn check(spans: &[(Kind, i64, i64)], expected: &[Option<&[(i64, i64)]>]) {
        let mut builder = TraceBuilder::new(Interner::default());
        let shape = builder.shape(&[], &[]);
        let run = builder.run(StrId::EMPTY, 0, 100, 0);
        let track = builder.track(builder.root(run), StrId::EMPTY, TrackKind::Thread);
        for &(kind, start, end) in spans {
            let parent = None;
            let name = StrId::EMPTY;
            let flags = Flags::default();
            let depth = 0;
            let (begin, duration) = (RecordId::NONE, end - start);
            let span = Span { start, duration, parent, name, kind, flags, depth, begin, end: begin };
            builder.span(span, shape, &[], &[]);
        }
        let found = pauses(&builder.finish(), track);
        let times = |paused: &Paused| paused.gaps.iter().map(|gap| (gap.start, gap.end)).collect::<Vec<_>>();
        let found: Vec<_> = found.iter().map(|one| (one.statements > 0).then(|| times(one))).collect();
        let expected: Vec<_> = expected.iter().map(|gaps| gaps.map(<[_]>::to_vec)).collect();
        assert_eq!(found, expected, "{spans:?}");
    }

    #[test]
    fn a_pause_is_what_no_statement_fills() {
        use Kind::{Idle, Query, Stage, Transaction};
        // BEGIN, two statements, COMMIT.
        let run = [(Query, 0, 10), (Transaction, 5, 75), (Query, 20, 30), (Idle, 30, 60), (Query, 60, 80)];
        check(&run, &[Some(&[(10, 20), (30, 60)])]);
        // A transaction inside its statement has no gap.
        check(&[(Query, 0, 10), (Transaction, 2, 8)], &[Some(&[])]);
        // The transaction was rolled back after the client had disconnected.
        check(&[(Query, 0, 10), (Transaction, 5, 50)], &[Some(&[(10, 50)])]);
        // The statement that began the transaction was lost.
        check(&[(Transaction, 0, 50), (Query, 20, 30)], &[Some(&[(30, 50)])]);
        check(&[(Transaction, 0, 50), (Stage, 20, 30)], &[Some(&[(30, 50)])]);
        check(&[(Transaction, 0, 50)], &[None]);
        // The transaction was written twice, the first time with an end that is too early.
        check(
            &[(Query, 0, 10), (Transaction, 5, 8), (Transaction, 5, 50), (Query, 40, 60)],
            &[Some(&[(10, 40)])],
        );
        check(&[], &[]);
    }

    #[test]
    fn statements_that_overlap_are_one_stretch_of_work() {
        use Kind::{Query, Transaction};
        let spans = [(Query, 0, 30), (Transaction, 1, 70), (Query, 5, 20), (Query, 25, 40), (Query, 50, 80)];
        check(&spans, &[Some(&[(40, 50)])]);
    }
}
