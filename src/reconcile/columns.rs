//! Meaning of the columns of a table of sums, derived from their names, and the events that a table sums up.

use super::points::{EventClass, RunEvent};
use crate::base::interner::StrId;
use crate::trace::{Key, Table, Trace, key};

/// Operations for which tables of sums have columns of their own. The first one stands for all operations together.
pub const PARTS: [&str; 21] = [
    "STAR",
    "READ",
    "WRITE",
    "MISC",
    "FETCH",
    "INSERT",
    "UPDATE",
    "DELETE",
    "READ_NORMAL",
    "READ_WITH_SHARED_LOCKS",
    "READ_HIGH_PRIORITY",
    "READ_NO_INSERT",
    "READ_EXTERNAL",
    "WRITE_ALLOW_WRITE",
    "WRITE_CONCURRENT_INSERT",
    "WRITE_LOW_PRIORITY",
    "WRITE_NORMAL",
    "WRITE_EXTERNAL",
    "READ_WRITE",
    "READ_ONLY",
    "WAIT",
];

/// The value that a column of a table of sums contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerColumn {
    /// A property of events that is part of the row's key.
    Key(Coordinate),
    /// Number of events of an operation, given by its index in [`PARTS`].
    Count(usize),
    /// Total time of an operation in picoseconds.
    Sum(usize),
    /// Minimum time of an operation in picoseconds.
    Min(usize),
    /// Average time of an operation, computed in units of the timer.
    Average(usize),
    /// Maximum time of an operation in picoseconds.
    Max(usize),
    /// Total bytes of an operation.
    Bytes(usize),
    /// Sum of a numeric attribute of the events.
    Total(Key),
    /// Maximum of a numeric attribute of the events.
    Most(Key),
    /// Quantile of the durations of events, as the server's histograms report it; holds the share in per mille.
    Quantile(u16),
}

/// Property of events by which the server's tables of sums group them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Coordinate {
    Event,
    Thread,
    User,
    Host,
    Instance,
    Object,
    ObjectType,
    Schema,
    Index,
    Database,
    Digest,
}

/// Returns the meaning of each column of a table of sums; `None` for columns that are not compared with the events.
pub fn columns(trace: &Trace, table: &Table) -> Vec<Option<ServerColumn>> {
    let name = trace.str(table.name);
    table.columns().iter().map(|&column| meaning(trace, name, trace.str(column))).collect()
}

fn meaning(trace: &Trace, table: &str, column: &str) -> Option<ServerColumn> {
    let coordinate = match column {
        "EVENT_NAME" => Some(Coordinate::Event),
        "THREAD_ID" => Some(Coordinate::Thread),
        "USER" => Some(Coordinate::User),
        "HOST" => Some(Coordinate::Host),
        // A file gets another handle each time it is opened.
        "OBJECT_INSTANCE_BEGIN" => {
            return (!table.starts_with("file_")).then_some(ServerColumn::Key(Coordinate::Instance));
        }
        "FILE_NAME" | "OBJECT_NAME" => Some(Coordinate::Object),
        "OBJECT_TYPE" => Some(Coordinate::ObjectType),
        "OBJECT_SCHEMA" => Some(Coordinate::Schema),
        "INDEX_NAME" => Some(Coordinate::Index),
        "SCHEMA_NAME" => Some(Coordinate::Database),
        "DIGEST" => Some(Coordinate::Digest),
        _ => None,
    };
    coordinate.map(ServerColumn::Key).or_else(|| measure(trace, column))
}

fn measure(trace: &Trace, column: &str) -> Option<ServerColumn> {
    let part = |name: &str| PARTS.iter().position(|part| *part == name);
    let (function, rest) = column.split_once('_')?;
    if function == "QUANTILE" {
        let digits: u16 = rest.parse().ok()?;
        return Some(ServerColumn::Quantile(if digits < 100 { digits * 10 } else { digits }));
    }
    if let Some(part) = rest.strip_prefix("NUMBER_OF_BYTES_").and_then(part) {
        return Some(ServerColumn::Bytes(part));
    }
    let timed = rest.strip_prefix("TIMER_").and_then(part).map(|at| if PARTS[at] == "WAIT" { 0 } else { at });
    match (function, timed) {
        ("COUNT", _) => part(rest).map(ServerColumn::Count),
        ("SUM", Some(part)) => Some(ServerColumn::Sum(part)),
        ("MIN", Some(part)) => Some(ServerColumn::Min(part)),
        ("AVG", Some(part)) => Some(ServerColumn::Average(part)),
        ("MAX", Some(part)) => Some(ServerColumn::Max(part)),
        ("SUM", None) => attribute(trace, rest).map(ServerColumn::Total),
        // The attribute MAX_TOTAL_MEMORY has the same name in the events.
        ("MAX", None) => attribute(trace, column).map(ServerColumn::Most),
        _ => None,
    }
}

