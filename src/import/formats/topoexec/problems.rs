//! Problems that are reported for TopoExec events that cannot be shown as recorded.

use crate::import::contract::{MISSING_EVENTS, ProblemKind, SHOWN_ONCE};
use crate::trace::Cut;

pub use crate::import::json::problems::{AFTER_END, BROKEN, CUT_OFF, FAR, INSIDE, NOT_CLOSED, STRAY};

pub const NO_NAME: ProblemKind =
    ProblemKind::lost("no name", "An object without a name: it is not an event.");
pub const NO_TIME: ProblemKind = ProblemKind::lost(
    "no timestamp",
    "An event whose time is missing or not a number: it cannot be placed on the time axis.",
);
pub const OTHER_EVENT: ProblemKind = ProblemKind::lost(
    "not a TopoExec event",
    "An event of another program in a Chrome export of TopoExec. Read the file as Chrome Trace Event to show it.",
);
pub const NO_TRACE: ProblemKind =
    ProblemKind::remark("no trace", "The outermost object has no array `trace` with events.");
pub const SECTION: ProblemKind = ProblemKind::remark(
    "unknown section",
    "This version does not know this part of the file. It is not shown.",
);
pub const COPY: ProblemKind = ProblemKind::lost(
    SHOWN_ONCE[0],
    "Another file of a run that is already shown, such as in a folder that `observe --record` wrote. It is \
     shown once.",
);
pub const COUNT: ProblemKind =
    ProblemKind::remark(MISSING_EVENTS[1], "The file has fewer events than it declares. Some are missing.");
pub const MORE: ProblemKind = ProblemKind::remark(
    "more events than declared",
    "The file has more events than it declares. All are shown.",
);
pub const ABORTED: ProblemKind = ProblemKind::remark(
    "aborted",
    "The span has no end, for example because a component failed. Drawn to the last event of the trace.",
)
.unless_cut(Cut::AFTER);
pub const END_ALONE: ProblemKind = ProblemKind::remark(
    "end without its start",
    "The start of the span is not in the file. Shown as an instant.",
)
.unless_cut(Cut::BEFORE);
pub const NO_CAUSE: ProblemKind = ProblemKind::remark(
    "cause not in the trace",
    "A component ran because of a message whose publication is not in the file. No arrow is drawn.",
)
.unless_cut(Cut::BEFORE);
pub const OVERLAP: ProblemKind = ProblemKind::remark(
    "overlap",
    "Two executions of one lane overlap, and their workers are not known. Drawn in separate rows.",
);
pub const NO_MOMENT: ProblemKind = ProblemKind::remark(
    "line without a time",
    "A line that describes the run, not a point in time. The source record shows it.",
);
pub const OTHER_CLOCK: ProblemKind = ProblemKind::remark(
    "different clock",
    "The time of the event is from a different clock than that of the others. Shown at the edge of the run.",
);
