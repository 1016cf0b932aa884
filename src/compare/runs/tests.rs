//! Comparisons of runs of one trace, with numbers that are computed here from the spans.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::analysis::{Queries, SqlShapes, Statements, outcome};
use crate::protocol::{
    ComparedRunColumn, ComparedRunGroup, ComparedRunList, ComparedRuns, GroupBy, Outcome, RunComparisonSpec,
    RunSelection,
};
use crate::testing;
use crate::trace::{Item, SpanId, Trace, TrackKind, key};

pub(super) const TRACE: &str = "
    run alpha 400
    query q1 0..10 : SELECT a FROM t WHERE x = 1
    execution 2..6 read=20 returned=10
    query q2 20..31 : SELECT a FROM t WHERE x = 2
    query q3 40..52 : SELECT a FROM t WHERE x = 3
    query q4 60..73 : SELECT a FROM t WHERE x = 4
    query q5 80..90 failed : DELETE FROM u
    run beta 300
    query q6 0..100 : SELECT a FROM t WHERE x = 1
    query q7 110..211 : SELECT a FROM t WHERE x = 2
    query q8 220..322 : SELECT a FROM t WHERE x = 3
    query q9 330..433 : SELECT a FROM t WHERE x = 4
    query q10 440..450 : INSERT INTO v VALUES (1)
";

pub(super) fn with_source<T>(trace: &Trace, ask: impl FnOnce(&ExecutionSource) -> T) -> T {
    let (queries, mut shapes) = (Queries::of(trace), SqlShapes::default());
    let statements = Statements::of(trace, &queries, &mut shapes);
    ask(&ExecutionSource::new(trace, &queries, &statements, &shapes))
}

pub(super) fn runs(runs: &[u32]) -> RunSelection {
    RunSelection { runs: runs.to_vec(), ..RunSelection::default() }
}

fn spec(base: RunSelection, new: RunSelection, by: GroupBy) -> RunComparisonSpec {
    RunComparisonSpec { base, new, by, ..RunComparisonSpec::default() }
}

fn page(trace: &Trace, list: &ComparedRunList) -> ComparedRuns {
    with_source(trace, |source| RunComparisons::default().page(source, list, 0, 1_000))
}

fn group(trace: &Trace, spec: &RunComparisonSpec, id: u64) -> Option<ComparedRunGroup> {
    with_source(trace, |source| RunComparisons::default().group(source, spec, id))
}

fn list(spec: RunComparisonSpec) -> ComparedRunList {
    ComparedRunList { spec, ..ComparedRunList::default() }
}

/// Group, verdict, and of both sides: number of complete executions, total.
type Group<'a> = (&'a str, DurationVerdict, Option<(u64, i64)>, Option<(u64, i64)>);

fn check(trace: &Trace, list: &ComparedRunList, walls: [i64; 2], expected: &[Group]) {
    let page = page(trace, list);
    let side = |side: Option<crate::protocol::SideMeasures>| {
        side.map(|side| (side.count, side.total.unwrap_or_default()))
    };
    let found: Vec<_> = page
        .rows
        .iter()
        .map(|row| (row.title.as_str(), row.verdict, side(row.base), side(row.new)))
        .collect();
    assert_eq!(found, expected, "{list:?}");
    assert_eq!([page.base.wall, page.new.wall], walls, "{list:?}");
    assert_eq!(page.total as usize, expected.len());
}

#[test]
fn runs_are_compared_by_statement() {
    let trace = testing::trace(TRACE);
    let select = "SELECT a FROM t WHERE x = ?";
    let both = spec(runs(&[0]), runs(&[1]), GroupBy::Shape);
    let slower = (select, DurationVerdict::Slower, Some((4, 46)), Some((4, 406)));
    let insert = ("INSERT INTO v VALUES (?)", DurationVerdict::New, None, Some((1, 10)));
    let delete = ("DELETE FROM u", DurationVerdict::Vanished, Some((1, 10)), None);
    check(&trace, &list(both.clone()), [400, 300], &[slower, delete, insert]);
    let by_name = ComparedRunList { sort: ComparedRunColumn::Group, ..list(both.clone()) };
    check(&trace, &by_name, [400, 300], &[delete, insert, slower]);
    let reversed = ComparedRunList { reversed: true, ..by_name };
    check(&trace, &reversed, [400, 300], &[slower, insert, delete]);
    let verdicts = ComparedRunList { sort: ComparedRunColumn::Verdict, ..list(both) };
    check(&trace, &verdicts, [400, 300], &[slower, insert, delete]);
    for (verdict, of_verdict) in [
        (DurationVerdict::Slower, &[slower][..]),
        (DurationVerdict::New, &[insert]),
        (DurationVerdict::Faster, &[]),
    ] {
        check(&trace, &ComparedRunList { only: Some(verdict), ..verdicts.clone() }, [400, 300], of_verdict);
    }
    let swapped = spec(runs(&[1]), runs(&[0]), GroupBy::Shape);
    let faster = (select, DurationVerdict::Faster, Some((4, 406)), Some((4, 46)));
    let vanished = ("INSERT INTO v VALUES (?)", DurationVerdict::Vanished, Some((1, 10)), None);
    let new = ("DELETE FROM u", DurationVerdict::New, None, Some((1, 10)));
    check(&trace, &list(swapped), [300, 400], &[faster, new, vanished]);
}

