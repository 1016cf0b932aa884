//! One export to a run: threads with their transactions, statements, stages and waits, one below the other; and the
//! side tables.
//!
//! ```text
//! thread   transaction   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇
//!          statement       ▇▇▇▇▇▇▇  idle  ▇▇▇▇▇▇▇
//!          stage           ▇▇▇ ▇▇▇        ▇▇▇ ▇▇▇
//!          wait             ▇   ▇ ▇        ▇▇
//! ```

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::clock::{Clock, Pair};
use super::lanes::{Placed, place};
use super::locks::{self, Index, Known};
use super::prepare::{Class, Prepared, flags, prepare};
use super::problems::{FAR, NO_TIMER, NOWHERE, PARENT_LOST, RUNNING, TWICE};
use super::rows::Export;
use super::store::{Event, NO_TIME, Store};
use super::threads::Threads;
use super::tree::{Node, nodes, timed_holder};
use crate::import::{Outcome, ProblemKind};
use crate::sort;
use crate::strings::StrId;
use crate::text;
use crate::trace::{Flags, Kind, RecordId, RunId, Span, SpanId, Table, TraceBuilder};

/// Writes what was read of an export.
pub fn emit(export: &Export, outcome: &mut Outcome, builder: &mut TraceBuilder) {
    let store = &export.store;
    if store.is_empty() && export.sides.iter().all(|side| side.records.is_empty()) {
        return;
    }
    let prepared = prepare(store, builder);
    let index = locks::index(export, builder);
    let mut writer =
        Writer { store, prepared, outcome, builder, clock: Clock::default(), origin: 0, last: 0, index };
    let threads = writer.threads();
    writer.fit(&threads);
    writer.bounds(&threads);
    let name = export.name(writer.builder.strings());
    let duration = (writer.last - writer.origin).max(0);
    let run = writer.builder.run(name, writer.origin, duration, 0);
    let labels = Threads::of(export, writer.builder);
    notes(&mut writer, run, &threads);
    let mut records = 0;
    let is_statement = |at: u32| writer.prepared[store.what(at) as usize].class == Class::Statement;
    for (number, events) in labels.order(store, threads, is_statement) {
        records += writer.thread(run, &labels, number, &events);
    }
    let Writer { outcome, builder, index, .. } = writer;
    if let Some(mut index) = index {
        locks::write(&mut index, export, run, &labels, builder);
    }
    records += side_tables(export, run, outcome, builder);
    builder.set_records(run, records);
}

/// What is said of the run as a whole.
fn notes(writer: &mut Writer, run: RunId, threads: &[Vec<u32>]) {
    if let Some(text) = coverage(writer.store, threads) {
        writer.builder.note(run, "completeness", text);
    }
    if !writer.store.is_empty() {
        let text = writer.clock.sentence();
        writer.builder.note(run, "wait clock", text);
    }
}

/// How many of the ids that a thread counted are in the files: ids are one count for all classes of events.
fn coverage(store: &Store, threads: &[Vec<u32>]) -> Option<String> {
    let (mut found, mut counted, mut whole, mut all) = (0_u64, 0_u64, 0_u64, 0_u64);
    for events in threads.iter().filter(|events| !events.is_empty()) {
        let mut ids: Vec<i64> = events.iter().map(|&at| store.id(at)).collect();
        ids.dedup();
        let between =
            ids.first().zip(ids.last()).map_or(0, |(first, last)| last.abs_diff(*first).saturating_add(1));
        found += ids.len() as u64;
        counted = counted.saturating_add(between);
        all += 1;
        whole += u64::from(between == ids.len() as u64);
    }
    let missing = counted.checked_sub(found).filter(|_| counted > 0)?;
    let count = |n: u64| text::count(n.cast_signed());
    let threads = text::counted(all, "thread", "threads");
    Some(match missing {
        0 => format!(
            "Complete: all {} event ids of {threads}, from first to last, are in the files.",
            count(found)
        ),
        _ => format!(
            "{} of the event ids between the first and the last of each thread are in the files: {} of {}; {} of {threads} \
             have no gap. Ids are missing where instruments or consumers are off, rings were overwritten, or a table was not \
             exported.",
            text::percent(found as f64 / counted as f64),
            count(found),
            count(counted),
            count(whole),
        ),
    })
}

