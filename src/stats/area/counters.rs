//! Counters of an area: a value lasts until the next sample of its track, and the last value until the end of the run.

use std::ops::Range;

use crate::base::text;
use crate::protocol::{AreaCounter, AreaSummary, CounterValue};
use crate::trace::{EventId, Item, Trace, TrackId, TrackKind, Unit, clipped};

/// Returns the counters with a value in the range, as many as a reply may have, and the number of further counters.
pub(super) fn counters(trace: &Trace, tracks: &[Range<u32>], range: (i64, i64)) -> (Vec<AreaCounter>, u32) {
    let ids = tracks.iter().flat_map(Range::clone).map(TrackId);
    let ids = ids.filter(|id| trace.tracks.kind(*id) == TrackKind::Counter);
    let mut counters: Vec<AreaCounter> = ids.filter_map(|id| counter(trace, id, range)).collect();
    let more = counters.len().saturating_sub(AreaSummary::MAX_COUNTERS);
    counters.truncate(AreaSummary::MAX_COUNTERS);
    (counters, more as u32)
}

fn counter(trace: &Trace, track: TrackId, range: (i64, i64)) -> Option<AreaCounter> {
    let root = trace.tracks.ancestor(track, TrackKind::Run);
    let run = trace.runs.iter().find(|run| Some(run.track) == root);
    let run_end = run.map_or(trace.end(), |run| run.duration);
    let (mut unit, mut known) = (Unit::Count, Vec::new());
    for id in trace.tracks.events(track) {
        let item = Item::Event(EventId(id));
        if let Some((key, value)) = trace.nums(item).next() {
            unit = trace.keys.get(key).unit;
            known.push((trace.events.time(EventId(id)), value, item.code()));
        }
    }
    let mut samples = 0;
    let mut held = 0_i128;
    let mut weighted = 0_i128;
    let mut extremes: Option<(i64, i64)> = None;
    let (mut first, mut last) = (None, None);
    for (at, &(time, value, code)) in known.iter().enumerate() {
        let until = known.get(at + 1).map_or(run_end.max(time), |next| next.0);
        let is_inside = time >= range.0 && time < range.1;
        // A value that another sample of the same time replaces lasts no time, but is a sample all the same.
        if !is_inside && (time >= range.1 || until <= range.0) {
            continue;
        }
        let (from, to) = clipped((time, until), range);
        samples += u64::from(is_inside);
        held += i128::from(to) - i128::from(from);
        weighted += i128::from(value) * (i128::from(to) - i128::from(from));
        let (low, high) = extremes.unwrap_or((value, value));
        extremes = Some((low.min(value), high.max(value)));
        first = first.or(Some((value, code)));
        last = Some(value);
    }
    let ((first, item), last, (low, high)) = (first?, last?, extremes?);
    let average = if held > 0 { weighted as f64 / held as f64 } else { last as f64 };
    let whole = |value: i64| {
        let millionths = i128::from(value) * i128::from(parts(unit));
        counter_value(millionths, written(unit, value))
    };
    let average_millionths = (average * parts(unit) as f64).round() as i128;
    Some(AreaCounter {
        name: trace.str(trace.tracks.get(track).name).to_owned(),
        unit: symbol(unit).to_owned(),
        item,
        samples,
        minimum: whole(low),
        maximum: whole(high),
        average: counter_value(average_millionths, average_text(unit, average)),
        first: whole(first),
        last: whole(last),
    })
}

fn counter_value(millionths: i128, text: String) -> CounterValue {
    let order = millionths.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    CounterValue { millionths: order, decimal: text::decimal(millionths), text }
}

/// How many millionths a stored number is.
fn parts(unit: Unit) -> i64 {
    if unit == Unit::Millionths { 1 } else { 1_000_000 }
}

fn symbol(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "B",
        Unit::Nanos => "ns",
        Unit::Picos => "ps",
        Unit::Text | Unit::Rows | Unit::Count | Unit::Millionths => "",
    }
}

fn written(unit: Unit, value: i64) -> String {
    match unit {
        Unit::Bytes => text::bytes(value),
        Unit::Nanos => text::duration(value),
        Unit::Millionths => text::millionths(value),
        _ => text::count(value),
    }
}

/// An average with up to two decimals where values are whole numbers.
fn average_text(unit: Unit, average: f64) -> String {
    match unit {
        Unit::Bytes | Unit::Nanos | Unit::Millionths => written(unit, average.round() as i64),
        _ if average.abs() < 1e9 => text::millionths((average * 100.0).round() as i64 * 10_000),
        _ => written(unit, average.round() as i64),
    }
}
