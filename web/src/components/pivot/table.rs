//! The table: only the visible rows exist, and only they are asked for.

use std::rc::Rc;

use queryscope::protocol::{PivotPage, PivotSpec, PivotView, Reply, Request};
use queryscope::text;
use queryscope::trace::word_hash::{SIGN, is_text};
use web_sys::Element;
use yew::prelude::*;

use super::keys::{Step, row_at, step};
use super::row;
use crate::components::ask::{Answer, is_old, use_reply};
use crate::components::icon::{Icon, icon};
use crate::components::query_list::tools::empty;
use crate::components::query_list::window::Window;
use crate::components::size::use_inner_size;
use crate::components::{PanelProps, show_in_timeline};
use crate::state::{Action, Dispatch};

/// Width of a column of a measure, in CSS pixels.
const COLUMN: usize = 112;
/// The least width of the first column: in a narrow viewer there is to be room for measures, too.
const LABEL: &str = "min(240px, 40cqw)";

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct TableProps {
    /// What every panel gets.
    pub panel: PanelProps,
    /// What is shown, within the time range.
    pub view: PivotView,
}

/// The table.
#[component]
pub fn Table(props: &TableProps) -> Html {
    let PanelProps { client, state, .. } = &props.panel;
    let body = use_node_ref();
    let (_, height) = use_inner_size(&body);
    let (scroll, known, cursor) = (use_state_eq(|| 0.0), use_state_eq(|| 0), use_state_eq(|| 0_u32));
    let wanted = Window { rows: *known, height: f64::from(height), scroll: *scroll }.wanted();
    let request =
        Request::Pivot { view: props.view.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let answer = use_reply(client, Some(request), state.load.info.build);
    use_names(props, answer.as_ref());
    let is_old = is_old(answer.as_ref(), &state.load.info.build);
    let page = use_memo(answer, |answer| match answer.as_ref().map(|answer| &answer.reply) {
        Some(Reply::Pivot(page)) => Some(Rc::new(page.clone())),
        _ => None,
    });
    let window = Window {
        rows: (*page).as_ref().map_or(0, |page| page.rows_in_all),
        height: f64::from(height),
        scroll: *scroll,
    };
    // What to ask for depends on the table's length, which only an answer tells.
    let learned = known.setter();
    use_effect_with(window.rows, move |rows| learned.set(*rows));
    let setter = scroll.setter();
    let onscroll = Callback::from(move |event: Event| {
        setter.set(f64::from(event.target_unchecked_into::<Element>().scroll_top()));
    });
    let Some(page) = (*page).clone() else {
        return html! { <div class="grid"><div class="grid-body" ref={body} /></div> };
    };
    let act = act(props, &page, &cursor, is_old);
    let onkeydown = on_key(&page, &cursor, &act, &body, window);
    grid(props, &Grid { page: &page, window, cursor: *cursor, act, onkeydown, onscroll, body })
}

/// What the table is drawn with.
struct Grid<'a> {
    page: &'a PivotPage,
    window: Window,
    cursor: u32,
    act: Callback<(u32, bool)>,
    onkeydown: Callback<KeyboardEvent>,
    onscroll: Callback<Event>,
    body: NodeRef,
}

fn grid(props: &TableProps, grid: &Grid) -> Html {
    let Grid { page, window, cursor, .. } = *grid;
    let n_measures = page.measures.len();
    let columns = format!("grid-template-columns:minmax({LABEL},1fr) repeat({n_measures},{COLUMN}px)");
    let wide = format!("min-width:calc({LABEL} + {}px)", COLUMN * n_measures);
    let visible = window.visible();
    let top = format!("transform:translateY({}px)", window.top_of(visible.start));
    html! {
        <>
            <p class="pivot-sum" role="status">{ sum(page) }</p>
            if !page.notes.is_empty() { <p class="pivot-sum notes">{ page.notes.join(" ") }</p> }
            <div class="grid">
                if page.error.is_none() { { head(props, page, &columns, &wide) } }
                if page.error.is_none() { <div class="pivot-total" style={wide.clone()}>{ row::total(&page.total, &columns) }</div> }
                <div class="grid-body" role="treegrid" tabindex="0" aria-label="Groups" ref={grid.body.clone()} style={wide}
                    aria-rowcount={(u64::from(window.rows) + 2).to_string()} aria-colcount={(n_measures + 1).to_string()}
                    aria-owns={page.error.is_none().then_some("pivot-head pivot-total")}
                    aria-activedescendant={visible.contains(&cursor).then(|| format!("pivot-{cursor}"))}
                    onscroll={grid.onscroll.clone()} onkeydown={grid.onkeydown.clone()}>
                    if window.rows == 0 { { nothing(page) } }
                    <div style={format!("height:{}px", window.tall())} />
                    <div class="grid-rows" style={top}>
                        { for visible.map(|index| row::row(index, row_at(page, index), &columns, index == cursor, &grid.act)) }
                    </div>
                </div>
            </div>
        </>
    }
}

/// What happens to a row that is clicked, or on which Enter is pressed (`true`: the second time).
/// Spans of an earlier build are called otherwise by now: for a moment nothing happens to them.
fn act(
    props: &TableProps,
    page: &Rc<PivotPage>,
    cursor: &UseStateHandle<u32>,
    is_old: bool,
) -> Callback<(u32, bool)> {
    let (dispatch, view) = (props.panel.dispatch.clone(), props.view.clone());
    let (page, cursor) = (page.clone(), cursor.setter());
    Callback::from(move |(index, twice): (u32, bool)| {
        cursor.set(index);
        if !is_old || row_at(&page, index).is_some_and(|row| row.item.is_none()) {
            act_on(&dispatch, &view, &page, index, twice);
        }
    })
}

