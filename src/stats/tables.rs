//! Side tables of a trace, ready for display: rows sorted by a column and filtered; columns without values are left out.

use crate::analysis::search::Needle;
use crate::base::interner::StrId;
use crate::base::{sort, text};
use crate::protocol::{TableCell, TableColumn, TableInfo, TableList, TablePage, TableView};
use crate::trace::{Table, Trace, Unit, attribute_names};

/// Maximum number of rows in a page.
const MAX_ROWS: u32 = 500;
/// Maximum length of a displayed value, in characters.
const SHOWN: usize = 400;
/// Maximum width of a column, in characters.
const WIDEST: usize = 64;
/// Picoseconds per nanosecond.
const PICOS: i128 = 1_000;

/// Returns the side tables that have rows.
#[inline(never)]
pub fn tables(trace: &Trace) -> TableList {
    let many = trace.runs.len() > 1;
    let run = |table: &Table| trace.runs.get(table.run.0 as usize).filter(|_| many);
    let info = |table: &Table| TableInfo {
        run: run(table).map_or_else(String::new, |run| trace.str(run.name).to_owned()),
        name: trace.str(table.name).to_owned(),
        rows: table.len() as u64,
    };
    let has_events = !trace.spans.is_empty() || !trace.events.is_empty();
    let missing =
        trace.notes.iter().find(|note| note.name == attribute_names::MISSING).filter(|_| !has_events);
    TableList {
        tables: with_rows(trace).into_iter().map(info).collect(),
        missing: missing.map(|note| note.text.clone()),
    }
}

/// Number of side tables that have rows.
pub fn n_tables(trace: &Trace) -> u32 {
    with_rows(trace).len() as u32
}

/// Tables that have rows, sorted by name, then by run.
fn with_rows(trace: &Trace) -> Vec<&Table> {
    let mut tables: Vec<&Table> = trace.tables.iter().filter(|table| !table.is_empty()).collect();
    sort::by(&mut tables, |a, b| trace.str(a.name).cmp(trace.str(b.name)));
    tables
}

/// Sorted rows of one table, cached while the user scrolls through them.
#[derive(Default)]
pub struct TableRows {
    of: Option<TableView>,
    rows: Vec<u32>,
    columns: Vec<TableColumn>,
}

impl TableRows {
    /// Returns a page of the rows of a table. The page is empty if the table does not exist.
    #[inline(never)]
    pub fn page(&mut self, trace: &Trace, view: &TableView, first: u32, count: u32) -> TablePage {
        let Some(table) = with_rows(trace).get(view.table as usize).copied() else {
            return TablePage::default();
        };
        if self.of.as_ref() != Some(view) {
            if self.of.as_ref().is_none_or(|of| of.table != view.table) {
                self.columns = columns(trace, table);
            }
            self.rows = rows(trace, table, view, &self.columns);
            self.of = Some(view.clone());
        }
        let shown = self.rows.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        let cell = |row: u32, column: &TableColumn| cell(trace, table, row as usize, column);
        TablePage {
            columns: self.columns.clone(),
            empty: (table.columns().len() - self.columns.len()) as u32,
            total: table.len() as u32,
            matched: self.rows.len() as u32,
            first,
            rows: shown.map(|&row| self.columns.iter().map(|column| cell(row, column)).collect()).collect(),
        }
    }
}

/// Columns in which at least one row has a value.
fn columns(trace: &Trace, table: &Table) -> Vec<TableColumn> {
    let column = |(number, &name): (usize, &StrId)| {
        let name = trace.str(name);
        let values = || (0..table.len()).filter_map(|row| table.cell(row, number));
        values().next()?;
        let is_number = values().all(|value| parsed(trace.str(value)).is_some());
        let widest = values().map(|value| written(name, trace.str(value)).chars().take(WIDEST).count());
        let width = widest.max().unwrap_or(0) as u16;
        Some(TableColumn { number: number as u32, name: text::visible_name(name), is_number, width })
    };
    table.columns().iter().enumerate().filter_map(column).collect()
}

