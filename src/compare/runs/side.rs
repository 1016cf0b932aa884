//! One side of a comparison of runs: the executions of some runs of a trace, grouped.

use std::collections::BTreeMap;

use super::measures::{ExecutionSample, GroupSamples};
use crate::analysis::{Queries, SqlShapes, Statements, is_whole, self_times};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::protocol::{Outcome, QueryColumn};
use crate::trace::{AttributeReader, Flags, Item, Key, Kind, RunId, SpanId, Trace, key};

/// What executions are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupBy {
    /// Statements that differ in their literals only. In traces without queries: spans by name and category.
    Shape,
    /// Spans by name and category.
    Name,
    /// Spans by kind.
    Kind,
    /// Source executions by datasource.
    Datasource,
    /// Source executions by connector.
    Connector,
}

/// One side of a comparison. It keeps nothing of the trace.
#[derive(Default, Debug)]
pub struct RunSide {
    /// Name of the side, such as the path of its file.
    pub label: String,
    /// Names of its runs.
    pub runs: Vec<String>,
    /// Time from the first to the last event, in nanoseconds; the sum for several runs.
    pub wall: i128,
    /// Whether the groups are statements; otherwise they are spans.
    pub has_statements: bool,
    /// Executions by the text of their group.
    pub(super) groups: BTreeMap<String, GroupSamples>,
    /// All executions of all groups.
    pub all: GroupSamples,
}

impl RunSide {
    /// Collects all runs of a trace, or all runs called `run`.
    ///
    /// # Errors
    /// A sentence if no run has this name, or if the runs have nothing to group.
    pub fn of(trace: &Trace, label: &str, run: Option<&str>, by: GroupBy) -> Result<Self, String> {
        let runs =
            chosen_runs(trace, run).ok_or_else(|| no_such_run(trace, label, run.unwrap_or_default()))?;
        let mut side = Self { label: label.to_owned(), ..Self::default() };
        for (_, run) in runs.iter().filter_map(|&id| Some((id, trace.runs.get(id.0 as usize)?))) {
            side.runs.push(trace.str(run.name).to_owned());
            side.wall += i128::from(run.duration);
        }
        let times = self_times(trace, 0..trace.spans.len() as u32);
        let queries = Queries::of(trace);
        let has_queries = (0..queries.len()).any(|row| runs.contains(&queries.run(row)));
        match by {
            GroupBy::Shape if has_queries => side.add_statements(trace, &queries, &runs, &times),
            GroupBy::Shape | GroupBy::Name => {
                side.add_spans(trace, &runs, &times, |trace, id| Some(named(trace, id)))
            }
            GroupBy::Kind => {
                side.add_spans(trace, &runs, &times, |trace, id| Some(SpanGroup::Kind(trace.spans.kind(id))))
            }
            GroupBy::Datasource => {
                side.add_spans(trace, &runs, &times, |trace, id| source(trace, id, key::DATASOURCE))
            }
            GroupBy::Connector => {
                side.add_spans(trace, &runs, &times, |trace, id| source(trace, id, key::CONNECTOR))
            }
        }
        if side.groups.is_empty() {
            return Err(format!("{label} has nothing to compare: {}", nothing(by)));
        }
        for group in side.groups.values_mut() {
            group.sort();
            side.all.join(group);
        }
        side.all.sort();
        Ok(side)
    }

    fn add_statements(&mut self, trace: &Trace, queries: &Queries, runs: &[RunId], times: &[i64]) {
        self.has_statements = true;
        let mut shapes = SqlShapes::default();
        let statements = Statements::of(trace, queries, &mut shapes);
        for statement in statements.largest() {
            let rows = statement.rows.iter().filter(|&&row| runs.contains(&queries.run(row)));
            for &row in rows {
                let sample = ExecutionSample {
                    duration: queries.duration(row),
                    self_time: times.get(queries.span(row).0 as usize).copied().unwrap_or_default(),
                    is_whole: queries.is_whole(row),
                    failed: queries.outcome(row) == Outcome::Failed,
                    rows_read: queries.number(row, QueryColumn::RowsRead),
                    rows_returned: queries.number(row, QueryColumn::RowsReturned),
                    bytes: queries.number(row, QueryColumn::BufferBytes),
                };
                self.group(shapes.get(statement.shape)).add(sample);
            }
        }
    }

