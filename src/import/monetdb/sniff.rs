//! Whether a text is MonetDB's, and in which shape.

use crate::import::{Head, json};

/// The shape of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Objects in any framing.
    Objects,
}

impl Shape {
    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Objects => "JSON",
        }
    }
}

/// Objects that are looked at: the first may be what a server says about itself, or broken.
const LOOKED_AT: usize = 8;

/// The shape of a MonetDB file; `None` if it is not MonetDB's.
pub fn shape(head: &Head) -> Option<Shape> {
    let text = head.text.trim_start_matches(|c: char| c.is_whitespace() || c < ' ');
    if text.starts_with(['{', '[']) && objects(text) {
        return Some(Shape::Objects);
    }
    None
}

fn objects(text: &str) -> bool {
    let first = text.find('{').into_iter();
    let others = text.match_indices("\n{").map(|(at, _)| at + 1);
    first.chain(others).take(LOOKED_AT).any(|at| is_event(&json::keys(&text[at..])))
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
                Some(Shape::Objects),
            ),
            (
                r#"{"source":"heartbeat","clk":1,"ctime":2,"state":"ping","cpuload":[1.00]}"#,
                Some(Shape::Objects),
            ),
            ("[\n{\"user\":\"m\",\"clk\":1,\"pc\":1,\"tag\":2", Some(Shape::Objects)),
            ("{\"version\":\"1\",\"release\":\"2\"}\n{\"clk\":1,\"pc\":1,\"usec\":2", Some(Shape::Objects)),
            (r#"[{"name":"a","ph":"X","ts":1}]"#, None),
            (r#"{"runId":"a"}"#, None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(shape(&Head { text, complete: true }), expected, "{text}");
        }
    }
}
