//! A cluster gives the answers of one machine, or a sentence.

mod loopback;

use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use loopback::{LoopbackCluster, folder, free_port};
use queryscope::session::Session;
use queryscope_sql::cells::{self, Cell};
use queryscope_sql::dataset::{self, Dataset, block_on};
use queryscope_sql::output::{self, OutputForm};
use queryscope_sql::query::{Engine, Limits, ResultRows};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::statements::{self, STATEMENTS};
use queryscope_sql_cluster::{FileLocation, PARTITIONS, PlacedDataset, SchedulerAddress, engine};

/// Traces of each engine, and their days.
const TRACES: [(&str, &str); 8] = [
    ("web/assets/sample/no-buffer.json.gz", "2026-03-31"),
    ("web/assets/sample/buffer-rocks.json.gz", "2026-04-01"),
    ("tests/traces/kubling/cut-off.json", "2026-04-01"),
    ("tests/traces/mysql/thread", "2026-03-31"),
    ("tests/traces/monetdb/sep2022.ndjson", "2026-04-01"),
    ("tests/traces/chrome/cpu-time.json", "2026-03-31"),
    ("tests/traces/chrome/flows.json", "2026-04-02"),
    ("tests/traces/topoexec/steps.trace.json", "2026-04-02"),
];

/// The trace of a file, or of all files in a folder.
fn opened(path: &str) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let mut files: Vec<PathBuf> = match path.is_dir() {
        true => fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()).collect(),
        false => vec![path],
    };
    files.sort();
    let mut session = Session::default();
    for file in files {
        session.open(&file.to_string_lossy());
        session.push(&fs::read(&file).expect("a file"));
        session.close(None);
    }
    session.build();
    session
}

/// A data set of all traces in a new folder.
fn data_set(name: &str) -> PathBuf {
    data_set_of(name, &TRACES)
}

fn data_set_of(name: &str, traces: &[(&str, &str)]) -> PathBuf {
    let folder = folder(name);
    for (path, day) in traces {
        let rows = TraceRows::new(opened(path), path, Some((*day).to_owned()));
        dataset::add_trace(&folder, &rows).expect("written");
    }
    folder
}

fn one_machine(folders: &[&Path]) -> Engine {
    let tables =
        |folder: &&Path| block_on(Arc::new(Dataset::of_folder(folder).expect("a manifest")).tables());
    let stored = folders.iter().map(tables).collect::<Result<_, _>>().expect("tables");
    Engine::new(&[], stored, Limits::default()).expect("tables")
}

fn on_cluster(scheduler: &SchedulerAddress, folder: &Path, limits: Limits) -> Engine {
    let set = PlacedDataset::here(folder).expect("tables");
    engine(scheduler, vec![set], PARTITIONS, limits).expect("tables")
}

/// The rows of a result as texts; `None` is null.
fn rows(result: &ResultRows) -> Vec<Vec<Option<String>>> {
    let texts = |row: Vec<Cell>| row.into_iter().map(Cell::into_text).collect();
    cells::rows(result).map(|row| texts(row.expect("values can be written"))).collect()
}

fn fraction(cell: &Option<String>) -> Option<f64> {
    cell.as_deref().filter(|text| text.contains(['.', 'e']))?.parse().ok()
}

/// Whether two values say the same: numbers with a fraction up to the last digits, which depend on the order of additions.
fn is_same(left: &Option<String>, right: &Option<String>) -> bool {
    let close = |left: f64, right: f64| (left - right).abs() <= 1e-9 * left.abs().max(right.abs()).max(1.0);
    left == right || fraction(left).zip(fraction(right)).is_some_and(|(left, right)| close(left, right))
}

/// Asserts that the cluster gives the rows of one machine, in the same order if `is_ordered`; returns their number.
fn check(cluster: &Engine, machine: &Engine, sql: &str, is_ordered: bool) -> usize {
    let answer = |engine: &Engine| {
        let result = engine.run(sql).unwrap_or_else(|error| panic!("{error}\n{sql}"));
        let names: Vec<String> = result.schema.fields().iter().map(|field| field.name().clone()).collect();
        let mut rows = rows(&result);
        if !is_ordered {
            rows.sort_by_key(|row| -> Vec<Option<String>> {
                row.iter().filter(|cell| fraction(cell).is_none()).cloned().collect()
            });
        }
        (names, rows)
    };
    let ((names, left), (expected_names, right)) = (answer(cluster), answer(machine));
    assert_eq!(names, expected_names, "{sql}");
    assert_eq!(left.len(), right.len(), "{sql}\n{left:?}\n{right:?}");
    for (left, right) in left.iter().zip(&right) {
        let is_same = left.len() == right.len() && left.iter().zip(right).all(|(l, r)| is_same(l, r));
        assert!(is_same, "{sql}\n{left:?}\n{right:?}");
    }
    right.len()
}

