use super::*;
use crate::analysis::ChildSpans;
use crate::base::interner::Interner;
use crate::protocol::{HeatRow, PathRestKind, PathRule};
use crate::trace::{Flags, Flow, Kind, RecordId, ShapeId, Span, TraceBuilder, Unit, attribute_names, key};

pub(super) type Row<'a> = (&'a str, Kind, i64, i64, u16);

/// A run from 0 to 100 with these threads. `arrows` are stated dependencies between spans, given by their numbers.
pub(super) fn trace(threads: &[&[Row]], arrows: &[(u32, u32)]) -> Trace {
    let mut builder = TraceBuilder::new(Interner::default());
    builder.key(attribute_names::PLAN_TEXT, Unit::Text);
    let name = builder.strings().intern("run");
    let run = builder.run(name, 0, 100, 0);
    let root = builder.root(run);
    for (number, rows) in threads.iter().enumerate() {
        let name = builder.strings().intern(&format!("thread {number}"));
        builder.track(root, name, TrackKind::Thread);
        for &(name, kind, start, end, depth) in *rows {
            let name = builder.strings().intern(name);
            let (flags, none) = (Flags::default(), RecordId::NONE);
            let (duration, parent) = (end - start, None);
            let span = Span { start, duration, parent, name, kind, flags, depth, begin: none, end: none };
            builder.span(span, ShapeId(0), &[], &[]);
        }
    }
    let name = builder.strings().intern("x");
    for &(from, to) in arrows {
        let records = (RecordId::NONE, RecordId::NONE);
        builder.flow(Flow { name, from: SpanId(from), to: SpanId(to), leaves: 0, arrives: 0, records });
    }
    builder.finish()
}

/// ```text
/// 0         10        20        30        40
/// function ════════════════════════════════          thread 0: an enclosing span, and a wait for the other threads
///   dataflow ──────────────────────────   e
/// a ▇▇▇▇▇▇▇▇▇▇          d ▇▇▇▇▇▇▇▇▇▇                 thread 1
/// b ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇                             thread 2
/// ```
fn sample() -> Trace {
    use Kind::{Slice, Statement, Wait};
    trace(
        &[
            &[("function", Statement, 0, 40, 0), ("dataflow", Wait, 2, 32, 1), ("e", Slice, 34, 40, 1)],
            &[("a", Slice, 0, 10, 0), ("d", Slice, 20, 30, 0)],
            &[("b", Slice, 0, 20, 0)],
        ],
        // Arrows from a and b to d, and from d to e; one arrow back in time and one to itself have no effect.
        &[(3, 4), (5, 4), (4, 2), (2, 3), (4, 4)],
    )
}

fn whole(trace: &Trace) -> Parallel {
    parallel(trace, &Queries::of(trace), ParallelScope::Range(0, 40), None)
}

#[test]
fn the_innermost_span_tells_what_a_thread_does() {
    let view = whole(&sample());
    let rows: Vec<_> = view.workers.iter().map(|w| (w.busy, w.waiting, w.idle, w.starved, w.spans)).collect();
    assert_eq!(rows, [(6, 30, 4, 0, 1), (20, 0, 20, 10, 2), (20, 0, 20, 0, 1)]);
    assert_eq!((view.busy, view.at_once), (46, vec![4, 26, 10, 0]));
    // Two threads worked from 0 to 10, one from 10 to 30 (b, then d) and from 34 to 40 (e), none from 30 to 34.
    assert_eq!(view.longest_at_once, [(30, 34), (10, 30), (0, 10), (0, 0)]);
    let items: Vec<_> = view.workers.iter().map(|worker| Item::from_code(worker.item)).collect();
    assert_eq!(items, [2, 4, 5].map(|id| Item::Span(SpanId(id))));
    // All three threads worked for some of the time, together 46 of 40 · 3 ns.
    assert_eq!(view.parallelism, Some(46 * 1000 / 120));
}

#[test]
fn the_last_that_was_needed_is_what_was_waited_for() {
    let view = whole(&sample());
    let waits: Vec<_> = view.producers.iter().map(|p| (p.link.title.as_str(), p.time, p.count)).collect();
    // The recorded wait of thread 0 for e does not count as starvation.
    assert_eq!(waits, [("b", 10, 1)]);
}

