//! Whether a text is Kubling's, and in which shape: by what stands in it, never by the file's name.

use super::log;
use super::schema::{Field, Num, Text, field, slot_of};
use super::tables::Columns;
use crate::import::{Head, json};

/// The shape of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Objects in an array.
    Array,
    /// One object per line.
    Lines,
    /// Objects one after the other, laid out in some other way.
    Objects,
    /// Rows of a table of the database collector, as JSON.
    JsonTable,
    /// A table of the database collector, with this between its cells.
    Table(u8),
    /// Events as YAML between the lines of a log.
    Log,
}

impl Shape {
    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Array => "JSON array",
            Shape::Lines => "JSON lines",
            Shape::Objects => "JSON objects",
            Shape::JsonTable => "table as JSON",
            Shape::Table(_) => "table as CSV",
            Shape::Log => "application log",
        }
    }
}

/// The shape of a Kubling file; `None` if it is not Kubling's.
pub fn shape(head: &Head) -> Option<Shape> {
    let text = head.text.trim_start();
    if text.starts_with(['[', '{'])
        && let Some(shape) = json_shape(text)
    {
        return Some(shape);
    }
    if let Some(columns) = Columns::find(text) {
        return Some(Shape::Table(columns.delimiter()));
    }
    if log::looks_like_log(text) {
        return Some(Shape::Log);
    }
    // Events as JSON between other text: reading resumes at every record.
    (text.contains("\"runId\"") && text.contains("\"timestamp\"")).then_some(Shape::Objects)
}

fn json_shape(text: &str) -> Option<Shape> {
    let keys = json::keys(&text[text.find('{')?..]);
    let is = |name: &str| keys.iter().any(|key| key == name);
    let envelope = ["runId", "queryId", "vdbName", "timestamp", "type"];
    let known = envelope.into_iter().filter(|name| is(name)).count();
    // The first record may be cut off, or broken: then the text tells.
    let events = known >= 2 || is("runId") || (text.contains("\"runId\"") && text.contains("\"timestamp\""));
    if events {
        return Some(framing(text));
    }
    let columns: Vec<_> = keys.iter().filter_map(|key| slot_of(key)).map(field).collect();
    let row = [Field::Text(Text::Run), Field::Text(Text::Query), Field::Num(Num::Timestamp)];
    row.iter().all(|wanted| columns.contains(wanted)).then_some(Shape::JsonTable)
}

fn framing(text: &str) -> Shape {
    let first_line = text.lines().next().unwrap_or("").trim_end();
    match text.as_bytes() {
        [b'[', ..] => Shape::Array,
        _ if first_line.ends_with('}') && !first_line.contains("}{") => Shape::Lines,
        _ => Shape::Objects,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_known_by_what_they_hold() {
        let log = "04-11-2025 11:35:19.469 INFO  - [CORE] started\n";
        let cases = [
            (r#"[{"runId":"a","queryId":"b"}]"#, Some(Shape::Array)),
            ("{\"runId\":\"a\",\"type\":\"b\"}\n{}", Some(Shape::Lines)),
            ("{\n  \"runId\": \"a\",\n  \"type\"", Some(Shape::Objects)),
            (r#"[{"RUN_ID":"a","QUERY_ID":"b","TS_NANOS":1}]"#, Some(Shape::JsonTable)),
            ("query_id;run_id;ts_nanos\n", Some(Shape::Table(b';'))),
            ("QUERY_ID,RUN_ID,TS_NANOS,SQL_TEXT\n", Some(Shape::Table(b','))),
            (log, Some(Shape::Log)),
            ("---\nrunId: \"a\"\nqueryId: \"b\"\n", Some(Shape::Log)),
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
