//! Whether a text is a trace of TopoExec, and in which of its shapes.

use crate::import::contract::Head;
use crate::import::json;

/// How the events are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TopoExecShape {
    /// An object that holds them as `trace`.
    Object,
    /// Events alone, in an array or one after the other.
    Bare,
    /// The Chrome export: an object that holds them as `traceEvents`, or these alone.
    Chrome,
    /// What `observe` streams, one object per line.
    Observed,
    /// What `observe --record` writes next to the trace: metrics, health events, the list of its files.
    Sidecar,
    /// Events somewhere in a text that does not begin as it should.
    Inside,
}

impl TopoExecShape {
    /// Display name of the shape.
    pub fn name(self) -> &'static str {
        match self {
            TopoExecShape::Object => "JSON object",
            TopoExecShape::Bare => "JSON array",
            TopoExecShape::Chrome => "Chrome export",
            TopoExecShape::Observed => "observed events",
            TopoExecShape::Sidecar => "run data without a trace",
            TopoExecShape::Inside => "damaged",
        }
    }
}

/// The shape of a trace; `None` if the text is none.
pub fn shape(head: &Head) -> Option<TopoExecShape> {
    let text = head.text.trim_start();
    let keys = json::keys(&text[text.find('{')?..]);
    let has = |name: &str| keys.iter().any(|key| key == name);
    let timed = has("start_offset_ns") || text.contains("\"start_offset_ns\"");
    // Keys stand in the order of the alphabet: of a run, the version of its metrics comes long before the trace.
    let versions = ["trace_event_count", "trace_schema_version", "metric_schema_version"];
    if text.starts_with('{') && has("observe_schema_version") && has("kind") {
        Some(TopoExecShape::Observed)
    } else if has("start_offset_ns") && has("name") {
        Some(TopoExecShape::Bare)
    } else if (has("traceEvents") || has("ph")) && is_export(head)
        || has("traceEvents") && has("trace_schema_version") && !text.contains("\"ph\"")
    {
        Some(TopoExecShape::Chrome)
    } else if has("trace") && (timed || versions.into_iter().any(has))
        || has("graph_name") && has(versions[2])
    {
        Some(TopoExecShape::Object)
    } else if is_sidecar(&has) {
        Some(TopoExecShape::Sidecar)
    } else {
        None
    }
}

/// Whether nothing but an array is around the events of a text that is of this shape.
pub fn is_bare(shape: TopoExecShape, head: &Head) -> bool {
    let text = head.text.trim_start();
    let is_whole = || json::keys(&text[text.find('{').unwrap_or(0)..]).iter().any(|key| key == "traceEvents");
    match shape {
        TopoExecShape::Bare | TopoExecShape::Observed | TopoExecShape::Inside => true,
        TopoExecShape::Chrome => !is_whole(),
        TopoExecShape::Object | TopoExecShape::Sidecar => false,
    }
}

/// Whether there are events in a text that does not begin as it should.
pub fn is_inside(head: &Head) -> bool {
    json::has_record(head.text, &["start_offset_ns", "name"])
}

/// Whether a file holds what is recorded next to a trace. The JSON of a run has these lists, too, after the graph's name.
fn is_sidecar(has: &dyn Fn(&str) -> bool) -> bool {
    has("artifact_schema_version") && has("files")
        || !has("graph_name") && (has("metric_schema_version") && has("metrics") || has("health_events"))
}

/// What a file of a recorded folder is that holds no events (`write_record_artifact` in
/// `tools/topoexec/main.cpp`).
pub fn without_events(head: &Head) -> Option<&'static str> {
    let text = head.text.trim_start();
    let begins = |key: &str| text.lines().any(|line| line.starts_with(key));
    if text.starts_with('{') {
        let keys = json::keys(text);
        let has = |name: &str| keys.iter().any(|key| key == name);
        return if has("compiled_regions") {
            Some("the plan of a graph")
        } else if has("components") && has("graph_schema_version") {
            Some("a graph")
        } else {
            None
        };
    }
    if begins("assertion_schema_version:") {
        Some("assertions of a run")
    } else if begins("schema_version:") && begins("graph:") && begins("components:") {
        Some("a graph")
    } else if text.starts_with("flowchart ") && text.contains("\n  %% graph: ") {
        Some("a drawing of a graph")
    } else if text.starts_with("<!doctype html>") && text.contains("<title>TopoExec ") {
        Some("a page about a recorded folder")
    } else {
        None
    }
}