/// Appends the side tables; how many rows they have.
fn side_tables(export: &Export, run: RunId, outcome: &mut Outcome, builder: &mut TraceBuilder) -> u64 {
    let mut records = 0;
    for side in &export.sides {
        let name = builder.strings().intern(&side.name);
        let mut table = Table::new(run, name, side.columns.clone());
        let rows = side.cells.chunks(side.columns.len().max(1));
        // The same row of the same table in two files is one: no row of the server's tables is like another.
        let mut seen: HashSet<&[StrId], FxBuildHasher> = HashSet::default();
        for (row, &record) in rows.zip(&side.records) {
            if seen.insert(row) {
                table.push(record, row.iter().copied());
            } else {
                outcome.note(record, TWICE, || side.name.clone());
            }
            outcome.used(record);
            records += 1;
        }
        builder.table(table);
    }
    records
}

struct Writer<'a, 'b> {
    store: &'a Store,
    prepared: Vec<Prepared>,
    outcome: &'a mut Outcome<'b>,
    builder: &'a mut TraceBuilder,
    clock: Clock,
    /// Nanoseconds since the server was started.
    origin: i64,
    last: i64,
    /// The spans by their ids, where tables of locks ask for them.
    index: Option<Index>,
}

impl Writer<'_, '_> {
    /// The events of every thread, by their ids, each once.
    fn threads(&mut self) -> Vec<Vec<u32>> {
        let mut threads = vec![Vec::new(); self.store.threads.len()];
        for at in 0..self.store.len() {
            threads[self.store.thread_of(at as u32) as usize].push(at as u32);
        }
        for events in &mut threads {
            self.in_order(events);
        }
        threads
    }

    /// Sorts by id; of an event that stands in several tables, one that has ended goes before one that has not.
    fn in_order(&mut self, events: &mut Vec<u32>) {
        let store = self.store;
        let class = |at: u32| self.prepared[store.what(at) as usize].class;
        sort::by_key(events, |&at| {
            let open = u64::from(store.end_id(at).is_none());
            (store.id(at), (class(at) as u64) << 1 | open)
        });
        let mut kept: Vec<u32> = Vec::with_capacity(events.len());
        let key = |at: u32| (store.id(at), class(at));
        for same in events.chunk_by(|&a, &b| key(a) == key(b)) {
            // Twice in one table are two: MariaDB writes some transactions so.
            let section = most_of(store, same);
            for &at in same {
                if store.section(at) == section {
                    kept.push(at);
                } else {
                    let event = store.event(at);
                    self.outcome.used(event.record);
                    note(self.outcome, store, &event, TWICE);
                }
            }
        }
        *events = kept;
    }

    /// Brings the clock of waits onto that of statements.
    fn fit(&mut self, threads: &[Vec<u32>]) {
        let mut pairs = Vec::new();
        for events in threads {
            let nodes = nodes(self.store, &self.prepared, events);
            let waits = (0..nodes.len()).filter(|&at| nodes[at].class == Class::Wait);
            pairs.extend(waits.filter_map(|at| {
                let event = self.store.event(nodes[at].event);
                let timed = event.start != NO_TIME && event.wait != NO_TIME && nodes[at].end != i64::MAX;
                let holder = timed.then(|| timed_holder(self.store, &nodes, at))??;
                Some(Pair { wait: (event.start, event.wait), holder })
            }));
        }
        self.clock = Clock::fit(&pairs);
    }

