//! One thread's events as a tree, by their ids: an event's id and the id at which it ended hold the ids of all that
//! happened in it (MySQL's worklog 5863). The id that an event says it is nested in is no call tree: the statements of a
//! procedure name its transaction, and what follows a trigger still names the trigger.

use super::prepare::{Class, Prepared};
use super::store::{NO_TIME, Store};

/// An event in its thread.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its number in the store.
    pub event: u32,
    pub class: Class,
    pub id: i64,
    /// The id at which it ended; the greatest number if it had not.
    pub end: i64,
    /// The position of what it is in.
    pub parent: Option<u32>,
    /// What it says that it is in is not in the files.
    pub is_orphan: bool,
}

/// The events of one thread, in the order of their ids. `events` are in the order of ids; of those in several tables one
/// is left.
pub fn nodes(store: &Store, prepared: &[Prepared], events: &[u32]) -> Vec<Node> {
    let node = |&at: &u32| {
        let (id, class) = (store.id(at), prepared[store.what(at) as usize].class);
        let end = store.end_id(at).unwrap_or(i64::MAX);
        Node { event: at, class, id, end, parent: None, is_orphan: false }
    };
    let mut nodes: Vec<Node> = events.iter().map(node).collect();
    let mut open: Vec<u32> = Vec::new();
    for at in 0..nodes.len() {
        let node = nodes[at];
        while open.last().is_some_and(|&top| nodes[top as usize].end < node.id) {
            open.pop();
        }
        let mut above = open.iter().rev().copied();
        let parent = above.find(|&above| holds(&nodes[above as usize], &node));
        let (parent, is_orphan) = match parent {
            Some(parent) => (Some(parent), false),
            None => told_parent(store, &nodes, &node),
        };
        nodes[at].parent = parent;
        nodes[at].is_orphan = is_orphan;
        if node.class != Class::Transaction {
            open.push(at as u32);
        }
    }
    nodes
}

/// Whether `node`, which began later, happened in `above`.
fn holds(above: &Node, node: &Node) -> bool {
    let whole = above.end >= node.end;
    match (above.class, node.class) {
        (Class::Statement, Class::Statement | Class::Transaction) => whole,
        (Class::Statement, _) => above.end >= node.id,
        (Class::Stage, Class::Wait) => above.end >= node.id,
        (Class::Wait | Class::Idle, Class::Wait) => whole,
        _ => false,
    }
}

/// What an event says that it is in, where no id interval tells; and whether that is missing.
fn told_parent(store: &Store, nodes: &[Node], node: &Node) -> (Option<u32>, bool) {
    let Some(told) = store.nesting(node.event) else { return (None, false) };
    // What it is in began before it: an id that says otherwise is none.
    if told >= node.id {
        return (None, true);
    }
    let at = nodes.partition_point(|node| node.id < told);
    match nodes.get(at).filter(|found| found.id == told) {
        Some(found) if found.class == Class::Transaction => (None, false),
        Some(_) => (Some(at as u32), false),
        None => (None, true),
    }
}

/// The nearest stage or statement that a wait lies in, with its times, if all of both are known: they tell how far the
/// clocks of the two are apart.
pub fn timed_holder(store: &Store, nodes: &[Node], at: usize) -> Option<(u64, u64)> {
    let wait = &nodes[at];
    let mut above = wait.parent;
    while let Some(parent) = above {
        let node = &nodes[parent as usize];
        if matches!(node.class, Class::Stage | Class::Statement) {
            let event = store.event(node.event);
            let timed = event.start != NO_TIME && event.wait != NO_TIME;
            return (timed && node.end != i64::MAX && node.end >= wait.end)
                .then_some((event.start, event.wait));
        }
        above = node.parent;
    }
    None
}
