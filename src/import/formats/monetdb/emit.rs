//! Writes a server as a run: its statements with their phases, its threads with their calls, its counters.

use super::calls::InstructionCall;
use super::counters::{ServerCounter, title};
use super::flows::{Dataflow, DataflowEdge};
use super::joins::{WorkerServer, joins};
use super::order::{is_work, servers};
use super::plans::CLIENT;
use super::problems::{CROWDED, MEASURED, NO_OWNER, OVERLAP, REPEATED};
use super::programs::programs;
use super::rounds::rounds;
use super::server::ServerActivity;
use super::shapes::{MonetDbShapes, measured};
use super::statements::StatementSpan;
use super::steps::{CallSteps, steps};
use super::store::{MonetDbEvent, MonetDbEventKind, MonetDbStore, NONE};
use super::threads::ThreadActivity;
use crate::base::interner::StrId;
use crate::import::contract::BuildReport;
use crate::import::interval_nesting::{Holders, Placed};
use crate::import::track_writer::TrackWriter;
use crate::trace::{
    Event, Flags, Flow, Kind, RecordId, RunId, SpanId, TraceBuilder, TrackId, TrackKind, attribute_names,
};

/// Number of events that are loaded together: events of a thread are far apart in memory, and loading several at once
/// hides the latency.
const TOGETHER: usize = 16;

/// Writes everything that was read from the files.
pub fn emit(store: &MonetDbStore, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
    store.descriptions.iter().filter(|of| of.1.is_none()).for_each(|of| outcome.used(of.0));
    store.events.rows().filter(|event| event.again).for_each(|event| outcome.used(event.record));
    for &(record, like) in &store.repeated {
        outcome.note(record, REPEATED, || store.name_of(like).unwrap_or_default().to_owned());
    }
    store.crowded.iter().for_each(|&record| outcome.note(record, CROWDED, String::new));
    let servers = servers(store);
    let joins = joins(store, &servers, builder.strings());
    let all: Vec<ServerActivity> =
        servers.into_iter().map(|server| ServerActivity::new(store, server, outcome, builder)).collect();
    for (at, first) in all.iter().enumerate() {
        if !joins.iter().any(|join| join.worker == at) {
            let workers: Vec<&WorkerServer> = joins.iter().filter(|join| join.supervisor == at).collect();
            write(first, &all, &workers, outcome, builder);
        }
    }
}

/// Writes a server and its workers as one run.
#[inline(never)]
fn write(
    first: &ServerActivity,
    all: &[ServerActivity],
    joins: &[&WorkerServer],
    outcome: &mut BuildReport,
    builder: &mut TraceBuilder,
) {
    let before = outcome.used.iter().sum::<u64>();
    let workers = joins.iter().map(|join| (&all[join.worker], join.shift));
    let members: Vec<(&ServerActivity, i64)> = std::iter::once((first, 0)).chain(workers).collect();
    members.iter().for_each(|(member, _)| member.use_beats(outcome));
    let bounds = members.iter().filter_map(|(member, shift)| {
        let (start, end) = member.bounds()?;
        Some((start.saturating_add(*shift), end.saturating_add(*shift)))
    });
    let Some((origin, last)) = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return };
    first.tell_plan(outcome, builder);
    let title = first.title(builder);
    let run = builder.run(title, origin, last.saturating_sub(origin), 0);
    let notes = members.iter().find_map(|(member, _)| member.reconstructed());
    if let Some(text) = notes {
        builder.note(run, attribute_names::RECONSTRUCTED, text.to_owned());
    }
    let mut spans: Vec<Vec<Option<SpanId>>> = Vec::new();
    for (member, shift) in &members {
        spans.push(member.write(run, origin.saturating_sub(*shift), members.len() > 1, outcome, builder));
    }
    for (join, spans_of_worker) in joins.iter().zip(&spans[1..]) {
        ask(first, &all[join.worker], join, [&spans[0], spans_of_worker], origin, builder);
    }
    let used = outcome.used.iter().sum::<u64>() - before;
    builder.set_records(run, used);
}

