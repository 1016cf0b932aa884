//! The MAL function that each instruction belongs to. A plan may call other functions, and every function numbers its
//! instructions from 0.
//!
//! Up to Jan2022 every event reports its function. From Sep2022 on it is inferred from the execution, or, for a call
//! without a tag, from the enclosing function.

use super::calls::InstructionCall;
use super::executions::FunctionExecutions;
use super::flows::Dataflow;
use super::store::MonetDbEventKind;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};

/// Returns the function of each call.
#[inline(never)]
pub fn programs(
    calls: &[InstructionCall],
    executions: &FunctionExecutions,
    flows: &Dataflow,
    strings: &mut Interner,
) -> Vec<StrId> {
    let mut names: FxHashMap<StrId, StrId> = FxHashMap::default();
    let of_frame = |frame: u32| match executions.all.get(frame as usize) {
        Some(execution) => execution.program,
        None => calls[frame as usize - executions.all.len()].name,
    };
    let told = |at: usize| {
        let program = calls[at].program.some().filter(|program| *program != StrId::EMPTY);
        let inferred = || flows.frames[at].map_or(StrId::NONE, of_frame);
        if calls[at].what == MonetDbEventKind::Function {
            calls[at].name
        } else {
            program.unwrap_or_else(inferred)
        }
    };
    let mut name = |told: StrId| {
        *names.entry(told).or_insert_with(|| match told.some().map(|told| strings.get(told)) {
            Some(text) => match text.strip_prefix("function ").map(str::to_owned) {
                Some(bare) => strings.intern(&bare),
                None => told,
            },
            None => StrId::NONE,
        })
    };
    (0..calls.len()).map(|at| name(told(at))).collect()
}
