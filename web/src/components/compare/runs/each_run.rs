//! The table that compares every run with the base: the totals of each run, and its executions group by group.

use std::ops::Range;

use queryscope::internal::text;
use queryscope::protocol::{
    DurationVerdict, RunSelection, RunTableCell, RunTableMeasure, RunTableOrder, RunTablePage,
    RunTableRequest, RunTableRow, RunTableRun, SideMeasures, SideTotals, TimeRank,
};
use yew::prelude::*;

use super::change;
use super::groups::verdict_class;
use super::side_link::{MeasureLink, SideLink};
use super::sides::{HeadMeasure, TOTALS};
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::worker_rows::worker_rows;
use crate::components::{PanelProps, focus_later, one_line};
use crate::state::{RunTableView, RunsView};
use crate::ui::{
    DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, WorkerOrder, link,
    segment, segments,
};
use crate::words;

/// Selector of the table of groups.
const GROUPS: &str = ".grid.each-run";

/// Properties of the table of all runs.
#[derive(Clone, Properties, PartialEq)]
pub struct EachRunProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// Index of the run to compare with, in the order of opening.
    pub base: u32,
    /// Names of all runs, in the order of opening.
    pub names: Vec<String>,
}

/// All runs compared with the base.
#[component]
pub fn EachRun(props: &EachRunProps) -> Html {
    let (panel, view) = (&props.panel, &props.panel.state.nav.runs);
    let build = panel.state.load.info.build;
    let wanted = use_state_eq(|| 0..64_u32);
    let filter = panel.state.nav.filter.as_str();
    let request = request(props.base, view, filter, (*wanted).clone());
    let answer = use_query(&panel.client, Some(request), build);
    let inert = is_old(answer.as_ref(), &build);
    let Some(page) = answer.as_ref().and_then(Answer::reply) else {
        return html! { <p class="muted">{ words::common::LOADING }</p> };
    };
    let name = words::compare::groups(page.has_statements);
    let onwanted = Callback::from(move |range| wanted.set(range));
    let head = html! {
        <>
            <h2 id="each-groups">{ name }{ words::filter::filtered(page.is_filtered) }</h2>
            { segments(words::compare::MEASURE, MEASURES.into_iter().map(|measure| measure_button(panel, measure))) }
            { restriction(props, page) }
            <p class="whole-line muted">{ words::run_table::signs() }</p>
        </>
    };
    let no_groups = words::run_table::NO_GROUPS_IN_RUNS;
    let reason = words::compare::nothing(view.table.only.is_some(), page.is_filtered, no_groups);
    let nothing = html! { <p class="muted">{ reason }</p> };
    html! {
        <>
            <section aria-labelledby="each-totals" {inert}>{ totals(props, page) }</section>
            <section aria-labelledby="each-groups" {inert}>
                <DataTable id="each-run" label={name} class="framed shapes each-run" columns={columns(props, page)} rows={rows(props, page)}
                    heading={TableHeading::section(head)} {nothing} {onwanted} beginning={format!("{:?}{:?}{}{filter}", view.table, view.by, props.base)} />
            </section>
        </>
    }
}

/// The groups to which the table is restricted, and the button that shows all.
fn restriction(props: &EachRunProps, page: &RunTablePage) -> Html {
    let Some((at, verdict)) = props.panel.state.nav.runs.table.only else { return Html::default() };
    let run = page.runs.get(at as usize).map_or_else(String::new, |run| run_name(props, run.run));
    let onclick = change(&props.panel, |view, _: MouseEvent| view.table.only = None);
    html! {
        <>
            <span role="status">{ words::run_table::only(verdict, &run) }</span>
            <button type="button" class="btn small" {onclick}>{ words::compare::ALL_GROUPS }</button>
        </>
    }
}

fn request(base: u32, view: &RunsView, filter: &str, rows: Range<u32>) -> RunTableRequest {
    let RunTableView { measure, sort, reversed, only } = view.table;
    let (first, count) = (rows.start, rows.end - rows.start);
    RunTableRequest {
        base,
        by: view.by,
        filter: filter.to_owned(),
        measure,
        sort,
        reversed,
        only,
        first,
        count,
    }
}

const MEASURES: [RunTableMeasure; 5] = [
    RunTableMeasure::P50,
    RunTableMeasure::P95,
    RunTableMeasure::Max,
    RunTableMeasure::Total,
    RunTableMeasure::SelfTime,
];

fn measure_button(panel: &PanelProps, measure: RunTableMeasure) -> Html {
    let onclick = change(panel, move |view, _: MouseEvent| view.table.measure = measure);
    let (name, meaning) = words::run_table::measure(measure);
    segment(name, Some(meaning), panel.state.nav.runs.table.measure == measure, onclick)
}

/// The filter to which links add conditions: that of all views, or an empty one if that is not valid.
fn applied_filter(props: &EachRunProps, page: &RunTablePage) -> String {
    if page.is_filtered { props.panel.state.nav.filter.clone() } else { String::new() }
}

