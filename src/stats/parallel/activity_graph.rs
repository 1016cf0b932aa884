//! Graph of the moments at which spans start and end, and of the moments that each of them depends on. The time of a
//! moment is the latest time of the moments that it depends on, plus the time that one span works in between.
//!
//! The same graph gives the critical path, the time that would be saved if some spans took no time, the branch that would
//! then be on the path, and the slack of the spans off the path.

use crate::trace::SpanId;

/// Number of a moment; moments come after those that they depend on.
pub type Moment = u32;

/// A moment that does not exist.
const NOTHING: Moment = u32::MAX;
/// Owner of time in which no span of the graph worked.
const NOBODY: u32 = u32::MAX;

/// A part of the longest way through the graph in which one span worked, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// The span that worked; `None` if none did.
    pub span: Option<SpanId>,
    /// Start, in nanoseconds.
    pub start: i64,
    /// End, in nanoseconds.
    pub end: i64,
}

/// Moments, each with its time, the moments that it depends on, and the work between them and it.
#[derive(Default)]
pub struct ActivityGraph {
    times: Vec<i64>,
    before: Vec<[Moment; 2]>,
    work: Vec<(u32, i64)>,
}

impl ActivityGraph {
    /// Removes all moments, but keeps the memory.
    pub fn clear(&mut self) {
        self.times.clear();
        self.before.clear();
        self.work.clear();
    }

    /// Number of moments.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Adds a moment that depends on nothing.
    pub fn beginning(&mut self, time: i64) -> Moment {
        self.push(time, [NOTHING; 2], (NOBODY, 0))
    }

    /// Adds the end of the `work` that a span does after a moment, in nanoseconds.
    pub fn after(&mut self, before: Moment, span: Option<SpanId>, work: i64) -> Moment {
        let time = self.time(before).saturating_add(work);
        self.push(time, [before, NOTHING], (span.map_or(NOBODY, |span| span.0), work))
    }

    /// Adds the later of two moments. If they are equal, the path leads to the second one.
    pub fn later(&mut self, a: Moment, b: Moment) -> Moment {
        let time = self.time(a).max(self.time(b));
        self.push(time, [b, a], (NOBODY, 0))
    }

    fn push(&mut self, time: i64, before: [Moment; 2], work: (u32, i64)) -> Moment {
        self.times.push(time);
        self.before.push(before);
        self.work.push(work);
        self.times.len() as u32 - 1
    }

    /// Time of a moment, in nanoseconds.
    pub fn time(&self, moment: Moment) -> i64 {
        self.times.get(moment as usize).copied().unwrap_or(i64::MIN)
    }

    /// The latest of the moments that a moment depends on, by their `times`; `None` if it depends on nothing. If two are
    /// equal, the `preferred` one, else the first.
    fn last_before(&self, moment: Moment, times: &[i64], preferred: Option<Moment>) -> Option<Moment> {
        let [a, b] = *self.before.get(moment as usize)?;
        let (first, second) = if preferred == Some(b) { (b, a) } else { (a, b) };
        let time = |moment: Moment| times.get(moment as usize).copied().unwrap_or(i64::MIN);
        let last = if time(second) > time(first) { second } else { first };
        (last != NOTHING).then_some(last)
    }

    /// The moments on the longest way to a moment, from the last, and the stretches in between, from the first. Stretches
    /// of the same span that follow each other are one.
    pub fn path(&self, last: Moment) -> (Vec<Moment>, Vec<Stretch>) {
        let (mut moments, mut path): (Vec<Moment>, Vec<Stretch>) = (Vec::new(), Vec::new());
        let mut at = Some(last).filter(|&last| (last as usize) < self.len());
        while let Some(moment) = at {
            moments.push(moment);
            at = self.last_before(moment, &self.times, None);
            let (owner, work) = self.work[moment as usize];
            if work <= 0 {
                continue;
            }
            let (end, span) = (self.time(moment), (owner != NOBODY).then_some(SpanId(owner)));
            let start = at.map_or(end, |at| self.time(at));
            match path.last_mut().filter(|next| next.span == span && next.start == end) {
                Some(next) => next.start = start,
                None => path.push(Stretch { span, start, end }),
            }
        }
        path.reverse();
        (moments, path)
    }

