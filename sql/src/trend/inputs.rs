//! [`TrendInputs`]: the runs of data sets and of traces, in their order, with the groups of their executions.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::{StreamExt, stream};
use queryscope::export::{
    GroupBy, GroupSummary, RunMeasure, Trend, TrendGroups, TrendRun, TrendWarning, engine_version, run_groups,
};
use queryscope::internal::text::counted;

use super::group_row::GroupRow;
use super::samples::{self, StoredSamples, WantedGroups};
use super::{grouping_name, index, stored};
use crate::dataset::{Dataset, DatasetError, StoredTrace};
use crate::rows::{TraceRows, day_of};
use crate::schema::stable_hash;

/// Readings of a clock that are times since 1970, in nanoseconds: those between 2000 and 2100.
const DATES: std::ops::Range<i64> = 946_684_800_000_000_000..4_102_444_800_000_000_000;
const DAY_NS: i64 = 86_400_000_000_000;

/// The order of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunOrder {
    /// By their clocks where those show dates, else by the day of their trace; then by name.
    Time,
    /// By the names of their traces, where numbers are compared as numbers.
    Name,
}

/// Where the durations of the sampled executions of a run are.
enum SampleSource {
    /// By text.
    Memory(HashMap<String, Vec<i64>>),
    /// A trace of a data set, by its position in [`TrendInputs::traces`], and the numbers of the groups by the hashes of their texts.
    Stored(usize, HashMap<u64, i64>),
}

struct InputRun {
    about: TrendRun,
    /// Nanoseconds since 1970, as far as they are known.
    time: i64,
    groups: Vec<(Arc<str>, GroupSummary)>,
    samples: SampleSource,
}

/// The runs of a trend.
pub struct TrendInputs {
    by: GroupBy,
    runs: Vec<InputRun>,
    /// Traces of data sets.
    traces: Vec<(Arc<Dataset>, StoredTrace)>,
    /// Number of traces of each engine.
    engines: BTreeMap<String, usize>,
    /// The engine whose traces are wanted; `None` for all.
    engine: Option<String>,
    warnings: Vec<TrendWarning>,
}

impl TrendInputs {
    pub fn new(by: GroupBy) -> Self {
        Self {
            by,
            runs: Vec::new(),
            traces: Vec::new(),
            engines: BTreeMap::new(),
            engine: None,
            warnings: Vec::new(),
        }
    }

    /// Adds the traces of a data set, or those of one engine. Only the index of trends is read, and `execution_groups` of the traces
    /// that are not in it. A trace that cannot be read is left out, with a warning.
    ///
    /// # Errors
    /// Only if more would be read than a step may, or no file can be read.
    pub async fn add_dataset(
        &mut self,
        dataset: &Arc<Dataset>,
        engine: Option<&str>,
    ) -> Result<(), DatasetError> {
        let by = grouping_name(self.by);
        self.engine = engine.map(str::to_owned);
        let mut indexed = match index::groups(dataset, by).await {
            Ok(groups) => groups,
            Err(error) => {
                self.warnings.push(samples::index_warning(dataset, error)?);
                HashMap::new()
            }
        };
        let is_wanted = |trace: &&StoredTrace| engine.is_none_or(|engine| engine == trace.engine);
        let wanted = dataset.manifest().traces.iter().filter(is_wanted);
        let reading = wanted.map(|trace| {
            let known = indexed.remove(&trace.id());
            async move {
                match known {
                    Some(groups) => (trace, Ok(groups)),
                    None => (trace, stored::groups(dataset, trace, by).await),
                }
            }
        });
        let mut reading = stream::iter(reading).buffered(dataset.reads_at_once());
        while let Some((trace, groups)) = reading.next().await {
            match groups {
                Ok(groups) => self.add_stored(dataset, trace, groups),
                Err(error) => {
                    let about = format!("“{}” is left out", trace.name);
                    self.warnings.push(samples::warning(dataset, Some(trace), &about, error)?);
                }
            }
        }
        Ok(())
    }