#[test]
fn the_critical_path_is_the_longest_of_dependent_spans() {
    let trace = sample();
    let (queries, children) = (Queries::of(&trace), ChildSpans::of(&trace));
    let view = critical_path(&trace, &queries, &children, ParallelScope::Range(0, 40), None);
    assert_eq!(view.rule, PathRule::Dependencies);
    let path: Vec<_> =
        view.path.iter().map(|p| (p.link.title.as_str(), p.start, p.time, p.gap, p.via.as_str())).collect();
    assert_eq!(path, [("b", 0, 20, 0, ""), ("d", 20, 10, 0, "x"), ("e", 34, 6, 4, "x")]);
    assert_eq!((view.path_time, view.n_path), (36, 3));
    let names: Vec<_> = view.path_names.iter().map(|of| (of.name.as_str(), of.time, of.count)).collect();
    assert_eq!(names, [("b", 20, 1), ("d", 10, 1), ("e", 6, 1)]);
    let rest: Vec<_> = view.path_rest.iter().map(|of| (of.kind, of.time, of.count, of.longest)).collect();
    assert_eq!(rest, [(PathRestKind::Waiting, 4, 1, (30, 34))]);
    // Without b, the path starts with a, which takes 10.
    assert_eq!(view.path_names.iter().map(|of| of.saved).collect::<Vec<_>>(), [10, 10, 6].map(Some));
    let limits: Vec<_> = view.path_names.iter().map(|of| of.limited_by.as_ref().map(|a| &*a.title)).collect();
    assert_eq!(limits, [Some("a"), None, None]);
    let slack: Vec<_> = view.slack.iter().map(|off| (off.link.title.as_str(), off.slack)).collect();
    assert_eq!(slack, [("a", 10)]);
}

/// Thread with slices of (start, end, recorded CPU time), each with its flags.
fn thread_of(rows: &[(i64, i64, Option<i64>, Flags)]) -> Trace {
    let mut builder = TraceBuilder::new(Interner::default());
    let shape = builder.shape(&[key::THREAD_TIME], &[]);
    let name = builder.strings().intern("x");
    let run = builder.run(name, 0, 100, 0);
    builder.track(builder.root(run), name, TrackKind::Thread);
    for &(start, end, cpu_time, flags) in rows {
        let (kind, none) = (Kind::Slice, RecordId::NONE);
        let span = Span {
            start,
            duration: end - start,
            parent: None,
            name,
            kind,
            flags,
            depth: 0,
            begin: none,
            end: none,
        };
        builder.span(span, shape, &[cpu_time], &[]);
    }
    builder.finish()
}

/// Work and blocked time of a thread in a range.
fn times(trace: &Trace, range: (i64, i64)) -> (i64, i64) {
    let stretches = Activity::new(trace).stretches(TrackId(1), range, |_| true);
    let sum = |doing| stretches.iter().filter(|s| s.doing == doing).map(BusyStretch::length).sum();
    (sum(Doing::Work), sum(Doing::Blocked))
}

#[test]
fn work_is_the_cpu_time_of_a_span_without_that_of_the_spans_inside() {
    let ended = Flags::default();
    for (rows, expected) in [
        // Without CPU time, the whole slice is work.
        (&[(0, 100, None, ended)][..], (100, 0)),
        // CPU times that are all 0 are ignored.
        (&[(0, 100, Some(0), ended)], (100, 0)),
        (&[(0, 100, Some(30), ended)], (30, 70)),
        // Own CPU time is 30 - 20, plus the 20 of the nested slice.
        (&[(0, 100, Some(30), ended), (10, 30, Some(20), ended)], (30, 70)),
        // Own time of a nested slice without CPU time belongs to the enclosing slice.
        (&[(0, 100, Some(30), ended), (10, 30, None, ended)], (30, 70)),
        // CPU times are rounded, so work is clamped to between 0 and the own time.
        (&[(0, 10, Some(12), ended)], (10, 0)),
        (&[(0, 10, Some(3), ended), (2, 8, Some(5), ended)], (5, 5)),
        // A loop without an end has unknown activity outside its nested slices.
        (&[(0, 100, None, Flags::OPEN_END), (10, 30, Some(15), ended), (40, 50, None, ended)], (25, 5)),
    ] {
        assert_eq!(times(&thread_of(rows), (0, 100)), expected, "{rows:?}");
    }
}

proptest::proptest! {
    /// A thread's busy time is at most the wall time for any CPU times, and the busy times of the parts of a range add
    /// up to that of the range.
    #[test]
    fn busy_time_is_at_most_wall_time_and_adds_up(
        rows in proptest::collection::vec(
            (0..90_i64, 0..60_i64, proptest::option::of(0..80_i64), proptest::prelude::any::<bool>()), 0..12),
        cut in 0..100_i64,
    ) {
        let flags = |open| if open { Flags::OPEN_END } else { Flags::default() };
        let row = |(start, length, cpu_time, open): (i64, i64, Option<i64>, bool)| {
            let length = length.min(100 - start);
            (start, start + length, cpu_time.filter(|_| !open), flags(open))
        };
        let mut rows: Vec<_> = rows.into_iter().map(row).collect();
        rows.sort_by_key(|row| (row.0, -row.1));
        let trace = thread_of(&rows);
        let all = times(&trace, (0, 100));
        let before = times(&trace, (0, cut));
        let after = times(&trace, (cut, 100));
        proptest::prop_assert_eq!(all, (before.0 + after.0, before.1 + after.1));
        proptest::prop_assert!(all.0 + all.1 <= 100 && before.0 + before.1 <= cut);
    }
}