    /// When the first event begins, and the last one ends.
    fn bounds(&mut self, threads: &[Vec<u32>]) {
        let times = || threads.iter().flatten().filter_map(|&at| self.times(&self.store.event(at)));
        let origin = times().map(|(start, _)| start).min().unwrap_or(0);
        // Clients that were idle when the export was made say nothing about how long the work took.
        let ended = |&&at: &&u32| {
            let what = self.store.what(at) as usize;
            self.prepared[what].class != Class::Idle || self.store.end_id(at).is_some()
        };
        let working = threads.iter().flatten().filter(ended);
        let times_of = working.filter_map(|&at| self.times(&self.store.event(at)));
        let last = times_of.map(|(start, end)| end.unwrap_or(start)).max();
        let last = last.or_else(|| times().map(|(start, end)| end.unwrap_or(start)).max()).unwrap_or(0);
        (self.origin, self.last) = (origin, last);
    }

    /// Start and end in nanoseconds since the server was started, rounded each on its own; `None` without a time.
    fn times(&self, event: &Event) -> Option<(i64, Option<i64>)> {
        let Event { start, wait, .. } = *event;
        let end = (wait != NO_TIME).then(|| start.checked_add(wait)).flatten();
        let is_wait = self.prepared[event.what as usize].class == Class::Wait;
        let nanos = |time: u64| {
            let time = if is_wait { self.clock.time(time) } else { time };
            (time / 1000 + u64::from(time % 1000 >= 500)).cast_signed()
        };
        (start != NO_TIME).then(|| (nanos(start), end.map(nanos)))
    }

    /// Writes a thread; how many events are in the picture.
    fn thread(&mut self, run: RunId, labels: &Threads, number: u32, events: &[u32]) -> u64 {
        let nodes = nodes(self.store, &self.prepared, events);
        let placed = place(self.placed(&nodes));
        if placed.is_empty() {
            return 0;
        }
        let root = self.builder.root(run);
        labels.track(self.builder, root, self.store.threads[number as usize]);
        let first = self.builder.next_span().0;
        let inner = self.inner(&nodes);
        let mut positions = vec![u32::MAX; nodes.len()];
        for (position, one) in placed.iter().enumerate() {
            positions[one.node as usize] = position as u32;
        }
        for one in &placed {
            let parent = one.parent.map(|node| positions[node as usize]).filter(|&at| at != u32::MAX);
            let inner = inner.get(&one.node).copied().unwrap_or(0);
            self.span(&nodes[one.node as usize], one, parent.map(|at| SpanId(first + at)), inner);
        }
        placed.len() as u64
    }

    /// The time of the statements that a statement runs, by its position, where it runs any.
    fn inner(&self, nodes: &[Node]) -> HashMap<u32, u64, FxBuildHasher> {
        let mut inner = HashMap::default();
        for node in nodes.iter().filter(|node| node.class == Class::Statement) {
            let above = node.parent.filter(|&at| nodes[at as usize].class == Class::Statement);
            let wait = self.store.event(node.event).wait;
            if let Some(above) = above.filter(|_| wait != NO_TIME) {
                let sum: &mut u64 = inner.entry(above).or_default();
                *sum = sum.saturating_add(wait);
            }
        }
        inner
    }

