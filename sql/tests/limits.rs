//! Bad statements, large ones, and hostile traces: each ends with a sentence or the right rows.

use crate::support;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use queryscope_sql::dataset::MANIFEST;
use queryscope_sql::output::{self, OutputForm};
use queryscope_sql::query::{Engine, Limits};
use queryscope_sql::rows::{TraceRows, day_of};
use queryscope_sql::schema::{TABLES, side_table_name};

const TRACE: &str = r#"{"queryscope":"trace","version":1}
{"run":"=1+1","origin":-9223372036854775807,"duration":100}
{"track":"a|b\n\u001b[0m","kind":"thread"}
{"span":"<img src=x>","start":0,"duration":9,"nums":{"rows read":9223372036854775807},"texts":{"SQL":"SELECT 'x', 1","__proto__":"@SUM(A1)"}}
{"span":"","start":10,"duration":9,"nums":{"rows read":-9223372036854775807,"share":0.5}}
{"table":"spans","run":0,"columns":["ID","id","trace_id","day","a b","",";drop table"]}
{"row":["1","2","3","4","5","6","7"]}
{"row":[null,"",null,null,null,null,null]}
{"table":"../../etc","run":0,"columns":["X"]}
{"row":["1"]}
"#;

fn engine(text: &str, limits: Limits) -> Engine {
    let session = match text {
        "" => support::open::<&str, &str>([]),
        text => support::open([("trace.ndjson", text)]),
    };
    let rows = TraceRows::new(session, "trace.ndjson", Some("2026-03-31".to_owned()));
    Engine::new(&[Arc::new(rows)], Vec::new(), limits).expect("tables")
}

