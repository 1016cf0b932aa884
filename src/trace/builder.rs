//! [`TraceBuilder`]: the only way to make a [`Trace`].
//!
//! Rows are given in the order in which they are kept: a track, its spans by start, its events by time, then the
//! tracks below it. A format whose records come in another order sorts its own handles first, which is cheaper
//! than sorting finished rows here.

mod cut;

use super::columns::Columns;
use super::flow::{Flow, Flows};
use super::keys::{Keys, Shape, ShapeId};
use super::span::{Event, EventId, Item, RecordId, Span, SpanId};
use super::track::{Run, RunId, Track, TrackId, TrackKind};
use super::{Key, LockWait, NOT_REPORTED, NumKey, RecordTable, RecordTypeId, RunNote, Table, Trace, Unit};
use crate::base::interner::{Interner, StrId};

/// Numbers and texts that spans carry.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    shape: ShapeId,
    row: u32,
}

/// A trace that is being made.
pub struct TraceBuilder {
    trace: Trace,
    /// The tracks that are still open: a new track is put below the deepest that is its parent.
    open: Vec<TrackId>,
    flows: Vec<Flow>,
    flows_of_instants: Vec<Flow<Item>>,
    /// The track that was begun last, and where its spans and events begin.
    last: Option<(Track, u32, u32)>,
    /// Spans whose parent comes after them.
    ahead: Vec<SpanId>,
}

impl TraceBuilder {
    /// An empty trace that uses (and extends) `strings`; its records report nothing.
    pub fn new(mut strings: Interner) -> Self {
        let trace = Trace { keys: Keys::new(&mut strings), strings, ..Trace::default() };
        let open = Vec::new();
        let ahead = Vec::new();
        let flows = Vec::new();
        let flows_of_instants = Vec::new();
        let mut builder = Self { trace, open, flows, flows_of_instants, last: None, ahead };
        builder.shape(&[], &[]);
        builder
    }

    /// An empty trace that goes on with what outlives `trace`: its text, and what its records report.
    pub fn after(trace: Trace) -> Self {
        // The old rows go first: there is never room for two traces.
        let Trace { strings, reported, .. } = trace;
        let mut builder = Self::new(strings);
        builder.trace.reported = reported;
        builder
    }

    /// The interned text.
    pub fn strings(&mut self) -> &mut Interner {
        &mut self.trace.strings
    }

    /// The key called `name`, added if it is new.
    pub fn key(&mut self, name: &str, unit: Unit) -> Key {
        let name = self.trace.strings.intern(name);
        self.trace.keys.add(name, unit)
    }

    /// The handle of a shape, added if it is new; [`ShapeId::BARE`] where there are too many, so that what has it carries
    /// nothing.
    pub fn shape(&mut self, nums: &[Key], texts: &[Key]) -> ShapeId {
        let shape = Shape { nums: nums.to_vec(), texts: texts.to_vec() };
        let id = self.trace.shapes.add(shape).unwrap_or(ShapeId::BARE);
        if usize::from(id.0) == self.trace.args.len() {
            self.trace.args.push(Columns::new(nums.len(), texts.len()));
        }
        id
    }

    /// Begins a run and its root track. `origin` is the clock's reading that becomes time 0.
    pub fn run(&mut self, name: StrId, origin: i64, duration: i64, records: u64) -> RunId {
        self.open.clear();
        let track = self.push_track(name, TrackKind::Run);
        self.trace.runs.push(Run { name, track, origin, duration, records });
        RunId(self.trace.runs.len() as u32 - 1)
    }

    /// Says how many records of the file are part of a run, where that is known only when it was written.
    pub fn set_records(&mut self, run: RunId, records: u64) {
        self.trace.runs[run.0 as usize].records = records;
    }

    /// Begins a track below `parent`, which must be the last track that was begun or one above it;
    /// any other parent is taken to be the current run's root.
    pub fn track(&mut self, parent: TrackId, name: StrId, kind: TrackKind) -> TrackId {
        let keep = self.open.iter().rposition(|&t| t == parent).map_or(1, |at| at + 1);
        self.open.truncate(keep);
        self.push_track(name, kind)
    }

