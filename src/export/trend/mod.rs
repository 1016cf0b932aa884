//! Writes trends over runs as text, JSON, Markdown or CSV. See `docs/sql.md`.

mod as_csv;
mod as_json;
mod as_markdown;
mod as_page;
mod as_text;
mod change_cost;
mod page_columns;

use std::io::{self, Write};

use super::comparison::cells;
use crate::base::text;
use crate::compare::{FEWEST, FEWEST_RUNS, MeasureUnit, TrendChange, TrendGroup};
pub use crate::compare::{
    GroupSummary, LARGEST, RunGroup, RunMeasure, SAMPLE, SampledExecution, Trend, TrendGroups, TrendRun,
    TrendWarning, engine_version, run_groups,
};

/// Output format of trends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrendFormat {
    /// Text with aligned columns.
    Text,
    /// A JSON object; times in nanoseconds.
    Json,
    /// Markdown tables, for a pull request or a wiki.
    Markdown,
    /// A row for each group in each run.
    Csv,
}

/// Number of groups that text and Markdown list if no limit is given. Groups with changes are always listed.
const LISTED: usize = 20;
/// Maximum number of characters of a [`course`].
const COURSE: usize = 32;

/// A trend to write.
pub struct TrendOutput<'a> {
    /// The runs and their groups.
    pub trend: &'a Trend,
    /// Title of the column of the groups, such as statements or names of spans.
    pub group_title: &'a str,
    /// Maximum number of groups to list; for `None` a few in text and Markdown, all in other formats.
    pub limit: Option<usize>,
}

