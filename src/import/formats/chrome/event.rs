//! One event as it is understood, whichever way it was read.

use super::names::PidOrTid;
use super::reader::within_reach;
use crate::base::interner::StrId;
use crate::import::scalars::decimal::Time;

/// What an event says, but for its arguments.
#[derive(Clone, Copy, Debug)]
pub struct ChromeEvent {
    /// The first byte of `ph`: Perfetto's tests have `XXX` for `X`.
    pub phase: u8,
    /// `None` if events of its phase are not drawn.
    pub family: Option<PhaseFamily>,
    /// Empty where there is none; so is the category.
    pub name: StrId,
    pub category: StrId,
    pub pid: PidOrTid,
    pub tid: PidOrTid,
    /// Microseconds.
    pub ts: Option<Time>,
    /// Microseconds; where there is no `dur`, `tdur` will do.
    pub dur: Option<Time>,
    /// Time on the processor, of the length in `dur`.
    pub tdur: Option<Time>,
    /// The thread's CPU time so far, in microseconds, of an event that begins or ends a slice.
    pub tts: Option<Time>,
    pub link: EventJoinId,
    /// The name of a step (T, p), or [`StrId::NONE`].
    pub step: StrId,
    /// The scope of an instant: g, p or t.
    pub scope: Option<u8>,
    /// `bp` is `e`: the end of an arrow binds to the slice that it lies in.
    pub binds_enclosing: bool,
    pub bind: Option<BindFlags>,
}

impl ChromeEvent {
    /// Whether it is all that becomes a span or event, so that what its record reports is what that carries.
    #[inline]
    pub fn is_whole(&self) -> bool {
        match self.family {
            Some(PhaseFamily::Slice) => !is_part(self.phase),
            family => family == Some(PhaseFamily::Instant),
        }
    }
}

impl ChromeEvent {
    /// The thread's CPU time in nanoseconds: of a complete slice, its own; of an event at the start or end of a slice, the
    /// thread's total so far, negative at the start, so that the sum of both is the CPU time of the slice.
    pub fn thread_time(&self) -> Option<i64> {
        let time = |time: Option<Time>| within_reach(time?).ok();
        match self.phase {
            b'X' => time(self.tdur),
            b'B' => time(self.tts).map(i64::saturating_neg),
            b'E' => time(self.tts),
            _ => None,
        }
    }
}

/// Whether an event of this phase is the start or the end of a slice: it has no duration, and its arguments are merged with those
/// of the other event.
pub fn is_part(phase: u8) -> bool {
    matches!(phase, b'B' | b'E')
}

/// What joins events: compared as text, whether it is a number or a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EventJoinId {
    pub id: StrId,
    /// What distinguishes ids that are equal by chance.
    pub scope: StrId,
    /// Whether it says that it is one for all processes, or one of its own process's.
    pub global: bool,
    pub local: bool,
}

/// An arrow to or from a slice (`bind_id`).
#[derive(Clone, Copy, Debug)]
pub struct BindFlags {
    pub id: StrId,
    pub into: bool,
    pub out: bool,
}

/// Phases that are read in one way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PhaseFamily {
    Slice,
    Async,
    Flow,
    Instant,
    Counter,
    Profile,
}

impl PhaseFamily {
    /// The family of an event; `None` if events of its phase are not drawn.
    pub fn of(phase: u8, has_duration: bool) -> Option<Self> {
        Some(match phase {
            b'X' | b'B' | b'E' => PhaseFamily::Slice,
            // A step of something asynchronous has no duration; Perfetto gave the letter a second meaning.
            b'T' if has_duration => PhaseFamily::Slice,
            b'b' | b'e' | b'n' | b'S' | b'T' | b'p' | b'F' => PhaseFamily::Async,
            // The life of an object, and snapshots of it.
            b'N' | b'O' | b'D' => PhaseFamily::Async,
            b's' | b't' | b'f' => PhaseFamily::Flow,
            // Dumps of memory, and marks that relate clocks, happen at a moment.
            b'I' | b'i' | b'R' | b'v' | b'V' | b'c' => PhaseFamily::Instant,
            b'C' => PhaseFamily::Counter,
            b'P' => PhaseFamily::Profile,
            _ => return None,
        })
    }
}
