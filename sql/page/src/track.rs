//! The rows of a result as a track of the timeline.

use queryscope::internal::text;
use queryscope::protocol::{ResultSpan, ResultTrackRequest, SqlResult, SqlValueKind};

/// Names of columns of starts, in nanoseconds, the best first.
const STARTS: [&str; 5] = ["start_ns", "start", "time_ns", "time", "ts"];
/// Names of columns of durations, in nanoseconds, the best first.
const DURATIONS: [&str; 3] = ["duration_ns", "duration", "dur"];
/// Name of the track.
const NAME: &str = "SQL result";
/// Columns of ids of spans and of events.
const IDS: [&str; 2] = ["span_id", "event_id"];

/// Indices of the columns from which spans are made.
struct SpanColumns {
    start: usize,
    duration: usize,
    name: Option<usize>,
    /// Those of [`IDS`].
    ids: [Option<usize>; 2],
}

fn columns(result: &SqlResult) -> Option<SpanColumns> {
    let named = |name: &str| result.columns.iter().position(|column| column.name == name);
    let is_number = |at: usize| result.columns[at].kind == SqlValueKind::Number;
    let number = |names: &[&str]| names.iter().filter_map(|name| named(name)).find(|&at| is_number(at));
    let text = || (0..result.columns.len()).find(|&at| !is_number(at));
    Some(SpanColumns {
        start: number(&STARTS)?,
        duration: number(&DURATIONS)?,
        name: named("name").or_else(text),
        ids: IDS.map(named),
    })
}

/// Whether any row has a start and a duration, in whole nanoseconds.
pub fn has_track(result: &SqlResult) -> bool {
    spans(result).is_some_and(|mut spans| spans.next().is_some())
}

/// The rows that have a start and a duration.
fn spans(result: &SqlResult) -> Option<impl Iterator<Item = ResultSpan>> {
    let columns = columns(result)?;
    let span = move |row: &[Option<String>]| {
        let cell = |at: usize| row.get(at)?.as_deref();
        let number = |at: usize| cell(at)?.parse::<i64>().ok();
        let item = |id: usize| columns.ids[id].and_then(|at| result.item(at, cell(at)?));
        Some(ResultSpan {
            name: columns.name.and_then(cell).unwrap_or_default().to_owned(),
            start: number(columns.start)?,
            duration: number(columns.duration).filter(|duration| *duration >= 0)?,
            item: item(0).or_else(|| item(1)),
        })
    };
    Some(result.cells.chunks(result.columns.len().max(1)).filter_map(span))
}

/// The rows with a start and a duration that is not negative. The name of the track says how many others there are.
pub fn track(result: &SqlResult) -> Option<ResultTrackRequest> {
    let spans: Vec<ResultSpan> = spans(result)?.collect();
    let mut name = NAME.to_owned();
    let left_out = u64::from(result.rows) - spans.len() as u64;
    if left_out > 0 {
        name += &format!(" ({} without a start or duration)", text::counted(left_out, "row", "rows"));
    }
    if result.is_cut {
        name += &format!(" (first {} rows)", text::count(result.rows.into()));
    }
    Some(ResultTrackRequest { name, spans })
}

#[cfg(test)]
mod tests {
    use super::*;
    use queryscope::protocol::SqlResultColumn;

    fn result(columns: &[(&str, bool)], cells: &[&str]) -> SqlResult {
        let column = |(name, is_number): &(&str, bool)| SqlResultColumn {
            name: (*name).to_owned(),
            kind: if *is_number { SqlValueKind::Number } else { SqlValueKind::Text },
        };
        SqlResult {
            columns: columns.iter().map(column).collect(),
            cells: cells.iter().map(|cell| (!cell.is_empty()).then(|| (*cell).to_owned())).collect(),
            rows: (cells.len() / columns.len()) as u32,
            ..SqlResult::default()
        }
    }

    #[test]
    fn rows_with_start_and_duration_are_spans() {
        let columns =
            [("kind", false), ("start_ns", true), ("name", false), ("duration_ns", true), ("span_id", true)];
        let cells = [
            "k", "5", "a", "10", "3", "k", "-7", "", "0", "", "k", "", "b", "1", "4", "k", "1", "c", "-1", "",
        ];
        let found = track(&result(&columns, &cells)).expect("a track");
        let spans: Vec<_> = found
            .spans
            .iter()
            .map(|span| (span.name.as_str(), span.start, span.duration, span.item))
            .collect();
        assert_eq!(spans, [("a", 5, 10, Some(3)), ("", -7, 0, None)]);
        assert_eq!(found.name, "SQL result (2 rows without a start or duration)");
    }

    #[test]
    fn columns_are_found_by_their_names() {
        for (columns, expected) in [
            (&[("start", true), ("duration", true)][..], true),
            (&[("ts", true), ("dur", true)], true),
            (&[("time_ns", true), ("duration_ns", true)], true),
            (&[("start_ns", false), ("duration_ns", true)], false),
            (&[("start_ns", true)], false),
            (&[("duration_ns", true)], false),
        ] {
            let cells = vec!["1"; columns.len()];
            assert_eq!(has_track(&result(columns, &cells)), expected, "{columns:?}");
        }
        let events = track(&result(&[("event_id", true), ("time", true), ("dur", true)], &["1", "2", "3"]));
        assert_eq!(events.expect("a track").spans[0].item, Some((1 << 31) | 1));
    }
}
