//! Spans as rows: as CSV, or as one JSON object per line. See `docs/command-line.md`.
//!
//! Arguments are written as they stand in the file, where the trace [kept](crate::trace::RecordTable::keep_written) that: a string
//! that is a number as a string, `true` and `null` as such, `1.50` with its zero, objects and arrays as objects and arrays.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::analysis::{outcome, outcome_name};
use crate::base::csv::Csv;
use crate::base::interner::StrId;
use crate::base::text::decimal;
use crate::trace::{EventId, Item, Key, Kind, SpanId, Trace, TrackId, Unit, key};

/// How spans are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpanFormat {
    /// With a header, quoted as RFC 4180 has it, a line feed after each row.
    Csv,
    /// One object per line.
    JsonLines,
}

/// Columns, in order, before that of all other values. Numbers that were not reported are empty (`null` in JSON), never 0.
const COLUMNS: [&str; 19] = [
    "run",
    "track",
    "kind",
    "name",
    "start_ns",
    "duration_ns",
    "depth",
    "parent",
    "status",
    "flags",
    "connector",
    "datasource",
    "command_type",
    "rows_read",
    "rows_returned",
    "read_ns",
    "bytes",
    "elements",
    "sql",
];

/// The keys that have columns of their own.
const APART: [Key; 9] = [
    key::CONNECTOR,
    key::DATASOURCE,
    key::COMMAND_TYPE,
    key::ROWS_READ,
    key::ROWS_RETURNED,
    key::READ_TIME,
    key::BYTES,
    key::ELEMENTS,
    key::SQL,
];

/// Ancestors that are counted. Real traces have four.
const MAX_DEPTH: usize = 64;

/// Writes one row per span, in the order of tracks and starts; then, if `events` are wanted, one per event, without
/// a duration. `parent` is the number of a row, counted from 0 behind the header.
pub fn write_spans(trace: &Trace, format: SpanFormat, events: bool, out: &mut impl Write) -> io::Result<()> {
    let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
    let n_events = if events { trace.events.len() as u32 } else { 0 };
    let items = spans.chain((0..n_events).map(|id| Item::Event(EventId(id))));
    let mut rows = SpanRows { trace, track: None };
    match format {
        SpanFormat::Csv => {
            let mut csv = Csv::new(out);
            COLUMNS.iter().chain([&"values"]).for_each(|column| csv.text(column));
            csv.end()?;
            for item in items {
                rows.row(item).iter().for_each(|value| write_field(&mut csv, value));
                match rows.values(item) {
                    Some(values) => csv.text(&values),
                    None => csv.none(),
                }
                csv.end()?;
            }
        }
        SpanFormat::JsonLines => {
            for item in items {
                write_object(&rows.row(item), rows.values(item), out)?;
            }
        }
    }
    Ok(())
}

fn write_field<W: Write>(csv: &mut Csv<W>, value: &Value) {
    match value {
        Value::Null => csv.none(),
        // Here an empty text says no more than nothing does.
        Value::String(text) if text.is_empty() => csv.none(),
        Value::String(text) => csv.text(text),
        Value::Number(number) => csv.number(&number.to_string()),
        other => csv.text(&other.to_string()),
    }
}

fn write_object(row: &[Value], values: Option<String>, out: &mut impl Write) -> io::Result<()> {
    for (at, (column, value)) in COLUMNS.iter().zip(row).enumerate() {
        write!(out, "{}\"{column}\":{value}", if at == 0 { '{' } else { ',' })?;
    }
    writeln!(out, ",\"values\":{}}}", values.as_deref().unwrap_or("null"))
}

/// A value of a file as JSON in one line. What is no JSON (a broken escape, `NaN`) is a string of the text that stands there.
fn json(text: &str) -> String {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        return Value::from(inner.unwrap_or(text)).to_string();
    }
    let (mut line, mut in_string, mut escaped) = (String::with_capacity(text.len()), false, false);
    for c in text.chars() {
        if in_string || !c.is_ascii_whitespace() {
            line.push(c);
        }
        in_string = if in_string { c != '"' || escaped } else { c == '"' };
        escaped = in_string && c == '\\' && !escaped;
    }
    line
}

/// Makes rows; neighbours are mostly in the same track.
struct SpanRows<'a> {
    trace: &'a Trace,
    track: Option<(TrackId, [String; 2])>,
}

