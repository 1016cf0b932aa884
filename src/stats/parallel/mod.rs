//! Thread utilisation: when each thread worked, which producers it waited for, and the critical path, which more
//! threads cannot shorten.
//!
//! The scope is a statement, a span, a time range or the whole trace. Dependencies are taken from arrows.

mod activity_graph;
mod alone;
mod busiest;
mod busy;
mod critical;
mod dependencies;
mod equal;
mod gaps;
mod heat;
mod nesting;
mod plan;
mod scope;
mod shape_path;
mod takeover;
mod uses;
mod walk;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::details::link;
use crate::analysis::Queries;
use crate::base::FxHashMap;
use crate::base::sort;
use crate::base::text;
use crate::protocol::{EqualSteps, Heat, Held, Parallel, PlanStep, Producer, Worker};
use crate::trace::{Flow, Item, SpanId, Trace, TrackId, TrackKind};
pub use alone::alone;
pub use busiest::busiest;
use busy::{Activity, BusyStretch, Doing};
pub use critical::{critical_path, has_critical_path, path_parts};
pub use equal::{Equal, equal};
pub use plan::has_plans;
pub use scope::ParallelScope;
pub use shape_path::ShapePaths;
pub use uses::{ThreadUse, idle_gaps, thread_uses};

/// Maximum number of listed workers, producers and parts of a critical path.
const SHOWN: usize = 500;
/// Maximum number of listed plan instructions.
const STEPS: usize = 5_000;
/// Maximum length of a title, in characters.
const TITLE: usize = 200;
/// Maximum length of an instruction, in characters.
const TEXT: usize = 2_000;

/// Display names of tracks, with the process if there are several processes.
struct TrackNames {
    several: bool,
}

impl TrackNames {
    fn new(trace: &Trace) -> Self {
        let is_process = |id: &u32| trace.tracks.kind(TrackId(*id)) == TrackKind::Process;
        Self { several: (0..trace.tracks.len() as u32).filter(is_process).nth(1).is_some() }
    }

    fn of(&self, trace: &Trace, track: TrackId) -> String {
        let name = |track: TrackId| trace.str(trace.tracks.get(track).name);
        let process = trace.tracks.ancestor(track, TrackKind::Process).filter(|_| self.several);
        // Parent thread of a track, such as the lane of a worker or the thread of samples.
        let above = trace.tracks.get(track).parent;
        let above = above.filter(|above| trace.tracks.kind(*above) == TrackKind::Thread);
        let parts: Vec<&str> = [process, above, Some(track)].into_iter().flatten().map(name).collect();
        text::shortened(&parts.join(" · "), TITLE)
    }
}

/// Display name of a track, with its process if there are several.
pub fn track_name(trace: &Trace, track: TrackId) -> String {
    TrackNames::new(trace).of(trace, track)
}

/// Returns the load of each core and each thread, in `columns` steps.
pub fn heat(trace: &Trace, queries: &Queries, scope: ParallelScope, columns: u32) -> Heat {
    let rows = scope.rows(trace, queries);
    let owns = |id: SpanId| scope.owns(trace, queries, &rows, id);
    let holds = |track| is_about(trace, queries, scope, track);
    heat::heat(trace, scope.range(trace, queries), columns, holds, owns)
}

/// Whether a track belongs to the run of the scope.
fn is_about(trace: &Trace, queries: &Queries, scope: ParallelScope, track: TrackId) -> bool {
    match scope {
        ParallelScope::Query(row) => {
            let run = trace.runs.get(queries.run(row).0 as usize);
            run.is_some_and(|run| trace.tracks.subtree(run.track).contains(&track.0))
        }
        ParallelScope::Span(_) | ParallelScope::Range(..) => true,
    }
}

/// Whether the trace has data for the parallelism view: instructions of plans on any number of threads, or several
/// threads and arrows.
pub fn has_parallel(trace: &Trace) -> bool {
    let is_thread = |id: &u32| trace.tracks.kind(TrackId(*id)) == TrackKind::Thread;
    let several = || (0..trace.tracks.len() as u32).filter(is_thread).nth(1).is_some();
    has_plans(trace) || !trace.flows.is_empty() && several()
}

