//! Threads that statements share. An embedded server reports one number for all threads of its application. So overlapping
//! calls on that thread belong to several clients, and nesting inside another statement's interval has no meaning.
//!
//! ```text
//! thread 1   ▇▇▇▇ select 1 ▇▇▇▇▇▇▇▇▇▇▇▇▇▇    strand 1: a statement with all functions that it calls
//!               ▇▇ select 2 ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇  strand 2: overlaps the first
//!              ▇                             loose: a constant (tag 0) whose statement is not known
//! ```
//! The caller of an execution is the enclosing instruction that has its function's name. An instruction that encloses it only
//! by time is the caller only if the execution is not a statement: a statement has typed SQL, or a name that no plan calls.

use super::calls::{ExecutionId, InstructionCall};
use super::store::{MonetDbEventKind, NONE};
use crate::base::interner::{Interner, StrId};
use crate::base::{FxHashMap, FxHashSet};

/// Strand of each call: the statement on its thread that it belongs to.
pub struct CallStrands {
    of_call: Vec<u32>,
}

/// Strand of all calls of a thread that is not shared.
const WHOLE_THREAD: u32 = u32::MAX - 1;
/// Strand of a call on a shared thread whose statement is not known.
const LOOSE: u32 = u32::MAX;

/// Maximum number of open calls or statements that are searched: few are open at once, and the limit bounds the time
/// for damaged files.
const LOOKED_AT: usize = 64;
/// Overlap in nanoseconds that is ignored because clocks count microseconds.
const ROUNDING: i64 = 1_000;

impl CallStrands {
    /// Computes the strands of a server's calls, which are sorted by start.
    #[inline(never)]
    pub fn new(calls: &[InstructionCall], strings: &Interner) -> Self {
        let mut by_thread: FxHashMap<i64, Vec<u32>> = FxHashMap::default();
        for (at, call) in (0..).zip(calls) {
            by_thread.entry(call.thread).or_default().push(at);
        }
        let mut of_call = vec![WHOLE_THREAD; calls.len()];
        for own in by_thread.values() {
            let roots = ExecutionCallers::new(calls, own, strings);
            if let Some(shared) = roots.shared(calls, own) {
                for &at in own {
                    of_call[at as usize] = roots.strand(&calls[at as usize], shared);
                }
            }
        }
        Self { of_call }
    }

    /// Strand of a call: calls of a thread nest only with calls of the same strand.
    pub fn of(&self, call: u32) -> u32 {
        self.of_call[call as usize]
    }

    /// Whether the statement of a call on a shared thread is not known.
    pub fn is_loose(&self, call: u32) -> bool {
        self.of(call) == LOOSE
    }
}

/// Properties of a thread that statements share.
#[derive(Clone, Copy)]
struct ThreadSharing {
    /// Whether overlapping statements have different clients, so that the client identifies the statement of an untagged call.
    by_client: bool,
}

/// An execution whose caller and strand are not determined yet.
struct StrandExecution {
    client: StrId,
    start: i64,
    /// Last end of the execution's own calls and of the calls of its callees.
    end: i64,
    /// Name of the function without the preceding keyword.
    program: StrId,
    is_statement: bool,
    /// Index of the calling execution; its own index if it has no caller.
    caller: u32,
}

/// Executions of a thread with their callers.
struct ExecutionCallers {
    of: FxHashMap<ExecutionId, u32>,
    all: Vec<StrandExecution>,
}

impl ExecutionCallers {
    fn new(calls: &[InstructionCall], own: &[u32], strings: &Interner) -> Self {
        let mut found = Self { of: FxHashMap::default(), all: Vec::new() };
        let mut names: FxHashMap<&str, StrId> = FxHashMap::default();
        for &at in own {
            let call = &calls[at as usize];
            names.entry(strings.get(call.name)).or_insert(call.name);
            found.learn(call);
        }
        for known in &mut found.all {
            let name = known.program.some().map_or("", |program| strings.get(program));
            let bare = name.strip_prefix("function ").unwrap_or(name);
            known.is_statement |= is_of_statement(bare);
            // A call has the name of its function, without the keyword.
            known.program = names.get(bare).copied().unwrap_or(StrId::NONE);
        }
        found.link(calls, own);
        found
    }

    fn learn(&mut self, call: &InstructionCall) {
        let Some(key) = key(call) else { return };
        let Self { of, all } = self;
        let at = *of.entry(key).or_insert_with(|| {
            let at = all.len() as u32;
            let client = call.client;
            let start = call.start;
            let end = call.end;
            all.push(StrandExecution {
                client,
                start,
                end,
                program: StrId::NONE,
                is_statement: false,
                caller: at,
            });
            at
        });
        let known = &mut all[at as usize];
        known.end = known.end.max(call.end);
        known.is_statement |= call.sql.some().is_some();
        if call.what == MonetDbEventKind::Function {
            known.program = call.name;
        } else {
            let told = call.program.some().filter(|program| *program != StrId::EMPTY);
            known.program = known.program.some().or(told).unwrap_or(StrId::NONE);
        }
    }

