//! Pairs starts with ends, which gives the intervals of each thread.
//!
//! A start and an end belong together if they have the same instruction, the same function call and the same thread; the
//! last start is matched first. Loops repeat instructions, and servers stop reporting some repetitions after a while: up to
//! Apr2019 both events, up to Jan2022 only the end, which is then placed where the thread continued.

use super::order::{ServerEvents, is_work, length};
use super::problems::{NO_DURATION, NO_END, NO_START};
use super::store::{MonetDbEvent, MonetDbEventKind, MonetDbEventState, MonetDbStore, NONE};
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::import::contract::{BuildReport, ProblemKind};
use crate::trace::{Flags, RecordId};

/// A call of an instruction or function: an interval of its thread, in nanoseconds of the server's clock.
#[derive(Clone, Copy, Debug)]
pub struct InstructionCall {
    pub start: i64,
    pub end: i64,
    /// Index of the event that reports the call with the most details, which is its last event.
    pub event: u32,
    pub begin: RecordId,
    pub finish: RecordId,
    /// Positions of start and end in the file; equal if one event reports both.
    pub order: (u32, u32),
    pub flags: Flags,
    /// Duration measured by the server, in nanoseconds, or [`NONE`].
    pub took: i64,
    /// Copies of the event's most used values: events are large, and the events of a server are far apart in memory.
    pub what: MonetDbEventKind,
    pub failed: bool,
    pub thread: i64,
    pub tag: i64,
    pub pc: i64,
    pub client: StrId,
    pub program: StrId,
    pub name: StrId,
    pub step: StrId,
    pub sql: StrId,
    pub variables: (u32, u32),
}

impl InstructionCall {
    /// Creates a call from an event that reports it.
    fn of(event: &MonetDbEvent, at: u32, (start, end): (i64, i64), flags: Flags) -> Self {
        let MonetDbEvent {
            what, failed, thread, tag, pc, client, program, name, step, sql, variables, ..
        } = *event;
        Self {
            start,
            end,
            event: at,
            begin: event.record,
            finish: RecordId::NONE,
            order: (at, at),
            flags,
            took: NONE,
            what,
            failed,
            thread,
            tag,
            pc,
            client,
            program,
            name,
            step,
            sql,
            variables,
        }
    }
}

/// Identifies an execution: client and tag.
pub type ExecutionId = (StrId, i64);
/// Execution, pc and thread. If there is no pc, the text identifies the call, or else the name.
type CallKey = (ExecutionId, i64, i64, StrId);
/// Maximum number of a thread's latest intervals that are searched for the interval that encloses an event.
const LOOKED_AT: usize = 64;
/// Returns all intervals of a server, sorted by start. Reports events without an interval.
#[inline(never)]
pub fn calls(
    store: &MonetDbStore,
    server: &ServerEvents,
    outcome: &mut BuildReport,
    strings: &Interner,
) -> Vec<InstructionCall> {
    let mut pairing = CallPairing {
        store,
        outcome,
        strings,
        open: FxHashMap::default(),
        found: Vec::new(),
        last: FxHashMap::default(),
        ends: FxHashMap::default(),
        ended: FxHashMap::default(),
    };
    for &(time, at) in &server.rows {
        let event = store.events.at(at as usize);
        if is_work(event) {
            pairing.add(time, at, event);
        }
    }
    let unfinished = pairing.unfinished();
    pairing.infer_ends(server, unfinished);
    let mut found = pairing.found;
    sort::by_key(&mut found, |call| (call.start, i64::MAX.abs_diff(call.end)));
    found
}

/// Id of the statement execution that an event belongs to: its client and tag.
pub fn execution(event: &MonetDbEvent) -> ExecutionId {
    (event.client, event.tag)
}

struct CallPairing<'a, 'b> {
    store: &'a MonetDbStore,
    outcome: &'a mut BuildReport<'b>,
    strings: &'a Interner,
    open: FxHashMap<CallKey, Vec<(i64, u32)>>,
    found: Vec<InstructionCall>,
    /// Time of the last event of each execution.
    last: FxHashMap<ExecutionId, i64>,
    /// End time of each start event whose end was found, by the index of the start event.
    ends: FxHashMap<u32, i64>,
    /// End times of the functions' last instructions in each execution, in time order: up to Jan2022 embedded servers omit the
    /// end of the function itself. If executions are not identified, they are merged into one entry.
    ended: FxHashMap<ExecutionId, Vec<i64>>,
}

impl CallPairing<'_, '_> {
    fn add(&mut self, time: i64, at: u32, event: &MonetDbEvent) {
        let last = self.last.entry(execution(event)).or_insert(time);
        *last = (*last).max(time);
        let text = if event.pc < 0 { event.statement.some().unwrap_or(event.name) } else { StrId::NONE };
        let key = (execution(event), event.pc, event.thread, text);
        if event.edge == MonetDbEventState::Done && self.strings.get(event.name) == "end" {
            self.ended.entry(execution(event)).or_default().push(time);
        }
        match event.edge {
            MonetDbEventState::Start => self.open.entry(key).or_default().push((time, at)),
            MonetDbEventState::Done => {
                let begin = self.open.get_mut(&key).and_then(Vec::pop);
                self.end(time, at, event, begin);
            }
            MonetDbEventState::Whole => self.end(time, at, event, None),
        }
    }

