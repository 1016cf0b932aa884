//! The list of shapes.

use std::ops::Range;
use std::rc::Rc;

use queryscope::protocol::{
    ExecutionList, ShapeColumn, ShapeList, ShapeListRequest, ShapePage, ShapeRow, ShapeTimes,
};
use yew::prelude::*;

use super::change;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::worker_rows::worker_rows;
use crate::components::{
    PanelProps, filter_button, filter_by, one_line, show_filtered, show_in_timeline, time_range,
};
use crate::state::{Dispatch, Tab};
use crate::ui::{
    DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, TermHelp, WorkerOrder,
    link,
};
use crate::words;
use crate::words::glossary::Term;

/// The columns with a sort key, from left to right. The column of bars follows the first.
const COLUMNS: [ShapeColumn; 12] = [
    ShapeColumn::Shape,
    ShapeColumn::Count,
    ShapeColumn::Total,
    ShapeColumn::SelfTime,
    ShapeColumn::Mean,
    ShapeColumn::P50,
    ShapeColumn::P95,
    ShapeColumn::P99,
    ShapeColumn::Max,
    ShapeColumn::Rows,
    ShapeColumn::Bytes,
    ShapeColumn::Failed,
];
/// Index of the column of bars.
const BARS: usize = 1;
/// Number of columns with small charts.
const CHARTS: usize = 2;

/// Data that the cells of a row need, and the callback that opens a shape.
#[derive(Clone)]
struct ShapeContext {
    columns: Rc<Vec<ShapeColumn>>,
    is_of_slices: bool,
    dispatch: Dispatch,
    /// Opens a shape, with a half-open range of durations in nanoseconds for its executions.
    onopen: Callback<(u32, Option<(i64, i64)>)>,
    /// Ends of the axis of durations, in nanoseconds.
    durations: (i64, i64),
}

