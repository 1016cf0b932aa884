//! Tables of several runs, with tests that are counted here over all divisions of the durations.

use super::tests::{TRACE, runs, with_source};
use super::*;
use crate::protocol::{
    ComparedRunList, GroupBy, RunComparisonSpec, RunTableMeasure, RunTableOrder, RunTablePage,
    RunTableRequest, RunTableRow, TimeRank,
};
use crate::testing;
use crate::trace::Trace;

/// Durations of the executions of a statement and a number of runs of it.
type InEachRun<'a> = (&'a str, &'a [&'a [i64]]);

/// Each statement's durations in each run.
const STATEMENTS: &[InEachRun] = &[
    (
        "SELECT a FROM t",
        &[&[10, 11, 12, 13, 14], &[100, 101, 102, 103, 104], &[9, 11, 12, 14, 16], &[1, 2, 3, 4, 5]],
    ),
    ("SELECT b FROM t", &[&[30, 31, 32, 33, 34], &[31, 30, 35, 36, 37], &[20, 21, 22, 23, 34], &[]]),
    ("SELECT c FROM t", &[&[7], &[8], &[7], &[7]]),
    ("SELECT d FROM t", &[&[], &[], &[900], &[]]),
];

fn trace() -> Trace {
    let mut text = String::new();
    let mut query = 0;
    for run in 0..4 {
        text += &format!("run r{run} 5000\n");
        let mut time = 0;
        for (sql, of_runs) in STATEMENTS {
            for duration in of_runs[run] {
                text += &format!("query q{query} {time}..{} : {sql}\n", time + duration);
                time += duration + 1;
                query += 1;
            }
        }
    }
    testing::trace(&text)
}

fn page(trace: &Trace, request: &RunTableRequest) -> RunTablePage {
    with_source(trace, |source| RunComparisons::default().table_page(source, request))
}

fn request(base: u32) -> RunTableRequest {
    RunTableRequest { base, count: 100, ..RunTableRequest::default() }
}

/// Two-sided p-value, counted over all ways to divide the values.
fn counted_p(base: &[i64], new: &[i64]) -> Option<f64> {
    if base.len() < 4 || new.len() < 4 {
        return None;
    }
    let all: Vec<i64> = base.iter().chain(new).copied().collect();
    let distance = |chosen: u32| {
        let is_new = |at: &usize| chosen >> at & 1 == 1;
        let pairs = (0..all.len()).filter(is_new).flat_map(|a| (0..all.len()).map(move |b| (a, b)));
        let pairs = pairs.filter(|(_, b)| !is_new(b));
        let doubled: i64 = pairs.map(|(a, b)| all[a].cmp(&all[b]) as i64 + 1).sum();
        (doubled - (base.len() * new.len()) as i64).abs()
    };
    let found = distance(((1 << new.len()) - 1) << base.len());
    let divisions = (0..1_u32 << all.len()).filter(|chosen| chosen.count_ones() as usize == new.len());
    let divisions: Vec<u32> = divisions.collect();
    let extreme = divisions.iter().filter(|&&chosen| distance(chosen) >= found).count();
    Some(extreme as f64 / divisions.len() as f64)
}

/// Benjamini and Hochberg, by their definition: the smallest p · tests ÷ rank of all that are not smaller.
fn corrected(p: f64, all: &[f64]) -> f64 {
    let rank = |p: f64| all.iter().filter(|&&other| other <= p).count();
    let not_smaller = all.iter().filter(|&&other| other >= p);
    not_smaller.map(|&other| other * all.len() as f64 / rank(other) as f64).fold(1.0, f64::min)
}

