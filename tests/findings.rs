//! Findings of whole traces, compared with what another computation finds in the records of the files; and findings of a time
//! range, compared with those of a trace that was cut to it.

use std::collections::BTreeMap;
use std::fs;

use queryscope::protocol::{ChangedThreshold, FindingGroup, FindingsRequest};
use queryscope::session::Session;
use serde_json::Value;

use crate::support;

/// Number of findings, and the parts and totals that they concern, by rule.
type Found = BTreeMap<String, (u64, Vec<(i64, i64)>)>;

fn by_rule(groups: &[FindingGroup]) -> Found {
    let of = |group: &FindingGroup| {
        let shares = group.shares.iter().map(|share| (share.part, share.whole)).collect();
        (group.key.clone(), (group.count, shares))
    };
    groups.iter().map(of).collect()
}

/// What the records of a query say.
#[derive(Default)]
struct RawQuery {
    start: i64,
    end: i64,
    failed: bool,
    /// Start, end, rows read and rows returned of each source execution, by its id.
    executions: BTreeMap<String, [i64; 4]>,
    stored: i64,
    buffers: i64,
}

impl RawQuery {
    fn duration(&self) -> i64 {
        self.end - self.start
    }

    /// Nanoseconds in which any execution ran, minus the longest: counted one boundary at a time.
    fn saved(&self) -> i64 {
        let mut times: Vec<i64> = self.executions.values().flat_map(|of| [of[0], of[1]]).collect();
        times.sort_unstable();
        let runs = |from: i64, to: i64| self.executions.values().any(|of| of[0] <= from && to <= of[1]);
        let covered: i64 =
            times.windows(2).filter(|pair| runs(pair[0], pair[1])).map(|pair| pair[1] - pair[0]).sum();
        covered - self.executions.values().map(|of| of[1] - of[0]).max().unwrap_or(0)
    }
}

fn raw_queries(text: &str) -> BTreeMap<String, RawQuery> {
    let mut queries: BTreeMap<String, RawQuery> = BTreeMap::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).expect("a record");
        let number = |name: &str| record[name].as_i64().unwrap_or(0);
        let query = queries.entry(record["queryId"].as_str().expect("an id").to_owned()).or_default();
        let time = number("timestamp");
        let of = || record["tupleSourceId"].as_str().unwrap_or_default().to_owned();
        match record["type"].as_str().unwrap_or_default() {
            "QUERY_START" => query.start = time,
            "QUERY_END" => {
                query.end = time;
                query.failed = record["success"] == Value::Bool(false);
            }
            "SOURCE_EXECUTION_START" => {
                assert!(
                    query.executions.insert(of(), [time, time, 0, 0]).is_none(),
                    "one execution for each id"
                );
            }
            "SOURCE_EXECUTION_END" => {
                let execution = query.executions.get_mut(&of()).expect("it began");
                (execution[1], execution[2], execution[3]) =
                    (time, number("rowsRead"), number("rowsReturned"));
            }
            "BUFFER_EVENT" => {
                query.buffers += number("bytes");
                let kind = record["bufferEventType"].as_str().unwrap_or_default();
                if matches!(kind, "SPILL" | "PHYSICAL_WRITE") {
                    query.stored += number("bytes");
                }
            }
            _ => {}
        }
    }
    queries
}

