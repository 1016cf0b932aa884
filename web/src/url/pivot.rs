//! The part of an address that stores the pivot table.

use queryscope::protocol::PivotColumn;

use super::{PATH_SIGN, concealed};
use crate::state::Nav;

/// Applies one name-value pair of an address; returns `false` if the pair is not about the pivot table.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    let pivot = &mut nav.pivot;
    match name {
        "by" => pivot.spec.by = value.to_owned(),
        "across" => pivot.spec.across = value.to_owned(),
        "measure" => pivot.spec.measures = value.to_owned(),
        "where" => pivot.spec.filter = value.to_owned(),
        "sort" => {
            let (measure, column) = value.split_once(',').unwrap_or((value, ""));
            if let Some((measure, descending)) = sort(measure) {
                (pivot.sort, pivot.descending) = (measure, descending);
                pivot.column = pivot_column(column);
            }
        }
        "open" => pivot.open.push(value.split(PATH_SIGN).map(str::to_owned).collect()),
        _ => return false,
    }
    true
}

/// Adds the settings that differ from their default.
pub(super) fn add(nav: &Nav, begin: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let (now, then) = (&nav.pivot, &begin.pivot);
    if now.spec.by != then.spec.by {
        add("by", &concealed::dimensions(&now.spec.by));
    }
    if now.spec.across != then.spec.across {
        add("across", &concealed::dimensions(&now.spec.across));
    }
    if now.spec.measures != then.spec.measures {
        add("measure", &concealed::measures(&now.spec.measures));
    }
    if now.spec.filter != then.spec.filter {
        add("where", &now.spec.filter);
    }
    if (now.sort, now.descending, &now.column) != (then.sort, then.descending, &then.column) {
        let measure = now.sort.map_or("value".to_owned(), |measure| measure.to_string());
        let column = match &now.column {
            PivotColumn::All => String::new(),
            PivotColumn::Others => ",others".to_owned(),
            PivotColumn::Value(label) => {
                format!(",{}", concealed::path(std::slice::from_ref(label)).concat())
            }
        };
        add("sort", &format!("{}{measure}{column}", if now.descending { "-" } else { "" }));
    }
    now.open.iter().for_each(|path| add("open", &concealed::path(path).join(PATH_SIGN)));
}

/// Parses the column of a pivot measure: empty for all, `others`, or the hash of a value.
fn pivot_column(text: &str) -> PivotColumn {
    match text {
        "" => PivotColumn::All,
        "others" => PivotColumn::Others,
        label => PivotColumn::Value(label.to_owned()),
    }
}

/// Parses a sort order: `2` by column 2, `-2` descending, `value` by value.
fn sort(text: &str) -> Option<(Option<u32>, bool)> {
    let column = text.strip_prefix('-').unwrap_or(text);
    let descending = column.len() < text.len();
    match column {
        "value" => Some((None, descending)),
        _ => Some((Some(column.parse().ok()?), descending)),
    }
}