/// Returns the utilisation of threads, and critical path, plan and intermediate results. The plan instruction that
/// `item` executed is marked.
pub fn parallel(trace: &Trace, queries: &Queries, scope: ParallelScope, item: Option<Item>) -> Parallel {
    let (range, title) = (scope.range(trace, queries), scope.title(trace, queries));
    let rows = scope.rows(trace, queries);
    let counts = |id: SpanId| scope.counts(trace, queries, &rows, id);
    let activity = Activity::new(trace);
    let threads = threads(&activity, range, |id| scope.owns(trace, queries, &rows, id));
    let mut view = Parallel { title, start: range.0, end: range.1, ..Parallel::default() };
    (view.at_once, view.longest_at_once) = at_once(&threads, range);
    view.busy = threads.iter().map(|thread| thread.sum(Doing::Work)).fold(0, i64::saturating_add);
    let n_workers = threads.iter().filter(|thread| thread.sum(Doing::Work) > 0).count();
    let n_cores = heat::n_cores(trace, |track| is_about(trace, queries, scope, track));
    let n_cores = if n_cores > 0 { n_cores } else { n_workers };
    view.parallelism = parallelism(view.busy, range.1.saturating_sub(range.0), n_cores);
    let mut waited: FxHashMap<SpanId, (i64, u32)> = FxHashMap::default();
    let names = TrackNames::new(trace);
    // Outputs of a span are ready when it ends if the trace states dependencies, otherwise when the arrow leaves.
    let is_stated = critical::is_stated(trace, queries);
    let ready = |flow: &Flow| if is_stated { trace.spans.bounds(flow.from).1 } else { flow.leaves };
    let rows = threads.iter().take(SHOWN).map(|thread| worker(trace, thread, range, ready, &mut waited));
    let rows = rows.map(|row| Worker { name: names.of(trace, TrackId(row.track)), ..row });
    view.workers = rows.collect();
    view.producers = producers(trace, &waited);
    // Several statements have several plans, so a plan is shown for a single statement only.
    if let ParallelScope::Query(row) = scope {
        let steps = plan::steps(trace, |id| queries.owner(trace, id) == Some(row));
        view.plan = steps.iter().take(STEPS).map(|step| plan_step(trace, step)).collect();
        let of = item.and_then(|item| plan::instruction(trace, item));
        let marked = of.and_then(|of| steps.iter().position(|step| step.instruction == of));
        view.marked = marked.map(|at| at as u32);
    }
    let is_counted = |id: SpanId| counts(id) && activity.is_work(id);
    let equal = equal(trace, |id| is_counted(id).then_some(0), |id| trace.duration(id));
    view.n_equal = equal.len() as u32;
    view.equal = equal.iter().take(SHOWN).map(|of| equal_steps(trace, of)).collect();
    let (values, most) = plan::values(trace, counts);
    (view.n_values, view.most_held) = (values.len() as u32, most);
    view.values = values.iter().take(SHOWN).map(|value| held(trace, value)).collect();
    view
}

fn plan_step(trace: &Trace, step: &plan::InstructionRuns) -> PlanStep {
    let plan::InstructionRuns { instruction, longest, runs, time, rows, bytes, .. } = *step;
    let plan::Instruction { program, place, text } = instruction;
    let (text, item) = (text::shortened(trace.str(text), TEXT), Item::Span(longest).code());
    let place = place.unwrap_or(PlanStep::NOWHERE);
    let program = program.map_or(String::new(), |program| text::shortened(trace.str(program), TITLE));
    PlanStep { place, text, item, runs, time, rows, bytes, program }
}

fn equal_steps(trace: &Trace, of: &equal::Equal) -> EqualSteps {
    let times = &of.times;
    EqualSteps {
        name: text::shortened(trace.str(of.step), TEXT),
        places: of.places,
        runs: times.len() as u32,
        shortest: times.first().copied().unwrap_or(0),
        median: times.get(times.len() / 2).copied().unwrap_or(0),
        time: of.time(),
        slowest: link(trace, Item::Span(of.longest)),
    }
}

