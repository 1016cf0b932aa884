//! Every shared file against what is known of it.

use std::fs;
use std::path::PathBuf;

use queryscope::protocol::{DetailsRequest, ParallelRequest, RawPlace};
use queryscope::session::Session;
use queryscope::trace::{Flags, Item, Kind, SpanId, Trace, TrackId, TrackKind};

use super::open;

/// The folder of shared traces.
pub fn shared() -> Option<PathBuf> {
    crate::support::shared("own/monetdb")
}

/// What is counted: records, instructions with a start and an end, starts without an end, ends without a start, threads,
/// statements.
type Numbers = [usize; 6];

/// Counted by a program of another language, which pairs by session, tag, pc and thread, the last start first.
const STREAMS: [(&str, Numbers); 27] = [
    ("own/monetdb/sep2022/raw_stream_8queries.json.gz", [1893, 1815, 0, 0, 6, 11]),
    ("own/monetdb/sep2022/raw_stream_minimal.json", [62, 8, 0, 0, 1, 8]),
    ("own/monetdb/sep2022/raw_stream_escapes.json", [82, 46, 0, 0, 4, 5]),
    ("own/monetdb/sep2022/stethoscope_live_json.jsonl.gz", [1244, 1190, 0, 0, 5, 8]),
    ("own/monetdb/sep2022/fmt_json_pretty.txt.gz", [120, 104, 0, 0, 5, 2]),
    ("own/monetdb/apr2019/stethoscope_json_hb50.json.gz", [3559, 1550, 5, 9, 5, 13]),
    ("own/monetdb/apr2019/stethoscope_json_escapes.json.gz", [188, 94, 0, 0, 4, 6]),
    ("own/monetdb/embedded_jul2021/raw_stream_hb25_11.41.14.json.gz", [2621, 1103, 243, 6, 4, 12]),
    (
        "own/monetdb/embedded_jul2021/raw_stream_concurrent3_hb25_11.41.14.json.gz",
        [2412, 1045, 236, 6, 6, 18],
    ),
    ("public/monetdb/marvin/example_query_20180621.gz", [192, 95, 0, 2, 5, 1]),
    ("public/monetdb/marvin/jan2019_sf10_10threads_Q01.json.gz", [1456, 728, 0, 0, 11, 1]),
    ("public/monetdb/marvin/jan2019_sf10_10threads_Q02.json.gz", [1618, 809, 0, 0, 11, 1]),
    ("public/monetdb/marvin/supervisor.json.gz", [116, 58, 0, 0, 5, 1]),
    ("public/monetdb/marvin/worker1.json", [82, 41, 0, 0, 2, 14]),
    ("public/monetdb/marvin/worker2.json", [82, 41, 0, 0, 3, 14]),
    ("own/monetdb/sep2022/raw_stream_hb100.json", [63, 18, 0, 0, 5, 1]),
    ("own/monetdb/sep2022/raw_stream_hb50_corrupted_tail.json", [108, 21, 0, 0, 5, 1]),
    ("own/monetdb/sep2022/fmt_json.txt", [120, 104, 0, 0, 5, 2]),
    ("own/monetdb/sep2022/fmt_json_statement_mask.txt", [120, 104, 0, 0, 5, 2]),
    ("own/monetdb/sep2022/fmt_json_statement_prereqs.txt.gz", [120, 104, 0, 0, 5, 2]),
    ("own/monetdb/sep2022/fmt_json_pretty_exclude_args.txt", [120, 104, 0, 0, 5, 2]),
    ("own/monetdb/sep2022/fmt_pipeline_raw_from_file.txt", [120, 104, 0, 0, 5, 2]),
    ("public/monetdb/marvin/supervisor_original.json.gz", [118, 58, 0, 2, 5, 1]),
    ("public/monetdb/marvin/example_query_20180621_compressed.gz", [192, 95, 0, 2, 5, 1]),
    ("public/monetdb/marvin/trace.json.bz2", [1456, 728, 0, 0, 11, 1]),
    ("public/monetdb/marvin/example_heartbeat.json", [1, 0, 0, 0, 0, 0]),
    ("public/monetdb/marvin/single_event_formatted.json", [1, 0, 0, 1, 1, 1]),
];

