//! Conditions and their exit codes; inputs without an answer.

use super::{Folder, code, errors, json, many, queries_of_run, run, text};

/// The exit code for a condition, on a statement whose p95 went from 104 to 208 and which never failed.
fn check_condition(files: &[String; 2], conditions: &[&str], expected: i32) {
    let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
    for condition in conditions {
        arguments.extend(if *condition == "--significant" {
            vec![*condition]
        } else {
            vec!["--fail-if", condition]
        });
    }
    let output = run(&arguments);
    assert_eq!(code(&output), expected, "{conditions:?}: {}{}", text(&output), errors(&output));
}

#[test]
fn conditions_decide_the_exit_code() {
    let folder = Folder::new("conditions");
    let durations = [100, 101, 102, 103, 104];
    let doubled = durations.map(|duration| duration * 2);
    let files = [
        folder.queries("base.ndjson", &many("SELECT a FROM t", &durations)),
        folder.queries("new.ndjson", &many("SELECT a FROM t", &doubled)),
    ];
    for (conditions, expected) in [
        (&["p95 > +10%"][..], 3),
        (&["p95>+99.9%"], 3),
        (&["p95 > +100%"], 0),
        (&["p95 >= +100%"], 3),
        (&["total > +509ns"], 3),
        (&["total > +510ns"], 0),
        (&["total > +5ms"], 0),
        (&["mean < -10%"], 0),
        (&["max >= 208ns"], 3),
        (&["max > 208ns"], 0),
        (&["p50 > +1% and slower"], 3),
        (&["p50 > +1%  and faster "], 0),
        (&["p50 > +1%", "--significant"], 3),
        (&["errors > 0"], 0),
        (&["errors > 0", "count >= 5"], 3),
        (&["count > +0%"], 0),
        // No row is reported: the condition was not checked.
        (&["rows > +10%"], 1),
        (&["rows > +10%", "p95 > +10%"], 3),
        // Conditions that cannot be parsed.
        (&["p95 > abc"], 2),
        (&["p95 > 10%"], 2),
        (&["p95 > +%"], 2),
        (&["p95"], 2),
        (&["p98 > +1%"], 2),
        (&["p95 = 1"], 2),
        (&["p95 > +1% or slower"], 2),
        (&["p95 > +1% and worse"], 2),
        (&["bytes > +5ms"], 2),
        (&["errors > -"], 2),
        (&["p95 > 10"], 2),
        (&["p95 > +10"], 2),
        (&["p95 > 0"], 3),
        (&["errors > 99999999999999999999"], 2),
        (&[""], 2),
    ] {
        check_condition(&files, conditions, expected);
    }
    let output = run(&[&files[0], &files[1], "--fail-if", "p95 > +ten%"]);
    assert!(errors(&output).contains("\n  p95 > +ten%\n        ^\n"), "{}", errors(&output));
    let output = run(&[&files[0], &files[1], "--fail-if", "p95 > +10%"]);
    assert!(
        text(&output).contains("p95 > +10% holds for 1 of 1 statement:\n  SELECT a FROM t\n"),
        "{}",
        text(&output)
    );
}

