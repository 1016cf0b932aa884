//! Labels of nodes in the graph of `sys.ps_trace_thread`: `(duration) name - operation`, then one line per value.

use super::row::Scratch;
use super::sequence::{SequenceSlot, SequenceStep};
use crate::import::scalars::decimal::Decimal;

/// Columns of the row that a node of the graph becomes: those that any event may have, then one for each prefix of a label
/// line in [`VALUES`].
pub const COLUMNS: [&str; FIXED + VALUES.len()] = {
    let mut columns = [""; FIXED + VALUES.len()];
    let mut at = 0;
    while at < columns.len() {
        columns[at] = if at < FIXED { GRAPH[at] } else { VALUES[at - FIXED].1 };
        at += 1;
    }
    columns
};
const FIXED: usize = 13;
/// Columns that any event may have.
const GRAPH: [&str; FIXED] = [
    "THREAD_ID",
    "EVENT_ID",
    "END_EVENT_ID",
    "EVENT_NAME",
    "TIMER_START",
    "TIMER_WAIT",
    "NESTING_EVENT_ID",
    "OPERATION",
    "NUMBER_OF_BYTES",
    "OBJECT_SCHEMA",
    "OBJECT_NAME",
    "INDEX_NAME",
    "SOURCE",
];
/// Prefixes of label lines, and the columns of their values.
const VALUES: [(&str, &str); 27] = [
    ("statement: ", "SQL_TEXT"),
    ("lock time: ", "LOCK_TIME"),
    ("errors: ", "ERRORS"),
    ("warnings: ", "WARNINGS"),
    ("rows affected: ", "ROWS_AFFECTED"),
    ("rows sent: ", "ROWS_SENT"),
    ("rows examined: ", "ROWS_EXAMINED"),
    ("tmp tables: ", "CREATED_TMP_TABLES"),
    ("tmp disk tables: ", "CREATED_TMP_DISK_TABLES"),
    ("select scan: ", "SELECT_SCAN"),
    ("select full join: ", "SELECT_FULL_JOIN"),
    ("select full range join: ", "SELECT_FULL_RANGE_JOIN"),
    ("select range: ", "SELECT_RANGE"),
    ("select range check: ", "SELECT_RANGE_CHECK"),
    ("sort merge passes: ", "SORT_MERGE_PASSES"),
    ("sort rows: ", "SORT_ROWS"),
    ("sort range: ", "SORT_RANGE"),
    ("sort scan: ", "SORT_SCAN"),
    ("no index used: ", "NO_INDEX_USED"),
    ("no good index used: ", "NO_GOOD_INDEX_USED"),
    ("trx_id: ", "TRX_ID"),
    ("gtid: ", "GTID"),
    ("state: ", "STATE"),
    ("mode: ", "ACCESS_MODE"),
    ("isolation: ", "ISOLATION_LEVEL"),
    ("autocommit: ", "AUTOCOMMIT"),
    ("savepoints: ", "NUMBER_OF_SAVEPOINTS"),
];

/// Colours of nodes, and the prefixes missing from their names. Waits of `wait/synch/prlock` have no colour.
const COLOURS: [(&str, &str); 10] = [
    ("color=lightblue]", "statement/"),
    ("color=slategray3]", "stage/"),
    ("color=lightskyblue]", "wait/synch/mutex/"),
    ("color=darkseagreen3]", "wait/synch/cond/"),
    ("color=orchid]", "wait/synch/rwlock/"),
    ("color=palevioletred]", "wait/synch/sxlock/"),
    ("color=green]", "wait/"),
    ("color=yellow]", "wait/"),
    ("color=lightblue3]", ""),
    ("color=firebrick3]", ""),
];

/// Contents of a label.
#[derive(Default)]
pub struct NodeLabel {
    name: String,
    operation: Option<String>,
    bytes: Option<String>,
    schema: Option<String>,
    object: Option<String>,
    index: Option<String>,
    source: Option<String>,
    values: [Option<String>; VALUES.len()],
}

/// Parses a node: `PARENT -> ID; ID [label="…", …];`. The parent is optional.
pub fn read(text: &str) -> Option<(SequenceStep, NodeLabel)> {
    let (head, rest) = text.split_once("[label=\"(")?;
    let (label, style) = rest.rsplit_once("\", ")?;
    let ids = head.split(';').next()?;
    let (parent, id) = match ids.split_once("->") {
        Some((parent, id)) => (Some(parent.trim().parse().ok()?), id),
        None => (None, ids),
    };
    let has_name = |label: &str| !label.is_empty() && !label.starts_with("\\n");
    let (length, label) = label.split_once(") ").filter(|(_, label)| has_name(label))?;
    let (length, id) = (picos(length)?, id.trim().parse().ok()?);
    let label = NodeLabel::of(label, style);
    let cuts_across = label.name == "transaction";
    Some((SequenceStep { id, parent, length, cuts_across }, label))
}

