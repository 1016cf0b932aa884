//! Measures by a database server's own definitions: any group of events can be aggregated as in the server's summary
//! tables.
//!
//! The definitions are those of MySQL's and MariaDB's Performance Schema (chapter "Performance Schema Summary Tables" of
//! MySQL's manual; details that the manual leaves open were measured, see `reconcile`): an event counts once it has ended;
//! COUNT of table accesses is their number of rows; AVG is computed in timer ticks, `⌊(SUM / tick) / COUNT⌋ · tick`.

use std::ops::Range;

use super::amounts::{Amounts, FEW};
use super::tick::{Divisor, TickLength};
use crate::base::chunked;
use crate::trace::{
    AttributeColumn, Flags, Item, Kind, NOT_REPORTED, RunId, SpanId, Trace, attribute_names, key,
};

/// A number of an event that a server uses in its summary tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Server {
    /// Number of times that the server counts the event: once, or once per row for a batch of table accesses.
    Count,
    /// Duration in picoseconds.
    Time,
    /// Length of one tick of the event's timer, in picoseconds.
    Tick,
}

impl Server {
    /// Display name of the number.
    pub fn name(self) -> &'static str {
        match self {
            Server::Count => "server counts",
            Server::Time => "server time",
            Server::Tick => "server tick",
        }
    }
}

/// Picoseconds per nanosecond and per microsecond: the possible ticks of all events but waits.
const NANO: i64 = 1_000;
const MICRO: i64 = 1_000_000;

/// The server's numbers of every span, if a server sums it up. Computed in one pass, as reading records is slow.
#[inline(never)]
pub(super) fn values(trace: &Trace) -> [(Server, Amounts); 3] {
    let nothing = || vec![NOT_REPORTED; trace.spans.len()];
    let timers = vec![Timer::None as u8; trace.spans.len()];
    let mut found = ServerNumbers { counts: nothing(), times: nothing(), timers, ticks: Vec::new() };
    let times = AttributeColumn::new(trace, key::TIMER_WAIT);
    let rows = trace.key(attribute_names::ROWS).map(|key| AttributeColumn::new(trace, key));
    for (at, run) in trace.runs.iter().enumerate() {
        found.add(trace, RunId(at as u32), trace.tracks.subtree_spans(run.track), (&times, rows.as_ref()));
    }
    let is_one = found.ticks.windows(2).all(|pair| pair[0] == pair[1]);
    let of_all = if is_one { None } else { Some(found.ticks_of_all(trace)) };
    let ServerNumbers { counts, times, timers, ticks } = found;
    let ticks = of_all.unwrap_or(Amounts::Few(timers, ticks.first().copied().unwrap_or([NOT_REPORTED; FEW])));
    [(Server::Count, Amounts::Many(counts)), (Server::Time, Amounts::Many(times)), (Server::Tick, ticks)]
}

/// The timer that measured an event. The number of a variant is an index into the tick lengths of a run.
#[derive(Clone, Copy)]
enum Timer {
    None,
    Waits,
    Idle,
    Others,
}

struct ServerNumbers {
    counts: Vec<i64>,
    times: Vec<i64>,
    /// By span: its [`Timer`].
    timers: Vec<u8>,
    /// By run, then by [`Timer`]: length of the tick in picoseconds.
    ticks: Vec<[i64; FEW]>,
}

impl ServerNumbers {
    fn add(
        &mut self,
        trace: &Trace,
        run: RunId,
        spans: Range<u32>,
        (times, rows): (&AttributeColumn<i64>, Option<&AttributeColumn<i64>>),
    ) {
        let (mut of_waits, mut is_micro) = (Divisor::default(), true);
        let reported = |number: i64| Some(number).filter(|&number| number != NOT_REPORTED);
        chunked::for_each(spans, |id| {
            let ((kind, flags), item) = (trace.spans.kind_and_flags(SpanId(id)), Item::Span(SpanId(id)));
            if !is_own(trace, item, kind) {
                return;
            }
            let records = trace.ends(item);
            let time = times.of_records(item, records);
            match (kind, reported(time)) {
                (Kind::Wait, Some(time)) => of_waits.add(time),
                (Kind::Idle, Some(time)) => is_micro &= time % MICRO == 0,
                _ => {}
            }
            if !flags.has(Flags::OPEN_END) {
                // Only table accesses count once per row.
                let accesses = rows.filter(|_| kind == Kind::Wait);
                let accesses = accesses.and_then(|rows| reported(rows.of_records(item, records)));
                self.counts[id as usize] = accesses.unwrap_or(1);
                self.times[id as usize] = time;
                self.timers[id as usize] = match kind {
                    Kind::Wait => Timer::Waits,
                    Kind::Idle => Timer::Idle,
                    _ => Timer::Others,
                } as u8;
            }
        });
        let wait = i64::try_from(TickLength::of(trace, run, of_waits.get()).picos).unwrap_or(1);
        let idle = if is_micro { MICRO } else { NANO };
        self.ticks.push([NOT_REPORTED, wait, idle, NANO]);
    }

    /// Length of the tick of every span, for traces whose servers have different ticks.
    fn ticks_of_all(&self, trace: &Trace) -> Amounts {
        let mut values = vec![NOT_REPORTED; self.timers.len()];
        for (run, ticks) in trace.runs.iter().zip(&self.ticks) {
            for id in trace.tracks.subtree_spans(run.track) {
                values[id as usize] = ticks[usize::from(self.timers[id as usize])];
            }
        }
        Amounts::Many(values)
    }
}

/// Whether a span is an event that a server sums up when it ends.
fn is_own(trace: &Trace, item: Item, kind: Kind) -> bool {
    match kind {
        Kind::Wait | Kind::Idle | Kind::Stage | Kind::Statement | Kind::Transaction => true,
        // Queries from other formats have no event ID.
        Kind::Query => trace.num(item, key::EVENT_ID).is_some(),
        _ => false,
    }
}

/// The server's average: `sum` picoseconds over `count` events, in whole ticks if all times have the same tick, else in
/// whole picoseconds. `None` if `count` is 0.
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