impl TrendOutput<'_> {
    /// Writes the trend.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write(&self, format: TrendFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            TrendFormat::Text => as_text::write(self, out),
            TrendFormat::Json => as_json::write(self, out),
            TrendFormat::Markdown => as_markdown::write(self, out),
            TrendFormat::Csv => as_csv::write(self, out),
        }
    }

    fn listed(&self, default: usize) -> Vec<&TrendGroup> {
        let listed = self.limit.unwrap_or(default);
        let groups = self.trend.groups.iter().enumerate();
        groups
            .filter(|(at, group)| *at < listed || !group.changes.is_empty())
            .map(|(_, group)| group)
            .collect()
    }

    fn unit(&self) -> MeasureUnit {
        self.trend.measure.unit()
    }

    fn value(&self, value: i64) -> String {
        cells::value(self.unit(), value.into())
    }

    /// Describes the direction of a change in one word: `slower` or `faster` for durations of executions, `higher` or
    /// `lower` for total and self time, `more` or `less` for other sums of a run.
    fn verdict(&self, change: &TrendChange) -> &'static str {
        let (up, down) = match self.unit() {
            MeasureUnit::Nanoseconds if self.trend.measure.is_duration() => ("slower", "faster"),
            MeasureUnit::Nanoseconds => ("higher", "lower"),
            MeasureUnit::Bytes | MeasureUnit::Number => ("more", "less"),
        };
        if change.test.delta > 0.0 { up } else { down }
    }

    /// Name of a run: the name of its trace, followed by its own name unless the name of the trace contains that.
    fn run(&self, run: usize) -> String {
        let Some(run) = self.trend.runs.get(run) else { return text::NOT_REPORTED.to_owned() };
        let is_same = run.name.is_empty() || run.trace.contains(run.name.as_str());
        if is_same { run.trace.clone() } else { format!("{} · {}", run.trace, run.name) }
    }

    fn first_and_last(&self) -> String {
        let named = |at: usize| {
            let day = self.trend.runs.get(at).and_then(|run| run.day.as_deref());
            format!("{}{}", self.run(at), day.map_or_else(String::new, |day| format!(" ({day})")))
        };
        match self.trend.runs.len() {
            0 => "no runs".to_owned(),
            1 => named(0),
            n => format!("{} … {}", named(0), named(n - 1)),
        }
    }

    /// The versions of the engine in the order of the runs, each with its number of runs; `None` if no run reports one.
    fn versions(&self) -> Option<String> {
        let runs = &self.trend.runs;
        runs.iter().any(|run| run.version.is_some()).then(|| {
            let same = runs.chunk_by(|a, b| a.version == b.version);
            let named = same.map(|same| {
                let version = same[0].version.as_deref().unwrap_or("not reported");
                format!("{version} ({})", text::counted(same.len() as u64, "run", "runs"))
            });
            named.collect::<Vec<_>>().join(", ")
        })
    }

    /// Version of the engine at a change: `old → new` if the version changed with it, otherwise the version of the
    /// first run after the change; empty if it is not reported.
    fn version_change(&self, change: &TrendChange) -> String {
        let version = |run: usize| self.trend.runs.get(run).and_then(|run| run.version.as_deref());
        match (version(change.previous), version(change.run)) {
            (Some(before), Some(after)) if before != after => format!("{before} → {after}"),
            (_, Some(version)) => version.to_owned(),
            (_, None) => String::new(),
        }
    }

    /// The slowest execution of a group in a run.
    fn slowest(&self, group: &TrendGroup, run: usize) -> Option<SampledExecution> {
        let at = group.points.binary_search_by_key(&run, |(run, _)| *run).ok()?;
        group.points[at].1.slowest
    }

    /// The changes of all groups that are listed, as rows of a table with [`CHANGES`]; the text of the group is last.
    fn change_rows(&self, title: usize) -> Vec<Vec<String>> {
        let row = |group: &TrendGroup, change: &TrendChange| {
            let effect = |test| cells::test_change(test, self.unit());
            let executions = |test| cells::test_change(test, MeasureUnit::Nanoseconds);
            let slowest = self.slowest(group, change.run);
            vec![
                self.verdict(change).to_owned(),
                self.run(change.run),
                self.version_change(change),
                format!("{} → {}", self.value(change.medians.0), self.value(change.medians.1)),
                effect(change.test),
                text::or_dash(change.executions, executions),
                p_text(change.p),
                format!("{} + {}", change.runs_before, change.runs_after),
                text::or_dash(slowest, |at| format!("span {}, {}", at.span, text::duration(at.duration))),
                text::shortened(&group.text, title),
            ]
        };
        let groups = self.trend.groups.iter();
        groups.flat_map(|group| group.changes.iter().map(move |change| row(group, change))).collect()
    }

    /// Rows of the table of groups, with [`GROUPS`]; the text of the group is last.
    fn group_rows(&self, title: usize) -> Vec<Vec<String>> {
        let row = |group: &TrendGroup| {
            let values: Vec<i64> = group.values(self.trend.measure).map(|(_, value)| value).collect();
            let errors = group.points.iter().map(|(_, point)| point.errors).sum::<u64>();
            let number = |n: u64| text::count(i64::try_from(n).unwrap_or(i64::MAX));
            let slowest = group.points.iter().filter_map(|(_, point)| point.max).max();
            let range = values.iter().min().zip(values.iter().max());
            vec![
                number(group.points.len() as u64),
                number(group.executions()),
                number(errors),
                cells::value(MeasureUnit::Nanoseconds, group.total()),
                text::or_dash(range, |(min, max)| format!("{} … {}", self.value(*min), self.value(*max))),
                text::or_dash(slowest, text::duration),
                course(&values),
                match (group.changes.len(), group.is_tested) {
                    (0, false) => self.untested(group).to_owned(),
                    (n, _) => n.to_string(),
                },
                text::shortened(&group.text, title),
            ]
        };
        self.listed(LISTED).into_iter().map(row).collect()
    }

    /// Says in a few words why changes of a group were not looked for.
    fn untested(&self, group: &TrendGroup) -> &'static str {
        match group.values(self.trend.measure).next() {
            Some(_) => "too few runs",
            None => "not reported",
        }
    }

    fn not_listed(&self) -> usize {
        self.trend.groups.len() - self.listed(LISTED).len()
    }

    /// Sentences about the meaning and the limits of the numbers.
    fn notes(&self) -> Vec<String> {
        let trend = self.trend;
        let tested = trend.groups.iter().filter(|group| group.is_tested).count();
        let mut notes = Vec::new();
        if tested > 0 {
            notes.push(format!(
                "Change points: circular binary segmentation of the {} of each run, on ranks, by a permutation test, p < 0.05 after \
                 correction for {} (Benjamini–Hochberg). Typical change: median over all pairs of runs, and of executions, before and after \
                 (Hodges–Lehmann), with its 95 % confidence interval.",
                trend.measure.name(),
                text::counted(tested as u64, "group", "groups"),
            ));
            if trend.n_changes() == 0 {
                notes.push(
                    "No change points: no difference between earlier and later runs is larger than noise."
                        .to_owned(),
                );
            }
        }
        let has_no_value = |group: &&TrendGroup| group.values(trend.measure).next().is_none();
        let not_reported = trend.groups.iter().filter(has_no_value).count();
        if not_reported > 0 {
            notes.push(format!(
                "No run reports {} for {}.",
                measured(trend.measure),
                text::counted(not_reported as u64, "group", "groups"),
            ));
        }
        let few = trend.groups.len() - tested - not_reported;
        if few > 0 {
            notes.push(format!(
                "Too few runs to tell in {}: a change point needs {FEWEST_RUNS} runs with a value, {FEWEST} before it and {FEWEST} after. \
                 \"queryscope compare\" compares the executions of two runs.",
                text::counted(few as u64, "group", "groups"),
            ));
        }
        let changes = || trend.groups.iter().flat_map(|group| &group.changes);
        if changes().any(|change| change.executions.is_none()) {
            notes.push(format!(
                "Too few executions to tell: fewer than {FEWEST} complete executions in the runs before or after a change, so only its runs are compared."
            ));
        }
        let left_out = trend.left_out;
        if left_out > 0 {
            let groups = text::counted(left_out, "group is", "groups are");
            notes.push(format!("{groups} not shown: only those with the most total time are kept."));
        }
        if trend.warnings.iter().any(|warning| warning.trace.is_some()) {
            notes.push("Some files could not be read; the warnings say what is missing.".to_owned());
        }
        notes
    }
}

