//! Rules about statements, with the counters that a server reports for each of them.

use super::RuleHit;
use super::context::{FindingContext, MAX_PARENTS};
use crate::analysis::is_whole;
use crate::base::text;
use crate::stats::Transactions;
use crate::stats::details::reason;
use crate::trace::{EventId, Flags, Item, Key, Kind, SpanId, Trace, attribute_names, key};

/// Maximum length of a name in a description, in characters.
const NAME: usize = 100;

/// Names of the counters that a server reports for each statement.
pub const NO_INDEX: &str = "no index used";
pub const NO_GOOD_INDEX: &str = "no good index used";
pub const DISK_TABLES: &str = "created tmp disk tables";
pub const MERGE_PASSES: &str = "sort merge passes";
pub const FULL_JOIN: &str = "select full join";
pub const RANGE_CHECK: &str = "select range check";
const ROWS_AFFECTED: &str = "rows affected";

/// Statements in the range, without source executions.
fn statements(context: &FindingContext) -> impl Iterator<Item = SpanId> {
    let is_statement = |id: &SpanId| context.trace.spans.kind(*id) != Kind::Execution;
    context.statements.iter().copied().filter(is_statement)
}

fn rows_read(context: &FindingContext, id: SpanId) -> i64 {
    context.number(id, Some(key::ROWS_READ))
}

fn rows_text(context: &FindingContext, id: SpanId) -> String {
    let returned = context.number(id, Some(key::ROWS_RETURNED));
    format!("{} rows read, {} returned", text::count(rows_read(context, id)), text::count(returned))
}

/// Text that `write` returns for the span of a finding; empty without a span.
fn of_span(hit: &RuleHit, write: impl FnOnce(SpanId) -> String) -> String {
    match hit.item {
        Some(Item::Span(id)) => write(id),
        _ => String::new(),
    }
}

/// Formats the rows read and returned of a finding.
pub fn rows(context: &FindingContext, hit: &RuleHit) -> String {
    of_span(hit, |id| rows_text(context, id))
}

/// Whether any of the counters is in the trace.
pub fn has(context: &FindingContext, names: &[&str]) -> bool {
    names.iter().any(|name| context.trace.key(name).is_some())
}

/// Statements that failed; in a trace without statements, spans and events.
pub fn failed(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    let trace = context.trace;
    if context.has_queries() || trace.spans.has(Kind::Statement) {
        let failed = statements(context).filter(|id| trace.spans.flags(*id).has(Flags::FAILED));
        return failed.map(|id| RuleHit::span(id, context.time(id), context.time(id))).collect();
    }
    let is_failed = |id: SpanId| trace.spans.flags(id).has(Flags::FAILED);
    let spans = if trace.spans.has_marked(Flags::FAILED) { trace.spans.len() as u32 } else { 0 };
    let spans = (0..spans).map(SpanId).filter(|&id| is_failed(id) && context.is_inside(id));
    let spans = spans.map(|id| RuleHit::span(id, context.time(id), context.time(id)));
    // An error that a failed span contains is the reason of that failure.
    let is_alone = |id: &EventId| trace.events.parent(*id).is_none_or(|parent| !is_failed(parent));
    let events = trace.events.has_marked(Flags::FAILED).then(|| context.events()).into_iter().flatten();
    let events = events.filter(|id| trace.events.flags(*id).has(Flags::FAILED)).filter(is_alone);
    let events = events.map(|id| RuleHit { item: Some(Item::Event(id)), ..RuleHit::default() });
    spans.chain(events).collect()
}

/// The error that a span reported, or that an event directly below it reported; the name of an event.
pub fn error(context: &FindingContext, hit: &RuleHit) -> String {
    let trace = context.trace;
    if let Some(Item::Event(id)) = hit.item {
        return trace.str(trace.events.name(id)).to_owned();
    }
    of_span(hit, |id| {
        let own = trace.text(Item::Span(id), key::ERROR);
        let below = || context.failed_event_in(id).map(|event| trace.events.name(event));
        let error = own.or_else(|| if context.has_queries() { None } else { below() });
        let error = error.or_else(|| reason(trace, Item::Span(id)));
        error.map_or("no reason given", |error| trace.str(error)).to_owned()
    })
}

