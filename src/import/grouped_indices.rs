//! [`GroupedIndices`]: numbers by the group of each, all in one list.

/// Numbers in numbered groups.
#[derive(Default)]
pub struct GroupedIndices {
    order: Vec<u32>,
    /// Where each group ends in `order`; one more at the end, for the sums.
    ends: Vec<u32>,
}

impl GroupedIndices {
    /// 0..`n` by the group of each, if it is in one; the order in a group stays.
    pub fn new(n_groups: usize, n: usize, group_of: impl Fn(usize) -> Option<u32>) -> Self {
        let mut groups = Self::default();
        groups.fill(n_groups, (0..n).filter_map(|at| Some((group_of(at)?, at as u32))));
        groups
    }

    /// Replaces all groups: from pairs of a group below `n_groups` and a number. The order in a group stays.
    pub fn fill(&mut self, n_groups: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) {
        self.ends.clear();
        self.ends.resize(n_groups + 1, 0);
        pairs.clone().for_each(|(group, _)| self.ends[group as usize + 1] += 1);
        for group in 1..self.ends.len() {
            self.ends[group] += self.ends[group - 1];
        }
        self.order.clear();
        self.order.resize(self.ends[n_groups] as usize, 0);
        // The begin of each group moves to its end.
        for (group, number) in pairs {
            let at = &mut self.ends[group as usize];
            self.order[*at as usize] = number;
            *at += 1;
        }
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    /// The members of a group.
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
        groups.fill(0, std::iter::empty());
        assert_eq!(groups.len(), 0);
    }
}
