//! The tables of a file to a run: processes with their threads, what is asynchronous in them, their counters.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::args::Args;
use super::asyncs::{self, AsyncTrack, Part, Point};
use super::counters::{self, Series};
use super::flows::{self, Written};
use super::names::{ProcessId, ThreadId};
use super::samples::{self, Calls};
use super::slices::{Groups, Teller, of_thread, states_of_thread};
use super::store::{Bearer, Common, FileEvents, Side};
use super::values::Values;
use crate::import::Outcome;
use crate::import::nest::{Holders, Placed};
use crate::sort;
use crate::strings::StrId;
use crate::trace::words::{SAMPLES, STATES};
use crate::trace::{
    Event, Flags, Kind, RecordId, ShapeId, Span, SpanId, TraceBuilder, TrackId, TrackKind, Unit,
};

/// Writes everything that was read of a file.
pub fn emit(file: &FileEvents, args: &Args, outcome: &mut Outcome, builder: &mut TraceBuilder) {
    file.metadata.iter().for_each(|&record| outcome.used(record));
    let profiles: Vec<Calls> =
        file.profiles.list.iter().map(|profile| samples::calls(profile, builder.strings())).collect();
    file.profiles.list.iter().flat_map(|p| &p.chunks).for_each(|chunk| outcome.used(chunk.record));
    let alone = (!file.sections.texts.is_empty()).then_some((0, 0));
    let Some((origin, last)) = bounds(file, &profiles).or(alone) else { return };
    let name = builder.strings().intern(&file.name);
    let run = builder.run(name, origin, last - origin, 0);
    let root = builder.root(run);
    let mut writer = Writer::new(file, args, outcome, builder, (origin, last));
    writer.profiles = profiles;
    writer.instants_of_all();
    writer.texts();
    for process in file.names.process_order(writer.builder.strings()) {
        writer.process(process, root);
    }
    writer.flows();
    let used = outcome.used.get(file.file.0 as usize).copied().unwrap_or(0);
    builder.set_records(run, used);
    if let Some(about) = file.about.text() {
        builder.note(run, "metadata", about);
    }
}

/// When the first event begins and the last one ends.
#[inline(never)]
fn bounds(file: &FileEvents, profiles: &[Calls]) -> Option<(i64, i64)> {
    let calls = profiles.iter().flat_map(|profile| &profile.list).flat_map(|call| [call.start, call.end]);
    let own = file.reach.into_iter().flat_map(|(first, last)| [first, last]);
    let mut times = own.chain(calls);
    let first = times.next()?;
    Some(times.fold((first, first), |(low, high), time| (low.min(time), high.max(time))))
}

struct Writer<'a, 'b> {
    file: &'a FileEvents,
    outcome: &'a mut Outcome<'b>,
    builder: &'a mut TraceBuilder,
    origin: i64,
    /// When the last event of the file ends.
    last: i64,
    values: Values<'a>,
    slices: Groups,
    /// Instants by scope: of a thread, of a process, of all.
    instants: [Groups; 3],
    asyncs: Vec<AsyncTrack>,
    series: Vec<Series>,
    profiles: Vec<Calls>,
    written: HashMap<ThreadId, Written, FxBuildHasher>,
    beside: flows::Beside,
    bearers: flows::Bearers,
}

impl<'a, 'b> Writer<'a, 'b> {
    #[inline(never)]
    fn new(
        file: &'a FileEvents,
        args: &'a Args,
        outcome: &'a mut Outcome<'b>,
        builder: &'a mut TraceBuilder,
        (origin, last): (i64, i64),
    ) -> Self {
        let names = &file.names;
        let (threads, processes) = (names.threads.len(), names.processes.len());
        let slices = Groups::new(threads, file.slices.len(), |at| Some(file.slices.thread(at)));
        let instant = |at: usize| file.instants.get(at);
        let n = file.instants.len();
        let scoped = |at, scope: u8| Some(instant(at)).filter(|i| i.scope == scope).map(|i| i.of.thread);
        let of_thread =
            |at| Some(instant(at)).filter(|i| !matches!(i.scope, b'g' | b'p')).map(|i| i.of.thread);
        let instants = [
            Groups::new(threads, n, of_thread),
            Groups::new(processes, n, |at| scoped(at, b'p').map(|thread| names.process_of(thread))),
            Groups::new(1, n, |at| scoped(at, b'g').map(|_| 0)),
        ];
        let mut teller = Teller { outcome, strings: builder.strings() };
        let asyncs = asyncs::tracks(file, (origin, last), &mut teller);
        let series = counters::series(file, args, &mut teller);
        let (values, profiles) = (Values::new(args, file.category(), file.thread_time()), Vec::new());
        let (written, beside, bearers) = (HashMap::default(), HashMap::default(), flows::bearers(file));
        Self {
            file,
            outcome,
            builder,
            origin,
            last,
            values,
            slices,
            instants,
            asyncs,
            series,
            profiles,
            written,
            beside,
            bearers,
        }
    }

