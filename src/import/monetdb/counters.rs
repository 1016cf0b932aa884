//! What a server says about its process and its machine, as counters.

use super::order::ServerEvents;
use super::store::{Series, Store};
use crate::sort;
use crate::trace::{RecordId, Unit, words};

/// One counter: its samples by time.
pub struct Counter {
    pub series: Series,
    pub samples: Vec<(i64, i64, RecordId)>,
}

/// What a counter is called, and what it counts.
pub fn title(series: Series) -> (String, Unit) {
    let (name, unit) = match series {
        Series::RSS => ("resident memory", Unit::Bytes),
        Series::TMPSPACE => ("memory of results", Unit::Bytes),
        Series::INBLOCK => ("blocks read, in all", Unit::Count),
        Series::OUBLOCK => ("blocks written, in all", Unit::Count),
        Series::MAJFLT => ("page faults, in all", Unit::Count),
        Series::NSWAP => ("swaps, in all", Unit::Count),
        Series::NVCSW => ("context switches, in all", Unit::Count),
        core => return (format!("{}{}", words::CORE, core.core_number().unwrap_or(0)), Unit::Millionths),
    };
    (name.to_owned(), unit)
}

/// All counters of a server. What is told since the last event (blocks, faults, switches) is of the whole process and
/// not of the instruction that tells it: its sum so far is shown. A counter that is always 0 is left out.
pub fn counters(store: &Store, server: &ServerEvents) -> Vec<Counter> {
    let mut rows: Vec<(Series, i64, i64, RecordId)> = Vec::new();
    for sample in store.samples.iter().filter(|sample| server.is_of(sample.server)) {
        rows.push((sample.series, server.time(sample.clock), sample.value, sample.record));
    }
    sort::by_key(&mut rows, |row| (i64::from(row.0.0), sort::ordered(row.1)));
    let groups = rows.chunk_by(|a, b| a.0 == b.0).filter(|group| group.iter().any(|row| row.2 != 0));
    groups.map(counter).collect()
}

fn counter(rows: &[(Series, i64, i64, RecordId)]) -> Counter {
    let series = rows[0].0;
    let sums = (Series::INBLOCK..=Series::NVCSW).contains(&series);
    let mut sum = 0_i64;
    let sample = |&(_, time, value, record): &(Series, i64, i64, RecordId)| {
        sum = sum.saturating_add(value);
        (time, if sums { sum } else { value }, record)
    };
    Counter { series, samples: rows.iter().map(sample).collect() }
}
