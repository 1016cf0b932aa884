//! What files become: every shape of every shared sample run against its oracle, and small files with one quirk each.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};

use queryscope::export::{SpanFormat, write_spans};
use queryscope::protocol::{FileReport, RunSummariesRequest};
use queryscope::session::Session;
use serde_json::Value;

/// The folder of shared sample runs.
fn shared() -> Option<PathBuf> {
    support::shared("own/kubling").map(|folder| folder.join("own/kubling"))
}

fn open(paths: &[PathBuf]) -> Session {
    let mut session = Session::default();
    for path in paths {
        session.open(&path.file_name().unwrap_or_default().to_string_lossy());
        session.push(&fs::read(path).expect("a file that is there"));
        session.close(None);
    }
    session.build();
    session
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("an oracle that is there");
    serde_json::from_str(&text).expect("an oracle that is JSON")
}

/// records = used + reported, for every file.
fn assert_accounted(report: &[FileReport]) {
    for file in report {
        assert_eq!(file.records, file.used + file.reported, "{file:?}");
    }
}

/// Compares the run summaries with those of an oracle, for the runs that are open.
fn check(paths: &[PathBuf], oracle: &Value) {
    let mut session = open(paths);
    let report = session.report();
    assert_accounted(&report);
    for file in &report {
        let name = &file.name;
        assert!(file.recognised, "{name}: {}", file.format);
        assert!(file.problems.is_empty(), "{name}: {:?}", file.problems);
    }
    let summaries = session.answer(&RunSummariesRequest);
    assert!(!summaries.is_empty(), "{paths:?}");
    for found in summaries {
        let expected = oracle["run_summary"].as_array().expect("a list");
        let expected = expected.iter().find(|run| run["run"] == found.run.as_str()).expect("a known run");
        let number = |name: &str| expected[name].as_i64();
        assert_eq!(Some(found.queries as i64), number("queries"), "{paths:?}");
        assert_eq!(Some(found.total_duration_ns), number("total_duration_ns"));
        assert_eq!(found.min_duration_ns, number("min_duration_ns"));
        assert_eq!(found.max_duration_ns, number("max_duration_ns"));
        assert_eq!(Some(found.source_calls as i64), number("source_calls"));
        assert_eq!(found.rows_read, number("rows_read"));
        assert_eq!(found.rows_returned, number("rows_returned"));
        assert_eq!(Some(found.buffer_events as i64), number("buffer_events"));
        assert_eq!(found.buffer_bytes, number("buffer_bytes"));
        assert_eq!(found.buffer_elements, number("buffer_elements"));
        assert_eq!(found.unfinished, 0);
    }
}

const RUNS: [&str; 3] = ["no-buffer", "buffer-normal", "buffer-rocks"];

fn tables(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder.join("tables")).expect("tables").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_shape_of_every_run_gives_the_numbers_of_its_oracle() {
    let Some(folder) = shared() else { return };
    let oracle = read(&folder.join("expected.json"));
    for run in RUNS {
        for shape in ["json", "json.gz", "ndjson", "log", "pretty.json"] {
            let path = folder.join(format!("{run}.{shape}"));
            if path.exists() {
                check(&[path], &oracle);
            }
        }
    }
    check(&tables(&folder), &oracle);
    let defects = folder.join("defects");
    let oracle = read(&defects.join("expected.json"));
    for shape in ["json", "ndjson", "log"] {
        check(&[defects.join(format!("no-buffer.{shape}"))], &oracle);
    }
    check(&tables(&defects), &oracle);
}

/// The archives hold 40 of the 60 queries, each in a file of its own.
#[test]
fn an_archive_of_files_per_query_is_one_run() {
    let Some(folder) = shared() else { return };
    for run in RUNS {
        let session = open(&[folder.join(format!("{run}.per-query.zip"))]);
        let report = session.report();
        assert_accounted(&report);
        assert_eq!(report.len(), 41, "the archive and its entries");
        assert!(report.iter().all(|file| file.recognised && file.problems.is_empty()), "{report:?}");
        assert_eq!(session.trace().runs.len(), 1);
        assert_eq!(session.trace().str(session.trace().runs[0].name), run);
        assert_eq!(session.trace().tracks.children(session.trace().runs[0].track).count(), 40);
    }
}

