//! The pivot table's rows. Only the visible rows are fetched and rendered.

use std::ops::Range;
use std::rc::Rc;

use queryscope::internal::word_hash::{SIGN, is_text};
use queryscope::protocol::{
    FilterReply, FilterRequest, PivotColumn, PivotPage, PivotRequest, PivotRow, PivotSpec, PivotView,
};
use yew::prelude::*;

use super::{joined, row};
use crate::components::query_list::tools::empty;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::{PanelProps, show_in_timeline};
use crate::state::{Action, Dispatch};
use crate::ui::{DataTable, FetchRows, RowEvent, RowSource, SortOrder, TableColumn, TableRows, WorkerOrder};
use crate::words;

/// Width of a measure's column.
const COLUMN: &str = "112px";
/// Minimum width of the first column, limited so that a narrow viewer has room for measures.
const LABEL: &str = "min(240px, 40cqw)";

/// Properties of the pivot table.
#[derive(Properties, PartialEq)]
pub struct TableProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// Pivot view, limited to the active time range.
    pub view: PivotView,
}

/// The table of groups and measures.
#[component]
pub fn Table(props: &TableProps) -> Html {
    let PanelProps { client, state, .. } = &props.panel;
    let wanted = use_state_eq(|| 0..64_u32);
    let request = PivotRequest {
        view: joined(&props.view, state),
        first: wanted.start,
        count: wanted.end - wanted.start,
    };
    let answer = use_query(client, Some(request), state.load.info.build);
    use_names(props, answer.as_ref());
    let filter = joined(&props.view, state).spec.filter;
    let is_empty = answer.as_ref().and_then(Answer::reply).is_some_and(|page| page.points == 0);
    let request = is_empty.then(|| FilterRequest { text: filter.clone() });
    let found = use_query(client, request, state.load.info.build);
    let found = found.as_ref().and_then(Answer::reply).filter(|found| found.text == filter);
    let is_old = is_old(answer.as_ref(), &state.load.info.build);
    let page = use_memo(answer, |answer| Some(Rc::new(answer.as_ref().and_then(Answer::reply)?.clone())));
    let Some(page) = (*page).clone() else { return Html::default() };
    let onwanted = wanted.setter();
    let is_table = page.error.is_none();
    html! {
        <>
            <p class="pivot-sum" role="status">{ sum(&page) }</p>
            if !page.notes.is_empty() { <p class="pivot-sum notes">{ page.notes.join(" ") }</p> }
            <DataTable id="pivot" label={words::pivot::GROUPS} is_tree=true columns={if is_table { columns(&page) } else { Vec::new() }}
                rows={rows(props, &page)} pinned={is_table.then(|| row::total(&page.total))} nothing={nothing(&page, found, state.load.info.queries > 0)}
                onrow={act(props, &page, is_old)} onwanted={move |wanted| onwanted.set(wanted)} reveal={Some(Some(0))} />
        </>
    }
}

/// Returns the columns: one for the groups, then the measures.
fn columns(page: &PivotPage) -> Vec<TableColumn> {
    let by = match page.dimensions.is_empty() {
        true => words::pivot::TOTAL.to_owned(),
        false => {
            let dimensions: Vec<String> =
                page.dimensions.iter().map(|of| words::pivot::dimension(of)).collect();
            dimensions.join(words::pivot::NESTED)
        }
    };
    let label = TableColumn::text(by).track(format!("minmax({LABEL}, 1fr)"), LABEL);
    let measure = |(name, meaning): (&String, &String)| {
        TableColumn::number(name.clone()).meaning(meaning.clone()).track(COLUMN, COLUMN)
    };
    let measures: Vec<TableColumn> = page.titles.iter().zip(&page.meanings).map(measure).collect();
    let of_group = |(_, value): &(PivotColumn, String)| {
        let value = AttrValue::from(value.clone());
        measures.iter().map(|measure| measure.clone().under(value.clone())).collect::<Vec<_>>()
    };
    let grouped: Vec<TableColumn> = page.columns.iter().flat_map(of_group).collect();
    std::iter::once(label).chain(if page.columns.is_empty() { measures } else { grouped }).collect()
}

fn rows(props: &TableProps, page: &Rc<PivotPage>) -> TableRows {
    let (view, page) = (props.view.clone(), page.clone());
    let column = page.sort.map_or(0, |column| column as usize + 1);
    let (n_measures, groups) = (page.measures.len().max(1), page.columns.clone());
    let now = Some(SortOrder { column, descending: view.descending });
    let onsort = props.panel.dispatch_of(Action::Pivot).reform(move |order: Option<SortOrder>| {
        let order = order.unwrap_or(SortOrder { column: 0, descending: false });
        let at = order.column.checked_sub(1);
        let sort = at.map(|at| (at % n_measures) as u32);
        let group = at.and_then(|at| groups.get(at / n_measures));
        let column = group.map_or(PivotColumn::All, |(column, _)| column.clone());
        PivotView { sort, column, descending: order.descending, ..view.clone() }
    });
    let source = RowSource::Worker(WorkerOrder { now, has_original: false, onsort }, Some(fetch(props)));
    let (count, dispatch) = (page.rows_in_all, props.panel.dispatch.clone());
    TableRows {
        count,
        row: Rc::new(move |at| row_at(&page, at).map(|of| row::row(of, &page, &dispatch))),
        source,
    }
}

