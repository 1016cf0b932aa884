//! Writes queries as tracks, in the order that the builder requires.

mod head;
mod marks;
mod problems;
mod sources;
mod words;

use super::order::{KublingEventOrder, QueryEvents};
use super::query::{KublingInterval, QueryCourse};
use super::schema::{KublingEventType, KublingNumberField, KublingTextField};
use super::store::{KublingRow, KublingStore, RunScope};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::import::contract::{BuildReport, FileId, ProblemKind};
use crate::import::interval_nesting::Placed;
use crate::import::track_writer::TrackWriter;
use crate::trace::{Flags, RecordId, SpanId, TraceBuilder, TrackId, TrackKind};
use problems::{BEGINS_AGAIN, FAR, REPEATED, UnpairedProblems};
use sources::{LaneAssignment, QuerySpanIds, QuerySubtrack, SourceGroups};
use words::{KublingNames, KublingShapes};

/// Writes all events of `store`.
pub fn emit(store: &KublingStore, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
    let order = KublingEventOrder::new(store, builder.reported(), outcome.records);
    let mut writer = KublingWriter::new(store, outcome, builder);
    for (kind, rows) in [(REPEATED, &order.repeated), (FAR, &order.far)] {
        for &row in rows {
            let row = store.row(row, writer.out.builder.reported());
            writer.report(&row, kind);
        }
    }
    for run in &order.runs {
        let queries = &order.queries[run.queries.clone()];
        let records: usize = queries.iter().map(|query| query.rows.len()).sum();
        if records > 0 {
            let name = run.name.some().unwrap_or_else(|| writer.out.intern("(no runId)"));
            let (_, root) = writer.out.run(name, (run.origin, run.last), records as u64);
            writer.begun.clear();
            queries.iter().for_each(|query| writer.query(query, &order, root));
        }
    }
}

struct KublingWriter<'a, 'b> {
    store: &'a KublingStore,
    out: TrackWriter<'a, 'b>,
    shapes: KublingShapes,
    words: KublingNames,
    names: FxHashMap<(StrId, StrId), StrId>,
    /// By query id of the run: the file of its first start; `None` once the id is reported.
    begun: FxHashMap<StrId, Option<FileId>>,
    // The fields below are filled again for each query and only keep their memory.
    query: QueryCourse,
    rows: Vec<KublingRow>,
    tracks: Vec<(i64, QuerySubtrack)>,
    groups: SourceGroups,
    arranged: LaneAssignment,
    handles: QuerySpanIds,
}

/// Context of the query that is being written.
struct KublingQueryContext {
    first: i64,
    last: i64,
    database: StrId,
    id: StrId,
    track: TrackId,
    /// Request span, the parent of everything that is in no query span.
    request: Option<SpanId>,
    /// Start, end and id of each query span; times are in nanoseconds.
    queries: Vec<(i64, i64, SpanId)>,
}

impl KublingQueryContext {
    /// Parent of an item at `time`: the query span around it, else the first query span or the request.
    fn parent_at(&self, time: i64) -> Option<SpanId> {
        let holds = |&&(start, end, _): &&(i64, i64, SpanId)| start <= time && time <= end;
        let found = self.queries.iter().rev().find(holds).or(self.queries.first());
        found.map(|&(.., id)| id).or(self.request)
    }
}

impl<'a, 'b> KublingWriter<'a, 'b> {
    fn new(store: &'a KublingStore, outcome: &'a mut BuildReport<'b>, builder: &'a mut TraceBuilder) -> Self {
        let (shapes, words) = (KublingShapes::new(builder), KublingNames::new(builder));
        Self {
            store,
            out: TrackWriter::new(outcome, builder),
            shapes,
            words,
            names: FxHashMap::default(),
            begun: FxHashMap::default(),
            query: QueryCourse::default(),
            rows: Vec::new(),
            tracks: Vec::new(),
            groups: SourceGroups::default(),
            arranged: LaneAssignment::default(),
            handles: QuerySpanIds::default(),
        }
    }

    /// Reports the query of `rows` if an event of the run with the same id started it in another file, at its first start there.
    fn note_begun_again(&mut self, id: StrId) {
        if !self.out.outcome.records.has_several_files() {
            return;
        }
        for at in 0..self.rows.len() {
            let row = self.rows[at];
            if row.kind != KublingEventType::QueryStart {
                continue;
            }
            let file = self.out.outcome.records.file_of(row.record);
            let first = self.begun.entry(id).or_insert(file);
            if first.is_some() && *first != file {
                *first = None;
                self.report(&row, BEGINS_AGAIN);
            }
        }
    }

