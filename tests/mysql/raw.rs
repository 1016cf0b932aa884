//! What is read, against what the raw rows of the files say: computed from their bytes, not by the engine.

use std::collections::HashMap;

use queryscope::internal::stats::{has_transactions, lock_waits};
use queryscope::protocol::{ReconcileRequest, Reconciled};
use queryscope::session::Session;
use queryscope::trace::{Flags, Item, Kind, SpanId, TrackId, TrackKind, attribute_names, key};

use super::shared::shared;
use super::{files, fixtures, open};

/// Records of a file that are part of the picture, and the names of its problems.
fn used(name: &str, bytes: &[u8]) -> (u64, Vec<String>) {
    let report = open([(name, bytes)]).report();
    (report[0].used, report[0].problems.iter().map(|problem| problem.name.to_owned()).collect())
}

/// How often `mark` stands in a text.
fn count(text: &str, mark: &str) -> u64 {
    text.matches(mark).count() as u64
}

/// A file that ends anywhere has as many records as whole ones stand in it: what its end tears is no record, but a problem.
#[test]
fn a_torn_record_is_not_used() {
    // How the records of a rendering end. Of those that end with their line, one may be whole without its end.
    const ENDS: [(&str, &str, bool); 9] = [
        ("rows.xml", "</row>", false),
        ("rows.html", "<TD>PRIMARY</TD></TR>", false),
        ("dump.sql", "'PRIMARY')", false),
        ("boxes.txt", "| PRIMARY          |", false),
        ("outfile.csv", ",\"PRIMARY\"", false),
        ("escaped-by-quote.csv", ",\"PRIMARY\"", false),
        ("batch.tsv", "\tPRIMARY\n", true),
        ("events_statements_history_long.txt", "\tPRIMARY\n", true),
        ("vertical.txt", "EXECUTION_ENGINE: PRIMARY\n", true),
    ];
    let files: HashMap<String, Vec<u8>> = files(&fixtures()).into_iter().collect();
    for (name, mark, needs_line_end) in ENDS {
        let bytes = &files[name];
        let text = std::str::from_utf8(bytes).expect("a fixture is text");
        let first = text.find(mark).expect("a record") + mark.len();
        let is_near = |end: usize| end.is_multiple_of(11) || end + 70 > text.len();
        for end in (first..=text.len()).filter(|&end| is_near(end) && text.is_char_boundary(end)) {
            let (found, problems) = used(name, &bytes[..end]);
            let whole = count(&text[..end], mark);
            let is_open = needs_line_end && text[..end].ends_with(mark.trim_end());
            let may_be_cut = problems.iter().any(|problem| problem == "no line end");
            assert_eq!(found, whole + u64::from(is_open), "{name} cut at {end}: {problems:?}");
            assert_eq!(may_be_cut, is_open, "{name} cut at {end}: {problems:?}");
        }
        assert_eq!(count(text, mark), 4, "{name}");
    }
    let json = &files["rows.ndjson"];
    let text = std::str::from_utf8(json).expect("a fixture is text");
    for end in (text.find('\n').expect("a line")..=text.len())
        .filter(|&end| end % 11 == 0 && text.is_char_boundary(end))
    {
        let is_whole = |line: &&str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        let whole = text[..end].lines().filter(is_whole).count() as u64;
        assert_eq!(used("rows.ndjson", &json[..end]).0, whole, "cut at {end}");
    }
}

/// A record that lost some of its values in the middle of a file is none, in whatever rendering: clients write all of them.
#[test]
fn a_record_without_some_of_its_values_is_not_used() {
    let files: HashMap<String, Vec<u8>> = files(&fixtures()).into_iter().collect();
    for (name, from, to) in [
        ("rows.xml", "\t<field name=\"SOURCE\">", "\t<field name=\"LOCK_TIME\">"),
        ("rows.html", "<TD>1217908411022000</TD>", "<TD>e17c82a4"),
        ("dump.sql", "1217908411022000,", "'SELECT CONNECTION_ID()'"),
        (
            "vertical.txt",
            "TIMER_START: 1217908411022000\n",
            "               SQL_TEXT: SELECT CONNECTION_ID()",
        ),
    ] {
        let text = String::from_utf8(files[name].clone()).expect("a fixture is text");
        // In the second record.
        let second = text.find("SELECT CONNECTION_ID()").expect("the second record");
        let start = text[..second].rfind(from).expect(from);
        let end = start + text[start..].find(to).expect(to);
        let torn = text[..start].to_owned() + &text[end..];
        let (found, problems) = used(name, torn.as_bytes());
        assert_eq!((found, problems), (3, vec!["wrong number of values".to_owned()]), "{name}");
    }
}

