//! [`Lanes`]: intervals, given by start, into as few lanes as they need.

/// Nodes of a tree that is kept.
const SMALL: usize = 64;

/// Hands out the lowest lane that is free. Lanes' ends stand in a tree of minima, so that a hundred thousand
/// intervals that all overlap cost no more than as many that do not.
#[derive(Default)]
pub struct Lanes {
    /// Node `n` is the least of `2n` and `2n + 1`; the leaves are in the second half.
    tree: Vec<i64>,
    count: usize,
}

impl Lanes {
    /// The lane of the interval; starts must never go back.
    pub fn place(&mut self, start: i64, end: i64) -> usize {
        if self.tree.get(1).is_none_or(|&least| least > start) {
            self.grow();
        }
        let leaves = self.tree.len() / 2;
        let mut node = 1;
        while node < leaves {
            node *= 2;
            if self.tree[node] > start {
                node += 1;
            }
        }
        let lane = node - leaves;
        self.tree[node] = end;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].min(self.tree[2 * node + 1]);
        }
        self.count = self.count.max(lane + 1);
        lane
    }

    /// The same as the row of a track: rows beyond 65,535 share the last one.
    pub fn row(&mut self, start: i64, end: i64) -> u16 {
        u16::try_from(self.place(start, end)).unwrap_or(u16::MAX)
    }

    /// How many lanes were needed so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        if self.count == 0 {
            return;
        }
        // A small tree keeps its memory; to empty a large one costs its size, however few lanes come next.
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

    fn lowest_free(ends: &mut Vec<i64>, start: i64, end: i64) -> usize {
        let lane = ends.iter().position(|&e| e <= start).unwrap_or(ends.len());
        ends.resize(ends.len().max(lane + 1), end);
        ends[lane] = end;
        lane
    }

    proptest! {
        #[test]
        fn the_lowest_free_lane_is_taken(mut spans in prop::collection::vec((0_i64..100, 0_i64..50), 0..200)) {
            spans.sort_unstable();
            let (mut fit, mut ends) = (Lanes::default(), Vec::new());
            for round in 0..2 {
                for &(start, length) in &spans {
                    let lane = fit.place(start, start + length);
                    prop_assert_eq!(lane, lowest_free(&mut ends, start, start + length), "round {}", round);
                }
                prop_assert_eq!(fit.count(), ends.len());
                fit.clear();
                ends.clear();
            }
        }
    }
}