impl SpanRows<'_> {
    fn row(&mut self, item: Item) -> Vec<Value> {
        let trace = self.trace;
        let (name, kind, flags) = match item {
            Item::Span(id) => {
                let span = trace.spans.get(id);
                (span.name, span.kind, span.flags)
            }
            Item::Event(id) => {
                let event = trace.events.get(id);
                (event.name, event.kind, event.flags)
            }
        };
        let [run, track] = self.track(trace.track_of(item));
        let mut row = vec![run.into(), track.into(), kind.name().into(), trace.str(name).into()];
        row.extend(self.place(item));
        row.push(outcome_name(outcome(flags)).into());
        row.push(flags.names().collect::<Vec<_>>().join("; ").into());
        row.extend([key::CONNECTOR, key::DATASOURCE, key::COMMAND_TYPE].map(|key| self.text(item, key)));
        let nums = [key::ROWS_READ, key::ROWS_RETURNED, key::READ_TIME, key::BYTES, key::ELEMENTS];
        row.extend(nums.map(|key| trace.num(item, key).map_or(Value::Null, Value::from)));
        row.push(if kind == Kind::Query { self.text(item, key::SQL) } else { Value::Null });
        row
    }

    /// Whatever else the item carries, by name, as a JSON object: what stands so in the file as it stands there, other numbers in
    /// the unit in which they are kept. `None` where there is nothing.
    fn values(&self, item: Item) -> Option<String> {
        let trace = self.trace;
        let name = |key: Key| trace.str(trace.keys.get(key).name).to_owned();
        let number = |key: Key, number: i64| match trace.keys.get(key).unit {
            Unit::Millionths => decimal(number).parse().map_or(Value::Null, Value::Number),
            _ => Value::from(number),
        };
        let nums = trace.nums(item).map(|(key, n)| (key, number(key, n)));
        let texts = trace.texts(item).map(|(key, text)| (key, trace.str(text).into()));
        let apart = |(key, _): &(Key, Value)| !APART.contains(key);
        let mut values: BTreeMap<String, String> =
            nums.chain(texts).filter(apart).map(|(key, value)| (name(key), value.to_string())).collect();
        let is_sample = trace.kind(item) == Kind::Sample;
        for (name, text, alone) in trace.written(item) {
            let name = trace.str(name);
            // A sample of a counter has one of the series that its record tells of.
            let is_new = !values.contains_key(name);
            if is_new && (is_sample || !alone || self.has_column(item, name)) {
                continue;
            }
            values.insert(name.to_owned(), json(text));
        }
        let members: Vec<String> =
            values.iter().map(|(name, json)| format!("{}:{json}", Value::from(name.as_str()))).collect();
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
    }

    /// Whether what an item carries under a name stands in a column of its own.
    fn has_column(&self, item: Item, name: &str) -> bool {
        let trace = self.trace;
        let is_called = |key: &&Key| trace.str(trace.keys.get(**key).name) == name;
        let key = APART.iter().find(is_called);
        key.is_some_and(|&key| trace.num(item, key).is_some() || trace.text(item, key).is_some())
    }

    /// Start, duration, depth, parent.
    fn place(&self, item: Item) -> [Value; 4] {
        let trace = self.trace;
        let known = |id: &SpanId| trace.contains(Item::Span(*id));
        let parent = trace.parent(item).filter(known);
        let up = |id: &SpanId| trace.parent(Item::Span(*id)).filter(known);
        let depth = std::iter::successors(parent, up).take(MAX_DEPTH).count();
        let (start, duration) = match item {
            Item::Span(id) => {
                let span = trace.spans.get(id);
                (span.start, Value::from(trace.duration(id)))
            }
            Item::Event(id) => (trace.events.time(id), Value::Null),
        };
        [start.into(), duration, depth.into(), parent.map_or(Value::Null, |id| id.0.into())]
    }

    fn text(&self, item: Item, key: Key) -> Value {
        let text: Option<StrId> = self.trace.inherited_text(item, key);
        text.map_or(Value::Null, |text| self.trace.str(text).into())
    }

    /// The names of the run and of the track, from the run down.
    fn track(&mut self, id: TrackId) -> [String; 2] {
        if let Some((kept, names)) = &self.track
            && *kept == id
        {
            return names.clone();
        }
        let tracks = &self.trace.tracks;
        let chain = std::iter::successors(Some(id), |&id| tracks.get(id).parent);
        let mut names: Vec<&str> = chain.map(|id| self.trace.str(tracks.get(id).name)).collect();
        names.reverse();
        let names = [names[0].to_owned(), names.join(" / ")];
        self.track = Some((id, names.clone()));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    fn lines(format: SpanFormat, events: bool) -> Vec<String> {
        let mut out = Vec::new();
        write_spans(&sample::trace(), format, events, &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("text").lines().map(str::to_owned).collect()
    }

    #[test]
    fn spans_are_rows_and_parents_their_numbers() {
        let lines = lines(SpanFormat::Csv, false);
        assert_eq!(lines.len(), 12);
        assert_eq!(
            lines[0],
            "run,track,kind,name,start_ns,duration_ns,depth,parent,status,flags,connector,datasource,command_type,\
             rows_read,rows_returned,read_ns,bytes,elements,sql,values"
        );
        assert_eq!(
            lines[4],
            "run,run / q0 / js-conn / execution,source execution,OrdersAPI,2000000,6000000,3,2,ok,over-fetch,\
             js-conn,OrdersAPI,QUERY,1000,20,4000000,,,,\"{\"\"pushed command\"\":\"\"SELECT * FROM t\"\"}\""
        );
        assert_eq!(
            lines[10],
            "run,run / q2,query,DELETE FROM u,21000000,4000000,1,8,unfinished,no end in trace,,,,,,,,,DELETE FROM u,\
             \"{\"\"query id\"\":\"\"q2\"\"}\""
        );
    }

    #[test]
    fn events_follow_the_spans() {
        let lines = lines(SpanFormat::JsonLines, true);
        assert_eq!(lines.len(), 14);
        let last: Value = serde_json::from_str(&lines[13]).expect("an object per line");
        assert_eq!(last["name"], "SPILL");
        assert_eq!(last["duration_ns"], Value::Null);
        assert_eq!((&last["bytes"], &last["parent"]), (&Value::from(4_000), &Value::from(9)));
    }

    #[test]
    fn nothing_is_written_of_nothing() {
        let mut out = Vec::new();
        write_spans(&Trace::default(), SpanFormat::JsonLines, true, &mut out)
            .expect("a vector takes everything");
        assert!(out.is_empty());
    }
}
