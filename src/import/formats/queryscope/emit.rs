//! Adds the content of a file to the trace, as runs, tracks, spans and events.

use std::ops::Range;

use super::attribute_sets::AttributeSets;
use super::file::TraceFile;
use super::problems::{BAD_REFERENCE, CYCLE, ROWS};
use super::rows::{FlowEnd, NONE, SavedEvent, SavedFlow, SavedLock, SavedParty, SavedSpan};
use crate::base::interner::StrId;
use crate::base::{FxHashMap, FxHashSet};
use crate::import::contract::BuildReport;
use crate::import::interval_nesting::{Interval, OPEN, Placed, WHOLE, nest};
use crate::trace::{
    Event, EventId, Flags, Flow, Item, LockParty, LockWait, RecordId, RunId, ShapeId, Span, SpanId, Table,
    TraceBuilder, TrackId, first_in_cycles,
};

/// Writes a file.
pub fn emit(file: &TraceFile, sets: &AttributeSets, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
    if file.tracks.is_empty() {
        return;
    }
    let layout = Layout::of(file, builder.next_span().0, builder.next_event().0);
    let mut writer = FileWriter { file, layout, outcome, builder, runs: Vec::new() };
    writer.tracks(sets);
    writer.rest();
}

/// Order and ids of the items of a file in the trace.
struct Layout {
    /// Ids of the spans in the trace, by index of the span in the file.
    spans: Vec<u32>,
    events: Vec<u32>,
    /// Tracks whose rows were assigned again, with their spans in order.
    placed: Vec<(usize, Vec<Placed>)>,
    /// Events sorted by time, for tracks whose events are not in this order in the file.
    sorted: Vec<(usize, Vec<u32>)>,
    /// Ids of spans whose parents are ignored, because they are part of a cycle.
    in_cycles: FxHashSet<u32>,
}

/// Indices of the spans, and of the events, of a track.
fn items(file: &TraceFile, track: usize) -> (Range<u32>, Range<u32>) {
    let this = &file.tracks[track];
    let (spans, events) = (file.spans.len() as u32, file.events.len() as u32);
    let (spans, events) =
        file.tracks.get(track + 1).map_or((spans, events), |next| (next.first_span, next.first_event));
    (this.first_span..spans, this.first_event..events)
}

impl Layout {
    fn of(file: &TraceFile, first_span: u32, first_event: u32) -> Self {
        let mut layout = Self {
            spans: (0..file.spans.len() as u32).map(|at| first_span + at).collect(),
            events: (0..file.events.len() as u32).map(|at| first_event + at).collect(),
            placed: Vec::new(),
            sorted: Vec::new(),
            in_cycles: FxHashSet::default(),
        };
        let mut ends = FxHashMap::default();
        for track in 0..file.tracks.len() {
            let (spans, events) = items(file, track);
            if !is_laid_out(file, spans.clone(), &mut ends) {
                let placed = placed(file, spans.clone());
                for (at, place) in (first_span + spans.start..).zip(&placed) {
                    layout.spans[place.what as usize] = at;
                }
                layout.placed.push((track, placed));
            }
            let time = |at: u32| file.events.get(at as usize).time;
            if !events.clone().is_sorted_by_key(time) {
                let mut order: Vec<u32> = events.clone().collect();
                crate::base::sort::by_key(&mut order, |&at| (time(at), 0));
                for (at, &event) in (first_event + events.start..).zip(&order) {
                    layout.events[event as usize] = at;
                }
                layout.sorted.push((track, order));
            }
        }
        layout.in_cycles = cycles(file, &layout.spans, first_span);
        layout
    }
}

/// Ids of the first span of each cycle of parents. `ids` are the ids of all spans, starting at `first`.
fn cycles(file: &TraceFile, ids: &[u32], first: u32) -> FxHashSet<u32> {
    let parent_of = |index: u32| {
        let number = file.spans.get(index as usize).parent;
        let parent = file.span_numbers.index(number).filter(|_| number != NONE)?;
        ids.get(parent as usize).map(|id| id - first)
    };
    let mut parents: Vec<Option<u32>> = vec![None; ids.len()];
    (0..).zip(ids).for_each(|(index, id)| parents[(id - first) as usize] = parent_of(index));
    let ahead = (0..).zip(&parents).filter(|(id, parent)| parent.is_some_and(|parent| parent >= *id));
    let ahead: Vec<u32> = ahead.map(|(id, _)| id).collect();
    let found = first_in_cycles(ids.len() as u32, ahead.into_iter(), |id| parents[id as usize]);
    found.into_iter().map(|id| id + first).collect()
}

