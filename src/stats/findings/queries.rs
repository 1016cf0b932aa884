//! Rules about queries and their sources.

use super::RuleHit;
use super::context::FindingContext;
use crate::analysis::{Queries, Union, is_whole};
use crate::base::text;
use crate::base::{FxHashMap, sort};
use crate::stats::outliers::{Thresholds, outliers};
use crate::trace::{Flags, Item, Kind, SpanId, key, overlaps};

/// Rows of the queries that overlap the range.
fn rows(context: &FindingContext) -> impl Iterator<Item = u32> {
    let is_inside = |row: &u32| {
        let (start, end) = context.queries.interval(*row);
        context.range.is_none_or(|range| overlaps(start, end, range))
    };
    (0..context.queries.len()).filter(is_inside)
}

/// A finding about a query; the severity is the affected time.
fn of_row(queries: &Queries, row: u32, time: i64) -> RuleHit {
    RuleHit::span(queries.span(row), time, time)
}

/// Queries that took much longer than the average of their run.
pub fn slow(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[ratio, duration] = thresholds else { return Vec::new() };
    let limits = Thresholds { ratio: ratio as f64 / 1e6, duration };
    let found = outliers(context.queries, limits, context.range);
    let hit = |found: &crate::stats::outliers::Outlier| {
        let time = context.queries.duration_in(found.row, context.range);
        let thousandths = (found.ratio * 1000.0).round() as i64;
        RuleHit { detail: [thousandths, 0], ..of_row(context.queries, found.row, time) }
    };
    found.iter().map(hit).collect()
}

pub fn slow_text(_: &FindingContext, hit: &RuleHit) -> String {
    let ratio = text::ratio(hit.detail[0] as f64 / 1000.0);
    format!("{}, {ratio} × the average of its run", text::duration(hit.time))
}

/// Queries without an end, except queries that may end after the loaded range.
pub fn unfinished(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    if context.trace.cut.after {
        return Vec::new();
    }
    let queries = context.queries;
    let is_open = |row: &u32| context.trace.spans.flags(queries.span(*row)).has(Flags::OPEN_END);
    rows(context)
        .filter(is_open)
        .map(|row| of_row(queries, row, queries.duration_in(row, context.range)))
        .collect()
}

pub fn unfinished_text(_: &FindingContext, hit: &RuleHit) -> String {
    format!("{} until its last event", text::at_least(true, text::duration(hit.time)))
}

/// Queries with buffer events that reached secondary storage, and such events without a query.
pub fn storage(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    let (trace, queries) = (context.trace, context.queries);
    let mut by_row: FxHashMap<u32, usize> = FxHashMap::default();
    let mut hits: Vec<RuleHit> = Vec::new();
    for id in context.events().filter(|id| trace.events.flags(*id).has(Flags::STORAGE)) {
        let item = Item::Event(id);
        let bytes = trace.num(item, key::BYTES).unwrap_or(0).max(0);
        let new = match queries.row_of(trace, item) {
            Some(row) => {
                let next = hits.len();
                let at = *by_row.entry(row).or_insert(next);
                let time = queries.duration_in(row, context.range);
                (at == next).then(|| hits.push(RuleHit { measure: 0, ..of_row(queries, row, time) }));
                at
            }
            None => {
                hits.push(RuleHit { item: Some(item), ..RuleHit::default() });
                hits.len() - 1
            }
        };
        let hit = &mut hits[new];
        hit.measure = hit.measure.saturating_add(bytes);
        hit.amount = hit.measure;
        hit.detail[0] += 1;
    }
    hits
}

pub fn storage_text(_: &FindingContext, hit: &RuleHit) -> String {
    let events = text::counted(hit.detail[0].unsigned_abs(), "buffer event", "buffer events");
    format!("{} to secondary storage in {events}", text::bytes(hit.measure))
}

/// Queries whose source executions ran one after the other. The time that concurrent executions could save is the time
/// in which at least one execution ran, minus the longest duration.
pub fn serial(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[least, share] = thresholds else { return Vec::new() };
    let (trace, queries) = (context.trace, context.queries);
    let mut executions: Vec<(u32, i64, i64)> = Vec::new();
    for &id in context.statements.iter() {
        let (kind, flags) = trace.spans.kind_and_flags(id);
        if kind == Kind::Execution
            && is_whole(flags)
            && let Some(row) = queries.owner(trace, id)
        {
            let (start, end) = context.bounds(id);
            executions.push((row, start, end));
        }
    }
    sort::by_key(&mut executions, |&(row, start, _)| (i64::from(row), sort::ordered(start)));
    let hit = |of_query: &[(u32, i64, i64)]| {
        let row = of_query.first()?.0;
        let mut covered = Union::default();
        let mut longest = 0_i64;
        for &(_, start, end) in of_query {
            covered.add((start, end));
            longest = longest.max(end.saturating_sub(start));
        }
        let saved = covered.length().saturating_sub(longest);
        let time = queries.duration_in(row, context.range);
        let is_much = i128::from(saved) * 1_000_000 >= i128::from(time) * i128::from(share);
        let detail = [of_query.len() as i64, time];
        (of_query.len() > 1 && saved >= least && saved > 0 && is_much)
            .then(|| RuleHit { detail, ..of_row(queries, row, saved) })
    };
    executions.chunk_by(|a, b| a.0 == b.0).filter_map(hit).collect()
}

pub fn serial_text(_: &FindingContext, hit: &RuleHit) -> String {
    let [count, time] = hit.detail;
    format!(
        "{} of {} could be saved by overlapping {} source executions",
        text::duration(hit.time),
        text::duration(time),
        text::count(count)
    )
}

/// Whether the trace has buffer events.
pub fn has_buffers(context: &FindingContext) -> bool {
    context.trace.events.has(Kind::Buffer)
}

/// Whether the trace has source executions.
pub fn has_sources(context: &FindingContext) -> bool {
    context.trace.spans.has(Kind::Execution)
}

/// Steps of plans whose slowest parallel copy took much longer than their average.
pub fn skew(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[ratio, least] = thresholds else { return Vec::new() };
    let trace = context.trace;
    let of = |id: SpanId| context.is_inside(id).then(|| context.queries.owner(trace, id).unwrap_or(u32::MAX));
    let hit = |step: &crate::stats::parallel::Equal| {
        let (longest, count) = (step.times.last().copied()?, step.times.len() as i64);
        let average = step.time() / count.max(1);
        let lost = longest.saturating_sub(average);
        let is_much = i128::from(longest) * i128::from(count) * 1_000_000
            >= i128::from(step.time()) * i128::from(ratio);
        (lost >= least && is_much)
            .then(|| RuleHit { detail: [longest, average], ..RuleHit::span(step.longest, lost, lost) })
    };
    crate::stats::parallel::equal(trace, of, |id| context.time(id)).iter().filter_map(hit).collect()
}

pub fn skew_text(_: &FindingContext, hit: &RuleHit) -> String {
    let [longest, average] = hit.detail;
    let ratio = text::ratio(longest as f64 / average.max(1) as f64);
    format!("{} for one copy, {} on average ({ratio} ×)", text::duration(longest), text::duration(average))
}
