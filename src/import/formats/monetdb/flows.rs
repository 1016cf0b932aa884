//! Dataflow: arrows from the instruction that wrote a variable to the instructions that read it.
//!
//! The writer of a variable is the last instruction of the same frame that ended before the reader began and has the
//! variable among its results. A frame is an execution; a call without a tag is a frame of its own. Updates of a variable
//! in place and dependencies by side effects are not visible.

use super::calls::InstructionCall;
use super::executions::FunctionExecutions;
use super::store::{MonetDbEventKind, MonetDbStore, NONE};
use super::threads::ThreadActivity;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;

/// A variable that one call writes and another call reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataflowEdge {
    pub variable: StrId,
    pub from: u32,
    pub to: u32,
}

/// Dataflow between the calls of a server.
pub struct Dataflow {
    /// Index of the frame of each call. Variables are shared only within a frame.
    pub frames: Vec<Option<u32>>,
    /// Indices of all calls, sorted by end, then by start.
    pub ended: Vec<u32>,
    /// All edges, sorted by the start of their readers.
    pub edges: Vec<DataflowEdge>,
    /// For each call, index of the first of its edges as a reader. One more element marks the end of the last call's
    /// edges.
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

    /// Edges of the variables that a call reads.
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
    // Calls are sorted by start. A call that ended at the start of another call ended before it.
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

/// Returns the frame of each instruction: its execution, or else the enclosing function without a tag.
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
