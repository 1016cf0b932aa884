//! Properties of time ranges, for random traces and ranges: a pivot table counts the items that overlap the range, clipped,
//! as do the range summary, a trace cut to the range, and a brute-force count; adjacent ranges add up to the whole.

use proptest::prelude::*;

use super::*;
use crate::analysis::{SqlShapes, sample};
use crate::protocol::{FrameDimension, FrameWeight, MergedSpec, PivotSpec, PivotView, PlainField};
use crate::stats::{Merged, range};
use crate::trace::{EventId, Flags, Item, SpanId, Trace, key};

/// Items with times close together, so that borders coincide; all durations are finite.
fn items() -> impl Strategy<Value = Vec<sample::Odd>> {
    let item = (any::<u8>(), -20_i64..20, 0_i64..30, any::<u16>(), any::<u8>());
    proptest::collection::vec(item, 0..40)
}

fn ranges() -> impl Strategy<Value = (i64, i64)> {
    prop_oneof![
        (-25_i64..55, 0_i64..40).prop_map(|(from, length)| (from, from + length)),
        (-25_i64..55).prop_map(|to| (i64::MIN, to)),
        (-25_i64..55).prop_map(|from| (from, i64::MAX)),
        Just((i64::MIN, i64::MAX)),
    ]
}

/// The measures of a table without dimensions.
fn measured(trace: &Trace, measures: &str, filter: &str, range: Option<(i64, i64)>) -> Vec<Option<i128>> {
    let by = String::new();
    let measures = measures.to_owned();
    let filter = filter.to_owned();
    let view = PivotView {
        spec: PivotSpec { by, measures, filter, range, ..PivotSpec::default() },
        ..PivotView::default()
    };
    let mut rows: Vec<Vec<PlainField>> = Vec::new();
    Pivot::default()
        .each(trace, &view, false, &mut |fields| rows.push(fields.to_vec()))
        .expect("the question is understood");
    let number = |field: &PlainField| match field {
        PlainField::Number(digits) => digits.parse().ok(),
        _ => None,
    };
    rows.get(1).map(|row| row.iter().map(number).collect()).unwrap_or_default()
}

/// The intervals of the points, from the trace: spans that are not segments of other spans, then events.
fn intervals(trace: &Trace) -> Vec<(Item, i64, i64)> {
    let spans = (0..trace.spans.len() as u32).map(SpanId);
    let spans = spans.filter(|&id| !trace.spans.flags(id).has(Flags::SEGMENT)).map(|id| {
        let span = trace.spans.get(id);
        (Item::Span(id), span.start, span.start + span.duration)
    });
    let events = (0..trace.events.len() as u32).map(EventId);
    let events = events.map(|id| (Item::Event(id), trace.events.time(id), trace.events.time(id)));
    spans.chain(events).collect()
}

/// Number of nanoseconds of an interval inside a range, counted one by one; 0 for an instant inside the range, `None` if
/// nothing is inside.
fn nanoseconds((start, end): (i64, i64), (from, to): (i64, i64)) -> Option<i64> {
    if start == end {
        return (from <= start && start < to).then_some(0);
    }
    let inside = (start..end).filter(|at| (from..to).contains(at)).count() as i64;
    (inside > 0).then_some(inside)
}

