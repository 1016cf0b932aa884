//! A filter: the comparison of the page has the rows and totals that the command line writes with `--where`.

use queryscope::protocol::{
    CompareRunsRequest, ComparedRunList, ComparedRuns, GroupBy, RunComparisonSpec, RunSelection, SideMeasures,
};
use queryscope::session::Session;
use serde_json::Value;

use super::{Folder, code, errors, json, many, run, text};
use crate::support;

const GROUPINGS: [(GroupBy, &str); 5] = [
    (GroupBy::Shape, "shape"),
    (GroupBy::Name, "name"),
    (GroupBy::Kind, "kind"),
    (GroupBy::Datasource, "datasource"),
    (GroupBy::Connector, "connector"),
];

/// Twelve queries of two statements; every fifth query fails. All read from the connector `all`, every second one also from `some`.
fn queries(run: &str, factor: i64) -> String {
    let mut lines = String::new();
    for n in 0..12 {
        let start = 1_000_000 + n * 100_000;
        let mut event = |after: i64, of: &str| {
            let time = start + after;
            lines += &format!(
                r#"{{"runId":"{run}","queryId":"{run}{n}","vdbName":"v","vdbVersion":"1","timestamp":{time},{of}}}"#
            );
            lines += "\n";
        };
        let sql = if n % 3 == 0 { "DELETE FROM u" } else { "SELECT a FROM t WHERE b = 1" };
        event(0, &format!(r#""type":"QUERY_START","sql":"{sql}""#));
        let connectors: &[(&str, i64)] =
            if n % 2 == 0 { &[("all", 0)] } else { &[("all", 0), ("some", 2_000)] };
        for &(connector, after) in connectors {
            let source = format!(r#""connectorName":"{connector}","tupleSourceId":"{run}{n}{connector}""#);
            let execution = format!(r#"{source},"datasourceName":"of {connector}""#);
            let numbers = format!(r#""rowsRead":{},"rowsReturned":5,"sourceReadDurationNanos":5"#, 10 + n);
            event(after + 100, &format!(r#""type":"SOURCE_START",{source}"#));
            event(after + 200, &format!(r#""type":"SOURCE_EXECUTION_START",{execution}"#));
            event(after + 900, &format!(r#""type":"SOURCE_EXECUTION_END",{execution},{numbers}"#));
            event(after + 1_000, &format!(r#""type":"SOURCE_END",{source}"#));
        }
        let success = n % 5 != 0;
        event((5_000 + n * 10) * factor, &format!(r#""type":"QUERY_END","success":{success},"error":null"#));
    }
    lines
}

/// Slices `task`, every second one with a slice `read` inside, which has a slice `wait` inside.
fn slices(factor: i64) -> String {
    let slice = |name: &str, start: i64, duration: i64| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{start},"dur":{duration},"name":"{name}"}}"#)
    };
    let tasks = (0..12).flat_map(|n| {
        let start = n * 1_000;
        let task = slice("task", start, (50 + n) * factor);
        let inner = [slice("read", start + 1, 20 + n), slice("wait", start + 2, 5)];
        std::iter::once(task).chain(inner.into_iter().filter(move |_| n % 2 == 0))
    });
    format!("[{}]", tasks.collect::<Vec<_>>().join(",\n"))
}

/// The comparison of the page between the first and the second run.
fn on_page(session: &mut Session, by: GroupBy, filter: &str) -> ComparedRuns {
    let [base, new] = [0, 1].map(|run| RunSelection { runs: vec![run], ..RunSelection::default() });
    let spec = RunComparisonSpec { base, new, by, filter: filter.to_owned() };
    let list = ComparedRunList { spec, ..ComparedRunList::default() };
    *session.answer(&CompareRunsRequest { list, first: 0, count: 1_000 })
}

fn check_side(found: &Value, expected: Option<&SideMeasures>, place: &str) {
    let Some(side) = expected else { return assert!(found.is_null(), "{place}: {found}") };
    let expected = [
        ("count", i64::try_from(side.count).ok()),
        ("total_ns", side.total),
        ("p50_ns", side.p50),
        ("p95_ns", side.p95),
        ("max_ns", side.max),
        ("self_ns", side.self_time),
        ("rows", side.rows_read),
        ("returned", side.rows_returned),
        ("bytes", side.bytes),
        ("errors", i64::try_from(side.failed).ok()),
    ];
    for (key, expected) in expected {
        assert_eq!(found[key].as_i64(), expected, "{key} of {place}");
    }
}

/// Compares two files by the command line and by the page, with each filter and grouping. Returns the numbers of executions of
/// base, grouped by statement or name, for each filter.
fn check(folder: &Folder, contents: [String; 2], filters: &[&str]) -> Vec<u64> {
    let paths = [folder.file("base.ndjson", &contents[0]), folder.file("new.ndjson", &contents[1])];
    let [base, new] = contents;
    let mut session = support::open([("base.ndjson", base), ("new.ndjson", new)]);
    let mut counts = Vec::new();
    for filter in filters {
        for (by, name) in GROUPINGS {
            let page = on_page(&mut session, by, filter);
            let place = format!("{filter:?} by {name}");
            if by == GroupBy::Shape {
                counts.push(page.base.all.count);
            }
            let output = run(&[&paths[0], &paths[1], "--by", name, "--where", filter, "--format", "json"]);
            if output.stdout.is_empty() {
                assert_eq!([page.base.groups, page.new.groups], [0, 0], "{place}: {}", errors(&output));
                continue;
            }
            let found = json(&output);
            check_side(&found["base"], Some(&page.base.all), &place);
            check_side(&found["new"], Some(&page.new.all), &place);
            let groups = found["groups"].as_array().expect("a list");
            assert_eq!(groups.len(), page.rows.len(), "{place}");
            for row in &page.rows {
                let group = groups.iter().find(|group| group["text"] == row.title.as_str());
                let group = group.unwrap_or_else(|| panic!("{place}: {}", row.title));
                assert_eq!(group["verdict"], row.verdict.name(), "{place}: {}", row.title);
                check_side(&group["base"], row.base.as_ref(), &place);
                check_side(&group["new"], row.new.as_ref(), &place);
            }
        }
    }
    counts
}

#[test]
fn the_page_and_the_command_line_compare_the_same_queries() {
    let folder = Folder::new("filtered-queries");
    let filters = [
        ("", 12),
        ("sql ~ delete", 4),
        ("connector = some", 6),
        ("connector != some", 6),
        ("failed", 3),
        ("duration >= 5060ns", 6),
        ("connector = some sql ~ delete", 2),
        ("kind = query", 12),
        ("kind = \"source execution\"", 12),
        ("nothing", 0),
    ];
    let counts = check(&folder, [queries("a", 1), queries("b", 2)], &filters.map(|(filter, _)| filter));
    assert_eq!(counts, filters.map(|(_, count)| count));
}

#[test]
fn the_page_and_the_command_line_compare_the_same_slices() {
    let folder = Folder::new("filtered-slices");
    // As in the list of slices: a slice passes if it or something inside it matches.
    let filters =
        [("", 24), ("name = read", 12), ("name = task", 12), ("name != read", 12), ("duration < 10us", 6)];
    let counts = check(&folder, [slices(1), slices(3)], &filters.map(|(filter, _)| filter));
    assert_eq!(counts, filters.map(|(_, count)| count));
}

/// The numbers of an execution are whole, also of what is inside it and does not match.
#[test]
fn filtered_executions_have_their_whole_rows() {
    let mut session = support::open([("base.ndjson", queries("a", 1)), ("new.ndjson", queries("b", 2))]);
    let page = on_page(&mut session, GroupBy::Shape, "connector = some");
    // Queries 1, 3, … 11: twice 10 + n rows, once from each connector.
    assert_eq!(page.base.all.rows_read, Some(2 * (6 * 10 + 36)));
}

/// The filter tests whole executions, also those that the time range clips.
#[test]
fn a_filter_tests_executions_before_a_range_clips_them() {
    let folder = Folder::new("filtered-range");
    let base = folder.queries("base.ndjson", &many("SELECT a FROM t", &[100, 100]));
    let new = folder.queries("new.ndjson", &many("SELECT a FROM t", &[200, 100]));
    let range = ["--from", "50ns", "--to", "150ns", "--format", "json"];
    let compare = |filter| run(&[&[base.as_str(), &new, "--where", filter], &range[..]].concat());
    let output = compare("duration >= 100ns");
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let group = &json(&output)["groups"][0];
    // Base: 50 to 100 and 110 to 150. New: 50 to 150.
    assert_eq!(["base", "new"].map(|side| group[side]["total_ns"].as_i64()), [Some(90), Some(100)]);
    let output = compare("duration < 100ns");
    assert_eq!(code(&output), 1, "{}", text(&output));
    assert!(
        errors(&output).contains("nothing to compare: no execution passes the filter"),
        "{}",
        errors(&output)
    );
}

/// Three files; only the last one has a failed query.
fn with_one_failure(folder: &Folder) -> [String; 3] {
    let passed = many("SELECT a FROM t", &[100, 110, 120]);
    let mut failed = passed.clone();
    failed[1].2 = true;
    [("base.ndjson", &passed), ("other.ndjson", &passed), ("new.ndjson", &failed)]
        .map(|(name, queries)| folder.queries(name, queries))
}

#[test]
fn a_side_without_matches_is_empty() {
    let folder = Folder::new("filtered-empty");
    let [base, other, new] = with_one_failure(&folder);
    let failed = ["--where", "failed", "--format"];
    for format in ["text", "markdown", "json", "junit"] {
        for files in [vec![&*base, &*new], vec![&*new, &*base], vec![&*base, &*other, &*new]] {
            let output = run(&[&files[..], &failed, &[format]].concat());
            assert_eq!(code(&output), 0, "{format} of {files:?}: {}", errors(&output));
            let hint = format!("note: {base}: no name, text or status contains “failed”\n");
            let note = format!("note: no execution of {base} passes the filter\n");
            let notes = errors(&output);
            assert!(notes.contains(&hint) && notes.contains(&note), "{notes}");
            let written = text(&output).to_lowercase();
            assert!(!written.contains("nan") && !written.contains("inf"), "{written}");
        }
        let condition = ["--fail-if", "errors > 0"];
        // All failures are new, or all are gone.
        for (files, expected) in [([&*base, &*new], 3), ([&*new, &*base], 0)] {
            let output = run(&[&files[..], &failed, &[format], &condition].concat());
            assert_eq!(code(&output), expected, "{format} of {files:?}: {}", errors(&output));
        }
    }
    let found = json(&run(&[&[&*base, &*new], &failed[..], &["json"]].concat()));
    assert_eq!(["base", "new"].map(|side| found[side]["errors"].as_i64()), [Some(0), Some(1)]);
    assert_eq!(found["base"]["p50_ns"], Value::Null);
    assert_eq!(found["groups"][0]["verdict"], "new");
    let output = run(&[&[&*base, &*other], &failed[..], &["json"]].concat());
    assert_eq!(code(&output), 1, "{}", text(&output));
    assert!(
        errors(&output).contains("nothing to compare: no execution passes the filter"),
        "{}",
        errors(&output)
    );
}

#[test]
fn an_empty_side_of_a_run_names_the_run() {
    let folder = Folder::new("filtered-run");
    let file = folder.file("both.ndjson", &(queries("a", 1) + &queries("b", 2)));
    let output = run(&[&file, "--base-run", "a", "--new-run", "b", "--where", "run = b"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let note = format!("note: no execution of run “a” of {file} passes the filter\n");
    assert!(errors(&output).contains(&note), "{}", errors(&output));
}

#[test]
fn every_format_names_the_filter() {
    let folder = Folder::new("named");
    let [base, _, new] = with_one_failure(&folder);
    for files in [vec![&*base, &*new], vec![&*base, &*new, &*new]] {
        let with = |filter: &str, format: &str| {
            run(&[&files[..], &["--where", filter, "--format", format]].concat())
        };
        let filter = "sql ~ \"select a\"";
        assert_eq!(json(&with(filter, "json"))["filter"], filter);
        let junit = r#"<property name="filter" value="sql ~ &quot;select a&quot;"/>"#;
        for (format, line, expected) in [
            ("text", "\nfilter: sql ~ \"select a\"\n\n", 1),
            ("markdown", "\n- filter: <code>sql &#126; &#34;select a&#34;</code>\n\n", 1),
            ("junit", junit, files.len() - 1),
        ] {
            let output = text(&with(filter, format));
            assert_eq!(output.matches(line).count(), expected, "{output}");
            let output = text(&with(" ", format));
            assert!(!output.contains("filter"), "{output}");
            let output = text(&with("sql !~ \"\u{1b}\u{202e}|\"", format));
            assert!(output.contains("filter") && !output.contains(['\u{1b}', '\u{202e}']), "{output}");
        }
        assert!(json(&with(" ", "json")).get("filter").is_none());
    }
}
