//! Statements of the page against the same statements over the native tables: both see the same columns.

use crate::support;

use std::sync::Arc;

use crate::waiting::{done, finish};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use queryscope::protocol::{AnyRequest, FilterRequest, SqlColumnsRequest, SqlFailure, SqlOrder, SqlResult};
use queryscope::session::Session;
use queryscope_sql::cells::{self, Cell};
use queryscope_sql::query::{Engine, Limits};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::schema::TABLES;
use queryscope_sql::statement::ResultRows;
use queryscope_sql::statements::STATEMENTS;
use queryscope_sql_page::complete::CompletionPlace;
use queryscope_sql_page::program::{MEMORY, SqlProgram, Step};
use queryscope_sql_page::tables::PART;

/// A trace of each engine.
const TRACES: [&str; 5] = [
    "web/assets/sample/no-buffer.json.gz",
    "tests/traces/kubling/cut-off.json",
    "tests/traces/mysql/thread",
    "tests/traces/monetdb/sep2022.ndjson",
    "tests/traces/chrome/cpu-time.json",
];

/// The name that the page gives the trace.
fn name(session: &Session) -> String {
    let files = session.report();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    names.join(", ")
}

/// Runs a statement as the page does, and returns what was asked of the engine.
fn run(
    program: &mut SqlProgram,
    session: &mut Session,
    sql: &str,
    rows: u32,
) -> (Vec<SqlColumnsRequest>, Result<SqlResult, SqlFailure>) {
    let order = SqlOrder { build: 1, sql: sql.to_owned(), rows, limit: u64::MAX, stored: None };
    let step = done(program.run(order));
    finish(program, session, step)
}

/// The cells of a statement over the native tables.
fn native(engine: &Engine, sql: &str) -> Vec<Option<String>> {
    let result = engine.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    texts(&result)
}

/// The cells of a result, row by row.
fn texts(result: &ResultRows) -> Vec<Option<String>> {
    cells::rows(result).flat_map(|row| row.expect("text")).map(Cell::into_text).collect()
}

#[test]
fn rows_are_those_of_the_native_tables() {
    for path in TRACES {
        let mut session = support::open_path(path);
        let engine = Engine::new(
            &[Arc::new(TraceRows::new(support::open_path(path), &name(&session), None))],
            Vec::new(),
            Limits::default(),
        );
        let engine = engine.expect("tables");
        let mut program = SqlProgram::new(MEMORY);
        let whole = TABLES.iter().map(|table| format!("SELECT * FROM {}", table.name));
        let own = engine
            .table_names()
            .into_iter()
            .filter(|name| name.starts_with("t_") || name.starts_with("events_"));
        let counts = TABLES.iter().map(|table| format!("SELECT count(*) FROM {}", table.name));
        let ready = STATEMENTS.iter().map(|statement| statement.sql.to_owned());
        for sql in whole.chain(counts).chain(own.map(|name| format!("SELECT * FROM {name}"))).chain(ready) {
            let (_, result) = run(&mut program, &mut session, &sql, u32::MAX);
            let mut cells = result.unwrap_or_else(|failure| panic!("{path}: {sql}: {}", failure.text)).cells;
            let mut expected = native(&engine, &sql);
            // Without an order, groups come as they were hashed.
            cells.sort();
            expected.sort();
            assert_eq!(cells, expected, "{path}: {sql}");
        }
    }
}

#[test]
fn only_missing_columns_are_asked_for() {
    let mut session = support::open_path(TRACES[0]);
    let mut program = SqlProgram::new(MEMORY);
    for (sql, expected) in [
        ("SELECT 1", &[][..]),
        ("SELECT count(*) FROM spans", &[("spans", "")]),
        (
            "SELECT max(duration_ns), engine, trace_id FROM spans GROUP BY engine, trace_id",
            &[("spans", "duration_ns")],
        ),
        ("SELECT kind, sum(duration_ns) FROM spans GROUP BY kind", &[("spans", "kind")]),
        ("SELECT count(*) FROM spans", &[]),
        (
            "SELECT t.name, count(*) FROM spans s JOIN tracks t ON s.track_id = t.track_id GROUP BY t.name",
            &[("tracks", "name,track_id"), ("spans", "track_id")],
        ),
        ("SELECT nme FROM spans", &[]),
    ] {
        let (asked, _) = run(&mut program, &mut session, sql, 10);
        let mut asked: Vec<(String, String)> = asked
            .into_iter()
            .filter(|request| request.first == 0)
            .map(|of| (of.table, of.columns.join(",")))
            .collect();
        let mut expected: Vec<(String, String)> =
            expected.iter().map(|(table, columns)| ((*table).to_owned(), (*columns).to_owned())).collect();
        asked.sort();
        expected.sort();
        assert_eq!(asked, expected, "{sql}");
    }
}