proptest! {
    #[test]
    fn a_table_counts_what_a_brute_force_counts(items in items(), range in ranges()) {
        let trace = sample::odd_trace(&items);
        let mut times: Vec<i64> = Vec::new();
        let (mut points, mut bytes) = (0_i128, Vec::new());
        for (item, start, end) in intervals(&trace) {
            if let Some(time) = nanoseconds((start, end), range) {
                points += 1;
                times.extend(matches!(item, Item::Span(_)).then_some(time));
                bytes.extend(trace.num(item, key::READ_TIME));
            }
        }
        times.sort_unstable();
        let sum = |numbers: &[i64]| numbers.iter().map(|n| i128::from(*n)).sum::<i128>();
        let reported = |number: i128, numbers: &[i64]| (!numbers.is_empty()).then_some(number);
        let median = times.len().div_ceil(2).checked_sub(1).and_then(|at| times.get(at));
        let expected = [
            Some(points),
            reported(sum(&times), &times),
            times.first().map(|time| i128::from(*time)),
            reported(sum(&times).div_euclid(times.len().max(1) as i128), &times),
            times.last().map(|time| i128::from(*time)),
            median.map(|time| i128::from(*time)),
            reported(sum(&bytes), &bytes),
        ];
        let found = measured(&trace, "count,sum,min,avg,max,p50,sum(reading time)", "", Some(range));
        prop_assert_eq!(if points == 0 { Vec::new() } else { expected.to_vec() }, found);
    }

    #[test]
    fn a_table_is_the_summary_of_the_range(items in items(), within in ranges()) {
        let trace = sample::odd_trace(&items);
        let summary = range(&trace, (within.0, within.1), None);
        for kind in &summary.kinds {
            let filter = format!("kind = \"{}\"", kind.kind);
            let found = measured(&trace, "count,sum", &filter, Some(within));
            let expected = vec![Some(i128::from(kind.count)), kind.time.map(i128::from)];
            prop_assert_eq!(found, expected, "{}", kind.kind);
        }
        let counted: u64 = summary.kinds.iter().map(|kind| kind.count).sum();
        let all = measured(&trace, "count", "", Some(within));
        prop_assert_eq!(all, if counted == 0 { vec![] } else { vec![Some(i128::from(counted))] });
    }

    #[test]
    fn a_table_of_a_range_is_one_of_the_trace_that_was_cut(items in items(), range in ranges()) {
        const MEASURES: &str = "count,sum,max,p90,sum(self),max(self),avg(reading time)";
        let (trace, cut) = (sample::odd_trace(&items), sample::odd_trace(&items).cut_to(range));
        for filter in ["", "kind != query", "a"] {
            prop_assert_eq!(
                measured(&trace, MEASURES, filter, Some(range)),
                measured(&cut, MEASURES, filter, None),
                "{}", filter
            );
        }
    }

    #[test]
    fn a_flame_graph_of_a_range_is_one_of_the_trace_that_was_cut(items in items(), range in ranges()) {
        let (trace, cut) = (sample::odd_trace(&items), sample::odd_trace(&items).cut_to(range));
        // Rows and bytes count once among the spans around them, which may be outside of the range here, and missing after the cut.
        for weight in [FrameWeight::SelfTime, FrameWeight::Count, FrameWeight::Argument(0)] {
            let all = |trace: &Trace, range| {
                let path = [FrameDimension::Run, FrameDimension::Name];
                let (path, arguments) = (path.to_vec(), vec!["reading time".to_owned()]);
                let spec = MergedSpec { path, arguments, weight, range, ..MergedSpec::default() };
                let merged = Merged::of(trace, &spec, &mut SqlShapes::default());
                merged.get(0).map(|frame| (frame.value, frame.count))
            };
            prop_assert_eq!(all(&trace, Some(range)), all(&cut, None), "{:?}", weight);
        }
    }

    #[test]
    fn ranges_side_by_side_add_up_to_the_whole(items in items(), mut cuts in proptest::collection::vec(-25_i64..55, 0..6)) {
        let trace = sample::odd_trace(&items);
        cuts.sort_unstable();
        let borders: Vec<i64> = [i64::MIN].into_iter().chain(cuts).chain([i64::MAX]).collect();
        let sum = |measure: &str, filter: &str, range| {
            measured(&trace, measure, filter, range).first().copied().flatten().unwrap_or(0)
        };
        let parts = |measure: &str, filter: &str| -> i128 {
            borders.windows(2).map(|pair| sum(measure, filter, Some((pair[0], pair[1])))).sum()
        };
        // Self time adds up as well: each moment that no nested span covers is in exactly one range.
        for measure in ["sum", "sum(self)"] {
            prop_assert_eq!(parts(measure, ""), sum(measure, "", None), "{}", measure);
        }
        // An item without a duration is in exactly one range.
        prop_assert_eq!(parts("count", "duration = 0ns"), sum("count", "duration = 0ns", None));
    }
}