    /// Instants of everything: they stand on the run's own track.
    fn instants_of_all(&mut self) {
        let all = self.instants[2].of(0).to_vec();
        self.instants(&all, &Written::default());
    }

    /// Sections of text: nothing says when they are of.
    #[inline(never)]
    fn texts(&mut self) {
        let shape = self.builder.shape(&[], &[]);
        for &(name, record) in &self.file.sections.texts {
            self.outcome.used(record);
            let (time, parent, kind, flags) = (0, None, Kind::Instant, Flags::INFERRED);
            self.builder.event_with(Event { time, parent, name, kind, flags, record }, shape, &[], &[]);
        }
    }

    #[inline(never)]
    fn process(&mut self, process: ProcessId, root: TrackId) {
        let file = self.file;
        let threads = file.names.thread_order(process, self.builder.strings());
        let threads: Vec<ThreadId> = threads.into_iter().filter(|&thread| self.has_content(thread)).collect();
        let asyncs =
            (0..self.asyncs.len()).filter(|&at| self.asyncs[at].process == process).collect::<Vec<_>>();
        let series =
            (0..self.series.len()).filter(|&at| self.series[at].process == process).collect::<Vec<_>>();
        let own = self.instants[1].of(process).to_vec();
        if threads.is_empty() && asyncs.is_empty() && series.is_empty() && own.is_empty() {
            return;
        }
        let title = file.names.process_title(process, self.builder.strings());
        let name = self.builder.strings().intern(&title);
        let track = self.builder.track(root, name, TrackKind::Process);
        self.instants(&own, &Written::default());
        threads.into_iter().for_each(|thread| self.thread(thread, track));
        asyncs.into_iter().for_each(|at| self.asynchronous(at, track));
        let mut titles = HashSet::default();
        series.into_iter().for_each(|at| self.counter(at, track, &mut titles));
    }

    fn has_content(&self, thread: ThreadId) -> bool {
        !self.slices.of(thread).is_empty()
            || !self.instants[0].of(thread).is_empty()
            || self.profiles.iter().any(|calls| calls.thread == thread && !calls.list.is_empty())
    }

    #[inline(never)]
    fn thread(&mut self, thread: ThreadId, process: TrackId) {
        let file = self.file;
        let title = file.names.thread_title(thread, self.builder.strings());
        let name = self.builder.strings().intern(&title);
        let track = self.builder.track(process, name, TrackKind::Thread);
        let (numbers, instants) = (self.slices.of(thread).to_vec(), self.instants[0].of(thread).to_vec());
        let mut teller = Teller { outcome: self.outcome, strings: self.builder.strings() };
        let slices = of_thread(file, &numbers, self.last, &mut teller);
        let states = if slices.complete { Vec::new() } else { states_of_thread(file, &numbers, &mut teller) };
        let first = self.builder.next_span().0;
        for placed in &slices.placed {
            let (name, begin) = file.slices.side(placed.what as usize);
            self.outcome.used(begin.record);
            let end = slices.end_of(placed.what, begin.phase);
            // A complete slice is its own end.
            let end =
                end.map(|end| if end == placed.what { begin } else { file.slices.side(end as usize).1 });
            if let Some(end) = end.filter(|end| end.record != begin.record) {
                self.outcome.used(end.record);
            }
            self.slice(placed, Some(begin), end, name, first);
        }
        let has_arrows = !file.flows.is_empty() || !file.binds.is_empty();
        if has_arrows || !instants.is_empty() {
            let written = Written { first, holders: Holders::new(&slices.placed), placed: slices.placed };
            self.instants(&instants, &written);
            if has_arrows {
                self.written.insert(thread, written);
            }
        }
        if !states.is_empty() {
            let name = self.builder.strings().intern(STATES);
            self.builder.track(track, name, TrackKind::Thread);
            states.iter().for_each(|placed| self.state(placed));
        }
        for calls in
            (0..self.profiles.len()).filter(|&at| self.profiles[at].thread == thread).collect::<Vec<_>>()
        {
            self.calls(calls, track);
        }
    }