#[test]
fn parts_join_to_the_whole() {
    let n = u64::from(PART) * 2 + 7;
    let mut lines = String::from(
        "{\"queryscope\":\"trace\",\"version\":1}\n{\"run\":\"r\",\"origin\":0,\"duration\":9}\n{\"track\":\"t\",\"kind\":\"thread\"}\n",
    );
    for at in 0..n {
        lines.push_str(&format!("{{\"span\":\"s{}\",\"start\":{at},\"duration\":1}}\n", at % 3));
    }
    let mut session = support::open([("large.ndjson", lines)]);
    let mut program = SqlProgram::new(MEMORY);
    let sql = "SELECT name, count(*), sum(start_ns) FROM spans GROUP BY name ORDER BY name";
    let (asked, result) = run(&mut program, &mut session, sql, 10);
    assert_eq!(asked.len(), 3);
    let of = |rest: u64| {
        let starts = (0..n).filter(|at| at % 3 == rest);
        [format!("s{rest}"), starts.clone().count().to_string(), starts.sum::<u64>().to_string()]
    };
    let expected: Vec<Option<String>> = (0..3).flat_map(of).map(Some).collect();
    assert_eq!(result.expect("rows").cells, expected);
}

#[test]
fn failures_name_their_place_and_the_next_statement_runs() {
    let mut session = support::open_path(TRACES[0]);
    let mut program = SqlProgram::new(MEMORY);
    for (sql, part, place) in [
        ("SELECT name,\n  nme FROM spans", "There is no column “nme”.", Some((2, 3))),
        ("SELECT (1\n\n FROM spans", "Expected ), but found FROM.", Some((3, 2))),
        ("SELECT * FROM span", "There is no table “span”.", Some((1, 15))),
        ("SELECT nofunction(name) FROM spans", "There is no function “nofunction”.", Some((1, 8))),
        ("DROP TABLE spans", "Statements can only read:", None),
        ("", "The statement is empty.", None),
        ("SELECT 1/0", "Division by zero.", None),
        (&format!("SELECT {}1", "1+".repeat(9_000)), "levels deep, and a browser can run 500", None),
        (
            &format!("SELECT 1 FROM runs{}", ", runs".repeat(300)),
            "levels deep, and a browser can run 500",
            None,
        ),
    ] {
        let failure = run(&mut program, &mut session, sql, 10).1.expect_err(sql);
        assert!(failure.text.contains(part), "{sql}: {}", failure.text);
        assert_eq!(failure.place, place, "{sql}: {}", failure.text);
        let result = run(&mut program, &mut session, "SELECT 1 AS n", 10).1.expect("rows");
        assert_eq!((result.columns[0].name.as_str(), result.cells), ("n", vec![Some("1".to_owned())]));
    }
}

#[test]
fn rows_are_cut_and_the_memory_is_limited() {
    let mut session = support::open_path(TRACES[0]);
    let mut program = SqlProgram::new(MEMORY);
    let series = "SELECT * FROM generate_series(1, 100)";
    for (rows, count, is_cut) in [(7, 7, true), (100, 100, false)] {
        let result = run(&mut program, &mut session, series, rows).1.expect("rows");
        assert_eq!((result.rows, result.is_cut), (count, is_cut));
    }
    let mut small = SqlProgram::new(1 << 20);
    for sql in [
        "SELECT value % 500000 AS n, count(*) FROM generate_series(1, 500000) GROUP BY n",
        "SELECT a.value FROM generate_series(1, 300000) a JOIN generate_series(1, 300000) b ON a.value = b.value",
        "SELECT repeat('x', 3000) || value AS long FROM generate_series(1, 3000)",
    ] {
        let failure = run(&mut small, &mut session, sql, u32::MAX).1.expect_err(sql);
        assert!(failure.is_memory && !failure.text.is_empty(), "{sql}: {}", failure.text);
        // The program goes on.
        let result = run(&mut small, &mut session, "SELECT 1 AS n", 10).1.expect("rows");
        assert_eq!(result.cells, [Some("1".to_owned())]);
    }
}

#[test]
fn rows_with_much_text_are_cut() {
    let mut session = support::open_path(TRACES[0]);
    let mut program = SqlProgram::new(MEMORY);
    let wide: Vec<String> = (0..400).map(|at| format!("value AS c{at}")).collect();
    // Long texts, and many columns.
    for (columns, all) in [("repeat('x', 1000000)", 100_usize), (&wide.join(", "), 20_000)] {
        let sql = format!("SELECT {columns} FROM generate_series(1, {all})");
        let result = run(&mut program, &mut session, &sql, u32::MAX).1.expect("rows");
        let bytes: usize = result.cells.iter().flatten().map(String::len).sum();
        let rows = result.rows as usize;
        assert!(
            result.is_cut && rows > all / 5 && rows < all && bytes < 64 << 20,
            "{rows} rows, {bytes} bytes"
        );
        assert_eq!(result.cells.len(), rows * result.columns.len());
    }
    let failure =
        run(&mut program, &mut session, "SELECT repeat('x', 100000000) AS x", 10).1.expect_err("long");
    assert!(failure.text.contains("The first row of the result is longer than 64 MB."), "{}", failure.text);
}

