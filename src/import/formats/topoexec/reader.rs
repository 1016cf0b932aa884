//! Converts the parsed events of a file into rows.

use super::event::{TopoExecEvent, TopoExecRole};
use super::names;
use super::problems::*;
use super::sniff::TopoExecShape;
use super::store::{RoleValues, TopoExecArgKeys, TopoExecError, TopoExecFile, TopoExecMetric, TopoExecRow};
use crate::base::interner::StrId;
use crate::import::attributes::args::{Args, ArgsId};
use crate::import::attributes::written;
use crate::import::contract::{Input, ProblemKind};
use crate::import::json::{
    Cursor, EnvelopeHandler, MemberUse, RecordHandler, Scanner, Text, Value, string_value, strings,
};
use crate::import::scalars::decimal::Decimal;
use crate::import::scalars::number::exact_i64;
use crate::import::text::lines::Place;
use crate::trace::RecordId;

/// Receives the events of a file in the order in which they are parsed.
pub struct TopoExecReader<'a, 'b> {
    pub file: &'a mut TopoExecFile,
    pub args: &'a mut Args,
    pub scanner: &'a mut Scanner,
    pub input: &'a mut Input<'b>,
    pub shape: TopoExecShape,
    /// Kind of the records in the array that is being read.
    pub list: &'a mut RecordListKind,
    /// Problems of the event that is being read.
    pub remarks: Vec<ProblemKind>,
}

/// Kind of the objects in an array.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RecordListKind {
    #[default]
    Events,
    Faults,
    Metrics,
    Health,
}

impl RecordHandler for TopoExecReader<'_, '_> {
    fn try_read(&mut self, text: &str, place: Place) -> Option<(usize, u64)> {
        if *self.list != RecordListKind::Events {
            return None;
        }
        let (event, length) = TopoExecEvent::read(text, self.scanner)?;
        self.add(&event, &text[..length], place);
        Some((length, memchr::memchr_iter(b'\n', &text.as_bytes()[..length]).count() as u64))
    }

    fn record(&mut self, text: &str, place: Place) {
        match TopoExecEvent::read(text, self.scanner) {
            Some((event, _)) => self.add(&event, text, place),
            None => self.input.lose(BROKEN, place, text),
        }
    }

    fn broken(&mut self, text: &str, place: Place) {
        self.input.lose(BROKEN, place, text);
    }

    fn cut_off(&mut self, text: &str, place: Place) {
        self.input.lose(CUT_OFF, place, text);
    }

    fn stray(&mut self, text: &str, place: Place) {
        self.input.note(STRAY, place, text);
    }

    fn resync_key(&self) -> Option<&'static str> {
        let key = if self.shape == TopoExecShape::Chrome { "ph" } else { "start_offset_ns" };
        (*self.list == RecordListKind::Events).then_some(key)
    }
}

impl EnvelopeHandler for TopoExecReader<'_, '_> {
    fn member(&mut self, key: &str, first: u8, place: Place) -> MemberUse {
        let events = if self.shape == TopoExecShape::Chrome { "traceEvents" } else { "trace" };
        match key {
            _ if key == events && first == b'[' => {
                (self.file.has_events, *self.list) = (true, RecordListKind::Events);
                MemberUse::Records
            }
            "runtime_errors" if first == b'[' => {
                *self.list = RecordListKind::Faults;
                MemberUse::Records
            }
            "metrics" if first == b'[' => {
                *self.list = RecordListKind::Metrics;
                MemberUse::Records
            }
            "health_events" if first == b'[' && self.shape == TopoExecShape::Sidecar => {
                *self.list = RecordListKind::Health;
                MemberUse::Records
            }
            "graph_name" | "trace_event_count" | "errors" => MemberUse::Text,
            "summary" if self.shape == TopoExecShape::Sidecar => MemberUse::Text,
            "files" if self.shape == TopoExecShape::Sidecar => MemberUse::Nothing,
            // `trace_events` repeats the names of the events. Health events and executions are events of the trace, too.
            "trace_events" | "health_events" | "ticked_components" => MemberUse::Nothing,
            "displayTimeUnit" => MemberUse::Nothing,
            _ if key.ends_with("_schema_version") => MemberUse::Nothing,
            "loop_last_residual" | "loop_stop_reason" => MemberUse::Text,
            _ if !matches!(first, b'[' | b'{') => MemberUse::Text,
            _ => {
                self.input.note(SECTION, place, &format!("\"{key}\""));
                MemberUse::Nothing
            }
        }
    }