/// Parses a duration in the notation of `sys.format_time`, such as `56.37 us`, to picoseconds.
fn picos(text: &str) -> Option<u64> {
    const UNITS: [(&str, i64); 8] = [
        ("ps", 1),
        ("ns", 1_000),
        ("us", 1_000_000),
        ("ms", 1_000_000_000),
        ("s", 1_000_000_000_000),
        ("m", 60_000_000_000_000),
        ("h", 3_600_000_000_000_000),
        ("d", 86_400_000_000_000_000),
    ];
    let (number, unit) = text.trim().split_once(' ')?;
    let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let Decimal { mantissa, scale } = Decimal::parse(number)?;
    let whole = i128::from(mantissa) * i128::from(*unit) / 10_i128.checked_pow(scale.into())?;
    u64::try_from(whole).ok()
}

impl NodeLabel {
    fn of(label: &str, style: &str) -> Self {
        let mut this = Self::default();
        let mut lines = label.split("\\n");
        this.head(lines.next().unwrap_or(""), style);
        let mut last = None;
        for line in lines {
            let value = VALUES.iter().position(|(start, _)| line.starts_with(start));
            match (value, last) {
                (Some(at), _) => {
                    let (start, column) = VALUES[at];
                    this.values[at] = plain(column, line.strip_prefix(start).unwrap_or(line));
                    last = Some(at);
                }
                // The text of a statement may contain what looks like a line end.
                (None, Some(at)) if !line.is_empty() => {
                    let value: &mut String = this.values[at].get_or_insert_default();
                    value.push_str("\\n");
                    value.push_str(line);
                }
                (None, _) => this.object(line),
            }
        }
        this
    }

    /// Reads the line with the name, such as `io/table/sql/handler - fetch 1 bytes`.
    fn head(&mut self, line: &str, style: &str) {
        let (name, operation) =
            line.split_once(" - ").map_or((line, None), |(name, rest)| (name, Some(rest)));
        let prefix = COLOURS.iter().find(|(colour, _)| style.contains(colour)).map(|(_, prefix)| *prefix);
        self.name = match prefix {
            // If a file is named, its instrument is not.
            None if style.contains("color=red]") => {
                self.object = Some(name.to_owned());
                "wait/io/file".to_owned()
            }
            None if style.contains("color=tan]") && name == "sql/mdl" => {
                "wait/lock/metadata/sql/mdl".to_owned()
            }
            None if style.contains("color=tan]") => format!("wait/lock/table/{name}"),
            // Failed statements have their own colours.
            None if style.contains("style=bold") => format!("statement/{name}"),
            None => format!("wait/synch/prlock/{name}"),
            Some(prefix) => format!("{prefix}{name}"),
        };
        let operation = operation.filter(|&operation| operation != name);
        let Some(operation) = operation else { return };
        let counted = operation.strip_suffix(" bytes").and_then(|rest| rest.rsplit_once(' '));
        self.operation = Some(counted.map_or(operation, |(operation, _)| operation).to_owned());
        self.bytes = counted.map(|(_, bytes)| bytes.to_owned());
    }

    /// Reads a line without a prefix: `Object: shop.products Index: PRIMARY`, an address, or a source location.
    fn object(&mut self, line: &str) {
        let is_source = |line: &str| {
            line.rsplit_once(':').is_some_and(|(file, at)| {
                !at.is_empty()
                    && at.bytes().all(|b| b.is_ascii_digit())
                    && file.contains(|c: char| c.is_ascii_alphabetic())
            })
        };
        if let Some(object) = line.strip_prefix("Object: ") {
            let (object, index) = object.split_once(" Index: ").map_or((object, None), |(o, i)| (o, Some(i)));
            let (schema, name) = object.split_once('.').map_or((None, object), |(s, n)| (Some(s), n));
            (self.schema, self.index) = (schema.map(str::to_owned), index.map(str::to_owned));
            self.object = Some(name.to_owned());
        } else if is_source(line) {
            self.source = Some(line.to_owned());
        } else if !line.is_empty() {
            self.object = Some(line.to_owned());
        }
    }

