//! A row of the pivot table: a group, or a span or event of an open group.

use queryscope::internal::text;
use queryscope::protocol::{PivotCell, PivotPage, PivotRow};
use yew::prelude::*;

use crate::components::{filter_button, one_line};
use crate::state::Dispatch;
use crate::ui::{TableCell, TableRow};
use crate::words;

/// Returns the table row of a group, span or event of a page.
pub fn row(row: &PivotRow, page: &PivotPage, dispatch: &Dispatch) -> TableRow {
    let shown = one_line(&row.label);
    let mut label = TableCell::text(shown.clone()).titled(row.label.clone()).copied(row.label.clone());
    let depth = usize::from(row.depth);
    if let (None, Some(true), Some(name)) = (row.item, page.has_texts.get(depth), page.dimensions.get(depth))
    {
        let value = (row.label != text::NOT_REPORTED).then_some(row.label.as_str());
        let filter = filter_button(dispatch, name, value, true);
        label = label.shown(html! { <><span class="clip">{ shown }</span>{ filter }</> });
    }
    let kind = if row.item.is_some() { "point" } else { "group" };
    TableRow {
        cells: std::iter::once(label).chain(row.cells.iter().map(cell)).collect(),
        class: classes!(kind),
        item: row.item,
        depth: row.depth,
        open: row.open,
        is_current: false,
    }
}

/// Returns the row of grand totals, shown above all groups.
pub fn total(cells: &[PivotCell]) -> TableRow {
    TableRow {
        class: classes!("total"),
        ..TableRow::of(
            std::iter::once(TableCell::text(words::pivot::TOTAL)).chain(cells.iter().map(cell)).collect(),
        )
    }
}

fn cell(cell: &PivotCell) -> TableCell {
    let is_absent = cell.exact.is_empty();
    let title = if is_absent { words::common::NOT_REPORTED.to_owned() } else { cell.exact.clone() };
    let shown = TableCell::text(cell.text.clone()).titled(title).copied(cell.exact.clone());
    match cell.heat {
        0 => shown.class_if(is_absent.then_some("absent")),
        heat => shown.class("tinted").style(format!("--heat:{}%", u32::from(heat) * 36 / 255)),
    }
}