/// Statements with a total order.
const ORDERED: &[&str] = &[
    "SELECT trace_id, span_id, name, duration_ns FROM spans ORDER BY duration_ns DESC, trace_id, span_id LIMIT 50",
    "SELECT trace_id, span_id FROM spans ORDER BY trace_id DESC, span_id LIMIT 20 OFFSET 30",
    "SELECT trace_id, span_id, row_number() OVER (ORDER BY duration_ns DESC, trace_id, span_id) AS place FROM spans ORDER BY place LIMIT 40",
];

/// Statements whose rows have no order.
const UNORDERED: &[&str] = &[
    "SELECT count(*) FROM spans",
    "SELECT 1 AS one",
    "SELECT * FROM runs",
    "SELECT DISTINCT kind, engine FROM spans",
    "SELECT day, engine, count(*), count(DISTINCT name), sum(duration_ns), min(duration_ns), max(self_ns) FROM spans GROUP BY day, engine",
    "SELECT name, count(*) FROM spans WHERE day = '2026-04-01' AND engine <> 'mysql' GROUP BY name HAVING count(*) > 1",
    "SELECT r.trace, s.kind, count(*) FROM spans s JOIN runs r ON r.trace_id = s.trace_id AND r.run_id = s.run_id GROUP BY r.trace, s.kind",
    "SELECT r.trace, e.event_id, e.name FROM runs r LEFT JOIN events e ON e.trace_id = r.trace_id AND e.kind = 'buffer'",
    "SELECT a.trace, b.trace FROM runs a FULL JOIN runs b ON a.trace_id = b.trace_id AND b.engine = 'kubling' AND a.engine <> 'mysql'",
    "SELECT a.trace, b.trace FROM runs a LEFT JOIN runs b ON a.duration_ns < b.duration_ns",
    "SELECT a.trace, b.trace FROM runs a FULL JOIN runs b ON a.duration_ns < b.duration_ns - 1000",
    "SELECT a.engine, count(*), count(b.trace) FROM runs a LEFT JOIN runs b ON a.duration_ns < b.duration_ns GROUP BY a.engine",
    "SELECT count(*), count(a.trace), count(b.trace) FROM runs a FULL JOIN runs b ON a.duration_ns < b.duration_ns - 1000",
    "SELECT a.trace FROM runs a LEFT JOIN runs b ON a.duration_ns < b.duration_ns WHERE b.trace IS NULL LIMIT 1000",
    "SELECT count(*) FROM runs a CROSS JOIN tracks b",
    "SELECT count(*) FROM runs r WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.time_ns > r.duration_ns / 2)",
    "SELECT kind, count(*) FROM (SELECT kind FROM spans UNION ALL SELECT kind FROM events UNION ALL SELECT 'none' AS kind) GROUP BY kind",
    "SELECT trace FROM runs r WHERE EXISTS (SELECT 1 FROM events e WHERE e.trace_id = r.trace_id AND e.time_ns > r.duration_ns / 2)",
    "SELECT trace FROM runs WHERE trace_id NOT IN (SELECT trace_id FROM events)",
    "SELECT trace_id, span_id FROM spans WHERE duration_ns > (SELECT avg(duration_ns) FROM spans WHERE kind = 'query')",
    "SELECT trace_id, span_id, duration_ns - lag(duration_ns) OVER (PARTITION BY trace_id, name ORDER BY start_ns, span_id) FROM spans",
    "SELECT trace_id, span_id, sum(self_ns) OVER (PARTITION BY trace_id ORDER BY start_ns, span_id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM spans",
    "SELECT trace_id, span_id, rank() OVER (PARTITION BY kind ORDER BY duration_ns), ntile(4) OVER (ORDER BY duration_ns, trace_id, span_id) FROM spans",
    "SELECT trace_id, name FROM spans UNION SELECT trace_id, name FROM events",
    "SELECT kind FROM spans UNION ALL SELECT kind FROM events UNION ALL SELECT 'none'",
    "SELECT trace_id, name FROM spans INTERSECT SELECT trace_id, name FROM spans WHERE kind = 'query'",
    "SELECT trace_id, name FROM spans EXCEPT SELECT trace_id, name FROM spans WHERE duration_ns > 1000000",
    "SELECT kind, median(duration_ns), stddev(duration_ns), string_agg(name, ',' ORDER BY trace_id, span_id) FROM spans GROUP BY kind",
    "SELECT engine, kind, count(*), grouping(kind) FROM spans GROUP BY ROLLUP (engine, kind)",
    "SELECT upper(substr(name, 1, 3)) AS start, count(*) FROM spans WHERE regexp_like(name, '^[A-Za-z]') GROUP BY 1",
    "SELECT c.name, p.name, c.self_ns FROM spans c JOIN spans p ON p.trace_id = c.trace_id AND p.span_id = c.parent_id WHERE c.self_ns > 0",
    "SELECT g.text, s.name, s.duration_ns FROM execution_groups g JOIN spans s ON s.trace_id = g.trace_id AND s.span_id = g.slowest_span_id WHERE g.grouped_by = 'shape'",
    "WITH slow AS (SELECT * FROM spans WHERE duration_ns > 5000000) SELECT slow.kind, count(*) FROM slow JOIN slow other USING (trace_id) GROUP BY slow.kind",
    "SELECT * FROM spans WHERE false",
    "SELECT * FROM spans WHERE day = '1999-01-01'",
    "SELECT count(*), max(name) FROM spans WHERE engine = 'none'",
    "SELECT name FROM events WHERE day = '1999-01-01' UNION ALL SELECT name FROM spans UNION ALL SELECT name FROM events",
    "SELECT r.trace, s.name FROM runs r LEFT JOIN spans s ON s.trace_id = r.trace_id AND s.day = '1999-01-01'",
    "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT span_id FROM spans WHERE kind = 'query'",
    "DESCRIBE spans",
    "SHOW TABLES",
];

