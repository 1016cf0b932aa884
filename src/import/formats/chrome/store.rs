//! Tables of the events of a file: one per family of phases, in the order of the file.

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

/// Members that the events of most families have in common.
#[derive(Clone, Copy, Debug)]
pub struct ChromeEventHeader {
    /// Time of the event, in nanoseconds of the file's clock.
    pub time: i64,
    pub thread: ThreadId,
    pub name: StrId,
    pub category: StrId,
    pub record: RecordId,
    pub args: ArgsId,
    pub phase: u8,
}

impl ChromeEventHeader {
    /// Returns the data about the event that a span keeps: record, arguments and phase.
    pub fn side(&self) -> SpanEdgeEvent {
        let Self { record, args, phase, .. } = *self;
        SpanEdgeEvent { record, args, phase }
    }
}

/// The data about a begin or end event that its span keeps.
#[derive(Clone, Copy, Debug)]
pub struct SpanEdgeEvent {
    pub record: RecordId,
    pub args: ArgsId,
    pub phase: u8,
}

/// An asynchronous event: b, e, n; S, T, p, F; N, O, D.
#[derive(Clone, Copy, Debug)]
pub struct AsyncEvent {
    pub of: ChromeEventHeader,
    pub link: EventJoinId,
    /// Name of a step (T, p).
    pub step: StrId,
}

/// A flow event, which is one end of an arrow: s, t, f.
#[derive(Clone, Copy, Debug)]
pub struct FlowEvent {
    pub of: ChromeEventHeader,
    pub link: EventJoinId,
    /// Whether the arrow is bound to the enclosing slice. Otherwise it is bound to the next slice on the thread, as
    /// for an f event without `bp` whose category is not an input.
    pub enclosing: bool,
}

/// Index of the event that an arrow is bound to, in the table of slices or of asynchronous events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BindingEvent {
    Slice(u32),
    Async(u32),
}

/// An arrow to or from the slice of an event (`bind_id`).
#[derive(Clone, Copy, Debug)]
pub struct FlowBinding {
    pub of: BindingEvent,
    pub id: StrId,
    pub into: bool,
    pub out: bool,
}

/// An instant event: I, i, R, v, V, c. The scope is g, p or t.
#[derive(Clone, Copy, Debug)]
pub struct InstantEvent {
    pub of: ChromeEventHeader,
    pub scope: u8,
}

/// A counter event: C.
#[derive(Clone, Copy, Debug)]
pub struct CounterEvent {
    pub of: ChromeEventHeader,
    /// Id that distinguishes counters with the same name.
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
    /// Metadata of the whole trace.
    pub trace_metadata: TraceMetadata,
    /// Start of the first event and end of the last one, in nanoseconds, profiles excluded; `None` before the first event.
    pub reach: Option<(i64, i64)>,
    /// Records of metadata events that were read.
    pub metadata: Vec<RecordId>,
    /// Whether an array of events was found.
    pub has_events: bool,
    words: Option<ChromeArgKeys>,
}

/// Keys under which values that are not members of `args` are stored among the arguments. The keys of the category and
/// the thread time begin with a zero byte, because an argument may have the same name.
#[derive(Clone, Copy, Debug)]
pub struct ChromeArgKeys {
    pub category: StrId,
    pub thread_time: StrId,
    /// Key of an `args` member that is not an object.
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

    /// Extends the file's time range by an event, in nanoseconds.
    pub fn reach(&mut self, from: i64, to: i64) {
        let (first, last) = self.reach.unwrap_or((from, to));
        self.reach = Some((first.min(from), last.max(to)));
    }

    /// Key of the category among the arguments; `None` if no event was read.
    pub fn category(&self) -> Option<StrId> {
        self.words.map(|words| words.category)
    }

    /// Key of the thread's CPU time among the arguments; `None` if no event was read.
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
