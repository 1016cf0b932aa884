//! Spans and events: named intervals, and named points in time.

use super::class::Classes;
use super::keys::ShapeId;
use super::kind::{Flags, Kind};
use crate::base::chunked;
use crate::base::columns::{BlockColumn, DeltaColumn, FrameOfReferenceColumn, Near, Overflow};
use crate::base::interner::StrId;

/// Id of a span: its index in [`Spans`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpanId(pub u32);

/// Id of an event: its index in [`Events`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub u32);

/// Id of a record: its number in the table of record positions (see `import::Records`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

impl RecordId {
    /// No record, for example as the end record of an unfinished span.
    pub const NONE: RecordId = RecordId(u32::MAX);
}

/// A span or an event: everything that can be selected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Item {
    /// A named interval.
    Span(SpanId),
    /// A named point in time.
    Event(EventId),
}

const EVENT_BIT: u32 = 1 << 31;

impl Item {
    /// Encodes the item as one number, for scenes and messages; [`Item::from_code`] decodes it.
    pub fn code(self) -> u32 {
        match self {
            Item::Span(id) => id.0,
            Item::Event(id) => id.0 | EVENT_BIT,
        }
    }

    /// Decodes an item from its [code](Item::code). The item may not exist in a trace.
    pub fn from_code(code: u32) -> Self {
        match code & EVENT_BIT {
            0 => Item::Span(SpanId(code)),
            _ => Item::Event(EventId(code & !EVENT_BIT)),
        }
    }
}

/// A row of the span table.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Duration, in nanoseconds; never negative.
    pub duration: i64,
    /// Parent span, in the same or another track; `None` if there is none.
    pub parent: Option<SpanId>,
    /// Name of the span.
    pub name: StrId,
    /// Kind of the span.
    pub kind: Kind,
    /// Flags of the span, such as "failed".
    pub flags: Flags,
    /// Row of the span in its track; 0 is the top row.
    pub depth: u16,
    /// The record that began the span, or [`RecordId::NONE`].
    pub begin: RecordId,
    /// The record that ended the span, or [`RecordId::NONE`].
    pub end: RecordId,
}

impl Span {
    /// End of the span, in nanoseconds since the run's first event.
    pub fn end_time(&self) -> i64 {
        self.start.saturating_add(self.duration)
    }
}

/// Properties shared by all spans (or events) of one class, stored once per class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ItemClass {
    kind: Kind,
    flags: Flags,
    depth: u16,
    shape: ShapeId,
}

impl ItemClass {
    fn code(self, classes: &mut Classes<ItemClass>) -> u32 {
        classes.code(self, self.shape.0 ^ self.flags.0 ^ self.depth << 2)
    }
}

fn map_classes<T: Copy>(
    classes: &Classes<ItemClass>,
    class_of: &FrameOfReferenceColumn,
    mut make: impl FnMut(Kind, Flags) -> T,
) -> Vec<T> {
    let made: Vec<T> = classes.iter().map(|class| make(class.kind, class.flags)).collect();
    chunked::map(0..class_of.len() as u32, |at| made[class_of.get(at as usize) as usize])
}

/// Table of spans, grouped by track and sorted by start inside a track. A span takes about twenty bytes, because values that
/// neighbouring spans have (nearly) in common are stored once.
#[derive(Default)]
pub struct Spans {
    /// Start and duration of each span, encoded by `starts` and `durations`.
    bounds: BlockColumn<[u32; 2]>,
    starts: Near,
    durations: Overflow,
    /// Distance to the parent; see [`back_to`].
    parents: FrameOfReferenceColumn,
    names: FrameOfReferenceColumn,
    begins: FrameOfReferenceColumn,
    /// Number of the record that ended the span, minus the number of the record that began it.
    ends: FrameOfReferenceColumn,
    class_of: FrameOfReferenceColumn,
    classes: Classes<ItemClass>,
    args: FrameOfReferenceColumn,
    /// Whether any span has the flag [`Flags::SERVER_TIMED`].
    any_server_timed: bool,
}

/// Distance from row `at` back to its parent; 0 for no parent. The distance to a parent in a later row wraps around.
fn back_to(parent: Option<SpanId>, at: usize) -> u32 {
    parent.map_or(0, |id| (at as u32).wrapping_sub(id.0))
}

fn parent_of(back: u32, at: usize) -> Option<SpanId> {
    (back != 0).then(|| SpanId((at as u32).wrapping_sub(back)))
}

