//! Files that clients write next to tables: files that name the columns of a table whose rows have no header, and files
//! without rows.

use crate::base::text::beginning;
use crate::import::json::{self, Cursor, Scanner, Value, string_value};

/// Columns of a table, named by another file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedColumns {
    /// Name of the table, in lower case.
    pub table: String,
    /// Column names in upper case, in the order of the rows' values.
    pub columns: Vec<String>,
}

impl NamedColumns {
    /// Creates the columns of the table with this name.
    pub fn new<'a>(table: &str, columns: impl Iterator<Item = &'a str>) -> Self {
        let columns = columns.map(|name| name.trim().to_ascii_uppercase()).collect();
        Self { table: table.to_ascii_lowercase(), columns }
    }
}

/// Reads `schema@table.json` of a MySQL Shell dump (`util.dumpTables`: `options.table`, `options.columns`).
pub fn named(text: &str) -> Option<NamedColumns> {
    let Value::Nested(options) = member(text.trim(), "options")? else { return None };
    let (Value::Text(table), Value::Nested(columns)) =
        (member(options, "table")?, member(options, "columns")?)
    else {
        return None;
    };
    let list = columns.strip_prefix('[')?.strip_suffix(']')?;
    let columns: Option<Vec<_>> = list.split(',').map(|name| string_value(name.trim())).collect();
    Some(NamedColumns::new(&table.decoded()?, columns?.iter().map(AsRef::as_ref)))
}

/// Returns a member of an object.
fn member<'a>(object: &'a str, name: &str) -> Option<Value<'a>> {
    let (mut cursor, mut scanner) =
        (Cursor::new(object.starts_with('{').then_some(object)?), Scanner::default());
    loop {
        let (key, value) = cursor.next(&mut scanner).ok()?;
        if key.raw() == name {
            return Some(value);
        }
    }
}

/// Files without rows that clients write next to tables: a text in their first lines, and a description of the file.
const SIDECARS: [(&str, &str); 8] = [
    (
        "| Data collection starting for THREAD_ID",
        "the output of sys.ps_trace_thread; its graph has the events",
    ),
    ("SUMMARY STATISTICS", "the summary of sys.ps_trace_statement_digest, without timed events"),
    ("| performance_schema_enabled |", "the settings that sys.ps_setup_show_enabled lists"),
    (
        "Performance Schema Statement Digest Average Latency Histogram",
        "the text chart of sys.ps_statement_avg_latency_histogram",
    ),
    ("command: util.debug.collect", "the command that collected MySQL Shell's diagnostics"),
    ("(report_host=", "the server information of MySQL Shell's diagnostics"),
    (
        "# Query:\n#\tselect * from ",
        "MySQL Shell's diagnostics as YAML: the same tables are also there as tab-separated files",
    ),
    (
        "# Query:\n#\tSELECT * FROM ",
        "MySQL Shell's diagnostics as YAML: the same tables are also there as tab-separated files",
    ),
];

/// Describes a file without rows that clients write next to tables; `None` for any other file.
pub fn sidecar_description(text: &str) -> Option<&'static str> {
    if text.trim_start().starts_with('{') {
        let keys = json::keys(text.trim_start());
        let has = |names: &[&str]| names.iter().all(|name| keys.iter().any(|key| key == name));
        return match () {
            () if has(&["dumper", "origin", "serverVersion"]) => Some("the metadata of a MySQL Shell dump"),
            () if has(&["end", "dataBytes", "tableDataBytes"]) => {
                Some("the closing metadata of a MySQL Shell dump")
            }
            () if has(&["schema", "includesDdl", "tables"]) => {
                Some("the schema metadata of a MySQL Shell dump")
            }
            () => None,
        };
    }
    let first = beginning(text, FIRST);
    SIDECARS.iter().find(|(words, _)| first.contains(words)).map(|(_, what)| *what)
}

/// Number of bytes at the start of a file that are examined.
const FIRST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_names_its_columns() {
        let columns = ["THREAD_ID", "NAME"].map(str::to_owned).to_vec();
        for (text, expected) in [
            (
                r#"{"options": {"schema": "performance_schema", "table": "Threads", "columns": ["THREAD_ID", "name"]}, "triggers": []}"#,
                Some(NamedColumns { table: "threads".to_owned(), columns }),
            ),
            (r#"{"options": {"table": "threads"}}"#, None),
            (r#"{"options": {"table": "threads", "columns": [1]}}"#, None),
            (r#"{"options": {"table": "threads", "columns": "#, None),
            ("[]", None),
            ("", None),
        ] {
            assert_eq!(named(text), expected, "{text}");
        }
    }

    #[test]
    fn sidecars_are_named() {
        for (text, expected) in [
            (
                r#"{"dumper": "mysqlsh", "origin": "dumpTables", "serverVersion": "9.7.4"}"#,
                "the metadata of a MySQL Shell dump",
            ),
            (
                "| Info |\n| Data collection starting for THREAD_ID = 998 |\n",
                "the output of \
                 sys.ps_trace_thread; its graph has the events",
            ),
            (
                "*** 1. row ***\nSUMMARY STATISTICS: SUMMARY STATISTICS\n",
                "the summary of sys.ps_trace_statement_digest",
            ),
        ] {
            assert!(sidecar_description(text).is_some_and(|found| found.starts_with(expected)), "{text}");
        }
        assert_eq!(sidecar_description("a\tb\n1\t2\n"), None);
    }
}
