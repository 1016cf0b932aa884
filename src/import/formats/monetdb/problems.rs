//! What is reported of records that cannot be shown as they are.

use crate::import::contract::ProblemKind;
use crate::trace::Cut;

pub const BROKEN: ProblemKind = ProblemKind::lost(
    "broken record",
    "The text of the event breaks off or is mixed with another; reading went on behind it.",
);
pub const TORN: ProblemKind = ProblemKind::remark(
    "torn record",
    "The text of the event breaks off or has letters in it that belong to nothing; what stands whole in it is shown.",
);
pub const CUT_OFF: ProblemKind = ProblemKind::lost("cut off", "The file ends inside this event.").at_end();
pub const STRAY: ProblemKind = ProblemKind::remark(
    "text between records",
    "Text that belongs to no event; reading went on at the next one.",
);
pub const CONTROL: ProblemKind = ProblemKind::remark(
    "control characters",
    "Bytes that no text may hold, as the server writes them where it does not escape; they are read as spaces.",
);
pub const NOT_EVENT: ProblemKind =
    ProblemKind::lost("not an event", "A record that is neither of an instruction, a phase nor a heartbeat.");
pub const NO_TIME: ProblemKind =
    ProblemKind::lost("no time", "An event without a reading of a clock: it has no place on the time axis.");
pub const UNCLEAR: ProblemKind = ProblemKind::lost(
    "unnamed values",
    "Values without names (stethoscope -F line) of which nothing tells which is the clock, the duration or the thread; with \
     -F json, or with more keys, the record can be read.",
);
pub const UNNAMED: ProblemKind = ProblemKind::remark(
    "unnamed counters",
    "A heartbeat of values without names (stethoscope -F line) leaves out counters that are 0, so that nothing tells what the \
     others count: they are left out.",
);
pub const NO_START: ProblemKind = ProblemKind::remark(
    "no start",
    "The end of an instruction of which the start is not in the file; drawn from its duration.",
)
.unless_cut(Cut::BEFORE);
pub const NO_DURATION: ProblemKind = ProblemKind::lost(
    "end without start or duration",
    "The end of an instruction of which the start is not in the file, and which does not say \
     how long it took.",
)
.unless_cut(Cut::BEFORE);
pub const NO_END: ProblemKind = ProblemKind::remark(
    "no end",
    "The start of an instruction of which the end is not in the file: the capture ended, it failed, or a \
     loop was no longer reported. Drawn to the next thing that its thread did.",
)
.unless_cut(Cut::BEHIND);
pub const MEASURED: ProblemKind = ProblemKind::remark(
    "reported duration differs",
    "The server measured another duration than lies between the clock readings of start and end: the duration is shown and \
     summed, the readings are where the bar begins and ends.",
);
pub const OVERLAP: ProblemKind = ProblemKind::remark(
    "partial overlap",
    "An instruction overlaps another one of its thread without lying inside it; drawn in a row of its own.",
);
pub const NO_OWNER: ProblemKind = ProblemKind::remark(
    "no execution",
    "An instruction with tag 0, which names no execution, inside of nothing that has one.",
);
pub const GLUED: ProblemKind = ProblemKind::remark(
    "records without a line end",
    "A long record was cut by the server, and the next one stands in the same line; both are read.",
);
pub const CLOCKLESS: ProblemKind = ProblemKind::remark(
    "no times",
    "The file was written without its time column (stethoscope -o): times are reconstructed from the order and the \
     durations, and are right only in how long things took.",
);
pub const RECONSTRUCTED: ProblemKind = ProblemKind::remark(
    "reconstructed schedule",
    "TRACE tells how long each instruction took, and not when: they are drawn as early as what they read allows, on as \
     many workers as it takes. It is one way in which it can have been.",
);
pub const REPEATED: ProblemKind = ProblemKind::lost(
    "like another file",
    "The file tells the same as another one that was opened, event by event: it is shown and counted once.",
);
pub const CROWDED: ProblemKind = ProblemKind::remark(
    "many servers",
    "The files tell of more than 256 servers: those beyond are shown as one.",
);
