//! [`TraceBuilder`]: the only way to create a [`Trace`].
//!
//! Rows must be added in their final order: a track, its spans by start, its events by time, then the
//! tracks below it. A format whose records come in another order sorts its own handles first, which is cheaper
//! than sorting finished rows here.

mod cut;

pub use cut::RangeCut;

use std::borrow::Cow;

use super::columns::Columns;
use super::flow::{Flow, Flows};
use super::keys::{Keys, Shape, ShapeId};
use super::span::{Event, EventId, Item, RecordId, Span, SpanId};
use super::track::{Run, RunId, Track, TrackId, TrackKind};
use super::{Key, LockWait, NOT_REPORTED, NumKey, RecordTable, RecordTypeId, RunNote, Table, Trace, Unit};
use crate::base::FxHashSet;
use crate::base::interner::{Interner, StrId};

/// Attributes that several spans share.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    shape: ShapeId,
    row: u32,
}

/// Builder of a trace.
pub struct TraceBuilder {
    trace: Trace,
    /// Path of tracks from the root to the current track. Only these can be parents of a new track.
    open: Vec<TrackId>,
    flows: Vec<Flow>,
    flows_of_instants: Vec<Flow<Item>>,
    /// The current track, and the ids of its first span and first event.
    last: Option<(Track, u32, u32)>,
    /// Spans whose parent has an id not less than their own.
    ahead: Vec<SpanId>,
    /// Names of the runs, in lower case.
    run_names: FxHashSet<String>,
}

impl TraceBuilder {
    /// Creates an empty trace that uses and extends `strings`, without records.
    pub fn new(mut strings: Interner) -> Self {
        let trace = Trace { keys: Keys::new(&mut strings), strings, ..Trace::default() };
        let open = Vec::new();
        let ahead = Vec::new();
        let flows = Vec::new();
        let flows_of_instants = Vec::new();
        let run_names = FxHashSet::default();
        let mut builder = Self { trace, open, flows, flows_of_instants, last: None, ahead, run_names };
        builder.shape(&[], &[]);
        builder
    }

    /// Creates an empty trace that takes over the strings and the record table of `trace`.
    pub fn after(trace: Trace) -> Self {
        // Drops the old rows first: there may not be enough memory for two traces.
        let Trace { strings, reported, .. } = trace;
        let mut builder = Self::new(strings);
        builder.trace.reported = reported;
        builder
    }

    /// The table of interned strings of the trace.
    pub fn strings(&mut self) -> &mut Interner {
        &mut self.trace.strings
    }

    /// Returns the key with this name, added if new.
    pub fn key(&mut self, name: &str, unit: Unit) -> Key {
        let name = self.trace.strings.intern(name);
        self.trace.keys.add(name, unit)
    }

    /// Returns the id of a shape, added if new; [`ShapeId::BARE`] if there are too many shapes, in which case items lose the
    /// attributes.
    pub fn shape(&mut self, nums: &[Key], texts: &[Key]) -> ShapeId {
        let shape = Shape { nums: nums.to_vec(), texts: texts.to_vec() };
        let id = self.trace.shapes.add(shape).unwrap_or(ShapeId::BARE);
        if usize::from(id.0) == self.trace.args.len() {
            self.trace.args.push(Columns::new(nums.len(), texts.len()));
        }
        id
    }

    /// Begins a run and its root track. `origin` is the clock reading that becomes time 0. If an earlier run has the same name,
    /// this one also gets its number, such as `name (run 2)`.
    pub fn run(&mut self, name: StrId, origin: i64, duration: i64, records: u64) -> RunId {
        let name = self.unique_run_name(name);
        self.open.clear();
        let track = self.push_track(name, TrackKind::Run);
        self.trace.runs.push(Run { name, track, origin, duration, records });
        RunId(self.trace.runs.len() as u32 - 1)
    }

    /// The name, with the number of the next run until no earlier run has it. Filters compare names regardless of case.
    fn unique_run_name(&mut self, name: StrId) -> StrId {
        let mut unique = self.trace.strings.get(name).to_owned();
        if self.run_names.insert(unique.to_lowercase()) {
            return name;
        }
        while !self.run_names.insert(unique.to_lowercase()) {
            unique += &format!(" (run {})", self.trace.runs.len() + 1);
        }
        self.trace.strings.intern(unique.trim_start())
    }

    /// Sets the number of records of a run, if it is known only after the run was written.
    pub fn set_records(&mut self, run: RunId, records: u64) {
        self.trace.runs[run.0 as usize].records = records;
    }

    /// Begins a track below `parent`, which must be the current track or one of its ancestors;
    /// for any other `parent`, the track is added below the current run's root.
    pub fn track(&mut self, parent: TrackId, name: StrId, kind: TrackKind) -> TrackId {
        let keep = self.open.iter().rposition(|&t| t == parent).map_or(1, |at| at + 1);
        self.open.truncate(keep);
        self.push_track(name, kind)
    }

