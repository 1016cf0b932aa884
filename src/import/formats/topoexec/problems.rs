//! What is reported of events that cannot be shown as they are.

use crate::import::contract::ProblemKind;
use crate::trace::Cut;

pub use crate::import::json::problems::{BEHIND, BROKEN, CUT_OFF, FAR, INSIDE, NOT_CLOSED, STRAY};

pub const NO_NAME: ProblemKind =
    ProblemKind::lost("no name", "An object that does not say what happened: it is no event.");
pub const NO_TIME: ProblemKind = ProblemKind::lost(
    "no timestamp",
    "An event without a number as its time: it has no place on the time axis.",
);
pub const OTHER_EVENT: ProblemKind = ProblemKind::lost(
    "not of TopoExec",
    "An event of another program in a Chrome export of TopoExec; read as Chrome Trace Event, the file shows it.",
);
pub const NO_TRACE: ProblemKind =
    ProblemKind::remark("no trace", "The file's outermost object has no list of events called trace.");
pub const SECTION: ProblemKind = ProblemKind::remark(
    "unknown section",
    "A part of the file that this version does not know: it is not part of the picture.",
);
pub const COPY: ProblemKind = ProblemKind::lost(
    "the same run again",
    "Another rendering of a run that is shown already, as of a folder that `observe --record` wrote: it is shown once.",
);
pub const COUNT: ProblemKind = ProblemKind::remark(
    "other number of events",
    "The file says how many events it has, and has another number of them: a part of it is missing.",
);
pub const ABORTED: ProblemKind = ProblemKind::remark(
    "aborted",
    "Something began and did not end, as when a component failed; drawn to the last event of the trace.",
)
.unless_cut(Cut::BEHIND);
pub const END_ALONE: ProblemKind =
    ProblemKind::remark("end alone", "An end of which the rest is not in the file; shown as a point.")
        .unless_cut(Cut::BEFORE);
pub const NO_CAUSE: ProblemKind = ProblemKind::remark(
    "cause not in the trace",
    "A component ran because of a message whose publication is not in the file; there is no arrow to it.",
)
.unless_cut(Cut::BEFORE);
pub const OVERLAP: ProblemKind = ProblemKind::remark(
    "overlap",
    "Two executions of one lane overlap, and nothing says which workers they ran on; they stand in rows of their own.",
);
pub const NO_MOMENT: ProblemKind = ProblemKind::remark(
    "line without a time",
    "A line that describes the run and not a moment of it; the record shows it.",
);
pub const OTHER_CLOCK: ProblemKind = ProblemKind::remark(
    "another clock",
    "An event whose time is of another clock than that of the others; shown at the edge of the run.",
);
