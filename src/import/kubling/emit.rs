//! Queries to tracks: the course of every query, written to the builder in the order that it wants.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::lanes::Lanes;
use super::order::{Order, QueryRows};
use super::query::{Interval, Name, Query};
use super::schema::{Num, Text, Type};
use super::store::{Row, Scope, Store};
use crate::import::{Outcome, ProblemKind};
use crate::strings::StrId;
use crate::trace::{
    Event, Flags, Kind, RecordId, ShapeId, Span, SpanId, TraceBuilder, TrackId, TrackKind, key,
};

/// Rows read per row returned from which a source counts as over-fetching, and the rows below which it never does:
/// a filter that is not pushed down is of no interest where it costs nothing.
const OVER_FETCH_RATIO: i64 = 10;
const OVER_FETCH_ROWS: i64 = 100;
/// Nanoseconds by which a reported duration may differ from the two timestamps: they are other readings of the clock.
const CLOCK_READINGS: u64 = 1_000;

const REPEATED: ProblemKind = ProblemKind {
    name: "repeated record",
    meaning: "The same event stands in another file as well; it is shown once.",
    lost: true,
};
const FAR: ProblemKind = ProblemKind {
    name: "timestamp out of range",
    meaning: "The timestamp is further from the rest of the run than 64 bits of nanoseconds reach (292 years).",
    lost: true,
};

const fn without_end(name: &'static str) -> ProblemKind {
    ProblemKind {
        name,
        meaning: "It began and its end is not in the files; drawn to the last event of its query.",
        lost: false,
    }
}

const fn without_start(name: &'static str) -> ProblemKind {
    ProblemKind {
        name,
        meaning: "It ended and its start is not in the files; drawn from the first event of its query.",
        lost: false,
    }
}

const QUERY: Ends = Ends { no_end: without_end("no QUERY_END"), no_start: without_start("no QUERY_START") };
const SOURCE: Ends =
    Ends { no_end: without_end("no SOURCE_END"), no_start: without_start("no SOURCE_START") };
const EXECUTION: Ends = Ends {
    no_end: without_end("no SOURCE_EXECUTION_END"),
    no_start: without_start("no SOURCE_EXECUTION_START"),
};

/// What is reported of an interval that lacks a side.
struct Ends {
    no_end: ProblemKind,
    no_start: ProblemKind,
}

/// Writes everything that `store` holds.
pub fn emit(store: &Store, outcome: &mut Outcome, builder: &mut TraceBuilder) {
    let order = Order::new(store, outcome.records);
    let mut writer = Writer::new(store, outcome, builder);
    for (kind, rows) in [(REPEATED, &order.repeated), (FAR, &order.far)] {
        for &row in rows {
            let row = store.row(row);
            writer.report(&row, kind);
        }
    }
    for run in &order.runs {
        let queries = &order.queries[run.queries.clone()];
        let records: usize = queries.iter().map(|query| query.rows.len()).sum();
        if records > 0 {
            let name = run.name.some().unwrap_or_else(|| writer.builder.strings().intern("(no runId)"));
            let id = writer.builder.run(name, run.origin, run.last - run.origin, records as u64);
            let root = writer.builder.root(id);
            queries.iter().for_each(|query| writer.query(query, &order, run.origin, root));
        }
    }
}

/// What a span or event is made of, by kind.
struct Shapes {
    request: ShapeId,
    query: ShapeId,
    source: ShapeId,
    execution: ShapeId,
    buffer: ShapeId,
    bare: ShapeId,
}

