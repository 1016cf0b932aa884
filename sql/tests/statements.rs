//! The statements that come with the program: equal to the report, to sums over the spans, and to DuckDB's answers.

use crate::support;

use std::collections::BTreeMap;
use std::io;
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use queryscope::export::Report;
use queryscope::protocol::{PivotCell, PivotRequest, PivotSpec, PivotView, QueryList, QueryListRequest};
use queryscope::session::Session;
use queryscope::trace::{Flags, Item, Kind, SpanId, Trace, key};
use queryscope_sql::cells::{self, Cell};
use queryscope_sql::dataset::{self, Dataset, block_on};
use queryscope_sql::identity::trace_id;
use queryscope_sql::output::{self, OutputForm};
use queryscope_sql::query::{Engine, Limits};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::schema::{PARTITIONS, TABLES};
use queryscope_sql::statements::{self, STATEMENTS};
use serde_json::Value;

/// Traces of each engine: two runs of Kubling with buffers, threads of MySQL, instructions of MonetDB, slices of Chrome.
const TRACES: [&str; 6] = [
    "web/assets/sample/no-buffer.json.gz",
    "web/assets/sample/buffer-rocks.json.gz",
    "tests/traces/kubling/cut-off.json",
    "tests/traces/mysql/thread",
    "tests/traces/monetdb/sep2022.ndjson",
    "tests/traces/chrome/cpu-time.json",
];

fn engine(path: &str) -> Engine {
    let rows = TraceRows::new(support::open_path(path), path, Some("2026-03-31".to_owned()));
    Engine::new(&[Arc::new(rows)], Vec::new(), Limits::default()).expect("tables")
}

fn json(engine: &Engine, sql: &str) -> Vec<BTreeMap<String, Value>> {
    let result = engine.run(sql).unwrap_or_else(|error| panic!("{error}\n{sql}"));
    let mut out = Vec::new();
    output::write(&result, OutputForm::Json, &mut out).expect("a vector takes everything");
    serde_json::from_slice(&out).expect("JSON")
}

fn ready(name: &str) -> &'static str {
    statements::named(name).expect("a statement of this name").sql
}

/// Whether two values say the same: numbers with a fraction up to the last digits of a division.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => (left - right).abs() <= 1e-9 * left.abs().max(right.abs()).max(1.0),
        _ => left == right,
    }
}

fn assert_same(what: &str, left: &Value, right: &Value) {
    assert!(is_same(left, right), "{what}: {left} is not {right}");
}

/// Asserts that columns of rows are fields of the report, row by row.
fn assert_rows(rows: &[BTreeMap<String, Value>], report: &Value, fields: &[(&str, &str)]) {
    let list = report.as_array().map_or(&[][..], Vec::as_slice);
    assert_eq!(rows.len(), list.len(), "{rows:?}\n{report}");
    for (row, expected) in rows.iter().zip(list) {
        for (column, field) in fields {
            assert_same(column, &row[*column], &expected[*field]);
        }
    }
}

#[test]
fn statements_are_equal_to_the_report() {
    for path in TRACES {
        let session = support::open_path(path);
        let report = serde_json::to_value(Report::of(session.trace(), session.report())).expect("plain data");
        let engine = engine(path);
        if path.contains("kubling") || path.contains("sample") {
            let fields = [
                ("run", "run"),
                ("queries", "queries"),
                ("total_ns", "total_duration_ns"),
                ("avg_ns", "avg_duration_ns"),
                ("min_ns", "min_duration_ns"),
                ("max_ns", "max_duration_ns"),
                ("source_calls", "source_calls"),
                ("rows_read", "rows_read"),
                ("rows_returned", "rows_returned"),
                ("buffer_events", "buffer_events"),
                ("buffer_bytes", "buffer_bytes"),
                ("buffer_elements", "buffer_elements"),
            ];
            assert_rows(&json(&engine, ready("run_summary")), &report["runs"], &fields);
            let outliers =
                [("run", "run"), ("duration_ns", "duration_ns"), ("vs_run_avg_ratio", "vs_run_avg")];
            assert_rows(&json(&engine, ready("query_outliers")), &report["outliers"], &outliers);
        }
    }
}

