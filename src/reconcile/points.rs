//! Events of a run, with the properties by which the server's tables group them.

use super::ids::ThreadIds;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::pivot::{Divisor, TickLength};
use crate::trace::{Flags, Item, Key, Kind, RunId, SpanId, Trace, TrackId, attribute_names, key};

/// Class of an event. Each class has tables of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventClass {
    Wait,
    Idle,
    Stage,
    Statement,
    Transaction,
}

/// An event of the server, read from a span.
pub struct RunEvent {
    pub span: SpanId,
    pub class: EventClass,
    pub event: StrId,
    pub thread: EventThread,
    pub instance: StrId,
    pub schema: StrId,
    pub object: StrId,
    pub object_type: StrId,
    pub index: StrId,
    pub operation: StrId,
    /// Duration in picoseconds; `None` if the event was not timed.
    pub timer: Option<i64>,
    /// Number by which the event increases the server's counts: the rows of a table access, 1 for other events.
    pub count: i64,
    pub bytes: i64,
}

/// Thread of an event.
#[derive(Clone, Copy)]
pub struct EventThread {
    pub id: StrId,
    pub user: StrId,
    pub host: StrId,
    /// Whether the thread still existed at the export. The user of a thread that had ended is unknown.
    pub known: bool,
}

/// All events of a run that the server's tables sum up.
pub struct RunEvents {
    /// Events that have ended.
    pub list: Vec<RunEvent>,
    /// Length of a tick of the wait timer, in which the server measures waits.
    pub tick: TickLength,
    /// Ids of all events, including events in progress.
    pub ids: ThreadIds,
    /// Number of events in progress, by event name.
    pub running: FxHashMap<StrId, i128>,
}

struct EventKeys {
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

impl EventKeys {
    fn of(trace: &Trace) -> Self {
        Self {
            event: trace.key(attribute_names::EVENT_NAME),
            instance: trace.key(attribute_names::INSTANCE),
            schema: trace.key(attribute_names::SCHEMA),
            objects: [attribute_names::TABLE, attribute_names::FILE]
                .into_iter()
                .filter_map(|name| trace.key(name))
                .collect(),
            object_type: trace.key(attribute_names::OBJECT_TYPE),
            index: trace.key(attribute_names::INDEX),
            operation: trace.key(attribute_names::OPERATION),
            timer: trace.key(attribute_names::TIMER_WAIT),
            rows: trace.key(attribute_names::ROWS),
        }
    }
}

impl RunEvents {
    /// Collects the events of a run.
    pub fn of(trace: &Trace, run: RunId) -> Self {
        let keys = EventKeys::of(trace);
        let root = trace.runs[run.0 as usize].track;
        let mut list = Vec::new();
        let mut ids = ThreadIds::default();
        let mut running = FxHashMap::default();
        for track in trace.tracks.subtree(root).map(TrackId) {
            let spans = trace.tracks.spans(track);
            if spans.is_empty() {
                continue;
            }
            let thread = EventThread::of(trace, track);
            let id = |span| trace.num(Item::Span(SpanId(span)), key::EVENT_ID);
            ids.add(thread.id, spans.clone().filter_map(id).collect());
            let points = spans.filter_map(|span| RunEvent::of(trace, SpanId(span), &keys, thread));
            for (point, has_ended) in points {
                // The server counts an event when it ends.
                match has_ended {
                    true => list.push(point),
                    false => *running.entry(point.event).or_default() += 1,
                }
            }
        }
        let mut divisor = Divisor::default();
        let waits = list.iter().filter(|point| point.class == EventClass::Wait);
        waits.filter_map(|point| point.timer).for_each(|time| divisor.add(time));
        let tick = TickLength::of(trace, run, divisor.get());
        Self { list, tick, ids, running }
    }
}

impl EventThread {
    fn of(trace: &Trace, track: TrackId) -> Self {
        let text = |name| trace.key(name).and_then(|key| trace.track_text(track, key)).unwrap_or(StrId::NONE);
        let known = text(attribute_names::THREAD_NAME) != StrId::NONE;
        // Background threads have NULL as user and host in the server's sums.
        let background = trace.strings.find(attribute_names::BACKGROUND);
        let of = |name| Some(text(name)).filter(|&text| Some(text) != background).unwrap_or(StrId::NONE);
        Self {
            id: text(attribute_names::THREAD_ID),
            user: of(attribute_names::USER),
            host: of(attribute_names::HOST),
            known,
        }
    }
}

impl RunEvent {
    /// Reads a span as an event; returns it with whether it has ended. `None` if the span is not an event of the
    /// server.
    fn of(trace: &Trace, id: SpanId, keys: &EventKeys, thread: EventThread) -> Option<(Self, bool)> {
        let (span, item) = (trace.spans.get(id), Item::Span(id));
        let class = match span.kind {
            Kind::Wait => EventClass::Wait,
            Kind::Idle => EventClass::Idle,
            Kind::Stage => EventClass::Stage,
            Kind::Query | Kind::Statement => EventClass::Statement,
            Kind::Transaction => EventClass::Transaction,
            _ => return None,
        };
        let text = |key: Option<Key>| key.and_then(|key| trace.text(item, key)).unwrap_or(StrId::NONE);
        let object = keys.objects.iter().find_map(|&key| trace.text(item, key));
        let number = |key: Option<Key>| key.and_then(|key| trace.num(item, key));
        let point = Self {
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
        };
        Some((point, !span.flags.has(Flags::OPEN_END)))
    }
}