/// Writes arrows from the calls by which a supervisor uses a worker to the worker's spans for these calls.
#[inline(never)]
fn ask(
    supervisor: &ServerActivity,
    worker: &ServerActivity,
    join: &WorkerServer,
    [asking, asked]: [&[Option<SpanId>]; 2],
    origin: i64,
    builder: &mut TraceBuilder,
) {
    let name = builder.strings().intern("asked");
    let strings = &*builder.strings();
    let event = |all: &ServerActivity, call: &InstructionCall| all.store.events.get(call.event as usize);
    let is_remote = |call: &InstructionCall| {
        let event = event(supervisor, call);
        event.tag == join.tag && strings.get(event.name).starts_with("remote.")
    };
    let calls: Vec<usize> =
        (0..supervisor.calls.len()).filter(|&at| is_remote(&supervisor.calls[at])).collect();
    for (at, call) in worker.calls.iter().enumerate() {
        if call.what != MonetDbEventKind::Function {
            continue;
        }
        let (start, end) = (call.start.saturating_add(join.shift), call.end.saturating_add(join.shift));
        let middle = start / 2 + end / 2;
        let holds =
            |of: &&usize| (supervisor.calls[**of].start..=supervisor.calls[**of].end).contains(&middle);
        let Some(&from) = calls.iter().find(holds) else { continue };
        let (Some(from_span), Some(to)) = (asking[from], asked[at]) else { continue };
        let (leaves, arrives) = (supervisor.calls[from].start - origin, start - origin);
        let records = (supervisor.calls[from].begin, call.begin);
        builder.flow(Flow { name, from: from_span, to, leaves, arrives, records });
    }
}

impl ServerActivity<'_> {
    /// Writes the server to a run whose time 0 is `origin` on the server's clock. Returns the spans of its calls.
    #[inline(never)]
    fn write(
        &self,
        run: RunId,
        origin: i64,
        joined: bool,
        outcome: &mut BuildReport,
        builder: &mut TraceBuilder,
    ) -> Vec<Option<SpanId>> {
        let root = builder.root(run);
        let product = self.product(builder);
        // If there are several servers, each is named after its file.
        let name = if joined { self.title(builder) } else { product };
        let process = builder.track(root, name, TrackKind::Process);
        let mut out = TrackWriter::new(outcome, builder);
        out.origin = origin;
        let mut writer = MonetDbWriter::new(self, out);
        writer.moments(&self.waits);
        writer.statements(process);
        for thread in &self.threads {
            writer.thread(thread, process);
        }
        for counter in &self.counters {
            writer.counter(counter, process);
        }
        writer.flows();
        writer.spans
    }
}

struct MonetDbWriter<'a, 'b> {
    all: &'a ServerActivity<'a>,
    out: TrackWriter<'a, 'b>,
    shapes: MonetDbShapes,
    /// Parent spans for the calls of each execution.
    owners: Vec<ExecutionParents>,
    /// Span of each call.
    spans: Vec<Option<SpanId>>,
    /// Iteration of each call; 0 if its instruction ran only once.
    rounds: Vec<u32>,
    /// Steps of the calls (see `steps`).
    steps: CallSteps,
    /// MAL function that each call belongs to.
    programs: Vec<StrId>,
    edges: Vec<DataflowEdge>,
}

/// Span of the statement that contains an execution, and the span of the phase in which its plan ran, with its start
/// and end.
#[derive(Clone, Copy, Default)]
struct ExecutionParents {
    query: Option<SpanId>,
    run: Option<(SpanId, i64, i64)>,
}

impl ExecutionParents {
    /// Parent span of a call.
    fn of(&self, call: &InstructionCall) -> Option<SpanId> {
        let run = self.run.filter(|run| run.1 <= call.start && call.end <= run.2);
        run.map(|run| run.0).or(self.query)
    }
}