/// Number of rows that a track may have in addition to two per span: in a saved part of a trace, rows may be empty.
const SPARE_ROWS: u32 = 64;

/// Whether spans are sorted by start, do not overlap in their rows, and leave few rows empty. `ends` is scratch space.
fn is_laid_out(file: &TraceFile, spans: Range<u32>, ends: &mut FxHashMap<u16, i64>) -> bool {
    ends.clear();
    let most = (spans.len() as u32).saturating_mul(2).saturating_add(SPARE_ROWS);
    let mut last = i64::MIN;
    for at in spans {
        let SavedSpan { start, duration, row, .. } = file.spans.get(at as usize);
        let end = start.saturating_add(duration);
        let before = ends.insert(row, end).unwrap_or(i64::MIN);
        if start < last || start < before || u32::from(row) >= most {
            return false;
        }
        last = start;
    }
    true
}

fn placed(file: &TraceFile, spans: Range<u32>) -> Vec<Placed> {
    let interval = |at: u32| {
        let SavedSpan { start, duration, .. } = file.spans.get(at as usize);
        Interval {
            start: start.min(OPEN - 1),
            end: start.saturating_add(duration).min(OPEN - 1),
            what: at,
            order: (at, WHOLE),
            flags: Flags::default(),
        }
    };
    nest(spans.map(interval).collect(), OPEN - 1, false)
}

struct FileWriter<'a, 'b, 'c> {
    file: &'a TraceFile,
    layout: Layout,
    outcome: &'a mut BuildReport<'c>,
    builder: &'b mut TraceBuilder,
    runs: Vec<RunId>,
}