impl Shapes {
    fn new(builder: &mut TraceBuilder) -> Self {
        use key::*;
        Self {
            request: builder.shape(&[], &[QUERY_ID, DATABASE]),
            query: builder.shape(&[], &[SQL, QUERY_ID, DATABASE, ERROR]),
            source: builder.shape(
                &[ROWS_READ, ROWS_RETURNED, REPORTED_DURATION],
                &[CONNECTOR, DATASOURCE, TUPLE_SOURCE],
            ),
            execution: builder.shape(
                &[ROWS_READ, ROWS_RETURNED, READ_TIME],
                &[CONNECTOR, DATASOURCE, COMMAND_TYPE, COMMAND, TUPLE_SOURCE],
            ),
            buffer: builder.shape(&[BYTES, ELEMENTS], &[]),
            bare: builder.shape(&[], &[]),
        }
    }
}

/// Names that are the same in every trace.
struct Words {
    request: StrId,
    round: StrId,
    execution: StrId,
    buffer: StrId,
    source: StrId,
    no_query: StrId,
}

impl Words {
    fn new(builder: &mut TraceBuilder) -> Self {
        let mut word = |text| builder.strings().intern(text);
        Self {
            request: word("request"),
            round: word(Type::RequestStart.name()),
            execution: word("execution"),
            buffer: word("buffer"),
            source: word("source"),
            no_query: word("(no queryId)"),
        }
    }
}

struct Writer<'a, 'b> {
    store: &'a Store,
    outcome: &'a mut Outcome<'b>,
    builder: &'a mut TraceBuilder,
    shapes: Shapes,
    words: Words,
    names: HashMap<(StrId, StrId), StrId, FxBuildHasher>,
    query: Query,
    rows: Vec<Row>,
}

/// The query that is being written.
struct Frame {
    origin: i64,
    first: i64,
    last: i64,
    database: StrId,
    id: StrId,
    track: TrackId,
    /// What everything below belongs to where no query span holds it.
    request: Option<SpanId>,
    /// Start, end and handle of the query spans.
    queries: Vec<(i64, i64, SpanId)>,
}

impl Frame {
    /// The span that holds something at `time`: the query that was going on, else the request.
    fn parent_at(&self, time: i64) -> Option<SpanId> {
        let holds = |&&(start, end, _): &&(i64, i64, SpanId)| start <= time && time <= end;
        let found = self.queries.iter().rev().find(holds).or(self.queries.first());
        found.map(|&(.., id)| id).or(self.request)
    }
}

impl<'a, 'b> Writer<'a, 'b> {
    fn new(store: &'a Store, outcome: &'a mut Outcome<'b>, builder: &'a mut TraceBuilder) -> Self {
        let (shapes, words) = (Shapes::new(builder), Words::new(builder));
        let (names, query, rows) = (HashMap::default(), Query::default(), Vec::new());
        Self { store, outcome, builder, shapes, words, names, query, rows }
    }

    fn query(&mut self, query: &QueryRows, order: &Order, origin: i64, root: TrackId) {
        self.rows.clear();
        self.rows.extend(order.rows[query.rows.clone()].iter().map(|&row| self.store.row(row)));
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else { return };
        let (first, last) = (first.time, last.time);
        let mut course = std::mem::take(&mut self.query);
        course.read(&self.rows, self.store);
        let id = self.store.keys()[query.key as usize].query;
        let track = self.builder.track(root, id.some().unwrap_or(self.words.no_query), TrackKind::Query);
        let database = self.database(self.store.scope(query.key));
        let mut frame =
            Frame { origin, first, last, database, id, track, request: None, queries: Vec::new() };
        self.head(&course, &mut frame);
        self.marks(&course, &frame);
        let executions = self.sources(&course, &frame);
        self.buffers(&course, &frame, &executions);
        self.query = course;
    }

    fn database(&mut self, scope: Scope) -> StrId {
        let (Some(vdb), version) = (scope.vdb.some(), scope.version) else { return StrId::NONE };
        let Some(version) = version.some() else { return vdb };
        self.joined(vdb, version, ".")
    }

    /// `a`, `between`, `b`; remembered, because the same few names come again and again.
    fn joined(&mut self, a: StrId, b: StrId, between: &str) -> StrId {
        let strings = self.builder.strings();
        *self.names.entry((a, b)).or_insert_with(|| {
            let joined = format!("{}{between}{}", strings.get(a), strings.get(b));
            strings.intern(&joined)
        })
    }

