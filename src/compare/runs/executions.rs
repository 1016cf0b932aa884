//! The executions of a side of a comparison of runs, each with its group.

use std::cell::OnceCell;

use super::measures::ExecutionSample;
use super::pages::SliceShapes;
use crate::analysis::{
    ExecutionNumbers, FilteredItems, Queries, QueryBytes, SqlShapes, Statements, is_whole, self_times,
};
use crate::base::FxHashSet;
use crate::base::interner::StrId;
use crate::protocol::{GroupBy, Outcome, RunSelection};
use crate::trace::{AttributeReader, Item, Key, Kind, RunId, SpanId, Trace, key};

/// The data from which the executions of a trace and their measures are read.
pub struct ExecutionSource<'a> {
    pub trace: &'a Trace,
    queries: &'a Queries,
    statements: &'a Statements,
    shapes: &'a SqlShapes,
    /// What passes the filter; `None` if all executions do.
    filter: Option<FilteredItems>,
    /// Self times of all spans, computed when the first side needs them, and used for both.
    self_times: OnceCell<Vec<i64>>,
    /// Bytes of all queries, computed in the same way.
    bytes: OnceCell<QueryBytes>,
}

/// Executions that belong to a side.
pub struct ChosenExecutions {
    pub runs: Vec<RunId>,
    within: Option<(i64, i64)>,
    outside: bool,
}

/// Group of an execution, before its text is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExecutionGroup {
    Statement(u32),
    Kind(Kind),
    Named(StrId, Option<StrId>),
    Source(Option<StrId>),
}

/// An execution: a row of the query list, or a span.
#[derive(Clone, Copy)]
pub enum ChosenExecution {
    Query(u32),
    Span(SpanId),
}

impl ChosenExecutions {
    /// All executions of some runs.
    #[cfg(feature = "export")]
    pub fn all(runs: Vec<RunId>) -> Self {
        Self { runs, within: None, outside: false }
    }

    /// The executions of a selection; runs that the trace does not have are left out.
    pub fn of(trace: &Trace, selection: &RunSelection) -> Self {
        let RunSelection { runs, within, outside } = selection;
        let all = (0..trace.runs.len() as u32).filter(|run| runs.is_empty() || runs.contains(run));
        Self { runs: all.map(RunId).collect(), within: *within, outside: *outside }
    }

    /// Whether an execution belongs to the side because of its start.
    fn has_start(&self, start: i64) -> bool {
        self.within.is_none_or(|(from, until)| (from..until).contains(&start) != self.outside)
    }

    /// Time from the first to the last event of the runs, or inside the range, in nanoseconds.
    pub fn wall(&self, trace: &Trace) -> i128 {
        let runs = self.runs.iter().filter_map(|run| trace.runs.get(run.0 as usize));
        let wall = runs.map(|run| {
            let Some((from, until)) = self.within else { return i128::from(run.duration) };
            let end = run.duration.max(0);
            let inside = i128::from(until.clamp(0, end)) - i128::from(from.clamp(0, end));
            if self.outside { i128::from(end) - inside.max(0) } else { inside.max(0) }
        });
        wall.sum()
    }
}

impl<'a> ExecutionSource<'a> {
    pub fn new(
        trace: &'a Trace,
        queries: &'a Queries,
        statements: &'a Statements,
        shapes: &'a SqlShapes,
    ) -> Self {
        Self {
            trace,
            queries,
            statements,
            shapes,
            filter: None,
            self_times: OnceCell::new(),
            bytes: OnceCell::new(),
        }
    }

    /// Restricts the executions to those that pass a filter; `None` for all. Their measures are those of whole executions.
    pub fn filtered(self, filter: Option<FilteredItems>) -> Self {
        Self { filter, ..self }
    }

