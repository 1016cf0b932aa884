//! Who waits for whom, out of each of the tables that tell it.

use queryscope::protocol::{CriticalPathRequest, Link, LockRow, LockSide, PathRule};

use super::open;

const EVENTS: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tSQL_TEXT\n\
    1\t1\t5\tstatement/sql/update\t1000000\t3000000\tUPDATE t SET a = 1\n\
    1\t2\tNULL\ttransaction\t1500000\t90000000\tNULL\n\
    2\t10\tNULL\tstatement/sql/update\t5000000\t80000000\tUPDATE t SET a = 2\n\
    2\t12\tNULL\twait/io/table/sql/handler\t6000000\t70000000\tNULL\n";
const THREADS: &str =
    "THREAD_ID\tNAME\tPROCESSLIST_ID\n1\tthread/sql/one_connection\t101\n2\tthread/sql/one_connection\t102\n";

/// The arrows of an export with these tables, and the findings about locks.
fn check(tables: &[(&str, &str)], expected: &[&str]) {
    let mut files = vec![("x/events.tsv", EVENTS.as_bytes()), ("x/threads.tsv", THREADS.as_bytes())];
    files.extend(tables.iter().map(|(name, text)| (*name, text.as_bytes())));
    let mut session = open(files);
    let findings = session.answer(&queryscope::protocol::FindingsRequest::default()).groups;
    let trace = session.trace();
    let name = |span| trace.str(trace.spans.get(span).name);
    let arrow = |flow: &queryscope::trace::Flow| {
        format!("{} {} -> {}", trace.str(flow.name), name(flow.from), name(flow.to))
    };
    assert_eq!(trace.flows.iter().map(arrow).collect::<Vec<_>>(), expected, "{tables:?}");
    let blocked = findings.iter().find(|group| group.name == "waits for a lock");
    assert_eq!(blocked.is_some(), !expected.is_empty());
    if let Some(group) = blocked {
        assert_eq!(group.worst[0].title, "UPDATE t SET a = 2");
        assert_eq!(group.worst[0].text, "held by 1 one_connection · connection 101 (transaction)");
    }
}

/// A wait for a lock is on the path of its statement through the transaction that holds the lock.
#[test]
fn the_critical_path_goes_on_in_the_blocking_transaction() {
    let rows =
        "REQUESTING_THREAD_ID\tREQUESTING_EVENT_ID\tBLOCKING_THREAD_ID\tBLOCKING_EVENT_ID\n2\t12\t1\t4\n";
    let path = |locks: &str, rows: &str| {
        let mut session = open(vec![("x/events.tsv", EVENTS), ("x/threads.tsv", THREADS), (locks, rows)]);
        let path = session.answer(&CriticalPathRequest { range: None, item: None }).expect("statements");
        let steps: Vec<(String, i64)> = path.path.iter().map(|p| (p.link.title.clone(), p.time)).collect();
        (steps, path.rule)
    };
    let steps = |middle: &str| {
        [("UPDATE t SET a = 2", 1_000), (middle, 70_000), ("UPDATE t SET a = 2", 9_000)]
            .map(|(name, time)| (name.to_owned(), time))
            .to_vec()
    };
    assert_eq!(path("x/data_lock_waits.tsv", rows), (steps("transaction"), PathRule::NestingAndLocks));
    let none = rows.lines().next().unwrap_or_default();
    let without = path("x/data_lock_waits.tsv", none);
    assert_eq!(without, (steps("wait/io/table/sql/handler"), PathRule::Nesting));
}

