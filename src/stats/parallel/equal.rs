//! Parallel copies of plan instructions, into which the optimizer splits an instruction (mitosis), and their skew.

use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::trace::{Item, SpanId, Trace, attribute_names};

/// Minimum duration of the longest run of a step, in nanoseconds: the clock has a resolution of microseconds.
const SHORTEST: i64 = 5_000;

/// Step that occurs at several places of its plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equal {
    /// Name of the step.
    pub step: StrId,
    /// Number of places in the plan.
    pub places: u32,
    /// Durations in nanoseconds, one per place, in ascending order.
    pub times: Vec<i64>,
    /// Span of the longest run.
    pub longest: SpanId,
}

impl Equal {
    /// Total time of all runs, in nanoseconds.
    pub fn time(&self) -> i64 {
        self.times.iter().copied().fold(0, i64::saturating_add)
    }
}

/// Parallel copies of a step, with the place of each run.
type Runs = (Equal, Vec<Option<i64>>);

/// Returns the partitioned steps that occur at several places of a function, in descending order of total time. `group` gives
/// the statement, or any other group, that a span is counted in, or `None` to leave the span out.
pub fn equal(
    trace: &Trace,
    group: impl Fn(SpanId) -> Option<u32>,
    duration: impl Fn(SpanId) -> i64,
) -> Vec<Equal> {
    let keys = [attribute_names::STEP, attribute_names::PART].map(|name| trace.key(name));
    let [Some(step), Some(part)] = keys else { return Vec::new() };
    let [place, program] =
        [attribute_names::PLAN_PLACE, attribute_names::PROGRAM].map(|name| trace.key(name));
    let mut known: FxHashMap<(u32, StrId, Option<StrId>), Runs> = FxHashMap::default();
    for id in (0..trace.spans.len() as u32).map(SpanId) {
        let item = Item::Span(id);
        let (Some(step), Some(_)) = (trace.text(item, step), trace.num(item, part)) else { continue };
        let Some(group) = group(id) else { continue };
        let place = place.and_then(|key| trace.num(item, key));
        let program = program.and_then(|key| trace.text(item, key));
        let none = || (Equal { step, places: 0, times: Vec::new(), longest: id }, Vec::new());
        let (equal, places) = known.entry((group, step, program)).or_insert_with(none);
        let time = duration(id);
        if time > duration(equal.longest) {
            equal.longest = id;
        }
        equal.times.push(time);
        places.push(place);
    }
    let mut found: Vec<Equal> = known.into_values().map(|(equal, places)| whole(equal, places)).collect();
    found.retain(|equal| equal.places > 1 && equal.times.last().is_some_and(|longest| *longest >= SHORTEST));
    sort::by_key(&mut found, |equal| (equal.time().saturating_neg(), u64::from(equal.longest.0)));
    found
}

/// Counts the places. If the format does not report places, each run counts as a place of its own.
fn whole(mut equal: Equal, mut places: Vec<Option<i64>>) -> Equal {
    let has_places = places.iter().all(Option::is_some);
    sort::by_key(&mut places, |place| (place.unwrap_or(0), 0));
    if has_places {
        places.dedup();
    }
    equal.places = places.len() as u32;
    sort::by_key(&mut equal.times, |time| (*time, 0));
    equal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::interner::Interner;
    use crate::trace::{Flags, Kind, RecordId, Span, TraceBuilder, TrackKind, Unit};

    #[test]
    fn parts_are_counted_by_their_places() {
        let mut builder = TraceBuilder::new(Interner::default());
        let [place, part] =
            [attribute_names::PLAN_PLACE, attribute_names::PART].map(|name| builder.key(name, Unit::Count));
        let step = builder.key(attribute_names::STEP, Unit::Text);
        let shape = builder.shape(&[place, part], &[step]);
        let name = builder.strings().intern("run");
        let run = builder.run(name, 0, 1_000_000, 0);
        builder.track(builder.root(run), name, TrackKind::Thread);
        // Step `a` has three places and ran twice at the last. The other steps ran at one place only, take no time, or
        // are not partitioned.
        let rows = [
            (1, Some(0), "a", 5_000),
            (2, Some(1), "a", 9_000),
            (3, Some(2), "a", 7_000),
            (3, Some(2), "a", 3_000),
            (4, Some(0), "b", 100_000),
            (4, Some(0), "b", 100_000),
            (5, Some(0), "c", 4_000),
            (6, Some(1), "c", 4_000),
            (7, None, "d", 9_000),
            (8, None, "d", 9_000),
        ];
        for (at, (place, part, step, duration)) in (0..).zip(rows) {
            let (flags, none) = (Flags::default(), RecordId::NONE);
            let step = builder.strings().intern(step);
            let span = Span {
                start: at * 100_000,
                duration,
                parent: None,
                name,
                kind: Kind::Slice,
                flags,
                depth: 0,
                begin: none,
                end: none,
            };
            builder.span(span, shape, &[Some(place), part], &[step]);
        }
        let trace = builder.finish();
        let found = equal(&trace, |_| Some(0), |id| trace.duration(id));
        let rows: Vec<_> = found.iter().map(|of| (trace.str(of.step), of.places, of.times.clone())).collect();
        assert_eq!(rows, [("a", 3, vec![3_000, 5_000, 7_000, 9_000])]);
        assert_eq!((found[0].longest, found[0].time()), (SpanId(1), 24_000));
    }
}