    /// The root track of a run.
    pub fn root(&self, run: RunId) -> TrackId {
        self.trace.runs[run.0 as usize].track
    }

    /// Stores attributes that several spans share, in the order of `shape`.
    pub fn shared(&mut self, shape: ShapeId, nums: &[Option<i64>], texts: &[StrId]) -> Shared {
        Shared { shape, row: self.args(shape, nums, texts) }
    }

    /// Appends a span to the current track. The span has the shared attributes and those that its records
    /// [report](Trace::reported).
    pub fn span_with(&mut self, span: Span, shared: Shared) -> SpanId {
        if span.parent.is_some_and(|parent| parent >= self.next_span()) {
            self.ahead.push(self.next_span());
        }
        self.widen_track(span.depth);
        self.trace.spans.push(span, shared.shape, shared.row)
    }

    /// Appends a span to the current track. The span has the attributes `nums` and `texts`, in the order of `shape`, and
    /// those that its records [report](Trace::reported).
    pub fn span(&mut self, span: Span, shape: ShapeId, nums: &[Option<i64>], texts: &[StrId]) -> SpanId {
        let own = self.shared(shape, nums, texts);
        self.span_with(span, own)
    }

    /// Appends an event with numeric attributes to the current track. `nums` is in the order of `shape`.
    pub fn event(&mut self, event: Event, shape: ShapeId, nums: &[Option<i64>]) -> EventId {
        self.event_with(event, shape, nums, &[])
    }

    /// Appends an event with numeric and text attributes to the current track, both in the order of `shape`.
    pub fn event_with(
        &mut self,
        event: Event,
        shape: ShapeId,
        nums: &[Option<i64>],
        texts: &[StrId],
    ) -> EventId {
        let row = self.args(shape, nums, texts);
        self.trace.events.push(event, shape, row)
    }

    #[inline]
    fn args(&mut self, shape: ShapeId, nums: &[Option<i64>], texts: &[StrId]) -> u32 {
        let nums = nums.iter().map(|num| num.unwrap_or(NOT_REPORTED));
        self.trace.args[usize::from(shape.0)].push(nums, texts.iter().copied())
    }

    /// The table of the values that records report.
    pub fn reported(&self) -> &RecordTable {
        &self.trace.reported
    }

    /// Sets the keys of the columns of a record type, if they are known only after all records were read.
    pub fn name_reported(&mut self, sort: RecordTypeId, nums: Vec<Option<NumKey>>, texts: Vec<Option<Key>>) {
        self.trace.reported.name(sort, nums, texts);
    }

    /// Adds an arrow between two spans.
    pub fn flow(&mut self, flow: Flow) {
        self.flows.push(flow);
    }

    /// Adds an arrow whose ends may be instants.
    pub fn item_flow(&mut self, flow: Flow<Item>) {
        match flow.of_spans() {
            Some(flow) => self.flows.push(flow),
            None => self.flows_of_instants.push(flow),
        }
    }

    /// Adds a text to the current track.
    pub fn track_text(&mut self, key: Key, text: StrId) {
        if self.last.is_some() {
            self.trace.track_texts.push(TrackId(self.trace.tracks.len() as u32), key, text);
        }
    }

    /// Sets the records that hold the written attributes of an item, if they are not the records that began and ended it.
    pub fn written_in(&mut self, item: Item, records: [Option<RecordId>; 2]) {
        if self.trace.reported.written().is_some() {
            let records = records.map(|record| record.unwrap_or(RecordId::NONE));
            self.trace.written_in.insert(item, records);
        }
    }

    /// Adds a side table. Tables must be added in the order of runs.
    pub fn table(&mut self, table: Table) {
        self.trace.tables.list.push(table);
    }

    /// Assigns spans of this name to a group of names, which determines their colour and is listed in the legend.
    pub fn group_name(&mut self, name: StrId, group: StrId) {
        self.trace.name_groups.insert(name, group);
    }

    /// Adds a note about a whole run.
    pub fn note(&mut self, run: RunId, name: impl Into<Cow<'static, str>>, text: String) {
        self.trace.notes.push(RunNote { run, name: name.into(), text });
    }

    /// Adds a lock wait.
    pub fn lock_wait(&mut self, wait: LockWait) {
        self.trace.lock_waits.push(wait);
    }

    /// Id of the next span, for events that must refer to their parent before it is added.
    pub fn next_span(&self) -> SpanId {
        SpanId(self.trace.spans.len() as u32)
    }

    /// Id of the next event.
    pub fn next_event(&self) -> EventId {
        EventId(self.trace.events.len() as u32)
    }

