//! Values without names: whatever keys were asked for, what is shown is what the records say, and the rest is counted.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use proptest::prelude::*;
use queryscope::protocol::DetailsRequest;
use queryscope::session::Session;
use queryscope::trace::{Flags, Item, Kind, SpanId, Trace};

use super::shared::{shared, unpacked};
use super::{dump, open};

const RECORDING: &str = "own/monetdb/embedded_jul2021/pystethoscope032_line_statement_prereqs.txt.gz";
const SMALL: &str = include_str!("../traces/monetdb/lines-2021.txt");

/// What is said of an instruction: its thread, place, start and duration in microseconds; the thread is none where no column
/// tells it.
type Said = (Option<i64>, Option<i64>, i64, i64);

/// The starts and ends of the rows with all keys, by their columns: `version, user, clk, mclk, thread, program, pc, tag, …`,
/// the state, and right behind it the duration.
fn said(text: &str) -> Vec<Said> {
    let mut open: BTreeMap<[&str; 3], Vec<i64>> = BTreeMap::new();
    let (mut first, mut found) = (None, Vec::new());
    for line in text.lines() {
        let row: Vec<&str> = line.trim_start_matches('[').split(",\t").collect();
        let number = |at: usize| row[at].parse::<i64>().expect("a number");
        if !row[0].contains("hg id") {
            first = first.or(Some(number(0)));
            continue;
        }
        first = first.or(Some(number(2)));
        let state = row.iter().position(|value| matches!(*value, "start" | "done")).expect("a state");
        let key = [row[4], row[6], row[7]];
        if row[state] == "start" {
            open.entry(key).or_default().push(number(2));
        } else if let Some(start) = open.get_mut(&key).and_then(Vec::pop) {
            assert_eq!(number(2) - start, number(state + 1), "clocks and durations are one");
            let [thread, pc] = [4, 6].map(|at| Some(number(at)));
            found.push((thread, pc, start - first.unwrap_or(start), number(state + 1)));
        }
    }
    found.sort_unstable();
    found
}

/// The instructions that have a start and an end.
fn shown(session: &Session) -> Vec<Said> {
    let trace = session.trace();
    let spans = (0..trace.spans.len() as u32).map(SpanId);
    let whole = |id: &SpanId| {
        let (kind, flags) = trace.spans.kind_and_flags(*id);
        let open = [Flags::OPEN_END, Flags::OPEN_START, Flags::INFERRED];
        kind != Kind::Query && !open.iter().any(|flag| flags.has(*flag))
    };
    let mut found: Vec<Said> = spans
        .filter(whole)
        .map(|id| {
            let pc = trace.key("pc").and_then(|key| trace.num(Item::Span(id), key));
            (thread(trace, id), pc, trace.spans.start(id) / 1000, trace.duration(id) / 1000)
        })
        .collect();
    found.sort_unstable();
    found
}

fn thread(trace: &Trace, id: SpanId) -> Option<i64> {
    let track = trace.tracks.get(trace.tracks.of_span(id));
    trace.str(track.name).strip_prefix("thread ").and_then(|number| number.parse().ok())
}

fn check(name: &str, text: &str) {
    let session = open(name, text.as_bytes());
    let report = session.report().remove(0);
    assert_eq!((report.used, report.reported), (text.lines().count() as u64, 0), "{name}: {report:?}");
    assert_eq!(shown(&session), said(text), "{name}");
    let trace = session.trace();
    let spans = (0..trace.spans.len() as u32).map(SpanId);
    let names: Vec<&str> = spans.map(|id| trace.str(trace.spans.name(id))).collect();
    assert!(!names.iter().any(|name| name.contains("None")), "{name}: {names:?}");
}

#[test]
fn lines_with_all_keys_are_read() {
    check("small", SMALL);
    let Some(folder) = shared() else { return };
    let name = "own/monetdb/embedded_jul2021/pystethoscope032_line_statement_prereqs.txt.gz";
    let stored = fs::read(folder.join(name)).expect("a shared file");
    check(name, &String::from_utf8(unpacked(name, &stored)).expect("text"));
}

/// The same records as dictionaries: the same spans, statements and arrows. What counters are called no line says.
#[test]
fn lines_say_what_dictionaries_say() {
    let Some(folder) = shared() else { return };
    let of = |shape: &str| {
        let name = format!("own/monetdb/embedded_jul2021/pystethoscope032_{shape}_statement_prereqs.txt.gz");
        let session = open("trace", &fs::read(folder.join(name)).expect("a shared file"));
        let is_counter =
            |line: &String| line.starts_with("Counter") || line.starts_with("* ") && line.contains('=');
        dump(&session)
            .into_iter()
            .filter(|line| !is_counter(line) && !line.contains("unnamed counters"))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("line"), of("raw"));
}

