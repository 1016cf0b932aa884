//! Profiles of a sampling profiler (ph P), which hold sampled stacks.
//!
//! A `Profile` event states the thread and the start; `ProfileChunk` events of the same process and id add nodes of the call
//! tree, the sampled nodes, and the microseconds between samples, which may be negative. V8 writes them; DevTools records them.
//! A `CpuProfile` (ph I) is a whole profile in one event, as in the inspector protocol: a node lists its children instead of
//! its parent. Programs that profile themselves through the inspector write it, such as webpack's ProfilingPlugin.

use std::rc::Rc;

use super::event_values::ParsedEvent;
use super::names::{ProcessId, ThreadId};
use super::reader::within_reach;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::import::json::{Cursor, Scanner, Stop, Value};
use crate::import::scalars::number::exact_i64;
use crate::trace::RecordId;

/// A node of the call tree.
#[derive(Clone, Copy, Debug)]
pub struct ProfileNode {
    pub parent: Option<i64>,
    pub name: StrId,
    /// File and line of the function, or [`StrId::NONE`].
    pub place: StrId,
}

/// A call tree, by node number.
pub type ProfileTree = FxHashMap<i64, ProfileNode>;

/// The samples that one event adds to a profile.
#[derive(Clone, Debug)]
pub struct ProfileChunk {
    /// Time at which the event was written, in nanoseconds.
    pub time: i64,
    pub record: RecordId,
    /// Sampled nodes, each with the nanoseconds since the previous sample.
    pub samples: Vec<(i64, i64)>,
}

/// One profile of one thread.
#[derive(Debug)]
pub struct SampledProfile {
    /// Thread that was sampled.
    pub thread: ThreadId,
    /// Start and end of the profile, in nanoseconds; `None` if no event states them.
    pub start: Option<i64>,
    pub end: Option<i64>,
    /// Name of the sampler, or [`StrId::EMPTY`] if the file does not name it.
    pub title: StrId,
    pub nodes: Rc<ProfileTree>,
    pub chunks: Vec<ProfileChunk>,
}

/// All profiles of a file.
#[derive(Default)]
pub struct SampledProfiles {
    ids: FxHashMap<(ProcessId, StrId), usize>,
    pub list: Vec<SampledProfile>,
}

/// Time, process, thread and id of an event that belongs to a profile.
pub struct ProfileEventHeader {
    pub process: ProcessId,
    pub thread: ThreadId,
    pub id: StrId,
    pub time: i64,
    pub record: RecordId,
}

impl SampledProfiles {
    /// Adds an event with phase P; `None` if it is not part of a profile. Returns whether the event has arguments and
    /// states as many times as samples.
    pub fn take(
        &mut self,
        ParsedEvent { event, nested }: &ParsedEvent,
        head: &ProfileEventHeader,
        scanner: &mut Scanner,
        strings: &mut Interner,
    ) -> Option<bool> {
        let begins = match strings.get(event.name) {
            "Profile" => true,
            "ProfileChunk" => false,
            _ => return None,
        };
        let list = &mut self.list;
        let at = *self.ids.entry((head.process, head.id)).or_insert_with(|| {
            list.push(SampledProfile::new(head.thread));
            list.len() - 1
        });
        let profile = &mut self.list[at];
        if begins {
            // A chunk may name the thread that wrote it instead of the sampled thread.
            profile.thread = head.thread;
        }
        let (args, text) = match nested.args {
            Some(Value::Nested(args)) => (args, true),
            _ => ("", false),
        };
        Some(profile.read(args, head, scanner, strings) && text)
    }
}

/// Returns the arguments of an event that may contain a whole profile (`CpuProfile`); `None` for any other event.
pub fn whole<'a>(ParsedEvent { event, nested }: &ParsedEvent<'a>, strings: &Interner) -> Option<&'a str> {
    match (event.phase, strings.get(event.name), nested.args?) {
        (b'I' | b'i' | b'X', "CpuProfile", Value::Nested(args)) => Some(args),
        _ => None,
    }
}

impl SampledProfile {
    /// Reads a whole profile from the arguments of an event, and returns it with whether it states as many times as
    /// samples; `None` if the arguments contain no profile.
    pub fn whole(
        args: &str,
        head: &ProfileEventHeader,
        scanner: &mut Scanner,
        strings: &mut Interner,
    ) -> Option<(Self, bool)> {
        let mut profile = Self::new(head.thread);
        let matched = profile.read(args, head, scanner, strings);
        let is_empty =
            profile.nodes.is_empty() || profile.chunks.iter().all(|chunk| chunk.samples.is_empty());
        (!is_empty).then_some((profile, matched))
    }

    fn new(thread: ThreadId) -> Self {
        let (nodes, chunks) = (Rc::default(), Vec::new());
        Self { thread, start: None, end: None, title: StrId::EMPTY, nodes, chunks }
    }

