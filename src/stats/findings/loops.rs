//! Rules about the events with which a TopoExec runtime reports trouble.

use super::RuleHit;
use super::context::FindingContext;
use crate::analysis::key_name;
use crate::base::text;
use crate::stats::details::written;
use crate::trace::{EventId, Flags, Item, key};

/// Maximum number of attributes in a description.
const ATTRIBUTES: usize = 4;

/// Names of the events of tasks that exceeded their deadline or time budget.
const OVERRUNS: [&str; 4] = [
    "fixed_rate_overrun",
    "fixed_rate_skipped_tick",
    "component_timeout_budget_exceeded",
    "loop_budget_overrun",
];
/// Names of the events of rejected tasks or messages.
const REJECTED: [&str; 6] =
    ["async_reject", "async_drop", "task_reject", "scheduler_reject", "channel_overflow", "async_admission"];
/// Names of the events of messages that were dropped because they were too old.
const STALE: [&str; 2] = ["channel_stale_drop", "channel_deadline_miss"];
/// Names of the events of loops that ended without converging.
const NOT_CONVERGED: [&str; 2] = ["loop_max_iterations_hit", "loop_output_discarded"];

pub fn overruns(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    named(context, &OVERRUNS)
}

pub fn rejected(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    named(context, &REJECTED)
}

pub fn stale(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    named(context, &STALE)
}

pub fn not_converged(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    named(context, &NOT_CONVERGED)
}

/// Finds events with one of these names. The affected time is that of the span that contains the event.
fn named(context: &FindingContext, names: &[&str]) -> Vec<RuleHit> {
    let trace = context.trace;
    let known: Vec<_> = names.iter().filter_map(|name| trace.strings.find(name)).collect();
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

/// Formats the first attributes of the event of a finding.
pub fn attributes(context: &FindingContext, hit: &RuleHit) -> String {
    let (trace, Some(item)) = (context.trace, hit.item) else { return String::new() };
    let texts = trace.texts(item).map(|(key, value)| (key, trace.str(value).to_owned()));
    let numbers = trace.nums(item).map(|(key, value)| (key, written(trace.keys.get(key).unit, value)));
    let all = texts.chain(numbers).filter(|(key, value)| *key != key::CATEGORY && !value.is_empty());
    let named = all.map(|(key, value)| format!("{} {}", key_name(trace, key), text::visible_name(&value)));
    let found: Vec<String> = named.take(ATTRIBUTES).collect();
    if found.is_empty() { trace.str(trace.name(item)).to_owned() } else { found.join(", ") }
}

/// Whether the trace has events of a TopoExec runtime.
pub fn is_runtime(context: &FindingContext) -> bool {
    let names = ["scheduler_iteration", "fixed_rate_tick", "loop_iteration", "channel_publish"];
    !context.has_queries() && names.iter().any(|name| context.trace.strings.find(name).is_some())
}
