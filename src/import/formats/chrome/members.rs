//! The members of an event's object by name, nothing interpreted that is not asked for.

use crate::import::attributes::args::decoded;
use crate::import::json::{Cursor, Scanner, Text, Value};

/// The members of an event. A member that stands twice counts as it stands last.
#[derive(Default)]
pub struct ChromeEventMembers<'a> {
    /// The first byte of `ph`; 0 where there is none. Perfetto's tests have `XXX` for `X`.
    pub phase: u8,
    pub name: Option<Text<'a>>,
    pub category: Option<Text<'a>>,
    pub ts: Option<Value<'a>>,
    pub dur: Option<Value<'a>>,
    /// Time on the processor, of the length in `dur`.
    pub tdur: Option<Value<'a>>,
    /// The thread's CPU time so far.
    pub tts: Option<Value<'a>>,
    pub pid: Option<Value<'a>>,
    pub tid: Option<Value<'a>>,
    pub id: Option<Value<'a>>,
    /// `{"local": …}` or `{"global": …}`.
    pub id2: Option<Value<'a>>,
    /// What distinguishes ids that are the same by chance.
    pub id_scope: Option<Text<'a>>,
    /// The scope of an instant: g, p or t.
    pub instant_scope: Option<Text<'a>>,
    /// `bp` is `e`: the end of an arrow binds to the slice that it lies in.
    pub binds_enclosing: bool,
    pub bind_id: Option<Value<'a>>,
    pub flow_in: bool,
    pub flow_out: bool,
    pub args: Option<Value<'a>>,
    /// Members that the format does not define: they are arguments by another name.
    pub more: Vec<(Text<'a>, Value<'a>)>,
    /// Whether it has no members at all: some writers end an array with `{}`, so that every event can have a comma.
    pub is_empty: bool,
}

impl<'a> ChromeEventMembers<'a> {
    /// Reads the object at the start of `text`, and says how long it is; `None` if it is broken or not all there.
    pub fn read(text: &'a str, scanner: &mut Scanner) -> Option<(Self, usize)> {
        let mut members = Self { is_empty: true, ..Self::default() };
        let length = Cursor::new(text).each(scanner, |key, value| members.set(key, value))?;
        Some((members, length))
    }

    #[inline]
    fn set(&mut self, key: Text<'a>, value: Value<'a>) {
        self.is_empty = false;
        let text = match value {
            Value::Text(text) => Some(text),
            _ => None,
        };
        let name = decoded(key);
        match name.as_bytes() {
            b"ph" => self.phase = text.and_then(first_byte).unwrap_or(0),
            b"name" => self.name = text,
            b"cat" => self.category = text,
            b"ts" => self.ts = Some(value),
            b"dur" => self.dur = Some(value),
            b"tdur" => self.tdur = Some(value),
            b"tts" => self.tts = Some(value),
            b"pid" => self.pid = Some(value),
            b"tid" => self.tid = Some(value),
            b"args" => self.args = Some(value),
            b"id" => self.id = Some(value),
            b"id2" => self.id2 = Some(value),
            b"scope" => self.id_scope = text,
            b"s" => self.instant_scope = text,
            b"bp" => self.binds_enclosing = text.is_some_and(|text| text.raw() == "e"),
            b"bind_id" => self.bind_id = Some(value),
            b"flow_in" => self.flow_in = is_true(value),
            b"flow_out" => self.flow_out = is_true(value),
            _ if IGNORED.contains(&&*name) => {}
            _ => self.more.push((key, value)),
        }
    }
}

/// Known and without a place in the timeline: the names of colours, stacks, whether two things have a second clock.
pub const IGNORED: [&str; 6] = ["cname", "sf", "esf", "stack", "estack", "use_async_tts"];

/// The first byte of the text that a literal stands for.
pub fn first_byte(text: Text) -> Option<u8> {
    decoded(text).bytes().next()
}

fn is_true(value: Value) -> bool {
    matches!(value, Value::Word("true" | "1"))
}
