//! The tables of a file: one for each family of phases, in the order of the file.

use super::args::ArgsId;
use super::event::Event;
use super::names::{Names, ThreadId};
use super::profile::Profiles;
use crate::blocks::Blocks;
use crate::import::FileId;
pub use crate::import::nest::OPEN;
use crate::strings::{StrId, Strings};
use crate::trace::RecordId;

/// What most families have in common.
#[derive(Clone, Copy, Debug)]
pub struct Common {
    /// Nanoseconds of the file's clock.
    pub time: i64,
    pub thread: ThreadId,
    pub name: StrId,
    pub category: StrId,
    pub record: RecordId,
    pub args: ArgsId,
    pub phase: u8,
}

/// X, B, E, and T with a duration, which is what a thread was doing for its scheduler.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    pub of: Common,
    /// When an X ends; [`OPEN`] where nothing says it, and for all others.
    pub end: i64,
}

/// What joins events: compared as text, whether it is a number or a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Link {
    pub id: StrId,
    /// What distinguishes ids that are the same by chance.
    pub scope: StrId,
    /// Whether it says that it is one for all processes, or one of its own process's.
    pub global: bool,
    pub local: bool,
}

/// b, e, n; S, T, p, F; N, O, D.
#[derive(Clone, Copy, Debug)]
pub struct Async {
    pub of: Common,
    pub link: Link,
    /// The name of a step (T, p).
    pub step: StrId,
}

/// s, t, f.
#[derive(Clone, Copy, Debug)]
pub struct FlowEnd {
    pub of: Common,
    pub link: Link,
    /// It belongs to the slice that it lies in; an f without `bp` to the next one.
    pub enclosing: bool,
}

/// A slice with an arrow to or from it (`bind_id`).
#[derive(Clone, Copy, Debug)]
pub struct Bind {
    /// The number of the slice.
    pub slice: u32,
    pub id: StrId,
    pub into: bool,
    pub out: bool,
}

/// I, i, R, v, V, c; `scope` is g, p or t.
#[derive(Clone, Copy, Debug)]
pub struct Instant {
    pub of: Common,
    pub scope: u8,
}

/// C.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub of: Common,
    /// Distinguishes counters of one name.
    pub id: StrId,
}

/// All events of one file.
pub struct FileEvents {
    pub file: FileId,
    pub name: String,
    pub names: Names,
    pub slices: Blocks<Slice>,
    pub asyncs: Blocks<Async>,
    pub flows: Blocks<FlowEnd>,
    pub binds: Vec<Bind>,
    pub instants: Blocks<Instant>,
    pub samples: Blocks<Sample>,
    pub profiles: Profiles,
    /// Metadata that was read.
    pub metadata: Vec<RecordId>,
    /// Whether the first event was read.
    pub begun: bool,
    /// Whether an array of events was met.
    pub has_events: bool,
    words: Option<Words>,
}

/// The keys of arguments that an event has outside of `args`.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    pub category: StrId,
    pub thread_time: StrId,
    /// Of arguments that are no object.
    pub args: StrId,
}

impl FileEvents {
    pub fn new(file: FileId, name: &str, has_events: bool) -> Self {
        Self {
            file,
            name: name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned(),
            names: Names::default(),
            slices: Blocks::default(),
            asyncs: Blocks::default(),
            flows: Blocks::default(),
            binds: Vec::new(),
            instants: Blocks::default(),
            samples: Blocks::default(),
            profiles: Profiles::default(),
            metadata: Vec::new(),
            begun: false,
            has_events,
            words: None,
        }
    }

    /// The key under which events have their category, if any was read.
    pub fn category(&self) -> Option<StrId> {
        self.words.map(|words| words.category)
    }

    pub fn words(&mut self, strings: &mut Strings) -> Words {
        *self.words.get_or_insert_with(|| {
            let [category, thread_time, args] =
                ["category", "thread time", "args"].map(|word| strings.intern(word));
            Words { category, thread_time, args }
        })
    }
}

/// Phases that are read alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Slice,
    Async,
    Flow,
    Instant,
    Counter,
    Profile,
}

impl Family {
    /// The family of an event; `None` if its phase has no picture.
    pub fn of(event: &Event) -> Option<Self> {
        Some(match event.phase {
            b'X' | b'B' | b'E' => Family::Slice,
            // A step of something asynchronous has no duration; Perfetto gave the letter a second meaning.
            b'T' if event.dur.is_some() => Family::Slice,
            b'b' | b'e' | b'n' | b'S' | b'T' | b'p' | b'F' => Family::Async,
            // The life of an object, and snapshots of it.
            b'N' | b'O' | b'D' => Family::Async,
            b's' | b't' | b'f' => Family::Flow,
            // Dumps of memory, and marks that relate clocks, happen at a moment.
            b'I' | b'i' | b'R' | b'v' | b'V' | b'c' => Family::Instant,
            b'C' => Family::Counter,
            b'P' => Family::Profile,
            _ => return None,
        })
    }
}
