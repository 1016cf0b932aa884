//! Slices as they are kept until the trace is made: there are more of them than of anything else.

use super::event::is_part;
use super::names::ThreadId;
use super::store::{ChromeEventHeader, OPEN, SpanEdgeEvent};
use crate::base::columns::{BlockColumn, Close, MinWidthColumn, Near, Overflow, U16Column};
use crate::base::interner::StrId;
use crate::import::attributes::args::ArgsId;
use crate::trace::{Classes, RecordId};

/// X, B, E, and T with a duration, which is what a thread was doing for its scheduler.
#[derive(Clone, Copy, Debug)]
pub struct ChromeSlice {
    pub of: ChromeEventHeader,
    /// When an X ends; [`OPEN`] where nothing says it, and for all others.
    pub end: i64,
}

/// What many slices have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct SliceClass {
    thread: ThreadId,
    category: StrId,
    args: u16,
    phase: u8,
}

/// What is asked for again and again.
#[derive(Clone, Copy)]
struct SliceRow {
    time: u32,
    /// How long it is; the lowest number where nothing says it. Of a B or E, which has arguments of its own, their row.
    length: u32,
}

/// The length of a slice whose duration is not known.
const NO_LENGTH: i64 = i64::MIN;

/// All slices of a file, in its order: some fifteen bytes each.
#[derive(Default)]
pub struct SliceTable {
    rows: BlockColumn<SliceRow>,
    names: MinWidthColumn,
    records: Close,
    class_of: U16Column,
    times: Near,
    lengths: Overflow,
    classes: Classes<SliceClass>,
    /// Threads by the code of a class, for questions about the thread alone.
    threads: Vec<ThreadId>,
    phases: Vec<u8>,
    /// Where the arguments of each B and E begin.
    args: BlockColumn<(u32, u32)>,
}

impl SliceTable {
    /// Appends one.
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

    /// What a slice is called, and what a span has of it, where it is known when it was: half of the columns.
    #[inline]
    pub fn side(&self, at: usize) -> (StrId, SpanEdgeEvent) {
        let SliceClass { args: shape, phase, .. } = self.classes.get(self.class_of.get(at));
        let row = if is_part(phase) { self.args.get(self.rows.get(at).length as usize) } else { (0, 0) };
        let (record, args) = (RecordId(self.records.get(at)), ArgsId::new(row, shape));
        (StrId(self.names.get(at)), SpanEdgeEvent { record, args, phase })
    }

    /// When a slice begins and ends.
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

    /// The thread of a slice.
    #[inline]
    pub fn thread(&self, at: usize) -> ThreadId {
        self.threads[self.class_of.get(at) as usize]
    }

    /// The phase of a slice.
    #[inline]
    pub fn phase(&self, at: usize) -> u8 {
        self.phases[self.class_of.get(at) as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}
