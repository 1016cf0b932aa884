//! Spans that are written out: each argument as it stands in the record, of the same type and with the same digits.

use queryscope::export::{SpanFormat, write_spans};
use queryscope::session::Session;
use queryscope::trace::{EventId, Item, Kind, RecordId, SpanId, Trace};
use serde_json::{Map, Value};

use super::support;

/// Members of an event that are no arguments.
const OWN: [&str; 23] = [
    "ph", "name", "cat", "ts", "dur", "tdur", "pid", "tid", "id", "id2", "scope", "s", "bp", "bind_id",
    "flow_in", "flow_out", "args", "tts", "cname", "sf", "esf", "stack", "estack",
];

/// What a row has besides the arguments.
const ADDED: [&str; 2] = ["category", "thread time"];

/// Objects in objects whose members are arguments of their own.
const LEVELS: usize = 3;

fn read(name: &str, bytes: &[u8]) -> Session {
    let mut session = Session::default();
    session.keep_written();
    support::open_in(session, [(name, bytes)])
}

/// The arguments of a value, by their names.
fn list(name: &str, value: &Value, level: usize, found: &mut Map<String, Value>) {
    match value {
        Value::Object(members) if level <= LEVELS && (level == 0 || !members.is_empty()) => {
            for (key, value) in members {
                let path = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                list(&path, value, level + 1, found);
            }
        }
        value => drop(found.insert(name.to_owned(), value.clone())),
    }
}

/// The arguments of an event, out of its text.
fn arguments(text: &[u8]) -> (Value, Map<String, Value>) {
    let event: Value = serde_json::from_slice(text).expect("sound JSON");
    let mut found = Map::new();
    match &event["args"] {
        Value::Null => {}
        args @ Value::Object(_) => list("", args, 0, &mut found),
        other => drop(found.insert("args".to_owned(), other.clone())),
    }
    for (key, value) in event.as_object().expect("an object") {
        if !OWN.contains(&key.as_str()) {
            list(key, value, 1, &mut found);
        }
    }
    (event, found)
}

/// What the rows of a file must say, by the spans and events of its trace: the end's arguments besides those of the beginning.
fn expected(
    trace: &Trace,
    item: Item,
    of: impl Fn(RecordId) -> Option<(Value, Map<String, Value>)>,
) -> Map<String, Value> {
    let (begin, end) = match item {
        Item::Span(id) => (trace.spans.begin(id), trace.spans.end(id)),
        Item::Event(id) => (trace.events.record(id), RecordId::NONE),
    };
    let [begin, end] = [begin, end].map(|record| (record != RecordId::NONE).then(|| of(record)).flatten());
    let is_step =
        |event: &Option<(Value, _)>, phase: &str| event.as_ref().is_some_and(|(e, _)| e["ph"] == phase);
    // A step ends, or begins, with the event of another one.
    let [begin, end] = match (is_step(&begin, "T"), is_step(&end, "p")) {
        (true, _) => [begin, None],
        (_, true) => [None, end],
        _ => [begin, end],
    };
    let both = [begin, end].into_iter().flatten();
    both.flat_map(|(_, arguments)| arguments).collect()
}

