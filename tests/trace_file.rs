//! Traces in the format `queryscope`: what is written is read again, and says the same.

use crate::support;

use std::fs;
use std::path::Path;

use crate::support::round_trip::{difference, report_lines, trace_lines, written};
use queryscope::internal::testing::dump;
use queryscope::protocol::ExportSpec;
use queryscope::session::Session;

fn open_text(text: &str) -> Session {
    support::open([("saved.ndjson", text)])
}

fn report(session: &Session) -> Vec<String> {
    report_lines(session.trace(), session.report())
}

fn lines(session: &Session) -> Vec<String> {
    trace_lines(session.trace())
}

/// What is not the same after a trace was written and read again.
fn broken_law(session: &Session) -> Option<String> {
    let text = written(session, &ExportSpec::default());
    let again = open_text(&text);
    let problems = again.report().remove(0).problems;
    let (before, after) = (report(session), report(&again));
    difference(&lines(session), &lines(&again))
        .or_else(|| (!problems.is_empty()).then(|| format!("{problems:?}")))
        .or_else(|| difference(&before, &after))
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

/// A trace that was converted says what its original files lacked; the records of the lines themselves are complete.
#[test]
fn problems_of_the_original_files_stay_known() {
    let session = open_text(
        "{\"queryscope\":\"trace\",\"version\":1}\n{\"span\":\"a\",\"start\":0,\"duration\":1}\n\
         {\"problem\":\"cut off\",\"file\":\"run.json\",\"meaning\":\"The file ends early.\",\"lost\":true}\n\
         {\"problem\":\"large number\",\"file\":\"run.json\",\"meaning\":\"It was rounded.\",\"count\":7}\n\
         {\"problem\":5}\n",
    );
    let file = session.report().remove(0);
    let found: Vec<_> =
        file.problems.iter().map(|of| (of.name.as_str(), of.count, of.places[0].text.as_str())).collect();
    let lost = "run.json: 1 × cut off: The file ends early.";
    let expected = [
        ("broken line", 1, "{\"problem\":5}"),
        ("remark on the original files", 7, "run.json: 7 × large number: It was rounded."),
        (queryscope::protocol::LOST_IN_ORIGINAL, 1, lost),
    ];
    let sorted = |list: &[(&str, u64, &str)]| {
        let mut list: Vec<String> = list.iter().map(|entry| format!("{entry:?}")).collect();
        list.sort();
        list
    };
    assert_eq!(sorted(&found), sorted(&expected));
    assert_eq!(file.records, file.used + file.reported + file.left_out);
    let report = queryscope::export::Report::of_files(session.report());
    assert!(!report.is_complete());
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
