//! The table of rules.

use super::context::{AmountTotal, FindingContext, TimeTotal};
use super::thresholds::{RuleThreshold, ThresholdUnit};
use super::{RuleHit, loops, queries, runs, statements, threads};
use crate::stats::parallel::has_plans;
use crate::trace::{Kind, attribute_names, key};

/// A rule that detects one kind of problem.
pub struct Rule {
    /// Stable key, in links and on the command line.
    pub key: &'static str,
    /// Short name.
    pub name: &'static str,
    /// Meaning in one sentence, with the thresholds in the places {0}, {1}, …
    pub meaning: &'static str,
    /// Noun for the findings of the rule, in the singular and plural.
    pub nouns: (&'static str, &'static str),
    /// Predicate of the summary sentence, between the number of findings and the worst finding.
    pub predicate: &'static str,
    /// Whether the rule orders its findings by their time, so that the summary sentence describes the longest one.
    pub longest_first: bool,
    /// Thresholds of the rule.
    pub thresholds: &'static [RuleThreshold],
    /// Total with which the time of the findings is compared.
    pub time: TimeTotal,
    /// Total with which the rows, bytes or records of the findings are compared.
    pub amount: AmountTotal,
    /// Whether the trace has the data that the rule needs.
    pub(super) applies: fn(&FindingContext) -> bool,
    /// Returns all findings for these thresholds, in any order.
    pub(super) find: fn(&FindingContext, &[i64]) -> Vec<RuleHit>,
    /// Describes the severity of a finding in one sentence with numbers.
    pub(super) describe: fn(&FindingContext, &RuleHit) -> String,
}

const STATEMENTS: (&str, &str) = ("statement", "statements");

const fn threshold(
    key: &'static str,
    label: &'static str,
    unit: ThresholdUnit,
    default: i64,
) -> RuleThreshold {
    RuleThreshold { key, label, unit, default }
}

/// Default values of the fields of rules about statements.
const STATEMENT: Rule = Rule {
    key: "",
    name: "",
    meaning: "",
    nouns: STATEMENTS,
    predicate: "",
    longest_first: false,
    thresholds: &[],
    time: TimeTotal::Queries,
    amount: AmountTotal::Nothing,
    applies: |context| !context.statements.is_empty(),
    find: |_, _| Vec::new(),
    describe: statements::rows,
};

/// Default values of the fields of rules about events of a TopoExec runtime.
const EVENT: Rule = Rule {
    nouns: ("event", "events"),
    time: TimeTotal::Wall,
    applies: loops::is_runtime,
    describe: loops::sentence,
    ..STATEMENT
};

/// Whether the trace says which threads ran the instructions of plans or the components of TopoExec.
fn has_workers(context: &FindingContext) -> bool {
    has_plans(context.trace) || loops::is_runtime(context)
}

