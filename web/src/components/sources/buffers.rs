//! Buffer events over time, by type and by run.

use std::rc::Rc;

use queryscope::protocol::{
    BufferActivity, BufferActivityRequest, BufferMeasure, BufferQueryColumn, BufferRunRow, BufferTypeRow,
    PivotSpec, PivotView,
};
use yew::prelude::*;

use super::change;
use crate::components::overview::STEPS;
use crate::components::overview::chart::{Chart, Kind};
use crate::components::overview::marks::use_marks;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::{
    PanelProps, active_range, filter_button, filter_by, opens_pivot, show_in_timeline, time_range,
};
use crate::ui::{
    DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows, TermHelp, segment, segments,
};
use crate::words;
use crate::words::glossary::Term;

/// The chart of buffer events, and the tables of their types and runs.
#[component]
pub fn Buffers(props: &PanelProps) -> Html {
    let (state, build) = (&props.state, props.state.load.info.build);
    let (view, range) = (&state.nav.sources, state.nav.range);
    let (measure, cumulative) = (view.measure, view.cumulative);
    let request = BufferActivityRequest {
        range,
        buckets: STEPS,
        measure,
        cumulative,
        filter: state.nav.filter.clone(),
    };
    let answer = use_query(&props.client, Some(request), build);
    let inert = is_old(answer.as_ref(), &build);
    // The reply may be to the previous request, so the chart is labelled with the measure of the reply.
    let shown = answer.as_ref().and_then(|answer| answer.request().zip(answer.reply()));
    let kind = shown.map(|(request, _)| Kind::BufferActivity(request.measure, request.cumulative));
    let charts = use_memo(answer.clone(), |answer| {
        let reply = answer.as_ref().and_then(Answer::reply)?;
        Some(Rc::new(reply.charts.clone()))
    });
    let is_empty = shown.is_some_and(|(_, reply)| reply.types.iter().all(|row| row.events == 0));
    let marks = use_marks(props, charts.as_ref().as_deref());
    html! {
        <>
            <section aria-labelledby="buffers" {inert}>
                <header>
                    <h2 id="buffers">{ words::sources::BUFFERS }</h2>
                    <TermHelp term={Term::SpillShare} />
                    { measures(props) }
                    // The list of sources above says how spans count in the range.
                    { if state.load.info.executions { active_range(props) } else { time_range(props) } }
                    <p class="whole-line">{ shown.map(|(_, reply)| words::sources::spill(reply.spill)) }</p>
                </header>
                if is_empty {
                    <p class="muted">{ words::filter::none(words::sources::WHAT_OF_BUFFERS, &state.nav) }</p>
                } else if let Some((kind, charts)) = kind.zip(charts.as_ref().clone()) {
                    <div class="charts"><Chart {kind} {charts} {marks} panel={props.clone()} /></div>
                }
            </section>
            if let Some((_, reply)) = shown.filter(|_| !is_empty) {
                <section aria-labelledby="buffer-types" {inert}>{ types(props, reply) }</section>
                if state.load.info.runs > 1 {
                    <section aria-labelledby="buffer-runs" {inert}>{ runs(props, reply) }</section>
                }
            }
        </>
    }
}

/// The buttons that choose the measure of the chart.
fn measures(props: &PanelProps) -> Html {
    let view = &props.state.nav.sources;
    let measure = |measure: BufferMeasure| {
        let onclick = change(props, move |view, _: MouseEvent| view.measure = measure);
        segment(words::sources::measure(measure), None, view.measure == measure, onclick)
    };
    let added = |(name, cumulative): (&'static str, bool)| {
        let onclick = change(props, move |view, _: MouseEvent| view.cumulative = cumulative);
        segment(name, None, view.cumulative == cumulative, onclick)
    };
    let how = [(words::sources::PER_INTERVAL, false), (words::sources::CUMULATIVE, true)];
    html! {
        <>
            { segments(words::sources::MEASURE, BufferMeasure::ALL.into_iter().map(measure)) }
            { segments(words::sources::HOW_ADDED, how.into_iter().map(added)) }
        </>
    }
}

/// Returns the pivot table of buffer events by type, largest first: by number, bytes or elements, which are its columns in this order.
pub fn events(filter: String, has_elements: bool, column: u32) -> PivotView {
    let elements = if has_elements { ", sum(elements)" } else { "" };
    let spec = PivotSpec {
        by: "name".to_owned(),
        measures: format!("count, sum(bytes){elements}"),
        filter,
        ..PivotSpec::default()
    };
    PivotView { spec, sort: Some(column), descending: true, ..PivotView::default() }
}

