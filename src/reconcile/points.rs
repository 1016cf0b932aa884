//! The events of a run, with what the server's tables group them by.

use crate::strings::StrId;
use crate::trace::{Flags, Item, Key, Kind, RunId, SpanId, Trace, TrackId, key, words};

/// What sort of event it is; each has tables of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Wait,
    Idle,
    Stage,
    Statement,
    Transaction,
}

/// An event that has ended.
pub struct Point {
    pub span: SpanId,
    pub class: Class,
    pub event: StrId,
    pub thread: Thread,
    pub instance: StrId,
    pub schema: StrId,
    pub object: StrId,
    pub object_type: StrId,
    pub index: StrId,
    pub operation: StrId,
    /// Picoseconds; `None` where it was not timed.
    pub timer: Option<i64>,
    /// How often the server counts it.
    pub count: i64,
    pub bytes: i64,
}

/// Whose thread it was.
#[derive(Clone, Copy)]
pub struct Thread {
    pub id: StrId,
    pub user: StrId,
    pub host: StrId,
    /// Whether it was still there when the export was made: of others no user is known.
    pub known: bool,
}

/// All events of a run.
pub struct Points {
    pub list: Vec<Point>,
    /// Whether some thread was gone.
    pub any_gone: bool,
    /// Picoseconds of one cycle of the timer of waits.
    pub cycle: i128,
}

struct Keys {
    event: Option<Key>,
    instance: Option<Key>,
    schema: Option<Key>,
    objects: Vec<Key>,
    object_type: Option<Key>,
    index: Option<Key>,
    operation: Option<Key>,
    timer: Option<Key>,
    rows: Option<Key>,
}

impl Keys {
    fn of(trace: &Trace) -> Self {
        Self {
            event: trace.key(words::EVENT_NAME),
            instance: trace.key(words::INSTANCE),
            schema: trace.key(words::SCHEMA),
            objects: [words::TABLE, words::FILE].into_iter().filter_map(|name| trace.key(name)).collect(),
            object_type: trace.key(words::OBJECT_TYPE),
            index: trace.key(words::INDEX),
            operation: trace.key(words::OPERATION),
            timer: trace.key(words::TIMER_WAIT),
            rows: trace.key(words::ROWS),
        }
    }
}

impl Points {
    /// The events of a run.
    pub fn of(trace: &Trace, run: RunId) -> Self {
        let keys = Keys::of(trace);
        let root = trace.runs[run.0 as usize].track;
        let mut list = Vec::new();
        for track in trace.tracks.subtree(root).map(TrackId) {
            let spans = trace.tracks.spans(track);
            if spans.is_empty() {
                continue;
            }
            let thread = Thread::of(trace, track);
            list.extend(spans.filter_map(|span| Point::of(trace, SpanId(span), &keys, thread)));
        }
        let any_gone = list.iter().any(|point| !point.thread.known);
        let cycle = cycle(trace, run).unwrap_or_else(|| common_divisor(&list));
        Self { list, any_gone, cycle }
    }
}

impl Thread {
    fn of(trace: &Trace, track: TrackId) -> Self {
        let text = |name| trace.key(name).and_then(|key| trace.track_text(track, key)).unwrap_or(StrId::NONE);
        let known = text(words::THREAD_NAME) != StrId::NONE;
        Self { id: text(words::THREAD_ID), user: text(words::USER), host: text(words::HOST), known }
    }
}

impl Point {
    fn of(trace: &Trace, id: SpanId, keys: &Keys, thread: Thread) -> Option<Self> {
        let (span, item) = (trace.spans.get(id), Item::Span(id));
        let class = match span.kind {
            Kind::Wait => Class::Wait,
            Kind::Idle => Class::Idle,
            Kind::Stage => Class::Stage,
            Kind::Query | Kind::Statement => Class::Statement,
            Kind::Transaction => Class::Transaction,
            _ => return None,
        };
        // The server counts an event when it ends.
        if span.flags.has(Flags::OPEN_END) {
            return None;
        }
        let text = |key: Option<Key>| key.and_then(|key| trace.text(item, key)).unwrap_or(StrId::NONE);
        let object = keys.objects.iter().find_map(|&key| trace.text(item, key));
        let number = |key: Option<Key>| key.and_then(|key| trace.num(item, key));
        Some(Self {
            span: id,
            class,
            event: text(keys.event).some().unwrap_or(span.name),
            thread,
            instance: text(keys.instance),
            schema: text(keys.schema),
            object: object.unwrap_or(StrId::NONE),
            object_type: text(keys.object_type),
            index: text(keys.index),
            operation: text(keys.operation),
            timer: number(keys.timer),
            count: number(keys.rows).unwrap_or(1),
            bytes: trace.num(item, key::BYTES).unwrap_or(0),
        })
    }
}

/// Picoseconds of a cycle, whole as the server has them, from the frequency in the export.
fn cycle(trace: &Trace, run: RunId) -> Option<i128> {
    let table = trace.tables.find(&trace.strings, run, "performance_timers")?;
    let column = |name| table.column(&trace.strings, name);
    let (name, frequency) = (column("TIMER_NAME")?, column("TIMER_FREQUENCY")?);
    let row =
        (0..table.len()).find(|&row| table.cell(row, name).map(|text| trace.str(text)) == Some("CYCLE"))?;
    let frequency: i128 = trace.str(table.cell(row, frequency)?).parse().ok()?;
    (frequency > 0).then(|| (1_000_000_000_000 + frequency / 2) / frequency)
}

/// The greatest number of which all times of waits are multiples.
fn common_divisor(points: &[Point]) -> i128 {
    let waits = points.iter().filter(|point| point.class == Class::Wait);
    let divisor = waits.filter_map(|point| point.timer).fold(0_i64, |mut a, mut b| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    });
    i128::from(divisor.max(1))
}
