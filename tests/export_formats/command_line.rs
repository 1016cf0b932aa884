//! `queryscope export --format`: files, parts, redaction, messages and exit codes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use queryscope::export::ForeignFormat;
use queryscope::protocol::{ExportSpec, Redaction};
use serde_json::Value;

use super::{limit, written_part};
use crate::support;

const FORMATS: [(&str, ForeignFormat); 4] = [
    ("chrome", ForeignFormat::Chrome),
    ("speedscope", ForeignFormat::Speedscope),
    ("folded", ForeignFormat::Folded),
    ("otlp", ForeignFormat::Otlp),
];

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_queryscope")).args(arguments).output().expect("cargo built the binary")
}

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(name).to_string_lossy().into_owned()
}

#[test]
fn files_and_standard_output_are_the_same() {
    let trace = fixture("queryscope/written-by-hand.ndjson");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export-formats");
    fs::create_dir_all(&folder).expect("a folder");
    for (name, format) in FORMATS {
        let path = folder.join(name).to_string_lossy().into_owned();
        let file = run(&["export", &trace, "--format", name, "-o", &path]);
        let printed = run(&["export", &trace, "--format", name]);
        assert_eq!((file.status.code(), printed.status.code()), (Some(0), Some(0)), "{name}");
        let session = support::open([(trace.as_str(), fs::read(&trace).expect("the trace"))]);
        let (text, summary) = written_part(&session, &ExportSpec::default(), format);
        assert_eq!(
            (printed.stdout, fs::read(&path).expect("the file")),
            (text.clone().into(), text.into()),
            "{name}"
        );
        let said = String::from_utf8_lossy(&file.stderr).into_owned();
        let not_written = format!("queryscope: not written: {}\n", summary.not_written.join(", "));
        assert!(said.ends_with(&not_written), "{name}: {said}");
    }
    // With a time, the same option is the end of the time range.
    let [chrome, both] = [&["--format", "chrome", "--to", "5ms"][..], &["--to", "5ms", "--to", "chrome"]]
        .map(|rest| run(&[&["export", &trace], rest].concat()).stdout);
    assert!(chrome.starts_with(b"{") && chrome == both);
    let own = [run(&["export", &trace]), run(&["export", &trace, "--format", "queryscope"])];
    assert!(own[0].stdout.starts_with(b"{\"queryscope\"") && own[0].stdout == own[1].stdout);
}

#[test]
fn exit_codes() {
    let trace = fixture("queryscope/written-by-hand.ndjson");
    let missing = fixture("no such folder/file");
    let damaged = fixture("queryscope/damaged.ndjson");
    for (arguments, code, message) in [
        (&["export", &trace, "--format", "pdf"][..], 2, "invalid value 'pdf'"),
        (&["export", &trace, "--to", "pdf"], 2, "expected a time such as 20ms"),
        (&["export", &trace, "--format", "otlp", "-o", &missing], 1, "cannot write"),
        (&["export", &trace, "--format", "chrome", "--run", "none"], 1, "no run “none”"),
        (&["export", &missing, "--format", "chrome"], 1, "no such folder"),
        (&["export", &damaged, "--format", "folded"], 1, "queryscope: "),
    ] {
        let output = run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
}

#[test]
fn a_part_is_cut_in_every_format() {
    let text = r#"{"run":"r"} {"track":"t","kind":"thread"} {"span":"a","start":0,"duration":10} {"span":"b","start":2,"duration":6,"row":1,"parent":0}
        {"span":"late","start":20,"duration":5} {"run":"s"} {"track":"t","kind":"thread"} {"span":"elsewhere","start":0,"duration":1}"#;
    let session = limit(text);
    let spec = ExportSpec { range: Some((4, 9)), run: Some(0), ..ExportSpec::default() };
    let part = |format| written_part(&session, &spec, format);
    assert_eq!(part(ForeignFormat::Folded).0, "a 1\na;b 4\n");
    let file: Value = serde_json::from_str(&part(ForeignFormat::Chrome).0).expect("JSON");
    let events = file["traceEvents"].as_array().expect("events").iter();
    let spans = events.filter(|event| event["ph"] == "X");
    let spans: Vec<String> =
        spans.map(|event| format!("{} {} {}", event["name"], event["ts"], event["dur"])).collect();
    assert_eq!(spans, ["\"a\" 0.004 0.005", "\"b\" 0.004 0.004"]);
    for (name, format) in FORMATS {
        let (text, summary) = part(format);
        assert!(!text.contains("late") && !text.contains("elsewhere"), "{name}: {text}");
        assert_eq!(summary.removed, ["2 spans outside the saved part"], "{name}");
    }
}

#[test]
fn what_is_removed_is_in_no_format() {
    let text = r#"{"run":"host77"} {"track":"t","kind":"query"} {"span":"SELECT * FROM secret_table WHERE a = 'hidden'","kind":"query","start":0,"duration":10,
        "flags":["failed"],"texts":{"SQL":"SELECT * FROM secret_table WHERE a = 'hidden'","error":"secret_table is broken","table":"secret_table"}}
        {"event":"secret_table","time":3,"parent":0,"texts":{"table":"secret_table"}} {"flow":"secret_table","from":0,"to":0,"leaves":1,"arrives":2}"#;
    let session = limit(text);
    let every = Redaction { literals: true, identifiers: true, texts: true };
    for (name, format) in FORMATS {
        let (whole, _) = written_part(&session, &ExportSpec::default(), format);
        assert!(whole.contains("secret_table") && whole.contains("hidden"), "{name}: {whole}");
        let spec = ExportSpec { redaction: every, ..ExportSpec::default() };
        let (text, summary) = written_part(&session, &spec, format);
        for word in ["secret_table", "hidden", "host77"] {
            assert!(!text.contains(word), "{name}: {text}");
        }
        assert!(
            !summary.removed.is_empty() && summary.notes.iter().all(|note| !note.contains("host77")),
            "{name}"
        );
    }
}
