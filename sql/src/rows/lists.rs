//! Rows that are not items of the trace: attributes, values of counters, places of problems.

use std::ops::Range;

use queryscope::protocol::{FileReport, ProblemPlace};
use queryscope::trace::{EventId, Item, Key, Kind, SpanId, StrId, TrackId};

use super::TraceRows;

/// What has an attribute.
#[derive(Clone, Copy)]
pub enum Owner {
    Item(Item),
    Track(TrackId),
}

/// Value of an attribute.
#[derive(Clone, Copy)]
pub enum Value {
    Num(i64),
    Text(StrId),
}

/// An attribute of a span, an event or a track.
#[derive(Clone, Copy)]
pub struct AttributeRow {
    pub owner: Owner,
    pub key: Key,
    pub value: Value,
}

/// The attributes of some of all spans, events and tracks, in this order.
pub fn attributes(rows: &TraceRows, part: Range<usize>) -> Vec<AttributeRow> {
    let trace = &rows.trace;
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
                owner: Owner::Track(track),
                key,
                value: Value::Text(text),
            }));
            continue;
        };
        let owner = Owner::Item(item);
        let nums = trace.nums(item).map(|(key, num)| AttributeRow { owner, key, value: Value::Num(num) });
        found.extend(nums);
        let texts =
            trace.texts(item).map(|(key, text)| AttributeRow { owner, key, value: Value::Text(text) });
        found.extend(texts);
    }
    found
}

/// The values of the samples among some of the events.
pub fn counters(rows: &TraceRows, part: Range<usize>) -> Vec<AttributeRow> {
    let trace = &rows.trace;
    let events = part.map(|at| EventId(at as u32)).filter(|&id| trace.events.kind(id) == Kind::Sample);
    let values = events.flat_map(|id| {
        let item = Item::Event(id);
        let owner = Owner::Item(item);
        trace.nums(item).map(move |(key, num)| AttributeRow { owner, key, value: Value::Num(num) })
    });
    values.collect()
}

/// A place of a problem of a file, by their numbers.
pub struct ProblemRow {
    pub file: usize,
    pub problem: usize,
    pub place: Option<ProblemPlace>,
}

/// All problems of the files.
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
