//! The tables of a file: one for each family of phases, in the order of the file.

use super::event::EventJoinId;
use super::names::{ProcessRegistry, ThreadId};
use super::profile::SampledProfiles;
pub use super::rows::{ChromeSlice, SliceTable};
use super::sections::TraceSections;
use super::trace_metadata::TraceMetadata;
use crate::base::columns::BlockColumn;
use crate::base::interner::{Interner, StrId};
use crate::import::attributes::args::{ArgsId, CATEGORY};
use crate::import::contract::FileId;
pub use crate::import::interval_nesting::OPEN;
use crate::trace::RecordId;

/// What most families have in common.
#[derive(Clone, Copy, Debug)]
pub struct ChromeEventHeader {
    /// Nanoseconds of the file's clock.
    pub time: i64,
    pub thread: ThreadId,
    pub name: StrId,
    pub category: StrId,
    pub record: RecordId,
    pub args: ArgsId,
    pub phase: u8,
}

impl ChromeEventHeader {
    /// What a span has of it.
    pub fn side(&self) -> SpanEdgeEvent {
        let Self { record, args, phase, .. } = *self;
        SpanEdgeEvent { record, args, phase }
    }
}

/// What a span has of the event that begins or ends it, but for the time.
#[derive(Clone, Copy, Debug)]
pub struct SpanEdgeEvent {
    pub record: RecordId,
    pub args: ArgsId,
    pub phase: u8,
}

/// b, e, n; S, T, p, F; N, O, D.
#[derive(Clone, Copy, Debug)]
pub struct AsyncEvent {
    pub of: ChromeEventHeader,
    pub link: EventJoinId,
    /// The name of a step (T, p).
    pub step: StrId,
}

/// s, t, f.
#[derive(Clone, Copy, Debug)]
pub struct FlowEvent {
    pub of: ChromeEventHeader,
    pub link: EventJoinId,
    /// It belongs to the slice that it lies in; an f without `bp` to the next one, unless its category is one of input.
    pub enclosing: bool,
}

/// The number of the event of a slice, or of something asynchronous.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BindingEvent {
    Slice(u32),
    Async(u32),
}

/// An event with an arrow to or from its slice (`bind_id`).
#[derive(Clone, Copy, Debug)]
pub struct FlowBinding {
    pub of: BindingEvent,
    pub id: StrId,
    pub into: bool,
    pub out: bool,
}

/// I, i, R, v, V, c; `scope` is g, p or t.
#[derive(Clone, Copy, Debug)]
pub struct InstantEvent {
    pub of: ChromeEventHeader,
    pub scope: u8,
}

/// C.
#[derive(Clone, Copy, Debug)]
pub struct CounterEvent {
    pub of: ChromeEventHeader,
    /// Distinguishes counters of one name.
    pub id: StrId,
}

/// All events of one file.
pub struct ChromeFile {
    pub file: FileId,
    pub name: String,
    pub names: ProcessRegistry,
    pub slices: SliceTable,
    pub asyncs: BlockColumn<AsyncEvent>,
    pub flows: BlockColumn<FlowEvent>,
    pub binds: Vec<FlowBinding>,
    pub instants: BlockColumn<InstantEvent>,
    pub samples: BlockColumn<CounterEvent>,
    pub profiles: SampledProfiles,
    pub sections: TraceSections,
    /// What the file says of the whole trace.
    pub trace_metadata: TraceMetadata,
    /// When the first event begins and the last one ends, but for profiles.
    pub reach: Option<(i64, i64)>,
    /// Metadata that was read.
    pub metadata: Vec<RecordId>,
    /// Whether an array of events was met.
    pub has_events: bool,
    words: Option<ChromeArgKeys>,
}

/// The keys of arguments that an event has outside of `args`. Those of other members begin with a zero, since an argument may
/// be called as they are.
#[derive(Clone, Copy, Debug)]
pub struct ChromeArgKeys {
    pub category: StrId,
    pub thread_time: StrId,
    /// Of arguments that are no object.
    pub args: StrId,
}

impl ChromeFile {
    pub fn new(file: FileId, name: &str, has_events: bool) -> Self {
        Self {
            file,
            name: name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned(),
            names: ProcessRegistry::default(),
            slices: SliceTable::default(),
            asyncs: BlockColumn::default(),
            flows: BlockColumn::default(),
            binds: Vec::new(),
            instants: BlockColumn::default(),
            samples: BlockColumn::default(),
            profiles: SampledProfiles::default(),
            sections: TraceSections::default(),
            trace_metadata: TraceMetadata::default(),
            reach: None,
            metadata: Vec::new(),
            has_events,
            words: None,
        }
    }

    /// An event goes on from here to there.
    pub fn reach(&mut self, from: i64, to: i64) {
        let (first, last) = self.reach.unwrap_or((from, to));
        self.reach = Some((first.min(from), last.max(to)));
    }

    /// The key under which events have their category, if any was read.
    pub fn category(&self) -> Option<StrId> {
        self.words.map(|words| words.category)
    }

    /// The key under which events have their thread's CPU time, if any was read.
    pub fn thread_time(&self) -> Option<StrId> {
        self.words.map(|words| words.thread_time)
    }

    pub fn words(&mut self, strings: &mut Interner) -> ChromeArgKeys {
        *self.words.get_or_insert_with(|| {
            let [category, thread_time, args] =
                [CATEGORY, "\0thread time", "args"].map(|word| strings.intern(word));
            ChromeArgKeys { category, thread_time, args }
        })
    }
}
