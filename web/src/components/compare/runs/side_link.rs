//! Links from the numbers of a side to its executions: in the query list, or, in traces without statements, in the list of slices.

use queryscope::internal::filter_text;
use queryscope::protocol::{
    ExecutionList, GroupBy, QueryColumn, QueryList, RunSelection, SideMeasures, SideTotals,
};
use yew::prelude::*;

use crate::components::{PanelProps, QUERIES, VIEW, filter_by, focus_later, show_filtered};
use crate::host::Mount;
use crate::state::{Action, Dispatch, StatementsView, Tab};
use crate::ui::TableCell;
use crate::words;

/// The executions in the query list to which the value of a measure leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MeasureLink {
    /// No link: the measure is not one of executions.
    Nowhere,
    /// All executions.
    All,
    /// Executions that took at least as long as the value.
    AtLeast,
    /// Executions that meet a condition of a filter, in descending order of a column; all slices.
    Meeting(&'static str, Option<QueryColumn>),
    /// Failed executions, including those without a start or an end.
    Failed,
}

/// What shows the executions of a side or group.
#[derive(Clone)]
enum ExecutionView {
    /// The query list with its present order.
    Queries(QueryList),
    /// The list of slices in its present order; or, if it has a list of executions, one of its rows.
    Slices(StatementsView),
}

/// A filter that shows the counted executions of one side, or of one group on one side.
#[derive(Clone)]
pub struct SideLink {
    mount: Mount,
    dispatch: Dispatch,
    filter: String,
    /// Time range of all views that the filter needs.
    range: Option<(i64, i64)>,
    view: ExecutionView,
    /// Longest duration of the executions, in nanoseconds.
    longest: i64,
    /// What a link to the counted executions lists, in words.
    title: &'static str,
}

impl SideLink {
    /// The link to the executions of a side that pass a filter, which must be valid: statements, or slices in traces without
    /// statements. `runs` are the names of all runs, `measures` those of the executions: of those without a start or an end, which only the number of failures includes, the
    /// link lists the ones that failed, because no filter can leave them out. `None` if no filter and time range can express
    /// the side.
    pub fn of(
        panel: &PanelProps,
        filter: &str,
        side: &RunSelection,
        runs: &[String],
        measures: &SideMeasures,
    ) -> Option<Self> {
        let &RunSelection { within, outside, .. } = side;
        let run = match (&side.runs[..], runs.len()) {
            (_, 1) | ([], _) => None,
            (&[run], _) => Some(runs.get(run as usize)?.as_str()),
            _ => return None,
        };
        let mut filter = filter.to_owned();
        if run.is_some() {
            filter = filter_text::with(&filter, &filter_by(&[("run", run)]));
        }
        let of_slices = panel.state.load.info.has_slices_alone();
        let by_source = matches!(panel.state.nav.runs.by, GroupBy::Datasource | GroupBy::Connector);
        if of_slices && by_source {
            return None;
        }
        if measures.incomplete > 0 {
            filter = filter_text::with(&filter, filter_text::COMPLETE);
        }
        // A time range lists what overlaps it; an execution belongs to the side in which it starts.
        if let Some((from, until)) = within {
            let sign = if outside { "!=" } else { "=" };
            filter = filter_text::with(&filter, &format!("start {sign} {from}ns..{until}ns"));
        }
        Some(Self {
            mount: panel.mount.clone(),
            dispatch: panel.dispatch.clone(),
            filter,
            // The list of slices clips durations to the time range.
            range: within.filter(|_| !outside && !of_slices),
            view: match of_slices {
                true => ExecutionView::Slices(StatementsView {
                    list: panel.state.nav.statements.list.clone(),
                    executions: None,
                }),
                false => ExecutionView::Queries(panel.state.nav.queries.clone().unwrap_or_default()),
            },
            longest: measures.max.unwrap_or_default(),
            title: match measures.failed_incomplete {
                0 => words::compare::SHOW_COUNTED,
                _ => words::compare::SHOW_COUNTED_AND_INCOMPLETE,
            },
        })
    }

    /// The link to all executions of a side with these totals; `None` also if no list shows the executions.
    pub fn of_totals(
        panel: &PanelProps,
        filter: &str,
        side: &RunSelection,
        runs: &[String],
        totals: &SideTotals,
    ) -> Option<Self> {
        let is_listed = totals.has_statements || panel.state.load.info.has_slices_alone();
        is_listed.then(|| Self::of(panel, filter, side, runs, &totals.all))?
    }

