//! Traces for tests: a small one with fixed, known contents, and generated ones with unusual structure.

use proptest::prelude::*;

use crate::base::interner::{Interner, StrId};
use crate::trace::{
    Event, Flags, Item, Key, Kind, RecordId, ShapeId, Span, SpanId, Trace, TraceBuilder, TrackId, TrackKind,
    key,
};

const MS: i64 = 1_000_000;

/// ```text
/// ms        0    2         10 12        20 21   25
/// q0        [req [src [exe]]  ]                       10 ms, 1,000 rows read, 20 returned, READ × 2 below it
/// q1                          [src [exe]] ✕           8 ms, failed, 10 rows returned, rows read not reported
/// q2                                       [exe …     4 ms, no end, SPILL
/// ```
pub(crate) fn trace() -> Trace {
    let mut s = Sample::new();
    let first = s.query(0, "q0", "SELECT a FROM t WHERE x = 1", (0, 10), Flags::default());
    let execution = s.source(first, (2, 7), ["js-conn", "OrdersAPI"], [Some(1_000), Some(20)]);
    s.buffers(execution, &[("READ", 3, 1_000, 1), ("READ", 4, 500, 2)]);
    let second = s.query(1, "q1", "SELECT a FROM t WHERE x = 'two'", (12, 8), Flags::FAILED);
    s.source(second, (13, 5), ["js-conn", "OrdersAPI"], [None, Some(10)]);
    let third = s.query(2, "q2", "DELETE FROM u", (21, 4), Flags::OPEN_END);
    s.open_execution(third, (22, 3));
    s.buffers(third, &[("SPILL", 23, 4_000, 4)]);
    s.builder.finish()
}

/// Trace of `levels` slices, each nested in the previous slice.
pub(crate) fn nested(levels: u16) -> Trace {
    let mut s = Sample::new();
    s.track = s.track(s.track, "thread", TrackKind::Thread);
    let mut parent = None;
    for depth in 0..levels {
        let slice = s.span(parent, Kind::Slice, &format!("level {depth}"), (0, 20));
        parent = Some(s.builder.span(Span { depth, ..slice }, ShapeId(0), &[], &[]));
    }
    s.builder.finish()
}

struct Sample {
    builder: TraceBuilder,
    track: TrackId,
}

impl Sample {
    fn new() -> Self {
        let mut builder = TraceBuilder::new(Interner::default());
        let name = builder.strings().intern("run");
        let run = builder.run(name, -5, 25 * MS, 17);
        let track = builder.root(run);
        Self { builder, track }
    }

    fn track(&mut self, parent: TrackId, name: &str, kind: TrackKind) -> TrackId {
        let name = self.builder.strings().intern(name);
        self.builder.track(parent, name, kind)
    }

    fn span(&mut self, parent: Option<SpanId>, kind: Kind, name: &str, (start, ms): (i64, i64)) -> Span {
        let name = self.builder.strings().intern(name);
        let (begin, end) = (RecordId(0), RecordId(1));
        let (start, duration) = (start * MS, ms * MS);
        Span { start, duration, parent, name, kind, flags: Flags::default(), depth: 0, begin, end }
    }

    fn query(&mut self, at: u32, id: &str, sql: &str, when: (i64, i64), flags: Flags) -> SpanId {
        let root = self.builder.root(crate::trace::RunId(0));
        self.track = self.track(root, id, TrackKind::Query);
        let request = self.span(None, Kind::Request, "request", (when.0, when.1 + 1));
        let request = self.builder.span(request, ShapeId(0), &[], &[]);
        let query = Span { flags, depth: 1, ..self.span(Some(request), Kind::Query, sql, when) };
        let shape = self.builder.shape(&[], &[key::SQL, key::QUERY_ID, key::ERROR]);
        let strings = self.builder.strings();
        let error = if at == 1 { strings.intern("timeout") } else { StrId::NONE };
        let texts = [strings.intern(sql), strings.intern(id), error];
        self.builder.span(query, shape, &[], &texts)
    }

    fn source(
        &mut self,
        query: SpanId,
        when: (i64, i64),
        [connector, datasource]: [&str; 2],
        rows: [Option<i64>; 2],
    ) -> SpanId {
        let source_track = self.track(self.track, connector, TrackKind::Source);
        let source = self.span(Some(query), Kind::Source, connector, when);
        let connector = self.builder.strings().intern(connector);
        let shape = self.builder.shape(&[], &[key::CONNECTOR]);
        let source = self.builder.span(source, shape, &[], &[connector]);
        self.track(source_track, "execution", TrackKind::Execution);
        let execution = self.span(Some(source), Kind::Execution, datasource, (when.0, when.1 - 1));
        let over_fetch = rows[0].zip(rows[1]).is_some_and(|(read, returned)| read >= 10 * returned);
        let flags = if over_fetch { Flags::OVER_FETCH } else { Flags::default() };
        let execution = Span { flags, ..execution };
        let texts = [datasource, "QUERY", "SELECT * FROM t"].map(|t| self.builder.strings().intern(t));
        let shape = self.builder.shape(
            &[key::ROWS_READ, key::ROWS_RETURNED, key::READ_TIME],
            &[key::DATASOURCE, key::COMMAND_TYPE, key::COMMAND],
        );
        self.builder.span(execution, shape, &[rows[0], rows[1], Some(4 * MS)], &texts)
    }

    fn open_execution(&mut self, query: SpanId, when: (i64, i64)) {
        self.track(self.track, "execution", TrackKind::Execution);
        let span = self.span(Some(query), Kind::Execution, "Users", when);
        let (flags, end) = (Flags::OPEN_END, RecordId::NONE);
        self.builder.span(Span { flags, end, ..span }, ShapeId(0), &[], &[]);
    }

