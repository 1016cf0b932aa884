//! One meaning of time ranges, filters and measures: what the page and the command line answer, compared with what the
//! files themselves say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;
use queryscope::protocol::{
    PivotCsvRequest, PivotRequest, PivotSpec, PivotView, QueryList, QueryListRequest, RangeRequest,
};
use queryscope::session::Session;
use serde_json::Value;

use crate::support;

fn run(arguments: &[&str], input: &[u8]) -> Output {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_queryscope"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cargo built the binary");
    // A program that ends without reading its input closes the pipe: that is no failure of the test.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("the program ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A query as its records say: when it started, how long it took, and when its source did, counted from there.
type Raw = (i64, i64, Option<(i64, i64)>);

/// Kubling's records of queries, each with at most one source; rows are 10 for each of them.
fn kubling(queries: &[Raw]) -> String {
    let mut lines = String::new();
    let head = |at: usize, time: i64, kind: &str| {
        format!(
            r#"{{"runId":"r","queryId":"q{at}","vdbName":"v","vdbVersion":"1","timestamp":{time},"type":"{kind}""#
        )
    };
    for (at, &(start, length, source)) in queries.iter().enumerate() {
        lines += &format!("{},\"sql\":\"SELECT {at}\"}}\n", head(at, start, "QUERY_START"));
        if let Some((after, length)) = source {
            let of = r#""connectorName":"c","tupleSourceId":"t""#;
            lines += &format!("{},{of}}}\n", head(at, start + after, "SOURCE_START"));
            lines += &format!(
                "{},{of},\"rowsReturned\":1,\"rowsRead\":10,\"duration\":{length}}}\n",
                head(at, start + after + length, "SOURCE_END")
            );
        }
        lines += &format!("{},\"success\":true,\"error\":null}}\n", head(at, start + length, "QUERY_END"));
    }
    lines
}

/// The queries and sources as intervals since the first record.
fn intervals(queries: &[Raw]) -> [Vec<(i64, i64)>; 2] {
    let zero = queries.iter().map(|query| query.0).min().unwrap_or(0);
    let query = |&(start, length, _): &Raw| (start - zero, start - zero + length);
    let source = |&(start, _, source): &Raw| {
        let (after, length) = source?;
        Some((start - zero + after, start - zero + after + length))
    };
    [queries.iter().map(query).collect(), queries.iter().filter_map(source).collect()]
}

/// How many intervals have a nanosecond in a range (or their place, without one), and how many nanoseconds all have.
fn oracle(intervals: &[(i64, i64)], (from, to): (i64, i64)) -> (u64, i64) {
    let mut found = (0, 0);
    for &(start, end) in intervals {
        let inside = (start..end).filter(|at| from <= *at && *at < to).count() as i64;
        if inside > 0 || start == end && from <= start && start < to {
            found = (found.0 + 1, found.1 + inside);
        }
    }
    found
}

fn raws() -> impl Strategy<Value = Vec<Raw>> {
    let source = (0_i64..8, 0_i64..12).prop_map(Some);
    let query = (0_i64..60, 0_i64..25, prop_oneof![Just(None), source]);
    // What a source takes is within its query.
    let query = query.prop_map(|(start, length, source)| {
        let source = source.filter(|(after, taken)| after + taken <= length);
        (start, length, source)
    });
    proptest::collection::vec(query, 1..12)
}

fn pivot(session: &mut Session, measures: &str, filter: &str, range: (i64, i64)) -> Vec<String> {
    let spec = PivotSpec {
        measures: measures.to_owned(),
        filter: filter.to_owned(),
        range: Some(range),
        ..PivotSpec::default()
    };
    let view = PivotView { spec, ..PivotView::default() };
    let page = session.answer(&PivotRequest { view, first: 0, count: 0 });
    page.total.into_iter().map(|cell| cell.exact).collect()
}

