//! Executions of a shape: their times, outcomes and sums.

use super::distribution::{LogScale, part};
use super::{Group, ShapeMember, TITLE};
use crate::analysis::percentile::percentile;
use crate::analysis::{self, Bits, ExecutionNumbers, Queries, QueryBytes, Sum};
use crate::base::text;
use crate::protocol::{ExecutionRow, Outcome, ShapeRow, ShapeTimes};
use crate::trace::{AttributeReader, Item, SpanId, Trace, TrackKind, key, overlaps};

/// The data from which the times, outcomes and sums of executions are computed.
pub struct Executions<'a> {
    trace: &'a Trace,
    queries: &'a Queries,
    member: ShapeMember,
    range: Option<(i64, i64)>,
    /// The spans that pass the filter; `None` if all pass.
    passing: Option<&'a Bits>,
    self_times: Vec<i64>,
    /// Reader of the rows and bytes of slices.
    reader: AttributeReader<'a, 3>,
}

/// Buffers that are reused for every shape.
#[derive(Default)]
pub struct CountScratch {
    times: Vec<i64>,
    few: Vec<i64>,
}

impl<'a> Executions<'a> {
    pub fn new(
        trace: &'a Trace,
        queries: &'a Queries,
        member: ShapeMember,
        (range, passing): (Option<(i64, i64)>, Option<&'a Bits>),
        with_self_times: bool,
    ) -> Self {
        let all = 0..trace.spans.len() as u32;
        let self_times = match range {
            _ if !with_self_times => Vec::new(),
            None => analysis::self_times(trace, all),
            Some(range) => analysis::self_times_in(trace, all, range),
        };
        let reader = ExecutionNumbers::reader(trace);
        Self { trace, queries, member, range, passing, self_times, reader }
    }

    pub fn trace(&self) -> &'a Trace {
        self.trace
    }

    pub fn span(&self, member: u32) -> SpanId {
        match self.member {
            ShapeMember::Query => self.queries.span(member),
            ShapeMember::Slice => SpanId(member),
        }
    }

    pub fn start(&self, member: u32) -> i64 {
        self.trace.spans.bounds(self.span(member)).0
    }

    /// Whether an execution overlaps the time range and passes the filter.
    pub fn is_inside(&self, member: u32) -> bool {
        let span = self.span(member);
        let (start, end) = self.trace.spans.bounds(span);
        self.range.is_none_or(|range| overlaps(start, end, range))
            && self.passing.is_none_or(|passing| passing.contains(span.0))
    }

    /// Duration in nanoseconds, clipped to the range and less than `i64::MAX`, so that a bar can end after it.
    pub fn duration(&self, member: u32) -> i64 {
        let span = self.span(member);
        let duration =
            self.range.map_or_else(|| self.trace.duration(span), |range| self.trace.duration_in(span, range));
        duration.min(i64::MAX - 1)
    }

    pub fn is_complete(&self, member: u32) -> bool {
        analysis::is_whole(self.trace.spans.flags(self.span(member)))
    }

    pub fn outcome(&self, member: u32) -> Outcome {
        analysis::outcome(self.trace.spans.flags(self.span(member)))
    }

    /// Complete executions inside the range, with their durations.
    pub fn complete(&self, group: &Group) -> impl Iterator<Item = (u32, i64)> {
        let inside = group.members.iter().copied().filter(|&member| self.is_inside(member));
        inside.filter(|&member| self.is_complete(member)).map(|member| (member, self.duration(member)))
    }

    pub fn count(
        &self,
        shape: u32,
        group: &Group,
        of_queries: &QueryBytes,
        scratch: &mut CountScratch,
    ) -> ShapeRow {
        let mut row = ShapeRow { shape, ..ShapeRow::default() };
        let (mut total, mut own, mut rows, mut bytes) =
            (Sum::default(), Sum::default(), Sum::default(), Sum::default());
        let mut longest = (i64::MIN, 0);
        scratch.times.clear();
        for &member in group.members.iter().filter(|member| self.is_inside(**member)) {
            row.count += 1;
            row.failed += u32::from(self.outcome(member) == Outcome::Failed);
            let duration = self.duration(member);
            if duration > longest.0 {
                longest = (duration, member);
            }
            let numbers = match self.member {
                ShapeMember::Query => ExecutionNumbers::of_query(self.queries, of_queries, member),
                ShapeMember::Slice => ExecutionNumbers::of_span(&self.reader, SpanId(member)),
            };
            rows.add(numbers.rows_returned);
            bytes.add(numbers.bytes);
            if self.is_complete(member) {
                total.add(Some(duration));
                own.add(self.self_times.get(self.span(member).0 as usize).copied());
                scratch.times.push(duration);
            } else {
                row.unfinished += 1;
            }
        }
        row.longest = Item::Span(self.span(longest.1)).code();
        (row.total, row.self_time) = (total.or_zero(), own.or_zero());
        (row.rows, row.bytes) = (rows.total(), bytes.total());
        row.times = times(scratch, total);
        row
    }

    /// Number of executions that start in each part of the time axis.
    pub fn over_time(&self, group: &Group, axis: (i64, i64)) -> Vec<u32> {
        let mut counts = vec![0; ShapeRow::STEPS];
        for &member in group.members.iter().filter(|member| self.is_inside(**member)) {
            counts[part(self.start(member), axis, ShapeRow::STEPS)] += 1;
        }
        counts
    }

    /// Number of complete executions in each part of an axis of durations, which [`LogScale`] divides.
    pub fn by_duration(&self, group: &Group, scale: &LogScale) -> Vec<u32> {
        let mut counts = vec![0; ShapeRow::STEPS];
        self.complete(group).for_each(|(_, duration)| counts[scale.part(duration)] += 1);
        counts
    }

    /// Name of the run that an execution belongs to.
    fn run(&self, member: u32) -> &'a str {
        let Self { trace, queries, .. } = *self;
        let run = match self.member {
            ShapeMember::Query => trace.runs.get(queries.run(member).0 as usize),
            ShapeMember::Slice => {
                let track = trace.tracks.of_span(SpanId(member));
                let root = trace.tracks.ancestor(track, TrackKind::Run);
                trace.runs.iter().find(|run| Some(run.track) == root)
            }
        };
        run.map_or("", |run| trace.str(run.name))
    }

    pub fn row(&self, member: u32) -> ExecutionRow {
        let (trace, span) = (self.trace, self.span(member));
        let item = Item::Span(span);
        let sql = trace.text(item, key::SQL).filter(|_| self.member == ShapeMember::Query);
        ExecutionRow {
            item: item.code(),
            title: text::shortened(trace.str(sql.unwrap_or(trace.spans.name(span))), TITLE),
            run: text::shortened(self.run(member), TITLE),
            start: self.start(member),
            duration: self.duration(member),
            is_complete: self.is_complete(member),
            outcome: self.outcome(member),
        }
    }
}

/// Mean, percentiles and maximum of the durations in `scratch`; `None` if there are none.
fn times(scratch: &mut CountScratch, total: Sum) -> Option<ShapeTimes> {
    let CountScratch { times, few } = scratch;
    let (low, high) = times.iter().min().copied().zip(times.iter().max().copied())?;
    let mut at = |percent| percentile(times, (low, high), percent, few);
    Some(ShapeTimes {
        min: low,
        mean: total.average()?.round() as i64,
        p50: at(50)?,
        p95: at(95)?,
        p99: at(99)?,
        max: high,
    })
}