#[test]
fn executor() {
    loopback::run_executor();
}

#[test]
fn a_cluster_gives_the_answers_of_one_machine() {
    let folder = data_set("answers");
    let cluster = LoopbackCluster::start("answers-work", 2);
    let machine = one_machine(&[&folder]);
    for partitions in [PARTITIONS, 3, 1] {
        let set = PlacedDataset::here(&folder).expect("tables");
        let on_cluster =
            engine(&cluster.address(), vec![set], partitions, Limits::default()).expect("tables");
        let mut compared = 0;
        for statement in STATEMENTS {
            compared += check(&on_cluster, &machine, statement.sql, true);
        }
        assert!(compared > 100, "only {compared} rows of ready-made statements");
        for sql in ORDERED {
            compared += check(&on_cluster, &machine, sql, true);
        }
        for sql in UNORDERED {
            compared += check(&on_cluster, &machine, sql, false);
        }
        assert!(compared > 2000, "only {compared} rows");
    }
    assert_eq!(cluster.folders_with_rows(), 2, "both executors computed");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn several_data_sets_are_read_together() {
    let folders = [data_set_of("first", &TRACES[..3]), data_set_of("second", &TRACES[3..])];
    let cluster = LoopbackCluster::start("several-work", 2);
    let machine = one_machine(&[&folders[0], &folders[1]]);
    let sets = folders.iter().map(|folder| PlacedDataset::here(folder)).collect::<Result<_, _>>();
    let on_cluster =
        engine(&cluster.address(), sets.expect("tables"), PARTITIONS, Limits::default()).expect("tables");
    for sql in [
        "SELECT trace_id, span_id, name FROM spans",
        "SELECT engine, count(*), sum(duration_ns) FROM spans GROUP BY engine",
        "SELECT name FROM spans WHERE day = '2026-04-02'",
        "SELECT r.trace, count(*) FROM runs r JOIN spans s ON s.trace_id = r.trace_id GROUP BY r.trace",
        "SELECT trace FROM runs UNION ALL SELECT name FROM events UNION ALL SELECT 'none'",
    ] {
        assert!(check(&on_cluster, &machine, sql, false) > 1, "{sql}");
    }
    for folder in folders {
        fs::remove_dir_all(&folder).expect("the folder was made here");
    }
}

/// Runs a statement on a cluster that cannot answer it.
fn refused(scheduler: &SchedulerAddress, folder: &Path, place: Option<&str>, sql: &str) -> String {
    let place = place.map(|place| FileLocation::parse(place).expect("a place"));
    let set = match place {
        Some(place) => PlacedDataset::elsewhere(folder, place),
        None => PlacedDataset::here(folder),
    };
    let set = set.expect("tables");
    let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
    let engine = engine(scheduler, vec![set], PARTITIONS, limits).expect("tables");
    engine.run(sql).map(|result| format!("{:?}", rows(&result))).expect_err("no answer").to_string()
}

#[test]
fn what_a_cluster_cannot_answer_is_a_sentence() {
    let folder = data_set("refused");
    let cluster = LoopbackCluster::start("refused-work", 1);
    let at = cluster.address();
    let nobody: SchedulerAddress = format!("df://127.0.0.1:{}", free_port()).parse().expect("an address");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let other = format!("df://127.0.0.1:{}", listener.local_addr().expect("an address").port());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = (&stream).write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let other: SchedulerAddress = other.parse().expect("an address");
    let missing = folder.join("elsewhere").to_string_lossy().into_owned();
    let count = "SELECT count(DISTINCT name) FROM spans";
    for (scheduler, place, sql, parts) in [
        (&nobody, None, count, &["no scheduler answers at df://127.0.0.1:", "--scheduler"][..]),
        (&other, None, count, &["the cluster at df://127.0.0.1:", "has no answer"]),
        (&at, Some(missing.as_str()), count, &["not found", "--files"]),
        (&at, Some("s3://bucket/runs"), count, &["has no answer", "s3://bucket"]),
        (&at, None, "EXPLAIN ANALYZE SELECT count(*) FROM spans", &["EXPLAIN ANALYZE is not possible"]),
        (
            &at,
            None,
            "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT * FROM n, runs",
            &["recursive queries"],
        ),
        (&at, None, "SELECT cast(name AS BIGINT) FROM spans", &["has no answer", "Cannot cast"]),
        (&at, None, "SELECT 1 / (span_id - span_id) FROM spans", &["has no answer", "DivideByZero"]),
        (
            &at,
            None,
            "SELECT sum(span_id + 9223372036854775807) FROM spans",
            &["has no answer", "out of range"],
        ),
        (&at, None, "SELECT nme FROM spans", &["Did you mean “spans.name”?"]),
        (&at, None, "DROP TABLE spans", &["can only read"]),
    ] {
        let error = refused(scheduler, &folder, place, sql);
        println!("{error}");
        assert!(parts.iter().all(|part| error.contains(part)), "{sql}: {error}");
    }
    // What is wrong in the statement itself is said as on one machine.
    let (machine, on_cluster) = (one_machine(&[&folder]), on_cluster(&at, &folder, Limits::default()));
    for sql in
        ["", "SELEC 1", "SELECT * FROM span", "SELECT sum(name FROM spans", "SELECT nosuch(1) FROM spans"]
    {
        assert_eq!(on_cluster.run(sql).expect_err("wrong"), machine.run(sql).expect_err("wrong"), "{sql}");
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// Whether an error says that the cluster has no answer, or none in time.
fn is_refusal(error: &str, scheduler: &SchedulerAddress, limits: Limits) -> bool {
    error.contains(&format!("{scheduler} has no answer"))
        || error.contains(&format!("was stopped after {:?}", limits.time))
}

#[test]
fn an_executor_that_is_lost_gives_no_wrong_answer() {
    let folder = data_set("lost-within");
    let machine = one_machine(&[&folder]);
    let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
    let join = "SELECT count(*), sum(a.span_id * b.span_id % 7) FROM spans a JOIN spans b ON a.trace_id = b.trace_id \
                AND a.duration_ns <= b.duration_ns + a.span_id % 5";
    let expected = rows(&machine.run(join).expect("an answer"));
    // Loses an executor after a time; `None` loses none. Returns the time that the statement took.
    let run = |loss: Option<Duration>| {
        let mut cluster = LoopbackCluster::start("lost-within-work", 2);
        let at = cluster.address();
        let on_cluster = on_cluster(&at, &folder, limits);
        let begun = Instant::now();
        let answer = thread::scope(|scope| {
            let running = scope.spawn(|| on_cluster.run(join));
            if let Some(time) = loss {
                thread::sleep(time);
                cluster.lose_executor();
            }
            running.join().expect("no panic")
        });
        match answer {
            Ok(result) => assert_eq!(rows(&result), expected),
            Err(error) => assert!(is_refusal(&error.to_string(), &at, limits), "{error}"),
        }
        begun.elapsed()
    };
    let time = run(None);
    for percent in [55, 70, 80, 90] {
        run(Some(time * percent / 100));
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn executors_come_and_go() {
    let folder = data_set("lost");
    let mut cluster = LoopbackCluster::start("lost-work", 2);
    let machine = one_machine(&[&folder]);
    let limits = Limits { time: Duration::from_secs(30), ..Limits::default() };
    let at = cluster.address();
    let on_cluster = on_cluster(&at, &folder, limits);
    let count = statements::named("spans_by_name").expect("a statement").sql;
    check(&on_cluster, &machine, count, true);
    // The other one answers alone, once the scheduler knows that the first is lost.
    cluster.lose_executor();
    for _ in 0..10 {
        let Err(error) = on_cluster.run(count) else { break };
        assert!(is_refusal(&error.to_string(), &at, limits), "{error}");
    }
    check(&on_cluster, &machine, count, true);
    // None is left.
    cluster.lose_executor();
    let error = on_cluster.run(count).expect_err("no executor").to_string();
    println!("{error}");
    assert!(is_refusal(&error, &at, limits), "{error}");
    // A new one takes part without further ado.
    cluster.add_executor();
    check(&on_cluster, &machine, count, true);
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// Runs the program: exit code, standard output, standard error.
fn program(arguments: &[&str]) -> (Option<i32>, String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql-cluster")).args(arguments).output();
    let run = run.expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (run.status.code(), text(run.stdout), text(run.stderr))
}

#[test]
fn the_program_prints_what_one_machine_prints() {
    let folder = data_set("program");
    let cluster = LoopbackCluster::start("program-work", 1);
    let (at, set) = (cluster.address().to_string(), folder.to_string_lossy().into_owned());
    let machine = one_machine(&[&folder]);
    let sql = "SELECT trace, name, duration_ns FROM runs ORDER BY trace, run_id";
    let result = machine.run(sql).expect("an answer");
    for (format, form) in [("table", OutputForm::Table), ("csv", OutputForm::Csv), ("json", OutputForm::Json)]
    {
        let mut expected = Vec::new();
        output::write(&result, form, &mut expected).expect("a vector takes everything");
        let (code, out, err) = program(&["--scheduler", &at, "--format", format, &set, sql]);
        assert_eq!((code, out, err), (Some(0), String::from_utf8(expected).expect("text"), String::new()));
    }
    let (code, out, _) =
        program(&["--scheduler", &at, &set, "spans_by_name", "--rows", "1", "--format", "csv"]);
    assert_eq!((code, out.lines().count()), (Some(0), 2));
    // The manifest alone, and the files elsewhere.
    let only_manifest = loopback::folder("manifest");
    fs::copy(folder.join(dataset::MANIFEST), only_manifest.join(dataset::MANIFEST)).expect("copied");
    let manifest = only_manifest.to_string_lossy();
    let mut expected = Vec::new();
    output::write(&result, OutputForm::Table, &mut expected).expect("a vector takes everything");
    let (code, out, err) = program(&["--scheduler", &at, "--files", &set, &manifest, sql]);
    assert_eq!((code, out, err), (Some(0), String::from_utf8(expected).expect("text"), String::new()));
    fs::remove_dir_all(&only_manifest).expect("the folder was made here");
    let nobody = format!("df://127.0.0.1:{}", free_port());
    for (arguments, code, part) in [
        (&["--scheduler", &at, &set][..], 2, "name at least one data set"),
        (
            &["--scheduler", "http://host", &set, "SELECT 1"],
            2,
            "expected an address such as df://localhost:50050",
        ),
        (&["--scheduler", &nobody, &set, "SELECT 1"], 1, "no scheduler answers"),
        (&["--scheduler", &at, "nowhere", "SELECT 1"], 1, "there is no manifest, so this is not a data set"),
        (
            &["--scheduler", &at, "--files", "s3://b/c", &set, &set, "SELECT 1"],
            2,
            "--files needs exactly one",
        ),
    ] {
        let (found, _, err) = program(arguments);
        assert_eq!(found, Some(code), "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