fn held(trace: &Trace, value: &plan::Intermediate) -> Held {
    let plan::Intermediate { name, maker, life: (start, end), readers, bytes } = *value;
    let (name, link) = (text::shortened(trace.str(name), TITLE), link(trace, Item::Span(maker)));
    Held { name, link, start, end, readers, bytes }
}

/// Thread that was active in the range.
struct ActiveThread {
    track: TrackId,
    stretches: Vec<BusyStretch>,
}

impl ActiveThread {
    /// Intervals in which the thread worked; adjacent stretches are merged.
    fn work(&self) -> Vec<(i64, i64)> {
        let mut found: Vec<(i64, i64)> = Vec::new();
        for stretch in self.stretches.iter().filter(|stretch| stretch.doing == Doing::Work) {
            match found.last_mut().filter(|last| last.1 == stretch.start) {
                Some(last) => last.1 = stretch.end,
                None => found.push((stretch.start, stretch.end)),
            }
        }
        found
    }

    fn sum(&self, doing: Doing) -> i64 {
        let own = self.stretches.iter().filter(|stretch| stretch.doing == doing);
        own.map(BusyStretch::length).fold(0, i64::saturating_add)
    }
}

/// Threads that were active in the range.
fn threads(activity: &Activity, range: (i64, i64), counts: impl Fn(SpanId) -> bool) -> Vec<ActiveThread> {
    let of = |track| ActiveThread { track, stretches: activity.stretches(track, range, &counts) };
    activity.threads().map(of).filter(|thread| !thread.stretches.is_empty()).collect()
}

/// Parallelism as defined by tomograph, in thousandths: busy time divided by wall time and number of cores. `None`
/// without wall time or with fewer than two cores. Tomograph subtracts the longest box before it divides; that box is
/// the block in which the client of a statement waits for the other threads, which does not count as work in `busy`.
fn parallelism(busy: i64, wall: i64, cores: usize) -> Option<u32> {
    if wall <= 0 || cores < 2 {
        return None;
    }
    let share = i128::from(busy) * 1000 / (i128::from(wall) * cores as i128);
    Some(share.clamp(0, 1000) as u32)
}

/// Time with exactly N threads working, and the longest period of it, for N = 0, 1, 2, …
fn at_once(threads: &[ActiveThread], (start, end): (i64, i64)) -> (Vec<i64>, Vec<(i64, i64)>) {
    let work: Vec<Vec<(i64, i64)>> = threads.iter().map(ActiveThread::work).collect();
    let mut sums = vec![0_i64; threads.len() + 1];
    let mut longest = vec![(start, start); threads.len() + 1];
    let mut now = start;
    let mut period = start;
    let mut level = 0;
    let mut add = |from: i64, until: i64, working: usize| {
        if from >= until {
            return;
        }
        sums[working] = sums[working].saturating_add(until.saturating_sub(from));
        if working != level {
            (period, level) = (from, working);
        }
        let (start, end) = longest[working];
        if until.saturating_sub(period) > end.saturating_sub(start) {
            longest[working] = (period, until);
        }
    };
    each_level(&work, start, |from, until, working| {
        add(from, until, working);
        now = until;
    });
    add(now, end, 0);
    (sums, longest)
}

/// Visits the periods from `start` on in which the number of working threads is constant, each with its start, its end
/// and this number. The intervals of each thread must be sorted and must not overlap. Periods may have no length, and
/// adjacent periods may have the same number.
fn each_level(work: &[Vec<(i64, i64)>], start: i64, mut visit: impl FnMut(i64, i64, usize)) {
    // Next start or end of a work interval: time, thread, interval, and whether it is an end.
    let change = |thread: usize, piece: usize, is_end: bool| {
        let (start, end) = *work[thread].get(piece)?;
        Some(Reverse((if is_end { end } else { start }, thread, piece, is_end)))
    };
    let mut next: BinaryHeap<_> = (0..work.len()).filter_map(|thread| change(thread, 0, false)).collect();
    let mut now = start;
    let mut working = 0_usize;
    while let Some(Reverse((time, thread, piece, is_end))) = next.pop() {
        visit(now, time, working);
        (now, working) = (time, if is_end { working - 1 } else { working + 1 });
        next.extend(if is_end { change(thread, piece + 1, false) } else { change(thread, piece, true) });
    }
}

