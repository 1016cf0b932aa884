//! Areas and time ranges of the timeline: groups by shape, the filter of all views, and their summaries for an issue.

use queryscope::protocol::{
    AreaNameList, AreaNameListRequest, AreaRequest, AreaSpec, AreaTrack, IssueTextRequest, RangeRequest,
    TrackKey,
};
use queryscope::session::Session;

use crate::support;

/// Queries one after the other, each 5 ms long and with a source of 2 ms.
fn session() -> Session {
    let mut lines = String::new();
    let statements = ["SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = 22", "DELETE FROM t"];
    for (n, sql) in (0..).zip(statements) {
        let source = format!(r#""connectorName":"c{n}","tupleSourceId":"t""#);
        for (after, event) in [
            (0, format!(r#""type":"QUERY_START","sql":"{sql}""#)),
            (1, format!(r#""type":"SOURCE_START",{source}"#)),
            (3, format!(r#""type":"SOURCE_END",{source},"rowsReturned":10"#)),
            (5, r#""type":"QUERY_END","success":true"#.to_owned()),
        ] {
            let head = r#""runId":"r","vdbName":"v","vdbVersion":"1""#;
            let time = (n * 10 + after) * 1_000_000;
            lines += &format!("{{{head},\"queryId\":\"q{n}\",\"timestamp\":{time},{event}}}\n");
        }
    }
    support::open([("r.ndjson", lines)])
}

/// All tracks in the first 25 ms, so that the last query is cut off at its end.
fn area(session: &Session, filter: &str) -> AreaSpec {
    let trace = session.trace();
    let tracks = trace.runs.iter().filter_map(|run| TrackKey::of(trace, run.track));
    let tracks = tracks.map(|key| AreaTrack { key, is_own_row: false }).collect();
    AreaSpec { tracks, range: (0, 24_000_000), filter: filter.to_owned(), ..AreaSpec::default() }
}

/// Checks the names of an area with their counts and total milliseconds, and the number of its spans in all sums.
fn check(filter: &str, expected: &[(&str, u64, i64)]) {
    let mut session = session();
    let area = area(&session, filter);
    let sums = session.answer(&AreaRequest { area: area.clone() });
    let list = AreaNameList { area: area.clone(), ..AreaNameList::default() };
    let page = session.answer(&AreaNameListRequest { list, first: 0, count: 100 });
    let rows: Vec<(&str, u64, i64)> = page
        .rows
        .iter()
        .map(|row| (row.name.as_str(), row.count, row.times.map_or(0, |times| times.total / 1_000_000)))
        .collect();
    assert_eq!(rows, expected, "{filter}");
    let count: u64 = expected.iter().map(|row| row.1).sum();
    assert_eq!(sums.spans, count, "{filter}");
    let range = RangeRequest { start: area.range.0, end: area.range.1, filter: filter.to_owned() };
    let of_range = session.answer(&range);
    assert_eq!(of_range.kinds.iter().map(|kind| kind.count).sum::<u64>(), count, "{filter}");
}

#[test]
fn queries_are_grouped_by_shape_and_limited_by_the_filter() {
    let (select, delete) = ("SELECT a FROM t WHERE b = ?", "DELETE FROM t");
    let all = [(select, 2, 10), (delete, 1, 4), ("c0", 1, 2), ("c1", 1, 2), ("c2", 1, 2)];
    check("", &all);
    // An invalid filter has no effect.
    check("rows >", &all);
    check("sql ~ delete", &[(delete, 1, 4), ("c2", 1, 2)]);
    check("connector = c1", &[(select, 1, 5), ("c1", 1, 2)]);
    check("failed", &[]);
}

#[test]
fn a_summary_for_an_issue_has_sums_names_and_the_filter() {
    let mut session = session();
    let area = area(&session, "sql ~ select");
    let items = AreaSpec { items: vec![0], ..AreaSpec::default() };
    for (request, expected) in [
        (
            IssueTextRequest::Area(area),
            &[
                "**area** 0 ns to 24 ms (24 ms), `r",
                "filter: `sql ~ select`",
                "- spans: 4",
                "- wall time: 10 ms",
                "- total: 14 ms",
                "- rows: 20",
                "| name | kind | count | total | self time | max |",
                "| <code>SELECT a FROM t WHERE b = ?</code> | query | 2 | 10.00 ms | 6.000 ms | 5.000 ms |",
            ][..],
        ),
        (IssueTextRequest::Area(items), &["**gathered spans**", "- spans: 1", "- duration: min "]),
        (
            IssueTextRequest::Range(RangeRequest {
                start: 0,
                end: 5_000_000,
                filter: "connector = c0".into(),
            }),
            &["**time range** 0 ns to 5 ms (5 ms)", "filter: `connector = c0`", "- query: 1, 5.000 ms"],
        ),
    ] {
        let text = session.answer(&request).expect("a summary");
        for line in expected {
            assert!(text.contains(line), "{line}\n---\n{text}");
        }
    }
}
