//! Iterations: numbers the runs of an instruction that ran more than once in one execution.

use super::calls::InstructionCall;
use super::executions::FunctionExecutions;
use crate::base::FxHashMap;
use crate::import::grouped_indices::GroupedIndices;

/// Iteration of each call in time order, from 1; 0 if the instruction ran only once in its execution.
#[inline(never)]
pub fn rounds(calls: &[InstructionCall], executions: &FunctionExecutions) -> Vec<u32> {
    let mut rounds = vec![0; calls.len()];
    let places: Vec<i64> = calls.iter().map(|call| call.pc).collect();
    let of_call = &executions.of_call;
    let by_execution = GroupedIndices::new(executions.all.len(), of_call.len(), |at| of_call[at]);
    // First run and number of runs of each instruction. Executions are processed one by one, which keeps the map small.
    let mut seen: FxHashMap<i64, (u32, u32)> = FxHashMap::default();
    for execution in 0..by_execution.len() as u32 {
        seen.clear();
        for &at in by_execution.of(execution) {
            let pc = places[at as usize];
            let (first, runs) = seen.entry(pc).or_insert((at, 0));
            *runs += 1;
            // pc 0 is the whole function.
            if *runs > 1 && pc > 0 {
                rounds[*first as usize] = 1;
                rounds[at as usize] = *runs;
            }
        }
    }
    rounds
}
