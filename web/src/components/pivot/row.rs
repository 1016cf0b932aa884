//! A row of the pivot table: a group, or a span or event of an open group.

use queryscope::protocol::{PivotCell, PivotRow};
use yew::prelude::*;

use crate::components::one_line;
use crate::ui::{TableCell, TableRow};
use crate::words;

/// Returns the table row of a group, span or event.
pub fn row(row: &PivotRow) -> TableRow {
    let label = TableCell::text(one_line(&row.label)).titled(row.label.clone()).copied(row.label.clone());
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
