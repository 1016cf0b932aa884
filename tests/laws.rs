//! What holds for every input: where bytes are cut, in which order events come and how they are spread over files
//! never matters; every record is accounted for; nothing panics.

use crate::support;

use proptest::prelude::*;
use queryscope::import::HEADS;
use queryscope::protocol::{FindQueryRequest, QueryList, QueryListRequest};
use queryscope::session::Session;
use queryscope::trace::StrId;
use queryscope::trace::{
    AttributeColumn, AttributeReader, EventId, Item, Key, NOT_REPORTED, SpanId, TextPredicate, Trace, TrackId,
};
use serde_json::{Value, json};

/// Everything that a trace says, as text: handles are left out, they depend on the order of reading.
fn dump(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    for run in &trace.runs {
        lines.push(format!("run {} from {} for {}", trace.str(run.name), run.origin, run.duration));
        for track in trace.tracks.subtree(run.track) {
            dump_track(trace, TrackId(track), &mut lines);
        }
    }
    lines
}

fn dump_track(trace: &Trace, id: TrackId, lines: &mut Vec<String>) {
    let track = trace.tracks.get(id);
    lines.push(format!(
        "track {} {:?} {} lanes {}",
        track.depth,
        track.kind,
        trace.str(track.name),
        track.lanes
    ));
    for id in trace.tracks.spans(id).map(SpanId) {
        let s = trace.spans.get(id);
        let name = trace.str(s.name);
        let parent = s.parent.map(|p| (trace.spans.get(p).start, trace.spans.get(p).kind));
        let row = (s.start, s.duration, s.kind, s.flags.0, s.depth, parent);
        lines.push(format!("span {name} {row:?} {:?}", values(trace, Item::Span(id))));
    }
    for id in trace.tracks.events(id).map(EventId) {
        let e = trace.events.get(id);
        let parent = e.parent.map(|p| (trace.spans.get(p).start, trace.spans.get(p).kind));
        let row = (e.time, e.kind, e.flags.0, parent);
        lines.push(format!("event {} {row:?} {:?}", trace.str(e.name), values(trace, Item::Event(id))));
    }
}

fn values(trace: &Trace, item: Item) -> Vec<(u16, Option<i64>, Option<String>)> {
    let value =
        |key| (trace.num(item, Key(key)), trace.text(item, Key(key)).map(|t| trace.str(t).to_owned()));
    (0..15).map(|key| (key, value(key).0, value(key).1)).filter(|v| v.1.is_some() || v.2.is_some()).collect()
}
fn open(files: &[&[u8]]) -> Session {
    support::open(files.iter().enumerate().map(|(number, bytes)| (format!("file {number}"), bytes)))
}

fn open_cut(bytes: &[u8], sizes: &[usize]) -> Session {
    let mut session = Session::default();
    session.open("file 0");
    let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
    while !rest.is_empty() {
        let size = sizes.next().map_or(1, |&size| size.clamp(1, rest.len()));
        session.push(&rest[..size]);
        rest = &rest[size..];
    }
    session.close(None);
    session.build();
    session
}

const TYPES: [&str; 9] = [
    "REQUEST_START",
    "QUERY_START",
    "SOURCE_START",
    "SOURCE_EXECUTION_START",
    "BUFFER_EVENT",
    "SOURCE_EXECUTION_END",
    "SOURCE_END",
    "QUERY_END",
    "SOURCE_PAUSE",
];

/// An event of any type, in any of a few queries; `time` is its own.
fn event(time: i64, [kind, query, tuple, connector, number]: [usize; 5]) -> Value {
    json!({
        "runId": "run", "queryId": format!("q{}", query % 3), "vdbName": "Ops", "vdbVersion": "1",
        "timestamp": time, "type": TYPES[kind % TYPES.len()], "sql": format!("SELECT '\"{number}\"'"),
        "success": number % 3 != 0, "error": Value::Null, "connectorName": format!("c{}", connector % 2),
        "tupleSourceId": format!("t{}", tuple % 2), "datasourceName": "D", "commandPushed": "x\ny",
        "sourceCommandType": "QUERY", "rowsRead": number, "rowsReturned": number / 7, "duration": number,
        "sourceReadDurationNanos": number, "bufferEventType": "SPILL", "bytes": number, "elements": 1,
    })
}

