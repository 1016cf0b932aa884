//! Utilisation of each thread in a time range (busy time, blocked time, tasks), and gaps in which nothing ran.

use super::busy::{Activity, Doing};
use crate::base::sort;
use crate::trace::{Kind, SpanId, Trace, TrackId, TrackKind, clipped, overlaps};

/// Utilisation of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadUse {
    /// Track of the thread.
    pub track: TrackId,
    /// Time in which the thread worked, in nanoseconds.
    pub busy: i64,
    /// Time in which the thread waited inside its work, in nanoseconds.
    pub blocked: i64,
    /// Span of the longest stretch of work, with the length of the stretch in nanoseconds; `None` if the thread did not
    /// work.
    pub longest_busy: Option<(SpanId, i64)>,
    /// Span of the longest stretch in which the thread was blocked, with the length of the stretch in nanoseconds;
    /// `None` if it was never blocked.
    pub longest_blocked: Option<(SpanId, i64)>,
    /// Outermost spans that are work, in the order of their starts.
    pub tasks: Vec<SpanId>,
    /// Sum of the durations of the tasks, in nanoseconds.
    pub task_time: i64,
}

/// Returns the use of the threads with spans in the range.
pub fn thread_uses(trace: &Trace, range: Option<(i64, i64)>) -> Vec<ThreadUse> {
    let range = range.unwrap_or((i64::MIN, i64::MAX));
    let activity = Activity::new(trace);
    activity
        .threads()
        .map(|track| thread_use(trace, &activity, track, range))
        .filter(|of| of.busy > 0)
        .collect()
}

fn thread_use(trace: &Trace, activity: &Activity, track: TrackId, range: (i64, i64)) -> ThreadUse {
    let mut found = ThreadUse {
        track,
        busy: 0,
        blocked: 0,
        longest_busy: None,
        longest_blocked: None,
        tasks: Vec::new(),
        task_time: 0,
    };
    let add = |(sum, longest): (&mut i64, &mut Option<(SpanId, i64)>), span, length: i64| {
        *sum = sum.saturating_add(length);
        if longest.is_none_or(|(_, known)| length > known) {
            *longest = Some((span, length));
        }
    };
    for stretch in activity.stretches(track, range, |_| true) {
        let (span, length) = (stretch.span, stretch.length());
        let is_wait = stretch.doing == Doing::Wait && trace.spans.kind(span) == Kind::Wait;
        if stretch.doing == Doing::Work {
            add((&mut found.busy, &mut found.longest_busy), span, length);
        } else if is_wait || stretch.doing == Doing::Blocked {
            add((&mut found.blocked, &mut found.longest_blocked), span, length);
        }
    }
    let mut until = i64::MIN;
    for id in trace.tracks.spans(track).map(SpanId) {
        let (start, end) = trace.spans.bounds(id);
        if start >= until && activity.is_work(id) {
            until = end;
            if overlaps(start, end, range) {
                found.tasks.push(id);
                found.task_time = found.task_time.saturating_add(trace.duration_in(id, range));
            }
        }
    }
    found
}

/// A gap in which nothing ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdleGap {
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// End, in nanoseconds since the run's first event.
    pub end: i64,
    /// Span with whose end the gap begins.
    pub previous: SpanId,
    /// First span after the gap.
    pub next: SpanId,
    /// Length of the run inside the range, in nanoseconds.
    pub wall: i64,
}

/// Returns the gaps of at least `least` nanoseconds between the first and the last work of each run: no statement, source or
/// slice ran. Waits, idle times and loops that wait for tasks do not count as work.
pub fn idle_gaps(trace: &Trace, range: Option<(i64, i64)>, least: i64) -> Vec<IdleGap> {
    let range = range.unwrap_or((i64::MIN, i64::MAX));
    let activity = Activity::new(trace);
    let mut gaps = Vec::new();
    for run in &trace.runs {
        let bounds = clipped((0, run.duration), range);
        let wall = bounds.1.saturating_sub(bounds.0);
        let mut work = work(trace, &activity, run.track, range);
        sort::by_key(&mut work, |period| (period.start, u64::from(period.first.0)));
        let mut latest: Option<WorkPeriod> = None;
        for period in work {
            if let Some(latest) = latest {
                let (start, end) = (latest.end, period.start);
                if end > start && end.saturating_sub(start) >= least {
                    gaps.push(IdleGap { start, end, previous: latest.last, next: period.first, wall });
                }
            }
            latest = latest.filter(|latest| latest.end >= period.end).or(Some(period));
        }
    }
    gaps
}

/// A period in which spans of one track worked without a gap.
#[derive(Clone, Copy)]
struct WorkPeriod {
    start: i64,
    end: i64,
    /// Span that started first.
    first: SpanId,
    /// Span that ended last.
    last: SpanId,
}

/// Periods of work in a run, clipped to the range.
fn work(trace: &Trace, activity: &Activity, run: TrackId, range: (i64, i64)) -> Vec<WorkPeriod> {
    let mut work: Vec<WorkPeriod> = Vec::new();
    for track in trace.tracks.subtree(run).map(TrackId) {
        let is_async = trace.tracks.kind(track) == TrackKind::Async;
        let first = work.len();
        for id in trace.tracks.spans(track).map(SpanId) {
            let (start, end) = trace.spans.bounds(id);
            // Of asynchronous slices, it is unknown whether a thread worked or something was waited for.
            let is_work = if is_async { is_of_statement(trace, id) } else { is_work(trace, activity, id) };
            if !overlaps(start, end, range) || !is_work {
                continue;
            }
            let (start, end) = clipped((start, end), range);
            match work[first..].last_mut() {
                Some(period) if start >= period.start && start <= period.end => {
                    if end > period.end {
                        (period.end, period.last) = (end, id);
                    }
                }
                _ => work.push(WorkPeriod { start, end, first: id, last: id }),
            }
        }
    }
    work
}

/// Whether a span is a statement or one of its steps.
fn is_of_statement(trace: &Trace, id: SpanId) -> bool {
    use Kind::{Execution, Query, Source, Stage, Statement};
    matches!(trace.spans.kind(id), Query | Statement | Source | Execution | Stage)
}

fn is_work(trace: &Trace, activity: &Activity, id: SpanId) -> bool {
    match trace.spans.kind(id) {
        _ if is_of_statement(trace, id) => true,
        Kind::Idle | Kind::Wait | Kind::State | Kind::Transaction | Kind::Buffer | Kind::Request => false,
        _ => activity.is_work(id),
    }
}
