//! Recognises Kubling files and their shape by their content, never by their name.

use super::log;
use super::schema::{KublingField, KublingNumberField, KublingTextField, field, slot_of};
use super::tables::KublingTableColumns;
use crate::import::contract::Head;
use crate::import::json;

/// How the events of a Kubling file are arranged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KublingShape {
    /// Objects in an array.
    Array,
    /// One object per line.
    Lines,
    /// Consecutive objects that are not one per line.
    Objects,
    /// Rows of a table of the database collector, as JSON.
    JsonTable,
    /// Events or rows in an array inside an object; holds the number of bytes before the first record.
    Wrapped(usize),
    /// A table of the database collector as CSV; holds the delimiter.
    Table(u8),
    /// Events as YAML between the lines of a log.
    Log,
}

impl KublingShape {
    /// Display name of the shape.
    pub fn name(self) -> &'static str {
        match self {
            KublingShape::Array => "JSON array",
            KublingShape::Lines => "JSON lines",
            KublingShape::Objects => "JSON objects",
            KublingShape::JsonTable => "table as JSON",
            KublingShape::Wrapped(_) => "rows in a JSON object",
            KublingShape::Table(_) => "table as CSV",
            KublingShape::Log => "application log",
        }
    }
}

/// Shape of a Kubling file; `None` if it is not Kubling's.
pub fn shape(head: &Head) -> Option<KublingShape> {
    let text = head.text.trim_start();
    if text.starts_with(['[', '{']) {
        let space = head.text.len() - text.len();
        let shape =
            wrapped(text).map(|before| KublingShape::Wrapped(space + before)).or_else(|| json_shape(text));
        if shape.is_some() {
            return shape;
        }
    }
    if let Some(columns) = KublingTableColumns::find(text) {
        return Some(KublingShape::Table(columns.delimiter()));
    }
    if log::looks_like_log(text) {
        return Some(KublingShape::Log);
    }
    // Events as JSON between other text: reading resumes at each record.
    (text.contains("\"runId\"") && text.contains("\"timestamp\"")).then_some(KublingShape::Objects)
}

fn json_shape(text: &str) -> Option<KublingShape> {
    let keys = json::keys(&text[text.find('{')?..]);
    // The first record may be cut off or broken; the text is then searched for keys.
    if is_event(&keys) || (text.contains("\"runId\"") && text.contains("\"timestamp\"")) {
        return Some(framing(text));
    }
    is_row(&keys).then_some(KublingShape::JsonTable)
}

fn is_event(keys: &[String]) -> bool {
    let is = |name: &str| keys.iter().any(|key| key == name);
    let envelope = ["runId", "queryId", "vdbName", "timestamp", "type"];
    is("runId") || envelope.into_iter().filter(|name| is(name)).count() >= 2
}

fn is_row(keys: &[String]) -> bool {
    let columns: Vec<_> = keys.iter().filter_map(|key| slot_of(key)).map(field).collect();
    let row = [
        KublingField::Text(KublingTextField::Run),
        KublingField::Text(KublingTextField::Query),
        KublingField::Num(KublingNumberField::Timestamp),
    ];
    row.iter().all(|wanted| columns.contains(wanted))
}

/// Position of the first record if it is in an array inside an object; `None` if the records are at the top level.
fn wrapped(text: &str) -> Option<usize> {
    if !text.starts_with('{') || is_event(&json::keys(text)) {
        return None;
    }
    // Descriptions of columns may precede the rows, in a few arrays at most.
    let is_record = |keys: &[String]| keys.iter().any(|key| key == "runId") || is_row(keys);
    json::first_elements(text).take(8).find(|&at| is_record(&json::keys(&text[at..])))
}

fn framing(text: &str) -> KublingShape {
    let first_line = text.lines().next().unwrap_or("").trim_end();
    match text.as_bytes() {
        [b'[', ..] => KublingShape::Array,
        _ if first_line.ends_with('}') && !first_line.contains("}{") => KublingShape::Lines,
        _ => KublingShape::Objects,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_known_by_what_they_hold() {
        let log = "04-11-2025 11:35:19.469 INFO  - [CORE] started\n";
        let cases = [
            (r#"[{"runId":"a","queryId":"b"}]"#, Some(KublingShape::Array)),
            ("{\"runId\":\"a\",\"type\":\"b\"}\n{}", Some(KublingShape::Lines)),
            ("{\n  \"runId\": \"a\",\n  \"type\"", Some(KublingShape::Objects)),
            (r#"[{"RUN_ID":"a","QUERY_ID":"b","TS_NANOS":1}]"#, Some(KublingShape::JsonTable)),
            (r#" {"rows":[{"RUN_ID":"a","QUERY_ID":"b","TS_NANOS":1}]}"#, Some(KublingShape::Wrapped(10))),
            (r#"{"x":[{"name":"id"}],"y":[{"runId":"a"}]}"#, Some(KublingShape::Wrapped(26))),
            (r#"{"runId":"a","queryId":"b","more":[{"runId":"a"}]}"#, Some(KublingShape::Lines)),
            ("query_id;run_id;ts_nanos\n", Some(KublingShape::Table(b';'))),
            ("QUERY_ID,RUN_ID,TS_NANOS,SQL_TEXT\n", Some(KublingShape::Table(b','))),
            (log, Some(KublingShape::Log)),
            ("---\nrunId: \"a\"\nqueryId: \"b\"\n", Some(KublingShape::Log)),
            (r#"[{"name":"a","ph":"X","ts":1}]"#, None),
            ("a,b,c\n1,2,3\n", None),
            ("hello\n", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(shape(&Head { text, complete: true }), expected, "{text}");
        }
    }
}
