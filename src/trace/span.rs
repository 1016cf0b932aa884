//! Spans and events: named intervals, and named points in time.

use super::class::Classes;
use super::keys::ShapeId;
use crate::blocks::{Apart, Blocks, Near};
use crate::strings::StrId;

/// The handle of a span.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpanId(pub u32);

/// The handle of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub u32);

/// The handle of a record: where something stands in the files (see `import::Records`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

impl RecordId {
    /// No record: the end of an unfinished span.
    pub const NONE: RecordId = RecordId(u32::MAX);
}

/// Something that can be pointed at and selected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Item {
    /// A named interval.
    Span(SpanId),
    /// A named point in time.
    Event(EventId),
}

const EVENT_BIT: u32 = 1 << 31;

impl Item {
    /// As one number, for scenes and messages; [`Item::from_code`] is the way back.
    pub fn code(self) -> u32 {
        match self {
            Item::Span(id) => id.0,
            Item::Event(id) => id.0 | EVENT_BIT,
        }
    }

    /// The item behind [`Item::code`]; may name an item that does not exist.
    pub fn from_code(code: u32) -> Self {
        match code & EVENT_BIT {
            0 => Item::Span(SpanId(code)),
            _ => Item::Event(EventId(code & !EVENT_BIT)),
        }
    }
}

/// What a span or event is; its colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Transport-level work for a statement.
    Request,
    /// A statement.
    Query,
    /// The engine's side of one use of a source.
    Source,
    /// The work inside the source's translator.
    Execution,
    /// Activity of the buffer manager.
    Buffer,
    /// Anything else, such as an event type that this version does not know.
    Other,
    /// A named piece of work of a thread, or of something asynchronous, as trace viewers show it.
    Slice,
    /// What a thread was doing for its scheduler: running, waiting, …
    State,
    /// Something that happened and took no time.
    Instant,
    /// The value of a counter from here on.
    Sample,
    /// A transaction.
    Transaction,
    /// A statement that another one runs: of a stored program, a trigger, …
    Statement,
    /// A step of a statement's execution.
    Stage,
    /// A wait for something: a lock, a file, a socket, rows of a table.
    Wait,
    /// A wait for the client.
    Idle,
}

impl Kind {
    /// All kinds, in the order of their codes.
    pub const ALL: [Kind; 15] = [
        Kind::Request,
        Kind::Query,
        Kind::Source,
        Kind::Execution,
        Kind::Buffer,
        Kind::Other,
        Kind::Slice,
        Kind::State,
        Kind::Instant,
        Kind::Sample,
        Kind::Transaction,
        Kind::Statement,
        Kind::Stage,
        Kind::Wait,
        Kind::Idle,
    ];

    /// Its colour slot: 0..6 and 10.., around the slots for outcomes. What plays the same part has the same colour.
    pub fn slot(self) -> u16 {
        let alike = match self {
            Kind::Transaction => Kind::Request,
            Kind::Statement => Kind::Query,
            Kind::Stage => Kind::Source,
            Kind::Wait => Kind::Execution,
            // Nothing: the slot of what has no name.
            Kind::Idle => return 9,
            other => other,
        };
        let code = alike as u16;
        if code < 6 { code } else { code + 4 }
    }

    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Request => "request",
            Kind::Query => "query",
            Kind::Source => "source",
            Kind::Execution => "source execution",
            Kind::Buffer => "buffer",
            Kind::Other => "other",
            Kind::Slice => "slice",
            Kind::State => "state",
            Kind::Instant => "instant",
            Kind::Sample => "counter",
            Kind::Transaction => "transaction",
            Kind::Statement => "sub-statement",
            Kind::Stage => "stage",
            Kind::Wait => "wait",
            Kind::Idle => "idle",
        }
    }
}

/// What must be seen at a glance about a span or event: a set of marks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Flags(pub u16);

impl Flags {
    /// It reported a failure.
    pub const FAILED: Flags = Flags(1);
    /// Its start is not in the trace; drawn from the first event that belongs to it.
    pub const OPEN_START: Flags = Flags(2);
    /// Its end is not in the trace; drawn to the last event that belongs to it. Its duration is a lower bound.
    pub const OPEN_END: Flags = Flags(4);
    /// Its end is no event of its own (a request's), or its parent was found by time.
    pub const INFERRED: Flags = Flags(8);
    /// It read at least ten times the rows that it returned.
    pub const OVER_FETCH: Flags = Flags(16);
    /// One of several executions under the same id, paired first in, first out.
    pub const REPEATED: Flags = Flags(32);
    /// The duration that it reports differs from its two timestamps.
    pub const DURATION_DIFFERS: Flags = Flags(64);
    /// A part of its parent (one round of a request).
    pub const SEGMENT: Flags = Flags(128);
    /// It reached secondary storage (SPILL, PHYSICAL_WRITE).
    pub const STORAGE: Flags = Flags(256);
    /// Something that this version does not know by name.
    pub const UNKNOWN: Flags = Flags(512);