    /// Adds the nodes and samples in the arguments of an event. Returns whether they state as many times as samples.
    fn read(
        &mut self,
        args: &str,
        head: &ProfileEventHeader,
        scanner: &mut Scanner,
        strings: &mut Interner,
    ) -> bool {
        let seen = Vec::new();
        let deltas = Vec::new();
        let callers = Vec::new();
        let mut reading = ProfileReader { profile: self, scanner, strings, seen, deltas, callers };
        reading.members(args);
        let ProfileReader { seen, deltas, callers, .. } = reading;
        if !callers.is_empty() {
            let nodes = Rc::make_mut(&mut self.nodes);
            for (child, caller) in callers {
                nodes.entry(child).and_modify(|node| node.parent = node.parent.or(Some(caller)));
            }
        }
        let matched = seen.len() == deltas.len();
        let samples = seen.into_iter().zip(deltas.iter().map(|micros| micros.saturating_mul(1000))).collect();
        self.chunks.push(ProfileChunk { time: head.time, record: head.record, samples });
        matched
    }
}

struct ProfileReader<'a> {
    profile: &'a mut SampledProfile,
    scanner: &'a mut Scanner,
    strings: &'a mut Interner,
    seen: Vec<i64>,
    deltas: Vec<i64>,
    /// Child and caller of each node that is listed as a child.
    callers: Vec<(i64, i64)>,
}

impl ProfileReader<'_> {
    /// Reads the members of a profile, which are at different depths in different versions.
    fn members(&mut self, object: &str) {
        let mut cursor = Cursor::new(object);
        while let Ok((key, value)) = cursor.next(self.scanner) {
            match (key.raw(), value) {
                ("data" | "cpuProfile", Value::Nested(inner)) if inner.starts_with('{') => {
                    self.members(inner)
                }
                ("startTime", value) => self.profile.start = moment(value),
                ("endTime", value) => self.profile.end = moment(value),
                ("nodes", Value::Nested(list)) => self.nodes(list),
                ("samples", Value::Nested(list)) => self.seen = numbers(list),
                ("timeDeltas", Value::Nested(list)) => self.deltas = numbers(list),
                _ => {}
            }
        }
    }

    fn nodes(&mut self, list: &str) {
        let mut at = 0;
        while let Some(start) = list[at..].find('{') {
            at += start;
            let Some(length) = self.node(&list[at..]) else { return };
            at += length;
        }
    }

    /// Reads one node and returns its length in bytes; `None` if it is invalid or incomplete.
    fn node(&mut self, text: &str) -> Option<usize> {
        let mut cursor = Cursor::new(text);
        let (mut id, mut node) = (None, ProfileNode { parent: None, name: StrId::NONE, place: StrId::NONE });
        let mut children = Vec::new();
        let length = loop {
            match cursor.next(self.scanner) {
                Ok((key, value)) => match (key.raw(), value) {
                    ("id", Value::Word(number)) => id = exact_i64(number),
                    ("parent", Value::Word(number)) => node.parent = exact_i64(number),
                    ("children", Value::Nested(list)) => children = numbers(list),
                    ("callFrame", Value::Nested(frame)) => (node.name, node.place) = self.frame(frame),
                    _ => {}
                },
                Err(Stop::End(length)) => break length,
                Err(Stop::Broken) => return None,
            }
        };
        if let Some(id) = id {
            self.callers.extend(children.into_iter().map(|child| (child, id)));
            Rc::make_mut(&mut self.profile.nodes).insert(id, node);
        }
        Some(length)
    }

    fn frame(&mut self, frame: &str) -> (StrId, StrId) {
        let mut cursor = Cursor::new(frame);
        let mut name = StrId::NONE;
        let mut url = String::new();
        let mut line = None;
        while let Ok((key, value)) = cursor.next(self.scanner) {
            match (key.raw(), value) {
                ("functionName", Value::Text(text)) => {
                    let text = text.content();
                    name = self.strings.intern(if text.is_empty() { "(anonymous)" } else { &text });
                }
                ("url", Value::Text(text)) => url = text.content().into_owned(),
                // Counted from 0.
                ("lineNumber", Value::Word(number)) => {
                    line = exact_i64(number).and_then(|line| line.checked_add(1))
                }
                _ => {}
            }
        }
        if url.is_empty() {
            return (name, StrId::NONE);
        }
        let place = line.map_or(url.clone(), |line| format!("{url}:{line}"));
        (name, self.strings.intern(&place))
    }
}

/// Converts a time in microseconds to nanoseconds.
fn moment(value: Value) -> Option<i64> {
    value.time().and_then(|time| within_reach(time).ok())
}

/// Integers of an array; 0 for an element that is not an integer.
fn numbers(list: &str) -> Vec<i64> {
    let inner = list.trim_start_matches('[').trim_end_matches(']').trim();
    let number = |text: &str| exact_i64(text.trim()).unwrap_or(0);
    if inner.is_empty() { Vec::new() } else { inner.split(',').map(number).collect() }
}