/// Statements and source executions that read many rows and returned or changed only a small share of them. The time
/// that they took is the severity, because a statement that discards many rows may still be fast.
pub fn over_fetch(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[least, times] = thresholds else { return Vec::new() };
    let (trace, affected) = (context.trace, context.trace.key(ROWS_AFFECTED));
    let hit = |(id, read): (SpanId, Option<i64>)| {
        let read = read.filter(|&read| read >= least)?;
        let (kind, flags) = trace.spans.kind_and_flags(id);
        let returned = trace.num(Item::Span(id), key::ROWS_RETURNED);
        let used = match kind {
            Kind::Execution => returned.filter(|_| is_whole(flags))?.max(0),
            _ => returned.unwrap_or(0).max(context.number(id, affected)).max(1),
        };
        let found = i128::from(read) * 1_000_000 >= i128::from(used) * i128::from(times);
        let time = context.time(id);
        found.then(|| RuleHit { amount: read, ..RuleHit::span(id, time, time) })
    };
    context.rows_read().filter_map(hit).collect()
}

pub fn no_index(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[least] = thresholds else { return Vec::new() };
    let keys = [NO_INDEX, NO_GOOD_INDEX].map(|name| context.trace.key(name));
    let hit = |id: SpanId| {
        let read = rows_read(context, id);
        let found = read >= least && keys.iter().any(|key| context.number(id, *key) > 0);
        found.then(|| RuleHit { amount: read, ..RuleHit::span(id, read, context.time(id)) })
    };
    statements(context).filter_map(hit).collect()
}

/// Statements with a counter above 0, which is the severity.
fn counted(context: &FindingContext, name: &str) -> Vec<RuleHit> {
    let Some(key) = context.trace.key(name) else { return Vec::new() };
    let hit = |id: SpanId| {
        let count = context.number(id, Some(key));
        (count > 0).then(|| RuleHit::span(id, count, context.time(id)))
    };
    statements(context).filter_map(hit).collect()
}

pub fn disk_tables(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    counted(context, DISK_TABLES)
}

pub fn disk_tables_text(_: &FindingContext, hit: &RuleHit) -> String {
    text::counted(hit.measure.unsigned_abs(), "table on disk", "tables on disk")
}

pub fn merge_passes(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    counted(context, MERGE_PASSES)
}

pub fn merge_passes_text(_: &FindingContext, hit: &RuleHit) -> String {
    text::counted(hit.measure.unsigned_abs(), "merge pass", "merge passes")
}

pub fn full_joins(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    let keys = [FULL_JOIN, RANGE_CHECK].map(|name| context.trace.key(name));
    let hit = |id: SpanId| {
        let joins = context.number(id, keys[0]).saturating_add(context.number(id, keys[1]));
        let read = rows_read(context, id);
        (joins > 0).then(|| RuleHit {
            amount: read,
            detail: [joins, 0],
            ..RuleHit::span(id, read, context.time(id))
        })
    };
    statements(context).filter_map(hit).collect()
}

pub fn full_joins_text(context: &FindingContext, hit: &RuleHit) -> String {
    let joins = hit.detail[0].unsigned_abs();
    let joins = text::counted(joins, "join without an index", "joins without an index");
    format!("{joins}; {}", rows(context, hit))
}

