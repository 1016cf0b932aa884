//! The time range of events, before the clock of waits is known.

use super::class::MySqlEventClass;
use super::clock::{WaitClock, nanos};
use super::store::NO_TIME;

/// The time range of an export's events, for each clock.
#[derive(Clone, Copy, Default)]
pub struct EventTimeRange {
    waits: ClockTimeRange,
    others: ClockTimeRange,
}

/// Time range of one clock, in picoseconds since the server was started.
#[derive(Clone, Copy, Default)]
struct ClockTimeRange {
    first: Option<u64>,
    last: Option<u64>,
    /// Latest time up to which clients that were still idle at the export had been idle. It does not show how long the
    /// server worked.
    last_idle: Option<u64>,
    /// Whether a transaction was open at the time of the export: then `last_idle` is part of the range, because the
    /// locks were still held.
    is_open: bool,
}

impl EventTimeRange {
    /// Adds an event with its start and duration, in picoseconds.
    #[inline]
    pub fn add(&mut self, class: MySqlEventClass, start: u64, wait: u64, has_ended: bool) {
        if start == NO_TIME {
            return;
        }
        let times = if class == MySqlEventClass::Wait { &mut self.waits } else { &mut self.others };
        let end = Some(wait).filter(|&wait| wait != NO_TIME).and_then(|wait| start.checked_add(wait));
        let end = end.unwrap_or(start);
        if times.first.is_none_or(|first| start < first) {
            times.first = Some(start);
        }
        times.is_open |= class == MySqlEventClass::Transaction && !has_ended;
        let is_idle = class == MySqlEventClass::Idle && !has_ended;
        let last = if is_idle { &mut times.last_idle } else { &mut times.last };
        if last.is_none_or(|last| end > last) {
            *last = Some(end);
        }
    }

    /// Start of the first event and end of the last event, in nanoseconds.
    pub fn nanos(&self, clock: &WaitClock) -> (i64, i64) {
        let Self { waits, others } = self;
        let of = |wait: Option<u64>, other: Option<u64>| {
            [wait.map(|time| nanos(clock.time(time))), other.map(nanos)].into_iter().flatten()
        };
        let first = of(waits.first, others.first).min().unwrap_or(0);
        let (last, idle) = (of(waits.last, others.last).max(), of(waits.last_idle, others.last_idle).max());
        let last = if others.is_open { last.max(idle) } else { last.or(idle) };
        (first, last.unwrap_or(0))
    }
}
