//! Problems of events that cannot be shown as they are.

use crate::import::contract::ProblemKind;
pub use crate::import::json::problems::{AFTER_END, BROKEN, CUT_OFF, FAR, INSIDE, NOT_CLOSED, STRAY};
use crate::trace::Cut;

pub const NO_EVENTS: ProblemKind = ProblemKind::remark(
    "no traceEvents",
    "The file's outermost object has no array of events called traceEvents.",
);
pub const EMPTY: ProblemKind =
    ProblemKind::remark("no events", "The list of events is empty: there is nothing to draw.");
pub const SECTION: ProblemKind = ProblemKind::remark(
    "section not drawn",
    "A part of the file that is not events, but text of another tool. An instant at the start of the trace shows it.",
);
pub const SECTION_START: ProblemKind = ProblemKind::remark(
    "section too long",
    "A part of the file that is not events, and longer than 1 MiB. An instant at the start of the trace shows \
     its beginning.",
);
pub const FRAMES_CUT: ProblemKind = ProblemKind::remark(
    "stack frames too long",
    "The section stackFrames is longer than 1 MiB. Only frames in its beginning are known.",
);
pub const NO_FRAME: ProblemKind =
    ProblemKind::lost("sample without stack", "A sample whose stack is not among the file's stackFrames.");
pub const NO_PHASE: ProblemKind =
    ProblemKind::lost("no phase", "An object without ph, the type of the event.");
pub const UNKNOWN_PHASE: ProblemKind =
    ProblemKind::lost("unknown phase", "An event of a phase (ph) that the format does not define.");
pub const NO_TIME: ProblemKind = ProblemKind::lost(
    "no timestamp",
    "An event whose ts is missing or not a number: it cannot be placed on \
         the time axis.",
);
pub const FINER: ProblemKind = ProblemKind::remark(
    "finer than a nanosecond",
    "Timestamps have digits below the nanosecond. Times are rounded to nanoseconds; the source record shows \
     all digits.",
);
pub const NO_DURATION: ProblemKind = ProblemKind::remark(
    "no duration",
    "A complete event (ph X) whose dur is missing or not a number. Drawn to the end of its parent or of the trace.",
);
pub const NEGATIVE: ProblemKind = ProblemKind::remark(
    "negative duration",
    "An event that ends before it begins. Drawn without a duration.",
);
pub const NO_PID: ProblemKind =
    ProblemKind::remark("no pid", "An event that names no process. Shown below a process of its own.");
pub const NO_TID: ProblemKind =
    ProblemKind::remark("no tid", "An event that names no thread. Shown in a thread without a number.");
pub const SAME_ID: ProblemKind = ProblemKind::remark(
    "id is number and text",
    "A pid or tid that is a number in some events and text in others. They count as two different ids, each \
     with its own name.",
);
pub const NO_ID: ProblemKind = ProblemKind::remark(
    "no id",
    "An asynchronous event without an id. Matched with other events of its category that have no id.",
);
pub const OTHER_SCOPE: ProblemKind =
    ProblemKind::remark("unknown scope", "An instant whose scope (s) is not g, p or t. Drawn on its thread.");
pub const FLOW_NO_ID: ProblemKind =
    ProblemKind::lost("flow without id", "A flow event without the id that joins the ends of an arrow.");
pub const OTHER_METADATA: ProblemKind = ProblemKind::remark(
    "other metadata",
    "Metadata that names no process or thread of the trace and has no other known meaning.",
);
pub const NO_BEGIN: ProblemKind =
    ProblemKind::lost("E without B", "An end (ph E) whose begin is not in the file. Nothing is drawn.")
        .unless_cut(Cut::BEFORE);
pub const NO_END: ProblemKind = ProblemKind::remark(
    "B without E",
    "A begin (ph B) whose end is not in the file. Drawn to the end of its parent or of the trace.",
)
.unless_cut(Cut::AFTER);
pub const OTHER_NAME: ProblemKind =
    ProblemKind::lost("E with another name", "An end (ph E) whose name matches no open slice of its thread.")
        .unless_cut(Cut::BEFORE);
