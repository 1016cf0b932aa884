//! The numbers in which a database server sums up its own events, by its own definitions: what its tables of sums hold can
//! be asked of any group of events.
//!
//! Those of MySQL's and MariaDB's Performance Schema (chapter "Performance Schema Summary Tables" of MySQL's manual; what
//! it leaves open was measured, see `reconcile`): an event counts when it has ended; COUNT of table accesses is their
//! rows; AVG is made in ticks of the timer, `⌊(SUM / tick) / COUNT⌋ · tick`.

use super::tick::Tick;
use crate::trace::{Flags, Item, Kind, NOT_REPORTED, RunId, SpanId, Trace, key, words};

/// A number by which a server sums up an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Server {
    /// How often it counts the event: a batch of table accesses once for each row.
    Count,
    /// How long it took, in picoseconds.
    Time,
    /// Picoseconds of one tick of the timer that measured it.
    Tick,
}

impl Server {
    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Server::Count => "server counts",
            Server::Time => "server time",
            Server::Tick => "server tick",
        }
    }
}

/// Picoseconds of a nanosecond, and of a microsecond: the ticks of the timers of all but waits.
const NANO: i64 = 1_000;
const MICRO: i64 = 1_000_000;

/// The number of every span; [`NOT_REPORTED`] for those that no server sums up.
#[inline(never)]
pub fn values(trace: &Trace, server: Server) -> Vec<i64> {
    let mut values = vec![NOT_REPORTED; trace.spans.len()];
    let rows = trace.key(words::ROWS);
    for (at, run) in trace.runs.iter().enumerate() {
        let spans = trace.tracks.subtree_spans(run.track);
        let ticks = (server == Server::Tick).then(|| Ticks::of(trace, RunId(at as u32), spans.clone()));
        for id in spans {
            let Some(kind) = counted(trace, SpanId(id)) else { continue };
            let item = Item::Span(SpanId(id));
            values[id as usize] = match (server, &ticks) {
                (Server::Time, _) => trace.num(item, key::TIMER_WAIT).unwrap_or(NOT_REPORTED),
                (_, Some(ticks)) => ticks.of_kind(kind),
                _ => rows.filter(|_| kind == Kind::Wait).and_then(|key| trace.num(item, key)).unwrap_or(1),
            };
        }
    }
    values
}

/// The kind of an event that a server sums up: one of its own that has ended.
fn counted(trace: &Trace, id: SpanId) -> Option<Kind> {
    let (kind, flags) = trace.spans.look(id);
    let is_own = match kind {
        Kind::Wait | Kind::Idle | Kind::Stage | Kind::Statement | Kind::Transaction => true,
        // Statements of other servers have no number in their thread.
        Kind::Query => trace.num(Item::Span(id), key::EVENT_ID).is_some(),
        _ => false,
    };
    (is_own && !flags.has(Flags::OPEN_END)).then_some(kind)
}

/// Picoseconds of the ticks of one run's timers.
struct Ticks {
    wait: i64,
    idle: i64,
}

impl Ticks {
    fn of(trace: &Trace, run: RunId, spans: std::ops::Range<u32>) -> Self {
        let times = |wanted: Kind| {
            let of_kind = spans.clone().filter(move |&id| trace.spans.look(SpanId(id)).0 == wanted);
            of_kind.filter_map(move |id| trace.num(Item::Span(SpanId(id)), key::TIMER_WAIT))
        };
        let is_micro = times(Kind::Idle).all(|time| time % MICRO == 0);
        let wait = Tick::of(trace, run, || times(Kind::Wait)).picos;
        Self { wait: i64::try_from(wait).unwrap_or(1), idle: if is_micro { MICRO } else { NANO } }
    }

    fn of_kind(&self, kind: Kind) -> i64 {
        match kind {
            Kind::Wait => self.wait,
            Kind::Idle => self.idle,
            _ => NANO,
        }
    }
}

/// The server's average of times that add up to `sum`, counted `count` times, all measured in one tick. Of times that were
/// measured in several, the server makes none: it is whole picoseconds then.
pub fn average(sum: i128, count: i128, tick: Option<i64>) -> Option<i128> {
    let tick = i128::from(tick.unwrap_or(1)).max(1);
    (count > 0).then(|| sum / tick / count * tick)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_whole_ticks() {
        for (sum, count, tick, expected) in [
            (385 * 7, 2, Some(385), Some(385 * 3)),
            (385 * 7, 2, None, Some(1347)),
            (5_000, 3, Some(1_000), Some(1_000)),
            (5_000, 0, Some(1_000), None),
            (5_000, 1, Some(0), Some(5_000)),
        ] {
            assert_eq!(average(sum, count, tick), expected, "{sum} {count} {tick:?}");
        }
    }
}