/// Files of tools that hold no event, and are told apart from what is broken.
const OTHERS: [&str; 2] =
    ["own/monetdb/apr2019/tomograph_cache/", "own/monetdb/sep2022/mclient_t_performance.txt"];

#[test]
fn every_shared_file_is_in_a_table() {
    let Some(folder) = shared() else { return };
    let known: Vec<&str> = readable().collect();
    crate::support::assert_all_known(&folder, &["own/monetdb", "public/monetdb"], &known, &OTHERS);
}

fn numbers(session: &Session) -> Numbers {
    let trace = session.trace();
    let tracks = || (0..trace.tracks.len() as u32).map(TrackId);
    let is_thread = |id: &TrackId| trace.tracks.get(*id).kind == TrackKind::Thread;
    let spans = |id| trace.tracks.spans(id).map(|span| trace.spans.get(SpanId(span)));
    let mut found = [0; 6];
    found[0] = session.report().iter().map(|file| file.records as usize).sum();
    for span in tracks().filter(is_thread).flat_map(spans) {
        let open = span.flags.has(Flags::OPEN_END) || span.flags.has(Flags::INFERRED);
        found[if open { 2 } else { 1 + 2 * usize::from(span.flags.has(Flags::OPEN_START)) }] += 1;
    }
    found[4] = tracks().filter(is_thread).count();
    let all = (0..trace.spans.len() as u32).map(|span| trace.spans.get(SpanId(span)));
    found[5] = all.filter(|span| span.kind == Kind::Query).count();
    found
}

#[test]
fn streams_have_the_numbers_that_are_known() {
    let Some(folder) = shared() else { return };
    let found = STREAMS.map(|(name, _)| {
        let session = open(name, &fs::read(folder.join(name)).expect("a shared file"));
        (name, numbers(&session))
    });
    assert_eq!(found, STREAMS);
}

#[test]
fn nothing_runs_inside_of_a_dataflow_block_on_its_own_thread() {
    let Some(folder) = shared() else { return };
    for (name, _) in STREAMS {
        let session = open(name, &fs::read(folder.join(name)).expect("a shared file"));
        let trace = session.trace();
        let spans = || (0..trace.spans.len() as u32).map(|id| trace.spans.get(SpanId(id)));
        let waits = spans().filter(|span| span.kind == Kind::Wait);
        assert!(
            waits.into_iter().all(|span| matches!(
                trace.str(span.name),
                "language.dataflow" | "remote.connect" | "remote.exec" | "remote.get" | "remote.put"
            )),
            "{name}"
        );
        let inside =
            spans().filter_map(|span| span.parent).filter(|at| trace.spans.get(*at).kind == Kind::Wait);
        assert_eq!(inside.count(), 0, "{name}");
    }
}

#[test]
fn statements_are_as_they_were_typed() {
    let Some(folder) = shared() else { return };
    let expected = "select 'it\\'s a \"quoted\" \\ back\ttab' as s, count(*) from part where p_name like 'part \"quoted\" name 1%'";
    for name in [STREAMS[0].0, STREAMS[5].0] {
        let session = open(name, &fs::read(folder.join(name)).expect("a shared file"));
        let trace = session.trace();
        let spans = (0..trace.spans.len() as u32).map(|id| trace.spans.get(SpanId(id)));
        let names: Vec<&str> =
            spans.filter(|span| span.kind == Kind::Query).map(|span| trace.str(span.name)).collect();
        assert!(names.contains(&expected), "{name}: {names:#?}");
    }
}

