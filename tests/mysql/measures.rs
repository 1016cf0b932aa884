//! The measures by the server's definitions, against the server's own tables of sums, cell by cell.

use std::collections::HashMap;

use queryscope::internal::pivot::PlainField;
use queryscope::protocol::{PivotSpec, PivotView, ShapeList, ShapeListRequest};
use queryscope::session::Session;
use queryscope::trace::{RunId, Table, Trace, attribute_names};

/// A table of sums, and the dimensions, filter and columns of the same question.
const TABLES: [(&str, &str, &str, &[&str]); 6] = [
    ("events_waits_summary_global_by_event_name", "event name", "kind != stage", &["EVENT_NAME"]),
    ("events_stages_summary_global_by_event_name", "event name", "kind = stage", &["EVENT_NAME"]),
    ("events_transactions_summary_global_by_event_name", "event name", "kind = transaction", &["EVENT_NAME"]),
    ("events_statements_summary_global_by_event_name", "event name", "name != idle", &["EVENT_NAME"]),
    (
        "events_waits_summary_by_thread_by_event_name",
        "thread id, event name",
        "kind = wait",
        &["THREAD_ID", "EVENT_NAME"],
    ),
    (
        "events_waits_summary_by_instance",
        "event name, instance",
        "kind = wait",
        &["EVENT_NAME", "OBJECT_INSTANCE_BEGIN"],
    ),
];
const MEASURES: &str = "server count, server sum, server min, server avg, server max";
const COLUMNS: [&str; 5] =
    ["COUNT_STAR", "SUM_TIMER_WAIT", "MIN_TIMER_WAIT", "AVG_TIMER_WAIT", "MAX_TIMER_WAIT"];

/// By the values of the dimensions: the measures, as the server writes them.
fn measured(session: &mut Session, by: &str, filter: &str) -> HashMap<Vec<String>, Vec<String>> {
    let spec =
        PivotSpec { by: by.into(), measures: MEASURES.into(), filter: filter.into(), ..PivotSpec::default() };
    let view = PivotView { spec, ..PivotView::default() };
    let (trace, pivot) = session.pivot();
    let mut rows = HashMap::new();
    let dimensions = by.split(',').count();
    let mut take = |fields: &[PlainField]| {
        let text = |field: &PlainField| match field {
            PlainField::None => "0".to_owned(),
            PlainField::Text(text) | PlainField::Number(text) => text.clone(),
        };
        let (key, values) = fields.split_at(dimensions);
        rows.insert(key.iter().map(text).collect(), values.iter().map(text).collect());
    };
    pivot.each(trace, &view, false, &mut take).expect("a question that is understood");
    rows
}

fn cells(trace: &Trace, table: &Table, row: usize, columns: &[&str]) -> Vec<String> {
    let cell = |name: &&str| {
        let column = table.column(&trace.strings, name).expect("a column of such tables");
        table.cell(row, column).map_or("0", |text| trace.str(text)).to_owned()
    };
    columns.iter().map(cell).collect()
}

#[test]
fn the_servers_measures_are_the_cells_of_its_tables() {
    let Some(root) = super::shared::shared() else { return };
    let mut session = super::shared::open(&root, &[root.join("mysql-9.7-sysbench-gold.zip")]);
    let mut equal = 0;
    for (name, by, filter, key) in TABLES {
        let measured = measured(&mut session, by, filter);
        let trace = session.trace();
        let called = |name: &str| {
            (0..trace.runs.len() as u32).find_map(|run| trace.tables.find(&trace.strings, RunId(run), name))
        };
        let table = called(name).expect("a table of sums");
        let before =
            called(&format!("{}{name}", attribute_names::BEFORE)).map_or_else(HashMap::new, |table| {
                let count =
                    |row| cells(trace, table, row, &COLUMNS[..1])[0].parse::<u64>().expect("a number");
                (0..table.len()).map(|row| (cells(trace, table, row, key), count(row))).collect()
            });
        for row in 0..table.len() {
            let (key, server) = (cells(trace, table, row, key), cells(trace, table, row, &COLUMNS));
            // TRUNCATE does not reset all sums: some had counted before. And `idle` of threads that are alive counts twice.
            if before.get(&key).is_some_and(|&count| count > 0)
                || key.iter().any(|part| part == "idle")
                || server[0] == "0"
            {
                continue;
            }
            assert_eq!(measured.get(&key), Some(&server), "{name} {key:?}");
            equal += 1;
        }
    }
    // No row that is not zero and had not counted before may go missing from the comparison.
    assert_eq!(equal, 930, "rows that are not zero");
}

/// Waits alone bear the names of their events and report them nowhere else.
#[test]
fn waits_alone_have_names_of_events() {
    let waits = super::fixtures().join("thread/events_waits_history_long.tsv");
    let mut session =
        super::open([("events_waits_history_long.tsv", std::fs::read(waits).expect("a fixture"))]);
    let measured = measured(&mut session, "event name", "kind = wait");
    let handler = measured.get(&["wait/io/table/sql/handler".to_owned()][..]);
    assert!(
        handler.is_some_and(|cells| cells[0].parse::<u64>().is_ok_and(|count| count > 0)),
        "{measured:?}"
    );
}