    /// The root track of a run.
    pub fn root(&self, run: RunId) -> TrackId {
        self.trace.runs[run.0 as usize].track
    }

    /// Keeps numbers and texts that several spans carry, in the order of `shape`, once.
    pub fn shared(&mut self, shape: ShapeId, nums: &[Option<i64>], texts: &[StrId]) -> Shared {
        Shared { shape, row: self.args(shape, nums, texts) }
    }

    /// Appends a span to the track that was begun last. The span has shared attributes, and those that its records
    /// [report](Trace::reported).
    pub fn span_with(&mut self, span: Span, shared: Shared) -> SpanId {
        if span.parent.is_some_and(|parent| parent >= self.next_span()) {
            self.ahead.push(self.next_span());
        }
        self.widen_track(span.depth);
        self.trace.spans.push(span, shared.shape, shared.row)
    }

    /// Appends a span to the track that was begun last. The span has `nums` and `texts`, in the order of `shape`, and
    /// what its records [report](Trace::reported).
    pub fn span(&mut self, span: Span, shape: ShapeId, nums: &[Option<i64>], texts: &[StrId]) -> SpanId {
        let own = self.shared(shape, nums, texts);
        self.span_with(span, own)
    }

    /// Appends an event with its numbers to the track that was begun last. `nums` are in the order of `shape`.
    pub fn event(&mut self, event: Event, shape: ShapeId, nums: &[Option<i64>]) -> EventId {
        self.event_with(event, shape, nums, &[])
    }

    /// Adds an event that carries numbers and texts.
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

    /// What the records of the files report.
    pub fn reported(&self) -> &RecordTable {
        &self.trace.reported
    }

    /// Says what the columns of a sort of records are called, where that is known only when all is read.
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

    /// Adds a text to the track that was begun last.
    pub fn track_text(&mut self, key: Key, text: StrId) {
        if self.last.is_some() {
            self.trace.track_texts.push(TrackId(self.trace.tracks.len() as u32), key, text);
        }
    }

    /// Sets the records that hold the arguments of an item, if they are not the records that begin and end it.
    pub fn written_in(&mut self, item: Item, records: [Option<RecordId>; 2]) {
        if self.trace.reported.written().is_some() {
            let records = records.map(|record| record.unwrap_or(RecordId::NONE));
            self.trace.written_in.insert(item, records);
        }
    }

    /// Adds a side table. Tables come in the order of runs.
    pub fn table(&mut self, table: Table) {
        self.trace.tables.list.push(table);
    }

    /// Spans of this name have the colour of a group of names, and the legend shows the group.
    pub fn group_name(&mut self, name: StrId, group: StrId) {
        self.trace.name_groups.insert(name, group);
    }

    /// Says something about a whole run.
    pub fn note(&mut self, run: RunId, name: &'static str, text: String) {
        self.trace.notes.push(RunNote { run, name, text });
    }

    /// Adds a wait for a lock.
    pub fn lock_wait(&mut self, wait: LockWait) {
        self.trace.lock_waits.push(wait);
    }

    /// The next span's handle: for events that must name their parent before it is written.
    pub fn next_span(&self) -> SpanId {
        SpanId(self.trace.spans.len() as u32)
    }

    /// The finished trace.
    #[inline(never)]
    pub fn finish(mut self) -> Trace {
        self.close_track();
        let Self { mut trace, flows, flows_of_instants, ahead, .. } = self;
        // Whoever follows parents comes to an end: a circle has at least one parent that stands after its child.
        for id in ahead {
            if trace.spans.has_parent_cycle(id) {
                trace.spans.orphan(id);
            }
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

    /// The last track gets no further spans: how high it is, is known.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Flags, Kind, RecordId};

    /// Builds spans with these parents, and checks how many ancestors each span has.
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