/// What a statement says of each name, computed from the spans one by one.
fn sums(trace: &Trace, name: impl Fn(SpanId) -> Option<String>) -> BTreeMap<String, (i64, i64, i64)> {
    let mut sums: BTreeMap<String, (i64, i64, i64)> = BTreeMap::new();
    for id in (0..trace.spans.len() as u32).map(SpanId) {
        let Some(name) = name(id) else { continue };
        let sum = sums.entry(name).or_default();
        let duration = trace.duration(id);
        *sum = (sum.0 + 1, sum.1 + duration, sum.2.max(duration));
    }
    sums
}

fn answered(rows: &[BTreeMap<String, Value>], name: &str, count: &str) -> BTreeMap<String, (i64, i64, i64)> {
    let number = |row: &BTreeMap<String, Value>, column: &str| row[column].as_i64().expect("a number");
    let text = |row: &BTreeMap<String, Value>| row[name].as_str().unwrap_or_default().to_owned();
    rows.iter()
        .map(|row| (text(row), (number(row, count), number(row, "total_ns"), number(row, "max_ns"))))
        .collect()
}

#[test]
fn statements_are_equal_to_sums_over_the_spans() {
    let mut compared = 0;
    for path in TRACES {
        let session = support::open_path(path);
        let trace = session.trace();
        let engine = engine(path);
        let text = |id: SpanId, key| Some(trace.str(trace.text(Item::Span(id), key)?).to_owned());
        let attribute = |id: SpanId, name: &str| text(id, trace.key(name)?);
        let module = |id: SpanId| {
            let name = trace.spans.name(id);
            let group = trace.name_group(name);
            (trace.spans.kind(id) == Kind::Slice && group != name).then(|| trace.str(group).to_owned())
        };
        let span = |id: SpanId| {
            let is_segment = trace.spans.flags(id).has(Flags::SEGMENT);
            let name = || format!("{} {}", trace.spans.kind(id).name(), trace.str(trace.spans.name(id)));
            (!is_segment).then(name)
        };
        let object = |id: SpanId| {
            let table = attribute(id, "table").map(|table| match attribute(id, "schema") {
                Some(schema) => format!("{schema}.{table}"),
                None => table,
            });
            let object = table.or_else(|| attribute(id, "file")).or_else(|| attribute(id, "socket"));
            let event = trace.str(trace.spans.name(id));
            (trace.spans.kind(id) == Kind::Wait).then(|| format!("{event} {}", object.unwrap_or_default()))
        };
        let digest = |id: SpanId| {
            let flags = trace.spans.flags(id);
            let is_whole = !flags.has(Flags::OPEN_START) && !flags.has(Flags::OPEN_END);
            let is_query = trace.spans.kind(id) == Kind::Query && is_whole;
            text(id, key::SQL).filter(|_| is_query).map(|sql| queryscope::internal::sql::shape(&sql))
        };
        let waits = format!(
            "SELECT event || ' ' || coalesce(object, '') AS wait, * FROM ({})",
            ready("waits_by_object")
        );
        let spans =
            format!("SELECT kind || ' ' || coalesce(name, '') AS span, * FROM ({})", ready("spans_by_name"));
        for (sql, name, count, expected) in [
            (ready("mal_modules"), "module", "instructions", sums(trace, module)),
            (spans.as_str(), "span", "spans", sums(trace, span)),
            (waits.as_str(), "wait", "waits", sums(trace, object)),
            (ready("statement_digests"), "shape", "executions", sums(trace, digest)),
        ] {
            compared += expected.len();
            assert_eq!(answered(&json(&engine, sql), name, count), expected, "{path}: {name}");
        }
    }
    assert!(compared > 40, "only {compared} groups");
}

