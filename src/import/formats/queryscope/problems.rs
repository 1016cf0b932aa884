//! Problems of files of this format.

use crate::import::contract::{LOST_IN_ORIGINAL, ProblemKind};

/// Version of the format that is read.
pub const VERSION: i64 = 1;

pub const BROKEN: ProblemKind =
    ProblemKind::lost("broken line", "The line is not a whole JSON object, or lacks a number that it needs.");
pub const UNKNOWN: ProblemKind = ProblemKind::lost(
    "unknown line",
    "No kind of line begins with this member. A newer version may know it.",
);
pub const OUT_OF_RANGE: ProblemKind = ProblemKind::lost(
    "number out of range",
    "A negative duration, a row above 65,533, or a number of further lock holders (`more`) that is negative \
     or too large.",
);
pub const NO_TABLE: ProblemKind = ProblemKind::lost("row without table", "No table stands before the row.");
pub const CELLS: ProblemKind = ProblemKind::lost(
    "wrong number of cells",
    "The number of cells in the row differs from the number of columns of its table.",
);
pub const BAD_REFERENCE: ProblemKind = ProblemKind::remark(
    "unknown reference",
    "No text, track, span or run has this number; what refers to it is shown without it.",
);
pub const BAD_VALUE: ProblemKind = ProblemKind::remark(
    "unreadable value",
    "A kind, flag, unit or attribute that cannot be read; the rest of the line is shown.",
);
pub const CYCLE: ProblemKind = ProblemKind::remark(
    "parents in a circle",
    "A span is among its own ancestors; it is shown without a parent.",
);
pub const TOO_MANY_SETS: ProblemKind = ProblemKind::remark(
    "too many combinations of attributes",
    "The file has more than 4,096 combinations of attributes; further ones are shown without attributes.",
);
pub const ROWS: ProblemKind = ProblemKind::remark(
    "overlapping rows",
    "Spans overlap in their row, or are not in the order of their starts: the rows of the track were assigned again.",
);
pub const NEWER: ProblemKind = ProblemKind::remark(
    "newer version",
    "A newer version of queryscope wrote the file; what this version does not know is not shown.",
);
pub const CUT_OFF: ProblemKind = ProblemKind::remark(
    "cut off",
    "The first line announces more spans or events than the file holds: its end is missing.",
)
.at_end();
pub const REMOVED: ProblemKind = ProblemKind::remark(
    "removed before saving",
    "Values, comments, names or texts were removed or replaced when the file was saved, as the person who saved it chose.",
);
pub const LOST_BEFORE: ProblemKind = ProblemKind::remark(
    LOST_IN_ORIGINAL,
    "Data of the original files was already missing when they were converted to this format.",
);
pub const NOTED_BEFORE: ProblemKind = ProblemKind::remark(
    "remark on the original files",
    "The import report of the original files, before they were converted to this format, had this remark.",
);
pub const NOT_A_SESSION: ProblemKind = ProblemKind::remark(
    "unreadable session",
    "The state of the session cannot be read; its traces are shown as if they were opened for the first time.",
);
