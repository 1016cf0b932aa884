//! Counters of a server's process and machine.

use std::collections::BTreeMap;

use super::order::ServerEvents;
use super::store::{CounterId, MonetDbStore};
use crate::base::sort;
use crate::trace::{RecordId, Unit, attribute_names};

/// A counter with its samples by time.
pub struct ServerCounter {
    pub series: CounterId,
    pub samples: Vec<(i64, i64, RecordId)>,
}

/// Display name and unit of a counter.
pub fn title(series: CounterId) -> (String, Unit) {
    let (name, unit) = match series {
        CounterId::RSS => ("resident memory", Unit::Bytes),
        CounterId::TMPSPACE => ("memory of results", Unit::Bytes),
        CounterId::INBLOCK => ("disk reads / s", Unit::Bytes),
        CounterId::OUBLOCK => ("disk writes / s", Unit::Bytes),
        CounterId::MAJFLT => ("page faults / s", Unit::Count),
        CounterId::NSWAP => ("swaps / s", Unit::Count),
        CounterId::NVCSW => ("context switches / s", Unit::Count),
        core => {
            return (
                format!("{}{}", attribute_names::CORE, core.core_number().unwrap_or(0)),
                Unit::Millionths,
            );
        }
    };
    (name.to_owned(), unit)
}

/// Unit of `getrusage` block counts, in bytes.
const BLOCK: i64 = 512;
/// Number of intervals for rates if a server sends no heartbeats.
const PARTS: i64 = 500;
/// Minimum length of an interval for rates, in nanoseconds.
const SHORTEST: i64 = 1_000_000;

/// Returns all counters of a server. Numbers since the previous event (blocks, faults, switches) are of the whole process, not
/// of the instruction that carries them: they are shown as a rate between heartbeats. A number is spread over the time since
/// the previous event; the numbers of the first event precede the recording and are omitted. A counter that is always 0 is
/// left out.
#[inline(never)]
pub fn counters(store: &MonetDbStore, server: &ServerEvents) -> Vec<ServerCounter> {
    let mut groups: BTreeMap<CounterId, Vec<CounterPoint>> = BTreeMap::new();
    for sample in store.samples.iter().filter(|sample| server.is_of(sample.server)) {
        let row = (server.time(sample.clock), sample.value, sample.record);
        groups.entry(sample.series).or_default().push(row);
    }
    groups.values_mut().for_each(|rows| sort::by_key(rows, |row| (row.0, 0)));
    let times = times(&groups);
    let beats = beats(&groups, &times);
    let told = groups.iter().filter(|(_, rows)| rows.iter().any(|row| row.1 != 0));
    let counters = told.map(|(&series, rows)| counter(series, rows, &beats, &times));
    counters.filter(|counter| !counter.samples.is_empty()).collect()
}

/// A sample: time in nanoseconds, value, record.
type CounterPoint = (i64, i64, RecordId);

/// Boundaries of the intervals for rates: the heartbeats, which report the cores; else equidistant times.
fn beats(groups: &BTreeMap<CounterId, Vec<CounterPoint>>, times: &[i64]) -> Vec<i64> {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Vec::new() };
    let told = groups.get(&CounterId::core(0)).into_iter().flatten().map(|row| row.0);
    let mut times: Vec<i64> = told.collect();
    if times.len() < 2 {
        let step = (last.saturating_sub(first) / PARTS).max(SHORTEST);
        times = (1..PARTS).map(|at| first.saturating_add(step.saturating_mul(at))).collect();
    }
    // The times before the first and after the last heartbeat are shown, too.
    let mut beats = vec![first];
    for time in times.into_iter().filter(|time| *time < last) {
        if beats.last().is_some_and(|before| time.saturating_sub(*before) >= SHORTEST) {
            beats.push(time);
        }
    }
    if beats.len() > 1 && beats.last().is_some_and(|before| last.saturating_sub(*before) < SHORTEST) {
        beats.pop();
    }
    beats.push(last);
    beats
}

