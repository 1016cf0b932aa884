//! Outcomes of spans.

use crate::protocol::Outcome;
use crate::trace::{Flags, Kind};

/// All outcomes.
pub(super) const OUTCOMES: [Outcome; 4] =
    [Outcome::Ok, Outcome::Failed, Outcome::Unfinished, Outcome::NoStart];

/// Whether both the start and the end of a span are in the trace.
pub fn is_whole(flags: Flags) -> bool {
    !flags.has(Flags::OPEN_START) && !flags.has(Flags::OPEN_END)
}

/// Whether a span is a source execution that ended; the tracer's own analysis calls it a source call.
pub fn is_source_call((kind, flags): (Kind, Flags)) -> bool {
    kind == Kind::Execution && !flags.has(Flags::OPEN_END)
}

/// Outcome of a span. A failure takes precedence over a missing end or start.
pub fn outcome(flags: Flags) -> Outcome {
    match flags {
        _ if flags.has(Flags::FAILED) => Outcome::Failed,
        _ if flags.has(Flags::OPEN_END) => Outcome::Unfinished,
        _ if flags.has(Flags::OPEN_START) => Outcome::NoStart,
        _ => Outcome::Ok,
    }
}

/// Name of an outcome, for display and in filters.
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Failed => "failed",
        Outcome::Unfinished => "unfinished",
        Outcome::NoStart => "no-start",
    }
}
