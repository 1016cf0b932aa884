//! Above the query list: how many there are, the filter, the time range.

use queryscope::protocol::{QueryList, QueryPage, RANGE_MEANS, RANGE_WHOLE};
use queryscope::text;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::components::{PanelProps, typing};
use crate::state::Action;
use crate::ui::Chip;

/// The line above the list; with the page, whether it is of an earlier picture of the trace.
pub fn tools(
    page: Option<(&QueryPage, bool)>,
    list: &QueryList,
    panel: &PanelProps,
    onchange: &Callback<QueryList>,
) -> Html {
    let (page, is_old) = (page.map(|(page, _)| page), page.is_some_and(|(_, is_old)| is_old));
    let error = page.and_then(|page| page.filter_error.clone());
    let filtered = list.clone();
    let oninput = onchange.reform(move |event: InputEvent| {
        let filter = event.target_unchecked_into::<HtmlInputElement>().value();
        QueryList { filter, ..filtered.clone() }
    });
    let onkeydown = typing(&panel.mount);
    html! {
        <>
            { title(panel, true) }
            <span class="count" role="status">{ count(page) }{ if is_old { " · updating…" } else { "" } }</span>
            { range(panel) }
            if panel.state.nav.range.is_some() { <span class="muted range-means" title={format!("{RANGE_MEANS} {RANGE_WHOLE}")}>{ "Time clipped to the range; rows and bytes whole" }</span> }
            if let Some(error) = &error { <span class="error clip" role="alert" title={error.clone()}>{ error }</span> }
            <div class={classes!("field", error.is_some().then_some("wrong"))}>
                <input id="filter" type="search" aria-label="Filter queries" aria-invalid={error.is_some().to_string()}
                    placeholder="Filter: orders duration > 5ms" title={SYNTAX} autocomplete="off" spellcheck="false"
                    value={list.filter.clone()} {oninput} {onkeydown} />
                if !list.filter.is_empty() { { clear(list, onchange) } }
            </div>
        </>
    }
}

/// The list while it is closed: one line that opens it.
pub fn heading(panel: &PanelProps) -> Html {
    html! {
        <section id="queries" class="queries closed" aria-label="Queries">
            <div class="tools">
                { title(panel, false) }
                <span class="count">{ text::count(panel.state.load.info.queries.into()) }</span>
                { range(panel) }
            </div>
        </section>
    }
}

/// The heading, which opens and closes the list.
fn title(panel: &PanelProps, is_open: bool) -> Html {
    let dispatch = panel.dispatch.clone();
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::List(!is_open));
    let (hint, shown) =
        if is_open { ("Close the query list", Icon::Down) } else { ("Open the query list (Q)", Icon::Up) };
    html! {
        <h2>
            <button type="button" class="btn quiet small fold" aria-expanded={is_open.to_string()} title={hint} {onclick}>
                { icon(shown) }{ "Queries" }
            </button>
        </h2>
    }
}

const SYNTAX: &str = "Words that a query must have (SQL, IDs, connectors, or how it ended: failed), and conditions: status = failed  duration > 5ms  rows_read >= 1000";

/// Why the list is empty, and how to fill it again.
pub fn nothing(
    page: Option<&QueryPage>,
    list: &QueryList,
    panel: &PanelProps,
    onchange: &Callback<QueryList>,
) -> Html {
    if page.is_some_and(|page| page.total == 0) {
        return empty(html! {
            <><strong>{ "No query in this trace" }</strong><span>{ "Its events are in the views, if it has any." }</span></>
        });
    }
    let all = QueryList { filter: String::new(), ..list.clone() };
    let (onchange, dispatch) = (onchange.clone(), panel.dispatch.clone());
    let reset = move |_: MouseEvent| {
        onchange.emit(all.clone());
        dispatch.dispatch(Action::Range(None));
    };
    empty(html! {
        <>
            <strong>{ "No query matches" }</strong>
            <button type="button" class="btn small" onclick={reset}>{ "Show all queries" }</button>
        </>
    })
}

/// The only row of a grid that has no other.
pub fn empty(words: Html) -> Html {
    html! { <div class="empty-row" role="row"><div class="empty" role="gridcell">{ words }</div></div> }
}

fn count(page: Option<&QueryPage>) -> String {
    match page {
        None => String::new(),
        Some(page) if page.matched == page.total => text::count(page.total.into()),
        Some(page) => format!("{} of {}", text::count(page.matched.into()), text::count(page.total.into())),
    }
}

/// The time range that everything is narrowed to, and a button to lift it; nothing where there is none.
pub fn range(panel: &PanelProps) -> Html {
    let Some((start, end)) = panel.state.nav.range else { return Html::default() };
    let words = format!("+{} … +{}", text::duration(start), text::duration(end));
    let dispatch = panel.dispatch.clone();
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Range(None));
    html! {
        <Chip on=true title={format!("Only what overlaps {} … {}", text::time(start), text::time(end))}
            remove={("All times".into(), Callback::from(onclick))}><>{ words }</></Chip>
    }
}

fn clear(list: &QueryList, onchange: &Callback<QueryList>) -> Html {
    let all = QueryList { filter: String::new(), ..list.clone() };
    let onclick = onchange.reform(move |_: MouseEvent| all.clone());
    html! {
        <button type="button" class="btn quiet small icon-only" aria-label="Clear the filter" title="Clear the filter" {onclick}>{ icon(Icon::Close) }</button>
    }
}