    /// It overlaps another one of its thread without lying inside it, and stands in a row of its own.
    pub const OVERLAPS: Flags = Flags(1024);
    /// It reached up to a microsecond beyond its neighbour and was cut there: clocks were rounded.
    pub const CLIPPED: Flags = Flags(2048);

    /// Every flag with its name, in the order of the bits.
    pub const NAMES: [(Flags, &str); 12] = [
        (Flags::FAILED, "failed"),
        (Flags::OPEN_START, "no start in trace"),
        (Flags::OPEN_END, "no end in trace"),
        (Flags::INFERRED, "inferred"),
        (Flags::OVER_FETCH, "over-fetch"),
        (Flags::REPEATED, "repeated id"),
        (Flags::DURATION_DIFFERS, "reported duration differs"),
        (Flags::SEGMENT, "segment"),
        (Flags::STORAGE, "secondary storage"),
        (Flags::UNKNOWN, "unknown type"),
        (Flags::OVERLAPS, "overlaps its neighbour"),
        (Flags::CLIPPED, "clipped"),
    ];

    /// Whether all of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// The names of the flags that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, name)| name)
    }
}

/// One row of the table of spans.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Nanoseconds since the run's first event.
    pub start: i64,
    /// Nanoseconds; never negative.
    pub duration: i64,
    /// The span that it belongs to, in this or another track.
    pub parent: Option<SpanId>,
    /// Its label.
    pub name: StrId,
    /// What it is.
    pub kind: Kind,
    /// What must be seen about it.
    pub flags: Flags,
    /// Its row inside the track: 0 at the top.
    pub depth: u16,
    /// The record that began it, or [`RecordId::NONE`].
    pub begin: RecordId,
    /// The record that ended it, or [`RecordId::NONE`].
    pub end: RecordId,
}

impl Span {
    /// Where it ends, in nanoseconds since the run's first event.
    pub fn end_time(&self) -> i64 {
        self.start.saturating_add(self.duration)
    }
}

/// What spans (events) of the same kind, marks, row and shape share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Class {
    kind: Kind,
    flags: Flags,
    depth: u16,
    shape: ShapeId,
}

impl Class {
    fn code(self, classes: &mut Classes<Class>) -> u32 {
        classes.code(self, self.shape.0 ^ self.flags.0 ^ self.depth << 2)
    }
}

/// The table of spans: grouped by track, by start inside a track.
#[derive(Default)]
pub struct Spans {
    rows: Blocks<SpanRow>,
    starts: Near,
    durations: Apart,
    classes: Classes<Class>,
}

/// A span as it is kept: 32 bytes.
#[derive(Clone, Copy)]
struct SpanRow {
    start: u32,
    duration: u32,
    parent: u32,
    name: StrId,
    begin: RecordId,
    end: RecordId,
    class: u32,
    args: u32,
}

/// Stands for "no parent".
const NO_PARENT: u32 = u32::MAX;

fn code(parent: Option<SpanId>) -> u32 {
    parent.map_or(NO_PARENT, |id| id.0)
}

fn parent_of(code: u32) -> Option<SpanId> {
    (code != NO_PARENT).then_some(SpanId(code))
}

