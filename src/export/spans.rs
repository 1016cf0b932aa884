//! Export of spans as rows: CSV, or one JSON object per line. See `docs/command-line.md`.
//!
//! If the trace [kept](crate::trace::RecordTable::keep_written) the source text, arguments are written as in the file: a
//! quoted number as a string, `true` and `null` unchanged, `1.50` with its zero, objects and arrays as objects and arrays.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::analysis::{outcome, outcome_name};
use crate::base::csv::Csv;
use crate::base::text::decimal;
use crate::trace::{EventId, Flags, Item, Key, Kind, SpanId, Trace, TrackId, Unit, key};
use SpanColumn::{Computed, Inherited, Number, OfQuery};

/// Output format of spans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpanFormat {
    /// CSV with a header, quoted according to RFC 4180, with a line feed after each row.
    Csv,
    /// One JSON object per line.
    JsonLines,
}

/// Source of the values of a column. Numbers that were not reported are empty (`null` in JSON), never 0.
enum SpanColumn {
    /// Computed from the item.
    Computed(fn(&SpanRow) -> Value),
    /// A numeric attribute of the item.
    Number(Key),
    /// A text of the item, or of its nearest ancestor that has the text.
    Inherited(Key),
    /// A text of a query; empty for all other items.
    OfQuery(Key),
}

/// All columns except the last column, `values`, which holds all attributes without a column of their own.
static COLUMNS: [(&str, SpanColumn); 19] = [
    ("run", Computed(|row| row.run.into())),
    ("track", Computed(|row| row.track.into())),
    ("kind", Computed(|row| row.trace.kind(row.item).name().into())),
    ("name", Computed(|row| row.trace.str(row.trace.name(row.item)).into())),
    ("start_ns", Computed(|row| row.trace.interval(row.item).0.into())),
    ("duration_ns", Computed(|row| row.duration())),
    ("depth", Computed(|row| row.ancestors().count().into())),
    (
        "parent",
        Computed(|row| {
            row.ancestors().next().and_then(|id| row.numbers.of(id)).map_or(Value::Null, Value::from)
        }),
    ),
    ("status", Computed(|row| outcome_name(outcome(row.flags())).into())),
    ("flags", Computed(|row| row.flags().names().collect::<Vec<_>>().join("; ").into())),
    ("connector", Inherited(key::CONNECTOR)),
    ("datasource", Inherited(key::DATASOURCE)),
    ("command_type", Inherited(key::COMMAND_TYPE)),
    ("rows_read", Number(key::ROWS_READ)),
    ("rows_returned", Number(key::ROWS_RETURNED)),
    ("read_ns", Number(key::READ_TIME)),
    ("bytes", Number(key::BYTES)),
    ("elements", Number(key::ELEMENTS)),
    ("sql", OfQuery(key::SQL)),
];

impl SpanColumn {
    /// The attribute in the column, which `values` therefore does not repeat; `None` for a computed column.
    fn key(&self) -> Option<Key> {
        match *self {
            Computed(_) => None,
            Number(key) | Inherited(key) | OfQuery(key) => Some(key),
        }
    }

    fn value(&self, row: &SpanRow) -> Value {
        match *self {
            Computed(value) => value(row),
            Number(key) => row.trace.num(row.item, key).map_or(Value::Null, Value::from),
            OfQuery(_) if row.trace.kind(row.item) != Kind::Query => Value::Null,
            Inherited(key) | OfQuery(key) => {
                let text = row.trace.inherited_text(row.item, key);
                text.map_or(Value::Null, |text| row.trace.str(text).into())
            }
        }
    }
}

/// The attributes that have columns of their own.
fn column_keys() -> impl Iterator<Item = Key> {
    COLUMNS.iter().filter_map(|(_, column)| column.key())
}

/// Maximum number of ancestors that are counted. Real traces have four.
const MAX_DEPTH: usize = 64;