    /// The link to the executions of one group: statements that also meet a condition, or the slices with this number in the list of
    /// slices. `None` if there is neither.
    pub fn of_group(self, condition: Option<&str>, slices: Option<u32>) -> Option<Self> {
        match &self.view {
            ExecutionView::Queries(_) => Some(self.meeting(condition?)),
            ExecutionView::Slices(view) => {
                let list = ExecutionList { shape: slices?, ..ExecutionList::default() };
                Some(Self { view: executions_of(view, list), ..self })
            }
        }
    }

    /// The link to those executions that also meet a condition.
    fn meeting(&self, condition: &str) -> Self {
        Self { filter: filter_text::with(&self.filter, condition), ..self.clone() }
    }

    /// The link to those executions with durations from the first up to but not including the second, in nanoseconds.
    pub fn lasting(&self, from: i64, until: i64) -> Self {
        if let ExecutionView::Slices(view) = &self.view
            && let Some(list) = &view.executions
        {
            let list = ExecutionList { between: Some((from, until)), ..list.clone() };
            return Self { view: executions_of(view, list), ..self.clone() };
        }
        self.meeting(&format!("duration = {from}ns..{until}ns"))
    }

    /// Makes the value of a measure a link to the executions from which it was computed, or to those at or above it. A cell
    /// without a positive value is returned unchanged.
    pub fn measure(&self, cell: TableCell, value: Option<i64>, link: MeasureLink) -> TableCell {
        match self.target(value, link) {
            Some((title, onclick)) => cell.link(title, onclick),
            None => cell,
        }
    }

    /// What the value of a measure leads to, in words, and the callback that shows it; `None` without a positive value.
    pub fn target(
        &self,
        value: Option<i64>,
        link: MeasureLink,
    ) -> Option<(&'static str, Callback<MouseEvent>)> {
        let value = value.filter(|value| *value > 0)?;
        Some(match link {
            MeasureLink::Nowhere => return None,
            MeasureLink::All => self.counted(),
            MeasureLink::AtLeast => {
                let slower = match self.view {
                    ExecutionView::Slices(StatementsView { executions: Some(_), .. }) => {
                        self.lasting(value, self.longest.saturating_add(1))
                    }
                    _ => self.meeting(&format!("duration >= {value}ns")),
                };
                (words::statements::SHOW_SLOWER, slower.onclick(Some(QueryColumn::Duration)))
            }
            MeasureLink::Meeting(..) if self.is_of_slices() => self.counted(),
            MeasureLink::Meeting(condition, sort) => (self.title, self.meeting(condition).onclick(sort)),
            MeasureLink::Failed => {
                (words::compare::SHOW_COUNTED, self.meeting("status = failed").onclick(None))
            }
        })
    }

    /// What the link to all its executions lists, in words, and the callback that shows them.
    pub fn counted(&self) -> (&'static str, Callback<MouseEvent>) {
        (self.title, self.onclick(None))
    }

    fn is_of_slices(&self) -> bool {
        matches!(self.view, ExecutionView::Slices(_))
    }

    /// Shows the executions and moves the focus to them. The query list is in descending order of the column `sort`, if there is one.
    fn onclick(&self, sort: Option<QueryColumn>) -> Callback<MouseEvent> {
        let Self { mount, dispatch, filter, range, view, .. } = self.clone();
        Callback::from(move |_| {
            dispatch.dispatch(Action::Range(range));
            dispatch.dispatch(Action::Filter(filter.clone()));
            let (tab, shown) = match &view {
                ExecutionView::Queries(list) => {
                    if let Some(sort) = sort {
                        let list = QueryList { sort, descending: true, ..list.clone() };
                        dispatch.dispatch(Action::Queries(list));
                    }
                    (Tab::Gantt, QUERIES)
                }
                ExecutionView::Slices(view) => {
                    dispatch.dispatch(Action::Statements(view.clone()));
                    (Tab::Statements, VIEW)
                }
            };
            show_filtered(&dispatch, tab, "");
            focus_later(&mount, shown, false);
        })
    }
}

/// The executions of one row of the list of slices, which keeps its order.
fn executions_of(view: &StatementsView, executions: ExecutionList) -> ExecutionView {
    ExecutionView::Slices(StatementsView { executions: Some(executions), ..view.clone() })
}
