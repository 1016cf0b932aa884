//! Assigns instructions to executions of functions, and executions to statements.
//!
//! An execution is identified by client and tag. An execution that begins inside an instruction of another execution was
//! called by it. From Sep2022 on, calls have tag 0 and belong to their enclosing interval; an instruction without an
//! enclosing interval on its own thread belongs to the function that was running.

use super::calls::{ExecutionId, InstructionCall, execution};
use super::order::{ServerEvents, length};
use super::store::{MonetDbEvent, MonetDbEventKind, MonetDbStore, NONE};
use super::strands::CallStrands;
use super::threads::ThreadActivity;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::trace::Flags;

/// One execution of a MAL function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionExecution {
    pub client: StrId,
    pub tag: i64,
    pub start: i64,
    pub end: i64,
    /// Index of the execution that called this one; `None` if it has no known caller.
    pub caller: Option<u32>,
    pub program: StrId,
    pub sql: StrId,
    pub failed: bool,
    /// Flags for a missing start or end of the whole function.
    pub flags: Flags,
    /// Start, end and measured duration of the whole function, if they are reported.
    whole: Option<(i64, i64, i64)>,
    /// Whether an event reports the function as a whole.
    function: bool,
    /// Whether an event with a pc, which is an instruction of the function, was reported.
    works: bool,
    /// Whether an event shows that the execution has ended.
    closed: bool,
}

/// All executions of a server.
#[derive(Default)]
pub struct FunctionExecutions {
    pub all: Vec<FunctionExecution>,
    /// Index of the execution of each call.
    pub of_call: Vec<Option<u32>>,
    known: FxHashMap<ExecutionId, u32>,
    by_tag: FxHashMap<i64, u32>,
}

impl FunctionExecutions {
    /// Finds the executions of these calls and of the phases of their server.
    #[inline(never)]
    pub fn new(
        store: &MonetDbStore,
        server: &ServerEvents,
        calls: &[InstructionCall],
        (threads, strands): (&[ThreadActivity], &CallStrands),
        strings: &Interner,
    ) -> Self {
        let mut found = Self { of_call: vec![None; calls.len()], ..Self::default() };
        for (at, call) in calls.iter().enumerate() {
            found.of_call[at] = found.named((call.client, call.tag), call.start, call.end);
            if let Some(of) = found.of_call[at] {
                found.all[of as usize].learn(call);
            }
        }
        for &(time, at) in &server.non_instructions {
            let event = store.events.at(at as usize);
            if event.what == MonetDbEventKind::Phase {
                found.add_phase(event, time, strings);
            }
        }
        for thread in threads {
            found.follow(thread);
        }
        found.adopt(calls, strands);
        found.include_calls(calls);
        found.leave_open(store, server);
        found
    }

    /// Index of the statement that contains an execution: the outermost caller.
    pub fn root(&self, mut at: u32) -> u32 {
        // A caller always began earlier, so the loop ends.
        while let Some(caller) = self.all[at as usize].caller {
            at = caller;
        }
        at
    }

    /// Returns the execution with this client and tag, which is added if it is new, and extends it to the interval
    /// `start..end`. `None` if there is no tag.
    fn named(&mut self, key: ExecutionId, start: i64, end: i64) -> Option<u32> {
        let (client, tag) = key;
        if matches!(tag, 0 | NONE) {
            return None;
        }
        // Tags are unique across clients: in a file without clients they are sufficient.
        let alike = self.by_tag.get(&tag).copied();
        let alike = alike.filter(|at| self.all[*at as usize].may_be_of(client));
        let at = alike.unwrap_or_else(|| self.by_key(key, start, end));
        let of = &mut self.all[at as usize];
        (of.start, of.end) = (of.start.min(start), of.end.max(end));
        of.client = of.client.some().unwrap_or(client);
        Some(at)
    }

    fn by_key(&mut self, key: ExecutionId, start: i64, end: i64) -> u32 {
        *self.known.entry(key).or_insert_with(|| {
            self.all.push(FunctionExecution::new(key, start, end));
            let at = self.all.len() as u32 - 1;
            self.by_tag.insert(key.1, at);
            at
        })
    }

    fn add_phase(&mut self, event: &MonetDbEvent, end: i64, strings: &Interner) {
        let start = end.saturating_sub(length(event).unwrap_or(0));
        let Some(at) = self.named(execution(event), start, end) else { return };
        let of = &mut self.all[at as usize];
        of.failed |= event.failed;
        of.closed |= event.failed || strings.get(event.name).starts_with("trans_");
        // The statement as typed by the user takes precedence over the text in the plan.
        of.sql = event.sql.some().unwrap_or(of.sql);
    }

    /// Finds callers: an execution inside an instruction was called by it; a call without a tag joins the enclosing execution.
    #[inline(never)]
    fn follow(&mut self, thread: &ThreadActivity) {
        for placed in &thread.placed {
            let Some(above) = placed.parent.map(|above| thread.placed[above as usize].what) else { continue };
            let Some(outer) = self.of_call[above as usize] else { continue };
            match self.of_call[placed.what as usize] {
                None => self.of_call[placed.what as usize] = Some(outer),
                Some(inner) if inner != outer => self.call(outer, inner),
                Some(_) => {}
            }
        }
    }

    fn call(&mut self, outer: u32, inner: u32) {
        if self.all[inner as usize].caller.is_none() && self.root(outer) != inner {
            self.all[inner as usize].caller = Some(outer);
        }
    }

