//! Assigns intervals to the rows of their threads.

use super::calls::InstructionCall;
use super::stacks::stacked;
use super::store::{MonetDbEventKind, MonetDbStore, NONE};
use super::strands::CallStrands;
use crate::base::FxHashMap;
use crate::import::interval_nesting::{Interval, NOWHERE, Placed, WHOLE, nest};
use crate::trace::Flags;

/// Intervals of a thread, nested.
#[derive(Clone)]
pub struct ThreadActivity {
    /// Number of the thread, or [`NONE`].
    pub number: i64,
    /// Intervals sorted by start, parents before children; `what` is an index in the list of calls.
    pub placed: Vec<Placed>,
    /// Times at which the thread had no work, with the indices of their events.
    pub waits: Vec<(i64, u32)>,
}

/// Number of a thread, its intervals, and its waits (time and event index), at which it had no work.
type ThreadIntervals = (i64, Vec<Interval>, Vec<(i64, u32)>);

/// Returns all threads, in the order of their first use.
#[inline(never)]
pub fn threads(
    store: &MonetDbStore,
    calls: &[InstructionCall],
    strands: &CallStrands,
    waits: &[(i64, u32)],
) -> Vec<ThreadActivity> {
    let mut known: FxHashMap<i64, usize> = FxHashMap::default();
    let mut found: Vec<ThreadIntervals> = Vec::new();
    let mut place = |number: i64, found: &mut Vec<ThreadIntervals>| {
        *known.entry(number).or_insert_with(|| {
            found.push((number, Vec::new(), Vec::new()));
            found.len() - 1
        })
    };
    for (at, call) in (0..).zip(calls) {
        let thread = place(call.thread, &mut found);
        found[thread].1.push(interval(at, call));
    }
    // A moment without a thread is shown by itself, not in the row of a thread that does not exist.
    for &wait in waits {
        let number = store.events.at(wait.1 as usize).thread;
        if number != NONE {
            let thread = place(number, &mut found);
            found[thread].2.push(wait);
        }
    }
    found.into_iter().map(|row| thread(row, strands)).collect()
}

fn thread((number, intervals, waits): ThreadIntervals, strands: &CallStrands) -> ThreadActivity {
    // If one record reports a whole interval, inner intervals are reported first.
    let reversed = intervals.iter().all(|interval| interval.order.1 == WHOLE);
    let last = intervals.iter().map(|interval| interval.end).max().unwrap_or(0);
    let mut known: FxHashMap<u32, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<Interval>> = Vec::new();
    for interval in intervals {
        let next = groups.len();
        let group = *known.entry(strands.of(interval.what)).or_insert(next);
        match groups.get_mut(group) {
            Some(group) => group.push(interval),
            None => groups.push(vec![interval]),
        }
    }
    let mut nested: Vec<Vec<Placed>> = groups.into_iter().map(|own| nest(own, last, reversed)).collect();
    let placed = if nested.len() == 1 { nested.remove(0) } else { stacked(nested) };
    ThreadActivity { number, placed, waits }
}

fn interval(at: u32, call: &InstructionCall) -> Interval {
    let InstructionCall { start, end, order: (begin, finish), flags, .. } = *call;
    let is_plan = begin == finish && flags.has(Flags::INFERRED);
    let told = if flags.has(Flags::OPEN_END) || is_plan { NOWHERE } else { finish };
    let order = (begin, if begin == finish && told != NOWHERE { WHOLE } else { told });
    Interval { start, end, what: at, order, flags }
}

/// Whether an event is a moment at which a worker had no work.
pub fn is_wait(store: &MonetDbStore, event: u32) -> bool {
    store.events.at(event as usize).what == MonetDbEventKind::Wait
}
