use super::*;
use crate::base::interner::Interner;
use crate::protocol::{Compare, RunSelection};
use crate::trace::{Flags, Kind, RecordId, Span, TraceBuilder, TrackKind, Unit, attribute_names, key};

/// Instruction: place, step, start and end.
type Row<'a> = (i64, &'a str, i64, i64);

/// Trace with one run per execution, given by its statement and its instructions (times relative to its start).
fn trace(executions: &[(&str, &[Row])]) -> Trace {
    let mut builder = TraceBuilder::new(Interner::default());
    let place = builder.key(attribute_names::PLAN_PLACE, Unit::Count);
    let step = builder.key(attribute_names::STEP, Unit::Text);
    let query = builder.shape(&[], &[key::SQL]);
    let instruction = builder.shape(&[place], &[step]);
    let span = |parent, name, kind, (start, end): (i64, i64)| {
        let (flags, none) = (Flags::default(), RecordId::NONE);
        Span { start, duration: end - start, parent, name, kind, flags, depth: 0, begin: none, end: none }
    };
    for &(sql, rows) in executions {
        let name = builder.strings().intern("run");
        let run = builder.run(name, 0, 1000, 0);
        let root = builder.root(run);
        builder.track(root, name, TrackKind::Thread);
        let sql = builder.strings().intern(sql);
        let last = rows.iter().map(|row| row.3).max().unwrap_or(0);
        let above = builder.span(span(None, sql, Kind::Query, (0, last)), query, &[], &[sql]);
        for &(place, step, start, end) in rows {
            let step = builder.strings().intern(step);
            let span = span(Some(above), step, Kind::Slice, (start, end));
            builder.span(span, instruction, &[Some(place)], &[step]);
        }
    }
    builder.finish()
}

fn compare(trace: &Trace, view: &CompareView) -> Compare {
    answer(trace, &CompareRequest { view: view.clone(), ..CompareRequest::default() })
}

fn answer(trace: &Trace, request: &CompareRequest) -> Compare {
    Comparison::default().compare(trace, &Queries::of(trace), &ChildSpans::of(trace), request)
}

/// Each step as `name: time in a@place×runs, time in b@place×runs`.
fn rows(reply: &Compare) -> Vec<String> {
    let side = |sum: &Option<StepSum>| {
        let place = |sum: &StepSum| sum.place.map_or_else(String::new, |place| format!("@{place}"));
        sum.as_ref().map_or_else(|| "-".to_owned(), |sum| format!("{}{}×{}", sum.time, place(sum), sum.runs))
    };
    reply.steps.iter().map(|step| format!("{}: {}, {}", step.name, side(&step.a), side(&step.b))).collect()
}

const SELECT: &str = "SELECT a FROM t WHERE x = ";

/// Two runs of one statement: `select` at the same place, `join` at another, `sort` only in run a, `pack` only in run b.
fn sample() -> Trace {
    trace(&[
        (&format!("{SELECT}1"), &[(1, "select", 0, 10), (2, "join", 10, 90), (3, "sort", 90, 95)]),
        (&format!("{SELECT}2"), &[(1, "select", 0, 15), (2, "pack", 15, 20), (3, "join", 20, 40)]),
    ])
}

#[test]
fn steps_stand_beside_their_like() {
    let reply = compare(&sample(), &CompareView::default());
    assert_eq!(
        rows(&reply),
        [
            "join: 80@2×1, 20@3×1",
            "select: 10@1×1, 15@1×1",
            "pack: -, 5@2×1",
            "sort: 5@3×1, -",
            "(self time): 0×1, 0×1",
        ]
    );
    assert_eq!((reply.only, reply.sums, reply.n_steps, reply.has_places), ((1, 1), (95, 40), 5, true));
    let [a, b] = [&reply.a, &reply.b].map(|of| of.as_ref().map(|of| (of.item, of.duration)));
    assert_eq!((a, b), (Some((0, 95)), Some((4, 40))));
    let statements: Vec<_> =
        reply.statements.iter().map(|of| (of.title.as_str(), of.count, of.time)).collect();
    assert_eq!(statements, [("SELECT a FROM t WHERE x = ?", 2, 135)]);
}

#[test]
fn steps_are_ordered_by_any_column() {
    let trace = sample();
    for (sort, ascending, first) in [
        (CompareColumn::Step, true, "(self time)"),
        (CompareColumn::Step, false, "sort"),
        (CompareColumn::A, false, "join"),
        (CompareColumn::A, true, "(self time)"),
        (CompareColumn::B, false, "join"),
        (CompareColumn::Ratio, false, "pack"),
        (CompareColumn::Difference, true, "(self time)"),
    ] {
        let reply = compare(&trace, &CompareView { sort, ascending, ..CompareView::default() });
        assert_eq!(reply.steps[0].name, first, "{sort:?} {ascending}");
    }
}

