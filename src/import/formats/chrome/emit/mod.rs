//! Writes the tables of a file as a run: processes with their threads, asynchronous tracks and counters.

mod asynchronous;
mod calls;
mod counters;

use super::asyncs::{self, AsyncTrack};
use super::counters::{ChromeCounterSeries, series};
use super::flows::{self, WrittenSlices};
use super::names::{ProcessId, ThreadId};
use super::samples::{self, SampledCalls};
use super::slices::{RecordProblems, of_thread, states_of_thread};
use super::store::{ChromeEventHeader, ChromeFile, SpanEdgeEvent};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::import::attributes::args::Args;
use crate::import::attributes::problems::MANY_ARGS;
use crate::import::attributes::values::ArgumentWriter;
use crate::import::contract::BuildReport;
use crate::import::grouped_indices::GroupedIndices;
use crate::import::interval_nesting::{Holders, Placed};
use crate::import::track_writer::TrackWriter;
use crate::trace::attribute_names::STATES;
use crate::trace::{
    Event, EventId, Flags, Item, Kind, RecordId, ShapeId, SpanId, TraceBuilder, TrackId, TrackKind,
};
use counters::{SeriesPerCounter, TrackTitles};

/// Writes everything that was read from a file.
pub fn emit(file: &ChromeFile, args: &Args, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
    file.metadata.iter().for_each(|&record| outcome.used(record));
    let profiles: Vec<SampledCalls> =
        file.profiles.list.iter().map(|profile| samples::calls(profile, builder.strings())).collect();
    file.profiles.list.iter().flat_map(|p| &p.chunks).for_each(|chunk| outcome.used(chunk.record));
    let alone = (!file.sections.texts.is_empty()).then_some((0, 0));
    let Some((origin, last)) = bounds(file, &profiles).or(alone) else { return };
    let name = builder.strings().intern(&file.name);
    let mut out = TrackWriter::new(outcome, builder);
    let (run, root) = out.run(name, (origin, last), 0);
    let mut writer = ChromeWriter::new(file, args, out, last, profiles);
    writer.instants_of_all();
    writer.texts();
    for process in file.names.process_order(writer.out.strings()) {
        writer.process(process, root);
    }
    writer.flows();
    let used = outcome.used.get(file.file.0 as usize).copied().unwrap_or(0);
    builder.set_records(run, used);
    if let Some(about) = file.trace_metadata.text() {
        builder.note(run, "metadata", about);
    }
}

/// Start of the first event or sampled call and end of the last one, in nanoseconds; `None` if the file has none.
#[inline(never)]
fn bounds(file: &ChromeFile, profiles: &[SampledCalls]) -> Option<(i64, i64)> {
    let calls = profiles.iter().flat_map(|profile| &profile.list).flat_map(|call| [call.start, call.end]);
    let own = file.reach.into_iter().flat_map(|(first, last)| [first, last]);
    let mut times = own.chain(calls);
    let first = times.next()?;
    Some(times.fold((first, first), |(low, high), time| (low.min(time), high.max(time))))
}

struct ChromeWriter<'a, 'b> {
    file: &'a ChromeFile,
    out: TrackWriter<'a, 'b>,
    /// End of the last event of the file, in nanoseconds.
    last: i64,
    values: ArgumentWriter<'a>,
    slices: GroupedIndices,
    /// Instants by scope: of a thread, of a process, of the whole trace.
    instants: [GroupedIndices; 3],
    asyncs: Vec<AsyncTrack>,
    series: Vec<ChromeCounterSeries>,
    counters: SeriesPerCounter,
    profiles: Vec<SampledCalls>,
    of_process: ProcessContent,
    profiles_of_thread: GroupedIndices,
    written: FxHashMap<ThreadId, WrittenSlices>,
    /// Instants of each thread that are outside of all slices; filled only if the file has arrows.
    points: FxHashMap<ThreadId, flows::ThreadInstants>,
    async_spans: flows::AsyncEventSpans,
    bearers: flows::BindingSpans,
}

/// Content of each process, grouped once because there may be as many processes as events.
struct ProcessContent {
    /// Threads of each process in display order.
    threads: Vec<Vec<ThreadId>>,
    asyncs: GroupedIndices,
    series: GroupedIndices,
}

