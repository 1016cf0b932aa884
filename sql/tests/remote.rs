//! Data sets that are read by ranges, as from a server: what is read, and what is said when the server or a file is not as it should be.

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::{env, fs};

use bytes::Bytes;
use queryscope::export::{GroupBy, RunMeasure, TrendFormat, TrendOutput};
use queryscope_sql::dataset::{
    Dataset, DatasetFiles, DatasetWriter, MANIFEST, ReadFailure, Reading, Traffic, block_on,
};
use queryscope_sql::query::{Engine, Limits};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::trend::{RunOrder, TrendInputs};
use serde_json::Value;

/// Number of runs of the data set.
const RUNS: usize = 24;

/// Number of files that are read at the same time.
const AT_ONCE: usize = 6;

/// Files in memory that record every read.
#[derive(Debug, Default)]
struct Server {
    files: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Path of a file that the connection does not bring.
    unreachable: Mutex<Option<String>>,
    /// Whether it sends whole files only.
    has_no_ranges: AtomicBool,
    reads: Mutex<Vec<(String, u64)>>,
    /// Number of reads that are under way, and the largest number so far.
    under_way: Mutex<(usize, usize)>,
}

impl Server {
    fn read(&self, path: &str, range: Option<Range<u64>>) -> Result<Bytes, ReadFailure> {
        let files = self.files.lock().expect("no panic");
        if range.is_some() && self.has_no_ranges.load(Relaxed) {
            self.reads.lock().expect("no panic").push((path.to_owned(), 0));
            return Err(ReadFailure::Server("the server sends whole files only. Use another one".to_owned()));
        }
        if self.unreachable.lock().expect("no panic").as_deref() == Some(path) {
            return Err(ReadFailure::Access("it could not be fetched. Check the connection".to_owned()));
        }
        let not_found = || ReadFailure::File("the server answered 404".to_owned());
        let file = files.get(path).ok_or_else(not_found)?;
        let end = |at: u64| (at as usize).min(file.len());
        let part = range.map_or(0..file.len(), |range| end(range.start)..end(range.end));
        self.reads.lock().expect("no panic").push((path.to_owned(), part.len() as u64));
        Ok(Bytes::copy_from_slice(&file[part]))
    }

    /// An answer that is not there at once, as those of a server.
    fn answer(self: Arc<Self>, path: String, range: Option<Range<u64>>) -> Reading {
        Box::pin(async move {
            {
                let mut under_way = self.under_way.lock().expect("no panic");
                under_way.0 += 1;
                under_way.1 = under_way.1.max(under_way.0);
            }
            // Others run meanwhile.
            let mut waits = 3;
            std::future::poll_fn(|context| {
                waits -= 1;
                context.waker().wake_by_ref();
                if waits > 0 { Poll::Pending } else { Poll::Ready(()) }
            })
            .await;
            self.under_way.lock().expect("no panic").0 -= 1;
            self.read(&path, range)
        })
    }

    /// The largest number of reads under way at the same time since the last call.
    fn most_at_once(&self) -> usize {
        std::mem::take(&mut self.under_way.lock().expect("no panic").1)
    }

    /// All reads since the last call.
    fn reads(&self) -> Vec<(String, u64)> {
        std::mem::take(&mut *self.reads.lock().expect("no panic"))
    }
}

#[derive(Debug)]
struct ServedFiles(Arc<Server>);

impl DatasetFiles for ServedFiles {
    fn place(&self, path: &str) -> String {
        format!("https://data.example/{path}")
    }

    fn read_whole(&self, path: &str, _: u64) -> Reading {
        self.0.clone().answer(path.to_owned(), None)
    }

    fn read_range(&self, path: &str, range: Range<u64>) -> Reading {
        self.0.clone().answer(path.to_owned(), Some(range))
    }

    fn size(&self, _: &str) -> Result<Option<u64>, ReadFailure> {
        Ok(None)
    }

    fn bytes_of_a_request(&self) -> u64 {
        64 << 10
    }

