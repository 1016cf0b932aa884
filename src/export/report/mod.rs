//! The report about files and the trace that they contain. Its JSON form is stable: see `docs/command-line.md`.

mod as_text;
mod names;
mod statements;

use serde::Serialize;

use super::table::plain;
use crate::analysis::Queries;
use crate::base::text;
use crate::protocol::{
    ChangedThreshold, EMPTY_FILE, FileReport, FindingGroup, FindingShare, FindingsRequest, LOST_IN_ORIGINAL,
    ProblemPlace, RunSummary, UNREADABLE,
};
use crate::stats::{self, Thresholds};
use crate::trace::{Item, Trace};
use statements::StatementsJson;

/// The report about a trace and its files; serializes as JSON.
#[derive(Default, Serialize)]
pub struct Report {
    files: Vec<File>,
    runs: Vec<RunJson>,
    outliers: Vec<OutlierJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statements: Option<StatementsJson>,
    sources: Vec<SourceJson>,
    buffers: Vec<Buffer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Findings>,
    /// The busiest threads; empty for traces with queries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threads: Vec<ThreadJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<NameJson>,
    tracks: u64,
    spans: u64,
    events: u64,
}

#[derive(Serialize)]
struct File {
    name: String,
    format: String,
    bytes: u64,
    records: u64,
    used: u64,
    problems: Vec<ProblemJson>,
    reported: u64,
    #[serde(skip_serializing_if = "is_none")]
    left_out: u64,
    other_lines: u64,
    recognised: bool,
    /// Description of the part of the file that is known to be missing; `None` if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

#[derive(Serialize)]
struct ProblemJson {
    name: String,
    count: u64,
    first: Option<First>,
    /// The first hundred places, including `first`.
    places: Vec<First>,
    lost: bool,
    meaning: String,
}

#[derive(Clone, Serialize)]
struct First {
    line: Option<u64>,
    offset: u64,
    text: String,
}

#[derive(Serialize)]
struct RunJson {
    run: String,
    events: u64,
    queries: u64,
    unfinished: u64,
    failed: u64,
    total_duration_ns: i64,
    avg_duration_ns: Option<f64>,
    min_duration_ns: Option<i64>,
    max_duration_ns: Option<i64>,
    source_calls: u64,
    rows_read: Option<i64>,
    rows_returned: Option<i64>,
    buffer_events: u64,
    buffer_bytes: Option<i64>,
    buffer_elements: Option<i64>,
    wall_ns: i64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<RunNoteJson>,
}

#[derive(Serialize)]
struct RunNoteJson {
    about: String,
    text: String,
}

/// Totals of all spans with the same name.
#[derive(Serialize)]
struct NameJson {
    name: String,
    count: i64,
    total_ns: i64,
    /// Self time: without the time of nested spans.
    self_ns: i64,
    max_ns: i64,
    /// Time in which threads worked in these spans but not in nested spans; `None` if no thread has spans.
    #[serde(skip_serializing_if = "Option::is_none")]
    busy_ns: Option<i64>,
}

/// A thread with its busy and waiting times.
#[derive(Serialize)]
struct ThreadJson {
    thread: String,
    busy_ns: i64,
    waiting_ns: i64,
    spans: u32,
    /// Names of the spans in which the thread worked most.
    #[serde(skip)]
    names: Vec<String>,
}

#[derive(Serialize)]
struct OutlierJson {
    run: String,
    query: String,
    duration_ns: i64,
    vs_run_avg: f64,
}

#[derive(Serialize)]
struct SourceJson {
    datasource: Option<String>,
    /// Number of executions that reported their rows, over which the averages are computed.
    executions: u64,
    avg_rows_read: Option<f64>,
    avg_rows_returned: Option<f64>,
    over_fetch: Option<f64>,
    /// Number of executions that ended.
    source_calls: u64,
}

#[derive(Serialize)]
struct Buffer {
    run: String,
    #[serde(rename = "type")]
    kind: String,
    events: u64,
    bytes: Option<i64>,
    elements: Option<i64>,
}

/// Findings of one rule.
#[derive(Serialize)]
struct Findings {
    rule: String,
    name: String,
    meaning: String,
    sentence: String,
    count: u64,
    shares: Vec<ShareJson>,
    worst: Vec<Worst>,
}

/// Part of a total: nanoseconds, bytes, rows or records.
#[derive(Serialize)]
struct ShareJson {
    of: String,
    part: i64,
    whole: i64,
}

#[derive(Serialize)]
struct Worst {
    /// Row number of the span in the output of `queryscope spans`; `None` for an event, a file or a run.
    span: Option<u32>,
    statement: String,
    text: String,
    start_ns: i64,
    duration_ns: Option<i64>,
}

impl From<FindingGroup> for Findings {
    fn from(group: FindingGroup) -> Self {
        let FindingGroup { key, name, meaning, sentence, count, shares, worst } = group;
        let is_span = |code: &u32| matches!(Item::from_code(*code), Item::Span(_));
        let share = |FindingShare { of, part, whole, .. }| ShareJson { of, part, whole };
        let worst = worst.into_iter().take(SHOWN).map(|finding| Worst {
            span: finding.item.filter(is_span),
            statement: finding.title,
            text: finding.text,
            start_ns: finding.start,
            duration_ns: finding.duration,
        });
        let shares = shares.into_iter().map(share).collect();
        Self { rule: key, name, meaning, sentence, count, shares, worst: worst.collect() }
    }
}

/// Maximum number of findings listed per group; all are counted.
const SHOWN: usize = 10;

impl Report {
    /// The report about `trace` and the files that it was built from.
    pub fn of(trace: &Trace, files: Vec<FileReport>) -> Report {
        Self::with_thresholds(trace, files, &[])
    }

