//! Iterations: which run of an instruction a call is, where its execution ran that more than once.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::calls::InstructionCall;
use super::executions::FunctionExecutions;

/// For each call its iteration, counted from 1 in time; 0 where the instruction ran once.
#[inline(never)]
pub fn rounds(calls: &[InstructionCall], executions: &FunctionExecutions) -> Vec<u32> {
    let mut rounds = vec![0; calls.len()];
    let places: Vec<i64> = calls.iter().map(|call| call.pc).collect();
    let (order, ends) = by_execution(executions);
    // The first run of each instruction, and how many there were. One execution after the other: all of it stays near.
    let mut seen: HashMap<i64, (u32, u32), FxBuildHasher> = HashMap::default();
    let mut begin = 0;
    for end in ends {
        seen.clear();
        for &at in &order[begin..end] {
            let pc = places[at as usize];
            let (first, runs) = seen.entry(pc).or_insert((at, 0));
            *runs += 1;
            // The function as a whole is pc 0.
            if *runs > 1 && pc > 0 {
                rounds[*first as usize] = 1;
                rounds[at as usize] = *runs;
            }
        }
        begin = end;
    }
    rounds
}

/// All calls of the first execution, then those of the second, …, each by time; and where each of these lists ends.
fn by_execution(executions: &FunctionExecutions) -> (Vec<u32>, Vec<usize>) {
    let mut next = vec![0; executions.all.len() + 1];
    for of in executions.of_call.iter().flatten() {
        next[*of as usize + 1] += 1;
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut order = vec![0; next[next.len() - 1]];
    for (at, of) in (0..).zip(&executions.of_call) {
        if let Some(of) = of {
            order[next[*of as usize]] = at;
            next[*of as usize] += 1;
        }
    }
    // What was the begin of each list is its end now.
    next.pop();
    (order, next)
}
