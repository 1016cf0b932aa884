//! Which instruction made what another one reads: the arrows of the dataflow.
//!
//! The maker of a variable is the last instruction of the same frame that ended before the reader began and has it among
//! its results. A frame is an execution; a call without a tag of its own is one by itself. What changes a variable in
//! place, or must come before for its side effects, does not show.

use super::calls::InstructionCall;
use super::executions::FunctionExecutions;
use super::store::{MonetDbEventKind, MonetDbStore, NONE};
use super::threads::ThreadActivity;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;

/// A variable that is handed on from one call to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataflowEdge {
    pub variable: StrId,
    pub from: u32,
    pub to: u32,
}

/// What a server's calls hand on to each other.
pub struct Dataflow {
    /// The frame of each call.
    pub frames: Vec<Option<u32>>,
    /// All calls, by their ends; of those that end together the one that started first.
    pub ended: Vec<u32>,
    /// All edges, by the start of their readers.
    pub edges: Vec<DataflowEdge>,
    /// Where the edges of each reader begin.
    begins: Vec<u32>,
}

impl Dataflow {
    pub fn new(
        store: &MonetDbStore,
        calls: &[InstructionCall],
        threads: &[ThreadActivity],
        executions: &FunctionExecutions,
    ) -> Self {
        let (frames, ended) = (frames(calls, threads, executions), by_end(calls));
        let edges = edges(store, calls, &ended, &frames);
        let mut begins = Vec::with_capacity(calls.len() + 1);
        for (at, edge) in (0..).zip(&edges) {
            begins.resize(begins.len().max(edge.to as usize + 1), at);
        }
        begins.resize(calls.len() + 1, edges.len() as u32);
        Self { frames, ended, edges, begins }
    }

    /// What a call reads.
    pub fn read_by(&self, call: u32) -> &[DataflowEdge] {
        let [begin, end] = [call, call + 1].map(|at| self.begins[at as usize] as usize);
        &self.edges[begin..end]
    }
}

#[inline(never)]
fn edges(
    store: &MonetDbStore,
    calls: &[InstructionCall],
    ended: &[u32],
    frames: &[Option<u32>],
) -> Vec<DataflowEdge> {
    let mut makers: FxHashMap<(u32, StrId), u32> = FxHashMap::default();
    let mut edges: Vec<DataflowEdge> = Vec::new();
    let mut ended = ended.iter().copied().peekable();
    let variables = |at: u32, made: bool| {
        store.variables_of(calls[at as usize].variables).filter(move |variable| variable.made == made)
    };
    // Calls stand by their starts. What ended at the moment of a start ended before it.
    for (at, call) in (0..).zip(calls) {
        while let Some(maker) = ended.next_if(|maker| calls[*maker as usize].end <= call.start) {
            let Some(frame) = frames[maker as usize] else { continue };
            makers.extend(variables(maker, true).map(|variable| ((frame, variable.name), maker)));
        }
        let (Some(frame), first) = (frames[at as usize], edges.len()) else { continue };
        for variable in variables(at, false) {
            let Some(&from) = makers.get(&(frame, variable.name)).filter(|from| **from != at) else {
                continue;
            };
            let edge = DataflowEdge { variable: variable.name, from, to: at };
            if !edges[first..].contains(&edge) {
                edges.push(edge);
            }
        }
    }
    edges
}

#[inline(never)]
fn by_end(calls: &[InstructionCall]) -> Vec<u32> {
    let mut all: Vec<u32> = (0..calls.len() as u32).collect();
    sort::by_key(&mut all, |&at| (calls[at as usize].end, 0));
    all
}

/// The frame of each instruction: its execution, or else the function without a tag that it lies in.
#[inline(never)]
fn frames(
    calls: &[InstructionCall],
    threads: &[ThreadActivity],
    executions: &FunctionExecutions,
) -> Vec<Option<u32>> {
    let first = executions.all.len() as u32;
    let mut frames = executions.of_call.clone();
    for thread in threads {
        for (at, placed) in thread.placed.iter().enumerate() {
            let call = &calls[placed.what as usize];
            let above = placed.parent.map(|above| thread.placed[above as usize].what);
            let own = if call.what == MonetDbEventKind::Function && matches!(call.tag, 0 | NONE) {
                Some(first.saturating_add(thread.placed[at].what))
            } else if matches!(call.tag, 0 | NONE) {
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
