//! What two sessions must have in common if one was made from what the other wrote.

use queryscope::export::Report;
use queryscope::internal::testing::{dump, dump_rest};
use queryscope::protocol::{ExportSpec, FileReport};
use queryscope::session::Session;
use queryscope::trace::Trace;
use serde_json::Value;

/// Rules whose findings are about problems of the files.
const OF_FILES: [&str; 2] = ["lost", "clocks"];

/// The trace of a session in the format `queryscope`.
pub fn written(session: &Session, spec: &ExportSpec) -> String {
    let mut export = session.export(spec);
    let mut out = Vec::new();
    while export.step(session.trace(), &mut out) {}
    String::from_utf8(out).expect("the format is text")
}

/// The report as lines of JSON, without what is about files.
pub fn report_lines(trace: &Trace, files: Vec<FileReport>) -> Vec<String> {
    let mut report = serde_json::to_value(Report::of(trace, files)).expect("plain data");
    let fields = report.as_object_mut().expect("an object");
    fields.remove("files");
    let mut findings = fields.remove("findings").unwrap_or_else(|| Value::Array(Vec::new()));
    let list = findings.as_array_mut().expect("a list");
    list.retain(|finding| !OF_FILES.iter().any(|rule| finding["rule"] == **rule));
    fields.insert("findings".to_owned(), findings);
    format!("{report:#}").lines().map(str::to_owned).collect()
}

/// All of a trace as lines of text.
pub fn trace_lines(trace: &Trace) -> Vec<String> {
    dump(trace).into_iter().chain(dump_rest(trace)).collect()
}

/// What differs first; `None` if nothing does.
pub fn difference(left: &[String], right: &[String]) -> Option<String> {
    let first = left.iter().zip(right).position(|(left, right)| left != right);
    let at = first.unwrap_or(left.len().min(right.len()));
    (left != right).then(|| format!("line {at}:\n  {:?}\n  {:?}", left.get(at), right.get(at)))
}