    fn query(&mut self, query: &QueryEvents, order: &KublingEventOrder, root: TrackId) {
        self.rows.clear();
        let reported = self.out.builder.reported();
        self.rows.extend(order.rows[query.rows.clone()].iter().map(|&row| self.store.row(row, reported)));
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else { return };
        let (first, last) = (first.time, last.time);
        let mut course = std::mem::take(&mut self.query);
        course.read(&self.rows);
        let id = self.store.keys()[query.key as usize].query;
        if let Some(id) = id.some() {
            self.note_begun_again(id);
        }
        let track = self.out.track(root, id.some().unwrap_or(self.words.no_query), TrackKind::Query);
        let database = self.database(self.store.scope(query.key));
        let (request, queries) = (None, Vec::new());
        let mut frame = KublingQueryContext { first, last, database, id, track, request, queries };
        self.head(&course, &mut frame);
        self.marks(&course, &frame);
        self.sources(&course, &frame);
        self.buffers(&course, &frame);
        self.query = course;
    }

    fn database(&mut self, scope: RunScope) -> StrId {
        let (Some(vdb), version) = (scope.vdb.some(), scope.version) else { return StrId::NONE };
        let Some(version) = version.some() else { return vdb };
        self.joined(vdb, version, ".")
    }

    /// Returns `a`, `between` and `b` as one string; cached, because the same few names repeat.
    #[inline(never)]
    fn joined(&mut self, a: StrId, b: StrId, between: &str) -> StrId {
        let strings = self.out.strings();
        *self.names.entry((a, b)).or_insert_with(|| {
            let joined = format!("{}{between}{}", strings.get(a), strings.get(b));
            strings.intern(&joined)
        })
    }

    /// Start and end of an interval on the run's clock, in nanoseconds.
    fn bounds(&self, interval: KublingInterval, frame: &KublingQueryContext) -> (i64, i64) {
        let start = interval.begin.map_or(frame.first, |at| self.rows[at].time);
        (start, interval.end.map_or(frame.last, |at| self.rows[at].time))
    }

    /// Places an interval in row `depth` of its track; `number` identifies it for the caller.
    #[inline(never)]
    fn placed(
        &self,
        interval: KublingInterval,
        number: u32,
        depth: u16,
        frame: &KublingQueryContext,
    ) -> Placed {
        let (start, end) = self.bounds(interval, frame);
        let mut flags = Flags::default();
        for (is, flag) in [
            (interval.begin.is_none(), Flags::OPEN_START),
            (interval.end.is_none(), Flags::OPEN_END),
            (interval.repeated, Flags::REPEATED),
        ] {
            flags = if is { flags.with(flag) } else { flags };
        }
        Placed { start, end, what: number, flags, parent: None, depth }
    }

    /// Records of the events that begin and end an interval.
    fn records(&self, interval: KublingInterval) -> [RecordId; 2] {
        [interval.begin, interval.end].map(|at| at.map_or(RecordId::NONE, |at| self.rows[at].record))
    }

    /// Counts the events of an interval as used, and reports a missing start or end.
    #[inline(never)]
    fn account(&mut self, interval: KublingInterval, ends: &UnpairedProblems) {
        let rows = [interval.begin, interval.end].map(|at| at.map(|at| self.rows[at]));
        rows.iter().flatten().for_each(|row| self.out.outcome.used(row.record));
        match rows {
            [Some(row), None] => self.report(&row, ends.no_end),
            [None, Some(row)] => self.report(&row, ends.no_start),
            _ => {}
        }
    }

    #[inline(never)]
    fn report(&mut self, row: &KublingRow, kind: ProblemKind) {
        let query = self.store.keys()[row.key as usize].query;
        self.out.note(row.record, kind, |strings| {
            let query = query.some().map_or("", |id| strings.get(id));
            format!("{} of query {query}, timestamp {}", row.kind.name(), row.time)
        });
    }

    /// Number fields of the event that ended an interval.
    fn nums(&self, interval: KublingInterval, nums: [KublingNumberField; 3]) -> [Option<i64>; 3] {
        let end = interval.end.map(|at| self.rows[at]);
        nums.map(|num| end?.num(num))
    }

    /// Text field of the event that began an interval, else of the event that ended it.
    fn either(&self, interval: KublingInterval, text: KublingTextField) -> Option<StrId> {
        let of = |at: Option<usize>| self.rows[at?].text(text);
        of(interval.begin).or_else(|| of(interval.end))
    }
}