/// The header of a table and rows of it.
type Rows = Vec<HashMap<String, String>>;

fn rows(text: &str) -> Rows {
    let mut lines = text.lines().map(|line| line.split('\t'));
    let header: Vec<&str> = lines.next().expect("a header").collect();
    let row = |cells: std::str::Split<char>| {
        header.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    lines.map(row).collect()
}

const WAIT: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_END\tTIMER_WAIT\tOBJECT_NAME\tOBJECT_TYPE\tOBJECT_INSTANCE_BEGIN\tNESTING_EVENT_ID\n";
const STATEMENT: &str =
    "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_END\tTIMER_WAIT\tSQL_TEXT\n";

/// Statements of 100 µs, one each millisecond; each with a wait inside, one that reaches out by 90 ns, and one that its
/// thread did 50 µs after the end.
fn behind_the_end() -> (String, String) {
    let (mut statements, mut waits) = (STATEMENT.to_owned(), WAIT.to_owned());
    for n in 0..40_u64 {
        let (id, start) = (n * 10 + 1, 5_000_000_000_000 + n * 1_000_000_000);
        statements += &format!(
            "7\t{id}\t{}\tstatement/sql/select\t{start}\t{}\t100000000\tSELECT {n}\n",
            id + 3,
            start + 100_000_000
        );
        let mut wait = |id: u64, at: u64, length: u64, nesting: u64| {
            let (start, end) = (start + at, start + at + length);
            waits += &format!(
                "7\t{id}\t{id}\twait/io/socket/sql/client_connection\t{start}\t{end}\t{length}\t127.0.0.1:4{n:04}\\0\tSOCKET\t9\t{nesting}\n"
            );
        };
        wait(id + 1, 200_000, 99_000_000, id);
        wait(id + 2, 99_000_000, if n == 7 { 1_090_000 } else { 900_000 }, id);
        wait(id + 5, 150_000_000, 21_400_000, id);
    }
    (statements, waits)
}

/// No wait and no stage is drawn with another length than its row says, nor elsewhere than its row says by more than the
/// clocks differ; what lies outside of its parent is marked.
#[test]
fn what_lies_outside_of_its_statement_stays_there() {
    let (statements, waits) = behind_the_end();
    let session = open([("d/statements.tsv", statements.as_bytes()), ("d/waits.tsv", waits.as_bytes())]);
    let trace = session.trace();
    let id = |span| trace.num(Item::Span(span), key::EVENT_ID).expect("an id").to_string();
    let spans = || (0..trace.spans.len() as u32).map(SpanId);
    let by_id: HashMap<String, SpanId> = spans().map(|span| (id(span), span)).collect();
    let origin = 5_000_000_000_i64;
    let nanos =
        |row: &HashMap<String, String>, column: &str| row[column].parse::<i64>().expect("picoseconds") / 1000;
    let mut outside = 0;
    for row in rows(&waits) {
        let span = trace.spans.get(by_id[&row["EVENT_ID"]]);
        let (start, length) = (nanos(&row, "TIMER_START") - origin, nanos(&row, "TIMER_WAIT"));
        assert!((span.duration - length).abs() <= 1, "{row:?}: {span:?}");
        assert!((span.start - start).abs() <= 91, "{row:?}: {span:?}");
        outside += i64::from(span.flags.has(Flags::OUTSIDE));
        // Its statement lasts 100 µs.
        let is_after = (start % 1_000_000) >= 100_000;
        assert_eq!(span.flags.has(Flags::OUTSIDE), is_after, "{row:?}: {span:?}");
    }
    assert_eq!(outside, 40);
}

/// An address is found as people write it, without the byte that ends it in the server's memory.
#[test]
fn sockets_are_found_by_their_address() {
    let (statements, waits) = behind_the_end();
    let session = open([("d/statements.tsv", statements.as_bytes()), ("d/waits.tsv", waits.as_bytes())]);
    let trace = session.trace();
    let socket = trace.key(attribute_names::SOCKET).expect("sockets");
    let of = |span| trace.text(Item::Span(span), socket).map(|text| trace.str(text).to_owned());
    let mut found: Vec<String> = (0..trace.spans.len() as u32).map(SpanId).filter_map(of).collect();
    let raw = rows(&waits).into_iter().map(|row| row["OBJECT_NAME"].trim_end_matches("\\0").to_owned());
    let mut expected: Vec<String> = raw.collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

/// For each thread: the self times of its spans together, and the time in which any of them was under way.
fn self_times(session: &Session) -> Vec<(i64, i64)> {
    let trace = session.trace();
    let own = queryscope::internal::analysis::self_times(trace, 0..trace.spans.len() as u32);
    let tracks = (0..trace.tracks.len() as u32).map(TrackId);
    let of_track = |track: TrackId| {
        let spans = trace.tracks.spans(track);
        let sum = spans.clone().map(|id| own[id as usize]).sum();
        let mut bounds: Vec<(i64, i64)> = spans.map(|id| trace.spans.bounds(SpanId(id))).collect();
        bounds.sort_unstable();
        let (mut covered, mut until) = (0, i64::MIN);
        for (start, end) in bounds {
            covered += (end - start.max(until)).max(0);
            until = until.max(end);
        }
        (sum, covered)
    };
    tracks.filter(|&track| trace.tracks.kind(track) == TrackKind::Thread).map(of_track).collect()
}

/// The self times of a thread together are the time in which it did anything: no moment counts twice, and none is lost.
#[test]
fn self_times_of_a_thread_are_its_time() {
    let Some(root) = shared() else { return };
    for name in
        ["mysql-9.7-mini-one-file-per-table.zip", "mysql-5.6-mini-tsv.zip", "mariadb-10.11-mini-tsv.zip"]
    {
        let bytes = std::fs::read(root.join(name)).expect("a shared file");
        let threads = self_times(&open([(name, &bytes[..])]));
        assert!(threads.len() > 15, "{name}");
        for (sum, covered) in threads {
            assert_eq!(sum, covered, "{name}");
        }
    }
}

/// They are no more than that in any format.
#[test]
fn self_times_of_any_thread_fit_into_its_time() {
    let mut threads = 0;
    for path in crate::support::fixtures() {
        let name = path.to_string_lossy();
        let bytes = std::fs::read(&path).expect("the file can be read");
        for (sum, covered) in self_times(&open([(&*name, &bytes[..])])) {
            threads += usize::from(covered > 0);
            assert!(sum <= covered, "{name}: {sum} in {covered}");
        }
    }
    assert!(threads > 20, "{threads} threads");
}

/// Whether tables of locks are there, and have rows, is said where nobody waits.
#[test]
fn empty_tables_of_locks_are_told_from_missing_ones() {
    const TRANSACTION: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\n1\t2\t9\ttransaction\t1500000\t90000000\n";
    const HEADER: &str = "OBJECT_TYPE\tOBJECT_SCHEMA\tOBJECT_NAME\tLOCK_TYPE\tLOCK_DURATION\tLOCK_STATUS\tOWNER_THREAD_ID\tOWNER_EVENT_ID\n";
    let granted = format!("{HEADER}TABLE\ts\tt\tSHARED_READ\tTRANSACTION\tGRANTED\t1\t3\n");
    for (tables, expected) in [
        (vec![], "No lock tables in the files"),
        (
            vec![("x/data_locks.tsv", ""), ("x/metadata_locks.tsv", "")],
            "No locks. These tables were exported: data_locks (empty), metadata_locks (empty).",
        ),
        (
            vec![("x/metadata_locks.tsv", HEADER)],
            "No locks. These tables were exported: metadata_locks (empty).",
        ),
        (
            vec![("x/data_locks.tsv", ""), ("x/metadata_locks.tsv", &granted)],
            "No lock waits. These tables were exported: data_locks (empty), metadata_locks (1 row).",
        ),
        // Of another export.
        (vec![("y/data_locks.tsv", "")], "No lock tables in the files"),
    ] {
        let mut files = vec![("x/transactions.tsv", TRANSACTION.as_bytes())];
        files.extend(tables.iter().map(|(name, text)| (*name, text.as_bytes())));
        let session = open(files);
        let notes = lock_waits(session.trace()).notes;
        assert!(notes.len() == 1 && notes[0].starts_with(expected), "{tables:?}: {notes:?}");
        assert!(has_transactions(session.trace()));
    }
}

/// What clients head their own sentences with is no damaged header.
#[test]
fn sentences_of_diagnostics_are_no_damage() {
    let Some(root) = shared() else { return };
    let bytes = std::fs::read(root.join("mysql-9.7-sys-procs.zip")).expect("a shared file");
    for file in open([("sys.zip", &bytes[..])]).report() {
        let damaged = file.problems.iter().find(|problem| problem.name == "damaged header");
        assert_eq!(damaged, None, "{}", file.name);
    }
}

/// The events of 5.6 name no objects: what the server counts of each object is compared where there is one of its name.
#[test]
fn sums_by_object_without_objects_in_the_events() {
    const SUMS: &str = "EVENT_NAME\tOBJECT_INSTANCE_BEGIN\tCOUNT_STAR\tSUM_TIMER_WAIT\n";
    let mut waits = WAIT.to_owned();
    for (n, name) in ["a", "a", "b", "b", "b", "c"].into_iter().enumerate() {
        waits += &format!(
            "7\t{0}\t{0}\twait/synch/mutex/sql/{name}\t{0}000\t{0}770\t770\tNULL\tNULL\t0\tNULL\n",
            n + 1
        );
    }
    // One object named a with both waits; two named b with all three; c has gone.
    let sums = format!(
        "{SUMS}wait/synch/mutex/sql/a\t11\t2\t1540\nwait/synch/mutex/sql/b\t12\t1\t770\nwait/synch/mutex/sql/b\t13\t2\t1540\nwait/synch/mutex/sql/d\t14\t0\t0\n"
    );
    let table = compared(&[
        ("d/events_waits_history_long.tsv", &waits),
        ("d/events_waits_summary_by_instance.tsv", &sums),
    ]);
    assert_eq!((table.equal, table.derived, table.different, table.only_events), (1, 1, 2, 2), "{table:#?}");
    let reasons: Vec<(&str, u64)> =
        table.reasons.iter().map(|reason| (reason.reason.as_str(), reason.cells)).collect();
    for (reason, _) in &reasons {
        assert!(reason.starts_with("the events have no OBJECT_INSTANCE_BEGIN"), "{reasons:?}");
    }
    assert_eq!(reasons.iter().map(|(_, cells)| cells).sum::<u64>(), 4, "{reasons:?}");
}

fn compared(files: &[(&str, &str)]) -> Reconciled {
    let mut session = open(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    let mut tables = session.answer(&ReconcileRequest);
    assert_eq!(tables.len(), 1, "{tables:#?}");
    tables.remove(0)
}

/// Without the rows of tables that were dropped, accesses are as many as the server counts; where they are not, nothing is
/// claimed.
#[test]
fn what_a_server_forgot_is_taken_away() {
    let mut waits = WAIT.replace("OBJECT_NAME", "NUMBER_OF_BYTES\tOBJECT_SCHEMA\tOBJECT_NAME");
    for (n, (table, rows)) in [("kept", 7_513), ("a", 1_633), ("b", 1_500), ("b", 6)].into_iter().enumerate()
    {
        waits += &format!(
            "7\t{0}\t{0}\twait/io/table/sql/handler\t{0}000\t{0}770\t770\t{rows}\ts\t{table}\tTABLE\t5\tNULL\n",
            n + 1
        );
    }
    let by_table =
        "OBJECT_TYPE\tOBJECT_SCHEMA\tOBJECT_NAME\tCOUNT_STAR\tSUM_TIMER_WAIT\nTABLE\ts\tkept\t7513\t770\n";
    for (server, derived) in [(7_513, 1), (7_512, 0)] {
        let global =
            format!("EVENT_NAME\tCOUNT_STAR\tSUM_TIMER_WAIT\nwait/io/table/sql/handler\t{server}\t770\n");
        let files = [
            ("d/events_waits_history_long.tsv", waits.as_str()),
            ("d/events_waits_summary_global_by_event_name.tsv", &global),
            ("d/table_io_waits_summary_by_table.tsv", by_table),
        ];
        let mut session = open(files.iter().map(|(name, text)| (*name, text.as_bytes())));
        let tables = session.answer(&ReconcileRequest);
        let found = tables
            .iter()
            .find(|table| table.table.starts_with("events_waits_summary_global"))
            .expect("a table");
        assert_eq!((found.derived, found.different), (derived, 1 - derived), "{found:#?}");
        match derived {
            1 => assert_eq!(
                found.derivations[0].examples[0].events,
                "10,652 − 1,633 (s.a) − 1,506 (s.b) = 7,513"
            ),
            _ => assert!(found.reasons[0].reason.starts_with("unknown"), "{found:#?}"),
        }
    }
}

/// A real export of 5.6: no reason but that which its raw rows bear out.
#[test]
fn reasons_of_a_5_6_export_are_true() {
    let Some(root) = shared() else { return };
    let bytes = std::fs::read(root.join("mysql-5.6-mini-tsv.zip")).expect("a shared file");
    let mut session = open([("mysql-5.6-mini-tsv.zip", &bytes[..])]);
    let trace = session.trace();
    // Of the raw rows: waits of each name of which none names its object, and the server's counts of each object.
    let (event, instance) = (key::EVENT_ID, trace.key(attribute_names::INSTANCE));
    assert!(instance.is_some() && trace.spans.len() > 1000, "{event:?}");
    let mut waits: HashMap<&str, u64> = HashMap::new();
    for span in (0..trace.spans.len() as u32).map(SpanId) {
        let name = trace.str(trace.spans.name(span));
        let item = Item::Span(span);
        let is_unnamed = instance.is_none_or(|key| trace.text(item, key).is_none());
        if trace.spans.kind(span) == Kind::Wait && is_unnamed && name.starts_with("wait/synch/") {
            *waits.entry(name).or_default() += 1;
        }
    }
    let table = trace
        .tables
        .iter()
        .find(|table| trace.str(table.name) == "events_waits_summary_by_instance")
        .expect("the server's sums by object");
    let mut objects: HashMap<&str, Vec<u64>> = HashMap::new();
    for row in 0..table.len() {
        let cell = |name: &str| {
            let column = table.column(&trace.strings, name).expect(name);
            table.cell(row, column).map_or("", |cell| trace.str(cell))
        };
        let counted: u64 = cell("COUNT_STAR").parse().expect("a count");
        if counted > 0 && waits.contains_key(cell("EVENT_NAME")) {
            objects.entry(cell("EVENT_NAME")).or_default().push(counted);
        }
    }
    assert_eq!(
        (waits["wait/synch/mutex/mysys/THR_LOCK_open"], &objects["wait/synch/mutex/mysys/THR_LOCK_open"][..]),
        (82, &[82][..])
    );
    let is_one = |name: &&str| objects[name].len() == 1 && objects[name][0] == waits[name];
    let derived = objects.keys().filter(|name| is_one(name)).count() as u64;
    let others: u64 =
        objects.iter().filter(|(name, _)| !is_one(name)).map(|(_, rows)| rows.len() as u64).sum();
    let without =
        waits.keys().filter(|name| !objects.get(*name).is_some_and(|_| is_one(name))).count() as u64;
    let tables = session.answer(&ReconcileRequest);
    let found =
        tables.iter().find(|table| table.table == "events_waits_summary_by_instance").expect("compared");
    assert_eq!((found.derived, found.different), (derived, others), "{found:#?}");
    let of_objects =
        |reason: &&queryscope::protocol::ReconciledReason| reason.reason.contains("OBJECT_INSTANCE_BEGIN");
    let said: u64 = found.reasons.iter().filter(of_objects).map(|reason| reason.cells).sum();
    assert_eq!(said, others + without, "{:#?}", found.reasons);
    assert_eq!((derived, others), (49, 151));
}
