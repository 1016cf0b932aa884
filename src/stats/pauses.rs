//! Pauses: time inside a transaction in which its thread ran no statement. Locks are held all the same.
//!
//! ```text
//! transaction   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇
//! statements  ▇▇▇▇   ▇▇▇       ▇▇▇   ▇▇▇
//! pauses          ───   ───────   ───
//! ```
//! A transaction begins inside a statement. What lies before the first one that is in the trace is no pause, therefore: the
//! statement is lost.

use crate::base::sort;
use crate::trace::{Flags, Kind, SpanId, Trace, TrackId, clipped, overlaps};

/// A pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// From.
    pub start: i64,
    /// To.
    pub end: i64,
    /// The statement before it.
    pub before: SpanId,
    /// The one after it; `None` where the transaction ends first.
    pub after: Option<SpanId>,
}

/// A transaction and its idle gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paused {
    /// Span of the transaction.
    pub span: SpanId,
    /// Number of statements that overlap the transaction. A transaction without any has no known idle gaps.
    pub statements: u32,
    /// Idle gaps in the order of time.
    pub gaps: Vec<Gap>,
}

impl Paused {
    /// All pauses together.
    pub fn idle(&self) -> i64 {
        self.gaps.iter().fold(0, |idle, gap| idle.saturating_add(gap.end - gap.start))
    }

    /// The transaction in a half-open range: its pauses that overlap it, clipped to it.
    #[must_use]
    pub fn inside(&self, range: (i64, i64)) -> Self {
        let inside = |gap: &Gap| {
            let (start, end) = clipped((gap.start, gap.end), range);
            overlaps(gap.start, gap.end, range).then_some(Gap { start, end, ..*gap })
        };
        Self { gaps: self.gaps.iter().filter_map(inside).collect(), ..*self }
    }

    /// The longest pause: the first of equals.
    pub fn longest(&self) -> Option<Gap> {
        self.gaps.iter().rev().max_by_key(|gap| gap.end - gap.start).copied()
    }
}

/// Time in which a statement ran.
#[derive(Clone, Copy)]
struct Work {
    start: i64,
    end: i64,
    first: SpanId,
    last: SpanId,
}

/// The transactions of a track, by start.
pub fn pauses(trace: &Trace, track: TrackId) -> Vec<Paused> {
    let mut transactions: Vec<(SpanId, i64, i64)> = Vec::new();
    let mut work: Vec<Work> = Vec::new();
    for id in trace.tracks.spans(track).map(SpanId) {
        let (start, end) = trace.spans.bounds(id);
        match trace.spans.kind(id) {
            Kind::Transaction => transactions.push((id, start, end)),
            // A statement that no other one runs, or a stage of one that is lost.
            Kind::Query => add(&mut work, id, (start, end)),
            Kind::Stage if trace.spans.parent(id).is_none() => add(&mut work, id, (start, end)),
            _ => {}
        }
    }
    sort::by_key(&mut transactions, |&(id, start, _)| (start, u64::from(id.0)));
    once(&mut transactions);
    let next = |at: usize| transactions.get(at + 1).map_or(i64::MAX, |&(_, start, _)| start);
    // A thread has one transaction at a time. Where two overlap, a pause is the later one's.
    let paused = |(at, &(span, start, end)): (usize, &(SpanId, i64, i64))| {
        let end = end.min(next(at)).max(start);
        let first = work.partition_point(|work| work.end <= start);
        let count = work[first..].partition_point(|work| work.start < end);
        // Where only an order is reported, nothing is known of the time between statements.
        let is_told = !trace.spans.flags(span).has(Flags::INFERRED);
        let count = if is_told { count } else { 0 };
        let during = &work[first..first + count];
        Paused { span, statements: count as u32, gaps: gaps(during, end) }
    };
    transactions.iter().enumerate().map(paused).collect()
}

/// MariaDB writes some transactions twice, the first time with an end that is too early: of those that start together the
/// longest is left.
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

/// What lies between the statements of a transaction that ends at `end`.
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

    /// The pauses of each transaction of a thread with these spans; `None` where nothing is known.
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
        // Inside its statement.
        check(&[(Query, 0, 10), (Transaction, 2, 8)], &[Some(&[])]);
        // Rolled back when the client had gone.
        check(&[(Query, 0, 10), (Transaction, 5, 50)], &[Some(&[(10, 50)])]);
        // The statement that began it is lost.
        check(&[(Transaction, 0, 50), (Query, 20, 30)], &[Some(&[(30, 50)])]);
        check(&[(Transaction, 0, 50), (Stage, 20, 30)], &[Some(&[(30, 50)])]);
        check(&[(Transaction, 0, 50)], &[None]);
        // Written twice, the first time with an end that is too early.
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