/// The rows of a pivot table with one dimension: the label, and the exact values; NaN for what nothing reports.
fn pivot(session: &mut Session, by: &str, measures: &str, filter: &str) -> BTreeMap<String, Vec<f64>> {
    let (by, measures, filter) = (by.to_owned(), measures.to_owned(), filter.to_owned());
    let spec = PivotSpec { by, measures, filter, ..PivotSpec::default() };
    let view = PivotView { spec, ..PivotView::default() };
    let page = session.answer(&PivotRequest { view, first: 0, count: 10_000 });
    assert_eq!(page.error, None);
    let value = |cell: PivotCell| cell.exact.parse().unwrap_or(f64::NAN);
    page.rows.into_iter().map(|row| (row.label, row.cells.into_iter().map(value).collect())).collect()
}

/// The same from a statement whose first column is the label.
fn answers(engine: &Engine, sql: &str) -> BTreeMap<String, Vec<f64>> {
    let result = engine.run(sql).unwrap_or_else(|error| panic!("{error}\n{sql}"));
    let labelled = |row: io::Result<Vec<Cell>>| {
        let mut texts = row.expect("values can be written").into_iter().map(Cell::into_text);
        let label = texts.next().flatten().unwrap_or_default();
        let value = |text: Option<String>| text.and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
        (label, texts.map(value).collect())
    };
    cells::rows(&result).map(labelled).collect()
}

#[test]
fn statements_are_equal_to_the_pivot() {
    let mut compared = 0;
    for path in TRACES {
        let (engine, mut session) = (engine(path), support::open_path(path));
        let kinds = answers(&engine, "SELECT kind, count(*) FROM spans GROUP BY kind");
        let of_kinds = kinds.into_keys().map(|kind| {
            let columns = "name, spans, total_ns, self_ns, max_ns";
            let sql = format!("SELECT {columns} FROM ({}) WHERE kind = '{kind}'", ready("spans_by_name"));
            (
                sql,
                "name",
                "count, sum(duration), sum(self time), max(duration)",
                format!("kind = \"{kind}\" duration >= 0ns"),
            )
        });
        let of = |columns: &str, name: &str| format!("SELECT {columns} FROM ({})", ready(name));
        let others = [
            (
                of("shape, executions, total_ns, min_ns, max_ns", "statement_digests"),
                "SQL[shape]",
                "count, sum(duration), min(duration), max(duration)",
                "kind = query status != unfinished".to_owned(),
            ),
            (
                of("datasource, source_calls, avg_rows_read, avg_rows_returned", "filtering"),
                "datasource",
                "count, avg(rows read), avg(rows returned)",
                "kind = \"source execution\" status != unfinished".to_owned(),
            ),
            (
                of("type, events, bytes, elements", "buffers"),
                "name",
                "count, sum(bytes), sum(elements)",
                "kind = buffer".to_owned(),
            ),
        ];
        for (sql, by, measures, filter) in of_kinds.chain(others) {
            let (found, expected) = (answers(&engine, &sql), pivot(&mut session, by, measures, &filter));
            if expected.is_empty() && found.is_empty() {
                continue;
            }
            assert!(found.keys().eq(expected.keys()), "{path}, {filter}: {found:?} {expected:?}");
            for (left, right) in found.values().flatten().zip(expected.values().flatten()) {
                let is_same =
                    left.is_nan() && right.is_nan() || (left - right).abs() <= 1e-6 * left.abs().max(1.0);
                assert!(is_same, "{path}, {filter}: {found:?} {expected:?}");
            }
            compared += found.len();
        }
    }
    assert!(compared > 40, "only {compared} groups");
}

