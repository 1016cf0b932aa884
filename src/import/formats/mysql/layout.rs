//! Names and columns of the server's tables, which identify a table that does not give its name.
//!
//! Columns are from the manual's chapter "MySQL Performance Schema" and from servers 5.6, 9.7 and MariaDB 10.11. Newer
//! versions append columns, so the columns of an older version are a prefix.

use super::header;
use super::roles::MySqlColumnRole;
use crate::import::tables::{Scratch, TableRow};

/// Columns of tables that may be exported without column names.
pub const LAYOUTS: [(&str, &str); 12] = [
    (
        "events_waits_",
        "THREAD_ID EVENT_ID END_EVENT_ID EVENT_NAME SOURCE TIMER_START TIMER_END TIMER_WAIT SPINS OBJECT_SCHEMA OBJECT_NAME \
         INDEX_NAME OBJECT_TYPE OBJECT_INSTANCE_BEGIN NESTING_EVENT_ID NESTING_EVENT_TYPE OPERATION NUMBER_OF_BYTES FLAGS",
    ),
    (
        "events_stages_",
        "THREAD_ID EVENT_ID END_EVENT_ID EVENT_NAME SOURCE TIMER_START TIMER_END TIMER_WAIT WORK_COMPLETED WORK_ESTIMATED \
         NESTING_EVENT_ID NESTING_EVENT_TYPE",
    ),
    (
        "events_stages_",
        "THREAD_ID EVENT_ID END_EVENT_ID EVENT_NAME SOURCE TIMER_START TIMER_END TIMER_WAIT NESTING_EVENT_ID \
         NESTING_EVENT_TYPE",
    ),
    (
        "events_statements_",
        "THREAD_ID EVENT_ID END_EVENT_ID EVENT_NAME SOURCE TIMER_START TIMER_END TIMER_WAIT LOCK_TIME SQL_TEXT DIGEST \
         DIGEST_TEXT CURRENT_SCHEMA OBJECT_TYPE OBJECT_SCHEMA OBJECT_NAME OBJECT_INSTANCE_BEGIN MYSQL_ERRNO \
         RETURNED_SQLSTATE MESSAGE_TEXT ERRORS WARNINGS ROWS_AFFECTED ROWS_SENT ROWS_EXAMINED CREATED_TMP_DISK_TABLES \
         CREATED_TMP_TABLES SELECT_FULL_JOIN SELECT_FULL_RANGE_JOIN SELECT_RANGE SELECT_RANGE_CHECK SELECT_SCAN \
         SORT_MERGE_PASSES SORT_RANGE SORT_ROWS SORT_SCAN NO_INDEX_USED NO_GOOD_INDEX_USED NESTING_EVENT_ID \
         NESTING_EVENT_TYPE NESTING_EVENT_LEVEL STATEMENT_ID CPU_TIME MAX_CONTROLLED_MEMORY MAX_TOTAL_MEMORY \
         EXECUTION_ENGINE",
    ),
    (
        "events_transactions_",
        "THREAD_ID EVENT_ID END_EVENT_ID EVENT_NAME STATE TRX_ID GTID XID_FORMAT_ID XID_GTRID XID_BQUAL XA_STATE SOURCE \
         TIMER_START TIMER_END TIMER_WAIT ACCESS_MODE ISOLATION_LEVEL AUTOCOMMIT NUMBER_OF_SAVEPOINTS \
         NUMBER_OF_ROLLBACK_TO_SAVEPOINT NUMBER_OF_RELEASE_SAVEPOINT OBJECT_INSTANCE_BEGIN NESTING_EVENT_ID \
         NESTING_EVENT_TYPE",
    ),
    (
        "threads",
        "THREAD_ID NAME TYPE PROCESSLIST_ID PROCESSLIST_USER PROCESSLIST_HOST PROCESSLIST_DB PROCESSLIST_COMMAND \
         PROCESSLIST_TIME PROCESSLIST_STATE PROCESSLIST_INFO PARENT_THREAD_ID ROLE INSTRUMENTED HISTORY CONNECTION_TYPE \
         THREAD_OS_ID RESOURCE_GROUP EXECUTION_ENGINE CONTROLLED_MEMORY MAX_CONTROLLED_MEMORY TOTAL_MEMORY \
         MAX_TOTAL_MEMORY TELEMETRY_ACTIVE",
    ),
    ("events_waits_summary_global_by_event_name", SUMS),
    ("events_stages_summary_global_by_event_name", SUMS),
    (
        "events_statements_summary_by_digest",
        "SCHEMA_NAME DIGEST DIGEST_TEXT COUNT_STAR SUM_TIMER_WAIT MIN_TIMER_WAIT AVG_TIMER_WAIT MAX_TIMER_WAIT \
         SUM_LOCK_TIME SUM_ERRORS SUM_WARNINGS SUM_ROWS_AFFECTED SUM_ROWS_SENT SUM_ROWS_EXAMINED \
         SUM_CREATED_TMP_DISK_TABLES SUM_CREATED_TMP_TABLES SUM_SELECT_FULL_JOIN SUM_SELECT_FULL_RANGE_JOIN \
         SUM_SELECT_RANGE SUM_SELECT_RANGE_CHECK SUM_SELECT_SCAN SUM_SORT_MERGE_PASSES SUM_SORT_RANGE SUM_SORT_ROWS \
         SUM_SORT_SCAN SUM_NO_INDEX_USED SUM_NO_GOOD_INDEX_USED SUM_CPU_TIME MAX_CONTROLLED_MEMORY MAX_TOTAL_MEMORY \
         COUNT_SECONDARY FIRST_SEEN LAST_SEEN QUANTILE_95 QUANTILE_99 QUANTILE_999 QUERY_SAMPLE_TEXT QUERY_SAMPLE_SEEN \
         QUERY_SAMPLE_TIMER_WAIT",
    ),
    ("performance_timers", "TIMER_NAME TIMER_FREQUENCY TIMER_RESOLUTION TIMER_OVERHEAD"),
    ("global_status", "VARIABLE_NAME VARIABLE_VALUE"),
    ("setup_consumers", "NAME ENABLED"),
];
const SUMS: &str = "EVENT_NAME COUNT_STAR SUM_TIMER_WAIT MIN_TIMER_WAIT AVG_TIMER_WAIT MAX_TIMER_WAIT";

