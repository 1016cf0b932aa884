//! Who waits for whom, out of each of the tables that tell it.

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
    let session = open(files);
    let trace = session.trace();
    let name = |span| trace.str(trace.spans.get(span).name);
    let arrow = |flow: &queryscope::trace::Flow| {
        format!("{} {} -> {}", trace.str(flow.name), name(flow.from), name(flow.to))
    };
    assert_eq!(trace.flows.iter().map(arrow).collect::<Vec<_>>(), expected, "{tables:?}");
    let findings = queryscope::stats::findings(trace);
    let blocked = findings.iter().find(|group| group.name == "waits for a lock");
    assert_eq!(blocked.is_some(), !expected.is_empty());
    if let Some(group) = blocked {
        assert_eq!(group.worst[0].title, "UPDATE t SET a = 2");
        assert_eq!(group.worst[0].text, "held by one_connection 1 · connection 101 (transaction)");
    }
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