impl Spans {
    /// Number of spans; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.begins.len()
    }

    /// Whether there is a span of this kind. Does not scan the spans.
    pub fn has(&self, kind: Kind) -> bool {
        self.classes.iter().any(|class| class.kind == kind)
    }

    /// Whether there is a span with this flag. Does not scan the spans.
    pub fn has_marked(&self, mark: Flags) -> bool {
        self.classes.iter().any(|class| class.flags.has(mark))
    }

    /// Whether there are no spans.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the span with this id, which must exist.
    pub fn get(&self, id: SpanId) -> Span {
        let ItemClass { kind, flags, depth, .. } = self.class(id.0 as usize);
        let (start, duration) = self.time(id);
        let (parent, name) = (self.parent(id), self.name(id));
        let (begin, end) = (self.begin(id), self.end(id));
        Span { start, duration, parent, name, kind, flags, depth, begin, end }
    }

    /// Start and duration of a span, in nanoseconds. Faster than [`Spans::get`].
    #[inline]
    pub fn time(&self, id: SpanId) -> (i64, i64) {
        let [start, duration] = self.bounds.get(id.0 as usize);
        (self.starts.number(id.0 as usize, start), self.durations.number(duration))
    }

    /// Start and end of a span, in nanoseconds since the run's first event.
    #[inline]
    pub fn bounds(&self, id: SpanId) -> (i64, i64) {
        let (start, duration) = self.time(id);
        (start, start.saturating_add(duration))
    }

    /// Start of a span, in nanoseconds since the run's first event.
    #[inline]
    pub fn start(&self, id: SpanId) -> i64 {
        self.time(id).0
    }

    /// Time between the start and the end of a span, in nanoseconds.
    #[inline]
    pub fn duration(&self, id: SpanId) -> i64 {
        self.durations.number(self.bounds.get(id.0 as usize)[1])
    }

    /// Kind and flags of a span.
    #[inline]
    pub fn kind_and_flags(&self, id: SpanId) -> (Kind, Flags) {
        let ItemClass { kind, flags, .. } = self.class(id.0 as usize);
        (kind, flags)
    }

    /// Kind of a span.
    #[inline]
    pub fn kind(&self, id: SpanId) -> Kind {
        self.kind_and_flags(id).0
    }

    /// Maps kind and flags of every span; `make` is called only once per class of spans.
    pub fn map_kind_and_flags<T: Copy>(&self, make: impl FnMut(Kind, Flags) -> T) -> Vec<T> {
        map_classes(&self.classes, &self.class_of, make)
    }

    /// Whether the duration of a span was measured by its source.
    #[inline]
    pub(super) fn is_server_timed(&self, id: SpanId) -> bool {
        self.any_server_timed && self.flags(id).has(Flags::SERVER_TIMED)
    }

    /// Flags of a span.
    #[inline]
    pub fn flags(&self, id: SpanId) -> Flags {
        self.kind_and_flags(id).1
    }

    /// Row of a span in its track; 0 is the top row.
    #[inline]
    pub fn depth(&self, id: SpanId) -> u16 {
        self.class(id.0 as usize).depth
    }

    /// Name of a span.
    #[inline]
    pub fn name(&self, id: SpanId) -> StrId {
        StrId(self.names.get(id.0 as usize))
    }

    #[inline]
    fn class(&self, at: usize) -> ItemClass {
        self.classes.get(self.class_of.get(at))
    }

    /// The record that began a span, or [`RecordId::NONE`].
    #[inline]
    pub fn begin(&self, id: SpanId) -> RecordId {
        RecordId(self.begins.get(id.0 as usize))
    }

    /// The record that ended a span, or [`RecordId::NONE`].
    #[inline]
    pub fn end(&self, id: SpanId) -> RecordId {
        self.ends(id).1
    }

    /// The records that began and ended a span; [`RecordId::NONE`] for each that is missing.
    #[inline]
    pub fn ends(&self, id: SpanId) -> (RecordId, RecordId) {
        let begin = self.begin(id);
        (begin, RecordId(begin.0.wrapping_add(self.ends.get(id.0 as usize))))
    }

    /// Shape of the attributes that a span has in addition to the fields of its records.
    #[inline]
    pub(super) fn shape(&self, id: SpanId) -> ShapeId {
        self.class(id.0 as usize).shape
    }

    /// Row of the span in the attribute table of its shape.
    #[inline]
    pub(super) fn args(&self, id: SpanId) -> u32 {
        self.args.get(id.0 as usize)
    }

    /// Parent of a span, in the same or another track.
    #[inline]
    pub fn parent(&self, id: SpanId) -> Option<SpanId> {
        parent_of(self.parents.get(id.0 as usize), id.0 as usize)
    }

    /// Removes the parent of a span.
    pub(super) fn orphan(&mut self, id: SpanId) {
        self.parents.set(id.0 as usize, back_to(None, id.0 as usize));
    }

    /// Keeps only kinds and records, which identify the spans in another build of the trace.
    pub(super) fn named(self) -> Self {
        let Self { begins, ends, class_of, classes, .. } = self;
        Self { begins, ends, class_of, classes, ..Self::default() }
    }

    pub(super) fn push(&mut self, span: Span, shape: ShapeId, args: u32) -> SpanId {
        let Span { start, duration, parent, name, kind, flags, depth, begin, end } = span;
        let at = self.len();
        self.bounds.push([self.starts.code(at, start), self.durations.code(duration)]);
        self.parents.push(back_to(parent, at));
        self.names.push(name.0);
        self.begins.push(begin.0);
        self.ends.push(end.0.wrapping_sub(begin.0));
        self.class_of.push(ItemClass { kind, flags, depth, shape }.code(&mut self.classes));
        self.args.push(args);
        self.any_server_timed |= flags.has(Flags::SERVER_TIMED);
        SpanId(at as u32)
    }
}

