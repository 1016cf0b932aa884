//! Properties of aggregates, for random traces: a roll-up equals the aggregate of the points, composed projections equal
//! their successive application, and the order of points does not matter.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::analysis::sample;
use crate::protocol::{PivotSpec, PivotView, PlainField};
use crate::trace::Trace;

const DIMENSIONS: [&str; 14] = [
    "name",
    "name[ 1]",
    "name[ 1][#]",
    "kind",
    "track",
    "run",
    "status",
    "parent",
    "SQL",
    "SQL[shape]",
    "in datasource",
    "rows read[log]",
    "start[10ns]",
    "duration[log]",
];
const MEASURES: &str = "count, sum, min, avg, max, p50, p95, sum(self), p90(self), sum(rows read), max(bytes), p99(reading time)";

const FILTERS: [&str; 4] = ["", "duration > 3ns", "a", "duration > 3ns kind != query"];
const RANGES: [Option<(i64, i64)>; 3] = [None, Some((0, 9)), Some((5, 30))];

/// The page of a table, with its first group opened, as text.
fn page(trace: &Trace, pivot: &mut Pivot, spec: &PivotSpec) -> String {
    let closed = PivotView { spec: spec.clone(), ..PivotView::default() };
    let first = pivot.page(trace, &closed, 0, 100);
    let open = first.rows.first().map(|row| row.path.clone()).into_iter().collect();
    format!("{first:?} {:?}", pivot.page(trace, &PivotView { open, ..closed }, 0, 100))
}

/// The measures of each group, keyed by the group's values.
fn groups(trace: &Trace, pivot: &mut Pivot, spec: &PivotSpec) -> BTreeMap<Vec<PlainField>, Vec<PlainField>> {
    let view = PivotView { spec: spec.clone(), ..PivotView::default() };
    let mut found = BTreeMap::new();
    let (mut n_dimensions, mut is_head) = (0, true);
    pivot
        .each(trace, &view, false, &mut |fields| {
            if std::mem::take(&mut is_head) {
                n_dimensions = fields.len() - 12;
                return;
            }
            let (values, measures) = fields.split_at(n_dimensions);
            let before = found.insert(values.to_vec(), measures.to_vec());
            assert_eq!(before, None, "a group comes once");
        })
        .expect("the question is understood");
    found
}

fn count(field: &PlainField) -> u64 {
    let PlainField::Number(count) = field else { panic!("{field:?} is no count") };
    count.parse().expect("a count")
}

fn spec(by: &[&str]) -> PivotSpec {
    PivotSpec { by: by.join(","), measures: MEASURES.to_owned(), ..PivotSpec::default() }
}

fn dimensions(n: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<&'static str>> {
    proptest::collection::vec(proptest::sample::select(DIMENSIONS.to_vec()), n)
}

proptest! {
    #[test]
    fn a_roll_up_is_what_the_points_give(
        items in sample::odd_items(),
        fine in dimensions(1..5),
        kept in proptest::collection::vec(any::<bool>(), 5),
    ) {
        let trace = sample::odd_trace(&items);
        let coarse: Vec<&str> = fine.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(by, _)| *by).collect();
        let mut warm = Pivot::default();
        groups(&trace, &mut warm, &spec(&fine));
        let rolled = groups(&trace, &mut warm, &spec(&coarse));
        prop_assert_eq!(rolled, groups(&trace, &mut Pivot::default(), &spec(&coarse)));
    }

    #[test]
    fn a_composition_is_one_projection_after_the_other(items in sample::odd_items(), with in dimensions(0..3)) {
        let trace = sample::odd_trace(&items);
        for chain in [&["name", "name[ 1]", "name[ 1][#]"], &["SQL", "SQL[#]", "SQL[#][shape]"]] {
            let by = |last| with.iter().copied().chain([last]).collect::<Vec<_>>();
            let mut warm = Pivot::default();
            let stepwise: Vec<_> = chain.iter().map(|last| groups(&trace, &mut warm, &spec(&by(last)))).collect();
            let direct = groups(&trace, &mut Pivot::default(), &spec(&by(chain[2])));
            prop_assert_eq!(&stepwise[2], &direct);
        }
    }

    #[test]
    fn what_was_asked_before_never_matters(
        items in sample::odd_items(),
        asked in proptest::collection::vec((dimensions(0..4), 0_usize..FILTERS.len(), 0_usize..RANGES.len()), 1..7),
    ) {
        let trace = sample::odd_trace(&items);
        let mut warm = Pivot::default();
        let mut by: Vec<&str> = Vec::new();
        for (dimensions, filter, range) in asked {
            // As users do: one more dimension, or different dimensions.
            by = if dimensions.len() == 1 { [by, dimensions].concat() } else { dimensions };
            by.truncate(5);
            let (filter, range) = (FILTERS[filter].to_owned(), RANGES[range]);
            let spec = PivotSpec { filter, range, ..spec(&by) };
            prop_assert_eq!(groups(&trace, &mut warm, &spec), groups(&trace, &mut Pivot::default(), &spec));
            prop_assert_eq!(page(&trace, &mut warm, &spec), page(&trace, &mut Pivot::default(), &spec));
        }
    }

    #[test]
    fn every_point_is_in_one_group(items in sample::odd_items(), by in dimensions(0..5)) {
        let trace = sample::odd_trace(&items);
        let counted = |by: &[&str]| {
            let found = groups(&trace, &mut Pivot::default(), &spec(by));
            found.values().map(|measures| count(&measures[0])).sum::<u64>()
        };
        prop_assert_eq!(counted(&by), counted(&[]));
    }

    #[test]
    fn the_order_of_points_never_matters(
        items in proptest::collection::vec((0_i64..50, 0_i64..20, 0_u8..7), 0..40),
        by in dimensions(0..4),
        seed in any::<u64>(),
    ) {
        let mut mixed = items.clone();
        // Sorted by a hash, so that the new order is unrelated to the first.
        mixed.sort_by_key(|item| (item.0 as u64 ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let of = |items: &[(i64, i64, u8)]| groups(&flat(items), &mut Pivot::default(), &spec(&by));
        prop_assert_eq!(of(&items), of(&mixed));
    }
}

/// A trace of slices without parents.
fn flat(items: &[(i64, i64, u8)]) -> Trace {
    let spans = items.iter().map(|&(start, duration, text)| (9 + 16 * (text % 3), start, duration, 0, text));
    let spans: Vec<_> = spans.collect();
    let trace = sample::odd_trace(&spans);
    without_parents(&trace)
}

fn without_parents(trace: &Trace) -> Trace {
    use crate::base::interner::Interner;
    use crate::trace::{Item, Span, SpanId, TraceBuilder, key};
    let mut builder = TraceBuilder::new(Interner::default());
    let name = builder.strings().intern("run");
    builder.run(name, 0, 0, 0);
    let shape = builder.shape(&[key::ROWS_READ, key::BYTES], &[key::SQL]);
    for id in (0..trace.spans.len() as u32).map(SpanId) {
        let span = trace.spans.get(id);
        let name = builder.strings().intern(trace.str(span.name));
        let nums = [key::ROWS_READ, key::BYTES].map(|key| trace.num(Item::Span(id), key));
        builder.span(Span { parent: None, name, ..span }, shape, &nums, &[name]);
    }
    builder.finish()
}