/// The cells equal what is counted over the durations above.
fn check(base: usize, shown: &[usize]) {
    let found = page(&trace(), &request(base as u32));
    let durations = |title: &str, run: usize| {
        STATEMENTS.iter().find(|(sql, _)| *sql == title).expect("a statement").1[run]
    };
    let others = || shown.iter().copied().filter(|run| *run != base);
    let tests = STATEMENTS.iter().flat_map(|(_, of)| others().filter_map(|run| counted_p(of[base], of[run])));
    let tests: Vec<f64> = tests.collect();
    assert_eq!(found.tests as usize, tests.len());
    assert_eq!(found.runs.iter().map(|run| run.run as usize).collect::<Vec<_>>(), shown);
    for (at, &run) in shown.iter().enumerate() {
        let all = STATEMENTS.iter().flat_map(|(_, of)| of[run]);
        assert_eq!(found.runs[at].totals.all.total, Some(all.clone().sum()));
        assert_eq!(found.runs[at].totals.all.count as usize, all.count());
    }
    let total = |title: &str, run: usize| durations(title, run).iter().sum::<i64>();
    let most = |title: &str| {
        shown.iter().map(|run| (total(title, *run) - total(title, base)).abs()).max().expect("a run")
    };
    assert!(found.rows.windows(2).all(|pair| most(&pair[0].title) >= most(&pair[1].title)));
    for row in &found.rows {
        let median = |run: usize| {
            let mut sorted = durations(&row.title, run).to_vec();
            sorted.sort_unstable();
            sorted.get(sorted.len().saturating_sub(1) / 2).copied()
        };
        let medians: Vec<i64> = shown.iter().filter_map(|run| median(*run)).collect();
        let is_varied = medians.iter().min() < medians.iter().max();
        for (cell, &run) in row.cells.iter().zip(shown) {
            let own = durations(&row.title, run);
            let place = format!("{} in {run} with {base}", row.title);
            assert_eq!(
                cell.measures.map(|of| of.count as usize),
                Some(own.len()).filter(|n| *n > 0),
                "{place}"
            );
            assert_eq!(cell.measures.and_then(|of| of.p50), median(run), "{place}");
            let is =
                |extreme: Option<&i64>| is_varied && median(run).is_some() && median(run).as_ref() == extreme;
            let rank = match (is(medians.iter().min()), is(medians.iter().max())) {
                (true, _) => Some(TimeRank::Fastest),
                (_, true) => Some(TimeRank::Slowest),
                _ => None,
            };
            assert_eq!(cell.rank, rank, "{place}");
            let of_base = durations(&row.title, base);
            let p = counted_p(of_base, own).filter(|_| run != base).map(|p| corrected(p, &tests));
            assert_eq!(cell.change.is_some(), p.is_some(), "{place}");
            let verdict = match (of_base.len(), own.len(), p) {
                _ if run == base => None,
                (0, 0, _) => None,
                (0, _, _) => Some(DurationVerdict::New),
                (_, 0, _) => Some(DurationVerdict::Vanished),
                (_, _, None) => Some(DurationVerdict::TooFew),
                (_, _, Some(p)) if p >= 0.05 => Some(DurationVerdict::NoDifference),
                _ if median(run) > median(base) => Some(DurationVerdict::Slower),
                _ => Some(DurationVerdict::Faster),
            };
            assert_eq!(cell.verdict, verdict, "{place}");
        }
    }
}

#[test]
fn cells_are_what_is_counted() {
    for (base, shown) in [(0, [0, 1, 2, 3]), (1, [1, 0, 2, 3]), (2, [2, 0, 1, 3]), (3, [3, 0, 1, 2])] {
        check(base, &shown);
    }
}

