//! The executions of a shape.

use std::ops::Range;

use queryscope::internal::text;
use queryscope::protocol::{
    CompareView, CompareWith, ExecutionList, ExecutionListRequest, ExecutionPage, ExecutionRow, Outcome,
};
use yew::prelude::*;

use super::change;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::worker_rows::worker_rows;
use crate::components::{PanelProps, one_line, show_in_timeline};
use crate::state::{Action, Tab};
use crate::ui::{
    DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, WorkerOrder,
};
use crate::words;

/// Indices of the columns that order the list.
const START: usize = 1;
const DURATION: usize = 2;

/// Properties of the list of executions.
#[derive(Properties, PartialEq)]
pub struct ExecutionsProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// Shape, order and selection of the list.
    pub list: ExecutionList,
    /// Median duration of the shape, in nanoseconds; `None` if no execution is complete.
    pub median: Option<i64>,
}

/// Data that the cells of a row need.
#[derive(Clone)]
struct ExecutionContext {
    median: Option<i64>,
    cut: (bool, bool),
    has_runs: bool,
    compares: bool,
    onshow: Callback<u32>,
    oncompare: Callback<u32>,
}

/// The list of executions, longest first.
#[component]
pub fn Executions(props: &ExecutionsProps) -> Html {
    let panel = &props.panel;
    let build = panel.state.load.info.build;
    let wanted = use_state_eq(|| 0..64_u32);
    let filter = panel.state.nav.filter.clone();
    let list = ExecutionList { range: panel.state.nav.range, filter, ..props.list.clone() };
    let request =
        ExecutionListRequest { list: list.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_query(&panel.client, Some(request), build);
    let is_old = is_old(answer.as_ref(), &build);
    let page = answer.as_ref().and_then(Answer::reply).cloned();
    let context = context(props);
    let name = list
        .between
        .map_or_else(|| words::statements::EXECUTIONS.to_owned(), words::statements::executions_between);
    let all = change(panel, |view, _: MouseEvent| {
        if let Some(list) = &mut view.executions {
            list.between = None;
        }
    });
    let content = html! {
        <>
            <h2 id="executions">{ &name }</h2>
            if list.between.is_some() {
                <button type="button" class="btn small" onclick={all}>{ words::statements::ALL_DURATIONS }</button>
            }
        </>
    };
    let what = match list.between {
        Some(_) => words::statements::WHAT_OF_DURATIONS,
        None => words::statements::WHAT,
    };
    let nothing =
        html! { if page.is_some() { <p class="muted">{ words::filter::none(what, &panel.state.nav) }</p> } };
    let rows = rows(panel, page, &list, &context);
    let onwanted = wanted.setter();
    html! {
        <section aria-labelledby="executions">
            <DataTable id="execution" label={name} class="framed" columns={columns(&context)} {rows} heading={TableHeading::section(content)}
                {nothing} {is_old} onwanted={move |wanted| onwanted.set(wanted)} beginning={format!("{list:?}")} />
        </section>
    }
}

fn context(props: &ExecutionsProps) -> ExecutionContext {
    let info = &props.panel.state.load.info;
    let show = props.panel.dispatch.clone();
    let (compare, view) = (props.panel.dispatch.clone(), props.panel.state.nav.compare.clone());
    ExecutionContext {
        median: props.median,
        cut: info.cut,
        has_runs: info.runs > 1,
        compares: info.compares(),
        onshow: Callback::from(move |item| show_in_timeline(&show, item)),
        oncompare: Callback::from(move |item| {
            let view = CompareView { a: Some(item), b: CompareWith::Typical, ..view.clone() };
            compare.dispatch(Action::Compare(view));
            compare.dispatch(Action::Show(Tab::Compare));
        }),
    }
}

fn columns(context: &ExecutionContext) -> Vec<TableColumn> {
    let mut columns = vec![
        TableColumn::text(words::statements::EXECUTION).characters(44, true).unsorted(),
        TableColumn::start(words::statements::START).characters(13, false),
        TableColumn::time(words::statements::DURATION).characters(12, false),
        TableColumn::number(words::statements::TIMES_MEDIAN)
            .meaning(words::statements::TIMES_MEDIAN_MEANING)
            .characters(11, false)
            .unsorted(),
        TableColumn::text(words::statements::OUTCOME).characters(12, false).unsorted(),
    ];
    if context.has_runs {
        columns.push(TableColumn::text(words::statements::RUN).characters(16, false).unsorted());
    }
    if context.compares {
        columns.push(TableColumn::text(words::statements::COMPARE).characters(10, false).unsorted());
    }
    columns
}

fn rows(
    panel: &PanelProps,
    page: Option<ExecutionPage>,
    list: &ExecutionList,
    context: &ExecutionContext,
) -> TableRows {
    // Starts begin with the earliest, durations with the longest.
    let column = if list.by_start { START } else { DURATION };
    let now = Some(SortOrder { column, descending: list.by_start == list.reversed });
    let onsort = change(panel, |view, order: Option<SortOrder>| {
        if let Some((order, list)) = order.zip(view.executions.as_mut()) {
            list.by_start = order.column == START;
            list.reversed = list.by_start == order.descending;
        }
    });
    let order = WorkerOrder { now, has_original: false, onsort };
    let (list, context) = (list.clone(), context.clone());
    let request = move |range: Range<u32>| ExecutionListRequest {
        list: list.clone(),
        first: range.start,
        count: range.end - range.start,
    };
    worker_rows(&panel.client, page, order, request, move |of| row(of, &context))
}

fn row(row: &ExecutionRow, context: &ExecutionContext) -> TableRow {
    let item = row.item;
    let onshow = context.onshow.reform(move |_: MouseEvent| item);
    let oncompare = context.oncompare.reform(move |_: MouseEvent| item);
    let duration = text::at_least(!row.is_complete, text::duration(row.duration));
    let median = context.median.filter(|median| *median > 0 && row.is_complete);
    let (outcome, meaning) = words::query_list::outcome(row.outcome, context.cut);
    let bad = (row.outcome == Outcome::Failed).then_some("bad");
    let mut cells = vec![
        TableCell::text(one_line(&row.title)).link(words::common::SHOW_IN_GANTT, onshow),
        TableCell::number(words::common::since_start(row.start), row.start)
            .titled(text::duration_exact(row.start)),
        TableCell::number(duration, row.duration).titled(text::duration_exact(row.duration)),
        TableCell::ratio(
            median.map(|median| row.duration as f64 / median as f64),
            words::statements::NOT_COMPLETE,
        ),
        TableCell::text(outcome).titled(meaning).class_if(bad),
    ];
    if context.has_runs {
        cells.push(TableCell::text(row.run.clone()));
    }
    if context.compares {
        cells.push(
            TableCell::text(words::statements::COMPARE)
                .copied("")
                .link(words::statements::COMPARE_MEANING, oncompare),
        );
    }
    TableRow { item: Some(item), ..TableRow::of(cells) }
}
