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

mod asked;
pub mod attribute_names;
mod builder;
mod class;
mod columns;
mod every;
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
mod told;
mod track;
mod track_attributes;
#[doc(hidden)]
pub mod word_hash;
mod written;

pub use crate::base::interner::{Interner, StrId};
pub use asked::Asked;
pub(crate) use builder::{Shared, TraceBuilder};
pub(crate) use class::Classes;
pub use every::{Every, EveryText};
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

use rustc_hash::FxHashMap;

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
    /// What spans and events carry beside their records' fields, by shape.
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
    /// Items whose written values are those of other records than the ones that began and ended them.
    written_in: FxHashMap<Item, [RecordId; 2]>,
    /// By span, once they were made: see [`self_times`](crate::stats::self_times).
    self_times: Option<NumberColumn>,
}

impl Trace {
    /// The time of every span that no child covers, if it is known already.
    pub(crate) fn self_times(&self) -> Option<&NumberColumn> {
        self.self_times.as_ref()
    }

    /// The name, or the group of names that it is in, by which colours tell spans apart.
    pub fn name_group(&self, name: StrId) -> StrId {
        self.name_groups.get(&name).copied().unwrap_or(name)
    }

    /// Keeps the time of every span that no child covers: four bytes each, as a rule.
    pub(crate) fn keep_self_times(&mut self, times: NumberColumn) {
        self.self_times = Some(times);
    }

    /// The number called `key` that `item` carries; `None` where it was not reported. Many items are asked by [`Asked`], all by [`Every`].
    #[inline]
    pub fn num(&self, item: Item, key: Key) -> Option<i64> {
        let shape = self.shape(item);
        let place = self.shapes.get(shape).nums.iter().position(|&known| known == key);
        let own = place.map(|at| self.args[usize::from(shape.0)].num(self.args(item), at));
        let told = || self.records_with(key, item).find_map(|record| self.reported.num(record, key));
        own.filter(|&num| num != NOT_REPORTED).or_else(told)
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

    /// The text called `key` that `item` itself carries.
    pub fn text(&self, item: Item, key: Key) -> Option<StrId> {
        let shape = self.shape(item);
        let place = self.shapes.get(shape).texts.iter().position(|&k| k == key);
        let own = place.and_then(|at| self.args[usize::from(shape.0)].text(self.args(item), at).some());
        own.or_else(|| self.records_with(key, item).find_map(|record| self.reported.text(record, key)))
    }

    /// The numbers that `item` carries, without those that were not reported: its own in the order of its shape, then
    /// its records'.
    pub fn nums(&self, item: Item) -> impl Iterator<Item = (Key, i64)> + '_ {
        let keys = self.shapes.get(self.shape(item)).nums.iter().copied();
        let keys = keys.chain(self.records(item).flat_map(|record| self.reported.num_keys(record)));
        distinct(keys).into_iter().filter_map(move |key| Some((key, self.num(item, key)?)))
    }

    /// The texts that a span carries, itself or by its records.
    pub fn texts(&self, id: SpanId) -> impl Iterator<Item = (Key, StrId)> + '_ {
        self.texts_of(Item::Span(id))
    }

    /// The texts that a span or event carries, itself or by its records.
    pub fn texts_of(&self, item: Item) -> impl Iterator<Item = (Key, StrId)> + '_ {
        let keys = self.shapes.get(self.shape(item)).texts.iter().copied();
        let keys = keys.chain(self.records(item).flat_map(|record| self.reported.text_keys(record)));
        distinct(keys).into_iter().filter_map(move |key| Some((key, self.text(item, key)?)))
    }

    /// Whether one of the texts that a span or event itself carries passes a test: quicker than to look at
    /// [all of them](Self::texts_of). Many items are asked by [`EveryText`].
    pub fn has_text(&self, item: Item, test: impl Fn(StrId) -> bool) -> bool {
        let (shape, row) = (self.shape(item), self.args(item));
        let table = &self.args[usize::from(shape.0)];
        let own = (0..self.shapes.get(shape).texts.len()).filter_map(|at| table.text(row, at).some());
        let records = self.reported.may_have_texts().then(|| self.records(item)).into_iter().flatten();
        let mut reported = records.flat_map(|record| self.reported.texts(record));
        // Where two say something under one key, only the first counts.
        let counts = |key, text| self.text(item, key) == Some(text);
        own.into_iter().any(&test) || reported.any(|(key, text)| test(text) && counts(key, text))
    }

    /// Whether an item carries texts beside its records'.
    #[inline]
    fn has_own_texts(&self, item: Item) -> bool {
        !self.shapes.get(self.shape(item)).texts.is_empty()
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

    /// The records of an item that may report something under `key`.
    #[inline]
    fn records_with(&self, key: Key, item: Item) -> impl Iterator<Item = RecordId> + '_ {
        self.reported.may_have(key).then(|| self.records(item)).into_iter().flatten()
    }

    /// The records that an item was made of: their fields are its arguments, the first one's before the second's.
    fn records(&self, item: Item) -> impl Iterator<Item = RecordId> + '_ {
        let first = self.first_record(item);
        // Mostly the first one tells what is asked for.
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

    /// The keys under which some span, event or record reports something, in their order.
    pub fn keys_in_use(&self) -> Vec<Key> {
        let mut keys: Vec<Key> = self.reported.keys_in_use().collect();
        for (table, shape) in self.args.iter().zip((0..).map(|id| self.shapes.get(ShapeId(id)))) {
            keys.extend(
                shape.nums.iter().enumerate().filter(|(at, _)| table.has_num(*at)).map(|(_, key)| key),
            );
            keys.extend(
                shape.texts.iter().enumerate().filter(|(at, _)| table.has_text(*at)).map(|(_, key)| key),
            );
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The text called `key` of `item`, or of the nearest ancestor that has one.
    pub fn inherited_text(&self, item: Item, key: Key) -> Option<StrId> {
        let mut at = Some(item);
        while let Some(item) = at {
            if let Some(text) = self.text(item, key) {
                return Some(text);
            }
            at = self.parent(item).map(Item::Span);
        }
        None
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

fn distinct(keys: impl Iterator<Item = Key>) -> Vec<Key> {
    keys.fold(Vec::new(), |mut known, key| {
        if !known.contains(&key) {
            known.push(key);
        }
        known
    })
}

/// How a number that was not reported stands in a column. Never 0, never in a sum.
pub const NOT_REPORTED: i64 = i64::MIN;
