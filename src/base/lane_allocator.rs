//! [`LaneAllocator`]: assigns overlapping intervals to as few lanes as possible.

/// Maximum number of tree nodes that [`clear`](LaneAllocator::clear) keeps for reuse.
const SMALL: usize = 64;

/// Assigns each interval to the lowest free lane. The end times of the lanes are the leaves of a tree of minima, so that many
/// overlapping intervals cost no more per interval than intervals that do not overlap.
#[derive(Default)]
pub struct LaneAllocator {
    /// Node `n` is the minimum of nodes `2n` and `2n + 1`. The leaves are the second half of the tree.
    tree: Vec<i64>,
    count: usize,
}

impl LaneAllocator {
    /// Assigns a lane to the interval `start..end`; starts must be ascending.
    pub fn place(&mut self, start: i64, end: i64) -> usize {
        self.place_below(0, start, end)
    }

    /// Assigns a lane to the interval `start..end`, excluding the first `above` lanes; starts must be ascending.
    pub fn place_below(&mut self, above: usize, start: i64, end: i64) -> usize {
        let lane = loop {
            match self.free(above, start) {
                Some(lane) => break lane,
                None => self.grow(),
            }
        };
        let mut node = self.tree.len() / 2 + lane;
        self.tree[node] = end;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].min(self.tree[2 * node + 1]);
        }
        self.count = self.count.max(lane + 1);
        lane
    }

    /// The first lane from `from` on that is free at `start`; `None` if there is no such lane.
    fn free(&self, from: usize, start: i64) -> Option<usize> {
        let leaves = self.tree.len() / 2;
        let mut node = if from < leaves { leaves + from } else { return None };
        // Moves up and to the right until a subtree has a free lane.
        while self.tree[node] > start {
            node += 1;
            node >>= node.trailing_zeros();
            if node == 1 {
                return None;
            }
        }
        // Moves down to the leftmost free lane.
        while node < leaves {
            node *= 2;
            node += usize::from(self.tree[node] > start);
        }
        Some(node - leaves)
    }

    /// Assigns a lane to the interval as a row of a track; lanes above 65,535 share the last row.
    pub fn row(&mut self, start: i64, end: i64) -> u16 {
        u16::try_from(self.place(start, end)).unwrap_or(u16::MAX)
    }

    /// Number of lanes in use so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Frees all lanes.
    pub fn clear(&mut self) {
        if self.count == 0 {
            return;
        }
        // A small tree keeps its memory. Resetting a large tree would take time proportional to its size.
        if self.tree.len() <= SMALL {
            self.tree.fill(i64::MIN);
        } else {
            self.tree.clear();
        }
        self.count = 0;
    }

    fn grow(&mut self) {
        let (old, leaves) = (self.tree.len() / 2, self.tree.len().max(2));
        let ends = self.tree.split_off(old);
        self.tree = vec![i64::MIN; leaves];
        self.tree.extend(ends);
        self.tree.resize(2 * leaves, i64::MIN);
        for node in (1..leaves).rev() {
            self.tree[node] = self.tree[2 * node].min(self.tree[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lowest_free(ends: &mut Vec<i64>, above: usize, start: i64, end: i64) -> usize {
        ends.resize(ends.len().max(above), i64::MIN);
        let lane = ends[above..].iter().position(|&e| e <= start).map_or(ends.len(), |lane| above + lane);
        ends.resize(ends.len().max(lane + 1), end);
        ends[lane] = end;
        lane
    }

    proptest! {
        #[test]
        fn the_lowest_free_lane_is_taken(
            mut spans in prop::collection::vec((0_i64..100, 0_i64..50, 0_usize..9), 0..200),
            nested: bool,
        ) {
            spans.sort_unstable();
            let (mut fit, mut ends) = (LaneAllocator::default(), Vec::new());
            for round in 0..2 {
                let mut count = 0;
                for &(start, length, above) in &spans {
                    let above = if nested { above } else { 0 };
                    let lane = fit.place_below(above, start, start + length);
                    count = count.max(lane + 1);
                    prop_assert_eq!(lane, lowest_free(&mut ends, above, start, start + length), "{}", round);
                }
                prop_assert_eq!(fit.count(), count);
                fit.clear();
                ends.clear();
            }
        }
    }
}
