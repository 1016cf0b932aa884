//! The columns of the query list.

use queryscope::protocol::{QueryColumn, QueryList};
use yew::prelude::*;

use crate::ui::{SortOrder, TableColumn, WorkerOrder};
use crate::words;

/// A column of the query list, and the constructor of its table column.
type Listed = (QueryColumn, fn(&'static str) -> TableColumn);

/// All columns from left to right.
const COLUMNS: [Listed; 10] = [
    (QueryColumn::Sql, TableColumn::text),
    (QueryColumn::Start, TableColumn::time),
    (QueryColumn::Duration, TableColumn::time),
    (QueryColumn::Ratio, TableColumn::number),
    (QueryColumn::Score, TableColumn::number),
    (QueryColumn::Sources, TableColumn::number),
    (QueryColumn::RowsRead, TableColumn::number),
    (QueryColumn::RowsReturned, TableColumn::number),
    (QueryColumn::BufferBytes, TableColumn::bytes),
    (QueryColumn::Outcome, TableColumn::text),
];

/// Returns the columns that have a value in at least one query, given the empty columns.
pub fn shown(empty: &[QueryColumn]) -> Vec<QueryColumn> {
    COLUMNS.iter().map(|(column, ..)| *column).filter(|column| !empty.contains(column)).collect()
}

/// Returns the table columns of the shown columns.
pub fn columns(shown: &[QueryColumn]) -> Vec<TableColumn> {
    let is_shown = |(column, ..): &&Listed| shown.contains(column);
    let column = |(column, make): &Listed| {
        let (track, least) = width(*column);
        let (name, meaning) = words::query_list::column(*column);
        let made = make(name).meaning(meaning).track(track, least);
        // Most columns sort in descending order first, but start times sort in ascending order.
        if *column == QueryColumn::Start { made.smallest_first() } else { made }
    };
    COLUMNS.iter().filter(is_shown).map(column).collect()
}

/// Returns the grid track of a column and its minimum width.
fn width(column: QueryColumn) -> (&'static str, &'static str) {
    match column {
        QueryColumn::Sql => ("minmax(var(--w-statement), 1fr)", "var(--w-statement)"),
        QueryColumn::Start => ("var(--w-start)", "var(--w-start)"),
        QueryColumn::Duration => ("var(--w-duration)", "var(--w-duration)"),
        QueryColumn::Outcome => ("var(--w-outcome)", "var(--w-outcome)"),
        _ => ("var(--w-number)", "var(--w-number)"),
    }
}

/// Returns the current sort order and the handler that changes it.
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