fn rows(trace: &Trace, table: &Table, view: &TableView, columns: &[TableColumn]) -> Vec<u32> {
    let needles: Vec<Needle> = view.filter.split_whitespace().map(Needle::new).collect();
    let values = |row: u32| (0..table.columns().len()).filter_map(move |at| table.cell(row as usize, at));
    let has = |row: u32, needle: &Needle| values(row).any(|value| needle.is_in(trace.str(value)));
    let measured: Vec<usize> = columns.iter().filter(|column| is_measured(&column.name)).map(of).collect();
    let is_zero =
        |row: u32, at: usize| table.cell(row as usize, at).is_none_or(|cell| trace.str(cell) == "0");
    let counts = |row: u32| measured.is_empty() || measured.iter().any(|&at| !is_zero(row, at));
    let passes =
        |row: &u32| needles.iter().all(|needle| has(*row, needle)) && (!view.nonzero || counts(*row));
    let mut rows: Vec<u32> = (0..table.len() as u32).filter(passes).collect();
    let by = view.sort.and_then(|number| columns.iter().find(|column| column.number == number));
    if let Some(column) = by {
        arrange(trace, table, column, view.descending, &mut rows);
    }
    rows
}

fn of(column: &TableColumn) -> usize {
    column.number as usize
}

/// Sorts rows by a column: numbers by value, other values by their text. Rows without a value come last.
fn arrange(trace: &Trace, table: &Table, column: &TableColumn, descending: bool, rows: &mut [u32]) {
    let value = |row: u32| table.cell(row as usize, of(column)).map(|value| trace.str(value));
    if column.is_number {
        sort::by_key(rows, |&row| match value(row).and_then(parsed) {
            None => (i64::MAX, u64::MAX),
            Some(number) => {
                let number = if descending { -number } else { number };
                ((number >> 64) as i64, number as u64)
            }
        });
        return;
    }
    sort::by(rows, |&a, &b| {
        let (a, b) = (value(a), value(b));
        let order = if descending { b.cmp(&a) } else { a.cmp(&b) };
        a.is_none().cmp(&b.is_none()).then(order)
    });
}

/// Parses a number and returns it in millionths; `None` for any other text.
fn parsed(text: &str) -> Option<i128> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 30 || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let millionths: String = fraction.chars().chain("000000".chars()).take(6).collect();
    let number = format!("{whole}{millionths}").parse::<i128>().ok()?;
    Some(if negative { -number } else { number })
}

/// Whether a column holds a count or a measured value, judged by the names that database servers use.
fn is_measured(column: &str) -> bool {
    ["COUNT_", "SUM_", "CURRENT_COUNT", "HIGH_COUNT"].iter().any(|start| column.starts_with(start))
}

/// Unit of a column, derived from its name: sums of the Performance Schema are in picoseconds and bytes.
fn unit(column: &str) -> Unit {
    let is_time = ["TIMER", "LOCK_TIME", "CPU_TIME", "QUANTILE_"].iter().any(|part| column.contains(part));
    match column {
        _ if column.starts_with("COUNT_") || column.ends_with("_NAME") => Unit::Count,
        _ if is_time && !column.starts_with("TIMER_") => Unit::Picos,
        _ if column.contains("BYTES") || column.ends_with("_MEMORY") => Unit::Bytes,
        _ => Unit::Count,
    }
}

/// Formats a value for display, with times and sizes in their units.
fn written(column: &str, value: &str) -> String {
    let whole = || value.parse::<i128>().ok();
    match unit(column) {
        Unit::Picos => whole().map_or_else(|| value.to_owned(), time),
        Unit::Bytes => match whole().map(i64::try_from) {
            Some(Ok(bytes)) => text::bytes(bytes),
            _ => value.to_owned(),
        },
        _ => value.to_owned(),
    }
}

fn time(picos: i128) -> String {
    match picos {
        0 => "0".to_owned(),
        _ if picos.unsigned_abs() < PICOS.unsigned_abs() => format!("{picos} ps"),
        _ => i64::try_from(picos / PICOS).map_or_else(|_| format!("{picos} ps"), text::duration),
    }
}