/// The name of a run, marked if it is the base.
fn run_name(props: &EachRunProps, run: u32) -> String {
    let name = props.names.get(run as usize).cloned().unwrap_or_else(|| words::compare::run_number(run));
    if run == props.base { words::run_table::base(&name) } else { name }
}

/// The side that consists of one run.
fn side(run: u32) -> RunSelection {
    RunSelection { runs: vec![run], ..RunSelection::default() }
}

/// Shows the comparison of one run with the base, or one of its groups.
fn open(view: &mut RunsView, base: u32, run: u32, group: Option<u64>) {
    (view.base, view.new, view.group) = (Some(side(base)), Some(side(run)), group);
}

/// Restricts the table of groups to those with a verdict in the run at the index `at`, and moves the focus to it.
fn show_only(panel: &PanelProps, at: u32, verdict: DurationVerdict) -> Callback<MouseEvent> {
    let mount = panel.mount.clone();
    let restrict = change(panel, move |view, _: MouseEvent| view.table.only = Some((at, verdict)));
    Callback::from(move |event| {
        restrict.emit(event);
        focus_later(&mount, GROUPS, false);
    })
}

/// The totals of each run, and how many of its groups are slower and faster.
fn totals(props: &EachRunProps, page: &RunTablePage) -> Html {
    let mut columns = vec![TableColumn::text(words::run_table::RUN).characters(28, true)];
    columns.extend([
        TableColumn::number(words::run_table::SLOWER).meaning(words::run_table::SLOWER_MEANING),
        TableColumn::number(words::run_table::FASTER).meaning(words::run_table::FASTER_MEANING),
    ]);
    let has =
        |value: fn(&SideTotals) -> Option<i64>| page.runs.iter().any(|run| value(&run.totals).is_some());
    let shown: Vec<HeadMeasure> = TOTALS.into_iter().filter(|(.., value)| has(*value)).collect();
    columns.extend(shown.iter().map(|(name, unit, ..)| unit.column(name)));
    let row = {
        let names: Vec<String> = page.runs.iter().map(|run| run_name(props, run.run)).collect();
        let filter = applied_filter(props, page);
        let (props, base) = (props.clone(), props.base);
        move |&(at, ref run): &(usize, RunTableRun)| {
            let number = run.run;
            let name = TableCell::text(names.get(at).cloned().unwrap_or_default());
            let is_base = number == base;
            let onclick = change(&props.panel, move |view, _: MouseEvent| open(view, base, number, None));
            let verdicts = |n: u32, verdict: DurationVerdict| match (is_base, n) {
                (true, _) => TableCell::absent(words::run_table::IS_BASE),
                (_, 0) => TableCell::count(0),
                _ => TableCell::count(n)
                    .class(verdict_class(verdict))
                    .link(words::run_table::SHOW_GROUPS, show_only(&props.panel, at as u32, verdict)),
            };
            let name = if is_base { name } else { name.link(words::run_table::OPEN_RUN, onclick) };
            let mut cells = vec![
                name,
                verdicts(run.slower, DurationVerdict::Slower),
                verdicts(run.faster, DurationVerdict::Faster),
            ];
            let link = SideLink::of_totals(&props.panel, &filter, &side(number), &props.names, &run.totals);
            cells.extend(shown.iter().map(|&(_, unit, leads, value)| {
                let value = value(&run.totals);
                match &link {
                    Some(link) => link.measure(unit.cell(value), value, leads),
                    None => unit.cell(value),
                }
            }));
            TableRow::of(cells)
        }
    };
    let rows = TableRows::in_page(page.runs.iter().cloned().enumerate().collect::<Vec<_>>(), row);
    let head = html! {
        <>
            <h2 id="each-totals">{ words::compare::RUNS }{ words::filter::filtered(page.is_filtered) }</h2>
            <p class="whole-line verdict" role="status">{ words::run_table::verdict(page, |run| run_name(props, run)) }</p>
        </>
    };
    html! {
        <DataTable id="each-total" label={words::compare::RUNS} class="framed" {columns} {rows} heading={TableHeading::section(head)} />
    }
}

fn columns(props: &EachRunProps, page: &RunTablePage) -> Vec<TableColumn> {
    let (name, meaning) = words::compare::group_column(page.has_statements);
    let (_, measure) = words::run_table::measure(props.panel.state.nav.runs.table.measure);
    let run = |run: &RunTableRun| {
        TableColumn::time(run_name(props, run.run)).meaning(measure).track("minmax(28ch, 14fr)", "28ch")
    };
    let group = TableColumn::text(name).characters(38, true).meaning(meaning);
    std::iter::once(group).chain(page.runs.iter().map(run)).collect()
}