/// Columns that identify a table, and the table's name: `{}` is the class of its events (waits, stages, …). The first
/// entry whose columns are all present is used.
const SIGNATURES: [(&str, &str); 48] = [
    ("THREAD_ID EVENT_ID EVENT_NAME TIMER_WAIT", "events_{}_history_long"),
    // A column that events need is missing, which is reported.
    ("THREAD_ID EVENT_NAME TIMER_WAIT", "events_{}_history_long"),
    ("THREAD_ID EVENT_ID TIMER_WAIT", "events_{}_history_long"),
    ("COUNT_READ_NORMAL", "table_lock_waits_summary_by_table"),
    ("INDEX_NAME COUNT_FETCH", "table_io_waits_summary_by_index_usage"),
    ("COUNT_FETCH", "table_io_waits_summary_by_table"),
    ("DIGEST COUNT_STAR", "events_statements_summary_by_digest"),
    ("DIGEST BUCKET_NUMBER", "events_statements_histogram_by_digest"),
    ("BUCKET_NUMBER", "events_statements_histogram_global"),
    ("COUNT_STATEMENTS", "events_statements_summary_by_program"),
    ("OBJECT_TYPE OBJECT_NAME COUNT_STAR", "objects_summary_global_by_type"),
    ("FILE_NAME EVENT_NAME COUNT_STAR", "file_summary_by_instance"),
    ("FILE_NAME EVENT_NAME", "file_instances"),
    ("EVENT_NAME OBJECT_INSTANCE_BEGIN COUNT_STAR", "events_waits_summary_by_instance"),
    ("THREAD_ID EVENT_NAME COUNT_STAR", "events_{}_summary_by_thread_by_event_name"),
    ("USER HOST EVENT_NAME COUNT_STAR", "events_{}_summary_by_account_by_event_name"),
    ("USER EVENT_NAME COUNT_STAR", "events_{}_summary_by_user_by_event_name"),
    ("HOST EVENT_NAME COUNT_STAR", "events_{}_summary_by_host_by_event_name"),
    ("EVENT_NAME COUNT_STAR SUM_NUMBER_OF_BYTES_READ", "file_summary_by_event_name"),
    ("EVENT_NAME COUNT_STAR", "events_{}_summary_global_by_event_name"),
    ("EVENT_NAME COUNT_ALLOC", "memory_summary_global_by_event_name"),
    ("ERROR_NUMBER SUM_ERROR_RAISED", "events_errors_summary_global_by_error"),
    ("THREAD_ID PROCESSLIST_ID", "threads"),
    ("TIMER_NAME TIMER_FREQUENCY", "performance_timers"),
    ("VARIABLE_NAME VARIABLE_VALUE", "global_status"),
    ("VARIABLE_NAME VALUE", "global_status"),
    ("TYPE NAME STATUS", "engine_status"),
    ("TABLE_NAME ORDINAL_POSITION COLUMN_NAME", "columns"),
    ("REQUESTING_THREAD_ID BLOCKING_THREAD_ID", "data_lock_waits"),
    ("ENGINE_LOCK_ID LOCK_MODE", "data_locks"),
    ("LOCK_TYPE LOCK_DURATION", "metadata_locks"),
    ("OWNER_THREAD_ID OBJECT_INSTANCE_BEGIN", "table_handles"),
    ("EVENT_NAME SOCKET_ID", "socket_instances"),
    ("TRX_ID TRX_STATE", "innodb_trx"),
    ("REQUESTING_TRX_ID BLOCKING_TRX_ID", "innodb_lock_waits"),
    ("WAITING_PID LOCKED_TABLE", "innodb_lock_waits"),
    ("WAITING_THREAD_ID BLOCKING_LOCK_TYPE", "schema_table_lock_waits"),
    ("LOCK_ID LOCK_TRX_ID", "innodb_locks"),
    ("NAME TIMER_NAME", "setup_timers"),
    ("NAME ENABLED TIMED", "setup_instruments"),
    ("NAME ENABLED", "setup_consumers"),
    ("NAME OBJECT_INSTANCE_BEGIN", "instances"),
    ("CURRENT_CONNECTIONS TOTAL_CONNECTIONS", "accounts"),
    ("UPTIME VERSION MAX_TIMER_END", "export"),
    ("LATENCY REQUESTED", "latest_file_io"),
    ("HOST ENABLED HISTORY", "setup_actors"),
    ("HOST USER ROLE", "setup_actors"),
    ("HOST COMMAND INFO", "processlist"),
];

