//! The columns of the tables that every trace has: from a name to the values.

use std::borrow::Cow;

use crate::protocol::{FileReport, ProblemReport};
use crate::trace::{
    EventId, Flags, Item, Key, LockParty, LockWait, Run, RunId, Span, SpanId, StrId, Track, TrackId, key,
};

use super::lists::{AttributeOwner, AttributeRow, AttributeRowValue};
use super::reader::{ColumnReader, RowSource};
use super::{KnownTable, TableReader};

/// The reader of the column `name` of a table. Only names in the schema have values.
pub fn of<'a>(
    rows: TableReader<'a>,
    table: KnownTable,
    name: &str,
    source: &'a RowSource,
) -> ColumnReader<'a> {
    let found = match (table, source) {
        (KnownTable::Runs, _) => run(rows, name),
        (KnownTable::Tracks, _) => track(rows, name),
        (KnownTable::Spans, _) => span(rows, name).or_else(|| span_attribute(rows, name)),
        (KnownTable::Events, _) => event(rows, name),
        (KnownTable::Flows, _) => flow(rows, name),
        (KnownTable::Counters, RowSource::Attributes(list)) if name == "track_id" => {
            attribute(rows, list, "sample_track_id")
        }
        (KnownTable::Args | KnownTable::Counters, RowSource::Attributes(list)) => attribute(rows, list, name),
        (KnownTable::Attributes, _) => key_column(rows, name),
        (KnownTable::LockWaits, _) => lock_wait(rows, name),
        (KnownTable::Notes, _) => note(rows, name),
        (KnownTable::Files, _) => file(&rows.tables.files, name),
        _ => problem(rows, name),
    };
    debug_assert!(found.is_some(), "no values for {}.{name}", table.name());
    found.unwrap_or_else(|| ColumnReader::number(|_| None))
}

fn number(count: u64) -> Option<i64> {
    Some(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Names of flags, separated by commas; `None` without a flag.
fn flag_names(flags: Flags) -> Option<Cow<'static, str>> {
    let measured = flags.has(Flags::SERVER_TIMED).then_some(Flags::SERVER_TIMED_NAME);
    let names: Vec<&str> = flags.names().chain(measured).collect();
    (!names.is_empty()).then(|| names.join(",").into())
}

fn run<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let trace = rows.trace;
    let get = |at: usize| -> &'a Run { &trace.runs[at] };
    Some(match name {
        "trace" => ColumnReader::text(|_| Some(rows.tables.name.as_str().into())),
        "run_id" => ColumnReader::number(|at| Some(at as i64)),
        "name" => ColumnReader::id(move |at| Some(get(at).name)),
        "track_id" => ColumnReader::number(move |at| Some(i64::from(get(at).track.0))),
        "origin_ns" => ColumnReader::number(move |at| Some(get(at).origin)),
        "duration_ns" => ColumnReader::number(move |at| Some(get(at).duration)),
        "records" => ColumnReader::number(move |at| number(get(at).records)),
        "spans" => {
            ColumnReader::number(move |at| Some(trace.tracks.subtree_spans(get(at).track).len() as i64))
        }
        "events" => {
            ColumnReader::number(move |at| Some(trace.tracks.subtree_events(get(at).track).len() as i64))
        }
        "cut_before" => ColumnReader::flag(|_| Some(trace.cut.before)),
        "cut_after" => ColumnReader::flag(|_| Some(trace.cut.after)),
        _ => return None,
    })
}

fn track<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let get = |at: usize| -> Track { rows.trace.tracks.get(TrackId(at as u32)) };
    Some(match name {
        "run_id" => ColumnReader::number(move |at| Some(rows.run_of(TrackId(at as u32)))),
        "track_id" => ColumnReader::number(|at| Some(at as i64)),
        "parent_id" => ColumnReader::number(move |at| Some(i64::from(get(at).parent?.0))),
        "name" => ColumnReader::id(move |at| Some(get(at).name)),
        "kind" => ColumnReader::text(move |at| Some(get(at).kind.name().into())),
        "depth" => ColumnReader::number(move |at| Some(i64::from(get(at).depth))),
        "lanes" => ColumnReader::number(move |at| Some(i64::from(get(at).lanes))),
        _ => return None,
    })
}

