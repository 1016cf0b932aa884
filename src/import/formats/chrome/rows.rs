//! Compact storage of slices until the trace is built: no other kind of event is as frequent.

use super::event::is_part;
use super::names::ThreadId;
use super::store::{ChromeEventHeader, OPEN, SpanEdgeEvent};
use crate::base::columns::{BlockColumn, Close, MinWidthColumn, Near, Overflow, U16Column};
use crate::base::interner::StrId;
use crate::import::attributes::args::ArgsId;
use crate::trace::{Classes, RecordId};

/// An event of a slice: X, B, E, or T with a duration (a scheduling state).
#[derive(Clone, Copy, Debug)]
pub struct ChromeSlice {
    pub of: ChromeEventHeader,
    /// End of an X in nanoseconds; [`OPEN`] if it has no duration, and for all other phases.
    pub end: i64,
}

/// Values that many slices have in common, stored once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct SliceClass {
    thread: ThreadId,
    category: StrId,
    args: u16,
    phase: u8,
}

/// The values of one slice that are read most often.
#[derive(Clone, Copy)]
struct SliceRow {
    time: u32,
    /// Code of the duration ([`NO_LENGTH`] if unknown); for a B or E, the index of its arguments.
    length: u32,
}

/// Duration of a slice whose end is unknown.
const NO_LENGTH: i64 = i64::MIN;

/// All slices of a file, in its order; about 15 bytes each.
#[derive(Default)]
pub struct SliceTable {
    rows: BlockColumn<SliceRow>,
    names: MinWidthColumn,
    records: Close,
    class_of: U16Column,
    times: Near,
    lengths: Overflow,
    classes: Classes<SliceClass>,
    /// Thread of each class, to look up the thread alone.
    threads: Vec<ThreadId>,
    phases: Vec<u8>,
    /// Position of the arguments of each B and E.
    args: BlockColumn<(u32, u32)>,
}

impl SliceTable {
    /// Appends a slice.
    #[inline]
    pub fn push(&mut self, slice: &ChromeSlice) {
        let ChromeSlice { of: ChromeEventHeader { time, thread, name, category, record, args, phase }, end } =
            *slice;
        let class = SliceClass { thread, category, args: args.shape(), phase };
        let class = self.classes.code(class, category.0 as u16 ^ args.shape());
        if class as usize == self.threads.len() {
            self.threads.push(thread);
            self.phases.push(phase);
        }
        let length = if is_part(phase) {
            self.args.push(args.row());
            self.args.len() as u32 - 1
        } else {
            self.lengths.code(if end == OPEN { NO_LENGTH } else { end - time })
        };
        self.rows.push(SliceRow { time: self.times.code(self.rows.len(), time), length });
        self.names.push(name.0);
        self.records.push(record.0);
        self.class_of.push(class);
    }

    /// The slice at `at`, which must be below [`len`](Self::len).
    #[inline]
    pub fn get(&self, at: usize) -> ChromeSlice {
        let SliceClass { thread, category, .. } = self.classes.get(self.class_of.get(at));
        let (name, SpanEdgeEvent { record, args, phase }) = self.side(at);
        let (time, end) = self.times(at);
        ChromeSlice { of: ChromeEventHeader { time, thread, name, category, record, args, phase }, end }
    }

    /// Name of a slice, and the data about its event that the span keeps. Reads only half of the columns.
    #[inline]
    pub fn side(&self, at: usize) -> (StrId, SpanEdgeEvent) {
        let SliceClass { args: shape, phase, .. } = self.classes.get(self.class_of.get(at));
        let row = if is_part(phase) { self.args.get(self.rows.get(at).length as usize) } else { (0, 0) };
        let (record, args) = (RecordId(self.records.get(at)), ArgsId::new(row, shape));
        (StrId(self.names.get(at)), SpanEdgeEvent { record, args, phase })
    }

    /// Start and end of a slice in nanoseconds; the end is [`OPEN`] if unknown.
    #[inline]
    pub fn times(&self, at: usize) -> (i64, i64) {
        let SliceRow { time, length } = self.rows.get(at);
        let time = self.times.number(at, time);
        if is_part(self.phase(at)) {
            return (time, OPEN);
        }
        let length = self.lengths.number(length);
        (time, if length == NO_LENGTH { OPEN } else { time + length })
    }

    /// Thread of a slice.
    #[inline]
    pub fn thread(&self, at: usize) -> ThreadId {
        self.threads[self.class_of.get(at) as usize]
    }

    /// Phase of a slice.
    #[inline]
    pub fn phase(&self, at: usize) -> u8 {
        self.phases[self.class_of.get(at) as usize]
    }

    /// Number of slices.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}