/// A supervisor and its workers, each in a file of its own, in any order: one run on one clock.
#[test]
fn servers_that_work_for_each_other_are_one_run() {
    let Some(folder) = shared() else { return };
    let folder = folder.join("public/monetdb/marvin");
    for names in [
        ["supervisor.json.gz", "worker1.json", "worker2.json"],
        ["worker2.json", "worker1.json", "supervisor.json.gz"],
    ] {
        let mut session = Session::default();
        for name in names {
            session.open(name);
            session.push(&fs::read(folder.join(name)).expect("a shared file"));
            session.close(None);
        }
        session.build();
        super::assert_accounted(&session);
        let trace = session.trace();
        assert_eq!(trace.runs.len(), 1, "{names:?}");
        assert_eq!(
            (trace.str(trace.runs[0].name), trace.tracks.children(trace.runs[0].track).count()),
            ("supervisor.json.gz", 3)
        );
        // Half a second is between the clocks; the statement itself took 29 ms.
        assert!(trace.runs[0].duration < 40_000_000, "{}", trace.runs[0].duration);
        let asked: Vec<_> = trace.flows.iter().filter(|flow| trace.str(flow.name) == "asked").collect();
        assert_eq!(asked.len(), 14, "all that the workers ran");
        for flow in asked {
            let (from, to) = (trace.spans.get(flow.from), trace.spans.get(flow.to));
            assert!(
                trace.str(from.name).starts_with("remote.") && trace.str(to.name).starts_with("function ")
            );
        }
        // What the workers ran is a part of the supervisor's statement.
        let item = Some(Item::Span(asking(trace)).code());
        let request = ParallelRequest { range: None, item };
        let Some(view) = session.answer(&request) else { panic!("no threads") };
        for name in names {
            let threads =
                view.workers.iter().filter(|worker| worker.name.starts_with(name) && worker.busy > 0);
            assert!(threads.count() > 0, "{name}: {:#?}", view.workers);
        }
    }
}

/// A span of the supervisor that asks a worker.
fn asking(trace: &Trace) -> SpanId {
    let asked = trace.flows.iter().find(|flow| trace.str(flow.name) == "asked");
    asked.expect("workers were asked").from
}

/// Files of text: records, instructions, statements.
const TEXTS: [(&str, [usize; 3]); 28] = [
    ("own/monetdb/sep2022/fmt_line.txt", [120, 104, 2]),
    ("own/monetdb/sep2022/fmt_line_statement_include_keys.txt", [120, 104, 2]),
    ("own/monetdb/sep2022/fmt_raw.txt", [120, 104, 2]),
    ("own/monetdb/sep2022/fmt_raw_exclude_args.txt", [120, 104, 2]),
    ("own/monetdb/sep2022/trace_q6_mclient_csv.txt", [147, 147, 1]),
    ("own/monetdb/sep2022/trace_q6_mclient_csv_semicolon.txt", [147, 147, 1]),
    ("own/monetdb/sep2022/trace_q6_mclient_tab.txt", [147, 147, 1]),
    ("own/monetdb/sep2022/trace_q6_mclient_raw.txt", [147, 147, 1]),
    ("own/monetdb/sep2022/trace_q6_mclient_expanded.txt", [147, 147, 1]),
    ("own/monetdb/sep2022/trace_q6_mclient_sql.txt", [147, 147, 1]),
    ("own/monetdb/sep2022/trace_q6_mclient_sql_width-1.txt", [147, 147, 1]),
    ("own/monetdb/sep2022/trace_q6_mclient_sql_width120_wrapped.txt", [147, 147, 1]),
    ("own/monetdb/sep2022/trace_then_tracelog_csv.txt.gz", [294, 147, 1]),
    ("own/monetdb/apr2019/trace_q6_mclient_csv.txt", [63, 63, 1]),
    ("own/monetdb/apr2019/trace_q6_mclient_raw.txt", [63, 63, 1]),
    ("own/monetdb/apr2019/trace_q6_mclient_sql.txt", [63, 63, 1]),
    ("own/monetdb/apr2019/trace_then_tracelog_csv.txt", [126, 63, 1]),
    ("own/monetdb/apr2019/trace_then_tracelog_sql.txt", [126, 63, 1]),
    ("own/monetdb/apr2019/stethoscope_tuple_stdout.txt.gz", [3114, 1564, 13]),
    ("own/monetdb/apr2019/stethoscope_tuple_o_option_no_time_column.txt.gz", [805, 290, 4]),
    ("own/monetdb/derived_old_tuple/v1_2013_ISTest_DERIVED.txt.gz", [816, 409, 6]),
    ("own/monetdb/derived_old_tuple/v4_jul2015_DERIVED.txt.gz", [903, 409, 6]),
    ("own/monetdb/derived_old_tuple/v1_2014_ISTest_DERIVED.txt.gz", [816, 409, 6]),
    ("own/monetdb/derived_old_tuple/v2_2014h2_DERIVED.txt.gz", [816, 409, 6]),
    ("own/monetdb/apr2019/stethoscope_tuple_escapes.txt", [188, 94, 6]),
    ("own/monetdb/embedded_jul2021/pystethoscope032_line_clk_state_stmt.txt.gz", [160, 70, 2]),
    ("own/monetdb/embedded_jul2021/pystethoscope032_line_statement_prereqs.txt.gz", [160, 70, 2]),
    ("own/monetdb/embedded_jul2021/pystethoscope032_raw_statement_prereqs.txt.gz", [160, 70, 2]),
];

