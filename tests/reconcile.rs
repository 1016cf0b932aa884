//! The sums that servers made themselves, against those of their events, on real exports.

use crate::support;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use queryscope::protocol::{ReconcileRequest, Reconciled};
use queryscope::session::Session;

/// The folder of shared exports.
fn shared() -> Option<PathBuf> {
    support::shared("own/mysql").map(|folder| folder.join("own/mysql"))
}

fn opened(file: &Path) -> Session {
    support::open([("export", std::fs::read(file).expect("a shared file can be read"))])
}

fn reconciled(file: &Path) -> Vec<Reconciled> {
    compared(&mut opened(file))
}

fn compared(session: &mut Session) -> Vec<Reconciled> {
    session.answer(&ReconcileRequest)
}

fn table<'a>(tables: &'a [Reconciled], name: &str) -> &'a Reconciled {
    tables.iter().find(|table| table.table == name).unwrap_or_else(|| panic!("there is a table {name}"))
}

/// Table, rows, cells: a count, sum, least, average and greatest value (and bytes) together for every operation and for
/// all of them, and each sum, greatest value and quantile of statements alone.
const GOLD: [(&str, u64, u64); 18] = [
    ("file_summary_by_event_name", 51, 51 * 4),
    ("file_summary_by_instance", 72, 72 * 4),
    ("socket_summary_by_instance", 4, 4 * 4),
    ("socket_summary_by_event_name", 3, 3 * 4),
    ("table_io_waits_summary_by_table", 152, 152 * 7),
    ("table_io_waits_summary_by_index_usage", 274, 274 * 7),
    ("table_lock_waits_summary_by_table", 152, 152 * 13),
    ("events_statements_summary_by_digest", 113, 113 * (1 + 20 + 2 + 3)),
    ("events_statements_summary_global_by_event_name", 224, 224 * (1 + 20 + 2)),
    ("events_statements_summary_by_thread_by_event_name", 7_392, 7_392 * 23),
    ("events_statements_histogram_global", 450, 450),
    ("events_statements_histogram_by_digest", 113 * 450, 113 * 450),
    ("events_waits_summary_global_by_event_name", 374, 374),
    ("events_waits_summary_by_thread_by_event_name", 12_342, 12_342),
    ("events_waits_summary_by_instance", 4_260, 4_260),
    ("events_stages_summary_global_by_event_name", 133, 133),
    ("events_transactions_summary_global_by_event_name", 1, 3),
    ("objects_summary_global_by_type", 179, 179),
];

/// Of the first seven, the cells that a program of another language compared: those of operations. Of every row it left
/// out the sums of all its operations (860: one of each row, two of locks, which have reads and writes besides).
const VERIFIED: [(u64, u64); 7] =
    [(153, 1), (216, 1), (12, 1), (9, 1), (152 * 6, 1), (274 * 6, 1), (152 * 11, 2)];

#[test]
fn a_complete_export_equals_the_servers_tables_cell_by_cell() {
    let Some(folder) = shared() else { return };
    let mut session = opened(&folder.join("mysql-9.7-sysbench-gold.zip"));
    let tables = compared(&mut session);
    let verified = VERIFIED.iter().zip(GOLD).map(|((cells, sums), (name, rows, _))| {
        assert_eq!(table(&tables, name).equal, cells + sums * rows, "{name}");
        cells
    });
    assert_eq!(verified.sum::<u64>(), 4_618);
    let (before, mut happened) = (counts(&session, &format!("before/{GLOBAL}")), counts(&session, GLOBAL));
    happened.retain(|name, count| before.get(name).map_or("0", String::as_str) != count);
    assert_eq!(happened.len(), 79, "names of waits that happened");
    for (name, rows, cells) in GOLD {
        let found = table(&tables, name);
        assert_eq!(
            (found.rows, found.equal, found.different),
            (rows, cells, 0),
            "{name}: {:#?}",
            found.reasons
        );
    }
    // Its eight connections were gone when it was made: only tables by account can differ.
    for found in tables.iter().filter(|table| table.different > 0) {
        let by_account = ["_by_account_", "_by_user_", "_by_host_"].iter().any(|by| found.table.contains(by));
        assert!(by_account, "{}: {:#?}", found.table, found.reasons);
    }
}

