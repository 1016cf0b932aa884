//! Intervals to the rows of their threads.

use super::calls::Call;
use super::store::{NONE, Store, What};
use crate::import::nest::{Interval, NOWHERE, Placed, WHOLE, nest};
use crate::trace::Flags;

/// What one thread did, nested.
#[derive(Clone)]
pub struct Thread {
    /// Its number, or [`NONE`].
    pub number: i64,
    /// By start, what holds others before what it holds; `what` is a place in the list of calls.
    pub placed: Vec<Placed>,
    /// Moments at which it found nothing to do: events with their times.
    pub waits: Vec<(i64, u32)>,
}

/// All threads, in the order in which they were first used.
pub fn threads(store: &Store, calls: &[Call], waits: &[(i64, u32)]) -> Vec<Thread> {
    let thread_of = |event: u32| store.events.get(event as usize).thread;
    let mut numbers: Vec<i64> = Vec::new();
    let used = calls.iter().map(|call| thread_of(call.event));
    for number in used.chain(waits.iter().map(|wait| thread_of(wait.1))) {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    // A moment that no thread is named for is shown by itself, not in the row of a thread that does not exist.
    let named = |number: &i64| *number != NONE || calls.iter().any(|call| thread_of(call.event) == NONE);
    numbers.retain(named);
    numbers.into_iter().map(|number| thread(store, calls, waits, number)).collect()
}

fn thread(store: &Store, calls: &[Call], waits: &[(i64, u32)], number: i64) -> Thread {
    let is_own = |event: u32| store.events.get(event as usize).thread == number;
    let own = (0..).zip(calls).filter(|(_, call)| is_own(call.event));
    let intervals: Vec<Interval> = own.map(|(at, call)| interval(at, call)).collect();
    // Where one record tells all of an interval, what lies inside is told of first.
    let reversed = intervals.iter().all(|interval| interval.order.1 == WHOLE);
    let last = intervals.iter().map(|interval| interval.end).max().unwrap_or(0);
    let waits = waits.iter().filter(|wait| number != NONE && is_own(wait.1)).copied().collect();
    Thread { number, placed: nest(intervals, last, reversed), waits }
}

fn interval(at: u32, call: &Call) -> Interval {
    let Call { start, end, order: (begin, finish), flags, .. } = *call;
    let is_plan = begin == finish && flags.has(Flags::INFERRED);
    let told = if flags.has(Flags::OPEN_END) || is_plan { NOWHERE } else { finish };
    let order = (begin, if begin == finish && told != NOWHERE { WHOLE } else { told });
    Interval { start, end, what: at, order, flags }
}

/// Whether an event marks a moment at which a worker found nothing to do.
pub fn is_wait(store: &Store, event: u32) -> bool {
    store.events.get(event as usize).what == What::Wait
}
