//! Instructions of a plan that do the same: the parts into which the optimizer cuts one (mitosis), and how evenly they ran.

use rustc_hash::FxHashMap;

use crate::sort;
use crate::strings::StrId;
use crate::trace::{Item, SpanId, Trace, words};

/// A step that stands at several places of its plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equal {
    /// What they do.
    pub step: StrId,
    /// How many places.
    pub places: u32,
    /// Their durations, the shortest first.
    pub times: Vec<i64>,
    /// The slowest of all runs.
    pub longest: SpanId,
}

impl Equal {
    /// Time of all runs.
    pub fn time(&self) -> i64 {
        self.times.iter().copied().fold(0, i64::saturating_add)
    }
}

/// The steps that stand at several places, the one that took most of the time first.
pub fn equal(trace: &Trace, counts: impl Fn(SpanId) -> bool) -> Vec<Equal> {
    let Some(step) = trace.key(words::STEP) else { return Vec::new() };
    let place = trace.key(words::PLAN_PLACE);
    let mut known: FxHashMap<StrId, (Equal, Vec<Option<i64>>)> = FxHashMap::default();
    for id in (0..trace.spans.len() as u32).map(SpanId).filter(|id| counts(*id)) {
        let Some(step) = trace.text(Item::Span(id), step) else { continue };
        let place = place.and_then(|key| trace.num(Item::Span(id), key));
        let none = || (Equal { step, places: 0, times: Vec::new(), longest: id }, Vec::new());
        let (equal, places) = known.entry(step).or_insert_with(none);
        if trace.spans.duration(id) > trace.spans.duration(equal.longest) {
            equal.longest = id;
        }
        equal.times.push(trace.spans.duration(id));
        places.push(place);
    }
    let mut found: Vec<Equal> = known.into_values().map(|(equal, places)| whole(equal, places)).collect();
    found.retain(|equal| equal.places > 1);
    sort::by_key(&mut found, |equal| (equal.time().saturating_neg(), u64::from(equal.longest.0)));
    found
}

/// Counts the places: where a format does not tell of them, each run has its own.
fn whole(mut equal: Equal, mut places: Vec<Option<i64>>) -> Equal {
    let told = places.iter().all(Option::is_some);
    sort::by_key(&mut places, |place| (place.unwrap_or(0), 0));
    if told {
        places.dedup();
    }
    equal.places = places.len() as u32;
    sort::by_key(&mut equal.times, |time| (*time, 0));
    equal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strings::Strings;
    use crate::trace::{Flags, Kind, RecordId, Span, TraceBuilder, TrackKind, Unit};

    #[test]
    fn parts_are_counted_by_their_places() {
        let mut builder = TraceBuilder::new(Strings::default());
        let (place, step) =
            (builder.key(words::PLAN_PLACE, Unit::Count), builder.key(words::STEP, Unit::Text));
        let shape = builder.shape(&[place], &[step]);
        let name = builder.strings().intern("run");
        let run = builder.run(name, 0, 1000, 0);
        builder.track(builder.root(run), name, TrackKind::Thread);
        // A step at three places, the last of which ran twice; one that ran twice at its place.
        let rows = [(1, "a", 5), (2, "a", 9), (3, "a", 7), (3, "a", 3), (4, "b", 100), (4, "b", 100)];
        for (at, (place, step, duration)) in (0..).zip(rows) {
            let (flags, none) = (Flags::default(), RecordId::NONE);
            let step = builder.strings().intern(step);
            let span = Span {
                start: at * 100,
                duration,
                parent: None,
                name,
                kind: Kind::Slice,
                flags,
                depth: 0,
                begin: none,
                end: none,
            };
            builder.span(span, shape, &[Some(place)], &[step]);
        }
        let trace = builder.finish();
        let found = equal(&trace, |_| true);
        let rows: Vec<_> = found.iter().map(|of| (trace.str(of.step), of.places, of.times.clone())).collect();
        assert_eq!(rows, [("a", 3, vec![3, 5, 7, 9])]);
        assert_eq!((found[0].longest, found[0].time()), (SpanId(1), 24));
    }
}