    fn reads_at_once(&self) -> usize {
        AT_ONCE
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-remote-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A run of two statements; from run 12 on, the first takes 1.5 times as long.
fn run(at: usize) -> String {
    run_of(at, 40)
}

fn run_of(at: usize, queries: usize) -> String {
    let mut text = "{\"queryscope\":\"trace\",\"version\":1}\n{\"run\":\"nightly\"}\n{\"track\":\"session\",\"kind\":\"thread\"}\n".to_owned();
    let mut start = 0;
    for query in 0..queries {
        let noise = (at * 7 + query * 13) % 11;
        let factor = if query.is_multiple_of(2) && at >= 12 { 150 } else { 100 };
        let duration = 1_000_000 * factor / 100 + noise * 3_000;
        let table = if query.is_multiple_of(2) { "a" } else { "b" };
        let sql = format!("SELECT * FROM {table} WHERE id = {query}");
        writeln!(text, "{{\"span\":\"q{query}\",\"kind\":\"query\",\"start\":{start},\"duration\":{duration},\"texts\":{{\"SQL\":\"{sql}\"}}}}")
            .expect("a string");
        start += duration + 10;
    }
    text
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
    let server = Server::default();
    add(folder, folder, &server);
    Arc::new(server)
}

fn add(root: &Path, folder: &Path, server: &Server) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            add(root, &path, server);
        } else {
            let name = path.strip_prefix(root).expect("inside").to_string_lossy().replace('\\', "/");
            server.files.lock().expect("no panic").insert(name, fs::read(&path).expect("a file"));
        }
    }
}

fn opened(server: &Arc<Server>) -> Result<Arc<Dataset>, String> {
    let dataset = block_on(Dataset::open(Arc::new(ServedFiles(server.clone()))));
    dataset.map(Arc::new).map_err(|error| error.to_string())
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

fn rows(dataset: &Arc<Dataset>, sql: &str) -> Result<usize, String> {
    let tables = block_on(dataset.tables_with(|_| false)).map_err(|error| error.to_string())?;
    let engine = Engine::new(&[], vec![tables], Limits::default()).map_err(|error| error.to_string())?;
    let result = engine.run(sql).map_err(|error| error.to_string())?;
    Ok(result.batches.iter().map(|batch| batch.num_rows()).sum())
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

/// Of a file that is not small, a statement over one trace reads the end, and those columns and pages that it needs.
#[test]
fn a_part_of_a_large_data_set_is_read_in_three_requests() {
    let folder = folder("window");
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    let name = |at: usize| format!("run-{at}.ndjson");
    for at in 0..3 {
        let session = support::open([(name(at).as_str(), run_of(at, 30_000))]);
        writer.add(&TraceRows::new(session, &name(at), Some("2026-03-31".to_owned()))).expect("written");
    }
    writer.commit().expect("written");
    let server = Server::default();
    add(&folder, &folder, &server);
    let server = Arc::new(server);
    let id = queryscope_sql::identity::trace_id(&name(1));
    for (sql, expected) in [
        (
            format!(
                "SELECT kind, count(*), min(start_ns), sum(duration_ns) FROM spans WHERE trace_id = {id} GROUP BY kind"
            ),
            1,
        ),
        (
            format!(
                "SELECT name, start_ns, duration_ns FROM spans WHERE trace_id = {id} AND start_ns < 100000000"
            ),
            99,
        ),
        (format!("SELECT * FROM spans WHERE trace_id = {id} AND query_id = 'q7'"), 0),
    ] {
        let dataset = opened(&server).expect("a manifest");
        server.reads();
        assert_eq!(rows(&dataset, &sql), Ok(expected), "{sql}");
        let reads = server.reads();
        let bytes: u64 = reads.iter().map(|(_, bytes)| bytes).sum();
        assert!(reads.len() <= 3 && bytes <= 3_000_000, "{sql}: {reads:?}");
    }
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
        ("SELECT a.span_id FROM spans a, spans b WHERE a.span_id = b.span_id".to_owned(), 2 * RUNS),
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
