//! Rows in which the content of lines is stored until the trace is built.

use crate::base::interner::StrId;
use crate::import::text::lines::Place;
use crate::trace::{Flags, Kind, RecordId, TrackKind};

/// Value in place of the number of a missing item or parent.
pub const NONE: u32 = u32::MAX;

/// A run, as read from its line.
pub struct SavedRun {
    pub name: StrId,
    /// Number of the run's root track.
    pub track: u32,
    pub origin: i64,
    /// Length in nanoseconds; `None` if the run ends with its last item.
    pub duration: Option<i64>,
    /// Number of records; `None` if each item counts as one record.
    pub records: Option<u64>,
    /// Time of the end of the last item, in nanoseconds.
    pub end: i64,
    pub items: u64,
}

/// A track: the root of a run, or a child of another track.
pub struct SavedTrack {
    pub name: StrId,
    pub kind: TrackKind,
    /// Number of the track above; [`NONE`] for the root of a run.
    pub parent: u32,
    pub first_span: u32,
    pub first_event: u32,
    /// Whether the file gives a row for any span of the track.
    pub has_rows: bool,
    pub texts: Vec<(StrId, StrId)>,
}

/// A span, as read from its line.
#[derive(Clone, Copy)]
pub struct SavedSpan {
    pub start: i64,
    pub duration: i64,
    /// Number of the parent, or [`NONE`].
    pub parent: u32,
    pub name: StrId,
    pub record: RecordId,
    pub row: u16,
    pub flags: Flags,
    pub kind: Kind,
}

/// An event, as read from its line.
#[derive(Clone, Copy)]
pub struct SavedEvent {
    pub time: i64,
    pub parent: u32,
    pub name: StrId,
    pub record: RecordId,
    pub flags: Flags,
    pub kind: Kind,
}

/// Converts the numbers of items in a file to indices of the shown items.
#[derive(Default)]
pub struct ItemNumbers {
    pub next: u32,
    missing: Vec<u32>,
}

impl ItemNumbers {
    /// Counts an item that is shown.
    pub fn shown(&mut self) {
        self.next = self.next.saturating_add(1);
    }

    /// Counts an item that is not shown.
    pub fn missing(&mut self) {
        self.missing.push(self.next);
        self.next = self.next.saturating_add(1);
    }

    /// Whether the item with this number is in the file but is not shown.
    pub fn is_missing(&self, number: u32) -> bool {
        self.missing.binary_search(&number).is_ok()
    }

    /// Index among the items that are shown; `None` if the item is not shown.
    pub fn index(&self, number: u32) -> Option<u32> {
        let before = self.missing.partition_point(|&missing| missing < number);
        let is_shown = number < self.next && self.missing.get(before) != Some(&number);
        is_shown.then(|| number - before as u32)
    }
}

/// An end of an arrow: a span or an event, by number.
#[derive(Clone, Copy)]
pub enum FlowEnd {
    Span(u32),
    Event(u32),
}

/// An arrow, as read from its line.
pub struct SavedFlow {
    pub name: StrId,
    pub from: FlowEnd,
    pub to: FlowEnd,
    pub leaves: i64,
    pub arrives: i64,
    pub place: Place,
}

/// A thread that waits for a lock or holds it.
#[derive(Default)]
pub struct SavedParty {
    pub thread: MaybeText,
    pub span: Option<u32>,
    pub statement: Option<u32>,
    pub running: MaybeText,
}

/// A text that may be missing.
pub type MaybeText = Option<StrId>;

/// A lock wait, as read from its line.
pub struct SavedLock {
    pub run: u32,
    pub object: StrId,
    pub words: [MaybeText; 3],
    pub waiter: SavedParty,
    pub holder: SavedParty,
    pub more: u32,
    pub record: RecordId,
}

/// A side table, as read from its line and the lines of its rows.
pub struct SavedTable {
    pub run: u32,
    pub name: StrId,
    pub columns: Vec<StrId>,
    pub rows: Vec<(RecordId, Vec<StrId>)>,
}
