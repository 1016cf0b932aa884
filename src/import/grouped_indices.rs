//! [`GroupedIndices`]: numbers by group, stored in a single list.

/// Lists of numbers, one list per group. Groups are numbered from 0.
#[derive(Default)]
pub struct GroupedIndices {
    order: Vec<u32>,
    /// End of each group in `order`, plus one element that `fill` needs for the prefix sums.
    ends: Vec<u32>,
}

impl GroupedIndices {
    /// Groups the numbers 0..`n` by `group_of`; numbers without a group are left out. The order within a group is kept.
    pub fn new(n_groups: usize, n: usize, group_of: impl Fn(usize) -> Option<u32>) -> Self {
        let mut groups = Self::default();
        groups.fill(n_groups, (0..n).filter_map(|at| Some((group_of(at)?, at as u32))));
        groups
    }

    /// Replaces all groups with the given pairs of group (below `n_groups`) and number. The order within a group is kept.
    pub fn fill(&mut self, n_groups: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) {
        self.ends.clear();
        self.ends.resize(n_groups + 1, 0);
        pairs.clone().for_each(|(group, _)| self.ends[group as usize + 1] += 1);
        for group in 1..self.ends.len() {
            self.ends[group] += self.ends[group - 1];
        }
        self.order.clear();
        self.order.resize(self.ends[n_groups] as usize, 0);
        // `ends` holds the start of each group here; every added number advances it towards the group's end.
        for (group, number) in pairs {
            let at = &mut self.ends[group as usize];
            self.order[*at as usize] = number;
            *at += 1;
        }
    }

    /// The numbers of all groups, one group after the other, and the end of each group among the numbers.
    pub fn into_parts(mut self) -> (Vec<u32>, Vec<u32>) {
        self.ends.truncate(self.len());
        (self.order, self.ends)
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    /// Returns the numbers of a group.
    pub fn of(&self, group: u32) -> &[u32] {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.order[start as usize..self.ends[group as usize] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_keep_the_order_of_their_members() {
        let mut groups = GroupedIndices::new(3, 6, |at| [Some(2), None, Some(0), Some(2), Some(0), None][at]);
        assert_eq!([0, 1, 2].map(|group| groups.of(group).to_vec()), [vec![2, 4], vec![], vec![0, 3]]);
        groups.fill(1, [(0, 7), (0, 5)].into_iter());
        assert_eq!((groups.len(), groups.of(0)), (1, &[7, 5][..]));
        groups.fill(3, [(2, 4), (0, 1), (2, 3)].into_iter());
        assert_eq!(groups.into_parts(), (vec![1, 4, 3], vec![1, 1, 3]));
        let mut groups = GroupedIndices::default();
        assert_eq!(groups.len(), 0);
        groups.fill(0, std::iter::empty());
        assert_eq!(groups.len(), 0);
    }
}
