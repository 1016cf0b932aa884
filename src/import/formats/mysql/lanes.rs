//! Assigns the rows of a thread: transactions, statements, stages and waits, one group below the other. In each group a
//! nested event is below its parent. An event that only overlaps another is in a lower row, too, and is flagged.

use super::class::MySqlEventClass;
use super::tree::MySqlEventNode;
use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::import::interval_nesting::{DEEPEST, Placed};
use crate::trace::Flags;

/// Resolution of `idle` durations in 5.6 and MariaDB, in nanoseconds.
const IDLE_TICK: i64 = 1_000;
/// Maximum distance, in nanoseconds, by which an event without a start time is moved into its holder: durations are
/// rounded to four digits.
const LAID_OUT: i64 = 100_000;
/// Highest row of a group at which the search for a free row begins, even for an event that is nested more deeply.
const ROWS: usize = 64;

/// Known difference between the clock of waits and the clock of all other events. It limits how far an event is moved
/// to lie in its holder.
#[derive(Clone, Copy, Debug)]
pub enum ClockOffset {
    /// Start times are not reported.
    Unknown,
    /// The clocks differ by at most this number of nanoseconds.
    Apart(i64),
}

/// Clips or moves an event into its holder, which is `above`, if it overruns the holder by no more than the clocks or
/// the resolution of times explain. Any other event that is outside its holder is flagged. Transactions are left
/// unchanged.
pub fn keep_inside(
    event: &mut Placed,
    class: MySqlEventClass,
    (above, class_above): (&Placed, MySqlEventClass),
    clocks: ClockOffset,
) {
    // A transaction may begin or end inside a statement.
    if class == MySqlEventClass::Transaction || event.start >= above.start && event.end <= above.end {
        return;
    }
    let explained = match (clocks, class == MySqlEventClass::Wait, class_above) {
        (ClockOffset::Unknown, ..) => LAID_OUT,
        (ClockOffset::Apart(apart), true, MySqlEventClass::Idle) => apart + IDLE_TICK,
        (ClockOffset::Apart(apart), true, MySqlEventClass::Stage | MySqlEventClass::Statement) => apart,
        // Event and holder have the same clock.
        _ => 0,
    };
    let length = event.end - event.start;
    let (start, end) = match clocks {
        // Only durations are reported, so both start and end may be moved.
        ClockOffset::Unknown => {
            (event.start.clamp(above.start, above.end), event.end.clamp(above.start, above.end))
        }
        ClockOffset::Apart(_) if length > above.end - above.start => (above.start, above.end),
        ClockOffset::Apart(_) => {
            let start = event.start.clamp(above.start, above.end - length);
            (start, start + length)
        }
    };
    let moved = (start - event.start).abs().max((end - event.end).abs());
    if moved <= explained {
        (event.start, event.end) = (start, end);
        event.flags = event.flags.with(Flags::CLIPPED);
    } else {
        event.flags = event.flags.with(Flags::OUTSIDE);
    }
}

/// Group of a class, from the top: transactions; statements and idle times; stages; waits.
fn group(class: MySqlEventClass) -> usize {
    match class {
        MySqlEventClass::Transaction => 0,
        MySqlEventClass::Statement | MySqlEventClass::Idle => 1,
        MySqlEventClass::Stage => 2,
        MySqlEventClass::Wait => 3,
    }
}

/// Assigns a row to each event and sorts the events by start, parents before children. In the argument, parents are indices
/// of `nodes`; in the result, positions in the list.
#[inline(never)]
pub fn place(mut placed: Vec<Placed>, nodes: &[MySqlEventNode]) -> Vec<Placed> {
    sort::by_key(&mut placed, |one| (one.start, u64::from(one.what)));
    let group_of = |node: u32| group(nodes[node as usize].class);
    let mut positions: Vec<u32> = vec![u32::MAX; nodes.len()];
    let mut groups: [LaneAllocator; 4] = Default::default();
    for at in 0..placed.len() {
        let Placed { start, end, what, parent, .. } = placed[at];
        let group = group_of(what);
        // A parent that begins later has no row yet.
        let above = parent.filter(|&parent| group_of(parent) == group);
        let above = above.and_then(|parent| placed.get(positions[parent as usize] as usize));
        let least = above.map_or(0, |above| usize::from(above.depth) + 1).min(ROWS);
        let row = groups[group].place_below(least, start, end);
        let one = &mut placed[at];
        if row > least {
            one.flags = one.flags.with(Flags::OVERLAPS);
        }
        one.depth = row.min(usize::from(u16::MAX)) as u16;
        positions[what as usize] = at as u32;
    }
    let mut tops = [0; 4];
    for group in 1..4 {
        tops[group] = tops[group - 1] + groups[group - 1].count();
    }
    for one in &mut placed {
        one.depth = u16::try_from(tops[group_of(one.what)] + usize::from(one.depth)).unwrap_or(DEEPEST);
        one.parent = one.parent.map(|parent| positions[parent as usize]);
    }
    placed
}