/// A row of the event table.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Time, in nanoseconds since the run's first event.
    pub time: i64,
    /// Parent span; `None` if there is none or it is unknown.
    pub parent: Option<SpanId>,
    /// Name of the event.
    pub name: StrId,
    /// Kind of the event.
    pub kind: Kind,
    /// Flags of the event, such as "failed".
    pub flags: Flags,
    /// The record that the event was read from.
    pub record: RecordId,
}

/// Table of events, grouped by track and sorted by time inside a track. Compressed like [`Spans`].
#[derive(Default)]
pub struct Events {
    times: DeltaColumn,
    /// Ids of the parents plus 1; 0 for no parent.
    parents: FrameOfReferenceColumn,
    names: FrameOfReferenceColumn,
    records: FrameOfReferenceColumn,
    class_of: FrameOfReferenceColumn,
    classes: Classes<ItemClass>,
    args: FrameOfReferenceColumn,
}

impl Events {
    /// Number of events; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is an event of this kind. Does not scan the events.
    pub fn has(&self, kind: Kind) -> bool {
        self.classes.iter().any(|class| class.kind == kind)
    }

    /// Whether there is an event with this flag. Does not scan the events.
    pub fn has_marked(&self, mark: Flags) -> bool {
        self.classes.iter().any(|class| class.flags.has(mark))
    }

    /// Returns the event with this id, which must exist.
    pub fn get(&self, id: EventId) -> Event {
        let (kind, flags) = self.kind_and_flags(id);
        let (parent, name) = (self.parent(id), self.name(id));
        Event { time: self.time(id), parent, name, kind, flags, record: self.record(id) }
    }

    /// Time of an event, in nanoseconds since the run's first event. Faster than [`Events::get`].
    #[inline]
    pub fn time(&self, id: EventId) -> i64 {
        self.times.get(id.0 as usize)
    }

    /// Parent span of an event.
    #[inline]
    pub fn parent(&self, id: EventId) -> Option<SpanId> {
        self.parents.get(id.0 as usize).checked_sub(1).map(SpanId)
    }

    /// Name of an event.
    #[inline]
    pub fn name(&self, id: EventId) -> StrId {
        StrId(self.names.get(id.0 as usize))
    }

    /// Kind and flags of an event.
    #[inline]
    pub fn kind_and_flags(&self, id: EventId) -> (Kind, Flags) {
        let ItemClass { kind, flags, .. } = self.class(id.0 as usize);
        (kind, flags)
    }

    /// Kind of an event.
    #[inline]
    pub fn kind(&self, id: EventId) -> Kind {
        self.kind_and_flags(id).0
    }

    /// Maps kind and flags of every event; `make` is called only once per class of events.
    pub fn map_kind_and_flags<T: Copy>(&self, make: impl FnMut(Kind, Flags) -> T) -> Vec<T> {
        map_classes(&self.classes, &self.class_of, make)
    }

    /// Flags of an event.
    #[inline]
    pub fn flags(&self, id: EventId) -> Flags {
        self.kind_and_flags(id).1
    }

    #[inline]
    fn class(&self, at: usize) -> ItemClass {
        self.classes.get(self.class_of.get(at))
    }

    /// The record that an event was read from.
    #[inline]
    pub fn record(&self, id: EventId) -> RecordId {
        RecordId(self.records.get(id.0 as usize))
    }

    #[inline]
    pub(super) fn shape(&self, id: EventId) -> ShapeId {
        self.class(id.0 as usize).shape
    }

    #[inline]
    pub(super) fn args(&self, id: EventId) -> u32 {
        self.args.get(id.0 as usize)
    }

    /// Keeps only kinds and records, which identify the events in another build of the trace.
    pub(super) fn named(self) -> Self {
        let Self { records, class_of, classes, .. } = self;
        Self { records, class_of, classes, ..Self::default() }
    }

    pub(super) fn push(&mut self, event: Event, shape: ShapeId, args: u32) -> EventId {
        let Event { time, parent, name, kind, flags, record } = event;
        let at = self.len();
        self.times.push(time);
        self.parents.push(parent.map_or(0, |id| id.0.wrapping_add(1)));
        self.names.push(name.0);
        self.records.push(record.0);
        self.class_of.push(ItemClass { kind, flags, depth: 0, shape }.code(&mut self.classes));
        self.args.push(args);
        EventId(at as u32)
    }
}