fn group(rows: TableReader<'_>, name: StrId) -> Option<StrId> {
    Some(rows.trace.name_group(name)).filter(|&group| group != name)
}

fn query_of(rows: TableReader<'_>, item: Item) -> Option<i64> {
    let queries = rows.queries();
    if queries.is_empty() {
        return None;
    }
    queries.row_of(rows.trace, item).map(|row| i64::from(queries.span(row).0))
}

fn span<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let trace = rows.trace;
    let id = |at: usize| SpanId(at as u32);
    let get = move |at: usize| -> Span { trace.spans.get(id(at)) };
    let track = move |at: usize| trace.tracks.of_span(id(at));
    Some(match name {
        "run_id" => ColumnReader::number(move |at| Some(rows.run_of(track(at)))),
        "track_id" => ColumnReader::number(move |at| Some(i64::from(track(at).0))),
        "span_id" => ColumnReader::number(|at| Some(at as i64)),
        "parent_id" => ColumnReader::number(move |at| Some(i64::from(trace.spans.parent(id(at))?.0))),
        "query_span_id" => ColumnReader::number(move |at| query_of(rows, Item::Span(id(at)))),
        "name" => ColumnReader::id(move |at| Some(trace.spans.name(id(at)))),
        "name_group" => ColumnReader::id(move |at| group(rows, trace.spans.name(id(at)))),
        "kind" => ColumnReader::text(move |at| Some(trace.spans.kind(id(at)).name().into())),
        "flags" => ColumnReader::text(move |at| flag_names(trace.spans.flags(id(at)))),
        "failed" => ColumnReader::flag(move |at| Some(trace.spans.flags(id(at)).has(Flags::FAILED))),
        "complete" => ColumnReader::flag(move |at| {
            let flags = trace.spans.flags(id(at));
            Some(!flags.has(Flags::OPEN_START) && !flags.has(Flags::OPEN_END))
        }),
        "start_ns" => ColumnReader::number(move |at| Some(trace.spans.start(id(at)))),
        "end_ns" => ColumnReader::number(move |at| Some(get(at).end_time())),
        "duration_ns" => ColumnReader::number(move |at| Some(trace.duration(id(at)))),
        "self_ns" => {
            let times = rows.self_ns();
            ColumnReader::number(move |at| times.get(at).copied())
        }
        "depth" => {
            let depths = rows.depths();
            ColumnReader::number(move |at| depths.get(at).copied().map(i64::from))
        }
        "lane" => ColumnReader::number(move |at| Some(i64::from(trace.spans.depth(id(at))))),
        _ => return None,
    })
}

fn span_attribute<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let trace = rows.trace;
    let item = |at: usize| Item::Span(SpanId(at as u32));
    let num = |key: Key| ColumnReader::number(move |at| trace.num(item(at), key));
    let text = |key: Key| ColumnReader::id(move |at| trace.text(item(at), key));
    Some(match name {
        "sql" => text(key::SQL),
        "shape" => {
            let shapes = rows.shapes();
            ColumnReader::text(move |at| Some(shapes.get(&trace.text(item(at), key::SQL)?)?.into()))
        }
        "query_id" => text(key::QUERY_ID),
        "database" => text(key::DATABASE),
        "connector" => text(key::CONNECTOR),
        "datasource" => text(key::DATASOURCE),
        "error" => text(key::ERROR),
        "rows_read" => num(key::ROWS_READ),
        "rows_returned" => num(key::ROWS_RETURNED),
        "read_ns" => num(key::READ_TIME),
        "bytes" => num(key::BYTES),
        _ => return None,
    })
}