fn answer(engine: &Engine, sql: &str, form: OutputForm) -> String {
    let result = match engine.run(sql) {
        Ok(result) => result,
        Err(error) => return format!("error: {error}"),
    };
    let mut out = Vec::new();
    output::write(&result, form, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("text")
}

#[test]
fn bad_statements_are_sentences() {
    let engine = engine(TRACE, Limits { memory: 16 << 20, ..Limits::default() });
    let long = format!("SELECT '{}'", "x".repeat(40_000));
    let deep = format!("SELECT {}1{}", "(".repeat(1_000), ")".repeat(1_000));
    let wide = format!("SELECT 1 WHERE {}", vec!["1=1"; 2_500].join(" AND "));
    for (sql, part) in [
        ("", "the statement is empty"),
        ("SELECT nme FROM spans", "line 1, column 8: there is no column “nme”. Did you mean “spans.name”?"),
        ("SELECT * FROM span", "there is no table “span”"),
        ("SELEC 1", "error: line 1, column 1: expected an SQL statement, but found SELEC"),
        ("SELECT name FROM spans ORDER BY foo", "line 1, column 33: there is no column “foo”"),
        ("SELECT name\nFROM spans\nORDER BY foo", "line 3, column 10: there is no column “foo”"),
        (
            "SELECT name FROM spans WHERE name = 'foo' ORDER BY Foo",
            "line 1, column 52: there is no column “foo”",
        ),
        ("SELECT name FROM spans ORDER BY foo, foo", "error: there is no column “foo”"),
        ("-- set of names\nSELECT nme FROM spans", "line 2, column 8: there is no column “nme”"),
        ("SELECT CAST(300 AS TINYINT)", "does not fit in the type TINYINT"),
        ("SELECT span_id, span_id FROM spans", "two columns have the name “spans.span_id”. Rename one"),
        (
            "SELECT * FROM spans WHERE",
            "line 1, column 26: expected an expression, but found the end of the statement",
        ),
        ("SELECT * FROM spans WHERE name = 42", "the text “<img src=x>” cannot be converted to an integer"),
        ("SELECT CAST('abc' AS DATE)", "the text “abc” cannot be converted to a date"),
        ("SELECT sum(name) FROM spans", "there is no function sum(text). There is sum("),
        ("SELECT name LIKE 4 FROM spans", "LIKE is not possible between text and integer"),
        ("SELECT sqr(4)", "there is no function “sqr”. Did you mean “sqrt”?"),
        ("SELECT 1 / (span_id - span_id) FROM spans", "division by zero. NULLIF(divisor, 0) gives NULL"),
        ("SELECT name, count(*) FROM spans", "the column “spans.name” is neither in GROUP BY"),
        ("SELECT repeat('xy', 200000000)", "a text of repeat() would be longer than 256 MB"),
        ("SELECT (SELECT lpad(name, 1000000000) FROM spans LIMIT 1)", "a text of lpad() would be longer"),
        ("DROP TABLE spans", "can only read"),
        ("CREATE TABLE x AS SELECT 1", "can only read"),
        ("CREATE EXTERNAL TABLE x STORED AS PARQUET LOCATION 'x'", "can only read"),
        ("COPY (SELECT 1) TO 'x.csv'", "can only read"),
        ("INSERT INTO spans SELECT * FROM spans", "can only read"),
        ("INSERT INTO nowhere VALUES (1)", "can only read"),
        ("-- load\nINSERT INTO nowhere VALUES (1)", "can only read"),
        ("EXPLAIN INSERT INTO spans VALUES (1)", "can only read"),
        ("WITH x AS (SELECT 1) INSERT INTO spans SELECT * FROM x", "can only read"),
        ("VACUUM", "can only read"),
        ("SELECT abs(-9223372036854775807 - 1)", "the result does not fit in its type"),
        ("SET datafusion.execution.batch_size = 1", "can only read"),
        ("SELECT 1; SELECT 2", "one statement at a time"),
        ("SELECT * FROM 'x.parquet'", "there is no table “x.parquet”"),
        (&long, "longer than 32768 bytes"),
        (&deep, "are nested more than 50 levels deep"),
        (
            "SELECT count(*) FROM generate_series(1, 3000000) a, generate_series(1, 3000000) b WHERE a.value + b.value = -1",
            "joining needs more memory than the limit. Read fewer rows or columns, or raise --query-memory",
        ),
    ] {
        let answer = answer(&engine, sql, OutputForm::Csv);
        assert!(answer.starts_with("error: ") && answer.contains(part), "{sql:.80}: {answer:.400}");
        assert!(!answer.contains("Line: ") && !answer.contains("Arrow"), "{sql:.80}: {answer:.400}");
    }
    assert_eq!(answer(&engine, &wide, OutputForm::Csv), "Int64(1)\n1\n");
    assert_eq!(answer(&engine, "SELECT count(*) AS n FROM spans", OutputForm::Csv), "n\n2\n");
}

#[test]
fn what_takes_too_long_is_stopped() {
    let limits = Limits { time: Duration::from_millis(300), ..Limits::default() };
    let series = "generate_series(1, 100000) a";
    let sql = format!(
        "SELECT count(*) FROM {series}, {0} b, {0} c WHERE a.value + b.value <> c.value",
        "generate_series(1, 100000)"
    );
    let answer = answer(&engine(TRACE, limits), &sql, OutputForm::Csv);
    let is_stopped = answer.contains("was stopped after 300ms (--timeout)");
    assert!(is_stopped || answer.contains("more memory than the limit"), "{answer}");
}

#[test]
fn rows_are_cut() {
    let engine = engine(TRACE, Limits { rows: 3, ..Limits::default() });
    for (sql, rows, is_cut) in [
        ("SELECT * FROM generate_series(1, 100)", 3, true),
        ("SELECT * FROM generate_series(1, 3)", 3, false),
        ("SELECT * FROM spans", 2, false),
        ("SELECT * FROM spans LIMIT 1", 1, false),
        ("SELECT value FROM generate_series(1, 100) ORDER BY value DESC", 3, true),
        ("SELECT value FROM generate_series(1, 100) ORDER BY value DESC LIMIT 3", 3, false),
        ("SELECT 1 UNION ALL SELECT value FROM generate_series(1, 100)", 3, true),
        ("EXPLAIN SELECT * FROM spans", 2, false),
        ("EXPLAIN ANALYZE SELECT * FROM spans", 1, false),
        ("DESCRIBE spans", 3, true),
        ("SHOW TABLES", 3, true),
    ] {
        let result = engine.run(sql).expect("rows");
        let count: usize = result.batches.iter().map(|batch| batch.num_rows()).sum();
        assert_eq!((count, result.is_cut), (rows, is_cut), "{sql}");
    }
}

#[test]
fn results_have_a_limit_of_memory() {
    let limits = Limits { memory: 8 << 20, rows: usize::MAX, ..Limits::default() };
    let engine = engine(TRACE, limits);
    for (sql, part) in [
        (
            "SELECT value FROM generate_series(1, 1000000000000)",
            " rows of the result need more memory than the limit. Read fewer rows or columns, or raise --query-memory",
        ),
        (
            "SELECT value, count(*) FROM generate_series(1, 1000000) GROUP BY value",
            "more memory than the limit",
        ),
        (
            "SELECT count(*) AS n FROM (SELECT value % 1000 AS v FROM generate_series(1, 1000000) GROUP BY 1)",
            "n\n1000\n",
        ),
    ] {
        let answer = answer(&engine, sql, OutputForm::Csv);
        assert!(answer.contains(part), "{sql}: {answer:.400}");
    }
}

/// More groups than the limit of memory allows to sort: only the first ones are kept.
#[test]
fn the_first_rows_of_many_are_sorted_in_little_memory() {
    let engine = engine(TRACE, Limits { memory: 160 << 20, rows: 2, ..Limits::default() });
    let sql = "SELECT value * 7919 % 1000003 AS v, count(*) AS n FROM generate_series(1, 1000000) GROUP BY v ORDER BY n, v DESC";
    assert_eq!(answer(&engine, sql, OutputForm::Csv), "v,n\n1000002,1\n1000001,1\n");
}

#[test]
fn hostile_texts_are_texts() {
    let engine = engine(TRACE, Limits::default());
    let side = side_table_name("spans");
    let outside = side_table_name("../../etc");
    assert!(side.starts_with("t_spans_") && outside.starts_with("t_______etc_"), "{side} {outside}");
    let of_side = format!("SELECT id, trace_id > 0 AS t FROM {side}");
    for (sql, form, expected) in [
        ("SELECT name, origin_ns FROM runs", OutputForm::Csv, "name,origin_ns\n'=1+1,-9223372036854775807\n"),
        (
            "SELECT max(rows_read) AS m, min(rows_read) AS n FROM spans",
            OutputForm::Json,
            "[\n{\"m\":9223372036854775807,\"n\":-9223372036854775807}\n]\n",
        ),
        (
            "SELECT name AS n FROM spans WHERE span_id = 0",
            OutputForm::Markdown,
            "| n |\n| --- |\n| <code>&#60;img src=x&#62;</code> |\n",
        ),
        ("SELECT name FROM tracks WHERE track_id = 1", OutputForm::Table, "name\na|b ␛[0m\n"),
        (
            "SELECT shape, sql FROM spans WHERE span_id = 0",
            OutputForm::Csv,
            "shape,sql\n\"SELECT ?, ?\",\"SELECT 'x', 1\"\n",
        ),
        (
            "SELECT key, num, text FROM args WHERE span_id = 1 ORDER BY key",
            OutputForm::Csv,
            "key,num,text\nshare,500000,\n",
        ),
        ("SELECT text FROM args WHERE key = '__proto__'", OutputForm::Csv, "text\n'@SUM(A1)\n"),
        ("SELECT name FROM spans WHERE span_id = 1", OutputForm::Json, "[\n{\"name\":\"\"}\n]\n"),
        ("SELECT 1 AS a, 2 AS b WHERE false", OutputForm::Json, "[]\n"),
        (&of_side, OutputForm::Csv, "id,t\n1,true\n,true\n"),
        ("SELECT cast('nan' AS double) AS x", OutputForm::Json, "[\n{\"x\":\"NaN\"}\n]\n"),
        (
            "SELECT sum(cast(x AS decimal(38, 0))) AS s FROM (VALUES (9223372036854775807), (1)) t (x)",
            OutputForm::Csv,
            "s\n9223372036854775808\n",
        ),
    ] {
        assert_eq!(answer(&engine, sql, form), expected, "{sql}");
    }
}

#[test]
fn integers_do_not_wrap_around() {
    let engine = engine(TRACE, Limits::default());
    let values = "t (x, name) AS (VALUES (9223372036854775807, 'a'), (1, 'a'), (-5, 'b'))";
    let too_large = "9223372036854775808 does not fit in the type BIGINT. CAST(x AS DECIMAL(38, 0)) computes";
    for (columns, expected) in [
        ("sum(x) FILTER (WHERE x > 0)", too_large),
        ("name, sum(x) AS s FROM t GROUP BY name ORDER BY name", too_large),
        ("sum(x) OVER (ORDER BY x DESC)", too_large),
        ("9223372036854775807 + 1", too_large),
        ("x + 1", too_large),
        ("-x - 2", "-9223372036854775809 does not fit"),
        ("x * x", "85070591730234615847396907784232501249 does not fit"),
        ("x * x * x", "the result does not fit in its type"),
        ("max(x + 1)", too_large),
        // What fits has its type, also if what it is computed of does not.
        ("arrow_typeof(sum(x - x)) AS t", "t\nInt64\n"),
        ("sum(x - x) AS s, count(*) AS n, sum(x) FILTER (WHERE x < 5) AS f", "s,n,f\n0,3,-4\n"),
        ("sum(DISTINCT x + 1 - 1) - 1 AS s", "s\n9223372036854775802\n"),
        ("name, sum(x - 1) AS s FROM t GROUP BY name ORDER BY name", "name,s\na,9223372036854775806\nb,-6\n"),
        (
            "name, (SELECT sum(y) FROM (SELECT 1 AS y UNION ALL SELECT 1) u WHERE u.y = t.x) AS s FROM t ORDER BY name, s",
            "name,s\na,2\na,\nb,\n",
        ),
        ("min(x) + max(x) AS s, -min(x) AS m", "s,m\n9223372036854775802,5\n"),
        (
            "x, sum(x) OVER (ORDER BY x ROWS CURRENT ROW) AS s FROM t ORDER BY x",
            "x,s\n-5,-5\n1,1\n9223372036854775807,9223372036854775807\n",
        ),
    ] {
        let from = if columns.contains(" FROM t ") { "" } else { " FROM t" };
        let sql = format!("WITH {values} SELECT {columns}{from}");
        let found = answer(&engine, &sql, OutputForm::Csv);
        assert!(found == expected || found.starts_with(&format!("error: {expected}")), "{sql}: {found}");
    }
    // A column without a name of its own has the one it would have anyway.
    let rows = answer(&engine, "SELECT sum(span_id + 1) FROM spans", OutputForm::Csv);
    assert_eq!(rows, "sum(spans.span_id + Int64(1))\n3\n");
    let deep = format!("SELECT {}1 AS n", "1 + ".repeat(400));
    assert_eq!(answer(&engine, &deep, OutputForm::Csv), "n\n401\n");
}

#[test]
fn an_empty_trace_has_empty_tables() {
    let engine = engine("", Limits::default());
    // Names that all engines share are there in every trace.
    for table in TABLES.iter().filter(|table| table.name != "attributes") {
        let sql = format!("SELECT * FROM {} LIMIT 5", table.name);
        let answer = answer(&engine, &sql, OutputForm::Csv);
        assert_eq!(answer.lines().count(), 1, "{}: {answer}", table.name);
    }
    for statement in queryscope_sql::statements::STATEMENTS {
        let answer = answer(&engine, statement.sql, OutputForm::Csv);
        assert_eq!(answer.lines().count(), 1, "{}: {answer}", statement.name);
    }
}

/// Values from Python: `datetime.date(1970, 1, 1) + datetime.timedelta(days)`.
#[test]
fn days_are_those_of_the_calendar() {
    for (days, expected) in [
        (0, "1970-01-01"),
        (59, "1970-03-01"),
        (789, "1972-02-29"),
        (11_016, "2000-02-29"),
        (20_543, "2026-03-31"),
        (47_540, "2100-02-28"),
        (47_541, "2100-03-01"),
        (-1, "1969-12-31"),
    ] {
        assert_eq!(day_of(days).as_deref(), Some(expected));
    }
}

#[test]
fn only_traces_become_data_sets() {
    let folder = env::temp_dir().join(format!("queryscope-convert-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/traces/chrome/flows.json");
    fs::write(folder.join("notes.txt"), "no trace").expect("written");
    let convert = |files: &[&Path], set: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"));
        let run = command.current_dir(&folder).args(["convert", "-o", set]).args(files).output();
        let run = run.expect("the program runs");
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (notes, set) = (Path::new("notes.txt"), Path::new("set"));
    for (files, made, code, part) in [
        (&[notes][..], "none", 1, "notes.txt is not added: nothing could be read of it"),
        (&[&trace], "set", 0, ""),
        (&[notes, &trace], "some", 1, "notes.txt is not added"),
        (&[&trace, set], "copy", 2, "set is a data set, not a trace"),
        (&[&trace], "notes.txt", 1, "notes.txt: this is a file. Name a folder"),
    ] {
        let (found, error) = convert(files, made);
        assert_eq!(found, Some(code), "{files:?}: {error}");
        assert!(error.contains(part), "{files:?}: {error}");
        assert_eq!(folder.join(made).is_dir(), matches!(made, "set" | "some"), "{files:?}");
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// What is read and what is printed, by the arguments of the program.
#[test]
fn arguments_are_inputs_and_a_statement() {
    let folder = env::temp_dir().join(format!("queryscope-arguments-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("a.ndjson"), TRACE).expect("written");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"));
        let run = command.current_dir(&folder).args(arguments).output().expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (run.status.code(), text(&run.stdout), text(&run.stderr))
    };
    assert_eq!(run(&["convert", "a.ndjson", "-o", "set"]).0, Some(0));
    assert_eq!(run(&["convert", "a.ndjson", "-o", "lost"]).0, Some(0));
    fs::remove_file(folder.join("lost").join(MANIFEST)).expect("a manifest");
    let count = "SELECT count(*) AS n FROM spans";
    let comment = format!("-- How many?\n{count}");
    let close = format!("--how many?\n{count} WHERE 1 = 1");
    let once = "is named more than once, and is read once";
    for (arguments, code, rows, part) in [
        (&["a.ndjson", &comment][..], 0, "n\n2\n", ""),
        (&["a.ndjson", &close, "--rows", "5"], 0, "n\n2\n", ""),
        (&["--timeout=5s", "--", "a.ndjson", count], 0, "n\n2\n", ""),
        (&["a.ndjson", count, "--no-option"], 2, "", "--no-option"),
        (
            &["a.ndjson", count, "--load-from", "2s", "--load-to", "1s"],
            2,
            "",
            "the time range is reversed: --load-to (1 s) is before --load-from (2 s)",
        ),
        (&["set", "set", count], 0, "n\n2\n", once),
        (&["set", "./set/", "set/../set", "a.ndjson", count], 0, "n\n4\n", once),
        (&["lost", count], 1, "", "lost: the folder has the files of a data set, but not its manifest"),
        (
            &["sett", count],
            1,
            "",
            "the statement is not run, because no trace could be read: sett (name a trace, a folder",
        ),
        (&["set", "b.ndjson", count], 1, "n\n2\n", "b.ndjson"),
    ] {
        let all: Vec<&str> = ["sql", "--format", "csv"].iter().chain(arguments).copied().collect();
        let (found, out, error) = run(&all);
        assert_eq!((found, out.as_str()), (Some(code), rows), "{arguments:?}: {error}");
        assert!(error.contains(part) && error.lines().count() < 9, "{arguments:?}: {error}");
    }
    let (_, _, error) = run(&["trend", "set", "set"]);
    assert_eq!(error.matches(once).count(), 1, "{error}");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn large_numbers_are_exact_or_known_to_be_rounded() {
    let engine = engine(TRACE, Limits::default());
    for (number, expected) in [
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9223372036854775808"),
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        // As the chapter on SQL says.
        ("18446744073709551616", "1.8446744073709552e19"),
        ("CAST('18446744073709551616' AS DECIMAL(38, 0))", "18446744073709551616"),
    ] {
        let rows = answer(&engine, &format!("SELECT {number} AS n"), OutputForm::Csv);
        assert_eq!(rows, format!("n\n{expected}\n"), "{number}");
    }
}
