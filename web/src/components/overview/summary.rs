//! The summary table of the overview, with one row per run (recording).

use queryscope::internal::text;
use queryscope::protocol::{RunSummary, SourceColumn, SourceList};
use yew::prelude::*;

use crate::components::sources::buffer_events;
use crate::components::{filter_by, opens_pivot, show_filtered, show_in_timeline, show_period};
use crate::state::{Action, Dialog, Dispatch, SourcesView, Tab};
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows};
use crate::words;
use crate::words::overview::column;

/// Kind of data that a column needs. A column is shown only if a trace has such data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Queries,
    Sources,
    Buffers,
    All,
    /// Columns of traces without queries.
    Bare,
}

/// What a click on a number shows.
#[derive(Clone, Copy)]
enum Leads {
    /// The time of the run in the Gantt view.
    Period,
    /// The import report, which counts the records of each file.
    Report,
    /// The queries of the run with this outcome; `None` for all its queries.
    Queries(Option<&'static str>),
    Shortest,
    Longest,
    Statements,
    /// The sources, largest first in this column.
    Sources(SourceColumn),
    /// The buffer events by type, largest first in this column of [`buffer_events`].
    Buffers(u32),
}

/// Constructor, name, required data and cell of a column, and what a click on its numbers shows.
type RunColumn = (fn(&'static str) -> TableColumn, &'static str, Part, fn(&RunSummary) -> TableCell, Leads);

const FAILED: Leads = Leads::Queries(Some("failed"));
const UNFINISHED: Leads = Leads::Queries(Some("unfinished"));
const EXECUTIONS: Leads = Leads::Sources(SourceColumn::Executions);
const READ: Leads = Leads::Sources(SourceColumn::RowsRead);
const RETURNED: Leads = Leads::Sources(SourceColumn::RowsReturned);

/// Columns after the name of the run.
const COLUMNS: [RunColumn; 15] = [
    (TableColumn::number, column::QUERIES, Part::Queries, |run| whole(run.queries), Leads::Queries(None)),
    (
        TableColumn::number,
        column::UNFINISHED,
        Part::Queries,
        |run| notable(run.unfinished, "warn"),
        UNFINISHED,
    ),
    (TableColumn::number, column::FAILED, Part::Queries, |run| notable(run.failed, "bad"), FAILED),
    (
        TableColumn::time,
        column::TOTAL,
        Part::Queries,
        |run| TableCell::time(run.total_duration_ns),
        Leads::Statements,
    ),
    (TableColumn::time, column::AVERAGE, Part::Queries, |run| completed(average(run)), Leads::Statements),
    (TableColumn::time, column::MIN, Part::Queries, |run| completed(run.min_duration_ns), Leads::Shortest),
    (TableColumn::time, column::MAX, Part::Queries, |run| completed(run.max_duration_ns), Leads::Longest),
    (
        TableColumn::number,
        column::SOURCE_EXECUTIONS,
        Part::Sources,
        |run| whole(run.source_calls),
        EXECUTIONS,
    ),
    (TableColumn::number, column::ROWS_READ, Part::Sources, |run| reported(run.rows_read), READ),
    (TableColumn::number, column::ROWS_RETURNED, Part::Sources, |run| reported(run.rows_returned), RETURNED),
    (
        TableColumn::number,
        column::BUFFER_EVENTS,
        Part::Buffers,
        |run| whole(run.buffer_events),
        Leads::Buffers(0),
    ),
    (
        TableColumn::bytes,
        column::BUFFER_BYTES,
        Part::Buffers,
        |run| bytes(run.buffer_bytes),
        Leads::Buffers(1),
    ),
    (
        TableColumn::number,
        column::BUFFER_ELEMENTS,
        Part::Buffers,
        |run| reported(run.buffer_elements),
        Leads::Buffers(2),
    ),
    (TableColumn::time, column::WALL_TIME, Part::Bare, |run| TableCell::time(run.wall_ns), Leads::Period),
    (TableColumn::number, column::EVENTS, Part::All, |run| whole(run.events), Leads::Report),
];

impl Part {
    /// Whether any of the runs has this kind of data.
    fn is_of(self, runs: &[RunSummary], has_queries: bool) -> bool {
        match self {
            Part::All => true,
            Part::Bare => !has_queries,
            Part::Queries => has_queries,
            Part::Sources => has_queries && has_sources(runs),
            Part::Buffers => has_queries && runs.iter().any(|run| run.buffer_events > 0),
        }
    }
}

/// Whether any run called a source.
pub fn has_sources(runs: &[RunSummary]) -> bool {
    runs.iter().any(|run| run.source_calls > 0)
}

/// Renders the table of all runs, with the columns in which any run has data.
pub fn table(dispatch: &Dispatch, runs: &[RunSummary], has_queries: bool, heading: Html) -> Html {
    let listed: Vec<&'static RunColumn> =
        COLUMNS.iter().filter(|(_, _, part, ..)| part.is_of(runs, has_queries)).collect();
    let heads = listed.iter().map(|(make, name, ..)| make(name));
    let columns: Vec<TableColumn> =
        std::iter::once(TableColumn::text(words::overview::RUN)).chain(heads).collect();
    let (dispatch, has_several) = (dispatch.clone(), runs.len() > 1);
    let row = move |run: &RunSummary| {
        let cell = |(.., cell, leads): &&RunColumn| linked(cell(run), *leads, &dispatch, run, has_several);
        TableRow::of(
            std::iter::once(TableCell::text(run.run.clone())).chain(listed.iter().map(cell)).collect(),
        )
    };
    let rows = TableRows::in_page(runs.to_vec(), row);
    html! { <DataTable id="run" label={words::overview::RUNS} class="framed" {columns} {rows} heading={TableHeading::section(heading)} /> }
}

/// Turns a number into a button that shows what was counted. A 0 stays plain, unless it is a duration of a query.
fn linked(
    cell: TableCell,
    leads: Leads,
    dispatch: &Dispatch,
    run: &RunSummary,
    has_several: bool,
) -> TableCell {
    let run_name = has_several.then_some(run.run.as_str());
    let (tab, outcome) = match leads {
        Leads::Period | Leads::Report | Leads::Buffers(_) if !cell.is_positive() => return cell,
        Leads::Buffers(column) => {
            let filter = filter_by(&[("kind", Some("buffer")), ("run", run_name)]);
            let meaning = words::overview::show_counted(false, &filter);
            let view = buffer_events(filter, run.buffer_elements.is_some(), column);
            return cell.link(meaning, opens_pivot(dispatch, view));
        }
        Leads::Period => {
            let (dispatch, end) = (dispatch.clone(), run.wall_ns);
            let onclick = Callback::from(move |_| show_period(&dispatch, (0, end)));
            return cell.link(words::overview::SHOW_RUN, onclick);
        }
        Leads::Report => {
            let dispatch = dispatch.clone();
            let onclick = Callback::from(move |_| dispatch.dispatch(Action::Dialog(Some(Dialog::Report))));
            return cell.link(words::overview::SHOW_REPORT, onclick);
        }
        Leads::Shortest | Leads::Longest => {
            let Some((shortest, longest)) = run.extremes else { return cell };
            let (item, meaning) = match leads {
                Leads::Shortest => (shortest, words::overview::SHOW_SHORTEST),
                _ => (longest, words::overview::SHOW_LONGEST),
            };
            let dispatch = dispatch.clone();
            return cell.link(meaning, Callback::from(move |_| show_in_timeline(&dispatch, item)));
        }
        Leads::Queries(outcome) => (Tab::Gantt, outcome),
        Leads::Statements => (Tab::Statements, None),
        Leads::Sources(_) => (Tab::Sources, None),
    };
    if !cell.is_positive() {
        return cell;
    }
    let filter = filter_by(&[("run", run_name), ("status", outcome)]);
    let meaning = words::overview::show_counted(tab == Tab::Gantt, &filter);
    let dispatch = dispatch.clone();
    let onclick = move |_| {
        if let Leads::Sources(sort) = leads {
            let list = SourceList { sort, ..SourceList::default() };
            dispatch.dispatch(Action::Sources(SourcesView { list, ..SourcesView::default() }));
        }
        show_filtered(&dispatch, tab, &filter);
    };
    cell.link(meaning, Callback::from(onclick))
}

/// Length in bytes above which a note is folded.
const LONG: usize = 400;

/// Number of runs that have notes.
pub fn n_noted(runs: &[RunSummary]) -> usize {
    runs.iter().filter(|run| !run.notes.is_empty()).count()
}

/// Renders the notes of the first `shown` runs that have any, such as completeness and clock corrections.
pub fn notes(runs: &[RunSummary], shown: usize) -> Html {
    let several = runs.len() > 1;
    let noted = runs.iter().filter(|run| !run.notes.is_empty()).take(shown);
    let notes = noted.flat_map(|run| run.notes.iter().map(move |(about, text)| (run, about, text)));
    let note = |(run, about, text): (&RunSummary, &String, &String)| {
        let about = if several { words::overview::note_of_run(&run.run, about) } else { about.clone() };
        let start = text::shortened(text, LONG / 2);
        let whole = if text.len() <= LONG {
            html! { <>{ text }</> }
        } else {
            html! { <details><summary>{ start }</summary>{ text }</details> }
        };
        html! { <><dt class="foreign">{ about }</dt><dd>{ whole }</dd></> }
    };
    if runs.iter().all(|run| run.notes.is_empty()) {
        return Html::default();
    }
    html! { <dl class="run-notes">{ for notes.map(note) }</dl> }
}

fn whole(n: u64) -> TableCell {
    TableCell::count(i64::try_from(n).unwrap_or(i64::MAX))
}

/// A cell with a count, highlighted unless it is 0.
fn notable(n: u64, look: &'static str) -> TableCell {
    whole(n).class_if((n > 0).then_some(look))
}

fn reported(n: Option<i64>) -> TableCell {
    TableCell::or_absent(n, TableCell::count)
}

fn bytes(n: Option<i64>) -> TableCell {
    TableCell::or_absent(n, TableCell::bytes)
}

fn average(run: &RunSummary) -> Option<i64> {
    run.avg_duration_ns.map(|ns| ns.round() as i64)
}

fn completed(ns: Option<i64>) -> TableCell {
    ns.map_or_else(|| TableCell::absent(words::overview::NO_COMPLETED_QUERY), TableCell::time)
}