impl<'a, 'b> ChromeWriter<'a, 'b> {
    #[inline(never)]
    fn new(
        file: &'a ChromeFile,
        args: &'a Args,
        mut out: TrackWriter<'a, 'b>,
        last: i64,
        profiles: Vec<SampledCalls>,
    ) -> Self {
        let names = &file.names;
        let (threads, processes) = (names.threads.len(), names.processes.len());
        let slices = GroupedIndices::new(threads, file.slices.len(), |at| Some(file.slices.thread(at)));
        let instant = |at: usize| file.instants.get(at);
        let n = file.instants.len();
        let scoped = |at, scope: u8| Some(instant(at)).filter(|i| i.scope == scope).map(|i| i.of.thread);
        let of_thread =
            |at| Some(instant(at)).filter(|i| !matches!(i.scope, b'g' | b'p')).map(|i| i.of.thread);
        let instants = [
            GroupedIndices::new(threads, n, of_thread),
            GroupedIndices::new(processes, n, |at| scoped(at, b'p').map(|thread| names.process_of(thread))),
            GroupedIndices::new(1, n, |at| scoped(at, b'g').map(|_| 0)),
        ];
        let bounds = (out.origin, last);
        let mut teller = problems(&mut out);
        let asyncs = asyncs::tracks(file, bounds, &mut teller);
        let series = series(file, args, &mut teller);
        let values = ArgumentWriter::new(args, file.category(), file.thread_time());
        let of_process = ProcessContent {
            threads: names.thread_orders(out.strings()),
            asyncs: GroupedIndices::new(processes, asyncs.len(), |at| Some(asyncs[at].process)),
            series: GroupedIndices::new(processes, series.len(), |at| Some(series[at].process)),
        };
        let profiles_of_thread = GroupedIndices::new(threads, profiles.len(), |at| Some(profiles[at].thread));
        let counters = counters::counters(&series);
        let (written, points) = (FxHashMap::default(), FxHashMap::default());
        let (async_spans, bearers) = (FxHashMap::default(), flows::bearers(file));
        Self {
            file,
            out,
            last,
            values,
            slices,
            instants,
            asyncs,
            series,
            counters,
            profiles,
            of_process,
            profiles_of_thread,
            written,
            points,
            async_spans,
            bearers,
        }
    }

    /// Writes global instants to the run's own track.
    fn instants_of_all(&mut self) {
        let all = self.instants[2].of(0).to_vec();
        self.instants(&all, &WrittenSlices::default());
    }

    /// Writes text sections as instants at the start of the run: they have no time.
    #[inline(never)]
    fn texts(&mut self) {
        let shape = self.out.builder.shape(&[], &[]);
        for &(name, record) in &self.file.sections.texts {
            self.out.outcome.used(record);
            let time = self.out.origin;
            let parent = None;
            let kind = Kind::Instant;
            let flags = Flags::INFERRED;
            self.out.event(Event { time, parent, name, kind, flags, record }, shape, &[], &[]);
        }
    }

    #[inline(never)]
    fn process(&mut self, process: ProcessId, root: TrackId) {
        let file = self.file;
        let threads = std::mem::take(&mut self.of_process.threads[process as usize]);
        let threads: Vec<ThreadId> = threads.into_iter().filter(|&thread| self.has_content(thread)).collect();
        let asyncs = self.of_process.asyncs.of(process).to_vec();
        let series = self.of_process.series.of(process).to_vec();
        let own = self.instants[1].of(process).to_vec();
        if threads.is_empty() && asyncs.is_empty() && series.is_empty() && own.is_empty() {
            return;
        }
        let title = file.names.process_title(process, self.out.strings());
        let track = self.out.titled_track(root, &title, TrackKind::Process);
        self.instants(&own, &WrittenSlices::default());
        threads.into_iter().for_each(|thread| self.thread(thread, track));
        asyncs.into_iter().for_each(|at| self.asynchronous(at as usize, track));
        let mut titles = TrackTitles::default();
        series.into_iter().for_each(|at| self.counter(at as usize, track, &mut titles));
    }

    fn has_content(&self, thread: ThreadId) -> bool {
        !self.slices.of(thread).is_empty()
            || !self.instants[0].of(thread).is_empty()
            || self.profiles_of(thread).iter().any(|&at| !self.profiles[at as usize].list.is_empty())
    }

    fn profiles_of(&self, thread: ThreadId) -> &[u32] {
        self.profiles_of_thread.of(thread)
    }

    #[inline(never)]
    fn thread(&mut self, thread: ThreadId, process: TrackId) {
        let file = self.file;
        let title = file.names.thread_title(thread, self.out.strings());
        let track = self.out.titled_track(process, &title, TrackKind::Thread);
        let (numbers, instants) = (self.slices.of(thread).to_vec(), self.instants[0].of(thread).to_vec());
        let mut teller = problems(&mut self.out);
        let slices = of_thread(file, &numbers, self.last, &mut teller);
        let states = if slices.complete { Vec::new() } else { states_of_thread(file, &numbers, &mut teller) };
        for placed in &slices.placed {
            let (name, begin) = file.slices.side(placed.what as usize);
            self.out.outcome.used(begin.record);
            let end = slices.end_of(placed.what, begin.phase);
            // A complete slice is its own end.
            let end =
                end.map(|end| if end == placed.what { begin } else { file.slices.side(end as usize).1 });
            if let Some(end) = end.filter(|end| end.record != begin.record) {
                self.out.outcome.used(end.record);
            }
            self.slice(placed, Some(begin), end, name);
        }
        let has_arrows = !file.flows.is_empty() || !file.binds.is_empty();
        if has_arrows || !instants.is_empty() {
            let (first, holders) = (self.out.span_at(0).0, Holders::new(&slices.placed));
            let written = WrittenSlices { first, holders, placed: slices.placed };
            let points = self.instants(&instants, &written);
            if !file.flows.is_empty() && !points.is_empty() {
                self.points.insert(thread, points);
            }
            if has_arrows {
                self.written.insert(thread, written);
            }
        }
        if !states.is_empty() {
            self.out.titled_track(track, STATES, TrackKind::Thread);
            states.iter().for_each(|placed| self.state(placed));
        }
        for calls in self.profiles_of(thread).to_vec() {
            self.calls(calls as usize, track);
        }
    }