/// The findings of a Kubling export by its own records.
fn expected(text: &str) -> Found {
    let queries = raw_queries(text);
    let all = || queries.values();
    let total: i64 = all().map(RawQuery::duration).sum();
    let n = queries.len() as i64;
    let mut found = Found::new();
    let mut add = |rule: &str, count: usize, shares: Vec<(i64, i64)>| {
        if count > 0 {
            found.insert(rule.to_owned(), (count as u64, shares));
        }
    };
    let failed: Vec<i64> = all().filter(|query| query.failed).map(RawQuery::duration).collect();
    add("failed", failed.len(), vec![(failed.iter().sum(), total)]);
    let is_slow = |query: &&RawQuery| query.duration() * n >= 3 * total && query.duration() >= 5_000_000;
    let slow: Vec<i64> = all().filter(is_slow).map(RawQuery::duration).collect();
    add("outliers", slow.len(), vec![(slow.iter().sum(), total)]);
    let executions: Vec<[i64; 4]> = all().flat_map(|query| query.executions.values().copied()).collect();
    let over: Vec<&[i64; 4]> =
        executions.iter().filter(|of| of[2] >= 100 && of[2] >= 10 * of[3].max(0)).collect();
    let rows = (over.iter().map(|of| of[2]).sum(), executions.iter().map(|of| of[2]).sum());
    add("over-fetch", over.len(), vec![(over.iter().map(|of| of[1] - of[0]).sum(), total), rows]);
    let stored: Vec<&RawQuery> = all().filter(|query| query.stored > 0).collect();
    let bytes = (stored.iter().map(|query| query.stored).sum(), all().map(|query| query.buffers).sum());
    add("storage", stored.len(), vec![(stored.iter().map(|query| query.duration()).sum(), total), bytes]);
    let serial: Vec<i64> = all()
        .filter(|query| query.saved() >= 1_000_000 && 10 * query.saved() >= query.duration())
        .map(RawQuery::saved)
        .collect();
    add("serial-sources", serial.len(), vec![(serial.iter().sum(), total)]);
    found
}

#[test]
fn findings_are_what_the_records_say() {
    let Some(folder) = support::shared("own/kubling") else { return };
    for run in ["no-buffer", "buffer-normal", "buffer-rocks"] {
        let text =
            fs::read_to_string(folder.join(format!("own/kubling/{run}.ndjson"))).expect("a shared file");
        let mut session = support::open([(run, &text)]);
        let list = session.answer(&FindingsRequest::default());
        assert_eq!(by_rule(&list.groups), expected(&text), "{run}");
        let shares: Vec<f64> = list
            .groups
            .iter()
            .map(|group| group.shares.first().map_or(0.0, |share| share.part as f64 / share.whole as f64))
            .collect();
        assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    }
}

/// Over-fetch with its default thresholds is what the importers mark.
#[test]
fn default_thresholds_of_over_fetch_are_those_of_the_marks() {
    use queryscope::trace::{Flags, SpanId};
    for path in support::fixtures() {
        let mut session = support::open([(path.to_string_lossy(), fs::read(&path).expect("a file"))]);
        let found = by_rule(&session.answer(&FindingsRequest::default()).groups);
        let spans = &session.trace().spans;
        let marked =
            (0..spans.len() as u32).filter(|id| spans.flags(SpanId(*id)).has(Flags::OVER_FETCH)).count();
        assert_eq!(found.get("over-fetch").map_or(0, |of| of.0), marked as u64, "{}", path.display());
    }
}

/// A range finds what the trace finds when it is cut to the range.
#[test]
fn a_range_is_a_trace_that_was_cut() {
    let changed = ["gaps.duration", "long-tasks.duration", "blocked.duration", "serial-sources.saved"];
    let changed = changed.map(|key| ChangedThreshold { key: key.to_owned(), value: "0.001".to_owned() });
    for path in support::fixtures() {
        let open = || support::open([(path.to_string_lossy(), fs::read(&path).expect("a file"))]);
        let end = open().trace().end();
        for range in [(0, end / 2), (end / 3, end - end / 4), (end / 2, end)] {
            let find = |session: &mut Session, range| {
                let thresholds = changed.to_vec();
                let mut found = by_rule(
                    &session
                        .answer(&FindingsRequest { range, thresholds, ..FindingsRequest::default() })
                        .groups,
                );
                // Records and clocks belong to whole files.
                found.retain(|rule, _| !matches!(rule.as_str(), "lost" | "clocks"));
                found
            };
            let of_range = find(&mut open(), Some(range));
            let mut cut = open();
            cut.cut_to(range);
            assert_eq!(of_range, find(&mut cut, None), "{} {range:?}", path.display());
        }
    }
}

