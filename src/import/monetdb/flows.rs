//! Which instruction made what another one reads: the arrows of the dataflow.
//!
//! The maker of a variable is the last instruction of the same frame that ended before the reader began and has it among
//! its results. A frame is an execution; a call without a tag of its own is one by itself. What changes a variable in
//! place, or must come before for its side effects, does not show.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::calls::Call;
use super::executions::Executions;
use super::store::{NONE, Store, What};
use super::threads::Thread;
use crate::sort;
use crate::strings::StrId;

/// A variable that is handed on from one call to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub variable: StrId,
    pub from: u32,
    pub to: u32,
}

/// All edges, by the start of their readers.
pub fn edges(store: &Store, calls: &[Call], threads: &[Thread], executions: &Executions) -> Vec<Edge> {
    let frames = frames(store, calls, threads, executions);
    let mut makers: HashMap<(u32, StrId), u32, FxBuildHasher> = HashMap::default();
    let mut edges: Vec<Edge> = Vec::new();
    for (at, ends) in moments(calls) {
        let Some(frame) = frames[at as usize] else { continue };
        let event = store.events.get(calls[at as usize].event as usize);
        let first = edges.len();
        for variable in store.variables_of(&event).filter(|variable| variable.made == ends) {
            if ends {
                makers.insert((frame, variable.name), at);
            } else if let Some(&from) = makers.get(&(frame, variable.name)).filter(|from| **from != at) {
                let edge = Edge { variable: variable.name, from, to: at };
                if !edges[first..].contains(&edge) {
                    edges.push(edge);
                }
            }
        }
    }
    edges
}

/// Every end and start of an instruction, by time; of the same moment, ends first.
fn moments(calls: &[Call]) -> Vec<(u32, bool)> {
    let all = (0..).zip(calls).flat_map(|(at, call)| [(call.end, at, true), (call.start, at, false)]);
    let mut all: Vec<(i64, u32, bool)> = all.collect();
    sort::by_key(&mut all, |&(time, at, ends)| (time, u64::from(!ends) << 32 | u64::from(at)));
    all.into_iter().map(|(_, at, ends)| (at, ends)).collect()
}

/// The frame of each instruction: its execution, or behind those the function without a tag that it lies in.
fn frames(store: &Store, calls: &[Call], threads: &[Thread], executions: &Executions) -> Vec<Option<u32>> {
    let first = executions.all.len() as u32;
    let mut frames = executions.of_call.clone();
    for thread in threads {
        for (at, placed) in thread.placed.iter().enumerate() {
            let event = store.events.get(calls[placed.what as usize].event as usize);
            let above = placed.parent.map(|above| thread.placed[above as usize].what);
            let own = if event.what == What::Function && matches!(event.tag, 0 | NONE) {
                Some(first.saturating_add(thread.placed[at].what))
            } else if matches!(event.tag, 0 | NONE) {
                above.and_then(|above| frames[above as usize])
            } else {
                None
            };
            if own.is_some() {
                frames[placed.what as usize] = own;
            }
        }
    }
    frames
}