impl<'a, 'b> MonetDbWriter<'a, 'b> {
    fn new(all: &'a ServerActivity, mut out: TrackWriter<'a, 'b>) -> Self {
        let shapes = MonetDbShapes::new(out.builder);
        let spans = vec![None; all.calls.len()];
        let rounds = rounds(&all.calls, &all.executions);
        let flows = Dataflow::new(all.store, &all.calls, &all.threads, &all.executions);
        let steps = steps(all.store, &all.calls, &flows, &rounds, out.strings());
        let programs = programs(&all.calls, &all.executions, &flows, out.strings());
        Self {
            all,
            out,
            shapes,
            owners: vec![ExecutionParents::default(); all.executions.all.len()],
            spans,
            rounds,
            steps,
            programs,
            edges: flows.edges,
        }
    }

    /// Writes an instant for each wait (a worker found no work) whose event names no thread.
    #[inline(never)]
    fn moments(&mut self, waits: &[(i64, u32)]) {
        let nameless = waits.iter().filter(|wait| self.all.store.events.at(wait.1 as usize).thread == NONE);
        for &(time, at) in nameless {
            self.moment(time, at, None);
        }
    }

    fn moment(&mut self, time: i64, at: u32, parent: Option<SpanId>) {
        let event = self.all.store.events.get(at as usize);
        let name = event.name;
        let flags = Flags::default();
        let record = event.record;
        self.out.outcome.used(record);
        let event = Event { time, parent, name, kind: Kind::Instant, flags, record };
        self.out.event(event, self.shapes.plain[0], &[], &[]);
    }

    #[inline(never)]
    fn statements(&mut self, process: TrackId) {
        let all = self.all;
        for track in &all.statements.tracks {
            self.out.track(process, track.title, TrackKind::Async);
            for placed in &track.placed {
                let bar = &all.statements.bars[placed.what as usize];
                let id = self.bar(placed, bar);
                let Some(owner) = bar.execution.map(|of| &mut self.owners[of as usize]) else { continue };
                match bar.kind {
                    Kind::Query => owner.query = Some(id),
                    _ => owner.run = Some((id, bar.start, bar.end)),
                }
            }
        }
        // An execution that another execution called belongs to the same statement.
        for of in 0..self.owners.len() {
            self.owners[of] = self.owners[all.executions.root(of as u32) as usize];
        }
    }

    fn bar(&mut self, placed: &Placed, bar: &StatementSpan) -> SpanId {
        let (shapes, texts) = match bar.kind {
            Kind::Query => (self.shapes.query, vec![bar.sql, self.query_id(bar)]),
            _ => (self.shapes.plain, Vec::new()),
        };
        if bar.record != RecordId::NONE {
            self.out.outcome.used(bar.record);
        }
        let mut span = self.out.placed_span(placed, (bar.name, bar.kind), [bar.record, RecordId::NONE]);
        span.flags = bar.flags;
        let took = measured(&mut span, bar.took);
        let (shape, nums) = (shapes[usize::from(took.is_some())], [took]);
        self.out.builder.span(span, shape, &nums[..usize::from(took.is_some())], &texts)
    }

    fn query_id(&mut self, bar: &StatementSpan) -> StrId {
        let strings = self.out.strings();
        let program = bar.program.some().map_or("", |program| strings.get(program));
        let program = program.strip_prefix("function ").unwrap_or(program);
        let tag = if bar.tag == NONE { String::new() } else { format!(" tag {}", bar.tag) };
        let id = format!("{program}{tag}");
        strings.intern(id.trim())
    }

    #[inline(never)]
    fn thread(&mut self, thread: &ThreadActivity, process: TrackId) {
        let all = self.all;
        let is_plan = all.is_plan();
        let title = match thread.number {
            CLIENT if is_plan => "client".to_owned(),
            number if is_plan => format!("worker {number}"),
            NONE => "no thread".to_owned(),
            number => format!("thread {number}"),
        };
        self.out.titled_track(process, &title, TrackKind::Thread);
        for some in thread.placed.chunks(TOGETHER) {
            let calls: Vec<InstructionCall> =
                some.iter().map(|placed| all.calls[placed.what as usize]).collect();
            let told: Vec<MonetDbEvent> =
                calls.iter().map(|call| all.store.events.get(call.event as usize)).collect();
            for ((placed, call), event) in some.iter().zip(&calls).zip(&told) {
                self.call(placed, call, event);
            }
        }
        let holders = Holders::new(&thread.placed);
        for &(time, at) in &thread.waits {
            let parent = holders.at(&thread.placed, time).map(|at| self.out.span_at(at));
            self.moment(time, at, parent);
        }
    }

