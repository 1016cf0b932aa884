//! The part of an address that stores the state of the statements tab. Shapes are numbers, so that the address contains
//! no text of the trace.

use queryscope::protocol::{ExecutionList, ShapeColumn};

use super::{interval, name, named, reversible};
use crate::state::Nav;

pub(super) const SHAPE_COLUMNS: [(ShapeColumn, &str); 12] = [
    (ShapeColumn::Shape, "shape"),
    (ShapeColumn::Count, "count"),
    (ShapeColumn::Total, "total"),
    (ShapeColumn::Mean, "mean"),
    (ShapeColumn::P50, "p50"),
    (ShapeColumn::P95, "p95"),
    (ShapeColumn::P99, "p99"),
    (ShapeColumn::Max, "max"),
    (ShapeColumn::SelfTime, "self"),
    (ShapeColumn::Rows, "rows"),
    (ShapeColumn::Bytes, "bytes"),
    (ShapeColumn::Failed, "failed"),
];
const ORDERS: [(bool, &str); 2] = [(true, "start"), (false, "duration")];

/// Applies one name-value pair of an address; returns `false` if the pair is not about this tab.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    let view = &mut nav.statements;
    let (column, minus) = reversible(value);
    match name {
        "statements" => {
            if let Some(sort) = named(&SHAPE_COLUMNS, column) {
                (view.list.sort, view.list.reversed) = (sort, minus);
            }
        }
        "shape" => {
            if let Ok(shape) = value.parse() {
                view.executions.get_or_insert_default().shape = shape;
            }
        }
        "shape.durations" => {
            if let Some(between) = interval(value) {
                view.executions.get_or_insert_default().between = Some(between);
            }
        }
        "shape.order" => {
            if let Some(by_start) = named(&ORDERS, column) {
                let list = view.executions.get_or_insert_default();
                (list.by_start, list.reversed) = (by_start, minus);
            }
        }
        _ => return false,
    }
    true
}

/// Adds the settings that differ from their default.
pub(super) fn add(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let sign = |minus: bool| if minus { "-" } else { "" };
    let list = &nav.statements.list;
    if (list.sort, list.reversed) != (ShapeColumn::default(), false) {
        add("statements", &format!("{}{}", sign(list.reversed), name(&SHAPE_COLUMNS, list.sort)));
    }
    let Some(ExecutionList { shape, between, by_start, reversed, .. }) = &nav.statements.executions else {
        return;
    };
    add("shape", &shape.to_string());
    if let Some((from, until)) = between {
        add("shape.durations", &format!("{from},{until}"));
    }
    if (*by_start, *reversed) != (false, false) {
        add("shape.order", &format!("{}{}", sign(*reversed), name(&ORDERS, *by_start)));
    }
}