/// Writes one row per span, ordered by track and start; then, if `events` is true, one row per event, without a
/// duration. The column `parent` holds the number of the parent's row; the first row after the header has number 0.
pub fn write_spans(trace: &Trace, format: SpanFormat, events: bool, out: &mut impl Write) -> io::Result<()> {
    write_chosen_spans(trace, format, (events, None), out)
}

/// Like [`write_spans`], for the chosen spans and events only: by span, then by event. `parent` is empty if the parent has no
/// row.
pub fn write_chosen_spans(
    trace: &Trace,
    format: SpanFormat,
    (events, chosen): (bool, Option<&[bool]>),
    out: &mut impl Write,
) -> io::Result<()> {
    let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
    let n_events = if events { trace.events.len() as u32 } else { 0 };
    let events = (0..n_events).map(|id| Item::Event(EventId(id)));
    let is_chosen = |row: usize| chosen.is_none_or(|chosen| chosen.get(row).is_some_and(|chosen| *chosen));
    let mut numbers = RowNumbers { chosen: None };
    if chosen.is_some() {
        let mut next = 0..;
        let number = |row| if is_chosen(row) { next.next() } else { None };
        numbers.chosen = Some((0..trace.spans.len()).map(number).collect());
    }
    let items = (0..).zip(spans.chain(events)).filter(|(row, _)| is_chosen(*row)).map(|(_, item)| item);
    let mut paths = TrackPaths { trace, last: None };
    match format {
        SpanFormat::Csv => {
            let mut csv = Csv::new(out);
            COLUMNS.iter().for_each(|(name, _)| csv.text(name));
            csv.text("values");
            csv.end()?;
            for item in items {
                let row = SpanRow::of(trace, item, &mut paths, &numbers);
                COLUMNS.iter().for_each(|(_, column)| write_field(&mut csv, &column.value(&row)));
                match row.values() {
                    Some(values) => csv.text(&values),
                    None => csv.none(),
                }
                csv.end()?;
            }
        }
        SpanFormat::JsonLines => {
            for item in items {
                write_object(&SpanRow::of(trace, item, &mut paths, &numbers), out)?;
            }
        }
    }
    Ok(())
}

fn write_field<W: Write>(csv: &mut Csv<W>, value: &Value) {
    match value {
        Value::Null => csv.none(),
        // An empty text has no more meaning than an empty field.
        Value::String(text) if text.is_empty() => csv.none(),
        Value::String(text) => csv.text(text),
        Value::Number(number) => csv.number(&number.to_string()),
        other => csv.text(&other.to_string()),
    }
}

fn write_object(row: &SpanRow, out: &mut impl Write) -> io::Result<()> {
    for (at, (name, column)) in COLUMNS.iter().enumerate() {
        write!(out, "{}\"{name}\":{}", if at == 0 { '{' } else { ',' }, column.value(row))?;
    }
    writeln!(out, ",\"values\":{}}}", row.values().as_deref().unwrap_or("null"))
}

/// Formats a value of a file as JSON in one line. Invalid JSON (a broken escape, `NaN`) becomes a string of its text.
fn json(text: &str) -> String {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        return Value::from(inner.unwrap_or(text)).to_string();
    }
    let mut line = String::with_capacity(text.len());
    let mut in_string = false;
    let mut escaped = false;
    for c in text.chars() {
        if in_string || !c.is_ascii_whitespace() {
            line.push(c);
        }
        in_string = if in_string { c != '"' || escaped } else { c == '"' };
        escaped = in_string && c == '\\' && !escaped;
    }
    line
}

/// One row of the output: a span or an event.
struct SpanRow<'a> {
    trace: &'a Trace,
    item: Item,
    run: &'a str,
    /// Path of track names, from the run down to the track.
    track: &'a str,
    numbers: &'a RowNumbers,
}

/// Numbers of the rows of spans.
struct RowNumbers {
    /// By span: the number of its row, if it has one; `None` if all spans have a row.
    chosen: Option<Vec<Option<u32>>>,
}

