//! Rows and bytes: areas, slices by name and merged flame graphs have the sums of the pivot table.

use std::fs;
use std::path::Path;

use queryscope::protocol::{
    AreaNameList, AreaNameListRequest, AreaRequest, AreaSpec, AreaTrack, CompareRunsRequest, ComparedRunList,
    FrameArgumentsRequest, FrameWeight, MergedFrameRequest, MergedSpec, PivotCsvRequest, PivotSpec,
    PivotView, ShapeList, ShapeListRequest, TrackKey,
};
use queryscope::session::Session;
use queryscope::trace::Trace;

use crate::support;

/// Slices of Chrome, each with its start, duration and name, and its arguments as members of JSON; nested where they lie in one
/// another.
fn slices(slices: &[(i64, i64, &str, &str)]) -> Session {
    let events = slices.iter().map(|(ts, dur, name, args)| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":{dur},"name":"{name}","args":{{{args}}}}}"#)
    });
    support::open([("t.json", format!("[{}]", events.collect::<Vec<_>>().join(",\n")))])
}

/// A query of Kubling whose source returned as many rows, and whose execution returned 7 of 700.
fn source(returned: u32) -> Session {
    support::open([("r.ndjson", support::kubling_source(returned))])
}

/// Statements of a thread of MySQL: a `SELECT` that read 100 rows, 90 of them in a function that it called; a `CALL` that read none
/// itself, and the statement in it that read 5.
fn statements() -> Session {
    let head = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_END\tTIMER_WAIT\tSQL_TEXT\t\
                ROWS_EXAMINED\tROWS_SENT\tNESTING_EVENT_ID\tNESTING_EVENT_TYPE\tNESTING_EVENT_LEVEL\n";
    let row =
        |id: u32, end: u32, (from, to): (u64, u64), sql: &str, rows: (u32, u32), parent: Option<u32>| {
            let nesting = parent.map_or("NULL\tNULL\t0".to_owned(), |id| format!("{id}\tSTATEMENT\t1"));
            let (name, wait) = (if parent.is_some() { "sp/stmt" } else { "sql/select" }, to - from);
            let times = format!("{from}000000\t{to}000000\t{wait}000000");
            format!("1\t{id}\t{end}\tstatement/{name}\t{times}\t{sql}\t{}\t{}\t{nesting}\n", rows.0, rows.1)
        };
    let text = [
        head.to_owned(),
        row(1, 2, (10, 90), "SELECT f(a) FROM t", (100, 3), None),
        row(2, 2, (20, 80), "SELECT b FROM u", (90, 1), Some(1)),
        row(3, 4, (110, 190), "CALL p()", (0, 0), None),
        row(4, 4, (120, 180), "SELECT c FROM v", (5, 2), Some(3)),
    ];
    support::open([("events_statements_history_long.tsv", text.concat())])
}

/// A sample that the page offers.
fn sample(name: &str) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/assets/sample").join(name);
    support::open([(name, fs::read(path).expect("the sample is there"))])
}

/// Sum of a number over the whole trace, by the pivot table; `None` if nothing reports it.
fn pivot(session: &mut Session, number: &str) -> Option<i64> {
    let spec = PivotSpec { measures: format!("sum({number})"), ..PivotSpec::default() };
    let view = PivotView { spec, ..PivotView::default() };
    let csv = session.answer(&PivotCsvRequest { view })?;
    csv.lines().nth(1)?.parse().ok()
}

/// An area over all runs.
fn whole(trace: &Trace) -> AreaSpec {
    let runs = trace.runs.iter().filter_map(|run| TrackKey::of(trace, run.track));
    let tracks = runs.map(|key| AreaTrack { key, is_own_row: false }).collect();
    AreaSpec { tracks, range: (i64::MIN, i64::MAX), ..AreaSpec::default() }
}

/// Rows and bytes of an area over all runs, which are also the sums of its table of names.
fn area(session: &mut Session) -> (Option<i64>, Option<i64>) {
    let area = whole(session.trace());
    let sums = session.answer(&AreaRequest { area: area.clone() });
    let list = AreaNameList { area, ..AreaNameList::default() };
    let names = session.answer(&AreaNameListRequest { list, first: 0, count: 10_000 });
    let of_names = |number: fn(&queryscope::protocol::AreaNameRow) -> Option<i64>| {
        let found: Vec<i64> = names.rows.iter().filter_map(number).collect();
        (!found.is_empty()).then(|| found.iter().sum::<i64>())
    };
    assert_eq!((sums.rows, sums.bytes), (of_names(|row| row.rows), of_names(|row| row.bytes)));
    (sums.rows, sums.bytes)
}

