//! The part of an address that stores the compared executions and how they are compared.

use queryscope::protocol::{CompareColumn, CompareView, CompareWith};

use super::{Place, name, named, place, placed};

const COLUMNS: [(CompareColumn, &str); 5] = [
    (CompareColumn::Step, "step"),
    (CompareColumn::A, "a"),
    (CompareColumn::B, "b"),
    (CompareColumn::Difference, "difference"),
    (CompareColumn::Ratio, "ratio"),
];
/// Value that stands for all other executions, in place of an item.
const OTHERS: &str = "others";
const MERGED: &str = "merged";
const INCLUSIVE: &str = "inclusive";

/// Applies one name-value pair of an address.
pub(super) fn take(view: &mut CompareView, items: &mut [Option<Place>; 2], name: &str, value: &str) {
    match name {
        "a" => items[0] = place(value),
        "b" if value == OTHERS => view.b = CompareWith::Others,
        "b" => items[1] = place(value),
        "steps" => view.fold = value == MERGED,
        "times" => view.inclusive = value == INCLUSIVE,
        "order" => {
            let column = value.strip_prefix('-').unwrap_or(value);
            if let Some(column) = named(&COLUMNS, column) {
                (view.sort, view.ascending) = (column, !value.starts_with('-'));
            }
        }
        _ => {}
    }
}

/// The compared items; `None` for a side that the user did not choose as an item.
pub fn chosen(view: &CompareView) -> [Option<u32>; 2] {
    let b = match view.b {
        CompareWith::Item(item) => Some(item),
        CompareWith::Typical | CompareWith::Others => None,
    };
    [view.a, b]
}

/// Passes the compared items, and the settings of `now` that differ from their default, to `add` as names and values of the
/// address.
pub(super) fn add(now: &CompareView, items: [Option<Place>; 2], add: &mut dyn FnMut(&str, &str)) {
    for (name, place) in ["a", "b"].into_iter().zip(items) {
        if let Some(place) = place {
            add(name, &placed(place));
        }
    }
    let begin = CompareView::default();
    if now.b == CompareWith::Others {
        add("b", OTHERS);
    }
    if now.fold {
        add("steps", MERGED);
    }
    if now.inclusive {
        add("times", INCLUSIVE);
    }
    if (now.sort, now.ascending) != (begin.sort, begin.ascending) {
        add("order", &format!("{}{}", if now.ascending { "" } else { "-" }, name(&COLUMNS, now.sort)));
    }
}