impl FileWriter<'_, '_, '_> {
    fn tracks(&mut self, sets: &AttributeSets) {
        let file = self.file;
        let mut ids: Vec<TrackId> = Vec::with_capacity(file.tracks.len());
        let mut runs = file.runs.iter().peekable();
        for (at, track) in file.tracks.iter().enumerate() {
            let id = match runs.next_if(|run| run.track as usize == at) {
                Some(run) => {
                    let (duration, records) =
                        (run.duration.unwrap_or(run.end), run.records.unwrap_or(run.items));
                    let id = self.builder.run(track.name, run.origin, duration, records);
                    self.runs.push(id);
                    self.builder.root(id)
                }
                None => {
                    let parent = ids.get(track.parent as usize).copied().unwrap_or(TrackId(NONE));
                    self.builder.track(parent, track.name, track.kind)
                }
            };
            ids.push(id);
            for &(key, text) in &track.texts {
                let key = sets.text_key(self.builder, key);
                self.builder.track_text(key, text);
            }
            self.spans(at);
            self.events(at);
        }
    }

    fn spans(&mut self, track: usize) {
        let found = self.layout.placed.binary_search_by_key(&track, |(track, _)| *track).ok();
        let Some(found) = found else {
            for at in items(self.file, track).0 {
                let row = self.file.spans.get(at as usize);
                self.span(row, None);
            }
            return;
        };
        let placed = std::mem::take(&mut self.layout.placed[found].1);
        if self.file.tracks[track].has_rows
            && let Some(first) = placed.first()
        {
            let record = self.file.spans.get(first.what as usize).record;
            self.outcome.note(record, ROWS, String::new);
        }
        let first = self.builder.next_span().0;
        for place in &placed {
            let row = self.file.spans.get(place.what as usize);
            self.span(row, Some((place, first)));
        }
        self.layout.placed[found].1 = placed;
    }

    fn span(&mut self, row: SavedSpan, placed: Option<(&Placed, u32)>) {
        let SavedSpan { start, duration, parent, name, record, row: depth, flags, kind } = row;
        let given = self.parent(parent, record);
        let mut span =
            Span { start, duration, parent: given, name, kind, flags, depth, begin: record, end: record };
        if let Some((placed, first)) = placed {
            (span.start, span.duration) = (placed.start, placed.end.saturating_sub(placed.start));
            (span.depth, span.flags) = (placed.depth, flags.with(placed.flags));
            if parent == NONE {
                span.parent = placed.parent.map(|parent| SpanId(first + parent));
            }
        }
        if span.parent.is_some() && self.layout.in_cycles.contains(&self.builder.next_span().0) {
            self.outcome.note(record, CYCLE, String::new);
            span.parent = None;
        }
        self.builder.span(span, ShapeId::BARE, &[], &[]);
        self.outcome.used(record);
    }

    /// Id in the trace of the parent with this number; `None` if there is no parent or it is not shown. Reports a
    /// number that no span has.
    fn parent(&mut self, number: u32, record: RecordId) -> Option<SpanId> {
        if number == NONE {
            return None;
        }
        let found = self.span_id(number);
        if found.is_none() && !self.file.span_numbers.is_missing(number) {
            self.outcome.note(record, BAD_REFERENCE, || number.to_string());
        }
        found
    }

    fn span_id(&self, number: u32) -> Option<SpanId> {
        let index = self.file.span_numbers.index(number)?;
        self.layout.spans.get(index as usize).copied().map(SpanId)
    }

    fn event_id(&self, number: u32) -> Option<EventId> {
        let index = self.file.event_numbers.index(number)?;
        self.layout.events.get(index as usize).copied().map(EventId)
    }

    fn events(&mut self, track: usize) {
        let found = self.layout.sorted.binary_search_by_key(&track, |(track, _)| *track).ok();
        let order = found.map(|found| std::mem::take(&mut self.layout.sorted[found].1));
        let range = items(self.file, track).1;
        for at in order.unwrap_or_else(|| range.collect()) {
            let SavedEvent { time, parent, name, record, flags, kind } = self.file.events.get(at as usize);
            let parent = self.parent(parent, record);
            let event = Event { time, parent, name, kind, flags, record };
            self.builder.event(event, ShapeId::BARE, &[]);
            self.outcome.used(record);
        }
    }

    /// Adds arrows, lock waits, tables, notes and groups.
    fn rest(&mut self) {
        let file = self.file;
        for flow in &file.flows {
            let end = |end: FlowEnd| match end {
                FlowEnd::Span(number) => self.span_id(number).map(Item::Span),
                FlowEnd::Event(number) => self.event_id(number).map(Item::Event),
            };
            // An end may be outside the loaded part.
            let (Some(from), Some(to)) = (end(flow.from), end(flow.to)) else { continue };
            let records = (RecordId::NONE, RecordId::NONE);
            let SavedFlow { name, leaves, arrives, .. } = *flow;
            self.builder.item_flow(Flow { name, from, to, leaves, arrives, records });
        }
        file.locks.iter().for_each(|lock| self.lock(lock));
        let mut tables: Vec<usize> = (0..file.tables.len()).collect();
        crate::base::sort::by_key(&mut tables, |&at| (i64::from(file.tables[at].run), 0));
        for table in tables.into_iter().map(|at| &file.tables[at]) {
            let Some(&run) = self.runs.get(table.run as usize) else { continue };
            let mut written = Table::new(run, table.name, table.columns.clone());
            for (record, cells) in &table.rows {
                written.push(*record, cells.iter().copied());
                self.outcome.used(*record);
            }
            self.builder.table(written);
        }
        for (run, name, text) in &file.notes {
            if let Some(&run) = self.runs.get(*run as usize) {
                self.builder.note(run, name.clone(), text.clone());
            }
        }
        file.groups.iter().for_each(|&(name, group)| self.builder.group_name(name, group));
    }

    fn lock(&mut self, lock: &SavedLock) {
        let Some(&run) = self.runs.get(lock.run as usize) else { return };
        let party = |party: &SavedParty| LockParty {
            thread: party.thread.unwrap_or(StrId::EMPTY),
            span: party.span.and_then(|number| self.span_id(number)),
            statement: party.statement.and_then(|number| self.span_id(number)),
            running: party.running.unwrap_or(StrId::NONE),
        };
        let (waiter, holder) = (party(&lock.waiter), party(&lock.holder));
        let [wanted, held, since] = lock.words.map(|word| word.unwrap_or(StrId::NONE));
        let SavedLock { object, more, record, .. } = *lock;
        self.builder.lock_wait(LockWait { run, object, wanted, held, since, waiter, holder, more, record });
        self.outcome.used(record);
    }
}