/// The queries of the list in a range: how many, and the time that it shows of them.
fn list(session: &mut Session, filter: &str, range: Option<(i64, i64)>) -> (u64, i64, Option<String>) {
    let list = QueryList { filter: filter.to_owned(), range, ..QueryList::default() };
    let page = session.answer(&QueryListRequest { list, first: 0, count: 1_000 });
    (page.matched.into(), page.rows.iter().map(|row| row.in_range).sum(), page.filter_error)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn every_view_counts_in_a_range_what_the_file_says(queries in raws(), from in -5_i64..90, length in 0_i64..60) {
        let mut session = support::open([("r.ndjson", kubling(&queries))]);
        let range = (from, from + length);
        let [of_queries, of_sources] = intervals(&queries).map(|intervals| oracle(&intervals, range));
        let popover = session.answer(&RangeRequest { start: range.0, end: range.1, filter: String::new() });
        for (kind, expected) in [("query", of_queries), ("source", of_sources)] {
            let found = popover.kinds.iter().find(|found| found.kind == kind);
            let found = found.map_or((0, 0), |found| (found.count, found.time.unwrap_or(0)));
            prop_assert_eq!(found, expected, "popover, {}", kind);
            let table = pivot(&mut session, "count,sum", &format!("kind = {kind}"), range);
            let table = table.iter().map(|cell| cell.parse().unwrap_or(0)).collect::<Vec<i64>>();
            let expected = if expected.0 == 0 { vec![] } else { vec![expected.0 as i64, expected.1] };
            prop_assert_eq!(table, expected, "pivot table, {}", kind);
        }
        let (count, time, error) = list(&mut session, "", Some(range));
        prop_assert_eq!(((count, time), error), (of_queries, None), "list");
    }
}

#[test]
fn the_command_line_counts_in_a_range_what_the_file_says() {
    let queries: Vec<Raw> = vec![
        (100, 50, Some((10, 30))),
        (120, 0, None),
        (130, 40, Some((0, 40))),
        (150, 10, None),
        (160, 100, Some((50, 20))),
        (240, 5, None),
    ];
    let text = kubling(&queries);
    for (from, to) in [(0, 200), (20, 20), (20, 21), (50, 60), (30, 50), (49, 50), (140, 145), (141, 300)] {
        let [of_queries, of_sources] = intervals(&queries).map(|all| oracle(&all, (from, to)));
        let range = [format!("--from={from}ns"), format!("--to={to}ns")];
        let with = |arguments: &[&str]| {
            let arguments = [arguments, &[range[0].as_str(), range[1].as_str()]].concat();
            let output = run(&arguments, text.as_bytes());
            assert!(output.status.success(), "{arguments:?}: {}", err(&output));
            assert!(
                err(&output).contains("note: Spans and events that overlap the time range"),
                "{arguments:?}: {}",
                err(&output)
            );
            out(&output)
        };
        let rows = with(&["spans", "-", "--format", "json-lines"]);
        let rows: Vec<Value> = rows.lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
        for (kind, expected) in [("query", of_queries), ("source", of_sources)] {
            let durations = rows.iter().filter(|row| row["kind"] == kind).map(|row| {
                let (start, duration) = (row["start_ns"].as_i64(), row["duration_ns"].as_i64());
                let (start, duration) = start.zip(duration).expect("numbers");
                assert!(from <= start && start + duration <= to, "{row}");
                duration
            });
            let durations: Vec<i64> = durations.collect();
            assert_eq!(
                (durations.len() as u64, durations.iter().sum()),
                expected,
                "spans {kind} {from}..{to}"
            );
            let filter = format!("kind = {kind}");
            let table =
                with(&["aggregate", "-", "--where", &filter, "--measure", "count,sum", "--format", "csv"]);
            let line = table.lines().nth(1).map(str::to_owned);
            let expected = (expected.0 > 0).then(|| format!("{},{}", expected.0, expected.1));
            assert_eq!(line, expected, "aggregate {kind} {from}..{to}");
        }
        let report: Value =
            serde_json::from_str(&with(&["report", "-", "--format", "json"])).expect("one JSON value");
        let found = (&report["runs"][0]["queries"], &report["runs"][0]["total_duration_ns"]);
        assert_eq!(found, (&of_queries.0.into(), &of_queries.1.into()), "report {from}..{to}");
    }
}

/// Slices of Chrome, each with its start, duration and bytes: nested where they lie in one another.
fn slices(slices: &[(i64, i64, i64)]) -> String {
    let events = slices.iter().map(|(ts, dur, bytes)| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":{dur},"name":"s{bytes}","args":{{"bytes":{bytes}}}}}"#)
    });
    format!("[{}]", events.collect::<Vec<_>>().join(",\n"))
}

