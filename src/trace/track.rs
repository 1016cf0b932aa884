//! Runs, each with a clock of its own, and the tree of tracks.

use std::ops::Range;

use super::class::Classes;
use super::span::{EventId, SpanId};
use crate::base::columns::{BlockColumn, Close, U16Column};
use crate::base::interner::StrId;

/// Id of a run: its index in [`Trace::runs`](super::Trace::runs).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunId(pub u32);

/// A run: one execution of a traced process, with a clock of its own.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Name of the run in the source, with the number of the run if an earlier run has this name: no two runs of a trace have
    /// the same name.
    pub name: StrId,
    /// Root track of the run.
    pub track: TrackId,
    /// Clock reading at the run's first event, as recorded in the file (Kubling: `System.nanoTime()`).
    pub origin: i64,
    /// Time from the first to the last event, in nanoseconds.
    pub duration: i64,
    /// Number of records of this run that are shown in the timeline.
    pub records: u64,
}

/// Id of a track: its index in [`Tracks`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TrackId(pub u32);

/// Kind of a track.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TrackKind {
    /// A whole run.
    Run,
    /// One statement. Its request and query spans share a row, with the request below the query.
    Query,
    /// One use of a source by the engine.
    Source,
    /// Work inside the translator of a source that the engine uses.
    Execution,
    /// Buffer events of a statement.
    Buffer,
    /// A track that is none of the other kinds.
    Other,
    /// A process of the traced program.
    Process,
    /// A thread of a process.
    Thread,
    /// Asynchronous work of a process, which is not bound to one thread.
    Async,
    /// A number that changes over time; the events of the track are its samples.
    Counter,
}

impl TrackKind {
    /// All kinds with their names in files of the format `queryscope`.
    const NAMES: [(Self, &str); 10] = [
        (Self::Run, "run"),
        (Self::Query, "query"),
        (Self::Source, "source"),
        (Self::Execution, "source execution"),
        (Self::Buffer, "buffer"),
        (Self::Other, "other"),
        (Self::Process, "process"),
        (Self::Thread, "thread"),
        (Self::Async, "async"),
        (Self::Counter, "counter"),
    ];

    /// Name of the kind in files of the format `queryscope`.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).map_or("other", |(_, name)| name)
    }

    /// The kind with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// Whether tracks of this kind are places where things happen. All other kinds represent a query or parts of a query, and
    /// are named after their content.
    pub fn is_place(self) -> bool {
        match self {
            Self::Process | Self::Thread | Self::Async | Self::Counter | Self::Other => true,
            Self::Run | Self::Query | Self::Source | Self::Execution | Self::Buffer => false,
        }
    }
}

/// A row of the track table.
#[derive(Clone, Copy, Debug)]
pub struct Track {
    /// Parent track; `None` for the root track of a run.
    pub parent: Option<TrackId>,
    /// Name of the track.
    pub name: StrId,
    /// Kind of the track.
    pub kind: TrackKind,
    /// Number of ancestors of the track.
    pub depth: u8,
    /// Number of rows that the spans of the track need: 1 + the maximum `depth` of its spans.
    pub lanes: u16,
}

/// Properties that many tracks share, stored once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct TrackClass {
    kind: TrackKind,
    depth: u8,
    lanes: u16,
}

/// Table of tracks, in pre-order; about fifteen bytes per track.
#[derive(Default)]
pub struct Tracks {
    names: BlockColumn<StrId>,
    class_of: U16Column,
    classes: Classes<TrackClass>,
    /// Distance back to the parent: 1 for the previous track, 0 for the root of a run, [`BELOW_RUN`] for a child of the root.
    above: U16Column,
    runs: Vec<u32>,
    /// Number of tracks in the subtree below each track; filled by [`Tracks::finish`].
    below: U16Column,
    first_spans: Close,
    first_events: Close,
    n_spans: u32,
    n_events: u32,
}

/// Value of `above` for a track whose parent is the root track of its run.
const BELOW_RUN: u32 = u16::MAX as u32 - 1;
/// Value of `above` for a track whose distance to its parent happens to equal [`BELOW_RUN`].
const FAR: u32 = u32::MAX;

impl Tracks {
    /// Appends a track below `parent`. Its spans and events begin at these ids.
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
            // A distance that happens to equal `BELOW_RUN` needs a value of its own.
            Some(parent) => self.above.push(match id - parent.0 {
                BELOW_RUN => FAR,
                distance => distance,
            }),
        }
        self.first_spans.push(first_span);
        self.first_events.push(first_event);
        TrackId(id)
    }

    /// Completes the table after the last track; `n_spans` and `n_events` are the total numbers.
    pub(super) fn finish(&mut self, n_spans: u32, n_events: u32) {
        (self.n_spans, self.n_events) = (n_spans, n_events);
        let mut ends: Vec<u32> = (1..=self.len() as u32).collect();
        // Children come after their parents, so one pass from the end propagates the end of every subtree upwards.
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

    /// Returns the track with this id, which must exist.
    pub fn get(&self, id: TrackId) -> Track {
        let TrackClass { kind, depth, lanes } = self.classes.get(self.class_of.get(id.0 as usize));
        Track { parent: self.parent(id.0), name: self.names.get(id.0 as usize), kind, depth, lanes }
    }

    /// Kind of a track. Faster than [`Tracks::get`].
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

    /// The root track of the run that contains track `id`.
    fn run_of(&self, id: u32) -> Option<TrackId> {
        let next = self.runs.partition_point(|&run| run < id);
        self.runs.get(next.checked_sub(1)?).map(|&run| TrackId(run))
    }

    /// Ids of `id` and of all tracks below it.
    pub fn subtree(&self, id: TrackId) -> Range<u32> {
        id.0..id.0 + 1 + self.below.get(id.0 as usize)
    }

    /// Children of track `id`, in order.
    pub fn children(&self, id: TrackId) -> impl Iterator<Item = TrackId> + '_ {
        let Range { start, end } = self.subtree(id);
        let mut next = start + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(TrackId(next))?;
            next = self.subtree(child).end;
            Some(child)
        })
    }

    /// Ids of the spans in track `id` itself.
    pub fn spans(&self, id: TrackId) -> Range<u32> {
        self.first_span(id.0)..self.first_span(id.0 + 1)
    }

    /// Ids of the spans in track `id` and in all tracks below it.
    pub fn subtree_spans(&self, id: TrackId) -> Range<u32> {
        self.first_span(id.0)..self.first_span(self.subtree(id).end)
    }

    /// Ids of the events in track `id` itself.
    pub fn events(&self, id: TrackId) -> Range<u32> {
        self.first_event(id.0)..self.first_event(id.0 + 1)
    }

    /// Ids of the events in track `id` and in all tracks below it.
    pub fn subtree_events(&self, id: TrackId) -> Range<u32> {
        self.first_event(id.0)..self.first_event(self.subtree(id).end)
    }

    /// The track that contains a span.
    pub fn of_span(&self, id: SpanId) -> TrackId {
        self.last(|track| self.first_span(track) <= id.0)
    }

    /// The track that contains an event.
    pub fn of_event(&self, id: EventId) -> TrackId {
        self.last(|track| self.first_event(track) <= id.0)
    }

    /// The nearest track of `kind` at or above `id`; `None` if there is none.
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

    /// The last track for which `is` returns true; `is` must be true for all tracks before it as well.
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