    /// The request, the query and the request's rounds, by start; each kind in rows of its own.
    fn head(&mut self, course: &Query, frame: &mut Frame) {
        let mut head: Vec<Part> = Vec::new();
        if let Some(&begin) = course.requests.first() {
            let interval = Interval { begin: Some(begin), end: None, repeated: false };
            head.push(Part { interval, role: Role::Request, depth: 0 });
        }
        let above = head.len() as u16;
        let mut lanes = Lanes::default();
        for &interval in &course.queries {
            let (start, end) = self.bounds(interval, frame);
            head.push(Part { interval, role: Role::Query, depth: above + lanes.place(start, end) });
        }
        if course.queries.is_empty() && frame.id != StrId::NONE {
            let interval = Interval { begin: None, end: None, repeated: false };
            head.push(Part { interval, role: Role::Query, depth: above });
        }
        let below = head.iter().map(|part| part.depth).max().map_or(0, |depth| depth.saturating_add(1));
        if course.requests.len() > 1 {
            for (at, &begin) in course.requests.iter().enumerate() {
                let end = course.requests.get(at + 1).copied();
                let interval = Interval { begin: Some(begin), end, repeated: false };
                head.push(Part { interval, role: Role::Round, depth: below });
            }
        }
        head.sort_by_key(|part| (self.bounds(part.interval, frame).0, part.depth));
        let first = self.builder.next_span().0;
        let request = head.iter().position(|part| part.role == Role::Request);
        frame.request = request.map(|at| SpanId(first + at as u32));
        head.iter().for_each(|part| self.part(part, frame));
    }

    fn part(&mut self, part: &Part, frame: &mut Frame) {
        let (start, end) = self.bounds(part.interval, frame);
        let mut span = self.span(part.interval, frame);
        span.depth = part.depth;
        match part.role {
            Role::Request | Role::Round => {
                let round = part.role == Role::Round;
                span.kind = Kind::Request;
                span.name = self.words.request;
                // Only the event that begins it is in the trace: its end is inferred, not missing.
                span.flags = Flags::INFERRED.with(if round { Flags::SEGMENT } else { Flags::default() });
                span.end = RecordId::NONE;
                span.parent = frame.request.filter(|_| round);
                if !round {
                    self.outcome.used(span.begin);
                }
                self.builder.span(span, self.shapes.request, &[], &[frame.id, frame.database]);
            }
            Role::Query => {
                let id = self.query_span(span, part.interval, frame);
                frame.queries.push((start, end, id));
            }
        }
    }

    fn query_span(&mut self, mut span: Span, interval: Interval, frame: &Frame) -> SpanId {
        self.account(interval, &QUERY);
        let sql = interval.begin.and_then(|at| self.store.text(&self.rows[at], Text::Sql));
        let ended = interval.end.map(|at| self.rows[at]);
        let error = ended.and_then(|row| self.store.text(&row, Text::Error));
        let failed = match ended.and_then(|row| row.success) {
            Some(success) => !success,
            None => error.is_some(),
        };
        if failed {
            span.flags = span.flags.with(Flags::FAILED);
        }
        span.kind = Kind::Query;
        span.name = sql.or(frame.id.some()).unwrap_or(self.words.no_query);
        span.parent = frame.request;
        let texts = [sql.unwrap_or(StrId::NONE), frame.id, frame.database, error.unwrap_or(StrId::NONE)];
        self.builder.span(span, self.shapes.query, &[], &texts)
    }

