//! Numbers of shapes, compared with numbers that are computed here from the spans.

use proptest::prelude::*;

use super::*;
use crate::analysis::{outcome, sample, self_times_in};
use crate::protocol::{Outcome, ShapeTimes};
use crate::testing;
use crate::trace::Flags;

fn wanted(shape: u32, range: Option<(i64, i64)>) -> ShapeDetailRequest {
    ShapeDetailRequest { shape, range, filter: String::new() }
}

/// Nearest rank by its definition: the smallest value at or below which lie at least `percent` % of all values.
fn nearest_rank(sorted: &[i64], percent: usize) -> i64 {
    let enough =
        |value: &&i64| sorted.iter().filter(|other| other <= value).count() * 100 >= percent * sorted.len();
    *sorted.iter().find(enough).expect("the largest value has all values at or below it")
}

/// The counts of a row are those of its durations between powers of the ratio of the axis, with a nanosecond for rounding.
fn check_durations(row: &ShapeRow, sorted: &[i64], (low, high): (i64, i64)) {
    assert!(sorted.iter().all(|&duration| duration.max(1) >= low && duration <= high));
    assert_eq!(row.durations.iter().sum::<u32>() as usize, sorted.len());
    let limit = |at: usize| (low as f64).powf(1.0 - at as f64 / 24.0) * (high as f64).powf(at as f64 / 24.0);
    let mut until = 0;
    for (at, count) in row.durations.iter().enumerate() {
        for duration in &sorted[until..until + *count as usize] {
            assert!(limit(at) - 2.0 <= *duration as f64 || at == 0, "{duration} in {at} of {low}..{high}");
            assert!(*duration as f64 <= limit(at + 1) + 2.0, "{duration} in {at} of {low}..{high}");
        }
        until += *count as usize;
    }
}

fn list(trace: &Trace, list: &ShapeList) -> ShapePage {
    StatementShapes::default().page(trace, &Queries::of(trace), (list, None), 0, 1_000)
}

/// Title, executions, unfinished, failed, total, self time, rows and bytes.
type Numbers<'a> = (&'a str, [u32; 3], [i64; 2], [Option<i64>; 2]);

fn check(trace: &Trace, range: Option<(i64, i64)>, expected: &[Numbers]) {
    let page = list(trace, &ShapeList { range, ..ShapeList::default() });
    let numbers = |row: &ShapeRow| {
        let counts = [row.count, row.unfinished, row.failed];
        (row.title.clone(), counts, [row.total, row.self_time], [row.rows, row.bytes])
    };
    let found: Vec<_> = page.rows.iter().map(numbers).collect();
    let expected: Vec<_> = expected.iter().map(|&(title, a, b, c)| (title.to_owned(), a, b, c)).collect();
    assert_eq!(found, expected);
    assert_eq!(page.total as usize, expected.len());
}

#[test]
fn statements_of_one_shape_are_summed() {
    let ms = 1_000_000;
    let select = "SELECT a FROM t WHERE x = ?";
    check(
        &sample::trace(),
        None,
        &[
            (select, [2, 0, 1], [18 * ms, 6 * ms], [Some(30), Some(1_500)]),
            ("DELETE FROM u", [1, 1, 0], [0, 0], [None, Some(4_000)]),
        ],
    );
    // The first query is cut to 2 ms, of which its source takes one.
    check(
        &sample::trace(),
        Some((8 * ms, 11 * ms)),
        &[(select, [1, 0, 0], [2 * ms, ms], [Some(20), Some(1_500)])],
    );
    check(&sample::trace(), Some((5, 5)), &[]);
    check(&Trace::default(), None, &[]);
}

#[test]
fn slices_are_grouped_by_name() {
    check(
        &sample::nested(2),
        None,
        &[
            ("level 0", [1, 0, 0], [20_000_000, 0], [None, None]),
            ("level 1", [1, 0, 0], [20_000_000, 20_000_000], [None, None]),
        ],
    );
}

