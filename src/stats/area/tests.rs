use proptest::prelude::*;

use super::*;
use crate::analysis::{SelfTimes, sample};
use crate::base::interner::Interner;
use crate::protocol::{
    AreaNameColumn, AreaNameList, AreaSpanColumn, AreaSpanList, AreaTrack, CounterValue, TrackKey,
};
use crate::testing;
use crate::trace::{Event, Flags, Kind, RecordId, Span, StrId, TraceBuilder};

const RANGES: [(i64, i64); 6] =
    [(i64::MIN, i64::MAX), (0, 4_000), (1_234, 2_345), (2_000, 2_000), (3_000, 1_000), (-50, 0)];

fn spec(trace: &Trace, tracks: &[(u32, bool)], range: (i64, i64)) -> AreaSpec {
    let track = |&(id, is_own_row): &(u32, bool)| {
        TrackKey::of(trace, TrackId(id)).map(|key| AreaTrack { key, is_own_row })
    };
    AreaSpec { tracks: tracks.iter().filter_map(track).collect(), range, ..AreaSpec::default() }
}

fn ids(tracks: &[(u32, bool)]) -> Vec<Option<TrackId>> {
    tracks.iter().map(|(id, _)| Some(TrackId(*id))).collect()
}

/// Whether a track is in the area, by walking up its parents.
fn has(trace: &Trace, tracks: &[(u32, bool)], track: TrackId) -> bool {
    let mut at = Some(track);
    while let Some(id) = at {
        let chosen = tracks.iter().any(|&(of, is_own_row)| of == id.0 && (!is_own_row || id == track));
        if chosen {
            return true;
        }
        at = trace.tracks.get(id).parent;
    }
    false
}

/// Adds up the parts between neighbouring ends that lie in at least one of the intervals.
fn naive_union(intervals: &[(i64, i64)]) -> i64 {
    let mut cuts: Vec<i64> = intervals.iter().flat_map(|of| [of.0, of.1]).collect();
    cuts.sort_unstable();
    cuts.windows(2)
        .filter(|cut| intervals.iter().any(|of| of.0 <= cut[0] && cut[1] <= of.1))
        .map(|cut| cut[1] - cut[0])
        .sum()
}

fn scope<'a>(
    trace: &'a Trace,
    tracks: &[(u32, bool)],
    children: &'a ChildSpans,
    shapes: &'a mut SqlShapes,
) -> AreaScope<'a> {
    let children = trace.is_nested().then_some(children);
    AreaScope { trace, tracks: ids(tracks), children, filter: None, shapes }
}

