//! What database formats call the attributes of their spans, the same in every format: questions ask for them by these
//! names (see [`Keys::find`](super::Keys::find)), and not by format. All other attributes are called as their source
//! calls them, in lower case and with blanks for underscores.

/// The instrument or type of work where the span's own name is something better, such as a statement's text.
pub const EVENT_NAME: &str = "event name";
/// What was done to the object: `lock`, `read`, `fetch`, …
pub const OPERATION: &str = "operation";
/// Which of the objects of one name: a handle.
pub const INSTANCE: &str = "instance";
/// What kind of object it is: `FILE`, `TABLE`, `PROCEDURE`, …
pub const OBJECT_TYPE: &str = "object type";
/// The schema that an object or statement is in.
pub const SCHEMA: &str = "schema";
/// A table. Together with its schema it is one object.
pub const TABLE: &str = "table";
/// An index of a table.
pub const INDEX: &str = "index";
/// The path of a file.
pub const FILE: &str = "file";
/// The address of a socket.
pub const SOCKET: &str = "socket";
/// A stored program, with its schema: what a statement runs in.
pub const PROGRAM: &str = "program";
/// An object that is none of these.
pub const OBJECT: &str = "object";
/// The hash of a statement's shape.
pub const DIGEST: &str = "digest";
/// A statement's shape.
pub const DIGEST_TEXT: &str = "digest text";
/// The place in the program's source.
pub const SOURCE: &str = "source";
/// The number of an event in its thread.
pub const EVENT_ID: &str = "event id";
/// How long it took, as the server says it, in picoseconds.
pub const TIMER_WAIT: &str = "timer wait";
/// A statement's time without that of the statements that it runs, in picoseconds.
pub const OWN_TIME: &str = "own time";
/// Time spent waiting for locks of tables and rows, in picoseconds.
pub const LOCK_TIME: &str = "lock time";
/// Rows that a batch of table accesses fetched or changed.
pub const ROWS: &str = "rows";

/// What every span and event has in every format: no attribute of a file is found by these names.
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

/// Other names of attributes, and the names that they stand for: of the columns of the query list, and as people say it.
const ALIASES: [(&str, &str); 3] = [("outcome", "status"), ("query", "query id"), ("self", "self time")];

/// The name that a name stands for; most stand for themselves.
pub fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| same(alias, name)).map_or(name, |(_, name)| name)
}

/// Further names of this file, and of attributes that the page's own tables begin with.
pub(super) const OF_FORMATS: [&str; 21] = [
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
    SOURCE,
    OWN_TIME,
    LOCK_TIME,
    ROWS,
    PLAN_PLACE,
    PLAN_TEXT,
    PART,
    ROWS_OUT,
];

/// Whether two names are one: case, blanks and underscores do not matter.
pub fn same(a: &str, b: &str) -> bool {
    let plain = |c: char| if c == '_' { ' ' } else { c.to_ascii_lowercase() };
    a.trim().chars().map(plain).eq(b.trim().chars().map(plain))
}

/// What names of side tables begin with that were exported before the events of their run.
pub const BEFORE: &str = "before/";

/// The note of a run that says why no lock waits are known: there is no table of locks, or no wait in the tables.
pub const LOCK_TABLES: &str = "locks";

/// The name of arrows from what holds a lock to what waits for it.
pub const LOCK: &str = "lock";

/// Track attribute: the number of the thread.
pub const THREAD_ID: &str = "thread id";
/// Track attribute: the kind of thread.
pub const THREAD_NAME: &str = "thread name";
/// Track attribute: the connected user.
pub const USER: &str = "user";
/// Track attribute: the host of the connection.
pub const HOST: &str = "host";
/// Track attribute: the account, `user@host`.
pub const ACCOUNT: &str = "account";
/// The user, host and account of a thread of the server's own, which has no connection. Of a thread that was gone
/// when the threads were listed, they are not known: it has none.
pub const BACKGROUND: &str = "(background)";

/// The place of an instruction in its plan.
pub const PLAN_PLACE: &str = "pc";
/// The text of an instruction of a plan, without the values of its variables.
pub const PLAN_TEXT: &str = "instruction";
/// Which part of a table an instruction is about, where the optimizer made of one instruction one for every part.
pub const PART: &str = "part";
/// Rows that an instruction made.
pub const ROWS_OUT: &str = "rows out";
/// What a piece of work does, without what differs between executions of the same statement: what is called the same in
/// two of them is the same step of both.
pub const STEP: &str = "step";
/// The name of the note of a run whose times were not measured: every view of the run says so.
pub const RECONSTRUCTED: &str = "reconstructed";
/// How a counter of the load of one core of the machine is called, before the core's number. A sample is the share of the
/// time since the sample before in which the core was busy, in millionths.
pub const CORE: &str = "core ";
/// The note of a run without events in the files: which files are missing.
pub const MISSING: &str = "events";
/// How a track below a thread's is called that holds what a profiler saw of the thread; the title of the profile may follow.
pub const SAMPLES: &str = "samples";
/// The message that caused an execution, where executions name theirs: an arrow leads from the one that published it.
pub const CAUSE: &str = "causation_id";
/// How a track below a thread's is called that holds what the scheduler saw of the thread.
pub const STATES: &str = "state";
