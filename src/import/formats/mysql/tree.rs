//! One thread's events as a tree, by their ids: an event's id and the id at which it ended hold the ids of all that
//! happened in it (MySQL's worklog 5863). The id that an event says it is nested in is no call tree: the statements of a
//! procedure name its transaction, and what follows a trigger still names the trigger.

use super::class::MySqlEventClass;
use super::clock::WaitInHolder;
use super::store::{MySqlEvent, MySqlStore, NO_TIME, OPEN};
use crate::base::sort;
use crate::trace::{RecordId, RecordTable};

/// An event in its thread.
#[derive(Clone, Copy, Debug)]
pub struct MySqlEventNode {
    pub id: i64,
    /// The id at which it ended; [`OPEN`] if it had not.
    pub end: i64,
    /// Picoseconds, as in [`MySqlEvent`].
    pub start: u64,
    pub wait: u64,
    /// Index of the event in the store.
    pub event: u32,
    pub what: u32,
    pub record: RecordId,
    parent: u32,
    pub class: MySqlEventClass,
    /// What it says that it is in is not in the files.
    pub is_orphan: bool,
}

/// Stands for "no parent".
const NONE: u32 = u32::MAX;

impl MySqlEventNode {
    /// The position of what it is in.
    pub fn parent(&self) -> Option<u32> {
        (self.parent != NONE).then_some(self.parent)
    }

    /// Whether it had ended when its table was read.
    pub fn has_ended(&self) -> bool {
        self.end != OPEN
    }

    /// When the event ended, by its clock, if that is reported.
    pub fn stop(&self) -> Option<u64> {
        (self.wait != NO_TIME).then(|| self.start.checked_add(self.wait)).flatten()
    }

    /// Start and length of the event by its clock, if both are reported.
    pub fn timed(&self) -> Option<(u64, u64)> {
        (self.start != NO_TIME && self.wait != NO_TIME).then_some((self.start, self.wait))
    }
}

/// The events of one thread, without parents.
#[inline(never)]
pub fn load(
    store: &MySqlStore,
    reported: &RecordTable,
    events: impl Iterator<Item = u32>,
) -> Vec<MySqlEventNode> {
    let node = |at: u32| {
        let MySqlEvent { at: event, start, wait, what, record, id, end } = store.event(at, reported);
        let class = store.descriptions.class(what);
        MySqlEventNode { id, end, start, wait, event, what, record, parent: NONE, class, is_orphan: false }
    };
    events.map(node).collect()
}

/// Sorts the events of a thread by id; of an event that stands in several tables, one that has ended goes before one that
/// has not.
pub fn sort(nodes: &mut [MySqlEventNode]) {
    sort::by_key(nodes, |node| (node.id, (node.class as u64) << 1 | u64::from(!node.has_ended())));
}

/// Finds out what each event of a thread is in. They are in the order of their ids; of those in several tables one is left.
#[inline(never)]
pub fn connect(store: &MySqlStore, nodes: &mut [MySqlEventNode]) {
    let mut open: Vec<u32> = Vec::new();
    let mut last = LastNesting::default();
    for at in 0..nodes.len() {
        let node = nodes[at];
        while open.last().is_some_and(|&top| nodes[top as usize].end < node.id) {
            open.pop();
        }
        let mut above = open.iter().rev().copied();
        let parent = above.find(|&above| holds(&nodes[above as usize], &node));
        let (parent, is_orphan) = match parent {
            Some(stage) if nodes[stage as usize].class == MySqlEventClass::Stage => {
                (wait_around(nodes, &open, stage, &node).or(Some(stage)), false)
            }
            Some(parent) => (Some(parent), false),
            None => told_parent(store, nodes, at, &mut last),
        };
        nodes[at].parent = parent.unwrap_or(NONE);
        nodes[at].is_orphan = is_orphan;
        if node.class != MySqlEventClass::Transaction {
            open.push(at as u32);
        }
    }
}

