//! What is reported of events that cannot be shown as they are.

use crate::import::contract::ProblemKind;
pub use crate::import::json::problems::{BEHIND, BROKEN, CUT_OFF, FAR, INSIDE, NOT_CLOSED, STRAY};
use crate::trace::Cut;

pub const NO_EVENTS: ProblemKind = ProblemKind::remark(
    "no traceEvents",
    "The file's outermost object has no array of events called traceEvents.",
);
pub const EMPTY: ProblemKind =
    ProblemKind::remark("no events", "The list of events is empty: there is nothing to draw.");
pub const SECTION: ProblemKind = ProblemKind::remark(
    "section not drawn",
    "A part of the file beside its events is text of another tool; a point at the start of the trace leads to it.",
);
pub const SECTION_START: ProblemKind = ProblemKind::remark(
    "section too long",
    "A part of the file beside its events is longer than a mebibyte; a point at the start of the trace leads to its beginning.",
);
pub const FRAMES_CUT: ProblemKind = ProblemKind::remark(
    "stack frames too long",
    "The section stackFrames is longer than a mebibyte; only frames in its beginning are known.",
);
pub const NO_FRAME: ProblemKind =
    ProblemKind::lost("sample without stack", "A sample whose stack is not among the file's stackFrames.");
pub const NO_PHASE: ProblemKind =
    ProblemKind::lost("no phase", "An object without ph, which says what an event is.");
pub const UNKNOWN_PHASE: ProblemKind =
    ProblemKind::lost("unknown phase", "An event of a phase (ph) that the format does not define.");
pub const NO_TIME: ProblemKind =
    ProblemKind::lost("no timestamp", "An event without a number as ts: it has no place on the time axis.");
pub const FINER: ProblemKind = ProblemKind::remark(
    "finer than a nanosecond",
    "Timestamps have digits below the nanosecond: times are rounded to it, and the record shows all digits.",
);
pub const NO_DURATION: ProblemKind = ProblemKind::remark(
    "no duration",
    "A complete event (ph X) without a number as dur; drawn to the end of what it lies in, or of the trace.",
);
pub const NEGATIVE: ProblemKind =
    ProblemKind::remark("negative duration", "An event that ends before it begins; drawn as taking no time.");
pub const NO_PID: ProblemKind = ProblemKind::remark(
    "no pid",
    "An event that does not say of which process it is; shown below a process of its own.",
);
pub const NO_TID: ProblemKind = ProblemKind::remark(
    "no tid",
    "An event that does not say of which thread it is; what it draws in a thread stands in one without a number.",
);
pub const SAME_ID: ProblemKind = ProblemKind::remark(
    "number and text as id",
    "A pid or tid that is a number in some events and text in others: they are two, and a name given to one is not the other's.",
);
pub const NO_ID: ProblemKind = ProblemKind::remark(
    "no id",
    "An asynchronous event without an id; matched with those of the same category that have none either.",
);
pub const OTHER_SCOPE: ProblemKind = ProblemKind::remark(
    "unknown scope",
    "An instant whose scope (s) is none of g, p and t; drawn as one of its thread.",
);
pub const FLOW_NO_ID: ProblemKind =
    ProblemKind::lost("flow without id", "An end of an arrow without the id that joins the ends.");
