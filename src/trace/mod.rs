//! The trace model: the merged content of all opened files, stored in columns and accessed by ids. A [`Trace`] is immutable
//! once `TraceBuilder::finish` has created it.
//!
//! ```text
//! runs      run 0                                   one clock each, time 0 = its first event
//! tracks    0 run ▸ 1 query ▸ 2 source ▸ 3 execution     pre-order: parents come before children,
//!                             4 buffer                    a subtree is a contiguous range
//!                   5 query ▸ …
//! spans     grouped by track in track order, by start inside a track
//! events    grouped by track in track order, by time inside a track
//! ```
//! Therefore the spans (and the events) of a track, or of a whole subtree, are one contiguous range.

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
pub(crate) use builder::{RangeCut, Shared, TraceBuilder, first_in_cycles};
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

/// The correlated content of all opened files.
#[derive(Default)]
pub struct Trace {
    /// All names and texts. Outlives a rebuild of the trace: ids stay valid when more files are added.
    pub strings: Interner,
    /// Values that the records report. Outlives a rebuild of the trace.
    pub reported: RecordTable,
    /// Names and units of the attributes of spans and events.
    pub keys: Keys,
    /// Sets of keys under which spans and events have attributes of their own.
    pub shapes: Shapes,
    /// By shape: values of spans and events in addition to the fields of their records.
    args: Vec<Columns>,
    /// Runs, in the order in which they first appeared.
    pub runs: Vec<Run>,
    /// Tree of tracks (named groups of rows).
    pub tracks: Tracks,
    /// Table of spans (named intervals).
    pub spans: Spans,
    /// Table of events (named points in time).
    pub events: Events,
    /// Arrows between spans or events.
    pub flows: Flows,
    /// Texts that apply to whole tracks.
    pub track_texts: TrackTexts,
    /// Side tables: tables in the files that are not events.
    pub tables: Tables,
    /// Notes about whole runs.
    pub notes: Vec<RunNote>,
    /// Sides on which records were left out by choice.
    pub cut: Cut,
    /// Lock waits that the files report.
    pub lock_waits: Vec<LockWait>,
    /// By span name: the group of names that shares a colour and a legend entry, such as the module of a function. A name
    /// without an entry is its own group.
    name_groups: FxHashMap<StrId, StrId>,
    /// By item: the one or two records whose attributes, as the file writes them, are those of the item; [`RecordId::NONE`]
    /// in an unused place. Only for items whose attributes are not in the records that began and ended them.
    written_in: FxHashMap<Item, [RecordId; 2]>,
    /// By span: self time, in nanoseconds. Computed on demand by [`self_times`](crate::analysis::self_times).
    self_times: Option<NumberColumn>,
    /// Whether spans of a thread cross each other, if the self times were computed.
    has_crossing: bool,
}

impl Trace {
    /// Name of a run; empty for an unknown run.
    pub(crate) fn run_name(&self, run: RunId) -> &str {
        self.runs.get(run.0 as usize).map_or("", |run| self.str(run.name))
    }

    /// The run that contains a track.
    pub(crate) fn run_of(&self, track: TrackId) -> RunId {
        // The track of a run comes before those below it.
        RunId(self.runs.partition_point(|run| run.track <= track).saturating_sub(1) as u32)
    }

    /// Self time of every span, in nanoseconds; `None` if it was not computed yet.
    pub(crate) fn self_times(&self) -> Option<&NumberColumn> {
        self.self_times.as_ref()
    }

    /// Whether the self times were computed and the spans of every thread nest: none begins inside another and ends after it.
    pub(crate) fn is_nested(&self) -> bool {
        self.self_times.is_some() && !self.has_crossing
    }

    /// Returns the group of a name, which determines the colour of spans: the name itself if it is in no group.
    pub fn name_group(&self, name: StrId) -> StrId {
        self.name_groups.get(&name).copied().unwrap_or(name)
    }

    /// The names that are in a group, each with its group, in the order of the names.
    pub(crate) fn name_groups(&self) -> Vec<(StrId, StrId)> {
        let mut groups: Vec<_> = self.name_groups.iter().map(|(&name, &group)| (name, group)).collect();
        crate::base::sort::by_key(&mut groups, |(name, _)| (i64::from(name.0), 0));
        groups
    }

    /// Stores the self time of every span, usually in four bytes per span, and whether spans of a thread cross each other.
    pub(crate) fn keep_self_times(&mut self, times: NumberColumn, has_crossing: bool) {
        (self.self_times, self.has_crossing) = (Some(times), has_crossing);
    }

    /// Duration of a span, in nanoseconds: as measured by its source if it has the flag [`Flags::SERVER_TIMED`], otherwise the
    /// time between its start and its end. Texts and sums use this duration; drawing and counting along the time axis use
    /// start and end ([`Spans::bounds`]).
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

