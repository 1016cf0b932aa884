use proptest::prelude::*;

use super::*;
use crate::analysis::sample;
use crate::protocol::{MergedDifference, MergedSpec, RunSelection};
use crate::testing;

const MS: i128 = 1_000_000;

fn spec(path: &[FrameDimension], weight: FrameWeight) -> MergedSpec {
    MergedSpec { path: path.to_vec(), weight, ..MergedSpec::default() }
}

/// One line per frame: two blanks per level, label, value (in ms, or the raw value), count.
fn drawn(path: &[FrameDimension], weight: FrameWeight) -> Vec<String> {
    let (trace, mut shapes) = (sample::trace(), SqlShapes::default());
    let merged = Merged::of(&trace, &spec(path, weight), &mut shapes);
    let mut lines = Vec::new();
    let mut open = vec![(0, 0)];
    while let Some((id, depth)) = open.pop() {
        let frame = &merged.frames()[id as usize];
        let unit = if matches!(weight, FrameWeight::Time | FrameWeight::SelfTime) { MS } else { 1 };
        let label = frame.label.text(&trace, &shapes);
        lines.push(format!("{}{label} {} {}", "  ".repeat(depth), frame.value / unit, frame.count));
        open.extend(merged.children(frame).iter().rev().map(|&child| (child, depth + 1)));
    }
    lines
}

fn check(path: &[FrameDimension], weight: FrameWeight, expected: &[&str]) {
    assert_eq!(drawn(path, weight), expected, "{path:?} {weight:?}");
}

#[test]
fn self_time_is_what_no_child_covers() {
    use FrameDimension::{Connector, Datasource, SqlShape};
    check(
        &[SqlShape, Connector, Datasource],
        FrameWeight::SelfTime,
        &[
            "all 22 8",
            "  SELECT a FROM t WHERE x = ? 18 6",
            "    js-conn 12 4",
            "      OrdersAPI 10 2",
            "  DELETE FROM u 4 2",
        ],
    );
}

#[test]
fn time_is_that_of_the_outermost_spans_of_a_frame() {
    use FrameDimension::{Connector, Datasource, Outcome, SqlShape};
    check(
        &[SqlShape, Connector, Datasource],
        FrameWeight::Time,
        &[
            "all 22 7",
            "  SELECT a FROM t WHERE x = ? 18 6",
            "    js-conn 12 4",
            "      OrdersAPI 10 2",
            "  DELETE FROM u 4 1",
        ],
    );
    check(&[Outcome], FrameWeight::Time, &["all 22 3", "  ok 10 1", "  failed 8 1", "  unfinished 4 1"]);
    check(&[], FrameWeight::Time, &["all 22 3"]);
}

#[test]
fn dimensions_that_are_not_known_are_passed_over() {
    use FrameDimension::{BufferType, Connector, SqlShape};
    check(
        &[SqlShape, Connector, BufferType],
        FrameWeight::Bytes,
        &[
            "all 5500 3",
            "  DELETE FROM u 4000 1",
            "    SPILL 4000 1",
            "  SELECT a FROM t WHERE x = ? 1500 2",
            "    js-conn 1500 2",
            "      READ 1500 2",
        ],
    );
}

#[test]
fn rows_are_counted_once_where_they_were_reported() {
    use FrameDimension::{CommandType, Run};
    check(&[Run, CommandType], FrameWeight::RowsRead, &["all 1000 1", "  run 1000 1", "    QUERY 1000 1"]);
    check(&[CommandType], FrameWeight::RowsReturned, &["all 30 2", "  QUERY 30 2"]);
}

#[test]
fn a_path_of_labels_leads_to_its_frame() {
    let (trace, mut shapes) = (sample::trace(), SqlShapes::default());
    let path = [FrameDimension::Connector, FrameDimension::Datasource];
    let merged = Merged::of(&trace, &spec(&path, FrameWeight::Time), &mut shapes);
    let find = |labels: &[&str]| {
        let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
        let frame = &merged.frames()[merged.find(&trace, &shapes, &labels) as usize];
        frame.label.text(&trace, &shapes)
    };
    assert_eq!(find(&[]), "all");
    assert_eq!(find(&["js-conn"]), "js-conn");
    assert_eq!(find(&["js-conn", "OrdersAPI"]), "OrdersAPI");
    assert_eq!(find(&["js-conn", "gone", "OrdersAPI"]), "js-conn");
    let matched = merged.matched(&trace, &shapes, 0, "ordersapi");
    assert_eq!(matched, Some((1, "10.00 ms, 45 % of 22.00 ms".to_owned())));
}

