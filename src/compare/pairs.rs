//! Matches the steps of two executions.

use std::cmp::Ordering;

use super::steps::{Sides, StepRuns};
use crate::analysis::StepLabel;
use crate::base::FxHashMap;
use crate::base::sort;
use crate::trace::Kind;

/// Step of one execution and the same step of the other; `None` on the side that does not have it.
#[derive(Clone, Debug)]
pub struct StepPair {
    pub kind: Kind,
    pub label: StepLabel,
    pub a: Option<StepRuns>,
    pub b: Option<StepRuns>,
}

/// Totals of a step at each of its places in the plan, for both sides.
type StepPlaces = [Vec<StepRuns>; 2];

/// Pairs the steps of both sides; the pairs are sorted by place in the plan. If a plan has the same step several times,
/// its occurrences at equal places are paired first, then the others in their order. So most steps are still paired if
/// one of the plans has an additional instruction, which shifts the places after it.
pub fn pairs(sides: Sides, fold: bool) -> Vec<StepPair> {
    let mut known: FxHashMap<(Kind, StepLabel), usize> = FxHashMap::default();
    let mut all: Vec<((Kind, StepLabel), StepPlaces)> = Vec::new();
    for (side, steps) in sides.steps.into_iter().enumerate() {
        for ((kind, label, _), sum) in steps {
            let at = *known.entry((kind, label)).or_insert_with(|| {
                all.push(((kind, label), StepPlaces::default()));
                all.len() - 1
            });
            all[at].1[side].push(sum);
        }
    }
    let mut pairs = Vec::new();
    for ((kind, label), places) in all {
        let matched = if fold { vec![places.map(together)] } else { matched(places, |sum| sum.place) };
        pairs.extend(matched.into_iter().map(|[a, b]| StepPair { kind, label, a, b }));
    }
    let place = |pair: &StepPair| pair.a.as_ref().or(pair.b.as_ref()).and_then(|sum| sum.place);
    sort::by_key(&mut pairs, |pair| (place(pair).unwrap_or(i64::MIN), 0));
    pairs
}

/// Sums up the executions of a step at all its places; `None` if `places` is empty.
fn together(mut places: Vec<StepRuns>) -> Option<StepRuns> {
    let mut sum = places.pop()?;
    if !places.is_empty() {
        sum.place = sum.place.min(places.iter().filter_map(|other| other.place).min()).or(sum.place);
    }
    places.iter().for_each(|other| sum.add(other));
    Some(sum)
}

/// Pairs the elements of both sides: those at equal places first, the others in the order of their places.
pub fn matched<T: Clone>(
    [mut a, mut b]: [Vec<T>; 2],
    place: impl Fn(&T) -> Option<i64>,
) -> Vec<[Option<T>; 2]> {
    let by_place = |all: &mut Vec<T>| sort::by_key(all, |one| (place(one).unwrap_or(i64::MIN), 0));
    by_place(&mut a);
    by_place(&mut b);
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    let (mut found, mut rest) = (Vec::new(), [Vec::new(), Vec::new()]);
    while let (Some(one), Some(other)) = (a.peek(), b.peek()) {
        match place(one).cmp(&place(other)) {
            Ordering::Less => rest[0].extend(a.next()),
            Ordering::Greater => rest[1].extend(b.next()),
            Ordering::Equal => found.push([a.next(), b.next()]),
        }
    }
    let [one, other] = rest;
    let (mut a, mut b) = (one.into_iter().chain(a), other.into_iter().chain(b));
    loop {
        match [a.next(), b.next()] {
            [None, None] => return found,
            pair => found.push(pair),
        }
    }
}
