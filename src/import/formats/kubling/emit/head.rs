//! Writes a query's own track: the request, the statement, and the request's round trips.

use super::problems::{NEITHER, QUERY};
use super::{KublingQueryContext, KublingWriter};
use crate::base::interner::StrId;
use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::import::formats::kubling::query::{KublingInterval, QueryCourse};
use crate::import::formats::kubling::schema::KublingTextField;
use crate::import::interval_nesting::Placed;
use crate::trace::{Flags, Kind, RecordId, SpanId};

/// A span on the track of a query itself, not on one of its subtracks.
#[derive(Clone, Copy)]
struct QueryTrackSpan {
    interval: KublingInterval,
    role: QueryTrackSpanKind,
    depth: u16,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QueryTrackSpanKind {
    Request,
    Query,
    Round,
}

impl KublingWriter<'_, '_> {
    /// Writes the request, the query and the request's round trips, by start; each kind has rows of its own.
    #[inline(never)]
    pub(super) fn head(&mut self, course: &QueryCourse, frame: &mut KublingQueryContext) {
        let mut head: Vec<QueryTrackSpan> = Vec::new();
        if let Some(&begin) = course.requests.first() {
            let interval = KublingInterval { begin: Some(begin), end: None, repeated: false };
            head.push(QueryTrackSpan { interval, role: QueryTrackSpanKind::Request, depth: 0 });
        }
        let above = head.len() as u16;
        let mut lanes = LaneAllocator::default();
        for &interval in &course.queries {
            let (start, end) = self.bounds(interval, frame);
            head.push(QueryTrackSpan {
                interval,
                role: QueryTrackSpanKind::Query,
                depth: above + lanes.row(start, end),
            });
        }
        if course.queries.is_empty() && frame.id != StrId::NONE {
            let interval = KublingInterval { begin: None, end: None, repeated: false };
            head.push(QueryTrackSpan { interval, role: QueryTrackSpanKind::Query, depth: above });
            let first = self.rows[0];
            self.report(&first, NEITHER);
        }
        let below = head.iter().map(|part| part.depth).max().map_or(0, |depth| depth.saturating_add(1));
        if course.requests.len() > 1 {
            for (at, &begin) in course.requests.iter().enumerate() {
                let end = course.requests.get(at + 1).copied();
                let interval = KublingInterval { begin: Some(begin), end, repeated: false };
                head.push(QueryTrackSpan { interval, role: QueryTrackSpanKind::Round, depth: below });
            }
        }
        sort::by_key(&mut head, |part| (self.bounds(part.interval, frame).0, u64::from(part.depth)));
        let request = head.iter().position(|part| part.role == QueryTrackSpanKind::Request);
        frame.request = request.map(|at| self.out.span_at(at as u32));
        head.iter().for_each(|part| self.part(part, frame));
    }

    fn part(&mut self, part: &QueryTrackSpan, frame: &mut KublingQueryContext) {
        let mut placed = self.placed(part.interval, 0, part.depth, frame);
        match part.role {
            QueryTrackSpanKind::Request | QueryTrackSpanKind::Round => {
                let round = part.role == QueryTrackSpanKind::Round;
                // Only the start event is in the trace: the end is inferred, not missing.
                placed.flags = Flags::INFERRED.with(if round { Flags::SEGMENT } else { Flags::default() });
                let [begin, _] = self.records(part.interval);
                if !round {
                    self.out.outcome.used(begin);
                }
                let label = (self.words.request, Kind::Request);
                let mut span = self.out.placed_span(&placed, label, [begin, RecordId::NONE]);
                span.parent = frame.request.filter(|_| round);
                self.out.builder.span(span, self.shapes.query, &[], &[frame.id, frame.database]);
            }
            QueryTrackSpanKind::Query => {
                let id = self.query_span(&placed, part.interval, frame);
                frame.queries.push((placed.start, placed.end, id));
            }
        }
    }

    #[inline(never)]
    fn query_span(
        &mut self,
        placed: &Placed,
        interval: KublingInterval,
        frame: &KublingQueryContext,
    ) -> SpanId {
        self.account(interval, &QUERY);
        let sql = interval.begin.and_then(|at| self.rows[at].text(KublingTextField::Sql));
        let ended = interval.end.map(|at| self.rows[at]);
        let error = ended.and_then(|row| row.text(KublingTextField::Error));
        let failed = match ended.and_then(|row| row.success()) {
            Some(success) => !success,
            None => error.is_some(),
        };
        let name = sql.or(frame.id.some()).unwrap_or(self.words.no_query);
        let mut span = self.out.placed_span(placed, (name, Kind::Query), self.records(interval));
        if failed {
            span.flags = span.flags.with(Flags::FAILED);
        }
        span.parent = frame.request;
        self.out.builder.span(span, self.shapes.query, &[], &[frame.id, frame.database])
    }
}
