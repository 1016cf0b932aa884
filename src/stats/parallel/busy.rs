//! What one thread was doing, moment by moment.
//!
//! The innermost span that is open decides: a thread never does two things at once, and is never busy for longer than
//! time passes. A moment counts as work by these rules, the first that applies:
//!
//! 1. Waits and idle times that the trace records are waits. Statements, requests and transactions only bracket work.
//! 2. Where the thread's CPU time is recorded (`tdur` and `tts` of Chrome traces), it is the work of a span: its own CPU
//!    time, without that of the spans inside. The rest of its own time the thread was in the span, but on no CPU.
//!    Where in the span it ran is not recorded: its work stands at the front of each stretch of its own time.
//! 3. [`CONTAINERS`], and slices whose end is not in the trace, do no work themselves: it is unknown what an open loop did
//!    besides what lies inside. Instructions of plans are work whether their end is known or not.
//! 4. All other own time of a span is work.

use crate::base::interner::StrId;
use crate::trace::{
    AttributeColumn, Flags, Item, Key, Kind, NOT_REPORTED, Span, SpanId, Trace, TrackId, TrackKind,
    attribute_names, key,
};

/// Spans that hold the work of others, or wait for it, by category and name: their own time is no work, unless CPU time
/// is recorded. Without a category, a name counts in any: Chromium moved its loops from one to another.
const CONTAINERS: [(Option<&str>, &str); 9] = [
    // TopoExec: what the scheduler, its loops and its pool run are executions of components, on tracks of their own.
    (Some("scheduler"), "scheduler_iteration"),
    (Some("scheduler"), "fixed_rate_tick"),
    (Some("scheduler"), "thread_pool_batch"),
    (Some("loop"), "loop_iteration"),
    // Chromium: loops that wait for tasks. The tasks are spans inside.
    (None, "RunLoop::Run"),
    (None, "Run Message Loop"),
    (None, "ThreadController active"),
    (None, "WorkerThread active"),
    // Samples that found no code of the thread running.
    (None, "(idle)"),
];

/// What a thread may be doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// Something that is work.
    Work,
    /// In a span that is work, but on no CPU.
    Blocked,
    /// A wait that the trace records.
    Wait,
    /// Nothing, or nothing but being inside a statement, a function or a loop.
    Nothing,
}

/// A stretch of time in which a thread was doing one thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusyStretch {
    pub start: i64,
    pub end: i64,
    pub doing: Doing,
    /// The innermost span that was open.
    pub span: SpanId,
}

impl BusyStretch {
    pub fn length(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }
}

/// What spans mean for the thread that they are of.
pub struct Activity<'a> {
    trace: &'a Trace,
    /// Nothing where no span has any.
    cpu_time: Option<AttributeColumn<'a, i64>>,
    containers: Vec<(Option<StrId>, StrId)>,
    instruction: Option<Key>,
}

impl<'a> Activity<'a> {
    pub fn new(trace: &'a Trace) -> Self {
        let find = |name: &str| trace.strings.find(name);
        let known = |&(category, name): &(Option<&str>, &str)| match category {
            Some(category) => Some((Some(find(category)?), find(name)?)),
            None => Some((None, find(name)?)),
        };
        let has_cpu_time = trace.keys_in_use().contains(&key::THREAD_TIME);
        Self {
            trace,
            cpu_time: has_cpu_time.then(|| AttributeColumn::new(trace, key::THREAD_TIME)),
            containers: CONTAINERS.iter().filter_map(known).collect(),
            instruction: trace.key(attribute_names::PLAN_TEXT),
        }
    }

    /// What a thread does in the own time of a span whose CPU time is not recorded.
    pub fn of(&self, id: SpanId, name: StrId, (kind, flags): (Kind, Flags)) -> Doing {
        match kind {
            Kind::Wait | Kind::Idle => Doing::Wait,
            Kind::Request | Kind::Query | Kind::Statement | Kind::Transaction | Kind::State => Doing::Nothing,
            Kind::Slice if flags.has(Flags::OPEN_END) && !self.is_instruction(id) => Doing::Nothing,
            _ if self.is_container(id, name) => Doing::Nothing,
            _ => Doing::Work,
        }
    }

    /// Whether the own time of a span is work, or a wait inside of work, but not that of a container.
    pub fn is_work(&self, id: SpanId) -> bool {
        self.of(id, self.trace.spans.name(id), self.trace.spans.kind_and_flags(id)) == Doing::Work
    }

    fn is_container(&self, id: SpanId, name: StrId) -> bool {
        let is_of = |category: StrId| self.trace.text(Item::Span(id), key::CATEGORY) == Some(category);
        let named = self.containers.iter().filter(|container| container.1 == name);
        named.map(|container| container.0).any(|category| category.is_none_or(is_of))
    }

    fn is_instruction(&self, id: SpanId) -> bool {
        self.instruction.is_some_and(|key| self.trace.text(Item::Span(id), key).is_some())
    }

    fn cpu_time(&self, id: SpanId) -> Option<i64> {
        let time = self.cpu_time.as_ref()?.of(Item::Span(id));
        (time != NOT_REPORTED && time >= 0).then_some(time)
    }