/// The values of a measure, as a noun.
fn measured(measure: RunMeasure) -> &'static str {
    match measure {
        RunMeasure::Count => "executions",
        RunMeasure::Total => "total time",
        RunMeasure::Mean => "mean duration",
        RunMeasure::P50 => "median duration",
        RunMeasure::P95 => "95th percentile of the durations",
        RunMeasure::P99 => "99th percentile of the durations",
        RunMeasure::Max => "longest duration",
        RunMeasure::SelfTime => "self time",
        RunMeasure::RowsRead => "rows read",
        RunMeasure::RowsReturned => "rows returned",
        RunMeasure::Bytes => "bytes",
        RunMeasure::Errors => "errors",
    }
}

/// Titles of the columns of the changes, before the text of the group.
const CHANGES: [&str; 9] = [
    "change",
    "from run",
    "version",
    "median of runs",
    "typical change of runs (95 % interval)",
    "of executions",
    "p",
    "runs",
    "slowest execution",
];

/// Titles of the columns of the groups, before the text of the group.
const GROUPS: [&str; 8] =
    ["runs", "executions", "errors", "total", "range of runs", "longest", "course", "changes"];

/// Formats a probability: three digits after the point, or an upper limit.
fn p_text(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

/// Draws values as a row of bars of eight heights, from the smallest to the largest value. For more than [`COURSE`]
/// values, medians of neighbouring values are drawn.
fn course(values: &[i64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let n = values.len().min(COURSE);
    let median = |at: usize| {
        let mut part = values[at * values.len() / n..(at + 1) * values.len() / n].to_vec();
        part.sort_unstable();
        part[(part.len() - 1) / 2]
    };
    let medians: Vec<i64> = (0..n).map(median).collect();
    let (min, max) = (medians.iter().min().copied().unwrap_or(0), medians.iter().max().copied().unwrap_or(0));
    let bar = |value: i64| match min.abs_diff(max) {
        0 => BARS[3],
        range => BARS[(u128::from(min.abs_diff(value)) * 7 / u128::from(range)) as usize],
    };
    medians.into_iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::course;

    #[test]
    fn courses_go_from_the_smallest_to_the_largest_value() {
        let long: Vec<i64> = (0..1_000).collect();
        for (values, expected) in [
            (&[][..], ""),
            (&[5], "▄"),
            (&[1, 1, 1], "▄▄▄"),
            (&[0, 7, 14], "▁▄█"),
            (&[i64::MIN, i64::MAX], "▁█"),
            (&long, "▁▁▁▁▁▂▂▂▂▃▃▃▃▃▄▄▄▄▅▅▅▅▅▆▆▆▆▇▇▇▇█"),
        ] {
            assert_eq!(course(values), expected);
        }
    }
}
