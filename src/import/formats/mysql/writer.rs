//! Writes the events of an export, thread by thread.

use super::class::MySqlEventClass;
use super::clock::{WaitClock, WaitInHolder};
use super::coverage::EventIdCoverage;
use super::lanes::{ClockOffset, keep_inside, place};
use super::locks::{LockSpan, LockSpanIndex};
use super::prepare::{DescriptionDetails, PreparedDescription, PreparedDescriptions, flags};
use super::problems::{FAR, NO_TIMER, NOWHERE, PARENT_LOST, RUNNING, TWICE};
use super::store::{MySqlStore, NO_TIME};
use super::threads::MySqlThreads;
use super::tree::{MySqlEventNode, connect, load, pair, sort};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::import::contract::{BuildReport, ProblemKind};
use crate::import::interval_nesting::Placed;
use crate::import::track_writer::TrackWriter;
use crate::trace::{Flags, Kind, RecordId, RunId, Span, SpanId, TraceBuilder, TrackId};

/// Maximum number of waits that the clock is fitted to. A larger number of waits is sampled down to about this number.
const WAITS: usize = 1 << 17;

/// Writes the events of an export.
pub struct MySqlWriter<'a, 'b> {
    store: &'a MySqlStore,
    prepared: PreparedDescriptions,
    pub out: TrackWriter<'a, 'b>,
    /// Clock of waits, with statistics of the threads written so far.
    pub clock: WaitClock,
    /// Completeness of the threads written so far.
    pub coverage: EventIdCoverage,
    /// Maximum time by which a wait may overrun its holder because their clocks differ, in nanoseconds; computed from
    /// the waits that the clock was fitted to.
    tolerance: i64,
    /// End of the last event, in nanoseconds since the server was started.
    last: i64,
    /// Spans by their ids, if tables of locks need them.
    pub index: Option<LockSpanIndex>,
    numbers: Vec<Option<i64>>,
}

impl<'a, 'b> MySqlWriter<'a, 'b> {
    /// Creates a writer for the events of an export.
    pub fn new(
        store: &'a MySqlStore,
        prepared: PreparedDescriptions,
        outcome: &'a mut BuildReport<'b>,
        builder: &'a mut TraceBuilder,
        index: Option<LockSpanIndex>,
    ) -> Self {
        let (clock, coverage) = Default::default();
        Self {
            store,
            prepared,
            out: TrackWriter::new(outcome, builder),
            clock,
            coverage,
            tolerance: 0,
            last: 0,
            index,
            numbers: Vec::new(),
        }
    }

    /// Returns the events of each thread in the order in which they were read. Fits the clock of waits to the clock of
    /// statements.
    pub fn threads(&mut self) -> Vec<Vec<u32>> {
        let threads = self.by_thread();
        let pairs: Vec<WaitInHolder> = threads.iter().flat_map(|events| self.sample(events)).collect();
        self.clock = WaitClock::fit(&pairs);
        self.tolerance = self.clock.tolerance();
        threads
    }

    #[inline(never)]
    fn by_thread(&self) -> Vec<Vec<u32>> {
        let numbers = 0..self.store.threads.len() as u32;
        let count = |number| self.store.count_all(number) as usize;
        let mut threads: Vec<Vec<u32>> = numbers.map(|number| Vec::with_capacity(count(number))).collect();
        (0..self.store.len() as u32).for_each(|at| threads[self.store.thread_of(at) as usize].push(at));
        threads
    }

    /// Returns waits with their holders, which show the difference of the clocks. Of many waits only a sample is
    /// returned, but all events are considered as holders.
    #[inline(never)]
    fn sample(&self, events: &[u32]) -> Vec<WaitInHolder> {
        let store = self.store;
        if events.first().is_none_or(|&at| !self.has_holders(store.thread_of(at))) {
            return Vec::new();
        }
        let every = 1 + (store.len() / WAITS) as u64;
        let is_asked = |&at: &u32| {
            // Chosen by their start instead of their position: the sample does not depend on the order of rows.
            store.descriptions.class(store.what(at)) != MySqlEventClass::Wait
                || scattered(store.start(at)).is_multiple_of(every)
        };
        let chosen = events.iter().copied().filter(is_asked);
        let mut nodes = load(store, self.out.builder.reported(), chosen);
        sort(&mut nodes);
        drop_copies(store, &mut nodes, |_| {});
        connect(store, &mut nodes);
        (0..nodes.len()).filter_map(|at| self.pair(&nodes, at)).collect()
    }

    /// Whether a thread has events that can hold waits.
    fn has_holders(&self, thread: u32) -> bool {
        MySqlEventClass::HOLD_WAITS.iter().any(|&class| self.store.count(thread, class) > 0)
    }

    /// Returns a wait with its holder, if the times of both were reported.
    fn pair(&self, nodes: &[MySqlEventNode], at: usize) -> Option<WaitInHolder> {
        pair(nodes, at).filter(|_| !self.store.is_laid_out(nodes[at].event))
    }