/// What a measure is of all points, and the notes.
fn measured(input: &str, measure: &str, filter: &str) -> (String, String) {
    let arguments = ["aggregate", "-", "--measure", measure, "--where", filter, "--format", "csv"];
    let output = run(&arguments, input.as_bytes());
    assert!(output.status.success(), "{}", err(&output));
    (out(&output).lines().nth(1).unwrap_or_default().to_owned(), err(&output))
}

#[test]
fn what_nested_spans_both_report_counts_once() {
    for (input, expected) in [
        // The outer one reports what the inner ones do together: they count.
        (slices(&[(0, 100, 100), (10, 20, 60), (50, 20, 40)]), "2,100"),
        // It reports more: theirs is a part of it.
        (slices(&[(0, 100, 100), (10, 20, 60)]), "1,100"),
        // It reports less: it is not about them.
        (slices(&[(0, 100, 10), (10, 20, 60), (50, 20, 40)]), "2,100"),
        // The same three deep, and something beside them.
        (slices(&[(0, 100, 5), (10, 50, 90), (20, 10, 30), (40, 10, 60), (200, 10, 7)]), "3,97"),
        (slices(&[(0, 10, 1), (20, 10, 2)]), "2,3"),
    ] {
        let (line, note) = measured(&input, "sum(bytes)", "");
        let (count, sum) = expected.split_once(',').expect("two numbers");
        assert_eq!(line, sum, "{input}");
        let nested = !input.starts_with("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":10,");
        assert_eq!(note.contains("only the innermost"), nested, "{note}");
        let (average, _) = measured(&input, "avg(bytes)", "");
        // Of bytes, whole ones.
        let [sum, count] = [sum, count].map(|number| number.parse::<u64>().expect("a number"));
        assert_eq!(average, (sum / count).to_string(), "{input}");
    }
    let (line, note) = measured(&slices(&[(0, 100, 1), (10, 20, 1)]), "sum", "");
    assert!(line == "120000" && note.contains("sum includes nested spans"), "{line} {note}");
    let (_, note) = measured(&slices(&[(0, 100, 1), (200, 20, 1)]), "sum", "");
    assert_eq!(note, "");
}

/// A source and its execution report the same rows: they are those of the execution, as in the report.
#[test]
fn rows_of_sources_are_counted_at_their_executions() {
    let text = support::kubling_source(7);
    let (line, note) = measured(&text, "sum(rows read),avg(rows returned),count(rows read)", "");
    // The query and the source count once each, the execution for its rows.
    assert_eq!(line, "700,7,702");
    assert!(
        note.contains(
            "rows read: only those of source execution are added up; source reports the same again."
        ),
        "{note}"
    );
    assert_eq!(measured(&text, "sum(rows read)", "kind = source").0, "700");
    let table = out(&run(&["aggregate", "-", "--measure", "sum(rows read)"], text.as_bytes()));
    assert!(
        table.ends_with(
            "\nrows read: only those of source execution are added up; source reports the same again.\n"
        ),
        "{table}"
    );
    let report = out(&run(&["report", "-", "--format", "json"], text.as_bytes()));
    let report: Value = serde_json::from_str(&report).expect("one JSON value");
    assert_eq!(report["runs"][0]["rows_read"], 700);
}

#[test]
fn rows_of_a_real_run_are_those_of_its_report() {
    let Some(shared) = support::shared("own/kubling") else { return };
    for file in ["no-buffer.json", "buffer-rocks.json", "buffer-normal.ndjson", "defects/no-buffer.ndjson"] {
        let path = shared.join("own/kubling").join(file);
        let path = path.to_str().expect("UTF-8");
        let report = out(&run(&["report", path, "--format", "json"], b""));
        let report: Value = serde_json::from_str(&report).expect("one JSON value");
        for name in ["rows read", "rows returned"] {
            let measure = format!("sum({name})");
            let arguments = ["aggregate", path, "--measure", &measure, "--format", "csv"];
            let sum = out(&run(&arguments, b"")).lines().nth(1).map(str::to_owned);
            assert_eq!(sum, Some(report["runs"][0][name.replace(' ', "_")].to_string()), "{file} {name}");
        }
    }
}

#[test]
fn one_vocabulary_filters_queries_and_spans() {
    let text = kubling(&[(0, 10, None), (20, 30, None), (60, 10, None)]);
    let text = text.replacen("\"success\":true,\"error\":null", "\"success\":false,\"error\":\"boom\"", 1);
    let mut session = support::open([("r.ndjson", &text)]);
    let all = (i64::MIN, i64::MAX);
    for (filter, expected) in [
        ("failed", 1),
        ("status = failed", 1),
        ("outcome = failed", 1),
        ("outcome != failed", 2),
        ("status:fail", 1),
        ("boom", 1),
        ("query = q1", 1),
        ("query_id = q1", 1),
        ("kind = query", 3),
        ("name:select", 3),
        ("self_time > 20ns", 1),
        ("duration > 20ns", 1),
        ("ratio > 1.5", 1),
        ("sources = 0", 3),
        ("error:boom", 1),
        ("run = r", 3),
    ] {
        assert_eq!(list(&mut session, filter, None), (expected, list(&mut session, filter, None).1, None));
        // Everything in this trace is a query.
        let count = pivot(&mut session, "count", filter, all);
        assert_eq!(count, [expected.to_string()], "{filter}");
    }
    for wrong in ["status = great", "length > 5"] {
        assert!(list(&mut session, wrong, None).2.is_some(), "{wrong}");
        assert!(pivot(&mut session, "count", wrong, all).is_empty(), "{wrong}");
    }
}

#[test]
fn whoever_reads_only_a_part_is_told_why() {
    let text = kubling(&[(0, 10, None), (20, 30, None)]);
    let cut = &text.as_bytes()[..text.len() - 20];
    for command in [&["report", "-"][..], &["spans", "-"], &["aggregate", "-"], &["aggregate", "-", "--list"]]
    {
        let output = run(command, cut);
        assert_eq!(output.status.code(), Some(1));
        let said = err(&output);
        let expected = format!(
            "standard input: The file ends in the middle of a record: everything after byte {} is missing.",
            cut.len()
        );
        assert!(said.lines().any(|line| line.ends_with(&expected)), "{command:?}: {said}");
        let output = run(command, b"neither a trace nor anything else");
        assert!(err(&output).contains("standard input: not recognised as a trace"), "{}", err(&output));
        assert_eq!(run(command, text.as_bytes()).status.code(), Some(0));
    }
    let output = run(&["reconcile", "no such file"], b"");
    assert!(output.status.code() == Some(1) && err(&output).contains("cannot read no such file"));
}

/// Names, texts, and the name of an argument, that a spreadsheet would take for formulas.
const FORMULAS: [&str; 7] = ["=1+1", "+cmd", "-cmd|x", "@SUM(1)", "\\t=1", "\\r=1", "\\n=1"];

#[test]
fn no_cell_of_csv_is_a_formula() {
    let events = FORMULAS.iter().enumerate().map(|(at, text)| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{at},"dur":1,"name":"{text}","args":{{"=key":"{text}","n":-5}}}}"#)
    });
    let text = format!("[{}]", events.collect::<Vec<_>>().join(",\n"));
    let spans = out(&run(&["spans", "-"], text.as_bytes()));
    let table = out(&run(
        &["aggregate", "-", "--by", "name,=key", "--measure", "count,sum(n)", "--format", "csv"],
        text.as_bytes(),
    ));
    let mut session = support::open([("t.json", &text)]);
    let (by, measures) = ("name,=key".to_owned(), "count,sum(n)".to_owned());
    let view = PivotView { spec: PivotSpec { by, measures, ..PivotSpec::default() }, ..PivotView::default() };
    assert_eq!(session.answer(&PivotCsvRequest { view }), Some(table.clone()), "the page copies the same");
    for (text, numbers) in [(&spans, 1), (&table, 7)] {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let cells: Vec<Vec<String>> =
            reader.records().map(|row| row.expect("it is CSV").iter().map(str::to_owned).collect()).collect();
        assert_eq!(cells.len(), 1 + FORMULAS.len(), "{text}");
        for cell in cells.iter().flatten() {
            let begins = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
            assert!(!begins || cell.parse::<f64>().is_ok(), "{cell:?}");
        }
        let defused = cells.iter().flatten().filter(|cell| cell.starts_with('\''));
        assert!(defused.count() >= FORMULAS.len(), "{text}");
        assert!(cells.iter().flatten().filter(|cell| *cell == "-5").count() >= numbers - 1, "{text}");
    }
    assert!(table.starts_with("name,'=key,count,\"n, sum\"\n"), "{table}");
}

