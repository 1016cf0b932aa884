//! Spans and events: named intervals, and named points in time.

use super::class::Classes;
use super::keys::ShapeId;
use super::kind::{Flags, Kind};
use crate::base::chunked;
use crate::base::columns::{BlockColumn, DeltaColumn, FrameOfReferenceColumn, Near, Overflow};
use crate::base::interner::StrId;

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

    /// The item with a [code](Item::code), which may not exist.
    pub fn from_code(code: u32) -> Self {
        match code & EVENT_BIT {
            0 => Item::Span(SpanId(code)),
            _ => Item::Event(EventId(code & !EVENT_BIT)),
        }
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
    /// Name of the span.
    pub name: StrId,
    /// Kind of the span.
    pub kind: Kind,
    /// What must be seen about it.
    pub flags: Flags,
    /// Row in the track: 0 at the top.
    pub depth: u16,
    /// The record that began it, or [`RecordId::NONE`].
    pub begin: RecordId,
    /// The record that ended it, or [`RecordId::NONE`].
    pub end: RecordId,
}

impl Span {
    /// End of the span, in nanoseconds since the run's first event.
    pub fn end_time(&self) -> i64 {
        self.start.saturating_add(self.duration)
    }
}

/// What spans (events) of the same kind, marks, row and shape share.
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

/// The table of spans: grouped by track, by start inside a track. Some twenty bytes each: what neighbours have nearly in
/// common is kept once.
#[derive(Default)]
pub struct Spans {
    /// Start and duration, as codes of `starts` and `durations`.
    bounds: BlockColumn<[u32; 2]>,
    starts: Near,
    durations: Overflow,
    /// As distances: see [`back_to`].
    parents: FrameOfReferenceColumn,
    names: FrameOfReferenceColumn,
    begins: FrameOfReferenceColumn,
    /// Number of the record that ended the span, minus that of the one that began it.
    ends: FrameOfReferenceColumn,
    class_of: FrameOfReferenceColumn,
    classes: Classes<ItemClass>,
    args: FrameOfReferenceColumn,
    /// Whether any is marked as [`Flags::SERVER_TIMED`].
    any_server_timed: bool,
}

/// How far before the row `at` its parent is; 0 for none. For a parent that comes later the difference wraps around.
fn back_to(parent: Option<SpanId>, at: usize) -> u32 {
    parent.map_or(0, |id| (at as u32).wrapping_sub(id.0))
}

fn parent_of(back: u32, at: usize) -> Option<SpanId> {
    (back != 0).then(|| SpanId((at as u32).wrapping_sub(back)))
}