    /// Returns the events of a thread sorted by id, each event once, with their parents.
    #[inline(never)]
    fn nodes(&mut self, events: &[u32]) -> Vec<MySqlEventNode> {
        let mut nodes = load(self.store, self.out.builder.reported(), events.iter().copied());
        sort(&mut nodes);
        drop_copies(self.store, &mut nodes, |node| {
            self.out.outcome.used(node.record);
            note(self.store, self.out.outcome, node, TWICE);
        });
        self.coverage.add(nodes.iter().map(|node| node.id));
        connect(self.store, &mut nodes);
        nodes
    }

    /// Begins the run; returns the run and its root track.
    pub fn begin(&mut self, name: StrId) -> (RunId, TrackId) {
        let (first, last) = self.store.time_range.nanos(&self.clock);
        self.last = last;
        self.clock = self.clock.unmeasured();
        self.out.run(name, (first, last), 0)
    }

    /// Writes a thread; returns the number of its events that are shown.
    #[inline(never)]
    pub fn thread(&mut self, root: TrackId, labels: &MySqlThreads, number: u32, events: &[u32]) -> u64 {
        let nodes = self.nodes(events);
        if self.has_holders(number) {
            for at in 0..nodes.len() {
                if let Some(pair) = self.pair(&nodes, at) {
                    self.clock.measure(&pair);
                }
            }
        }
        let placed = place(self.placed(&nodes), &nodes);
        if placed.is_empty() {
            return 0;
        }
        labels.track(&mut self.out, root, self.store.threads[number as usize]);
        let inner = inner(&nodes);
        for one in &placed {
            let node = &nodes[one.what as usize];
            let inner = if node.class == MySqlEventClass::Statement { inner.get(&one.what) } else { None };
            let span = self.out.placed_span(one, (StrId::EMPTY, Kind::Other), [node.record, RecordId::NONE]);
            let Span { parent, start, .. } = span;
            let span = self.span(node, span, inner.copied().unwrap_or(0));
            if let Some(index) = &mut self.index {
                let MySqlEventNode { id, end, class, .. } = *node;
                let known = LockSpan { id, end, class, span, parent, start };
                index.add(self.store.threads[number as usize], known);
            }
        }
        placed.len() as u64
    }

    /// Places each event of a thread in time. Events without times are placed where the previous event is.
    #[inline(never)]
    fn placed(&mut self, nodes: &[MySqlEventNode]) -> Vec<Placed> {
        let mut placed: Vec<Placed> = Vec::with_capacity(nodes.len());
        let mut positions: Vec<u32> = vec![u32::MAX; nodes.len()];
        let first = nodes.iter().find_map(|node| self.clock.times(node));
        let mut before: Option<(usize, Placed)> = None;
        for (at, node) in nodes.iter().enumerate() {
            let times = self.clock.times(node);
            let (start, end) = match (times, &before, first) {
                (Some((start, Some(end))), ..)
                    if node.class == MySqlEventClass::Idle && !node.has_ended() =>
                {
                    (start, end.min(self.last).max(start))
                }
                (Some((start, Some(end))), ..) => (start, end),
                (Some((start, None)), ..) => {
                    (start, if node.has_ended() { start } else { self.last.max(start) })
                }
                (None, Some((above, one)), _) if nodes[*above].end >= node.id => (one.start, one.start),
                (None, Some((_, one)), _) => (one.end, one.end),
                (None, None, Some((start, _))) => (start, start),
                (None, None, None) => {
                    self.note(node, NOWHERE);
                    continue;
                }
            };
            let flags = self.noted_flags(node, times.is_some());
            if start < 0 || end < start {
                self.note(node, FAR);
                continue;
            }
            let parent = node.parent().filter(|&parent| positions[parent as usize] != u32::MAX);
            let mut one = Placed { start, end, what: at as u32, flags, parent, depth: 0 };
            if let Some(above) = parent.map(|parent| placed[positions[parent as usize] as usize]) {
                // An event whose id is after its parent's end id is not inside the parent.
                let holder = &nodes[above.what as usize];
                let is_after = holder.end < node.id;
                let clocks = match self.store.is_laid_out(node.event) {
                    true => ClockOffset::Unknown,
                    false => ClockOffset::Apart(if is_after { 0 } else { self.tolerance }),
                };
                keep_inside(&mut one, node.class, (&above, holder.class), clocks);
            }
            positions[at] = placed.len() as u32;
            if times.is_some() {
                before = Some((at, one));
            }
            placed.push(one);
        }
        placed
    }

    /// Reports the problems of an event; returns its flags.
    #[inline(never)]
    fn noted_flags(&mut self, node: &MySqlEventNode, is_timed: bool) -> Flags {
        let remarks = [
            (!is_timed, NO_TIMER, Flags::INFERRED),
            (!node.has_ended(), RUNNING, Flags::OPEN_END),
            (node.is_orphan, PARENT_LOST, Flags::default()),
        ];
        let mut flags = if self.store.is_laid_out(node.event) { Flags::INFERRED } else { Flags::default() };
        for (_, problem, flag) in remarks.into_iter().filter(|(is, ..)| *is) {
            self.note(node, problem);
            flags = flags.with(flag);
        }
        flags
    }