/// Columns that only tables of the `sys` schema and rarer tables of the server have.
const TELLTALES: [&str; 18] = [
    "COUNT_STAR",
    "EXEC_COUNT",
    "TOTAL_LATENCY",
    "IO_LATENCY",
    "STATEMENT_LATENCY",
    "ROWS_FETCHED",
    "CURRENT_ALLOC",
    "CURRENT_STATEMENT",
    "SELECT_LATENCY",
    "OBJECT_INSTANCE_BEGIN",
    "PROCESSLIST_ID",
    "SUM_CONNECT_ERRORS",
    "UDF_NAME",
    "ROWS_FULL_SCANNED",
    "OBJECT_SCHEMA",
    "FAILED_LOGIN_ATTEMPTS",
    "THD_ID",
    "EXECUTION_ENGINE",
];

/// Whether all of `words` are columns of the row, ignoring case.
fn has(row: &TableRow, words: &str) -> bool {
    words.split(' ').all(|word| row.iter().flatten().any(|cell| cell.eq_ignore_ascii_case(word)))
}

/// Whether a row is the header of a table of the server.
pub fn is_header(row: &TableRow) -> bool {
    // Data frames are written with an additional first column of row numbers, which has no name.
    let first = usize::from(row.get(0).is_none_or(str::is_empty));
    let named = |at: &usize| row.get(*at).is_some_and(header::is_name);
    let could_be = |at: &usize| row.get(*at).is_some_and(header::was_name);
    let odd = || (first..row.len()).filter(|at| !named(at));
    // One name may be damaged if there are enough others.
    let spared = usize::from(row.len() > SPARED);
    row.len() > first + 1
        // A row of values has several cells that are not names.
        && odd().nth(spared).is_none()
        && odd().all(|at| could_be(&at))
        && (SIGNATURES.iter().any(|(words, _)| has(row, words))
            || TELLTALES.iter().any(|word| has(row, word)))
}

/// In a header with more names than this, one damaged name is tolerated.
const SPARED: usize = 4;

/// Returns the name of the table with these columns; `class` is the class of its events: "waits", …
pub fn name_of(columns: &TableRow, class: &str) -> String {
    let found = SIGNATURES.iter().find(|(words, _)| has(columns, words));
    found.map_or("table", |(_, name)| name).replace("{}", class)
}