    /// Later requests and events of unknown types: marks on the query's own track.
    fn marks(&mut self, course: &Query, frame: &Frame) {
        let rounds = course.requests.iter().skip(1);
        let mut marks: Vec<usize> = rounds.chain(&course.others).copied().collect();
        marks.sort_unstable();
        for at in marks {
            let row = self.rows[at];
            let other = row.kind == Type::Other;
            let event = Event {
                time: row.time - frame.origin,
                parent: if other { frame.parent_at(row.time) } else { frame.request },
                name: self.store.text(&row, Text::Type).unwrap_or(self.words.round),
                kind: if other { Kind::Other } else { Kind::Request },
                flags: if other { Flags::UNKNOWN } else { Flags::default() },
                record: row.record,
            };
            self.outcome.used(row.record);
            self.builder.event(event, self.shapes.bare, &[]);
        }
    }

    /// The sources and what was executed in them. Returns the handles of the executions.
    fn sources(&mut self, course: &Query, frame: &Frame) -> Vec<SpanId> {
        let mut executions = vec![SpanId(0); course.executions.len()];
        let groups = Groups::new(course);
        let start = |interval| self.bounds(interval, frame).0;
        let mut tracks: Vec<(i64, Below)> = groups
            .sources
            .iter()
            .enumerate()
            .map(|(at, members)| {
                let first = members.iter().map(|&n| start(course.sources[n as usize].0)).min();
                (first.unwrap_or(frame.first), Below::Sources(at))
            })
            .collect();
        if let Some(first) =
            groups.alone.iter().map(|&n| start(course.executions[n as usize].0.interval)).min()
        {
            tracks.push((first, Below::Executions));
        }
        tracks.sort_by_key(|(start, _)| *start);
        for (_, below) in tracks {
            match below {
                Below::Sources(at) => {
                    self.source(course, frame, &groups.sources[at], &groups.executions[at], &mut executions);
                }
                Below::Executions => {
                    self.executions(course, frame, frame.track, &groups.alone, &[], &mut executions)
                }
            }
        }
        executions
    }

    /// One use of a source: its track, and below it what was executed.
    fn source(
        &mut self,
        course: &Query,
        frame: &Frame,
        members: &[u32],
        inside: &[u32],
        executions: &mut [SpanId],
    ) {
        let name = course.sources[members[0] as usize].1;
        let datasource = self.common_datasource(course, inside);
        let label = match (name.connector.some(), datasource.some()) {
            (Some(connector), Some(datasource)) => self.joined(connector, datasource, " · "),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => self.words.source,
        };
        let track = self.builder.track(frame.track, label, TrackKind::Source);
        let mut spans = vec![(0, SpanId(0)); members.len()];
        for (at, place) in self.by_start(members, frame, |n| course.sources[n as usize].0) {
            let interval = course.sources[members[at] as usize].0;
            self.account(interval, &SOURCE);
            let mut span = self.span(interval, frame);
            (span.depth, span.kind, span.name) = (place, Kind::Source, label);
            span.parent = frame.parent_at(span.start + frame.origin);
            let nums = self.nums(interval, [Num::RowsRead, Num::RowsReturned, Num::Duration]);
            span.flags = span.flags.with(over_fetch(nums)).with(differs(interval, nums[2], span.duration));
            let texts = [name.connector, datasource, name.tuple];
            spans[at] = (members[at], self.builder.span(span, self.shapes.source, &nums, &texts));
        }
        if !inside.is_empty() {
            self.executions(course, frame, track, inside, &spans, executions);
        }
    }