    /// Finds the caller of each execution, at its first call.
    fn link(&mut self, calls: &[InstructionCall], own: &[u32]) {
        let (mut open, mut used): (Vec<u32>, FxHashSet<u32>) = Default::default();
        let mut met = vec![false; self.all.len()];
        for &at in own {
            let call = &calls[at as usize];
            while open.last().is_some_and(|top| calls[*top as usize].end < call.start) {
                open.pop();
            }
            if let Some(of) = key(call).and_then(|key| self.of.get(&key).copied())
                && !std::mem::replace(&mut met[of as usize], true)
                && let Some((caller, by)) = self.caller(of, calls, &open, &used)
            {
                used.insert(by);
                self.all[of as usize].caller = caller;
            }
            open.push(at);
        }
    }

    /// Returns the execution that called another execution, and the call by which it did.
    fn caller(
        &self,
        of: u32,
        calls: &[InstructionCall],
        open: &[u32],
        used: &FxHashSet<u32>,
    ) -> Option<(u32, u32)> {
        let inner = &self.all[of as usize];
        // The latest call first. Callers began earlier, so there is no cycle.
        let around = open.iter().rev().take(LOOKED_AT).filter_map(|&at| {
            let call = &calls[at as usize];
            let outer = key(call).and_then(|key| self.of.get(&key).copied())?;
            (outer < of && (call.start..=call.end).contains(&inner.start)).then_some((outer, at, call))
        });
        let mut named = around.clone().filter(|(_, at, call)| {
            call.name == inner.program && call.what != MonetDbEventKind::Function && !used.contains(at)
        });
        if let Some(latest) = named.next() {
            // If two statements call the same function, the callee of the earlier call begins first.
            let earliest = named.next_back().filter(|of| self.root(of.0) != self.root(latest.0));
            return Some(earliest.unwrap_or(latest)).map(|(outer, at, _)| (outer, at));
        }
        let mut by_time = around.filter(|(_, _, call)| inner.end <= call.end.saturating_add(ROUNDING));
        by_time.next().filter(|_| !inner.is_statement).map(|(outer, at, _)| (outer, at))
    }

    /// Index of the outermost caller: the statement.
    fn root(&self, mut at: u32) -> u32 {
        while self.all[at as usize].caller != at {
            at = self.all[at as usize].caller;
        }
        at
    }

    fn root_of(&self, call: &InstructionCall) -> Option<u32> {
        key(call).and_then(|key| self.of.get(&key)).map(|at| self.root(*at))
    }

    /// Properties of the thread if calls of two statements overlap; `None` if none do.
    fn shared(&self, calls: &[InstructionCall], own: &[u32]) -> Option<ThreadSharing> {
        // The two statements whose calls end last so far.
        let mut furthest: [Option<(u32, i64)>; 2] = [None; 2];
        let mut found: Option<ThreadSharing> = None;
        for call in own.iter().map(|at| &calls[*at as usize]) {
            let Some(root) = self.root_of(call) else { continue };
            let other = furthest.into_iter().flatten().find(|of| of.0 != root);
            let overlap = other.map_or(0, |of| of.1.min(call.end).saturating_sub(call.start));
            if let Some((other, _)) = other.filter(|_| overlap > ROUNDING) {
                let [a, b] = [other, root].map(|at| self.all[at as usize].client);
                let by_client = a != b && a != StrId::NONE && b != StrId::NONE;
                found =
                    Some(ThreadSharing { by_client: by_client && found.is_none_or(|known| known.by_client) });
            }
            if let Some(known) = furthest.iter_mut().flatten().find(|of| of.0 == root) {
                known.1 = known.1.max(call.end);
            } else if furthest[1].is_none_or(|of| of.1 < call.end) {
                furthest[1] = Some((root, call.end));
            }
            furthest.sort_unstable_by_key(|of| std::cmp::Reverse(of.map(|of| of.1)));
        }
        found
    }

    fn strand(&self, call: &InstructionCall, shared: ThreadSharing) -> u32 {
        if let Some(root) = self.root_of(call) {
            return root;
        }
        if !shared.by_client {
            return LOOSE;
        }
        // Executions are sorted by start.
        let before = self.all.partition_point(|known| known.start <= call.start);
        let latest = (0..before as u32).rev().take(LOOKED_AT).find(|of| {
            let known = &self.all[*of as usize];
            known.client == call.client && call.start <= known.end
        });
        latest.map_or(LOOSE, |of| self.root(of))
    }
}

/// Identifies the execution of a call, if it has a tag.
fn key(call: &InstructionCall) -> Option<ExecutionId> {
    (!matches!(call.tag, 0 | NONE)).then_some((call.client, call.tag))
}

/// Whether a function is the plan of a statement: `user.main`, up to 2019 `user.s5_1`. No plan calls such a function.
fn is_of_statement(program: &str) -> bool {
    let Some(name) = program.strip_prefix("user.") else { return false };
    let numbers = name.strip_prefix('s').and_then(|rest| rest.split_once('_'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name == "main" || numbers.is_some_and(|(a, b)| is_number(a) && is_number(b))
}