/// Returns the names of the first `n` columns of a table that was exported without column names.
pub fn columns_of(table: &str, n: usize) -> Vec<&'static str> {
    let named = |(name, words): &(&str, &'static str)| {
        let fits = if name.ends_with('_') {
            table.starts_with(name) && !table.contains("summary")
        } else {
            table == *name
        };
        let words: Vec<&'static str> = words.split(' ').collect();
        (fits && n <= words.len() && (n == words.len() || !name.starts_with("events_stages")))
            .then(|| words[..n].to_vec())
    };
    LAYOUTS.iter().find_map(named).unwrap_or_default()
}

/// Whether a row without a header looks like a row of one of the server's tables.
pub fn is_row(row: &TableRow) -> bool {
    let cells = || row.iter().flatten();
    let is_number = |cell: &str| !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_digit());
    row.len() >= 3
        && cells().filter(|cell| is_number(cell)).count() >= 2
        && cells().any(|cell| class(cell).is_some() || cell.starts_with("thread/") || is_digest(cell))
}

/// Whether a value is a statement digest: MD5 up to 5.7, SHA-256 since.
fn is_digest(cell: &str) -> bool {
    matches!(cell.len(), 32 | 64) && cell.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether a table with this name contains events.
pub fn holds_events(table: &str) -> bool {
    table.starts_with("events_")
        && ["_current", "_history", "_history_long"].iter().any(|end| table.ends_with(end))
}

/// Number of values in a row that do not fit their column: text instead of a number, or an invalid event name.
pub fn misfits(columns: &[String], row: &TableRow) -> usize {
    let values = columns.iter().zip(row.iter());
    values.filter(|(column, cell)| cell.is_some_and(|cell| !fits(column, cell))).count()
}

/// Whether a value is valid for this column.
fn fits(column: &str, cell: &str) -> bool {
    let is_number = !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_digit() || b"+-.,eE".contains(&b));
    match MySqlColumnRole::of(column) {
        MySqlColumnRole::Name => class(cell).is_some(),
        MySqlColumnRole::Text if column == "NAME" => cell.contains('/'),
        MySqlColumnRole::Text if column == "DIGEST" => is_digest(cell),
        MySqlColumnRole::Text if column == "RETURNED_SQLSTATE" => cell.len() == 5,
        MySqlColumnRole::Text | MySqlColumnRole::Ignored => true,
        _ => is_number,
    }
}

/// Whether a value is an incomplete beginning of a word that can end a row of the server's tables.
pub fn is_beginning(cell: &str) -> bool {
    const LAST: [&str; 8] =
        ["NULL", "STATEMENT", "STAGE", "WAIT", "TRANSACTION", "PRIMARY", "SECONDARY", "YES"];
    !cell.is_empty() && LAST.iter().any(|word| word.starts_with(cell) && *word != cell)
}

/// Merges cells of a row with more values than columns, as `mysql --raw` writes a text with a tab, so that all values fit
/// their columns; `None` if no merge achieves that.
pub fn joined(columns: &[String], row: &TableRow) -> Option<Scratch> {
    let more = row.len().checked_sub(columns.len()).filter(|&more| more > 0)?;
    let is_value = |column: usize, at: usize| row.get(at).is_none_or(|cell| fits(&columns[column], cell));
    // Number of values that fit their columns, counted from the front and from the back.
    let before = (0..columns.len()).take_while(|&at| is_value(at, at)).count();
    let after = (0..columns.len()).rev().take_while(|&at| is_value(at, at + more)).count();
    let between = columns.len().saturating_sub(after + 1)..columns.len().min(before + 1);
    let mut texts = between.filter(|&at| MySqlColumnRole::of(&columns[at]) == MySqlColumnRole::Text);
    let is_any = |text: usize| !matches!(columns[text].as_str(), "NAME" | "DIGEST" | "RETURNED_SQLSTATE");
    let text = texts.find(|&text| is_any(text) || fits(&columns[text], &joined_text(row, text, more)))?;
    Some(join(row, text, more))
}

/// Copies the row with cell `text` and the following `more` cells merged into one.
fn join(row: &TableRow, text: usize, more: usize) -> Scratch {
    let mut joined = Scratch::default();
    (0..text).for_each(|at| joined.push(row.get(at)));
    joined.push(Some(&joined_text(row, text, more)));
    (text + more + 1..row.len()).for_each(|at| joined.push(row.get(at)));
    joined
}

