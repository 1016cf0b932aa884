//! The sums that servers made themselves, against those of their events, on real exports.

mod support;

use std::path::{Path, PathBuf};

use queryscope::protocol::{Reconciled, Reply, Request};
use queryscope::session::Session;

/// The folder of shared exports.
fn shared() -> Option<PathBuf> {
    support::shared("own/mysql").map(|folder| folder.join("own/mysql"))
}

fn reconciled(file: &Path) -> Vec<Reconciled> {
    let mut session = Session::default();
    session.open("export");
    session.push(&std::fs::read(file).expect("a shared file can be read"));
    session.close(None);
    session.build();
    let Reply::Reconciled(tables) = session.handle(&Request::Reconcile) else { panic!("another reply") };
    tables
}

fn table<'a>(tables: &'a [Reconciled], name: &str) -> &'a Reconciled {
    tables.iter().find(|table| table.table == name).unwrap_or_else(|| panic!("there is a table {name}"))
}

/// Table, rows, cells: a count, sum, least, average and greatest value (and bytes) together for every operation and for
/// all of them, and each sum, greatest value and quantile of statements alone. Of the first seven, 4,618 cells are of
/// single operations, as counted by a program of another language.
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

#[test]
fn a_complete_export_equals_the_servers_tables_cell_by_cell() {
    let Some(folder) = shared() else { return };
    let tables = reconciled(&folder.join("mysql-9.7-sysbench-gold.zip"));
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
            let unknown = found.reasons.iter().find(|reason| reason.reason == "unexplained");
            assert_eq!(unknown, None, "{file}: {}", found.table);
        }
    }
}

#[test]
fn without_tables_of_sums_nothing_is_compared() {
    let mut session = Session::default();
    session.open("x.json");
    session.push(br#"[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]"#);
    session.close(None);
    session.build();
    assert_eq!(session.handle(&Request::Reconcile), Reply::Reconciled(Vec::new()));
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
        let Reply::Reconciled(tables) = session.handle(&Request::Reconcile) else { panic!("another reply") };
        let found: Vec<_> = tables.iter().map(|table| (table.equal, table.different)).collect();
        assert_eq!(found, [expected], "{count}: {tables:#?}");
    }
}