/// The list of shapes, largest total first.
#[component]
pub fn List(props: &PanelProps) -> Html {
    let (state, build) = (&props.state, props.state.load.info.build);
    let wanted = use_state_eq(|| 0..64_u32);
    let filter = state.nav.filter.clone();
    let list = ShapeList { range: state.nav.range, filter, ..state.nav.statements.list.clone() };
    let request =
        ShapeListRequest { list: list.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_query(&props.client, Some(request), build);
    let is_old = is_old(answer.as_ref(), &build);
    let page = answer.as_ref().and_then(Answer::reply).cloned();
    let is_of_slices = state.load.info.has_slices_alone();
    let name = if is_of_slices { words::statements::SLICES } else { words::statements::STATEMENTS };
    let content = html! {
        <>
            <h2 id="statements">{ name }</h2>
            <TermHelp term={Term::StatementShape} />
            { time_range(props) }
            <p class="whole-line">{ page.as_ref().map(words::statements::summary) }</p>
        </>
    };
    let context = ShapeContext {
        columns: Rc::new(shown(page.as_ref())),
        is_of_slices,
        durations: page.as_ref().map_or((1, 1), |page| page.durations),
        dispatch: props.dispatch.clone(),
        onopen: change(props, |view, (shape, between)| {
            view.executions = Some(ExecutionList { shape, between, ..ExecutionList::default() });
        }),
    };
    let nothing = html! { if page.is_some() { <p class="muted">{ words::filter::none(words::statements::WHAT, &state.nav) }</p> } };
    let rows = rows(props, page, &list, &context);
    let onwanted = wanted.setter();
    html! {
        <section aria-labelledby="statements">
            <DataTable id="statement" label={name} class="framed shapes" columns={columns(&context)} {rows} heading={TableHeading::section(content)}
                {nothing} {is_old} onwanted={move |wanted| onwanted.set(wanted)} beginning={format!("{list:?}")} />
        </section>
    }
}

/// Columns that have a value for at least one shape.
fn shown(page: Option<&ShapePage>) -> Vec<ShapeColumn> {
    let is_shown = |column: &ShapeColumn| match column {
        ShapeColumn::Rows => page.is_some_and(|page| page.has_rows),
        ShapeColumn::Bytes => page.is_some_and(|page| page.has_bytes),
        _ => true,
    };
    COLUMNS.into_iter().filter(is_shown).collect()
}

fn columns(context: &ShapeContext) -> Vec<TableColumn> {
    let column = |column: &ShapeColumn| {
        let (name, meaning) = words::statements::column(*column, context.is_of_slices);
        let made = match column {
            ShapeColumn::Shape => TableColumn::text(name).characters(44, true),
            ShapeColumn::Count | ShapeColumn::Rows | ShapeColumn::Failed => {
                TableColumn::number(name).characters(9, false)
            }
            ShapeColumn::Bytes => TableColumn::bytes(name).characters(11, false),
            _ => TableColumn::time(name).characters(11, false),
        };
        made.meaning(meaning)
    };
    let mut columns: Vec<TableColumn> = context.columns.iter().map(column).collect();
    let chart = |name| TableColumn::bars(name).track("var(--w-chart)", "var(--w-chart)");
    columns.splice(BARS..BARS, [chart(words::statements::STARTS), chart(words::statements::BY_DURATION)]);
    columns
}

fn rows(props: &PanelProps, page: Option<ShapePage>, list: &ShapeList, context: &ShapeContext) -> TableRows {
    let index = context.columns.iter().position(|column| *column == list.sort);
    // Texts begin with A, numbers with the largest.
    let descends = |list: &ShapeList| (list.sort == ShapeColumn::Shape) == list.reversed;
    let now = index.map(|at| SortOrder {
        column: if at >= BARS { at + CHARTS } else { at },
        descending: descends(list),
    });
    let (columns, of_list) = (context.columns.clone(), list.clone());
    let onsort = change(props, move |view, order: Option<SortOrder>| {
        let Some(order) = order else { return };
        let at = if order.column > BARS { order.column.saturating_sub(CHARTS) } else { order.column };
        let Some(&sort) = columns.get(at) else { return };
        let plain = ShapeList { sort, reversed: false, ..of_list.clone() };
        view.list = ShapeList { reversed: order.descending != descends(&plain), range: None, ..plain };
    });
    let order = WorkerOrder { now, has_original: false, onsort };
    let (list, context) = (list.clone(), context.clone());
    let request = move |range: Range<u32>| ShapeListRequest {
        list: list.clone(),
        first: range.start,
        count: range.end - range.start,
    };
    worker_rows(&props.client, page, order, request, move |of| row(of, &context))
}

fn row(row: &ShapeRow, context: &ShapeContext) -> TableRow {
    let (shape, times) = (row.shape, row.times);
    let onclick = context.onopen.reform(move |_: MouseEvent| (shape, None));
    let time = |of: Option<i64>| match of {
        Some(ns) => TableCell::time(ns),
        None => TableCell::absent(words::statements::NOT_COMPLETE),
    };
    let executions = |cell: TableCell| match cell.is_absent() {
        true => cell,
        false => cell.link(words::statements::SHOW_EXECUTIONS, onclick.clone()),
    };
    // A percentile leads to the executions that took at least as long.
    let percentile = |of: fn(&ShapeTimes) -> i64| {
        let cell = time(times.as_ref().map(of));
        let Some(times) = times else { return cell };
        let between = (of(&times), times.max.saturating_add(1));
        let onopen = context.onopen.reform(move |_: MouseEvent| (shape, Some(between)));
        cell.link(words::statements::SHOW_SLOWER, onopen)
    };
    // A shortened statement is not the value.
    let has_value = !context.is_of_slices && !row.title.ends_with('…');
    let cell = |column: &ShapeColumn| match column {
        ShapeColumn::Shape => {
            let shown = one_line(&row.title);
            let filter = || filter_button(&context.dispatch, &row.dimension, Some(&row.title), true);
            let text = link(&shown, row.title.clone(), onclick.clone());
            TableCell::text(shown)
                .titled(row.title.clone())
                .shown(html! { <>{ text }{ has_value.then(filter) }</> })
        }
        ShapeColumn::Count => {
            TableCell::count(row.count).link(words::statements::count(row), onclick.clone())
        }
        ShapeColumn::Total => executions(time(times.map(|_| row.total))),
        ShapeColumn::SelfTime => executions(time(times.map(|_| row.self_time))),
        ShapeColumn::Mean => executions(time(times.map(|times| times.mean))),
        ShapeColumn::P50 => percentile(|times| times.p50),
        ShapeColumn::P95 => percentile(|times| times.p95),
        ShapeColumn::P99 => percentile(|times| times.p99),
        ShapeColumn::Max => {
            let (dispatch, longest) = (context.dispatch.clone(), row.longest);
            let onshow = Callback::from(move |_: MouseEvent| show_in_timeline(&dispatch, longest));
            let max = time(times.map(|times| times.max));
            if times.is_some() { max.link(words::statements::SHOW_LONGEST, onshow) } else { max }
        }
        ShapeColumn::Rows => executions(TableCell::or_absent(row.rows, TableCell::count)),
        ShapeColumn::Bytes => executions(TableCell::or_absent(row.bytes, TableCell::bytes)),
        ShapeColumn::Failed => {
            let failed = TableCell::count(row.failed);
            match row.failed {
                0 => failed.class("faint"),
                _ if !has_value => failed.class("bad"),
                _ => failed
                    .class("bad")
                    .link(words::statements::SHOW_FAILED, show_failed(row, &context.dispatch)),
            }
        }
    };
    let mut cells: Vec<TableCell> = context.columns.iter().map(cell).collect();
    let charts = [
        sparkline(&row.over_time, words::statements::over_time(&row.over_time)),
        sparkline(&row.durations, words::statements::by_duration(&row.durations, context.durations)),
    ];
    cells.splice(BARS..BARS, charts);
    TableRow { item: Some(row.longest), ..TableRow::of(cells) }
}

/// Shows the failed executions of a statement in the query list.
fn show_failed(row: &ShapeRow, dispatch: &Dispatch) -> Callback<MouseEvent> {
    let filter = filter_by(&[(&row.dimension, Some(&row.title)), ("status", Some("failed"))]);
    let dispatch = dispatch.clone();
    Callback::from(move |_| show_filtered(&dispatch, Tab::Gantt, &filter))
}

/// A small chart of the number of executions in each part of an axis.
fn sparkline(counts: &[u32], meaning: String) -> TableCell {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let steps = (0..).zip(counts).filter(|(_, count)| **count > 0);
    // A single execution stays visible next to thousands.
    let step = |(at, count): (usize, &u32)| {
        let height = (f64::from(*count) / f64::from(most) * 16.0).max(1.5);
        format!("M{} 16h3v-{height:.1}h-3z", at * 4)
    };
    let d: String = steps.map(step).collect();
    let picture = html! { <svg class="sparkline" viewBox="0 0 96 16" preserveAspectRatio="none" aria-hidden="true"><path {d} /></svg> };
    TableCell::text("").shown(picture).titled(meaning)
}