    /// Writes a placed span with the attributes of its event and the attributes that all events with the same texts share.
    #[inline(never)]
    fn span(&mut self, node: &MySqlEventNode, mut span: Span, inner: u64) -> SpanId {
        let PreparedDescription { kind, name, shared, details, .. } =
            self.prepared.descriptions[node.what as usize];
        let is_nested = node.class == MySqlEventClass::Statement && span.parent.is_some();
        span.name = name;
        span.kind = if is_nested { Kind::Statement } else { kind };
        self.out.outcome.used(node.record);
        let Some(details) = details.map(|at| &self.prepared.details[at as usize]) else {
            return self.out.builder.span_with(span, shared);
        };
        let numbers = &mut self.numbers;
        numbers.clear();
        own_numbers(self.store, self.out.builder, node, details, inner, numbers);
        if node.class == MySqlEventClass::Statement {
            // The first number is the time of the statement itself.
            span.flags = span.flags.with(flags(details, |at| numbers.get(at + 1).copied().flatten()));
        }
        if numbers.iter().all(Option::is_none) {
            return self.out.builder.span_with(span, shared);
        }
        self.out.builder.span(span, details.shape, numbers, &details.texts)
    }

    fn note(&mut self, node: &MySqlEventNode, problem: ProblemKind) {
        note(self.store, self.out.outcome, node, problem);
    }
}

/// Reports a problem of an event.
fn note(store: &MySqlStore, outcome: &mut BuildReport, node: &MySqlEventNode, problem: ProblemKind) {
    let thread = store.threads[store.thread_of(node.event) as usize];
    outcome.note(node.record, problem, || format!("thread {thread}, event {}", node.id));
}

/// Keeps one copy of each event that is in several tables, and passes the other copies to `copy`. Events are sorted by id.
#[inline(never)]
fn drop_copies(store: &MySqlStore, nodes: &mut Vec<MySqlEventNode>, mut copy: impl FnMut(&MySqlEventNode)) {
    let same = |a: &MySqlEventNode, b: &MySqlEventNode| (a.id, a.class) == (b.id, b.class);
    if !nodes.windows(2).any(|two| same(&two[0], &two[1])) {
        return;
    }
    let mut kept: Vec<MySqlEventNode> = Vec::with_capacity(nodes.len());
    for same in nodes.chunk_by(same) {
        // Two events with one id in the same table are different events: MariaDB writes some transactions so.
        let table = most_of(store, same);
        let (stays, goes): (Vec<&MySqlEventNode>, Vec<&MySqlEventNode>) =
            same.iter().partition(|node| store.section(node.event) == table);
        kept.extend(stays);
        goes.into_iter().for_each(&mut copy);
    }
    *nodes = kept;
}

/// A hash of a time, by which waits are sampled.
fn scattered(time: u64) -> u64 {
    time.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
}

/// Appends to `numbers` the numbers of an event that are not in its record. `inner` is the time of the statements
/// inside a statement.
#[inline(never)]
fn own_numbers(
    store: &MySqlStore,
    builder: &TraceBuilder,
    node: &MySqlEventNode,
    details: &DescriptionDetails,
    inner: u64,
    numbers: &mut Vec<Option<i64>>,
) {
    if node.class == MySqlEventClass::Statement {
        let own = node.wait.saturating_sub(inner);
        numbers.push(i64::try_from(own).ok().filter(|_| node.wait != NO_TIME));
    }
    if details.counts_rows {
        numbers.push(store.rows(node.record, builder.reported()));
    }
    numbers.extend(store.numbers(node.event).map(|number| (number != i64::MIN).then_some(number)));
}

/// Total duration of the statements directly inside each statement, in picoseconds, by the index of the outer
/// statement.
#[inline(never)]
fn inner(nodes: &[MySqlEventNode]) -> FxHashMap<u32, u64> {
    let mut inner = FxHashMap::default();
    for node in nodes.iter().filter(|node| node.class == MySqlEventClass::Statement) {
        let above = node.parent().filter(|&at| nodes[at as usize].class == MySqlEventClass::Statement);
        if let Some(above) = above.filter(|_| node.wait != NO_TIME) {
            let sum: &mut u64 = inner.entry(above).or_default();
            *sum = sum.saturating_add(node.wait);
        }
    }
    inner
}

/// Number of the table from which most of these events were read; the first such table in case of a tie.
fn most_of(store: &MySqlStore, same: &[MySqlEventNode]) -> usize {
    let table = |node: &MySqlEventNode| store.section(node.event);
    let [first, rest @ ..] = same else { return 0 };
    if rest.is_empty() {
        return table(first);
    }
    let count = |node: &MySqlEventNode| same.iter().filter(|other| table(other) == table(node)).count();
    let most = same.iter().fold(first, |best, node| if count(node) > count(best) { node } else { best });
    table(most)
}