/// Names with their counts, in a table of sums.
fn counts(session: &Session, name: &str) -> HashMap<String, String> {
    let trace = session.trace();
    let table = trace.tables.iter().find(|table| trace.str(table.name) == name).expect("a table");
    let columns = ["EVENT_NAME", "COUNT_STAR"].map(|name| table.column(&trace.strings, name).expect(name));
    let cell = |row, at: usize| table.cell(row, columns[at]).map_or("", |cell| trace.str(cell)).to_owned();
    (0..table.len()).map(|row| (cell(row, 0), cell(row, 1))).collect()
}

#[test]
fn every_difference_has_a_reason() {
    let Some(folder) = shared() else { return };
    for file in
        ["mysql-9.7-sysbench-gold.zip", "mysql-9.7-mini-one-file-per-table.zip", "mariadb-10.11-mini-tsv.zip"]
    {
        let tables = reconciled(&folder.join(file));
        assert!(tables.len() > 20, "{file}: tables are compared");
        for found in &tables {
            let counted: u64 = found.reasons.iter().map(|reason| reason.cells).sum();
            assert_eq!(counted, found.different + found.only_events, "{file}: {}", found.table);
            let unknown = found.reasons.iter().find(|reason| reason.reason.starts_with("unknown"));
            assert_eq!(unknown, None, "{file}: {}", found.table);
        }
    }
}

