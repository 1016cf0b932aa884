//! Data sets that are read by ranges, as from a server: what is read, and what is said when the server or a file is not as it should be.

use crate::support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::{env, fs};

use queryscope::export::{GroupBy, RunMeasure, TrendFormat, TrendOutput};
use queryscope_sql::dataset::{Dataset, DatasetWriter, MANIFEST, Traffic, block_on};
use queryscope_sql::query::{Engine, Limits};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::trend::{RunOrder, TrendInputs};
use serde_json::Value;

use crate::server::{AT_ONCE, Server, opened, rows, run_of, serving};

/// Number of runs of the data set.
const RUNS: usize = 24;

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-remote-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A run of two statements; from run 12 on, the first takes 1.5 times as long.
fn run(at: usize) -> String {
    run_of(at, 40)
}

fn trace(at: usize) -> TraceRows {
    let name = format!("run-{at:02}.ndjson");
    let day = format!("2026-{:02}-{:02}", 3 + at / 28, at % 28 + 1);
    TraceRows::new(support::open([(name.as_str(), run(at))]), &name, Some(day))
}

fn written(folder: &Path) -> Arc<Server> {
    written_runs(folder, RUNS)
}

fn written_runs(folder: &Path, runs: usize) -> Arc<Server> {
    let mut writer = DatasetWriter::open(folder).expect("a writer");
    (0..runs).for_each(|at| _ = writer.add(&trace(at)).expect("written"));
    writer.commit().expect("written");
    serving(folder)
}

/// The manifest without the index of trends, as older versions wrote it.
fn without_index(manifest: &[u8]) -> Vec<u8> {
    let mut manifest: Value = serde_json::from_slice(manifest).expect("JSON");
    manifest.as_object_mut().expect("an object").remove("trend_index").expect("an index");
    serde_json::to_vec_pretty(&manifest).expect("JSON")
}

fn trend_json(dataset: &Arc<Dataset>) -> Result<String, String> {
    let mut inputs = TrendInputs::new(GroupBy::Shape);
    block_on(inputs.add_dataset(dataset, None)).map_err(|error| error.to_string())?;
    let trend = block_on(inputs.trend(RunMeasure::P50, RunOrder::Time)).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    let output = TrendOutput { trend: &trend, group_title: "statement", limit: None };
    output.write(TrendFormat::Json, &mut out).map_err(|error| error.to_string())?;
    String::from_utf8(out).map_err(|error| error.to_string())
}

/// Opening the trends of twice as many traces takes as many requests, and their index has a few bytes for each.
#[test]
fn trends_are_those_of_the_command_line_and_read_the_index() {
    let mut found = Vec::new();
    for runs in [RUNS, 2 * RUNS] {
        let folder = folder(&format!("index-{runs}"));
        let server = written_runs(&folder, runs);
        let dataset = opened(&server).expect("a manifest");
        server.reads();
        dataset.begin_step(u64::MAX);
        let planned = queryscope_sql::trend::planned_bytes(&dataset, "shape", |_| true);
        let json = trend_json(&dataset).expect("a trend");
        let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"))
            .args(["trend", "--format", "json"])
            .arg(&folder)
            .output()
            .expect("the program runs");
        assert_eq!(json, String::from_utf8_lossy(&run.stdout));
        assert!(
            json.contains("\"run\": 12") && json.contains("\"of_executions\": {"),
            "a change was planted"
        );
        let reads = server.reads();
        assert!(reads.iter().all(|(path, _)| path.starts_with("trend_index/")), "{reads:?}");
        let bytes: u64 = reads.iter().map(|(_, bytes)| bytes).sum();
        assert!(bytes <= planned, "{bytes} > {planned}");
        assert_eq!(dataset.traffic(), Traffic { requests: reads.len() as u64, bytes });
        found.push((reads.len(), bytes));
        fs::remove_dir_all(&folder).expect("the folder was made here");
    }
    let [(requests, bytes), (more_requests, more_bytes)] = found[..] else { panic!("two data sets") };
    assert!(requests == 2 && more_requests == 2, "the groups, and the executions near changes: {found:?}");
    let of_a_trace = more_bytes.saturating_sub(bytes) / RUNS as u64;
    assert!(of_a_trace < 600, "{of_a_trace} bytes for each trace with two groups and 40 executions");
}

