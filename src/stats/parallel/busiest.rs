//! Busy time in a trace without statements: per thread, busiest first, and per span name.
//!
//! Both lists are sums over threads; nested spans are not counted twice. Asynchronous spans are not on threads, so they
//! are left out if the trace has threads.

use super::busy::{Activity, BusyStretch, Doing};
use super::{TITLE, TrackNames};
use crate::analysis::{self_times, self_times_in};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::base::text;
use crate::protocol::{BusyName, BusyThread, BusyThreads};
use crate::trace::{Item, SpanId, Trace, TrackId};

/// Maximum number of names that are listed for each thread.
const NAMES_OF_THREAD: usize = 3;

/// Returns the `most` busiest threads and the `most` busiest span names in a time range, or in the whole trace for
/// `None`.
pub fn busiest(trace: &Trace, range: Option<(i64, i64)>, most: usize) -> BusyThreads {
    let range = range.unwrap_or((i64::MIN, i64::MAX));
    let activity = Activity::new(trace);
    let names = TrackNames::new(trace);
    let mut sums = NameSums::new(trace, range);
    let mut threads: Vec<BusyThread> = Vec::new();
    for track in activity.threads() {
        let stretches = activity.stretches(track, range, |_| true);
        let thread = sums.thread(trace, track, &stretches);
        threads.extend(thread.map(|thread| BusyThread { name: names.of(trace, track), ..thread }));
    }
    // Without threads, all spans are counted.
    if threads.is_empty() {
        (0..trace.spans.len() as u32).for_each(|id| sums.span(trace, SpanId(id)));
    }
    sort::by_key(&mut threads, |thread| (thread.busy.saturating_neg(), u64::from(thread.track)));
    let busy = threads.iter().map(|thread| thread.busy).fold(0, i64::saturating_add);
    let n_threads = threads.len() as u32;
    threads.truncate(most);
    let (start, end) = (range.0.max(0), range.1.min(trace.end()));
    BusyThreads { start, end, busy, threads, n_threads, names: sums.names(most) }
}

/// Sums by span name.
struct NameSums {
    range: (i64, i64),
    self_times: Vec<i64>,
    by_name: FxHashMap<StrId, BusyName>,
    /// Busy time by span name, for the current thread.
    of_thread: FxHashMap<StrId, i64>,
}

impl NameSums {
    fn new(trace: &Trace, range: (i64, i64)) -> Self {
        let all = 0..trace.spans.len() as u32;
        let self_times = match range {
            (i64::MIN, i64::MAX) => self_times(trace, all),
            range => self_times_in(trace, all, range),
        };
        Self { range, self_times, by_name: FxHashMap::default(), of_thread: FxHashMap::default() }
    }

    /// Adds a thread and returns its row, without the thread's name; `None` if it has no spans in the range.
    fn thread(&mut self, trace: &Trace, track: TrackId, stretches: &[BusyStretch]) -> Option<BusyThread> {
        self.of_thread.clear();
        let (mut busy, mut waiting) = (0_i64, 0_i64);
        let mut longest: Option<(i64, SpanId)> = None;
        for stretch in stretches {
            let length = stretch.length();
            if stretch.doing != Doing::Work {
                waiting = waiting.saturating_add(length);
                continue;
            }
            busy = busy.saturating_add(length);
            let of_name = self.of_thread.entry(trace.spans.name(stretch.span)).or_default();
            *of_name = of_name.saturating_add(length);
            if longest.is_none_or(|(known, _)| length > known) {
                longest = Some((length, stretch.span));
            }
        }
        let mut spans = 0;
        let mut first = None;
        for id in trace.tracks.spans(track).map(SpanId) {
            if self.is_inside(trace, id) {
                spans += 1;
                first = first.or(Some(id));
                self.span(trace, id);
            }
        }
        let item = Item::Span(longest.map(|longest| longest.1).or(first)?).code();
        let mut names: Vec<(StrId, i64)> = self.of_thread.iter().map(|(&name, &time)| (name, time)).collect();
        sort::by_key(&mut names, |(name, time)| (time.saturating_neg(), u64::from(name.0)));
        for &(name, time) in &names {
            if let Some(of) = self.by_name.get_mut(&name) {
                of.busy = of.busy.saturating_add(time);
            }
        }
        let top = names.iter().take(NAMES_OF_THREAD);
        let names = top.map(|&(name, time)| (text::shortened(trace.str(name), TITLE), time)).collect();
        Some(BusyThread { track: track.0, name: String::new(), busy, waiting, spans, names, item })
    }

    fn is_inside(&self, trace: &Trace, id: SpanId) -> bool {
        let (start, end) = trace.spans.bounds(id);
        crate::trace::overlaps(start, end, self.range)
    }

    /// Adds a span to the sums of its name.
    fn span(&mut self, trace: &Trace, id: SpanId) {
        if !self.is_inside(trace, id) {
            return;
        }
        let inside = trace.duration_in(id, self.range);
        let name = trace.spans.name(id);
        let new = || BusyName { name: trace.str(name).to_owned(), ..BusyName::default() };
        let of = self.by_name.entry(name).or_insert_with(new);
        of.count += 1;
        of.total = of.total.saturating_add(inside);
        of.longest = of.longest.max(inside);
        let own = self.self_times.get(id.0 as usize).copied().unwrap_or(0);
        of.self_time = of.self_time.saturating_add(own);
    }

    /// The `most` busiest names; names that were equally busy are sorted by self time.
    fn names(self, most: usize) -> Vec<BusyName> {
        let mut names: Vec<BusyName> = self.by_name.into_values().collect();
        sort::by(&mut names, |a, b| (b.busy, b.self_time, &a.name).cmp(&(a.busy, a.self_time, &b.name)));
        names.truncate(most);
        names
    }
}
