//! Rules about the events with which a TopoExec runtime reports trouble.

use super::RuleHit;
use super::context::FindingContext;
use crate::base::{FxHashMap, text};
use crate::stats::details::written;
use crate::trace::{EventId, Flags, Item, SpanId, StrId};

/// Names of the events of tasks that exceeded their deadline or time budget, each with what the track of the event did.
const OVERRUNS: [(&str, &str); 4] = [
    ("fixed_rate_overrun", "ran a tick too late"),
    ("fixed_rate_skipped_tick", "skipped a tick"),
    ("component_timeout_budget_exceeded", "exceeded the time budget"),
    ("loop_budget_overrun", "exceeded its budget"),
];
/// Names of the events of rejected tasks or messages, each with what the track of the event did.
const REJECTED: [(&str, &str); 6] = [
    ("async_reject", "rejected an asynchronous message"),
    ("async_drop", "dropped an asynchronous message"),
    ("task_reject", "rejected a task"),
    ("scheduler_reject", "rejected a task"),
    ("channel_overflow", "reported a full queue"),
    ("async_admission", "rejected an asynchronous message"),
];
/// Names of the events of messages that were dropped because they were too old, each with what the track of the event did.
const STALE: [(&str, &str); 2] =
    [("channel_stale_drop", "dropped a stale message"), ("channel_deadline_miss", "missed a deadline")];
/// Names of the events of loops that ended without converging, each with what the track of the event did.
const NOT_CONVERGED: [(&str, &str); 2] = [
    ("loop_max_iterations_hit", "reached the maximum number of iterations"),
    ("loop_output_discarded", "discarded its output"),
];

pub fn overruns(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    named(context, &OVERRUNS)
}

pub fn rejected(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    named(context, &REJECTED)
}

pub fn stale(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    named(context, &STALE)
}

/// Finds loops that ended without converging. They end after their last iteration, in the span around the iterations: the
/// affected time is that of the iterations.
pub fn not_converged(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    let trace = context.trace;
    let mut hits = named(context, &NOT_CONVERGED);
    let Some(id) = trace.key("loop_id").filter(|_| !hits.is_empty()) else { return hits };
    let iteration = trace.strings.find("loop_iteration");
    let mut times: FxHashMap<(SpanId, StrId), i64> = FxHashMap::default();
    for span in (0..trace.spans.len() as u32).map(SpanId) {
        if Some(trace.spans.name(span)) != iteration {
            continue;
        }
        if let Some(of) = trace.spans.parent(span).zip(trace.text(Item::Span(span), id)) {
            let time = times.entry(of).or_default();
            *time = time.saturating_add(context.time(span));
        }
    }
    for hit in &mut hits {
        let Some(Item::Event(event)) = hit.item else { continue };
        let of = trace.events.parent(event).zip(trace.text(Item::Event(event), id));
        if let Some((&time, (_, part))) = of.and_then(|of| times.get(&of).zip(Some(of))) {
            (hit.measure, hit.time, hit.part) = (time, time, Some(part));
        }
    }
    hits
}

/// Finds events with one of these names. The affected time is that of the span that contains the event.
fn named(context: &FindingContext, names: &[(&str, &str)]) -> Vec<RuleHit> {
    let trace = context.trace;
    let known: Vec<_> = names.iter().filter_map(|of| trace.strings.find(of.0)).collect();
    if known.is_empty() || context.has_queries() {
        return Vec::new();
    }
    // A message that was admitted is no trouble.
    let admission = trace.strings.find("async_admission");
    let is_wanted = |id: &EventId| {
        let name = trace.events.name(*id);
        known.contains(&name) && (Some(name) != admission || trace.events.flags(*id).has(Flags::FAILED))
    };
    let hit = |id: EventId| {
        let time = trace.events.parent(id).map_or(0, |span| context.time(span));
        RuleHit { item: Some(Item::Event(id)), measure: time, time, ..RuleHit::default() }
    };
    context.events().filter(is_wanted).map(hit).collect()
}

/// Says what the track of the event did, how late, in which iteration, how often and why.
pub fn sentence(context: &FindingContext, hit: &RuleHit) -> String {
    let (trace, Some(item)) = (context.trace, hit.item) else { return String::new() };
    let value = |name: &str| {
        let key = trace.key(name)?;
        let number = trace.num(item, key).map(|value| written(trace.keys.get(key).unit, value));
        let string = || Some(text::visible_name(trace.str(trace.text(item, key)?)));
        number.or_else(string).filter(|value| !value.is_empty())
    };
    let track = || text::visible_name(trace.str(trace.tracks.get(trace.track_of(item)).name));
    let name = trace.str(trace.name(item));
    let mut all = OVERRUNS.iter().chain(&REJECTED).chain(&STALE).chain(&NOT_CONVERGED);
    let predicate = all.find(|of| of.0 == name).map_or(name, |of| of.1);
    let part = |name: &str, write: fn(String) -> String| value(name).map_or_else(String::new, write);
    [
        value("edge_id").map_or_else(track, |edge| format!("Channel {edge}")),
        format!(" {predicate}"),
        part("lateness_ms", |late| format!(" by {late} ms")),
        part("iteration", |iteration| format!(" in iteration {iteration}")),
        part(
            "occurrence_count",
            |times| if times == "1" { String::new() } else { format!(" {times} times") },
        ),
        part("component_id", |component| format!(", component {component}")),
        part("reason", |reason| format!(" ({})", reason.replace('_', " "))),
    ]
    .concat()
}

/// Whether the trace has events of a TopoExec runtime.
pub fn is_runtime(context: &FindingContext) -> bool {
    let names = ["scheduler_iteration", "fixed_rate_tick", "loop_iteration", "channel_publish"];
    !context.has_queries() && names.iter().any(|name| context.trace.strings.find(name).is_some())
}
