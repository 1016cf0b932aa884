//! MySQL's Performance Schema: the same rows in every rendering, one thread as it must look, damage, and every shared file
//! against what is known of it.

mod damage;
mod front;
mod locks;
mod measures;
mod raw;
mod shared;
mod sidecars;

use crate::support::open;
use std::fs;
use std::path::{Path, PathBuf};

use queryscope::internal::stats::first_path;
use queryscope::internal::view::SceneCache;
use queryscope::protocol::{
    Arrangement, ColorBy, FrameDimension, MergedFrameRequest, MergedSpec, TransactionColumn, TransactionList,
    TransactionListRequest, ViewKind, ViewSpec, Viewport,
};
use queryscope::trace::{Flags, Item, Kind, RecordId, SpanId, Trace, TrackId};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/mysql")
}

/// The files of a folder of fixtures, by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("fixtures").flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    paths.sort();
    let file = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read(path).expect("a fixture"))
    };
    paths.iter().map(file).collect()
}

/// "name start..end row, marks, arguments", under "in parent": one line for each span of a track.
fn dump(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    for track in (0..trace.tracks.len() as u32).map(TrackId) {
        lines.push(format!("# {}", trace.str(trace.tracks.get(track).name)));
        lines.extend(trace.tracks.spans(track).map(|span| line(trace, SpanId(span))));
    }
    lines
}

fn line(trace: &Trace, id: SpanId) -> String {
    let span = trace.spans.get(id);
    let mut line = format!(
        "{} {} {}..{} row {}",
        span.kind.name(),
        trace.str(span.name),
        span.start,
        span.end_time(),
        span.depth
    );
    if let Some(parent) = span.parent {
        line += &format!(
            " in {}",
            trace.num(Item::Span(parent), trace.key("event id").expect("ids")).expect("an id")
        );
    }
    span.flags.names().for_each(|flag| line += &format!(", {flag}"));
    let key = |key| trace.str(trace.keys.get(key).name).to_owned();
    let mut values: Vec<String> =
        trace.nums(Item::Span(id)).map(|(k, n)| format!("{}={n}", key(k))).collect();
    values.extend(trace.texts(Item::Span(id)).map(|(k, text)| format!("{}={:?}", key(k), trace.str(text))));
    // Clients order columns as they like.
    values.sort();
    line + " " + &values.join(" ")
}

/// Every rendering of the same four rows gives the same picture, and every row can be read again.
#[test]
fn all_renderings_are_one() {
    let expected =
        dump(open([("batch.tsv", &fs::read(fixtures().join("batch.tsv")).expect("a fixture")[..])]).trace());
    assert_eq!(expected.iter().filter(|line| line.contains("SET NAMES utf8mb4")).count(), 1, "{expected:#?}");
    for (name, bytes) in files(&fixtures()) {
        let session = open([(name.as_str(), &bytes[..])]);
        let report = session.report();
        assert_eq!((report[0].records, report[0].used), (4, 4), "{name}: {report:?}");
        assert_eq!(dump(session.trace())[2..], expected[2..], "{name}");
        for record in (0..4).map(RecordId) {
            let place = session.place(record).expect("a record");
            let text = &bytes[place.offset as usize..][..place.length as usize];
            let fields = session.raw(&place, text).fields;
            let events =
                fields.iter().filter(|(name, value)| name == "EVENT_NAME" && value.starts_with("statement/"));
            assert_eq!(events.count(), 1, "{name}: {fields:?} of {:?}", String::from_utf8_lossy(text));
        }
    }
}

/// Frames of a thread: what statements of one shape spend in their stages, and in the waits of these.
#[test]
fn frames_are_what_statements_call() {
    let files = files(&fixtures().join("thread"));
    let mut session = open(files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])));
    let path = first_path(session.trace());
    assert_eq!(path, [FrameDimension::SqlShape, FrameDimension::Stack]);
    let spec = MergedSpec { path, ..MergedSpec::default() };
    let mut frame = |frame| {
        let found =
            session.answer(&MergedFrameRequest { spec: spec.clone(), frame: Some(frame), step: None })?;
        Some(found.path.join(" › "))
    };
    let frames: Vec<String> = (1..).map_while(&mut frame).collect();
    let wait = "SELECT o.id,o.total FROM orders o WHERE o.customer_id=? ORDER BY o.placed DESC LIMIT ? › stage/sql/executing › wait/io/table/sql/handler";
    assert!(frames.iter().any(|frame| frame == wait), "{frames:#?}");
    assert!(!frames.iter().any(|frame| frame.contains("idle")), "{frames:#?}");
}