impl Spans {
    /// How many there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.begins.len()
    }

    /// Whether there is one of this kind, without a look at all of them.
    pub fn has(&self, kind: Kind) -> bool {
        self.classes.iter().any(|class| class.kind == kind)
    }

    /// Whether one has this mark, without a look at all of them.
    pub fn has_marked(&self, mark: Flags) -> bool {
        self.classes.iter().any(|class| class.flags.has(mark))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The span with this id, which must exist.
    pub fn get(&self, id: SpanId) -> Span {
        let ItemClass { kind, flags, depth, .. } = self.class(id.0 as usize);
        let (start, duration) = self.time(id);
        let (parent, name) = (self.parent(id), self.name(id));
        let (begin, end) = (self.begin(id), self.end(id));
        Span { start, duration, parent, name, kind, flags, depth, begin, end }
    }

    /// When a span begins, and how long it takes: less work than all of it.
    #[inline]
    pub fn time(&self, id: SpanId) -> (i64, i64) {
        let [start, duration] = self.bounds.get(id.0 as usize);
        (self.starts.number(id.0 as usize, start), self.durations.number(duration))
    }

    /// When a span begins and ends.
    #[inline]
    pub fn bounds(&self, id: SpanId) -> (i64, i64) {
        let (start, duration) = self.time(id);
        (start, start.saturating_add(duration))
    }

    /// When a span begins.
    #[inline]
    pub fn start(&self, id: SpanId) -> i64 {
        self.time(id).0
    }

    /// How long a span takes, in nanoseconds.
    #[inline]
    pub fn duration(&self, id: SpanId) -> i64 {
        self.durations.number(self.bounds.get(id.0 as usize)[1])
    }

    /// The kind and the flags of a span.
    #[inline]
    pub fn kind_and_flags(&self, id: SpanId) -> (Kind, Flags) {
        let ItemClass { kind, flags, .. } = self.class(id.0 as usize);
        (kind, flags)
    }

    /// What a span is.
    #[inline]
    pub fn kind(&self, id: SpanId) -> Kind {
        self.kind_and_flags(id).0
    }

    /// Maps kind and flags of every span; `make` is called once for each class of spans.
    pub fn map_kind_and_flags<T: Copy>(&self, make: impl FnMut(Kind, Flags) -> T) -> Vec<T> {
        map_classes(&self.classes, &self.class_of, make)
    }

    /// Whether the duration of a span is one that its source measured.
    #[inline]
    pub(super) fn is_server_timed(&self, id: SpanId) -> bool {
        self.any_server_timed && self.flags(id).has(Flags::SERVER_TIMED)
    }

    /// What must be seen about a span.
    #[inline]
    pub fn flags(&self, id: SpanId) -> Flags {
        self.kind_and_flags(id).1
    }

    /// The row of a span in its track.
    #[inline]
    pub fn depth(&self, id: SpanId) -> u16 {
        self.class(id.0 as usize).depth
    }

    /// What a span is called.
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

    /// The records that began and ended a span, or [`RecordId::NONE`].
    #[inline]
    pub fn ends(&self, id: SpanId) -> (RecordId, RecordId) {
        let begin = self.begin(id);
        (begin, RecordId(begin.0.wrapping_add(self.ends.get(id.0 as usize))))
    }

    /// Shape of the attributes that a span carries in addition to the fields of its records.
    #[inline]
    pub(super) fn shape(&self, id: SpanId) -> ShapeId {
        self.class(id.0 as usize).shape
    }

    /// Row of the span in the attribute table of its shape.
    #[inline]
    pub(super) fn args(&self, id: SpanId) -> u32 {
        self.args.get(id.0 as usize)
    }

    /// The span that a span belongs to, in this or another track.
    #[inline]
    pub fn parent(&self, id: SpanId) -> Option<SpanId> {
        parent_of(self.parents.get(id.0 as usize), id.0 as usize)
    }

    fn parent_inside(&self, id: SpanId) -> Option<SpanId> {
        self.parent(id).filter(|parent| (parent.0 as usize) < self.len())
    }

    /// Whether a span is among its own ancestors.
    pub(super) fn has_parent_cycle(&self, id: SpanId) -> bool {
        let (mut slow, mut fast) = (id, id);
        loop {
            for _ in 0..2 {
                let Some(next) = self.parent_inside(fast) else { return false };
                if next == id {
                    return true;
                }
                fast = next;
            }
            // A cycle among the ancestors that the span itself is not in.
            let Some(next) = self.parent_inside(slow).filter(|&next| next != fast) else { return false };
            slow = next;
        }
    }

    /// Takes a span's parent away.
    pub(super) fn orphan(&mut self, id: SpanId) {
        self.parents.set(id.0 as usize, back_to(None, id.0 as usize));
    }

    /// Only what they are and their records: what names them in another build.
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

/// One row of the table of events.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Nanoseconds since the run's first event.
    pub time: i64,
    /// The span that it belongs to, if that is known.
    pub parent: Option<SpanId>,
    /// Name of the event.
    pub name: StrId,
    /// Kind of the event.
    pub kind: Kind,
    /// Marks of the event.
    pub flags: Flags,
    /// The record that the event was read from.
    pub record: RecordId,
}

/// The table of events: grouped by track, by time inside a track. Kept as [`Spans`] are.
#[derive(Default)]
pub struct Events {
    times: DeltaColumn,
    /// Numbers of parents, counted from 1; 0 for none.
    parents: FrameOfReferenceColumn,
    names: FrameOfReferenceColumn,
    records: FrameOfReferenceColumn,
    class_of: FrameOfReferenceColumn,
    classes: Classes<ItemClass>,
    args: FrameOfReferenceColumn,
}

impl Events {
    /// How many there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is one of this kind, without a look at all of them.
    pub fn has(&self, kind: Kind) -> bool {
        self.classes.iter().any(|class| class.kind == kind)
    }

    /// Whether one has this mark, without a look at all of them.
    pub fn has_marked(&self, mark: Flags) -> bool {
        self.classes.iter().any(|class| class.flags.has(mark))
    }

    /// The event with this id, which must exist.
    pub fn get(&self, id: EventId) -> Event {
        let (kind, flags) = self.kind_and_flags(id);
        let (parent, name) = (self.parent(id), self.name(id));
        Event { time: self.time(id), parent, name, kind, flags, record: self.record(id) }
    }

    /// When an event was: less work than all of it.
    #[inline]
    pub fn time(&self, id: EventId) -> i64 {
        self.times.get(id.0 as usize)
    }

    /// The span that an event belongs to.
    #[inline]
    pub fn parent(&self, id: EventId) -> Option<SpanId> {
        self.parents.get(id.0 as usize).checked_sub(1).map(SpanId)
    }

    /// What an event is called.
    #[inline]
    pub fn name(&self, id: EventId) -> StrId {
        StrId(self.names.get(id.0 as usize))
    }

    /// What an event is, and its marks.
    #[inline]
    pub fn kind_and_flags(&self, id: EventId) -> (Kind, Flags) {
        let ItemClass { kind, flags, .. } = self.class(id.0 as usize);
        (kind, flags)
    }

    /// What an event is.
    #[inline]
    pub fn kind(&self, id: EventId) -> Kind {
        self.kind_and_flags(id).0
    }

    /// Maps kind and flags of every event; `make` is called once for each class of events.
    pub fn map_kind_and_flags<T: Copy>(&self, make: impl FnMut(Kind, Flags) -> T) -> Vec<T> {
        map_classes(&self.classes, &self.class_of, make)
    }

    /// What must be seen about an event.
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

    /// Only what they are and their records.
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