/// Compares all numbers of an area with sums over its spans, one by one.
fn check(trace: &Trace, tracks: &[(u32, bool)], range: (i64, i64)) {
    let mut areas = Areas::default();
    let children = ChildSpans::of(trace);
    let mut shapes = SqlShapes::default();
    let spec = spec(trace, tracks, range);
    let mut scope = scope(trace, tracks, &children, &mut shapes);
    let area = areas.area(&mut scope, &spec);
    let inside = |id: &SpanId| {
        let (start, end) = trace.spans.bounds(*id);
        let touches =
            range.0 < range.1 && start < range.1 && (end > range.0 || (start == end && start >= range.0));
        has(trace, tracks, trace.tracks.of_span(*id))
            && touches
            && !trace.spans.kind_and_flags(*id).1.has(Flags::SEGMENT)
    };
    let spans: Vec<SpanId> = (0..trace.spans.len() as u32).map(SpanId).filter(inside).collect();
    let clip = |id: &SpanId| {
        let (start, end) = trace.spans.bounds(*id);
        (start.max(range.0), end.min(range.1))
    };
    let intervals: Vec<(i64, i64)> = spans.iter().map(clip).collect();
    let total: i64 = intervals.iter().map(|of| of.1 - of.0).sum();
    let own: i64 = spans
        .iter()
        .map(|id| {
            let children = (0..trace.spans.len() as u32).map(SpanId);
            let children = children.filter(|child| {
                trace.spans.parent(*child) == Some(*id)
                    && !trace.spans.kind_and_flags(*child).1.has(Flags::SEGMENT)
            });
            let own = clip(id);
            let covered: Vec<_> = children
                .map(|child| {
                    let (start, end) = clip(&child);
                    (start.max(own.0), end.min(own.1))
                })
                .filter(|of| of.0 < of.1)
                .collect();
            own.1 - own.0 - naive_union(&covered)
        })
        .sum();
    let events = (0..trace.events.len() as u32).map(EventId).filter(|id| {
        let time = trace.events.time(*id);
        range.0 <= time && time < range.1 && has(trace, tracks, trace.tracks.of_event(*id))
    });
    let events: Vec<EventId> = events.collect();
    let items = spans.iter().map(|id| Item::Span(*id)).chain(events.iter().map(|id| Item::Event(*id)));
    let items: Vec<Item> = items.collect();
    let sum = |key: Key| {
        let sum = sample::counted_once(trace, &items, key)?;
        Some(i64::try_from(sum).expect("the numbers are small"))
    };
    let expected = (spans.len() as u64, events.len() as u64, naive_union(&intervals), total, own);
    let found = (area.spans, area.events, area.wall, area.total, area.self_time);
    assert_eq!(found, expected, "{tracks:?} {range:?}");
    assert_eq!((area.rows, area.bytes), (sum(key::ROWS_RETURNED), sum(key::BYTES)), "{tracks:?} {range:?}");
    check_tables(&mut scope, &spec, &mut areas, (spans.len(), events.len(), total, own));
}

/// The rows of both tables add up to the area, in every order.
fn check_tables(
    scope: &mut AreaScope,
    spec: &AreaSpec,
    areas: &mut Areas,
    (spans, events, total, own): (usize, usize, i64, i64),
) {
    use AreaNameColumn::{Bytes, Count, Max, Mean, Name, Rows, SelfTime, Total, Wall};
    for (sort, reversed) in [Name, Count, Total, SelfTime, Wall, Mean, Max, Rows, Bytes]
        .into_iter()
        .zip([false, true].into_iter().cycle())
    {
        let list = AreaNameList { area: spec.clone(), sort, reversed };
        let page = areas.names(scope, &list, (0, u32::MAX));
        assert_eq!(page.total as usize, page.rows.len());
        let times = || page.rows.iter().filter_map(|row| row.times);
        let sums = (times().map(|of| of.total).sum::<i64>(), times().map(|of| of.self_time).sum::<i64>());
        assert_eq!(sums, (total, own), "{sort:?}");
        assert_eq!(page.rows.iter().map(|row| row.count).sum::<u64>() as usize, spans + events);
        if sort == Count {
            assert!(page.rows.is_sorted_by_key(|row| if reversed {
                row.count
            } else {
                u64::MAX - row.count
            }));
        }
        for row in &page.rows {
            let list = AreaSpanList { area: spec.clone(), group: Some(row.group), ..Default::default() };
            let found = areas.spans(scope, &list, (0, u32::MAX));
            assert_eq!((found.total as u64, found.name.as_deref()), (row.count, Some(&*row.name)));
            let longest = found.rows.iter().filter_map(|row| row.duration).max();
            assert_eq!(longest, row.times.map(|times| times.max));
        }
    }
    for sort in [AreaSpanColumn::Start, AreaSpanColumn::Duration, AreaSpanColumn::SelfTime] {
        let list = AreaSpanList { area: spec.clone(), group: None, sort, reversed: false };
        let page = areas.spans(scope, &list, (0, u32::MAX));
        assert_eq!(page.rows.len(), spans);
        let duration = |row: &crate::protocol::AreaSpanRow| std::cmp::Reverse(row.duration);
        assert!(sort != AreaSpanColumn::Duration || page.rows.is_sorted_by_key(duration));
        assert!(sort != AreaSpanColumn::Start || page.rows.is_sorted_by_key(|row| row.start));
        let second = areas.spans(scope, &list, (1, 2));
        assert_eq!(second.rows, page.rows.iter().skip(1).take(2).cloned().collect::<Vec<_>>());
    }
}