    /// Adds the runs of a trace of a data set.
    fn add_stored(&mut self, dataset: &Arc<Dataset>, trace: &StoredTrace, groups: Vec<GroupRow>) {
        let mut runs: BTreeMap<u32, InputRun> = BTreeMap::new();
        for group in groups {
            let at = self.traces.len();
            let run = runs.entry(group.run_id).or_insert_with(|| stored_run(trace, &group, at));
            if let (SampleSource::Stored(_, numbers), Some(text)) = (&mut run.samples, &group.text) {
                numbers.insert(stable_hash(text), group.group_id);
            }
            run.groups.extend(group.text.map(|text| (text, group.summary)));
        }
        self.runs.extend(runs.into_values());
        *self.engines.entry(trace.engine.clone()).or_default() += 1;
        self.traces.push((dataset.clone(), trace.clone()));
    }

    /// Adds a trace that was read, unless it is of another engine.
    pub fn add_trace(&mut self, rows: &TraceRows, engine: Option<&str>) {
        self.engine = engine.map(str::to_owned);
        if engine.is_some_and(|engine| engine != rows.identity.engine) {
            return;
        }
        *self.engines.entry(rows.identity.engine.clone()).or_default() += 1;
        let trace = &rows.trace;
        let mut runs: Vec<InputRun> = (0..)
            .zip(trace.runs.iter())
            .map(|(run_id, run)| {
                let about = TrendRun {
                    trace_id: rows.identity.id,
                    trace: rows.identity.name.clone(),
                    run_id,
                    name: trace.str(run.name).to_owned(),
                    day: rows.identity.day.clone(),
                    origin: run.origin,
                    version: engine_version(trace, run.track),
                };
                InputRun::new(about, SampleSource::Memory(HashMap::new()))
            })
            .collect();
        for (_, groups) in run_groups(trace, &[self.by]) {
            for group in groups {
                let (Some(run), Some(text)) = (runs.get_mut(group.run.0 as usize), group.text) else {
                    continue;
                };
                if let SampleSource::Memory(samples) = &mut run.samples {
                    let durations = group.sample.iter().map(|execution| execution.duration);
                    samples.insert(text.clone(), durations.collect());
                }
                run.groups.push((Arc::from(text), group.summary));
            }
        }
        self.runs.extend(runs);
    }

    /// Finds the changes from run to run.
    ///
    /// # Errors
    /// A sentence if there are no runs that can be read, if they are of several engines, or if more would be read than a step may.
    pub async fn trend(mut self, measure: RunMeasure, order: RunOrder) -> Result<Trend, DatasetError> {
        if self.engines.len() > 1 {
            let known: Vec<String> = self.engines.iter().map(|(name, n)| format!("{name}: {n}")).collect();
            return Err(DatasetError::of(format!(
                "the traces are of {} engines ({}), whose runs cannot be compared. Choose one with --engine",
                known.len(),
                known.join(", ")
            )));
        }
        if self.runs.is_empty() {
            return Err(DatasetError::of(self.why_empty()));
        }
        self.runs.sort_by(|a, b| {
            let by_time =
                if order == RunOrder::Time { a.time.cmp(&b.time) } else { std::cmp::Ordering::Equal };
            let key = |run: &InputRun| (natural(&run.about.trace), run.about.trace.clone(), run.about.run_id);
            by_time.then_with(|| key(a).cmp(&key(b)))
        });
        let mut groups = TrendGroups::default();
        for (at, run) in self.runs.iter_mut().enumerate() {
            std::mem::take(&mut run.groups)
                .into_iter()
                .for_each(|(text, summary)| groups.add(at, &text, summary));
        }
        let runs: Vec<TrendRun> = self.runs.iter().map(|run| run.about.clone()).collect();
        let mut trend = Trend::of(measure, runs, groups);
        let stored = self.samples(&trend).await?;
        trend.warnings = std::mem::take(&mut self.warnings);
        trend.compare_executions(|run, text| {
            let durations = match &self.runs[run].samples {
                SampleSource::Memory(samples) => samples.get(text),
                SampleSource::Stored(trace, numbers) => {
                    numbers.get(&stable_hash(text)).and_then(|number| stored.get(trace)?.get(number))
                }
            };
            durations.map_or(&[], Vec::as_slice)
        });
        Ok(trend)
    }