#[test]
fn texts_have_the_numbers_that_are_known() {
    let Some(folder) = shared() else { return };
    let found = TEXTS.map(|(name, _)| {
        let numbers = numbers(&open(name, &fs::read(folder.join(name)).expect("a shared file")));
        (name, [numbers[0], numbers[1] + numbers[2] + numbers[3], numbers[5]])
    });
    assert_eq!(found, TEXTS);
}

/// One plan, printed by one server in eight ways: the same instructions with the same arrows.
#[test]
fn every_dress_of_a_table_gives_the_same_plan() {
    let Some(folder) = shared() else { return };
    let plan = |name: &str| {
        let session = open(name, &fs::read(folder.join(name)).expect("a shared file"));
        let trace = session.trace();
        let is_call = |id: &SpanId| trace.spans.get(*id).kind != Kind::Query;
        let spans = (0..trace.spans.len() as u32).map(SpanId).filter(is_call);
        let mut names: Vec<String> = spans.map(|id| trace.str(trace.spans.get(id).name).to_owned()).collect();
        names.sort_unstable();
        (names, trace.flows.len())
    };
    let (sep2022, apr2019) = (plan(TEXTS[4].0), plan(TEXTS[13].0));
    assert_eq!(sep2022.1, 213);
    for (name, _) in &TEXTS[5..13] {
        assert_eq!(plan(name), sep2022, "{name}");
    }
    for (name, _) in &TEXTS[14..18] {
        assert_eq!(plan(name), apr2019, "{name}");
    }
}

/// The server itself says which instructions each one waits for.
#[test]
fn arrows_are_what_the_server_says() {
    let Some(folder) = shared() else { return };
    let name = "public/monetdb/marvin/jan2019_sf10_10threads_Q01.json.gz";
    let mut session = open(name, &fs::read(folder.join(name)).expect("a shared file"));
    let pc = session.trace().key("pc").expect("instructions have a pc");
    let mut compared = 0;
    for id in (0..session.trace().spans.len() as u32).map(SpanId) {
        let Some(number) = session.trace().num(Item::Span(id), pc) else { continue };
        let request = DetailsRequest { item: Item::Span(id).code() };
        let Some(details) = session.answer(&request) else { panic!("no details of {id:?}") };
        let place = details.records.first().expect("a record");
        let stored = fs::read(folder.join(name)).expect("a shared file");
        let bytes = crate::support::unpack(&session, place, &stored).expect("packed");
        let fields = session.raw(place, &bytes).fields;
        let prereq = fields.iter().find(|(name, _)| name == "prereq").map_or("[]", |(_, value)| value);
        let mut expected: Vec<i64> = serde_json::from_str(prereq).expect("numbers");
        let trace = session.trace();
        let mut found: Vec<i64> =
            trace.flows.reaching(id).filter_map(|flow| trace.num(Item::Span(flow.from), pc)).collect();
        expected.sort_unstable();
        expected.dedup();
        compared += expected.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected, "pc {number}");
    }
    assert_eq!(compared, 1125);
}

