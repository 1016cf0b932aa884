//! Standard names of the attributes of database spans. All formats use these names, so that queries find attributes by name
//! (see [`Keys::find`](super::Keys::find)) regardless of the format. All other attributes keep the name of their source, in
//! lower case and with blanks instead of underscores.

/// Instrument or type of work, if the span is named after something more specific, such as a statement's text.
pub const EVENT_NAME: &str = "event name";
/// Operation on the object: `lock`, `read`, `fetch`, …
pub const OPERATION: &str = "operation";
/// Handle that distinguishes objects of the same name.
pub const INSTANCE: &str = "instance";
/// Type of the object: `FILE`, `TABLE`, `PROCEDURE`, …
pub const OBJECT_TYPE: &str = "object type";
/// Schema of an object or statement.
pub const SCHEMA: &str = "schema";
/// Name of a table; together with its schema it identifies an object.
pub const TABLE: &str = "table";
/// Name of a table's index.
pub const INDEX: &str = "index";
/// Path of a file.
pub const FILE: &str = "file";
/// Address of a socket.
pub const SOCKET: &str = "socket";
/// Stored program, with its schema, in which a statement runs.
pub const PROGRAM: &str = "program";
/// Object of any other type.
pub const OBJECT: &str = "object";
/// Hash of a statement's shape.
pub const DIGEST: &str = "digest";
/// Shape of a statement: its text with literals replaced.
pub const DIGEST_TEXT: &str = "digest text";
/// Text that stands for the statement of a query: the digest text, else the SQL, else the name. An attribute in a file with this
/// name cannot be queried.
pub const STATEMENT_TEXT: &str = "statement text";
/// Position in the source code of the program.
pub const SOURCE: &str = "source";
/// Number of an event in its thread.
pub const EVENT_ID: &str = "event id";
/// Duration reported by the server, in picoseconds.
pub const TIMER_WAIT: &str = "timer wait";
/// Time of a statement without the statements that it runs, in picoseconds.
pub const OWN_TIME: &str = "own time";
/// Time spent waiting for table and row locks, in picoseconds.
pub const LOCK_TIME: &str = "lock time";
/// Number of rows that a batch of table accesses fetched or changed.
pub const ROWS: &str = "rows";

/// Built-in attributes of all spans and events. Attributes in files with these names cannot be queried.
pub const OF_ALL: [&str; 11] = [
    "name",
    "kind",
    "process",
    "thread",
    "track",
    "parent",
    "status",
    "run",
    "start",
    "duration",
    "self time",
];

/// Alternative names (column titles of the query list and colloquial forms) and the attribute names that they stand for.
const ALIASES: [(&str, &str); 3] = [("outcome", "status"), ("query", "query id"), ("self", "self time")];

/// Returns the attribute name for an alternative name; all other names are returned unchanged.
pub fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| same(alias, name)).map_or(name, |(_, name)| name)
}

/// Further names in this file, and names that the columns of the page's own tables begin with.
pub(super) const OF_FORMATS: [&str; 22] = [
    EVENT_NAME,
    OPERATION,
    INSTANCE,
    OBJECT_TYPE,
    SCHEMA,
    TABLE,
    INDEX,
    FILE,
    SOCKET,
    PROGRAM,
    OBJECT,
    DIGEST,
    DIGEST_TEXT,
    STATEMENT_TEXT,
    SOURCE,
    OWN_TIME,
    LOCK_TIME,
    ROWS,
    PLAN_PLACE,
    PLAN_TEXT,
    PART,
    ROWS_OUT,
];

/// Whether two names are equal, ignoring case and treating underscores as blanks.
pub fn same(a: &str, b: &str) -> bool {
    let plain = |c: char| if c == '_' { ' ' } else { c.to_ascii_lowercase() };
    a.trim().chars().map(plain).eq(b.trim().chars().map(plain))
}

/// Prefix of the names of tables (of sums, status or settings) that were exported from the server before the run began.
pub const BEFORE: &str = "before/";

/// Name of the note of a run without lock waits: whether it lacks lock tables, or they contain no waits.
pub const LOCK_TABLES: &str = "locks";

/// Name of arrows from the holder of a lock to the waiter.
pub const LOCK: &str = "lock";

/// Track attribute: number of the thread.
pub const THREAD_ID: &str = "thread id";
/// Track attribute: kind of thread.
pub const THREAD_NAME: &str = "thread name";
/// Track attribute: connected user.
pub const USER: &str = "user";
/// Track attribute: host of the connection.
pub const HOST: &str = "host";
/// Track attribute: account, `user@host`.
pub const ACCOUNT: &str = "account";
/// Value of user, host and account for the server's own threads, which have no connection. A thread that had ended when
/// the threads were listed has none of these attributes, as they are unknown.
pub const BACKGROUND: &str = "(background)";

/// Place of an instruction in its plan.
pub const PLAN_PLACE: &str = "pc";
/// Text of a plan instruction, without the values of its variables.
pub const PLAN_TEXT: &str = "instruction";
/// Partition of a table that an instruction handles, if the optimizer copied the instruction for every partition.
pub const PART: &str = "part";
/// Number of rows that an instruction produced.
pub const ROWS_OUT: &str = "rows out";
/// Description of a piece of work, without what differs between executions of the same statement. Equal descriptions in two
/// executions identify the same step.
pub const STEP: &str = "step";
/// Name of the note on a run whose time axis does not measure time.
pub const TIME_AXIS: &str = "time axis";
/// Name of the note of a run whose times were not measured but reconstructed; every view of the run shows it.
pub const RECONSTRUCTED: &str = "reconstructed";
/// Prefix of the name of a counter for the load of a CPU core, followed by the core's number. A sample is the busy share of
/// the time since the previous sample, in millionths.
pub const CORE: &str = "core ";
/// Name of the note of a run that says that the files have all of its events.
pub const COMPLETENESS: &str = "completeness";
/// Name of the note of a run that says how many of its events the files have, if some are missing.
pub const MISSING_EVENTS: &str = "missing events";
/// Name of the note of a run without events, which lists the missing files.
pub const MISSING: &str = "events";
/// Name, or prefix of the name, of the track below a thread with the samples of a profiler; the profile's title may follow.
pub const SAMPLES: &str = "samples";
/// Id of the message that caused an execution; an arrow leads from the execution that published the message.
pub const CAUSE: &str = "causation_id";
/// Name of the track below a thread with the scheduler states of the thread.
pub const STATES: &str = "state";
