//! More than two traces: one table, one correction over the tests of all runs, conditions in any of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::numbers::{Naive, crude_percentile, crude_u, naive_of_file, samples};
use super::{Folder, code, errors, json, run, text};

/// Benjamini–Hochberg by its definition: for each p the least `p_j × m ÷ rank_j` of all p that are not smaller, at most 1.
fn crude_correction(all: &[f64], p: f64) -> f64 {
    let rank = |limit: f64| all.iter().filter(|&&other| other <= limit).count() as f64;
    let larger = all.iter().copied().filter(|&other| other >= p);
    larger.map(|other| other * all.len() as f64 / rank(other)).fold(1.0, f64::min)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("{key} is a list: {value}"))
}

/// Checks one side of a row: all is null if the naive count has no executions.
fn check_side(found: &Value, naive: Option<&Naive>, place: &str) {
    let Some(naive) = naive else { return assert_eq!(found, &Value::Null, "{place}") };
    let expected = [
        ("count", naive.durations.len() as i64),
        ("total_ns", naive.durations.iter().sum()),
        ("p50_ns", crude_percentile(&naive.durations, 50)),
        ("p95_ns", crude_percentile(&naive.durations, 95)),
        ("errors", naive.errors as i64),
    ];
    for (key, expected) in expected {
        assert_eq!(found[key].as_i64(), Some(expected), "{key} of {place}");
    }
}

/// The word for a median among those of its row.
fn crude_median(medians: &[Option<i64>], median: Option<i64>) -> Option<&'static str> {
    let (min, max) = (medians.iter().flatten().min()?, medians.iter().flatten().max()?);
    match median {
        Some(median) if min != max && median == *min => Some("fastest"),
        Some(median) if min != max && median == *max => Some("slowest"),
        _ => None,
    }
}

