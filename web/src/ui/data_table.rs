//! A sortable table of any length. Its head and first column stay in view, keys move in it, and its rows are copied as
//! text.

use std::ops::Range;
use std::rc::Rc;

use yew::prelude::*;

use super::column::TableColumn;
use super::copied::{CopiedRows, CopyForm};
use super::copy_table::CopyTable;
use super::grid_keyboard::on_key;
use super::grid_markup::{GridMarkup, fitted};
use super::row_order::{SortOrder, ordered};
use super::row_viewport::{ROW, RowViewport};
use super::table_row::{RowEvent, RowSource, TableRow, TableRows};
use super::virtual_list::{reveal_row, use_virtual_list};
use crate::components::copy::use_copy;
use crate::host::page;
use crate::words;
use wasm_bindgen_futures::spawn_local;

/// A table in the page with at most this number of rows has all of them in the document; a longer table only the visible ones.
const ALL: u32 = 300;
/// Maximum number of rows that are copied.
const COPIED: u32 = 100_000;
/// Number of rows that one request fetches for copying.
const AT_ONCE: u32 = 500;

/// The heading above a table. The button that copies the table is at its end.
#[derive(Clone, PartialEq)]
pub struct TableHeading {
    /// Tag name of the heading's element.
    pub tag: &'static str,
    /// CSS class of the heading's element.
    pub class: &'static str,
    /// Content of the heading's element.
    pub content: Html,
}

impl TableHeading {
    /// The heading of a section, with notes about its content.
    pub fn section(content: Html) -> Self {
        Self { tag: "header", class: "", content }
    }
}

/// Properties of a [`DataTable`].
#[derive(Properties, PartialEq)]
pub struct DataTableProps {
    /// Prefix of the ids of the table's elements, unique in the viewer.
    pub id: &'static str,
    /// Label of the table for screen readers.
    pub label: AttrValue,
    /// Columns of the table, from left to right.
    pub columns: Vec<TableColumn>,
    /// Rows of the table, and where they come from.
    pub rows: TableRows,
    /// Heading above the table. Without a heading, rows can be copied only by keyboard.
    #[prop_or_default]
    pub heading: Option<TableHeading>,
    /// Name of the file, without its ending, as which the table can be saved. Without a name, it can only be copied.
    #[prop_or_default]
    pub file: Option<&'static str>,
    /// Additional file type in which the table can be saved: the text in the menu, and the callback that saves it.
    #[prop_or_default]
    pub other_file: Option<(&'static str, Callback<()>)>,
    /// Additional CSS classes.
    #[prop_or_default]
    pub class: Classes,
    /// Height of a row, in CSS pixels.
    #[prop_or(ROW)]
    pub row_height: f64,
    /// A row that stays visible below the head, such as a total.
    #[prop_or_default]
    pub pinned: Option<TableRow>,
    /// Moves the cursor when the value changes: `Some(Some(row))` to a row that scrolls into view, `Some(None)` away from
    /// all rows.
    #[prop_or_default]
    pub reveal: Option<Option<u32>>,
    /// Whether the rows form a tree.
    #[prop_or_default]
    pub is_tree: bool,
    /// Whether the rows are out of date.
    #[prop_or_default]
    pub is_old: bool,
    /// Content shown instead of rows when the table is empty.
    #[prop_or_default]
    pub nothing: Html,
    /// Handler of events on rows. Without a handler, Enter presses the first button of the row.
    #[prop_or_default]
    pub onrow: Option<Callback<(u32, RowEvent)>>,
    /// Receives the range of rows to fetch, for a table whose rows are in the worker.
    #[prop_or_default]
    pub onwanted: Callback<Range<u32>>,
    /// A change of this value scrolls the table to its first row.
    #[prop_or_default]
    pub beginning: AttrValue,
}

/// The row that keys act on, and the other end of the selected range.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct GridCursor {
    pub row: Option<u32>,
    pub anchor: Option<u32>,
}

impl GridCursor {
    pub fn at(row: Option<u32>) -> Self {
        Self { row, anchor: None }
    }

    /// Returns the range of selected rows. Empty if the cursor is on no row.
    pub fn selected(self) -> Range<u32> {
        let Some(row) = self.row else { return 0..0 };
        let anchor = self.anchor.unwrap_or(row);
        row.min(anchor)..row.max(anchor) + 1
    }
}

