//! Reconstructs times for `TRACE`, which records only the durations of instructions, in the order in which they ended.
//!
//! ```text
//! define   mvc  ▇▇▇▇ dataflow ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇  resultSet      the client runs instructions outside the block in order,
//! worker 1      ▇▇ bind  ▇▇▇▇▇▇ select  ▇▇▇ pack                  workers run each instruction as early as possible
//! worker 2      ▇▇▇▇ bind  ▇▇▇▇▇▇▇ select                         after its inputs are ready
//! ```
//! The number of workers is the minimum that makes the block as short as the server measured. The result is one possible
//! schedule, not necessarily the real one.

use super::store::{MonetDbEventKind, MonetDbStore};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::import::contract::FileId;

/// Maximum number of workers that are tried; no server has as many cores.
const MOST: usize = 256;
/// Number of the client's thread.
pub const CLIENT: i64 = 0;

/// Assigns a time and a thread to each instruction of a plan, and a tag to each plan. Instructions that `sys.tracelog()` in
/// the same file also reports, with times, are left out here.
pub fn schedule(store: &mut MonetDbStore) {
    for server in 0..store.servers.len() as u32 {
        if !store.servers[server as usize].is_plan {
            continue;
        }
        let mut timed = timed(store, store.servers[server as usize].file);
        let mut plan: Vec<u32> = Vec::new();
        let (mut tag, mut now) = (0, 0);
        for at in 0..store.events.len() as u32 {
            let mut event = store.events.get(at as usize);
            if event.server != server {
                continue;
            }
            let again = timed.get_mut(&(event.usec, event.name)).filter(|left| **left > 0);
            event.again = again.is_some();
            store.events.set(at as usize, event);
            if let Some(left) = again {
                *left -= 1;
                continue;
            }
            if event.sql != StrId::NONE && !plan.is_empty() {
                (tag, now) = (tag + 1, place(store, &plan, tag + 1, now));
                plan.clear();
            }
            plan.push(at);
        }
        place(store, &plan, tag + 1, now);
    }
}

/// Number of events of each instruction, by duration and text, that a file reports outside its `TRACE` listing.
fn timed(store: &MonetDbStore, file: FileId) -> FxHashMap<(i64, StrId), u32> {
    let mut found: FxHashMap<(i64, StrId), u32> = FxHashMap::default();
    for event in store.events.rows() {
        let server = store.servers.get(event.server as usize);
        if server.is_some_and(|server| server.file == file && !server.is_plan) {
            *found.entry((event.usec, event.name)).or_default() += 1;
        }
    }
    found
}

/// Places the instructions of a plan from the time `now` on, and returns the end of the plan. Times are in
/// microseconds.
fn place(store: &mut MonetDbStore, plan: &[u32], tag: i64, mut now: i64) -> i64 {
    let block = plan.iter().position(|&at| store.events.at(at as usize).what == MonetDbEventKind::Dataflow);
    let before = plan
        .iter()
        .take(block.unwrap_or(0))
        .take_while(|&&at| store.events.at(at as usize).sql != StrId::NONE);
    let (first, barrier) = (before.count(), block.unwrap_or(0));
    for &at in &plan[..first] {
        now = put(store, at, tag, CLIENT, now);
    }
    if let Some(block) = block {
        let inside: Vec<u32> = plan[first..block].to_vec();
        let length = store.events.at(plan[block] as usize).usec;
        let placed = fitting(store, &inside, length);
        for (&at, &(worker, start)) in inside.iter().zip(&placed) {
            put(store, at, tag, worker as i64 + 1, now.saturating_add(start));
        }
        now = put(store, plan[block], tag, CLIENT, now);
    }
    let rest = if block.is_some() { barrier + 1 } else { first };
    for &at in &plan[rest..] {
        now = put(store, at, tag, CLIENT, now);
    }
    now
}

/// Places an instruction on a thread, from `start` on. Returns its end. Times are in microseconds.
fn put(store: &mut MonetDbStore, at: u32, tag: i64, thread: i64, start: i64) -> i64 {
    let mut event = store.events.get(at as usize);
    // A day is longer than any instruction, and the sum over a file fits into 64 bits.
    let end = start.saturating_add(event.usec.clamp(0, 86_400_000_000));
    event.clock.uptime = end;
    (event.tag, event.thread) = (tag, thread);
    store.events.set(at as usize, event);
    end
}

/// Worker and start of each instruction of a block, with the fewest workers that finish it within `length`.
fn fitting(store: &MonetDbStore, block: &[u32], length: i64) -> Vec<(usize, i64)> {
    let reads = reads(store, block);
    let usecs: Vec<i64> =
        block.iter().map(|&at| store.events.at(at as usize).usec.clamp(0, 86_400_000_000)).collect();
    let (mut few, mut many) = (1, MOST.min(block.len().max(1)));
    while few < many {
        let middle = few.midpoint(many);
        let (_, end) = assign_workers(&usecs, &reads, middle);
        if end <= length { many = middle } else { few = middle + 1 }
    }
    assign_workers(&usecs, &reads, few).0
}

/// Returns for each instruction the earlier instructions that wrote its inputs.
fn reads(store: &MonetDbStore, block: &[u32]) -> Vec<Vec<u32>> {
    let mut makers: FxHashMap<StrId, u32> = FxHashMap::default();
    let mut all = Vec::with_capacity(block.len());
    for (number, &at) in (0..).zip(block) {
        let event = store.events.at(at as usize);
        let read = store.variables_of(event.variables).filter(|variable| !variable.made);
        all.push(read.filter_map(|variable| makers.get(&variable.name).copied()).collect());
        for made in store.variables_of(event.variables).filter(|variable| variable.made) {
            makers.insert(made.name, number);
        }
    }
    all
}

/// Assigns each instruction to the first free worker. Returns worker and start of each, and the end of the last one.
fn assign_workers(usecs: &[i64], reads: &[Vec<u32>], workers: usize) -> (Vec<(usize, i64)>, i64) {
    let mut free = vec![0_i64; workers];
    let mut ends: Vec<i64> = Vec::with_capacity(usecs.len());
    let mut placed = Vec::with_capacity(usecs.len());
    for (usec, reads) in usecs.iter().zip(reads) {
        let ready = reads.iter().map(|&from| ends[from as usize]).max().unwrap_or(0);
        // Among the workers that are free in time, the one with the shortest wait; else the worker that is free first.
        let fits = (0..workers)
            .filter(|&worker| free[worker] <= ready)
            .max_by_key(|&worker| (free[worker], workers - worker));
        let worker = fits.or_else(|| (0..workers).min_by_key(|&worker| (free[worker], worker))).unwrap_or(0);
        let start = free[worker].max(ready);
        free[worker] = start + usec;
        ends.push(start + usec);
        placed.push((worker, start));
    }
    let end = ends.iter().copied().max().unwrap_or(0);
    (placed, end)
}