fn event<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let trace = rows.trace;
    let id = |at: usize| EventId(at as u32);
    let track = move |at: usize| trace.tracks.of_event(id(at));
    let num = |key: Key| ColumnReader::number(move |at| trace.num(Item::Event(id(at)), key));
    Some(match name {
        "run_id" => ColumnReader::number(move |at| Some(rows.run_of(track(at)))),
        "track_id" => ColumnReader::number(move |at| Some(i64::from(track(at).0))),
        "event_id" => ColumnReader::number(|at| Some(at as i64)),
        "parent_id" => ColumnReader::number(move |at| Some(i64::from(trace.events.parent(id(at))?.0))),
        "query_span_id" => ColumnReader::number(move |at| query_of(rows, Item::Event(id(at)))),
        "name" => ColumnReader::id(move |at| Some(trace.events.name(id(at)))),
        "name_group" => ColumnReader::id(move |at| group(rows, trace.events.name(id(at)))),
        "kind" => ColumnReader::text(move |at| Some(trace.events.kind(id(at)).name().into())),
        "flags" => ColumnReader::text(move |at| flag_names(trace.events.flags(id(at)))),
        "time_ns" => ColumnReader::number(move |at| Some(trace.events.time(id(at)))),
        "bytes" => num(key::BYTES),
        "elements" => num(key::ELEMENTS),
        _ => return None,
    })
}

fn span_of(item: Item) -> Option<i64> {
    if let Item::Span(id) = item { Some(i64::from(id.0)) } else { None }
}

fn event_of(item: Item) -> Option<i64> {
    if let Item::Event(id) = item { Some(i64::from(id.0)) } else { None }
}

fn flow<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let flows = rows.flows();
    Some(match name {
        "flow_id" => ColumnReader::number(|at| Some(at as i64)),
        "name" => ColumnReader::id(|at| Some(flows[at].name)),
        "from_span_id" => ColumnReader::number(|at| span_of(flows[at].from)),
        "from_event_id" => ColumnReader::number(|at| event_of(flows[at].from)),
        "to_span_id" => ColumnReader::number(|at| span_of(flows[at].to)),
        "to_event_id" => ColumnReader::number(|at| event_of(flows[at].to)),
        "leaves_ns" => ColumnReader::number(|at| Some(flows[at].leaves)),
        "arrives_ns" => ColumnReader::number(|at| Some(flows[at].arrives)),
        _ => return None,
    })
}

fn attribute<'a>(rows: TableReader<'a>, list: &'a [AttributeRow], name: &str) -> Option<ColumnReader<'a>> {
    let trace = rows.trace;
    let item = |at: usize| if let AttributeOwner::Item(item) = list[at].owner { Some(item) } else { None };
    let key_name = |at: usize| Some(trace.keys.get(list[at].key).name);
    let num = |at: usize| if let AttributeRowValue::Num(num) = list[at].value { Some(num) } else { None };
    let event = move |at: usize| match item(at)? {
        Item::Event(id) => Some(id),
        Item::Span(_) => None,
    };
    let of_event = move |at: usize| Some(trace.tracks.of_event(event(at)?));
    Some(match name {
        "span_id" => ColumnReader::number(move |at| item(at).and_then(span_of)),
        "event_id" => ColumnReader::number(move |at| item(at).and_then(event_of)),
        "track_id" => ColumnReader::number(move |at| match list[at].owner {
            AttributeOwner::Track(track) => Some(i64::from(track.0)),
            AttributeOwner::Item(_) => None,
        }),
        "sample_track_id" => ColumnReader::number(move |at| Some(i64::from(of_event(at)?.0))),
        "run_id" => ColumnReader::number(move |at| Some(rows.run_of(of_event(at)?))),
        "key" | "series" => ColumnReader::id(key_name),
        "num" | "value" => ColumnReader::number(num),
        "text" => ColumnReader::id(|at| {
            if let AttributeRowValue::Text(text) = list[at].value { Some(text) } else { None }
        }),
        "name" => ColumnReader::id(move |at| Some(trace.events.name(event(at)?))),
        "time_ns" => ColumnReader::number(move |at| Some(trace.events.time(event(at)?))),
        "unit" => ColumnReader::text(|at| Some(trace.keys.get(list[at].key).unit.name().into())),
        _ => return None,
    })
}

fn key_column<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let keys = &rows.trace.keys;
    Some(match name {
        "key_id" => ColumnReader::number(|at| Some(at as i64)),
        "key" => ColumnReader::id(|at| Some(keys.get(Key(at as u16)).name)),
        "unit" => ColumnReader::text(|at| Some(keys.get(Key(at as u16)).unit.name().into())),
        _ => return None,
    })
}

