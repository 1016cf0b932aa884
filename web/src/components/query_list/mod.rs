//! The query list. Only its visible rows are fetched and rendered, so its length does not matter.

mod columns;
mod cursor;
mod row;
pub mod tools;
mod weights;

use std::ops::Range;
use std::rc::Rc;

use queryscope::protocol::{QueryList as List, QueryListRequest, QueryPage};
use yew::prelude::*;

use super::PanelProps;
use super::size::use_panel_size;
use super::splitter::Splitter;
use super::use_query::{Answer, use_query};
use super::worker_rows::{RowPage, worker_rows};
use crate::state::{Action, List as Shown};
use crate::ui::{DataTable, RowEvent, TableHeading};
use crate::words;
use cursor::{Chosen, SelectedRow, use_select, use_selected_row};
use row::RowContext;

/// The query list, and the splitter above it that changes its height.
#[component]
pub fn QueryList(props: &PanelProps) -> Html {
    let (height, onresize) = use_panel_size(&props.mount, "queries", 232.0);
    let list = props.state.nav.queries.clone().unwrap_or_default();
    // The views keep a minimum height, even in a low viewer.
    let most = (props.mount.size().1 - 330.0).max(96.0);
    let height = height.clamp(96.0, most);
    if props.state.list() == Shown::Heading {
        return html! { <tools::ListHeading ..props.clone() /> };
    }
    html! {
        <>
            <Splitter label={words::query_list::QUERY_LIST} controls="queries" upright=false size={height} bounds={(96.0, most)} {onresize} />
            <section id="queries" class="queries" aria-label={words::query_list::QUERIES} style={format!("height:{height:.0}px")}>
                <Rows panel={props.clone()} list={List { range: props.state.nav.range, filter: props.state.nav.filter.clone(), ..list }}
                    onchange={props.dispatch_of(Action::Queries)} />
            </section>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct RowsProps {
    panel: PanelProps,
    list: List,
    onchange: Callback<List>,
}

#[component]
fn Rows(props: &RowsProps) -> Html {
    let PanelProps { client, state, .. } = &props.panel;
    let wanted = use_state_eq(|| 0..64_u32);
    let first_page =
        QueryListRequest { list: props.list.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_query(client, Some(first_page), (state.load.scene_version, state.load.info.build));
    let page = answer.as_ref().and_then(Answer::reply);
    // For a large trace, the reply takes seconds. Until then the rows of the previous build are shown.
    let is_old = answer.as_ref().is_some_and(|answer| answer.scene_version().1 != state.load.info.build);
    let (cursor, reveal) = use_selected_row(&props.panel, &props.list);
    let select = use_select(&props.panel, &cursor, is_old);
    let shown = columns::shown(page.map_or(&[], |page| &page.empty));
    let context = RowContext {
        longest: page.map_or(0, |page| page.longest),
        runs: state.load.info.runs > 1,
        shown: shown.clone(),
        cut: state.load.info.cut,
    };
    let nothing = match page.filter(|page| page.matched == 0) {
        Some(_) => tools::nothing(page, &props.panel),
        None => Html::default(),
    };
    let content = tools::tools(page.map(|page| (page, is_old)), &props.list, &props.panel, &props.onchange);
    let heading = TableHeading { tag: "div", class: "tools", content };
    let order = columns::order(&props.list, &shown, &props.onchange);
    let list = props.list.clone();
    let request = move |range: Range<u32>| QueryListRequest {
        list: list.clone(),
        first: range.start,
        count: range.end - range.start,
    };
    let rows = worker_rows(client, page.cloned(), order, request, move |of| row::row(of, &context));
    let onrow = on_row(props, page, &cursor, &select);
    let onwanted = wanted.setter();
    html! {
        <DataTable id="queries" label={words::query_list::QUERIES} columns={columns::columns(&shown)} {rows} {heading} {reveal} {is_old} {nothing} {onrow}
            onwanted={move |wanted| onwanted.set(wanted)} />
    }
}

/// Returns the row event handler. A click selects the row's query; after a key, the row may have to be fetched first.
fn on_row(
    props: &RowsProps,
    page: Option<&QueryPage>,
    cursor: &Rc<SelectedRow>,
    select: &Callback<Chosen>,
) -> Callback<(u32, RowEvent)> {
    let reached = cursor::on_row(props, cursor, select);
    let (page, select) = (page.cloned(), select.clone());
    Callback::from(move |(row, event): (u32, RowEvent)| match event {
        RowEvent::Clicked | RowEvent::DoubleClicked => {
            if let Some(of) = page.as_ref().and_then(|page| page.row(row)) {
                let zoom = event == RowEvent::DoubleClicked;
                select.emit(Chosen { row, item: of.item, record: of.record, zoom });
            }
        }
        RowEvent::Reached | RowEvent::Entered | RowEvent::Toggled => reached(row, event == RowEvent::Entered),
    })
}