    #[inline(never)]
    fn end(&mut self, end: i64, at: u32, event: &MonetDbEvent, begin: Option<(i64, u32)>) {
        let mut call = InstructionCall::of(event, at, (end, end), Flags::default());
        if let Some((start, begin)) = begin {
            self.ends.insert(begin, end);
            call.start = start;
            call.begin = self.store.events.at(begin as usize).record;
            call.finish = event.record;
            call.order = (begin, at);
        } else if let Some(length) = length(event) {
            call.start = end.saturating_sub(length);
        } else {
            return self.note(event, NO_DURATION);
        }
        call.took = length(event).unwrap_or(NONE);
        if begin.is_none() && event.edge == MonetDbEventState::Done {
            call.flags = Flags::OPEN_START;
            // No release reports the start of a return.
            if self.strings.get(event.name) != "return" {
                self.note(event, NO_START);
            }
        }
        if self.store.servers[event.server as usize].is_plan {
            call.flags = Flags::INFERRED;
        }
        self.found.push(call);
    }

    /// Removes and returns the starts without an end, sorted by time.
    #[inline(never)]
    fn unfinished(&mut self) -> Vec<(i64, u32)> {
        let mut all: Vec<(i64, u32)> = self.open.drain().flat_map(|(_, starts)| starts).collect();
        sort::by_key(&mut all, |&(time, at)| (time, u64::from(at)));
        all
    }

    /// Places each missing end where the thread continued in the same function, or at the end of the enclosing interval;
    /// otherwise at the last event of the execution.
    #[inline(never)]
    fn infer_ends(&mut self, server: &ServerEvents, unfinished: Vec<(i64, u32)>) {
        if unfinished.is_empty() {
            return;
        }
        let mut waiting: FxHashMap<(ExecutionId, i64, StrId), Vec<(i64, u32)>> = FxHashMap::default();
        let mut next = unfinished.iter().peekable();
        // Open intervals of each thread, with their ends.
        let mut around: FxHashMap<i64, Vec<(i64, u32)>> = FxHashMap::default();
        for &(time, at) in &server.rows {
            let event = self.store.events.at(at as usize);
            let key = (execution(event), event.thread, event.program);
            if is_work(event) {
                for (start, begin) in waiting.remove(&key).unwrap_or_default() {
                    self.infer(start, time, begin);
                }
            }
            let around = around.entry(event.thread).or_default();
            while around.last().is_some_and(|open| open.0 < time) {
                around.pop();
            }
            around.extend(self.ends.get(&at).map(|end| (*end, at)));
            if next.peek().is_some_and(|(_, begin)| *begin == at) {
                next.next();
                let last = self.last.get(&key.0).copied().unwrap_or(time);
                match event.what {
                    MonetDbEventKind::Instruction | MonetDbEventKind::Remote => {
                        waiting.entry(key).or_default().push((time, at))
                    }
                    _ => self.infer(
                        time,
                        self.holder_end(event, time, around).map_or(last, |end| last.min(end)),
                        at,
                    ),
                }
            }
        }
        let mut rest: Vec<(i64, u32)> = waiting.into_values().flatten().collect();
        sort::by_key(&mut rest, |&(time, at)| (time, u64::from(at)));
        for (start, begin) in rest {
            let event = self.store.events.at(begin as usize);
            self.infer(start, self.last.get(&execution(event)).copied().unwrap_or(start), begin);
        }
    }

    /// End of the interval that encloses an event: an instruction of its execution, or the call of its function. Other open
    /// intervals of the thread may belong to another client.
    fn holder_end(&self, event: &MonetDbEvent, time: i64, around: &[(i64, u32)]) -> Option<i64> {
        let holds = |(end, at): &&(i64, u32)| {
            let other = self.store.events.at(*at as usize);
            *end >= time && (execution(other) == execution(event) || other.name == event.program)
        };
        around.iter().rev().take(LOOKED_AT).find(holds).map(|open| open.0)
    }

    fn infer(&mut self, start: i64, end: i64, at: u32) {
        let event = self.store.events.at(at as usize);
        let ended = self.ended.get(&execution(event)).filter(|_| event.what == MonetDbEventKind::Function);
        let ended = ended.and_then(|all| all.get(all.partition_point(|ended| *ended < start)).copied());
        let is_known = ended.is_some();
        // If executions are not identified, the last event may belong to another execution.
        let end = ended.filter(|_| event.tag == NONE).unwrap_or(end);
        if !is_known {
            self.note(event, NO_END);
        }
        let flags = if is_known { Flags::INFERRED } else { Flags::OPEN_END };
        self.found.push(InstructionCall::of(event, at, (start, end.max(start)), flags));
    }

    fn note(&mut self, event: &MonetDbEvent, kind: ProblemKind) {
        let strings = self.strings;
        self.outcome.note(event.record, kind, || event.label(strings));
    }
}