fn events() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(prop::array::uniform5(0_usize..1000), 1..60).prop_map(|rows| {
        let times = (0_i64..).map(|at| at * 37 - 500);
        times.zip(rows).map(|(time, row)| event(time, row)).collect()
    })
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// A sound text with some bytes put in, taken out or changed.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let damage = prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 0..6);
    (events(), 0..3_u8, damage).prop_map(|(events, framing, damage)| {
        let mut bytes = match framing {
            0 => lines(&events).into_bytes(),
            1 => Value::from(events).to_string().into_bytes(),
            _ => format!("{:#}", Value::from(events)).into_bytes(),
        };
        // Behind what is looked at to recognise a file: from there on it is read as it comes.
        let end = bytes.iter().position(|&b| b == b'}').map_or(0, |at| at + 1);
        bytes.splice(end..end, std::iter::repeat_n(b' ', HEADS[0]));
        for (at, how, byte) in damage {
            let at = HEADS[0].min(bytes.len() - 1) + at.index(bytes.len() - HEADS[0].min(bytes.len() - 1));
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.drain(at..(at + usize::from(byte)).min(bytes.len()))),
                _ => bytes.insert(at, b"\"{}[],\n\\"[usize::from(byte) % 8]),
            }
            if bytes.is_empty() {
                bytes.push(byte);
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn where_bytes_are_cut_never_matters(bytes in damaged(), sizes in prop::collection::vec(1..200_usize, 1..8)) {
        let (whole, cut) = (open(&[&bytes]), open_cut(&bytes, &sizes));
        prop_assert_eq!(dump(whole.trace()), dump(cut.trace()));
        prop_assert_eq!(whole.report(), cut.report());
    }

    #[test]
    fn the_order_of_events_never_matters(events in events(), seed in prop::collection::vec(any::<u64>(), 60)) {
        let mut shuffled: Vec<_> = seed.into_iter().zip(events.iter().cloned()).collect();
        shuffled.sort_by_key(|(at, _)| *at);
        let shuffled: Vec<_> = shuffled.into_iter().map(|(_, event)| event).collect();
        let (ordered, shuffled) = (open(&[lines(&events).as_bytes()]), open(&[lines(&shuffled).as_bytes()]));
        prop_assert_eq!(dump(ordered.trace()), dump(shuffled.trace()));
    }

    #[test]
    fn how_events_are_spread_over_files_never_matters(events in events(), cut in any::<prop::sample::Index>()) {
        let (first, second) = events.split_at(cut.index(events.len()));
        let (one, two) = (lines(first), lines(second));
        let whole = open(&[lines(&events).as_bytes()]);
        let split = open(&[two.as_bytes(), one.as_bytes()]);
        prop_assert_eq!(dump(whole.trace()), dump(split.trace()));
    }

    #[test]
    fn a_run_that_is_opened_twice_counts_once(events in events()) {
        let text = lines(&events);
        let array = Value::from(events.clone()).to_string();
        let (once, twice) = (open(&[text.as_bytes()]), open(&[text.as_bytes(), array.as_bytes()]));
        prop_assert_eq!(dump(once.trace()), dump(twice.trace()));
        prop_assert_eq!(twice.report()[1].reported, events.len() as u64);
    }

    #[test]
    fn a_learned_shape_reads_what_the_parser_reads(
        text in any::<String>(),
        number in prop_oneof![any::<i64>().prop_map(|n| n.to_string()), "-?[0-9]{0,20}(\\.[0-9]{0,3})?(e[0-9]{1,2})?"],
        escapes in "(\\\\[\"\\\\/bfnrtu]|[a-f0-9]|ß){0,12}",
    ) {
        let record = |run: &str, sql: &str, number: &str, more: &str| format!(
            r#"{{"runId":"{run}","queryId":"q","timestamp":1,"type":"BUFFER_EVENT","bufferEventType":{sql},"bytes":{number},"x":"{more}"}}"#
        );
        let odd = record("odd", &json!(text).to_string(), &number, &escapes);
        let teacher = record("teacher", "\"\"", "1", "");
        // A sound record of another shape: how records begin is known in both, so that reading resumes at the same places.
        let other = r#"{"runId":"other","queryId":"q","timestamp":1,"type":"REQUEST_START"}"#;
        let after = |first: &str| open(&[format!("{other}\n{first}\n{odd}").as_bytes()]);
        let (alone, taught) = (after(""), after(&teacher));
        let of_odd = |session: &Session| -> Vec<_> {
            dump(session.trace()).into_iter().skip_while(|line| !line.starts_with("run odd")).collect()
        };
        prop_assert_eq!(of_odd(&alone), of_odd(&taught));
        let count = |session: &Session, name: &str| -> u64 {
            let report = session.report();
            report[0].problems.iter().filter(|p| p.name == name).map(|p| p.count).sum()
        };
        for name in ["broken record", "unreadable value", "duplicate field", "not an event"] {
            prop_assert_eq!(count(&alone, name), count(&taught, name), "{}", name);
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        open(&[&bytes]);
    }

    #[test]
    fn no_text_panics(text in "([{}\\[\\]\",:\\\\ \n]|runId|queryId|type|timestamp|---|\"runId\":|[0-9]|null|ß){0,80}") {
        open(&[text.as_bytes()]);
    }
}

/// The same for the other shapes, which have readers of their own.
#[test]
fn where_logs_and_tables_are_cut_never_matters() {
    let events: Vec<_> = (0..20).map(|n| event(n, [n as usize, 0, 0, 0, 100])).collect();
    let log: String = events.iter().map(log_lines).collect();
    let padding = "04-11-2025 11:35:19.469 INFO  - [CORE] a line ß\r\n".repeat(HEADS[0] / 40);
    let rows: String = (0..5000).map(|n| format!("q{n},r,{n},\"SELECT\n\"\"ß{n}\"\"\"\n")).collect();
    let csv = format!("QUERY_ID,RUN_ID,TS_NANOS,SQL_TEXT\n{rows}");
    for text in [format!("{padding}{log}{padding}{log}"), csv] {
        let whole = open(&[text.as_bytes()]);
        assert!(whole.n_records() >= 40);
        for sizes in [vec![1], vec![2, 3], vec![7, 1000], vec![HEADS[0] + 1]] {
            let cut = open_cut(text.as_bytes(), &sizes);
            assert_eq!(dump(whole.trace()), dump(cut.trace()));
            assert_eq!(whole.report(), cut.report());
        }
    }
}

fn log_lines(event: &Value) -> String {
    format!("04-11-2025 11:35:19.469 INFO  - [PERF] ---\n{}", yaml(event))
}

/// A file of every shape, cut at every byte.
#[test]
fn a_file_cut_anywhere_is_accounted_for() {
    let events: Vec<_> = (0..10).map(|n| event(n, [n as usize, 0, 0, 0, 100])).collect();
    let log: String = events.iter().map(log_lines).collect();
    let csv = "QUERY_ID,RUN_ID,TS_NANOS,SQL_TEXT\nq,r,1,\"a,\n\"\"b\"\nq2,r,2,c\n".to_owned();
    for text in [lines(&events), Value::from(events.clone()).to_string(), log, csv] {
        for end in 0..text.len() {
            open(&[&text.as_bytes()[..end]]);
        }
    }
}

fn yaml(event: &Value) -> String {
    let fields = event.as_object().expect("an object");
    fields.iter().map(|(key, value)| format!("{key}: {value}\n")).collect()
}

/// Building in the middle of a file changes nothing.
#[test]
fn pictures_on_the_way_leave_no_trace() {
    let events: Vec<_> =
        (0..200).map(|n| event(n, [n as usize * 7, n as usize, 1, n as usize / 3, 100])).collect();
    let text = lines(&events);
    let mut session = Session::default();
    session.open("file 0");
    for part in text.as_bytes().chunks(1000) {
        session.push(part);
        session.build();
    }
    session.close(None);
    session.build();
    let whole = open(&[text.as_bytes()]);
    assert_eq!(dump(session.trace()), dump(whole.trace()));
    assert_eq!(session.report(), whole.report());
}

/// One long record, in every shape, in small pieces: what was read before is not read again with every piece, which
/// for these sizes would take minutes.
#[test]
fn long_records_take_linear_time() {
    let text = "x\u{e4} ".repeat(1 << 18);
    let rest = r#""timestamp":1,"type":"QUERY_START""#;
    let envelope = "runId: \"r\"\nqueryId: \"q\"\ntimestamp: 1\ntype: \"QUERY_START\"\n";
    let (open, close) = ("[".repeat(1_000_000), "]".repeat(1_000_000));
    let files = [
        format!(r#"{{"runId":"r","queryId":"q",{rest},"sql":"{text}"}}"#),
        format!(
            "{{\n  \"runId\":\"r\",\"queryId\":\"q\",{rest},\"sql\":\"{text}\"{}}}",
            "\n".repeat(1 << 18)
        ),
        format!(r#"{{"runId":"r","queryId":"q",{rest},"more":{open}{close}}}"#),
        format!("---\n{envelope}sql: \"{text}\"\n"),
        format!("run_id,query_id,timestamp,sql\nr,q,1,\"{text}\"\n"),
    ];
    for file in &files {
        for size in [1, 1 << 10] {
            let session = open_cut(file.as_bytes(), &[size]);
            let report = session.report();
            assert_eq!((report[0].records, report[0].used), (1, 1), "{} in {size}", &file[..40]);
        }
    }
}

/// The same for records that are broken, cut off or none at all.
#[test]
fn long_damage_takes_linear_time() {
    let sound = "{\"runId\":\"r\",\"queryId\":\"q\",\"timestamp\":1,\"type\":\"QUERY_START\"}\n";
    for tail in [
        format!("{{\"runId\":\"{}", "x".repeat(1 << 20)),
        format!("{{\"runId\":\"{}\n", "x".repeat(1 << 20)),
        format!("{{\"runId\":{}!", "[".repeat(1 << 20)),
        "{\"runId\":{".repeat(1 << 18) + "!",
        "{\"runId".repeat(1 << 18),
        "noise ".repeat(1 << 19),
    ] {
        let file = format!("{}{tail}", sound.repeat(1000));
        for size in [1, 1 << 10, 1 << 30] {
            let report = open_cut(file.as_bytes(), &[size]).report();
            assert_eq!(report[0].records, report[0].used + report[0].reported, "{} in {size}", &tail[..9]);
        }
    }
}

#[test]
fn numbers_of_many_items_are_those_of_each() {
    for path in support::fixtures() {
        let name = path.to_string_lossy();
        let session = support::open([(&*name, std::fs::read(&path).expect("the file can be read"))]);
        let trace = session.trace();
        let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
        let items = || spans.clone().chain((0..trace.events.len() as u32).map(|id| Item::Event(EventId(id))));
        let keys = trace.keys_in_use();
        for pair in keys.windows(2) {
            let pair = [pair[0], pair[1]];
            let reader = AttributeReader::new(trace, pair);
            for item in items() {
                assert_eq!(
                    reader.of(item),
                    pair.map(|key| trace.num(item, key)),
                    "{name}: {item:?} {pair:?}"
                );
            }
        }
        for &key in &keys {
            let nums = AttributeColumn::<i64>::new(trace, key);
            let texts = AttributeColumn::<StrId>::new(trace, key);
            let is_odd = |text: StrId| text.0 % 2 == 1;
            let passing = TextPredicate::new(trace, is_odd);
            for item in items() {
                let num = trace.num(item, key).unwrap_or(NOT_REPORTED);
                assert_eq!(nums.of(item), num, "{name}: {item:?} {key:?}");
                assert_eq!(texts.of(item).some(), trace.text(item, key), "{name}: {item:?} {key:?}");
                let passes = trace.texts(item).any(|(_, text)| is_odd(text));
                assert_eq!(passing.of(item), passes, "{name}: {item:?}");
            }
        }
    }
}

/// What names an item in one build names the same one in the next: its start and its name say so.
#[test]
fn items_are_found_again_as_the_trace_grows() {
    let events: Vec<_> =
        (0..600).map(|n| event(n, [n as usize * 7, n as usize, 1, n as usize / 3, 100])).collect();
    let text = lines(&events);
    let mut session = Session::default();
    session.open("file 0");
    session.push(&text.as_bytes()[..text.len() / 2]);
    session.build();
    let facts = |session: &Session, code: u32| {
        let (trace, item) = (session.trace(), Item::from_code(code));
        let track = trace.tracks.get(trace.track_of(item));
        (trace.interval(item).0, trace.kind(item), trace.str(track.name).to_owned())
    };
    let spans = (0..session.trace().spans.len() as u32).map(SpanId).map(Item::Span);
    let items = spans.chain((0..session.trace().events.len() as u32).map(EventId).map(Item::Event));
    let known: Vec<_> = items
        .filter_map(|item| Some((item.code(), session.anchor(item.code())?, facts(&session, item.code()))))
        .inspect(|(_, anchor, known)| {
            let found = session.find(*anchor).map(|code| facts(&session, code));
            assert_eq!(found.as_ref(), Some(known));
        })
        .collect();
    assert!(known.len() > 50, "{}", known.len());
    session.push(&text.as_bytes()[text.len() / 2..]);
    session.close(None);
    session.build();
    let found = |anchor| session.find(anchor).map(|code| facts(&session, code));
    let again = known.iter().filter(|(_, anchor, known)| found(*anchor).as_ref() == Some(known)).count();
    assert_eq!(again, known.len());
    assert_eq!(session.anchor(u32::MAX), None);
    // So does what somebody points at in the old picture while the new one is made, for as long as it may be shown.
    assert!(known.iter().all(|(code, anchor, _)| session.anchor_before(*code) == Some(*anchor)));
    session.forget_before();
    assert!(known.iter().all(|(code, ..)| session.anchor_before(*code).is_none()));
}

/// A row of the query list leads to its query, though the trace was built anew since the list was made.
#[test]
fn rows_of_an_older_list_lead_to_their_queries() {
    let events: Vec<_> =
        (0..600).map(|n| event(n, [n as usize * 7, n as usize, 1, n as usize / 3, 100])).collect();
    let text = lines(&events);
    let mut session = Session::default();
    session.open("file 0");
    let rows = |session: &mut Session| {
        let all = QueryListRequest { list: QueryList::default(), first: 0, count: 1_000 };
        let page = session.answer(&all);
        page.rows
    };
    session.push(&text.as_bytes()[..text.len() / 2]);
    session.build();
    let older = rows(&mut session);
    session.push(&text.as_bytes()[text.len() / 2..]);
    session.close(None);
    session.build();
    let newer = rows(&mut session);
    let moved = older.iter().zip(&newer).filter(|(older, newer)| older.item != newer.item).count();
    assert!(moved > 0 && older.len() > 10, "{moved} of {}", older.len());
    for row in older {
        let Some(record) = row.record else { continue };
        let found = session.answer(&FindQueryRequest { record });
        let now = newer.iter().find(|now| now.query == row.query && now.record == row.record);
        assert_eq!(found, now.map(|now| now.item), "{row:?}");
        assert!(now.is_some(), "{row:?}");
    }
    assert_eq!(session.answer(&FindQueryRequest { record: u32::MAX }), None);
}
