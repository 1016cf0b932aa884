//! Recognises Chrome traces and their container.

use crate::import::contract::Head;
use crate::import::json;

/// How the events of a Chrome trace are enclosed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChromeShape {
    /// An array of events.
    Array,
    /// An object that holds the array as `traceEvents`.
    Object,
    /// Events one after the other, without a container.
    Lines,
    /// Events somewhere in a text with an unexpected beginning.
    Inside,
}

impl ChromeShape {
    /// Display name of the shape.
    pub fn name(self) -> &'static str {
        match self {
            ChromeShape::Array => "JSON array",
            ChromeShape::Object => "JSON object",
            ChromeShape::Lines => "JSON lines",
            ChromeShape::Inside => "damaged",
        }
    }
}

/// Keys of sections that no other format has.
const SECTIONS: [&str; 4] = ["traceEvents", "displayTimeUnit", "systemTraceEvents", "stackFrames"];

/// Container of a Chrome trace; `None` if the text is not a Chrome trace.
pub fn shape(head: &Head) -> Option<ChromeShape> {
    let text = head.text.trim_start();
    let beginning: String = text.chars().filter(|c| !c.is_whitespace()).take(5).collect();
    if head.complete && matches!(&*beginning, "[" | "[]" | "[{}" | "[{}]") {
        return Some(ChromeShape::Array);
    }
    let keys = json::keys(&text[text.find('{')?..]);
    let has = |name: &str| keys.iter().any(|key| key == name);
    // The first event may be empty, broken or cut off; the text is then searched for keys.
    let events = has("ph") || !has("traceEvents") && text.contains("\"ph\"") && text.contains("\"ts\"");
    match text.as_bytes() {
        [b'[', ..] => events.then_some(ChromeShape::Array),
        [b'{', ..] if has("traceEvents") && has_list(text) => Some(ChromeShape::Object),
        // The events may begin later in the text, or damage hides where they begin.
        [b'{', ..] if text.contains("\"traceEvents\"") || head.complete && SECTIONS.into_iter().any(has) => {
            (!is_inside(head)).then_some(ChromeShape::Object)
        }
        [b'{', ..] if SECTIONS.into_iter().any(has) => Some(ChromeShape::Object),
        [b'{', ..] => has("ph").then_some(ChromeShape::Lines),
        _ => None,
    }
}

/// Whether an array follows the key `traceEvents`, as far as the head shows.
fn has_list(text: &str) -> bool {
    let is_list = |rest: &str| {
        let value = rest.trim_start().trim_start_matches(':').trim_start();
        value.is_empty() || value.starts_with('[')
    };
    text.split("\"traceEvents\"").skip(1).any(is_list)
}

/// Whether events are found in a text with an unexpected beginning.
pub fn is_inside(head: &Head) -> bool {
    json::has_record(head.text, &["ph", "ts", "name"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_known_by_what_they_hold() {
        let cases = [
            (r#"[{"name":"a","ph":"X","ts":1}]"#, Some(ChromeShape::Array)),
            (" [\n{\"cat\" : \"b\",\"ph\" : \"X\"", Some(ChromeShape::Array)),
            (r#"[{},{"ph":"X","ts":1}]"#, Some(ChromeShape::Array)),
            (r#"{"traceEvents":[]}"#, Some(ChromeShape::Object)),
            (r#"{"metadata":{"a":[{"b":1}]},"traceEvents":["#, Some(ChromeShape::Object)),
            ("{\"ph\":\"B\",\"ts\":1}\n{\"ph\":\"E\"", Some(ChromeShape::Lines)),
            (r#"[{"runId":"a","queryId":"b"}]"#, None),
            (r#"{"nodes":[],"samples":[],"timeDeltas":[]}"#, None),
            (r#"{"$schema":"https://www.speedscope.app/file-format-schema.json"}"#, None),
            (r#"{"projectId":"a","traceId":"b","spans":[]}"#, None),
            ("[ ]\n", Some(ChromeShape::Array)),
            ("[", Some(ChromeShape::Array)),
            ("[{}]", Some(ChromeShape::Array)),
            ("[[]]", None),
            ("{}", None),
            ("ph", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(shape(&Head { text, complete: true }), expected, "{text}");
        }
    }
}