    fn add_spans(
        &mut self,
        trace: &Trace,
        runs: &[RunId],
        times: &[i64],
        group_of: impl Fn(&Trace, SpanId) -> Option<SpanGroup>,
    ) {
        let reader = AttributeReader::new(trace, [key::ROWS_READ, key::ROWS_RETURNED, key::BYTES]);
        let mut groups: FxHashMap<SpanGroup, GroupSamples> = FxHashMap::default();
        let tracks = runs.iter().filter_map(|run| Some(trace.runs.get(run.0 as usize)?.track));
        for id in tracks.flat_map(|track| trace.tracks.subtree_spans(track)).map(SpanId) {
            let Some(group) = group_of(trace, id) else { continue };
            let flags = trace.spans.flags(id);
            let [rows_read, rows_returned, bytes] = reader.of(Item::Span(id));
            let sample = ExecutionSample {
                duration: trace.duration(id),
                self_time: times.get(id.0 as usize).copied().unwrap_or_default(),
                is_whole: is_whole(flags),
                failed: flags.has(Flags::FAILED),
                rows_read,
                rows_returned,
                bytes,
            };
            groups.entry(group).or_default().add(sample);
        }
        for (group, samples) in groups {
            self.group(&group.text(trace)).join(&samples);
        }
    }

    fn group(&mut self, text: &str) -> &mut GroupSamples {
        if !self.groups.contains_key(text) {
            self.groups.insert(text.to_owned(), GroupSamples::default());
        }
        self.groups.entry(text.to_owned()).or_default()
    }
}

/// Group of a span, before its text is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SpanGroup {
    Kind(Kind),
    Named(StrId, Option<StrId>),
    Source(Option<StrId>),
}

impl SpanGroup {
    fn text(self, trace: &Trace) -> String {
        match self {
            Self::Kind(kind) => kind.name().to_owned(),
            Self::Named(name, None) => trace.str(name).to_owned(),
            Self::Named(name, Some(category)) => format!("{} ({})", trace.str(name), trace.str(category)),
            Self::Source(name) => name.map_or("(not reported)", |name| trace.str(name)).to_owned(),
        }
    }
}

fn named(trace: &Trace, id: SpanId) -> SpanGroup {
    SpanGroup::Named(trace.spans.name(id), trace.text(Item::Span(id), key::CATEGORY))
}

fn source(trace: &Trace, id: SpanId, key: Key) -> Option<SpanGroup> {
    let is_execution = trace.spans.kind(id) == Kind::Execution;
    is_execution.then(|| SpanGroup::Source(trace.text(Item::Span(id), key)))
}

/// Runs with a name, or all runs; `None` if no run has the name.
fn chosen_runs(trace: &Trace, name: Option<&str>) -> Option<Vec<RunId>> {
    let runs = (0..).map(RunId).zip(&trace.runs);
    let Some(name) = name else { return Some(runs.map(|(id, _)| id).collect()) };
    let found: Vec<RunId> = runs.filter(|(_, run)| trace.str(run.name) == name).map(|(id, _)| id).collect();
    (!found.is_empty()).then_some(found)
}

fn no_such_run(trace: &Trace, label: &str, name: &str) -> String {
    let known: Vec<&str> = trace.runs.iter().map(|run| trace.str(run.name)).collect();
    match known[..] {
        [] => format!("{label} has no runs, so no run “{name}”"),
        _ => format!("{label} has no run “{name}” (runs: {})", crate::base::text::listed(&known, 20)),
    }
}

/// What is missing if there are no groups.
fn nothing(by: GroupBy) -> &'static str {
    match by {
        GroupBy::Shape | GroupBy::Name | GroupBy::Kind => "no statements and no spans were read",
        GroupBy::Datasource | GroupBy::Connector => "it has no source executions",
    }
}
