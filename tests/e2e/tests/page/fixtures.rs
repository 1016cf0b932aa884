//! Small runs in every shape that is read, written into a folder of their own under `target/`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use flate2::{Compression, write::GzEncoder};

/// Queries in [`events`].
pub const QUERIES: u64 = 6;

/// A folder for the files of one test.
pub fn folder(test: &str) -> Result<PathBuf> {
    let folder = queryscope_e2e::root().join("target/e2e").join(test);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => fs::create_dir_all(&folder)?,
    }
    Ok(folder)
}

/// Writes a file and gives its path.
pub fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf> {
    let path = folder.join(name);
    fs::write(&path, content)?;
    Ok(path)
}

/// The events of a run with [`QUERIES`] queries: one source each, the third fails, all with a buffer event.
pub fn events(run: &str) -> Vec<String> {
    (0..QUERIES).flat_map(|query| query_events(run, query)).collect()
}

/// The events of one query.
pub fn query_events(run: &str, query: u64) -> Vec<String> {
    let start = 9_007_199_254_740_993 + query * 400_000;
    let event = |at: u64, kind: &str, rest: &str| {
        let at = start + at;
        format!(
            r#"{{"runId":"{run}","queryId":"{run}-q{query}","vdbName":"Sales","vdbVersion":"1","timestamp":{at},"type":"{kind}"{rest}}}"#
        )
    };
    let source = format!(r#","connectorName":"pg-conn","tupleSourceId":"{run}-q{query}/ts0""#);
    let place = format!(r#"{source},"datasourceName":"OrdersDB""#);
    let sql = format!(r#","sql":"SELECT total FROM orders WHERE id = {query}""#);
    let pushed = format!(r#"{place},"commandPushed":"SELECT c FROM OrdersDB","sourceCommandType":"QUERY""#);
    let read = format!(
        r#"{place},"rowsRead":1000,"rowsReturned":10,"sourceReadDurationNanos":60000,"sourceCommandType":"QUERY""#
    );
    let end = if query == 2 {
        r#","success":false,"error":"no answer""#
    } else {
        r#","success":true,"error":null"#
    };
    vec![
        event(0, "REQUEST_START", ""),
        event(20_000, "QUERY_START", &sql),
        event(30_000, "SOURCE_START", &source),
        event(40_000, "SOURCE_EXECUTION_START", &pushed),
        event(90_000, "BUFFER_EVENT", r#","bufferEventType":"SPILL","bytes":4096,"elements":16"#),
        event(240_000, "SOURCE_EXECUTION_END", &read),
        event(
            260_000,
            "SOURCE_END",
            &format!(r#"{source},"rowsReturned":10,"rowsRead":1000,"duration":230000"#),
        ),
        event(300_000 + query * 50_000, "QUERY_END", end),
    ]
}

/// One event per line.
pub fn lines(run: &str) -> String {
    events(run).join("\n") + "\n"
}

/// An array.
pub fn array(run: &str) -> String {
    format!("[{}]", events(run).join(","))
}

/// An array as people like to read it.
pub fn pretty(run: &str) -> String {
    let events: Vec<String> =
        events(run).iter().map(|e| format!("  {}", e.replace(",\"", ",\n    \""))).collect();
    format!("[\n{}\n]\n", events.join(",\n"))
}

/// Compressed.
pub fn gzip(text: &str) -> Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(text.as_bytes())?;
    Ok(out.finish()?)
}

/// A run of about `queries` times 1.7 kB that takes a while to read.
pub fn large(queries: u64) -> String {
    let mut text = String::new();
    for query in 0..queries {
        for event in query_events("large", query) {
            // Writing into memory cannot fail.
            writeln!(text, "{event}").ok();
        }
    }
    text
}

/// Instructions of a plan on three threads, each of which needs what the one before it made.
pub fn plan(instructions: u32) -> String {
    let mut text = String::from(
        "{\"sessionid\":\"1\",\"clk\":1,\"thread\":1,\"phase\":\"text_to_sql\",\"tstart\":1,\"tag\":7,\"query\":\"select 7;\",\"usec\":1}\n",
    );
    for pc in 1..=instructions {
        let thread = pc % 3 + 1;
        let end = pc * 10 + 20;
        let before = pc - 1;
        let var = |at: u32, place: &str| {
            format!(r#"{{"{place}":0,"var":"X_{at}","type":"bat[:int]","count":{pc},"size":{pc}}}"#)
        };
        writeln!(
            text,
            r#"{{"sessionid":"1","clk":{end},"thread":{thread},"phase":"mal_engine","pc":{pc},"tag":7,"module":"algebra","function":"join{pc}","usec":9,"args":[{},{}]}}"#,
            var(pc, "ret"),
            var(before, "arg")
        )
        // Writing into memory cannot fail.
        .ok();
    }
    text
}