    fn text(&mut self, key: &str, value: &str, place: Place) {
        match key {
            "graph_name" => {
                let name = string_value(value).filter(|name| !name.is_empty());
                self.file.graph = name.map(|name| self.input.strings.intern(&name));
            }
            "trace_event_count" => self.file.count = exact_i64(value).and_then(|n| n.try_into().ok()),
            "errors" => self.messages(value, place),
            "summary" => {
                let Self { file, scanner, .. } = self;
                Cursor::new(value).each(scanner, |key, value| {
                    file.totals.extend(plain(value).map(|text| (key.raw().to_owned(), text.into_owned())));
                });
            }
            _ if value.starts_with('{') => {
                // A total with one value per loop.
                let Self { file, scanner, .. } = self;
                Cursor::new(value).each(scanner, |of, value| {
                    file.totals.push((format!("{key} of {}", of.content()), value.content().into_owned()));
                });
            }
            _ => {
                let text = string_value(value).map_or_else(|| value.to_owned(), |text| text.into_owned());
                self.file.totals.push((key.to_owned(), text));
            }
        }
    }

    fn after_end(&mut self, _: u8, place: Place) -> bool {
        self.input.note(AFTER_END, place, "");
        false
    }
}

impl TopoExecReader<'_, '_> {
    fn add(&mut self, event: &TopoExecEvent, text: &str, place: Place) {
        let record = self.input.records.add(self.input.file, place, text.len() as u64);
        let added = match self.list {
            RecordListKind::Events => self.event(event, record),
            RecordListKind::Faults => self.fault(event, record),
            RecordListKind::Metrics => {
                self.metric(event, record).map(|metric| self.file.metrics.push(metric))
            }
            RecordListKind::Health => self.metric(event, record).map(|event| self.file.health.push(event)),
        };
        for kind in std::mem::take(&mut self.remarks).into_iter().chain(added.err()) {
            self.input.note(kind, place, text);
        }
    }

    /// Keeps an event; an error is the reason why it is not kept.
    fn event(&mut self, event: &TopoExecEvent, record: RecordId) -> Result<(), ProblemKind> {
        let name = event.name.ok_or(NO_NAME)?;
        if self.shape == TopoExecShape::Chrome
            && event.category.is_none_or(|category| category.raw() != "topoexec")
        {
            return Err(OTHER_EVENT);
        }
        if self.shape == TopoExecShape::Observed && event.nanos.is_none() {
            self.file.described.push(record);
            return Err(NO_MOMENT);
        }
        let (time, length) = event.times().ok_or(NO_TIME)?.ok_or(FAR)?;
        let wanted = self.input.choose(time, time.saturating_add(length));
        self.args.written.begin(self.input.reported.written().is_some());
        self.file.left_out += u64::from(wanted.is_err());
        wanted?;
        let (mut roles, mut others) = self.roles(event);
        let name = name.content();
        let (name, length) = self.named(&name, length, &others);
        others.retain(|(key, _)| key.raw() != "value0" || length == 0);
        let order = self.order(roles[TopoExecRole::TraceId as usize]);
        roles[TopoExecRole::Phase as usize] = self.input.strings.intern(names::phase(name));
        let failed = names::is_failure(name) || says_failure(&others);
        let args = self.args(&roles, &others, Some(record));
        let apart = names::edge(name).filter(|_| self.shape == TopoExecShape::Observed);
        let kind = others.iter().find(|(key, _)| key.raw() == "kind" && name == "health_event");
        let label = kind.and_then(|(_, value)| plain(*value)).unwrap_or(name.into());
        let [name, label] = [name, &*label].map(|text| self.input.strings.intern(text));
        let row = TopoExecRow {
            label,
            order,
            failed,
            apart,
            ..TopoExecRow::at(time, length, name, record, args).with_roles(&roles)
        };
        self.file.rows.push(row);
        Ok(())
    }

