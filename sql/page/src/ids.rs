//! The spans or events that a result names, as a condition of the filter of all views.

use std::fmt::Write;

use queryscope::protocol::{SqlIds, SqlResult};

/// The ids of the first column that holds them: `span_id`, else one whose name ends with `_span_id`, else `event_id`.
pub fn ids(result: &SqlResult) -> Option<SqlIds> {
    let named = |test: &dyn Fn(&str) -> bool| result.columns.iter().position(|column| test(&column.name));
    let spans = named(&|name| name == "span_id").or_else(|| named(&|name| name.ends_with("_span_id")));
    let at = spans.or_else(|| named(&|name| name == "event_id"))?;
    let cells = result.cells.iter().skip(at).step_by(result.columns.len());
    let mut found: Vec<u32> = cells.filter_map(|cell| cell.as_ref()?.parse().ok()).collect();
    found.sort_unstable();
    found.dedup();
    let is_event = spans.is_none();
    let condition = (!result.is_cut).then(|| condition(&found, is_event)).flatten();
    (!found.is_empty()).then_some(SqlIds { count: found.len() as u32, is_event, condition })
}

/// The condition with ranges of ids that follow each other; `None` if it would be too long.
fn condition(ids: &[u32], is_event: bool) -> Option<String> {
    let mut text = format!("{} = ", if is_event { "event_id" } else { "span_id" });
    for (at, range) in ids.chunk_by(|a, b| b - a == 1).enumerate() {
        let comma = if at > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = match range {
            [first, .., last] => write!(text, "{comma}{first}-{last}"),
            _ => write!(text, "{comma}{}", range[0]),
        };
        if text.len() > SqlIds::LONGEST {
            return None;
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queryscope::protocol::{SqlResultColumn, SqlValueKind};

    fn check(columns: &[&str], cells: &[Option<&str>], expected: Option<(u32, &str)>) {
        let column = |name: &&str| SqlResultColumn { name: (*name).to_owned(), kind: SqlValueKind::Number };
        let result = SqlResult {
            columns: columns.iter().map(column).collect(),
            cells: cells.iter().map(|cell| cell.map(str::to_owned)).collect(),
            ..SqlResult::default()
        };
        let found = ids(&result).map(|ids| (ids.count, ids.condition.unwrap_or_default()));
        assert_eq!(found, expected.map(|(count, text)| (count, text.to_owned())), "{columns:?} {cells:?}");
    }

    #[test]
    fn ids_become_a_condition() {
        check(&["name"], &[Some("3")], None);
        check(&["span_id"], &[None], None);
        check(&["span_id"], &[Some("3")], Some((1, "span_id = 3")));
        let many = ["7", "9", "3", "10", "7", "11"].map(Some);
        check(&["span_id"], &many, Some((5, "span_id = 3,7,9-11")));
        check(&["event_id", "waiter_span_id"], &[Some("1"), Some("2")], Some((1, "span_id = 2")));
        check(&["event_id"], &[Some("1"), Some("0")], Some((2, "event_id = 0-1")));
    }

    #[test]
    fn nothing_is_cut_silently() {
        let all: Vec<String> = (0..10_000).map(|id| (id * 2).to_string()).collect();
        let cells: Vec<Option<&str>> = all.iter().map(|id| Some(id.as_str())).collect();
        check(&["span_id"], &cells, Some((10_000, "")));
        let column = SqlResultColumn { name: "span_id".to_owned(), kind: SqlValueKind::Number };
        let result = SqlResult {
            columns: vec![column],
            cells: vec![Some("1".to_owned())],
            is_cut: true,
            ..SqlResult::default()
        };
        assert_eq!(ids(&result).map(|ids| (ids.count, ids.condition)), Some((1, None)));
    }
}
