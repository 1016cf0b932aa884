//! What one thread was doing, moment by moment: the innermost span that is open decides.

use crate::trace::{Kind, Span, SpanId, Trace, TrackId};

/// What a thread may be doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// Something that is work.
    Work,
    /// It says that it waits.
    Wait,
    /// Nothing, or nothing but being inside a statement or a function.
    Nothing,
}

/// A stretch of time in which a thread was doing one thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    pub start: i64,
    pub end: i64,
    pub doing: Doing,
    /// The span that says so.
    pub span: Option<SpanId>,
}

/// What being in a span of this kind means. What brackets other work is none itself.
pub fn doing(kind: Kind) -> Doing {
    match kind {
        Kind::Wait | Kind::Idle => Doing::Wait,
        Kind::Request | Kind::Query | Kind::Statement | Kind::Transaction | Kind::State => Doing::Nothing,
        _ => Doing::Work,
    }
}

/// The stretches of a track's own spans inside `range`, by time, those in which it does nothing left out. `counts` says
/// which spans are looked at.
pub fn stretches(
    trace: &Trace,
    track: TrackId,
    range: (i64, i64),
    counts: impl Fn(SpanId) -> bool,
) -> Vec<Stretch> {
    let mut sweep = Sweep { found: Vec::new(), open: Vec::new(), now: range.0 };
    for id in trace.tracks.spans(track).map(SpanId).filter(|id| counts(*id)) {
        let span = trace.spans.get(id);
        if span.start >= range.1 {
            break;
        }
        if span.end_time() > range.0 {
            sweep.begin(id, &span, range);
        }
    }
    sweep.end_until(i64::MAX);
    sweep.found
}

struct Sweep {
    found: Vec<Stretch>,
    /// The spans that are open, the innermost last, with their ends.
    open: Vec<(SpanId, i64, Doing)>,
    now: i64,
}

impl Sweep {
    fn begin(&mut self, id: SpanId, span: &Span, range: (i64, i64)) {
        let start = span.start.max(range.0);
        self.end_until(start);
        self.go_to(start);
        self.open.push((id, span.end_time().min(range.1), doing(span.kind)));
    }

    /// Ends what is over at a moment.
    fn end_until(&mut self, moment: i64) {
        while let Some(&(_, end, _)) = self.open.last().filter(|open| open.1 <= moment) {
            self.go_to(end);
            self.open.pop();
        }
    }

    /// Whatever is open lasts until here.
    fn go_to(&mut self, moment: i64) {
        let from = self.now;
        self.now = from.max(moment);
        let Some(&(span, _, doing)) = self.open.last().filter(|open| open.2 != Doing::Nothing) else {
            return;
        };
        if self.now > from {
            self.found.push(Stretch { start: from, end: self.now, doing, span: Some(span) });
        }
    }
}
