//! One side of a comparison of runs: the executions of some runs of a trace, grouped.

use std::rc::Rc;

use super::executions::{ChosenExecution, ChosenExecutions, ExecutionGroup, ExecutionSource};
use super::measures::GroupSamples;
use crate::analysis::StatementTexts;
#[cfg(feature = "export")]
use crate::analysis::{FilteredItems, Queries, SqlShapes, Statements};
use crate::base::{FxHashMap, sort};
use crate::protocol::GroupBy;
use crate::trace::Item;
#[cfg(feature = "export")]
use crate::trace::{RunId, Trace};

/// One side of a comparison, independent of the trace from which the executions were collected.
#[derive(Clone, Default, Debug)]
pub struct RunSide {
    /// Name of the side, such as the path of its file.
    #[cfg(feature = "export")]
    pub label: String,
    /// Names of its runs.
    #[cfg(feature = "export")]
    pub runs: Vec<String>,
    /// Time from the first to the last event, in nanoseconds; the sum for several runs.
    pub wall: i128,
    /// Whether the groups are statements; otherwise they are spans.
    pub has_statements: bool,
    /// Text and executions of each group, in the order of the texts.
    pub(super) groups: Vec<(Rc<str>, Rc<GroupSamples>)>,
    /// All executions of all groups.
    pub all: Rc<GroupSamples>,
}

impl RunSide {
    /// Collects all runs of a trace, or the run called `run`: the executions that pass a filter, or all for `None`. The side is
    /// empty if none passes.
    ///
    /// # Errors
    /// A sentence if no run has this name, or if the runs have nothing to group, even without the filter.
    #[cfg(feature = "export")]
    pub fn of(
        trace: &Trace,
        filter: Option<&FilteredItems>,
        label: &str,
        run: Option<&str>,
        by: GroupBy,
    ) -> Result<Self, String> {
        let runs =
            chosen_runs(trace, run).ok_or_else(|| no_such_run(trace, label, run.unwrap_or_default()))?;
        let names = runs.iter().filter_map(|&id| trace.runs.get(id.0 as usize));
        let names: Vec<String> = names.map(|run| trace.str(run.name).to_owned()).collect();
        let (queries, mut shapes) = (Queries::of(trace), SqlShapes::default());
        let statements = Statements::of(trace, &queries, &mut shapes);
        let source = ExecutionSource::new(trace, &queries, &statements, &shapes).filtered(filter.cloned());
        let chosen = ChosenExecutions::all(runs);
        let side = Self::collect(&source, &chosen, by);
        if side.is_empty() && !(source.is_filtered() && source.filtered(None).has_groups(&chosen, by)) {
            return Err(format!("{label} has nothing to compare: {}", nothing(by)));
        }
        Ok(Self { label: label.to_owned(), runs: names, ..side })
    }

    /// Whether the side has no executions.
    #[cfg(feature = "export")]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Collects the chosen executions of a trace. The label and the names of the runs stay empty.
    pub(super) fn collect(source: &ExecutionSource, chosen: &ChosenExecutions, by: GroupBy) -> Self {
        let trace = source.trace;
        let (reader, texts) = (source.reader(), StatementTexts::new(trace));
        let mut found: FxHashMap<ExecutionGroup, GroupSamples> = FxHashMap::default();
        source.for_each(chosen, by, |group, execution| {
            let samples = found.entry(group).or_default();
            samples.add(source.sample(execution, &reader));
            if let ChosenExecution::Query(_) = execution {
                samples.add_attribute(texts.attribute(Item::Span(source.span(execution))));
            }
        });
        let mut groups: Vec<(Rc<str>, Rc<GroupSamples>)> = Vec::with_capacity(found.len());
        groups
            .extend(found.into_iter().map(|(group, samples)| (source.text(group).into(), Rc::new(samples))));
        sort::by(&mut groups, |a, b| a.0.cmp(&b.0));
        let mut side = Self {
            wall: chosen.wall(trace),
            has_statements: by == GroupBy::Shape && source.has_statements(chosen),
            ..Self::default()
        };
        let mut all = GroupSamples::default();
        for same in groups.chunk_by(|a, b| a.0 == b.0) {
            let mut group = GroupSamples::default();
            same.iter().for_each(|(_, samples)| group.join(samples));
            group.sort();
            all.join(&group);
            side.groups.push((same[0].0.clone(), Rc::new(group)));
        }
        all.sort();
        side.all = Rc::new(all);
        side
    }
}

/// Runs with a name, or all runs; `None` if no run has the name.
#[cfg(feature = "export")]
fn chosen_runs(trace: &Trace, name: Option<&str>) -> Option<Vec<RunId>> {
    let runs = (0..).map(RunId).zip(&trace.runs);
    let Some(name) = name else { return Some(runs.map(|(id, _)| id).collect()) };
    let found: Vec<RunId> = runs.filter(|(_, run)| trace.str(run.name) == name).map(|(id, _)| id).collect();
    (!found.is_empty()).then_some(found)
}

#[cfg(feature = "export")]
fn no_such_run(trace: &Trace, label: &str, name: &str) -> String {
    let known: Vec<&str> = trace.runs.iter().map(|run| trace.str(run.name)).collect();
    match known[..] {
        [] => format!("{label} has no runs, so no run “{name}”"),
        _ => format!("{label} has no run “{name}” (runs: {})", crate::base::text::listed(&known, 20)),
    }
}

/// Describes the data that a trace lacks if a side grouped like this has no groups.
#[cfg(feature = "export")]
fn nothing(by: GroupBy) -> &'static str {
    match by {
        GroupBy::Shape | GroupBy::Name | GroupBy::Kind => "there are no statements and no spans",
        GroupBy::Datasource | GroupBy::Connector => "it has no source executions",
    }
}
