//! Rules about threads: tasks, blocked time, the busiest thread and process, unequal load, and time in which nothing ran.

use super::RuleHit;
use super::context::FindingContext;
use crate::base::{FxHashMap, sort, text};
use crate::stats::parallel::{self, ThreadUse, idle_gaps, track_name};
use crate::trace::{Flags, Item, SpanId, TrackId, TrackKind};

/// Tasks that are at least as long as the threshold.
pub fn long_tasks(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[least] = thresholds else { return Vec::new() };
    let tasks = context.threads().iter().flat_map(|thread| thread.tasks.iter().copied());
    let long = tasks.map(|id| (id, context.time(id))).filter(|(_, time)| *time >= least);
    long.map(|(id, time)| RuleHit::span(id, time, time)).collect()
}

pub fn long_task_text(context: &FindingContext, hit: &RuleHit) -> String {
    format!("{} on {}", text::duration(hit.time), thread_of_span(context, hit))
}

/// Name of the thread of the span of a finding; empty if the finding has no span.
fn thread_of_span(context: &FindingContext, hit: &RuleHit) -> String {
    match hit.item {
        Some(Item::Span(id)) => track_name(context.trace, context.trace.tracks.of_span(id)),
        _ => String::new(),
    }
}

/// Threads that were blocked for long during their work.
pub fn blocked(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[least, share] = thresholds else { return Vec::new() };
    let hit = |thread: &ThreadUse| {
        let both = thread.busy.saturating_add(thread.blocked);
        let is_much = i128::from(thread.blocked) * 1_000_000 >= i128::from(both) * i128::from(share);
        let span = thread.longest_blocked?.0;
        let (track, detail) = (Some(thread.track), [both, 0]);
        (thread.blocked >= least && is_much).then(|| RuleHit {
            track,
            detail,
            ..RuleHit::span(span, thread.blocked, thread.blocked)
        })
    };
    context.threads().iter().filter_map(hit).collect()
}

pub fn blocked_text(context: &FindingContext, hit: &RuleHit) -> String {
    let share = text::percent(hit.time as f64 / hit.detail[0].max(1) as f64);
    format!("{} was blocked for {} ({share} of its work)", thread(context, hit), text::duration(hit.time))
}

/// Name of the thread that a finding is about; empty if it is about none.
fn thread(context: &FindingContext, hit: &RuleHit) -> String {
    hit.track.map_or_else(String::new, |track| track_name(context.trace, track))
}

/// The busiest thread, if it did a large part of the work of several threads.
pub fn busiest(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[share] = thresholds else { return Vec::new() };
    let threads = context.threads();
    let all = threads.iter().map(|thread| i128::from(thread.busy)).sum::<i128>();
    let Some(most) = threads.iter().rev().max_by_key(|thread| thread.busy).filter(|_| threads.len() > 1)
    else {
        return Vec::new();
    };
    let found = i128::from(most.busy) * 1_000_000 >= all * i128::from(share);
    let span = most.longest_busy.filter(|_| found).map(|longest| longest.0);
    let (track, detail) = (Some(most.track), [threads.len() as i64, 0]);
    span.map(|span| RuleHit { track, detail, ..RuleHit::span(span, most.busy, most.busy) })
        .into_iter()
        .collect()
}

pub fn busiest_text(context: &FindingContext, hit: &RuleHit) -> String {
    let threads = text::counted(hit.detail[0].unsigned_abs(), "thread", "threads");
    format!("{} worked for {}; {threads} worked", thread(context, hit), text::duration(hit.time))
}

/// The busiest process, if it did a large part of the work of several processes. If only one of its threads worked, the finding would
/// repeat that of the busiest thread.
pub fn busiest_process(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[share] = thresholds else { return Vec::new() };
    let processes = by_ancestor(context, context.threads(), TrackKind::Process);
    let all = processes.iter().map(|(_, threads)| busy(threads)).sum::<i128>();
    let Some((process, threads)) =
        processes.iter().rev().max_by_key(|(_, threads)| busy(threads)).filter(|_| processes.len() > 1)
    else {
        return Vec::new();
    };
    let most = busy(threads);
    if threads.len() < 2 || most * 1_000_000 < all * i128::from(share) {
        return Vec::new();
    }
    let time = i64::try_from(most).unwrap_or(i64::MAX);
    let (track, detail) = (Some(*process), [processes.len() as i64, 0]);
    let span = longest_work(threads).map(|span| RuleHit { track, detail, ..RuleHit::span(span, time, time) });
    span.into_iter().collect()
}

pub fn busiest_process_text(context: &FindingContext, hit: &RuleHit) -> String {
    let processes = text::counted(hit.detail[0].unsigned_abs(), "process", "processes");
    let tracks = &context.trace.tracks;
    let name = hit.track.map_or("", |track| context.trace.str(tracks.get(track).name));
    format!("{name} worked for {}; {processes} worked", text::duration(hit.time))
}