    /// Writes the node as a row. If `slot`, its computed position in time, is `None`, the columns for it are empty.
    pub fn write(&self, step: &SequenceStep, slot: Option<SequenceSlot>, row: &mut Scratch) {
        let number = |number: u64| Some(number.to_string());
        let graph: [Option<String>; FIXED] = [
            // The graph does not record the thread.
            slot.and(number(0)),
            number(step.id),
            slot.and_then(|slot| number(slot.end_id)),
            Some(self.name.clone()),
            slot.and_then(|slot| number(slot.start)),
            number(step.length),
            step.parent.and_then(number),
            self.operation.clone(),
            self.bytes.clone(),
            self.schema.clone(),
            self.object.clone(),
            self.index.clone(),
            self.source.clone(),
        ];
        graph.iter().chain(&self.values).for_each(|value| row.push(value.as_deref()));
    }
}

/// Returns a value in the notation of the server's tables; `None` if it is empty.
fn plain(column: &str, value: &str) -> Option<String> {
    let value = value.trim();
    match value {
        "" => None,
        "TRUE" => Some("1".to_owned()),
        "FALSE" => Some("0".to_owned()),
        _ if column == "LOCK_TIME" => picos(value).map(|picos| picos.to_string()),
        _ => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_picoseconds() {
        for (text, expected) in [
            ("56.37 us", Some(56_370_000)),
            ("  0 ps", Some(0)),
            ("1.33 s", Some(1_330_000_000_000)),
            ("24.64 ns", Some(24_640)),
            ("1.02 m", Some(61_200_000_000_000)),
            ("-1 us", None),
            ("1 year", None),
            ("", None),
        ] {
            assert_eq!(picos(text), expected, "{text}");
        }
    }

    /// Checks columns of a node and their values.
    fn check(text: &str, expected: &[(&str, &str)]) {
        let (step, label) = read(text).expect("a node");
        let mut row = Scratch::default();
        label.write(&step, Some(SequenceSlot { start: 5, end_id: 9 }), &mut row);
        let row = row.row();
        let found: Vec<(&str, &str)> = COLUMNS
            .iter()
            .zip(row.iter())
            .skip(1)
            .filter_map(|(name, value)| Some((*name, value?)))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn nodes_are_rows() {
        check(
            r#"	8072 -> 8073; 8073 [label="(39.07 us) io/table/sql/handler - fetch 2 bytes\nObject: shop.orders Index: k\nhandler.cc:3114", shape=box, style=filled, color=green];"#,
            &[
                ("EVENT_ID", "8073"),
                ("END_EVENT_ID", "9"),
                ("EVENT_NAME", "wait/io/table/sql/handler"),
                ("TIMER_START", "5"),
                ("TIMER_WAIT", "39070000"),
                ("NESTING_EVENT_ID", "8072"),
                ("OPERATION", "fetch"),
                ("NUMBER_OF_BYTES", "2"),
                ("OBJECT_SCHEMA", "shop"),
                ("OBJECT_NAME", "orders"),
                ("INDEX_NAME", "k"),
                ("SOURCE", "handler.cc:3114"),
            ],
        );
        check(
            r#"	7; 7 [label="(6 ms) sql/select\nstatement: SELECT '\na\n'\nerrors: 0\nlock time:   2 us\nno index used: TRUE\n", shape=box, style=bold style=filled, color=lightblue];"#,
            &[
                ("EVENT_ID", "7"),
                ("END_EVENT_ID", "9"),
                ("EVENT_NAME", "statement/sql/select"),
                ("TIMER_START", "5"),
                ("TIMER_WAIT", "6000000000"),
                ("SQL_TEXT", r"SELECT '\na\n'"),
                ("LOCK_TIME", "2000000"),
                ("ERRORS", "0"),
                ("NO_INDEX_USED", "1"),
            ],
        );
        for (label, style, name) in [
            ("sql/MDL_lock::rwlock - write_lock", "", "wait/synch/prlock/sql/MDL_lock::rwlock"),
            ("a/b/c.MYD", "color=red", "wait/io/file"),
            ("sql/mdl", "color=tan", "wait/lock/metadata/sql/mdl"),
            ("idle - idle", "color=firebrick3", "idle"),
            ("sql/update", "style=bold, color=tomato", "statement/sql/update"),
        ] {
            let (_, found) = read(&format!("1; 1 [label=\"(1 us) {label}\\n\", {style}];")).expect("a node");
            assert_eq!(found.name, name);
        }
        for broken in
            ["", "1; 1 [label=\"(1 us) \", ];", "x; x [label=\"(1 us) a\", ];", "1; 1 [label=\"(1) a\", ];"]
        {
            assert!(read(broken).is_none(), "{broken}");
        }
    }
}
