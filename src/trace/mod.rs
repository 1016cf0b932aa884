//! The model: what one or several opened files hold together. Columns inside, handles outside,
//! immutable once `TraceBuilder::finish` has made it.
//!
//! ```text
//! runs      run 0                                   one clock each, time 0 = its first event
//! tracks    0 run ▸ 1 query ▸ 2 source ▸ 3 execution     pre-order: parents come before children,
//!                             4 buffer                    a subtree is a contiguous range
//!                   5 query ▸ …
//! spans     grouped by track in track order, by start inside a track
//! events    the same
//! ```
//! So the spans (events) of a track, and of a whole subtree, are one contiguous range.

pub mod attribute_names;
mod attributes;
mod builder;
mod class;
mod columns;
mod flow;
mod keys;
mod kind;
mod locks;
mod notes;
mod range;
mod record_table;
mod span;
mod stacked_items;
mod tables;
mod texts;
mod track;
mod track_attributes;
#[doc(hidden)]
pub mod word_hash;
mod written;

pub use crate::base::interner::{Interner, StrId};
pub use attributes::{AttributeColumn, AttributeReader, AttributeType, TextPredicate};
pub(crate) use builder::{Shared, TraceBuilder};
pub(crate) use class::Classes;
pub use flow::{Flow, Flows};
pub use keys::{Key, KeyInfo, Keys, Shape, ShapeId, Shapes, Unit, key};
pub use kind::{Cut, Flags, Kind};
pub use locks::{LockParty, LockWait};
pub use notes::RunNote;
pub use range::{clipped, duration_in, overlaps};
pub use record_table::{NumKey, RecordTable, RecordTypeId, RowRef};
pub use span::{Event, EventId, Events, Item, RecordId, Span, SpanId, Spans};
pub use tables::{Table, Tables};
pub use track::{Run, RunId, Track, TrackId, TrackKind, Tracks};
pub use track_attributes::TrackTexts;
pub use written::WrittenValues;

use crate::base::FxHashMap;
use crate::base::columns::NumberColumn;
use columns::Columns;

/// Everything that the opened files hold, correlated.
#[derive(Default)]
pub struct Trace {
    /// Every name and text. It outlives a rebuild: ids stay valid when more files arrive.
    pub strings: Interner,
    /// What the records report; outlives a rebuild as well.
    pub reported: RecordTable,
    /// What the numbers and texts of spans and events are called.
    pub keys: Keys,
    /// Which keys a span or event carries.
    pub shapes: Shapes,
    /// By shape: what spans and events carry in addition to the fields of their records.
    args: Vec<Columns>,
    /// The runs, in the order in which they were first seen.
    pub runs: Vec<Run>,
    /// The tree of named row groups.
    pub tracks: Tracks,
    /// Named intervals.
    pub spans: Spans,
    /// Named points in time.
    pub events: Events,
    /// Arrows between spans.
    pub flows: Flows,
    /// Texts that hold for whole tracks.
    pub track_texts: TrackTexts,
    /// What the files hold besides events.
    pub tables: Tables,
    /// Sentences about whole runs.
    pub notes: Vec<RunNote>,
    /// Where records were left out by choice.
    pub cut: Cut,
    /// Who waited for whom, where the files say so.
    pub lock_waits: Vec<LockWait>,
    /// By the name of a span: the group of names that has one colour and one entry in the legend, such as the module of a
    /// function. A name without a group stands for itself.
    name_groups: FxHashMap<StrId, StrId>,
    /// By item: the records whose written values it has, where these are not the records that began and ended it.
    written_in: FxHashMap<Item, [RecordId; 2]>,
    /// By span, once they were made: see [`self_times`](crate::analysis::self_times).
    self_times: Option<NumberColumn>,
}

impl Trace {
    /// The time of every span that no child covers, if it is known already.
    pub(crate) fn self_times(&self) -> Option<&NumberColumn> {
        self.self_times.as_ref()
    }

    /// The group of a name, by which spans are coloured: the name itself if it is in no group.
    pub fn name_group(&self, name: StrId) -> StrId {
        self.name_groups.get(&name).copied().unwrap_or(name)
    }

    /// Keeps the time of every span that no child covers: four bytes each, as a rule.
    pub(crate) fn keep_self_times(&mut self, times: NumberColumn) {
        self.self_times = Some(times);
    }

    /// How long a span took, in nanoseconds: what its source measured, where that is marked
    /// ([`Flags::SERVER_TIMED`]), else the time between its start and its end. Numbers that are shown and summed are
    /// these; what is drawn or counted along the time axis goes from the start to the end ([`Spans::bounds`]).
    #[inline]
    pub fn duration(&self, id: SpanId) -> i64 {
        let reported = || self.num(Item::Span(id), key::REPORTED_DURATION);
        let marked = self.spans.is_server_timed(id);
        marked.then(reported).flatten().unwrap_or_else(|| self.spans.duration(id))
    }

    /// The record that began `item`, or [`RecordId::NONE`].
    #[inline]
    fn first_record(&self, item: Item) -> RecordId {
        match item {
            Item::Span(id) => self.spans.begin(id),
            Item::Event(id) => self.events.record(id),
        }
    }