fn cell(trace: &Trace, table: &Table, row: usize, column: &TableColumn) -> TableCell {
    let Some(value) = table.cell(row, of(column)).map(|value| trace.str(value)) else {
        return TableCell { text: "NULL".to_owned(), exact: Some(String::new()) };
    };
    let shown = text::shortened(&written(&column.name, value), SHOWN);
    let exact = (shown != value).then(|| text::shortened(value, SHOWN * 8));
    TableCell { text: shown, exact }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::interner::Interner;
    use crate::trace::{RecordId, RunId, TraceBuilder};

    const ROWS: [[Option<&str>; 3]; 5] = [
        [Some("b"), Some("9"), Some("1500")],
        [Some("a"), Some("0"), Some("0")],
        [None, Some("18446744073709551615"), Some("999")],
        [Some("c"), None, Some("2000000")],
        [Some("B"), Some("10"), None],
    ];

    fn trace() -> Trace {
        let mut builder = TraceBuilder::new(Interner::default());
        let run = builder.strings().intern("run");
        let run = builder.run(run, 0, 0, 0);
        let [name, a, b, c, none] = ["sums", "NAME", "COUNT_STAR", "SUM_TIMER_WAIT", "NEVER"]
            .map(|text| builder.strings().intern(text));
        let mut table = Table::new(run, name, vec![a, b, c, none]);
        for (at, row) in ROWS.iter().enumerate() {
            let cells = row.map(|text| text.map_or(StrId::NONE, |text| builder.strings().intern(text)));
            table.push(RecordId(at as u32), cells);
        }
        builder.table(table);
        builder.table(Table::new(RunId(0), a, vec![a]));
        builder.finish()
    }

    fn check(view: &TableView, expected: &[&str]) {
        let page = TableRows::default().page(&trace(), view, 0, 9);
        let firsts: Vec<&str> = page.rows.iter().map(|row| row[0].text.as_str()).collect();
        assert_eq!(firsts, expected, "{view:?}");
        assert_eq!((page.total, page.matched as usize, page.empty), (5, expected.len(), 1));
    }

    #[test]
    fn rows_are_ordered_and_filtered() {
        let by = |sort, descending| TableView { sort: Some(sort), descending, ..TableView::default() };
        check(&TableView::default(), &["b", "a", "NULL", "c", "B"]);
        check(&by(0, false), &["B", "a", "b", "c", "NULL"]);
        check(&by(0, true), &["c", "b", "a", "B", "NULL"]);
        check(&by(1, false), &["a", "b", "B", "NULL", "c"]);
        check(&by(1, true), &["NULL", "B", "b", "a", "c"]);
        check(&by(9, true), &["b", "a", "NULL", "c", "B"]);
        let with = |filter: &str| TableView { filter: filter.to_owned(), ..TableView::default() };
        check(&with("b"), &["b", "B"]);
        check(&with("b 1500"), &["b"]);
        check(&TableView { nonzero: true, ..TableView::default() }, &["b", "NULL", "c", "B"]);
    }

    #[test]
    fn only_tables_and_columns_with_values_are_shown() {
        let trace = trace();
        let list = tables(&trace);
        assert_eq!((list.tables.len(), n_tables(&trace), list.tables[0].rows), (1, 1, 5));
        let page = TableRows::default().page(&trace, &TableView::default(), 1, 1);
        let columns: Vec<_> =
            page.columns.iter().map(|column| (column.name.as_str(), column.is_number)).collect();
        assert_eq!(columns, [("NAME", false), ("COUNT_STAR", true), ("SUM_TIMER_WAIT", true)]);
        assert_eq!((page.first, page.rows.len()), (1, 1));
        let none = TableView { table: 7, ..TableView::default() };
        assert_eq!(TableRows::default().page(&trace, &none, 0, 9), TablePage::default());
    }

    #[test]
    fn times_and_sizes_have_units() {
        for (column, value, expected) in [
            ("SUM_TIMER_WAIT", "1500000", "1.500 µs"),
            ("SUM_TIMER_WAIT", "0", "0"),
            ("MIN_TIMER_READ", "385", "385 ps"),
            ("SUM_LOCK_TIME", "2000000000", "2.000 ms"),
            ("QUANTILE_95", "x", "x"),
            ("SUM_NUMBER_OF_BYTES_READ", "2000", "2.0 kB"),
            ("COUNT_STAR", "2000", "2000"),
            ("TIMER_FREQUENCY", "2600000000", "2600000000"),
            (
                "SUM_TIMER_WAIT",
                "340282366920938463463374607431768211456",
                "340282366920938463463374607431768211456",
            ),
        ] {
            assert_eq!(written(column, value), expected, "{column} {value}");
        }
    }
}
