//! The columns of the query list: a column's head orders the list by it.

use queryscope::protocol::{QueryColumn, QueryList};
use yew::prelude::*;

use crate::ui::{SortOrder, TableColumn, WorkerOrder};

/// A column: its name, what it means, and the kind of its values.
type Listed = (QueryColumn, &'static str, &'static str, fn(&'static str) -> TableColumn);

/// The columns in order.
const COLUMNS: [Listed; 9] = [
    (QueryColumn::Sql, "Query", "The statement", TableColumn::text),
    (QueryColumn::Start, "Start", "Since the first event of its run", TableColumn::time),
    (
        QueryColumn::Duration,
        "Duration",
        "Inside the time range, if one is selected; the bar is relative to the longest in the list",
        TableColumn::time,
    ),
    (QueryColumn::Ratio, "× run avg", "Duration divided by the average of its run", TableColumn::number),
    (QueryColumn::Sources, "Sources", "Source executions", TableColumn::number),
    (QueryColumn::RowsRead, "Rows read", "By its source executions", TableColumn::number),
    (QueryColumn::RowsReturned, "Returned", "Rows returned by its source executions", TableColumn::number),
    (QueryColumn::BufferBytes, "Buffer", "Bytes of its buffer events", TableColumn::bytes),
    (QueryColumn::Outcome, "Status", "How it ended", TableColumn::text),
];

/// The columns in which some query has something.
pub fn shown(empty: &[QueryColumn]) -> Vec<QueryColumn> {
    COLUMNS.iter().map(|(column, ..)| *column).filter(|column| !empty.contains(column)).collect()
}

/// These columns of the table.
pub fn columns(shown: &[QueryColumn]) -> Vec<TableColumn> {
    let is_shown = |(column, ..): &&Listed| shown.contains(column);
    let column = |(column, name, meaning, make): &Listed| {
        let (track, least) = width(*column);
        let made = make(name).meaning(*meaning).track(track, least);
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
    let (list, shown, onchange) = (list.clone(), shown.to_vec(), onchange.clone());
    let onsort = Callback::from(move |order: Option<SortOrder>| {
        if let Some((order, sort)) = order.and_then(|order| Some((order, *shown.get(order.column)?))) {
            onchange.emit(QueryList { sort, descending: order.descending, ..list.clone() });
        }
    });
    WorkerOrder { now, has_original: false, onsort }
}
