//! What is reported of lists of events in JSON, whichever format they are of.

use crate::import::contract::ProblemKind;

pub const BROKEN: ProblemKind = ProblemKind::lost(
    "broken record",
    "The text of the event breaks the rules of JSON; reading went on behind it.",
);
pub const CUT_OFF: ProblemKind = ProblemKind::lost(
    "cut off",
    "The file ends inside this event, as when the process was killed while it wrote.",
)
.at_end();
pub const INSIDE: ProblemKind = ProblemKind::remark(
    "damaged beginning",
    "The file does not begin as it should: events are taken from where they are found in it.",
);
pub const NOT_CLOSED: ProblemKind = ProblemKind::remark(
    "file not closed",
    "The file ends before its outermost object does; events may be missing.",
)
.at_end();
pub const STRAY: ProblemKind = ProblemKind::remark(
    "text between records",
    "Text that belongs to no event; reading went on at the next one.",
);
pub const BEHIND: ProblemKind =
    ProblemKind::remark("text behind the trace", "Text behind the end of the trace is not read.");
pub const FAR: ProblemKind = ProblemKind::lost(
    "timestamp out of range",
    "The timestamp is further from zero than times are kept (73 years, a quarter of what 64 bits of nanoseconds reach).",
);
