//! Runs and tracks: whose clock, and the tree of named rows.

use std::ops::Range;

use super::class::Classes;
use super::span::{EventId, SpanId};
use crate::base::columns::{BlockColumn, Close, U16Column};
use crate::base::interner::StrId;

/// The handle of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunId(pub u32);

/// One execution of a traced process: a clock of its own.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// What the tracer calls it.
    pub name: StrId,
    /// Root track of the run.
    pub track: TrackId,
    /// The clock's reading at the run's first event, as it stands in the file (Kubling: `System.nanoTime()`).
    pub origin: i64,
    /// Nanoseconds from the first to the last event.
    pub duration: i64,
    /// Number of records that belong to this run and are shown.
    pub records: u64,
}

/// The handle of a track.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TrackId(pub u32);

/// What a track stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TrackKind {
    /// A whole run.
    Run,
    /// One statement: its request and query spans share one row, the request below the query.
    Query,
    /// One use of a source by the engine.
    Source,
    /// The work inside that source's translator.
    Execution,
    /// Buffer events of a statement.
    Buffer,
    /// Anything else.
    Other,
    /// A process of the traced program.
    Process,
    /// A thread of a process.
    Thread,
    /// Work of a process that no thread holds from its start to its end.
    Async,
    /// A number that changes over time: its events are the samples.
    Counter,
}

impl TrackKind {
    /// Whether tracks of this kind say where something happened; the others are a query, or parts of one, and have the names
    /// of what lies in them.
    pub fn is_place(self) -> bool {
        match self {
            Self::Process | Self::Thread | Self::Async | Self::Counter | Self::Other => true,
            Self::Run | Self::Query | Self::Source | Self::Execution | Self::Buffer => false,
        }
    }
}

/// One row of the table of tracks.
#[derive(Clone, Copy, Debug)]
pub struct Track {
    /// The track above; `None` for a run's.
    pub parent: Option<TrackId>,
    /// Name of the track.
    pub name: StrId,
    /// What the track stands for.
    pub kind: TrackKind,
    /// Number of tracks above.
    pub depth: u8,
    /// Rows that its spans need: 1 + the greatest `depth` of its spans.
    pub lanes: u16,
}

/// What tracks of the same kind, depth and height share.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct TrackClass {
    kind: TrackKind,
    depth: u8,
    lanes: u16,
}

/// The table of tracks, in pre-order: some fifteen bytes each.
#[derive(Default)]
pub struct Tracks {
    names: BlockColumn<StrId>,
    class_of: U16Column,
    classes: Classes<TrackClass>,
    /// How far above the parent is: 1 for the track before. 0 for a run's, [`BELOW_RUN`] for one right below it.
    above: U16Column,
    runs: Vec<u32>,
    /// How many tracks are below it. Only there when all tracks are.
    below: U16Column,
    first_spans: Close,
    first_events: Close,
    n_spans: u32,
    n_events: u32,
}

/// The parent is the run.
const BELOW_RUN: u32 = u16::MAX as u32 - 1;
/// The parent is exactly as far away as [`BELOW_RUN`] says.
const FAR: u32 = u32::MAX;

impl Tracks {
    /// Appends a track below `parent`, whose spans and events begin at those numbers.
    pub(super) fn push(&mut self, track: Track, first_span: u32, first_event: u32) -> TrackId {
        let Track { parent, name, kind, depth, lanes } = track;
        let id = self.names.len() as u32;
        self.names.push(name);
        self.class_of
            .push(self.classes.code(TrackClass { kind, depth, lanes }, u16::from(depth) ^ lanes << 2));
        match parent {
            None => {
                self.runs.push(id);
                self.above.push(0);
            }
            Some(parent) if self.runs.last() == Some(&parent.0) => self.above.push(BELOW_RUN),
            // One that happens to be as far away is kept apart.
            Some(parent) => self.above.push(match id - parent.0 {
                BELOW_RUN => FAR,
                distance => distance,
            }),
        }
        self.first_spans.push(first_span);
        self.first_events.push(first_event);
        TrackId(id)
    }