#[test]
fn locks_are_arrows() {
    const ARROW: &[&str] = &["lock transaction -> wait/io/table/sql/handler"];
    let rows =
        "REQUESTING_THREAD_ID\tREQUESTING_EVENT_ID\tBLOCKING_THREAD_ID\tBLOCKING_EVENT_ID\n2\t12\t1\t4\n";
    check(&[("x/data_lock_waits.tsv", rows)], ARROW);
    let locks = |status: &str| {
        format!(
            "OBJECT_TYPE\tOBJECT_SCHEMA\tOBJECT_NAME\tLOCK_TYPE\tLOCK_DURATION\tLOCK_STATUS\tOWNER_THREAD_ID\tOWNER_EVENT_ID\n\
             TABLE\ts\tt\tSHARED_WRITE\tTRANSACTION\tGRANTED\t1\t3\n\
             TABLE\ts\tu\tEXCLUSIVE\tTRANSACTION\tGRANTED\t1\t3\n\
             TABLE\ts\tt\t{status}\tTRANSACTION\tPENDING\t2\t12\n"
        )
    };
    check(&[("x/metadata_locks.tsv", &locks("EXCLUSIVE"))], ARROW);
    check(&[("x/metadata_locks.tsv", &locks("SHARED_READ"))], &[]);
    let transactions = "TRX_ID\tTRX_STATE\tTRX_MYSQL_THREAD_ID\n7\tRUNNING\t101\n8\tLOCK WAIT\t102\n";
    let waits = "REQUESTING_TRX_ID\tREQUESTED_LOCK_ID\tBLOCKING_TRX_ID\tBLOCKING_LOCK_ID\n8\ta\t7\tb\n";
    check(
        &[("x/innodb_trx.tsv", transactions), ("x/innodb_lock_waits.tsv", waits)],
        &["lock transaction -> UPDATE t SET a = 2"],
    );
    // What it names is not in the files.
    let rows =
        "REQUESTING_THREAD_ID\tREQUESTING_EVENT_ID\tBLOCKING_THREAD_ID\tBLOCKING_EVENT_ID\n2\t12\t9\t4\n";
    check(&[("x/data_lock_waits.tsv", rows)], &[]);
}

/// Who waits for whom in a row: lock, modes, since, then thread and statement of both.
fn rows(tables: &[(&str, &str)]) -> Vec<String> {
    let mut files = vec![("x/events.tsv", EVENTS.as_bytes()), ("x/threads.tsv", THREADS.as_bytes())];
    files.extend(tables.iter().map(|(name, text)| (*name, text.as_bytes())));
    let session = open(files);
    let side = |side: &LockSide| {
        let title = |link: &Option<Link>| link.as_ref().map_or("-".to_owned(), |link| link.title.clone());
        let running = side.running.as_deref().unwrap_or("-");
        format!("{} / {} / {} / {running}", side.thread, title(&side.span), title(&side.statement))
    };
    let row = |row: &LockRow| {
        let modes = [&row.wanted, &row.held, &row.since].map(|text| text.as_deref().unwrap_or("-"));
        format!("{}: {}; {}; {}", row.object, modes.join(" "), side(&row.waiter), side(&row.holder))
    };
    queryscope::internal::stats::lock_waits(session.trace()).rows.iter().map(row).collect()
}

#[test]
fn locks_are_listed() {
    let waits = "REQUESTING_ENGINE_LOCK_ID\tREQUESTING_ENGINE_TRANSACTION_ID\tREQUESTING_THREAD_ID\tREQUESTING_EVENT_ID\t\
                 BLOCKING_ENGINE_LOCK_ID\tBLOCKING_ENGINE_TRANSACTION_ID\tBLOCKING_THREAD_ID\tBLOCKING_EVENT_ID\n\
                 a:2\t8\t2\t12\tb:1\t7\t1\t4\n";
    let locks = "ENGINE\tENGINE_LOCK_ID\tENGINE_TRANSACTION_ID\tTHREAD_ID\tEVENT_ID\tOBJECT_SCHEMA\tOBJECT_NAME\tINDEX_NAME\t\
                 LOCK_TYPE\tLOCK_MODE\tLOCK_STATUS\tLOCK_DATA\n\
                 INNODB\ta:2\t8\t2\t12\ts\tt\tPRIMARY\tRECORD\tX,REC_NOT_GAP\tWAITING\t5\n\
                 INNODB\tb:1\t7\t1\t4\ts\tt\tPRIMARY\tRECORD\tX\tGRANTED\t5\n";
    let transactions = "trx_id\ttrx_state\ttrx_wait_started\ttrx_mysql_thread_id\ttrx_query\n\
                        7\tRUNNING\tNULL\t101\tNULL\n8\tLOCK WAIT\t2026-11-21 06:00:00\t102\tUPDATE t\n";
    let waiter = "2 one_connection · connection 102 / wait/io/table/sql/handler / UPDATE t SET a = 2";
    let holder = "1 one_connection · connection 101 / transaction / UPDATE t SET a = 1 / -";
    assert_eq!(
        rows(&[
            ("x/data_lock_waits.tsv", waits),
            ("x/data_locks.tsv", locks),
            ("x/innodb_trx.tsv", transactions)
        ]),
        [format!(
            "s.t, index PRIMARY, record 5: X,REC_NOT_GAP X 2026-11-21 06:00:00; {waiter} / UPDATE t; {holder}"
        )]
    );
    // Threads that are not in the files are told by their numbers.
    let gone = waits.replace("\t1\t4\n", "\t9\t4\n");
    assert_eq!(
        rows(&[("x/data_lock_waits.tsv", &gone)]),
        [format!(": - - -; {waiter} / -; thread 9 (ended) / - / - / -")]
    );
    let older = [
        ("x/innodb_trx.tsv", transactions),
        (
            "x/innodb_lock_waits.tsv",
            "requesting_trx_id\trequested_lock_id\tblocking_trx_id\tblocking_lock_id\n8\ta\t7\tb\n",
        ),
        (
            "x/innodb_locks.tsv",
            "lock_id\tlock_trx_id\tlock_mode\tlock_type\tlock_table\tlock_index\tlock_data\n\
             a\t8\tX\tRECORD\t`s`.`t`\tPRIMARY\t5\nb\t7\tS\tRECORD\t`s`.`t`\tPRIMARY\t5\n",
        ),
    ];
    let waiter = "2 one_connection · connection 102 / UPDATE t SET a = 2 / UPDATE t SET a = 2";
    assert_eq!(
        rows(&older),
        [format!("s.t, index PRIMARY, record 5: X S 2026-11-21 06:00:00; {waiter} / UPDATE t; {holder}")]
    );
}