    /// The span whose work precedes a moment, and the time of the work in nanoseconds; `None` if no span worked.
    pub fn work_before(&self, moment: Moment) -> Option<(SpanId, i64)> {
        let &(owner, work) = self.work.get(moment as usize)?;
        (owner != NOBODY).then_some((SpanId(owner), work))
    }

    /// Times of the moments up to `last` if the spans of one group took no time; `groups` has the group of each moment,
    /// from [`groups`](Self::groups).
    pub fn times_without(&self, last: Moment, group: u32, groups: &[u32]) -> Vec<i64> {
        let mut times: Vec<i64> = Vec::with_capacity(last as usize + 1);
        for (at, &[a, b]) in self.before.iter().enumerate().take(last as usize + 1) {
            let of = |moment: Moment| times.get(moment as usize).copied().unwrap_or(i64::MIN);
            let work = if groups.get(at) == Some(&group) { 0 } else { self.work[at].1 };
            times.push(if a == NOTHING { self.times[at] } else { of(a).max(of(b)).saturating_add(work) });
        }
        times
    }

    /// The branch that takes over if the spans of one group took no time: moments of the longest way at `times`, from
    /// [`times_without`](Self::times_without), that are off `path`, the moments of [`path`](Self::path). The first one
    /// is the last in time. If branches replace several sections of the path, it is the one that is longer than its
    /// section, without the group, by the most. Empty if none is longer.
    pub fn takeover(&self, path: &[Moment], (group, groups): (u32, &[u32]), times: &[i64]) -> Vec<Moment> {
        let work = |at: Moment| match groups.get(at as usize) {
            Some(of) if *of == group => 0,
            _ => self.work.get(at as usize).map_or(0, |work| work.1),
        };
        let sum = |moments: &[Moment]| moments.iter().map(|&at| work(at)).fold(0, i64::saturating_add);
        let (mut longest, mut most) = (Vec::new(), 0);
        // Both ways lead to moments with smaller numbers, and meet at the beginning at the latest.
        let mut on_path = 0;
        while let Some(&moment) = path.get(on_path) {
            on_path += 1;
            let mut at = self.last_before(moment, times, path.get(on_path).copied());
            let (mut branch, section) = (Vec::new(), on_path);
            while let Some(moment) = at {
                on_path += path[on_path..].iter().take_while(|&&of| of > moment).count();
                if path.get(on_path) == Some(&moment) {
                    break;
                }
                branch.push(moment);
                at = self.last_before(moment, times, None);
            }
            let longer = sum(&branch).saturating_sub(sum(&path[section..on_path]));
            if longer > most {
                (longest, most) = (branch, longer);
            }
        }
        longest
    }

    /// For each moment, the group of the span whose work precedes it; `u32::MAX` if no span worked before it.
    pub fn groups(&self, mut group_of: impl FnMut(SpanId) -> u32) -> Vec<u32> {
        let group = |&(owner, work): &(u32, i64)| match owner {
            NOBODY => u32::MAX,
            _ if work <= 0 => u32::MAX,
            owner => group_of(SpanId(owner)),
        };
        self.work.iter().map(group).collect()
    }

    /// For each moment, the latest time at which it may be without delaying `last`, in nanoseconds; `i64::MAX` if
    /// `last` does not depend on it.
    pub fn latest(&self, last: Moment) -> Vec<i64> {
        let mut latest = vec![i64::MAX; self.len()];
        if let Some(end) = latest.get_mut(last as usize) {
            *end = self.time(last);
        }
        for at in (0..self.len()).rev().filter(|&at| at <= last as usize) {
            if latest[at] == i64::MAX {
                continue;
            }
            let until = latest[at].saturating_sub(self.work[at].1);
            for before in self.before[at].into_iter().filter(|&before| before != NOTHING) {
                latest[before as usize] = latest[before as usize].min(until);
            }
        }
        latest
    }
}
