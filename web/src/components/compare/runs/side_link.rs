//! Links from the numbers of a side to its executions in the query list.

use queryscope::internal::filter_text;
use queryscope::protocol::{GroupBy, QueryColumn, QueryList, RunSelection};
use yew::prelude::*;

use crate::components::{PanelProps, filter_by, show_filtered};
use crate::state::{Action, Dispatch, Tab};
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
    /// Executions that meet a condition of a filter, in descending order of a column.
    Meeting(&'static str, Option<QueryColumn>),
}

/// A filter of the query list that shows the executions of one side, or of one statement on one side.
#[derive(Clone)]
pub struct SideLink {
    dispatch: Dispatch,
    filter: String,
    /// Time range of all views that the filter needs.
    range: Option<(i64, i64)>,
    /// The query list with its present order.
    list: QueryList,
}

impl SideLink {
    /// The link to the executions of a side. `runs` are the names of all runs as recorded. `has_incomplete` states whether the
    /// side has executions without a start or an end, which only its count of failures includes; a filter leaves them out, except
    /// those that failed. `None` if no filter and time range can express the side, or if its groups are not statements.
    pub fn of(
        panel: &PanelProps,
        side: &RunSelection,
        runs: &[String],
        has_incomplete: bool,
    ) -> Option<Self> {
        let (state, &RunSelection { within, outside, .. }) = (&panel.state, side);
        if state.nav.runs.by != GroupBy::Shape || state.load.info.has_slices_alone() {
            return None;
        }
        let run = match (&side.runs[..], runs.len()) {
            (_, 1) | ([], _) => None,
            (&[run], _) => Some(unique(runs, run)?),
            _ => return None,
        };
        let mut filter = filter_by(&[("run", run)]);
        if has_incomplete {
            filter = filter_text::with(&filter, "status != unfinished status != no-start");
        }
        // A time range lists what overlaps it; an execution belongs to the side in which it starts.
        if let Some((from, until)) = within {
            let sign = if outside { "!=" } else { "=" };
            filter = filter_text::with(&filter, &format!("start {sign} {from}ns..{until}ns"));
        }
        Some(Self {
            dispatch: panel.dispatch.clone(),
            filter,
            range: within.filter(|_| !outside),
            list: state.nav.queries.clone().unwrap_or_default(),
        })
    }

    /// The link to those executions that also meet a condition.
    pub fn meeting(&self, condition: &str) -> Self {
        Self { filter: filter_text::with(&self.filter, condition), ..self.clone() }
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
            MeasureLink::All => (words::compare::SHOW_COUNTED, self.onclick(None)),
            MeasureLink::AtLeast => {
                let slower = self.meeting(&format!("duration >= {value}ns"));
                (words::statements::SHOW_SLOWER, slower.onclick(Some(QueryColumn::Duration)))
            }
            MeasureLink::Meeting(condition, sort) => {
                (words::compare::SHOW_COUNTED, self.meeting(condition).onclick(sort))
            }
        })
    }

    /// Shows the executions in the query list; in descending order of the column `sort`, if there is one.
    pub fn onclick(&self, sort: Option<QueryColumn>) -> Callback<MouseEvent> {
        let Self { dispatch, filter, range, list } = self.clone();
        Callback::from(move |_| {
            dispatch.dispatch(Action::Range(range));
            // Also without conditions: the filter that was set before could hide executions of the side.
            dispatch.dispatch(Action::Filter(filter.clone()));
            if let Some(sort) = sort {
                dispatch.dispatch(Action::Queries(QueryList { sort, descending: true, ..list.clone() }));
            }
            show_filtered(&dispatch, Tab::Gantt, "");
        })
    }
}

/// Name of a run; `None` if another run has it as well, in upper or lower case: a filter by this name would show both.
fn unique(runs: &[String], run: u32) -> Option<&str> {
    let name = runs.get(run as usize)?;
    (runs.iter().filter(|other| other.to_lowercase() == name.to_lowercase()).count() == 1).then_some(name)
}
