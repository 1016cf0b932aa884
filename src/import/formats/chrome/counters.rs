//! Counters: one track for each series of each counter of a process.

use super::names::ProcessId;
use super::problems::{BAD_VALUE, NO_VALUE};
use super::slices::RecordProblems;
use super::store::{ChromeFile, CounterEvent};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::import::attributes::args::{Arg, Args};
use crate::import::attributes::problems::{LARGE, ROUNDED};
use crate::import::scalars::decimal::Decimal;
use crate::trace::RecordId;

/// A number that changes over time. A value holds until the next sample of the series; a counter event that leaves out
/// the series does not change it.
pub struct ChromeCounterSeries {
    pub process: ProcessId,
    /// Name of the counter, and the id that distinguishes counters with the same name.
    pub name: StrId,
    pub id: StrId,
    /// Key of the argument that holds the values.
    pub key: StrId,
    /// Whether values are in millionths: some values have decimals, and all of them fit into 64 bits as millionths.
    pub millionths: bool,
    pub values: Vec<ChromeCounterSample>,
}

/// A sample of a series.
#[derive(Clone, Copy, Debug)]
pub struct ChromeCounterSample {
    pub time: i64,
    /// Value of the sample; `None` if it does not fit into 64 bits.
    pub value: Option<i64>,
    pub record: RecordId,
}

/// Returns all series, in the order of their first samples in the file. The samples of a series are sorted by time.
pub fn series(file: &ChromeFile, args: &Args, teller: &mut RecordProblems) -> Vec<ChromeCounterSeries> {
    let mut known: FxHashMap<(ProcessId, StrId, StrId, StrId), usize> = FxHashMap::default();
    let mut all: Vec<(ChromeCounterSeries, Vec<Decimal>)> = Vec::new();
    for CounterEvent { of, id } in file.samples.iter() {
        let process = file.names.process_of(of.thread);
        let (mut numbers, mut others) = (0, 0);
        for (key, arg) in args.of(of.args).filter(|(key, _)| Some(*key) != file.category()) {
            let Some(number) = number(arg, teller) else {
                others += 1;
                continue;
            };
            numbers += 1;
            let at = *known.entry((process, of.name, id, key)).or_insert_with(|| {
                let name = of.name;
                let millionths = false;
                let values = Vec::new();
                all.push((ChromeCounterSeries { process, name, id, key, millionths, values }, Vec::new()));
                all.len() - 1
            });
            all[at].0.values.push(ChromeCounterSample { time: of.time, value: None, record: of.record });
            all[at].1.push(number);
        }
        match (numbers, others) {
            (0, _) => teller.note(of.record, NO_VALUE, of.name),
            (_, 0) => teller.outcome.used(of.record),
            _ => {
                teller.note(of.record, BAD_VALUE, of.name);
                teller.outcome.used(of.record);
            }
        }
    }
    all.into_iter().map(|(series, numbers)| finished(series, &numbers, teller)).collect()
}

fn number(arg: Arg, teller: &RecordProblems) -> Option<Decimal> {
    match arg {
        Arg::Whole(mantissa) => Some(Decimal { mantissa, scale: 0 }),
        Arg::Millionths(mantissa) => Some(Decimal { mantissa, scale: 6 }),
        Arg::Text(text) => Decimal::parse(teller.strings.get(text)),
    }
}

fn finished(
    mut series: ChromeCounterSeries,
    numbers: &[Decimal],
    teller: &mut RecordProblems,
) -> ChromeCounterSeries {
    series.millionths = numbers.iter().any(|number| number.whole().is_none())
        && numbers.iter().all(|number| number.millionths().is_some());
    for (value, number) in series.values.iter_mut().zip(numbers) {
        let found = if series.millionths { number.to_millionths() } else { number.to_whole() };
        value.value = found.map(|(value, _)| value);
        match found {
            Some((_, true)) => {}
            Some((_, false)) => teller.note(value.record, ROUNDED, series.name),
            None => teller.note(value.record, LARGE, series.name),
        }
    }
    sort::by_key(&mut series.values, |value| (value.time, 0));
    series
}