fn lock_wait<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let get = |at: usize| -> &'a LockWait { &rows.trace.lock_waits[at] };
    if let Some(cells) = party(name, "waiter", move |at| &get(at).waiter)
        .or_else(|| party(name, "holder", move |at| &get(at).holder))
    {
        return Some(cells);
    }
    Some(match name {
        "run_id" => ColumnReader::number(move |at| Some(i64::from(get(at).run.0))),
        "object" => ColumnReader::id(move |at| Some(get(at).object)),
        "wanted" => ColumnReader::id(move |at| Some(get(at).wanted)),
        "held" => ColumnReader::id(move |at| Some(get(at).held)),
        "since" => ColumnReader::id(move |at| Some(get(at).since)),
        "more" => ColumnReader::number(move |at| Some(i64::from(get(at).more))),
        _ => return None,
    })
}

fn party<'a>(name: &str, side: &str, get: impl Fn(usize) -> &'a LockParty + 'a) -> Option<ColumnReader<'a>> {
    let id = |span: Option<SpanId>| span.map(|id| i64::from(id.0));
    Some(match name.strip_prefix(side)? {
        "" => ColumnReader::id(move |at| Some(get(at).thread)),
        "_span_id" => ColumnReader::number(move |at| id(get(at).span)),
        "_statement_id" => ColumnReader::number(move |at| id(get(at).statement)),
        "_running" => ColumnReader::id(move |at| Some(get(at).running)),
        _ => return None,
    })
}

fn note<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let notes = &rows.trace.notes;
    let run = |run: RunId| Some(i64::from(run.0));
    Some(match name {
        "run_id" => ColumnReader::number(move |at| run(notes[at].run)),
        "topic" => ColumnReader::text(|at| Some(notes[at].name.as_ref().into())),
        "text" => ColumnReader::text(|at| Some(notes[at].text.as_str().into())),
        _ => return None,
    })
}

fn file<'a>(files: &'a [FileReport], name: &str) -> Option<ColumnReader<'a>> {
    Some(match name {
        "file_id" => ColumnReader::number(|at| Some(i64::from(files[at].number))),
        "name" => ColumnReader::text(|at| Some(files[at].name.as_str().into())),
        "format" => ColumnReader::text(|at| Some(files[at].format.as_str().into())),
        "recognised" => ColumnReader::flag(|at| Some(files[at].recognised)),
        "bytes" => ColumnReader::number(|at| number(files[at].bytes)),
        "records" => ColumnReader::number(|at| number(files[at].records)),
        "used" => ColumnReader::number(|at| number(files[at].used)),
        "reported" => ColumnReader::number(|at| number(files[at].reported)),
        "left_out" => ColumnReader::number(|at| number(files[at].left_out)),
        "other_lines" => ColumnReader::number(|at| number(files[at].other_lines)),
        "missing" => ColumnReader::text(|at| Some(files[at].missing.as_deref()?.into())),
        "opened" => ColumnReader::number(|at| files[at].opened.map(i64::from)),
        "read_as" => ColumnReader::text(|at| Some(files[at].read_as.as_deref()?.into())),
        _ => return None,
    })
}

fn problem<'a>(rows: TableReader<'a>, name: &str) -> Option<ColumnReader<'a>> {
    let places = rows.places();
    let file = |at: usize| -> &'a FileReport { &rows.tables.files[places[at].file] };
    let get = move |at: usize| -> &'a ProblemReport { &file(at).problems[places[at].problem] };
    let place = |at: usize| places[at].place.as_ref();
    Some(match name {
        "file_id" => ColumnReader::number(move |at| Some(i64::from(file(at).number))),
        "problem_id" => ColumnReader::number(|at| Some(places[at].problem as i64)),
        "name" => ColumnReader::text(move |at| Some(get(at).name.as_str().into())),
        "meaning" => ColumnReader::text(move |at| Some(get(at).meaning.as_str().into())),
        "count" => ColumnReader::number(move |at| number(get(at).count)),
        "lost" => ColumnReader::flag(move |at| Some(get(at).lost)),
        "line" => ColumnReader::number(move |at| number(place(at)?.line?)),
        "offset" => ColumnReader::number(move |at| number(place(at)?.offset)),
        "text" => ColumnReader::text(move |at| Some(place(at)?.text.as_str().into())),
        _ => return None,
    })
}
