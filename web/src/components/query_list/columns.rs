//! The columns of the query list: a column's head orders the list by it.

use queryscope::protocol::{QueryColumn, QueryList};
use yew::prelude::*;

use crate::ui::{SortOrder, TableColumn, WorkerOrder};
use crate::words;

/// A column, and what makes it from its name.
type Listed = (QueryColumn, fn(&'static str) -> TableColumn);

/// The columns in order.
const COLUMNS: [Listed; 9] = [
    (QueryColumn::Sql, TableColumn::text),
    (QueryColumn::Start, TableColumn::time),
    (QueryColumn::Duration, TableColumn::time),
    (QueryColumn::Ratio, TableColumn::number),
    (QueryColumn::Sources, TableColumn::number),
    (QueryColumn::RowsRead, TableColumn::number),
    (QueryColumn::RowsReturned, TableColumn::number),
    (QueryColumn::BufferBytes, TableColumn::bytes),
    (QueryColumn::Outcome, TableColumn::text),
];

/// The columns in which some query has something.
pub fn shown(empty: &[QueryColumn]) -> Vec<QueryColumn> {
    COLUMNS.iter().map(|(column, ..)| *column).filter(|column| !empty.contains(column)).collect()
}

/// These columns of the table.
pub fn columns(shown: &[QueryColumn]) -> Vec<TableColumn> {
    let is_shown = |(column, ..): &&Listed| shown.contains(column);
    let column = |(column, make): &Listed| {
        let (track, least) = width(*column);
        let (name, meaning) = words::query_list::column(*column);
        let made = make(name).meaning(meaning).track(track, least);
        // One looks for the greatest numbers, but reads times from their beginning.
        if *column == QueryColumn::Start { made.smallest_first() } else { made }
    };
    COLUMNS.iter().filter(is_shown).map(column).collect()
}

/// The width of a column as a track of the grid, and the least that it takes.
fn width(column: QueryColumn) -> (&'static str, &'static str) {
    match column {
        QueryColumn::Sql => ("minmax(var(--w-statement), 1fr)", "var(--w-statement)"),
        QueryColumn::Start => ("var(--w-start)", "var(--w-start)"),
        QueryColumn::Duration => ("var(--w-duration)", "var(--w-duration)"),
        QueryColumn::Outcome => ("var(--w-outcome)", "var(--w-outcome)"),
        _ => ("var(--w-number)", "var(--w-number)"),
    }
}

/// The order of the list, and what asks for another one.
pub fn order(list: &QueryList, shown: &[QueryColumn], onchange: &Callback<QueryList>) -> WorkerOrder {
    let column = shown.iter().position(|column| *column == list.sort);
    let now = column.map(|column| SortOrder { column, descending: list.descending });
    let list = list.clone();
    let shown = shown.to_vec();
    let onchange = onchange.clone();
    let onsort = Callback::from(move |order: Option<SortOrder>| {
        if let Some((order, sort)) = order.and_then(|order| Some((order, *shown.get(order.column)?))) {
            onchange.emit(QueryList { sort, descending: order.descending, ..list.clone() });
        }
    });
    WorkerOrder { now, has_original: false, onsort }
}