    /// What a profile saw of a thread.
    #[inline(never)]
    fn calls(&mut self, profile: usize, thread: TrackId) {
        let Calls { title, ref mut list, .. } = self.profiles[profile];
        let calls = std::mem::take(list);
        if calls.is_empty() {
            return;
        }
        let strings = self.builder.strings();
        let title = strings.get(title);
        let title = if title.is_empty() { SAMPLES.to_owned() } else { format!("{SAMPLES} · {title}") };
        let name = strings.intern(&title);
        self.builder.track(thread, name, TrackKind::Thread);
        let first = self.builder.next_span().0;
        let place = self.builder.key("source", Unit::Text);
        let shapes = [self.builder.shape(&[], &[]), self.builder.shape(&[], &[place])];
        for call in calls {
            let (start, duration) = (call.start - self.origin, call.end - call.start);
            let (parent, depth) = (call.parent.map(|at| SpanId(first + at)), call.depth);
            let name = self.named(call.name.some().unwrap_or(StrId::EMPTY));
            let (kind, flags, begin, end) = (Kind::Slice, Flags::default(), call.record, RecordId::NONE);
            let span = Span { start, duration, parent, name, kind, flags, depth, begin, end };
            let texts: &[StrId] = if call.place == StrId::NONE { &[] } else { &[call.place] };
            self.builder.span(span, shapes[texts.len()], &[], texts);
        }
    }

    /// A slice that these events begin and end; `first` is the first handle of its track.
    fn slice(&mut self, placed: &Placed, begin: Option<Side>, end: Option<Side>, name: StrId, first: u32) {
        let phase = |event: Option<Side>| event.map_or(0, |event| event.phase);
        // A step ends, or begins, with the event of another step, whose arguments are not its own.
        let own = match (phase(begin), phase(end)) {
            (_, b'p') => [None, end],
            (b'T', _) => [begin, None],
            _ => [begin, end],
        };
        let shape = self.values.take(own.map(|event| event.map(|event| event.args)), self.builder);
        // A complete slice ends with the record that begins it: it is listed once.
        let end = end.map(|end| end.record).filter(|end| begin.is_none_or(|begin| begin.record != *end));
        let begin = begin.map(|begin| begin.record);
        let records = [begin, end].map(|record| record.unwrap_or(RecordId::NONE));
        self.span(placed, (name, Kind::Slice), records, first, shape);
    }

    fn state(&mut self, placed: &Placed) {
        let of = self.file.slices.get(placed.what as usize).of;
        let shape = self.values.take([Some(of.args), None], self.builder);
        self.outcome.used(of.record);
        let placed = Placed { parent: None, ..*placed };
        self.span(&placed, (of.name, Kind::State), [of.record, RecordId::NONE], 0, shape);
    }

    #[inline(never)]
    fn span(
        &mut self,
        placed: &Placed,
        (name, kind): (StrId, Kind),
        [begin, end]: [RecordId; 2],
        first: u32,
        shape: ShapeId,
    ) {
        let Placed { start, end: until, flags, parent, depth, .. } = *placed;
        let parent = parent.map(|at| SpanId(first + at));
        let name = self.named(name);
        let span = Span {
            start: start - self.origin,
            duration: until - start,
            parent,
            name,
            kind,
            flags,
            depth,
            begin,
            end,
        };
        self.builder.span(span, shape, &self.values.nums, &self.values.texts);
    }

    /// Instants, by time, with the slices that they lie in.
    #[inline(never)]
    fn instants(&mut self, numbers: &[u32], written: &Written) {
        let Written { first, placed, holders } = written;
        let mut numbers = numbers.to_vec();
        let file = self.file;
        sort::by_key(&mut numbers, |&at| (file.instants.get(at as usize).of.time, 0));
        for at in numbers {
            let of = file.instants.get(at as usize).of;
            let parent = holders.at(placed, of.time).map(|at| SpanId(first + at));
            self.outcome.used(of.record);
            self.point(&of, parent);
        }
    }

    fn point(&mut self, of: &Common, parent: Option<SpanId>) {
        let shape = self.values.take([Some(of.args), None], self.builder);
        let (name, flags, record) = (self.named(of.name), Flags::default(), of.record);
        let event = Event { time: of.time - self.origin, parent, name, kind: Kind::Instant, flags, record };
        self.builder.event_with(event, shape, &self.values.nums, &self.values.texts);
    }