#[test]
fn a_table_of_three_runs_is_that_of_a_naive_count() {
    let Some(folder) = samples() else { return };
    let names = ["no-buffer.ndjson", "buffer-normal.ndjson", "buffer-rocks.ndjson"];
    let naive: Vec<BTreeMap<String, Naive>> = names.iter().map(|name| naive_of_file(&folder, name)).collect();
    let paths = names.map(|name| folder.join(name).to_str().expect("UTF-8").to_owned());
    let output = run(&[&paths[0], &paths[1], &paths[2], "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let found = json(&output);
    let labels: Vec<&str> = list(&found, "runs").iter().filter_map(|run| run["label"].as_str()).collect();
    assert_eq!((found["base"]["label"].as_str(), labels), (Some(&*paths[0]), vec![&*paths[1], &*paths[2]]));
    let all: BTreeSet<&String> = naive.iter().flat_map(BTreeMap::keys).collect();
    assert_eq!(list(&found, "groups").len(), all.len(), "{all:?}");

    let tests = || list(&found, "groups").iter().flat_map(|row| list(row, "runs"));
    let p: Vec<f64> = tests().filter_map(|run| run["test"]["p"].as_f64()).collect();
    assert!(p.len() > 2, "statements of two runs are tested: {p:?}");
    assert_eq!(found["tested"].as_u64(), Some(p.len() as u64));
    for row in list(&found, "groups") {
        let name = row["text"].as_str().expect("a text");
        let sides: Vec<Option<&Naive>> = naive.iter().map(|run| run.get(name)).collect();
        let median = |side: &Option<&Naive>| side.map(|side| crude_percentile(&side.durations, 50));
        let medians: Vec<Option<i64>> = sides.iter().map(median).collect();
        check_side(&row["base"], sides[0], name);
        assert_eq!(row["base_median"].as_str(), crude_median(&medians, medians[0]), "{name}");
        for (at, run) in list(row, "runs").iter().enumerate() {
            let (place, side) = (format!("{name}, run {at}"), sides[at + 1]);
            assert_eq!(run.is_null(), sides[0].is_none() && side.is_none(), "{place}");
            check_side(&run["new"], side, &place);
            assert_eq!(run["median"].as_str(), crude_median(&medians, medians[at + 1]), "{place}");
            let Some(of_run) = run["test"]["p"].as_f64() else { continue };
            let pair = (sides[0].expect("a test has a base"), side.expect("a test has a run"));
            assert_eq!(run["test"]["u"].as_f64(), Some(crude_u(&pair.0.durations, &pair.1.durations)));
            let (corrected, expected) = (run["test"]["corrected_p"].as_f64(), crude_correction(&p, of_run));
            assert!(corrected.is_some_and(|p| (p - expected).abs() < 1e-12), "{place}: {corrected:?}");
            assert_eq!(run["verdict"] == "no difference shown", expected >= 0.05, "{place}");
        }
    }
}

/// A condition holds if it does in any run; the message names the run. A run that cannot be checked is a failure.
#[test]
fn conditions_are_about_every_run() {
    let folder = Folder::new("several");
    let run_of = |name: &str, sql: &str, durations: [i64; 5]| {
        folder.queries(name, &durations.map(|duration| (sql, duration * 1_000_000, false)))
    };
    let base = run_of("base.ndjson", "SELECT 1", [10, 11, 12, 13, 14]);
    let same = run_of("same.ndjson", "SELECT 2", [10, 11, 12, 13, 15]);
    let slow = run_of("slow.ndjson", "SELECT 3", [20, 21, 22, 23, 24]);
    let other = run_of("other.ndjson", "SELECT a", [10, 11, 12, 13, 14]);
    let check = |files: &[&String], condition: &str, expected: i32, sentence: &str| {
        let mut arguments: Vec<&str> = files.iter().map(|file| file.as_str()).collect();
        arguments.extend(["--fail-if", condition]);
        let output = run(&arguments);
        let said = text(&output) + &errors(&output);
        assert_eq!(code(&output), expected, "{condition}: {said}");
        assert!(said.contains(sentence), "{condition}: {said}");
    };
    let failed = format!("Failed: p50 > +10% holds for 1 of 1 group in {slow}:");
    let failed = failed.replace("1 group", "1 statement");
    check(&[&base, &same, &slow], "p50 > +10%", 3, &failed);
    check(&[&base, &slow, &same], "p50 > +10%", 3, &failed);
    check(&[&base, &same, &slow], "p50 > +10% and slower", 3, &failed.replace("+10%", "+10% and slower"));
    check(&[&base, &same, &same], "p50 > +10%", 0, "Passed: p50 > +10% holds for none of 1 statement in ");
    let unchecked = format!("no group in {other} has the values that the condition needs");
    check(&[&base, &same, &other], "p50 > +10%", 1, &unchecked);
    check(&[&base, &other, &slow], "p50 > +10%", 3, &unchecked);

    let table = text(&run(&[&base, &same, &slow, &other]));
    for expected in ["run 2: 1 statement: 1 no difference shown.", "run 4: Nothing in common", "slowest"] {
        assert!(table.contains(expected), "{expected}: {table}");
    }
    let stdin = run(&[&base, "-", "-"]);
    assert_eq!(code(&stdin), 2);
    assert!(errors(&stdin).contains("only one of BASE and NEW can be standard input"), "{}", errors(&stdin));
}

/// Rows of Markdown have as many cells as their head, and JUnit has a suite for each run, whose numbers add up.
#[test]
fn tables_of_several_runs_are_well_formed() {
    let folder = Folder::new("several-formats");
    let hostile = "SELECT \"</failure><b>\u{1b}[31m|\" FROM t";
    let files = [1, 3, 2].map(|factor| {
        let durations = [5, 6, 7, 8].map(|duration| (hostile, duration * factor, false));
        folder.queries(&format!("r|{factor}<b>.ndjson"), &durations)
    });
    let output = |format: &str| {
        let output = run(&[&files[0], &files[1], &files[2], "--format", format, "--fail-if", "max > 20ns"]);
        assert_eq!(code(&output), 3, "{}", errors(&output));
        text(&output)
    };
    let markdown = output("markdown");
    let mut cells = 0;
    let tables: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    for (at, line) in tables.iter().enumerate() {
        if tables.get(at + 1).is_some_and(|next| next.starts_with("| ---")) {
            cells = line.matches('|').count();
        }
        assert_eq!(line.matches('|').count(), cells, "{line}");
        assert!(!line.contains("<b>"), "{line}");
    }
    assert!(!output("text").contains('\u{1b}'));
    let junit = output("junit");
    let document = roxmltree::Document::parse(&junit).expect("the report is XML");
    let suites: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testsuite")).collect();
    let failures: Vec<_> = suites.iter().filter_map(|suite| suite.attribute("failures")).collect();
    assert_eq!(failures, ["1", "0"], "{junit}");
    let all = document.root_element();
    assert_eq!((all.attribute("tests"), all.attribute("failures")), (Some("2"), Some("1")), "{junit}");
}