/// Whether all events that can be seen are of the category that the Chrome export gives them.
fn is_export(head: &Head) -> bool {
    let text = head.text;
    let own = |rest: &str| {
        let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
        value.is_some_and(|value| value.starts_with("\"topoexec\""))
    };
    let mut categories = text.match_indices("\"cat\"").map(|(at, key)| own(&text[at + key.len()..]));
    categories.next().unwrap_or(false) && {
        let rest: Vec<bool> = categories.collect();
        // The last one may be cut off.
        rest.iter().rev().skip(usize::from(!head.complete)).all(|own| *own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_events_are_known() {
        let cases = [
            ("{\n  \"compiled_regions\": [],\n  \"component_region\": {}\n}", Some("the plan of a graph")),
            (
                r#"{"components":[{"id":"a"}],"edges":[],"graph_name":"g","graph_schema_version":1}"#,
                Some("a graph"),
            ),
            (
                "# A graph.\nschema_version: 1\ngraph:\n  name: minimal\ncomponents:\n  - id: a\n",
                Some("a graph"),
            ),
            ("assertion_schema_version: \"1\"\nassertions: []\n", Some("assertions of a run")),
            ("flowchart TD\n  %% graph: minimal\n  a[\"a\"]\n", Some("a drawing of a graph")),
            (
                "<!doctype html><meta charset=\"utf-8\"><title>TopoExec Live Artifact</title>",
                Some("a page about a recorded folder"),
            ),
            ("schema_version: 1\nusers:\n", None),
            ("flowchart TD\n  a --> b\n", None),
            (r#"{"components":[]}"#, None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(without_events(&Head { text, complete: true }), expected, "{text}");
        }
    }

    #[test]
    fn shapes_are_known_by_what_they_hold() {
        let cases = [
            (
                r#"{"errors":[],"graph_name":"a","ok":true,"trace":[{"name":"b","start_offset_ns":0}"#,
                Some(TopoExecShape::Object),
            ),
            (
                r#"{"graph_name":"a","ok":false,"trace":[],"trace_event_count":0}"#,
                Some(TopoExecShape::Object),
            ),
            (r#"{"trace":[],"trace_schema_version":1}"#, Some(TopoExecShape::Object)),
            (
                r#"{"component_count":3,"graph_name":"a","metric_schema_version":"1","metrics":["#,
                Some(TopoExecShape::Object),
            ),
            (r#"[{"attributes":{},"name":"a","start_offset_ns":1}]"#, Some(TopoExecShape::Bare)),
            (
                r#"{"kind":"symbol_table","observe_schema_version":"1","run_id":"r"}"#,
                Some(TopoExecShape::Observed),
            ),
            (r#"{"traceEvents":[{"cat": "topoexec","name":"a","ph":"X"}]}"#, Some(TopoExecShape::Chrome)),
            (
                r#"[{"cat": "topoexec","name":"a","ph":"X"},{"cat":"topoexec","ph":"X"}]"#,
                Some(TopoExecShape::Chrome),
            ),
            ("{\"cat\":\"topoexec\",\"ph\":\"X\"}\n{\"cat\":\"topoexec\"", Some(TopoExecShape::Chrome)),
            (r#"{"traceEvents":[],"trace_schema_version":"1"}"#, Some(TopoExecShape::Chrome)),
            (r#"[{"cat":"topoexec","ph":"X"},{"cat":"v8","ph":"X"},{"cat":"v8","ph":"X"}]"#, None),
            (r#"{"traceEvents":[{"cat":"topoexec"},{"cat":"v8"},{"cat":"v8"}]}"#, None),
            (r#"{"traceEvents":[{"cat":"v8"}]}"#, None),
            (r#"{"metric_schema_version":"1","metrics":[]}"#, Some(TopoExecShape::Sidecar)),
            (r#"{"health_events":[{"kind":"task_reject"}]}"#, Some(TopoExecShape::Sidecar)),
            (r#"{"artifact_schema_version":"1","files":{},"graph_name":"a"}"#, Some(TopoExecShape::Sidecar)),
            (r#"{"event_kinds":{},"graph_name":"a","trace_event_count":3,"trace_schema_version":"1"}"#, None),
            (r#"{"trace":[{"name":"b"}]}"#, None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(shape(&Head { text, complete: true }), expected, "{text}");
        }
    }
}