#[test]
fn cards_say_what_a_frame_is() {
    let (trace, mut shapes) = (sample::trace(), SqlShapes::default());
    let merged = Merged::of(&trace, &spec(&[FrameDimension::SqlShape], FrameWeight::Time), &mut shapes);
    let card = frame_card(&trace, &shapes, &merged, 1, 0).expect("there is a frame");
    let lines: Vec<_> = card.lines.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!((card.kind.as_str(), card.title.as_str()), ("SQL shape", "SELECT a FROM t WHERE x = ?"));
    assert_eq!(
        lines,
        ["time: 18.00 ms", "share of total: 82 % of 22.00 ms", "spans and events: 2", "average: 9.000 ms"]
    );
    assert!(frame_card(&trace, &shapes, &merged, 99, 0).is_none());
}

#[test]
fn shares_of_parallel_children_name_their_whole() {
    let trace = testing::trace(
        "run alpha 40
         query q1 0..40 : SELECT 1
         source 0..30 js-conn Orders
         source 5..35 js-conn Items",
    );
    let mut shapes = SqlShapes::default();
    let path = [FrameDimension::SqlShape, FrameDimension::Datasource];
    let merged = Merged::of(&trace, &spec(&path, FrameWeight::Time), &mut shapes);
    let check = |labels: &[&str], expected: [&str; 3]| {
        let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
        let id = merged.find(&trace, &shapes, &labels);
        let card = frame_card(&trace, &shapes, &merged, id, 0).expect("there is a frame");
        let lines: Vec<_> = card.lines.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(lines[..3], expected, "{labels:?}");
    };
    check(
        &["SELECT ?"],
        ["time: 40 ns", "share of total: 100 % of 40 ns", "summed time (width): 60 ns, 100 % of 60 ns"],
    );
    check(
        &["SELECT ?", "Orders"],
        ["time: 30 ns", "share of total: 75 % of 40 ns", "summed time (width): 30 ns, 50 % of 60 ns"],
    );
    let matched = merged.matched(&trace, &shapes, 0, "orders");
    assert_eq!(matched, Some((1, "30 ns, 50 % of 60 ns".to_owned())));
}

#[test]
fn cards_of_a_difference_count_one_side() {
    let trace = testing::trace(
        "run alpha 100
         query q1 0..40 : SELECT 1
         run beta 100
         query q2 0..10 : DELETE FROM t
         query q3 20..50 : DELETE FROM t
         query q4 60..70 : SELECT 2",
    );
    let runs = |run: u32| RunSelection { runs: vec![run], ..RunSelection::default() };
    let check = |width_by_base: bool, label: &str, expected: &[&str]| {
        let sides = MergedDifference { base: runs(0), new: runs(1), width_by_base };
        let of_all = spec(&[FrameDimension::SqlShape], FrameWeight::Time);
        let difference = MergedSpec { difference: Some(Box::new(sides)), ..of_all };
        let mut shapes = SqlShapes::default();
        let merged = Merged::of(&trace, &difference, &mut shapes);
        let id = merged.find(&trace, &shapes, &[label.to_owned()]);
        let card = frame_card(&trace, &shapes, &merged, id, 0).expect("there is a frame");
        let lines: Vec<_> = card.lines.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(lines, expected, "{label}");
    };
    check(
        false,
        "DELETE FROM t",
        &[
            "base: 0 ns",
            "new: 40 ns",
            "difference: +40 ns (new)",
            "share of new: 80 % of 50 ns",
            "spans and events of new: 2",
            "average of new: 20 ns",
        ],
    );
    check(
        true,
        "SELECT ?",
        &[
            "base: 40 ns",
            "new: 10 ns",
            "difference: −30 ns (−75 %)",
            "share of base: 100 % of 40 ns",
            "spans and events of base: 1",
            "average of base: 40 ns",
        ],
    );
}