/// Checks the texts of the findings about lost records of some files, and the shares of records that they concern.
fn check_lost(files: &[(&str, &str)], texts: &[&str], shares: &[(i64, i64)]) {
    let mut session = support::open(files.iter().copied());
    let groups = session.answer(&FindingsRequest::default()).groups;
    let lost = groups.iter().find(|group| group.key == "lost");
    let found: Vec<&str> =
        lost.map_or(Vec::new(), |group| group.worst.iter().map(|finding| finding.text.as_str()).collect());
    assert_eq!(found, texts);
    let found = lost.map_or(Vec::new(), |group| {
        group.shares.iter().map(|share| (share.part, share.whole)).collect::<Vec<_>>()
    });
    assert_eq!(found, shares, "{texts:?}");
}

#[test]
fn events_that_were_not_recorded_are_lost() {
    let events = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\n1\t2\t2\tstage/sql/init\t1000\t5000\n";
    let status = |counters: &str| format!("Variable_name\tValue\n{counters}");
    let of_server = |counters: &str, texts: &[&str]| {
        let status = status(counters);
        check_lost(&[("d/status.tsv", &status), ("d/events_stages_history_long.tsv", events)], texts, &[]);
    };
    of_server(
        "Performance_schema_thread_instances_lost\t3\nPerformance_schema_digest_lost\t7\n",
        &[
            "events lost by the server (performance_schema_thread_instances_lost = 3): The server had no room to record events: a \
           Performance_schema_…_lost counter of instrumented objects or of nested events is above 0.",
        ],
    );
    // A thread numbers its events, so gaps in the ids are events that the files do not have.
    let gap = format!("{events}1\t4\t4\tstage/sql/end\t7000\t8000\n1\t5\t5\tstage/sql/end\t8000\t9000\n");
    check_lost(
        &[("d/events_stages_history_long.tsv", &gap)],
        &[
            "75 % of the event ids between the first and the last of each thread are in the files: 3 of 4; 0 of 1 thread have \
             no gap. Ids are missing where instruments or consumers are off, rows were overwritten, or a table was not exported.",
        ],
        &[],
    );
    // Digests are sums, whose events are in the history; a counter of 0 is no loss.
    of_server("Performance_schema_digest_lost\t7\nPerformance_schema_locker_lost\t0\n", &[]);
    let declared = |count: u32| {
        format!(
            r#"{{"trace":[{{"name":"a","start_offset_ns":1}}],"trace_schema_version":1,"trace_event_count":{count}}}"#
        )
    };
    check_lost(
        &[("t.json", &declared(3))],
        &[
            "event count differs (3 expected, 1 found): The file has fewer events than it declares. Some are missing.",
        ],
        &[],
    );
    check_lost(&[("t.json", &declared(1))], &[], &[]);
    check_lost(&[("t.json", &declared(0))], &[], &[]);
    // A run that is opened twice is shown once: nothing is missing, and nothing is counted twice.
    let run =
        r#"{"trace":[{"name":"a","trace_id":"trace-1-1","start_offset_ns":1}],"trace_schema_version":1}"#;
    check_lost(&[("t.json", run), ("u.json", run)], &[], &[]);
    let report = support::open([("t.json", run), ("u.json", run)]).report();
    let problems: Vec<_> = report.iter().flat_map(|file| &file.problems).map(|p| p.name.as_str()).collect();
    assert_eq!(problems, ["duplicate run"]);
    // The observer reports what it dropped when its buffer has room again.
    let observed = fs::read_to_string(support::root().join("tests/traces/topoexec/steps.observe.ndjson"))
        .expect("the trace is there");
    let drop = r#"{"attributes":{"value0":12,"value1":12,"value2":5,"value3":0},"exactness":"lossy","kind":"observer_drop_summary","local_seq":99,"mono_ns":70000009000,"observe_schema_version":"1","run_id":"run-0123456789ab","severity":"warning","stream_id":"stream:0"}"#;
    check_lost(&[("t.ndjson", &observed)], &[], &[]);
    check_lost(
        &[("t.ndjson", &format!("{}\n{drop}\n", observed.trim_end()))],
        &["12 events not recorded: the buffer of the observer was full"],
        &[],
    );
}