impl RowNumbers {
    fn of(&self, id: SpanId) -> Option<u32> {
        match &self.chosen {
            Some(chosen) => chosen.get(id.0 as usize).copied().flatten(),
            None => Some(id.0),
        }
    }
}

impl<'a> SpanRow<'a> {
    fn of(trace: &'a Trace, item: Item, paths: &'a mut TrackPaths, numbers: &'a RowNumbers) -> Self {
        let [run, track] = paths.of(trace.track_of(item));
        Self { trace, item, run, track, numbers }
    }

    fn flags(&self) -> Flags {
        match self.item {
            Item::Span(id) => self.trace.spans.flags(id),
            Item::Event(id) => self.trace.events.get(id).flags,
        }
    }

    fn duration(&self) -> Value {
        match self.item {
            Item::Span(id) => self.trace.duration(id).into(),
            Item::Event(_) => Value::Null,
        }
    }

    /// The ancestors of the item, parent first.
    fn ancestors(&self) -> impl Iterator<Item = SpanId> {
        let parent = |item: Item| self.trace.parent(item).filter(|&id| self.trace.contains(Item::Span(id)));
        std::iter::successors(parent(self.item), move |&id| parent(Item::Span(id))).take(MAX_DEPTH)
    }

    /// A JSON object of the attributes without a column of their own, by name. A value is written as in the file if its
    /// text was kept; other numbers are in the unit in which the trace stores them. `None` if there are no such
    /// attributes.
    fn values(&self) -> Option<String> {
        let Self { trace, item, .. } = *self;
        let name = |key: Key| trace.str(trace.keys.get(key).name).to_owned();
        let number = |key: Key, number: i64| match trace.keys.get(key).unit {
            Unit::Millionths => decimal(number).parse().map_or(Value::Null, Value::Number),
            _ => Value::from(number),
        };
        let nums = trace.nums(item).map(|(key, n)| (key, number(key, n)));
        let texts = trace.texts(item).map(|(key, text)| (key, trace.str(text).into()));
        let has_no_column = |(key, _): &(Key, Value)| column_keys().all(|column| column != *key);
        let mut values: BTreeMap<String, String> = nums
            .chain(texts)
            .filter(has_no_column)
            .map(|(key, value)| (name(key), value.to_string()))
            .collect();
        let is_sample = trace.kind(item) == Kind::Sample;
        for (name, text, alone) in trace.written(item) {
            let name = trace.str(name);
            // A sample of a counter holds only one of the series that its record reports.
            let is_new = !values.contains_key(name);
            if is_new && (is_sample || !alone || self.has_column(name)) {
                continue;
            }
            values.insert(name.to_owned(), json(text));
        }
        let members: Vec<String> =
            values.iter().map(|(name, json)| format!("{}:{json}", Value::from(name.as_str()))).collect();
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
    }

    /// Whether the item's attribute with this name has a column of its own.
    fn has_column(&self, name: &str) -> bool {
        let Self { trace, item, .. } = *self;
        let key = column_keys().find(|&key| trace.str(trace.keys.get(key).name) == name);
        key.is_some_and(|key| trace.num(item, key).is_some() || trace.text(item, key).is_some())
    }
}

/// Paths of tracks. Caches the last path, because consecutive items are mostly in the same track.
struct TrackPaths<'a> {
    trace: &'a Trace,
    last: Option<(TrackId, [String; 2])>,
}

impl TrackPaths<'_> {
    /// The name of the run, and the path of the track from the run down.
    fn of(&mut self, id: TrackId) -> [&str; 2] {
        if self.last.as_ref().is_none_or(|(last, _)| *last != id) {
            let tracks = &self.trace.tracks;
            let chain = std::iter::successors(Some(id), |&id| tracks.get(id).parent);
            let mut names: Vec<&str> = chain.map(|id| self.trace.str(tracks.get(id).name)).collect();
            names.reverse();
            self.last = Some((id, [names[0].to_owned(), names.join(" / ")]));
        }
        self.last.as_ref().map_or(["", ""], |(_, [run, track])| [run.as_str(), track.as_str()])
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
