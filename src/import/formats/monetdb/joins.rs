//! Finds executions that are spread over several servers: supervisors, their workers, and the difference of the clocks.
//!
//! ```text
//! supervisor   ▇ exec register_supervisor ▇   ▇▇▇▇▇▇ exec l2 ▇▇▇▇▇▇
//! worker           ▇ register_supervisor ▇      ▇▇▇▇ function l2 ▇▇
//! ```
//! A supervisor creates an id for each worker, and both report `remote.register_supervisor` with that id. The worker's
//! function then runs inside the supervisor's call that requests it. Their middles are assumed to coincide, with an
//! error of up to half of the network's delay.

use super::order::{ServerEvents, length};
use super::store::{MonetDbEvent, MonetDbEventState, MonetDbStore};
use crate::base::interner::{Interner, StrId};

/// A server that executes parts of another server's plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkerServer {
    /// Index of the worker in the list of servers.
    pub worker: usize,
    /// Index of the supervisor in the list of servers.
    pub supervisor: usize,
    /// Offset to add to the worker's clock, in nanoseconds.
    pub shift: i64,
    /// Tag of the supervisor's execution that uses this worker.
    pub tag: i64,
}

/// Finds the servers that work for another server.
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
    // A worker of a worker is shown alone: nothing connects its clock with that of the first supervisor.
    let workers: Vec<usize> = found.iter().map(|join| join.worker).collect();
    found.retain(|join| !workers.contains(&join.supervisor));
    found
}

/// Ends of the calls of `remote.register_supervisor` on a server, which is a supervisor or a worker: time and event.
fn registers<'a>(
    store: &'a MonetDbStore,
    server: &'a ServerEvents,
) -> impl Iterator<Item = (i64, &'a MonetDbEvent)> + 'a {
    let events = server.rows.iter().map(|&(time, at)| (time, store.events.at(at as usize)));
    events.filter(|(_, event)| event.token != StrId::NONE && event.edge != MonetDbEventState::Start)
}

/// Whether a token of `remote.register_supervisor` begins with the id of a server.
fn is_of(token: StrId, id: StrId, strings: &Interner) -> bool {
    let Some(id) = id.some().map(|id| strings.get(id)) else { return false };
    strings.get(token).split(' ').next() == Some(id)
}

/// Middle of the last `remote.exec` call in an execution; only calls that ended before the given moment count.
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