    /// All tracks are there, and so many spans and events.
    pub(super) fn finish(&mut self, n_spans: u32, n_events: u32) {
        (self.n_spans, self.n_events) = (n_spans, n_events);
        let mut ends: Vec<u32> = (1..=self.len() as u32).collect();
        // Children come after their parents, so one pass from the end carries every subtree's end upwards.
        for id in (0..ends.len()).rev() {
            if let Some(parent) = self.parent(id as u32) {
                ends[parent.0 as usize] = ends[parent.0 as usize].max(ends[id]);
            }
        }
        (1..).zip(ends).for_each(|(next, end)| self.below.push(end - next));
    }

    /// Number of tracks; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no tracks.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The track with this id, which must exist.
    pub fn get(&self, id: TrackId) -> Track {
        let TrackClass { kind, depth, lanes } = self.classes.get(self.class_of.get(id.0 as usize));
        Track { parent: self.parent(id.0), name: self.names.get(id.0 as usize), kind, depth, lanes }
    }

    /// What a track stands for: less work than all of it.
    pub fn kind(&self, id: TrackId) -> TrackKind {
        self.classes.get(self.class_of.get(id.0 as usize)).kind
    }

    fn parent(&self, id: u32) -> Option<TrackId> {
        match self.above.get(id as usize) {
            0 => None,
            BELOW_RUN => self.run_of(id),
            FAR => Some(TrackId(id - BELOW_RUN)),
            distance => Some(TrackId(id - distance)),
        }
    }

    /// The last run's track that begins before another track.
    fn run_of(&self, id: u32) -> Option<TrackId> {
        let next = self.runs.partition_point(|&run| run < id);
        self.runs.get(next.checked_sub(1)?).map(|&run| TrackId(run))
    }

    /// `id` and all tracks below it.
    pub fn subtree(&self, id: TrackId) -> Range<u32> {
        id.0..id.0 + 1 + self.below.get(id.0 as usize)
    }

    /// The tracks right below `id`, in order.
    pub fn children(&self, id: TrackId) -> impl Iterator<Item = TrackId> + '_ {
        let Range { start, end } = self.subtree(id);
        let mut next = start + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(TrackId(next))?;
            next = self.subtree(child).end;
            Some(child)
        })
    }

    /// The spans of `id` alone.
    pub fn spans(&self, id: TrackId) -> Range<u32> {
        self.first_span(id.0)..self.first_span(id.0 + 1)
    }

    /// The spans of `id` and of all tracks below it.
    pub fn subtree_spans(&self, id: TrackId) -> Range<u32> {
        self.first_span(id.0)..self.first_span(self.subtree(id).end)
    }

    /// The events of `id` alone.
    pub fn events(&self, id: TrackId) -> Range<u32> {
        self.first_event(id.0)..self.first_event(id.0 + 1)
    }

    /// The events of `id` and of all tracks below it.
    pub fn subtree_events(&self, id: TrackId) -> Range<u32> {
        self.first_event(id.0)..self.first_event(self.subtree(id).end)
    }

    /// The track that a span is in.
    pub fn of_span(&self, id: SpanId) -> TrackId {
        self.last(|track| self.first_span(track) <= id.0)
    }

    /// The track that an event is in.
    pub fn of_event(&self, id: EventId) -> TrackId {
        self.last(|track| self.first_event(track) <= id.0)
    }

    /// The nearest track of `kind` at or above `id`.
    pub fn ancestor(&self, id: TrackId, kind: TrackKind) -> Option<TrackId> {
        let mut at = Some(id);
        while let Some(id) = at {
            if self.kind(id) == kind {
                return Some(id);
            }
            at = self.parent(id.0);
        }
        None
    }

    /// The last track that `is` holds for: it must hold for all before as well.
    fn last(&self, is: impl Fn(u32) -> bool) -> TrackId {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            if is(middle) { low = middle + 1 } else { high = middle }
        }
        TrackId(low.saturating_sub(1))
    }

    fn first_span(&self, id: u32) -> u32 {
        if (id as usize) < self.len() { self.first_spans.get(id as usize) } else { self.n_spans }
    }

    fn first_event(&self, id: u32) -> u32 {
        if (id as usize) < self.len() { self.first_events.get(id as usize) } else { self.n_events }
    }
}