    /// The report about `trace` and the files that it was built from, with findings by changed thresholds.
    pub fn with_thresholds(trace: &Trace, files: Vec<FileReport>, changed: &[ChangedThreshold]) -> Report {
        let has_queries = stats::n_queries(trace) > 0;
        let (threads, names) = if has_queries { (Vec::new(), Vec::new()) } else { names::busiest(trace) };
        let mut runs: Vec<RunJson> = stats::summaries(trace).into_iter().map(RunJson::from).collect();
        runs.sort_by(|a, b| a.run.cmp(&b.run));
        let queries = Queries::of(trace);
        let request = FindingsRequest { thresholds: changed.to_vec(), ..FindingsRequest::default() };
        let mut search = stats::FindingSearch::new(&request, None, files.clone());
        let findings = search.finish(trace, &queries).groups.clone();
        Report {
            outliers: outliers(trace, &queries),
            statements: statements::statements(trace, &queries),
            sources: sources(trace),
            buffers: buffers(trace),
            threads,
            names,
            runs,
            findings: findings.into_iter().map(Findings::from).collect(),
            tracks: trace.tracks.len() as u64,
            spans: trace.spans.len() as u64,
            events: trace.events.len() as u64,
            ..Self::of_files(files)
        }
    }

    /// A report about files without their trace, which supports only [`is_complete`](Self::is_complete) and
    /// [`reasons`](Self::reasons).
    pub fn of_files(files: Vec<FileReport>) -> Report {
        Report { files: files.into_iter().map(File::from).collect(), ..Report::default() }
    }

    /// The reasons why the report is not [complete](Self::is_complete): a sentence for each file that is not a trace, was
    /// not read to its end, or lost records.
    pub fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        for file in &self.files {
            let lost: Vec<&ProblemJson> = file.problems.iter().filter(|problem| problem.is_lost()).collect();
            let count = lost.iter().map(|problem| problem.count).sum();
            if let Some(missing) = &file.missing {
                reasons.push(format!("{}: {missing}", plain(&file.name)));
            } else if !lost.is_empty() {
                let names: Vec<&str> = lost.iter().map(|problem| problem.name.as_str()).collect();
                let records = text::counted(count, "record", "records");
                reasons.push(format!(
                    "{}: {records} could not be read ({}); see queryscope report",
                    plain(&file.name),
                    names.join(", ")
                ));
            } else if !file.is_known() {
                reasons
                    .push(format!("{}: not recognised as a trace; see queryscope report", plain(&file.name)));
            }
        }
        if reasons.is_empty() && !self.is_complete() {
            reasons.push("no file holds a trace; see queryscope report".to_owned());
        }
        reasons
    }

