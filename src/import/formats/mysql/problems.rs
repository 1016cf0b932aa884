//! Problems that are reported for rows that cannot be shown as recorded.

use crate::import::contract::{MISSING_EVENTS, ProblemKind};
use crate::trace::Cut;

pub const NO_ID: ProblemKind = ProblemKind::lost(
    "no event id",
    "A row of an event table without a readable THREAD_ID, EVENT_ID or EVENT_NAME.",
);
pub const ROUNDED: ProblemKind = ProblemKind::remark(
    "rounded numbers",
    "The program that wrote the file rounded numbers: they are floating point with too few digits for picoseconds.",
);
pub const NO_START: ProblemKind = ProblemKind::remark(
    "no start times",
    "The file has the order of events and their durations, to four digits, but no start times. Events are \
     drawn one after the other, without the time between them.",
);
pub const NO_TIMER: ProblemKind = ProblemKind::remark(
    "not timed",
    "Events without times, such as those of instruments with TIMED = 'NO' or of sockets while the client is \
     idle. They count, and are drawn without a duration in the order of their ids.",
);
pub const NOWHERE: ProblemKind = ProblemKind::lost(
    "no time at all",
    "An event without times, on a thread without timed events: it cannot be placed on the time axis.",
)
.unless_cut(Cut::ANYWHERE);
pub const RUNNING: ProblemKind = ProblemKind::remark(
    "not ended",
    "Events that were still running when their table was read (END_EVENT_ID is NULL). Drawn up to then.",
);
pub const TWICE: ProblemKind = ProblemKind::remark(
    "in several tables",
    "The same event or row is in more than one table or file (_current, _history, _history_long). It counts once.",
);
pub const PARENT_LOST: ProblemKind = ProblemKind::remark(
    "parent lost",
    "The parent of the event is in none of the files. The event is shown at the top level of its thread.",
);
pub const FAR: ProblemKind = ProblemKind::lost(
    "time out of range",
    "The event ends outside the supported range (64 bits of picoseconds).",
);
pub const NO_COLUMNS: ProblemKind = ProblemKind::lost(
    "columns not known",
    "The rows have no header and are not in the order of the server's table, and no other file (CREATE TABLE, \
     or the JSON of a dump) names their columns. Open such a file with them.",
);
pub const DAMAGED_HEADER: ProblemKind = ProblemKind::remark(
    "damaged header",
    "The name of a column is damaged. If all others are in the server's order, its position decides which \
     column it is; otherwise the name is kept as it is.",
);
pub const NOT_EVENTS: ProblemKind = ProblemKind::remark(
    "events without their ids",
    "The event table lacks a column without which events cannot be placed (EVENT_ID, EVENT_NAME or \
     TIMER_WAIT). It is shown as a side table, not in the timeline.",
);
pub const NAMED_LATE: ProblemKind = ProblemKind::remark(
    "columns named too late",
    "This file names columns in another order than the one in which earlier rows were read. Open it together \
     with those rows, and before them.",
);
pub const UNESCAPED: ProblemKind = ProblemKind::remark(
    "separator not escaped",
    "A value holds a separator that is not escaped (mysql --raw). The numbers around it decide which value it \
     belongs to.",
);
pub const LOST_EVENTS: ProblemKind = ProblemKind::remark(
    MISSING_EVENTS[0],
    "The server had no room to record events: a Performance_schema_…_lost counter of instrumented objects or of nested \
     events is above 0.",
);
pub const LOST: ProblemKind = ProblemKind::remark(
    "lost by the server",
    "The server had no room to count or keep something: a Performance_schema_…_lost counter is above 0.",
);