    fn buffers(&mut self, parent: SpanId, events: &[(&str, i64, i64, i64)]) {
        self.track(self.track, "buffer", TrackKind::Buffer);
        let shape = self.builder.shape(&[key::BYTES, key::ELEMENTS], &[]);
        for &(name, time, bytes, elements) in events {
            let name = self.builder.strings().intern(name);
            let flags = Flags::default();
            let (time, record) = (time * MS, RecordId(2));
            let event = Event { time, parent: Some(parent), name, kind: Kind::Buffer, flags, record };
            self.builder.event(event, shape, &[Some(bytes), Some(elements)]);
        }
    }
}

/// Sum of a number of spans and events, counted at one level, by its definition: at source executions and not at sources; else at the
/// inner spans, unless the outer one reports more than these together. `None` if none of them reports it.
pub(crate) fn counted_once(trace: &Trace, items: &[Item], key: Key) -> Option<i128> {
    let mut reporting: Vec<Item> =
        items.iter().copied().filter(|item| trace.num(*item, key).is_some()).collect();
    let is = |item: Item, kind: Kind| matches!(item, Item::Span(id) if trace.spans.kind(id) == kind);
    if reporting.iter().any(|item| is(*item, Kind::Execution)) {
        reporting.retain(|item| !is(*item, Kind::Source));
    }
    let up = |item: Item| std::iter::successors(trace.parent(item), |id| trace.parent(Item::Span(*id)));
    let around = |item: Item| up(item).map(Item::Span).find(|above| reporting.contains(above));
    let inside = |outer: Option<Item>| reporting.iter().copied().filter(move |item| around(*item) == outer);
    /// The number of `item`, or the sum of those inside it.
    fn amount(item: Item, own: &dyn Fn(Item) -> i128, inside: &dyn Fn(Item) -> Vec<Item>) -> i128 {
        let inner = inside(item);
        let sum: i128 = inner.iter().map(|of| amount(*of, own, inside)).sum();
        if inner.is_empty() { own(item) } else { own(item).max(sum) }
    }
    let own = |item: Item| trace.num(item, key).map_or(0, i128::from);
    let inside_of = |item: Item| inside(Some(item)).collect::<Vec<_>>();
    let outermost: Vec<Item> = inside(None).collect();
    (!reporting.is_empty()).then(|| outermost.into_iter().map(|item| amount(item, &own, &inside_of)).sum())
}

/// Seed of a span or event of an odd trace: its properties are derived from these numbers.
pub(crate) type Odd = (u8, i64, i64, u16, u8);

/// Generates the input of [`odd_trace`].
pub(crate) fn odd_items() -> impl Strategy<Value = Vec<Odd>> {
    let number = prop_oneof![-20_i64..20, Just(i64::MAX), Just(i64::MIN), any::<i64>()];
    let duration = prop_oneof![0_i64..30, Just(i64::MAX)];
    proptest::collection::vec((any::<u8>(), number, duration, any::<u16>(), any::<u8>()), 0..40)
}

/// Creates a trace that no tracer writes: any kind in any place, with arbitrary times, parents and flags.
pub(crate) fn odd_trace(items: &[Odd]) -> Trace {
    let mut builder = TraceBuilder::new(Interner::default());
    let words = ["", "SELECT 1", "select 2 -- ü", "OrdersAPI", "SPILL", "<b>", "'"];
    let words = words.map(|word| builder.strings().intern(word));
    let run = builder.run(words[3], i64::MIN, i64::MAX, 3);
    let mut track = builder.root(run);
    let shape = builder.shape(&[key::ROWS_READ, key::BYTES, key::READ_TIME], &[key::SQL, key::DATASOURCE]);
    for &(what, time, duration, bits, text) in items {
        let word = words[usize::from(text) % words.len()];
        let kind = Kind::ALL[usize::from(what) % Kind::ALL.len()];
        let parent = builder.next_span().0.checked_sub(1 + u32::from(text % 4)).map(SpanId);
        let nums = [Some(time), Some(duration), (text % 3 == 0).then_some(time)];
        match what % 16 {
            0 => {
                let run = builder.run(word, 0, 0, 0);
                track = builder.root(run);
            }
            1 | 2 => track = builder.track(track, word, TrackKind::Query),
            3 => track = builder.track(track, word, TrackKind::Buffer),
            4..8 => {
                let (flags, record) = (Flags(bits), RecordId(7));
                let event = Event { time, parent, name: word, kind, flags, record };
                builder.event(event, shape, &nums);
            }
            _ => {
                let (flags, depth) = (Flags(bits), u16::from(text % 3));
                let (begin, end) = (RecordId(1), RecordId::NONE);
                let start = time;
                let span = Span { start, duration, parent, name: word, kind, flags, depth, begin, end };
                builder.span(span, shape, &nums, &[word, StrId::NONE]);
            }
        }
    }
    builder.finish()
}

/// Trace with queries only, given by start and duration in nanoseconds.
pub(crate) fn queries(intervals: &[(i64, i64)]) -> Trace {
    let mut builder = TraceBuilder::new(Interner::default());
    let run = builder.run(StrId::EMPTY, 0, 0, 0);
    let root = builder.root(run);
    for &(start, duration) in intervals {
        builder.track(root, StrId::EMPTY, TrackKind::Query);
        let (kind, flags) = (Kind::Query, Flags::default());
        let (begin, end) = (RecordId(0), RecordId(1));
        let name = StrId::EMPTY;
        let span = Span { start, duration, parent: None, name, kind, flags, depth: 0, begin, end };
        builder.span(span, ShapeId(0), &[], &[]);
    }
    builder.finish()
}