fn on_key(
    page: &Rc<PivotPage>,
    cursor: &UseStateHandle<u32>,
    act: &Callback<(u32, bool)>,
    body: &NodeRef,
    window: Window,
) -> Callback<KeyboardEvent> {
    let (page, cursor, act, body) = (page.clone(), cursor.clone(), act.clone(), body.clone());
    Callback::from(move |event: KeyboardEvent| {
        let Some(step) = step(&event.key(), *cursor, &page, window) else { return };
        event.prevent_default();
        event.stop_propagation();
        match step {
            Step::Go(row) => {
                cursor.set(row);
                scroll_to(&body, window, row);
            }
            Step::Act => act.emit((*cursor, event.key() == "Enter")),
        }
    })
}

/// Opens or closes a group; selects a span or event, and shows it in the timeline the second time.
fn act_on(dispatch: &Dispatch, view: &PivotView, page: &PivotPage, index: u32, twice: bool) {
    let Some(row) = row_at(page, index) else { return };
    match (row.item, twice) {
        (Some(item), false) => dispatch.dispatch(Action::Select(Some(item))),
        (Some(item), true) => show_in_timeline(dispatch, item),
        (None, _) => {
            let mut open = view.open.clone();
            if row.open == Some(true) {
                // What is in a closed group is closed.
                open.retain(|path| !is_below(path, &row.path));
            } else {
                open.push(row.path.clone());
            }
            dispatch.dispatch(Action::Pivot(PivotView { open, ..view.clone() }));
        }
    }
}

/// Whether a group is the one at the end of `of`, or inside it. An address may name it by hashes.
fn is_below(path: &[String], of: &[String]) -> bool {
    path.len() >= of.len() && path.iter().zip(of).all(|(asked, label)| is_text(asked, label))
}

/// Names in the place of the hashes that an address has for them, once the trace has told what they stand for.
#[hook]
fn use_names(props: &TableProps, answer: Option<&Rc<Answer>>) {
    let dispatch = props.panel.dispatch.clone();
    let named = answer.and_then(|answer| named(&props.view, answer));
    use_effect_with(named, move |named| {
        if let Some(view) = named {
            dispatch.dispatch(Action::Pivot(view.clone()));
        }
    });
}

fn named(view: &PivotView, answer: &Answer) -> Option<PivotView> {
    let PivotSpec { by, measures, .. } = &view.spec;
    let is_hashed = by.contains(SIGN) || measures.contains(SIGN);
    let (Request::Pivot { view: asked, .. }, Reply::Pivot(page)) = (&answer.request, &answer.reply) else {
        return None;
    };
    let spec =
        PivotSpec { by: page.dimensions.join(", "), measures: page.measures.join(", "), ..view.spec.clone() };
    let is_new = is_hashed && page.error.is_none() && asked.spec == view.spec && spec != view.spec;
    is_new.then(|| PivotView { spec, ..view.clone() })
}

fn scroll_to(body: &NodeRef, window: Window, row: u32) {
    let Some(body) = body.cast::<Element>() else { return };
    if let Some(scroll) = window.reveal(row).filter(|_| window.height > 0.0) {
        body.set_scroll_top(scroll as i32);
    }
}

fn sum(page: &PivotPage) -> String {
    match &page.error {
        Some(_) => String::new(),
        None => format!(
            "{} in {}",
            text::counted(page.points, "span or event", "spans and events"),
            text::counted(page.groups.into(), "group", "groups")
        ),
    }
}

fn nothing(page: &PivotPage) -> Html {
    match &page.error {
        Some(error) => {
            empty(html! { <><strong>{ "No table" }</strong><span role="alert">{ error }</span></> })
        }
        None if page.points == 0 => empty(
            html! { <><strong>{ "Nothing to group" }</strong><span>{ "No span or event meets the filter in this time range." }</span></> },
        ),
        _ => Html::default(),
    }
}

fn head(props: &TableProps, page: &PivotPage, columns: &str, wide: &str) -> Html {
    let by = if page.dimensions.is_empty() { "All".to_owned() } else { page.dimensions.join(" › ") };
    let measures = page.measures.iter().zip(&page.meanings);
    let measures = (0..).zip(measures).map(|(at, (name, meaning))| (Some(at), name.clone(), meaning.clone()));
    let names = std::iter::once((None, by.clone(), by)).chain(measures);
    html! {
        <div class="grid-head" id="pivot-head" role="row" aria-rowindex="1" style={format!("{columns};{wide}")}>
            { for names.map(|(at, name, meaning)| title(props, at, name, meaning)) }
        </div>
    }
}

fn title(props: &TableProps, at: Option<u32>, name: String, meaning: String) -> Html {
    let view = props.view.clone();
    let sorted = view.sort == at;
    // Measures begin with the largest, values with the first.
    let descending = if sorted { !view.descending } else { at.is_some() };
    let order = match (sorted, view.descending) {
        (false, _) => "none",
        (true, false) => "ascending",
        (true, true) => "descending",
    };
    let shown = if view.descending { Icon::Down } else { Icon::Up };
    let dispatch = props.panel.dispatch.clone();
    let onclick = move |_: MouseEvent| {
        dispatch.dispatch(Action::Pivot(PivotView { sort: at, descending, ..view.clone() }));
    };
    html! {
        <div role="columnheader" aria-sort={order} class={classes!(at.map(|_| "right"))}>
            <button type="button" class="foreign" title={meaning} {onclick}>{ name }if sorted { { icon(shown) } }</button>
        </div>
    }
}