/// A thread of a real server: statement, stages, waits and a transaction, on one clock.
#[test]
fn a_thread_is_a_tree() {
    let files = files(&fixtures().join("thread"));
    let session = open(files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])));
    let lines = dump(session.trace());
    assert_eq!(lines[1], "# 611 one_connection · app@localhost · shop · connection 559");
    for expected in [
        "query SELECT id,name,country FROM customers WHERE id=44 169948..445283 row 1",
        "stage stage/sql/Opening tables 214896..274946 row 2 in 87 event id=95",
        // Its own clock says 1.2 s later.
        "wait wait/synch/mutex/sql/LOCK_table_cache 227648..227677 row 3 in 95 event id=96",
        "transaction transaction 283381..414717 row 0 in 87",
        "wait wait/io/table/sql/handler 333518..381152 row 3 in 107",
        "wait wait/synch/mutex/innodb/trx_sys_mutex 344541..344576 row 4 in 109",
        "idle idle 0..169420 row 1",
        // It went on for seconds: nothing was done in them.
        "idle idle 99588084..99588084 row 1, no end in trace",
    ] {
        assert_eq!(
            lines.iter().filter(|line| line.starts_with(expected)).count(),
            1,
            "{expected} in {lines:#?}"
        );
    }
    let handler = lines.iter().find(|line| line.contains("event id=109")).expect("the access of a table");
    let values = "index=\"PRIMARY\" instance=\"281473978476128\" object type=\"TABLE\" operation=\"fetch\" rows=1 schema=\"shop\" \
                  source=\"handler.cc:3395\" table=\"customers\" timer wait=47681480";
    assert!(handler.ends_with(values) || handler.contains("timer wait=47681480"), "{handler}");
    let trace = session.trace();
    let tables: Vec<(&str, usize)> =
        trace.tables.iter().map(|table| (trace.str(table.name), table.len())).collect();
    assert_eq!(tables, [("performance_timers", 5), ("threads", 1)]);
    let user =
        trace.key("user").and_then(|key| trace.track_text(TrackId(1), key)).map(|user| trace.str(user));
    assert_eq!(user, Some("app"));
    let notes: Vec<&str> = trace.notes.iter().map(|note| note.text.as_str()).collect();
    assert!(notes[1].starts_with("Wait timestamps corrected by −998.28"), "{notes:?}");
}

