//! Formats of the output: what is listed, and names that must stay text.

use serde_json::Value;

use super::{Folder, code, errors, json, run, text};

/// Names that are markup, control characters or separators stay text in every format.
#[test]
fn hostile_names_stay_text() {
    let folder = Folder::new("hostile");
    let hostile = "SELECT a || b, \"x|y\", `c` FROM \"</failure><b>\u{1b}[31m\u{202e}\u{fffe}&lt;\n| --- |\" \u{0} \\| t";
    let durations = [5, 6, 7, 8];
    let files = [
        folder.queries("base|<b>.ndjson", &durations.map(|duration| (hostile, duration, false))),
        folder.queries("new.ndjson", &durations.map(|duration| (hostile, duration * 10, true))),
    ];
    let output = |format: &str| {
        let arguments =
            [&files[0], &files[1], "--format", format, "--fail-if", "p95 > +10%", "--fail-if", "rows < 5"];
        let output = run(&arguments);
        assert_eq!(code(&output), 3, "{format}: {}", errors(&output));
        text(&output)
    };
    for format in ["text", "markdown", "junit"] {
        let is_control =
            |c: char| c.is_control() && c != '\n' || c == '\u{202e}' || format == "junit" && c == '\u{fffe}';
        assert!(!output(format).contains(is_control), "{format}");
    }
    let group = json(&run(&[&files[0], &files[1], "--format", "json"]))["groups"][0]["text"].clone();
    assert!(group.as_str().is_some_and(|text| text.contains("a || b")), "{group}");
    // All rows of a table have as many cells as its head.
    let markdown = output("markdown");
    let tables: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    let mut cells = 0;
    for (at, line) in tables.iter().enumerate() {
        if tables.get(at + 1).is_some_and(|next| next.starts_with("| ---")) {
            cells = line.matches('|').count();
        }
        assert_eq!(line.matches('|').count(), cells, "{line}");
        assert!(!line.contains("<b>") && !line.contains('`'), "{line}");
    }
    assert!(markdown.contains("| durations | statement | "), "{markdown}");
    assert!(markdown.contains("\n| --- | --- | ---: |"), "{markdown}");
    check_junit(&output("junit"));
}

fn check_junit(junit: &str) {
    let document = roxmltree::Document::parse(junit).expect("the report is XML");
    let elements = |name: &'static str| document.descendants().filter(move |node| node.has_tag_name(name));
    let cases: Vec<_> = elements("testcase").collect();
    // The statement, and the condition that could not be checked.
    assert_eq!(cases.len(), 2, "{junit}");
    assert!(cases[0].attribute("name").is_some_and(|name| name.contains("a || b")), "{junit}");
    assert_eq!(elements("failure").count(), 1, "{junit}");
    assert_eq!(elements("failure").next().and_then(|node| node.attribute("message")), Some("p95 > +10%"));
    assert_eq!(elements("error").count(), 1, "{junit}");
    let suite = elements("testsuite").next().expect("there is a suite");
    let counts = ["tests", "failures", "errors"].map(|name| suite.attribute(name));
    assert_eq!(counts, [Some("2"), Some("1"), Some("1")]);
    assert!(suite.attribute("name").is_some_and(|name| name.contains("base|<b>.ndjson")), "{junit}");
}

#[test]
fn junit_has_a_case_for_each_group_and_lists_are_limited() {
    let folder = Folder::new("lists");
    let names: Vec<String> = (0..30).map(|at| format!("SELECT a{at} FROM t")).collect();
    let queries: Vec<(&str, i64, bool)> = names.iter().map(|name| (name.as_str(), 10, false)).collect();
    let mut changed = queries.clone();
    changed[29] = ("DELETE FROM t", 1, false);
    changed[28].2 = true;
    let files = [folder.queries("base.ndjson", &queries), folder.queries("new.ndjson", &changed)];
    let with = |more: &[&str]| run(&[&[files[0].as_str(), &files[1]][..], more].concat());
    let junit = text(&with(&["--format", "junit"]));
    let document = roxmltree::Document::parse(&junit).expect("the report is XML");
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("testcase")).count(), 31);
    let listed = text(&with(&[]));
    assert!(listed.contains("the first 20; 11 more are not listed"), "{listed}");
    assert!(listed.contains("31 statements: 29 too few executions to tell, 1 new, 1 vanished."), "{listed}");
    let found = json(&with(&["--format", "json", "--limit", "1", "--fail-if", "errors > 0"]));
    let texts: Vec<&Value> =
        found["groups"].as_array().expect("a list").iter().map(|group| &group["text"]).collect();
    assert_eq!(texts, ["SELECT a29 FROM t", "SELECT a28 FROM t"], "the one that failed is listed, too");
    assert_eq!(found["not_listed"], 29);
}
