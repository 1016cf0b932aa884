//! Table rows, their source, and the events on them.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;

use yew::prelude::*;

use super::row_order::SortOrder;
use super::table_cell::TableCell;

/// Cells and properties of one table row.
#[derive(Clone, PartialEq, Default)]
pub struct TableRow {
    /// Cells of the row, one per column.
    pub cells: Vec<TableCell>,
    /// Additional CSS classes.
    pub class: Classes,
    /// Index of the trace item that the row describes, if there is one.
    pub item: Option<u32>,
    /// Depth of the row in a tree; 0 for a root.
    pub depth: u16,
    /// Whether the child rows are shown, in a tree. `None` if the row cannot have children.
    pub open: Option<bool>,
    /// Whether the row is the selected one.
    pub is_current: bool,
}

impl TableRow {
    /// A row with the given cells.
    #[inline(never)]
    pub fn of(cells: Vec<TableCell>) -> Self {
        Self { cells, ..Self::default() }
    }
}

/// A user action on a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowEvent {
    /// The cursor was moved to the row by a key.
    Reached,
    /// The row was clicked.
    Clicked,
    /// The row was double-clicked.
    DoubleClicked,
    /// Enter was pressed on the row.
    Entered,
    /// The user opened or closed the group of the row.
    Toggled,
}

/// Fetches a range of rows of a table in the worker. Returns fewer rows at the end of the table.
pub type FetchRows = Rc<dyn Fn(Range<u32>) -> Pin<Box<dyn Future<Output = Vec<TableRow>>>>>;

/// Sort order of rows that are in the worker.
#[derive(Clone)]
pub struct WorkerOrder {
    /// Current order. `None` for the original order.
    pub now: Option<SortOrder>,
    /// Whether there is an original order, which the third click on a column's head restores.
    pub has_original: bool,
    /// Called to request another order.
    pub onsort: Callback<Option<SortOrder>>,
}

/// Location of the rows of a table.
#[derive(Clone)]
pub enum RowSource {
    /// All rows are in the page, which sorts them.
    Page,
    /// The rows are in the worker, which sorts them. Only rows that were fetched are in the page.
    Worker(WorkerOrder, Option<FetchRows>),
}

/// All rows of a table: their number, and access by index.
#[derive(Clone)]
pub struct TableRows {
    /// Number of rows.
    pub count: u32,
    /// Returns a row by its number, or `None` while the row is being fetched.
    pub row: Rc<dyn Fn(u32) -> Option<TableRow>>,
    /// Location of the rows: page or worker.
    pub source: RowSource,
}

impl PartialEq for TableRows {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && Rc::ptr_eq(&self.row, &other.row)
    }
}

impl TableRows {
    /// Makes a table whose rows are all in the page.
    pub fn in_page<R: 'static>(rows: Vec<R>, row: impl Fn(&R) -> TableRow + 'static) -> Self {
        let count = rows.len() as u32;
        let row = move |at: u32| rows.get(at as usize).map(&row);
        Self { count, row: Rc::new(row), source: RowSource::Page }
    }

    /// Whether all rows are in the page.
    pub(super) fn are_in_page(&self) -> bool {
        matches!(self.source, RowSource::Page)
    }
}
