//! The toolbar of the query list: number of queries, filter, time range.

use queryscope::internal::text;
use queryscope::protocol::{QueryColumn, QueryList, QueryListRequest, QueryPage};
use yew::prelude::*;

use super::weights::Weights;
use crate::components::PanelProps;
use crate::components::filter::FilterField;
use crate::components::icon::{Icon, icon};
use crate::components::use_query::{Answer, use_query};
use crate::state::Action;
use crate::ui::Chip;
use crate::words;

/// Renders the toolbar. `page` comes with whether it is from an earlier build of the trace.
pub fn tools(
    page: Option<(&QueryPage, bool)>,
    list: &QueryList,
    panel: &PanelProps,
    onchange: &Callback<QueryList>,
) -> Html {
    let (page, is_old) = (page.map(|(page, _)| page), page.is_some_and(|(_, is_old)| is_old));
    html! {
        <>
            { title(panel, true) }
            <span class="count" role="status">{ count(page) }{ if is_old { words::query_list::UPDATING } else { "" } }</span>
            { range(panel) }
            if panel.state.nav.range.is_some() { <span class="muted range-means" title={words::query_list::range_meaning()}>{ words::query_list::TIME_IS_CLIPPED }</span> }
            if page.is_some_and(|page| !page.empty.contains(&QueryColumn::Score)) {
                <Weights panel={panel.clone()} list={list.clone()} onchange={onchange.clone()} />
            }
            <FilterField panel={panel.clone()} id="filter" />
        </>
    }
}

/// The collapsed list: a heading that opens it.
#[component]
pub fn ListHeading(panel: &PanelProps) -> Html {
    let nav = &panel.state.nav;
    let list = nav.queries.clone().unwrap_or_default();
    let list = QueryList { range: nav.range, filter: nav.filter.clone(), ..list };
    let build = panel.state.load.info.build;
    let answer = use_query(&panel.client, Some(QueryListRequest { list, first: 0, count: 0 }), build);
    html! {
        <section id="queries" class="queries closed" aria-label={words::query_list::QUERIES}>
            <div class="tools">
                { title(panel, false) }
                <span class="count">{ count(answer.as_ref().and_then(Answer::reply)) }</span>
                { range(panel) }
            </div>
        </section>
    }
}

/// Renders the heading, which opens and closes the list.
fn title(panel: &PanelProps, is_open: bool) -> Html {
    let dispatch = panel.dispatch.clone();
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::List(!is_open));
    let (hint, shown) =
        if is_open { (words::query_list::CLOSE, Icon::Down) } else { (words::query_list::OPEN, Icon::Up) };
    html! {
        <h2>
            <button type="button" class="btn quiet small fold" aria-expanded={is_open.to_string()} title={hint} {onclick}>
                { icon(shown) }{ words::query_list::QUERIES }
            </button>
        </h2>
    }
}

/// Renders the reason why the list is empty, and how to show queries again.
pub fn nothing(page: Option<&QueryPage>, panel: &PanelProps) -> Html {
    if page.is_some_and(|page| page.total == 0) {
        return empty(html! {
            <><strong>{ words::query_list::NO_QUERIES }</strong><span>{ words::query_list::NO_QUERIES_HINT }</span></>
        });
    }
    let dispatch = panel.dispatch.clone();
    let reset = move |_: MouseEvent| {
        dispatch.dispatch(Action::Filter(String::new()));
        dispatch.dispatch(Action::Range(None));
    };
    empty(html! {
        <>
            <strong>{ words::query_list::NO_MATCHES }</strong>
            <button type="button" class="btn small" onclick={reset}>{ words::query_list::SHOW_ALL }</button>
        </>
    })
}

/// Renders the only row of an empty grid.
pub fn empty(content: Html) -> Html {
    html! { <div class="empty-row" role="row"><div class="empty" role="gridcell">{ content }</div></div> }
}

fn count(page: Option<&QueryPage>) -> String {
    match page {
        None => String::new(),
        Some(page) if page.matched == page.total => text::count(page.total.into()),
        Some(page) => words::common::some_of(page.matched, page.total),
    }
}

/// Renders the active time range and a button that clears it. Empty without a time range.
pub fn range(panel: &PanelProps) -> Html {
    let Some((start, end)) = panel.state.nav.range else { return Html::default() };
    let dispatch = panel.dispatch.clone();
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Range(None));
    html! {
        <Chip on=true title={words::query_list::only_overlapping(start, end)}
            remove={(words::common::CLEAR_RANGE.into(), Callback::from(onclick))}><>{ words::common::time_range(start, end) }</></Chip>
    }
}