#[test]
fn a_range_clips() {
    let view = parallel(&sample(), &Queries::default(), ParallelScope::Range(5, 15), None);
    assert_eq!(
        view.workers.iter().map(|w| (w.busy, w.waiting)).collect::<Vec<_>>(),
        [(0, 10), (5, 0), (10, 0)]
    );
    assert_eq!(view.at_once, [0, 5, 5, 0]);
    let nothing =
        parallel(&Trace::default(), &Queries::default(), ParallelScope::Range(i64::MIN, i64::MAX), None);
    assert_eq!(nothing.parallelism, None);
}

#[test]
fn parallelism_is_between_nothing_and_all() {
    for (busy, wall, threads, expected) in [
        (10, 10, 2, Some(500)),
        (20, 10, 2, Some(1000)),
        (30, 10, 2, Some(1000)),
        (5, 10, 2, Some(250)),
        (0, 10, 2, Some(0)),
        (5, 0, 2, None),
        (5, 5, 1, None),
    ] {
        assert_eq!(parallelism(busy, wall, threads), expected, "{busy} {wall} {threads}");
    }
}

#[test]
fn what_is_handed_on_lives_until_its_last_reader_ends() {
    let view = whole(&sample());
    let rows: Vec<_> =
        view.values.iter().map(|v| (v.link.title.as_str(), v.start, v.end, v.readers)).collect();
    // The arrow back in time starts at e, the arrow to itself at d.
    assert_eq!(rows, [("e", 40, 40, 1), ("a", 10, 30, 1), ("d", 30, 40, 2), ("b", 20, 30, 1)]);
    assert_eq!((view.n_values, view.most_held, view.plan.len()), (4, None, 0));
}

/// Each row as its name and its load per column.
fn map(trace: &Trace, range: (i64, i64), columns: u32) -> Vec<(String, Vec<u16>)> {
    let heat = heat(trace, &Queries::of(trace), ParallelScope::Range(range.0, range.1), columns);
    assert_eq!((heat.columns, heat.n_rows as usize), (columns, heat.rows.len()));
    heat.rows.into_iter().map(|row| (row.name, row.busy)).collect()
}

#[test]
fn a_cell_is_the_share_in_which_its_thread_worked() {
    let rows = |shares: [&[u16]; 3]| -> Vec<(String, Vec<u16>)> {
        (0..).zip(shares).map(|(at, shares): (u32, _)| (format!("thread {at}"), shares.to_vec())).collect()
    };
    let trace = sample();
    // The enclosing span of thread 0 and its wait do not count as work.
    assert_eq!(map(&trace, (0, 40), 4), rows([&[0, 0, 0, 600], &[1000, 0, 1000, 0], &[1000, 1000, 0, 0]]));
    assert_eq!(map(&trace, (5, 35), 2), rows([&[0, 66], &[333, 666], &[1000, 0]]));
    // Columns that are shorter than a nanosecond have no time in which a thread can work.
    let thin = map(&trace, (0, 1), 3);
    assert_eq!(thin[1].1, [HeatRow::UNKNOWN, HeatRow::UNKNOWN, 1000]);
}

#[test]
fn a_core_is_as_busy_as_its_next_sample_says() {
    use crate::trace::{Event, Unit};
    let mut builder = TraceBuilder::new(Interner::default());
    let name = builder.strings().intern("run");
    let run = builder.run(name, 0, 100, 0);
    let (root, name) = (builder.root(run), builder.strings().intern("core 3"));
    builder.track(root, name, TrackKind::Counter);
    let load = builder.key("core 3", Unit::Millionths);
    let shape = builder.shape(&[load], &[]);
    for (time, load) in [(10, 900_000), (20, 1_000_000), (40, 250_000)] {
        let (flags, record) = (Flags::default(), RecordId::NONE);
        let event = Event { time, parent: None, name, kind: Kind::Sample, flags, record };
        builder.event(event, shape, &[Some(load)]);
    }
    // The first sample covers a period whose start is unknown.
    let known = [HeatRow::UNKNOWN, 1000, 250, 250, HeatRow::UNKNOWN].to_vec();
    assert_eq!(map(&builder.finish(), (0, 50), 5), [("core 3".to_owned(), known)]);
}
