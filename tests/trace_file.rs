//! Traces in the format `queryscope`: what is written is read again, and says the same.

mod support;

use std::fs;
use std::path::Path;

use queryscope::export::Report;
use queryscope::internal::testing::{dump, dump_rest};
use queryscope::protocol::ExportSpec;
use queryscope::session::Session;
use serde_json::Value;

/// The trace of a session in the format `queryscope`.
fn written(session: &Session, spec: &ExportSpec) -> String {
    let mut export = session.export(spec);
    let mut out = Vec::new();
    while export.step(session.trace(), &mut out) {}
    String::from_utf8(out).expect("the format is text")
}

fn open_text(text: &str) -> Session {
    support::open([("saved.ndjson", text)])
}

/// Rules whose findings are about problems of the files.
const OF_FILES: [&str; 2] = ["lost", "clocks"];

/// The report as JSON, without what is about files.
fn report(session: &Session) -> Value {
    let mut report = serde_json::to_value(Report::of(session.trace(), session.report())).expect("plain data");
    let fields = report.as_object_mut().expect("an object");
    fields.remove("files");
    let mut findings = fields.remove("findings").unwrap_or_else(|| Value::Array(Vec::new()));
    let list = findings.as_array_mut().expect("a list");
    list.retain(|finding| !OF_FILES.iter().any(|rule| finding["rule"] == **rule));
    fields.insert("findings".to_owned(), findings);
    report
}

fn lines(session: &Session) -> Vec<String> {
    let mut lines = dump(session.trace());
    lines.extend(dump_rest(session.trace()));
    lines
}

/// What differs first; `None` if nothing does.
fn difference(left: &[String], right: &[String]) -> Option<String> {
    let first = left.iter().zip(right).position(|(left, right)| left != right);
    let at = first.unwrap_or(left.len().min(right.len()));
    (left != right).then(|| format!("line {at}:\n  {:?}\n  {:?}", left.get(at), right.get(at)))
}

fn text_lines(report: &Value) -> Vec<String> {
    format!("{report:#}").lines().map(str::to_owned).collect()
}

/// What is not the same after a trace was written and read again.
fn broken_law(session: &Session) -> Option<String> {
    let text = written(session, &ExportSpec::default());
    let again = open_text(&text);
    let problems = again.report().remove(0).problems;
    let (before, after) = (report(session), report(&again));
    difference(&lines(session), &lines(&again))
        .or_else(|| (!problems.is_empty()).then(|| format!("{problems:?}")))
        .or_else(|| difference(&text_lines(&before), &text_lines(&after)))
        .or_else(|| (written(&again, &ExportSpec::default()) != text).then(|| "written twice".to_owned()))
}

fn opened(path: &Path) -> Session {
    support::open([(path.to_string_lossy(), fs::read(path).expect("the file can be read"))])
}

#[test]
fn what_is_written_is_read_again() {
    let broken = |path: &Path| Some(format!("{}: {}", path.display(), broken_law(&opened(path))?));
    let broken: Vec<String> = support::fixtures().iter().filter_map(|path| broken(path)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The shared traces, up to a size that a debug build writes and reads in seconds.
#[test]
fn what_is_written_of_shared_traces_is_read_again() {
    const LARGEST: u64 = 64 << 10;
    let Some(shared) = support::shared("own") else { return };
    let (mut left, mut paths) = (vec![shared], Vec::new());
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else if fs::metadata(&path).is_ok_and(|about| about.len() <= LARGEST) {
            paths.push(path);
        }
    }
    let broken = |path: &Path| Some(format!("{}: {}", path.display(), broken_law(&opened(path))?));
    let broken: Vec<String> = paths.iter().filter_map(|path| broken(path)).collect();
    assert!(!paths.is_empty() && broken.is_empty(), "{}", broken.join("\n"));
}

/// Every line of the damaged trace: what is wrong with it is counted, and the rest is shown.
#[test]
fn damage_is_counted() {
    let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/queryscope/damaged.ndjson"));
    let session = support::open([("damaged.ndjson", text.expect("a trace"))]);
    let report = session.report().remove(0);
    let problems: Vec<String> =
        report.problems.iter().map(|problem| format!("{} {}", problem.count, problem.name)).collect();
    assert_eq!(problems, DAMAGE, "{:#?}", dump(session.trace()));
    assert!(report.problems.iter().all(|problem| problem.places.iter().all(|place| place.line.is_some())));
}

const DAMAGE: [&str; 9] = [
    "8 broken line",
    "4 number out of range",
    "2 unknown line",
    "1 row without table",
    "6 unknown reference",
    "5 unreadable value",
    "2 parents in a circle",
    "1 newer version",
    "1 overlapping rows",
];