#[test]
fn sums_are_those_of_the_spans() {
    let mut trace = testing::queries(12);
    let all = trace.tracks.len() as u32;
    let query = (0..all).find(|id| trace.tracks.kind(TrackId(*id)) == TrackKind::Query).expect("a query");
    let sets: [&[(u32, bool)]; 6] = [
        &[(0, false)],
        &[(0, true)],
        &[(query, true)],
        &[(query, false), (query + 1, false)],
        &[(query + 1, false), (query, true), (query + 6, false)],
        &[],
    ];
    for tracks in sets {
        RANGES.iter().for_each(|range| check(&trace, tracks, *range));
    }
    // The same from self times that the trace keeps.
    let mut ahead = SelfTimes::default();
    while ahead.step(&mut trace) {}
    assert!(trace.is_nested());
    for tracks in sets {
        RANGES.iter().for_each(|range| check(&trace, tracks, *range));
    }
}

proptest! {
    #[test]
    fn kept_self_times_change_no_sum(
        items in sample::odd_items(),
        (track, is_own_row) in (0_u32..6, any::<bool>()),
        range in (-5_i64..40, -5_i64..60),
    ) {
        let mut trace = sample::odd_trace(&items);
        let (children, tracks) = (ChildSpans::of(&trace), [(track.min(trace.tracks.len() as u32 - 1), is_own_row)]);
        let area = |trace: &Trace, spec: &AreaSpec| {
            Areas::default().area(&mut scope(trace, &tracks, &children, &mut SqlShapes::default()), spec)
        };
        let spec = spec(&trace, &tracks, range);
        let expected = area(&trace, &spec);
        let mut ahead = SelfTimes::default();
        while ahead.step(&mut trace) {}
        prop_assert_eq!(area(&trace, &spec), expected);
    }
}

#[test]
fn an_area_of_a_trace_without_its_tracks_is_empty() {
    let trace = testing::queries(2);
    let spec = spec(&trace, &[(0, false), (1, false)], (0, 100));
    let (other, mut shapes) = (Trace::default(), SqlShapes::default());
    let mut scope = AreaScope {
        trace: &other,
        tracks: vec![None, None],
        children: None,
        filter: None,
        shapes: &mut shapes,
    };
    let area = Areas::default().area(&mut scope, &spec);
    assert_eq!(area, AreaSummary { names: vec![None, None], ..AreaSummary::default() });
}

/// A run of 1,000 ns with a counter of these samples; expected are samples, and minimum, maximum, average, first and last.
fn check_counter(samples: &[(i64, i64)], range: (i64, i64), expected: Option<(u64, [&str; 5])>) {
    let area = counter_area(crate::trace::Unit::Count, samples, range);
    let text = |value: &CounterValue| value.text.clone();
    let found = area
        .counters
        .first()
        .map(|of| (of.samples, [&of.minimum, &of.maximum, &of.average, &of.first, &of.last].map(text)));
    let expected = expected.map(|(samples, values)| (samples, values.map(str::to_owned)));
    assert_eq!(found, expected, "{samples:?} {range:?}");
    assert_eq!((area.spans, area.events), (0, 0));
}

/// An area of a run of 1,000 ns with a counter of these samples.
fn counter_area(unit: crate::trace::Unit, samples: &[(i64, i64)], range: (i64, i64)) -> AreaSummary {
    let mut builder = TraceBuilder::new(Interner::default());
    let name = builder.strings().intern("c");
    let run = builder.run(name, 0, 1000, 0);
    builder.track(builder.root(run), name, TrackKind::Counter);
    let key = builder.key("value", unit);
    let shape = builder.shape(&[key], &[]);
    for &(time, value) in samples {
        let event = Event {
            time,
            parent: None,
            name,
            kind: Kind::Sample,
            flags: Flags::default(),
            record: RecordId::NONE,
        };
        builder.event(event, shape, &[Some(value)]);
    }
    let trace = builder.finish();
    let (children, mut shapes) = (ChildSpans::default(), SqlShapes::default());
    let mut scope = scope(&trace, &[(0, false)], &children, &mut shapes);
    Areas::default().area(&mut scope, &spec(&trace, &[(0, false)], range))
}

