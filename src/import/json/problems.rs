//! Problems reported for lists of events in JSON, shared by several formats.

use crate::import::contract::ProblemKind;

pub const BROKEN: ProblemKind =
    ProblemKind::lost("broken record", "The event is not valid JSON. Reading continued after it.");
pub const CUT_OFF: ProblemKind = ProblemKind::lost(
    "cut off",
    "The file ends inside this event, for example because the process was killed while it wrote.",
)
.at_end();
pub const INSIDE: ProblemKind = ProblemKind::remark(
    "damaged beginning",
    "The beginning of the file is damaged. Reading started at the first event found.",
);
pub const NOT_CLOSED: ProblemKind = ProblemKind::remark(
    "file not closed",
    "The file ends before its outermost object does. Events may be missing.",
)
.at_end();
pub const STRAY: ProblemKind = ProblemKind::remark(
    "text between records",
    "Text that belongs to no event. Reading continued at the next event.",
);
pub const AFTER_END: ProblemKind =
    ProblemKind::remark("text after the trace", "Text after the end of the trace is not read.");
pub const FAR: ProblemKind = ProblemKind::lost(
    "timestamp out of range",
    "The timestamp is outside the supported range (73 years from zero, a quarter of what 64 bits of \
     nanoseconds hold).",
);