    /// Whether every file was recognised and read to its end, and every record is shown. An empty file among other files
    /// counts as a table without rows.
    pub fn is_complete(&self) -> bool {
        let nothing_lost = |file: &File| !file.problems.iter().any(ProblemJson::is_lost);
        self.files.iter().all(|file| file.is_known() && nothing_lost(file))
            && (self.files.is_empty() || self.files.iter().any(|file| file.recognised))
    }
}

impl ProblemJson {
    /// Whether the problem caused a loss: a record that is not shown, or bytes that could not be read, now or when the trace was
    /// converted.
    fn is_lost(&self) -> bool {
        self.lost || self.name == LOST_IN_ORIGINAL || UNREADABLE.contains(&self.name.as_str())
    }
}

impl File {
    /// Whether the file is a trace or a table without rows.
    fn is_known(&self) -> bool {
        self.recognised || (self.format == EMPTY_FILE && self.problems.is_empty())
    }
}

/// Whether no record was left out; the field is then omitted from the JSON.
fn is_none(left_out: &u64) -> bool {
    *left_out == 0
}

fn run_name(trace: &Trace, run: crate::trace::RunId) -> String {
    trace.run_name(run).to_owned()
}

/// Outliers, sorted by run, then by ratio, largest first.
fn outliers(trace: &Trace, queries: &Queries) -> Vec<OutlierJson> {
    let found = stats::outliers(queries, Thresholds::default(), None);
    let mut outliers: Vec<OutlierJson> = found
        .into_iter()
        .map(|stats::Outlier { row, ratio }| OutlierJson {
            run: run_name(trace, queries.run(row)),
            query: queries.row(trace, row).query,
            duration_ns: queries.duration(row),
            vs_run_avg: ratio,
        })
        .collect();
    outliers.sort_by(|a, b| a.run.cmp(&b.run).then(b.vs_run_avg.total_cmp(&a.vs_run_avg)));
    outliers
}

fn sources(trace: &Trace) -> Vec<SourceJson> {
    let sources = stats::datasources(trace).into_iter();
    sources
        .map(|(name, sum)| SourceJson {
            datasource: name.map(str::to_owned),
            executions: sum.rows_read.reported().max(sum.rows_returned.reported()),
            avg_rows_read: sum.rows_read.average(),
            avg_rows_returned: sum.rows_returned.average(),
            over_fetch: sum.over_fetch(),
            source_calls: sum.executions,
        })
        .collect()
}

/// Buffer totals, sorted by run, then by type.
fn buffers(trace: &Trace) -> Vec<Buffer> {
    let sums = stats::buffers(trace).into_iter();
    let mut buffers: Vec<Buffer> = sums
        .map(|sum| Buffer {
            run: run_name(trace, sum.run),
            kind: sum.kind.to_owned(),
            events: sum.events,
            bytes: sum.bytes.total(),
            elements: sum.elements.total(),
        })
        .collect();
    buffers.sort_by(|a, b| (&a.run, &a.kind).cmp(&(&b.run, &b.kind)));
    buffers
}

impl From<FileReport> for File {
    fn from(file: FileReport) -> Self {
        let problems = file.problems.into_iter().map(|problem| {
            let places: Vec<First> = problem.places.into_iter().map(First::from).collect();
            ProblemJson {
                name: problem.name,
                count: problem.count,
                first: places.first().cloned(),
                places,
                lost: problem.lost,
                meaning: problem.meaning,
            }
        });
        File {
            name: file.name,
            format: file.format,
            bytes: file.bytes,
            records: file.records,
            used: file.used,
            problems: problems.collect(),
            reported: file.reported,
            left_out: file.left_out,
            other_lines: file.other_lines,
            recognised: file.recognised,
            missing: file.missing,
        }
    }
}

impl From<ProblemPlace> for First {
    fn from(ProblemPlace { line, offset, text }: ProblemPlace) -> Self {
        Self { line, offset, text }
    }
}

