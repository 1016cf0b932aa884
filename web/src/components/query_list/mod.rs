//! The query list. Only the visible rows exist, and only they are asked for: its length costs nothing.

mod columns;
mod cursor;
mod row;
pub mod tools;
pub mod window;

use queryscope::protocol::{QueryList as List, QueryPage, Reply, Request};
use web_sys::Element;
use yew::prelude::*;

use super::PanelProps;
use super::ask::{Answer, use_reply};
use super::size::{use_inner_size, use_panel_size};
use super::splitter::Splitter;
use crate::state::{Action, List as Shown};
use cursor::{use_cursor, use_select};
use window::Window;

/// The query list and the line above it that changes its height.
#[component]
pub fn QueryList(props: &PanelProps) -> Html {
    let (height, onresize) = use_panel_size(&props.mount, "queries", 232.0);
    let list = props.state.nav.queries.clone().unwrap_or_default();
    // The views keep some rows, even in a low viewer.
    let most = (props.mount.size().1 - 330.0).max(96.0);
    let height = height.clamp(96.0, most);
    if props.state.list() == Shown::Heading {
        return tools::heading(props);
    }
    html! {
        <>
            <Splitter label="Query list" controls="queries" upright=false size={height} bounds={(96.0, most)} {onresize} />
            <section id="queries" class="queries" aria-label="Queries" style={format!("height:{height:.0}px")}>
                <Rows panel={props.clone()} list={List { range: props.state.nav.range, ..list }}
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
    let body = use_node_ref();
    let (_, height) = use_inner_size(&body);
    let scroll = use_state_eq(|| 0.0);
    let known = use_state_eq(|| 0);
    let window = Window { rows: *known, height: f64::from(height), scroll: *scroll };

    let wanted = window.wanted();
    let first_page =
        Request::Queries { list: props.list.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_reply(client, Some(first_page), (state.load.epoch, state.load.info.build));
    let page = answer.as_deref().and_then(page_of);
    // Of a large trace the list takes seconds: until then the rows of an earlier picture stand.
    let is_old = answer.as_ref().is_some_and(|answer| answer.epoch.1 != state.load.info.build);
    let window = Window { rows: page.map_or(0, |page| page.matched), ..window };
    // What to ask for depends on the list's length, which only an answer tells.
    let learned = known.setter();
    use_effect_with(window.rows, move |rows| learned.set(*rows));

    let cursor = use_cursor(&props.panel, &props.list, &body, window);
    let select = use_select(&props.panel, &cursor, is_old);
    let onkeydown = cursor::on_key(props, &cursor, &select, &body, window);
    let setter = scroll.setter();
    let onscroll = Callback::from(move |event: Event| {
        setter.set(f64::from(event.target_unchecked_into::<Element>().scroll_top()));
    });
    let shown = columns::Shown::without(page.map_or(&[], |page| &page.empty));
    let context = row::Context {
        longest: page.map_or(0, |page| page.longest),
        runs: state.load.info.runs > 1,
        selected: cursor.row(),
        onselect: &select,
        shown: &shown,
        is_old,
        cut: state.load.info.cut,
    };
    let active = page.and_then(|page| row_at(page, cursor.row()?)).map(|row| format!("query-{}", row.item));
    html! {
        <>
            { tools::tools(page.map(|page| (page, is_old)), &props.list, &props.panel, &props.onchange) }
            <div class="grid" style={shown.style()}>
                { columns::head(&props.list, &shown, &props.onchange) }
                <div class="grid-body" role="grid" tabindex="0" aria-activedescendant={active} aria-label="Queries" aria-owns="queries-head"
                    aria-busy={is_old.then_some("true")} aria-rowcount={(u64::from(window.rows) + 1).to_string()}
                    aria-colcount={shown.count().to_string()} ref={body} {onscroll} {onkeydown}>
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

fn page_of<E>(answer: &Answer<E>) -> Option<&QueryPage> {
    match &answer.reply {
        Reply::Queries(page) => Some(page),
        _ => None,
    }
}

fn row_at(page: &QueryPage, index: u32) -> Option<&queryscope::protocol::QueryRow> {
    page.rows.get(index.checked_sub(page.first)? as usize)
}
