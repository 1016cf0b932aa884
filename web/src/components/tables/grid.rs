//! The rows of one table: only the visible ones exist, and only they are asked for.

use queryscope::protocol::{Reply, Request, TableCell, TableColumn, TableInfo, TablePage, TableView};
use queryscope::text;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use crate::components::ask::use_reply;
use crate::components::icon::{Icon, icon};
use crate::components::query_list::window::{ROW, Window};
use crate::components::size::use_inner_size;
use crate::components::{PanelProps, typing};
use crate::state::Action;

/// What the rows need.
#[derive(Properties, PartialEq)]
pub struct GridProps {
    /// What every panel gets.
    pub panel: PanelProps,
    /// The table.
    pub info: TableInfo,
}

/// The rows.
#[component]
pub fn Grid(props: &GridProps) -> Html {
    let PanelProps { client, state, .. } = &props.panel;
    let (body, view) = (use_node_ref(), &state.nav.table);
    let (_, height) = use_inner_size(&body);
    let (scroll, known, exact) = (use_state_eq(|| 0.0), use_state_eq(|| 0), use_state_eq(|| false));
    // The head takes one row.
    let height = (f64::from(height) - ROW).max(0.0);
    let wanted = Window { rows: *known, height, scroll: *scroll }.wanted();
    let request =
        Request::Table { view: view.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_reply(client, Some(request), state.load.info.build);
    let answer = answer.as_ref().map(|answer| (&answer.request, &answer.reply));
    let page = match answer {
        Some((Request::Table { view: of, .. }, Reply::Table(page))) if of.table == view.table => Some(page),
        _ => None,
    };
    let window = Window { rows: page.map_or(0, |page| page.matched), height, scroll: *scroll };
    let learned = known.setter();
    use_effect_with(window.rows, move |rows| learned.set(*rows));
    let top = body.clone();
    use_effect_with(view.clone(), move |_| {
        if let Some(body) = top.cast::<Element>() {
            body.set_scroll_top(0);
        }
    });
    let setter = scroll.setter();
    let onscroll = Callback::from(move |event: Event| {
        setter.set(f64::from(event.target_unchecked_into::<Element>().scroll_top()));
    });
    html! {
        <div class="table-rows">
            { tools(props, page, &exact) }
            <div class="table-scroll scrolls" tabindex="0" role="table" aria-label={props.info.name.clone()} ref={body} {onscroll}
                aria-rowcount={(u64::from(window.rows) + 1).to_string()} aria-colcount={page.map(|page| page.columns.len().to_string())}>
                { page.map_or_else(Html::default, |page| content(props, page, window, *exact)) }
            </div>
        </div>
    }
}

fn content(props: &GridProps, page: &TablePage, window: Window, exact: bool) -> Html {
    let widths: Vec<String> =
        page.columns.iter().map(|column| format!("{}ch", width(column, exact))).collect();
    // The first column stays in view: it leaves room for the others.
    let columns = match widths.split_first() {
        Some((first, others)) => format!("grid-template-columns:min({first},46cqw) {}", others.join(" ")),
        None => String::new(),
    };
    let top = window.top_of(window.visible().start);
    let row = |index: u32| match index.checked_sub(page.first).and_then(|at| page.rows.get(at as usize)) {
        None => html! { <div key={index} class="table-row" role="row" style={columns.clone()} /> },
        Some(cells) => html! {
            <div key={index} class="table-row" role="row" aria-rowindex={(u64::from(index) + 2).to_string()} style={columns.clone()}>
                { for cells.iter().zip(&page.columns).map(|(of, column)| cell(of, column, exact)) }
            </div>
        },
    };
    html! {
        <>
            <div class="table-row table-head" role="row" aria-rowindex="1" style={columns.clone()}>
                { for page.columns.iter().map(|column| head(props, column)) }
            </div>
            if page.matched == 0 { <p class="muted">{ "No row has all of that." }</p> }
            <div class="table-tall" style={format!("height:{}px", window.tall())}>
                <div class="table-window" style={format!("transform:translateY({top}px)")}>{ for window.visible().map(row) }</div>
            </div>
        </>
    }
}

/// The characters that a column needs: its name, and its values or, where they are shown exactly, twenty digits.
fn width(column: &TableColumn, exact: bool) -> usize {
    let digits = if exact && column.is_number { 20 } else { 0 };
    (column.name.chars().count() * 5 / 4 + 3).max(usize::from(column.width) + 2).max(digits)
}

fn cell(cell: &TableCell, column: &TableColumn, exact: bool) -> Html {
    let is_null = cell.exact.as_deref() == Some("");
    let written = cell.exact.as_ref().filter(|_| exact && !is_null).unwrap_or(&cell.text);
    let look = classes!(
        column.is_number.then_some("right"),
        is_null.then_some("absent"),
        (written == "0").then_some("absent")
    );
    html! {
        <span role="cell" class={look} dir="auto" title={cell.exact.clone().filter(|exact| !exact.is_empty())}>{ written }</span>
    }
}

/// A column's name: orders the rows by it, the largest first where they are numbers; again: the other way round; a third time:
/// as they stand in the file.
fn head(props: &GridProps, column: &TableColumn) -> Html {
    let view = &props.panel.state.nav.table;
    let sorted = (view.sort == Some(column.number)).then_some(view.descending);
    let (sort, descending) = match sorted {
        None => (Some(column.number), column.is_number),
        Some(now) if now == column.is_number => (Some(column.number), !now),
        Some(_) => (None, false),
    };
    let onclick = change(props, TableView { sort, descending, ..view.clone() });
    let order = sorted.map(|descending| if descending { "descending" } else { "ascending" });
    html! {
        <span role="columnheader" class={classes!(column.is_number.then_some("right"))} aria-sort={order}>
            <button type="button" title={column.name.clone()} {onclick}>
                <span class="clip">{ &column.name }</span>
                if let Some(descending) = sorted { { icon(if descending { Icon::Down } else { Icon::Up }) } }
            </button>
        </span>
    }
}

fn change(props: &GridProps, view: TableView) -> Callback<MouseEvent> {
    props.panel.dispatch_of(Action::Table).reform(move |_: MouseEvent| view.clone())
}

fn tools(props: &GridProps, page: Option<&TablePage>, exact: &UseStateHandle<bool>) -> Html {
    let view = &props.panel.state.nav.table;
    let now = view.clone();
    let oninput = props.panel.dispatch_of(Action::Table).reform(move |event: InputEvent| {
        let filter = event.target_unchecked_into::<HtmlInputElement>().value();
        TableView { filter, ..now.clone() }
    });
    let onkeydown = typing(&props.panel.mount);
    let (setter, is_exact) = (exact.setter(), **exact);
    let onexact = move |_: MouseEvent| setter.set(!is_exact);
    let nonzero = change(props, TableView { nonzero: !view.nonzero, ..view.clone() });
    html! {
        <div class="table-tools">
            <h2 class="clip" title={props.info.name.clone()}>{ &props.info.name }</h2>
            <span class="count" role="status">{ page.map(count) }</span>
            <span class="space" />
            <button type="button" class="btn small" aria-pressed={view.nonzero.to_string()} onclick={nonzero}
                title="Leave out rows of which all counts and sums are 0">{ "Without zeros" }</button>
            <button type="button" class="btn small" aria-pressed={is_exact.to_string()} onclick={onexact}
                title="Every digit, as it stands in the file: times in picoseconds">{ "As in the file" }</button>
            <div class="field">
                <input type="search" aria-label="Find rows" placeholder="Find rows" autocomplete="off" spellcheck="false"
                    value={view.filter.clone()} {oninput} {onkeydown} />
            </div>
        </div>
    }
}

/// "12 of 374 rows, 3 columns without values left out"
fn count(page: &TablePage) -> String {
    let rows = text::counted(page.total.into(), "row", "rows");
    let mut words = match page.matched {
        all if all == page.total => rows,
        some => format!("{} of {rows}", text::count(some.into())),
    };
    if page.empty > 0 {
        words += &format!(
            ", without {} of nothing but NULL",
            text::counted(page.empty.into(), "column", "columns")
        );
    }
    words
}
