//! Slices as they are kept until the trace is made: there are more of them than of anything else.

use super::args::ArgsId;
use super::names::ThreadId;
use super::store::{Common, OPEN};
use crate::blocks::{Apart, Blocks, Near};
use crate::strings::StrId;
use crate::trace::{Classes, RecordId};

/// X, B, E, and T with a duration, which is what a thread was doing for its scheduler.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    pub of: Common,
    /// When an X ends; [`OPEN`] where nothing says it, and for all others.
    pub end: i64,
}

/// What many slices have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Class {
    thread: ThreadId,
    category: StrId,
    args: u16,
    phase: u8,
}

/// A slice as it is kept: 28 bytes.
#[derive(Clone, Copy)]
struct Row {
    time: u32,
    /// How long it is; the lowest number where nothing says it.
    length: u32,
    name: StrId,
    record: RecordId,
    class: u32,
    args: (u32, u32),
}

/// Where nothing says how long a slice is.
const NO_LENGTH: i64 = i64::MIN;

/// All slices of a file, in its order.
#[derive(Default)]
pub struct Slices {
    rows: Blocks<Row>,
    times: Near,
    lengths: Apart,
    classes: Classes<Class>,
    /// By the code of a class: those of threads and phases are asked for alone.
    threads: Vec<ThreadId>,
    phases: Vec<u8>,
}

impl Slices {
    /// Appends one.
    #[inline]
    pub fn push(&mut self, slice: &Slice) {
        let Slice { of: Common { time, thread, name, category, record, args, phase }, end } = *slice;
        let length = if end == OPEN { NO_LENGTH } else { end - time };
        let class = Class { thread, category, args: args.shape(), phase };
        let class = self.classes.code(class, category.0 as u16 ^ args.shape());
        if class as usize == self.threads.len() {
            self.threads.push(thread);
            self.phases.push(phase);
        }
        let (time, length) = (self.times.code(self.rows.len(), time), self.lengths.code(length));
        self.rows.push(Row { time, length, name, record, class, args: args.row() });
    }

    /// The slice at `at`, which must be below [`len`](Self::len).
    #[inline]
    pub fn get(&self, at: usize) -> Slice {
        let Row { name, record, class, args, .. } = self.rows.get(at);
        let Class { thread, category, args: shape, phase } = self.classes.get(class);
        let (time, end) = self.times(at);
        let args = ArgsId::new(args, shape);
        Slice { of: Common { time, thread, name, category, record, args, phase }, end }
    }

    /// When a slice begins and ends.
    #[inline]
    pub fn times(&self, at: usize) -> (i64, i64) {
        let Row { time, length, .. } = self.rows.get(at);
        let (time, length) = (self.times.number(at, time), self.lengths.number(length));
        (time, if length == NO_LENGTH { OPEN } else { time + length })
    }

    /// The thread of a slice.
    #[inline]
    pub fn thread(&self, at: usize) -> ThreadId {
        self.threads[self.rows.get(at).class as usize]
    }

    /// The phase of a slice.
    #[inline]
    pub fn phase(&self, at: usize) -> u8 {
        self.phases[self.rows.get(at).class as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}
