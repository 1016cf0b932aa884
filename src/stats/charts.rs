//! Data of the small charts: concurrent queries over time, buffer bytes over time, and the distribution of query durations.

use std::ops::Range;

use crate::analysis::percentile::percentile_of_sorted;
use crate::analysis::{FilteredItems, Queries, passes};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::protocol::{Charts, ChartsRequest, Outcome, RunCharts};
use crate::trace::{EventId, Item, Kind, Run, RunId, Trace, key, overlaps};

/// Maximum number of steps in a chart: more than a screen has pixels.
pub const MAX_BUCKETS: u32 = 4_096;

/// Maximum number of buffer event types with their own series. The rest, smallest by bytes, share one more series.
const MAX_SERIES: usize = 8;

/// Returns the charts of the half-open time range of a request, in 1 to [`MAX_BUCKETS`] steps. Only queries and events
/// that pass `filter` count.
#[inline(never)]
pub fn charts(
    trace: &Trace,
    queries: &Queries,
    request: &ChartsRequest,
    filter: Option<&FilteredItems>,
) -> Charts {
    let &ChartsRequest { start, end, buckets, .. } = request;
    let axis = TimeSteps::new(start, end, buckets);
    let of = ChartedTrace { trace, queries, filter };
    let (durations, incomplete) = of.sorted_durations(&axis, |_| true);
    let classes = classes(&durations);
    let several = if trace.runs.len() > 1 { trace.runs.len() } else { 0 };
    let own = several.min(Charts::MOST_RUNS);
    Charts {
        start,
        end: axis.end,
        queries: of.running(&axis, |_| true),
        buffers: of.buffers(&axis),
        percentiles: percentiles(&durations),
        runs: (0..own as u32).map(|run| of.run_charts(RunId(run), &axis, &classes)).collect(),
        more_runs: (several - own) as u32,
        durations: classes,
        incomplete,
    }
}

/// The data that the charts are computed from.
#[derive(Clone, Copy)]
struct ChartedTrace<'a> {
    trace: &'a Trace,
    queries: &'a Queries,
    filter: Option<&'a FilteredItems>,
}