#[test]
fn views_of_the_sys_schema_tell_the_same() {
    let waiter = "2 one_connection · connection 102 / UPDATE t SET a = 2 / UPDATE t SET a = 2";
    let holder = "1 one_connection · connection 101 / transaction / UPDATE t SET a = 1 / -";
    let sys = "wait_started\tlocked_table\tlocked_index\twaiting_pid\twaiting_query\twaiting_lock_mode\tblocking_pid\t\
               blocking_query\tblocking_lock_mode\n\
               2026-11-21 06:00:00\t`s`.`t`\tPRIMARY\t102\tUPDATE t\tX\t101\tNULL\tX\n";
    let sys_row = format!("s.t, index PRIMARY: X X 2026-11-21 06:00:00; {waiter} / UPDATE t; {holder}");
    for name in ["x/innodb_lock_waits.tsv", "x/x$innodb_lock_waits.tsv"] {
        assert_eq!(rows(&[(name, sys)]).join("\n"), sys_row);
    }
    let table_waits = "object_schema\tobject_name\twaiting_thread_id\twaiting_pid\twaiting_lock_type\twaiting_query\t\
                       blocking_thread_id\tblocking_pid\tblocking_lock_type\n\
                       s\tt\t2\t102\tEXCLUSIVE\tALTER TABLE t\t1\t101\tSHARED_READ\n\
                       s\tt\t2\t102\tEXCLUSIVE\tALTER TABLE t\t2\t102\tSHARED_UPGRADABLE\n";
    assert_eq!(
        rows(&[("x/schema_table_lock_waits.tsv", table_waits)]),
        [format!("s.t: EXCLUSIVE SHARED_READ -; {waiter} / ALTER TABLE t; {holder}")]
    );
}

#[test]
fn of_a_thousand_holders_the_first_are_listed() {
    let mut locks = "OBJECT_TYPE\tOBJECT_SCHEMA\tOBJECT_NAME\tLOCK_TYPE\tLOCK_DURATION\tLOCK_STATUS\tOWNER_THREAD_ID\tOWNER_EVENT_ID\n\
                     TABLE\ts\tt\tEXCLUSIVE\tTRANSACTION\tPENDING\t2\t12\n"
        .to_owned();
    for thread in 100..1100 {
        locks += &format!("TABLE\ts\tt\tSHARED_READ\tTRANSACTION\tGRANTED\t{thread}\t3\n");
    }
    let files = [("x/events.tsv", EVENTS.as_bytes()), ("x/metadata_locks.tsv", locks.as_bytes())];
    let rows = queryscope::internal::stats::lock_waits(open(files).trace()).rows;
    assert_eq!((rows.len(), rows.iter().map(|row| row.more).sum::<u32>()), (32, 968));
}
