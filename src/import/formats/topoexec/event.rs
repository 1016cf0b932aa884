//! The members of one event, in any of the formats.

use crate::import::json::{Cursor, Scanner, Text, Value};

/// Attribute that identifies or links events. Writers put roles into the event, into its attributes, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum TopoExecRole {
    Component,
    Channel,
    Lane,
    Worker,
    Loop,
    Iteration,
    Epoch,
    Causation,
    Correlation,
    Transaction,
    /// Unique for every event: `trace-`, the clock reading when the event was recorded, and the number of events
    /// recorded before it.
    TraceId,
    /// Category of the event. It follows from the event's name.
    Phase,
}

impl TopoExecRole {
    /// All roles with their keys.
    pub const ALL: [(TopoExecRole, &'static str); 12] = [
        (TopoExecRole::Component, "component_id"),
        (TopoExecRole::Channel, "channel_id"),
        (TopoExecRole::Lane, "lane"),
        (TopoExecRole::Worker, "worker_id"),
        (TopoExecRole::Loop, "loop_id"),
        (TopoExecRole::Iteration, "iteration"),
        (TopoExecRole::Epoch, "epoch_id"),
        (TopoExecRole::Causation, "causation_id"),
        (TopoExecRole::Correlation, "correlation_id"),
        (TopoExecRole::Transaction, "transaction_id"),
        (TopoExecRole::TraceId, "trace_id"),
        (TopoExecRole::Phase, "phase"),
    ];

    /// Role that a key names, if it names one.
    pub fn of(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, name)| *name == key).map(|(role, _)| role)
    }
}

/// Members of an event.
#[derive(Default)]
pub struct TopoExecEvent<'a> {
    /// Event name: `name`, or the `kind` of an observed event.
    pub name: Option<Text<'a>>,
    /// `start_offset_ns` or `mono_ns`, in nanoseconds.
    pub nanos: Option<Value<'a>>,
    pub duration_nanos: Option<Value<'a>>,
    /// `ts` and `dur` of the Chrome export, in microseconds.
    pub micros: Option<Value<'a>>,
    pub duration_micros: Option<Value<'a>>,
    /// `cat` of the Chrome export.
    pub category: Option<Text<'a>>,
    pub roles: Vec<(TopoExecRole, Value<'a>)>,
    /// `attributes`, or `args` of the Chrome export.
    pub attributes: Option<&'a str>,
    /// All other members.
    pub more: Vec<(Text<'a>, Value<'a>)>,
}

impl<'a> TopoExecEvent<'a> {
    /// Reads the object at the start of `text`; returns the event and the object's length in bytes, or `None` if it is cut off.
    pub fn read(text: &'a str, scanner: &mut Scanner) -> Option<(Self, usize)> {
        let mut event = Self::default();
        let length = Cursor::new(text).each(scanner, |key, value| event.set(key, value))?;
        Some((event, length))
    }

    fn set(&mut self, key: Text<'a>, value: Value<'a>) {
        match (key.raw(), value) {
            ("name" | "kind", Value::Text(text)) => self.name = Some(text),
            ("cat", Value::Text(text)) => self.category = Some(text),
            ("start_offset_ns" | "mono_ns", _) => self.nanos = Some(value),
            ("duration_ns", _) => self.duration_nanos = Some(value),
            ("ts", _) => self.micros = Some(value),
            ("dur", _) => self.duration_micros = Some(value),
            ("attributes" | "args", Value::Nested(object)) if object.starts_with('{') => {
                self.attributes = Some(object);
            }
            // The Chrome export has a single process; the threads are derived from the arguments.
            ("ph" | "pid" | "tid", _) => {}
            (key_text, _) => match TopoExecRole::of(key_text) {
                Some(role) => self.roles.push((role, value)),
                None => self.more.push((key, value)),
            },
        }
    }

    /// Start and duration in nanoseconds; `None` if the start is missing or not a number, `Some(None)` if the start or
    /// the duration is out of range.
    pub fn times(&self) -> Option<Option<(i64, i64)>> {
        let number = |value: Option<Value>| value.and_then(Value::decimal);
        let whole = |value| number(value)?.whole();
        let round = |value: Option<Value>| Some(value?.time()?.round());
        self.nanos.or(self.micros)?.time()?;
        let start = if self.nanos.is_some() { whole(self.nanos) } else { round(self.micros) };
        let length = match (self.duration_nanos, self.duration_micros) {
            (None, None) => Some(0),
            (None, Some(_)) => round(self.duration_micros),
            (Some(_), _) => whole(self.duration_nanos),
        };
        let reach = |number: &i64| (0..i64::MAX / 4).contains(number);
        Some(start.filter(reach).zip(length.filter(reach)))
    }
}
