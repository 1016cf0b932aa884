//! `queryscope compare`: the binary on files, with numbers compared with a naive count over the JSON events themselves, and
//! tests compared with values that scipy computed.

mod filtered;
mod inputs;
mod numbers;
mod outputs;
mod several;

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queryscope"));
    command.arg("compare").args(arguments).output().expect("cargo built the binary")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the program was not killed")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    let text = text(output);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}, {}", errors(output)))
}

/// Folder of a test's files, which ends with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("queryscope-compare-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }

    fn file(&self, name: &str, content: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("the temporary folder can be written");
        path.to_str().expect("UTF-8").to_owned()
    }

    /// A file of queries that run one after another: statement, duration in nanoseconds and error.
    fn queries(&self, name: &str, queries: &[(&str, i64, bool)]) -> String {
        self.file(name, &queries_of_run("r", queries))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn queries_of_run(run: &str, queries: &[(&str, i64, bool)]) -> String {
    let mut lines = String::new();
    let mut time = 1_000;
    for (at, (sql, duration, failed)) in queries.iter().enumerate() {
        let head = |time: i64| {
            format!(
                r#"{{"runId":"{run}","queryId":"q{at}","vdbName":"v","vdbVersion":"1","timestamp":{time},"type":"#
            )
        };
        let sql = Value::from(*sql);
        lines += &format!("{}\"QUERY_START\",\"sql\":{sql}}}\n", head(time));
        time += duration;
        lines += &format!("{}\"QUERY_END\",\"success\":{},\"error\":null}}\n", head(time), !failed);
        time += 10;
    }
    lines
}

fn many(sql: &'static str, durations: &[i64]) -> Vec<(&'static str, i64, bool)> {
    durations.iter().map(|&duration| (sql, duration, false)).collect()
}

#[test]
fn differences_are_told_from_noise() {
    let folder = Folder::new("noise");
    let base: Vec<i64> = (0..20).map(|at| 1_000 + at * 7).collect();
    let slower: Vec<i64> = base.iter().map(|value| value * 3 / 2).collect();
    let queries = |durations: &[Vec<i64>; 3]| {
        let mut all = many("SELECT a FROM t WHERE b = 1", &durations[0]);
        all.extend(many("SELECT b FROM t", &durations[1]));
        all.extend(many("SELECT c FROM t", &durations[2]));
        all
    };
    let few = base[..3].to_vec();
    let a = folder.queries("a.ndjson", &queries(&[base.clone(), slower.clone(), few.clone()]));
    let b = folder.queries("b.ndjson", &queries(&[slower, base, few]));
    let found = json(&run(&[&a, &b, "--format", "json"]));
    let verdict = |text: &str| {
        let groups = found["groups"].as_array().expect("a list");
        groups.iter().find(|group| group["text"] == text).map(|group| group["verdict"].clone())
    };
    assert_eq!(verdict("SELECT a FROM t WHERE b = ?"), Some("slower".into()));
    assert_eq!(verdict("SELECT b FROM t"), Some("faster".into()));
    assert_eq!(verdict("SELECT c FROM t"), Some("too few executions to tell".into()));
    assert_eq!(found["tested"], 2);
    let same = json(&run(&[&a, &a, "--format", "json"]));
    assert!(same["groups"].as_array().expect("a list").iter().all(|group| group["verdict"] != "slower"
        && group["verdict"] != "faster"
        && group["difference"]["total_ns"] == 0));
}

/// A range counts what overlaps it, clipped, on both sides.
#[test]
fn a_time_range_clips_both_sides() {
    let folder = Folder::new("range");
    let base = folder.queries("base.ndjson", &many("SELECT a FROM t", &[100, 100]));
    let new = folder.queries("new.ndjson", &many("SELECT a FROM t", &[200, 100]));
    let output = run(&[&base, &new, "--from", "50ns", "--to", "150ns", "--format", "json"]);
    let group = &json(&output)["groups"][0];
    let totals = ["base", "new"].map(|side| group[side]["total_ns"].as_i64());
    // Base: 50 to 100 and 110 to 150. New: 50 to 150.
    assert_eq!(totals, [Some(90), Some(100)]);
}

/// Spans of traces without statements are compared by name and category, or by kind.
#[test]
fn spans_are_compared_by_name() {
    let folder = Folder::new("spans");
    let slices = |scale: i64| {
        let slice = |at: i64| {
            format!(
                r#"{{"ph":"X","pid":1,"tid":1,"ts":{},"dur":{},"name":"scan","cat":"io"}},{{"ph":"X","pid":1,"tid":1,"ts":{},"dur":1,"name":"scan","cat":"cpu"}}"#,
                at * 1_000,
                (10 + at) * scale,
                at * 1_000 + 1
            )
        };
        format!("[{}]", (0..6).map(slice).collect::<Vec<_>>().join(","))
    };
    let files = [folder.file("base.json", &slices(1)), folder.file("new.json", &slices(5))];
    let found = json(&run(&[&files[0], &files[1], "--format", "json"]));
    let rows: Vec<_> = found["groups"].as_array().expect("a list").iter().collect();
    let row = |at: usize| {
        (rows[at]["text"].as_str(), rows[at]["verdict"].as_str(), rows[at]["difference"]["self_ns"].as_i64())
    };
    // 10 + 11 + … + 15 µs, less a microsecond each: 75 and 375.
    assert_eq!(row(0), (Some("scan (io)"), Some("slower"), Some(300_000)));
    assert_eq!(row(1), (Some("scan (cpu)"), Some("no difference shown"), Some(0)));
    // The smallest p of six against six: 2 of 924 divisions.
    let p = rows[0]["test"]["p"].as_f64().expect("a number");
    assert!((p - 2.0 / 924.0).abs() < 1e-12 && rows[0]["test"]["exact"] == true, "{p}");
    let by_kind = json(&run(&[&files[0], &files[1], "--by", "kind", "--format", "json"]));
    assert_eq!(
        (&by_kind["groups"][0]["text"], &by_kind["groups"][0]["base"]["count"]),
        (&"slice".into(), &12.into())
    );
}