/// Every shape of a generated trace, and every order.
#[test]
fn numbers_are_those_of_the_spans() {
    let trace = testing::queries(2_000);
    let queries = Queries::of(&trace);
    for range in [None, Some((300_000, 900_000)), Some((0, 1))] {
        let page = list(&trace, &ShapeList { range, ..ShapeList::default() });
        let all = range.unwrap_or((i64::MIN, i64::MAX));
        let own = self_times_in(&trace, 0..trace.spans.len() as u32, all);
        let mut executions = 0;
        for row in &page.rows {
            let of_shape = |at: &u32| {
                let sql = trace.text(Item::Span(queries.span(*at)), key::SQL).map(|sql| trace.str(sql));
                let (start, end) = trace.spans.bounds(queries.span(*at));
                sql == Some(row.title.as_str()) && start < all.1 && (end > all.0 || start >= all.0)
            };
            let found: Vec<u32> = (0..queries.len()).filter(of_shape).collect();
            executions += found.len() as u64;
            let flags = |at: &u32| trace.spans.flags(queries.span(*at));
            let complete: Vec<u32> =
                found.iter().copied().filter(|at| !flags(at).has(Flags::OPEN_END)).collect();
            let duration = |at: &u32| {
                let (start, end) = trace.spans.bounds(queries.span(*at));
                end.min(all.1) - start.max(all.0)
            };
            let mut sorted: Vec<i64> = complete.iter().map(duration).collect();
            sorted.sort_unstable();
            let total: i64 = sorted.iter().sum();
            let times = (!sorted.is_empty()).then(|| ShapeTimes {
                min: sorted[0],
                mean: (total as f64 / sorted.len() as f64).round() as i64,
                p50: nearest_rank(&sorted, 50),
                p95: nearest_rank(&sorted, 95),
                p99: nearest_rank(&sorted, 99),
                max: sorted[sorted.len() - 1],
            });
            assert_eq!(row.times, times, "{}", row.title);
            assert_eq!(row.total, total);
            let self_time: i64 = complete.iter().map(|at| own[queries.span(*at).0 as usize]).sum();
            assert_eq!(row.self_time, self_time);
            let failed = found.iter().filter(|at| outcome(flags(at)) == Outcome::Failed).count();
            assert_eq!((row.count as usize, row.failed as usize), (found.len(), failed));
            assert_eq!(row.over_time.iter().sum::<u32>(), row.count);
            check_durations(row, &sorted, page.durations);
        }
        assert_eq!(page.executions, executions);
    }
}

#[test]
fn columns_order_the_list_and_what_is_not_reported_is_last() {
    let columns = [
        ShapeColumn::Shape,
        ShapeColumn::Count,
        ShapeColumn::Total,
        ShapeColumn::Mean,
        ShapeColumn::P50,
        ShapeColumn::P95,
        ShapeColumn::P99,
        ShapeColumn::Max,
        ShapeColumn::SelfTime,
        ShapeColumn::Rows,
        ShapeColumn::Bytes,
        ShapeColumn::Failed,
    ];
    for trace in [sample::trace(), testing::queries(300), sample::nested(3)] {
        for (sort, reversed) in columns.into_iter().flat_map(|sort| [(sort, false), (sort, true)]) {
            let page = list(&trace, &ShapeList { sort, reversed, range: None, filter: String::new() });
            let known: Vec<i64> = page.rows.iter().map_while(|row| measure(row, sort)).collect();
            assert!(known.is_sorted_by(|a, b| if reversed { a <= b } else { a >= b }), "{sort:?}: {known:?}");
            assert!(page.rows[known.len()..].iter().all(|row| measure(row, sort).is_none()));
            if sort == ShapeColumn::Shape {
                let titles: Vec<&str> = page.rows.iter().map(|row| row.title.as_str()).collect();
                assert!(titles.is_sorted_by(|a, b| if reversed { a >= b } else { a <= b }), "{titles:?}");
            }
        }
    }
}