fn rows(props: &EachRunProps, page: &RunTablePage) -> TableRows {
    let (panel, view) = (&props.panel, &props.panel.state.nav.runs);
    let RunTableView { measure, sort, reversed, .. } = view.table;
    let now = match sort {
        RunTableOrder::Difference => None,
        RunTableOrder::Group => Some(SortOrder { column: 0, descending: reversed }),
        RunTableOrder::Run(at) => Some(SortOrder { column: at as usize + 1, descending: !reversed }),
    };
    let onsort = change(panel, |view, order: Option<SortOrder>| {
        (view.table.sort, view.table.reversed) = match order {
            None => (RunTableOrder::Difference, false),
            Some(SortOrder { column: 0, descending }) => (RunTableOrder::Group, descending),
            Some(SortOrder { column, descending }) => (RunTableOrder::Run(column as u32 - 1), !descending),
        };
    });
    let order = WorkerOrder { now, has_original: true, onsort };
    let (base, of) = (props.base, view.clone());
    // The filter's text as it was asked for, valid or not: the engine caches the table by it.
    let filter = panel.state.nav.filter.clone();
    let of_links = applied_filter(props, page);
    let request = move |range: Range<u32>| request(base, &of, &filter, range);
    let runs: Vec<u32> = page.runs.iter().map(|run| run.run).collect();
    let of_panel = props.clone();
    let is_ranked = page.runs.iter().any(|run| run.slower > 0 || run.faster > 0);
    let row = move |row: &RunTableRow| {
        // Without a difference beyond noise, a rank says nothing.
        let differs = |cell: &RunTableCell| {
            matches!(cell.verdict, Some(DurationVerdict::Slower | DurationVerdict::Faster))
        };
        let ranks = is_ranked.then(|| row.cells.iter().any(differs));
        let in_base = row.cells.first().and_then(|cell| value(cell.measures.as_ref()?, measure));
        let cell = |(cell, &run): (&RunTableCell, &u32)| {
            let group = cell.group;
            let panel = &of_panel.panel;
            let onopen = change(panel, move |view, _: MouseEvent| open(view, base, run, group));
            let listed = listed(&of_panel, &of_links, row, cell).filter(|_| cell.verdict.is_none());
            run_cell(cell, (in_base, measure), ranks, (onopen, listed))
        };
        let title = TableCell::text(one_line(&row.title)).titled(row.title.clone());
        TableRow::of(std::iter::once(title).chain(row.cells.iter().zip(&runs).map(cell)).collect())
    };
    worker_rows(&props.panel.client, Some(Box::new(page.clone())), order, request, row)
}

/// The link to the executions of a row in the base; `None` if there are none, or if no filter can express them.
fn listed(props: &EachRunProps, filter: &str, row: &RunTableRow, cell: &RunTableCell) -> Option<SideLink> {
    let link = SideLink::of(&props.panel, filter, &side(props.base), &props.names, cell.measures.as_ref()?)?;
    link.of_group(row.base_condition.as_deref(), row.slices)
}

/// The executions to which the value of a measure in the base leads.
fn leads_to(measure: RunTableMeasure) -> MeasureLink {
    match measure {
        RunTableMeasure::Total | RunTableMeasure::SelfTime => MeasureLink::All,
        RunTableMeasure::P50 | RunTableMeasure::P95 | RunTableMeasure::Max => MeasureLink::AtLeast,
    }
}

fn value(of: &SideMeasures, measure: RunTableMeasure) -> Option<i64> {
    match measure {
        RunTableMeasure::Total => of.total,
        RunTableMeasure::P50 => of.p50,
        RunTableMeasure::P95 => of.p95,
        RunTableMeasure::Max => of.max,
        RunTableMeasure::SelfTime => of.self_time,
    }
}

/// A group in a run: its value, a sign for the verdict with the change from the base, and its place among all runs. The value
/// leads to the comparison with the base, in the base itself to the executions.
fn run_cell(
    cell: &RunTableCell,
    (in_base, measure): (Option<i64>, RunTableMeasure),
    ranks: Option<bool>,
    (onopen, listed): (Callback<MouseEvent>, Option<SideLink>),
) -> TableCell {
    let Some(now) = cell.measures.as_ref().and_then(|of| value(of, measure)) else {
        let vanished = cell.verdict == Some(DurationVerdict::Vanished);
        return TableCell::absent(if vanished {
            words::run_table::VANISHED
        } else {
            words::run_table::NO_EXECUTION
        });
    };
    let shown = TableCell::time(now);
    let rank = cell.rank.filter(|_| ranks == Some(true));
    let class = if rank == Some(TimeRank::Slowest) { "rank slowest" } else { "rank" };
    let rank = ranks.map(|_| html! { <small {class}>{ rank.map(TimeRank::name) }</small> });
    let Some(verdict) = cell.verdict else {
        let value = match listed.and_then(|link| link.target(Some(now), leads_to(measure))) {
            Some((title, onclick)) => link(&text::duration(now), title, onclick),
            None => html! { { text::duration(now) } },
        };
        return shown.shown(html! { <>{ value }{ rank }</> });
    };
    let title = words::run_table::cell(cell, verdict);
    let sign = words::run_table::verdict_sign(verdict);
    let change = in_base.filter(|base| *base > 0).map(|base| words::compare::percent_change(base, now));
    shown.titled(title.clone()).shown(html! {
        <>
            { link(&text::duration(now), title.clone(), onopen) }
            <span class={classes!("against", verdict_class(verdict))} aria-hidden="true">{ sign }{ change.map(|change| format!(" {change}")) }</span>
            <span class="visually-hidden">{ title }</span>
            { rank }
        </>
    })
}