/// A pause of a transaction lies over its bar, whatever the arrangement.
#[test]
fn pauses_are_drawn_over_their_transactions() {
    let transactions = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\n\
                        7\t2\t40\ttransaction\t1050000\t8000000\n";
    let statements = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tSQL_TEXT\n\
                      7\t1\t10\tstatement/sql/begin\t1000000\t1000000\tBEGIN\n\
                      7\t20\t30\tstatement/sql/update\t7000000\t1000000\tUPDATE t SET a = 1\n\
                      7\t39\t41\tstatement/sql/commit\t9000000\t1000000\tCOMMIT\n";
    let files = [
        ("events_transactions_history_long.tsv", transactions),
        ("events_statements_history_long.tsv", statements),
    ];
    let session = open(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    let trace = session.trace();
    let transaction = trace.spans.len() as u32;
    let transaction = (0..transaction).find(|&id| trace.kind(Item::Span(SpanId(id))) == Kind::Transaction);
    let viewport = Viewport { start: 0, end: 10_000, width: 1000.0, top: 0.0, height: 600.0 };
    for arrangement in [Arrangement::ByQuery, Arrangement::Packed] {
        let spec = ViewSpec::new(ViewKind::Gantt(arrangement), ColorBy::Kind);
        let scene = SceneCache::default().scene(trace, &spec, &viewport, None);
        let bars: Vec<(f32, f32, f32)> = (scene.rects.iter())
            .filter(|rect| Some(rect.id) == transaction)
            .map(|rect| (rect.x, rect.y, rect.width))
            .collect();
        let [(_, top, whole), (from, pause_top, first), (_, _, second)] = bars[..] else {
            panic!("{arrangement:?}: {bars:?}")
        };
        assert_eq!((top, whole), (pause_top, 800.0), "{arrangement:?}: {bars:?}");
        assert_eq!((from, first, second), (100.0, 500.0, 100.0), "{arrangement:?}: {bars:?}");
    }
}

/// Transactions by each column, in one direction and the other.
#[test]
fn transactions_are_listed_in_both_directions() {
    let transactions = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\n\
                        7\t2\t40\ttransaction\t1050000\t8000000\n\
                        8\t2\t40\ttransaction\t2050000\t3000000\n\
                        9\t2\t40\ttransaction\t3050000\t5000000\n";
    let mut session = open([("events_transactions_history_long.tsv", transactions.as_bytes())]);
    let mut durations = |sort, reversed| -> Vec<i64> {
        let list = TransactionList { sort, reversed, range: None };
        let page = session.answer(&TransactionListRequest { list, first: 0, count: 9 });
        page.rows.iter().map(|row| row.duration).collect()
    };
    assert_eq!(durations(TransactionColumn::Duration, false), [8_000, 5_000, 3_000]);
    assert_eq!(durations(TransactionColumn::Duration, true), [3_000, 5_000, 8_000]);
    assert_eq!(durations(TransactionColumn::Start, false), [8_000, 3_000, 5_000]);
    assert_eq!(durations(TransactionColumn::Start, true), [5_000, 3_000, 8_000]);
}

/// The order of files and of rows says nothing.
#[test]
fn the_order_of_rows_never_matters() {
    let files = files(&fixtures().join("thread"));
    let reversed: Vec<(String, Vec<u8>)> = files
        .iter()
        .rev()
        .map(|(name, bytes)| {
            let text = String::from_utf8_lossy(bytes);
            let mut lines: Vec<&str> = text.lines().collect();
            lines[1..].reverse();
            (name.clone(), (lines.join("\n") + "\n").into_bytes())
        })
        .collect();
    let picture = |files: &[(String, Vec<u8>)]| {
        dump(open(files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..]))).trace())
    };
    assert_eq!(picture(&files), picture(&reversed));
}

#[test]
fn a_graph_of_a_thread_is_laid_out() {
    let path = fixtures().join("graph/ps_trace_thread.dot");
    let session = open([("ps_trace_thread.dot".to_owned(), fs::read(path).expect("a fixture"))]);
    let trace = session.trace();
    let id = |item: Item| trace.num(item, trace.key("event id").expect("ids")).expect("an id");
    let place = |span: u32| {
        let (item, span) = (Item::Span(SpanId(span)), trace.spans.get(SpanId(span)));
        assert!(span.flags.has(Flags::INFERRED), "{}", id(item));
        (id(item), span.parent.map(|parent| id(Item::Span(parent))), span.start, span.duration)
    };
    let places: Vec<_> = (0..trace.spans.len() as u32).map(place).collect();
    let expected = [
        (41, None, 0, 283_650_000),
        (50, None, 0, 133_670),
        (51, Some(50), 0, 90_730),
        (52, Some(50), 90_730, 1_330_000_000),
        (60, None, 133_670, 199_490_000),
        (70, None, 199_623_670, 522_220),
        (71, Some(70), 199_623_670, 400_000),
        (72, Some(71), 199_623_670, 56_370),
        (73, Some(72), 199_623_670, 25),
        (74, Some(71), 199_680_040, 12_950),
        (75, Some(70), 200_023_670, 149_710_000),
        (76, Some(75), 200_023_670, 149_710_000),
    ];
    assert_eq!(places, expected);
    let track = TrackId(1);
    assert_eq!(trace.str(trace.tracks.get(track).name), "traced thread");
    let told = queryscope::internal::stats::pauses(trace, track)
        .iter()
        .filter(|paused| paused.statements > 0)
        .count();
    assert_eq!(told, 0, "the time between statements is not told");
}