    /// Threads. Tracks below a thread's with what a profiler or the scheduler saw of it are no threads of their own, unless
    /// they are all that is known of it.
    pub fn threads(&self) -> impl Iterator<Item = TrackId> {
        let tracks = &self.trace.tracks;
        let is_again = move |id: TrackId| {
            let of = tracks.get(id);
            let above = of.parent.filter(|parent| tracks.kind(*parent) == TrackKind::Thread);
            let name = self.trace.str(of.name);
            let is_samples = name
                .strip_prefix(attribute_names::SAMPLES)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(" · "));
            (is_samples || name == attribute_names::STATES)
                && above.is_some_and(|above| !tracks.spans(above).is_empty())
        };
        let all = (0..tracks.len() as u32).map(TrackId);
        all.filter(move |id| tracks.kind(*id) == TrackKind::Thread && !is_again(*id))
    }

    /// The stretches of a thread's own spans inside `range`, by time, those in which it does nothing left out. `counts`
    /// says which spans are looked at, of those that have something in common with the range or with what has.
    pub fn stretches(
        &self,
        track: TrackId,
        range: (i64, i64),
        counts: impl Fn(SpanId) -> bool,
    ) -> Vec<BusyStretch> {
        let mut sweep = BusySweep::default();
        let own = || self.trace.tracks.spans(track).map(SpanId);
        // A clock that never moved is none.
        let has_clock =
            self.cpu_time.is_some() && own().any(|id| self.cpu_time(id).is_some_and(|time| time > 0));
        for id in own() {
            let span = self.trace.spans.get(id);
            sweep.end_until(span.start);
            // Of a span that reaches out of the range the work inside of it is known when all that lies in it is.
            if span.start >= range.1 && !sweep.is_in_owned() {
                break;
            }
            if (has_clock || span.end_time() > range.0) && counts(id) {
                let doing = self.of(id, span.name, (span.kind, span.flags));
                let cpu_time = if has_clock && doing != Doing::Wait { self.cpu_time(id) } else { None };
                sweep.begin(id, &span, doing, cpu_time);
            }
        }
        sweep.end_until(i64::MAX);
        sweep.pieces(range)
    }
}

/// A span whose CPU time is recorded, with the own time that it is of: that of the span, and that of spans inside whose
/// CPU time is not.
#[derive(Clone, Copy, Default)]
struct CpuOwner {
    cpu_time: i64,
    /// CPU time of the spans inside.
    inside: i64,
    /// Own time.
    wall: i64,
    /// Own time that was handed out.
    seen: i64,
}

impl CpuOwner {
    /// How much of its next so much own time is work: all of it together is its own CPU time, as far as there is room.
    fn work_of(&mut self, length: i64) -> i64 {
        let own = self.cpu_time.saturating_sub(self.inside).clamp(0, self.wall);
        let until = |seen: i64| match own {
            0 => 0,
            _ if own == self.wall => seen,
            _ => own.checked_mul(seen).map_or_else(
                || (i128::from(own) * i128::from(seen) / i128::from(self.wall)) as i64,
                |all| all / self.wall,
            ),
        };
        let before = until(self.seen);
        self.seen = self.seen.saturating_add(length);
        until(self.seen) - before
    }
}

/// A span that is open.
struct OpenSpan {
    id: SpanId,
    end: i64,
    doing: Doing,
    owner: Option<u32>,
}

#[derive(Default)]
struct BusySweep {
    found: Vec<(BusyStretch, Option<u32>)>,
    /// The spans that are open, the innermost last.
    open: Vec<OpenSpan>,
    owners: Vec<CpuOwner>,
    now: i64,
}

impl BusySweep {
    /// A span begins; what ended by then was ended.
    fn begin(&mut self, id: SpanId, span: &Span, doing: Doing, cpu_time: Option<i64>) {
        self.go_to(span.start);
        let around = self.open.last().and_then(|open| open.owner);
        let mut owner = around;
        if let Some(cpu_time) = cpu_time {
            if let Some(around) = around {
                let inside = &mut self.owners[around as usize].inside;
                *inside = inside.saturating_add(cpu_time);
            }
            owner = Some(self.owners.len() as u32);
            self.owners.push(CpuOwner { cpu_time, ..CpuOwner::default() });
        }
        self.open.push(OpenSpan { id, end: span.end_time(), doing, owner });
    }

    /// Whether a span is open whose CPU time is recorded.
    fn is_in_owned(&self) -> bool {
        self.open.iter().any(|open| open.owner.is_some())
    }

    /// Ends what is over at a moment.
    fn end_until(&mut self, moment: i64) {
        while let Some(end) = self.open.last().map(|open| open.end).filter(|end| *end <= moment) {
            self.go_to(end);
            self.open.pop();
        }
    }

    /// Whatever is open lasts until here.
    fn go_to(&mut self, moment: i64) {
        let Some(open) = self.open.last() else {
            self.now = moment;
            return;
        };
        let (start, end) = (self.now, moment.max(self.now));
        self.now = end;
        let owner = open.owner.filter(|_| open.doing != Doing::Wait);
        if end == start || owner.is_none() && open.doing == Doing::Nothing {
            return;
        }
        if let Some(owner) = owner {
            let wall = &mut self.owners[owner as usize].wall;
            *wall = wall.saturating_add(end.saturating_sub(start));
        }
        self.found.push((BusyStretch { start, end, doing: open.doing, span: open.id }, owner));
    }

    /// What the thread did inside a range, with the own time of spans whose CPU time is recorded cut into work and the
    /// rest.
    fn pieces(mut self, range: (i64, i64)) -> Vec<BusyStretch> {
        let mut pieces = Vec::new();
        let mut add = |start: i64, end: i64, doing: Doing, span| {
            let (start, end) = (start.max(range.0), end.min(range.1));
            if start < end && doing != Doing::Nothing {
                pieces.push(BusyStretch { start, end, doing, span });
            }
        };
        for (BusyStretch { start, end, doing, span }, owner) in self.found {
            match owner {
                Some(owner) => {
                    let work = self.owners[owner as usize].work_of(end.saturating_sub(start));
                    add(start, start.saturating_add(work), Doing::Work, span);
                    add(start.saturating_add(work), end, Doing::Blocked, span);
                }
                None => add(start, end, doing, span),
            }
        }
        pieces
    }
}