/// Key of the event attribute that a column sums up.
fn attribute(trace: &Trace, column: &str) -> Option<Key> {
    match column {
        "ROWS_EXAMINED" => Some(key::ROWS_READ),
        "ROWS_SENT" => Some(key::ROWS_RETURNED),
        _ => trace.key(&column.to_ascii_lowercase().replace('_', " ")),
    }
}

/// Returns a test for the events that a table sums up; `None` if the table does not contain sums of events.
pub fn scope(table: &str) -> Option<fn(&Trace, &RunEvent) -> bool> {
    let is = |prefix: &str| table.starts_with(prefix);
    Some(match () {
        () if is("events_waits_summary_by_instance") => |trace, point| {
            let event = trace.str(point.event);
            point.class == EventClass::Wait
                && !event.starts_with("wait/io/table/")
                && !event.starts_with("wait/lock/")
        },
        () if is("events_waits_summary_") => {
            |_, point| matches!(point.class, EventClass::Wait | EventClass::Idle)
        }
        () if is("events_stages_summary_") => |_, point| point.class == EventClass::Stage,
        // Statements inside a stored program cannot be assigned to the events of the program.
        () if is("events_statements_summary_by_program") => return None,
        () if is("events_statements_summary_by_digest") => |trace, point| {
            point.class == EventClass::Statement
                && coordinate(trace, point, Coordinate::Digest) != StrId::NONE
        },
        () if is("events_statements_summary_") => |_, point| point.class == EventClass::Statement,
        () if is("events_transactions_summary_") => |_, point| point.class == EventClass::Transaction,
        () if is("file_summary_") => |trace, point| trace.str(point.event).starts_with("wait/io/file/"),
        () if is("socket_summary_") => |trace, point| trace.str(point.event).starts_with("wait/io/socket/"),
        () if is("table_io_waits_summary_") => {
            |trace, point| trace.str(point.event).starts_with("wait/io/table/")
        }
        () if is("table_lock_waits_summary_") => {
            |trace, point| trace.str(point.event).starts_with("wait/lock/table/")
        }
        () if is("objects_summary_") => |trace, point| {
            let event = trace.str(point.event);
            event.starts_with("wait/io/table/") || event.starts_with("wait/lock/table/")
        },
        () => return None,
    })
}

/// Returns the value by which a table groups an event. Events without a value have [`StrId::NONE`], and form a group
/// like events with any other value.
pub fn coordinate(trace: &Trace, point: &RunEvent, coordinate: Coordinate) -> StrId {
    let text = |key: Option<Key>| {
        let item = crate::trace::Item::Span(point.span);
        key.and_then(|key| trace.text(item, key)).unwrap_or(StrId::NONE)
    };
    match coordinate {
        Coordinate::Event => point.event,
        Coordinate::Thread => point.thread.id,
        Coordinate::User => point.thread.user,
        Coordinate::Host => point.thread.host,
        Coordinate::Instance => point.instance,
        Coordinate::Object => point.object,
        Coordinate::ObjectType => point.object_type,
        Coordinate::Schema => point.schema,
        Coordinate::Index => point.index,
        Coordinate::Database => text(Some(key::DATABASE)),
        Coordinate::Digest => text(trace.key(crate::trace::attribute_names::DIGEST)),
    }
}

/// Indices in [`PARTS`] of the operations that an event counts for, such as `FETCH` and `READ`, in addition to the
/// total of all operations.
pub fn parts(trace: &Trace, point: &RunEvent) -> [Option<usize>; 2] {
    let part = |name: &str| PARTS.iter().position(|part| *part == name);
    let (event, operation) =
        (trace.str(point.event), point.operation.some().map_or("", |text| trace.str(text)));
    match () {
        () if point.class == EventClass::Transaction => [part(access_mode(trace, point)), None],
        () if event.starts_with("wait/io/file/") || event.starts_with("wait/io/socket/") => {
            [part(direction(operation)), None]
        }
        () if event.starts_with("wait/io/table/") => {
            let read = if operation == "fetch" { "READ" } else { "WRITE" };
            [part(&operation.to_ascii_uppercase()), part(read)]
        }
        () if event.starts_with("wait/lock/table/") => {
            let read = if operation.starts_with("read") { "READ" } else { "WRITE" };
            let name = operation.to_ascii_uppercase().replace(' ', "_");
            let name = if name == "READ_NO_INSERTS" { "READ_NO_INSERT" } else { &name };
            [part(name), part(read)]
        }
        () => [None, None],
    }
}

fn direction(operation: &str) -> &'static str {
    match operation {
        "read" | "recv" | "recvfrom" | "recvmsg" => "READ",
        "write" | "send" | "sendto" | "sendmsg" => "WRITE",
        _ => "MISC",
    }
}

fn access_mode(trace: &Trace, point: &RunEvent) -> &'static str {
    let item = crate::trace::Item::Span(point.span);
    let mode = trace.key("access mode").and_then(|key| trace.text(item, key));
    match mode.map(|mode| trace.str(mode)) {
        Some("READ WRITE") => "READ_WRITE",
        Some("READ ONLY") => "READ_ONLY",
        _ => "",
    }
}