    /// Writes a slice that the events `begin` and `end` delimit.
    fn slice(
        &mut self,
        placed: &Placed,
        begin: Option<SpanEdgeEvent>,
        end: Option<SpanEdgeEvent>,
        name: StrId,
    ) {
        let phase = |event: Option<SpanEdgeEvent>| event.map_or(0, |event| event.phase);
        // If a step begins or ends with another step's event, that event's arguments are not the step's.
        let own = match (phase(begin), phase(end)) {
            (_, b'p') => [None, end],
            (b'T', _) => [begin, None],
            _ => [begin, end],
        };
        let shape = self.values.take(own.map(|event| event.map(|event| event.args)), self.out.builder);
        if std::mem::take(&mut self.values.too_many)
            && let Some(begin) = begin.or(end)
        {
            problems(&mut self.out).note(begin.record, MANY_ARGS, name);
        }
        if own.map(|event| event.is_some()) != [begin.is_some(), end.is_some()] {
            let span = Item::Span(self.out.builder.next_span());
            self.out.builder.written_in(span, own.map(|event| event.map(|event| event.record)));
        }
        // A complete slice begins and ends with the same record, which is listed once.
        let end = end.map(|end| end.record).filter(|end| begin.is_none_or(|begin| begin.record != *end));
        let begin = begin.map(|begin| begin.record);
        let records = [begin, end].map(|record| record.unwrap_or(RecordId::NONE));
        self.span(placed, (name, Kind::Slice), records, shape);
    }

    fn state(&mut self, placed: &Placed) {
        let of = self.file.slices.get(placed.what as usize).of;
        let shape = self.values.take([Some(of.args), None], self.out.builder);
        self.out.outcome.used(of.record);
        let placed = Placed { parent: None, ..*placed };
        self.span(&placed, (of.name, Kind::State), [of.record, RecordId::NONE], shape);
    }

    #[inline(never)]
    fn span(&mut self, placed: &Placed, (name, kind): (StrId, Kind), records: [RecordId; 2], shape: ShapeId) {
        let name = self.named(name);
        let span = self.out.placed_span(placed, (name, kind), records);
        self.out.builder.span(span, shape, &self.values.nums, &self.values.texts);
    }

    /// Writes instants by time, each with its enclosing slice. Returns the instants outside of slices: arrows can
    /// belong only to these.
    #[inline(never)]
    fn instants(&mut self, numbers: &[u32], written: &WrittenSlices) -> flows::ThreadInstants {
        let WrittenSlices { first, placed, holders } = written;
        let mut numbers = numbers.to_vec();
        let file = self.file;
        sort::by_key(&mut numbers, |&at| (file.instants.get(at as usize).of.time, 0));
        let mut alone = flows::ThreadInstants::default();
        for at in numbers {
            let of = file.instants.get(at as usize).of;
            let parent = holders.at(placed, of.time).map(|at| SpanId(first + at));
            self.out.outcome.used(of.record);
            let event = self.point(&of, parent);
            if parent.is_none() {
                alone.push((of.time, of.record, event));
            }
        }
        alone
    }

    fn point(&mut self, of: &ChromeEventHeader, parent: Option<SpanId>) -> EventId {
        let shape = self.values.take([Some(of.args), None], self.out.builder);
        let name = self.named(of.name);
        let flags = Flags::default();
        let record = of.record;
        let event = Event { time: of.time, parent, name, kind: Kind::Instant, flags, record };
        self.out.event(event, shape, &self.values.nums, &self.values.texts)
    }

    #[inline(never)]
    fn flows(&mut self) {
        let origin = self.out.origin;
        let mut teller = problems(&mut self.out);
        let places = flows::FlowEndTargets {
            threads: &self.written,
            points: &self.points,
            async_spans: &self.async_spans,
        };
        let flows = flows::flows(self.file, &places, &mut self.bearers, origin, &mut teller);
        flows.into_iter().for_each(|flow| self.out.builder.item_flow(flow));
    }

    /// Display name; a placeholder if the name is empty.
    fn named(&mut self, name: StrId) -> StrId {
        if name == StrId::EMPTY { self.out.intern("(no name)") } else { name }
    }
}

/// Counts problems of records.
fn problems<'a, 'b>(out: &'a mut TrackWriter<'_, 'b>) -> RecordProblems<'a, 'b> {
    RecordProblems { outcome: out.outcome, strings: out.builder.strings() }
}
