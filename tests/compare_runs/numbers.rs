//! Numbers of real traces, compared with a naive count over their events.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{code, errors, json, run};

/// The traces that the documented example of Kubling compares.
pub fn samples() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces");
    let root = std::env::var_os("QUERYSCOPE_TRACES").map_or(root, PathBuf::from);
    let folder = root.join("own/kubling");
    if !folder.is_dir() {
        eprintln!("skipped: there are no traces at {}", folder.display());
        return None;
    }
    Some(folder)
}

/// What a naive count over the events of a file says about one statement.
#[derive(Default)]
pub struct Naive {
    pub durations: Vec<i64>,
    pub errors: u64,
    rows_read: Option<i64>,
    bytes: Option<i64>,
    /// Per query: time that no source of the query covers.
    self_time: i64,
}

/// Queries by their statements, whose literals are replaced in the crudest way that suits these files. Durations are the
/// differences of timestamps; rows are those of the ends of source executions; bytes those of buffer events.
fn naive(events: &[Value]) -> BTreeMap<String, Naive> {
    let mut of_query: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for event in events {
        of_query.entry(event["queryId"].to_string()).or_default().push(event);
    }
    let mut statements: BTreeMap<String, Naive> = BTreeMap::new();
    for events in of_query.values() {
        let of_type =
            |name: &str| events.iter().filter(|event| event["type"] == name).copied().collect::<Vec<_>>();
        let time = |event: &Value| event["timestamp"].as_i64().expect("a timestamp");
        let (start, end) = (of_type("QUERY_START"), of_type("QUERY_END"));
        assert_eq!((start.len(), end.len()), (1, 1), "the queries of these files are complete");
        let (from, to) = (time(start[0]), time(end[0]));
        let shape = crude_shape(start[0]["sql"].as_str().expect("a statement"));
        let sum = statements.entry(shape).or_default();
        sum.durations.push(to - from);
        sum.errors += u64::from(end[0]["success"] == false);
        for (events, key, sum) in [
            (of_type("SOURCE_EXECUTION_END"), "rowsRead", &mut sum.rows_read),
            (of_type("BUFFER_EVENT"), "bytes", &mut sum.bytes),
        ] {
            for value in events.iter().filter_map(|event| event[key].as_i64()) {
                *sum = Some(sum.unwrap_or(0) + value);
            }
        }
        let mut edges: Vec<(i64, i64)> =
            of_type("SOURCE_START").iter().map(|event| (time(event), 1)).collect();
        edges.extend(of_type("SOURCE_END").iter().map(|event| (time(event), -1)));
        edges.sort_unstable();
        let (mut covered, mut since) = (0, 0);
        let mut open = 0;
        for (at, step) in edges {
            covered += if open > 0 { at - since } else { 0 };
            open += step;
            since = at;
        }
        sum.self_time += to - from - covered;
    }
    statements
}

/// The naive count of a file of lines.
pub fn naive_of_file(folder: &Path, name: &str) -> BTreeMap<String, Naive> {
    let text = std::fs::read_to_string(folder.join(name)).expect("the sample can be read");
    let events = text.lines().map(|line| serde_json::from_str(line).expect("a line is an event"));
    naive(&events.collect::<Vec<Value>>())
}

fn crude_shape(sql: &str) -> String {
    let mut shape = String::new();
    // A quote in a text is doubled.
    let sql = sql.replace("''", "");
    let mut rest = sql.as_str();
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            '/' if rest.starts_with("/*") => {
                let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
                rest = &rest[end..];
                continue;
            }
            '0'..='9' if !shape.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len())
            }
            c => {
                shape.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        shape.push('?');
        rest = &rest[length..];
    }
    shape.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The least value with at least this percentage of all values at or below it, found by counting.
pub fn crude_percentile(values: &[i64], percent: usize) -> i64 {
    let is_enough =
        |value: i64| values.iter().filter(|&&other| other <= value).count() * 100 >= percent * values.len();
    *values.iter().filter(|&&value| is_enough(value)).min().expect("there are values")
}