#[test]
fn ranges_and_other_groups_are_compared() {
    let trace = testing::trace(TRACE);
    let select = "SELECT a FROM t WHERE x = ?";
    let early = RunSelection { within: Some((0, 60)), ..runs(&[0]) };
    let late = RunSelection { outside: true, ..early.clone() };
    let few = (select, DurationVerdict::TooFew, Some((3, 33)), Some((1, 13)));
    let delete = ("DELETE FROM u", DurationVerdict::New, None, Some((1, 10)));
    check(&trace, &list(spec(early.clone(), late, GroupBy::Shape)), [60, 340], &[few, delete]);
    let empty = RunSelection { within: Some((1, 2)), ..runs(&[0]) };
    let vanished = (select, DurationVerdict::Vanished, Some((3, 33)), None);
    check(&trace, &list(spec(early, empty, GroupBy::Shape)), [60, 1], &[vanished]);
    let kinds = spec(runs(&[0]), runs(&[0]), GroupBy::Kind);
    let query = ("query", DurationVerdict::NoDifference, Some((5, 56)), Some((5, 56)));
    let request = ("request", query.1, query.2, query.3);
    let execution = ("source execution", DurationVerdict::TooFew, Some((1, 4)), Some((1, 4)));
    check(&trace, &list(kinds), [400, 400], &[query, request, execution]);
    // Runs that the trace does not have.
    check(&trace, &list(spec(runs(&[7]), runs(&[9]), GroupBy::Shape)), [0, 0], &[]);
    check(&Trace::default(), &list(RunComparisonSpec::default()), [0, 0], &[]);
}

#[test]
fn a_group_shows_its_distributions_and_examples() {
    let trace = testing::trace(TRACE);
    let both = spec(runs(&[0]), runs(&[1]), GroupBy::Shape);
    let found = group(&trace, &both, 0).expect("there is a first group");
    assert_eq!(found.bars.iter().map(|bar| bar.base).sum::<u32>(), 4);
    assert_eq!(found.bars.iter().map(|bar| bar.new).sum::<u32>(), 4);
    let durations = |of: Option<crate::protocol::SideExamples>| {
        of.map(|of| {
            [of.median, of.longest].map(|example| {
                let Item::Span(id) = Item::from_code(example.item) else { panic!("an execution is a span") };
                assert_eq!(trace.duration(id), example.duration);
                example.duration
            })
        })
    };
    assert_eq!(durations(found.base), Some([11, 13]));
    assert_eq!(durations(found.new), Some([101, 103]));
    // All 16 pairs: from 100 / 13 to 103 / 10. Two samples of four that do not overlap have p = 2 / 70; no other group was tested.
    assert!((found.p.expect("enough executions") - 2.0 / 70.0).abs() < 1e-12);
    let (ratio, low, high) = found.row.change.and_then(|change| change.ratio).expect("positive durations");
    assert_eq!((low, high), (100.0 / 13.0, 103.0 / 10.0));
    assert!(low < ratio && ratio < high);
    assert_eq!(group(&trace, &both, 9), None);
    // A group is found in comparisons of other sides.
    let swapped = spec(runs(&[1]), RunSelection { within: Some((1, 2)), ..runs(&[0]) }, GroupBy::Shape);
    let other = group(&trace, &swapped, found.row.group).expect("the base has the statement");
    assert_eq!((&other.text, &other.row.base), (&found.text, &found.row.new));
}

/// Whether a query belongs to a selection, by the definition.
fn is_chosen(trace: &Trace, id: SpanId, selection: &RunSelection) -> bool {
    let root = trace.tracks.ancestor(trace.tracks.of_span(id), TrackKind::Run);
    let run = trace.runs.iter().position(|run| Some(run.track) == root);
    let start = trace.spans.bounds(id).0;
    let is_inside = selection.within.is_none_or(|(from, until)| from <= start && start < until);
    let of_run = selection.runs.is_empty() || run.is_some_and(|run| selection.runs.contains(&(run as u32)));
    of_run && (is_inside != (selection.outside && selection.within.is_some()))
}