/// By path, the names of the fields of an object and of what is in it; all elements of a list are one.
fn fields(value: &Value, path: &str, found: &mut BTreeMap<String, BTreeSet<String>>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                found.entry(path.to_owned()).or_default().insert(name.clone());
                fields(value, &format!("{path}.{name}"), found);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| fields(value, path, found)),
        _ => {}
    }
}

#[test]
fn the_documented_report_has_the_fields_of_a_real_one() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/command-line.md");
    let docs = std::fs::read_to_string(docs).expect("the documentation is there");
    let example = docs.split("```json\n").nth(1).and_then(|rest| rest.split("\n```").next());
    let example: Value = serde_json::from_str(example.expect("an example")).expect("the example is JSON");
    let mut queries: Vec<Raw> = (0..9).map(|at| (at * 10_000_000, 1_000_000, None)).collect();
    queries.push((200_000_000, 40_000_000, None));
    let line = |time: i64, rest: &str| {
        format!(r#"{{"runId":"r","queryId":"q0","vdbName":"v","vdbVersion":"1","timestamp":{time},{rest}}}"#)
            + "\n"
    };
    let of = r#""connectorName":"c","datasourceName":"d","tupleSourceId":"t","commandPushed":"x","sourceCommandType":"QUERY""#;
    let mut text = kubling(&queries);
    text = text.replacen("\"success\":true,\"error\":null", "\"success\":false,\"error\":\"boom\"", 1);
    text += &line(10, &format!(r#""type":"SOURCE_EXECUTION_START",{of}"#));
    text += &line(
        30,
        &format!(
            r#""type":"SOURCE_EXECUTION_END",{of},"rowsRead":7,"rowsReturned":7,"sourceReadDurationNanos":5"#
        ),
    );
    text += &line(40, r#""type":"BUFFER_EVENT","bufferEventType":"READ","bytes":5,"elements":2"#);
    text += r#"{"runId":"r","queryId":"cut"#;
    let report = out(&run(&["report", "-", "--format", "json"], text.as_bytes()));
    let report: Value = serde_json::from_str(&report).expect("one JSON value");
    let [mut documented, mut real] = [BTreeMap::new(), BTreeMap::new()];
    fields(&example, "", &mut documented);
    fields(&report, "", &mut real);
    assert_eq!(documented, real, "{report:#}");
    let problem = &report["files"][0]["problems"][0];
    assert_eq!(problem["lost"], true);
    assert_eq!(problem["meaning"], example["files"][0]["problems"][0]["meaning"]);
}

/// The folder of the traces that are too large for the repository, for whoever runs these tests with it.
#[test]
fn a_range_of_a_real_trace_has_one_answer() {
    let Some(shared) = support::shared("own/chrome") else { return };
    let path: PathBuf = shared.join("own/chrome/chromium156_playwright_default.json.gz");
    let bytes = std::fs::read(&path).expect("the trace is there");
    let mut session = support::open([("t.json.gz", bytes)]);
    let end = session.trace().end();
    for (from, to) in [(end / 3, end / 2), (end / 2, end / 2 + 1_000_000), (0, end / 7)] {
        let popover = session.answer(&RangeRequest { start: from, end: to, filter: String::new() });
        assert!(!popover.kinds.is_empty());
        for kind in popover.kinds {
            let filter = format!("kind = \"{}\"", kind.kind);
            let table = pivot(&mut session, "count,sum", &filter, (from, to));
            let time = kind.time.map_or(String::new(), |time| time.to_string());
            assert_eq!(table, [kind.count.to_string(), time], "{filter} {from}..{to}");
        }
    }
}