impl ChartedTrace<'_> {
    /// Rows of the queries of the runs for which `of` is true.
    fn rows(&self, of: impl Fn(RunId) -> bool) -> impl Iterator<Item = u32> {
        let Self { trace, queries, filter } = *self;
        let passes = move |row: &u32| passes(filter, trace, Item::Span(queries.span(*row)));
        (0..queries.len()).filter(passes).filter(move |row| of(queries.run(*row)))
    }

    fn run_charts(&self, run: RunId, axis: &TimeSteps, classes: &[(i64, u32)]) -> RunCharts {
        let trace = self.trace;
        let Run { name, track, .. } = trace.runs[run.0 as usize];
        let (durations, _) = self.sorted_durations(axis, |of| of == run);
        let mut bytes = vec![0_i64; axis.steps as usize];
        for (_, time, moved) in self.bytes_in(trace.tracks.subtree_events(track), axis) {
            let step = &mut bytes[axis.step(time)];
            *step = step.saturating_add(moved);
        }
        RunCharts {
            name: trace.str(name).to_owned(),
            queries: self.running(axis, |of| of == run),
            bytes,
            durations: counts(&durations, classes.iter().map(|class| class.0)),
            percentiles: percentiles(&durations),
        }
    }

    /// Maximum number of concurrent queries in each step, over the queries of the runs for which `of` is true.
    fn running(&self, axis: &TimeSteps, of: impl Fn(RunId) -> bool) -> Vec<u32> {
        let queries = self.queries;
        // Intervals are half-open, so ends are sorted before starts at the same time. An empty interval counts as 1 ns long.
        let mut changes: Vec<(i64, i8)> = Vec::new();
        let rows = self.rows(of);
        for (start, end) in rows.map(|row| queries.interval(row)) {
            if overlaps(start, end, axis.range()) {
                changes.push((start.max(axis.start), 1));
                changes.push((end.max(start.saturating_add(1)), -1));
            }
        }
        sort::by_key(&mut changes, |&(time, change)| (time, u64::from(change > 0)));
        let mut most = vec![0_u32; axis.steps as usize];
        let (mut level, mut step) = (0_u32, 0);
        for (time, change) in changes {
            let at = if time >= axis.end { most.len() - 1 } else { axis.step(time) };
            // The level so far lasted until `time`: it holds in all steps in between, and in this step unless the step starts now.
            let held = if time < axis.end && axis.begins_step(time) { at } else { at + 1 };
            most[step.min(held)..held].iter_mut().for_each(|m| *m = (*m).max(level));
            level = if change > 0 { level + 1 } else { level.saturating_sub(1) };
            // Several queries may end at the same time, so a lower level is recorded only after it has lasted.
            if change > 0 {
                most[at] = most[at].max(level);
            }
            step = at;
        }
        most
    }

    /// Bytes per step and buffer event type, the types with the most bytes first.
    fn buffers(&self, axis: &TimeSteps) -> Vec<(String, Vec<i64>)> {
        let trace = self.trace;
        let mut types: Vec<(StrId, i64, Vec<i64>)> = Vec::new();
        let mut others = vec![0; axis.steps as usize];
        let totals = self.totals(axis);
        let (own, rest) = totals.split_at(totals.len().min(MAX_SERIES));
        types.extend(own.iter().map(|&(name, total)| (name, total, others.clone())));
        for (name, time, bytes) in self.bytes_in(0..trace.events.len() as u32, axis) {
            let series = types.iter_mut().find(|(own, ..)| *own == name).map(|(.., series)| series);
            let step = &mut series.unwrap_or(&mut others)[axis.step(time)];
            *step = step.saturating_add(bytes);
        }
        let mut named: Vec<_> =
            types.into_iter().map(|(name, _, series)| (trace.str(name).to_owned(), series)).collect();
        if !rest.is_empty() {
            named.push((format!("{} other types", rest.len()), others));
        }
        named
    }

    /// Buffer event types with their bytes in the range, sorted by bytes in descending order, then by name.
    fn totals(&self, axis: &TimeSteps) -> Vec<(StrId, i64)> {
        let trace = self.trace;
        let mut totals = FxHashMap::<StrId, i64>::default();
        for (name, _, bytes) in self.bytes_in(0..trace.events.len() as u32, axis) {
            let total = totals.entry(name).or_default();
            *total = total.saturating_add(bytes);
        }
        let mut totals: Vec<_> = totals.into_iter().collect();
        sort::by(&mut totals, |a, b| b.1.cmp(&a.1).then_with(|| trace.str(a.0).cmp(trace.str(b.0))));
        totals
    }

    /// Type, time and bytes of the given buffer events that are in the range.
    fn bytes_in(&self, events: Range<u32>, axis: &TimeSteps) -> impl Iterator<Item = (StrId, i64, i64)> {
        let trace = self.trace;
        events.map(EventId).filter_map(|id| {
            let time = trace.events.time(id);
            let inside = trace.events.kind(id) == Kind::Buffer && overlaps(time, time, axis.range());
            let inside = inside && passes(self.filter, trace, Item::Event(id));
            let bytes = if inside { trace.num(Item::Event(id), key::BYTES) } else { None };
            Some((trace.events.name(id), time, bytes?))
        })
    }

    /// Whole durations, in ascending order, of the queries that overlap the range and did not end as unfinished or
    /// no-start, and the number of those that did: filters can tell these two groups apart. Only queries of the runs for
    /// which `of` is true are included. A range that covers the trace includes all queries, as in the query list.
    fn sorted_durations(&self, axis: &TimeSteps, of: impl Fn(RunId) -> bool) -> (Vec<i64>, u32) {
        let queries = self.queries;
        let is_all = axis.start <= 0 && axis.end >= self.trace.end();
        let is_inside = |row: &u32| {
            let (start, end) = queries.interval(*row);
            is_all || overlaps(start, end, axis.range())
        };
        let (mut durations, mut incomplete) = (Vec::new(), 0);
        for row in self.rows(of).filter(is_inside) {
            match queries.outcome(row) {
                Outcome::Ok | Outcome::Failed => durations.push(queries.duration(row)),
                Outcome::Unfinished | Outcome::NoStart => incomplete += 1,
            }
        }
        sort::by_key(&mut durations, |&duration| (duration, 0));
        (durations, incomplete)
    }
}