/// With three keys nothing but the texts tells what ends what: statements last as long as the recording at most.
#[test]
fn clock_state_and_text_are_enough() {
    let Some(folder) = shared() else { return };
    let name = "own/monetdb/embedded_jul2021/pystethoscope032_line_clk_state_stmt.txt.gz";
    let stored = fs::read(folder.join(name)).expect("a shared file");
    let text = String::from_utf8(unpacked(name, &stored)).expect("text");
    let session = open(name, &stored);
    let clock = |line: &str| line[1..17].parse::<i64>().expect("a clock");
    let lines: Vec<&str> = text.lines().collect();
    // A function as a whole has a start alone, and ends with its last instruction.
    let function = |line: &&&str| line.contains("function user.main");
    let starts: Vec<i64> = lines.iter().filter(function).map(|line| clock(line)).collect();
    let ends: Vec<i64> =
        lines.iter().filter(|line| line.contains("done,\tend user.main")).map(|line| clock(line)).collect();
    let expected: Vec<i64> = starts.iter().zip(&ends).map(|(start, end)| (end - start) * 1000).collect();
    let trace = session.trace();
    let spans = (0..trace.spans.len() as u32).map(|id| trace.spans.get(SpanId(id)));
    let found: Vec<i64> = spans.filter(|span| span.kind == Kind::Query).map(|span| span.duration).collect();
    assert_eq!(found, expected);
    let report = session.report().remove(0);
    assert_eq!((report.used, report.reported), (lines.len() as u64, 0));
    assert!(report.problems.iter().all(|problem| !problem.name.contains("start")), "{report:?}");
}

/// The columns of a row, by their names.
fn columns(line: &str) -> Vec<(&'static str, String)> {
    let row: Vec<&str> = line.trim_start_matches('[').trim_end_matches(']').split(",\t").collect();
    let state =
        row.iter().position(|value| matches!(*value, "start" | "done" | "ping" | "wait")).expect("a state");
    let mut names: Vec<&str> = if row[0].contains("hg id") {
        let mut names = vec!["version", "user", "clk", "mclk", "thread", "program", "pc", "tag"];
        names.extend(["module", "function"].iter().take(if state - 8 >= 2 { 2 } else { 0 }));
        names.extend(std::iter::repeat_n("word", state - names.len()));
        names.extend(["state", "usec"]);
        names
    } else {
        let mut names = vec!["clk", "ctime"];
        names.extend(["rss"].iter().chain(std::iter::repeat_n(&"counter", state - 3)));
        names.extend(["state", "cpuload"]);
        names
    };
    let rest = row[names.len()..].iter().map(|value| match value {
        value if value.starts_with("[{") => "args",
        value if value.starts_with('[') => "prereq",
        _ => "stmt",
    });
    let rest: Vec<&'static str> = rest.collect();
    names.extend(rest);
    let names: Vec<&'static str> = names;
    names
        .into_iter()
        .zip(row)
        .map(|(name, value)| (name, if name == "prereq" { "[]".to_owned() } else { value.to_owned() }))
        .collect()
}

const KEYS: [&str; 18] = [
    "version", "user", "clk", "mclk", "thread", "program", "pc", "tag", "module", "function", "word",
    "state", "usec", "args", "stmt", "prereq", "ctime", "cpuload",
];

/// The rows with some of their keys alone.
fn only(text: &str, keys: &[&str]) -> String {
    let row = |line: &str| {
        let values: Vec<String> =
            columns(line).into_iter().filter(|of| keys.contains(&of.0)).map(|of| of.1).collect();
        format!("[{}]\n", values.join(",\t"))
    };
    text.lines().map(row).collect()
}

/// Everything that is shown of a start and an end is what the records say of one.
fn assert_true(text: &str, keys: &[&str]) {
    let (lines, truth) = (only(text, keys), said(text));
    let mut session = Session::default();
    session.read_as(Some("monetdb")).expect("a known format");
    session.open("lines");
    session.push(lines.as_bytes());
    session.close(None);
    session.build();
    super::assert_accounted(&session);
    for (thread, pc, _, took) in shown(&session) {
        let is_one =
            |of: &&Said| (thread.is_none() || of.0 == thread) && (pc.is_none() || of.1 == pc) && of.3 == took;
        assert!(truth.iter().any(|of| is_one(&of)), "{keys:?} {thread:?} {pc:?} {took}\n{lines}");
    }
}