fn fetch(props: &TableProps) -> FetchRows {
    let PanelProps { client, dispatch, state, .. } = props.panel.clone();
    let view = joined(&props.view, &state);
    Rc::new(move |range: Range<u32>| {
        let (client, view) = (client.clone(), view.clone());
        let dispatch = dispatch.clone();
        Box::pin(async move {
            let request = PivotRequest { view, first: range.start, count: range.end - range.start };
            let page = client.ask(request).await.unwrap_or_default();
            page.rows.iter().map(|of| row::row(of, &page, &dispatch)).collect()
        })
    })
}

/// Returns the row at a table index, if the page contains it.
fn row_at(page: &PivotPage, index: u32) -> Option<&PivotRow> {
    page.rows.get(index.checked_sub(page.first)? as usize)
}

/// Returns the row event handler. Spans of an earlier build are ignored until the new rows arrive, because their item
/// codes are outdated.
fn act(props: &TableProps, page: &Rc<PivotPage>, is_old: bool) -> Callback<(u32, RowEvent)> {
    let dispatch = props.panel.dispatch.clone();
    let view = props.view.clone();
    let page = page.clone();
    Callback::from(move |(index, event): (u32, RowEvent)| {
        let is_group = row_at(&page, index).is_some_and(|row| row.item.is_none());
        let shows = match event {
            RowEvent::Reached => return,
            // The second click of a double click must not close the group that the first click opened.
            RowEvent::DoubleClicked if is_group => return,
            RowEvent::Clicked | RowEvent::Toggled => false,
            RowEvent::DoubleClicked | RowEvent::Entered => true,
        };
        if !is_old || is_group {
            act_on(&dispatch, &view, &page, index, shows);
        }
    })
}

/// Opens or closes a group, or selects a span or event. With `twice`, shows the span or event in the timeline.
fn act_on(dispatch: &Dispatch, view: &PivotView, page: &PivotPage, index: u32, twice: bool) {
    let Some(row) = row_at(page, index) else { return };
    match (row.item, twice) {
        (Some(item), false) => dispatch.dispatch(Action::Select(Some(item))),
        (Some(item), true) => show_in_timeline(dispatch, item),
        (None, _) => {
            let mut open = view.open.clone();
            if row.open == Some(true) {
                // Closing a group also closes the groups inside.
                open.retain(|path| !is_below(path, &row.path));
            } else {
                open.push(row.path.clone());
            }
            dispatch.dispatch(Action::Pivot(PivotView { open, ..view.clone() }));
        }
    }
}

/// Whether the group at `path` is the group at `of` or inside it. Labels in `path` may be hashes from a link.
fn is_below(path: &[String], of: &[String]) -> bool {
    path.len() >= of.len() && path.iter().zip(of).all(|(asked, label)| is_text(asked, label))
}

/// Replaces hashes from a link by names, as soon as the trace has resolved the hashes.
#[hook]
fn use_names(props: &TableProps, answer: Option<&Answer<PivotRequest>>) {
    let dispatch = props.panel.dispatch.clone();
    let named =
        answer.and_then(|answer| named(&props.view, &joined(&props.view, &props.panel.state), answer));
    use_effect_with(named, move |named| {
        if let Some(view) = named {
            dispatch.dispatch(Action::Pivot(view.clone()));
        }
    });
}

fn named(view: &PivotView, asked: &PivotView, answer: &Answer<PivotRequest>) -> Option<PivotView> {
    let PivotSpec { by, across, measures, .. } = &view.spec;
    let is_hashed = by.contains(SIGN) || across.contains(SIGN) || measures.contains(SIGN);
    let (request, page) = (answer.request()?, answer.reply()?);
    let (by, measures) = (page.dimensions.join(", "), page.measures.join(", "));
    let spec = PivotSpec { by, across: page.across.clone(), measures, ..view.spec.clone() };
    let is_new = is_hashed && page.error.is_none() && request.view.spec == asked.spec && spec != view.spec;
    is_new.then(|| PivotView { spec, ..view.clone() })
}

fn sum(page: &PivotPage) -> String {
    match &page.error {
        Some(_) => String::new(),
        None => words::pivot::sum(page.points, page.groups),
    }
}

/// Renders the reason why the table is empty. `found` is what its filter selects without a time range.
fn nothing(page: &PivotPage, found: Option<&FilterReply>, has_queries: bool) -> Html {
    match &page.error {
        Some(error) => {
            let heading = words::pivot::INVALID_EXPRESSION;
            empty(html! { <><strong>{ heading }</strong><span role="alert">{ error }</span></> })
        }
        None if page.points == 0 => {
            let (heading, advice) = match found {
                Some(found) if found.matched == 0 && found.listed > 0 => {
                    (words::filter::matched(found, has_queries), words::pivot::COUNTS_SINGLE)
                }
                _ => (words::pivot::NO_MATCHES.to_owned(), words::pivot::CHANGE_FILTER),
            };
            empty(html! { <><strong>{ heading }</strong><span>{ advice }</span></> })
        }
        _ => Html::default(),
    }
}
