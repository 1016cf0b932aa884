//! Detects traces of TopoExec and their format variant.

use crate::import::contract::Head;
use crate::import::json;

/// Format variant of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TopoExecShape {
    /// An object with a member `trace` that holds the events.
    Object,
    /// Events without an enclosing object, in an array or one after the other.
    Bare,
    /// The Chrome export: an object with a member `traceEvents`, or the array alone.
    Chrome,
    /// Output of `observe`, one object per line.
    Observed,
    /// Files that `observe --record` writes next to the trace: metrics, health events, the list of its files.
    Sidecar,
    /// Events that follow unexpected text at the start of a file.
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

/// Format variant of a trace; `None` if the text is not a trace of TopoExec.
pub fn shape(head: &Head) -> Option<TopoExecShape> {
    let text = head.text.trim_start();
    let keys = json::keys(&text[text.find('{')?..]);
    let has = |name: &str| keys.iter().any(|key| key == name);
    let timed = has("start_offset_ns") || text.contains("\"start_offset_ns\"");
    // Keys are sorted alphabetically: in a run, the version of the metrics comes long before the trace.
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

/// Whether the events of a text of this variant are at the top level or in an array, and not inside an object.
pub fn is_bare(shape: TopoExecShape, head: &Head) -> bool {
    let text = head.text.trim_start();
    let is_whole = || json::keys(&text[text.find('{').unwrap_or(0)..]).iter().any(|key| key == "traceEvents");
    match shape {
        TopoExecShape::Bare | TopoExecShape::Observed | TopoExecShape::Inside => true,
        TopoExecShape::Chrome => !is_whole(),
        TopoExecShape::Object | TopoExecShape::Sidecar => false,
    }
}

/// Whether the text contains events after an unexpected beginning.
pub fn is_inside(head: &Head) -> bool {
    json::has_record(head.text, &["start_offset_ns", "name"])
}

/// Whether a file is a sidecar of a trace. The JSON of a run also has metrics and health events, but has the graph's
/// name.
fn is_sidecar(has: &dyn Fn(&str) -> bool) -> bool {
    has("artifact_schema_version") && has("files")
        || !has("graph_name") && (has("metric_schema_version") && has("metrics") || has("health_events"))
}

/// Describes a file of a recorded folder that has no events (`write_record_artifact` in `tools/topoexec/main.cpp`).
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

/// Whether all events in the head of a file have the category of the Chrome export.
fn is_export(head: &Head) -> bool {
    let text = head.text;
    let own = |rest: &str| {
        let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
        value.is_some_and(|value| value.starts_with("\"topoexec\""))
    };
    let mut categories = text.match_indices("\"cat\"").map(|(at, key)| own(&text[at + key.len()..]));
    categories.next().unwrap_or(false) && {
        let rest: Vec<bool> = categories.collect();
        // The last category may be cut off.
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