/// Twice the pairs in which the new value is larger, plus the pairs of equal values, one by one.
pub fn crude_u(base: &[i64], new: &[i64]) -> f64 {
    let pairs = new.iter().flat_map(|new| base.iter().map(move |base| new.cmp(base) as i32 + 1));
    f64::from(pairs.sum::<i32>()) / 2.0
}

/// Every group equals that of the naive count, and its differences are those of both sides.
fn check_numbers(folder: &Path, base: &str, new: &str) {
    let sides = [base, new].map(|name| naive_of_file(folder, name));
    let paths = [base, new].map(|name| folder.join(name).to_str().expect("UTF-8").to_owned());
    let output = run(&[&paths[0], &paths[1], "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let found = json(&output);
    let groups = found["groups"].as_array().expect("a list");
    let all: BTreeSet<&String> = sides.iter().flat_map(BTreeMap::keys).collect();
    assert_eq!(groups.len(), all.len(), "{base}, {new}: {all:?}");
    for group in groups {
        let name = group["text"].as_str().expect("a text");
        let of_sides = [0, 1].map(|side| sides[side].get(name));
        for (side, naive) in ["base", "new"].iter().zip(of_sides) {
            let Some(naive) = naive else {
                assert_eq!(group[side], Value::Null, "{name}");
                continue;
            };
            let total: i64 = naive.durations.iter().sum();
            let count = naive.durations.len();
            let expected = [
                ("count", Some(count as i64)),
                ("total_ns", Some(total)),
                ("mean_ns", Some(total / count as i64)),
                ("p50_ns", Some(crude_percentile(&naive.durations, 50))),
                ("p95_ns", Some(crude_percentile(&naive.durations, 95))),
                ("p99_ns", Some(crude_percentile(&naive.durations, 99))),
                ("max_ns", naive.durations.iter().max().copied()),
                ("self_ns", Some(naive.self_time)),
                ("rows", naive.rows_read),
                ("bytes", naive.bytes),
                ("errors", Some(naive.errors as i64)),
            ];
            for (key, expected) in expected {
                assert_eq!(group[side][key].as_i64(), expected, "{side} {key} of {name}");
            }
        }
        let [Some(before), Some(after)] = of_sides else { continue };
        let totals = [before, after].map(|side| side.durations.iter().sum::<i64>());
        assert_eq!(group["difference"]["total_ns"].as_i64(), Some(totals[1] - totals[0]), "{name}");
        if before.durations.len() >= 4 && after.durations.len() >= 4 {
            let u = crude_u(&before.durations, &after.durations);
            assert_eq!(group["test"]["u"].as_f64(), Some(u), "{name}");
        } else {
            assert_eq!(
                (&group["test"], group["verdict"].as_str()),
                (&Value::Null, Some("too few executions to tell"))
            );
        }
    }
}

#[test]
fn numbers_are_those_of_a_naive_count() {
    let Some(folder) = samples() else { return };
    for (base, new) in [
        ("no-buffer.ndjson", "buffer-normal.ndjson"),
        ("no-buffer.ndjson", "buffer-rocks.ndjson"),
        ("buffer-rocks.ndjson", "buffer-normal.ndjson"),
    ] {
        check_numbers(&folder, base, new);
    }
}

/// The documented example: three runs of one database, compared by their names, are what their files are.
#[test]
fn runs_of_one_trace_are_compared_by_name() {
    let Some(folder) = samples() else { return };
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let arguments = ["--base-run", "no-buffer", "--new-run", "buffer-rocks", "--format", "json"];
    let by_name = json(&run(&[&[path("tables").as_str()][..], &arguments].concat()));
    let by_file = json(&run(&[&path("no-buffer.json"), &path("buffer-rocks.json"), "--format", "json"]));
    assert_eq!(by_name["groups"], by_file["groups"]);
    assert_eq!(by_name["groups"].as_array().map(Vec::len), Some(6));
    let unknown = run(&[&path("tables"), "--base-run", "no-buffer", "--new-run", "none"]);
    assert_eq!(code(&unknown), 1);
    assert!(errors(&unknown).contains("no run “none” (runs: "), "{}", errors(&unknown));
}