#[test]
fn keys_that_tell_enough_are_read() {
    let Some(folder) = shared() else { return };
    let name = "own/monetdb/embedded_jul2021/pystethoscope032_line_statement_prereqs.txt.gz";
    let text = unpacked(name, &fs::read(folder.join(name)).expect("a shared file"));
    let text = String::from_utf8(text).expect("text");
    let truth = said(&text);
    let cases: [&[&str]; 6] = [
        &["clk", "thread", "state", "usec", "stmt"],
        &["clk", "pc", "state", "usec", "stmt"],
        &["clk", "thread", "pc", "tag", "state", "usec", "stmt"],
        &["mclk", "thread", "program", "pc", "tag", "state", "usec", "args"],
        &["clk", "mclk", "thread", "program", "pc", "tag", "module", "function", "word", "state", "usec"],
        &["user", "clk", "mclk", "thread", "pc", "tag", "state", "stmt"],
    ];
    for keys in cases {
        let lines = only(&text, keys);
        let session = open("lines", lines.as_bytes());
        let found = shown(&session);
        let (has_thread, has_pc) = (keys.contains(&"thread"), keys.contains(&"pc"));
        let mut expected: Vec<Said> =
            truth.iter().map(|of| (of.0.filter(|_| has_thread), of.1.filter(|_| has_pc), 0, of.3)).collect();
        expected.sort_unstable();
        let mut found: Vec<Said> = found.into_iter().map(|of| (of.0, of.1, 0, of.3)).collect();
        found.sort_unstable();
        if has_pc {
            assert_eq!(found, expected, "{keys:?}");
        }
        // Without the place in the plan, texts are all that brings ends to their starts, and some of them change.
        assert!(found.len() * 10 >= expected.len() * 9, "{keys:?}");
        assert!(found.iter().all(|of| expected.contains(of)), "{keys:?}");
    }
}

/// What could be a thread as well as a place in the plan is neither.
#[test]
fn numbers_of_which_nothing_tells_what_they_are_make_no_span() {
    for text in [
        "[1795239511026765,\t7,\tstart,\tsql.mvc(X_1);]\n[1795239511026778,\t7,\tdone,\tsql.mvc(X_1);]\n",
        "[70964674,\t25,\t4,\tsql.mvc();]\n[70964758,\t25,\t1,\tsql.f();]\n",
        "[1795239511026765,\t13,\tsql.mvc(X_1);]\n",
    ] {
        let session = open("lines", text.as_bytes());
        let report = session.report().remove(0);
        assert_eq!((report.used, report.reported), (0, text.lines().count() as u64), "{text}: {report:?}");
        assert_eq!(session.trace().spans.len(), 0, "{text}");
    }
}

/// What the rows of a file tell together names the values of each in its details as well.
#[test]
fn values_have_their_names_in_details() {
    let text = include_str!("../traces/monetdb/lines.txt");
    let mut session = open("lines", text.as_bytes());
    let mut spans = (0..session.trace().spans.len() as u32).map(SpanId);
    let named = |id: &SpanId| session.trace().str(session.trace().spans.name(*id)) == "a.b";
    let id = spans.find(named).expect("an instruction");
    let request = DetailsRequest { item: Item::Span(id).code() };
    let Some(details) = session.answer(&request) else { panic!("no details") };
    let place = &details.records[0];
    let bytes = &text.as_bytes()[place.offset as usize..][..place.length as usize];
    let fields = session.raw(place, bytes).fields;
    let expected = ["clk 160", "thread 7", "pc 6", "tag 5", "usec 4", "stmt X_5 := a.b(X_4);"];
    let found: Vec<String> = fields.iter().map(|(name, value)| format!("{name} {value}")).collect();
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn no_choice_of_keys_invents_anything(keys in prop::sample::subsequence(KEYS.to_vec(), 1..KEYS.len())) {
        assert_true(SMALL, &keys);
    }

    #[test]
    fn no_choice_of_keys_of_a_recording_invents_anything(
        keys in prop::sample::subsequence(KEYS.to_vec(), 1..KEYS.len()),
    ) {
        if let Some(text) = recording() {
            assert_true(text, &keys);
        }
    }
}

/// The shared recording with all keys.
fn recording() -> Option<&'static str> {
    static TEXT: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let stored = fs::read(shared()?.join(RECORDING)).expect("a shared file");
        Some(String::from_utf8(unpacked(RECORDING, &stored)).expect("text"))
    };
    TEXT.get_or_init(read).as_deref()
}
