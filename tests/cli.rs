//! The command line, as its users run it: the binary, real files, exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// What `queryscope` says to `arguments`.
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

fn code(output: &Output) -> i32 {
    output.status.code().expect("the program was not killed")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("the report is one JSON value")
}

/// One query with a source, its execution and a buffer event; a second query that does not end.
const LINES: &str = r#"{"runId":"r","queryId":"a","vdbName":"v","vdbVersion":"1","timestamp":100,"type":"QUERY_START","sql":"SELECT 1"}
{"runId":"r","queryId":"a","vdbName":"v","vdbVersion":"1","timestamp":200,"type":"SOURCE_START","connectorName":"c","tupleSourceId":"t"}
{"runId":"r","queryId":"a","vdbName":"v","vdbVersion":"1","timestamp":300,"type":"SOURCE_EXECUTION_START","connectorName":"c","datasourceName":"d","tupleSourceId":"t","commandPushed":"x, \"y\"","sourceCommandType":"QUERY"}
{"runId":"r","queryId":"a","vdbName":"v","vdbVersion":"1","timestamp":400,"type":"BUFFER_EVENT","bufferEventType":"SPILL","bytes":9007199254740993,"elements":2}
{"runId":"r","queryId":"a","vdbName":"v","vdbVersion":"1","timestamp":500,"type":"SOURCE_EXECUTION_END","connectorName":"c","datasourceName":"d","tupleSourceId":"t","rowsRead":null,"rowsReturned":3,"sourceReadDurationNanos":50,"sourceCommandType":"QUERY"}
{"runId":"r","queryId":"a","vdbName":"v","vdbVersion":"1","timestamp":600,"type":"SOURCE_END","connectorName":"c","tupleSourceId":"t","rowsReturned":3,"rowsRead":4,"duration":400}
{"runId":"r","queryId":"a","vdbName":"v","vdbVersion":"1","timestamp":1100,"type":"QUERY_END","success":true,"error":null}
"#;

#[test]
fn a_trace_on_standard_input_is_reported_exactly() {
    let output = run(&["report", "-", "--format", "json"], LINES.as_bytes());
    assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    let report = json(&output);
    let run = &report["runs"][0];
    assert_eq!((run["events"].as_u64(), run["queries"].as_u64()), (Some(7), Some(1)));
    assert_eq!((run["total_duration_ns"].as_i64(), run["rows_returned"].as_i64()), (Some(1_000), Some(3)));
    // One more than a JavaScript number can hold.
    assert_eq!(run["buffer_bytes"].as_i64(), Some(9_007_199_254_740_993));
    assert_eq!(report["sources"][0]["avg_rows_read"], Value::Null, "not reported is not 0");
    assert_eq!(report["sources"][0]["avg_rows_returned"].as_f64(), Some(3.0));
    let file = &report["files"][0];
    assert_eq!((file["records"].as_u64(), file["used"].as_u64()), (Some(7), Some(7)));
}

#[test]
fn spans_are_rows() {
    let output = run(&["spans", "-", "--events"], LINES.as_bytes());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let rows: Vec<&str> = text.lines().collect();
    let kinds: Vec<_> = rows.iter().filter_map(|row| row.split(',').nth(2)).collect();
    assert_eq!(kinds, ["kind", "query", "source", "source execution", "buffer"], "{text}");
    let lines = run(&["spans", "-", "--format", "json-lines"], LINES.as_bytes());
    let lines = String::from_utf8(lines.stdout).expect("UTF-8");
    let spans: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
    assert_eq!(spans.len(), 3);
    assert_eq!((spans[2]["start_ns"].as_i64(), spans[2]["duration_ns"].as_i64()), (Some(200), Some(200)));
    assert_eq!((spans[2]["read_ns"].as_i64(), &spans[2]["rows_read"]), (Some(50), &Value::Null));
    assert_eq!(spans[2]["connector"], "c");
}

/// The first places of a problem are read by people, all that are kept by programs.
#[test]
fn places_of_problems_are_listed() {
    let lines: String = (0..120)
        .map(|ts| format!("{{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":{ts},\"name\":\"a\"}}\n"))
        .collect();
    let text = String::from_utf8(run(&["report", "-"], lines.as_bytes()).stdout).expect("UTF-8");
    let at = text.find("120 × E without B").expect("it is told");
    let told: Vec<&str> = text[at..].lines().skip(1).take(4).map(str::trim).collect();
    assert_eq!(
        told,
        ["first: line 1, byte 0: a", "line 2, byte 45: a", "line 3, byte 90: a", "… and 117 more"],
        "{text}"
    );
    let report = json(&run(&["report", "-", "--format", "json"], lines.as_bytes()));
    let problem = &report["files"][0]["problems"][0];
    let places = problem["places"].as_array().expect("a list");
    assert_eq!((problem["count"].as_u64(), places.len()), (Some(120), 100));
    assert_eq!(problem["first"], places[0]);
    assert_eq!(places[99]["line"], 100);
}

