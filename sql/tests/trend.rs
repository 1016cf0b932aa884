//! Trends: the tables that answer them are equal to sums over the spans, and planted changes are found at their run.

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use queryscope::export::{GroupBy, LARGEST, RunMeasure, SAMPLE, Trend};
use queryscope::trace::{Flags, Kind, SpanId, Trace};
use queryscope_sql::dataset::{self, Dataset, DatasetWriter, block_on};
use queryscope_sql::output::{self, OutputForm};
use queryscope_sql::query::{Engine, Limits};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::trend::{RunOrder, TrendInputs};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-trend-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Traces of several engines, with statements, failures, sources and spans without an end.
const TRACES: [&str; 4] = [
    "web/assets/sample/no-buffer.json.gz",
    "tests/traces/kubling/cut-off.json",
    "tests/traces/monetdb/sep2022.ndjson",
    "tests/traces/chrome/cpu-time.json",
];

fn csv(engine: &Engine, sql: &str) -> Vec<Vec<String>> {
    let result = engine.run(sql).unwrap_or_else(|error| panic!("{error}\n{sql}"));
    let mut out = Vec::new();
    output::write(&result, OutputForm::Csv, &mut out).expect("a vector takes everything");
    let text = String::from_utf8(out).expect("text");
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Executions, incomplete, errors, total, min, p50, p95, p99, max, first start.
type KindNumbers = [i64; 10];

/// Whether the query around a span failed: sources do not report failures of their own.
fn is_in_failed_query(trace: &Trace, id: SpanId) -> bool {
    let above = std::iter::successors(Some(id), |&id| trace.spans.parent(id));
    let query = above.into_iter().find(|&id| trace.spans.kind(id) == Kind::Query);
    query.is_some_and(|id| trace.spans.flags(id).has(Flags::FAILED))
}

/// The numbers of each kind of spans in each run, computed from the spans one by one.
fn kinds(trace: &Trace) -> BTreeMap<(i64, String), KindNumbers> {
    let mut durations: BTreeMap<(i64, String), (Vec<i64>, KindNumbers)> = BTreeMap::new();
    for (run, about) in trace.runs.iter().enumerate() {
        for id in trace.tracks.subtree_spans(about.track).map(SpanId) {
            let flags = trace.spans.flags(id);
            let key = (run as i64, trace.spans.kind(id).name().to_owned());
            let (list, numbers) = durations.entry(key).or_insert_with(|| (Vec::new(), [i64::MAX; 10]));
            numbers[9] = numbers[9].min(trace.spans.start(id));
            let is_whole = !flags.has(Flags::OPEN_START) && !flags.has(Flags::OPEN_END);
            let add = |number: &mut i64, one: bool| *number = number.wrapping_add(i64::from(one));
            add(&mut numbers[1], !is_whole);
            let is_source_execution = trace.spans.kind(id) == Kind::Execution;
            add(
                &mut numbers[2],
                flags.has(Flags::FAILED) || is_source_execution && is_in_failed_query(trace, id),
            );
            if is_whole {
                list.push(trace.duration(id));
            }
        }
    }
    let finish = |(key, (mut list, numbers)): (_, (Vec<i64>, KindNumbers))| {
        list.sort_unstable();
        let at = |percent: usize| {
            list.get((list.len() * percent).div_ceil(100).max(1) - 1).copied().unwrap_or(i64::MAX)
        };
        let counted = |number: i64| number.wrapping_sub(i64::MAX);
        let total = if list.is_empty() { i64::MAX } else { list.iter().sum() };
        let numbers = [
            list.len() as i64,
            counted(numbers[1]),
            counted(numbers[2]),
            total,
            at(0),
            at(50),
            at(95),
            at(99),
            at(100),
            numbers[9],
        ];
        (key, numbers)
    };
    durations.into_iter().map(finish).collect()
}

#[test]
fn groups_are_equal_to_numbers_of_the_spans() {
    let folder = folder("groups");
    let mut compared = 0;
    for path in TRACES {
        let session = support::open_path(path);
        let expected = kinds(session.trace());
        dataset::add_trace(&folder, &TraceRows::new(session, path, None)).expect("written");
        let engine = Engine::new(
            &[],
            vec![
                Dataset::of_folder(&folder).and_then(|set| block_on(Arc::new(set).tables())).expect("tables"),
            ],
            Limits::default(),
        );
        let sql = format!(
            "SELECT run_id, text, executions, incomplete, errors, total_ns, min_ns, p50_ns, p95_ns, p99_ns, max_ns, first_start_ns \
             FROM execution_groups WHERE grouped_by = 'kind' AND trace_id = {}",
            queryscope_sql::identity::trace_id(path)
        );
        let rows = csv(&engine.expect("an engine"), &sql).into_iter().map(|row| {
            let number =
                |text: &String| if text.is_empty() { i64::MAX } else { text.parse().expect("a number") };
            let numbers: Vec<i64> = row[2..].iter().map(number).collect();
            ((number(&row[0]), row[1].clone()), numbers.try_into().expect("ten numbers"))
        });
        let found: BTreeMap<(i64, String), KindNumbers> = rows.collect();
        compared += found.len();
        assert_eq!(found, expected, "{path}");
    }
    assert!(compared >= 12, "only {compared} groups");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// Counts the groups that differ from what DuckDB computes of the spans, and the samples that are no spans.
const DUCKDB: &str = "
import duckdb, sys
for table in ['spans', 'execution_groups', 'execution_samples']:
    duckdb.execute(f\"CREATE VIEW {table} AS SELECT * FROM read_parquet('{sys.argv[1]}/{table}/**/*.parquet', hive_partitioning = true)\")
print(duckdb.execute('''
WITH nearest AS (
    SELECT s.trace_id, s.run_id, s.kind, list_sort(list(s.duration_ns) FILTER (s.complete)) AS d, count(*) AS n,
        count(*) FILTER (s.failed OR s.kind = 'source execution' AND q.failed) AS errors, min(s.start_ns) AS first
    FROM spans s LEFT JOIN spans q ON q.trace_id = s.trace_id AND q.span_id = s.query_span_id GROUP BY ALL),
numbers AS (
    SELECT *, len(d) AS complete, d[(len(d) * 50 + 99) // 100] AS p50, d[(len(d) * 95 + 99) // 100] AS p95, d[len(d)] AS longest FROM nearest)
SELECT count(*), count(*) FILTER (
    g.executions IS DISTINCT FROM coalesce(complete, 0) OR g.executions + g.incomplete <> n OR g.errors <> numbers.errors
    OR g.total_ns IS DISTINCT FROM list_sum(d) OR g.p50_ns IS DISTINCT FROM p50 OR g.p95_ns IS DISTINCT FROM p95
    OR g.max_ns IS DISTINCT FROM longest OR g.first_start_ns <> first)
FROM numbers FULL JOIN (SELECT * FROM execution_groups WHERE grouped_by = 'kind') g
    ON g.trace_id = numbers.trace_id AND g.run_id = numbers.run_id AND g.text = kind''').fetchone(),
duckdb.execute('''
SELECT count(*), count(*) FILTER (s.duration_ns IS DISTINCT FROM x.duration_ns OR s.start_ns <> x.start_ns OR NOT s.complete)
FROM execution_samples x LEFT JOIN spans s USING (trace_id, span_id)''').fetchone())
";

#[test]
fn duckdb_says_the_same() {
    let Some(python) = support::python_with_duckdb() else { return };
    let folder = folder("duckdb");
    for path in TRACES {
        dataset::add_trace(&folder, &TraceRows::new(support::open_path(path), path, None)).expect("written");
    }
    let run = Command::new(&python).args(["-c", DUCKDB]).arg(&folder).output().expect("Python runs");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let numbers: Vec<u64> =
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    assert!(numbers[0] >= 12 && numbers[1] == 0 && numbers[2] > 100 && numbers[3] == 0, "{text}");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// Numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }
}

/// Statements of the made-up runs: one gets slower, one is slower for a while, one is faster, two stay as they are.
const STATEMENTS: [&str; 5] = [
    "SELECT * FROM a WHERE id = {}",
    "SELECT {} FROM b",
    "DELETE FROM c WHERE id = {}",
    "SELECT 'x' FROM d",
    "COMMIT",
];

/// Level of a statement in a run, as a multiple.
fn level(statement: usize, run: usize) -> f64 {
    match (statement, run) {
        (0, 25..) => 1.5,
        (1, 10..=19) => 1.6,
        (2, 30..) => 0.6,
        _ => 1.0,
    }
}

/// A run in the format `queryscope`: all runs share a noise of 3 %, and executions one of 10 %.
fn made_up_run(random: &mut Random, run: usize, has_changes: bool) -> String {
    let version = if run < 25 { "9.1" } else { "9.2" };
    let mut text = format!(
        "{{\"queryscope\":\"trace\",\"version\":1}}\n{{\"run\":\"nightly\",\"texts\":{{\"version\":\"{version}\"}}}}\n\
         {{\"track\":\"session\",\"kind\":\"thread\"}}\n"
    );
    let mut start = 0;
    let noise: Vec<f64> = STATEMENTS.iter().map(|_| 1.0 + 0.03 * (random.next() - random.next())).collect();
    for at in 0..60 {
        let statement = at % STATEMENTS.len();
        let change = if has_changes { level(statement, run) } else { 1.0 };
        let factor = change * noise[statement] * (1.0 + 0.1 * (random.next() - random.next()));
        let duration = (1e6 * (statement + 1) as f64 * factor) as i64;
        let sql = STATEMENTS[statement].replace("{}", &at.to_string());
        let _ = writeln!(
            text,
            "{{\"span\":\"q{at}\",\"kind\":\"query\",\"start\":{start},\"duration\":{duration},\"texts\":{{\"SQL\":\"{sql}\"}}}}"
        );
        start += duration + 10;
    }
    text
}

fn made_up(random: &mut Random, runs: usize, has_changes: bool) -> Vec<TraceRows> {
    let rows = |run: usize| {
        let name = format!("run-{run}.ndjson");
        let session = support::open([(name.as_str(), made_up_run(random, run, has_changes))]);
        TraceRows::new(session, &name, Some("2026-03-31".to_owned()))
    };
    (0..runs).map(rows).collect()
}

fn trend_of(traces: &[TraceRows], by: GroupBy) -> Trend {
    let mut inputs = TrendInputs::new(by);
    traces.iter().for_each(|trace| inputs.add_trace(trace, None));
    block_on(inputs.trend(RunMeasure::P50, RunOrder::Time)).expect("a trend")
}

/// Text, direction, and run of each change.
fn changes(trend: &Trend) -> Vec<(String, bool, usize)> {
    let groups = trend.groups.iter();
    let mut found: Vec<(String, bool, usize)> = groups
        .flat_map(|group| group.changes.iter().map(|c| (group.text.clone(), c.test.delta > 0.0, c.run)))
        .collect();
    found.sort();
    found
}

#[test]
fn planted_changes_are_found_and_noise_is_not() {
    let mut false_changes = 0;
    for seed in 1..=8 {
        let traces = made_up(&mut Random(seed), 40, true);
        let trend = trend_of(&traces, GroupBy::Shape);
        let expected = [
            ("DELETE FROM c WHERE id = ?", false, 30),
            ("SELECT * FROM a WHERE id = ?", true, 25),
            ("SELECT ? FROM b", false, 20),
            ("SELECT ? FROM b", true, 10),
        ];
        let found = changes(&trend);
        for (text, is_up, run) in expected {
            assert!(
                found.contains(&(text.to_owned(), is_up, run)),
                "seed {seed}: {text} at {run}: {found:?}"
            );
        }
        false_changes += found.len() - expected.len();
        let slower = trend.groups.iter().find(|group| group.text == "SELECT * FROM a WHERE id = ?");
        let change = &slower.expect("the statement").changes[0];
        assert_eq!((change.runs_before, change.runs_after, change.previous), (25, 15, 24));
        let executions = change.executions.and_then(|test| test.ratio).expect("enough executions");
        assert!((executions.median - 1.5).abs() < 0.06 && executions.interval.0 > 1.4, "{executions:?}");
        let versions = [change.previous, change.run].map(|run| trend.runs[run].version.clone());
        assert_eq!(versions, [Some("9.1".to_owned()), Some("9.2".to_owned())]);
        let noise = trend_of(&made_up(&mut Random(seed + 100), 20, false), GroupBy::Shape);
        false_changes += noise.n_changes();
    }
    assert!(false_changes <= 3, "{false_changes} changes that were not planted");
}

#[test]
fn a_data_set_and_its_files_have_the_same_trend() {
    let folder = folder("same");
    let traces = made_up(&mut Random(7), 30, true);
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    // Another order than that of the names.
    for trace in traces.iter().rev() {
        writer.add(trace).expect("written");
    }
    writer.commit().expect("written");
    drop(writer);
    for by in [GroupBy::Shape, GroupBy::Kind, GroupBy::Name, GroupBy::Connector] {
        let mut inputs = TrendInputs::new(by);
        block_on(inputs.add_dataset(&Arc::new(Dataset::of_folder(&folder).expect("a manifest")), None))
            .expect("a data set");
        let stored = block_on(inputs.trend(RunMeasure::P50, RunOrder::Time));
        let groups = |trend: &Trend| (trend.runs.clone(), trend.groups.clone());
        let files = trend_of(&traces, by);
        match stored {
            Ok(stored) => assert_eq!(groups(&stored), groups(&files), "{by:?}"),
            // Without a group, nothing is known of a run.
            Err(error) => assert!(files.groups.is_empty(), "{error}"),
        }
    }
    let run = |arguments: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"))
            .arg("trend")
            .arg(&folder)
            .args(arguments)
            .output();
        let run = run.expect("the program runs");
        (String::from_utf8_lossy(&run.stdout).into_owned(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (text, _) = run(&[]);
    for part in [
        "30 runs: run-0.ndjson · nightly (2026-03-31) … run-29.ndjson",
        "versions: 9.1 (25 runs), 9.2 (5 runs)",
        "9.1 → 9.2",
        "slower",
        "Change points: circular binary segmentation of the p50",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    let (json, _) = run(&["--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let change = &json["groups"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|g| g["text"] == "SELECT * FROM a WHERE id = ?");
    let change = &change.expect("the statement")["changes"][0];
    assert_eq!((&change["run"], &change["change"]), (&Value::from(25), &Value::from("slower")));
    let ratio = |test: &str| change[test]["ratio"].as_f64().expect("a ratio");
    assert!((ratio("of_runs") - 1.5).abs() < 0.06 && (ratio("of_executions") - 1.5).abs() < 0.06);
    assert!(change["slowest"]["span_id"].is_u64());
    let (csv, _) = run(&["--format", "csv"]);
    assert_eq!(csv.lines().count(), 1 + 30 * STATEMENTS.len());
    let (markdown, _) = run(&["--format", "markdown", "--limit", "1"]);
    assert!(markdown.contains("| <code>SELECT &#42; FROM a WHERE id = ?</code> | slower |"), "{markdown}");
    let (_, error) = run(&["--measure", "speed"]);
    assert!(error.contains("expected one of count, total, mean, p50"), "{error}");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn too_little_is_said() {
    let traces = made_up(&mut Random(3), 7, true);
    let (trend, folder) = (trend_of(&traces, GroupBy::Shape), folder("few"));
    assert!(trend.groups.iter().all(|group| !group.is_tested && group.changes.is_empty()));
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    traces.iter().for_each(|trace| _ = writer.add(trace).expect("written"));
    let other = "tests/traces/chrome/flows.json";
    writer.add(&TraceRows::new(support::open_path(other), other, None)).expect("written");
    writer.commit().expect("written");
    drop(writer);
    let run = |arguments: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"))
            .arg("trend")
            .arg(&folder)
            .args(arguments)
            .output();
        let run = run.expect("the program runs");
        [run.stdout, run.stderr].map(|out| String::from_utf8_lossy(&out).into_owned()).concat()
    };
    for (arguments, part) in [
        (
            &[][..],
            "the traces are of 2 engines (chrome: 1, queryscope: 7), whose runs cannot be compared. Choose one with --engine",
        ),
        (&["--engine", "queryscope"], "a change point needs 8 runs with a value, 4 before it and 4 after"),
        (&["--engine", "mysql"], "no traces of the engine “mysql”"),
        (&["--engine", "chrome"], "1 run: "),
        (&["--engine", "queryscope", "--by", "connector"], "no executions to group by connector"),
    ] {
        let text = run(arguments);
        assert!(text.contains(part), "{arguments:?}: {part} is not in:\n{text}");
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A trace with more names than are kept: the rest is one group, and no execution is lost.
#[test]
fn many_groups_are_bounded() {
    const NAMES: usize = 3_000;
    let mut text =
        "{\"queryscope\":\"trace\",\"version\":1}\n{\"run\":\"a\"}\n{\"track\":\"t\",\"kind\":\"thread\"}\n"
            .to_owned();
    for at in 0..NAMES {
        let duration = if at == 7 { 1_000_000 } else { 10 };
        let _ = writeln!(text, "{{\"span\":\"n{at}\",\"start\":{},\"duration\":{duration}}}", at * 2_000_000);
    }
    for at in 0..SAMPLE * 3 {
        let start = (NAMES + at) * 2_000_000;
        let _ = writeln!(text, "{{\"span\":\"often\",\"start\":{start},\"duration\":{}}}", 1_000 + at);
    }
    let folder = folder("many");
    let rows = TraceRows::new(support::open([("a.ndjson", text)]), "a.ndjson", None);
    dataset::add_trace(&folder, &rows).expect("written");
    let stored =
        Dataset::of_folder(&folder).and_then(|set| block_on(Arc::new(set).tables())).expect("tables");
    let engine = Engine::new(&[], vec![stored], Limits::default()).expect("an engine");
    let sql = "SELECT count(*), count(text), sum(executions), max(max_ns) FROM execution_groups WHERE grouped_by = 'name'";
    let expected = [LARGEST + 1, LARGEST, NAMES + SAMPLE * 3, 1_000_000].map(|n| n.to_string());
    assert_eq!(csv(&engine, sql), [expected]);
    // The middle of each of 64 parts of three.
    let sql = "SELECT count(*), min(duration_ns), max(duration_ns), sum(duration_ns) FROM execution_samples x JOIN execution_groups g \
               ON g.group_id = x.group_id WHERE g.grouped_by = 'name' AND g.text = 'often'";
    let middles: Vec<usize> = (0..SAMPLE).map(|at| 1_000 + 3 * at + 1).collect();
    let expected = [SAMPLE, 1_001, middles[SAMPLE - 1], middles.iter().sum()].map(|n| n.to_string());
    assert_eq!(csv(&engine, sql), [expected]);
    // A side of a trace that is not a data set has no such tables.
    let alone = Engine::new(&[Arc::new(rows)], Vec::new(), Limits::default()).expect("an engine");
    assert!(alone.run("SELECT * FROM execution_groups").is_err());
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn folders_of_other_files_are_not_data_sets() {
    assert!(!dataset::is_dataset(Path::new("tests")));
}
