//! Executions that are spread over several servers: which server works for which, and how far apart their clocks are.
//!
//! ```text
//! supervisor   ▇ exec register_supervisor ▇   ▇▇▇▇▇▇ exec l2 ▇▇▇▇▇▇
//! worker           ▇ register_supervisor ▇      ▇▇▇▇ function l2 ▇▇
//! ```
//! A supervisor makes up an id for each worker, and both tell of `remote.register_supervisor` with that id. What the
//! worker ran then lies inside of the call by which the supervisor asked for it: their middles are taken for the same
//! moment, which is right to half of what the network adds.

use super::order::{ServerEvents, length};
use super::store::{MonetDbEvent, MonetDbEventState, MonetDbStore};
use crate::base::interner::{Interner, StrId};

/// A server that works for another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkerServer {
    /// Places in the list of servers.
    pub worker: usize,
    pub supervisor: usize,
    /// Nanoseconds to add to the worker's clock.
    pub shift: i64,
    /// The supervisor's execution that asks this worker.
    pub tag: i64,
}

/// Which servers work for which.
#[inline(never)]
pub fn joins(store: &MonetDbStore, servers: &[ServerEvents], strings: &Interner) -> Vec<WorkerServer> {
    let mut found: Vec<WorkerServer> = Vec::new();
    for (supervisor, of) in servers.iter().enumerate() {
        let id = store.servers[of.server as usize].id;
        let asked = registers(store, of).filter(|(_, event)| is_of(event.token, id, strings));
        for (asked_at, event) in asked {
            let Some(anchor) = exec_before(store, of, asked_at, event.tag, strings) else { continue };
            let others = servers.iter().enumerate().filter(|(at, _)| *at != supervisor);
            for (worker, other) in others {
                let told = registers(store, other).find(|(_, told)| told.token == event.token);
                let Some((end, told)) = told.filter(|_| !found.iter().any(|join| join.worker == worker))
                else {
                    continue;
                };
                let middle = end - length(told).unwrap_or(0) / 2;
                found.push(WorkerServer {
                    worker,
                    supervisor,
                    shift: anchor.saturating_sub(middle),
                    tag: event.tag,
                });
            }
        }
    }
    // One that works for a worker stands by itself: nothing tells on whose clock.
    let workers: Vec<usize> = found.iter().map(|join| join.worker).collect();
    found.retain(|join| !workers.contains(&join.supervisor));
    found
}

/// Calls by which a server learns of its supervisor, or tells of itself, with the times of their ends.
fn registers<'a>(
    store: &'a MonetDbStore,
    server: &'a ServerEvents,
) -> impl Iterator<Item = (i64, &'a MonetDbEvent)> + 'a {
    let events = server.rows.iter().map(|&(time, at)| (time, store.events.at(at as usize)));
    events.filter(|(_, event)| event.token != StrId::NONE && event.edge != MonetDbEventState::Start)
}

/// Whether the first part of a token is the id of a server.
fn is_of(token: StrId, id: StrId, strings: &Interner) -> bool {
    let Some(id) = id.some().map(|id| strings.get(id)) else { return false };
    strings.get(token).split(' ').next() == Some(id)
}

/// The middle of the last `remote.exec` of an execution that ended before a moment.
fn exec_before(
    store: &MonetDbStore,
    server: &ServerEvents,
    moment: i64,
    tag: i64,
    strings: &Interner,
) -> Option<i64> {
    let exec = strings.find("remote.exec")?;
    let before = server.rows.iter().rev().filter(|(time, _)| *time <= moment);
    let mut events = before.map(|&(time, at)| (time, store.events.at(at as usize)));
    let is_exec = |event: &MonetDbEvent| {
        event.tag == tag && event.name == exec && event.edge != MonetDbEventState::Start
    };
    let (end, event) = events.find(|(_, event)| is_exec(event))?;
    Some(end - length(event).unwrap_or(0) / 2)
}