type Quirk = (&'static str, u64, u64, &'static [(&'static str, u64)]);

/// Small files with one quirk each: what is read, used and said about them.
#[test]
fn every_quirk_is_told() {
    // Name, records read, records used, problems with their counts.
    let cases: [Quirk; 23] = [
        ("cut-off.json", 2, 1, &[("cut off", 1), ("no QUERY_END", 1)]),
        ("broken-line.ndjson", 3, 2, &[("broken record", 1)]),
        ("end-before-start.ndjson", 4, 4, &[("no SOURCE_START", 1), ("no SOURCE_END", 1)]),
        ("no-query-events.ndjson", 2, 2, &[("no QUERY_START and no QUERY_END", 1)]),
        ("repeated-id.ndjson", 6, 6, &[]),
        ("rounds.ndjson", 4, 4, &[]),
        ("unknown.ndjson", 3, 3, &[("unknown field", 1), ("unknown event type", 1)]),
        ("values.ndjson", 5, 4, &[("no timestamp", 1), ("unreadable value", 2)]),
        ("twice.ndjson", 2, 2, &[("duplicate field", 1)]),
        ("far.ndjson", 4, 3, &[("timestamp out of range", 1)]),
        ("not-events.ndjson", 4, 2, &[("not an event", 1), ("no type", 1)]),
        ("utf-16.json", 2, 2, &[]),
        ("utf-16-no-mark.json", 2, 2, &[]),
        ("mark.json", 2, 2, &[]),
        ("wrapped.json", 2, 2, &[("no QUERY_END", 2)]),
        ("rows.json", 2, 2, &[("no QUERY_END", 2)]),
        ("invalid-text.ndjson", 2, 2, &[("invalid text", 1)]),
        ("cut-off.json.gz", 2, 2, &[("damaged archive", 1)]),
        ("no-run.ndjson", 2, 2, &[("no runId", 2)]),
        ("log-variations.log", 2, 2, &[]),
        ("compressed-sql.csv", 2, 2, &[("unreadable SQL", 1), ("no QUERY_END", 2)]),
        ("picture.png", 0, 0, &[]),
        ("empty.json", 0, 0, &[]),
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/kubling");
    for (name, records, used, problems) in cases {
        let report = open(&[folder.join(name)]).report();
        assert_accounted(&report);
        let file = &report[0];
        let found: Vec<_> = file.problems.iter().map(|p| (p.name.as_str(), p.count)).collect();
        let (mut found, mut expected) = (found, problems.to_vec());
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!((file.records, file.used, found), (records, used, expected), "{name}");
        assert_eq!(file.recognised, records > 0, "{name}: {}", file.format);
    }
}

/// Two recordings with the same `runId` are one run, and each id that starts in both is a problem; the same recording
/// twice is not, nor is an id that starts twice in one file.
#[test]
fn query_ids_that_begin_again_in_another_file_are_reported() {
    let start = |query: &str, database: &str, time: u32| {
        format!(
            r#"{{"runId":"r","queryId":"{query}","vdbName":"{database}","timestamp":{time},"type":"QUERY_START"}}
{{"runId":"r","queryId":"{query}","vdbName":"{database}","timestamp":{},"type":"QUERY_END"}}
"#,
            time + 5
        )
    };
    let (first, second) = (start("a", "d", 10), start("a", "d", 30));
    let both = format!("{first}{second}");
    let cases: [(&[&String], u64); 5] = [
        (&[&first, &second], 1),
        (&[&first, &start("a", "e", 30)], 1),
        (&[&first, &start("b", "d", 30)], 0),
        (&[&first, &first], 0),
        (&[&both], 0),
    ];
    for (texts, expected) in cases {
        let files = texts.iter().enumerate().map(|(at, text)| (format!("{at}.ndjson"), text.as_bytes()));
        let session = support::open(files);
        let report = session.report();
        let problems = report.iter().flat_map(|file| &file.problems);
        let again = problems.filter(|problem| problem.name == "query id begins again");
        assert_eq!(again.map(|problem| problem.count).sum::<u64>(), expected, "{texts:?}");
    }
}

/// Every record can be found again in its file and read as named values, packed or not.
#[test]
fn records_are_read_again_where_they_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/kubling");
    for name in [
        "mark.json",
        "utf-16.json",
        "utf-16-no-mark.json",
        "wrapped.json",
        "rows.json",
        "invalid-text.ndjson",
        "cut-off.json.gz",
        "log-variations.log",
        "compressed-sql.csv",
    ] {
        let path = folder.join(name);
        let (session, stored) = (open(std::slice::from_ref(&path)), fs::read(&path).expect("a fixture"));
        for record in 0..2 {
            let place = session.place(queryscope::trace::RecordId(record)).expect("a record");
            let bytes = if place.packed {
                support::unpack(&session, &place, &stored).expect("the text")
            } else {
                stored[place.offset as usize..][..place.length as usize].to_vec()
            };
            let fields = session.raw(&place, &bytes).fields;
            let query = |(name, value): &(String, String)| {
                ["queryId", "query_id", "QUERY_ID"].contains(&name.as_str()) && value.starts_with('q')
            };
            assert!(fields.iter().any(query), "{name}: {fields:?} of {:?}", String::from_utf8_lossy(&bytes));
        }
    }
}

/// What is found while correlating stands at a line, too, in files of every shape.
#[test]
fn problems_of_records_name_their_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/kubling");
    for (name, problem, lines) in [
        ("end-before-start.ndjson", "no SOURCE_START", &[2][..]),
        ("end-before-start.ndjson", "no SOURCE_END", &[3]),
        ("wrapped.json", "no QUERY_END", &[3, 4]),
        ("rows.json", "no QUERY_END", &[1, 1]),
        ("compressed-sql.csv", "no QUERY_END", &[2, 3]),
    ] {
        let session = open(&[folder.join(name)]);
        let report = session.report();
        let problem = report[0].problems.iter().find(|p| p.name == problem).expect("the problem");
        let found: Vec<_> = problem.places.iter().map(|place| place.line).collect();
        assert_eq!(found, lines.iter().map(|&line| Some(line)).collect::<Vec<_>>(), "{name}");
    }
}

/// Where a zip archive breaks off, every entry that is whole is read, and of the next one what is there.
#[test]
fn a_cut_off_archive_gives_what_is_in_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/kubling");
    for name in ["files.zip", "streamed.zip"] {
        let bytes = fs::read(folder.join(name)).expect("a fixture");
        let mut most = 0;
        for end in 0..=bytes.len() {
            let session = open_part(&bytes[..end], name);
            let report = session.report();
            assert_accounted(&report);
            let records = session.n_records();
            assert!(records >= most, "{name} cut at {end}: {records}");
            most = records;
            let said = report.iter().any(|file| !file.recognised || !file.problems.is_empty());
            assert_eq!(said, end < bytes.len(), "{name} cut at {end}: {report:?}");
        }
        assert_eq!(most, 6, "{name}");
        // Without its table of contents nothing is lost but that.
        let session = open_part(&bytes[..bytes.len() - 20], name);
        assert_eq!((session.n_records(), session.trace().runs.len()), (6, 1));
        assert_eq!(session.opened(), (1, bytes.len() as u64 - 20));
        let place = session.place(queryscope::trace::RecordId(3)).expect("a record");
        let text = support::unpack(&session, &place, &bytes[..bytes.len() - 20]).expect("its text");
        assert!(text.starts_with(b"{\"runId\":\"r\",\"queryId\":\"q1\""));
    }
}

/// What was not read to its end is told so, and nothing is said of how the file ends, which nobody knows.
#[test]
fn a_file_that_was_given_up_is_not_said_to_end() {
    let lines =
        "{\"runId\":\"r\",\"queryId\":\"q\",\"type\":\"QUERY_START\",\"timestamp\":1}\n{\"runId\":\"r\",\"ty";
    let array = format!("[{}", lines.replace('\n', ","));
    let chrome = "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\",\"pid\":1,\"tid\":1},{\"ph\":\"X\",\"t";
    let zip = include_bytes!("traces/kubling/files.zip");
    let gzip = include_bytes!("traces/kubling/cut-off.json.gz");
    for (name, bytes) in [
        ("lines", lines.as_bytes()),
        ("array", array.as_bytes()),
        ("chrome", chrome.as_bytes()),
        ("zip", &zip[..zip.len() / 2]),
        ("gzip", &gzip[..]),
    ] {
        let report = close_part(bytes, name, Some("reading was cancelled here")).report();
        assert_accounted(&report);
        let first = &report[0].problems[0];
        assert_eq!(first.name, "not read to its end", "{name}");
        assert_eq!(first.places[0].text, "reading was cancelled here", "{name}");
        let all = report.iter().flat_map(|file| &file.problems);
        for problem in all {
            let (name, meaning) = (&problem.name, &problem.meaning);
            assert!(!meaning.contains("file ends") && name != "cut-off archive", "{name}: {meaning}");
        }
    }
    // Whoever reads to the end is told how it ends.
    let report = close_part(lines.as_bytes(), "lines", None).report();
    assert!(report[0].problems.iter().any(|problem| problem.meaning.contains("file ends")));
}

#[test]
fn a_file_of_which_nothing_could_be_read_is_not_empty() {
    for (reason, told) in
        [(None, "Empty."), (Some("it is not there any more"), "Not read: it is not there any more.")]
    {
        let report = close_part(b"", "gone.json", reason).report();
        assert_eq!((report[0].format.as_str(), report[0].recognised), (told, false));
    }
}

fn open_part(bytes: &[u8], name: &str) -> Session {
    close_part(bytes, name, None)
}

fn close_part(bytes: &[u8], name: &str, broken: Option<&str>) -> Session {
    let mut session = Session::default();
    session.open(name);
    session.push(bytes);
    session.close(broken);
    session.build();
    session
}

#[test]
fn a_long_preface_is_read_however_it_comes() {
    let event =
        r#"{"runId":"r","queryId":"q","timestamp":1,"type":"QUERY_START","vdbName":"v","vdbVersion":"1"}"#;
    for preface in [60_000, 66_000, 300_000, 2_000_000, 5_000_000] {
        let text = format!("{}\n{event}\n", "started\n".repeat(preface / 8));
        for size in [9_999, 65_536, text.len()] {
            let mut session = Session::default();
            session.open("server.log");
            text.as_bytes().chunks(size).for_each(|slice| session.push(slice));
            session.close(None);
            session.build();
            let report = session.report();
            assert_accounted(&report);
            let expected = preface < 4 << 20;
            assert_eq!(
                report[0].recognised, expected,
                "{preface} bytes in slices of {size}: {}",
                report[0].format
            );
        }
    }
}

/// Identifiers that a file has as numbers are written out as numbers.
#[test]
fn values_of_other_types_are_written_as_they_stand() {
    let event = |kind: &str, time: u32, id: &str| {
        format!(
            r#"{{"runId":"r","queryId":{id},"vdbName":"V","vdbVersion":"1","timestamp":{time},"type":"{kind}","sql":"S"}}"#
        )
    };
    for id in ["17", "\"17\"", "1.50", "true"] {
        let lines = [event("QUERY_START", 1, id), event("QUERY_END", 9, id)].join("\n");
        let mut session = Session::default();
        session.keep_written();
        let session = support::open_in(session, [("run.ndjson", lines)]);
        let mut out = Vec::new();
        write_spans(session.trace(), SpanFormat::JsonLines, false, &mut out)
            .expect("a vector takes everything");
        let row: serde_json::Value = serde_json::from_slice(&out).expect("one object");
        assert_eq!(row["values"]["query id"].to_string(), id);
    }
}
