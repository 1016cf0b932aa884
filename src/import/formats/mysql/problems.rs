//! What is reported of rows that cannot be shown as they are.

use crate::import::contract::ProblemKind;
use crate::trace::Cut;

pub const NO_ID: ProblemKind = ProblemKind::lost(
    "no event id",
    "A row of an event table without THREAD_ID, EVENT_ID or EVENT_NAME that can be read.",
);
pub const ROUNDED: ProblemKind = ProblemKind::remark(
    "rounded numbers",
    "Numbers were rounded by the program that wrote the file: they are floating point with too few digits for picoseconds.",
);
pub const NO_START: ProblemKind = ProblemKind::remark(
    "no start times",
    "The file tells in which order events began and how long each took, to four digits, but not when: they are drawn one behind \
     the other, without the time between them.",
);
pub const NO_TIMER: ProblemKind = ProblemKind::remark(
    "not timed",
    "Events without times, as of instruments with TIMED = 'NO' or of sockets while the client is idle; counted, and drawn \
     without a duration where their ids stand.",
);
pub const NOWHERE: ProblemKind = ProblemKind::lost(
    "no time at all",
    "An event without times of a thread that has no events with times: it has no place in time.",
)
.unless_cut(Cut::ANYWHERE);
pub const RUNNING: ProblemKind = ProblemKind::remark(
    "not ended",
    "Events that were under way when their table was read (END_EVENT_ID is NULL); drawn up to then.",
);
pub const TWICE: ProblemKind = ProblemKind::remark(
    "in several tables",
    "The same event or row stands in more than one table or file (_current, _history, _history_long); it counts once.",
);
pub const PARENT_LOST: ProblemKind = ProblemKind::remark(
    "parent lost",
    "What the event says that it is nested in is in none of the files; it is shown at the top of its thread.",
);
pub const FAR: ProblemKind =
    ProblemKind::lost("time out of range", "The event ends beyond what 64 bits of picoseconds reach.");
pub const NO_COLUMNS: ProblemKind = ProblemKind::lost(
    "columns not known",
    "The rows have no header and are not in the order of the server's table, and no file beside theirs (CREATE TABLE, or \
     the JSON of a dump) names their columns.",
);
pub const DAMAGED_HEADER: ProblemKind = ProblemKind::remark(
    "damaged header",
    "The name of a column is damaged: where all others are in the server's order, the column is the one of its place, else it \
     is kept by the name as it stands.",
);
pub const NOT_EVENTS: ProblemKind = ProblemKind::remark(
    "events without their ids",
    "A table of events that lacks a column without which they have no place (EVENT_ID, EVENT_NAME or TIMER_WAIT): \
     it is shown among the tables, and no event of it in the timeline.",
);
pub const NAMED_LATE: ProblemKind = ProblemKind::remark(
    "columns named too late",
    "This file names columns in another order than the one in which rows had been read before it: open it together with \
     them, and before them.",
);
pub const UNESCAPED: ProblemKind = ProblemKind::remark(
    "not escaped",
    "A value holds a separator that is not escaped (mysql --raw): which value it is follows from the numbers around it.",
);
pub const LOST: ProblemKind = ProblemKind::remark(
    "lost by the server",
    "The server had no room and did not count or keep something: a counter Performance_schema_…_lost is above 0.",
);