pub const OTHER_METADATA: ProblemKind = ProblemKind::remark(
    "other metadata",
    "Metadata that names nothing in the picture and says nothing else.",
);
pub const NO_BEGIN: ProblemKind = ProblemKind::lost(
    "no B",
    "An end (ph E) of which the beginning is not in the file: there is nothing to draw.",
)
.unless_cut(Cut::BEFORE);
pub const NO_END: ProblemKind = ProblemKind::remark(
    "no E",
    "A beginning (ph B) of which the end is not in the file; drawn to the end of what it lies \
     in, or of the trace.",
)
.unless_cut(Cut::BEHIND);
pub const OTHER_NAME: ProblemKind = ProblemKind::lost(
    "E of another name",
    "An end (ph E) whose name is that of nothing that is open on its thread.",
)
.unless_cut(Cut::BEFORE);
pub const CUT_SHORT: ProblemKind = ProblemKind::remark(
    "B and E that cross",
    "A beginning (ph B) whose end comes behind that of what it lies in; drawn to the end of what it lies in.",
);
pub const CROSSING: ProblemKind = ProblemKind::lost(
    "E that crosses",
    "An end (ph E) whose slice had ended with what it lies in: another E came between, of a slice that began before.",
);
pub const OVERLAP: ProblemKind = ProblemKind::remark(
    "partial overlap",
    "An event overlaps another one of its thread without lying inside it; drawn in a row of its own.",
);
pub const CLIPPED: ProblemKind = ProblemKind::remark(
    "clipped",
    "An event reaches up to a microsecond beyond its neighbour, as rounded clocks do (a tenth of one where times are finer); cut there.",
);
pub const ASYNC_NO_END: ProblemKind = ProblemKind::remark(
    "no end of async",
    "Something asynchronous began and its end is not in the file; drawn to the last event of its id, or to the end of what it \
     lies in, or of the trace.",
)
.unless_cut(Cut::BEHIND);
pub const ASYNC_NO_BEGIN: ProblemKind = ProblemKind::remark(
    "no start of async",
    "Something asynchronous ended and its start is not in the file; drawn from the first event of its id.",
)
.unless_cut(Cut::BEFORE);
pub const FLOW_UNBOUND: ProblemKind = ProblemKind::lost(
    "flow outside of a slice",
    "An end of an arrow at a moment at which nothing is open on its thread, and no instant is.",
)
.unless_cut(Cut::BEFORE);
pub const FLOW_NO_NEXT: ProblemKind = ProblemKind::lost(
    "flow without a next slice",
    "An end of an arrow (ph f, without bp) that belongs to the next slice of its thread: none \
     begins behind it.",
)
.unless_cut(Cut::BEHIND);
pub const FLOW_OTHER_UNBOUND: ProblemKind = ProblemKind::lost(
    "flow whose other end is in no slice",
    "An end of an arrow of which the other end is in the file and belongs to no slice or instant.",
)
.unless_cut(Cut::BEFORE);
pub const FLOW_ALONE: ProblemKind = ProblemKind::lost(
    "flow without its other end",
    "An end of an arrow of which the other end is not in the file.",
)
.unless_cut(Cut::ANYWHERE);
pub const BIND_ALONE: ProblemKind = ProblemKind::remark(
    "arrow of a slice alone",
    "A slice has an arrow (bind_id) of which the other end is not in the file, or of an event that draws no slice.",
)
.unless_cut(Cut::ANYWHERE);
pub const BIND_NOTHING: ProblemKind = ProblemKind::remark(
    "bind_id without an arrow",
    "An event has a bind_id, and is of a phase that has no slice, or says neither flow_in nor flow_out: there is no arrow.",
);
pub const SAMPLES: ProblemKind = ProblemKind::remark(
    "samples without times",
    "A part of a profile has no arguments, or another number of samples than of times; what is too much is left out.",
);
pub const NO_VALUE: ProblemKind =
    ProblemKind::lost("counter without a number", "A counter event without an argument that is a number.");
pub const BAD_VALUE: ProblemKind = ProblemKind::remark(
    "counter value",
    "A counter has arguments that are no numbers, or need more than 64 bits; they are left out.",
);

/// Phases that are defined and not drawn, with why.
const NOT_DRAWN: [(&[u8], ProblemKind); 4] = [
    (b"P", ProblemKind::lost("sample (P)", "A sample that is not of a profile; it is not drawn.")),
    (
        b"()",
        ProblemKind::lost(
            "context (the phases of brackets)",
            "A context that is entered or left; it is not drawn.",
        ),
    ),
    (b"=", ProblemKind::lost("linked ids (=)", "Two ids that name the same; they are not drawn.")),
    (
        b"a",
        ProblemKind::lost(
            "unknown phase (a)",
            "A phase that some tools list and nobody defines; it is not drawn.",
        ),
    ),
];

/// Why an event of a phase is not drawn.
pub fn not_drawn(phase: u8) -> ProblemKind {
    let found = NOT_DRAWN.iter().find(|(phases, _)| phases.contains(&phase));
    found.map_or(UNKNOWN_PHASE, |(_, kind)| *kind)
}