pub const CUT_SHORT: ProblemKind = ProblemKind::remark(
    "slice outlasts its parent",
    "A begin (ph B) whose end is after the end of its parent. Drawn to the end of its parent.",
);
pub const CROSSING: ProblemKind = ProblemKind::lost(
    "E after the parent ended",
    "An end (ph E) whose slice had already ended with its parent: the E of the parent came first.",
);
pub const OVERLAP: ProblemKind = ProblemKind::remark(
    "partial overlap",
    "An event overlaps another one of its thread without being nested in it. Drawn in a lane of its own.",
);
pub const CLIPPED: ProblemKind = ProblemKind::remark(
    "clipped",
    "An event overlaps its neighbour by up to 1 µs (0.1 µs where times are finer), as rounded clocks cause. \
     Clipped there.",
);
pub const ASYNC_NO_END: ProblemKind = ProblemKind::remark(
    "async without an end",
    "The end of an asynchronous event is not in the file. Drawn to the last event of its id, or to the end of \
     its parent or of the trace.",
)
.unless_cut(Cut::AFTER);
pub const ASYNC_NO_BEGIN: ProblemKind = ProblemKind::remark(
    "async without a start",
    "The start of an asynchronous event is not in the file. Drawn from the first event of its id.",
)
.unless_cut(Cut::BEFORE);
pub const FLOW_UNBOUND: ProblemKind = ProblemKind::lost(
    "flow outside of a slice",
    "A flow event at a time at which its thread has no open slice and no instant.",
)
.unless_cut(Cut::BEFORE);
pub const FLOW_NO_NEXT: ProblemKind = ProblemKind::lost(
    "flow without a next slice",
    "A flow event (ph f, without bp) that belongs to the next slice of its thread, but no slice begins after it.",
)
.unless_cut(Cut::AFTER);
pub const FLOW_OTHER_UNBOUND: ProblemKind = ProblemKind::lost(
    "flow whose other end is in no slice",
    "A flow event whose other end is in the file, but in no slice or instant.",
)
.unless_cut(Cut::BEFORE);
pub const FLOW_ALONE: ProblemKind =
    ProblemKind::lost("flow without its other end", "A flow event whose other end is not in the file.")
        .unless_cut(Cut::ANYWHERE);
pub const BIND_ALONE: ProblemKind = ProblemKind::remark(
    "bind_id without its other end",
    "A slice has an arrow (bind_id) whose other end is not in the file or draws no slice.",
)
.unless_cut(Cut::ANYWHERE);
pub const BIND_NOTHING: ProblemKind = ProblemKind::remark(
    "bind_id without a direction",
    "An event has a bind_id, but its phase has no slice, or it has neither flow_in nor flow_out. No arrow is drawn.",
);
pub const SAMPLES: ProblemKind = ProblemKind::remark(
    "samples without times",
    "A part of a profile has no arguments, or the numbers of its samples and times differ. The surplus is left out.",
);
pub const NO_VALUE: ProblemKind =
    ProblemKind::lost("counter without a number", "A counter event without a numeric argument.");
pub const BAD_VALUE: ProblemKind = ProblemKind::remark(
    "invalid counter value",
    "A counter has arguments that are not numbers or do not fit into 64 bits. They are left out.",
);

/// Phases that are defined but not drawn, with the reason.
const NOT_DRAWN: [(&[u8], ProblemKind); 4] = [
    (b"P", ProblemKind::lost("sample (P)", "A sample that does not belong to a profile. It is not drawn.")),
    (
        b"()",
        ProblemKind::lost("context (phases ( and ))", "A context that is entered or left. It is not drawn."),
    ),
    (b"=", ProblemKind::lost("linked ids (=)", "Two ids that name the same object. They are not drawn.")),
    (
        b"a",
        ProblemKind::lost(
            "unknown phase (a)",
            "A phase that some tools list, but no specification defines. It is not drawn.",
        ),
    ),
];

/// Problem reported for an event whose phase is not drawn.
pub fn not_drawn(phase: u8) -> ProblemKind {
    let found = NOT_DRAWN.iter().find(|(phases, _)| phases.contains(&phase));
    found.map_or(UNKNOWN_PHASE, |(_, kind)| *kind)
}