/// Statements that waited for locks. The server reports lock times in picoseconds.
pub fn lock_time(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[least, share] = thresholds else { return Vec::new() };
    let keys = [attribute_names::LOCK_TIME, attribute_names::TIMER_WAIT].map(|name| context.trace.key(name));
    let hit = |id: SpanId| {
        let [lock, wait] = keys.map(|key| context.number(id, key));
        let is_long = i128::from(lock) >= i128::from(least) * 1000;
        let is_much = i128::from(lock) * 1_000_000 >= i128::from(wait) * i128::from(share);
        (is_long && is_much).then(|| RuleHit { detail: [lock, wait], ..RuleHit::span(id, lock, lock / 1000) })
    };
    statements(context).filter_map(hit).collect()
}

pub fn lock_time_text(_: &FindingContext, hit: &RuleHit) -> String {
    let [lock, wait] = hit.detail;
    let [time, whole] = [lock, wait].map(|picos| text::duration(picos / 1000));
    // MariaDB counts the waits of all tables, which may overlap.
    if lock > wait {
        return format!("{time} reported, longer than the statement ({whole})");
    }
    format!("{time} of {whole} ({})", text::percent(if wait > 0 { lock as f64 / wait as f64 } else { 1.0 }))
}

/// Transactions that were idle while they held locks.
pub fn idle(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[least, share] = thresholds else { return Vec::new() };
    let hit = |paused: crate::stats::pauses::Paused| {
        let paused = context.range.map_or(paused.clone(), |range| paused.inside(range));
        let (duration, idle) = (context.time(paused.span), paused.idle());
        let longest = paused.longest()?;
        let is_much = i128::from(idle) * 1_000_000 >= i128::from(duration) * i128::from(share);
        let detail = [duration, longest.end.saturating_sub(longest.start)];
        let found = idle >= least && is_much && context.is_inside(paused.span);
        found.then(|| RuleHit { detail, ..RuleHit::span(paused.span, idle, idle) })
    };
    Transactions::of(context.trace).into_rows().filter_map(hit).collect()
}

pub fn idle_text(_: &FindingContext, hit: &RuleHit) -> String {
    let [duration, longest] = hit.detail;
    format!(
        "{} of {} idle ({}), longest idle gap {}",
        text::duration(hit.measure),
        text::duration(duration),
        text::percent(hit.measure as f64 / duration.max(1) as f64),
        text::duration(longest)
    )
}

/// Statements that waited for a lock: the targets of lock arrows.
pub fn blocked(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    let trace = context.trace;
    let lock = trace.strings.find(attribute_names::LOCK);
    let waits = trace.flows.iter().filter(|flow| Some(flow.name) == lock);
    let hit = |flow: &crate::trace::Flow| {
        let chain = std::iter::successors(Some(flow.to), |id: &SpanId| trace.spans.parent(*id));
        let is_statement = |id: &SpanId| matches!(trace.spans.kind(*id), Kind::Query | Kind::Statement);
        let statement = chain.take(MAX_PARENTS).find(is_statement).unwrap_or(flow.to);
        let (duration, holder) = (context.time(statement), i64::from(flow.from.0));
        context
            .is_inside(statement)
            .then(|| RuleHit { detail: [holder, 0], ..RuleHit::span(statement, duration, duration) })
    };
    waits.filter_map(hit).collect()
}

pub fn blocked_text(context: &FindingContext, hit: &RuleHit) -> String {
    let holder = SpanId(hit.detail[0] as u32);
    let trace: &Trace = context.trace;
    let track = trace.tracks.get(trace.tracks.of_span(holder)).name;
    let name = text::shortened(trace.str(trace.spans.name(holder)), NAME);
    format!("held by {} ({name})", text::shortened(trace.str(track), NAME))
}

/// Whether the trace has arrows from the holders of locks.
pub fn has_locks(context: &FindingContext) -> bool {
    !context.trace.flows.is_empty() && context.trace.strings.find(attribute_names::LOCK).is_some()
}

/// Whether the trace reports this attribute.
pub fn reports(context: &FindingContext, key: Key) -> bool {
    context.trace.keys_in_use().contains(&key)
}
