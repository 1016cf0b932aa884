//! Critical paths against definitions that read the spans directly, moment by moment.

use super::*;
use crate::analysis::ChildSpans;
use crate::base::interner::Interner;
use crate::protocol::{CriticalPath, PathRestKind, PathRule};
use crate::session::Session;
use crate::trace::{Flags, Kind, LockParty, LockWait, RecordId, RunId, ShapeId, Span, StrId, TraceBuilder};

/// A span of a drawing: name, start, end, parent, and whether it is on the track of its parent.
#[derive(Clone, Copy, Debug)]
struct DrawnSpan {
    name: u32,
    start: i64,
    end: i64,
    parent: Option<usize>,
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// A trace with each span on a track of its own, so that any spans can overlap. Span ids are the indices.
fn drawn(spans: &[DrawnSpan], kind: Kind) -> Trace {
    drawn_with_open_ends(spans, kind, &[])
}

/// Like [`drawn`], with spans whose end is not in the trace, by their indices.
fn drawn_with_open_ends(spans: &[DrawnSpan], kind: Kind, open: &[usize]) -> Trace {
    let mut builder = TraceBuilder::new(Interner::default());
    let name = builder.strings().intern("run");
    let run = builder.run(name, 0, 100, 0);
    let root = builder.root(run);
    for (at, of) in spans.iter().enumerate() {
        let track = builder.strings().intern(&format!("track {at}"));
        builder.track(root, track, TrackKind::Thread);
        let name = builder.strings().intern(NAMES[of.name as usize]);
        let flags = if open.contains(&at) { Flags::OPEN_END } else { Flags::default() };
        let none = RecordId::NONE;
        let parent = of.parent.map(|parent| SpanId(parent as u32));
        let (start, duration) = (of.start, of.end - of.start);
        let kind = if at == 0 { kind } else { Kind::Slice };
        builder.span(
            Span { start, duration, parent, name, kind, flags, depth: 0, begin: none, end: none },
            ShapeId(0),
            &[],
            &[],
        );
    }
    builder.finish()
}

/// Numbers from a seed.
pub(super) struct Seeded(pub(super) u64);

impl Seeded {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// Up to nine spans in one. Some reach beyond their parent, some are empty, and many start and end together.
    fn spans(&mut self) -> Vec<DrawnSpan> {
        let mut spans = vec![DrawnSpan { name: 0, start: 10, end: 30 + self.below(20) as i64, parent: None }];
        for _ in 0..self.below(9) {
            let parent = self.below(spans.len() as u64) as usize;
            let (start, end) = (spans[parent].start - 2, spans[parent].end + 3);
            let from = start + self.below((end - start) as u64) as i64;
            let to = from + self.below(12) as i64;
            spans.push(DrawnSpan { name: self.below(5) as u32, start: from, end: to, parent: Some(parent) });
        }
        spans
    }
}

/// The children of a part that have some time inside it: span, start and end.
fn inside(spans: &[DrawnSpan], of: (usize, i64, i64)) -> Vec<(usize, i64, i64)> {
    let children = spans.iter().enumerate().filter(|(_, span)| span.parent == Some(of.0));
    let clipped = children.map(|(at, span)| (at, span.start.max(of.1), span.end.min(of.2)));
    let mut inside: Vec<_> = clipped.filter(|(_, start, end)| start < end).collect();
    inside.sort_by_key(|&(at, start, end)| (start, end, at));
    inside
}

/// The span that each moment of a part is in, walked back from its end.
fn moments(spans: &[DrawnSpan], of: (usize, i64, i64), owners: &mut Vec<(i64, usize)>) {
    let children = inside(spans, of);
    let mut now = of.2;
    while now > of.1 {
        let ended = children.iter().filter(|child| child.2 <= now).max_by_key(|child| (child.2, child.1));
        let until = ended.map_or(of.1, |child| child.2);
        owners.extend((until..now).map(|moment| (moment, of.0)));
        now = until;
        if let Some(&child) = ended {
            moments(spans, child, owners);
            now = child.1;
        }
    }
}

/// Start and end of every part when spans named `free` do no work and span `longer` works one stretch more.
fn replayed(
    spans: &[DrawnSpan],
    of: (usize, i64, i64),
    start: i64,
    (free, longer): (Option<u32>, Option<(usize, i64)>),
) -> i64 {
    let own = |time: i64| if free == Some(spans[of.0].name) { 0 } else { time };
    let children = inside(spans, of);
    let mut ends: Vec<(i64, i64)> = Vec::new();
    for &child in &children {
        let before: Vec<(i64, i64)> = ends.iter().copied().filter(|end| end.0 <= child.1).collect();
        let base = before.iter().map(|end| end.0).max().unwrap_or(of.1);
        let now = before.iter().map(|end| end.1).max().unwrap_or(start).max(start);
        ends.push((child.2, replayed(spans, child, now + own(child.1 - base), (free, longer))));
    }
    let base = ends.iter().map(|end| end.0).max().unwrap_or(of.1);
    let now = ends.iter().map(|end| end.1).max().unwrap_or(start).max(start);
    let more = longer.filter(|longer| longer.0 == of.0).map_or(0, |longer| longer.1);
    now + own(of.2 - base) + more
}

fn path_of(trace: &Trace, scope: ParallelScope) -> CriticalPath {
    critical_path(trace, &Queries::of(trace), &ChildSpans::of(trace), scope, None)
}

fn check(spans: &[DrawnSpan]) {
    let trace = drawn(spans, Kind::Slice);
    let found = path_of(&trace, ParallelScope::Span(SpanId(0)));
    let root = (0, spans[0].start, spans[0].end);
    let mut owners = Vec::new();
    moments(spans, root, &mut owners);
    owners.sort_unstable();
    let name = |span: usize| NAMES[spans[span].name as usize].to_owned();
    let expected: Vec<(i64, String)> = owners.iter().map(|&(moment, span)| (moment, name(span))).collect();
    let parts = found.path.iter().flat_map(|step| {
        (step.start..step.start + step.time).map(|moment| (moment, step.link.title.clone()))
    });
    // Every moment of the scope is in exactly one part of the path.
    assert_eq!(parts.collect::<Vec<_>>(), expected, "{spans:?}");
    assert_eq!((found.path_time, found.rule), (root.2 - root.1, PathRule::Nesting));
    for of in &found.path_names {
        let free = NAMES.iter().position(|name| *name == of.name).map(|at| at as u32);
        let saved = root.2 - replayed(spans, root, root.1, (free, None));
        assert_eq!(of.saved, Some(saved), "{} of {spans:?}", of.name);
        assert!((0..=of.time).contains(&saved), "{}: {saved} of {}", of.name, of.time);
        assert_eq!(of.limited_by.is_some(), saved < of.time, "{} of {spans:?}", of.name);
        assert!(of.limited_by.as_ref().is_none_or(|span| span.title != of.name), "{} of {spans:?}", of.name);
    }
    for off in &found.slack {
        let end = |more| replayed(spans, root, root.1, (None, Some((off.link.item as usize, more))));
        assert_eq!((end(off.slack), end(off.slack + 1)), (root.2, root.2 + 1), "{off:?} of {spans:?}");
    }
}

#[test]
fn paths_are_those_of_the_definitions() {
    let of = |name, start, end, parent| DrawnSpan { name, start, end, parent };
    check(&[of(0, 0, 10, None)]);
    check(&[of(0, 0, 0, None)]);
    // Two children at the same time: the one that ended last decides, and leads to nothing before its start.
    check(&[of(0, 0, 20, None), of(1, 5, 12, Some(0)), of(2, 2, 9, Some(0)), of(3, 12, 18, Some(0))]);
    let mut seeded = Seeded(36);
    (0..3_000).for_each(|_| check(&seeded.spans()));
}

#[test]
fn a_sibling_that_becomes_critical_limits_what_is_saved() {
    let of = |name, start, end, parent| DrawnSpan { name, start, end, parent };
    // b takes 8 of 10, c takes 7 at the same time.
    let trace = drawn(&[of(0, 0, 10, None), of(1, 1, 9, Some(0)), of(2, 1, 8, Some(0))], Kind::Query);
    let found = path_of(&trace, ParallelScope::Query(0));
    let names: Vec<_> = found.path_names.iter().map(|of| (of.name.as_str(), of.time, of.saved)).collect();
    assert_eq!(names, [("b", 8, Some(1)), ("a", 2, Some(2))]);
    let slack: Vec<_> = found.slack.iter().map(|off| (off.link.title.as_str(), off.slack)).collect();
    assert_eq!((slack, found.n_slack), (vec![("c", 1)], 1));
}

#[test]
fn spans_without_an_end_in_the_range_do_not_compete() {
    let of = |name, start, end, parent| DrawnSpan { name, start, end, parent };
    // d is inside c, a ends after the range, and the end of b is unknown: only e competes.
    let spans = [
        of(0, 0, 30, None),
        of(1, 2, 20, None),
        of(2, 5, 20, None),
        of(3, 8, 18, Some(2)),
        of(4, 5, 17, None),
    ];
    let found = path_of(&drawn_with_open_ends(&spans, Kind::Slice, &[1]), ParallelScope::Range(0, 20));
    let path: Vec<_> = found.path.iter().map(|p| (p.link.title.as_str(), p.start, p.time)).collect();
    assert_eq!(path, [("c", 5, 3), ("d", 8, 10), ("c", 18, 2)]);
    let slack: Vec<_> = found.slack.iter().map(|off| (off.link.title.as_str(), off.slack)).collect();
    assert_eq!((slack, found.n_slack), (vec![("e", 3)], 1));
}

/// A root that covers spans of the path in time, but is not their parent, as asynchronous slices do, competes with them: it could have
/// ended later without delaying the end.
#[test]
fn a_root_that_covers_the_path_in_time_is_off_the_path() {
    let root = |name, start, end| DrawnSpan { name, start, end, parent: None };
    let spans = [root(0, 2, 16), root(1, 3, 9), root(2, 10, 20)];
    let found = path_of(&drawn(&spans, Kind::Slice), ParallelScope::Range(0, 20));
    let path: Vec<_> = found.path.iter().map(|p| (p.link.title.as_str(), p.start, p.time)).collect();
    assert_eq!(path, [("b", 3, 6), ("c", 10, 10)]);
    let slack: Vec<_> = found.slack.iter().map(|off| (off.link.title.as_str(), off.slack)).collect();
    assert_eq!(slack, [("a", 4)]);
}

/// Checks the names on the path of the first span: time on the path, time that would be saved, and what limits it.
#[track_caller]
fn check_limits(spans: &[DrawnSpan], expected: &[(&str, i64, i64, Option<&str>)]) {
    let found = path_of(&drawn(spans, Kind::Slice), ParallelScope::Span(SpanId(0)));
    let limits = found.path_names.iter().map(|of| {
        let limited_by = of.limited_by.as_ref().map(|span| span.title.as_str());
        (of.name.as_str(), of.time, of.saved.expect("a small graph"), limited_by)
    });
    assert_eq!(limits.collect::<Vec<_>>(), expected, "{spans:?}");
}

#[test]
fn the_branch_that_takes_over_limits_what_is_saved() {
    let of = |name, start, end, parent| DrawnSpan { name, start, end, parent };
    let (root, inside) = (of(0, 0, 10, None), |name, start, end| of(name, start, end, Some(0)));
    // Two sources at the same time, and three.
    let (b, c) = (inside(1, 1, 9), inside(2, 1, 8));
    let expected = [("b", 8, 1, Some("c")), ("a", 2, 2, None)];
    check_limits(&[root, b, c], &expected);
    check_limits(&[root, inside(3, 1, 7), c, b], &expected);
    // Nothing at the same time.
    let expected = [("b", 4, 4, None), ("c", 4, 4, None), ("a", 2, 2, None)];
    check_limits(&[root, inside(1, 1, 5), inside(2, 5, 9)], &expected);
    // Two that end together: the path is in the second one.
    check_limits(&[root, b, inside(2, 1, 9)], &[("c", 8, 0, Some("b")), ("a", 2, 2, None)]);
    // The outermost span of the branch, although the time is in a span inside it.
    let expected = [("b", 8, 1, Some("c")), ("a", 2, 2, None)];
    check_limits(&[root, b, c, of(3, 1, 8, Some(2))], &expected);
    // The branch is in a span of the same name, which takes no time but for what is inside it.
    check_limits(&[root, b, inside(1, 1, 8), of(2, 1, 8, Some(2))], &expected);
    // The second b takes no time, but starts only after 5 of a.
    check_limits(&[root, b, inside(1, 5, 8)], &[("b", 8, 4, Some("a")), ("a", 2, 2, None)]);
    // Two sections of the path are replaced: the longer branch counts.
    let root = of(0, 0, 20, None);
    let both = |c, d| [root, inside(1, 0, 10), inside(2, 0, c), inside(1, 10, 20), inside(3, 10, d)];
    check_limits(&both(6, 19), &[("b", 20, 5, Some("d"))]);
    check_limits(&both(9, 16), &[("b", 20, 5, Some("c"))]);
}

#[test]
fn a_transaction_that_contains_nothing_does_not_compete() {
    let lines = [
        r#"{"queryscope":"trace","version":1}"#,
        r#"{"run":"r"}"#,
        r#"{"track":"thread","kind":"thread"}"#,
        r#"{"span":"UPDATE","kind":"statement","start":0,"duration":20,"row":0}"#,
        r#"{"span":"transaction","kind":"transaction","start":4,"duration":15,"row":1,"parent":0}"#,
        r#"{"span":"lock","kind":"wait","start":5,"duration":13,"row":2,"parent":0}"#,
    ];
    let session = Session::of_text("trace.ndjson", &lines.join("\n"));
    let found = path_of(session.trace(), ParallelScope::Span(SpanId(0)));
    let names: Vec<_> = found.path_names.iter().map(|of| (of.name.as_str(), of.time, of.saved)).collect();
    assert_eq!((names, found.n_slack), (vec![("lock", 13, Some(13)), ("UPDATE", 7, Some(7))], 0));
}

#[test]
fn a_wait_for_a_lock_goes_on_in_the_span_that_holds_it() {
    let of = |name, start, end, parent| DrawnSpan { name, start, end, parent };
    let mut trace = drawn(
        &[of(0, 0, 20, None), of(1, 5, 15, Some(0)), of(2, 0, 14, None), of(3, 6, 13, Some(2))],
        Kind::Slice,
    );
    let party = |span| LockParty {
        thread: StrId(0),
        span: Some(SpanId(span)),
        statement: None,
        running: StrId::NONE,
    };
    let wait = |waiter, holder| LockWait {
        run: RunId(0),
        object: StrId(0),
        wanted: StrId::NONE,
        held: StrId::NONE,
        since: StrId::NONE,
        waiter: party(waiter),
        holder: party(holder),
        more: 0,
        record: RecordId::NONE,
    };
    // The holder waits for the first span, too: a deadlock has a path all the same.
    for waits in [vec![wait(1, 2)], vec![wait(1, 2), wait(3, 0)]] {
        trace.lock_waits = waits;
        let found = path_of(&trace, ParallelScope::Span(SpanId(0)));
        let path: Vec<_> = found.path.iter().map(|p| (p.link.title.as_str(), p.start, p.time)).collect();
        let expected = [("a", 0, 5), ("c", 5, 1), ("d", 6, 7), ("c", 13, 1), ("b", 14, 1), ("a", 15, 5)];
        assert_eq!((path.as_slice(), found.rule), (&expected[..], PathRule::NestingAndLocks));
    }
}

#[test]
fn a_range_without_arrows_has_the_path_of_its_outermost_spans() {
    let of = |name, start, end, parent| DrawnSpan { name, start, end, parent };
    let trace = drawn(
        &[of(0, 0, 10, None), of(1, 12, 20, None), of(2, 14, 18, Some(1)), of(3, 5, 9, None)],
        Kind::Slice,
    );
    let found = path_of(&trace, ParallelScope::Range(4, 17));
    let path: Vec<_> = found.path.iter().map(|p| (p.link.title.as_str(), p.start, p.time, p.gap)).collect();
    assert_eq!(path, [("a", 4, 6, 0), ("b", 12, 2, 2), ("c", 14, 3, 0)]);
    assert_eq!((found.path_time, found.item), (11, None));
    let rest: Vec<_> = found.path_rest.iter().map(|of| (of.kind, of.time, of.longest)).collect();
    assert_eq!(rest, [(PathRestKind::NoSpan, 2, (10, 12))]);
    // A range that begins before the first span and ends after the last one.
    let found = path_of(&trace, ParallelScope::Range(-3, 30));
    let rest: Vec<_> = found.path_rest.iter().map(|of| (of.kind, of.time, of.longest)).collect();
    assert_eq!((rest, found.path[0].gap), (vec![(PathRestKind::NoSpan, 15, (20, 30))], 3));
    // An empty range, and a range in which nothing ran.
    assert_eq!(path_of(&trace, ParallelScope::Range(7, 7)).n_path, 0);
    assert_eq!(path_of(&trace, ParallelScope::Range(40, 90)).n_path, 0);
}