/// A sortable table whose rows are in the page or in the worker.
#[component]
pub fn DataTable(props: &DataTableProps) -> Html {
    let node = use_node_ref();
    let (sorting, onsort) = use_order(props.id);
    let order = use_memo((props.rows.clone(), sorting), |(rows, sorting)| {
        sorting.filter(|_| rows.are_in_page()).map(|sorting| ordered(rows, sorting))
    });
    let columns =
        use_memo((props.columns.clone(), props.rows.clone()), |(columns, rows)| fitted(columns, rows));
    let markup = GridMarkup::new(props, columns, order, (sorting, onsort));
    let (viewport, onscroll) = use_virtual_list(&node, props.rows.count, props.row_height, markup.above());
    let cursor = use_cursor(props, &node, viewport, &markup);
    use_wanted(props, viewport);
    let (copied, copy) = use_copy(Callback::noop());
    let cut = use_state_eq(|| None::<u32>);
    let copy_rows = copy_rows(&markup, &copy, &cut);
    let on_copy_keys = copy_rows.reform(|range| (CopyForm::default(), range));
    let onkeydown = on_key(&markup, &node, &cursor, viewport, on_copy_keys);
    let visible = if props.rows.are_in_page() && props.rows.count <= ALL {
        0..props.rows.count
    } else {
        viewport.visible()
    };
    let count = props.rows.count;
    let copy_all = copy_rows.reform(move |form| (form, 0..count));
    let save_all = props.file.map(|name| {
        let (markup, cut) = (markup.clone(), cut.clone());
        Callback::from(move |form: CopyForm| {
            let (ending, media_type) = form.file_type();
            let save = Callback::from(move |text: String| {
                page::download(&format!("{name}.{ending}"), media_type, &text);
            });
            self::copy_rows(&markup, &save, &cut).emit((form, 0..count));
        })
    });
    html! {
        <>
            if let Some(TableHeading { tag, class, content }) = &props.heading {
                <@{*tag} class={*class}>
                    { content.clone() }
                    if props.rows.count > 0 {
                        if let Some(count) = *cut { <span class="muted" role="status">{ words::common::rows_copied(COPIED, count) }</span> }
                        <CopyTable id={props.id} {copied} oncopy={copy_all} onsave={save_all} other={props.other_file.clone()} />
                    }
                </@>
            }
            { markup.grid(node, viewport, visible, &cursor, (onscroll, onkeydown)) }
        </>
    }
}

/// Orders of the tables whose rows are in the page, by the table's id, and the callback that changes an order.
#[derive(Clone, PartialEq)]
pub struct TableOrders {
    /// Table ids with their orders; a table that is not listed has its original order.
    pub orders: Vec<(String, SortOrder)>,
    /// Called with a table's id to order it; `None` for its original order.
    pub onorder: Callback<(&'static str, Option<SortOrder>)>,
}

/// The order of a table whose rows are in the page, and the callback that changes it. Without [`TableOrders`] around it,
/// the table keeps its order itself.
#[hook]
fn use_order(id: &'static str) -> (Option<SortOrder>, Callback<Option<SortOrder>>) {
    let own = use_state_eq(|| None::<SortOrder>);
    match use_context::<TableOrders>() {
        Some(TableOrders { orders, onorder }) => {
            let order = orders.into_iter().find(|(table, _)| table == id).map(|(_, order)| order);
            (order, onorder.reform(move |order| (id, order)))
        }
        None => {
            let setter = own.setter();
            (*own, Callback::from(move |order| setter.set(order)))
        }
    }
}

/// The table's cursor, which follows changes of [`DataTableProps::reveal`].
#[hook]
fn use_cursor(
    props: &DataTableProps,
    node: &NodeRef,
    viewport: RowViewport,
    markup: &GridMarkup,
) -> UseStateHandle<GridCursor> {
    let cursor = use_state_eq(GridCursor::default);
    let reveal = props.reveal.map(|row| row.and_then(|row| markup.position_of(row)));
    let setter = cursor.setter();
    use_effect_with(reveal, move |reveal| {
        if let Some(row) = reveal {
            setter.set(GridCursor::at(*row));
        }
    });
    let body = node.clone();
    use_effect_with((reveal.flatten(), viewport.rows, viewport.height as i32), move |(row, ..)| {
        row.iter().for_each(|row| reveal_row(&body, viewport, *row));
    });
    let (body, beginning) = (node.clone(), props.beginning.clone());
    use_effect_with(beginning, move |_| {
        if let Some(body) = body.cast::<web_sys::Element>() {
            body.set_scroll_top(0);
        }
    });
    cursor
}

/// Requests the visible rows, and some rows around them.
#[hook]
fn use_wanted(props: &DataTableProps, viewport: RowViewport) {
    let onwanted = props.onwanted.clone();
    let wanted = (!props.rows.are_in_page()).then(|| viewport.wanted());
    use_effect_with(wanted, move |wanted| {
        if let Some(wanted) = wanted {
            onwanted.emit(wanted.clone());
        }
    });
}

/// Copies a range of rows and the column names. Rows that are not in the page are fetched first.
fn copy_rows(
    markup: &Rc<GridMarkup>,
    copy: &Callback<String>,
    cut: &UseStateHandle<Option<u32>>,
) -> Callback<(CopyForm, Range<u32>)> {
    let markup = markup.clone();
    let copy = copy.clone();
    let cut = cut.setter();
    Callback::from(move |(form, range): (CopyForm, Range<u32>)| {
        let markup = markup.clone();
        let copy = copy.clone();
        let cut = cut.clone();
        spawn_local(async move {
            let end = range.end.min(range.start.saturating_add(COPIED));
            cut.set((end < range.end).then_some(range.end));
            let mut copied = CopiedRows::new(form, &markup.columns);
            let mut next = range.start;
            while next < end {
                let until = next.saturating_add(AT_ONCE).min(end);
                let rows = match &markup.rows.source {
                    RowSource::Worker(_, Some(fetch)) => fetch(next..until).await,
                    _ => (next..until).filter_map(|at| markup.row_at(at)).collect(),
                };
                next = if rows.is_empty() { end } else { until };
                rows.iter().for_each(|row| copied.add(row));
            }
            copy.emit(copied.finish());
        });
    })
}
