//! Texts of the pivot table.

use queryscope::internal::text;

pub const ADD_DIMENSION: &str = "Add dimension";
pub const ADD_MEASURE: &str = "Add measure";
pub const CHANGE_FILTER: &str = "Change the filter or the time range.";
pub const CHIP_KEYS: &str =
    "Drag or press ← → to move, double-click or press Enter to edit, press Delete to remove";
pub const COLUMNS_BY: &str = "Columns by";
pub const COUNTS_SINGLE: &str = "A pivot table counts single spans and events. Remove a condition, or see what matches as a whole in Statements.";
pub const CUSTOM: &str = "Custom…";
pub const FILTER: &str = "Filter spans and events";
pub const FILTER_EXAMPLE: &str = "Filter: kind = query duration > 5ms";
pub const FILTER_SYNTAX: &str = "Filter by name, text, outcome and conditions, all required: kind = query  status = failed  name:lock  duration > 5ms  rows_read >= 1000";
pub const GROUPS: &str = "Groups";
pub const GROUP_BY: &str = "Group by";
pub const INVALID_EXPRESSION: &str = "Invalid expression";
pub const MEASURES: &str = "Measures";
pub const NO_MATCHES: &str = "No matching spans or events";
pub const PIVOT_TABLE: &str = "Pivot table";
pub const SERVER_MEASURES: &str = "As in the server's summary tables";
pub const SET_COLUMNS: &str = "Set column dimension";
pub const TOTAL: &str = "Total";

/// Separator between the names of nested dimensions.
pub const NESTED: &str = " › ";

pub fn edit(item: &str) -> String {
    format!("Edit {item}")
}

pub fn remove(item: &str) -> String {
    format!("Remove {item}")
}

pub fn more_choices(n: usize) -> String {
    format!("{} more: choose Custom… to search", text::count(n as i64))
}

pub fn sum(points: u64, groups: u32) -> String {
    format!(
        "{} in {}",
        text::counted(points, "span or event", "spans and events"),
        text::counted(groups.into(), "group", "groups")
    )
}

/// Readable name of a dimension: `name[/1][#]` becomes "name (first path part, digits masked)". Other texts are unchanged.
pub fn dimension(expression: &str) -> String {
    let (name, chain) = match expression.split_once('[') {
        Some((name, chain)) => (name, chain.strip_suffix(']').unwrap_or_default()),
        None => (expression, ""),
    };
    let name = name.strip_prefix("in ").map_or_else(|| name.to_owned(), |of| format!("parent's {of}"));
    if !expression.contains('[') {
        return name;
    }
    let projections: Option<Vec<String>> = chain.split("][").map(projection).collect();
    match projections {
        Some(projections) => format!("{name} ({})", projections.join(", ")),
        None => expression.to_owned(),
    }
}

/// Tooltip of a dimension or measure in a list: its expression, if the displayed name differs, and the keys that edit it.
pub fn chip_title(expression: &str, shown: &str) -> String {
    if expression == shown { CHIP_KEYS.to_owned() } else { format!("{expression}\n{CHIP_KEYS}") }
}

fn projection(projection: &str) -> Option<String> {
    match projection {
        "#" => return Some("digits masked".to_owned()),
        "component" => return Some("component".to_owned()),
        "log" => return Some("log buckets".to_owned()),
        "shape" => return Some("statement shape".to_owned()),
        _ => {}
    }
    let separator = projection.chars().next()?;
    if separator.is_ascii_digit() {
        return Some(format!("multiples of {projection}"));
    }
    let count: i8 = projection[separator.len_utf8()..].parse().ok()?;
    let end = if count < 0 { "last" } else { "first" };
    let part = match separator {
        '/' => "path part".to_owned(),
        ' ' => "word".to_owned(),
        other => format!("part between “{other}”"),
    };
    Some(match count.unsigned_abs() {
        1 => format!("{end} {part}"),
        count => format!("{end} {count} {}", part.replacen("part", "parts", 1).replacen("word", "words", 1)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn dimensions_are_read_by_people() {
        for (expression, expected) in [
            ("name", "name"),
            ("in SQL", "parent's SQL"),
            ("name[/1]", "name (first path part)"),
            ("name[/3]", "name (first 3 path parts)"),
            ("name[.-1]", "name (last part between “.”)"),
            ("SQL[shape][ 2]", "SQL (statement shape, first 2 words)"),
            ("event name[component]", "event name (component)"),
            ("name[#]", "name (digits masked)"),
            ("duration[log]", "duration (log buckets)"),
            ("start[100ns]", "start (multiples of 100ns)"),
            ("a[0]b", "a[0]b"),
            ("a[b]", "a[b]"),
            ("a[", "a["),
        ] {
            assert_eq!(dimension(expression), expected);
        }
    }
}
