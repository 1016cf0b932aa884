//! How spans ended.

use crate::protocol::Outcome;
use crate::trace::{Flags, Kind};

/// Every outcome.
pub(super) const OUTCOMES: [Outcome; 4] =
    [Outcome::Ok, Outcome::Failed, Outcome::Unfinished, Outcome::NoStart];

/// Whether both the start and the end of a span are in the trace.
pub fn is_whole(flags: Flags) -> bool {
    !flags.has(Flags::OPEN_START) && !flags.has(Flags::OPEN_END)
}

/// Whether a span is a source execution that ended: what the analysis of the tracer calls a source call.
pub fn is_source_call((kind, flags): (Kind, Flags)) -> bool {
    kind == Kind::Execution && !flags.has(Flags::OPEN_END)
}

/// How a span ended. A failure is the most that can be known; then what is missing.
pub fn outcome(flags: Flags) -> Outcome {
    match flags {
        _ if flags.has(Flags::FAILED) => Outcome::Failed,
        _ if flags.has(Flags::OPEN_END) => Outcome::Unfinished,
        _ if flags.has(Flags::OPEN_START) => Outcome::NoStart,
        _ => Outcome::Ok,
    }
}

/// Name of an outcome, as people read it and as the filter takes it.
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Failed => "failed",
        Outcome::Unfinished => "unfinished",
        Outcome::NoStart => "no-start",
    }
}