    /// A track of executions below `track`; `parents` are the sources' handles by number, in rising order.
    fn executions(
        &mut self,
        course: &Query,
        frame: &Frame,
        track: TrackId,
        members: &[u32],
        parents: &[(u32, SpanId)],
        handles: &mut [SpanId],
    ) {
        self.builder.track(track, self.words.execution, TrackKind::Execution);
        let interval = |n: u32| course.executions[n as usize].0.interval;
        for (at, place) in self.by_start(members, frame, interval) {
            let (execution, name) = course.executions[members[at] as usize];
            let interval = execution.interval;
            self.account(interval, &EXECUTION);
            let mut span = self.span(interval, frame);
            (span.depth, span.kind) = (place, Kind::Execution);
            let parent = execution.source.and_then(|n| parents.binary_search_by_key(&n, |p| p.0).ok());
            span.parent =
                parent.map(|at| parents[at].1).or_else(|| frame.parent_at(span.start + frame.origin));
            let nums = self.nums(interval, [Num::RowsRead, Num::RowsReturned, Num::ReadTime]);
            span.flags = span.flags.with(over_fetch(nums));
            let datasource = name.datasource.some().or_else(|| self.either(interval, Text::Datasource));
            let connector = name.connector.some().or_else(|| self.either(interval, Text::Connector));
            let command_type = self.either(interval, Text::CommandType);
            let command = self.either(interval, Text::Command);
            span.name = match (datasource, command_type) {
                (Some(datasource), Some(kind)) => self.joined(datasource, kind, " · "),
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => self.words.execution,
            };
            let texts = [connector, datasource, command_type, command, name.tuple.some()];
            let texts = texts.map(|text| text.unwrap_or(StrId::NONE));
            handles[members[at] as usize] = self.builder.span(span, self.shapes.execution, &nums, &texts);
        }
    }

    fn buffers(&mut self, course: &Query, frame: &Frame, executions: &[SpanId]) {
        if course.buffers.is_empty() {
            return;
        }
        self.builder.track(frame.track, self.words.buffer, TrackKind::Buffer);
        for &(at, execution) in &course.buffers {
            let row = self.rows[at];
            let name = self.store.text(&row, Text::BufferType).unwrap_or(self.words.buffer);
            let inside = execution.map(|n| executions[n as usize]);
            let mut flags = if inside.is_some() { Flags::INFERRED } else { Flags::default() };
            if matches!(self.builder.strings().get(name), "SPILL" | "PHYSICAL_WRITE") {
                flags = flags.with(Flags::STORAGE);
            }
            let event = Event {
                time: row.time - frame.origin,
                parent: inside.or_else(|| frame.parent_at(row.time)),
                name,
                kind: Kind::Buffer,
                flags,
                record: row.record,
            };
            let nums = [Num::Bytes, Num::Elements].map(|num| self.store.num(&row, num));
            self.outcome.used(row.record);
            self.builder.event(event, self.shapes.buffer, &nums);
        }
    }

