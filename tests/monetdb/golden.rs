//! Numbers of shared files that a program of another language has counted, and every small shared file with flipped bytes.

use std::fs;

use queryscope::session::Session;
use queryscope::trace::{EventId, Flags, Item, Kind, Span, SpanId, Trace, TrackId, TrackKind};

use super::shared::{readable, shared, unpacked};
use super::{assert_accounted, open};

const EIGHT: &str = "own/monetdb/sep2022/raw_stream_8queries.json.gz";
const BEATS: &str = "own/monetdb/apr2019/stethoscope_json_hb50.json.gz";
const MINIMAL: &str = "own/monetdb/sep2022/raw_stream_minimal.json";
const ESCAPES: &str = "own/monetdb/sep2022/raw_stream_escapes.json";

fn read(name: &str) -> Option<Session> {
    Some(open(name, &fs::read(shared()?.join(name)).expect("a shared file")))
}

fn spans(trace: &Trace) -> impl Iterator<Item = (SpanId, Span)> + '_ {
    (0..trace.spans.len() as u32).map(|id| (SpanId(id), trace.spans.get(SpanId(id))))
}

/// Spans of threads, with a start and an end, that lie in another one of their thread.
fn nested(trace: &Trace) -> usize {
    let tracks = (0..trace.tracks.len() as u32).map(TrackId);
    let threads = tracks.filter(|id| trace.tracks.get(*id).kind == TrackKind::Thread);
    let all = threads.flat_map(|id| trace.tracks.spans(id)).map(|id| trace.spans.get(SpanId(id)));
    let is_whole = |span: &Span| !span.flags.has(Flags::OPEN_END) && !span.flags.has(Flags::OPEN_START);
    all.filter(|span| span.depth > 0 && is_whole(span)).count()
}

#[test]
fn what_lies_in_what_has_the_numbers_that_are_known() {
    for (name, expected) in [(EIGHT, 636), (BEATS, 419)] {
        let Some(session) = read(name) else { return };
        assert_eq!(nested(session.trace()), expected, "{name}");
    }
}

/// From Sep2022 on what functions do has tag 0, and so have the constants that are computed while a statement is optimised,
/// which are of no function that runs.
#[test]
fn calls_without_a_tag_are_of_their_functions() {
    let Some(session) = read(EIGHT) else { return };
    let trace = session.trace();
    let program = trace.key("program").expect("instructions are of functions");
    let of = |id| trace.text(Item::Span(id), program).map(|text| trace.str(text));
    let called = spans(trace).filter(|(id, _)| of(*id).is_some_and(|text| text != "user.main")).count();
    let is_in = |span: &Span, kind| span.parent.is_some_and(|above| trace.spans.get(above).kind == kind);
    let constants = spans(trace).filter(|(id, span)| of(*id).is_some() && is_in(span, Kind::Query)).count();
    // All 398 events with tag 0 are these and the ends of two transactions.
    assert_eq!((called, constants), (388, 8));
}

#[test]
fn records_are_of_instructions_beats_and_waits() {
    let Some(session) = read(BEATS) else { return };
    let trace = session.trace();
    let named = |name: &str| {
        let events = (0..trace.events.len() as u32).map(|id| trace.events.get(EventId(id)));
        events.filter(|event| trace.str(event.name) == name).count()
    };
    // Every heartbeat tells of the cores; of those, the waits are moments as well.
    assert_eq!((named("wait"), named("core 0")), (115, 330 + 115));
    assert_eq!(session.report()[0].records, 3114 + 330 + 115);
}

#[test]
fn every_statement_has_its_phases() {
    let Some(session) = read(MINIMAL) else { return };
    let trace = session.trace();
    let expected =
        ["text_to_sql", "sql_to_rel", "rel_opt", "rel_to_mal", "mal_opt", "execution", "trans_commit"];
    let queries: Vec<SpanId> =
        spans(trace).filter(|(_, span)| span.kind == Kind::Query).map(|(id, _)| id).collect();
    assert_eq!(queries.len(), 8);
    for query in queries {
        let own = spans(trace)
            .filter(|(_, span)| span.kind == Kind::Stage && span.parent == Some(query))
            .map(|(_, span)| trace.str(span.name));
        assert_eq!(own.collect::<Vec<_>>(), expected);
    }
}

/// Three lines are no JSON: all of them are read, and those with bytes that no text may hold are told of.
#[test]
fn lines_that_are_no_json_are_read() {
    let Some(session) = read(ESCAPES) else { return };
    let report = session.report().remove(0);
    let problems: Vec<(&str, u64)> =
        report.problems.iter().map(|problem| (problem.name.as_str(), problem.count)).collect();
    assert_eq!((report.records, report.used, report.reported), (82, 82, 0));
    assert_eq!(problems, [("control characters", 1)]);
}

/// Bytes that are flipped in a file, and how often it is tried.
const FLIPS: usize = 12;
const TRIES: usize = 2;
/// Larger files take too long.
const SMALL: usize = 64 << 10;

#[test]
fn bytes_of_every_small_shared_file_may_be_flipped() {
    let Some(folder) = shared() else { return };
    // Knuth's generator: the same bytes each time.
    let mut seed = 20_261_122_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    for name in readable() {
        let stored = fs::read(folder.join(name)).expect("a shared file");
        // Of a packed file, the bytes of the archive and those of the text.
        for bytes in [unpacked(name, &stored), stored].iter().filter(|bytes| bytes.len() <= SMALL) {
            for _ in 0..TRIES {
                let mut flipped = bytes.clone();
                for _ in 0..FLIPS {
                    let at = next() % flipped.len();
                    flipped[at] ^= 1 << (next() % 8);
                }
                assert_accounted(&open(name, &flipped));
            }
        }
    }
}