#[test]
fn without_an_index_trends_read_one_file_of_each_trace() {
    let folder = folder("trend");
    let server = written(&folder);
    let manifest = without_index(&server.files.lock().expect("no panic")[MANIFEST]);
    server.files.lock().expect("no panic").insert(MANIFEST.to_owned(), manifest);
    let dataset = opened(&server).expect("a manifest");
    assert_eq!(server.reads().len(), 1, "opening reads the manifest alone");
    dataset.begin_step(u64::MAX);
    let found = trend_json(&dataset).expect("a trend");
    let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"))
        .args(["trend", "--format", "json"])
        .arg(&folder)
        .output()
        .expect("the program runs");
    assert_eq!(found, String::from_utf8_lossy(&run.stdout));
    assert!(found.contains("\"run\": 12") && found.contains("\"previous\": 11"), "a change was planted");
    let reads = server.reads();
    assert_eq!(server.most_at_once(), AT_ONCE);
    let is_of = |table: &str| reads.iter().filter(|(path, _)| path.starts_with(table)).count();
    assert_eq!(is_of("execution_groups/"), RUNS, "one request for each trace");
    assert!(is_of("execution_samples/") <= RUNS, "no file is read twice");
    assert_eq!(is_of("execution_groups/") + is_of("execution_samples/"), reads.len());
    let traffic = Traffic { requests: reads.len() as u64, bytes: reads.iter().map(|(_, bytes)| bytes).sum() };
    assert_eq!(dataset.traffic(), traffic, "all that was read is counted");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn traces_and_tables_are_read_in_ranges() {
    let folder = folder("tables");
    let server = written(&folder);
    let dataset = opened(&server).expect("a manifest");
    let native = Dataset::of_folder(&folder).expect("a manifest");
    let name = "run-03.ndjson";
    dataset.begin_step(u64::MAX);
    let lines = block_on(dataset.read_trace(name)).expect("a trace").lines;
    assert_eq!(lines, block_on(native.read_trace(name)).expect("a trace").lines);
    let bytes = dataset.trace_bytes(dataset.trace(name).expect("a trace"));
    assert_eq!(dataset.traffic().bytes, bytes, "what is said before is what is read");
    server.reads();
    // Of a filter by day, engine or trace, only its files are read.
    let id = queryscope_sql::identity::trace_id(name);
    for (filter, files) in [
        ("day = '2026-03-04'".to_owned(), 1),
        (format!("trace_id = {id}"), 1),
        ("day >= '2026-03-23'".to_owned(), 2),
        ("engine = 'mysql'".to_owned(), 0),
        ("duration_ns > 0".to_owned(), RUNS),
    ] {
        let dataset = opened(&server).expect("a manifest");
        server.reads();
        assert_eq!(rows(&dataset, &format!("SELECT span_id FROM spans WHERE {filter}")), Ok(40 * files));
        let reads = server.reads();
        assert_eq!(reads.len(), files, "{filter}: a small file is read at once: {reads:?}");
    }
    let none = rows(&dataset, "SELECT count(*) FROM spans WHERE engine = 'mysql'");
    assert_eq!(none, Ok(1), "a statement over no files has a result");
    // A step that would read more than its limit ends, and says so.
    let dataset = opened(&server).expect("a manifest");
    dataset.begin_step(10_000);
    let error = rows(&dataset, "SELECT span_id FROM spans WHERE duration_ns > 0").expect_err("too much");
    assert!(dataset.is_over_limit() && dataset.traffic().bytes <= 10_000, "{error}");
    dataset.begin_step(u64::MAX);
    server.most_at_once();
    assert_eq!(rows(&dataset, "SELECT span_id FROM spans"), Ok(40 * RUNS));
    assert!(server.most_at_once() > 1, "files of a statement are read at the same time");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn damage_is_a_sentence_that_names_the_file_and_the_rest_is_usable() {
    let folder = folder("damage");
    let server = written(&folder);
    let whole = server.files.lock().expect("no panic").clone();
    let first = |table: &str| {
        let part = format!("{table}/day=2026-03-01/");
        whole.keys().find(|path| path.starts_with(&part)).expect("a file").clone()
    };
    let (spans, groups) = (first("spans"), first("execution_groups"));
    let put = |path: &str, content: Option<Vec<u8>>| {
        let mut files = server.files.lock().expect("no panic");
        match content {
            Some(content) => _ = files.insert(path.to_owned(), content),
            None => _ = files.remove(path),
        }
    };
    put(MANIFEST, Some(without_index(&whole[MANIFEST])));
    let count = "SELECT span_id FROM spans WHERE duration_ns > 0";
    // A trend has what can be read, and a warning.
    let trend_warning = |dataset: &Arc<Dataset>| {
        let json: Value = serde_json::from_str(&trend_json(dataset).expect("a trend")).expect("JSON");
        let warning = json["warnings"].get(0).cloned();
        let left_out = usize::from(warning.is_some());
        assert_eq!(json["runs"].as_array().map(Vec::len), Some(RUNS - left_out));
        warning.map(|warning| {
            assert_eq!(warning["trace"], "run-00.ndjson");
            let text = warning["text"].as_str().expect("a text");
            text.strip_prefix("“run-00.ndjson” is left out: ").expect("the trace").to_owned()
        })
    };
    let all = |dataset: &Arc<Dataset>| {
        [
            rows(dataset, count).err(),
            trend_warning(dataset),
            block_on(dataset.read_trace("run-00.ndjson")).err().map(|error| error.to_string()),
        ]
    };
    for path in [&spans, &groups] {
        let content = &whole[path];
        let half = content[..content.len() / 2].to_vec();
        let other = content.iter().map(|byte| !byte).collect();
        for (content, part) in [
            (None, "the server answered 404"),
            (Some(half), "bytes, and the manifest says"),
            (Some(other), "missing, damaged or was replaced"),
        ] {
            put(path, content);
            let dataset = opened(&server).expect("a manifest");
            let found: Vec<String> = all(&dataset).into_iter().flatten().collect();
            assert_eq!(found.len(), if path == &spans { 2 } else { 1 }, "{found:#?}");
            for sentence in found {
                assert!(
                    sentence.contains(part) && sentence.contains("Convert “run-00.ndjson” again"),
                    "{sentence}"
                );
                assert!(sentence.starts_with(&format!("https://data.example/{path}: ")), "{sentence}");
            }
            // The rest is usable.
            assert_eq!(rows(&dataset, &format!("{count} AND day > '2026-03-01'")), Ok(40 * (RUNS - 1)));
            assert!(block_on(dataset.read_trace("run-01.ndjson")).is_ok());
            put(path, Some(whole[path].clone()));
        }
        // The file is as it was: to convert the trace again would not help.
        *server.unreachable.lock().expect("no panic") = Some(path.clone());
        for sentence in all(&opened(&server).expect("a manifest")).into_iter().flatten() {
            let place = format!("https://data.example/{path}: ");
            assert_eq!(sentence, place + "it could not be fetched. Check the connection");
        }
        *server.unreachable.lock().expect("no panic") = None;
    }
    let text = String::from_utf8(whole[MANIFEST].clone()).expect("text");
    let at = text.find("\"table\":\"spans\"").expect("spans");
    let (head, tail) = text.split_at(at);
    let lie = format!("{head}{}", tail.replacen("\"rows\":", "\"rows\":9", 1));
    put(MANIFEST, Some(lie.into_bytes()));
    let dataset = opened(&server).expect("a manifest");
    let [statement, trend, trace] = all(&dataset);
    for sentence in [statement, trace].map(|sentence| sentence.expect("a sentence")) {
        assert!(sentence.contains("it has 40 rows, and the manifest says 940"), "{sentence}");
    }
    assert_eq!(trend, None);
    for (content, part) in [
        (None, "the server answered 404"),
        (Some("<html>".to_owned()), "The manifest is damaged"),
        (Some(r#"{"queryscope":"dataset","version":99}"#.to_owned()), "a manifest of version 99"),
        (
            Some(r#"{"queryscope":"trace","version":1}"#.to_owned()),
            "its member \"queryscope\" is “trace”, not “dataset”",
        ),
    ] {
        put(MANIFEST, content.map(String::into_bytes));
        let error = opened(&server).expect_err("no manifest");
        assert!(
            error.contains(part) && error.starts_with("https://data.example/queryscope-dataset.json: "),
            "{error}"
        );
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A fault of the server is one sentence, whatever is read, and nothing more is asked for.
#[test]
fn a_server_without_ranges_is_a_sentence() {
    let folder = folder("ranges");
    let server = written(&folder);
    let manifest = server.files.lock().expect("no panic")[MANIFEST].clone();
    server.has_no_ranges.store(true, Relaxed);
    let expected = "https://data.example/: the server sends whole files only. Use another one";
    for (manifest, at_once) in [(manifest.clone(), 1), (without_index(&manifest), AT_ONCE)] {
        server.files.lock().expect("no panic").insert(MANIFEST.to_owned(), manifest);
        let dataset = opened(&server).expect("a manifest");
        dataset.begin_step(u64::MAX);
        server.reads();
        assert_eq!(trend_json(&dataset).expect_err("no trend"), expected);
        let requests = server.reads().len();
        assert!(requests <= at_once, "{requests} requests");
        assert_eq!(dataset.traffic(), Traffic { requests: requests as u64, bytes: 0 });
        assert_eq!(rows(&dataset, "SELECT span_id FROM spans").expect_err("no rows"), expected);
        let trace = block_on(dataset.read_trace("run-00.ndjson"));
        assert_eq!(trace.err().map(|error| error.to_string()).as_deref(), Some(expected));
        assert_eq!(server.reads(), []);
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn what_a_statement_reads_is_known_before_it_runs() {
    let folder = folder("planned");
    let server = written(&folder);
    let opened = || {
        let dataset = opened(&server).expect("a manifest");
        server.reads();
        dataset
    };
    let sizes = |dataset: &Arc<Dataset>, table: &str| -> Vec<u64> {
        let files = dataset.manifest().traces.iter().flat_map(|trace| &trace.files);
        files.filter(|file| file.table == table).map(|file| file.bytes).collect()
    };
    let id = queryscope_sql::identity::trace_id("run-03.ndjson");
    for (sql, files) in [
        ("SELECT span_id FROM spans".to_owned(), RUNS),
        ("SELECT count(*) FROM spans WHERE duration_ns > 5".to_owned(), RUNS),
        ("SELECT span_id FROM spans WHERE day = '2026-03-04'".to_owned(), 1),
        (format!("SELECT span_id FROM spans WHERE trace_id = {id}"), 1),
        ("SELECT span_id FROM spans WHERE engine = 'mysql'".to_owned(), 0),
        // Of all rows, only as many files as have enough.
        ("SELECT span_id FROM spans LIMIT 60".to_owned(), 2),
        // A small file counts once, however often a statement reads its table.
        ("SELECT a.span_id FROM spans a, spans b WHERE a.span_id = b.span_id".to_owned(), RUNS),
        ("SELECT span_id FROM spans UNION ALL SELECT depth FROM spans".to_owned(), RUNS),
    ] {
        let dataset = opened();
        dataset.begin_step(u64::MAX);
        let tables = block_on(dataset.tables_with(|_| false)).expect("tables");
        let engine = Engine::new(&[], vec![tables], Limits::default()).expect("an engine");
        // The rows do not matter.
        let plan = engine.run(&format!("EXPLAIN {sql}"));
        assert!(plan.is_ok(), "{plan:?}");
        let planned = dataset.planned();
        assert_eq!(server.reads(), [], "{sql}: nothing is read while a statement is planned");
        assert_eq!(planned.files, files as u64, "{sql}");
        let largest = sizes(&dataset, "spans").into_iter().max().expect("files");
        assert!(planned.bytes <= largest * files as u64, "{sql}: {planned:?}");
        dataset.begin_step(u64::MAX);
        engine.run(&sql).expect("rows");
        assert!(dataset.traffic().bytes <= planned.bytes, "{sql}: {:?} > {planned:?}", dataset.traffic());
        assert_eq!(dataset.planned(), planned, "{sql}");
        // What is in memory is not read again.
        dataset.begin_step(u64::MAX);
        engine.run(&sql).expect("rows");
        assert_eq!((dataset.planned().files, dataset.traffic().bytes), (0, 0), "{sql}");
    }
    let dataset = opened();
    let all: u64 = sizes(&dataset, "spans").iter().sum();
    for (limit, is_enough) in [(all, true), (all - 1, false)] {
        dataset.begin_step(limit);
        let tables = block_on(dataset.tables_with(|_| false)).expect("tables");
        let engine = Engine::new(&[], vec![tables], Limits::default()).expect("an engine");
        engine.run("EXPLAIN SELECT span_id FROM spans").expect("a plan");
        assert_eq!((dataset.check_plan().is_ok(), dataset.is_over_limit()), (is_enough, !is_enough));
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