fn types(props: &PanelProps, activity: &BufferActivity) -> Html {
    let all = activity.types.iter().fold(0_i64, |sum, row| sum.saturating_add(row.bytes.unwrap_or(0)));
    let has_elements = activity.types.iter().any(|row| row.elements.is_some());
    let (dispatch, pivot) = (props.dispatch.clone(), props.dispatch.clone());
    let row = move |of: &BufferTypeRow| {
        let dispatch = dispatch.clone();
        let name = TableCell::text(of.name.clone());
        let name = match of.largest {
            Some(item) => name.link(
                words::sources::SHOW_LARGEST,
                Callback::from(move |_: MouseEvent| show_in_timeline(&dispatch, item)),
            ),
            None => name,
        };
        let opening = |cell: TableCell, column| {
            if of.events == 0 || cell.is_absent() {
                return cell;
            }
            let all = events("kind = buffer".to_owned(), has_elements, column);
            let view = PivotView { open: vec![vec![of.name.clone()]], ..all };
            cell.link(words::sources::show_events(&of.name), opens_pivot(&pivot, view))
        };
        TableRow::of(vec![
            name,
            opening(TableCell::count(i64::try_from(of.events).unwrap_or(i64::MAX)), 0),
            opening(TableCell::or_absent(of.bytes, TableCell::bytes), 1),
            TableCell::share(of.bytes.unwrap_or(0), all),
            opening(TableCell::or_absent(of.elements, TableCell::count), 2),
        ])
    };
    let columns = vec![
        TableColumn::text(words::sources::BUFFER_TYPE).characters(24, true),
        TableColumn::number(words::sources::EVENTS).characters(12, false),
        TableColumn::bytes(words::sources::BYTES).characters(12, false),
        TableColumn::share(words::sources::SHARE_OF_BYTES).characters(15, false),
        TableColumn::number(words::sources::ELEMENTS).characters(14, false),
    ];
    let heading = html! { <h2 id="buffer-types">{ words::sources::BUFFER_TYPES }</h2> };
    let rows = TableRows::in_page(activity.types.clone(), row);
    html! { <DataTable id="buffer-type" label={words::sources::BUFFER_TYPES} class="framed" {columns} {rows} heading={TableHeading::section(heading)} /> }
}

/// The totals of each run; the numbers lead to the types of its events.
fn runs(props: &PanelProps, activity: &BufferActivity) -> Html {
    let dispatch = props.dispatch.clone();
    let row = move |of: &BufferRunRow| {
        let by_type = filter_by(&[("kind", Some("buffer")), ("run", Some(&of.run))]);
        let opening = |cell: TableCell, column| {
            let view = events(by_type.clone(), of.elements.is_some(), column);
            match cell.is_absent() {
                true => cell,
                false => cell.link(words::sources::show_events(&of.run), opens_pivot(&dispatch, view)),
            }
        };
        let name = html! { <><span class="clip">{ &of.run }</span>{ filter_button(&dispatch, "run", Some(&of.run), true) }</> };
        TableRow::of(vec![
            TableCell::text(of.run.clone()).shown(name),
            opening(TableCell::count(i64::try_from(of.events).unwrap_or(i64::MAX)), 0),
            opening(TableCell::or_absent(of.bytes, TableCell::bytes), 1),
            opening(TableCell::or_absent(of.elements, TableCell::count), 2),
            TableCell::or_absent(of.spill.written.map(|_| of.spill.spilled), TableCell::bytes),
            TableCell::share(of.spill.spilled, of.spill.written.unwrap_or(0)),
        ])
    };
    let name = |column| words::sources::query_column(column).0;
    let columns = vec![
        TableColumn::text(words::sources::RUN).characters(24, true),
        TableColumn::number(words::sources::EVENTS).characters(12, false),
        TableColumn::bytes(words::sources::BYTES).characters(12, false),
        TableColumn::number(words::sources::ELEMENTS).characters(14, false),
        TableColumn::bytes(name(BufferQueryColumn::Spilled)).characters(12, false),
        TableColumn::share(name(BufferQueryColumn::SpillShare)).characters(12, false),
    ];
    let heading = html! { <h2 id="buffer-runs">{ words::sources::BUFFER_RUNS }</h2> };
    let rows = TableRows::in_page(activity.runs.clone(), row);
    html! { <DataTable id="buffer-run" label={words::sources::BUFFER_RUNS} class="framed" {columns} {rows} heading={TableHeading::section(heading)} /> }
}