/// Time axis, divided into equal steps.
pub(super) struct TimeSteps {
    start: i64,
    end: i64,
    steps: u32,
}

impl TimeSteps {
    pub(super) fn new(start: i64, end: i64, steps: u32) -> Self {
        let start = start.min(i64::MAX - 1);
        Self { start, end: end.max(start + 1), steps: steps.clamp(1, MAX_BUCKETS) }
    }

    /// Number of steps.
    pub(super) fn len(&self) -> usize {
        self.steps as usize
    }

    pub(super) fn range(&self) -> (i64, i64) {
        (self.start, self.end)
    }

    fn length(&self) -> i128 {
        i128::from(self.end) - i128::from(self.start)
    }

    /// Index of the step that contains a time inside the range.
    pub(super) fn step(&self, time: i64) -> usize {
        let from_start = i128::from(time) - i128::from(self.start);
        let step = from_start * i128::from(self.steps) / self.length();
        step.clamp(0, i128::from(self.steps) - 1) as usize
    }

    /// Whether `time` is the first nanosecond of its step.
    fn begins_step(&self, time: i64) -> bool {
        time <= self.start || self.step(time) != self.step(time - 1)
    }
}

/// Percentiles 50, 90 and 99 (nearest rank) and the maximum; `None` without values.
fn percentiles(sorted: &[i64]) -> Option<[i64; 4]> {
    let at = |percent| percentile_of_sorted(sorted, percent);
    Some([at(50)?, at(90)?, at(99)?, *sorted.last()?])
}

