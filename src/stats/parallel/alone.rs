//! Periods in which one of several threads worked alone: barriers at which the others starve.

use super::busy::{Activity, BusyStretch, Doing};
use super::{ActiveThread, each_level, threads};
use crate::trace::{SpanId, Trace, clipped};

/// A period in which only one thread of a run worked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlonePeriod {
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// End, in nanoseconds since the run's first event.
    pub end: i64,
    /// The span in which the thread worked longest in the period.
    pub span: SpanId,
    /// Number of threads of the run that worked at any time.
    pub threads: u32,
    /// Length of the run inside the examined time range, in nanoseconds.
    pub wall: i64,
}

/// Periods of at least `least` nanoseconds in which one of several threads of a run worked alone, in a time range.
pub fn alone(trace: &Trace, range: Option<(i64, i64)>, least: i64) -> Vec<AlonePeriod> {
    let activity = Activity::new(trace);
    let mut found = Vec::new();
    for run in &trace.runs {
        let whole = (0, run.duration.max(0));
        let (start, end) = range.map_or(whole, |range| clipped(whole, range));
        if end <= start {
            continue;
        }
        let tracks = trace.tracks.subtree(run.track);
        let threads: Vec<ActiveThread> = threads(&activity, (start, end), |_| true)
            .into_iter()
            .filter(|of| tracks.contains(&of.track.0))
            .collect();
        let work: Vec<Vec<(i64, i64)>> =
            threads.iter().map(ActiveThread::work).filter(|work| !work.is_empty()).collect();
        if work.len() < 2 {
            continue;
        }
        let periods = periods(&work).into_iter().filter(|(from, until)| until.saturating_sub(*from) >= least);
        found.extend(periods.filter_map(|(from, until)| {
            let span = longest(&threads, (from, until))?;
            Some(AlonePeriod { start: from, end: until, span, threads: work.len() as u32, wall: end - start })
        }));
    }
    found
}

/// Periods in which exactly one of the lists has an interval.
fn periods(work: &[Vec<(i64, i64)>]) -> Vec<(i64, i64)> {
    let mut found: Vec<(i64, i64)> = Vec::new();
    each_level(work, i64::MIN, |from, until, working| {
        if working != 1 || from >= until {
            return;
        }
        match found.last_mut().filter(|last| last.1 == from) {
            Some(last) => last.1 = until,
            None => found.push((from, until)),
        }
    });
    found
}

/// The span of the stretch of work that covers most of a period; `None` if no thread worked in it.
fn longest(threads: &[ActiveThread], period: (i64, i64)) -> Option<SpanId> {
    let inside = threads.iter().flat_map(|thread| {
        let first = thread.stretches.partition_point(|stretch| stretch.end <= period.0);
        thread.stretches[first..].iter().take_while(|stretch| stretch.start < period.1)
    });
    let length = |stretch: &&BusyStretch| {
        let (start, end) = clipped((stretch.start, stretch.end), period);
        end.saturating_sub(start)
    };
    inside.filter(|stretch| stretch.doing == Doing::Work).max_by_key(length).map(|stretch| stretch.span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_begins_and_ends_where_a_second_thread_works_or_none() {
        for (work, expected) in [
            (&[vec![(0, 10)], vec![(3, 5)]][..], &[(0, 3), (5, 10)][..]),
            // One thread hands over to another: nobody else works.
            (&[vec![(0, 4)], vec![(4, 9)]], &[(0, 9)]),
            (&[vec![(0, 4)], vec![(6, 9)]], &[(0, 4), (6, 9)]),
            (&[vec![(0, 4)], vec![(0, 4)]], &[]),
            (&[vec![(0, 9)], vec![(2, 5)], vec![(4, 7)]], &[(0, 2), (7, 9)]),
            (&[vec![(3, 3)], vec![(1, 2)]], &[(1, 2)]),
            (&[], &[]),
        ] {
            assert_eq!(periods(work), expected, "{work:?}");
        }
    }
}