/// With two runs the table says what their comparison says; the number of a group leads to that group also with more runs.
#[test]
fn two_runs_are_as_in_their_comparison() {
    for trace in [testing::trace(TRACE), trace()] {
        for by in [GroupBy::Shape, GroupBy::Name, GroupBy::Kind, GroupBy::Connector] {
            for (base, new) in [(0, 1), (1, 0)] {
                let spec = RunComparisonSpec {
                    base: runs(&[base]),
                    new: runs(&[new]),
                    by,
                    ..RunComparisonSpec::default()
                };
                let list = ComparedRunList { spec: spec.clone(), ..ComparedRunList::default() };
                let pair =
                    with_source(&trace, |source| RunComparisons::default().page(source, &list, 0, 1_000));
                let table = page(&trace, &RunTableRequest { by, ..request(base) });
                // The base, then the first other run, which is the other one of these two.
                assert_eq!((&table.runs[0].totals, &table.runs[1].totals), (&pair.base, &pair.new));
                for expected in &pair.rows {
                    let row = table.rows.iter().find(|row| row.title == expected.title).expect("a row");
                    let [base, new] = [0, 1].map(|at: usize| &row.cells[at]);
                    assert_eq!((base.measures, new.measures), (expected.base, expected.new));
                    assert_eq!((new.group, new.change), (Some(expected.group), expected.change));
                    if table.runs.len() == 2 {
                        assert_eq!(new.verdict, Some(expected.verdict));
                    }
                }
            }
        }
    }
}

#[test]
fn rows_are_ordered() {
    let trace = trace();
    for (sort, reversed, expected) in [
        // Largest differences of the totals from the first run: 450, 160, 1 and 900.
        (RunTableOrder::Difference, false, "dabc"),
        (RunTableOrder::Difference, true, "cbad"),
        (RunTableOrder::Group, false, "abcd"),
        (RunTableOrder::Group, true, "dcba"),
        // Medians of the third run: 12, 22, 7 and 900; the fourth has neither b nor d.
        (RunTableOrder::Run(2), false, "dbac"),
        (RunTableOrder::Run(3), false, "cabd"),
        (RunTableOrder::Run(3), true, "acbd"),
        (RunTableOrder::Run(9), false, "abcd"),
    ] {
        let request = RunTableRequest { sort, reversed, measure: RunTableMeasure::P50, ..request(0) };
        let found: String = page(&trace, &request).rows.iter().map(|row| &row.title[7..8]).collect();
        assert_eq!(found, expected, "{sort:?} {reversed}");
    }
}

/// The counts of slower and faster groups are the numbers of rows that a table of only these groups has.
#[test]
fn slower_and_faster_groups_are_listed() {
    let trace = trace();
    let all = page(&trace, &request(0));
    assert_eq!(all.total, all.groups);
    assert!(all.runs.iter().any(|run| run.slower > 0), "{all:?}");
    for (at, run) in (0..).zip(&all.runs) {
        for (verdict, count) in [(DurationVerdict::Slower, run.slower), (DurationVerdict::Faster, run.faster)]
        {
            let only = page(&trace, &RunTableRequest { only: Some((at, verdict)), ..request(0) });
            let is_listed = |row: &RunTableRow| row.cells[at as usize].verdict == Some(verdict);
            assert!(only.rows.iter().all(is_listed), "{at} {verdict:?}");
            assert_eq!((only.total, only.rows.len() as u32), (count, count), "{at} {verdict:?}");
            assert_eq!((only.groups, &only.runs), (all.groups, &all.runs), "{at} {verdict:?}");
        }
    }
}

/// At most twenty runs, and the base is one of them.
#[test]
fn the_number_of_runs_is_limited() {
    let text: String =
        (0..25).map(|run| format!("run r{run} 10\nquery q{run} 0..{} : SELECT 1\n", run + 1)).collect();
    let trace = testing::trace(&text);
    for (base, first, last) in [(0, 0, 19), (24, 24, 18), (3, 3, 19), (99, 0, 19)] {
        let found = page(&trace, &request(base));
        let runs: Vec<u32> = found.runs.iter().map(|run| run.run).collect();
        assert_eq!((runs.first(), runs.last()), (Some(&first), Some(&last)), "{base}");
        assert_eq!((runs.len(), found.not_shown), (20, 5), "{base}");
    }
    for text in ["", "run r 10\nquery q 0..1 : SELECT 1\n"] {
        let none = page(&testing::trace(text), &request(0));
        assert_eq!((none.runs.len(), none.rows.len()), (0, 0), "{text}");
    }
}
