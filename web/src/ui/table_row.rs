//! The rows of a table: where they come from, and what happens on them.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;

use yew::prelude::*;

use super::row_order::SortOrder;
use super::table_cell::TableCell;

/// A row of a table.
#[derive(Clone, PartialEq, Default)]
pub struct TableRow {
    /// Its cells, one for each column.
    pub cells: Vec<TableCell>,
    /// Classes of the style sheet.
    pub class: Classes,
    /// The item that it is about.
    pub item: Option<u32>,
    /// In a tree: how many rows it is below.
    pub depth: u16,
    /// In a tree: whether the rows below it are shown; `None` where it can have none.
    pub open: Option<bool>,
    /// Whether it is the one that the rest of the page is about.
    pub is_current: bool,
}

impl TableRow {
    /// A row with these cells.
    #[inline(never)]
    pub fn of(cells: Vec<TableCell>) -> Self {
        Self { cells, ..Self::default() }
    }
}

/// What happened on a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowEvent {
    /// A key moved the cursor to it.
    Reached,
    /// A click.
    Clicked,
    /// The second click of two.
    DoubleClicked,
    /// The Enter key.
    Entered,
    /// Its group is to be opened or closed.
    Toggled,
}

/// Asks for the rows of a range of a table that is in the worker; fewer rows where there are no more.
pub type FetchRows = Rc<dyn Fn(Range<u32>) -> Pin<Box<dyn Future<Output = Vec<TableRow>>>>>;

/// The order of rows that are in the worker.
#[derive(Clone)]
pub struct WorkerOrder {
    /// The order that they have; `None` for the original one.
    pub now: Option<SortOrder>,
    /// Whether there is an original order, to which the third click on a head leads back.
    pub has_original: bool,
    /// Asks for another order.
    pub onsort: Callback<Option<SortOrder>>,
}

/// Where the rows of a table are.
#[derive(Clone)]
pub enum RowSource {
    /// All of them are in the page, which sorts them.
    Page,
    /// They are in the worker; those that were asked for are in the page.
    Worker(WorkerOrder, Option<FetchRows>),
}

/// The rows of a table.
#[derive(Clone)]
pub struct TableRows {
    /// How many there are.
    pub count: u32,
    /// A row by its number; `None` while it is on its way.
    pub row: Rc<dyn Fn(u32) -> Option<TableRow>>,
    /// Where they are.
    pub source: RowSource,
}

impl PartialEq for TableRows {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && Rc::ptr_eq(&self.row, &other.row)
    }
}

impl TableRows {
    /// Rows that are all in the page.
    pub fn in_page<R: 'static>(rows: Vec<R>, row: impl Fn(&R) -> TableRow + 'static) -> Self {
        let count = rows.len() as u32;
        let row = move |at: u32| rows.get(at as usize).map(&row);
        Self { count, row: Rc::new(row), source: RowSource::Page }
    }

    /// Whether all of them are in the page.
    pub(super) fn are_in_page(&self) -> bool {
        matches!(self.source, RowSource::Page)
    }
}
