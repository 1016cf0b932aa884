//! The rows of a thread: transactions, statements, stages and waits, one below the other; inside each what lies in
//! another one stands below it, and what only overlaps it as well, marked.

use super::class::MySqlEventClass;
use super::tree::MySqlEventNode;
use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::import::interval_nesting::{DEEPEST, Placed};
use crate::trace::Flags;

/// The tick of `idle` in 5.6 and MariaDB, in nanoseconds.
const IDLE_TICK: i64 = 1_000;
/// What the durations of events without start times may differ by, in nanoseconds: durations have four digits.
const LAID_OUT: i64 = 100_000;
/// Rows of a group below which no row is sought for what lies still deeper.
const ROWS: usize = 64;

/// How far the clock of waits and that of everything else are apart.
#[derive(Clone, Copy, Debug)]
pub enum ClockOffset {
    /// Start times are not reported.
    Unknown,
    /// Nanoseconds, at most.
    Apart(i64),
}

/// Moves a wait into the event that holds it, where the difference of their clocks explains why it is not; marks what
/// lies outside of the event that holds it.
pub fn keep_inside(
    event: &mut Placed,
    class: MySqlEventClass,
    (above, class_above): (&Placed, MySqlEventClass),
    clocks: ClockOffset,
) {
    // A transaction cuts across the statement that began it.
    if class == MySqlEventClass::Transaction || event.start >= above.start && event.end <= above.end {
        return;
    }
    let explained = match (clocks, class == MySqlEventClass::Wait, class_above) {
        (ClockOffset::Unknown, ..) => LAID_OUT,
        (ClockOffset::Apart(apart), true, MySqlEventClass::Idle) => apart + IDLE_TICK,
        (ClockOffset::Apart(apart), true, MySqlEventClass::Stage | MySqlEventClass::Statement) => apart,
        // One clock measured both.
        _ => 0,
    };
    let length = event.end - event.start;
    let (start, end) = match clocks {
        // Lengths alone are reported, and they are what differs.
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

/// Transactions, statements and pauses, stages, waits.
fn group(class: MySqlEventClass) -> usize {
    match class {
        MySqlEventClass::Transaction => 0,
        MySqlEventClass::Statement | MySqlEventClass::Idle => 1,
        MySqlEventClass::Stage => 2,
        MySqlEventClass::Wait => 3,
    }
}

/// Gives every event its row, and sorts them by start, parents before what lies in them. Parents are nodes before, and
/// positions in the list after that.
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