/// Width of the outermost frame of a merged flame graph; `None` if the trace does not offer the weight.
fn width(session: &mut Session, weight: FrameWeight) -> Option<String> {
    let offered = session.answer(&FrameArgumentsRequest).weights;
    let spec = MergedSpec { weight, ..MergedSpec::default() };
    let root = session.answer(&MergedFrameRequest { spec, frame: Some(0), step: None });
    offered.contains(&weight).then(|| root.expect("the outermost frame").value)
}

/// Checks the rows read, rows returned and bytes of a whole trace.
fn check(mut session: Session, rows_read: Option<i64>, returned: Option<i64>, bytes: Option<i64>) {
    for (name, weight, expected) in [
        ("rows read", FrameWeight::RowsRead, rows_read),
        ("rows returned", FrameWeight::RowsReturned, returned),
        ("bytes", FrameWeight::Bytes, bytes),
    ] {
        assert_eq!(pivot(&mut session, name), expected, "{name}");
        let width = width(&mut session, weight);
        let expected = expected.map(|number| match weight {
            FrameWeight::Bytes => queryscope::internal::text::bytes(number),
            _ => queryscope::internal::text::count(number),
        });
        assert_eq!(width, expected, "{name}");
    }
    assert_eq!(area(&mut session), (returned, bytes));
}

#[test]
fn what_nested_spans_both_report_counts_once_everywhere() {
    // The rows of the execution count, whatever its source reports.
    for returned in [7, 9, 5] {
        check(source(returned), Some(700), Some(7), None);
    }
    // Rows of a function are a part of those of its statement; a `CALL` has none of its own.
    check(statements(), Some(105), Some(5), None);
    let inner = [(10, 20, "b", r#""bytes":60,"rows returned":4"#), (50, 20, "c", r#""bytes":40"#)];
    for (outer, bytes) in [(100, 100), (150, 150), (10, 100)] {
        let args = format!(r#""bytes":{outer}"#);
        check(slices(&[&[(0, 100, "a", args.as_str())][..], &inner].concat()), None, Some(4), Some(bytes));
    }
    check(slices(&[(0, 100, "a", "")]), None, None, None);
}

/// The table of names says why a source has no rows although it reports some.
#[test]
fn names_of_an_area_say_at_which_level_numbers_count() {
    let rows = "rows: only those of source execution are added up; source reports the same again.";
    let once = "Where nested spans both report bytes, only the innermost slice counts, or an outer one that reports more.";
    let nested = [(0, 100, "a", r#""bytes":60"#), (10, 20, "b", r#""bytes":60"#)];
    for (mut session, expected) in
        [(source(9), vec![rows]), (slices(&nested), vec![once]), (slices(&nested[..1]), vec![])]
    {
        let list = AreaNameList { area: whole(session.trace()), ..AreaNameList::default() };
        assert_eq!(session.answer(&AreaNameListRequest { list, first: 0, count: 9 }).notes, expected);
    }
}

#[test]
fn a_whole_run_has_the_sums_of_the_pivot_table() {
    for name in ["no-buffer.json.gz", "buffer-rocks.json.gz"] {
        let mut session = sample(name);
        let [read, returned, bytes] =
            ["rows read", "rows returned", "bytes"].map(|number| pivot(&mut session, number));
        assert!(read.is_some() && returned.is_some(), "{name}");
        check(session, read, returned, bytes);
    }
}

/// The list of slices and the comparison of runs read the same rows and bytes.
#[test]
fn slices_have_the_rows_and_bytes_that_they_report() {
    let mut session = slices(&[
        (0, 5, "read", r#""bytes":60"#),
        (10, 5, "read", r#""bytes":40,"rows returned":3"#),
        (20, 5, "idle", ""),
    ]);
    let expected = [("idle".to_owned(), None, None), ("read".to_owned(), Some(3), Some(100))];
    let list = ShapeListRequest { list: ShapeList::default(), first: 0, count: 9 };
    let page = session.answer(&list);
    let mut found: Vec<_> = page.rows.into_iter().map(|row| (row.title, row.rows, row.bytes)).collect();
    found.sort();
    assert_eq!(found, expected);
    assert!(page.has_rows && page.has_bytes);
    let request = CompareRunsRequest { list: ComparedRunList::default(), first: 0, count: 9 };
    let compared = session.answer(&request).rows.into_iter().map(|row| {
        let side = row.base.expect("every slice is in the run");
        (row.title, side.rows_returned, side.bytes)
    });
    let mut found: Vec<_> = compared.collect();
    found.sort();
    assert_eq!(found, expected);
}
