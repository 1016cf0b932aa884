//! Rows that are not items of the trace: attributes, values of counters, places of problems.

use std::ops::Range;

use crate::protocol::{FileReport, ProblemPlace};
use crate::trace::{EventId, Item, Key, Kind, SpanId, StrId, Trace, TrackId, key};

/// Attributes of spans that are columns of `spans`, and so no rows of `args`.
pub const SPAN_COLUMNS: &[(&str, Key)] = &[
    ("sql", key::SQL),
    ("query_id", key::QUERY_ID),
    ("database", key::DATABASE),
    ("connector", key::CONNECTOR),
    ("datasource", key::DATASOURCE),
    ("error", key::ERROR),
    ("rows_read", key::ROWS_READ),
    ("rows_returned", key::ROWS_RETURNED),
    ("read_ns", key::READ_TIME),
    ("bytes", key::BYTES),
];
/// Attributes of events that are columns of `events`.
pub const EVENT_COLUMNS: &[(&str, Key)] = &[("bytes", key::BYTES), ("elements", key::ELEMENTS)];

/// The item or track that has an attribute.
#[derive(Clone, Copy)]
pub enum AttributeOwner {
    Item(Item),
    Track(TrackId),
}

/// Value of an attribute.
#[derive(Clone, Copy)]
pub enum AttributeRowValue {
    Num(i64),
    Text(StrId),
}

/// An attribute of a span, an event or a track.
#[derive(Clone, Copy)]
pub struct AttributeRow {
    pub owner: AttributeOwner,
    pub key: Key,
    pub value: AttributeRowValue,
}

/// Lists the attributes of a part of all items, numbered from 0: spans, then events, then tracks. Attributes that are
/// columns of `spans` or `events` are left out.
pub fn attributes(trace: &Trace, part: Range<usize>) -> Vec<AttributeRow> {
    let (spans, events) = (trace.spans.len(), trace.events.len());
    let mut found = Vec::with_capacity(part.len() * 4);
    for at in part {
        let item = if at < spans {
            Item::Span(SpanId(at as u32))
        } else if at < spans + events {
            Item::Event(EventId((at - spans) as u32))
        } else {
            let track = TrackId((at - spans - events) as u32);
            let texts = trace.track_texts.of(track);
            found.extend(texts.map(|(key, text)| AttributeRow {
                owner: AttributeOwner::Track(track),
                key,
                value: AttributeRowValue::Text(text),
            }));
            continue;
        };
        let owner = AttributeOwner::Item(item);
        let columns = if at < spans { SPAN_COLUMNS } else { EVENT_COLUMNS };
        let is_row = |row: &AttributeRow| columns.iter().all(|(_, key)| *key != row.key);
        let nums = trace.nums(item).map(|(key, num)| AttributeRow {
            owner,
            key,
            value: AttributeRowValue::Num(num),
        });
        found.extend(nums.filter(is_row));
        let texts = trace.texts(item).map(|(key, text)| AttributeRow {
            owner,
            key,
            value: AttributeRowValue::Text(text),
        });
        found.extend(texts.filter(is_row));
    }
    found
}

/// Lists the numbers of the counter samples among the events with these ids.
pub fn counters(trace: &Trace, part: Range<usize>) -> Vec<AttributeRow> {
    let events = part.map(|at| EventId(at as u32)).filter(|&id| trace.events.kind(id) == Kind::Sample);
    let values = events.flat_map(|id| {
        let item = Item::Event(id);
        let owner = AttributeOwner::Item(item);
        trace.nums(item).map(move |(key, num)| AttributeRow {
            owner,
            key,
            value: AttributeRowValue::Num(num),
        })
    });
    values.collect()
}

/// A place of a problem: index of the file, index of the problem in the report on the file, and the place; `None` if
/// the problem has no known place.
pub struct ProblemRow {
    pub file: usize,
    pub problem: usize,
    pub place: Option<ProblemPlace>,
}

/// Lists the places of all problems of the files; a problem without a known place has one row.
pub fn problems(files: &[FileReport]) -> Vec<ProblemRow> {
    let mut rows = Vec::new();
    for (file, report) in files.iter().enumerate() {
        for (problem, known) in report.problems.iter().enumerate() {
            if known.places.is_empty() {
                rows.push(ProblemRow { file, problem, place: None });
            }
            let places = known.places.iter().cloned();
            rows.extend(places.map(|place| ProblemRow { file, problem, place: Some(place) }));
        }
    }
    rows
}