/// Other programs get numbers in the counter's unit, with the decimals of an average.
#[test]
fn copied_values_are_in_the_unit_of_the_counter() {
    use crate::trace::Unit;
    let check = |unit, values: [i64; 2], symbol: &str, expected: [&str; 3]| {
        let area = counter_area(unit, &[(0, values[0]), (750, values[1])], (0, 1000));
        let counter = area.counters.first().expect("a counter");
        let found = [&counter.minimum, &counter.maximum, &counter.average].map(|value| &*value.decimal);
        assert_eq!((&*counter.unit, found), (symbol, expected), "{unit:?} {values:?}");
        assert!(counter.minimum.millionths <= counter.average.millionths, "{unit:?} {values:?}");
    };
    check(Unit::Count, [0, 1], "", ["0", "1", "0.25"]);
    check(Unit::Rows, [-10, 5], "", ["-10", "5", "-6.25"]);
    check(Unit::Millionths, [1_000_000, 2_250_000], "", ["1", "2.25", "1.3125"]);
    check(Unit::Bytes, [606_076_928, 606_076_929], "B", ["606076928", "606076929", "606076928.25"]);
    check(Unit::Nanos, [1, 3], "ns", ["1", "3", "1.5"]);
    check(Unit::Count, [i64::MAX, i64::MAX], "", [LARGEST, LARGEST, "9223372036854775808"]);
}

const LARGEST: &str = "9223372036854775807";

#[test]
fn a_value_weighs_as_long_as_it_lasts() {
    let samples = [(100, 10), (300, 50), (300, 20), (700, 0)];
    // 10 for 200 ns, 20 for 400 ns, 0 for 300 ns: 10,000 / 900.
    check_counter(&samples, (0, 1000), Some((4, ["0", "50", "11.11", "10", "0"])));
    // Nothing begins in the range, so the value before it counts.
    check_counter(&samples, (150, 250), Some((0, ["10", "10", "10", "10", "10"])));
    check_counter(&samples, (200, 400), Some((2, ["10", "50", "15", "10", "20"])));
    check_counter(&samples, (0, 100), None);
    check_counter(&samples, (1000, 2000), None);
    check_counter(&[(0, i64::MAX), (500, i64::MIN)], (499, 500), Some((0, [MAX, MAX, MAX, MAX, MAX])));
    check_counter(&[], (0, 1000), None);
}

const MAX: &str = "≥ 9,223,372,036,854,775,807";

/// Number of nanoseconds of a span in which none of its children runs.
fn uncovered(trace: &Trace, span: SpanId) -> i64 {
    let (start, end) = trace.spans.bounds(span);
    let all = (0..trace.spans.len() as u32).map(SpanId);
    let children =
        all.filter(|id| trace.spans.parent(*id) == Some(span) && !trace.spans.flags(*id).has(Flags::SEGMENT));
    let children: Vec<(i64, i64)> = children.map(|id| trace.spans.bounds(id)).collect();
    let covers = |at: i64| children.iter().any(|(from, to)| *from <= at && at < *to);
    (start..end).filter(|at| !covers(*at)).count() as i64
}

fn of_items(trace: &Trace, spec: &AreaSpec) -> AreaSummary {
    let (children, mut shapes) = (ChildSpans::default(), SqlShapes::default());
    Areas::default().area(&mut scope(trace, &[], &children, &mut shapes), spec)
}