#[test]
fn the_same_step_at_several_places_is_paired_place_by_place_or_folded() {
    let a: &[Row] = &[(1, "bind", 0, 1), (2, "bind", 1, 3), (3, "bind", 3, 7)];
    let b: &[Row] = &[(2, "bind", 0, 8), (5, "bind", 8, 24)];
    let trace = trace(&[("SELECT 1", a), ("SELECT 2", b)]);
    let view =
        CompareView { a: Some(0), sort: CompareColumn::Step, ascending: true, ..CompareView::default() };
    let pairs = rows(&compare(&trace, &view));
    assert_eq!(pairs[1..], ["bind: 1@1×1, 16@5×1", "bind: 2@2×1, 8@2×1", "bind: 4@3×1, -"]);
    let folded = compare(&trace, &CompareView { fold: true, ..view });
    assert_eq!(rows(&folded)[1..], ["bind: 7@1×3, 24@2×2"]);
    let [Some(one), Some(other)] = [&folded.steps[1].a, &folded.steps[1].b] else { panic!("both ran") };
    assert_eq!((one.longest, other.longest, one.item), (4, 16, 3));
}

#[test]
fn what_lies_inside_counts_once_unless_times_are_whole() {
    let rows_of = |inclusive| {
        let view = CompareView { inclusive, ..CompareView::default() };
        rows(&compare(&sample(), &view)).into_iter().find(|row| row.starts_with("(self time)"))
    };
    assert_eq!(rows_of(false).as_deref(), Some("(self time): 0×1, 0×1"));
    assert_eq!(rows_of(true).as_deref(), Some("(self time): 95×1, 40×1"));
}

#[test]
fn an_execution_stands_beside_one_other_or_all_others() {
    let run = |end: i64| -> [Row<'static>; 1] { [(1, "select", 0, end)] };
    let a = run(10);
    let b = run(20);
    let c = run(60);
    let d = run(30);
    let trace = trace(&[
        ("SELECT 1", &a),
        ("SELECT 2", &b),
        ("SELECT 3", &c),
        ("SELECT 4", &d),
        ("DELETE FROM t", &[]),
    ]);
    for (one, other, expected) in [
        // The longest execution, compared with the median of the other executions.
        (None, CompareWith::Typical, ("select: 60@1×1, 20@1×1", 1)),
        (Some(0), CompareWith::Typical, ("select: 10@1×1, 30@1×1", 1)),
        (Some(0), CompareWith::Others, ("select: 10@1×1, 110@1×3", 3)),
        (Some(1), CompareWith::Item(3), ("select: 10@1×1, 20@1×1", 1)),
        // Compared with itself or with nothing, side b is empty.
        (Some(0), CompareWith::Item(0), ("select: 10@1×1, -", 1)),
        (Some(0), CompareWith::Item(999), ("select: 10@1×1, -", 0)),
        (Some(8), CompareWith::Typical, ("(self time): 0×1, -", 0)),
        // An item that does not exist is ignored.
        (Some(999), CompareWith::Typical, ("select: 60@1×1, 20@1×1", 1)),
    ] {
        let reply = compare(&trace, &CompareView { a: one, b: other, ..CompareView::default() });
        assert_eq!((rows(&reply)[0].as_str(), reply.n_b), expected, "{one:?} {other:?}");
    }
}

/// Durations of the compared executions identify them: each run has one execution.
#[test]
fn chosen_runs_are_compared_until_the_user_chooses_executions() {
    let run = |end: i64| -> [Row<'static>; 1] { [(1, "select", 0, end)] };
    let rows = [10, 20, 60, 30, 90].map(run);
    let texts = ["SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4", "DELETE FROM t"];
    let executions: Vec<(&str, &[Row])> =
        texts.into_iter().zip(&rows).map(|(sql, rows)| (sql, &rows[..])).collect();
    let trace = trace(&executions);
    let queries = Queries::of(&trace);
    let item = |row: u32| Some(Item::Span(queries.span(row)).code());
    for (selected, [base, new], expected) in [
        (None, [0, 1], (20, Some(10))),
        (None, [1, 0], (10, Some(20))),
        // A selection on the new side is compared; one on the base decides the statement; any other is ignored.
        (item(1), [0, 1], (20, Some(10))),
        (item(0), [0, 1], (20, Some(10))),
        (item(2), [0, 1], (20, Some(10))),
        (item(0), [0, 4], (90, None)),
        // Without a statement of both sides, the new side decides.
        (None, [0, 4], (90, None)),
        (None, [4, 0], (10, Some(30))),
    ] {
        let side = |run: u32| RunSelection { runs: vec![run], ..RunSelection::default() };
        let sides = Some([side(base), side(new)]);
        let request = CompareRequest { selection: selected, sides, ..CompareRequest::default() };
        let reply = answer(&trace, &request);
        let found = (reply.a.map_or(0, |a| a.duration), reply.b.map(|b| b.duration));
        assert_eq!(found, expected, "{selected:?} {base} {new}");
        let listed: Vec<i64> = reply.executions.iter().take(1).map(|of| of.duration).collect();
        assert!(expected == (90, None) || listed[0] <= 20, "the executions of the sides come first");
    }
}

#[test]
fn a_trace_without_statements_has_nothing_to_compare() {
    let reply = compare(&Trace::default(), &CompareView::default());
    assert_eq!((reply.a, reply.n_statements, reply.steps.len()), (None, 0, 0));
}

/// Number of longer executions, median, and name and excess of a step.
type Numbers<'a> = (u32, i64, Option<(&'a str, i64)>);

