//! Problems that are reported for records that cannot be shown as recorded.

use crate::import::contract::{ProblemKind, SHOWN_ONCE};
use crate::trace::Cut;

pub const BROKEN: ProblemKind = ProblemKind::lost(
    "broken record",
    "The event is cut off or mixed with another one. Reading continued after it.",
);
pub const TORN: ProblemKind = ProblemKind::remark(
    "damaged record",
    "The event is cut off or has stray characters in it. Its intact fields are shown.",
);
pub const CUT_OFF: ProblemKind = ProblemKind::lost("cut off", "The file ends inside this event.").at_end();
pub const STRAY: ProblemKind = ProblemKind::remark(
    "text between records",
    "Text that belongs to no event. Reading continued at the next event.",
);
pub const CONTROL: ProblemKind = ProblemKind::remark(
    "control characters",
    "Control characters that are not valid in text, which the server writes where it does not escape. They are \
     read as spaces.",
);
pub const NOT_EVENT: ProblemKind =
    ProblemKind::lost("not an event", "A record that is not an instruction, a phase or a heartbeat.");
pub const NO_TIME: ProblemKind =
    ProblemKind::lost("no time", "An event without a clock value: it cannot be placed on the time axis.");
pub const UNCLEAR: ProblemKind = ProblemKind::lost(
    "unnamed values",
    "Values without names (stethoscope -F line): it is not known which one is the clock, the duration or the \
     thread. Record with -F json, or with more keys.",
);
pub const UNNAMED: ProblemKind = ProblemKind::remark(
    "unnamed counters",
    "A heartbeat of values without names (stethoscope -F line) omits counters that are 0, so it is not known \
     which counters the others are. They are left out.",
);
pub const NO_START: ProblemKind = ProblemKind::remark(
    "no start",
    "The end of an instruction whose start is not in the file. Drawn from its duration.",
)
.unless_cut(Cut::BEFORE);
pub const NO_DURATION: ProblemKind = ProblemKind::lost(
    "end without start or duration",
    "The end of an instruction whose start is not in the file, without a duration.",
)
.unless_cut(Cut::BEFORE);
pub const NO_END: ProblemKind = ProblemKind::remark(
    "no end",
    "The start of an instruction whose end is not in the file: the capture ended, the instruction failed, or a \
     loop was no longer reported. Drawn to the next event of its thread.",
)
.unless_cut(Cut::AFTER);
pub const MEASURED: ProblemKind = ProblemKind::remark(
    "reported duration differs",
    "The duration that the server measured is not the difference of the start and end timestamps. The measured \
     duration is shown and summed; the bar is drawn from start to end.",
);
pub const OVERLAP: ProblemKind = ProblemKind::remark(
    "partial overlap",
    "An instruction overlaps another one of its thread without being nested in it. Drawn in a lane of its own.",
);
pub const NO_OWNER: ProblemKind = ProblemKind::remark(
    "no execution",
    "An instruction with tag 0, which names no execution, outside of any instruction that names one.",
);
pub const GLUED: ProblemKind = ProblemKind::remark(
    "records without a line end",
    "The server cut off a long record and wrote the next one in the same line. Both are read.",
);
pub const CLOCKLESS: ProblemKind = ProblemKind::remark(
    "no times",
    "The file has no time column (stethoscope -o). Times are reconstructed from the order and the durations; \
     only the durations are exact.",
);
pub const RECONSTRUCTED: ProblemKind = ProblemKind::remark(
    "reconstructed schedule",
    "TRACE records how long each instruction took, not when it ran. Instructions are drawn as early as their \
     inputs allow, on as many workers as needed. This is one possible schedule.",
);
pub const REPEATED: ProblemKind = ProblemKind::lost(
    SHOWN_ONCE[1],
    "The file has the same events as another file. It is shown and counted once.",
);
pub const CROWDED: ProblemKind = ProblemKind::remark(
    "many servers",
    "The files are of more than 256 servers. All further servers are shown as one.",
);