    #[inline(never)]
    fn asynchronous(&mut self, at: usize, process: TrackId) {
        let AsyncTrack { category, name, parts, points, .. } = &mut self.asyncs[at];
        let (category, name) = (*category, *name);
        let (parts, points) = (std::mem::take(parts), std::mem::take(points));
        let title = self.async_title(category, name);
        self.builder.track(process, title, TrackKind::Async);
        let first = self.builder.next_span().0;
        let event = |at: Option<u32>| at.map(|at| self.file.asyncs.get(at as usize).of.side());
        let events: Vec<_> = parts.iter().map(|part| (event(part.begin), event(part.end))).collect();
        for (Part { placed, name, .. }, (begin, end)) in parts.iter().zip(events) {
            self.slice(placed, begin, end, *name, first);
        }
        let has_flows = !self.file.flows.is_empty();
        let has_arrows = has_flows || !self.bearers.is_empty();
        if points.is_empty() && !has_arrows {
            return;
        }
        let numbers = (first..).zip(&parts).filter_map(|(at, part)| Some((part.number()?, SpanId(at))));
        let spans: HashMap<u32, SpanId, FxBuildHasher> = numbers.collect();
        let mut own: Vec<(u32, SpanId)> = Vec::new();
        for &Point { event, inside } in &points {
            let span = inside.and_then(|number| spans.get(&number).copied());
            self.point(&self.file.asyncs.get(event as usize).of, span);
            own.extend(span.map(|span| (event, span)));
        }
        if has_arrows {
            let ends = |part: &Part| [part.begin, part.end].into_iter().flatten();
            own.extend((first..).zip(&parts).flat_map(|(at, part)| ends(part).map(move |n| (n, SpanId(at)))));
            for (event, span) in own {
                let of = self.file.asyncs.get(event as usize).of;
                if has_flows {
                    self.beside.entry((of.thread, of.time, of.category)).or_insert(span);
                }
                if let Some(bearer) = self.bearers.get_mut(&Bearer::Async(event)) {
                    let end = parts[(span.0 - first) as usize].placed.end;
                    *bearer = (span, if of.phase == b'b' { end } else { of.time });
                }
            }
        }
    }

    fn async_title(&mut self, category: StrId, name: StrId) -> StrId {
        let name = self.named(name);
        let strings = self.builder.strings();
        let (category, title) = (strings.get(category), strings.get(name));
        if category.is_empty() || category == title {
            return name;
        }
        let title = format!("{title} · {category}");
        strings.intern(&title)
    }

    #[inline(never)]
    fn counter(&mut self, at: usize, process: TrackId, titles: &mut HashSet<StrId, FxBuildHasher>) {
        let Series { name, id, key, millionths, ref mut values, .. } = self.series[at];
        let values = std::mem::take(values);
        let same =
            |other: &&Series| (other.process, other.name, other.id) == (self.series[at].process, name, id);
        let alone = self.series.iter().filter(same).count() == 1;
        let name = self.named(name);
        let strings = self.builder.strings();
        let id = id.some().map(|id| strings.get(id)).unwrap_or_default();
        let parts = [strings.get(name), id, if alone { "" } else { strings.get(key) }];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        // A counter may be called as the series of another one is.
        let (title, quoted) = (parts.join(" · "), format!("“{}”", parts.join("” · “")));
        let key = strings.get(key).to_owned();
        let title = strings.intern(&title);
        let title = if titles.insert(title) { title } else { strings.intern(&quoted) };
        self.builder.track(process, title, TrackKind::Counter);
        let key = self.builder.key(&key, if millionths { Unit::Millionths } else { Unit::Count });
        let shape = self.builder.shape(&[key], &[]);
        for value in values {
            let (time, flags, record) = (value.time - self.origin, Flags::default(), value.record);
            let event = Event { time, parent: None, name: title, kind: Kind::Sample, flags, record };
            self.builder.event(event, shape, &[value.value]);
        }
    }

    #[inline(never)]
    fn flows(&mut self) {
        let mut teller = Teller { outcome: self.outcome, strings: self.builder.strings() };
        let found = (&self.written, &self.beside, &mut self.bearers);
        let flows = flows::flows(self.file, found, self.origin, &mut teller);
        flows.into_iter().for_each(|flow| self.builder.flow(flow));
    }

    /// What is shown of a name that is empty.
    fn named(&mut self, name: StrId) -> StrId {
        if name == StrId::EMPTY { self.builder.strings().intern("(no name)") } else { name }
    }
}
