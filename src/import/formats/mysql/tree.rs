//! Builds the tree of a thread's events from their ids: the ids of all events inside an event are between its id and the id
//! at which it ended (MySQL's worklog 5863). The nesting id of an event is not a call tree: the statements of a procedure
//! name its transaction, and events after a trigger still name the trigger.

use super::class::MySqlEventClass;
use super::clock::WaitInHolder;
use super::store::{MySqlEvent, MySqlStore, NO_TIME, OPEN};
use crate::base::sort;
use crate::trace::{RecordId, RecordTable};

/// An event of a thread with its parent.
#[derive(Clone, Copy, Debug)]
pub struct MySqlEventNode {
    pub id: i64,
    /// END_EVENT_ID; [`OPEN`] if the event had not ended.
    pub end: i64,
    /// Start, in picoseconds, as in [`MySqlEvent`].
    pub start: u64,
    pub wait: u64,
    /// Index of the event in the store.
    pub event: u32,
    pub what: u32,
    pub record: RecordId,
    parent: u32,
    pub class: MySqlEventClass,
    /// Whether the event names a parent that is not in the files.
    pub is_orphan: bool,
}

/// Parent index of an event without a parent.
const NONE: u32 = u32::MAX;

impl MySqlEventNode {
    /// Index of the parent among the thread's events.
    pub fn parent(&self) -> Option<u32> {
        (self.parent != NONE).then_some(self.parent)
    }

    /// Whether the event had ended when its table was read.
    pub fn has_ended(&self) -> bool {
        self.end != OPEN
    }

    /// End of the event in picoseconds by its clock, if it is reported.
    pub fn stop(&self) -> Option<u64> {
        (self.wait != NO_TIME).then(|| self.start.checked_add(self.wait)).flatten()
    }

    /// Start and duration of the event in picoseconds by its clock, if both are reported.
    pub fn timed(&self) -> Option<(u64, u64)> {
        (self.start != NO_TIME && self.wait != NO_TIME).then_some((self.start, self.wait))
    }
}

/// Loads the events of a thread, without parents.
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

/// Sorts the events of a thread by id. Among the copies of an event from several tables, an ended event comes before one
/// that has not ended.
pub fn sort(nodes: &mut [MySqlEventNode]) {
    sort::by_key(nodes, |node| (node.id, (node.class as u64) << 1 | u64::from(!node.has_ended())));
}

/// Finds the parent of each event of a thread. The events are sorted by id, and each event occurs once.
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

/// Whether `above` contains `node`, which began later.
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

/// Returns the open wait that contains the wait `node`, although a stage began between the two and ends later than the
/// outer wait: the stage changes during a wait for a condition or a lock. Otherwise the outer wait would count the
/// time of the inner wait as its own.
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

/// Returns the parent that an event names by its nesting id, for events that no id interval contains, and whether that
/// parent is missing from the files.
fn told_parent(
    store: &MySqlStore,
    nodes: &[MySqlEventNode],
    at: usize,
    last: &mut LastNesting,
) -> (Option<u32>, bool) {
    let node = &nodes[at];
    let Some(told) = store.nesting(node.event, node.id) else { return (None, false) };
    // A parent begins before its children, so that a higher id is invalid.
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

/// The last nesting id that was looked up: events with the same parent follow one another.
#[derive(Default)]
struct LastNesting {
    id: Option<i64>,
    found: Option<u32>,
}

/// Finds the index of the event `id`, which is less than `at`.
fn find(nodes: &[MySqlEventNode], at: usize, id: i64) -> Option<u32> {
    // It is at most this number of ids before `at`, unless some ids occur twice.
    let near = at.saturating_sub(usize::try_from(nodes[at].id.abs_diff(id)).unwrap_or(at).saturating_add(1));
    let first = if nodes[near].id < id { near } else { 0 };
    let found = first + nodes[first..at].partition_point(|node| node.id < id);
    nodes.get(found).filter(|found| found.id == id).map(|_| found as u32)
}

/// Returns a wait with the nearest stage or statement that contains it, to compare the two clocks. `None` unless the
/// event is a wait and the times of both are known.
pub fn pair(nodes: &[MySqlEventNode], at: usize) -> Option<WaitInHolder> {
    let node = nodes.get(at).filter(|node| node.class == MySqlEventClass::Wait && node.has_ended())?;
    let above = |node: &MySqlEventNode| Some(&nodes[node.parent()? as usize]);
    let holds = |node: &&MySqlEventNode| MySqlEventClass::HOLD_WAITS.contains(&node.class);
    let holder = std::iter::successors(above(node), |node| above(node)).find(holds)?;
    let whole = holder.has_ended() && holder.end >= node.end;
    Some(WaitInHolder { wait: node.timed()?, holder: holder.timed().filter(|_| whole)? })
}
