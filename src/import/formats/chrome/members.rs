//! Members of an event and their slots. Members that are objects or not part of the format have no slot.
//!
//! The format's own members have fixed slots. In an event of a learned shape, members of `args` and members that the
//! format does not define get the slots after those, in the order of the text; the shape keeps their keys. A parsed
//! event keeps them as [`NestedMembers`].

use crate::base::interner::Interner;
use crate::import::attributes::args::{LearnedShape, MAX_LEVEL};
use crate::import::json::{Known, RecordReader, Schema, Text, Value};
use crate::import::scalars::values::{Class, SLOTS, Slot};

/// Reads events one after the other.
pub type ChromeRecordReader = RecordReader<ChromeMemberSchema>;

/// Schema of the members of events, and the shapes learned so far.
#[derive(Default)]
pub struct ChromeMemberSchema {
    pub shapes: Vec<LearnedShape>,
    args: Vec<(Slot, String)>,
    more: Vec<(Slot, String)>,
    /// Number of slots in use in addition to the slots of the format's own members.
    taken: usize,
}

pub const PH: Slot = 0;
pub const NAME: Slot = 1;
pub const CAT: Slot = 2;
pub const TS: Slot = 3;
pub const DUR: Slot = 4;
pub const TDUR: Slot = 5;
pub const PID: Slot = 6;
pub const TID: Slot = 7;
pub const ID: Slot = 8;
pub const SCOPE: Slot = 9;
pub const S: Slot = 10;
pub const BP: Slot = 11;
pub const BIND: Slot = 12;
pub const FLOW_IN: Slot = 13;
pub const FLOW_OUT: Slot = 14;
pub const TTS: Slot = 15;
/// Slot of `id2.local`, in an event of a learned shape.
pub const LOCAL: Slot = 16;
/// Slot of `id2.global`, in an event of a learned shape.
pub const GLOBAL: Slot = 17;
/// First slot that is not used by a member of the format.
const FREE: usize = 18;

/// Slot and value class of a member of the format; `None` if the format does not define it.
fn field(key: &str) -> Known {
    Some(match key {
        "ph" => (PH, Class::Word),
        "name" => (NAME, Class::Text),
        "cat" => (CAT, Class::Word),
        "ts" => (TS, Class::Decimal),
        "dur" => (DUR, Class::Decimal),
        "tdur" => (TDUR, Class::Decimal),
        "pid" => (PID, Class::Text),
        "tid" => (TID, Class::Text),
        "id" => (ID, Class::Text),
        "scope" => (SCOPE, Class::Word),
        "s" => (S, Class::Word),
        "bp" => (BP, Class::Word),
        "bind_id" => (BIND, Class::Text),
        "flow_in" => (FLOW_IN, Class::Truth),
        "flow_out" => (FLOW_OUT, Class::Truth),
        "tts" => (TTS, Class::Decimal),
        _ => return None,
    })
}

/// Whether a member is known but not shown in the timeline: colour names, stacks, the flag of a second clock.
fn is_ignored(key: &str) -> bool {
    matches!(key, "cname" | "sf" | "esf" | "stack" | "estack" | "use_async_tts")
}

/// Whether the format defines a member.
fn is_defined(key: &str) -> bool {
    matches!(key, "args" | "id2") || is_ignored(key) || field(key).is_some()
}

impl Schema for ChromeMemberSchema {
    fn begin(&mut self) {
        self.args.clear();
        self.more.clear();
        self.taken = 0;
    }

    fn enter(&mut self, path: &[&str]) -> bool {
        // The same depth as for the arguments of a parsed event.
        match path {
            ["id2"] => true,
            ["args", rest @ ..] => rest.len() <= usize::from(MAX_LEVEL),
            [key, rest @ ..] => !is_defined(key) && rest.len() < usize::from(MAX_LEVEL),
            [] => false,
        }
    }

    fn field(&self, key: &str) -> Known {
        field(key)
    }

    fn member(&mut self, path: &[&str]) -> Option<Known> {
        match path {
            // Only the parser reads `args` and `id2` that are not objects.
            ["args"] | ["id2"] => None,
            ["id2", "local"] => Some(Some((LOCAL, Class::Text))),
            ["id2", "global"] => Some(Some((GLOBAL, Class::Text))),
            ["args", rest @ ..] => self.argument(rest, true),
            [key] if is_ignored(key) => self.free().map(|slot| Some((slot, Class::Any))),
            [key] => field(key).map(Some).or_else(|| self.argument(path, false)),
            [key, ..] if !is_defined(key) => self.argument(path, false),
            _ => None,
        }
    }

    fn learned(&mut self, strings: &mut Interner) -> u32 {
        let args = self.args.iter().chain(&self.more).map(|(slot, key)| (*slot, strings.intern(key)));
        self.shapes.push(LearnedShape { args: args.collect(), sorts: Vec::new() });
        self.shapes.len() as u32 - 1
    }
}

impl ChromeMemberSchema {
    fn free(&mut self) -> Option<Slot> {
        let slot = FREE + self.taken;
        self.taken += 1;
        (slot < SLOTS).then_some(slot as Slot)
    }

    /// Slot for the argument at `path`; `None` if no slot is free or another path already gave the same key.
    fn argument(&mut self, path: &[&str], in_args: bool) -> Option<Known> {
        let (slot, key) = (self.free()?, path.join("."));
        if self.args.iter().chain(&self.more).any(|(_, known)| *known == key) {
            return None;
        }
        if in_args { &mut self.args } else { &mut self.more }.push((slot, key));
        Some(Some((slot, Class::Any)))
    }
}

/// Members of a parsed event that have no slot. If a member is repeated, the last value counts.
#[derive(Default)]
pub struct NestedMembers<'a> {
    pub args: Option<Value<'a>>,
    /// `{"local": …}` or `{"global": …}`.
    pub id2: Option<Value<'a>>,
    /// Members that the format does not define; they are shown as arguments.
    pub more: Vec<(Text<'a>, Value<'a>)>,
}

impl<'a> NestedMembers<'a> {
    /// Sets the member called `name`.
    pub fn set(&mut self, name: &str, key: Text<'a>, value: Value<'a>) {
        match name {
            "args" => self.args = Some(value),
            "id2" => self.id2 = Some(value),
            _ if is_ignored(name) => {}
            _ => self.more.push((key, value)),
        }
    }
}