/// Inputs without an answer, and the sentence that says so.
#[test]
fn bad_input_is_answered_by_a_sentence() {
    let folder = Folder::new("bad");
    let one = folder.queries("one.ndjson", &[("SELECT 1", 5, false)]);
    let other = folder.queries("other.ndjson", &[("DELETE FROM t", 7, true)]);
    let zero = folder.queries("zero.ndjson", &[("SELECT 1", 0, false)]);
    let long = folder
        .queries("long.ndjson", &many("SELECT 1", &[4_000_000_000_000_000_000, 4_000_000_000_000_000_000]));
    let empty = folder.file("empty.ndjson", "");
    let open = folder
        .file("open.ndjson", queries_of_run("r", &[("SELECT 1", 5, false)]).lines().next().expect("a line"));
    let slices =
        folder.file("slices.json", r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"parse","cat":"c"}]"#);
    for (arguments, expected, sentence) in [
        (&[one.as_str(), &one][..], 0, "1 statement: 1 too few executions to tell."),
        (
            &[&one, &other],
            0,
            "Nothing in common: the base has 1 statement, the new side has 1 statement, and none",
        ),
        (
            &[&one, &slices],
            0,
            "Nothing in common: the base has 1 statement, the new side has 1 group, and none is on both",
        ),
        (&[&slices, &slices], 0, "parse (c)"),
        (&[&one, &empty], 1, "nothing to compare: there are no statements and no spans"),
        (&[&empty, &one], 1, "nothing to compare: there are no statements and no spans"),
        (&[&one, "/nowhere/at/all"], 1, "/nowhere/at/all has nothing to compare"),
        (&[&one, &one, "--from", "60s"], 1, "nothing to compare"),
        (
            &[&one, &one, "--from", "10ms", "--to", "5ms"],
            2,
            "the time range is reversed: --to (5 ms) is before --from (10 ms)",
        ),
        (&[&one, &one, "--by", "connector"], 1, "it has no source executions"),
        (&[&zero, &one], 0, "+5 ns (from 0)"),
        (&[&zero, &one, "--fail-if", "p95 > +1000%"], 3, "from 0"),
        (&[&zero, &zero, "--fail-if", "p95 > +1000%"], 0, "Passed"),
        (&[&open, &one], 0, "1 execution lacks a start or an end in the trace"),
        (&[&open, &one, "--fail-if", "p95 > +10%"], 1, "Not checked: p95 > +10%"),
        (&[&one, &other, "--fail-if", "p95 > +10%"], 1, "Not checked: p95 > +10%"),
        (&[&one, &other, "--fail-if", "errors > 0"], 3, "errors – → 1; new"),
        (&[&long, &one], 0, "SELECT ?"),
        (&[&one], 2, "compare needs NEW, or two runs of BASE"),
        (&[&one, "--base-run", "r", "--new-run", "r"], 2, "name the same run"),
        (&["-", "-"], 2, "cannot both be standard input"),
    ] {
        let output = run(arguments);
        let said = text(&output) + &errors(&output);
        assert_eq!(code(&output), expected, "{arguments:?}: {said}");
        assert!(said.contains(sentence), "{arguments:?}: {said}");
        assert!(!said.to_lowercase().contains("inf ") && !said.contains("NaN"), "{said}");
    }
}

/// Of runs with the same name, the first is used, with a note, or the one whose number is given.
#[test]
fn runs_with_the_same_name_are_chosen_by_their_numbers() {
    let folder = Folder::new("same-name");
    let run_of = |name: &str, duration: u32| {
        format!(
            "{{\"run\":\"{name}\"}}\n{{\"track\":\"t\"}}\n{{\"span\":\"q\",\"kind\":\"query\",\"start\":0,\"duration\":{duration},\"texts\":{{\"SQL\":\"SELECT 1\"}}}}\n"
        )
    };
    let runs = [run_of("r", 1), run_of("other", 2), run_of("r", 4), run_of("r", 8)].concat();
    let file = folder.file("same.ndjson", &format!("{{\"queryscope\":\"trace\",\"version\":1}}\n{runs}"));
    let note = Some("has 3 runs named “r”; the first is used (others: r (run 3), r (run 4))");
    for (base, new, expected_note, totals) in [
        ("r", "other", note, [1, 2]),
        ("other", "r", note, [2, 1]),
        ("r (run 3)", "other", None, [4, 2]),
        ("r (run 4)", "r (run 3)", None, [8, 4]),
        ("r", "r (run 4)", note, [1, 8]),
    ] {
        let output = run(&[&file, "--base-run", base, "--new-run", new, "--format", "json"]);
        let group = &json(&output)["groups"][0];
        assert_eq!(
            ["base", "new"].map(|side| group[side]["total_ns"].as_i64()),
            totals.map(Some),
            "{base}, {new}"
        );
        let said = errors(&output);
        assert_eq!(said.contains("note: "), expected_note.is_some(), "{base}, {new}: {said}");
        assert!(expected_note.is_none_or(|note| said.contains(note)), "{said}");
    }
}

/// Sums beyond 64 bits are exact.
#[test]
fn sums_do_not_overflow() {
    let folder = Folder::new("overflow");
    let long = 4_000_000_000_000_000_000;
    let mut lines = String::new();
    for run in ["a", "b", "c"] {
        lines += &queries_of_run(run, &many("SELECT 1", &[long, long]));
    }
    let three = folder.file("three.ndjson", &lines);
    let output =
        run(&[&three, &three, "--format", "json", "--fail-if", "total > +1%", "--fail-if", "total > 1s"]);
    assert_eq!(code(&output), 3, "{}", errors(&output));
    let group = &json(&output)["groups"][0];
    assert_eq!(group["base"]["total_ns"].to_string(), "24000000000000000000");
    assert_eq!(group["difference"]["total_ns"], 0);
    assert_eq!(group["conditions"], serde_json::json!(["total > 1s"]));
    assert!(text(&run(&[&three, &three])).contains("24000000000 s"));
}
