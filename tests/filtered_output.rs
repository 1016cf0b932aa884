//! `--where` on the command line, compared with a count over the rows of the whole trace.

use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

/// A trace of queries with sources, their executions and buffer events.
fn trace() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(write_trace)
}

fn write_trace() -> String {
    let path = std::env::temp_dir().join(format!("queryscope-where-{}.ndjson", std::process::id()));
    let head = r#""runId":"r","vdbName":"v","vdbVersion":"1""#;
    let mut lines = String::new();
    for n in 0..6_u64 {
        let time = |after: u64| n * 10_000_000 + after * 500_000 * (n + 1);
        let source = format!(r#""connectorName":"c{}","tupleSourceId":"t""#, n % 2);
        let sql = if n % 3 == 0 { "SELECT 1 WHERE x" } else { "SELECT 2" };
        for (after, event) in [
            (0, format!(r#""type":"QUERY_START","sql":"{sql}""#)),
            (1, format!(r#""type":"SOURCE_START",{source}"#)),
            (2, format!(r#""type":"SOURCE_EXECUTION_START","datasourceName":"d",{source}"#)),
            (3, r#""type":"BUFFER_EVENT","bufferEventType":"SPILL","bytes":7,"elements":2"#.to_owned()),
            (4, format!(r#""type":"SOURCE_EXECUTION_END","datasourceName":"d",{source}"#)),
            (5, format!(r#""type":"SOURCE_END",{source}"#)),
            (6, r#""type":"QUERY_END","success":true"#.to_owned()),
        ] {
            lines += &format!("{{{head},\"queryId\":\"q{n}\",\"timestamp\":{},{event}}}\n", time(after));
        }
    }
    std::fs::write(&path, lines).expect("a file in the temporary folder");
    path.to_str().expect("UTF-8").to_owned()
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queryscope"));
    command.args(arguments).output().expect("cargo built the binary")
}

/// What a command prints, as JSON in lines.
fn lines(arguments: &[&str]) -> Vec<Value> {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn spans(more: &[&str]) -> Vec<Value> {
    lines(&[&["spans", trace(), "--events", "--format", "json-lines"], more].concat())
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_default()
}

/// Whether a row itself meets a condition.
type Test = fn(&Value) -> bool;

/// Filters, their tests without the negation, and whether they are negated.
const FILTERS: [(&str, Test, bool); 5] = [
    ("kind = query", |row| text(row, "kind") == "query", false),
    ("kind != query", |row| text(row, "kind") == "query", true),
    ("sql ~ where", |row| text(row, "sql").to_lowercase().contains("where"), false),
    ("kind = \"source execution\"", |row| text(row, "kind") == "source execution", false),
    ("duration > 1ms", |row| row["duration_ns"].as_i64().is_some_and(|ns| ns > 1_000_000), false),
];

/// The rows from a row up to the outermost one.
fn up(rows: &[Value], row: usize) -> Vec<usize> {
    let above = |row: &usize| rows[*row]["parent"].as_u64().map(|parent| parent as usize);
    std::iter::successors(Some(row), above).collect()
}

/// By row: whether it passes the filter.
fn passing(rows: &[Value], test: Test, is_negated: bool) -> Vec<bool> {
    let met: Vec<bool> = rows.iter().map(test).collect();
    let mut listed = vec![false; rows.len()];
    for row in (0..rows.len()).filter(|row| met[*row]) {
        up(rows, row).into_iter().for_each(|above| listed[above] = true);
    }
    let passes = |row: usize| match text(&rows[row], "kind") {
        "query" => listed[row] != is_negated,
        _ => up(rows, row).into_iter().any(|above| met[above]) != is_negated,
    };
    (0..rows.len()).map(passes).collect()
}

#[test]
fn rows_are_those_that_match() {
    let all = spans(&[]);
    for (filter, test, is_negated) in FILTERS {
        let expected: Vec<_> = all.iter().filter(|row| test(row) != is_negated).collect();
        let found = spans(&["--where", filter]);
        let place = |row: &Value| {
            [text(row, "track"), text(row, "name")].join("/") + &format!(" {}", row["start_ns"])
        };
        let names: Vec<String> = found.iter().map(place).collect();
        assert_eq!(names, expected.into_iter().map(place).collect::<Vec<_>>(), "{filter}");
        for row in &found {
            if let Some(parent) = row["parent"].as_u64() {
                let parent = &found[parent as usize];
                assert!(parent["start_ns"].as_i64() <= row["start_ns"].as_i64(), "{filter}: {row}");
            }
        }
        let range = ["--from", "1ms", "--to", "5ms"];
        let inside = spans(&range).iter().map(place).filter(|place| !place.is_empty()).count();
        let both = spans(&[&["--where", filter][..], &range].concat()).len();
        assert!(both <= inside.min(found.len()), "{filter}: {both}");
    }
}

#[test]
fn reports_and_comparisons_are_about_what_passes() {
    let all = spans(&[]);
    for (filter, test, is_negated) in FILTERS {
        let passing = passing(&all, test, is_negated);
        let count = |kind: &str| {
            let of_kind =
                all.iter().zip(&passing).filter(|(row, passes)| **passes && text(row, "kind") == kind);
            of_kind.count() as u64
        };
        let output = run(&["report", trace(), "--format", "json", "--where", filter]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
        let sum = |list: &str, field: &str| -> u64 {
            report[list].as_array().into_iter().flatten().filter_map(|of| of[field].as_u64()).sum()
        };
        let unfinished = sum("runs", "unfinished");
        assert_eq!(sum("runs", "queries"), count("query"), "{filter}, {unfinished} unfinished");
        assert_eq!(sum("sources", "source_calls"), count("source execution"), "{filter}");
        if count("query") == 0 {
            continue;
        }
        let compared =
            run(&["compare", trace(), trace(), "--by", "kind", "--format", "json", "--where", filter]);
        let compared: Value = serde_json::from_slice(&compared.stdout).expect("one JSON value");
        assert!(compared["base"]["count"].as_u64() >= Some(count("query")), "{filter}: {compared}");
    }
}

#[test]
fn exports_hold_what_passes_and_what_is_around_it() {
    let all = spans(&[]);
    let folder = std::env::temp_dir().join(format!("queryscope-where-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("part.jsonl");
    let file = file.to_str().expect("UTF-8");
    let session = folder.join("part.queryscope");
    let session = session.to_str().expect("UTF-8");
    for (filter, test, is_negated) in FILTERS {
        let mut kept = passing(&all, test, is_negated);
        for row in (0..all.len()).filter(|row| kept[*row]).collect::<Vec<_>>() {
            let around = up(&all, row).into_iter().skip(1);
            // Queries that are not listed stay out, with what is around them.
            let around = around.take_while(|above| text(&all[*above], "kind") != "query");
            around.for_each(|above| kept[above] = true);
        }
        let written = |command, file| {
            let output = run(&[command, trace(), "-o", file, "--where", filter]);
            assert!(output.status.success(), "{filter}: {}", String::from_utf8_lossy(&output.stderr));
        };
        written("export", file);
        written("session", session);
        let found = lines(&["spans", file, "--events", "--format", "json-lines"]);
        assert_eq!(
            lines(&["spans", session, "--events", "--format", "json-lines"]).len(),
            found.len(),
            "{filter}"
        );
        let name = |row: &Value| format!("{} {} {}", text(row, "kind"), text(row, "name"), row["start_ns"]);
        let mut found: Vec<String> = found.iter().map(name).collect();
        let mut expected: Vec<String> =
            all.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(row, _)| name(row)).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{filter}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

#[test]
fn a_wrong_filter_is_wrong_usage_and_marked() {
    let file = trace();
    for command in [
        &["report", file][..],
        &["spans", file],
        &["aggregate", file, "--by", "kind"],
        &["compare", file, file],
        &["export", file],
        &["session", file, "-o", "-"],
        &["html", file, "-o", "-"],
        &["svg", file],
    ] {
        let output = run(&[command, &["--where", "ä length > 5 failed"]].concat());
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        let lines: Vec<&str> = error.lines().collect();
        let [.., message, text, marks] = &lines[..] else { panic!("{error}") };
        // A comparison reads several files, and the fields depend on the file.
        let place = if command[0] == "compare" { format!("{file}: ") } else { String::new() };
        let expected = format!("queryscope: {place}unknown field “length”");
        assert!(message.starts_with(&expected), "{error}");
        assert_eq!((*text, *marks), ("  ä length > 5 failed", "    ^^^^^^^^^^"), "{command:?}");
        assert!(output.stdout.is_empty(), "{command:?}");
    }
    let output = run(&["spans", file, "--where", "duration > 5"]);
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(error.contains("such as 5ms or 5ns"), "{error}");
}

#[test]
fn notes_say_why_nothing_is_left() {
    for command in [&["spans", trace()][..], &["aggregate", trace(), "--by", "kind"]] {
        for (filter, lines) in [
            (
                "failed kind:queri",
                &[
                    "queryscope: note: no name, text or status contains “failed”",
                    "  failed kind:queri",
                    "  ^^^^^^",
                ][..],
            ),
            (
                "kind = query connector = c0",
                &[
                    "queryscope: note: no single span or event meets all conditions of the filter “kind = query connector = c0”; \
                   3 do together with what is inside",
                ],
            ),
            (
                "duration > 500ms",
                &["queryscope: note: no span or event matches the filter “duration > 500ms”"],
            ),
        ] {
            let output = run(&[command, &["--where", filter]].concat());
            assert!(output.status.success(), "{command:?} {filter}");
            let notes = String::from_utf8(output.stderr).expect("UTF-8");
            assert!(notes.contains(&lines.join("\n")), "{command:?} {filter}: {notes}");
        }
    }
}