/// Twenty statements have rows of their own, all others one together.
#[test]
fn statements_are_listed_by_their_time() {
    let mut lines = String::new();
    for at in 0..30_u64 {
        let head = format!(r#"{{"runId":"r","queryId":"q{at}","vdbName":"v","vdbVersion":"1","timestamp":"#);
        // Five executions of one statement, and 25 others.
        let sql =
            if at < 5 { format!("SELECT * FROM t WHERE id = {at}") } else { format!("SELECT a{at} FROM t") };
        lines += &format!("{head}{},\"type\":\"QUERY_START\",\"sql\":\"{sql}\"}}\n", (at + 1) * 1_000);
        lines += &format!(
            "{head}{},\"type\":\"QUERY_END\",\"success\":true,\"error\":null}}\n",
            (at + 1) * 1_000 + 100 + at
        );
    }
    let report = json(&run(&["report", "-", "--format", "json"], lines.as_bytes()));
    let statements = &report["statements"];
    let expected = serde_json::json!({
        "statement": "SELECT * FROM t WHERE id = ?", "count": 5, "total_ns": 510, "p50_ns": 102, "p95_ns": 104,
    });
    assert_eq!(
        (&statements["top"][0], &statements["top"][1]["statement"]),
        (&expected, &"SELECT a29 FROM t".into())
    );
    assert_eq!(statements["top"].as_array().map(Vec::len), Some(20));
    // a5 to a10.
    assert_eq!(statements["rest"], serde_json::json!({ "statements": 6, "count": 6, "total_ns": 645 }));
    let text = String::from_utf8(run(&["report", "-"], lines.as_bytes()).stdout).expect("UTF-8");
    let at = text.find("Statements by total time").expect("a table");
    let rows: Vec<Vec<&str>> = text[at..]
        .lines()
        .skip(1)
        .map(|row| row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(rows[0], ["statement", "count", "total", "p50", "p95"], "{text}");
    assert_eq!(rows[1], ["SELECT * FROM t WHERE id = ?", "5", "510 ns", "102 ns", "104 ns"], "{text}");
    assert_eq!(rows[21], ["… and 6 more", "6", "645 ns"], "{text}");
    let without = json(&run(
        &["report", "-", "--format", "json"],
        b"[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"a\"}]",
    ));
    assert_eq!(without.get("statements"), None, "{without}");
}

fn aggregate(arguments: &[&str]) -> String {
    let output = run(&[&["aggregate", "-"], arguments].concat(), LINES.as_bytes());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn spans_and_events_are_aggregated() {
    let csv = |arguments: &[&str]| aggregate(&[arguments, &["--format", "csv"]].concat());
    assert_eq!(
        csv(&["--by", "kind", "--measure", "count,sum,sum(self),max(bytes)"]),
        "kind,count,\"duration, sum (ns)\",\"self time, sum (ns)\",\"bytes, max (B)\"\n\
         buffer,1,,,9007199254740993\n\
         query,1,1000,600,\n\
         source,1,400,200,\n\
         source execution,1,200,200,\n"
    );
    // The query goes on, and so do the source and its execution.
    assert_eq!(csv(&["--measure", "count,sum", "--from", "300ns"]), "count,\"duration, sum (ns)\"\n4,1000\n");
    let rows = csv(&["--measure", "count(rows returned)"]);
    assert_eq!(
        rows, "\"rows returned, count\"\n6\n",
        "the execution says 3, the source the same, which counts once, and two say nothing: they count once each"
    );
    assert_eq!(csv(&["--measure", "count", "--to", "200ns", "--where", "kind != buffer"]), "count\n2\n");
    assert_eq!(
        csv(&["--by", "in connector", "--measure", "count", "--sort", "count"]),
        "in connector,count\nc,3\n,1\n",
        "a buffer event belongs to what was open"
    );
    assert_eq!(
        csv(&["--by", "pushed command", "--where", "duration = 200ns", "--measure", "p50"]),
        "pushed command,\"duration, p50 (ns)\"\n\"x, \"\"y\"\"\",200\n"
    );
    let json: Value =
        serde_json::from_str(&aggregate(&["--by", "kind", "--format", "json", "--sort", "sum"]))
            .expect("one JSON value");
    assert_eq!((&json[0]["kind"], &json[0]["sum"]), (&"query".into(), &1_000.into()));
    assert_eq!(json[3]["avg"], Value::Null, "not reported is not 0");
    let table = aggregate(&["--by", "kind"]);
    assert!(table.starts_with("4 spans and events in 4 groups\n"), "{table}");
    assert_eq!(
        aggregate(&[
            "--by",
            "kind,pushed command",
            "--measure",
            "count",
            "--where",
            "duration > 0",
            "--format",
            "markdown"
        ]),
        "3 spans and events in 3 groups\n\n\
         | kind | pushed command | count |\n\
         | --- | --- | ---: |\n\
         | query | – | 1 |\n\
         | source | – | 1 |\n\
         | source execution | <code>x, &#34;y&#34;</code> | 1 |\n\n"
    );
    let list = aggregate(&["--list"]);
    assert!(
        list.contains("    connector\n") && list.contains("  bytes\n") && !list.contains("thread time"),
        "{list}"
    );
}

#[test]
fn recipes_are_printed() {
    let names = String::from_utf8(run(&["recipe"], b"").stdout).expect("UTF-8");
    assert!(names.starts_with("mysql: "), "{names}");
    let script = String::from_utf8(run(&["recipe", "mysql"], b"").stdout).expect("UTF-8");
    assert!(script.starts_with("#!/bin/sh\n") && script.contains("global_instrumentation"), "{script}");
    assert_eq!(code(&run(&["recipe", "dance"], b"")), 2);
}

#[test]
fn no_table_that_a_server_lacks_keeps_it_frozen() {
    const THAW: &str = "UPDATE performance_schema.setup_consumers SET ENABLED = @qs_frozen WHERE";
    let script = String::from_utf8(run(&["recipe", "mysql-sql"], b"").stdout).expect("UTF-8");
    let (before, frozen) =
        script.split_once("SET ENABLED = 'NO' WHERE NAME = 'global_instrumentation';\n").expect("frozen");
    assert!(before.contains("SET @qs_frozen = (SELECT ENABLED"), "{before}");
    let (frozen, _) = frozen.split_once(THAW).expect("put back");
    for line in frozen.lines() {
        let table = line.split("table_name = '").nth(1).and_then(|rest| rest.split('\'').next()).expect(line);
        let asked =
            format!("SET @qs = (SELECT IF(COUNT(*), 'SELECT * FROM performance_schema.{table}', 'DO 0')");
        assert!(line.starts_with(&asked) && line.ends_with("PREPARE qs FROM @qs; EXECUTE qs;"), "{line}");
    }
}

#[test]
fn exit_codes_tell_what_happened() {
    let cut = &LINES.as_bytes()[..LINES.len() - 20];
    for (arguments, input, expected) in [
        (&["report", "-"][..], LINES.as_bytes(), 0),
        (&["spans", "-"], LINES.as_bytes(), 0),
        (&["report", "-"], cut, 1),
        (&["report", "-"], b"neither a trace nor anything else", 1),
        (&["report", "no such file", "-"], LINES.as_bytes(), 1),
        (&["report"], b"", 2),
        (&["report", "-", "--format", "xml"], b"", 2),
        (&["report", "-", "--as", "kubling"], LINES.as_bytes(), 0),
        (&["--as", "chrome", "report", "-"], LINES.as_bytes(), 0),
        (&["report", "-", "--as", "dance"], b"", 2),
        (&["aggregate", "-", "--by", "kind"], LINES.as_bytes(), 0),
        (&["aggregate", "-", "--by", "dance"], LINES.as_bytes(), 2),
        (&["aggregate", "-", "--across", "kind", "--sort", "query / sum"], LINES.as_bytes(), 0),
        (&["aggregate", "-", "--across", "kind", "--sort", "dance / sum"], LINES.as_bytes(), 2),
        (&["aggregate", "-", "--across", "dance"], LINES.as_bytes(), 2),
        (&["aggregate", "-", "--measure", "sum(dance)"], LINES.as_bytes(), 2),
        (&["aggregate", "-", "--where", "dance > 5"], LINES.as_bytes(), 2),
        (&["aggregate", "-", "--from", "dance"], LINES.as_bytes(), 2),
        (&["aggregate", "-", "--from", "10ms", "--to", "5ms"], LINES.as_bytes(), 2),
        (&["report", "-", "--from", "5ms", "--to", "4ms"], LINES.as_bytes(), 2),
        (&["spans", "-", "--from", "0ns", "--to", "10ms"], LINES.as_bytes(), 0),
        (&["spans", "-", "--load-from", "0ns", "--load-to", "10ms"], LINES.as_bytes(), 0),
        (&["spans", "-", "--load-from", "10ms", "--load-to", "5ms"], LINES.as_bytes(), 2),
        (&["report", "-", "--load-from", "5ms", "--load-to", "4ms"], LINES.as_bytes(), 2),
        (&["export", "-", "--from", "10ms", "--to", "5ms"], LINES.as_bytes(), 2),
        (&["svg", "-", "--from", "10ms", "--to", "5ms"], LINES.as_bytes(), 2),
        (&["aggregate", "-"], cut, 1),
        (&["dance"], b"", 2),
        (&["--help"], b"", 0),
        (&["--version"], b"", 0),
    ] {
        let output = run(arguments, input);
        assert_eq!(code(&output), expected, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Names of a trace cannot control the terminal that shows a message about them.
#[test]
fn the_columns_of_an_unknown_order_are_shown_without_control_characters() {
    let trace = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"a\u001b[31m"}]"#;
    let arguments = ["aggregate", "-", "--across", "name", "--sort", "dance / sum"];
    let output = run(&arguments, trace.as_bytes());
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(code(&output), 2, "{error}");
    assert!(error.contains("a\u{241b}[31m") && !error.contains('\u{1b}'), "{error}");
}

/// Clients leave an empty file for every table without rows: it is named, and no failure beside others.
#[test]
fn empty_files_beside_others_are_no_failure() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty-files");
    std::fs::create_dir_all(&folder).expect("a folder to write to");
    let empty = folder.join("data_locks.tsv");
    std::fs::write(&empty, b"").expect("a file to write");
    let empty = empty.to_str().expect("UTF-8");
    let output = run(&["report", empty, "-", "--format", "json"], LINES.as_bytes());
    assert_eq!(code(&output), 0);
    assert_eq!(json(&output)["files"][0]["format"], "Empty.");
    for arguments in [&["report", empty][..], &["report", empty, "-"]] {
        assert_eq!(code(&run(arguments, b"")), 1, "{arguments:?}");
    }
}

#[test]
fn what_can_be_read_is_printed_when_something_cannot() {
    let output = run(&["report", "no such file", "-", "--format", "json"], LINES.as_bytes());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no such file"));
    assert_eq!(json(&output)["runs"][0]["queries"].as_u64(), Some(1));
}

#[test]
fn a_name_cannot_steer_the_terminal() {
    let evil = LINES.replace("\"runId\":\"r\"", "\"runId\":\"\\u001b[31mred\"");
    let output = run(&["report", "-"], evil.as_bytes());
    assert!(!output.stdout.contains(&0x1b));
    assert!(String::from_utf8_lossy(&output.stdout).contains("[31mred"));
}

/// The shared sample runs, where they are.
fn samples() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces");
    let folder = std::env::var_os("QUERYSCOPE_TRACES").map_or(beside, PathBuf::from).join("own/kubling");
    if !folder.is_dir() {
        eprintln!("skipped: no sample traces in {}", folder.display());
        return None;
    }
    Some(folder)
}

fn report(paths: &[PathBuf]) -> Value {
    let paths: Vec<&str> = paths.iter().map(|path| path.to_str().expect("UTF-8 paths")).collect();
    json(&run(&[&["report", "--format", "json"], paths.as_slice()].concat(), b""))
}

fn oracle(path: &Path) -> Value {
    let text = std::fs::read(path.join("expected.json")).expect("the samples have an oracle");
    serde_json::from_slice(&text).expect("the oracle is JSON")
}

/// The rows of `list` in which `run` is `name`.
fn of_run(list: &Value, name: &str) -> Vec<Value> {
    let rows = list.as_array().expect("a list").iter();
    rows.filter(|row| row["run"] == name).cloned().collect()
}

/// Every key of `expected` has the same value in `found`: averages to the last digit but one, all else exactly.
fn assert_holds(expected: &Value, found: &Value, context: &str) {
    for (key, value) in expected.as_object().expect("an object") {
        let same = match (value.as_i64(), value.as_f64(), found[key].as_f64()) {
            (None, Some(expected), Some(found)) => (expected - found).abs() <= expected.abs() * 1e-15,
            _ => *value == found[key],
        };
        assert!(same, "{context}: {key} is {}, not {value}", found[key]);
    }
}

/// One run, whatever shape it was recorded in.
fn check_run(folder: &Path, file: &str, run: &str) {
    let (oracle, report) = (oracle(folder), report(&[folder.join(file)]));
    for (theirs, ours) in [("run_summary", "runs"), ("outliers", "outliers"), ("buffer_by_type", "buffers")] {
        let (expected, found) = (of_run(&oracle[theirs], run), of_run(&report[ours], run));
        assert_eq!(found.len(), expected.len(), "{file}: {ours} of {run}");
        for (expected, found) in expected.iter().zip(&found) {
            assert_holds(expected, found, &format!("{file}: {ours}"));
        }
    }
    let failed = of_run(&oracle["failed"], run).len() as u64;
    assert_eq!(report["runs"][0]["failed"].as_u64(), Some(failed), "{file}");
    for file in report["files"].as_array().expect("a list") {
        let lost = file["problems"].as_array().expect("a list").iter().filter(|p| p["lost"] == true);
        let lost: u64 = lost.filter_map(|problem| problem["count"].as_u64()).sum();
        assert_eq!(file["records"].as_u64(), file["used"].as_u64().map(|used| used + lost), "{file}");
    }
}

#[test]
fn every_shape_of_a_run_gives_the_numbers_of_its_oracle() {
    let Some(folder) = samples() else { return };
    for (file, run) in [
        ("no-buffer.json", "no-buffer"),
        ("no-buffer.pretty.json", "no-buffer"),
        ("no-buffer.ndjson", "no-buffer"),
        ("no-buffer.log", "no-buffer"),
        ("buffer-normal.json.gz", "buffer-normal"),
        ("buffer-normal.ndjson", "buffer-normal"),
        ("buffer-normal.log", "buffer-normal"),
        ("buffer-rocks.json", "buffer-rocks"),
        ("buffer-rocks.ndjson", "buffer-rocks"),
        ("buffer-rocks.log", "buffer-rocks"),
        ("tables", "no-buffer"),
        ("tables", "buffer-normal"),
        ("tables", "buffer-rocks"),
    ] {
        check_run(&folder, file, run);
    }
    for file in ["no-buffer.json", "no-buffer.ndjson", "no-buffer.log", "tables"] {
        check_run(&folder.join("defects"), file, "no-buffer");
    }
}

/// The archives hold the first forty queries of each run, a file for each.
#[test]
fn an_archive_of_a_file_per_query_is_one_run() {
    let Some(folder) = samples() else { return };
    for name in ["no-buffer", "buffer-normal", "buffer-rocks", "defects/no-buffer"] {
        let report = report(&[folder.join(format!("{name}.per-query.zip"))]);
        let sum = |key: &str| {
            let files = report["files"].as_array().expect("a list").iter();
            files.filter_map(|file| file[key].as_u64()).sum::<u64>()
        };
        assert_eq!(report["runs"].as_array().map(Vec::len), Some(1), "{name}");
        assert_eq!(report["runs"][0]["queries"].as_u64(), Some(40), "{name}");
        assert!(sum("records") > 500 && sum("records") == sum("used"), "{name}");
    }
}

#[test]
fn three_runs_together_are_three_runs() {
    let Some(folder) = samples() else { return };
    let files = ["no-buffer.json", "buffer-rocks.log", "buffer-normal.json.gz"].map(|file| folder.join(file));
    let (oracle, report) = (oracle(&folder), report(&files));
    for (theirs, ours) in [
        ("run_summary", "runs"),
        ("outliers", "outliers"),
        ("buffer_by_type", "buffers"),
        ("filtering", "sources"),
    ] {
        let (expected, found) = (oracle[theirs].as_array(), report[ours].as_array());
        let (expected, found) = (expected.expect("a list"), found.expect("a list"));
        assert_eq!(found.len(), expected.len(), "{ours}");
        for (expected, found) in expected.iter().zip(found) {
            let mut expected = expected.clone();
            // The oracle calls the executions "n".
            if let Some(n) = expected.as_object_mut().and_then(|row| row.remove("n")) {
                expected["executions"] = n;
            }
            assert_holds(&expected, found, ours);
        }
    }
}

#[test]
fn cut_off_files_keep_what_is_whole_and_say_where_they_end() {
    let Some(folder) = samples() else { return };
    for file in ["no-buffer.truncated.json", "buffer-normal.truncated.json", "buffer-rocks.truncated.json"] {
        let path = folder.join(file);
        let output = run(&["report", "--format", "json", path.to_str().expect("UTF-8 paths")], b"");
        assert_eq!(code(&output), 1, "{file}");
        let report = json(&output);
        let problems = report["files"][0]["problems"].as_array().expect("a list");
        let cut = problems.iter().find(|problem| problem["name"] == "cut off").expect("it is cut off");
        assert!(cut["first"]["offset"].as_u64().is_some_and(|offset| offset > 100_000), "{file}: {cut}");
        assert!(report["files"][0]["used"].as_u64().is_some_and(|used| used > 500), "{file}");
    }
}
