//! Chains of dependent spans, against all chains that there are.

use super::ParallelScope;
use super::critical::critical_path;
use super::critical_tests::Seeded;
use super::tests::{Row, trace};
use crate::analysis::{ChildSpans, Queries};
use crate::protocol::{PathRestKind, PathRule};
use crate::trace::Kind;

/// Start and end of a span; each is on a thread of its own, and named by its number.
type Bounds = (i64, i64);

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// The longest chain that ends with `last` and passes no span twice, with the time of span `free` counted as none.
fn longest(
    spans: &[Bounds],
    arrows: &[(u32, u32)],
    last: u32,
    passed: &mut Vec<u32>,
    free: Option<u32>,
) -> i64 {
    passed.push(last);
    let (start, end) = spans[last as usize];
    let own = if free == Some(last) { 0 } else { end - start };
    let before = arrows
        .iter()
        .filter(|arrow| arrow.1 == last && spans[arrow.0 as usize].1 <= start)
        .filter(|arrow| !passed.contains(&arrow.0))
        .map(|arrow| arrow.0)
        .collect::<Vec<u32>>();
    let before = before.into_iter().map(|from| longest(spans, arrows, from, passed, free)).max();
    passed.pop();
    own + before.unwrap_or(0)
}

/// Whether some spans depend on themselves, through others.
fn is_circle(arrows: &[(u32, u32)], n_spans: usize) -> bool {
    let mut left = arrows.to_vec();
    for _ in 0..n_spans {
        let waiting = left.clone();
        left.retain(|arrow| waiting.iter().any(|before| before.1 == arrow.0));
    }
    !left.is_empty()
}

fn check(spans: &[Bounds], arrows: &[(u32, u32)]) {
    let rows: Vec<[Row; 1]> =
        spans.iter().zip(NAMES).map(|(&(start, end), name)| [(name, Kind::Slice, start, end, 0)]).collect();
    let threads: Vec<&[Row]> = rows.iter().map(<[Row; 1]>::as_slice).collect();
    let trace = trace(&threads, arrows);
    let (queries, children) = (Queries::of(&trace), ChildSpans::of(&trace));
    let found = critical_path(&trace, &queries, &children, ParallelScope::Range(0, 100), None);
    let is_dependency =
        |&&(from, to): &&(u32, u32)| from != to && spans[from as usize].1 <= spans[to as usize].0;
    let linked: Vec<(u32, u32)> = arrows.iter().filter(is_dependency).copied().collect();
    let ends = || linked.iter().flat_map(|&(from, to)| [from, to]);
    let of_all = |free| ends().map(|last| longest(spans, &linked, last, &mut Vec::new(), free)).max();
    let Some(expected) = of_all(None) else {
        assert_ne!(found.rule, PathRule::Dependencies, "{spans:?} {arrows:?}");
        return;
    };
    assert_eq!(found.rule, PathRule::Dependencies, "{spans:?} {arrows:?}");
    // An arrow of a circle is left out, so that what goes through it may be longer than what is found.
    let is_circle = is_circle(&linked, spans.len());
    assert!(found.path_time <= expected, "{spans:?} {arrows:?}");
    assert!(is_circle || found.path_time == expected, "{spans:?} {arrows:?}");
    let path: Vec<u32> = found
        .path
        .iter()
        .filter_map(|step| NAMES.iter().position(|name| *name == step.link.title))
        .map(|at| at as u32)
        .collect();
    assert_eq!(path.len(), found.n_path as usize, "{spans:?} {arrows:?}");
    assert!(path.windows(2).all(|two| linked.contains(&(two[0], two[1]))), "{spans:?} {arrows:?} {path:?}");
    for (span, name) in (0..).zip(NAMES).take(if is_circle { 0 } else { spans.len() }) {
        let Some(of) = found.path_names.iter().find(|of| of.name == name) else { continue };
        let without = of_all(Some(span)).map(|without| expected - without);
        assert_eq!(of.saved, without, "{name}: {spans:?} {arrows:?}");
        let is_limited = without.is_some_and(|saved| saved < of.time);
        assert_eq!(of.limited_by.is_some(), is_limited, "{name}: {spans:?} {arrows:?}");
        // Another chain takes over: it goes on, or begins, with a span that is not on this one.
        let other = of.limited_by.as_ref().map(|span| span.item);
        assert!(other.is_none_or(|other| !path.contains(&other)), "{name}: {spans:?} {arrows:?}");
    }
}

#[test]
fn chains_are_the_longest_that_there_are() {
    // Spans without length depend on each other at one instant, in any order and in a circle.
    check(&[(0, 9), (9, 9), (9, 9), (9, 9), (9, 12)], &[(0, 3), (3, 1), (1, 2), (2, 4)]);
    check(&[(0, 9), (9, 9), (9, 9), (9, 12)], &[(0, 2), (2, 1), (1, 2), (1, 3)]);
    check(&[(5, 5), (5, 5)], &[(0, 1), (1, 0)]);
    let mut random = Seeded(7);
    for _ in 0..3_000 {
        let spans: Vec<Bounds> = (0..random.below(7) + 2)
            .map(|_| [random.below(5), random.below(3)])
            .map(|[start, length]| (start as i64, (start + length) as i64))
            .collect();
        let one = |random: &mut Seeded| random.below(spans.len() as u64) as u32;
        let arrows: Vec<(u32, u32)> =
            (0..random.below(14)).map(|_| (one(&mut random), one(&mut random))).collect();
        check(&spans, &arrows);
    }
}

#[test]
fn time_off_the_chain_is_only_empty_if_nothing_ran() {
    use Kind::{Idle, Slice};
    // The chain is p, q. Both r and t run before it, s after it.
    let trace = trace(
        &[
            &[("p", Slice, 10, 20, 0), ("q", Slice, 20, 30, 0)],
            &[("r", Slice, 4, 8, 0), ("s", Slice, 35, 40, 0)],
            &[("t", Slice, 7, 12, 0), ("idle", Idle, 12, 50, 0)],
        ],
        &[(0, 1)],
    );
    let (queries, children) = (Queries::of(&trace), ChildSpans::of(&trace));
    let found = critical_path(&trace, &queries, &children, ParallelScope::Range(0, 50), None);
    assert_eq!((found.rule, found.path_time), (PathRule::Dependencies, 20));
    let rest: Vec<_> = found.path_rest.iter().map(|of| (of.kind, of.time, of.count, of.longest)).collect();
    // From 4 to 10 and from 35 to 40; from 0 to 4, 30 to 35 and 40 to 50.
    let expected = [(PathRestKind::OffPath, 11, 2, (4, 10)), (PathRestKind::NoSpan, 19, 3, (40, 50))];
    assert_eq!(rest, expected);
}