#[test]
fn scores_and_ratios_are_those_of_the_query_list() {
    for path in TRACES {
        let mut session = support::open_path(path);
        let request = QueryListRequest { list: QueryList::default(), first: 0, count: 1000 };
        let page = session.answer(&request);
        let engine = engine(path);
        let by_span = |sql: &str, column: &str| -> BTreeMap<i64, f64> {
            let number = |row: &BTreeMap<String, Value>| row[column].as_f64().unwrap_or_default();
            json(&engine, sql)
                .iter()
                .map(|row| (row["span_id"].as_i64().expect("an id"), number(row)))
                .collect()
        };
        let ratios = by_span(ready("query_profile"), "vs_run_avg_ratio");
        let scores = by_span(ready("score"), "score");
        let durations = by_span(ready("query_profile"), "duration_ns");
        assert_eq!(ratios.len(), scores.len());
        for row in &page.rows {
            let id = i64::from(row.item);
            if let Some(ratio) = row.ratio {
                assert!((ratios[&id] - ratio).abs() < 1e-9, "{path}: {row:?}");
                assert_eq!(durations[&id], row.duration as f64, "{path}: {row:?}");
            }
            if let Some(score) = row.score {
                assert!((scores[&id] - score).abs() < 1e-9, "{path}: {row:?} {}", scores[&id]);
            }
        }
    }
}

/// Statements about the columns that name the folders of a data set.
const PARTITIONED: &[(&str, &str)] = &[
    (
        "partitions",
        "SELECT day, engine, count(*) AS spans, sum(duration_ns) AS total_ns, max(self_ns) AS max_self_ns FROM spans GROUP BY day, engine",
    ),
    (
        "one_partition",
        "SELECT trace_id, name, count(*) AS spans FROM spans WHERE day = '2026-04-01' AND engine = 'kubling' GROUP BY trace_id, name",
    ),
    (
        "partitions_of_two_tables",
        "SELECT r.day, r.trace, e.engine, count(*) AS events FROM runs r JOIN events e ON e.trace_id = r.trace_id AND e.day = r.day \
         WHERE r.day > '2026-03-31' GROUP BY r.day, r.trace, e.engine",
    ),
];

