//! The rows of a thread: transactions, statements, stages and waits, one below the other; inside each what lies in
//! another one stands below it, and what only overlaps it as well, marked.

use super::class::MySqlEventClass;
use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::trace::Flags;

/// An event with its times, in nanoseconds since the server was started, and its row.
#[derive(Clone, Copy, Debug)]
pub struct MySqlPlacedEvent {
    /// Its position among the nodes of its thread.
    pub node: u32,
    pub class: MySqlEventClass,
    pub start: i64,
    pub end: i64,
    /// The position of what it is in.
    pub parent: Option<u32>,
    pub row: u16,
    pub flags: Flags,
}

/// The tick of `idle` in 5.6 and MariaDB, in nanoseconds.
const IDLE_TICK: i64 = 1_000;
/// What the durations of events without start times may differ by, in nanoseconds: four digits of them are told.
const LAID_OUT: i64 = 100_000;
/// Rows in which room is looked for one by one.
const ROWS: usize = 64;

/// How far the clock of waits and that of everything else are apart.
#[derive(Clone, Copy, Debug)]
pub enum ClockOffset {
    /// No start times are told.
    Unknown,
    /// Nanoseconds, at most.
    Apart(i64),
}

impl MySqlPlacedEvent {
    /// Moves a wait into the event that holds it, where the difference of their clocks explains why it is not; marks what
    /// lies outside of what holds it.
    pub fn keep_inside(&mut self, above: &MySqlPlacedEvent, clocks: ClockOffset) {
        // A transaction cuts across the statement that began it.
        if self.class == MySqlEventClass::Transaction || self.start >= above.start && self.end <= above.end {
            return;
        }
        let explained = match (clocks, self.class == MySqlEventClass::Wait, above.class) {
            (ClockOffset::Unknown, ..) => LAID_OUT,
            (ClockOffset::Apart(apart), true, MySqlEventClass::Idle) => apart + IDLE_TICK,
            (ClockOffset::Apart(apart), true, MySqlEventClass::Stage | MySqlEventClass::Statement) => apart,
            // One clock measured both.
            _ => 0,
        };
        let length = self.end - self.start;
        let (start, end) = match clocks {
            // Lengths alone are told, and they are what differs.
            ClockOffset::Unknown => {
                (self.start.clamp(above.start, above.end), self.end.clamp(above.start, above.end))
            }
            ClockOffset::Apart(_) if length > above.end - above.start => (above.start, above.end),
            ClockOffset::Apart(_) => {
                let start = self.start.clamp(above.start, above.end - length);
                (start, start + length)
            }
        };
        let moved = (start - self.start).abs().max((end - self.end).abs());
        if moved <= explained {
            (self.start, self.end) = (start, end);
            self.flags = self.flags.with(Flags::CLIPPED);
        } else {
            self.flags = self.flags.with(Flags::OUTSIDE);
        }
    }

    /// Transactions, statements and pauses, stages, waits.
    fn group(&self) -> usize {
        match self.class {
            MySqlEventClass::Transaction => 0,
            MySqlEventClass::Statement | MySqlEventClass::Idle => 1,
            MySqlEventClass::Stage => 2,
            MySqlEventClass::Wait => 3,
        }
    }
}

/// Until when the rows of a group are taken.
#[derive(Default)]
struct LaneGroup {
    ends: Vec<i64>,
    more: LaneAllocator,
}

impl LaneGroup {
    /// The first row from `least` on that is free.
    fn row(&mut self, least: usize, start: i64, end: i64) -> usize {
        let free = (least..self.ends.len()).find(|&row| self.ends[row] <= start);
        match free {
            Some(row) => {
                self.ends[row] = end;
                row
            }
            None if self.ends.len() < ROWS => {
                self.ends.resize(self.ends.len().max(least), i64::MIN);
                self.ends.push(end);
                self.ends.len() - 1
            }
            None => ROWS + self.more.place(start, end),
        }
    }

    fn height(&self) -> usize {
        if self.more.count() > 0 { ROWS + self.more.count() } else { self.ends.len() }
    }
}

/// Gives every event its row, and sorts them by start, parents before what lies in them.
#[inline(never)]
pub fn place(mut placed: Vec<MySqlPlacedEvent>) -> Vec<MySqlPlacedEvent> {
    sort::by_key(&mut placed, |one| (one.start, u64::from(one.node)));
    let count = placed.iter().map(|one| one.node as usize + 1).max().unwrap_or(0);
    // The group and row of every node so far.
    let mut rows: Vec<(u8, u16)> = vec![(u8::MAX, 0); count];
    let mut groups: [LaneGroup; 4] = Default::default();
    for one in &mut placed {
        let group = one.group();
        let above = one
            .parent
            .and_then(|parent| rows.get(parent as usize))
            .filter(|(of, _)| usize::from(*of) == group);
        let least = above.map_or(0, |(_, row)| usize::from(*row) + 1).min(ROWS);
        let row = groups[group].row(least, one.start, one.end);
        if row > least {
            one.flags = one.flags.with(Flags::OVERLAPS);
        }
        rows[one.node as usize] = (group as u8, row.min(usize::from(u16::MAX)) as u16);
    }
    let mut tops = [0; 4];
    for group in 1..4 {
        tops[group] = tops[group - 1] + groups[group - 1].height();
    }
    for one in &mut placed {
        let (group, row) = rows[one.node as usize];
        one.row = u16::try_from(tops[usize::from(group)] + usize::from(row)).unwrap_or(u16::MAX - 2);
    }
    placed
}