    /// Assigns the remaining calls, in a file without tags or on a worker, to the function that was running. A function without
    /// a tag is an execution of its own.
    #[inline(never)]
    fn adopt(&mut self, calls: &[InstructionCall], strands: &CallStrands) {
        let mut functions: Vec<(i64, i64, u32)> = Vec::new();
        let mut pending: Vec<(&InstructionCall, u32)> = Vec::new();
        for (at, call) in (0..).zip(calls) {
            match self.of_call[at as usize] {
                Some(of) if call.what == MonetDbEventKind::Function => {
                    functions.push((call.start, call.end, of))
                }
                Some(_) => {}
                None if call.what == MonetDbEventKind::Function => {
                    let of = self.add_nameless(call);
                    self.of_call[at as usize] = Some(of);
                    functions.push((call.start, call.end, of));
                }
                // A loose call would be assigned to any other statement that was running.
                None if strands.is_loose(at) => {}
                None => pending.push((call, at)),
            }
        }
        // Constants are computed while a statement is optimised, before its function begins.
        functions.extend((0..).zip(&self.all).map(|(at, of)| (of.start, of.end, at)));
        sort::by_key(&mut functions, |function| (function.0, 0));
        for (call, at) in pending {
            let before = functions.partition_point(|function| function.0 <= call.start);
            // Only a few functions are open at once: the last to begin are searched. A session does not run another session's.
            let open = functions[..before].iter().rev().take(64);
            let mut around = open.filter(|function| call.start <= function.1);
            let of = around.find(|function| self.all[function.2 as usize].may_be_of(call.client));
            if let Some(&(_, _, of)) = of {
                self.all[of as usize].learn(call);
            }
            self.of_call[at as usize] = of.map(|function| function.2);
        }
    }

    fn add_nameless(&mut self, call: &InstructionCall) -> u32 {
        self.all.push(FunctionExecution::new((call.client, NONE), call.start, call.end));
        let at = self.all.len() as u32 - 1;
        self.all[at as usize].learn(call);
        at
    }

    /// Flags unfinished statements. From Sep2022 on, files with phases report no starts: the whole function is reported
    /// at its end, followed by the end of the transaction. A statement with neither was still running when the file
    /// ended. A statement without a plan counts as finished if its session reported a later event.
    fn leave_open(&mut self, store: &MonetDbStore, server: &ServerEvents) {
        if server
            .non_instructions
            .iter()
            .all(|row| store.events.at(row.1 as usize).what != MonetDbEventKind::Phase)
        {
            return;
        }
        let last = last_heard(store, server);
        for of in self.all.iter_mut().filter(|of| of.caller.is_none() && !of.function && !of.closed) {
            let went_on = last.get(&of.client).is_some_and(|last| *last > of.end);
            if of.works || !went_on {
                of.flags = of.flags.with(Flags::OPEN_END);
            }
        }
    }

    /// Extends each statement to the interval of all its calls.
    fn include_calls(&mut self, calls: &[InstructionCall]) {
        for (at, call) in calls.iter().enumerate() {
            let Some(of) = self.of_call[at] else { continue };
            let root = self.root(of) as usize;
            let root = &mut self.all[root];
            (root.start, root.end) = (root.start.min(call.start), root.end.max(call.end));
            root.failed |= call.failed;
        }
    }
}

/// Time of the last event of each session, by client.
fn last_heard(store: &MonetDbStore, server: &ServerEvents) -> FxHashMap<StrId, i64> {
    let mut last: FxHashMap<StrId, i64> = FxHashMap::default();
    for &(time, at) in &server.non_instructions {
        let event = store.events.at(at as usize);
        if event.what != MonetDbEventKind::Wait {
            let known = last.entry(event.client).or_insert(time);
            *known = (*known).max(time);
        }
    }
    last
}

impl FunctionExecution {
    fn new((client, tag): ExecutionId, start: i64, end: i64) -> Self {
        Self {
            client,
            tag,
            start,
            end,
            caller: None,
            program: StrId::NONE,
            sql: StrId::NONE,
            failed: false,
            flags: Flags::default(),
            whole: None,
            function: false,
            works: false,
            closed: false,
        }
    }

    /// Duration of the execution as measured by the server, in nanoseconds. [`NONE`] unless the server reported the
    /// whole function with the same start and end.
    pub fn took(&self) -> i64 {
        let whole = self.whole.filter(|whole| (whole.0, whole.1) == (self.start, self.end));
        whole.map_or(NONE, |whole| whole.2)
    }

    /// Whether the execution may belong to this client: the clients are equal or one is not known.
    fn may_be_of(&self, client: StrId) -> bool {
        self.client == client || self.client == StrId::NONE || client == StrId::NONE
    }

    /// Adds the information of a call to its execution.
    fn learn(&mut self, call: &InstructionCall) {
        self.works |= call.pc != NONE;
        if call.what == MonetDbEventKind::Function && !self.function {
            self.function = true;
            self.whole = Some((call.start, call.end, call.took));
            self.flags = call.flags;
            self.program = call.name;
        }
        if self.program == StrId::NONE {
            self.program = call.program.some().filter(|name| *name != StrId::EMPTY).unwrap_or(StrId::NONE);
        }
        if self.sql == StrId::NONE {
            self.sql = call.sql;
        }
    }
}