/// Every statement, by DuckDB over the data set and by this program over it and over the traces.
#[test]
fn duckdb_says_the_same() {
    let Some(python) = support::python_with_duckdb() else { return };
    let folder = env::temp_dir().join(format!("queryscope-duckdb-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for (path, day) in TRACES.into_iter().zip(["2026-03-31", "2026-04-01"].into_iter().cycle()) {
        let rows = TraceRows::new(support::open_path(path), path, Some(day.to_owned()));
        dataset::add_trace(&folder, &rows).expect("written");
    }
    let stored =
        Dataset::of_folder(&folder).and_then(|set| block_on(Arc::new(set).tables())).expect("tables");
    let engine = Engine::new(&[], vec![stored], Limits::default()).expect("tables");
    let script = "
import datetime, duckdb, json, os, sys
folder = sys.argv[1]
for table in sorted(os.listdir(folder)):
    if os.path.isdir(os.path.join(folder, table)):
        duckdb.execute(f\"CREATE VIEW \\\"{table}\\\" AS SELECT * FROM read_parquet('{folder}/{table}/**/*.parquet', \"
                       \"hive_partitioning = true, union_by_name = true)\")
rows = duckdb.execute(sys.stdin.read())
names = [column[0] for column in rows.description]
plain = lambda value: str(value) if isinstance(value, datetime.date) else float(value)
print(json.dumps([dict(zip(names, row)) for row in rows.fetchall()], default=plain))
";
    let mut compared = 0;
    let ready = STATEMENTS.iter().map(|statement| (statement.name, statement.sql));
    for (name, sql) in ready.chain(PARTITIONED.iter().copied()) {
        let text = folder.join("statement.sql");
        fs::write(&text, sql).expect("written");
        let run = Command::new(&python)
            .args(["-c", script])
            .arg(&folder)
            .stdin(fs::File::open(&text).expect("a file"))
            .output()
            .expect("Python runs");
        assert!(run.status.success(), "{}: {}", name, String::from_utf8_lossy(&run.stderr));
        let theirs: Vec<BTreeMap<String, Value>> = serde_json::from_slice(&run.stdout).expect("JSON");
        let sorted = |rows: Vec<BTreeMap<String, Value>>| {
            let key = |row: &BTreeMap<String, Value>| -> Vec<String> {
                row.values().filter(|value| !value.is_f64()).map(ToString::to_string).collect()
            };
            let mut rows = rows;
            rows.sort_by_key(key);
            rows
        };
        let ours = sorted(json(&engine, sql));
        let theirs = sorted(theirs);
        assert_eq!(ours.len(), theirs.len(), "{}", name);
        compared += ours.len();
        for (ours, theirs) in ours.iter().zip(&theirs) {
            for (column, value) in ours {
                assert_same(&format!("{}.{column}", name), value, &theirs[column]);
            }
        }
    }
    assert!(compared > 100, "only {compared} rows");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A data set gives the rows of its traces, in every column.
#[test]
fn a_data_set_has_the_rows_of_its_traces() {
    let folder = env::temp_dir().join(format!("queryscope-rows-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for path in TRACES {
        let rows = TraceRows::new(support::open_path(path), path, Some("2026-03-31".to_owned()));
        dataset::add_trace(&folder, &rows).expect("written");
    }
    let stored =
        || Dataset::of_folder(&folder).and_then(|set| block_on(Arc::new(set).tables())).expect("tables");
    let set = Engine::new(&[], vec![stored()], Limits::default()).expect("tables");
    let names: Vec<String> = set.table_names();
    for path in TRACES {
        let trace = engine(path);
        for table in TABLES {
            let columns = table.columns.iter().chain(PARTITIONS).map(|column| format!("\"{}\"", column.name));
            let columns = columns.collect::<Vec<_>>().join(", ");
            let rows = |engine: &Engine| -> Vec<String> {
                let sql = format!("SELECT {columns} FROM {} WHERE trace_id = {}", table.name, trace_id(path));
                let mut rows: Vec<String> = json(engine, &sql).iter().map(|row| format!("{row:?}")).collect();
                rows.sort();
                rows
            };
            if names.contains(&table.name.to_owned()) {
                assert_eq!(rows(&set), rows(&trace), "{path}: {}", table.name);
            }
        }
    }
    // A trace and a data set together.
    let rows = TraceRows::new(support::open_path(TRACES[0]), "again", None);
    let both = Engine::new(&[Arc::new(rows)], vec![stored()], Limits::default()).expect("tables");
    let count = |engine: &Engine, condition: &str| {
        let sql = format!("SELECT count(*) AS n FROM spans WHERE {condition}");
        json(engine, &sql)[0]["n"].as_i64().expect("a count")
    };
    let all = "span_id IS NOT NULL";
    let of_first = count(&engine(TRACES[0]), all);
    assert_eq!(count(&both, all), count(&set, all) + of_first);
    // Data sets apply a condition on `trace_id` by their choice of files, open traces row by row.
    let (stored_one, open_one) = (trace_id(TRACES[0]), trace_id("again"));
    for (condition, expected_of_set, expected_of_both) in [
        (format!("trace_id = {stored_one}"), of_first, of_first),
        (format!("{stored_one} = trace_id AND start_ns IS NOT NULL"), of_first, of_first),
        (format!("trace_id = {open_one}"), 0, of_first),
        (format!("trace_id = {open_one} OR trace_id = {stored_one}"), of_first, 2 * of_first),
        (format!("trace_id = {open_one} AND trace_id = {stored_one}"), 0, 0),
        ("trace_id = NULL".to_owned(), 0, 0),
        ("trace_id = 1".to_owned(), 0, 0),
    ] {
        assert_eq!(count(&set, &condition), expected_of_set, "{condition}");
        assert_eq!(count(&both, &condition), expected_of_both, "{condition}");
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
