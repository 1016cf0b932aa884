//! The table of spans of an area.

use std::ops::Range;

use queryscope::internal::text;
use queryscope::protocol::{AreaSpanColumn, AreaSpanList, AreaSpanListRequest, AreaSpanRow};
use yew::prelude::*;

use super::{AreaProps, change};
use crate::components::one_line;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::worker_rows::worker_rows;
use crate::state::Action;
use crate::ui::{DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, WorkerOrder};
use crate::words;

/// Index of the first column that orders the table; the others follow.
const FIRST: usize = 2;
const COLUMNS: [AreaSpanColumn; 3] =
    [AreaSpanColumn::Start, AreaSpanColumn::Duration, AreaSpanColumn::SelfTime];

/// The spans of an area, longest first.
#[component]
pub(super) fn AreaSpans(props: &AreaProps) -> Html {
    let AreaProps { panel, area } = props;
    let build = panel.state.load.info.build;
    let wanted = use_state_eq(|| 0..64_u32);
    let (sort, reversed) = panel.state.nav.area.span_order;
    let group = panel.state.nav.area.spans.flatten();
    let list = AreaSpanList { area: area.clone(), group, sort, reversed };
    let request = {
        let list = list.clone();
        move |range: Range<u32>| AreaSpanListRequest {
            list: list.clone(),
            first: range.start,
            count: range.end - range.start,
        }
    };
    let answer = use_query(&panel.client, Some(request((*wanted).clone())), build);
    let is_old = is_old(answer.as_ref(), &build);
    let page = answer.as_ref().and_then(Answer::reply).cloned();
    // Starts begin with the earliest, durations with the longest.
    let column = FIRST + COLUMNS.iter().position(|of| *of == sort).unwrap_or_default();
    let now = Some(SortOrder { column, descending: (sort == AreaSpanColumn::Start) == reversed });
    let onsort = change(panel, |view, order: Option<SortOrder>| {
        let at = order.and_then(|order| Some((order.column.checked_sub(FIRST)?, order.descending)));
        let chosen = at.and_then(|(at, descending)| Some((*COLUMNS.get(at)?, descending)));
        if let Some((sort, descending)) = chosen {
            view.span_order = (sort, (sort == AreaSpanColumn::Start) == descending);
        }
    });
    let onback = change(panel, |view, _: MouseEvent| view.spans = None);
    let name = page.as_ref().and_then(|page| page.name.as_deref());
    let name =
        name.map_or_else(|| words::area::ALL_SPANS.to_owned(), |name| words::area::spans_of(&one_line(name)));
    let is_lost = group.is_some() && page.as_ref().is_some_and(|page| page.name.is_none());
    let why = if is_lost { words::area::NO_SUCH_NAME } else { words::area::nothing(&area.filter) };
    let nothing = html! { if page.is_some() { <p class="muted">{ why }</p> } };
    let content = html! {
        <>
            <button type="button" class="btn small" onclick={onback}>{ "‹ " }{ words::area::BACK_TO_NAMES }</button>
            <h2 id="area-spans">{ &name }</h2>
        </>
    };
    let onshow = panel.dispatch_of(Action::Reveal);
    let order = WorkerOrder { now, has_original: false, onsort };
    let rows = worker_rows(&panel.client, page, order, request, move |of| row(of, &onshow));
    let onwanted = wanted.setter();
    html! {
        <section aria-labelledby="area-spans">
            <DataTable id="area-span" label={name} class="framed" columns={columns(!area.items.is_empty())} {rows} heading={TableHeading::section(content)}
                {nothing} {is_old} onwanted={move |wanted| onwanted.set(wanted)} beginning={format!("{list:?}")} />
        </section>
    }
}

/// The columns; spans that were gathered one by one count as a whole.
fn columns(are_whole: bool) -> Vec<TableColumn> {
    let [duration, self_time] = if are_whole {
        [words::area::DURATION, words::area::SELF_TIME]
    } else {
        [words::area::DURATION_INSIDE, words::area::SELF_TIME_INSIDE]
    };
    vec![
        TableColumn::text(words::area::NAME).characters(36, true).unsorted(),
        TableColumn::text(words::area::TRACK).characters(20, false).unsorted(),
        TableColumn::start(words::area::START).characters(13, false),
        TableColumn::time(duration).characters(17, false),
        TableColumn::time(self_time).characters(17, false),
        TableColumn::number(words::area::ROWS).characters(9, false).unsorted(),
        TableColumn::text(words::area::OUTCOME).characters(9, false).unsorted(),
    ]
}

fn row(row: &AreaSpanRow, onshow: &Callback<u32>) -> TableRow {
    let item = row.item;
    let onshow = onshow.reform(move |_: MouseEvent| item);
    let time = |ns: Option<i64>| match ns {
        Some(ns) => TableCell::time(ns).titled(text::duration_exact(ns)),
        None => TableCell::absent(words::area::EVENT),
    };
    let cells = vec![
        TableCell::text(one_line(&row.name)).link(words::common::SHOW_IN_GANTT, onshow),
        TableCell::text(one_line(&row.track)),
        TableCell::number(words::common::since_start(row.start), row.start)
            .titled(text::duration_exact(row.start)),
        time(row.duration),
        time(row.self_time),
        TableCell::or_absent(row.rows, TableCell::count),
        TableCell::text(if row.failed { words::area::FAILED } else { "" })
            .class_if(row.failed.then_some("bad")),
    ];
    TableRow { item: Some(item), ..TableRow::of(cells) }
}
