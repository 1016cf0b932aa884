//! A query's own track: its request, its statement, the request's rounds.

use super::problems::{NEITHER, QUERY};
use super::{Frame, Writer};
use crate::import::formats::kubling::query::{Interval, Query};
use crate::import::formats::kubling::schema::Text;
use crate::lanes::Lanes;
use crate::sort;
use crate::strings::StrId;
use crate::trace::{Flags, Kind, RecordId, Span, SpanId};

/// A span on a query's own track.
#[derive(Clone, Copy)]
struct Part {
    interval: Interval,
    role: Role,
    depth: u16,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Request,
    Query,
    Round,
}

impl Writer<'_, '_> {
    /// The request, the query and the request's rounds, by start; each kind in rows of its own.
    #[inline(never)]
    pub(super) fn head(&mut self, course: &Query, frame: &mut Frame) {
        let mut head: Vec<Part> = Vec::new();
        if let Some(&begin) = course.requests.first() {
            let interval = Interval { begin: Some(begin), end: None, repeated: false };
            head.push(Part { interval, role: Role::Request, depth: 0 });
        }
        let above = head.len() as u16;
        let mut lanes = Lanes::default();
        for &interval in &course.queries {
            let (start, end) = self.bounds(interval, frame);
            head.push(Part { interval, role: Role::Query, depth: above + lanes.row(start, end) });
        }
        if course.queries.is_empty() && frame.id != StrId::NONE {
            let interval = Interval { begin: None, end: None, repeated: false };
            head.push(Part { interval, role: Role::Query, depth: above });
            let first = self.rows[0];
            self.report(&first, NEITHER);
        }
        let below = head.iter().map(|part| part.depth).max().map_or(0, |depth| depth.saturating_add(1));
        if course.requests.len() > 1 {
            for (at, &begin) in course.requests.iter().enumerate() {
                let end = course.requests.get(at + 1).copied();
                let interval = Interval { begin: Some(begin), end, repeated: false };
                head.push(Part { interval, role: Role::Round, depth: below });
            }
        }
        sort::by_key(&mut head, |part| (self.bounds(part.interval, frame).0, u64::from(part.depth)));
        let first = self.builder.next_span().0;
        let request = head.iter().position(|part| part.role == Role::Request);
        frame.request = request.map(|at| SpanId(first + at as u32));
        head.iter().for_each(|part| self.part(part, frame));
    }

    fn part(&mut self, part: &Part, frame: &mut Frame) {
        let (start, end) = self.bounds(part.interval, frame);
        let mut span = self.span(part.interval, frame);
        span.depth = part.depth;
        match part.role {
            Role::Request | Role::Round => {
                let round = part.role == Role::Round;
                span.kind = Kind::Request;
                span.name = self.words.request;
                // Only the event that begins it is in the trace: its end is inferred, not missing.
                span.flags = Flags::INFERRED.with(if round { Flags::SEGMENT } else { Flags::default() });
                span.end = RecordId::NONE;
                span.parent = frame.request.filter(|_| round);
                if !round {
                    self.outcome.used(span.begin);
                }
                self.builder.span(span, self.shapes.query, &[], &[frame.id, frame.database]);
            }
            Role::Query => {
                let id = self.query_span(span, part.interval, frame);
                frame.queries.push((start, end, id));
            }
        }
    }

    #[inline(never)]
    fn query_span(&mut self, mut span: Span, interval: Interval, frame: &Frame) -> SpanId {
        self.account(interval, &QUERY);
        let sql = interval.begin.and_then(|at| self.rows[at].text(Text::Sql));
        let ended = interval.end.map(|at| self.rows[at]);
        let error = ended.and_then(|row| row.text(Text::Error));
        let failed = match ended.and_then(|row| row.success()) {
            Some(success) => !success,
            None => error.is_some(),
        };
        if failed {
            span.flags = span.flags.with(Flags::FAILED);
        }
        span.kind = Kind::Query;
        span.name = sql.or(frame.id.some()).unwrap_or(self.words.no_query);
        span.parent = frame.request;
        self.builder.span(span, self.shapes.query, &[], &[frame.id, frame.database])
    }
}
