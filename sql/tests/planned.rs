//! What a statement over a data set reads: the columns and pages that it needs, and no more than was said before.

use std::path::{Path, PathBuf};
use std::{env, fs};

use queryscope_sql::dataset::{Dataset, DatasetWriter};
use queryscope_sql::identity::trace_id;
use queryscope_sql::rows::TraceRows;

use crate::server::{opened, rows, run_of, serving};
use crate::support;

/// Number of traces, and of spans of each: several row groups.
const TRACES: usize = 3;
const SPANS: usize = 150_000;

fn name(at: usize) -> String {
    format!("run-{at}.ndjson")
}

fn written(name_of_folder: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-planned-{}-{name_of_folder}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    for at in 0..TRACES {
        let session = support::open([(name(at).as_str(), run_of(at, SPANS))]);
        writer.add(&TraceRows::new(session, &name(at), Some("2026-03-31".to_owned()))).expect("written");
    }
    writer.commit().expect("written");
    folder
}

/// Bytes of the files of spans.
fn bytes_of_spans(folder: &Path) -> u64 {
    let dataset = Dataset::of_folder(folder).expect("a manifest");
    let files = dataset.manifest().traces.iter().filter_map(|trace| trace.file("spans"));
    files.map(|file| file.bytes).sum()
}

/// Of a file that is not small, a statement over one trace reads the end, and those columns and pages that it needs.
#[test]
fn a_statement_reads_what_it_needs_and_no_more_than_planned() {
    let folder = written("statements");
    let server = serving(&folder);
    let all = bytes_of_spans(&folder);
    let of_one = format!("trace_id = {}", trace_id(&name(1)));
    let long = format!("SELECT count(*) FROM spans WHERE {of_one} AND duration_ns > 0");
    // Of each file, the last row group only.
    let late =
        "SELECT max(name), max(sql), max(query_id) FROM spans WHERE start_ns > 140000000000".to_owned();
    // The rows of one side become a filter of the other while the statement runs.
    let join = format!(
        "SELECT s.name FROM spans s JOIN (SELECT trace_id, query_id FROM spans WHERE {of_one} LIMIT 5) q USING (trace_id, query_id)"
    );
    // Columns that the files do not have, together with others.
    let partitions =
        "SELECT max(name) FROM spans WHERE day = '2026-03-31' AND engine <> 'x' AND start_ns < 100000000"
            .to_owned();
    let other_day = "SELECT max(name) FROM spans WHERE day > '2026-03-31' OR start_ns < 0".to_owned();
    // A short time on both sides of the end of a row group: of each, the pages from the first to the last one that has it.
    let short = format!(
        "SELECT kind, count(*), sum(duration_ns) FROM spans WHERE {of_one} AND start_ns BETWEEN 132500000000 AND 133500000000 GROUP BY kind"
    );
    // Rows, requests at most, and what may be planned at most, in percent of the bytes of all files.
    for (sql, expected, requests, percent) in [
        (format!("SELECT kind, count(*), min(start_ns) FROM spans WHERE {of_one} GROUP BY kind"), 1, 4, 34),
        (format!("SELECT name, duration_ns FROM spans WHERE {of_one} AND start_ns < 100000000"), 99, 3, 34),
        (format!("SELECT * FROM spans WHERE {of_one} AND query_id = 'q7'"), 0, 3, 50),
        (long, 1, 4, 34),
        (short, 1, 3, 34),
        (format!("SELECT kind FROM spans WHERE {of_one} LIMIT 5"), 5, 2, 13),
        (format!("SELECT count(*) FROM spans WHERE {of_one}"), 1, 1, 13),
        (join, 0, 20, 150),
        (late, 1, 6, 40),
        (partitions, 1, 12, 75),
        (other_day, 1, 12, 80),
        ("SELECT count(*) FROM spans".to_owned(), 1, TRACES, 13),
        ("SELECT kind FROM spans LIMIT 5".to_owned(), 5, 2, 13),
        // Of a result of many rows, the first ones are read.
        ("SELECT * FROM spans".to_owned(), 10_000, 2, 34),
        ("SELECT DISTINCT engine FROM spans".to_owned(), 1, TRACES, 13),
        ("SELECT DISTINCT kind FROM spans".to_owned(), 1, 4 * TRACES, 50),
        ("SELECT count(DISTINCT sql) FROM spans".to_owned(), 1, 4 * TRACES, 100),
    ] {
        let dataset = opened(&server).expect("a manifest");
        server.reads();
        dataset.begin_step(u64::MAX);
        assert_eq!(rows(&dataset, &sql), Ok(expected), "{sql}");
        let reads = server.reads();
        let bytes: u64 = reads.iter().map(|(_, bytes)| bytes).sum();
        let planned = dataset.planned();
        assert!(reads.len() <= requests, "{sql}: {reads:?}");
        assert!(bytes <= planned.bytes, "{sql}: {bytes} {planned:?}");
        assert!(planned.bytes <= all * percent / 100, "{sql}: {planned:?} of {all}");
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
