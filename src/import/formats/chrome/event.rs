//! One event, either recalled from a learned shape or parsed.

use super::names::PidOrTid;
use super::reader::within_reach;
use crate::base::interner::StrId;
use crate::import::scalars::decimal::Time;

/// Members of an event, except its arguments.
#[derive(Clone, Copy, Debug)]
pub struct ChromeEvent {
    /// First byte of `ph`: Perfetto's tests have `XXX` for `X`.
    pub phase: u8,
    /// Family of the event's phase, which determines how it is read; `None` if events of this phase are not drawn.
    pub family: Option<PhaseFamily>,
    /// Name of the event; [`StrId::EMPTY`] if it has none.
    pub name: StrId,
    /// Category of the event; [`StrId::EMPTY`] if it has none.
    pub category: StrId,
    pub pid: PidOrTid,
    pub tid: PidOrTid,
    /// Time of the event, in microseconds.
    pub ts: Option<Time>,
    /// Duration in microseconds: `dur`, or `tdur` if there is no `dur`.
    pub dur: Option<Time>,
    /// CPU time that the slice used within `dur`, in microseconds.
    pub tdur: Option<Time>,
    /// The thread's CPU time so far, in microseconds, for an event that begins or ends a slice.
    pub tts: Option<Time>,
    pub link: EventJoinId,
    /// Name of a step (T, p), or [`StrId::NONE`].
    pub step: StrId,
    /// Scope of an instant: g, p or t.
    pub scope: Option<u8>,
    /// Whether `bp` is `e`: the end of an arrow binds to the enclosing slice.
    pub binds_enclosing: bool,
    pub bind: Option<BindFlags>,
}

impl ChromeEvent {
    /// Whether the event alone becomes a span or an instant, so that it has the arguments of the event's record and no
    /// others.
    #[inline]
    pub fn is_whole(&self) -> bool {
        match self.family {
            Some(PhaseFamily::Slice) => !is_part(self.phase),
            family => family == Some(PhaseFamily::Instant),
        }
    }
}

impl ChromeEvent {
    /// CPU time in nanoseconds; `None` if the event states none. For a complete slice, the CPU time of the slice. For
    /// a begin or end event, the thread's CPU time so far, negated in a begin event, so that the sum of both events is
    /// the CPU time of the slice.
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

/// Whether an event of this phase is the start or the end of a slice: it has no duration, and its arguments are merged
/// with the arguments of the other event.
pub fn is_part(phase: u8) -> bool {
    matches!(phase, b'B' | b'E')
}

/// Id that joins events. Ids are compared as text, whether they are numbers or strings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EventJoinId {
    pub id: StrId,
    /// Namespace of the id, which distinguishes ids that are equal by chance.
    pub scope: StrId,
    /// Whether the id is declared global (one for all processes) or local to its process.
    pub global: bool,
    pub local: bool,
}

/// An arrow that an event declares to or from its own slice (`bind_id`).
#[derive(Clone, Copy, Debug)]
pub struct BindFlags {
    pub id: StrId,
    pub into: bool,
    pub out: bool,
}

/// Family of phases whose events are read in the same way.
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
    /// Family of an event; `None` if events of its phase are not drawn.
    pub fn of(phase: u8, has_duration: bool) -> Option<Self> {
        Some(match phase {
            b'X' | b'B' | b'E' => PhaseFamily::Slice,
            // A step of an asynchronous event has no duration; with a duration, Perfetto uses T for a thread state.
            b'T' if has_duration => PhaseFamily::Slice,
            b'b' | b'e' | b'n' | b'S' | b'T' | b'p' | b'F' => PhaseFamily::Async,
            // Creation and deletion of an object, and its snapshots.
            b'N' | b'O' | b'D' => PhaseFamily::Async,
            b's' | b't' | b'f' => PhaseFamily::Flow,
            // Memory dumps and clock syncs are instants.
            b'I' | b'i' | b'R' | b'v' | b'V' | b'c' => PhaseFamily::Instant,
            b'C' => PhaseFamily::Counter,
            b'P' => PhaseFamily::Profile,
            _ => return None,
        })
    }
}
