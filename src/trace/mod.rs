//! The model: what one or several opened files hold together. Columns inside, handles outside,
//! immutable once [`TraceBuilder::finish`] has made it.
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

mod builder;
mod facts;
mod flow;
mod keys;
mod span;
mod tables;
mod track;
pub mod words;

pub use builder::TraceBuilder;
pub use facts::TrackTexts;
pub use flow::{Flow, Flows};
pub use keys::{Key, KeyInfo, Keys, Shape, ShapeId, Shapes, Unit, key};
pub use span::{Event, EventId, Events, Flags, Item, Kind, RecordId, Span, SpanId, Spans};
pub use tables::{Table, Tables};
pub use track::{Run, RunId, Track, TrackId, TrackKind, Tracks};

use crate::strings::{StrId, Strings};

/// Everything that the opened files hold, correlated.
#[derive(Default)]
pub struct Trace {
    /// Every name and text. It alone outlives a rebuild: ids stay valid when more files arrive.
    pub strings: Strings,
    /// What the numbers and texts of spans and events are called.
    pub keys: Keys,
    /// Which keys a span or event carries.
    pub shapes: Shapes,
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
}

impl Trace {
    /// The number called `key` that `item` carries; `None` where it was not reported.
    pub fn num(&self, item: Item, key: Key) -> Option<i64> {
        let (shape, at) = match item {
            Item::Span(id) => self.spans.nums_at(id),
            Item::Event(id) => self.events.nums_at(id),
        };
        let place = self.shapes.get(shape).nums.iter().position(|&k| k == key)?;
        let column = match item {
            Item::Span(_) => self.spans.nums(),
            Item::Event(_) => self.events.nums(),
        };
        Some(column.get(at as usize + place)).filter(|&n| n != NOT_REPORTED)
    }

    /// The text called `key` that `item` itself carries.
    pub fn text(&self, item: Item, key: Key) -> Option<StrId> {
        let (shape, at) = match item {
            Item::Span(id) => self.spans.texts_at(id),
            Item::Event(_) => return None,
        };
        let place = self.shapes.get(shape).texts.iter().position(|&k| k == key)?;
        self.spans.texts().get(at as usize + place).some()
    }

    /// The numbers that `item` carries, in the order of its shape, without those that were not reported.
    pub fn nums(&self, item: Item) -> impl Iterator<Item = (Key, i64)> + '_ {
        let (shape, at, column) = match item {
            Item::Span(id) => {
                let (shape, at) = self.spans.nums_at(id);
                (shape, at, self.spans.nums())
            }
            Item::Event(id) => {
                let (shape, at) = self.events.nums_at(id);
                (shape, at, self.events.nums())
            }
        };
        let keys = self.shapes.get(shape).nums.iter().zip(at as usize..);
        keys.map(|(&key, at)| (key, column.get(at))).filter(|&(_, num)| num != NOT_REPORTED)
    }

    /// The texts that a span itself carries, in the order of its shape, without those that were not reported.
    pub fn texts(&self, id: SpanId) -> impl Iterator<Item = (Key, StrId)> + '_ {
        let (shape, at) = self.spans.texts_at(id);
        let keys = self.shapes.get(shape).texts.iter().zip(at as usize..);
        keys.filter_map(|(&key, at)| Some((key, self.spans.texts().get(at).some()?)))
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
            Item::Span(id) => self.spans.get(id).parent,
            Item::Event(id) => self.events.get(id).parent,
        }
    }

    /// What `item` is called.
    pub fn name(&self, item: Item) -> StrId {
        match item {
            Item::Span(id) => self.spans.get(id).name,
            Item::Event(id) => self.events.get(id).name,
        }
    }

    /// What `item` is.
    pub fn kind(&self, item: Item) -> Kind {
        match item {
            Item::Span(id) => self.spans.get(id).kind,
            Item::Event(id) => self.events.get(id).kind,
        }
    }

    /// When `item` starts and ends: the same for an event.
    pub fn interval(&self, item: Item) -> (i64, i64) {
        match item {
            Item::Span(id) => (self.spans.get(id).start, self.spans.get(id).end_time()),
            Item::Event(id) => (self.events.get(id).time, self.events.get(id).time),
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
