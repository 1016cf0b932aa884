//! Runs and tracks: whose clock, and the tree of named rows.

use std::ops::Range;

use super::span::{EventId, SpanId};
use crate::blocks::Blocks;
use crate::strings::StrId;

/// The handle of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunId(pub u32);

/// One execution of a traced process: a clock of its own.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// What the tracer calls it.
    pub name: StrId,
    /// Its root track.
    pub track: TrackId,
    /// The clock's reading at the run's first event, as it stands in the file (Kubling: `System.nanoTime()`).
    pub origin: i64,
    /// Nanoseconds from the first to the last event.
    pub duration: i64,
    /// Records of the file that belong to this run and are part of the picture.
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
    /// One statement: its request and query spans share one row, the request behind the query.
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

/// One row of the table of tracks.
#[derive(Clone, Copy, Debug)]
pub struct Track {
    /// The track above; `None` for a run's.
    pub parent: Option<TrackId>,
    /// Its name.
    pub name: StrId,
    /// What it stands for.
    pub kind: TrackKind,
    /// How many tracks are above it.
    pub depth: u8,
    /// Rows that its spans need: 1 + the greatest `depth` of its spans.
    pub lanes: u16,
}

#[derive(Clone, Copy)]
pub(super) struct Stored {
    pub parent: u32,
    pub name: StrId,
    pub kind: TrackKind,
    pub depth: u8,
    pub lanes: u16,
    /// One behind the last track of the subtree.
    pub subtree_end: u32,
    pub first_span: u32,
    pub first_event: u32,
}

/// The table of tracks, in pre-order.
#[derive(Default)]
pub struct Tracks {
    pub(super) rows: Blocks<Stored>,
    pub(super) n_spans: u32,
    pub(super) n_events: u32,
}

impl Tracks {
    /// How many there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The track behind a handle.
    pub fn get(&self, id: TrackId) -> Track {
        let Stored { parent, name, kind, depth, lanes, .. } = self.rows.get(id.0 as usize);
        Track { parent: (parent != u32::MAX).then_some(TrackId(parent)), name, kind, depth, lanes }
    }

    /// `id` and all tracks below it.
    pub fn subtree(&self, id: TrackId) -> Range<u32> {
        id.0..self.rows.get(id.0 as usize).subtree_end
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
        let behind = self.rows.partition_point(0..self.rows.len(), |t| t.first_span <= id.0);
        TrackId(behind.saturating_sub(1) as u32)
    }

    /// The track that an event is in.
    pub fn of_event(&self, id: EventId) -> TrackId {
        let behind = self.rows.partition_point(0..self.rows.len(), |t| t.first_event <= id.0);
        TrackId(behind.saturating_sub(1) as u32)
    }

    /// The nearest track of `kind` at or above `id`.
    pub fn ancestor(&self, id: TrackId, kind: TrackKind) -> Option<TrackId> {
        let mut at = Some(id);
        while let Some(id) = at {
            let track = self.get(id);
            if track.kind == kind {
                return Some(id);
            }
            at = track.parent;
        }
        None
    }

    fn first_span(&self, id: u32) -> u32 {
        if (id as usize) < self.rows.len() { self.rows.get(id as usize).first_span } else { self.n_spans }
    }

    fn first_event(&self, id: u32) -> u32 {
        if (id as usize) < self.rows.len() { self.rows.get(id as usize).first_event } else { self.n_events }
    }
}