/// Numbers of each group of a generated trace are the sums over its queries.
#[test]
fn numbers_are_those_of_the_spans() {
    let trace = testing::queries(3_000);
    let within = Some((100_000, 1_500_000));
    let inside = RunSelection { within, ..RunSelection::default() };
    let rest = RunSelection { within, outside: true, ..RunSelection::default() };
    let both = spec(inside, rest, GroupBy::Shape);
    let found = page(&trace, &list(both.clone()));
    assert_eq!(found.rows.len(), 37);
    for (of, (selection, totals)) in [(0, (&both.base, &found.base)), (1, (&both.new, &found.new))] {
        let mut executions = 0;
        for row in &found.rows {
            let spans = (0..trace.spans.len() as u32).map(SpanId).filter(|&id| {
                let sql = trace.text(Item::Span(id), key::SQL).map(|sql| trace.str(sql));
                sql == Some(row.title.as_str()) && is_chosen(&trace, id, selection)
            });
            let spans: Vec<SpanId> = spans.collect();
            let outcomes: Vec<Outcome> = spans.iter().map(|&id| outcome(trace.spans.flags(id))).collect();
            let complete =
                spans.iter().zip(&outcomes).filter(|(_, outcome)| **outcome != Outcome::Unfinished);
            let mut durations: Vec<i64> = complete.map(|(&id, _)| trace.duration(id)).collect();
            durations.sort_unstable();
            let side = [row.base, row.new][of].expect("both sides have all statements");
            assert_eq!(side.count as usize, durations.len());
            assert_eq!(side.total, Some(durations.iter().sum()));
            assert_eq!(side.failed as usize, outcomes.iter().filter(|of| **of == Outcome::Failed).count());
            assert_eq!(side.p50, durations.get(durations.len().div_ceil(2) - 1).copied());
            assert_eq!(side.max, durations.last().copied());
            executions += side.count;
        }
        assert_eq!(totals.all.count, executions);
    }
    let all = page(&trace, &list(RunComparisonSpec::default()));
    let sum = found.base.all.total.zip(found.new.all.total).map(|(base, new)| base + new);
    assert_eq!(all.base.all.total, sum, "a range and its rest add up to the whole");
    assert_eq!(found.base.wall + found.new.wall, all.base.wall);
    let same = all.verdicts.iter().all(|(verdict, _)| *verdict == DurationVerdict::NoDifference);
    assert!(same, "a run does not differ from itself: {:?}", all.verdicts);
}

proptest! {
    /// Every order has every group once, and every group has a detail whose bars hold all executions.
    #[test]
    fn orders_and_details_are_complete(cut in 0..60_000_i64, sort in 0..13_usize, reversed: bool, by in 0..5_usize) {
        const COLUMNS: [ComparedRunColumn; 13] = [
            ComparedRunColumn::Group, ComparedRunColumn::Verdict, ComparedRunColumn::Count, ComparedRunColumn::Total,
            ComparedRunColumn::Difference, ComparedRunColumn::P50, ComparedRunColumn::P95, ComparedRunColumn::Change,
            ComparedRunColumn::SelfTime, ComparedRunColumn::RowsRead, ComparedRunColumn::RowsReturned,
            ComparedRunColumn::Bytes, ComparedRunColumn::Failed,
        ];
        let by = [GroupBy::Shape, GroupBy::Name, GroupBy::Kind, GroupBy::Datasource, GroupBy::Connector][by];
        let trace = testing::queries(60);
        let base = RunSelection { within: Some((0, cut)), ..RunSelection::default() };
        let new = RunSelection { outside: true, ..base.clone() };
        let list = ComparedRunList { spec: spec(base, new, by), sort: COLUMNS[sort], reversed, only: None };
        let found = page(&trace, &list);
        let groups: BTreeSet<u64> = found.rows.iter().map(|row| row.group).collect();
        prop_assert_eq!(groups.len(), found.total as usize);
        for row in &found.rows {
            let detail = group(&trace, &list.spec, row.group).expect("the group is in the list");
            let counts = [row.base, row.new].map(|side| side.map_or(0, |side| side.count));
            let bars = detail.bars.iter().fold([0, 0], |sum, bar| [sum[0] + u64::from(bar.base), sum[1] + u64::from(bar.new)]);
            prop_assert_eq!(bars, counts);
            prop_assert_eq!(&detail.row, row);
            prop_assert_eq!([detail.base.is_some(), detail.new.is_some()], counts.map(|count| count > 0));
        }
    }
}

#[test]
fn sides_that_can_have_the_same_executions_overlap() {
    let in_range = |within, outside| RunSelection { within: Some(within), outside, ..runs(&[0]) };
    for (a, b, expected) in [
        (runs(&[0]), runs(&[1]), false),
        (runs(&[0]), runs(&[]), true),
        (runs(&[]), runs(&[1]), true),
        (runs(&[0, 1]), runs(&[1, 2]), true),
        (runs(&[0]), in_range((5, 9), false), true),
        (in_range((0, 5), false), in_range((5, 9), false), false),
        (in_range((0, 6), false), in_range((5, 9), false), true),
        (in_range((5, 9), false), in_range((5, 9), true), false),
        (in_range((5, 10), false), in_range((5, 9), true), true),
        (in_range((5, 9), true), in_range((0, 4), true), true),
    ] {
        assert_eq!((a.overlaps(&b), b.overlaps(&a)), (expected, expected), "{a:?} {b:?}");
    }
}