/// Row of a thread without its name. The time that the thread waited for each producer is added to `waited`. `ready`
/// returns the time at which the input that an arrow carries was ready.
fn worker(
    trace: &Trace,
    thread: &ActiveThread,
    (start, end): (i64, i64),
    ready: impl Fn(&Flow) -> i64,
    waited: &mut FxHashMap<SpanId, (i64, u32)>,
) -> Worker {
    let mut free = start;
    let mut starved = 0_i64;
    let mut spans = 0;
    for stretch in &thread.stretches {
        let span = stretch.span;
        let is_in_work = matches!(stretch.doing, Doing::Work | Doing::Blocked);
        // Recorded waits do not count as starvation.
        if is_in_work && trace.spans.start(span) == stretch.start {
            spans += 1;
            let was_idle = free < stretch.start;
            let waited_for = || waited_for(trace, span, (free, stretch.start), &ready);
            if let Some((producer, gap)) = was_idle.then(waited_for).flatten() {
                starved = starved.saturating_add(gap);
                let sum = waited.entry(producer).or_default();
                *sum = (sum.0.saturating_add(gap), sum.1 + 1);
            }
        }
        free = stretch.end;
    }
    // Work comes before waits, so that the longest period of work is taken where there is one.
    let rank = |stretch: &&BusyStretch| (stretch.doing == Doing::Work, stretch.length());
    let longest = thread.stretches.iter().max_by_key(rank);
    let busy = thread.sum(Doing::Work);
    let waiting = thread.sum(Doing::Wait).saturating_add(thread.sum(Doing::Blocked));
    let wall = end.saturating_sub(start);
    Worker {
        track: thread.track.0,
        name: String::new(),
        busy,
        waiting,
        idle: wall.saturating_sub(busy).saturating_sub(waiting).max(0),
        starved,
        spans,
        item: longest.map_or(0, |stretch| Item::Span(stretch.span).code()),
    }
}

/// The span whose result a span needed and that became ready last, with the time that the thread waited for it, in
/// nanoseconds. `None` if the thread was not idle since `free` until the result was ready, or produced it itself.
fn waited_for(
    trace: &Trace,
    span: SpanId,
    (free, start): (i64, i64),
    ready: impl Fn(&Flow) -> i64,
) -> Option<(SpanId, i64)> {
    let needed = trace.flows.reaching(span).map(|flow| (ready(flow).min(start), flow.from));
    let (end, last) =
        needed.filter(|(_, from)| *from != span).max_by_key(|&(end, from)| (end, std::cmp::Reverse(from)))?;
    let is_other = trace.tracks.of_span(last) != trace.tracks.of_span(span);
    (end > free && is_other).then(|| (last, end.saturating_sub(free)))
}

/// Spans that threads waited for, in descending order of waiting time.
fn producers(trace: &Trace, waited: &FxHashMap<SpanId, (i64, u32)>) -> Vec<Producer> {
    let mut all: Vec<(SpanId, i64, u32)> =
        waited.iter().map(|(&span, &(time, count))| (span, time, count)).collect();
    sort::by_key(&mut all, |&(span, time, _)| (time.saturating_neg(), u64::from(span.0)));
    let shown = all.into_iter().take(SHOWN);
    shown.map(|(span, time, count)| Producer { link: link(trace, Item::Span(span)), time, count }).collect()
}

#[cfg(test)]
mod critical_tests;
#[cfg(test)]
mod dependency_tests;
#[cfg(test)]
mod tests;
