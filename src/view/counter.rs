//! A counter as a strip: each value lasts until the next sample; a pixel column with several samples shows the maximum.

use super::lane::{Lane, LaneCell, LaneEntry, LaneGrid};
use crate::base::text;
use crate::trace::{EventId, Flags, Item, Trace, TrackId, TrackKind, Unit};

/// The samples of a counter.
pub(super) struct CounterSamples {
    lane: Lane,
    /// Minimum and maximum value; the range always includes 0.
    low: i64,
    high: i64,
    unit: Unit,
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
    pub fn of(trace: &Trace, track: TrackId) -> Self {
        let (mut entries, mut unit) = (Vec::new(), Unit::Count);
        for id in trace.tracks.events(track).map(EventId) {
            let event = trace.events.get(id);
            let Some((key, value)) = trace.nums(Item::Event(id)).next() else { continue };
            unit = trace.keys.get(key).unit;
            let (start, code) = (event.time, Item::Event(id).code());
            entries.push(LaneEntry { start, weight: value, code, flags: Flags::default(), kind: event.kind });
        }
        let values = || entries.iter().map(|entry| entry.weight);
        let (low, high) = (values().min().unwrap_or(0).min(0), values().max().unwrap_or(0).max(0));
        let root = trace.tracks.ancestor(track, TrackKind::Run);
        let end =
            trace.runs.iter().find(|run| Some(run.track) == root).map_or(trace.end(), |run| run.duration);
        Self { lane: Lane::points(entries), low, high, unit, end }
    }

    /// Returns the value range of the strip's height, such as "0 to 1,234".
    pub fn scale(&self) -> String {
        let written = |value| match self.unit {
            Unit::Bytes => text::bytes(value),
            Unit::Millionths => text::millionths(value),
            _ => text::count(value),
        };
        format!("{} to {}", written(self.low), written(self.high))
    }

    /// Calls `each` with every step to draw: at most two for each column of the grid.
    pub fn steps(&self, grid: &LaneGrid, mut each: impl FnMut(CounterStep)) {
        let (window, end) = (&grid.window, self.end);
        // The last sample before the window, whose value is still valid at its start.
        let mut before = self.lane.position_before(window.start);
        let mut drawn = window.start;
        for cell in self.lane.cells(grid) {
            let LaneCell::Many { range, sum, column } = cell else { continue };
            let start = self.lane.entry(range.start).start.max(column.start);
            if let Some(at) = before {
                each(self.step(drawn, start, at));
            }
            let until = column.end.min(end.max(start.saturating_add(1)));
            each(self.step(start, until, sum.heaviest as usize));
            (before, drawn) = (Some(range.end - 1), until);
        }
        let end = end.min(window.end);
        if let Some(at) = before.filter(|_| drawn < end) {
            each(self.step(drawn, end, at));
        }
    }

    fn step(&self, start: i64, end: i64, at: usize) -> CounterStep {
        let entry = self.lane.entry(at);
        let range = (self.high as f64 - self.low as f64).max(1.0);
        let place = |value: i64| ((value as f64 - self.low as f64) / range) as f32;
        CounterStep { start, end, code: entry.code, value: place(entry.weight), zero: place(0) }
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
        CounterSamples::of(&builder.finish(), track)
    }

    fn check(
        samples: &[(i64, i64)],
        window: std::ops::Range<i64>,
        column: i64,
        expected: &[(i64, i64, f32)],
    ) {
        let grid = LaneGrid { window: window.clone(), focus: window, column };
        let mut found = Vec::new();
        counter(samples).steps(&grid, |step| found.push((step.start, step.end, step.value)));
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
        counter(&samples).steps(&grid, |_| count += 1);
        assert!(count <= 20, "{count}");
        assert_eq!(counter(&samples).scale(), "0 to 6");
    }
}