    /// Returns the finished trace.
    #[inline(never)]
    pub fn finish(mut self) -> Trace {
        self.close_track();
        let Self { mut trace, flows, flows_of_instants, ahead, .. } = self;
        // Breaks cycles, so that following parents always ends. Every cycle has a parent in a later row than its child.
        let n_spans = trace.spans.len() as u32;
        let ahead = ahead.into_iter().map(|id| id.0);
        for id in first_in_cycles(n_spans, ahead, |id| trace.spans.parent(SpanId(id)).map(|parent| parent.0))
        {
            trace.spans.orphan(SpanId(id));
        }
        trace.flows = Flows::new(flows, flows_of_instants);
        trace.tracks.finish(trace.spans.len() as u32, trace.events.len() as u32);
        trace
    }

    fn push_track(&mut self, name: StrId, kind: TrackKind) -> TrackId {
        self.close_track();
        let id = TrackId(self.trace.tracks.len() as u32);
        let depth = self.open.len().min(255) as u8;
        let track = Track { parent: self.open.last().copied(), name, kind, depth, lanes: 1 };
        self.last = Some((track, self.trace.spans.len() as u32, self.trace.events.len() as u32));
        self.open.push(id);
        id
    }

    /// Adds the current track to the table, once all of its spans, and therefore its height, are known.
    #[inline(never)]
    fn close_track(&mut self) {
        if let Some((track, first_span, first_event)) = self.last.take() {
            self.trace.tracks.push(track, first_span, first_event);
        }
    }

    fn widen_track(&mut self, depth: u16) {
        if let Some((track, ..)) = &mut self.last {
            track.lanes = track.lanes.max(depth.saturating_add(1));
        }
    }
}

/// The first row of every cycle of parents, found in one pass. `ahead` are the rows whose parent is in the same or a later row: every
/// cycle has one. Parents from `n` on do not exist.
pub fn first_in_cycles(
    n: u32,
    ahead: impl ExactSizeIterator<Item = u32>,
    parent: impl Fn(u32) -> Option<u32>,
) -> Vec<u32> {
    let mut first = Vec::new();
    if ahead.len() == 0 {
        return first;
    }
    // The number of the walk that came by, from 1.
    let mut walks = vec![0_u32; n as usize];
    for (walk, start) in (1..).zip(ahead) {
        let mut at = Some(start).filter(|&at| at < n);
        while let Some(row) = at {
            if walks[row as usize] == walk {
                let cycle = std::iter::successors(parent(row), |&next| parent(next).filter(|_| next != row));
                first.extend(cycle.min());
            }
            if walks[row as usize] != 0 {
                break;
            }
            walks[row as usize] = walk;
            at = parent(row).filter(|&parent| parent < n);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Flags, Kind, RecordId};

    /// Builds spans with these parents, and checks the number of ancestors of each span.
    fn check(parents: &[Option<u32>], steps: &[usize]) {
        let mut builder = TraceBuilder::new(Interner::default());
        let shape = builder.shape(&[], &[]);
        builder.run(StrId::EMPTY, 0, 1, 0);
        for parent in parents {
            let span = Span {
                start: 0,
                duration: 1,
                parent: parent.map(SpanId),
                name: StrId::EMPTY,
                kind: Kind::Slice,
                flags: Flags::default(),
                depth: 0,
                begin: RecordId::NONE,
                end: RecordId::NONE,
            };
            builder.span(span, shape, &[], &[]);
        }
        let trace = builder.finish();
        let above = |id: &SpanId| trace.spans.parent(*id);
        let found: Vec<usize> = (0..parents.len() as u32)
            .map(|id| std::iter::successors(Some(SpanId(id)), above).take(99).count() - 1)
            .collect();
        assert_eq!(found, steps, "{parents:?}");
    }

    #[test]
    fn no_two_runs_have_the_same_name() {
        let mut builder = TraceBuilder::new(Interner::default());
        for name in ["a", "b", "A", "a", "b (run 6)", "b", ""] {
            let name = builder.strings().intern(name);
            builder.run(name, 0, 1, 0);
        }
        let trace = builder.finish();
        let names = ["a", "b", "A (run 3)", "a (run 4)", "b (run 6)", "b (run 6) (run 6)", ""];
        let found: Vec<&str> = trace.runs.iter().map(|run| trace.str(run.name)).collect();
        assert_eq!(found, names);
        let tracks = trace.runs.iter().map(|run| trace.str(trace.tracks.get(run.track).name));
        assert_eq!(tracks.collect::<Vec<_>>(), names);
    }

    #[test]
    fn whoever_follows_parents_comes_to_an_end() {
        check(&[None, Some(0), Some(1)], &[0, 1, 2]);
        check(&[Some(1), None, Some(0)], &[1, 0, 2]);
        check(&[Some(0)], &[0]);
        check(&[Some(1), Some(0)], &[0, 1]);
        check(&[Some(2), Some(0), Some(1)], &[0, 1, 2]);
        check(&[Some(1), Some(2), Some(1)], &[1, 0, 1]);
        check(&[Some(3), Some(2), Some(1), Some(2)], &[3, 0, 1, 2]);
    }
}
