//! A counter as a strip: each value lasts until the next sample; a pixel column with several samples shows the maximum.
//!
//! Rates are kept in thousandths per second.

use super::lane::{Lane, LaneCell, LaneEntry, LaneGrid};
use crate::base::text;
use crate::trace::{EventId, Flags, Item, Trace, TrackId, TrackKind, Unit};

/// The samples of a counter.
pub(super) struct CounterSamples {
    lane: Lane,
    /// Minimum and maximum value; the range always includes 0.
    pub low: i64,
    pub high: i64,
    pub unit: Unit,
    is_rate: bool,
    /// End of the run, up to which the last sample's value lasts.
    end: i64,
}

/// A part of the strip with constant value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct CounterStep {
    /// Start and end, in nanoseconds since the run's first event.
    pub start: i64,
    pub end: i64,
    /// Item code of the sample that reports the value.
    pub code: u32,
    /// Vertical positions of the value and of 0, from the bottom of the strip (0) to its top (1).
    pub value: f32,
    pub zero: f32,
}

impl CounterSamples {
    pub fn of(trace: &Trace, track: TrackId, is_rate: bool) -> Self {
        let (mut entries, mut unit) = (Vec::new(), Unit::Count);
        for id in trace.tracks.events(track).map(EventId) {
            let event = trace.events.get(id);
            let Some((key, value)) = trace.nums(Item::Event(id)).next() else { continue };
            unit = trace.keys.get(key).unit;
            let (start, code) = (event.time, Item::Event(id).code());
            entries.push(LaneEntry { start, weight: value, code, flags: Flags::default(), kind: event.kind });
        }
        if is_rate {
            to_rates(&mut entries);
        }
        let values = || entries.iter().map(|entry| entry.weight).filter(|value| *value != NO_VALUE);
        let (low, high) = (values().min().unwrap_or(0).min(0), values().max().unwrap_or(0).max(0));
        let root = trace.tracks.ancestor(track, TrackKind::Run);
        let end =
            trace.runs.iter().find(|run| Some(run.track) == root).map_or(trace.end(), |run| run.duration);
        Self { lane: Lane::points(entries), low, high, unit, is_rate, end }
    }

    /// Formats the value range that the height of the strip represents, such as "0 to 1,234".
    pub fn scale(&self, (low, high): (i64, i64)) -> String {
        let written = |value: i64| match (self.unit, self.is_rate) {
            (Unit::Bytes, false) => text::bytes(value),
            (Unit::Bytes, true) => format!("{}/s", text::bytes(value / THOUSANDTHS)),
            (Unit::Millionths, false) => text::millionths(value),
            (Unit::Millionths, true) => format!("{}/s", text::millionths(value / THOUSANDTHS)),
            (_, true) if value.unsigned_abs() >= 1_000_000 => {
                format!("{}/s", text::count(value / THOUSANDTHS))
            }
            (_, true) => format!("{}/s", text::decimal(i128::from(value) * 1_000)),
            (_, false) => text::count(value),
        };
        format!("{} to {}", written(low), written(high))
    }

    /// Returns the value at a time, with the item code of its sample; `None` before the first sample, after the end of the
    /// run, and where no rate is known.
    pub fn value_at(&self, time: i64) -> Option<(u32, i64)> {
        let at = self.lane.position_before(time.saturating_add(1)).filter(|_| time < self.end)?;
        let entry = self.lane.entry(at);
        (entry.weight != NO_VALUE).then_some((entry.code, entry.weight))
    }

    /// Calls `each` with every step to draw: at most two for each column of the grid. `scale` has the values at the
    /// bottom and the top of the strip.
    pub fn steps(&self, grid: &LaneGrid, scale: (i64, i64), mut each: impl FnMut(CounterStep)) {
        let mut each = |start: i64, end: i64, at: usize| {
            self.step(start, end, at, scale).into_iter().for_each(&mut each)
        };
        let (window, end) = (&grid.window, self.end);
        // The last sample before the window, whose value is still valid at its start.
        let mut before = self.lane.position_before(window.start);
        let mut drawn = window.start;
        for cell in self.lane.cells(grid) {
            let LaneCell::Many { range, sum, column } = cell else { continue };
            let start = self.lane.entry(range.start).start.max(column.start);
            if let Some(at) = before {
                each(drawn, start, at);
            }
            let until = column.end.min(end.max(start.saturating_add(1)));
            each(start, until, sum.heaviest as usize);
            (before, drawn) = (Some(range.end - 1), until);
        }
        let end = end.min(window.end);
        if let Some(at) = before.filter(|_| drawn < end) {
            each(drawn, end, at);
        }
    }

    fn step(&self, start: i64, end: i64, at: usize, (low, high): (i64, i64)) -> Option<CounterStep> {
        let entry = self.lane.entry(at);
        let range = (high as f64 - low as f64).max(1.0);
        let place = |value: i64| ((value as f64 - low as f64) / range) as f32;
        let step = CounterStep { start, end, code: entry.code, value: place(entry.weight), zero: place(0) };
        (entry.weight != NO_VALUE).then_some(step)
    }
}

/// Value of a sample after which no rate is known.
const NO_VALUE: i64 = i64::MIN;
/// Number of thousandths in one.
const THOUSANDTHS: i64 = 1_000;
/// Number of thousandths per second in one per nanosecond.
const PER_SECOND: i128 = 1_000_000_000_000;

