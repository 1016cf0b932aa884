//! Numbers of sources that are small enough to count by hand: open and failed executions, missing numbers, ranges.

use super::*;
use crate::testing;

const TRACE: &str = "
    run r 100
    query a 0..50 : SELECT 1
    source 0..40 js-conn Orders
    execution 0..40 read=100 returned=10 reading=10
    query b 50..90 failed : SELECT 2
    source 50..70 js-conn Orders
    execution 50..60 read=30 returned=0
    source 60..80 pg-conn Users
    execution 60..60 returned=5
";

fn list(range: Option<(i64, i64)>, sort: SourceColumn, reversed: bool) -> Vec<SourceRow> {
    let trace = testing::trace(TRACE);
    let by = vec![SourceDimension::Datasource];
    let list = SourceList { by, sort, reversed, range, filter: String::new() };
    Sources::default().page(&trace, &Queries::of(&trace), (&list, None), 0, 100).rows
}

/// Name; executions and failed ones; total duration; rows read and returned; reading share, over-fetch, rows per second.
type Numbers<'a> = (&'a str, [u32; 2], i64, [Option<i64>; 2], [Option<f64>; 3]);

fn check(range: Option<(i64, i64)>, expected: &[Numbers]) {
    let found = list(range, SourceColumn::Total, false);
    let numbers = |row: &SourceRow| {
        let quotients = [row.reading, row.over_fetch, row.row_rate];
        let name = row.names[0].clone().unwrap_or_default();
        (name, [row.executions, row.failed], row.total, [row.rows_read, row.rows_returned], quotients)
    };
    let found: Vec<_> = found.iter().map(numbers).collect();
    let expected: Vec<_> = expected.iter().map(|&(name, a, b, c, d)| (name.to_owned(), a, b, c, d)).collect();
    assert_eq!(found, expected, "{range:?}");
}

#[test]
fn what_cannot_be_divided_has_no_quotient() {
    check(
        None,
        &[
            ("Orders", [2, 1], 50, [Some(130), Some(10)], [Some(0.25), Some(13.0), Some(2.6e9)]),
            ("Users", [1, 1], 0, [None, Some(5)], [None; 3]),
        ],
    );
    // Durations are clipped to a range, rows and what is divided by a duration are of whole executions.
    check(
        Some((20, 30)),
        &[("Orders", [1, 0], 10, [Some(100), Some(10)], [Some(0.25), Some(10.0), Some(2.5e9)])],
    );
    check(Some((50, 55)), &[("Orders", [1, 1], 5, [Some(30), Some(0)], [None, None, Some(3e9)])]);
    check(Some((95, 99)), &[]);
}

#[test]
fn the_number_of_failed_executions_is_that_of_their_list() {
    let trace = testing::trace(TRACE);
    let (queries, mut sources) = (Queries::of(&trace), Sources::default());
    let mut total = |failed| {
        let by = vec![SourceDimension::Datasource];
        let list = SourceExecutionList { by, failed, ..SourceExecutionList::default() };
        let page = sources.executions(&trace, &queries, (&list, None), (0, 100));
        (page.total, page.group.map(|row| (row.executions, row.failed)))
    };
    assert_eq!(total(false), (2, Some((2, 1))));
    assert_eq!(total(true), (1, Some((2, 1))));
}

#[test]
fn rows_without_a_value_are_last_in_both_directions() {
    for (sort, forwards, backwards) in [
        (SourceColumn::RowsRead, ["Orders", "Users"], ["Orders", "Users"]),
        (SourceColumn::RowsReturned, ["Orders", "Users"], ["Users", "Orders"]),
        (SourceColumn::Name(SourceDimension::Datasource), ["Orders", "Users"], ["Users", "Orders"]),
        (SourceColumn::OverFetch, ["Orders", "Users"], ["Orders", "Users"]),
    ] {
        for (reversed, expected) in [(false, forwards), (true, backwards)] {
            let names: Vec<_> =
                list(None, sort, reversed).into_iter().map(|mut row| row.names.swap_remove(0)).collect();
            assert_eq!(names, expected.map(|name| Some(name.to_owned())), "{sort:?} {reversed}");
        }
    }
}

#[test]
fn each_run_has_rows_of_its_own() {
    let second = "
        run second 100
        query c 0..50 : SELECT 3
        source 0..30 js-conn Orders
        execution 0..30 read=60 returned=20
    ";
    let trace = testing::trace(&format!("{TRACE}{second}"));
    let (queries, mut sources) = (Queries::of(&trace), Sources::default());
    let mut rows = |by: &[SourceDimension]| {
        let list = SourceList {
            by: by.to_vec(),
            sort: SourceColumn::Name(SourceDimension::Run),
            ..SourceList::default()
        };
        let page = sources.page(&trace, &queries, (&list, None), 0, 100);
        let numbers = |row: SourceRow| {
            let names: Vec<_> = row.names.into_iter().map(Option::unwrap_or_default).collect();
            (names.join(" "), row.executions, row.total, row.over_fetch)
        };
        page.rows.into_iter().map(numbers).collect::<Vec<_>>()
    };
    let of_both = [SourceDimension::Datasource, SourceDimension::Run];
    assert_eq!(
        rows(&of_both[1..]),
        [
            // 100 + 30 rows of two executions were read, and 10 + 0 + 5 of three returned.
            ("r".to_owned(), 3, 50, Some(13.0)),
            ("second".to_owned(), 1, 30, Some(3.0)),
        ]
    );
    assert_eq!(
        rows(&of_both),
        [
            ("Orders r".to_owned(), 2, 50, Some(13.0)),
            ("Users r".to_owned(), 1, 0, None),
            ("Orders second".to_owned(), 1, 30, Some(3.0)),
        ]
    );
}
