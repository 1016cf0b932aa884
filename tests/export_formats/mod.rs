//! Traces in the formats of other programs: each file is opened by a parser that is not ours, and says what the trace says.

use crate::support;

mod chrome;
mod command_line;
mod folded;
mod otlp;
mod speedscope;

use std::fs;
use std::path::PathBuf;

use queryscope::export::{ForeignFormat, ForeignSummary, write_foreign};
use queryscope::internal::testing::items;
use queryscope::protocol::ExportSpec;
use queryscope::session::Session;
use queryscope::trace::{Item, Kind, SpanId, Trace, TrackId};

/// Traces at the limits, in the format `queryscope`.
const LIMITS: [(&str, &str); 8] = [
    ("empty", ""),
    ("one span", r#"{"run":"r"} {"track":"t","kind":"thread"} {"span":"s","start":1,"duration":2}"#),
    (
        "overlapping, nested, and without a duration",
        r#"{"run":"r"} {"track":"t","kind":"thread"} {"span":"a","start":0,"duration":10} {"span":"b","start":5,"duration":10,"row":1}
        {"span":"c","start":6,"duration":4,"row":2,"parent":1} {"span":"d","start":10,"duration":0}
        {"span":"e","start":10,"duration":3} {"flow":"","from":0,"to":4,"leaves":10,"arrives":10}
        {"flow":"x","from":0,"to":1,"leaves":6,"arrives":7}"#,
    ),
    (
        "unfinished and failed",
        r#"{"run":"r"} {"track":"t","kind":"query"} {"span":"q","kind":"query","start":0,"duration":9,"flags":["failed","no end in trace"],
        "texts":{"SQL":"SELECT 1","error":"no\nrows"}} {"track":"u","kind":"source"}
        {"span":"s","kind":"source execution","start":3,"duration":2,"parent":0,"nums":{"share":0.25,"rows":-7}}
        {"event":"e","time":4,"parent":1,"nums":{"n":1}} {"event":"alone","time":5}"#,
    ),
    (
        "hostile names",
        r##"{"run":"r\"},\u0000</script>"} {"track":"t;\n/","kind":"thread"} {"span":"a;b\nc\td 12","start":0,"duration":5}
        {"span":"\u0001\"\\\u2028","start":1,"duration":2,"texts":{"\"},{":"]}\u0007","flags":"own"},"flags":["failed"]}
        {"span":"#","start":6,"duration":1} {"span":"","start":8,"duration":1} {"event":"\ud83d\ude00\"","time":2}"##,
    ),
    (
        "largest times",
        r#"{"run":"r","origin":9223372036854775807} {"track":"t","kind":"thread"} {"span":"a","start":0,"duration":9223372036854775807}
        {"span":"b","start":9007199254740993,"duration":1} {"event":"e","time":9223372036854775807}"#,
    ),
    (
        "two runs at a known time of day, and at negative times",
        r#"{"run":"r","origin":1700000000000000000} {"track":"t","kind":"thread"} {"span":"a","start":0,"duration":3}
        {"run":"s"} {"track":"t","kind":"thread"} {"span":"a","start":-5,"duration":3} {"span":"b","start":-4,"duration":1}"#,
    ),
    (
        "counters of one name",
        r#"{"run":"r"} {"track":"c","kind":"counter"} {"event":"c","kind":"counter","time":0,"nums":{"v":0.5}}
        {"track":"c","kind":"counter"} {"event":"c","kind":"counter","time":3,"nums":{"v":9223372036854775807}}
        {"event":"c","kind":"counter","time":4}"#,
    ),
];

/// Opens one of [`LIMITS`]: its objects in lines of their own.
fn limit(text: &str) -> Session {
    let lines = text.replace("} {", "}\n{").replace("}\n        {", "}\n{").replace("\n        ", " ");
    support::open([("limit.ndjson", format!("{{\"queryscope\":\"trace\",\"version\":1}}\n{lines}\n"))])
}

/// The shared traces up to a size that a debug build writes and reads in seconds.
fn shared_traces() -> Vec<PathBuf> {
    const LARGEST: u64 = 16 << 10;
    let mut left: Vec<PathBuf> = support::shared("own").into_iter().collect();
    let mut paths = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else if fs::metadata(&path).is_ok_and(|about| about.len() <= LARGEST) {
            paths.push(path);
        }
    }
    paths
}

/// All small traces with their names: the fixtures, small shared traces, and [`LIMITS`].
fn sessions() -> Vec<(String, Session)> {
    let fixtures = support::fixtures().into_iter().chain(shared_traces()).map(|path| {
        let bytes = fs::read(&path).expect("the file can be read");
        (path.display().to_string(), support::open([(path.to_string_lossy(), bytes)]))
    });
    fixtures.chain(LIMITS.iter().map(|(name, text)| ((*name).to_owned(), limit(text)))).collect()
}

fn written_part(session: &Session, spec: &ExportSpec, format: ForeignFormat) -> (String, ForeignSummary) {
    let mut out = Vec::new();
    let summary = write_foreign(session.trace(), spec, format, &mut out).expect("a vector takes everything");
    (String::from_utf8(out).expect("every format is text"), summary)
}

fn written(session: &Session, format: ForeignFormat) -> (String, ForeignSummary) {
    written_part(session, &ExportSpec::default(), format)
}

/// The count in a phrase of a summary that ends with one of the nouns; 0 if there is none.
fn count_of(phrases: &[String], nouns: [&str; 2]) -> usize {
    let counts = phrases.iter().filter_map(|phrase| {
        let (count, noun) = phrase.split_once(' ')?;
        nouns.contains(&noun).then(|| count.replace(',', "").parse::<usize>().expect("a number"))
    });
    counts.sum()
}

/// The name that a file has for an item: its kind, if it has no name.
fn name_of(trace: &Trace, item: Item) -> String {
    let name = trace.str(trace.name(item));
    if name.is_empty() { trace.kind(item).name().to_owned() } else { name.to_owned() }
}

fn spans(trace: &Trace) -> impl Iterator<Item = SpanId> + use<> {
    (0..trace.spans.len() as u32).map(SpanId)
}

fn tracks(trace: &Trace) -> impl Iterator<Item = TrackId> + use<> {
    (0..trace.tracks.len() as u32).map(TrackId)
}

/// Name, start and end of all spans, sorted.
fn intervals(trace: &Trace) -> Vec<(String, i128, i128)> {
    let interval = |id: SpanId| {
        let (start, end) = trace.spans.bounds(id);
        (name_of(trace, Item::Span(id)), i128::from(start), i128::from(end))
    };
    let mut intervals: Vec<_> = spans(trace).map(interval).collect();
    intervals.sort();
    intervals
}

/// Number of events that are samples of counters, and of all others.
fn n_events(trace: &Trace) -> (usize, usize) {
    let events = items(trace).filter(|item| matches!(item, Item::Event(_)));
    let (samples, others): (Vec<Item>, Vec<Item>) =
        events.partition(|&item| trace.kind(item) == Kind::Sample);
    (samples.len(), others.len())
}

fn n_flows(trace: &Trace) -> usize {
    trace.flows.iter().count() + trace.flows.of_instants().count()
}