/// Compares each row with the records; how many arguments were compared.
fn check(name: &str, stored: &[u8], is_packed: bool) -> usize {
    let session = read(name, stored);
    let trace = session.trace();
    let mut out = Vec::new();
    write_spans(trace, SpanFormat::JsonLines, true, &mut out).expect("a vector takes everything");
    let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
    let items = spans.chain((0..trace.events.len() as u32).map(|id| Item::Event(EventId(id))));
    let text = if is_packed { whole_text(&session, stored) } else { stored.to_vec() };
    let of = |record: RecordId| {
        let place = session.place(record)?;
        let start = place.offset as usize;
        Some(arguments(&text[start..start + place.length as usize]))
    };
    let (mut compared, mut rows) = (0, 0);
    for (line, item) in out.split(|byte| *byte == b'\n').zip(items) {
        rows += 1;
        let row: Value = serde_json::from_slice(line).expect("an object in each line");
        let none = Map::new();
        let values = row["values"].as_object().unwrap_or(&none);
        let arguments = expected(trace, item, of);
        let named = |name: &str| values.get(name).or_else(|| values.get(&format!("args.{name}")));
        for (key, value) in &arguments {
            let found = named(key);
            // A sample of a counter has one of the series; `bytes` and the like have columns of their own.
            let is_elsewhere = found.is_none() && (trace.kind(item) == Kind::Sample || !row[key].is_null());
            assert!(is_elsewhere || found == Some(value), "{name}: {key} is {found:?}, not {value:?}");
            compared += usize::from(found.is_some());
        }
        for key in values.keys() {
            let own = key.strip_prefix("args.").unwrap_or(key);
            let known = arguments.contains_key(key) || arguments.contains_key(own) || ADDED.contains(&&**key);
            let is_drawn = !arguments.is_empty() || key != "source";
            assert!(known || !is_drawn, "{name}: {key} stands in no record");
        }
    }
    assert_eq!(rows, trace.spans.len() + trace.events.len(), "{name}");
    compared
}

fn whole_text(session: &Session, stored: &[u8]) -> Vec<u8> {
    let mut whole = session.place(RecordId(0)).expect("a record");
    (whole.offset, whole.length) = (0, u32::MAX);
    support::unpack(session, &whole, stored).expect("all of the text")
}

#[test]
fn every_argument_is_written_as_it_stands() {
    let text = include_bytes!("../traces/chrome/value-types.json");
    assert_eq!(check("value-types.json", text, false), 27);
    let files = ["begin-end", "async", "counters", "instants", "objects", "times", "flow-instants"];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces/chrome/");
    for name in files {
        check(name, &std::fs::read(format!("{folder}{name}.json")).expect("a fixture"), false);
    }
}

#[test]
fn every_argument_of_real_traces_is_written_as_it_stands() {
    let Some(shared) = support::shared("own/chrome") else { return };
    let read = |name: &str| std::fs::read(shared.join("own/chrome").join(name)).expect("a shared trace");
    for (name, arguments) in [
        ("ray_timeline.json", 211),
        ("onnxruntime_profile.json.gz", 4_000),
        ("rust_tracing_chrome_async.json.gz", 2_000),
        ("typescript7_generateTrace.json.gz", 1_000),
    ] {
        let compared = check(name, &read(name), name.ends_with(".gz"));
        assert!(compared >= arguments, "{name}: {compared}");
    }
}

/// CSV has the same text; columns stay what they are, and so do texts that are no JSON.
#[test]
fn rows_of_csv_and_what_is_no_json() {
    let csv = |text: &str| {
        let mut out = Vec::new();
        write_spans(read("t.json", text.as_bytes()).trace(), SpanFormat::Csv, false, &mut out)
            .expect("a vector");
        String::from_utf8(out).expect("UTF-8").lines().nth(1).unwrap_or_default().to_owned()
    };
    let event =
        |args: &str| format!(r#"[{{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1,"args":{args}}}]"#);
    for (args, values) in [
        (r#"{"s":"-1","b":true,"n":null,"o":{}}"#, r#"{"b":true,"n":null,"o":{},"s":"-1"}"#),
        (r#"{"l":[ 1,"a b" , {"c" : "\"" }]}"#, r#"{"l":[1,"a b",{"c":"\""}]}"#),
        (r#"{"s":"a\qb","v":NaN}"#, r#"{"s":"a\\qb","v":"NaN"}"#),
        (r#"{"a":"1","a":"2"}"#, r#"{"a":"2"}"#),
        (r#"[1,"2"]"#, r#"{"args":[1,"2"]}"#),
    ] {
        let row = csv(&event(args));
        let quoted = format!(",\"{}\"", values.replace('"', "\"\""));
        assert!(row.ends_with(&quoted), "{args}: {row}");
    }
    let row = csv(&event(r#"{"bytes":5}"#));
    assert!(row.ends_with(",5,,,"), "{row}");
}
