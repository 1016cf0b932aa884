//! speedscope: the published schema accepts every file, and a walk of its events finds the spans of the trace.

use queryscope::export::ForeignFormat;
use queryscope::trace::{Item, SpanId, Trace};
use serde_json::Value;

use super::{count_of, n_events, n_flows, name_of, sessions, written};

/// The schema that speedscope's npm package publishes (version 1.25.0, MIT License).
const SCHEMA: &str = include_str!("speedscope-schema.json");

/// A JSON schema, and the subset of its rules that speedscope's schema consists of.
struct Schema(Value);

/// Rules that [`Schema`] checks, and words that are no rules.
const RULES: [&str; 11] = [
    "$ref",
    "$schema",
    "anyOf",
    "const",
    "definitions",
    "enum",
    "items",
    "properties",
    "required",
    "title",
    "type",
];

impl Schema {
    fn new() -> Self {
        Self(serde_json::from_str(SCHEMA).expect("the schema is JSON"))
    }

    /// Whether a value satisfies the schema.
    fn accepts(&self, value: &Value) -> bool {
        self.matches(&self.0, value)
    }

    fn matches(&self, rules: &Value, value: &Value) -> bool {
        let rules = rules.as_object().expect("a schema is an object");
        rules.iter().all(|(rule, of)| self.follows(rule, of, value))
    }

    fn follows(&self, rule: &str, of: &Value, value: &Value) -> bool {
        assert!(RULES.contains(&rule), "unknown rule {rule}");
        let strings = || of.as_array().expect("a list").iter().filter_map(Value::as_str);
        match rule {
            "$ref" => {
                let name =
                    of.as_str().and_then(|of| of.strip_prefix('#')).expect("a reference in the schema");
                self.matches(self.0.pointer(name).expect("a definition"), value)
            }
            "anyOf" => of.as_array().expect("a list").iter().any(|rules| self.matches(rules, value)),
            "const" => value == of,
            "enum" => of.as_array().expect("a list").contains(value),
            "items" => {
                value.as_array().is_none_or(|values| values.iter().all(|value| self.matches(of, value)))
            }
            "properties" => {
                let rules = of.as_object().expect("properties");
                rules.iter().all(|(key, rules)| value.get(key).is_none_or(|value| self.matches(rules, value)))
            }
            "required" => {
                value.as_object().is_none_or(|object| strings().all(|key| object.contains_key(key)))
            }
            "type" => match of.as_str() {
                Some("number") => value.is_number(),
                Some("string") => value.is_string(),
                Some("array") => value.is_array(),
                Some("object") => value.is_object(),
                other => panic!("unknown type {other:?}"),
            },
            _ => true,
        }
    }
}

fn whole(value: &Value) -> i128 {
    value.to_string().parse().unwrap_or_else(|_| panic!("{value} is no whole number"))
}

/// Name, start and end of every span of a profile. Events must be in the order of time and nest.
fn walk(profile: &Value, frames: &[&str]) -> Vec<(String, i128, i128)> {
    let (first, last) = (whole(&profile["startValue"]), whole(&profile["endValue"]));
    let mut time = first;
    let mut open: Vec<(usize, i128)> = Vec::new();
    let mut found = Vec::new();
    for event in profile["events"].as_array().expect("events") {
        let (frame, at) = (whole(&event["frame"]) as usize, whole(&event["at"]));
        assert!(at >= time && at <= last, "{event} after {time}");
        time = at;
        match event["type"].as_str() {
            Some("O") => open.push((frame, at)),
            Some("C") => {
                let (opened, start) = open.pop().expect("an open frame");
                assert_eq!(opened, frame, "{event}");
                found.push((frames[frame].to_owned(), start, at));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(open.is_empty() && time == last && !found.is_empty(), "{}", profile["name"]);
    found
}

/// Name, start and end of all spans. Times of a run that has spans beyond 2^53 ns count from its first span.
fn since_base(trace: &Trace) -> Vec<(String, i128, i128)> {
    let mut all = Vec::new();
    for run in &trace.runs {
        let spans = || trace.tracks.subtree_spans(run.track).map(SpanId);
        let bounds = || spans().map(|id| trace.spans.bounds(id));
        let is_large = bounds().any(|(start, end)| start.unsigned_abs().max(end.unsigned_abs()) > 1 << 53);
        let base =
            i128::from(bounds().map(|(start, _)| start).min().filter(|_| is_large).unwrap_or_default());
        all.extend(spans().map(|id| {
            let (start, end) = trace.spans.bounds(id);
            (name_of(trace, Item::Span(id)), i128::from(start) - base, i128::from(end) - base)
        }));
    }
    all.sort();
    all
}

#[test]
fn profiles_hold_all_spans() {
    let schema = Schema::new();
    for (name, session) in sessions() {
        let (text, summary) = written(&session, ForeignFormat::Speedscope);
        let file: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(schema.accepts(&file), "{name}: {text}");
        let frames = file["shared"]["frames"].as_array().expect("frames");
        let frames: Vec<&str> = frames.iter().map(|frame| frame["name"].as_str().expect("a name")).collect();
        let profiles = file["profiles"].as_array().expect("profiles");
        let mut found: Vec<_> = profiles.iter().flat_map(|profile| walk(profile, &frames)).collect();
        found.sort();
        assert_eq!(found, since_base(session.trace()), "{name}");
        let (samples, events) = n_events(session.trace());
        let counted = [["counter sample", "counter samples"], ["event", "events"], ["arrow", "arrows"]]
            .map(|nouns| count_of(&summary.not_written, nouns));
        assert_eq!(counted, [samples, events, n_flows(session.trace())], "{name}");
    }
}

#[test]
fn the_schema_refuses_what_is_no_profile() {
    let schema = Schema::new();
    let (text, _) = written(&super::limit(super::LIMITS[1].1), ForeignFormat::Speedscope);
    for (from, to) in
        [("\"O\"", "\"X\""), ("\"at\"", "\"when\""), ("nanoseconds", "weeks"), ("evented", "even")]
    {
        let broken: Value = serde_json::from_str(&text.replace(from, to)).expect("JSON");
        assert!(text.contains(from) && !schema.accepts(&broken), "{from}");
    }
}

/// Times beyond 2^53 ns, with what is exactly written instead.
#[test]
fn large_times_count_from_the_first_span() {
    const START: i64 = (1 << 53) + 1;
    let text = format!(
        "{{\"run\":\"r\"}} {{\"track\":\"t\",\"kind\":\"thread\"}} {{\"span\":\"s\",\"start\":{START},\"duration\":7}}"
    );
    let (text, summary) = written(&super::limit(&text), ForeignFormat::Speedscope);
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let profile = &file["profiles"][0];
    assert_eq!((whole(&profile["startValue"]), whole(&profile["endValue"])), (0, 7));
    assert_eq!(summary.notes, ["times beyond 2^53 ns count from the first span of their run"]);
}