    /// The record that ended `item`; it may be the one that began it.
    #[inline]
    fn last_record(&self, item: Item) -> RecordId {
        match item {
            Item::Span(id) => self.spans.end(id),
            Item::Event(id) => self.events.record(id),
        }
    }

    /// The record that an item begins with, or ends with where its beginning is not in the trace: what names it in every
    /// build of the same files.
    pub(crate) fn anchor_record(&self, item: Item) -> Option<RecordId> {
        let (first, last) = self.ends(item);
        [first, last].into_iter().find(|&record| record != RecordId::NONE)
    }

    /// What names the items ([`anchor_record`](Self::anchor_record) and [`kind`](Self::kind)), taken out of a trace that is
    /// about to go: some three bytes each.
    pub(crate) fn take_named(&mut self) -> Trace {
        let (spans, events) = (std::mem::take(&mut self.spans), std::mem::take(&mut self.events));
        Trace { spans: spans.named(), events: events.named(), ..Trace::default() }
    }

    /// The records that began and ended `item`.
    #[inline]
    pub(crate) fn ends(&self, item: Item) -> (RecordId, RecordId) {
        match item {
            Item::Span(id) => self.spans.ends(id),
            Item::Event(id) => (self.events.record(id), self.events.record(id)),
        }
    }

    /// Shape of the attributes that `item` carries in addition to the fields of its records.
    fn shape(&self, item: Item) -> ShapeId {
        match item {
            Item::Span(id) => self.spans.shape(id),
            Item::Event(id) => self.events.shape(id),
        }
    }

    /// Row of `item` in the attribute table of its shape.
    fn args(&self, item: Item) -> u32 {
        match item {
            Item::Span(id) => self.spans.args(id),
            Item::Event(id) => self.events.args(id),
        }
    }

    /// The records that an item was made of: their fields are its arguments, the first one's before the second's.
    fn records(&self, item: Item) -> impl Iterator<Item = RecordId> + '_ {
        let first = self.first_record(item);
        // Mostly the first one has what is sought.
        let second = std::iter::once_with(move || self.last_record(item));
        let records = std::iter::once(first).chain(second.filter(move |&record| record != first));
        records.filter(|&record| record != RecordId::NONE)
    }

    /// The arguments of an item as they stand in its records, as JSON text: nothing unless they were
    /// [kept](RecordTable::keep_written). See [`WrittenValues::of`].
    pub fn written(&self, item: Item) -> impl Iterator<Item = (StrId, &str, bool)> + '_ {
        let written = self.reported.written();
        let records = written.map(|written| {
            let own = || -> [RecordId; 2] { self.ends(item).into() };
            let [first, last] = self.written_in.get(&item).copied().unwrap_or_else(own);
            let both = [first, if last == first { RecordId::NONE } else { last }];
            both.into_iter().filter(|record| *record != RecordId::NONE).flat_map(|record| written.of(record))
        });
        records.into_iter().flatten()
    }

    /// The text called `key` of a track, or of the nearest one above that has one.
    pub fn track_text(&self, track: TrackId, key: Key) -> Option<StrId> {
        let mut at = Some(track);
        while let Some(track) = at {
            if let Some((_, text)) = self.track_texts.of(track).find(|&(known, _)| known == key) {
                return Some(text);
            }
            at = self.tracks.get(track).parent;
        }
        None
    }

    /// The key called `name`, if anything may carry it.
    pub fn key(&self, name: &str) -> Option<Key> {
        self.keys.find(self.strings.find(name)?)
    }

    /// The span that `item` belongs to.
    pub fn parent(&self, item: Item) -> Option<SpanId> {
        match item {
            Item::Span(id) => self.spans.parent(id),
            Item::Event(id) => self.events.parent(id),
        }
    }

    /// What `item` is called.
    pub fn name(&self, item: Item) -> StrId {
        match item {
            Item::Span(id) => self.spans.name(id),
            Item::Event(id) => self.events.name(id),
        }
    }

    /// What `item` is.
    pub fn kind(&self, item: Item) -> Kind {
        match item {
            Item::Span(id) => self.spans.kind(id),
            Item::Event(id) => self.events.kind(id),
        }
    }

    /// When `item` starts and ends: the same for an event.
    pub fn interval(&self, item: Item) -> (i64, i64) {
        match item {
            Item::Span(id) => self.spans.bounds(id),
            Item::Event(id) => (self.events.time(id), self.events.time(id)),
        }
    }

    /// The track of `item`.
    pub fn track_of(&self, item: Item) -> TrackId {
        match item {
            Item::Span(id) => self.tracks.of_span(id),
            Item::Event(id) => self.tracks.of_event(id),
        }
    }

    /// Whether `item` is one of this trace's: ids that came from outside are asked this first.
    pub fn contains(&self, item: Item) -> bool {
        match item {
            Item::Span(id) => (id.0 as usize) < self.spans.len(),
            Item::Event(id) => (id.0 as usize) < self.events.len(),
        }
    }

    /// The text of `id`.
    pub fn str(&self, id: StrId) -> &str {
        self.strings.get(id)
    }

    /// The end of the longest run, in nanoseconds since each run's own first event.
    pub fn end(&self) -> i64 {
        self.runs.iter().map(|run| run.duration).max().unwrap_or(0)
    }
}

/// How a number that was not reported stands in a column. Never 0, never in a sum.
pub const NOT_REPORTED: i64 = i64::MIN;