    /// The name that an event has in a trace, and its duration. An observed event has four unnamed numbers; the first number
    /// is the duration of an interval that ended.
    fn named<'n>(&self, name: &'n str, length: i64, others: &[(Text, Value)]) -> (&'n str, i64) {
        if self.shape != TopoExecShape::Observed {
            return (name, length);
        }
        let first = others.iter().find(|(key, _)| key.raw() == "value0").and_then(|(_, value)| plain(*value));
        let length =
            first.and_then(|text| exact_i64(&text)).filter(|n| (1..i64::MAX / 4).contains(n)).unwrap_or(0);
        let name = names::of_observed(name, length > 0);
        (name, if names::part(name).0 == names::TopoExecEventExtent::Whole { length } else { 0 })
    }

    /// Values of the event's roles, and all its other attributes.
    fn roles<'a>(&mut self, event: &TopoExecEvent<'a>) -> (RoleValues, Vec<(Text<'a>, Value<'a>)>) {
        let (mut roles, mut others) = ([StrId::NONE; TopoExecRole::ALL.len()], Vec::new());
        let mut cursor = event.attributes.map(Cursor::new);
        while let Some(Ok((key, value))) = cursor.as_mut().map(|cursor| cursor.next(self.scanner)) {
            match TopoExecRole::of(key.raw()) {
                Some(role) => self.set(&mut roles, role, value),
                None => others.push((key, value)),
            }
        }
        event.roles.iter().for_each(|&(role, value)| self.set(&mut roles, role, value));
        others.extend(event.more.iter().filter(|(key, _)| !OF_STREAM.contains(&key.raw())));
        let observed = self.shape == TopoExecShape::Observed;
        others.retain(|(_, value)| match value {
            Value::Text(text) => !text.raw().is_empty(),
            Value::Word(number) => !observed || *number != "0",
            Value::Nested(_) => true,
        });
        // The runtime's own rule: an event without a component belongs to its source component.
        let component = &mut roles[TopoExecRole::Component as usize];
        if let Some(Value::Text(source)) =
            others.iter().find(|(key, _)| key.raw() == "source_component").map(|o| o.1)
            && *component == StrId::NONE
        {
            *component = self.input.strings.intern(&source.content());
            self.note_role(TopoExecRole::Component, Value::Text(source));
        }
        (roles, others)
    }

    /// Sets a role that has no value yet, unless `value` is empty.
    fn set(&mut self, roles: &mut RoleValues, role: TopoExecRole, value: Value) {
        let known = &mut roles[role as usize];
        if *known == StrId::NONE
            && let Some(text) = plain(value).filter(|text| !text.is_empty())
        {
            *known = self.input.strings.intern(&text);
            self.note_role(role, value);
        }
    }

    /// Records whether a role is written as text or number, if the role is an argument of the event.
    fn note_role(&mut self, role: TopoExecRole, value: Value) {
        if !matches!(role, TopoExecRole::TraceId | TopoExecRole::Phase) {
            let key = self.file.words(self.input.strings).roles[role as usize];
            self.args.written.note(key, value);
        }
    }

    /// Recording order of an event: the last number of its trace id; without an id, the position of the event in the file.
    fn order(&mut self, id: StrId) -> u64 {
        let number = |id| self.input.strings.get(id).rsplit_once('-')?.1.parse::<u32>().ok();
        let Some(number) = id.some().and_then(number) else { return self.file.rows.len() as u64 };
        self.file.ids.add(id.0);
        u64::from(number)
    }

    /// Keeps the arguments of an event, roles first, so that files of every shape have one order of arguments.
    fn args(&mut self, roles: &RoleValues, others: &[(Text, Value)], record: Option<RecordId>) -> ArgsId {
        let Self { args, scanner, input, file, remarks, .. } = self;
        let TopoExecArgKeys { roles: keys, category, .. } = file.words(input.strings);
        if roles[TopoExecRole::Phase as usize] != StrId::NONE {
            args.text(category, roles[TopoExecRole::Phase as usize]);
        }
        for (role, _) in TopoExecRole::ALL
            .into_iter()
            .filter(|(role, _)| !matches!(role, TopoExecRole::TraceId | TopoExecRole::Phase))
        {
            let (key, Some(text)) = (keys[role as usize], roles[role as usize].some()) else { continue };
            let number = matches!(role, TopoExecRole::Worker | TopoExecRole::Iteration | TopoExecRole::Epoch);
            match exact_i64(input.strings.get(text)).filter(|_| number) {
                Some(number) => args.whole(key, number),
                None => args.text(key, text),
            }
        }
        for &(key, value) in others {
            let key = input.strings.intern(&key.content());
            args.value(key, as_number(value), 0, scanner, input.strings);
            if !matches!(value, Value::Nested(_)) {
                args.written.note(key, value);
            }
        }
        if let Some(record) = record {
            written::keep(args, record, input.reported, input.strings);
        }
        let (args, of_args) = args.finish();
        remarks.extend(of_args.kinds());
        args
    }

    /// Keeps an entry of the list of errors.
    fn fault(&mut self, event: &TopoExecEvent, record: RecordId) -> Result<(), ProblemKind> {
        let (mut roles, others) = self.roles(event);
        let message =
            others.iter().find(|(key, _)| key.raw() == "message").and_then(|(_, value)| plain(*value));
        let message = message.ok_or(NO_NAME)?;
        roles[TopoExecRole::TraceId as usize] = StrId::NONE;
        self.keep_fault(&message, &roles, record, false);
        Ok(())
    }

    /// Reads a metric of the whole run, or a health event.
    fn metric(&mut self, event: &TopoExecEvent, record: RecordId) -> Result<TopoExecMetric, ProblemKind> {
        let name = self.input.strings.intern(&event.name.ok_or(NO_NAME)?.content());
        let (roles, others) = self.roles(event);
        let args = self.args(&roles, &others, None);
        Ok(TopoExecMetric { name, record, args })
    }

    /// Keeps the errors that older versions list only as messages: `component NAME failed: …`.
    fn messages(&mut self, list: &str, place: Place) {
        for (at, literal) in strings(list) {
            let line = place.line + memchr::memchr_iter(b'\n', &list.as_bytes()[..at]).count() as u64;
            let place = Place { offset: place.offset + at as u64, line };
            let record = self.input.records.add(self.input.file, place, literal.len() as u64);
            let Some(message) = string_value(literal) else {
                self.input.note(BROKEN, place, literal);
                continue;
            };
            let mut roles = [StrId::NONE; TopoExecRole::ALL.len()];
            let component = message.strip_prefix("component ").and_then(|rest| rest.split(' ').next());
            if let Some(component) = component {
                roles[TopoExecRole::Component as usize] = self.input.strings.intern(component);
            }
            self.keep_fault(&message, &roles, record, true);
        }
    }

    fn keep_fault(&mut self, message: &str, roles: &RoleValues, record: RecordId, again: bool) {
        let message = self.input.strings.intern(message);
        let words = self.file.words(self.input.strings);
        self.args.text(words.error, message);
        let args = self.args.finish().0;
        let component = roles[TopoExecRole::Component as usize];
        self.file.faults.push(TopoExecError { message, component, record, args, again });
    }
}

/// Members that describe the transport of an event through the stream, not the event itself.
const OF_STREAM: [&str; 5] = ["observe_schema_version", "run_id", "stream_id", "local_seq", "display_seq"];

/// Content of a text or a word; `None` for a nested value.
fn plain(value: Value<'_>) -> Option<std::borrow::Cow<'_, str>> {
    match value {
        Value::Nested(_) => None,
        value => Some(value.content()),
    }
}

/// Attributes are always written as strings: a string that is a decimal number is read as a number, unless its value would be
/// rounded to 0 (a threshold of 1e-09).
fn as_number(value: Value) -> Value {
    let decimal = |text: &str| {
        let number =
            Decimal::parse(text).filter(|_| text.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
        number.is_some_and(|n| n.scale > 0 && (n.mantissa == 0 || n.millionths().is_some_and(|m| m != 0)))
    };
    match value {
        Value::Text(text) if decimal(text.raw()) => Value::Word(text.raw()),
        value => value,
    }
}

fn says_failure(others: &[(Text, Value)]) -> bool {
    others
        .iter()
        .any(|(key, value)| matches!(value, Value::Text(text) if names::says_failure(key.raw(), text.raw())))
}