/// Distinct times of all samples: an event omits a counter that has not changed.
fn times(groups: &BTreeMap<CounterId, Vec<CounterPoint>>) -> Vec<i64> {
    let mut times: Vec<i64> = Vec::new();
    for rows in groups.values() {
        // Most counters are reported together.
        let mut known = times.iter().copied().peekable();
        let mut is_new = |time: i64| {
            while known.next_if(|known| *known < time).is_some() {}
            known.peek() != Some(&time)
        };
        let new: Vec<i64> = rows.iter().map(|row| row.0).filter(|time| is_new(*time)).collect();
        if !new.is_empty() {
            times.extend(new);
            sort::by_key(&mut times, |time| (*time, 0));
            times.dedup();
        }
    }
    times
}

/// Increase of a counter, and the interval over which it happened.
struct CountedInterval {
    start: i64,
    end: i64,
    sum: i64,
    record: RecordId,
}

impl CountedInterval {
    /// Increments of a counter, each with the interval from the latest of `times` before the counter's event to that event.
    /// `rows` (the counter's events) and `times` (of all events) must be sorted by time.
    fn all(rows: &[CounterPoint], times: &[i64]) -> Vec<Self> {
        let (mut all, mut at): (Vec<Self>, _) = (Vec::new(), 0);
        for together in rows.chunk_by(|a, b| a.0 == b.0) {
            let (end, _, record) = together[0];
            at += times[at..].iter().take_while(|time| **time < end).count();
            let sum = together.iter().fold(0_i64, |sum, row| sum.saturating_add(row.1));
            // The count of the first event precedes the recording.
            let start = at.checked_sub(1).map(|before| times[before]);
            all.extend(start.map(|start| Self { start, end, sum, record }));
        }
        all
    }

    /// Share of the count between two moments, multiplied by `one` and by a billion.
    fn part(&self, from: i64, to: i64, one: i64) -> i128 {
        let overlap = i128::from(self.end.min(to)) - i128::from(self.start.max(from));
        let length = (i128::from(self.end) - i128::from(self.start)).max(1);
        let whole = i128::from(self.sum) * i128::from(one) * 1_000_000_000;
        // Most events follow closely; a division of 128 bits is slow in a browser.
        if overlap == length {
            return whole;
        }
        let overlap = overlap.max(0);
        (whole / length * overlap).saturating_add((whole % length).saturating_mul(overlap) / length)
    }
}

fn counter(series: CounterId, rows: &[CounterPoint], beats: &[i64], times: &[i64]) -> ServerCounter {
    if !(CounterId::INBLOCK..=CounterId::NVCSW).contains(&series) {
        return ServerCounter { series, samples: rows.to_vec() };
    }
    let one = if series <= CounterId::OUBLOCK { BLOCK } else { 1 };
    let stretches = CountedInterval::all(rows, times);
    let (mut samples, mut rest): (Vec<(i64, i64, RecordId)>, &[CountedInterval]) = (Vec::new(), &stretches);
    for between in beats.windows(2) {
        let (from, to) = (between[0], between[1]);
        rest = &rest[rest.partition_point(|stretch| stretch.end <= from)..];
        let own = &rest[..rest.partition_point(|stretch| stretch.start < to)];
        let sum = own.iter().fold(0, |sum: i128, of| sum.saturating_add(of.part(from, to, one)));
        let length = i128::from(to) - i128::from(from);
        let rate = i64::try_from(sum / length.max(1)).unwrap_or(i64::MAX);
        // A rate holds until the next sample: an unchanged rate is written once.
        if samples.last().map_or(0, |last| last.1) != rate {
            samples.push((from, rate, own.first().map_or(rows[0].2, |of| of.record)));
        }
    }
    if let (Some(&end), Some(last)) = (beats.last(), samples.last().filter(|last| last.1 != 0)) {
        samples.push((end, 0, last.2));
    }
    ServerCounter { series, samples }
}