impl From<RunSummary> for RunJson {
    fn from(run: RunSummary) -> Self {
        Self {
            run: run.run,
            events: run.events,
            queries: run.queries,
            unfinished: run.unfinished,
            failed: run.failed,
            total_duration_ns: run.total_duration_ns,
            avg_duration_ns: run.avg_duration_ns,
            min_duration_ns: run.min_duration_ns,
            max_duration_ns: run.max_duration_ns,
            source_calls: run.source_calls,
            rows_read: run.rows_read,
            rows_returned: run.rows_returned,
            buffer_events: run.buffer_events,
            buffer_bytes: run.buffer_bytes,
            buffer_elements: run.buffer_elements,
            wall_ns: run.wall_ns,
            notes: run.notes.into_iter().map(|(about, text)| RunNoteJson { about, text }).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    #[test]
    fn the_shape_of_the_json_form_is_fixed() {
        let json = serde_json::to_value(Report::of(&sample::trace(), Vec::new())).expect("plain data");
        let expected = serde_json::json!({
            "files": [],
            "runs": [{
                "run": "run", "events": 17, "queries": 2, "unfinished": 1, "failed": 1,
                "total_duration_ns": 18_000_000, "avg_duration_ns": 9_000_000.0,
                "min_duration_ns": 8_000_000, "max_duration_ns": 10_000_000,
                "source_calls": 2, "rows_read": 1_000, "rows_returned": 30,
                "buffer_events": 3, "buffer_bytes": 5_500, "buffer_elements": 7, "wall_ns": 25_000_000,
            }],
            "outliers": [],
            "statements": {
                "top": [{
                    "statement": "SELECT a FROM t WHERE x = ?", "count": 2, "total_ns": 18_000_000,
                    "p50_ns": 8_000_000, "p95_ns": 10_000_000,
                }],
                "rest": { "statements": 0, "count": 0, "total_ns": 0 },
            },
            "sources": [{
                "datasource": "OrdersAPI", "executions": 2, "avg_rows_read": 1_000.0, "avg_rows_returned": 15.0,
                "over_fetch": 1_000.0 / 15.0, "source_calls": 2,
            }],
            "buffers": [
                { "run": "run", "type": "READ", "events": 2, "bytes": 1_500, "elements": 3 },
                { "run": "run", "type": "SPILL", "events": 1, "bytes": 4_000, "elements": 4 },
            ],
            "findings": [{
                "rule": "failed", "name": "failed",
                "meaning": "Statements that reported an error, including those that a stored program ran; in traces without statements, spans and events.",
                "sentence": "1 failure reported: timeout", "count": 1,
                "shares": [{ "of": "query time", "part": 8_000_000, "whole": 22_000_000 }],
                "worst": [{
                    "span": 5, "statement": "SELECT a FROM t WHERE x = 'two'", "text": "timeout",
                    "start_ns": 12_000_000, "duration_ns": 8_000_000,
                }],
            }, {
                "rule": "over-fetch", "name": "over-fetch",
                "meaning": "Statements and source executions that read at least 100 rows, and at least 10 × as many as they returned or changed.",
                "sentence": "1 statement or source read far more rows than needed: 1,000 rows read, 20 returned", "count": 1,
                "shares": [
                    { "of": "query time", "part": 6_000_000, "whole": 22_000_000 },
                    { "of": "rows read", "part": 1_000, "whole": 1_000 },
                ],
                "worst": [{
                    "span": 3, "statement": "OrdersAPI", "text": "1,000 rows read, 20 returned",
                    "start_ns": 2_000_000, "duration_ns": 6_000_000,
                }],
            }, {
                "rule": "unfinished", "name": "unfinished queries", "meaning": "Queries without an end in the trace.",
                "sentence": "1 query did not end: ≥ 4.000 ms until its last event", "count": 1,
                "shares": [{ "of": "query time", "part": 4_000_000, "whole": 22_000_000 }],
                "worst": [{
                    "span": 9, "statement": "DELETE FROM u", "text": "≥ 4.000 ms until its last event",
                    "start_ns": 21_000_000, "duration_ns": 4_000_000,
                }],
            }],
            "tracks": 11, "spans": 11, "events": 3,
        });
        assert_eq!(json, expected);
    }
}
