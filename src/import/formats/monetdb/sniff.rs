//! Detects MonetDB's files and their format variant.

use super::mal::{begins_like_mal, looks_like_mal};
use super::{columns, grid, line};
use crate::import::contract::Head;
use crate::import::json;

/// Format variant of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MonetDbShape {
    /// JSON objects in any framing.
    Objects,
    /// Bracket tuples, with or without a header.
    Tuples,
    /// Dictionaries in Python's notation.
    Python,
    /// Values without names, in brackets.
    Line,
    /// A table of `mclient`, with `+---+` borders.
    Grid,
    /// A table with one value per line.
    Expanded,
    /// A table as XML.
    Xml,
    /// A table with this separator between its cells.
    Delimited(u8),
}

impl MonetDbShape {
    /// Display name of the shape.
    pub fn name(self) -> &'static str {
        match self {
            MonetDbShape::Objects => "JSON",
            MonetDbShape::Tuples => "tuples",
            MonetDbShape::Python => "Python dictionaries",
            MonetDbShape::Line => "lists of values",
            MonetDbShape::Grid => "table of mclient",
            MonetDbShape::Expanded => "expanded table of mclient",
            MonetDbShape::Xml => "table as XML",
            MonetDbShape::Delimited(_) => "delimited table",
        }
    }
}

/// Maximum number of lines that are examined: the result of a statement may precede its trace, and a prompt or the rest of
/// a truncated record may precede the events.
const MANY_LINES: usize = 2000;
/// Maximum number of objects that are examined: the first object may be a server's description of itself, or broken.
const LOOKED_AT: usize = 64;

/// Variant of a MonetDB file, identified by the first line that is typical of a variant; `None` if the file is not from
/// MonetDB.
pub fn shape(head: &Head) -> Option<MonetDbShape> {
    let text = head.text.trim_start_matches(|c: char| c.is_whitespace() || c < ' ');
    let (mut at, mut objects) = (0, 0);
    for line in text.split_inclusive('\n').take(MANY_LINES) {
        if begins_object(&text[at..]) && objects < LOOKED_AT {
            objects += 1;
            if is_event(&json::keys(&text[at + text[at..].find('{')?..])) {
                return Some(MonetDbShape::Objects);
            }
        }
        if let Some(shape) = of_line(line) {
            return Some(shape);
        }
        at += line.len();
    }
    delimited(text)
}

/// Whether the text begins with an object or an array of objects.
fn begins_object(text: &str) -> bool {
    text.starts_with('{') || text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'))
}

/// Variant that a single line identifies; `None` if the line identifies no variant.
fn of_line(line: &str) -> Option<MonetDbShape> {
    let line = line.trim_end();
    let names = |by: &str| columns::of_header(line.trim_matches('|').split(by)).is_some();
    if let Some(inner) = line.strip_prefix("[ ") {
        return columns::of_tuple(inner).map(|_| MonetDbShape::Tuples);
    }
    match line.as_bytes() {
        [b'#' | b'%', ..] => {
            let names = line[1..].rsplit_once('#').filter(|(_, what)| what.trim() == "name");
            names.and_then(|(names, _)| columns::of_header(names.split(','))).map(|_| MonetDbShape::Tuples)
        }
        [b'{', b'\'', ..] => {
            (line.contains("'clk': ") && line.contains("'usec': ")).then_some(MonetDbShape::Python)
        }
        [b'[', ..] if line::begins(line) => line::is_ours(line).then_some(MonetDbShape::Line),
        [b'|', ..] => (names("|") || grid::bare(line).is_some()).then_some(MonetDbShape::Grid),
        _ if line.starts_with("usec ") && line.contains(" | ") => Some(MonetDbShape::Expanded),
        _ if line.starts_with("statement ")
            && line.split_once(" | ").is_some_and(|of| begins_like_mal(of.1)) =>
        {
            Some(MonetDbShape::Expanded)
        }
        _ if line.contains("<column name=\"usec\">") => Some(MonetDbShape::Xml),
        _ => None,
    }
}

/// Detects a table of `mclient`, which has no header: its instructions show that it is from MonetDB.
fn delimited(text: &str) -> Option<MonetDbShape> {
    let by = |by: u8| {
        let is_row = |line: &&str| {
            let (first, rest) = line.split_once(char::from(by)).unwrap_or(("", ""));
            let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
            let is_ours = |cell: &str| looks_like_mal(cell.trim_start_matches('"'));
            // The last column of `sys.tracelog()` up to 2019.
            let last = || rest.splitn(columns::TRACELOG_NAMES.len() - 1, char::from(by)).nth(11);
            is_number && (is_ours(rest) || last().is_some_and(is_ours))
        };
        let rows = text.lines().take(MANY_LINES).filter(is_row).take(2).count();
        (rows == 2 || rows == 1 && text.contains("querylog.define(")).then_some(MonetDbShape::Delimited(by))
    };
    [b',', b';', b'\t', b'|'].into_iter().find_map(by)
}

fn is_event(keys: &[String]) -> bool {
    let has = |name: &str| keys.iter().any(|key| key == name);
    let timed = has("clk") || has("relative_time");
    timed && (has("phase") || has("cpuload") || has("pc") && (has("tag") || has("usec")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_known_by_what_they_hold() {
        let cases = [
            (
                r#"{"sessionid":"1", "clk":70962105, "thread":10, "phase":"session_start", "usec":0}"#,
                Some(MonetDbShape::Objects),
            ),
            (
                r#"{"source":"heartbeat","clk":1,"ctime":2,"state":"ping","cpuload":[1.00]}"#,
                Some(MonetDbShape::Objects),
            ),
            ("[\n{\"user\":\"m\",\"clk\":1,\"pc\":1,\"tag\":2", Some(MonetDbShape::Objects)),
            (
                "{\"version\":\"1\",\"release\":\"2\"}\n{\"clk\":1,\"pc\":1,\"usec\":2",
                Some(MonetDbShape::Objects),
            ),
            ("# event,\ttime,\tpc,\tthread,\tusec,\tstmt,\t# name \n", Some(MonetDbShape::Tuples)),
            (
                "-- opened\n[ 1,\t\"05:54:46.6\",\t\"user.f[0]0\",\t0,\t\"ping\",\t0,\t",
                Some(MonetDbShape::Tuples),
            ),
            ("% a # table_name\n[ 1\t]\n% usec,\tstatement # name\n", Some(MonetDbShape::Tuples)),
            ("{'clk': 1, 'usec': 2}", Some(MonetDbShape::Python)),
            ("[1,\t70962105,\t10,\tsession_start,\t0]", Some(MonetDbShape::Line)),
            ("[1589451477967224,\tstart,\tsql.bind(X_1);]", Some(MonetDbShape::Line)),
            ("1 tuple\n+--+--+\n| usec | statement |\n", Some(MonetDbShape::Grid)),
            ("-[ RECORD 1 ]-\nusec      | 5\n", Some(MonetDbShape::Expanded)),
            ("<row><column name=\"usec\">17</column>", Some(MonetDbShape::Xml)),
            ("4.5\n3,\"    X_1 := querylog.define(\"\"a\"\");\"\n", Some(MonetDbShape::Delimited(b','))),
            ("1\ta.b();\n2\ta.c();\n", Some(MonetDbShape::Delimited(b'\t'))),
            ("1,2\n3,4\n", None),
            (r#"[{"name":"a","ph":"X","ts":1}]"#, None),
            (r#"{"runId":"a"}"#, None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(shape(&Head { text, complete: true }), expected, "{text}");
        }
    }
}