/// The texts of the only wait of each thread, by dimension, and how many there are.
fn grouped(by: &str) -> Vec<String> {
    let waits = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tOBJECT_SCHEMA\tOBJECT_NAME\tOBJECT_TYPE\n\
        7\t1\t1\twait/lock/metadata/sql/mdl\t10000\t5000\tshop\tproducts\tTABLE\n\
        8\t1\t1\twait/lock/metadata/sql/mdl\t10000\t5000\tshop\tf\tFUNCTION\n\
        9\t1\t1\twait/io/table/sql/handler\t10000\t5000\tshop\tproducts\tTABLE\n";
    let threads = "THREAD_ID\tNAME\tPROCESSLIST_ID\tPROCESSLIST_USER\tPROCESSLIST_HOST\n\
        7\tthread/sql/one_connection\t1\tapp\tlocalhost\n8\tthread/innodb/io_read_thread\tNULL\tNULL\tNULL\n";
    let files = [("d/events_waits_history_long.tsv", waits), ("d/threads.tsv", threads)];
    let mut session = super::open(files);
    let spec = PivotSpec {
        by: by.into(),
        measures: "count".into(),
        filter: "kind = wait".into(),
        ..PivotSpec::default()
    };
    let view = PivotView { spec, ..PivotView::default() };
    let (trace, pivot) = session.pivot();
    let mut rows = Vec::new();
    let mut take = |fields: &[PlainField]| {
        let text = |field: &PlainField| match field {
            PlainField::None => "–".to_owned(),
            PlainField::Text(text) | PlainField::Number(text) => text.clone(),
        };
        rows.push(fields.iter().map(text).collect::<Vec<_>>().join(" "));
    };
    pivot.each(trace, &view, false, &mut take).expect("a question that is understood");
    // The first one names the columns.
    rows.remove(0);
    rows.sort();
    rows
}

/// A metadata lock of a table is one of that table; a thread of the server's own is none that is not known.
#[test]
fn waits_are_grouped_by_what_their_rows_say() {
    assert_eq!(grouped("schema, table"), ["shop products 2", "– – 1"]);
    assert_eq!(grouped("object"), ["shop.f 1", "shop.products 1", "– 1"]);
    assert_eq!(grouped("user"), ["(background) 1", "app 1", "– 1"]);
    assert_eq!(grouped("host"), ["(background) 1", "localhost 1", "– 1"]);
    assert_eq!(grouped("account"), ["(background) 1", "app@localhost 1", "– 1"]);
}

/// A wait in another wait is its child, also where a stage began in the outer one that lasts longer: the time of the inner
/// one is no time of the outer one's own.
#[test]
fn a_stage_that_begins_in_a_wait_does_not_part_it() {
    let header = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\n";
    let rows = "7\t1\t20\tstatement/sql/select\t1000000\t90000000\n7\t2\t4\tstage/sql/init\t1000000\t30000000\n\
        7\t4\t9\tstage/sql/waiting\t31000000\t50000000\n";
    let waits = "7\t3\t6\twait/lock/metadata/sql/mdl\t20000000\t40000000\n\
        7\t5\t5\twait/synch/cond/mdl/c\t32000000\t25000000\n7\t7\t7\twait/synch/mutex/sql/m\t65000000\t1000000\n";
    let files = [("d/a.tsv", format!("{header}{rows}")), ("d/b.tsv", format!("{header}{waits}"))];
    let session = super::open(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    let lines = super::dump(session.trace());
    for (id, parent) in [(3, 2), (5, 3), (7, 4)] {
        let line = lines.iter().find(|line| line.contains(&format!("event id={id} "))).expect("a span");
        assert!(line.contains(&format!(" in {parent}")), "{id} in {parent}: {lines:#?}");
    }
}

/// What the waits inside the executions of a statement read and wrote is the statement's number of bytes; what background threads did
/// belongs to nobody, and the rows of table waits are no bytes.
#[test]
fn bytes_of_a_statement_are_those_of_its_waits() {
    const EVENTS: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tSQL_TEXT\tNESTING_EVENT_ID\tNUMBER_OF_BYTES\n\
        1\t1\t4\tstatement/sql/select\t1000000\t9000000\tSELECT 1\tNULL\tNULL\n\
        1\t2\t2\twait/io/file/innodb/innodb_data_file\t2000000\t1000000\tNULL\t1\t16384\n\
        1\t3\t4\twait/io/table/sql/handler\t4000000\t4000000\tNULL\t1\t7\n\
        1\t4\t4\twait/io/file/sql/FRM\t5000000\t1000000\tNULL\t3\t100\n\
        2\t1\t2\tstatement/sql/select\t1000000\t9000000\tSELECT 2\tNULL\tNULL\n\
        2\t2\t2\twait/io/socket/sql/client_connection\t2000000\t1000000\tNULL\t1\t11\n\
        2\t3\t3\tstatement/sql/commit\t20000000\t1000000\tCOMMIT\tNULL\tNULL\n\
        3\t1\t1\twait/io/file/innodb/innodb_log_file\t3000000\t1000000\tNULL\tNULL\t512\n";
    let mut session = super::open(vec![("x/events.tsv", EVENTS)]);
    let page = session.answer(&ShapeListRequest { list: ShapeList::default(), first: 0, count: 9 });
    let bytes: Vec<_> = page.rows.iter().map(|row| (row.title.as_str(), row.bytes)).collect();
    assert_eq!(bytes, [("SELECT ?", Some(16_384 + 100 + 11)), ("COMMIT", None)]);
}
