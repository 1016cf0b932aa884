//! What stands beside the rows: files that name their columns, sums from before them, counters of what the server lost.

use queryscope::trace::{Item, SpanId};

use super::open;

const SQL: &str = "-- MySQL dump 10.13\nCREATE TABLE `events_stages_history_long` (\n  `EVENT_NAME` varchar(128) NOT NULL,\n  \
    `TIMER_WAIT` bigint DEFAULT NULL,\n  `EVENT_ID` bigint NOT NULL,\n  `THREAD_ID` bigint NOT NULL,\n  `TIMER_START` bigint\n) \
    ENGINE=PERFORMANCE_SCHEMA;\n";
const JSON: &str = r#"{"options": {"schema": "performance_schema", "table": "events_stages_history_long",
    "columns": ["EVENT_NAME", "TIMER_WAIT", "EVENT_ID", "THREAD_ID", "TIMER_START"], "fieldsTerminatedBy": "\t"}, "extension": "tsv"}"#;
const ROWS: &str = "stage/sql/init\t3000000\t5\t7\t1000000\nstage/sql/end\t\\N\t6\t7\t4000000\n";

/// Name, start and duration of every span; problems with their counts.
fn opened(files: &[(&str, &str)]) -> (Vec<String>, Vec<(String, u64)>) {
    let session = open(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    let trace = session.trace();
    let span = |id: u32| {
        let span = trace.spans.get(SpanId(id));
        let id = trace.num(Item::Span(SpanId(id)), trace.key("event id").expect("ids")).unwrap_or(-1);
        format!("{id} {} {}", trace.str(span.name), span.duration)
    };
    let spans = (0..trace.spans.len() as u32).map(span).collect();
    let problems = session.report().into_iter().flat_map(|file| file.problems);
    // None of these events says when it ended.
    let problems = problems.filter(|problem| problem.name != "not ended");
    (spans, problems.map(|problem| (problem.name, problem.count)).collect())
}

/// Rows whose columns stand in another order than the server's are read as the file beside them says, whichever comes first.
#[test]
fn files_beside_name_the_columns() {
    let expected = ["5 stage/sql/init 3000", "6 stage/sql/end 0"];
    let tab = ("d/events_stages_history_long.txt", ROWS);
    let dump = ("d/performance_schema@events_stages_history_long@@0.tsv", ROWS);
    let sql = ("d/events_stages_history_long.sql", SQL);
    let json = ("d/performance_schema@events_stages_history_long.json", JSON);
    for files in [[sql, tab], [tab, sql], [json, dump], [dump, json]] {
        let (spans, problems) = opened(&files);
        assert_eq!(spans, expected, "{files:?}");
        assert!(problems.iter().all(|(name, _)| name == "not timed"), "{files:?}: {problems:?}");
    }
    // Of another folder, or of another table, they say nothing.
    for other in [("e/events_stages_history_long.sql", SQL), ("d/threads.sql", "CREATE TABLE `threads` (\n")]
    {
        let (spans, problems) = opened(&[tab, other]);
        assert_eq!((spans.len(), problems), (0, vec![("columns not known".to_owned(), 2)]), "{other:?}");
    }
}

/// A row that was read before another order was named is not taken back, and that is said.
#[test]
fn columns_that_are_named_too_late_are_reported() {
    let rows = "7\t5\t5\tstage/sql/init\tx.cc:1\t1\t2\t1000000\t1\t2\t4\tSTATEMENT\n";
    let columns = "EVENT_ID THREAD_ID END_EVENT_ID EVENT_NAME SOURCE TIMER_START TIMER_END TIMER_WAIT WORK_COMPLETED \
                   WORK_ESTIMATED NESTING_EVENT_ID NESTING_EVENT_TYPE";
    let lines: Vec<String> = columns.split(' ').map(|column| format!("  `{column}` bigint")).collect();
    let sql = format!("CREATE TABLE `events_stages_history_long` (\n{}\n);\n", lines.join(",\n"));
    let (rows, sql) =
        (("d/events_stages_history_long.txt", rows), ("d/events_stages_history_long.sql", &*sql));
    let late = ("columns named too late".to_owned(), 1);
    assert!(opened(&[rows, sql]).1.contains(&late), "{:?}", opened(&[rows, sql]));
    assert!(!opened(&[sql, rows]).1.contains(&late));
}

/// Text that is written without escapes is put together again; a row that the file's end cuts off is called so.
#[test]
fn text_without_escapes_is_read() {
    const HEADER: &str =
        "THREAD_ID\tEVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tSQL_TEXT\tDIGEST_TEXT\tROWS_SENT\n";
    let row = "1\t2\tstatement/sql/select\t1000\t5000\t";
    let check = |text: String, expected: &[&str], problems: &[(&str, u64)]| {
        let (spans, found) = opened(&[("events_statements_history_long.tsv", &text)]);
        assert_eq!(spans, expected, "{text}");
        let problems: Vec<(String, u64)> =
            problems.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        assert_eq!(found, problems, "{text}");
    };
    check(format!("{HEADER}{row}SELECT 1\tSELECT ?\t1\n"), &["2 SELECT 1 5"], &[]);
    check(format!("{HEADER}{row}SELECT\n1\tSELECT ?\t1\n"), &["2 SELECT\n1 5"], &[]);
    check(
        format!("{HEADER}{row}SELECT\t1\tSELECT ?\t1\n"),
        &["2 SELECT\t1 5"],
        &[("separator not escaped", 1)],
    );
    check(
        format!("{HEADER}{row}SELECT\t\n1\tSELECT ?\t1\n"),
        &["2 SELECT\t\n1 5"],
        &[("separator not escaped", 1)],
    );
    check(format!("{HEADER}{row}SELECT 1\tSELECT ?\t1\n{row}SEL"), &["2 SELECT 1 5"], &[("cut off", 1)]);
    let comma = |text: &str| text.replace('\t', ";");
    let quoted = format!(
        "{}1;2;\"statement/sql/select\";1000;5000;\"SELECT \"a;b\", \"c\" x\";\"S\";1\n",
        comma(HEADER)
    );
    check(quoted, &["2 SELECT \"a;b\", \"c\" x 5"], &[]);
}

/// An export of the sums from before the events is no run of its own; counters of losses are told, less what they were.
#[test]
fn what_was_before_belongs_to_the_run() {
    let status = |digests: u32| {
        format!(
            "Variable_name\tValue\nPerformance_schema_digest_lost\t{digests}\nPerformance_schema_users_lost\t3\n"
        )
    };
    let (before, after) = (status(5), status(7));
    let events = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\n1\t2\t2\tstage/sql/init\t1000\t5000\n";
    let size = "Variable_name\tValue\nperformance_schema_events_stages_history_long_size\t1\n";
    let files = [
        ("d/before/status.tsv", &*before),
        ("d/status.tsv", &*after),
        ("d/sizes.tsv", size),
        ("d/events_stages_history_long.tsv", events),
    ];
    let session = open(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    let trace = session.trace();
    assert_eq!(trace.runs.len(), 1);
    let note = trace.notes.iter().find(|note| note.name == "losses").expect("a note");
    assert_eq!(
        note.text,
        "The history of stages is full (1 rows): older rows were overwritten. Increase \
         performance_schema_events_stages_history_long_size. Lost for lack of room on the server: 2 of digest (increase \
         performance_schema_digests_size)."
    );
    let problems: Vec<String> =
        session.report().into_iter().flat_map(|file| file.problems).map(|problem| problem.name).collect();
    assert_eq!(problems, ["lost by the server"]);
}