/// All rules. Rules whose findings concern equal shares are listed in this order.
pub const RULES: [Rule; 28] = [
    Rule {
        key: "failed",
        name: "failed",
        meaning: "Statements that reported an error, including those that a stored program ran; in traces without statements, spans and events.",
        predicate: "reported",
        applies: |context| threads::has_spans(context) || !context.trace.events.is_empty(),
        find: statements::failed,
        describe: statements::error,
        nouns: ("failure", "failures"),
        ..STATEMENT
    },
    Rule {
        key: "outliers",
        name: "query outliers",
        meaning: "Queries that took at least {0} the average of their run, and at least {1}.",
        nouns: ("query", "queries"),
        predicate: "took far longer than the average",
        thresholds: &[
            threshold("outliers.ratio", "times the average", ThresholdUnit::Times, 3),
            threshold("outliers.duration", "duration", ThresholdUnit::Millis, 5),
        ],
        applies: |context| context.has_queries(),
        find: queries::slow,
        describe: queries::slow_text,
        ..STATEMENT
    },
    Rule {
        key: "unfinished",
        name: "unfinished queries",
        meaning: "Queries without an end in the trace.",
        nouns: ("query", "queries"),
        predicate: "did not end",
        applies: |context| context.has_queries(),
        find: queries::unfinished,
        describe: queries::unfinished_text,
        ..STATEMENT
    },
    Rule {
        key: "unfinished-spans",
        name: "unfinished spans",
        meaning: "Spans without an end in a trace without queries. They have no share, because their real duration is unknown.",
        nouns: ("span", "spans"),
        predicate: "did not end",
        time: TimeTotal::Nothing,
        applies: |context| threads::has_spans(context) && !context.has_queries(),
        find: threads::unfinished,
        describe: queries::unfinished_text,
        ..STATEMENT
    },
    Rule {
        key: "lock-waits",
        name: "waits for a lock",
        meaning: "Statements that were waiting for a lock held by another thread. An arrow leads from the holder.",
        predicate: "waited for a lock",
        applies: statements::has_locks,
        find: statements::blocked,
        describe: statements::blocked_text,
        ..STATEMENT
    },
    Rule {
        key: "over-fetch",
        name: "over-fetch",
        meaning: "Statements and source executions that read at least {0}, and at least {1} as many as they returned or changed.",
        nouns: ("statement or source", "statements or sources"),
        predicate: "read far more rows than needed",
        longest_first: true,
        thresholds: &[
            threshold("over-fetch.rows", "rows read", ThresholdUnit::Rows, 100),
            threshold("over-fetch.ratio", "times the rows returned", ThresholdUnit::Times, 10),
        ],
        amount: AmountTotal::RowsRead,
        applies: |context| statements::reports(context, key::ROWS_READ),
        find: statements::over_fetch,
        ..STATEMENT
    },
    Rule {
        key: "no-index",
        name: "no index",
        meaning: "Statements that read {0} or more without an index or without a good index.",
        predicate: "used no good index",
        thresholds: &[threshold("no-index.rows", "rows read", ThresholdUnit::Rows, 100)],
        amount: AmountTotal::RowsRead,
        applies: |context| statements::has(context, &[statements::NO_INDEX, statements::NO_GOOD_INDEX]),
        find: statements::no_index,
        ..STATEMENT
    },
    Rule {
        key: "full-joins",
        name: "full joins",
        meaning: "Statements that joined tables without an index, or checked for a usable index again for every row.",
        predicate: "joined tables without a usable index",
        amount: AmountTotal::RowsRead,
        applies: |context| statements::has(context, &[statements::FULL_JOIN, statements::RANGE_CHECK]),
        find: statements::full_joins,
        describe: statements::full_joins_text,
        ..STATEMENT
    },
    Rule {
        key: "disk-tables",
        name: "temporary tables on disk",
        meaning: "Statements that created temporary tables on disk.",
        predicate: "created temporary tables on disk",
        applies: |context| statements::has(context, &[statements::DISK_TABLES]),
        find: statements::disk_tables,
        describe: statements::disk_tables_text,
        ..STATEMENT
    },
    Rule {
        key: "merge-passes",
        name: "merge passes",
        meaning: "Statements whose sort did not fit into the sort buffer.",
        predicate: "sorted on disk",
        applies: |context| statements::has(context, &[statements::MERGE_PASSES]),
        find: statements::merge_passes,
        describe: statements::merge_passes_text,
        ..STATEMENT
    },
    Rule {
        key: "lock-time",
        name: "lock time",
        meaning: "Statements that waited for table or row locks for at least {0} and {1} of their time.",
        predicate: "waited long for table or row locks",
        thresholds: &[
            threshold("lock-time.duration", "lock time", ThresholdUnit::Millis, 1),
            threshold("lock-time.share", "share of the statement", ThresholdUnit::Percent, 10),
        ],
        applies: |context| statements::has(context, &[crate::trace::attribute_names::LOCK_TIME]),
        find: statements::lock_time,
        describe: statements::lock_time_text,
        ..STATEMENT
    },
    Rule {
        key: "storage",
        name: "secondary storage",
        meaning: "Queries with buffer events that reached secondary storage (SPILL, PHYSICAL_WRITE).",
        nouns: ("query", "queries"),
        predicate: "wrote buffers to secondary storage",
        amount: AmountTotal::BufferBytes,
        applies: queries::has_buffers,
        find: queries::storage,
        describe: queries::storage_text,
        ..STATEMENT
    },
    Rule {
        key: "serial-sources",
        name: "serial sources",
        meaning: "Queries whose source executions ran one after the other, where overlapping them could save at least {0} and {1} of the query.",
        nouns: ("query", "queries"),
        predicate: "ran source executions one after the other",
        thresholds: &[
            threshold("serial-sources.saved", "time saved", ThresholdUnit::Millis, 1),
            threshold("serial-sources.share", "share of the query", ThresholdUnit::Percent, 10),
        ],
        applies: queries::has_sources,
        find: queries::serial,
        describe: queries::serial_text,
        ..STATEMENT
    },
    Rule {
        key: "skew",
        name: "partition skew",
        meaning: "Steps whose slowest parallel copy took at least {0} the average of the copies, and at least {1} longer.",
        nouns: ("step", "steps"),
        predicate: "waited for the slowest copy",
        thresholds: &[
            threshold("skew.ratio", "times the average", ThresholdUnit::Times, 2),
            threshold("skew.excess", "longer than the average", ThresholdUnit::Millis, 1),
        ],
        applies: |context| context.trace.key(attribute_names::PART).is_some(),
        find: queries::skew,
        describe: queries::skew_text,
        ..STATEMENT
    },
    Rule {
        key: "idle-transactions",
        name: "idle in transaction",
        meaning: "Transactions that were idle for at least {0} and {1} of their time while they held locks.",
        nouns: ("transaction", "transactions"),
        predicate: "held locks while idle",
        thresholds: &[
            threshold("idle-transactions.duration", "idle time", ThresholdUnit::Millis, 10),
            threshold("idle-transactions.share", "share of the transaction", ThresholdUnit::Percent, 50),
        ],
        time: TimeTotal::Transactions,
        applies: |context| context.trace.spans.has(Kind::Transaction),
        find: statements::idle,
        describe: statements::idle_text,
        ..STATEMENT
    },
    Rule {
        key: "long-tasks",
        name: "long tasks",
        meaning: "Tasks (outermost spans of a thread) that took at least {0}.",
        nouns: ("task", "tasks"),
        predicate: "took long",
        thresholds: &[threshold("long-tasks.duration", "duration", ThresholdUnit::Millis, 50)],
        time: TimeTotal::Tasks,
        applies: threads::has_threads,
        find: threads::long_tasks,
        describe: threads::long_task_text,
        ..STATEMENT
    },
    Rule {
        key: "blocked",
        name: "blocked threads",
        meaning: "Threads that were blocked during their work for at least {0} and {1} of it.",
        nouns: ("thread", "threads"),
        predicate: "waited during work",
        thresholds: &[
            threshold("blocked.duration", "blocked time", ThresholdUnit::Millis, 10),
            threshold("blocked.share", "share of the work", ThresholdUnit::Percent, 20),
        ],
        time: TimeTotal::BusyAndBlocked,
        applies: threads::has_blocked,
        find: threads::blocked,
        describe: threads::blocked_text,
        ..STATEMENT
    },
    Rule {
        key: "busiest-process",
        name: "busiest process",
        meaning: "A process of several threads that did at least {0} of the work of all processes.",
        nouns: ("process", "processes"),
        predicate: "did most of the work",
        thresholds: &[threshold("busiest-process.share", "share of the work", ThresholdUnit::Percent, 50)],
        time: TimeTotal::Busy,
        applies: threads::has_processes,
        find: threads::busiest_process,
        describe: threads::busiest_process_text,
        ..STATEMENT
    },
    Rule {
        key: "busiest-thread",
        name: "busiest thread",
        meaning: "A thread that did at least {0} of the work of all threads.",
        nouns: ("thread", "threads"),
        predicate: "did most of the work",
        thresholds: &[threshold("busiest-thread.share", "share of the work", ThresholdUnit::Percent, 50)],
        time: TimeTotal::Busy,
        applies: threads::has_several,
        find: threads::busiest,
        describe: threads::busiest_text,
        ..STATEMENT
    },
    Rule {
        key: "unequal-threads",
        name: "unequal load",
        meaning: "Runs whose busiest thread worked at least {0} the average of the threads that worked, and at least {1} longer. Only in TopoExec traces and traces with query plans.",
        nouns: ("run", "runs"),
        predicate: "distributed work unequally over threads",
        thresholds: &[
            threshold("unequal-threads.ratio", "times the average", ThresholdUnit::Times, 2),
            threshold("unequal-threads.excess", "longer than the average", ThresholdUnit::Millis, 10),
        ],
        time: TimeTotal::Wall,
        applies: has_workers,
        find: threads::unequal,
        describe: threads::unequal_text,
        ..STATEMENT
    },
    Rule {
        key: "one-thread",
        name: "one thread alone",
        meaning: "Periods of at least {0} and {1} of the run in which only one of several threads worked, as at a barrier, while the others starved. Only in TopoExec traces and traces with query plans.",
        nouns: ("period", "periods"),
        predicate: "in which one thread worked alone",
        thresholds: &[
            threshold("one-thread.duration", "length", ThresholdUnit::Millis, 10),
            threshold("one-thread.share", "share of the run", ThresholdUnit::Percent, 5),
        ],
        time: TimeTotal::Wall,
        applies: has_workers,
        find: threads::alone,
        describe: threads::alone_text,
        ..STATEMENT
    },
    Rule {
        key: "gaps",
        name: "gaps",
        meaning: "Gaps of at least {0} and {1} of the run in which nothing ran.",
        nouns: ("gap", "gaps"),
        predicate: "in which nothing ran",
        thresholds: &[
            threshold("gaps.duration", "length", ThresholdUnit::Millis, 10),
            threshold("gaps.share", "share of the run", ThresholdUnit::Percent, 1),
        ],
        time: TimeTotal::Wall,
        applies: threads::has_spans,
        find: threads::gaps,
        describe: threads::gap_text,
        ..STATEMENT
    },
    Rule {
        key: "overruns",
        name: "overruns",
        meaning: "Ticks, components and loops that exceeded their time or budget (TopoExec).",
        predicate: "exceeded a time or budget",
        find: loops::overruns,
        ..EVENT
    },
    Rule {
        key: "rejected",
        name: "rejected work",
        meaning: "Messages and tasks that were rejected or dropped because a queue was full (TopoExec).",
        predicate: "reported rejected work",
        find: loops::rejected,
        ..EVENT
    },
    Rule {
        key: "stale",
        name: "stale messages",
        meaning: "Messages that were too old to be read, or missed their deadline (TopoExec).",
        predicate: "reported stale messages",
        find: loops::stale,
        ..EVENT
    },
    Rule {
        key: "not-converged",
        name: "loops without convergence",
        meaning: "Loops that reached their maximum number of iterations, or whose output was discarded (TopoExec).",
        predicate: "reported a loop that did not converge",
        find: loops::not_converged,
        ..EVENT
    },
    Rule {
        key: "lost",
        name: "lost records",
        meaning: "Records of the files that are missing from the timeline, and events that are missing from the files. The import report and the notes of the runs give the reasons.",
        nouns: ("problem", "problems"),
        predicate: "kept records or events out of the timeline",
        time: TimeTotal::Nothing,
        amount: AmountTotal::Records,
        applies: runs::has_files,
        find: runs::lost,
        describe: runs::text_of,
        ..STATEMENT
    },
    Rule {
        key: "clocks",
        name: "clocks",
        meaning: "Runs whose times were corrected or reconstructed, and events with times of another clock.",
        nouns: ("note", "notes"),
        predicate: "about clocks",
        time: TimeTotal::Nothing,
        applies: |context| threads::has_spans(context) || !context.trace.events.is_empty(),
        find: runs::clocks,
        describe: runs::text_of,
        ..STATEMENT
    },
];