#[test]
fn rows_are_saved_as_parquet_and_read_back() {
    let mut session = support::open_path(TRACES[0]);
    let mut program = SqlProgram::new(MEMORY);
    assert!(program.parquet().is_err_and(|error| error.text.contains("no result")));
    for sql in [
        "SELECT span_id, name, kind, duration_ns, failed, duration_ns / 2.0 AS half FROM spans ORDER BY span_id",
        "SELECT 9007199254740993 AS n, NULL AS x, 'a' AS a, true AS b",
        "SELECT name FROM spans WHERE false",
        "SELECT * FROM spans",
        "SELECT * FROM args",
    ] {
        let result = run(&mut program, &mut session, sql, u32::MAX).1.expect("rows");
        let file = program.parquet().expect("a file");
        assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
        let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file)).expect("a file");
        let schema = reader.schema().clone();
        let batches: Vec<_> = reader.build().expect("rows").map(|batch| batch.expect("rows")).collect();
        let read = ResultRows { schema, batches, is_cut: false };
        assert_eq!(texts(&read), result.cells, "{sql}");
    }
    // What Parquet does not have is refused in a sentence.
    run(&mut program, &mut session, "SELECT 1 AS n, INTERVAL '1' DAY AS d", 10).1.expect("rows");
    let error = program.parquet().expect_err("no interval").text;
    assert!(error.contains("The column “d” cannot be saved: Parquet has no type Interval"), "{error}");
}

#[test]
fn charts_and_ids_are_those_of_the_last_rows() {
    let mut session = support::open_path(TRACES[0]);
    let mut program = SqlProgram::new(MEMORY);
    let sql = "SELECT span_id, start_ns, duration_ns FROM spans WHERE kind = 'query' ORDER BY start_ns";
    let result = run(&mut program, &mut session, sql, 10_000).1.expect("rows");
    assert_eq!(result.chart, Some((1, 2)));
    let chart = program.chart((1, 2)).expect("a chart");
    assert_eq!((chart.rows + chart.absent, chart.more), (result.rows, 0));
    // The condition selects the spans of the rows, and no others.
    let ids = result.ids.expect("ids");
    let condition = ids.condition.expect("few ids");
    let reply = session.answer(&FilterRequest { text: condition.clone() });
    assert_eq!((reply.error, reply.matched), (None, result.rows), "{condition}");
    assert_eq!(ids.count, result.rows);
    run(&mut program, &mut session, "SELECT nme FROM spans", 10).1.expect_err("an unknown column");
    assert!(program.chart((1, 2)).is_err());
}

#[test]
fn names_of_the_trace_are_completed() {
    let mut session = support::open_path("tests/traces/mysql/thread");
    let mut program = SqlProgram::new(MEMORY);
    for (sql, expected) in
        [("SELECT * FROM thr", "threads"), ("SELECT sta", "start_ns"), ("SELECT sum(dur) FROM spans", "")]
    {
        let order = SqlOrder { build: 1, sql: sql.to_owned(), ..SqlOrder::default() };
        let mut step =
            done(program.complete(order, CompletionPlace { caret: sql.len() as u32, is_asked: false }));
        if let Step::Ask(AnyRequest::SqlTableList(request)) = &step {
            step = done(program.take(&postcard::to_allocvec(&session.answer(request)).expect("plain data")));
        }
        let Step::Completed(_, found) = step else { panic!("{step:?}") };
        assert_eq!(found.list.first().map_or("", |first| &first.text), expected, "{sql}: {found:?}");
    }
}

#[test]
fn another_build_drops_the_columns() {
    let mut session = support::open_path(TRACES[0]);
    let mut program = SqlProgram::new(MEMORY);
    let sql = "SELECT count(name) FROM spans";
    assert_eq!(run(&mut program, &mut session, sql, 10).0.len(), 1);
    assert_eq!(run(&mut program, &mut session, sql, 10).0.len(), 0);
    let order = |build, sql: &str| SqlOrder { build, sql: sql.to_owned(), rows: 10, ..SqlOrder::default() };
    let Step::Ask(AnyRequest::SqlTableList(list)) = done(program.run(order(2, sql))) else {
        panic!("the tables are asked for again")
    };
    // A statement that begins before the reply came waits for it; a reply about another build is not used.
    assert!(matches!(done(program.run(order(2, "SELECT 1 AS n"))), Step::Wait));
    assert!(matches!(done(program.run(order(3, "SELECT 2 AS n"))), Step::Wait));
    let reply = postcard::to_allocvec(&session.answer(&list)).expect("plain data");
    assert!(matches!(done(program.take(&[])), Step::Ask(AnyRequest::SqlTableList(_))));
    let Step::Done(Ok(result)) = done(program.take(&reply)) else { panic!("the last statement runs") };
    assert_eq!(result.cells, [Some("2".to_owned())]);
}