/// Number of durations in each class from 0, 2, 5, 10, 20, 50, … ns, from the first to the last non-empty class.
fn classes(sorted: &[i64]) -> Vec<(i64, u32)> {
    let (Some(&shortest), Some(&longest)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let decades = (0..19).map(|exponent| 10_i64.pow(exponent));
    let bounds = decades.flat_map(|decade| [1, 2, 5].map(|n| decade.saturating_mul(n)));
    // On a logarithmic axis, a class from 0 to 1 would have no width.
    let bounds: Vec<i64> = std::iter::once(0).chain(bounds.skip(1)).collect();
    let first = bounds.partition_point(|&bound| bound <= shortest).saturating_sub(1);
    let end = bounds.partition_point(|&bound| bound <= longest);
    let bounds = &bounds[first..end];
    bounds.iter().copied().zip(counts(sorted, bounds.iter().copied())).collect()
}

/// Number of durations in each class, given the lower bounds of the classes; the last class has no upper bound.
fn counts(sorted: &[i64], bounds: impl Iterator<Item = i64>) -> Vec<u32> {
    let below: Vec<usize> =
        bounds.map(|bound| sorted.partition_point(|&duration| duration < bound)).collect();
    let ends = below.iter().skip(1).copied().chain([sorted.len()]);
    below.iter().zip(ends).map(|(below, end)| (end - below) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;
    use crate::testing;

    const MS: i64 = 1_000_000;

    fn charted<'a>(trace: &'a Trace, queries: &'a Queries) -> ChartedTrace<'a> {
        ChartedTrace { trace, queries, filter: None }
    }

    fn of(trace: &Trace) -> Charts {
        let request = ChartsRequest { start: 0, end: 100, buckets: 10, filter: String::new() };
        charts(trace, &Queries::of(trace), &request, None)
    }

    fn check_running(start: i64, end: i64, steps: u32, most: &[u32]) {
        let trace = sample::trace();
        let queries = Queries::of(&trace);
        assert_eq!(
            charted(&trace, &queries).running(&TimeSteps::new(start * MS, end * MS, steps), |_| true),
            most,
            "{start}..{end}"
        );
    }

    #[test]
    fn queries_are_counted_in_every_step_that_they_touch() {
        check_running(0, 25, 5, &[1, 1, 1, 1, 1]);
        check_running(10, 12, 2, &[0, 0]);
        check_running(9, 13, 4, &[1, 0, 0, 1]);
        check_running(30, 40, 2, &[0, 0]);
        check_running(0, 0, 3, &[1, 1, 1]);
    }

    proptest::proptest! {
        #[test]
        fn steps_agree_with_counting_at_every_instant(
            intervals in proptest::collection::vec((0_i64..24, 0_i64..9), 0..6),
            (start, length, steps) in (0_i64..20, 1_i64..20, 1_u32..8),
        ) {
            let trace = sample::queries(&intervals);
            let axis = TimeSteps::new(start, start + length, steps);
            let mut expected = vec![0; steps as usize];
            for time in start..start + length {
                let runs = |&&(from, long): &&(i64, i64)| from <= time && time < from + long.max(1);
                let level = intervals.iter().filter(runs).count() as u32;
                let step = &mut expected[axis.step(time)];
                *step = level.max(*step);
            }
            // If there are more steps than nanoseconds, steps without an instant repeat the level of the previous step.
            if i64::from(steps) <= length {
                proptest::prop_assert_eq!(charted(&trace, &Queries::of(&trace)).running(&axis, |_| true), expected);
            }
        }
    }

    #[test]
    fn bytes_are_added_up_by_type_and_step() {
        let trace = sample::trace();
        let found = charted(&trace, &Queries::of(&trace)).buffers(&TimeSteps::new(0, 25 * MS, 5));
        let spill = ("SPILL".to_owned(), vec![0, 0, 0, 0, 4_000]);
        assert_eq!(found, [spill, ("READ".to_owned(), vec![1_500, 0, 0, 0, 0])]);
    }

    #[test]
    fn runs_have_charts_of_their_own_that_add_up_to_the_whole() {
        let trace = testing::trace(
            "run a 100\nquery a1 10..30\nquery a2 20..40\nrun b 100\nquery b1 15..25\nquery b2 90..99\n",
        );
        let all = of(&trace);
        let names: Vec<&str> = all.runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!((names, all.more_runs), (vec!["a", "b"], 0));
        assert_eq!(all.runs[0].queries, [0, 1, 2, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(all.runs[1].queries, [0, 1, 1, 0, 0, 0, 0, 0, 0, 1]);
        for (at, (_, count)) in all.durations.iter().enumerate() {
            assert_eq!(*count, all.runs.iter().map(|run| run.durations[at]).sum::<u32>());
        }
        assert_eq!(all.runs[1].percentiles, Some([9, 10, 10, 10]));
        let one = testing::trace("run a 100\nquery a1 10..30\n");
        assert!(of(&one).runs.is_empty(), "one run is the whole");
        let many: String = (0..20).map(|run| format!("run r{run} 100\nquery q 10..30\n")).collect();
        let many = testing::trace(&many);
        let all = of(&many);
        assert_eq!((all.runs.len(), all.more_runs), (Charts::MOST_RUNS, 8));
    }

    #[test]
    fn durations_are_whole_in_any_range() {
        let trace = testing::trace(
            "run a 100\nquery a 0..40\nquery b 30..35 failed\nquery c 50..90 open-end\nquery d 0..20 open-start\n",
        );
        for (start, end, durations, incomplete) in [
            (0, 100, vec![(5, 1), (10, 0), (20, 1)], 2),
            (32, 33, vec![(5, 1), (10, 0), (20, 1)], 0),
            (38, 60, vec![(20, 1)], 1),
        ] {
            let request = ChartsRequest { start, end, buckets: 4, filter: String::new() };
            let found = charts(&trace, &Queries::of(&trace), &request, None);
            assert_eq!((found.durations, found.incomplete), (durations, incomplete), "{start}..{end}");
        }
    }

    #[test]
    fn durations_fall_into_classes() {
        for (durations, expected) in [
            (&[][..], &[][..]),
            (&[0], &[(0, 1)]),
            (&[1, 1, 4, 19], &[(0, 2), (2, 1), (5, 0), (10, 1)]),
            (&[i64::MAX], &[(5_000_000_000_000_000_000, 1)]),
        ] {
            assert_eq!(classes(durations), expected);
        }
        assert_eq!(percentiles(&[]), None);
        assert_eq!(percentiles(&[7]), Some([7; 4]));
        assert_eq!(percentiles(&(1..=200).collect::<Vec<_>>()), Some([100, 180, 198, 200]));
    }
}