#[test]
fn without_tables_of_sums_nothing_is_compared() {
    let mut session =
        support::open([("x.json", r#"[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]"#)]);
    assert_eq!(session.answer(&ReconcileRequest), Vec::new());
}

/// A count that is changed by one is found: the comparison can fail.
#[test]
fn a_wrong_sum_is_found() {
    let sums = |count: u32| {
        format!(
            "EVENT_NAME\tCOUNT_STAR\tSUM_TIMER_WAIT\tMIN_TIMER_WAIT\tAVG_TIMER_WAIT\tMAX_TIMER_WAIT\nstage/sql/init\t{count}\t3000000\t1000000\t1500000\t2000000\n"
        )
    };
    let events = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tSOURCE\tTIMER_START\tTIMER_END\tTIMER_WAIT\tWORK_COMPLETED\tWORK_ESTIMATED\tNESTING_EVENT_ID\tNESTING_EVENT_TYPE\n\
        7\t1\t1\tstage/sql/init\tx.cc:1\t1000000\t2000000\t1000000\tNULL\tNULL\tNULL\tNULL\n\
        7\t2\t2\tstage/sql/init\tx.cc:1\t3000000\t5000000\t2000000\tNULL\tNULL\tNULL\tNULL\n";
    for (count, expected) in [(2, (1, 0)), (3, (0, 1))] {
        let mut session = Session::default();
        for (name, text) in [
            ("d/events_stages_history_long.tsv", events.to_owned()),
            ("d/events_stages_summary_global_by_event_name.tsv", sums(count)),
        ] {
            session.open(name);
            session.push(text.as_bytes());
            session.close(None);
        }
        session.build();
        let tables = session.answer(&ReconcileRequest);
        let found: Vec<_> = tables.iter().map(|table| (table.equal, table.different)).collect();
        assert_eq!(found, [expected], "{count}: {tables:#?}");
    }
}

/// A small export: some events, the server's sums of them, and what else tells of it.
struct Small {
    files: Vec<(&'static str, String)>,
}

const EVENT: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_END\tTIMER_WAIT\tOBJECT_SCHEMA\tOBJECT_NAME\tOBJECT_TYPE\tOBJECT_INSTANCE_BEGIN\tOPERATION\n";
const MUTEX: &str = "wait/synch/mutex/sql/m";

impl Small {
    /// Waits for a mutex by thread 7, with these ids.
    fn waits(ids: &[u32]) -> Self {
        Self::waits_for(ids.iter().map(|&id| (id, MUTEX)))
    }

    /// Waits of thread 7: the id and the name of each.
    fn waits_for<'n>(waits: impl Iterator<Item = (u32, &'n str)>) -> Self {
        let row = |(id, name): (u32, &str)| {
            format!("7\t{id}\t{id}\t{name}\t{0}000\t{0}770\t770\tNULL\tNULL\tNULL\t5\tlock\n", id * 10)
        };
        let rows: String = waits.map(row).collect();
        Self { files: vec![("d/events_waits_history_long.tsv", format!("{EVENT}{rows}"))] }
    }

    fn with(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.files.push((name, text.into()));
        self
    }

    /// The server's sums of all threads: how many waits it counted.
    fn global(self, count: u32) -> Self {
        self.with(
            "d/events_waits_summary_global_by_event_name.tsv",
            format!("EVENT_NAME\tCOUNT_STAR\tSUM_TIMER_WAIT\n{MUTEX}\t{count}\t{}\n", count * 770),
        )
    }

    fn by_thread(self, count: u32) -> Self {
        self.with("d/threads.tsv", "THREAD_ID\tNAME\tPROCESSLIST_ID\tHISTORY\n7\tthread/sql/main\t3\tYES\n")
            .with(
                "d/events_waits_summary_by_thread_by_event_name.tsv",
                format!("THREAD_ID\tEVENT_NAME\tCOUNT_STAR\n7\t{MUTEX}\t{count}\n"),
            )
    }

    /// The tables of the server's sums.
    fn tables(self) -> Vec<Reconciled> {
        let mut session = Session::default();
        for (name, text) in &self.files {
            session.open(name);
            session.push(text.as_bytes());
            session.close(None);
        }
        session.build();
        session.answer(&ReconcileRequest)
    }

    /// The reasons of what differs in a table.
    fn reasons(self, table: &str) -> Vec<String> {
        let found = self.tables().into_iter().filter(|found| found.table == table);
        found.flat_map(|found| found.reasons).map(|reason| reason.reason).collect()
    }
}

const GLOBAL: &str = "events_waits_summary_global_by_event_name";
const BY_THREAD: &str = "events_waits_summary_by_thread_by_event_name";

/// The reason of all that differs in a table begins so.
fn check(small: Small, table: &str, expected: &str) {
    let reasons = small.reasons(table);
    assert_eq!(reasons.len(), 1, "{expected}: {reasons:?}");
    assert!(reasons[0].starts_with(expected), "{expected}: {reasons:?}");
}

/// The reason follows from what is in the export, not from the names of tables and events.
#[test]
fn ids_tell_what_is_missing() {
    // Ids are missing, as many as the server counted more: they are it.
    let gaps = [5, 6, 9];
    check(Small::waits(&gaps).global(5), GLOBAL, "events are missing: 3 of 5 event ids");
    check(Small::waits(&gaps).global(5).by_thread(5), GLOBAL, "events are missing: 3 of 5 event ids");
    check(Small::waits(&gaps).by_thread(5), BY_THREAD, "events are missing: 3 of 5 event ids");
    let full = "Variable_name\tValue\nperformance_schema_events_waits_history_long_size\t3\n";
    let small = Small::waits(&gaps).global(5).with("d/variables.tsv", full);
    check(small, GLOBAL, "events are missing: the history of waits is full (3 rows), 3 of 5");
    // No id is missing: it was counted before, if there was anything before.
    let all = [5, 6, 7];
    check(Small::waits(&all).global(5), GLOBAL, "the server counted it before the first event");
    check(
        Small::waits(&all).global(5).by_thread(3),
        GLOBAL,
        "the server counted it before the first event in the files: TRUNCATE",
    );
    check(
        Small::waits(&all).by_thread(5),
        BY_THREAD,
        "the server counted it before the first event in the files: its sums",
    );
    check(Small::waits(&[1, 2, 3]).by_thread(5), BY_THREAD, "unknown");
    // An earlier export says that it was not.
    let before = format!("EVENT_NAME\tCOUNT_STAR\tSUM_TIMER_WAIT\n{MUTEX}\t1\t770\n");
    let small =
        Small::waits(&all).global(5).with("d/before/events_waits_summary_global_by_event_name.tsv", before);
    check(small, GLOBAL, "unknown");
}

#[test]
fn settings_and_tables_of_objects_tell_the_rest() {
    let all = [5, 6, 7];
    let consumers = |name| format!("NAME\tENABLED\n{name}\tYES\n");
    let small = Small::waits(&[1, 2, 3]).by_thread(5);
    check(
        small.with("d/setup_consumers.tsv", consumers("global_instrumentation")),
        BY_THREAD,
        "the instrumentation was on",
    );
    let silent = "THREAD_ID\tNAME\tPROCESSLIST_ID\tHISTORY\n7\tthread/sql/main\t3\tNO\n";
    let small = Small::waits(&all).with("d/threads.tsv", silent).with(
        "d/events_waits_summary_by_thread_by_event_name.tsv",
        format!("THREAD_ID\tEVENT_NAME\tCOUNT_STAR\n7\t{MUTEX}\t9\n"),
    );
    check(small, BY_THREAD, "the thread's events are not kept");
    let stages = "EVENT_NAME\tCOUNT_STAR\nstage/sql/init\t4\n";
    let small = Small::waits(&all).with("d/events_stages_summary_global_by_event_name.tsv", stages);
    let small = small.with("d/setup_consumers.tsv", "NAME\tENABLED\nevents_stages_history_long\tNO\n");
    check(small, "events_stages_summary_global_by_event_name", "the files have no stages: the consumer");
    // What the server forgot.
    check(Small::waits(&all).global(2), GLOBAL, "unknown");
    let instances = "EVENT_NAME\tOBJECT_INSTANCE_BEGIN\tCOUNT_STAR\n";
    let by_instance = |listed: u32| {
        Small::waits(&all).with("d/events_waits_summary_by_instance.tsv", instances).with(
            "d/mutex_instances.tsv",
            format!("NAME\tOBJECT_INSTANCE_BEGIN\tLOCKED_BY_THREAD_ID\n{MUTEX}\t{listed}\tNULL\n"),
        )
    };
    let row = format!("{instances}{MUTEX}\t9\t0\n");
    let table = "events_waits_summary_by_instance";
    check(
        by_instance(9).with("d/events_waits_summary_by_instance.tsv", row.clone()),
        table,
        "the object was destroyed",
    );
    check(by_instance(5).with("d/events_waits_summary_by_instance.tsv", row), table, "unknown");
}

/// A data set has the texts of a trace in another order than the files from which it was made.
#[test]
fn examples_do_not_depend_on_the_order_of_texts() {
    let names: Vec<String> = (0..7).map(|number| format!("{MUTEX}{number}")).collect();
    let first: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
    let backwards: Vec<&String> = names.iter().rev().collect();
    let mixed: Vec<&String> = [3, 0, 6, 1, 5, 2, 4].map(|at: usize| &names[at]).into();
    for order in [names.iter().collect(), backwards, mixed] {
        let waits = (5..).zip(order.iter().map(|name| name.as_str()));
        let tables = Small::waits_for(waits).global(0).tables();
        let reasons = &table(&tables, GLOBAL).reasons;
        let examples: Vec<&str> =
            reasons.iter().flat_map(|reason| &reason.examples).map(|cell| cell.row.as_str()).collect();
        assert_eq!(examples, first, "{order:?}");
    }
}

/// What is lost of the history of waits is not taken for anything else.
#[test]
fn a_history_that_was_overwritten_is_the_reason() {
    let Some(folder) = shared() else { return };
    let tables = reconciled_folder(&folder.join("mysql-9.7-mini/tsv"), |name, text| {
        if !name.ends_with("events_statements_history_long.tsv")
            && !name.ends_with("events_statements_history.tsv")
        {
            return text;
        }
        let text = String::from_utf8_lossy(&text);
        let mut lines: Vec<&str> = text.lines().collect();
        // The oldest three quarters.
        lines.drain(1..lines.len() * 3 / 4);
        (lines.join("\n") + "\n").into_bytes()
    });
    let global = table(&tables, "events_statements_summary_global_by_event_name");
    let is_missing =
        |reason: &str| reason.starts_with("events are missing: ") && reason.contains("event ids");
    assert!(global.reasons.iter().all(|reason| is_missing(&reason.reason)), "{:#?}", global.reasons);
    assert!(global.different > 100, "{global:#?}");
}

/// The tables of a folder, of which `change` may change files.
fn reconciled_folder(folder: &Path, change: impl Fn(&str, Vec<u8>) -> Vec<u8>) -> Vec<Reconciled> {
    let mut session = Session::default();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a shared folder").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        session.open(&name);
        session.push(&change(&name, std::fs::read(&path).expect("a shared file")));
        session.close(None);
    }
    session.build();
    session.answer(&ReconcileRequest)
}

/// Where the server's timers are not in the export, its averages tell the tick, though all times are multiples of two.
#[test]
fn the_tick_of_the_timer_is_found() {
    let Some(folder) = shared() else { return };
    for (file, expected) in [
        ("mysql-9.7-mini-one-file-per-table.zip", "ticks of 385 ps: CYCLE at 2,596,039,800 Hz"),
        ("mysql-9.7-mini-outfile-csv.tar.gz", "ticks of 385 ps: the common divisor of all their times"),
    ] {
        let tables = reconciled(&folder.join(file));
        let found = &table(&tables, GLOBAL).averages;
        assert!(found.contains(expected), "{file}: {found}");
    }
}
