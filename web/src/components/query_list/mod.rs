//! The query list. Only the visible rows exist, and only they are asked for: its length costs nothing.

mod columns;
mod row;
mod tools;
mod window;

use std::cell::Cell;
use std::rc::Rc;

use queryscope::protocol::{QueryList as List, QueryPage, Reply, Request};
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;
use yew::prelude::*;

use super::PanelProps;
use super::ask::{Answer, use_reply};
use super::size::{use_inner_size, use_panel_size};
use super::splitter::{Splitter, window_size};
use crate::state::Action;
use window::Window;

/// The query list and the line above it that changes its height.
#[component]
pub fn QueryList(props: &PanelProps) -> Html {
    let (height, onresize) = use_panel_size("queries", 232.0);
    let list = use_state_eq(List::default);
    let most = (window_size().1 - 260.0).max(160.0);
    let height = height.clamp(96.0, most);
    html! {
        <>
            <Splitter label="Query list" controls="queries" upright=false size={height} bounds={(96.0, most)} {onresize} />
            <section id="queries" class="queries" aria-label="Queries" style={format!("height:{height:.0}px")}>
                <Rows panel={props.clone()} list={List { range: props.state.range, ..(*list).clone() }}
                    onchange={Callback::from(move |changed| list.set(changed))} />
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
    let body = use_node_ref();
    let (_, height) = use_inner_size(&body);
    let scroll = use_state_eq(|| 0.0);
    let known = use_state_eq(|| 0);
    let window = Window { rows: *known, height: f64::from(height), scroll: *scroll };

    let wanted = window.wanted();
    let first_page =
        Request::Queries { list: props.list.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_reply(client, Some(first_page), state.epoch);
    let page = answer.as_deref().and_then(page_of);
    let window = Window { rows: page.map_or(0, |page| page.matched), ..window };
    // What to ask for depends on the list's length, which only an answer tells.
    let learned = known.setter();
    use_effect_with(window.rows, move |rows| learned.set(*rows));

    let cursor = use_cursor(&props.panel, &props.list, &body, window);
    let select = use_select(&props.panel, &cursor);
    let onkeydown = on_key(props, &cursor, &select, &body, window);
    let setter = scroll.setter();
    let onscroll = Callback::from(move |event: Event| {
        setter.set(f64::from(event.target_unchecked_into::<Element>().scroll_top()));
    });
    let context = row::Context {
        longest: page.map_or(0, |page| page.longest),
        runs: state.info.runs > 1,
        selected: cursor.get(),
        onselect: &select,
    };
    let active = page.and_then(|page| row_at(page, cursor.get()?)).map(|row| format!("query-{}", row.item));
    html! {
        <>
            { tools::tools(page, &props.list, &props.panel, &props.onchange) }
            <div class="grid" role="grid" aria-label="Queries" aria-rowcount={(u64::from(window.rows) + 1).to_string()}
                aria-colcount={columns::COUNT.to_string()}>
                { columns::head(&props.list, &props.onchange) }
                <div class="grid-body" role="rowgroup" tabindex="0" aria-activedescendant={active} aria-label="Queries" ref={body}
                    {onscroll} {onkeydown}>
                    if page.is_some_and(|page| page.matched == 0) { { tools::nothing(page, &props.list, &props.panel, &props.onchange) } }
                    <div style={format!("height:{}px", window.tall())} />
                    <div class="grid-rows" style={format!("transform:translateY({}px)", window.top_of(window.visible().start))}>
                        { for window.visible().map(|index| row::row(index, page.and_then(|page| row_at(page, index)), &context)) }
                    </div>
                </div>
            </div>
        </>
    }
}

fn page_of(answer: &Answer) -> Option<&QueryPage> {
    match &answer.reply {
        Reply::Queries(page) => Some(page),
        _ => None,
    }
}

fn row_at(page: &QueryPage, index: u32) -> Option<&queryscope::protocol::QueryRow> {
    page.rows.get(index.checked_sub(page.first)? as usize)
}

/// The row of the selected query. It follows the selection, wherever that was made, and brings its row into view.
#[hook]
fn use_cursor(panel: &PanelProps, list: &List, body: &NodeRef, window: Window) -> Rc<Cell<Option<u32>>> {
    let cursor = use_memo((), |()| Cell::new(None));
    let request = panel.state.selection.map(|item| Request::QueryPosition { list: list.clone(), item });
    let answer = use_reply(&panel.client, request.clone(), panel.state.epoch);
    let position = answer.as_deref().filter(|answer| Some(&answer.request) == request.as_ref()).map(
        |answer| match answer.reply {
            Reply::Position(position) => position,
            _ => None,
        },
    );
    let settled = if request.is_none() { Some(None) } else { position };
    // Only what is new moves the cursor: a key may have moved it further while its answer is on the way.
    let moved = cursor.clone();
    use_memo((panel.state.selection, settled), |(_, settled)| {
        settled.into_iter().for_each(|row| moved.set(row))
    });
    let body = body.clone();
    use_effect_with((position.flatten(), window.rows, window.height as i32), move |(position, _, _)| {
        if let (Some(row), Some(body)) = (position, body.cast::<Element>()) {
            scroll_to(&body, window, *row);
        }
    });
    cursor
}

fn scroll_to(body: &Element, window: Window, row: u32) {
    let scroll = Window { scroll: f64::from(body.scroll_top()), ..window }.reveal(row);
    if let Some(scroll) = scroll.filter(|_| window.height > 0.0) {
        body.set_scroll_top(scroll as i32);
    }
}

/// Selects the query of a row: row, item, and whether to zoom to it.
#[hook]
fn use_select(panel: &PanelProps, cursor: &Rc<Cell<Option<u32>>>) -> Callback<(u32, u32, bool)> {
    use_callback(
        (panel.dispatch.clone(), cursor.clone()),
        |(row, item, zoom): (u32, u32, bool), (dispatch, cursor)| {
            cursor.set(Some(row));
            dispatch.dispatch(if zoom { Action::ZoomTo(item) } else { Action::Reveal(item) });
        },
    )
}

fn on_key(
    props: &RowsProps,
    cursor: &Rc<Cell<Option<u32>>>,
    select: &Callback<(u32, u32, bool)>,
    body: &NodeRef,
    window: Window,
) -> Callback<KeyboardEvent> {
    let (client, list) = (props.panel.client.clone(), props.list.clone());
    let (cursor, select, body) = (cursor.clone(), select.clone(), body.clone());
    Callback::from(move |event: KeyboardEvent| {
        let Some(row) = row_after(&event.key(), cursor.get(), window) else { return };
        event.prevent_default();
        event.stop_propagation();
        let zoom = event.key() == "Enter";
        cursor.set(Some(row));
        if let Some(body) = body.cast::<Element>() {
            scroll_to(&body, window, row);
        }
        let request = Request::Queries { list: list.clone(), first: row, count: 1 };
        let (client, cursor, select) = (client.clone(), cursor.clone(), select.clone());
        spawn_local(async move {
            // While keys repeat, only the row that is reached is selected.
            if let Reply::Queries(page) = client.ask(request).await
                && cursor.get() == Some(row)
                && let Some(found) = page.rows.first()
            {
                select.emit((row, found.item, zoom));
            }
        });
    })
}

/// The row that a key leads to.
fn row_after(key: &str, from: Option<u32>, window: Window) -> Option<u32> {
    let last = window.rows.checked_sub(1)?;
    let at = from.unwrap_or(0);
    let row = match (key, from) {
        ("ArrowDown", None) => 0,
        ("ArrowDown", _) => at.saturating_add(1),
        ("ArrowUp", _) => at.saturating_sub(1),
        ("PageDown", _) => at.saturating_add(window.page()),
        ("PageUp", _) => at.saturating_sub(window.page()),
        ("Home", _) => 0,
        ("End", _) => last,
        ("Enter", _) => at,
        _ => return None,
    };
    Some(row.min(last))
}