/// Whether `node`, which began later, happened in `above`.
fn holds(above: &MySqlEventNode, node: &MySqlEventNode) -> bool {
    let whole = above.end >= node.end;
    match (above.class, node.class) {
        (MySqlEventClass::Statement, MySqlEventClass::Statement | MySqlEventClass::Transaction) => whole,
        (MySqlEventClass::Statement, _) => above.end >= node.id,
        (MySqlEventClass::Stage, MySqlEventClass::Wait) => above.end >= node.id,
        (MySqlEventClass::Wait | MySqlEventClass::Idle, MySqlEventClass::Wait) => whole,
        _ => false,
    }
}

/// The wait that a wait lies in although a stage began between the two, which goes on when the outer one has ended: the
/// stage changes while a condition or a lock is waited for. Else the outer one would count the time of the inner one as
/// its own.
fn wait_around(nodes: &[MySqlEventNode], open: &[u32], stage: u32, node: &MySqlEventNode) -> Option<u32> {
    let inside = |one: &MySqlEventNode| {
        let by_time =
            one.start <= node.start && one.stop().zip(node.stop()).is_some_and(|(one, stop)| stop <= one);
        one.class == MySqlEventClass::Wait && one.has_ended() && one.end >= node.end && by_time
    };
    let is_end = |one: &MySqlEventNode| one.class == MySqlEventClass::Statement && one.end >= node.id;
    let before = open.iter().rev().copied().skip_while(|&above| above != stage).skip(1);
    let found = before.filter(|_| node.class == MySqlEventClass::Wait).find(|&above| {
        let one = &nodes[above as usize];
        inside(one) || is_end(one)
    });
    found.filter(|&above| nodes[above as usize].class == MySqlEventClass::Wait)
}

/// What an event says that it is in, where no id interval tells; and whether that is missing.
fn told_parent(
    store: &MySqlStore,
    nodes: &[MySqlEventNode],
    at: usize,
    last: &mut LastNesting,
) -> (Option<u32>, bool) {
    let node = &nodes[at];
    let Some(told) = store.nesting(node.event, node.id) else { return (None, false) };
    // What it is in began before it: an id that says otherwise is none.
    if told >= node.id {
        return (None, true);
    }
    if last.id != Some(told) {
        *last = LastNesting { id: Some(told), found: find(nodes, at, told) };
    }
    match last.found {
        Some(found) if nodes[found as usize].class == MySqlEventClass::Transaction => (None, false),
        Some(found) => (Some(found), false),
        None => (None, true),
    }
}

/// The last nesting id that was looked up: events of one holder come one after the other.
#[derive(Default)]
struct LastNesting {
    id: Option<i64>,
    found: Option<u32>,
}

/// Where the event `id` stands, which is before `at`.
fn find(nodes: &[MySqlEventNode], at: usize, id: i64) -> Option<u32> {
    // It is as many places before as ids, at most; but that some ids are there twice.
    let near = at.saturating_sub(usize::try_from(nodes[at].id.abs_diff(id)).unwrap_or(at).saturating_add(1));
    let first = if nodes[near].id < id { near } else { 0 };
    let found = first + nodes[first..at].partition_point(|node| node.id < id);
    nodes.get(found).filter(|found| found.id == id).map(|_| found as u32)
}

/// A wait and the nearest stage or statement that it lies in, if the times of both are known: they tell how far the clocks
/// of the two are apart.
pub fn pair(nodes: &[MySqlEventNode], at: usize) -> Option<WaitInHolder> {
    let node = nodes.get(at).filter(|node| node.class == MySqlEventClass::Wait && node.has_ended())?;
    let above = |node: &MySqlEventNode| Some(&nodes[node.parent()? as usize]);
    let holds = |node: &&MySqlEventNode| MySqlEventClass::HOLD_WAITS.contains(&node.class);
    let holder = std::iter::successors(above(node), |node| above(node)).find(holds)?;
    let whole = holder.has_ended() && holder.end >= node.end;
    Some(WaitInHolder { wait: node.timed()?, holder: holder.timed().filter(|_| whole)? })
}