/// Bars cover all durations without gaps, and their executions are those that the list shows for them.
fn check_detail(trace: &Trace, range: Option<(i64, i64)>) {
    let queries = Queries::of(trace);
    let mut shapes = StatementShapes::default();
    let page = shapes.page(trace, &queries, (&ShapeList { range, ..ShapeList::default() }, None), 0, 100);
    for row in &page.rows {
        let detail =
            shapes.detail(trace, &queries, (&wanted(row.shape, range), None)).expect("a shape of the list");
        assert_eq!(detail.row, ShapeRow { durations: Vec::new(), ..row.clone() });
        let complete = row.count - row.unfinished;
        assert_eq!(detail.bars.iter().map(|bar| bar.count).sum::<u32>(), complete);
        assert_eq!(detail.dots.iter().map(|dot| dot.count).sum::<u32>(), complete);
        assert!(detail.bars.len() <= ShapeDetail::BARS);
        assert!(
            detail.bars.windows(2).all(|pair| pair[0].until == pair[1].from && pair[0].from < pair[0].until)
        );
        for (at, bar) in (0..).zip(&detail.bars) {
            let between = Some((bar.from, bar.until));
            let list = ExecutionList { shape: row.shape, between, range, ..ExecutionList::default() };
            let page = shapes.executions(trace, &queries, (&list, None), (0, 10_000));
            assert_eq!((page.total, page.rows.len() as u32), (bar.count, bar.count));
            assert!(page.rows.iter().all(|row| (bar.from..bar.until).contains(&row.duration)));
            assert!(page.rows.is_sorted_by(|a, b| a.duration >= b.duration));
            let failed = page.rows.iter().filter(|row| row.outcome == Outcome::Failed).count();
            assert_eq!(failed as u32, bar.failed);
            let dots = detail.dots.iter().filter(|dot| dot.bar == at);
            assert_eq!(dots.map(|dot| dot.count).sum::<u32>(), bar.count);
        }
        let all = ExecutionList { shape: row.shape, by_start: true, range, ..ExecutionList::default() };
        let page = shapes.executions(trace, &queries, (&all, None), (0, 10_000));
        assert_eq!(page.total, row.count);
        assert!(page.rows.is_sorted_by(|a, b| a.start <= b.start));
    }
}

#[test]
fn a_bar_leads_to_its_executions() {
    for trace in [sample::trace(), testing::queries(500), sample::nested(4), Trace::default()] {
        check_detail(&trace, None);
        check_detail(&trace, Some((2_000, 90_000)));
    }
}

#[test]
fn what_does_not_exist_has_no_detail() {
    let trace = sample::trace();
    let queries = Queries::of(&trace);
    assert_eq!(StatementShapes::default().detail(&trace, &queries, (&wanted(9, None), None)), None);
    let list = ExecutionList { shape: u32::MAX, ..ExecutionList::default() };
    assert_eq!(
        StatementShapes::default().executions(&trace, &queries, (&list, None), (0, 10)),
        ExecutionPage::default()
    );
}

proptest! {
    /// Every duration is in one bar, whatever the durations are.
    #[test]
    fn bars_cover_all_durations(times in prop::collection::vec(prop_oneof![0..9_i64, 1_000..9_000_000_i64, Just(i64::MAX - 1), 0..i64::MAX], 0..50)) {
        let bars = duration_bars(times.iter().copied());
        prop_assert_eq!(bars.is_empty(), times.is_empty());
        for time in &times {
            prop_assert_eq!(bars.iter().filter(|bar| (bar.from..bar.until).contains(time)).count(), 1);
        }
        prop_assert!(bars.windows(2).all(|pair| pair[0].until == pair[1].from));
        prop_assert!(bars.iter().all(|bar| bar.from < bar.until));
    }
}