impl Spans {
    /// How many there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is one of this kind, without a look at all of them.
    pub fn has(&self, kind: Kind) -> bool {
        self.classes.iter().any(|class| class.kind == kind)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The span behind a handle.
    pub fn get(&self, id: SpanId) -> Span {
        let SpanRow { start, duration, parent, name, begin, end, class, .. } = self.rows.get(id.0 as usize);
        let Class { kind, flags, depth, .. } = self.classes.get(class);
        Span {
            start: self.starts.number(id.0 as usize, start),
            duration: self.durations.number(duration),
            parent: parent_of(parent),
            name,
            kind,
            flags,
            depth,
            begin,
            end,
        }
    }

    /// When a span begins and ends: less work than all of it.
    #[inline]
    pub fn bounds(&self, id: SpanId) -> (i64, i64) {
        let SpanRow { start, duration, .. } = self.rows.get(id.0 as usize);
        let start = self.starts.number(id.0 as usize, start);
        (start, start.saturating_add(self.durations.number(duration)))
    }

    /// The records that began and ended a span.
    #[inline]
    pub(super) fn records(&self, id: SpanId) -> [RecordId; 2] {
        let SpanRow { begin, end, .. } = self.rows.get(id.0 as usize);
        [begin, end]
    }

    /// The shape of what a span carries beside its records' fields, and its row among those of that shape.
    #[inline]
    pub(super) fn args(&self, id: SpanId) -> (ShapeId, u32) {
        let SpanRow { class, args, .. } = self.rows.get(id.0 as usize);
        (self.classes.get(class).shape, args)
    }

    fn parent(&self, id: SpanId) -> Option<SpanId> {
        let parent = parent_of(self.rows.get(id.0 as usize).parent)?;
        ((parent.0 as usize) < self.len()).then_some(parent)
    }

    /// Whether a span is found among those that it belongs to.
    pub(super) fn goes_round(&self, id: SpanId) -> bool {
        let (mut slow, mut fast) = (id, id);
        loop {
            for _ in 0..2 {
                let Some(next) = self.parent(fast) else { return false };
                if next == id {
                    return true;
                }
                fast = next;
            }
            // A circle above it, of which it is no part.
            let Some(next) = self.parent(slow).filter(|&next| next != fast) else { return false };
            slow = next;
        }
    }

    /// Takes a span's parent away.
    pub(super) fn orphan(&mut self, id: SpanId) {
        let row = self.rows.get(id.0 as usize);
        self.rows.set(id.0 as usize, SpanRow { parent: NO_PARENT, ..row });
    }

    pub(super) fn push(&mut self, span: Span, shape: ShapeId, args: u32) -> SpanId {
        let Span { start, duration, parent, name, kind, flags, depth, begin, end } = span;
        let at = self.rows.len();
        self.rows.push(SpanRow {
            start: self.starts.code(at, start),
            duration: self.durations.code(duration),
            parent: code(parent),
            name,
            begin,
            end,
            class: Class { kind, flags, depth, shape }.code(&mut self.classes),
            args,
        });
        SpanId(at as u32)
    }
}

/// One row of the table of events.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Nanoseconds since the run's first event.
    pub time: i64,
    /// The span that it belongs to, if that is known.
    pub parent: Option<SpanId>,
    /// Its type.
    pub name: StrId,
    /// What it is.
    pub kind: Kind,
    /// What must be seen about it.
    pub flags: Flags,
    /// The record that it was read from.
    pub record: RecordId,
}

/// The table of events: grouped by track, by time inside a track.
#[derive(Default)]
pub struct Events {
    rows: Blocks<EventRow>,
    times: Near,
    classes: Classes<Class>,
}

/// An event as it is kept: 24 bytes.
#[derive(Clone, Copy)]
struct EventRow {
    time: u32,
    parent: u32,
    name: StrId,
    record: RecordId,
    class: u32,
    args: u32,
}

impl Events {
    /// How many there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The event behind a handle.
    pub fn get(&self, id: EventId) -> Event {
        let EventRow { time, parent, name, record, class, .. } = self.rows.get(id.0 as usize);
        let Class { kind, flags, .. } = self.classes.get(class);
        Event {
            time: self.times.number(id.0 as usize, time),
            parent: parent_of(parent),
            name,
            kind,
            flags,
            record,
        }
    }

    /// When an event was: less work than all of it.
    #[inline]
    pub fn time(&self, id: EventId) -> i64 {
        self.times.number(id.0 as usize, self.rows.get(id.0 as usize).time)
    }

    #[inline]
    pub(super) fn record(&self, id: EventId) -> RecordId {
        self.rows.get(id.0 as usize).record
    }

    #[inline]
    pub(super) fn args(&self, id: EventId) -> (ShapeId, u32) {
        let EventRow { class, args, .. } = self.rows.get(id.0 as usize);
        (self.classes.get(class).shape, args)
    }

    pub(super) fn push(&mut self, event: Event, shape: ShapeId, args: u32) -> EventId {
        let Event { time, parent, name, kind, flags, record } = event;
        let at = self.rows.len();
        self.rows.push(EventRow {
            time: self.times.code(at, time),
            parent: code(parent),
            name,
            record,
            class: Class { kind, flags, depth: 0, shape }.code(&mut self.classes),
            args,
        });
        EventId(at as u32)
    }
}
