//! Activity of one thread at each moment.
//!
//! The innermost open span decides: a thread does one thing at a time, and its busy time never exceeds the wall time.
//! The first of these rules that applies decides whether a moment is work:
//!
//! 1. Waits and idle times that the trace records are waits. Statements, requests and transactions only enclose work.
//! 2. If the thread's CPU time is recorded (`tdur` and `tts` of Chrome traces), the work of a span is its CPU time
//!    without that of nested spans. For the rest of its own time the thread is off-CPU. The trace does not record when
//!    the thread ran within a span, so work is put at the start of each stretch of own time.
//! 3. [`CONTAINERS`] and slices without an end do no work themselves: the activity of an open loop outside its nested
//!    spans is unknown. Instructions of plans are work whether their end is known or not.
//! 4. All other own time of a span is work.

use crate::base::interner::StrId;
use crate::trace::{
    AttributeColumn, Flags, Item, Key, Kind, NOT_REPORTED, Span, SpanId, Trace, TrackId, TrackKind,
    attribute_names, key,
};

/// Spans that enclose the work of others or wait for it, by category and name. Their own time is not work unless CPU
/// time is recorded. `None` matches any category: Chromium moved its loops from one category to another.
const CONTAINERS: [(Option<&str>, &str); 9] = [
    // TopoExec: the scheduler, its loops and its pool run executions of components, which have tracks of their own.
    (Some("scheduler"), "scheduler_iteration"),
    (Some("scheduler"), "fixed_rate_tick"),
    (Some("scheduler"), "thread_pool_batch"),
    (Some("loop"), "loop_iteration"),
    // Chromium: loops that wait for tasks. The tasks are nested spans.
    (None, "RunLoop::Run"),
    (None, "Run Message Loop"),
    (None, "ThreadController active"),
    (None, "WorkerThread active"),
    // Profiler samples in which the thread ran no code.
    (None, "(idle)"),
];

/// Activity of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// Working.
    Work,
    /// Blocked: inside a span that is work, but off-CPU.
    Blocked,
    /// In a wait that the trace records.
    Wait,
    /// Idle, or only inside an enclosing statement, function or loop.
    Nothing,
}

/// Stretch of time in which a thread had one activity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusyStretch {
    pub start: i64,
    pub end: i64,
    pub doing: Doing,
    /// Innermost open span.
    pub span: SpanId,
}

impl BusyStretch {
    pub fn length(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }
}

/// Classifies spans by the activity of their thread.
pub struct Activity<'a> {
    trace: &'a Trace,
    /// Column of CPU times; `None` if no span has a CPU time.
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

    /// Activity of a thread in the own time of a span without recorded CPU time.
    pub fn of(&self, id: SpanId, name: StrId, (kind, flags): (Kind, Flags)) -> Doing {
        match kind {
            Kind::Wait | Kind::Idle => Doing::Wait,
            Kind::Request | Kind::Query | Kind::Statement | Kind::Transaction | Kind::State => Doing::Nothing,
            Kind::Slice if flags.has(Flags::OPEN_END) && !self.is_instruction(id) => Doing::Nothing,
            _ if self.is_container(id, name) => Doing::Nothing,
            _ => Doing::Work,
        }
    }

    /// Whether the own time of a span is work. It is not for waits, containers and enclosing spans such as statements.
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

    /// Returns the tracks that are threads. Tracks with a thread's profiler samples or scheduler states do not count as
    /// threads of their own, unless the thread's own track has no spans.
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

    /// Stretches of a thread inside `range` in which a span was open, in chronological order. Only spans for which
    /// `counts` is true are considered.
    pub fn stretches(
        &self,
        track: TrackId,
        range: (i64, i64),
        counts: impl Fn(SpanId) -> bool,
    ) -> Vec<BusyStretch> {
        let mut sweep = BusySweep::default();
        let own = || self.trace.tracks.spans(track).map(SpanId);
        // CPU times that are all 0 are ignored: the clock did not work.
        let has_clock =
            self.cpu_time.is_some() && own().any(|id| self.cpu_time(id).is_some_and(|time| time > 0));
        for id in own() {
            let span = self.trace.spans.get(id);
            sweep.end_until(span.start);
            // CPU time of a span that crosses the end of the range can only be divided when all of its nested spans are known.
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

/// Span with a recorded CPU time. Its wall time is the own time of the span, plus that of nested spans without a
/// recorded CPU time.
#[derive(Clone, Copy, Default)]
struct CpuOwner {
    cpu_time: i64,
    /// CPU time of nested spans that have a recorded CPU time.
    inside: i64,
    /// Own time of the span.
    wall: i64,
    /// Own time that was already divided into work and blocked time.
    seen: i64,
}

impl CpuOwner {
    /// Returns how much of the next `length` nanoseconds of own time is work. The sum over all calls is the span's own
    /// CPU time.
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

/// Span that is open at the current moment.
struct OpenSpan {
    id: SpanId,
    end: i64,
    doing: Doing,
    owner: Option<u32>,
}

#[derive(Default)]
struct BusySweep {
    found: Vec<(BusyStretch, Option<u32>)>,
    /// Open spans, the innermost last.
    open: Vec<OpenSpan>,
    owners: Vec<CpuOwner>,
    now: i64,
}

impl BusySweep {
    /// Opens a span. Spans that end before its start must have been closed already.
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

    /// Whether any open span has a recorded CPU time.
    fn is_in_owned(&self) -> bool {
        self.open.iter().any(|open| open.owner.is_some())
    }

    /// Closes the spans that end at or before a moment.
    fn end_until(&mut self, moment: i64) {
        while let Some(end) = self.open.last().map(|open| open.end).filter(|end| *end <= moment) {
            self.go_to(end);
            self.open.pop();
        }
    }

    /// Moves to a moment and records the stretch of the innermost open span up to it.
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

    /// Stretches inside a range. Own time of spans with a recorded CPU time is divided into work and blocked time.
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
