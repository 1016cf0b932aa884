//! The part of an address that stores the side table, the transaction list, and the orders of other tables.

use queryscope::protocol::TransactionColumn;

use super::{name, named, reversible, set};
use crate::state::{Nav, TableOrder};

const TRANSACTION_COLUMNS: [(TransactionColumn, &str); 6] = [
    (TransactionColumn::Start, "start"),
    (TransactionColumn::Duration, "duration"),
    (TransactionColumn::Idle, "idle"),
    (TransactionColumn::Share, "share"),
    (TransactionColumn::Longest, "longest"),
    (TransactionColumn::Statements, "statements"),
];
/// Maximum length of an SQL statement, in characters.
const LONGEST_SQL: usize = 32 << 10;
/// Maximum length of a table's id.
const LONGEST_ID: usize = 32;

/// Applies one name-value pair of an address; returns `false` if the pair is not about these tables.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    let (column, minus) = reversible(value);
    match name {
        "sql" => nav.sql = value.chars().take(LONGEST_SQL).collect(),
        "sql.of" => nav.sql_of_trace = value == "trace",
        "sql.chart" => {
            let columns = value.split_once(',').and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
            nav.sql_chart = columns;
        }
        "table" => set(&mut nav.table.table, value.parse().ok()),
        "table.order" => {
            if let Ok(column) = column.parse() {
                (nav.table.sort, nav.table.descending) = (Some(column), minus);
            }
        }
        "table.find" => nav.table.filter = value.to_owned(),
        "table.zeros" => nav.table.nonzero = value == "hidden",
        "table.values" => nav.raw_values = value == "raw",
        "transactions" => {
            if let Some(sort) = named(&TRANSACTION_COLUMNS, column) {
                (nav.transactions.sort, nav.transactions.reversed) = (sort, minus);
            }
        }
        "orders" => value.split(',').filter_map(order).for_each(|order| {
            nav.order(&order.table, Some((order.column, order.descending)));
        }),
        _ => return false,
    }
    true
}

/// Adds the settings that differ from their default.
pub(super) fn add(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let sign = |minus: bool| if minus { "-" } else { "" };
    let (table, list) = (&nav.table, &nav.transactions);
    if !nav.sql.is_empty() {
        add("sql", &nav.sql);
    }
    if nav.sql_of_trace {
        add("sql.of", "trace");
    }
    if let Some((x, y)) = nav.sql_chart {
        add("sql.chart", &format!("{x},{y}"));
    }
    if table.table != 0 {
        add("table", &table.table.to_string());
    }
    if let Some(sort) = table.sort {
        add("table.order", &format!("{}{sort}", sign(table.descending)));
    }
    if !table.filter.is_empty() {
        add("table.find", &table.filter);
    }
    if table.nonzero {
        add("table.zeros", "hidden");
    }
    if nav.raw_values {
        add("table.values", "raw");
    }
    if (list.sort, list.reversed) != (TransactionColumn::default(), false) {
        add("transactions", &format!("{}{}", sign(list.reversed), name(&TRANSACTION_COLUMNS, list.sort)));
    }
    if !nav.orders.is_empty() {
        let written = |of: &TableOrder| format!("{}:{}{}", of.table, sign(of.descending), of.column);
        let orders: Vec<String> = nav.orders.iter().map(written).collect();
        add("orders", &orders.join(","));
    }
}

/// Parses an order such as `run:-2`: the table's id, a minus sign if descending, the column's index.
fn order(text: &str) -> Option<TableOrder> {
    let (table, column) = text.split_once(':')?;
    let is_id = |sign: u8| sign.is_ascii_alphanumeric() || sign == b'-';
    if table.is_empty() || table.len() > LONGEST_ID || !table.bytes().all(is_id) {
        return None;
    }
    let (column, descending) = reversible(column);
    Some(TableOrder { table: table.to_owned(), column: column.parse().ok()?, descending })
}