    /// The record that ended `item`, or [`RecordId::NONE`]; may be the record that began it.
    #[inline]
    fn last_record(&self, item: Item) -> RecordId {
        match item {
            Item::Span(id) => self.spans.end(id),
            Item::Event(id) => self.events.record(id),
        }
    }

    /// The record that identifies `item` in every build of the same files: the record that began it, or the record that
    /// ended it if its beginning is not in the trace.
    pub(crate) fn anchor_record(&self, item: Item) -> Option<RecordId> {
        let (first, last) = self.ends(item);
        [first, last].into_iter().find(|&record| record != RecordId::NONE)
    }

    /// Takes the data that identifies items ([`anchor_record`](Self::anchor_record), [`kind`](Self::kind)) out of a trace
    /// that is about to be dropped, in about three bytes per item.
    pub(crate) fn take_named(&mut self) -> Trace {
        let (spans, events) = (std::mem::take(&mut self.spans), std::mem::take(&mut self.events));
        Trace { spans: spans.named(), events: events.named(), ..Trace::default() }
    }

    /// The records that began and ended `item`; [`RecordId::NONE`] for each that is missing.
    #[inline]
    pub(crate) fn ends(&self, item: Item) -> (RecordId, RecordId) {
        match item {
            Item::Span(id) => self.spans.ends(id),
            Item::Event(id) => (self.events.record(id), self.events.record(id)),
        }
    }

    /// Shape of the attributes that `item` has in addition to the fields of its records.
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

    /// The records that report `item`, without duplicates: the record that began it, then the record that ended it.
    fn records(&self, item: Item) -> impl Iterator<Item = RecordId> + '_ {
        let first = self.first_record(item);
        // In most cases the first record has the requested value.
        let second = std::iter::once_with(move || self.last_record(item));
        let records = std::iter::once(first).chain(second.filter(move |&record| record != first));
        records.filter(|&record| record != RecordId::NONE)
    }

    /// The attributes of `item` as written in its records, as JSON text; empty unless the records'
    /// [written values are kept](RecordTable::keep_written). See [`WrittenValues::of`].
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

    /// The text under `key` of a track, or of the nearest track above it that has such a text; `None` if there is none.
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

    /// The key with this name; `None` if no item can have such an attribute.
    pub fn key(&self, name: &str) -> Option<Key> {
        self.keys.find(self.strings.find(name)?)
    }

    /// The parent span of `item`; `None` if there is none.
    pub fn parent(&self, item: Item) -> Option<SpanId> {
        match item {
            Item::Span(id) => self.spans.parent(id),
            Item::Event(id) => self.events.parent(id),
        }
    }

    /// Name of `item`.
    pub fn name(&self, item: Item) -> StrId {
        match item {
            Item::Span(id) => self.spans.name(id),
            Item::Event(id) => self.events.name(id),
        }
    }

    /// Kind of `item`.
    pub fn kind(&self, item: Item) -> Kind {
        match item {
            Item::Span(id) => self.spans.kind(id),
            Item::Event(id) => self.events.kind(id),
        }
    }

    /// Start and end of `item`, in nanoseconds since the run's first event; equal for an event.
    pub fn interval(&self, item: Item) -> (i64, i64) {
        match item {
            Item::Span(id) => self.spans.bounds(id),
            Item::Event(id) => (self.events.time(id), self.events.time(id)),
        }
    }

    /// The track that contains `item`.
    pub fn track_of(&self, item: Item) -> TrackId {
        match item {
            Item::Span(id) => self.tracks.of_span(id),
            Item::Event(id) => self.tracks.of_event(id),
        }
    }

    /// Whether there are no spans and no events.
    pub fn is_empty(&self) -> bool {
        self.spans.len() + self.events.len() == 0
    }

    /// Whether `item` exists in this trace. Ids from outside must be checked with this method first.
    pub fn contains(&self, item: Item) -> bool {
        match item {
            Item::Span(id) => (id.0 as usize) < self.spans.len(),
            Item::Event(id) => (id.0 as usize) < self.events.len(),
        }
    }

    /// Returns the text with this id.
    pub fn str(&self, id: StrId) -> &str {
        self.strings.get(id)
    }

    /// End of the longest run, in nanoseconds since that run's first event.
    pub fn end(&self) -> i64 {
        self.runs.iter().map(|run| run.duration).max().unwrap_or(0)
    }
}

/// Value of a number that was not reported. It differs from 0 and is excluded from sums.
pub const NOT_REPORTED: i64 = i64::MIN;

/// Adds a reported value to a sum, which is [`NOT_REPORTED`] before the first one.
pub fn add_reported(sum: &mut i64, value: i64) {
    *sum = if *sum == NOT_REPORTED { value } else { sum.saturating_add(value).max(NOT_REPORTED + 1) };
}