    /// Whether a filter restricts the executions.
    pub fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }

    /// Whether a span passes the filter: in runs with statements like in all views, in runs of slices like in the list of slices.
    fn passes(&self, id: SpanId, has_statements: bool) -> bool {
        self.filter.as_ref().is_none_or(|filter| match has_statements {
            true => filter.contains(self.trace, Item::Span(id)),
            false => filter.lists(id),
        })
    }

    /// Whether the chosen runs have statements, so that executions grouped by shape are statements, not spans.
    pub fn has_statements(&self, chosen: &ChosenExecutions) -> bool {
        (0..self.queries.len()).any(|row| chosen.runs.contains(&self.queries.run(row)))
    }

    /// Whether any of the chosen executions has a group.
    #[cfg(feature = "export")]
    pub fn has_groups(&self, chosen: &ChosenExecutions, by: GroupBy) -> bool {
        let mut any = false;
        self.for_each(chosen, by, |_, _| any = true);
        any
    }

    /// Calls `visit` for each chosen execution that passes the filter, with its group according to `by`.
    pub fn for_each(
        &self,
        chosen: &ChosenExecutions,
        by: GroupBy,
        mut visit: impl FnMut(ExecutionGroup, ChosenExecution),
    ) {
        let has_statements = self.has_statements(chosen);
        if by == GroupBy::Shape && has_statements {
            for statement in self.statements.largest() {
                let group = ExecutionGroup::Statement(statement.shape);
                let is_chosen = |row: u32| {
                    chosen.runs.contains(&self.queries.run(row))
                        && chosen.has_start(self.queries.interval(row).0)
                        && self.passes(self.queries.span(row), has_statements)
                };
                let rows = statement.rows.iter().filter(|&&row| is_chosen(row));
                rows.for_each(|&row| visit(group, ChosenExecution::Query(row)));
            }
            return;
        }
        let trace = self.trace;
        let tracks = chosen.runs.iter().filter_map(|run| Some(trace.runs.get(run.0 as usize)?.track));
        for id in tracks.flat_map(|track| trace.tracks.subtree_spans(track)).map(SpanId) {
            if chosen.has_start(trace.spans.start(id))
                && self.passes(id, has_statements)
                && let Some(group) = group_of(trace, id, by)
            {
                visit(group, ChosenExecution::Span(id));
            }
        }
    }

    pub fn span(&self, execution: ChosenExecution) -> SpanId {
        match execution {
            ChosenExecution::Query(row) => self.queries.span(row),
            ChosenExecution::Span(id) => id,
        }
    }

    /// Duration of an execution, in nanoseconds; `None` if it has no start or no end in the trace.
    pub fn duration(&self, execution: ChosenExecution) -> Option<i64> {
        match execution {
            ChosenExecution::Query(row) => self.queries.is_whole(row).then(|| self.queries.duration(row)),
            ChosenExecution::Span(id) => {
                is_whole(self.trace.spans.flags(id)).then(|| self.trace.duration(id))
            }
        }
    }

    /// The measures of an execution. `reader` is a reader made by [`Self::reader`], which is reused for all executions.
    pub(super) fn sample(
        &self,
        execution: ChosenExecution,
        reader: &AttributeReader<'_, 3>,
    ) -> ExecutionSample {
        let self_times =
            self.self_times.get_or_init(|| self_times(self.trace, 0..self.trace.spans.len() as u32));
        let self_time = self_times.get(self.span(execution).0 as usize).copied().unwrap_or_default();
        match execution {
            ChosenExecution::Query(row) => {
                let bytes = self.bytes.get_or_init(|| QueryBytes::of(self.trace, self.queries));
                ExecutionSample {
                    duration: self.queries.duration(row),
                    self_time,
                    is_whole: self.queries.is_whole(row),
                    failed: self.queries.outcome(row) == Outcome::Failed,
                    numbers: ExecutionNumbers::of_query(self.queries, bytes, row),
                }
            }
            ChosenExecution::Span(id) => {
                let flags = self.trace.spans.flags(id);
                ExecutionSample {
                    duration: self.trace.duration(id),
                    self_time,
                    is_whole: is_whole(flags),
                    failed: self.queries.is_failed(self.trace, id, self.query_of_source(id)),
                    numbers: ExecutionNumbers::of_span(reader, id),
                }
            }
        }
    }

    /// Row of the query of a source execution; `None` for other spans.
    fn query_of_source(&self, id: SpanId) -> Option<u32> {
        let is_source = self.trace.spans.kind(id) == Kind::Execution;
        is_source.then(|| self.queries.row_of(self.trace, Item::Span(id)))?
    }

    /// Creates a reader of the measures that are attributes of spans: rows read, rows returned and bytes.
    pub fn reader(&self) -> AttributeReader<'_, 3> {
        ExecutionNumbers::reader(self.trace)
    }

    /// Number of each group of slices in the list of shapes, by text: shapes are numbered in the order of their first spans. Empty if
    /// the trace has statements, because that list then shows statements.
    pub(super) fn slice_shapes(&self) -> SliceShapes {
        let mut shapes = SliceShapes::default();
        if !self.queries.is_empty() {
            return shapes;
        }
        let mut known = FxHashSet::default();
        for id in (0..self.trace.spans.len() as u32).map(SpanId) {
            let Some(group) = group_of(self.trace, id, GroupBy::Name) else { continue };
            let shape = known.len() as u32;
            if known.insert(group) {
                shapes.entry(self.text(group)).and_modify(|of| *of = None).or_insert(Some(shape));
            }
        }
        shapes
    }

    /// Text of a group.
    pub fn text(&self, group: ExecutionGroup) -> String {
        let trace = self.trace;
        match group {
            ExecutionGroup::Statement(shape) => self.shapes.get(shape).to_owned(),
            ExecutionGroup::Kind(kind) => kind.name().to_owned(),
            ExecutionGroup::Named(name, None) => trace.str(name).to_owned(),
            ExecutionGroup::Named(name, Some(category)) => {
                format!("{} ({})", trace.str(name), trace.str(category))
            }
            ExecutionGroup::Source(name) => name.map_or("(not reported)", |name| trace.str(name)).to_owned(),
        }
    }
}

fn group_of(trace: &Trace, id: SpanId, by: GroupBy) -> Option<ExecutionGroup> {
    let source = |key: Key| {
        let is_execution = trace.spans.kind(id) == Kind::Execution;
        is_execution.then(|| ExecutionGroup::Source(trace.text(Item::Span(id), key)))
    };
    match by {
        GroupBy::Shape | GroupBy::Name => {
            Some(ExecutionGroup::Named(trace.spans.name(id), trace.text(Item::Span(id), key::CATEGORY)))
        }
        GroupBy::Kind => Some(ExecutionGroup::Kind(trace.spans.kind(id))),
        GroupBy::Datasource => source(key::DATASOURCE),
        GroupBy::Connector => source(key::CONNECTOR),
    }
}