proptest! {
    #[test]
    fn children_fit_into_their_parents_side_by_side(
        items in sample::odd_items(),
        path in proptest::collection::vec(
            proptest::sample::select(vec![
                FrameDimension::Run,
                FrameDimension::SqlShape,
                FrameDimension::Query,
                FrameDimension::Datasource,
                FrameDimension::BufferType,
                FrameDimension::Outcome,
                FrameDimension::Thread,
                FrameDimension::Name,
                FrameDimension::Stack,
            ]),
            0..6,
        ),
        weight in proptest::sample::select(vec![FrameWeight::Time, FrameWeight::SelfTime, FrameWeight::Bytes, FrameWeight::Count]),
        stacks in stack_laws::forms(),
        hidden in stack_laws::names(),
        collapse_recursion in any::<bool>(),
    ) {
        let trace = sample::odd_trace(&items);
        let spec = MergedSpec { stacks, hidden, collapse_recursion, ..spec(&path, weight) };
        let merged = Merged::of(&trace, &spec, &mut SqlShapes::default());
        let mut n_own = 0;
        for (id, frame) in merged.frames().iter().enumerate() {
            let mut left = frame.start;
            for &child in merged.children(frame) {
                let child = &merged.frames()[child as usize];
                prop_assert_eq!((child.parent as usize, child.start), (id, left));
                left += child.width;
            }
            prop_assert!(left <= frame.start + frame.width);
            n_own += frame.own_count;
        }
        prop_assert_eq!(merged.frames()[0].count, n_own);
        if merged.weight() != FrameWeight::Time {
            let own: i128 = merged.frames().iter().map(|frame| frame.own).sum();
            prop_assert_eq!(merged.frames()[0].width, own);
        }
    }
}

/// Values of both sides by frame, compared with the sums over the spans of each run.
#[test]
fn a_difference_aligns_the_frames_of_both_sides() {
    let trace = testing::trace(
        "run alpha 100
         query q1 0..40 : SELECT 1
         source 5..25 js-conn Orders
         query q2 50..60 : DELETE FROM t
         run beta 100
         query q3 0..70 : SELECT 2
         source 10..60 js-conn Orders
         query q4 80..90 : INSERT INTO u VALUES (1)",
    );
    let runs = |runs: &[u32]| RunSelection { runs: runs.to_vec(), ..RunSelection::default() };
    let path = [FrameDimension::Run, FrameDimension::SqlShape, FrameDimension::Connector];
    let check = |sides: MergedDifference, expected: &[(&str, [i128; 2], i128)]| {
        let mut shapes = SqlShapes::default();
        let difference = Some(Box::new(sides));
        let spec = MergedSpec { path: path.to_vec(), difference, ..MergedSpec::default() };
        let merged = Merged::of(&trace, &spec, &mut shapes);
        let mut found: Vec<(String, [i128; 2], i128)> = (0..merged.frames().len() as u32)
            .map(|id| {
                let frame = &merged.frames()[id as usize];
                let values = merged.sides(id).expect("a difference has two sides");
                (frame.label.text(&trace, &shapes), values, frame.width)
            })
            .collect();
        found.sort();
        let found: Vec<_> =
            found.iter().map(|(label, sides, width)| (label.as_str(), *sides, *width)).collect();
        assert_eq!(found, expected);
    };
    let both = MergedDifference { base: runs(&[0]), new: runs(&[1]), width_by_base: false };
    let frames = |by: usize| {
        [
            ("DELETE FROM t", [10, 0]),
            ("INSERT INTO u VALUES (?)", [0, 10]),
            ("SELECT ?", [40, 70]),
            ("all", [50, 80]),
            ("js-conn", [20, 50]),
        ]
        .map(|(label, sides)| (label, sides, sides[by]))
    };
    check(both.clone(), &frames(1));
    check(MergedDifference { width_by_base: true, ..both.clone() }, &frames(0));
    // Queries that start before 45, with their sources, against the others of all runs.
    let early = RunSelection { within: Some((0, 45)), ..RunSelection::default() };
    let late = RunSelection { outside: true, ..early.clone() };
    let parts = MergedDifference { base: early, new: late, width_by_base: true };
    check(
        parts,
        &[
            ("DELETE FROM t", [0, 10], 0),
            ("INSERT INTO u VALUES (?)", [0, 10], 0),
            ("SELECT ?", [110, 0], 110),
            ("all", [110, 20], 110),
            ("js-conn", [70, 0], 70),
        ],
    );
}