fn joined_text(row: &TableRow, text: usize, more: usize) -> String {
    (text..=text + more).map(|at| row.get(at).unwrap_or("NULL")).collect::<Vec<_>>().join("\t")
}

/// Class of an event by its name: "waits", "stages", "statements" or "transactions".
pub fn class(event_name: &str) -> Option<&'static str> {
    const CLASSES: [(&str, &str); 5] = [
        ("wait/", "waits"),
        ("idle", "waits"),
        ("stage/", "stages"),
        ("statement/", "statements"),
        ("transaction", "transactions"),
    ];
    let is = |(start, _): &&(&str, &str)| {
        event_name.starts_with(start) && (start.ends_with('/') || event_name.len() == start.len())
    };
    CLASSES.iter().find(is).map(|(_, class)| *class)
}

/// Returns the table name that the name of a file contains (without folder, schema, time and extension), and whether
/// it is certainly the name of a table.
pub fn table_of_file(name: &str) -> (&str, bool) {
    const STARTS: [&str; 10] = [
        "schema_table_",
        "events_",
        "table_",
        "file_",
        "socket_",
        "objects_",
        "memory_",
        "threads",
        "setup_",
        "performance_timers",
    ];
    let stem = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = stem.split("@@").next().unwrap_or(stem);
    let stem = stem.rsplit('@').next().unwrap_or(stem);
    let stem = stem.split_once("performance_schema.").map_or(stem, |(_, table)| table);
    let start = STARTS.iter().filter_map(|word| stem.find(word)).min();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let stem = stem[start.unwrap_or(0)..].trim_start_matches('_').split(|c| !word(c)).next().unwrap_or(stem);
    // DBeaver appends the time of the export.
    let dated = stem
        .rsplit_once('_')
        .filter(|(_, date)| date.len() == 12 && date.bytes().all(|b| b.is_ascii_digit()));
    (dated.map_or(stem, |(table, _)| table), start.is_some())
}

/// Returns the name of a table, from the name of its file and its columns.
pub fn name(file: &str, columns: &TableRow, class: &str) -> String {
    let (stem, sure) = table_of_file(file);
    if sure {
        return stem.to_ascii_lowercase();
    }
    match name_of(columns, class).as_str() {
        "table" | "instances" | "accounts" | "global_status" if !stem.is_empty() => stem.to_ascii_lowercase(),
        named => named.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cell with an unescaped tab is the text whose merge leaves all other values valid.
    #[test]
    fn a_row_is_put_together() {
        let columns = [
            "EVENT_ID",
            "SQL_TEXT",
            "DIGEST",
            "DIGEST_TEXT",
            "MYSQL_ERRNO",
            "RETURNED_SQLSTATE",
            "MESSAGE_TEXT",
        ];
        let columns = columns.map(str::to_owned);
        let digest = "0123456789abcdef".repeat(4);
        for (sql, message) in
            [("SELECT\t1", "x"), ("SELECT 1", "near\t'x'"), ("SELECT\t1\t", "x"), ("SELECT 1", "a\tb\tc")]
        {
            let line = format!("5\t{sql}\t{digest}\tSELECT ?\t1064\t42000\t{message}");
            let mut scratch = Scratch::default();
            let joined = joined(&columns, &scratch.split(&line, b'\t')).expect("one way to do it");
            let row = joined.row();
            assert_eq!((row.get(1), row.get(2), row.get(6)), (Some(sql), Some(&*digest), Some(message)));
        }
    }

    #[test]
    fn tables_are_known_by_the_names_of_their_files() {
        for (file, table) in [
            ("a/b/events_waits_history_long.tsv", "events_waits_history_long"),
            ("0.performance_schema.threads.tsv", "threads"),
            ("performance_schema@threads@@0.tsv.zst", "threads"),
            ("performance_schema_events_stages_history_long.csv", "events_stages_history_long"),
            ("threads_202611210530.csv", "threads"),
            ("_raw_events_statements_history_long.tsv", "events_statements_history_long"),
            ("x$statement_analysis.tsv", "x$statement_analysis"),
            ("sys.schema_table_lock_waits.tsv", "schema_table_lock_waits"),
            ("events_stages_history_long.result-format-json.json", "events_stages_history_long"),
        ] {
            assert_eq!(table_of_file(file).0, table);
        }
    }
}