/// Replaces values by their change per second until the next sample, in thousandths. If the counter is monotonic, each
/// decrease is a reset, and the sample before it has no rate. A counter counts as monotonic if each decrease leaves at
/// most half of the value, and at most a tenth of the changes are decreases.
fn to_rates(entries: &mut [LaneEntry]) {
    let mut rises = 0_u64;
    let mut falls = 0_u64;
    let mut halved = 0_u64;
    for pair in entries.windows(2) {
        let (from, to) = (pair[0].weight, pair[1].weight);
        rises += u64::from(to > from);
        falls += u64::from(to < from);
        halved += u64::from(to < from && 0 <= to && to <= from / 2);
    }
    let only_grows = falls == halved && falls <= rises / 9;
    for at in 0..entries.len() {
        let next = entries.get(at + 1).copied();
        let entry = &mut entries[at];
        let rate = next.filter(|next| next.start > entry.start).and_then(|next| {
            let change = i128::from(next.weight) - i128::from(entry.weight);
            let rate = change.saturating_mul(PER_SECOND) / (i128::from(next.start) - i128::from(entry.start));
            let rate = i64::try_from(rate).unwrap_or(if change < 0 { -i64::MAX } else { i64::MAX });
            (change >= 0 || !only_grows).then_some(rate)
        });
        entry.weight = rate.unwrap_or(NO_VALUE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::interner::Interner;
    use crate::trace::{Event, Kind, RecordId, TraceBuilder};

    fn counter(samples: &[(i64, i64)]) -> CounterSamples {
        let mut builder = TraceBuilder::new(Interner::default());
        let name = builder.strings().intern("c");
        let run = builder.run(name, 0, 1000, 0);
        let track = builder.track(builder.root(run), name, TrackKind::Counter);
        let key = builder.key("value", Unit::Count);
        let shape = builder.shape(&[key], &[]);
        for &(time, value) in samples {
            let flags = Flags::default();
            let record = RecordId::NONE;
            let kind = Kind::Sample;
            builder.event(Event { time, parent: None, name, kind, flags, record }, shape, &[Some(value)]);
        }
        builder.run(name, 0, 3000, 0);
        CounterSamples::of(&builder.finish(), track, false)
    }

    fn check(
        samples: &[(i64, i64)],
        window: std::ops::Range<i64>,
        column: i64,
        expected: &[(i64, i64, f32)],
    ) {
        let grid = LaneGrid { window: window.clone(), focus: window, column };
        let mut found = Vec::new();
        let counter = counter(samples);
        counter
            .steps(&grid, (counter.low, counter.high), |step| found.push((step.start, step.end, step.value)));
        assert_eq!(found, expected, "{samples:?}");
    }

    #[test]
    fn a_value_holds_until_the_next() {
        check(
            &[(0, 10), (500, 5)],
            0..1000,
            1,
            &[(0, 1, 1.0), (1, 500, 1.0), (500, 501, 0.5), (501, 1000, 0.5)],
        );
        check(&[(0, 10), (900, 5)], 200..400, 1, &[(200, 400, 1.0)]);
        check(&[(0, -10), (500, 10)], 0..1000, 1000, &[(0, 1000, 1.0)]);
        // The strip ends with its run, although another run lasts longer.
        check(&[(900, 10)], 500..3000, 1, &[(900, 901, 1.0), (901, 1000, 1.0)]);
        check(&[], 0..1000, 1, &[]);
    }

    #[test]
    fn a_million_samples_cost_columns() {
        let samples: Vec<(i64, i64)> = (0..1000).map(|at| (at, at % 7)).collect();
        let grid = LaneGrid { window: 0..1000, focus: 0..1000, column: 100 };
        let mut count = 0;
        let counter = counter(&samples);
        counter.steps(&grid, (counter.low, counter.high), |_| count += 1);
        assert!(count <= 20, "{count}");
        assert_eq!(counter.scale((counter.low, counter.high)), "0 to 6");
    }

    #[test]
    fn rates_are_differences_by_time() {
        let second = 1_000_000_000;
        let entry = |start: i64, weight: i64| LaneEntry {
            start,
            weight,
            code: 0,
            flags: Flags::default(),
            kind: Kind::Sample,
        };
        for (samples, expected) in [
            (vec![], vec![]),
            (vec![(0, 5)], vec![NO_VALUE]),
            // 10 in a second, 1 in a third of a second: 3.000 per second.
            (vec![(0, 0), (second, 10), (second + second / 3, 11)], vec![10_000, 3_000, NO_VALUE]),
            // A gauge falls.
            (vec![(0, 9), (second, 7), (3 * second, 8)], vec![-2_000, 500, NO_VALUE]),
            // Two samples at the same time: the last one counts.
            (vec![(0, 1), (0, 4), (second, 6)], vec![NO_VALUE, 2_000, NO_VALUE]),
            (vec![(0, i64::MIN + 1), (1, i64::MAX)], vec![i64::MAX, NO_VALUE]),
            (vec![(0, i64::MAX), (1, i64::MIN + 1)], vec![-i64::MAX, NO_VALUE]),
        ] {
            let mut entries: Vec<LaneEntry> =
                samples.iter().map(|&(start, value)| entry(start, value)).collect();
            to_rates(&mut entries);
            let rates: Vec<i64> = entries.iter().map(|entry| entry.weight).collect();
            assert_eq!(rates, expected, "{samples:?}");
        }
        // A counter that grows by 3 each second and begins again at 1.
        let values = (0..12).chain(0..12).map(|value| value * 3 + 1);
        let mut entries: Vec<LaneEntry> =
            (0..).zip(values).map(|(at, value)| entry(at * second, value)).collect();
        to_rates(&mut entries);
        let broken: Vec<usize> = (0..24).filter(|at| entries[*at].weight != 3_000).collect();
        assert_eq!(broken, [11, 23]);
        assert_eq!((entries[11].weight, entries[23].weight), (NO_VALUE, NO_VALUE));
    }
}