/// Runs in which the busiest thread worked much longer than the average of the threads that worked.
pub fn unequal(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[ratio, least] = thresholds else { return Vec::new() };
    let hit = |threads: &[&ThreadUse]| {
        let most = threads.iter().rev().max_by_key(|thread| thread.busy).filter(|_| threads.len() > 1)?;
        let average = i64::try_from(busy(threads) / threads.len() as i128).unwrap_or(i64::MAX);
        let is_much = i128::from(most.busy) * 1_000_000 >= i128::from(average) * i128::from(ratio);
        let excess = most.busy.saturating_sub(average);
        let (span, _) = most.longest_busy.filter(|_| is_much && excess >= least)?;
        let (track, detail) = (Some(most.track), [average, threads.len() as i64]);
        Some(RuleHit { track, detail, ..RuleHit::span(span, excess, excess) })
    };
    let runs = by_ancestor(context, context.workers(), TrackKind::Run);
    runs.iter().filter_map(|(_, threads)| hit(threads)).collect()
}

pub fn unequal_text(context: &FindingContext, hit: &RuleHit) -> String {
    let [average, threads] = hit.detail;
    let name = thread(context, hit);
    let [most, average] = [average.saturating_add(hit.time), average].map(text::duration);
    format!("{name} worked for {most}, the average of {threads} threads is {average}")
}

/// Threads by their process or run, in the order of its track; threads without one are left out.
fn by_ancestor<'a>(
    context: &FindingContext,
    threads: &'a [ThreadUse],
    kind: TrackKind,
) -> Vec<(TrackId, Vec<&'a ThreadUse>)> {
    let mut found: FxHashMap<TrackId, Vec<&ThreadUse>> = FxHashMap::default();
    for thread in threads {
        if let Some(above) = context.trace.tracks.ancestor(thread.track, kind) {
            found.entry(above).or_default().push(thread);
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    sort::by_key(&mut found, |(above, _)| (i64::from(above.0), 0));
    found
}

/// Sum of the time in which threads worked, in nanoseconds.
fn busy(threads: &[&ThreadUse]) -> i128 {
    threads.iter().map(|thread| i128::from(thread.busy)).sum()
}

/// Span of the longest stretch of work of any of the threads.
fn longest_work(threads: &[&ThreadUse]) -> Option<SpanId> {
    let longest = threads.iter().filter_map(|thread| thread.longest_busy);
    longest.max_by_key(|(span, length)| (*length, std::cmp::Reverse(span.0))).map(|(span, _)| span)
}

/// Gaps in which nothing ran.
pub fn gaps(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[least, share] = thresholds else { return Vec::new() };
    let found = idle_gaps(context.trace, context.range, least).into_iter().filter_map(|gap| {
        let length = gap.end.saturating_sub(gap.start);
        let is_much = i128::from(length) * 1_000_000 >= i128::from(gap.wall) * i128::from(share);
        let period = Some((gap.start, gap.end));
        let previous = Some(gap.previous);
        is_much.then(|| RuleHit { period, previous, ..RuleHit::span(gap.next, length, length) })
    });
    found.collect()
}

/// Periods in which one of several threads worked alone.
pub fn alone(context: &FindingContext, thresholds: &[i64]) -> Vec<RuleHit> {
    let &[least, share] = thresholds else { return Vec::new() };
    let found = parallel::alone(context.trace, context.range, least).into_iter().filter_map(|of| {
        let length = of.end.saturating_sub(of.start);
        let is_much = i128::from(length) * 1_000_000 >= i128::from(of.wall) * i128::from(share);
        let (period, detail) = (Some((of.start, of.end)), [i64::from(of.threads), 0]);
        is_much.then(|| RuleHit { period, detail, ..RuleHit::span(of.span, length, length) })
    });
    found.collect()
}

pub fn alone_text(context: &FindingContext, hit: &RuleHit) -> String {
    let thread = thread_of_span(context, hit);
    format!("{} on {thread}, one of {} threads", gap_text(context, hit), hit.detail[0])
}

/// Spans without an end.
pub fn unfinished(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    let trace = context.trace;
    if trace.cut.after || !trace.spans.has_marked(Flags::OPEN_END) {
        return Vec::new();
    }
    let all = (0..trace.spans.len() as u32).map(SpanId);
    let open = all.filter(|id| trace.spans.flags(*id).has(Flags::OPEN_END) && context.is_inside(*id));
    open.map(|id| RuleHit::span(id, context.time(id), context.time(id))).collect()
}

pub fn gap_text(_: &FindingContext, hit: &RuleHit) -> String {
    let (start, end) = hit.period.unwrap_or_default();
    let [start, end] = [start, end].map(text::duration);
    format!("{} from +{start} to +{end}", text::duration(hit.time))
}

/// Whether the trace has threads that worked, and no statements.
pub fn has_threads(context: &FindingContext) -> bool {
    !context.threads().is_empty()
}

/// Whether several threads worked in a trace without statements.
pub fn has_several(context: &FindingContext) -> bool {
    context.threads().len() > 1
}

/// Whether threads of several processes worked in a trace without statements.
pub fn has_processes(context: &FindingContext) -> bool {
    by_ancestor(context, context.threads(), TrackKind::Process).len() > 1
}

/// Whether some thread was blocked.
pub fn has_blocked(context: &FindingContext) -> bool {
    context.threads().iter().any(|thread| thread.blocked > 0)
}

/// Whether the trace has spans.
pub fn has_spans(context: &FindingContext) -> bool {
    !context.trace.spans.is_empty()
}
