//! Everything known about one server: its work, its statements and its counters.

use super::calls::{InstructionCall, calls};
use super::counters::{ServerCounter, counters};
use super::executions::FunctionExecutions;
use super::order::ServerEvents;
use super::problems::RECONSTRUCTED;
use super::statements::{self, StatementTracks};
use super::store::{MonetDbEventKind, MonetDbStore};
use super::strands::CallStrands;
use super::threads::{ThreadActivity, is_wait, threads};
use crate::base::interner::StrId;
use crate::base::sort;
use crate::import::contract::BuildReport;
use crate::trace::{RecordId, TraceBuilder};

/// Analysed events of one server.
pub struct ServerActivity<'a> {
    pub store: &'a MonetDbStore,
    pub server: ServerEvents,
    pub calls: Vec<InstructionCall>,
    pub waits: Vec<(i64, u32)>,
    pub threads: Vec<ThreadActivity>,
    pub executions: FunctionExecutions,
    pub statements: StatementTracks,
    pub counters: Vec<ServerCounter>,
}

/// Changes the kind of every instruction that contains a function to a call of a function.
fn mark_calls(calls: &mut [InstructionCall], threads: &[ThreadActivity]) {
    for thread in threads {
        for placed in &thread.placed {
            let Some(above) = placed.parent.map(|above| thread.placed[above as usize].what) else { continue };
            let is_call = calls[above as usize].what == MonetDbEventKind::Instruction;
            if is_call && calls[placed.what as usize].what == MonetDbEventKind::Function {
                calls[above as usize].what = MonetDbEventKind::Call;
            }
        }
    }
}

impl<'a> ServerActivity<'a> {
    #[inline(never)]
    pub fn new(
        store: &'a MonetDbStore,
        server: ServerEvents,
        outcome: &mut BuildReport,
        builder: &mut TraceBuilder,
    ) -> Self {
        let mut calls = calls(store, &server, outcome, builder.strings());
        let waits: Vec<(i64, u32)> =
            server.non_instructions.iter().copied().filter(|row| is_wait(store, row.1)).collect();
        let strands = CallStrands::new(&calls, builder.strings());
        let mut threads = threads(store, &calls, &strands, &waits);
        if store.servers[server.server as usize].is_plan {
            sort::by_key(&mut threads, |thread| (thread.number, 0));
        }
        mark_calls(&mut calls, &threads);
        let executions =
            FunctionExecutions::new(store, &server, &calls, (&threads, &strands), builder.strings());
        let statements = statements::statements(store, &server, &executions, &calls, builder.strings());
        let counters = counters(store, &server);
        Self { store, server, calls, waits, threads, executions, statements, counters }
    }

    pub fn is_plan(&self) -> bool {
        self.store.servers[self.server.server as usize].is_plan
    }

    /// Explains for users how the server's times were reconstructed; `None` if they were reported.
    pub fn reconstructed(&self) -> Option<&'static str> {
        let server = self.store.servers[self.server.server as usize];
        let plan = "Reconstructed: TRACE records how long each instruction took, not when it ran. This is one \
             schedule that fits their inputs.";
        let clockless =
            "Reconstructed: the file has no timestamps. Durations are exact, start times are not.";
        if server.is_plan { Some(plan) } else { server.is_clockless.then_some(clockless) }
    }

    /// Counts heartbeats as used, because they are shown as counters.
    pub fn use_beats(&self, outcome: &mut BuildReport) {
        let own = |told: &&(RecordId, Option<u32>)| told.1.is_some_and(|server| self.server.is_of(server));
        self.store.descriptions.iter().filter(own).for_each(|told| outcome.used(told.0));
    }

    /// Reports a problem if the server's times come from `TRACE` and were therefore reconstructed.
    pub fn tell_plan(&self, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
        if let Some(first) = self.calls.first().filter(|_| self.is_plan()) {
            let event = self.store.events.at(first.event as usize);
            outcome.note(first.begin, RECONSTRUCTED, || builder.strings().get(event.name).to_owned());
        }
    }

    #[inline(never)]
    pub fn bounds(&self) -> Option<(i64, i64)> {
        let calls = self.calls.iter().flat_map(|call| [call.start, call.end]);
        let bars = self.statements.bars.iter().flat_map(|bar| [bar.start, bar.end]);
        let waits = self.waits.iter().map(|wait| wait.0);
        let samples = self.counters.iter().flat_map(|counter| counter.samples.iter().map(|sample| sample.0));
        let mut times = calls.chain(bars).chain(waits).chain(samples);
        let first = times.next()?;
        Some(times.fold((first, first), |(low, high), time| (low.min(time), high.max(time))))
    }

    /// Title of the server: the file, with the server's id if the file has several servers.
    pub fn title(&self, builder: &mut TraceBuilder) -> StrId {
        let server = self.store.servers[self.server.server as usize];
        let name = self.store.name_of(server.file).unwrap_or("MonetDB");
        let several = self.store.servers.iter().filter(|other| other.file == server.file).count() > 1;
        let id = server.id.some().filter(|_| several).map(|id| builder.strings().get(id).to_owned());
        let id: String = id.map(|id| id.chars().take(8).collect()).unwrap_or_default();
        let title = if id.is_empty() { name.to_owned() } else { format!("{name} · {id}") };
        builder.strings().intern(&title)
    }

    pub fn product(&self, builder: &mut TraceBuilder) -> StrId {
        let server = self.store.servers[self.server.server as usize];
        if server.is_plan {
            return builder.strings().intern("MonetDB · reconstructed from the inputs of instructions");
        }
        if server.is_clockless {
            return builder.strings().intern("MonetDB · reconstructed from the order and the durations");
        }
        let version = server.version;
        let version = version.some().map_or("", |version| builder.strings().get(version));
        let short = version.split(' ').next().unwrap_or("").to_owned();
        builder.strings().intern(format!("MonetDB {short}").trim_end())
    }
}