/// The unpacked text of a shared file.
pub fn unpacked(name: &str, stored: &[u8]) -> Vec<u8> {
    let session = open(name, stored);
    let place = RawPlace {
        record: 0,
        file: 0,
        name: name.to_owned(),
        line: None,
        offset: 0,
        length: u32::MAX,
        packed: true,
        cut: false,
    };
    crate::support::unpack(&session, &place, stored).unwrap_or_else(|| stored.to_vec())
}

/// Files of one record.
const SINGLE: [&str; 2] =
    ["public/monetdb/marvin/example_heartbeat.json", "public/monetdb/marvin/single_event_formatted.json"];

pub fn readable() -> impl Iterator<Item = &'static str> {
    STREAMS.iter().map(|file| file.0).chain(TEXTS.iter().map(|file| file.0))
}

#[test]
fn every_shared_file_may_be_cut() {
    let Some(folder) = shared() else { return };
    for name in readable() {
        let bytes = fs::read(folder.join(name)).expect("a shared file");
        let text = unpacked(name, &bytes);
        // A damaged archive is one more thing that must not hurt.
        for part in 1..8 {
            open(name, &bytes[..bytes.len() * part / 8]);
            open(name, &text[..text.len() * part / 8]);
        }
    }
}

/// Cut at its front, every file is still known for what it is, and what is whole in it is read.
#[test]
fn every_shared_file_may_lack_its_beginning() {
    let Some(folder) = shared() else { return };
    // Of one record there is nothing left.
    for name in readable().filter(|name| !SINGLE.contains(name)) {
        let text = unpacked(name, &fs::read(folder.join(name)).expect("a shared file"));
        for part in 1..5 {
            let rest = &text[text.len() * part / 8..];
            let report = open(name, rest).report().remove(0);
            assert!(report.format.starts_with("MonetDB"), "{name} from {part}/8: {}", report.format);
            assert!(report.used > 0, "{name} from {part}/8: {report:?}");
        }
    }
}

/// Lines in another order: what is no record any more is reported, and all rows of tables are read.
#[test]
fn every_shared_file_may_be_shuffled() {
    let Some(folder) = shared() else { return };
    for name in readable().filter(|name| !SINGLE.contains(name)) {
        let text = unpacked(name, &fs::read(folder.join(name)).expect("a shared file"));
        let text = String::from_utf8_lossy(&text);
        let mut lines: Vec<&str> = text.lines().collect();
        let count = lines.len();
        // Steps of a number that shares no factor with the count, which goes over all of them.
        let step = [7919, 7907, 7901].into_iter().find(|step| !count.is_multiple_of(*step)).unwrap_or(1);
        lines = (0..count).map(|at| lines[at * step % count]).collect();
        let report = open(name, (lines.join("\n") + "\n").as_bytes()).report().remove(0);
        assert!(report.format.starts_with("MonetDB"), "{name}: {}", report.format);
        let records = open(name, text.as_bytes()).report()[0].records;
        assert!(report.records >= records, "{name}: {report:?}");
        let has_long_records = ["pretty", "fmt_line", "expanded"].iter().any(|part| name.contains(part));
        assert!(report.used == records || has_long_records, "{name}: {report:?}");
    }
}

/// The same recording twice, once packed and once not: it is counted once, whether the server names itself or not.
#[test]
fn a_recording_that_is_opened_twice_counts_once() {
    let Some(folder) = shared() else { return };
    for name in [STREAMS[0].0, STREAMS[5].0, TEXTS[0].0, TEXTS[9].0, TEXTS[18].0] {
        let stored = fs::read(folder.join(name)).expect("a shared file");
        let once = open(name, &stored);
        let twice = crate::support::open([(name, stored.clone()), ("copy", unpacked(name, &stored))]);
        let report = twice.report();
        assert_eq!((report[1].used, report[1].reported), (0, report[1].records), "{name}");
        let like = report[1].problems.iter().find(|problem| problem.name == "duplicate file");
        assert!(like.is_some_and(|like| name.ends_with(&like.places[0].text)), "{name}: {like:?}");
        let spans = |session: &Session| (session.trace().spans.len(), session.trace().events.len());
        assert_eq!((spans(&twice), twice.trace().runs.len()), (spans(&once), 1), "{name}");
    }
}
