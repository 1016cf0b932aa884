//! Labels of bars.

use crate::base::text;
use crate::trace::{Item, Kind, Span, SpanId, Trace, TrackId, TrackKind, key};

/// Maximum number of characters of a label; a longer label is wider than a screen.
const LENGTH: usize = 200;

/// Returns the label of a span's bar.
pub(super) fn of_span(trace: &Trace, id: SpanId) -> String {
    let span = trace.spans.get(id);
    match span.kind {
        Kind::Query => {
            let sql = trace.text(Item::Span(id), key::SQL);
            one_line(trace.str(sql.unwrap_or(span.name)))
        }
        Kind::Execution => execution(trace, id, &span),
        _ => one_line(trace.str(span.name)),
    }
}

/// Returns the SQL of a query's track; `None` for other tracks, and if the trace does not have the SQL.
pub(super) fn statement_of(trace: &Trace, track: TrackId) -> Option<String> {
    if trace.tracks.kind(track) != TrackKind::Query {
        return None;
    }
    let query = trace.tracks.spans(track).map(SpanId).find(|id| trace.spans.kind(*id) == Kind::Query)?;
    let sql = trace.text(Item::Span(query), key::SQL)?;
    Some(one_line(trace.str(sql))).filter(|sql| !sql.is_empty())
}

/// Returns the label of an execution, such as "OrdersAPI  27.42 ms · 102,944 → 250 rows".
fn execution(trace: &Trace, id: SpanId, span: &Span) -> String {
    let item = Item::Span(id);
    let name = trace.inherited_text(item, key::DATASOURCE).unwrap_or(span.name);
    let mut label = format!("{}  {}", one_line(trace.str(name)), text::duration(trace.duration(id)));
    let [read, returned] = [key::ROWS_READ, key::ROWS_RETURNED].map(|key| trace.num(item, key));
    let rows = match (read, returned) {
        (Some(read), Some(returned)) => format!("{} → {} rows", text::count(read), text::count(returned)),
        (Some(read), None) => format!("{} rows read", text::count(read)),
        (None, Some(returned)) => format!("{} rows returned", text::count(returned)),
        (None, None) => return label,
    };
    label.push_str(" · ");
    label.push_str(&rows);
    label
}

/// Returns the beginning of a text as a single line: each run of white space and control characters becomes one space.
pub(super) fn one_line(whole: &str) -> String {
    let mut line = String::new();
    let mut blank = false;
    let mut n_chars = 0;
    // A text may consist of a hundred megabytes of white space: only its start is read.
    for c in whole.chars().take(LENGTH * 20) {
        if c.is_whitespace() || c.is_control() {
            blank = n_chars > 0;
            continue;
        }
        let needed = 1 + usize::from(blank);
        if n_chars + needed >= LENGTH {
            line.push('…');
            break;
        }
        if std::mem::take(&mut blank) {
            line.push(' ');
        }
        line.push(text::visible(c));
        n_chars += needed;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_one_line() {
        let check = |text: &str, line: &str| assert_eq!(one_line(text), line);
        check(" SELECT *\n\tFROM t ", "SELECT * FROM t");
        check("", "");
        check("a\u{0}b", "a b");
        // Characters that change the text direction are shown as U+FFFD.
        check("a\u{202e}b", "a\u{fffd}b");
        assert_eq!(one_line(&"x".repeat(LENGTH - 1)).chars().count(), LENGTH - 1);
        assert_eq!(one_line(&"x".repeat(1_000_000)).chars().count(), LENGTH);
    }
}