    /// Every event of a thread with its times. Those without stand where the event before them does.
    fn placed(&mut self, nodes: &[Node]) -> Vec<Placed> {
        let mut placed: Vec<Placed> = Vec::with_capacity(nodes.len());
        let mut positions: Vec<u32> = vec![u32::MAX; nodes.len()];
        let first = nodes.iter().find_map(|node| self.times(&self.store.event(node.event)));
        let mut before: Option<(usize, Placed)> = None;
        for (at, node) in nodes.iter().enumerate() {
            let event = self.store.event(node.event);
            let (times, mut flags) = (self.times(&event), Flags::default());
            let (start, end) = match (times, &before, first) {
                (Some((start, Some(end))), ..) if node.class == Class::Idle && node.end == i64::MAX => {
                    (start, end.min(self.last).max(start))
                }
                (Some((start, Some(end))), ..) => (start, end),
                (Some((start, None)), ..) => {
                    (start, if node.end == i64::MAX { self.last.max(start) } else { start })
                }
                (None, Some((above, one)), _) if nodes[*above].end >= node.id => (one.start, one.start),
                (None, Some((_, one)), _) => (one.end, one.end),
                (None, None, Some((start, _))) => (start, start),
                (None, None, None) => {
                    note(self.outcome, self.store, &event, NOWHERE);
                    continue;
                }
            };
            let told = [
                (times.is_none(), NO_TIMER, Flags::INFERRED),
                (node.end == i64::MAX, RUNNING, Flags::OPEN_END),
                (node.is_orphan, PARENT_LOST, Flags::default()),
                (start < 0 || end < start, FAR, Flags::default()),
            ];
            for (_, problem, flag) in told.into_iter().filter(|(is, ..)| *is) {
                note(self.outcome, self.store, &event, problem);
                flags = flags.with(flag);
            }
            if start < 0 || end < start {
                continue;
            }
            let parent = node.parent.filter(|&parent| positions[parent as usize] != u32::MAX);
            let mut one = Placed { node: at as u32, class: node.class, start, end, parent, row: 0, flags };
            if let Some(above) = parent.map(|parent| placed[positions[parent as usize] as usize]) {
                one.keep_inside(&above);
            }
            positions[at] = placed.len() as u32;
            if times.is_some() {
                before = Some((at, one));
            }
            placed.push(one);
        }
        placed
    }

    fn span(&mut self, node: &Node, one: &Placed, parent: Option<SpanId>, inner: u64) {
        let event = self.store.event(node.event);
        let prepared = &self.prepared[event.what as usize];
        let told = |number: i64| (number != i64::MIN).then_some(number);
        let more = self.store.numbers(event.at);
        let picos = |wait: u64| i64::try_from(wait).ok().filter(|_| event.wait != NO_TIME);
        let mut numbers = vec![Some(node.id), picos(event.wait)];
        if node.class == Class::Statement {
            numbers.push(picos(event.wait.saturating_sub(inner)));
        }
        let has_more = more.clone().any(|number| told(number).is_some());
        if has_more {
            numbers.extend(more.clone().map(told));
        }
        let is_nested = node.class == Class::Statement && parent.is_some();
        let span = Span {
            start: one.start - self.origin,
            duration: one.end - one.start,
            parent,
            name: prepared.name,
            kind: if is_nested { Kind::Statement } else { prepared.kind },
            flags: one.flags.with(flags(prepared, |at| told(more.clone().nth(at)?))),
            depth: one.row,
            begin: event.record,
            end: RecordId::NONE,
        };
        self.outcome.used(event.record);
        let id = self.builder.span(span, prepared.shapes[usize::from(!has_more)], &numbers, &prepared.texts);
        if let Some(index) = &mut self.index {
            let (Node { end, class, .. }, start) = (*node, span.start);
            let known = Known { id: node.id, end, class, span: id, parent, start };
            index.add(self.store.threads[event.thread as usize], known);
        }
    }
}

/// The table that most of these events stand in; the first of several.
fn most_of(store: &Store, same: &[u32]) -> usize {
    let section = |at: u32| store.section(at);
    let [first, rest @ ..] = same else { return 0 };
    if rest.is_empty() {
        return section(*first);
    }
    let count = |at: u32| same.iter().filter(|&&other| section(other) == section(at)).count();
    let most = same.iter().copied().fold(*first, |best, at| if count(at) > count(best) { at } else { best });
    section(most)
}

/// Reports something of an event.
fn note(outcome: &mut Outcome, store: &Store, event: &Event, problem: ProblemKind) {
    outcome.note(event.record, problem, || {
        format!("thread {}, event {}", store.threads[event.thread as usize], store.id(event.at))
    });
}