    /// Why there are no runs.
    fn why_empty(&self) -> String {
        let mut left_out = self.warnings.iter().filter(|warning| warning.trace.is_some());
        match (left_out.next(), left_out.count()) {
            (Some(first), 0) => first.text.clone(),
            (Some(first), more) => {
                let more = counted(more as u64, "more trace", "more traces");
                format!("{}. {more} cannot be read", first.text)
            }
            _ if !self.engines.is_empty() => format!("no executions to group by {}", grouping_name(self.by)),
            _ => match self.engine.as_deref().filter(|engine| !engine.is_empty()) {
                Some(engine) => format!("no traces of the engine “{engine}”"),
                None => "the inputs contain no traces and no data set".to_owned(),
            },
        }
    }

    /// The sampled executions near changes, of the traces of data sets.
    async fn samples(&mut self, trend: &Trend) -> Result<StoredSamples, DatasetError> {
        let mut wanted: BTreeMap<usize, WantedGroups> = BTreeMap::new();
        for (run, text) in trend.near_changes() {
            if let SampleSource::Stored(trace, numbers) = &self.runs[run].samples {
                let hash = stable_hash(text);
                wanted.entry(*trace).or_default().extend(numbers.get(&hash).map(|number| (*number, hash)));
            }
        }
        samples::read(&self.traces, grouping_name(self.by), wanted, &mut self.warnings).await
    }
}

impl InputRun {
    /// A run whose day is that of its clock, if that shows dates.
    fn new(mut about: TrendRun, samples: SampleSource) -> Self {
        let has_date = DATES.contains(&about.origin);
        if has_date {
            about.day = day_of(about.origin.div_euclid(DAY_NS)).or(about.day);
        }
        let day = about.day.as_deref().and_then(day_start);
        let time = if has_date { about.origin } else { day.unwrap_or(i64::MAX) };
        Self { about, time, groups: Vec::new(), samples }
    }
}

fn stored_run(trace: &StoredTrace, group: &GroupRow, at: usize) -> InputRun {
    let about = TrendRun {
        trace_id: trace.id(),
        trace: trace.name.clone(),
        run_id: group.run_id,
        name: group.run.to_string(),
        day: Some(trace.day.clone()),
        origin: group.origin,
        version: group.version.as_deref().map(str::to_owned),
    };
    InputRun::new(about, SampleSource::Stored(at, HashMap::new()))
}

/// Start of a day such as `2026-03-31`, in nanoseconds since 1970.
fn day_start(day: &str) -> Option<i64> {
    let date: chrono::NaiveDate = day.parse().ok()?;
    i64::from(date.to_epoch_days()).checked_mul(DAY_NS)
}

/// Parts of a name: texts, and numbers with their count of digits, so that `run-10` comes after `run-9`.
fn natural(name: &str) -> Vec<(String, usize, String)> {
    let mut parts: Vec<(String, usize, String)> = vec![Default::default()];
    for c in name.chars() {
        let (_, digits, number) = &parts[parts.len() - 1];
        let is_number = !number.is_empty();
        match c.is_ascii_digit() {
            true if number == "0" => parts.last_mut().into_iter().for_each(|part| part.2 = c.to_string()),
            true => {
                let digits = digits + 1;
                parts.last_mut().into_iter().for_each(|part| {
                    part.1 = digits;
                    part.2.push(c);
                });
            }
            false if is_number => parts.push((c.to_string(), 0, String::new())),
            false => parts.last_mut().into_iter().for_each(|part| part.0.push(c)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let sorted =
            ["", "a", "run-2.json", "run-009.json", "run-10.json", "run-10b.json", "run-100.json", "run-b"];
        let mut names = sorted.map(str::to_owned).to_vec();
        names.reverse();
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, sorted);
    }
}