/// Sums of single items, compared with those of a list of whole spans.
#[test]
fn single_items_are_summed_as_a_whole() {
    let trace = testing::queries(40);
    let n = trace.spans.len() as u32;
    for codes in
        [vec![3], vec![5, 1, 5, 900_000], (0..n).step_by(3).collect(), vec![7, 1 << 31, (1 << 31) + 1]]
    {
        let spec = AreaSpec { items: codes.clone(), ..AreaSpec::default() };
        let found = of_items(&trace, &spec);
        let mut known: Vec<u32> = codes.iter().copied().filter(|code| *code < n).collect();
        known.sort_unstable();
        known.dedup();
        let spans: Vec<(i64, i64)> = known.iter().map(|id| trace.spans.bounds(SpanId(*id))).collect();
        let mut lengths: Vec<i64> = spans.iter().map(|(start, end)| end - start).collect();
        lengths.sort_unstable();
        // Instants at which any of the spans runs.
        let end = spans.iter().map(|(_, end)| *end).max().unwrap_or(0);
        let wall = (0..end).filter(|at| spans.iter().any(|(start, end)| start <= at && at < end)).count();
        let own: i64 = known.iter().map(|id| uncovered(&trace, SpanId(*id))).sum();
        assert_eq!(found.spans, spans.len() as u64);
        assert_eq!(found.events, codes.iter().filter(|code| **code >= 1 << 31).count() as u64);
        assert_eq!((found.total, found.self_time, found.wall), (lengths.iter().sum(), own, wall as i64));
        let middle = lengths[(lengths.len() - 1) / 2];
        assert_eq!(found.durations, Some([lengths[0], middle, lengths[lengths.len() - 1]]), "{codes:?}");
    }
    let spec = AreaSpec { items: vec![900_000], ..AreaSpec::default() };
    let none = of_items(&trace, &spec);
    assert_eq!((none.spans, none.durations, none.wall), (0, None, 0));
}

#[test]
fn idle_spans_have_no_wall_time_in_the_sums() {
    use Kind::{Idle, Query, Wait};
    let mut builder = TraceBuilder::new(Interner::default());
    let run = builder.run(StrId::EMPTY, 0, 100, 0);
    builder.track(builder.root(run), StrId::EMPTY, TrackKind::Thread);
    let shape = builder.shape(&[], &[]);
    for (kind, start, end) in [(Query, 0, 10), (Idle, 5, 60), (Wait, 20, 30), (Query, 25, 40), (Idle, 70, 90)]
    {
        let name = StrId::EMPTY;
        let flags = Flags::default();
        let none = RecordId::NONE;
        let duration = end - start;
        let span =
            Span { start, duration, parent: None, name, kind, flags, depth: 0, begin: none, end: none };
        builder.span(span, shape, &[], &[]);
    }
    let trace = builder.finish();
    let children = ChildSpans::default();
    // Spans, their wall time without idle spans, total, and the wall time of the idle spans in their own row.
    for (range, expected) in [
        // From 0 to 10 and from 20 to 40.
        ((0, 100), (5, 30, 110, Some(75))),
        // From 8 to 10 and from 20 to 28; 2 + 20 + 8 + 3 in total.
        ((8, 28), (4, 10, 33, Some(20))),
        ((70, 100), (1, 0, 20, Some(20))),
        ((0, 5), (1, 5, 5, None)),
    ] {
        let (mut shapes, mut areas) = (SqlShapes::default(), Areas::default());
        let mut scope = scope(&trace, &[(0, false)], &children, &mut shapes);
        let spec = spec(&trace, &[(0, false)], range);
        let area = areas.area(&mut scope, &spec);
        let names =
            areas.names(&mut scope, &AreaNameList { area: spec, ..Default::default() }, (0, u32::MAX));
        let idle = names.rows.iter().find(|row| row.kind == "idle").and_then(|row| row.times);
        let found = (area.spans, area.wall, area.total, idle.map(|times| times.wall));
        assert_eq!(found, expected, "{range:?}");
    }
    let items: Vec<u32> = (0..trace.spans.len() as u32).collect();
    let gathered = of_items(&trace, &AreaSpec { items, ..AreaSpec::default() });
    assert_eq!((gathered.spans, gathered.wall, gathered.total), (5, 30, 110));
}
