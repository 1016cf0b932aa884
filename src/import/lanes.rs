//! Rows for intervals that overlap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Gives every interval the lowest row in which nothing is going on any more.
#[derive(Default)]
pub struct Lanes {
    busy: BinaryHeap<Reverse<(i64, u16)>>,
    free: BinaryHeap<Reverse<u16>>,
    count: u16,
}

impl Lanes {
    /// Begins anew.
    pub fn clear(&mut self) {
        self.busy.clear();
        self.free.clear();
        self.count = 0;
    }

    /// The row of an interval; intervals come in the order of their starts. Rows beyond 65,535 share the last one.
    pub fn place(&mut self, start: i64, end: i64) -> u16 {
        while let Some(&Reverse((until, lane))) = self.busy.peek()
            && until <= start
        {
            self.busy.pop();
            self.free.push(Reverse(lane));
        }
        let lane = self.free.pop().map_or(self.count, |Reverse(lane)| lane);
        self.count = self.count.max(lane.saturating_add(1));
        self.busy.push(Reverse((end, lane)));
        lane
    }

    /// How many rows there are.
    pub fn count(&self) -> u16 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::Lanes;

    #[test]
    fn overlapping_intervals_have_rows_of_their_own() {
        let mut lanes = Lanes::default();
        let placed = [(0, 10), (2, 4), (3, 9), (4, 5), (9, 12), (10, 11)].map(|(s, e)| lanes.place(s, e));
        assert_eq!(placed, [0, 1, 2, 1, 1, 0]);
    }
}