    /// Positions in `members` by start, each with the row that it takes.
    fn by_start(&self, members: &[u32], frame: &Frame, of: impl Fn(u32) -> Interval) -> Vec<(usize, u16)> {
        let bounds = |at: usize| self.bounds(of(members[at]), frame);
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|&at| bounds(at).0);
        let mut lanes = Lanes::default();
        order.into_iter().map(|at| (at, lanes.place(bounds(at).0, bounds(at).1))).collect()
    }

    /// The datasource of the executions inside a source, if it is the same for all.
    fn common_datasource(&self, course: &Query, inside: &[u32]) -> StrId {
        let mut names = inside.iter().filter_map(|&n| {
            let (execution, name) = course.executions[n as usize];
            name.datasource.some().or_else(|| self.either(execution.interval, Text::Datasource))
        });
        let first = names.next().unwrap_or(StrId::NONE);
        if names.all(|name| name == first) { first } else { StrId::NONE }
    }

    /// Start and end on the clock of the run.
    fn bounds(&self, interval: Interval, frame: &Frame) -> (i64, i64) {
        let start = interval.begin.map_or(frame.first, |at| self.rows[at].time);
        (start, interval.end.map_or(frame.last, |at| self.rows[at].time))
    }

    /// A span with what every interval has.
    fn span(&self, interval: Interval, frame: &Frame) -> Span {
        let (start, end) = self.bounds(interval, frame);
        let record = |at: Option<usize>| at.map_or(RecordId::NONE, |at| self.rows[at].record);
        let mut flags = Flags::default();
        for (is, flag) in [
            (interval.begin.is_none(), Flags::OPEN_START),
            (interval.end.is_none(), Flags::OPEN_END),
            (interval.repeated, Flags::REPEATED),
        ] {
            flags = if is { flags.with(flag) } else { flags };
        }
        Span {
            start: start - frame.origin,
            duration: end - start,
            parent: None,
            name: StrId::EMPTY,
            kind: Kind::Other,
            flags,
            depth: 0,
            begin: record(interval.begin),
            end: record(interval.end),
        }
    }

    /// Counts the events of an interval as part of the picture, and reports what it lacks.
    fn account(&mut self, interval: Interval, ends: &Ends) {
        let rows = [interval.begin, interval.end].map(|at| at.map(|at| self.rows[at]));
        rows.iter().flatten().for_each(|row| self.outcome.used(row.record));
        match rows {
            [Some(row), None] => self.report(&row, ends.no_end),
            [None, Some(row)] => self.report(&row, ends.no_start),
            _ => {}
        }
    }

    fn report(&mut self, row: &Row, kind: ProblemKind) {
        let query = self.store.keys()[row.key as usize].query;
        let strings = self.builder.strings();
        self.outcome.note(row.record, kind, || {
            let query = query.some().map_or("", |id| strings.get(id));
            format!("{} of query {query}, timestamp {}", row.kind.name(), row.time)
        });
    }

    /// Numbers of the event that ended an interval.
    fn nums(&self, interval: Interval, nums: [Num; 3]) -> [Option<i64>; 3] {
        let end = interval.end.map(|at| self.rows[at]);
        nums.map(|num| self.store.num(&end?, num))
    }

    /// A text of the event that began an interval, or of the one that ended it.
    fn either(&self, interval: Interval, text: Text) -> Option<StrId> {
        let of = |at: Option<usize>| self.store.text(&self.rows[at?], text);
        of(interval.begin).or_else(|| of(interval.end))
    }
}

/// A span on a query's own track.
struct Part {
    interval: Interval,
    role: Role,
    depth: u16,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Request,
    Query,
    Round,
}

/// A track below a query.
#[derive(Clone, Copy)]
enum Below {
    Sources(usize),
    Executions,
}

/// The sources of a query that share a track (one id, one connector), and the executions inside them.
#[derive(Default)]
struct Groups {
    sources: Vec<Vec<u32>>,
    executions: Vec<Vec<u32>>,
    /// Executions without a source.
    alone: Vec<u32>,
}

impl Groups {
    fn new(course: &Query) -> Self {
        let mut groups = Self::default();
        let mut numbers: HashMap<Name, usize, FxBuildHasher> = HashMap::default();
        let mut group_of = Vec::with_capacity(course.sources.len());
        for (source, (_, name)) in course.sources.iter().enumerate() {
            let group = *numbers.entry(*name).or_insert(groups.sources.len());
            if group == groups.sources.len() {
                groups.sources.push(Vec::new());
                groups.executions.push(Vec::new());
            }
            groups.sources[group].push(source as u32);
            group_of.push(group);
        }
        for (number, (execution, _)) in course.executions.iter().enumerate() {
            match execution.source {
                Some(source) => groups.executions[group_of[source as usize]].push(number as u32),
                None => groups.alone.push(number as u32),
            }
        }
        groups
    }
}

fn over_fetch([read, returned, _]: [Option<i64>; 3]) -> Flags {
    match (read, returned) {
        (Some(read), Some(returned))
            if read >= OVER_FETCH_ROWS && read / OVER_FETCH_RATIO >= returned.max(0) =>
        {
            Flags::OVER_FETCH
        }
        _ => Flags::default(),
    }
}

fn differs(interval: Interval, reported: Option<i64>, measured: i64) -> Flags {
    let whole = interval.begin.is_some() && interval.end.is_some();
    match reported {
        Some(reported) if whole && reported.abs_diff(measured) > CLOCK_READINGS => Flags::DURATION_DIFFERS,
        _ => Flags::default(),
    }
}
