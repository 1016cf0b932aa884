//! Traces that are larger than memory: `convert` reads them in shares of their queries, and writes each share as a part.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use queryscope_sql::dataset::Manifest;

use crate::support;

/// Number of queries of the trace, and of events of each query.
const QUERIES: u32 = 8_000;
const EVENTS: u32 = 6;

struct Converted {
    code: Option<i32>,
    messages: String,
}

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-parts-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Reading stops after a few MiB if `memory` is so small that nothing fits.
fn convert(folder: &Path, file: &str, memory: &str) -> Converted {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"));
    command.current_dir(folder).args([
        "convert",
        "--day",
        "2026-03-31",
        "-o",
        "set",
        "--memory",
        memory,
        file,
    ]);
    let run = command.output().expect("the program runs");
    Converted { code: run.status.code(), messages: String::from_utf8_lossy(&run.stderr).into_owned() }
}

fn answer(folder: &Path, input: &str, statement: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"));
    let run = command.current_dir(folder).args(["sql", "--format", "csv", input, statement]).output();
    let run = run.expect("the program runs");
    assert!(run.status.success(), "{statement}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).into_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let manifest = Manifest::read(&folder.join("set")).expect("a manifest");
    manifest.traces.into_iter().map(|trace| trace.name).collect()
}

/// Events of queries that overlap, with an event of no query, a broken record and one without a time; about 8 MB.
fn events() -> String {
    let sql = "x".repeat(120);
    let mut text = String::from("[\n");
    let queries = |at: u32| (at / 50 * 50..at / 50 * 50 + 50).map(move |query| (at % 50, query));
    for (event, query) in (0..QUERIES).flat_map(queries).filter(|(event, _)| *event < EVENTS) {
        let time = query * 1_000 + event * 70_000;
        let about = match event {
            0 => format!(r#""type":"REQUEST_START","sql":"SELECT {} FROM t /* {sql} */""#, query % 7),
            1 => r#""type":"QUERY_START""#.to_owned(),
            2 => r#""type":"SOURCE_EXECUTION_START","tupleSourceId":"1","connectorName":"c""#.to_owned(),
            3 => format!(
                r#""type":"SOURCE_EXECUTION_END","tupleSourceId":"1","connectorName":"c","rowsRead":{query},"rowsReturned":1"#
            ),
            4 => format!(r#""type":"BUFFER_EVENT","eventType":"SPILL","bytes":{query},"elements":3"#),
            _ => format!(r#""type":"QUERY_END","success":{}"#, query % 10 != 0),
        };
        text.push_str(&format!(
            "{{\"runId\":\"r\",\"vdbName\":\"v\",\"vdbVersion\":\"1\",\"queryId\":\"q{query}\",\"timestamp\":{time},{about}}},\n"
        ));
    }
    text.push_str("{\"runId\":\"r\",\"queryId\":\"q1\",\"type\":\"QUERY_START\"},\n");
    text.push_str(
        "{\"runId\":\"r\",\"timestamp\":5,\"type\":\"BUFFER_EVENT\",\"eventType\":\"READ\",\"bytes\":9},\n",
    );
    text.push_str("{\"runId\":\"r\",\"timestamp\":,\n{\"runId\":\"r\",\"queryId\":\"q2\",\"timestamp\":7,\"type\":\"NEW\"}]\n");
    text
}

/// Numbers that are the same for the file and for its parts together.
const SUMS: [&str; 5] = [
    "SELECT kind, count(*), sum(duration_ns), sum(self_ns), sum(CAST(failed AS BIGINT)), sum(rows_read) FROM spans GROUP BY 1 ORDER BY 1",
    "SELECT name, count(*) FROM events GROUP BY 1 ORDER BY 1",
    "SELECT shape, count(*), sum(duration_ns) FROM spans GROUP BY 1 ORDER BY 1",
    "SELECT name, line, text FROM problems WHERE lost ORDER BY 1, 2, 3",
    "SELECT sum(used), sum(reported), sum(CAST(recognised AS BIGINT)) > 0 FROM files",
];

#[test]
fn a_trace_larger_than_memory_is_converted_in_parts() {
    let folder = folder("whole");
    let text = events();
    assert!(text.len() > 6 << 20, "reading must not end before the limit is checked: {}", text.len());
    fs::write(folder.join("big.json"), &text).expect("written");
    let in_parts = convert(&folder, "big.json", "1MB");
    assert_eq!(in_parts.code, Some(0), "{}", in_parts.messages);
    assert!(in_parts.messages.contains("big.json does not fit in memory"), "{}", in_parts.messages);
    let parts = names(&folder);
    assert!(parts.len() > 3 && parts[0] == "big.json, part 1", "{parts:?}");
    for sum in SUMS {
        assert_eq!(answer(&folder, "set", sum), answer(&folder, "big.json", sum), "{sum}");
    }
    // All events of a query are in the same part, and all records are accounted for in each.
    let queries = "SELECT count(*), count(DISTINCT query_id) FROM
        (SELECT DISTINCT trace_id, query_id FROM spans WHERE query_id LIKE 'q%')";
    assert_eq!(answer(&folder, "set", queries).lines().nth(1), Some(format!("{QUERIES},{QUERIES}").as_str()));
    let unaccounted = "SELECT count(*) FROM files WHERE records <> used + reported + left_out";
    assert_eq!(answer(&folder, "set", unaccounted).lines().nth(1), Some("0"));
    // A part is a trace that can be opened alone.
    let spans = |input: &str, filter: &str| {
        answer(&folder, input, &format!("SELECT kind, start_ns, name FROM spans {filter} ORDER BY 1, 2, 3"))
    };
    let first = "WHERE trace_id = (SELECT trace_id FROM runs WHERE trace = 'big.json, part 1')";
    assert_eq!(spans("set/big.json, part 1", ""), spans("set", first));

    // With enough memory the trace takes the place of its parts, and the other way round. Other traces stay.
    fs::copy(support::root().join("tests/traces/kubling/cut-off.json"), folder.join("a.json"))
        .expect("copied");
    assert_eq!(convert(&folder, "a.json", "4GB").code, Some(0));
    let whole = convert(&folder, "big.json", "4GB");
    assert_eq!(
        (whole.code, names(&folder)),
        (Some(0), vec!["a.json".to_owned(), "big.json".to_owned()]),
        "{}",
        whole.messages
    );
    assert_eq!(convert(&folder, "big.json", "1MB").code, Some(0));
    assert_eq!(names(&folder)[1..], parts);
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn what_no_share_divides_is_read_up_to_the_limit() {
    let folder = folder("limit");
    let one_query = events().replace("\"queryId\":\"q", "\"queryId\":\"one\",\"was\":\"q");
    fs::write(folder.join("one.json"), one_query).expect("written");
    let slices: String = (0..60_000)
        .map(|at| {
            format!("{{\"ph\":\"X\",\"name\":\"slice of a thread\",\"pid\":1,\"tid\":1,\"ts\":{at}0,\"dur\":5,\"args\":{{\"number\":{at}}}}},\n")
        })
        .collect();
    fs::write(folder.join("slices.json"), format!("[{slices}]")).expect("written");
    for (file, in_parts) in [("one.json", true), ("slices.json", false)] {
        let converted = convert(&folder, file, "1MB");
        assert_eq!(converted.code, Some(1), "{file}: {}", converted.messages);
        assert_eq!(converted.messages.contains("does not fit in memory"), in_parts, "{}", converted.messages);
        assert!(
            converted.messages.contains("memory limit of 1.0 MB reached: "),
            "{file}: {}",
            converted.messages
        );
    }
    // Whatever was read is in the data set: the events of no query, and those of the query up to the limit.
    assert_eq!(names(&folder), ["one.json, part 1", "one.json, part 2", "slices.json"]);
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