    #[inline(never)]
    fn call(&mut self, placed: &Placed, call: &InstructionCall, event: &MonetDbEvent) {
        let of = self.all.executions.of_call[placed.what as usize];
        let own = of.and_then(|of| self.owners[of as usize].of(call));
        self.note_place(placed, call, event, own.is_none());
        [call.begin, call.finish]
            .into_iter()
            .filter(|r| *r != RecordId::NONE)
            .for_each(|r| self.out.outcome.used(r));
        let reported = |number: i64| Some(number).filter(|number| *number != NONE);
        let round = Some(i64::from(self.rounds[placed.what as usize])).filter(|round| *round > 0);
        let part = reported(self.steps.parts[placed.what as usize]);
        let module = self.category(event.name, call.what);
        self.out.builder.group_name(event.name, module);
        let texts = [
            module,
            event.statement,
            self.steps.texts[placed.what as usize],
            event.algorithm,
            self.programs[placed.what as usize],
        ];
        let failed = if event.failed { Flags::FAILED } else { Flags::default() };
        let kind = match call.what {
            MonetDbEventKind::Dataflow | MonetDbEventKind::Remote => Kind::Wait,
            MonetDbEventKind::Function | MonetDbEventKind::Call => Kind::Statement,
            _ => Kind::Slice,
        };
        let mut span = self.out.placed_span(placed, (event.name, kind), [call.begin, call.finish]);
        span.parent = span.parent.or(own);
        span.flags = span.flags.with(failed);
        debug_assert!(is_work(event), "phases stand among the statements");
        let took = measured(&mut span, call.took);
        if took.is_some() {
            let told = if call.finish == RecordId::NONE { call.begin } else { call.finish };
            self.out.note(told, MEASURED, |strings| event.label(strings));
        }
        let nums = [reported(event.pc), reported(event.rows), reported(event.bytes), round, part, took];
        let (shape, nums) = self.shapes.instruction(nums);
        self.spans[placed.what as usize] = Some(self.out.builder.span(span, shape, &nums, &texts));
    }

    fn note_place(&mut self, placed: &Placed, call: &InstructionCall, event: &MonetDbEvent, alone: bool) {
        let problem = match placed.flags.has(Flags::OVERLAPS) {
            true => OVERLAP,
            false if alone => NO_OWNER,
            false => return,
        };
        self.out.note(call.begin, problem, |strings| event.label(strings));
    }

    #[inline(never)]
    fn flows(&mut self) {
        let all = self.all;
        for edge in std::mem::take(&mut self.edges) {
            let (from, to) = (&all.calls[edge.from as usize], &all.calls[edge.to as usize]);
            let ends = (self.spans[edge.from as usize], self.spans[edge.to as usize]);
            let (Some(from_span), Some(to_span)) = ends else { continue };
            let told = if from.finish == RecordId::NONE { from.begin } else { from.finish };
            self.out.builder.flow(Flow {
                name: edge.variable,
                from: from_span,
                to: to_span,
                leaves: from.end - self.out.origin,
                arrives: to.start - self.out.origin,
                records: (told, to.begin),
            });
        }
    }

    /// Category of a span: the module of its MAL name, "control" for a name without a module, or "function" for a
    /// whole function.
    fn category(&mut self, name: StrId, what: MonetDbEventKind) -> StrId {
        let strings = self.out.strings();
        let module = match what {
            MonetDbEventKind::Function => "function",
            _ => strings.get(name).split_once('.').map_or("control", |(module, _)| module),
        };
        let module = module.to_owned();
        strings.intern(&module)
    }

    #[inline(never)]
    fn counter(&mut self, counter: &ServerCounter, process: TrackId) {
        let (title, unit) = title(counter.series);
        let name = self.out.intern(&title);
        let key = self.out.builder.key(&title, unit);
        let samples = counter.samples.iter().map(|&(time, value, record)| (time, Some(value), record));
        self.out.counter(process, name, key, samples);
    }
}