/// Checks for execution `at` the number of longer executions, the median, and the step with the most excess time. `executions` are
/// the durations of the scan and the sort of each execution of one statement.
fn check_siblings(executions: &[(i64, i64)], at: u32, expected: Option<Numbers>) {
    let rows: Vec<[Row; 2]> = executions
        .iter()
        .map(|&(scan, sort)| [(1, "scan", 0, scan), (2, "sort", scan, scan.saturating_add(sort))])
        .collect();
    let statements: Vec<(&str, &[Row])> = rows.iter().map(|rows| ("SELECT 1", &rows[..])).collect();
    let trace = trace(&statements);
    let queries = Queries::of(&trace);
    let item = Item::Span(queries.span(at)).code();
    let found = Comparison::default().siblings(&trace, &queries, &ChildSpans::of(&trace), item);
    let numbers = found.as_ref().map(|found| {
        (found.longer, found.median, found.step.as_ref().map(|step| (step.name.as_str(), step.excess)))
    });
    assert_eq!(numbers, expected, "{executions:?}");
}

#[test]
fn an_execution_stands_among_its_siblings() {
    // Durations 5, 6, 20: the one with the median duration among the others has 6.
    check_siblings(&[(4, 1), (5, 1), (17, 3)], 2, Some((0, 6, Some(("scan", 12)))));
    check_siblings(&[(4, 1), (5, 1), (5, 15)], 2, Some((0, 6, Some(("sort", 14)))));
    check_siblings(&[(4, 1), (5, 1), (17, 3)], 0, Some((2, 6, None)));
    check_siblings(&[(4, 1), (4, 1)], 0, Some((0, 5, None)));
    check_siblings(&[(0, 0), (0, 0), (0, 0)], 1, Some((0, 0, None)));
    check_siblings(&[(i64::MAX, 0), (0, 1)], 0, Some((0, 1, Some(("scan", i64::MAX)))));
    check_siblings(&[(4, 1)], 0, Some((0, 5, None)));
}

/// Inside an execution, a span is compared with the spans of its name, not with the executions of the statement.
#[test]
fn spans_of_a_statement_stand_among_those_of_their_name() {
    let rows: &[Row] = &[(1, "scan", 0, 4), (2, "scan", 4, 10), (3, "sort", 10, 11)];
    let trace = trace(&[("SELECT 1", rows), ("SELECT 2", &rows[..2])]);
    let (queries, children) = (Queries::of(&trace), ChildSpans::of(&trace));
    for (id, expected) in [
        (0, (2, false, "SELECT 1")),
        (1, (4, true, "scan")),
        (3, (1, true, "sort")),
        (4, (2, false, "SELECT 2")),
    ] {
        let item = Item::Span(SpanId(id));
        let found = Comparison::default().siblings(&trace, &queries, &children, item.code());
        let name = trace.str(trace.name(item));
        let found = found.map(|found| (found.executions, found.is_of_slices, name));
        assert_eq!(found, Some(expected), "span {id}");
    }
}

/// Traces without plans report rows that their executions return or read.
#[test]
fn steps_have_the_rows_that_they_report() {
    let trace = crate::analysis::sample::trace();
    let reply = compare(&trace, &CompareView::default());
    let rows = |of: fn(&CompareStep) -> &Option<StepSum>| {
        reply.steps.iter().filter_map(move |step| of(step).as_ref()?.rows).collect::<Vec<i64>>()
    };
    assert_eq!((rows(|step| &step.a), rows(|step| &step.b)), (vec![20], vec![10]));
    assert!(reply.has_base());
    let a = reply.a.map(|a| a.item);
    let same = CompareView { a, b: CompareWith::Item(a.unwrap_or_default()), ..CompareView::default() };
    assert!(!compare(&trace, &same).has_base());
}
