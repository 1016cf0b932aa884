//! The table of names of an area.

use std::ops::Range;

use queryscope::internal::text;
use queryscope::protocol::{AreaNameColumn, AreaNameList, AreaNameListRequest, AreaNameRow};
use yew::prelude::*;

use super::{AreaProps, change};
use crate::components::one_line;
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::worker_rows::worker_rows;
use crate::ui::{DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, WorkerOrder};
use crate::words;

const COLUMNS: [AreaNameColumn; 9] = [
    AreaNameColumn::Name,
    AreaNameColumn::Count,
    AreaNameColumn::Total,
    AreaNameColumn::SelfTime,
    AreaNameColumn::Wall,
    AreaNameColumn::Mean,
    AreaNameColumn::Max,
    AreaNameColumn::Rows,
    AreaNameColumn::Bytes,
];

/// The names of the spans and events of an area, largest total first.
#[component]
pub(super) fn AreaNames(props: &AreaProps) -> Html {
    let AreaProps { panel, area } = props;
    let build = panel.state.load.info.build;
    let wanted = use_state_eq(|| 0..64_u32);
    let (sort, reversed) = panel.state.nav.area.names;
    let list = AreaNameList { area: area.clone(), sort, reversed };
    let request = {
        let list = list.clone();
        move |range: Range<u32>| AreaNameListRequest {
            list: list.clone(),
            first: range.start,
            count: range.end - range.start,
        }
    };
    let answer = use_query(&panel.client, Some(request((*wanted).clone())), build);
    let is_old = is_old(answer.as_ref(), &build);
    let page = answer.as_ref().and_then(Answer::reply).cloned();
    // Texts begin with A, numbers with the largest.
    let descends = |sort: AreaNameColumn, reversed: bool| (sort == AreaNameColumn::Name) == reversed;
    let column = COLUMNS.iter().position(|of| *of == sort).unwrap_or_default();
    let now = Some(SortOrder { column, descending: descends(sort, reversed) });
    let onsort = change(panel, move |view, order: Option<SortOrder>| {
        let chosen = order.and_then(|order| Some((*COLUMNS.get(order.column)?, order.descending)));
        if let Some((sort, descending)) = chosen {
            view.names = (sort, descending != descends(sort, false));
        }
    });
    let onopen = change(panel, |view, group: Option<u32>| view.spans = Some(group));
    let onall = onopen.reform(|_: MouseEvent| None);
    let onopen = onopen.reform(Some);
    let notes = page.as_ref().map_or(String::new(), |page| page.notes.join(" "));
    let absent = if notes.is_empty() { words::common::NOT_REPORTED } else { words::area::NOT_COUNTED };
    let nothing = html! { if page.is_some() { <p class="muted">{ words::area::nothing(&area.filter) }</p> } };
    let order = WorkerOrder { now, has_original: false, onsort };
    let rows = worker_rows(&panel.client, page, order, request, move |of| row(of, absent, &onopen));
    let content = html! {
        <>
            <h2 id="area-names">{ words::area::NAMES }</h2>
            <button type="button" class="btn small" onclick={onall}>{ words::area::ALL_SPANS }</button>
            if !notes.is_empty() { <p class="whole-line">{ notes }</p> }
        </>
    };
    let onwanted = wanted.setter();
    html! {
        <section aria-labelledby="area-names">
            <DataTable id="area-name" label={words::area::NAMES} class="framed" columns={columns()} {rows} heading={TableHeading::section(content)}
                {nothing} {is_old} onwanted={move |wanted| onwanted.set(wanted)} beginning={format!("{list:?}")} />
        </section>
    }
}

fn columns() -> Vec<TableColumn> {
    let column = |column: &AreaNameColumn| {
        let (name, meaning) = words::area::column(*column);
        let made = match column {
            AreaNameColumn::Name => TableColumn::text(name).characters(36, true),
            AreaNameColumn::Count | AreaNameColumn::Rows => TableColumn::number(name).characters(9, false),
            AreaNameColumn::Bytes => TableColumn::bytes(name).characters(11, false),
            _ => TableColumn::time(name).characters(11, false),
        };
        made.meaning(meaning)
    };
    COLUMNS.iter().map(column).collect()
}

/// Cells of a row; `absent` is the tooltip of rows and bytes without a number.
fn row(row: &AreaNameRow, absent: &'static str, onopen: &Callback<u32>) -> TableRow {
    let group = row.group;
    let onopen = onopen.reform(move |_: MouseEvent| group);
    let time = |ns: Option<i64>| match ns {
        Some(ns) => TableCell::time(ns).titled(text::duration_exact(ns)),
        None => TableCell::absent(words::area::EVENT),
    };
    let times = row.times;
    let cells = vec![
        TableCell::text(one_line(&row.name)).link(words::area::SHOW_SPANS, onopen),
        TableCell::count(i64::try_from(row.count).unwrap_or(i64::MAX)).titled(row.kind.clone()),
        time(times.map(|times| times.total)),
        time(times.map(|times| times.self_time)),
        time(times.map(|times| times.wall)),
        time(times.map(|times| times.mean)),
        time(times.map(|times| times.max)),
        row.rows.map_or_else(|| TableCell::absent(absent), TableCell::count),
        row.bytes.map_or_else(|| TableCell::absent(absent), TableCell::bytes),
    ];
    TableRow::of(cells)
}
