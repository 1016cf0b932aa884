//! Grouping: rows with the same codes get the same number.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::parts;
use crate::stats::Bits;

/// The group of a row that is in none.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Up to so many combinations are looked up in a table, which then has at most 16 MiB; more are hashed.
const TABLE: usize = 1 << 22;

/// The codes of rows in one dimension: those of its attribute, and what projections make of each.
pub(super) struct Codes<'a> {
    pub rows: &'a [u32],
    pub images: &'a [u32],
    /// Images are below this.
    pub limit: usize,
}

/// Groups, numbered in the order in which they were met.
pub(super) struct Groups {
    /// Which rows these are; all of them for `None`.
    pub rows: Option<Rc<[u32]>>,
    /// The group of each of these rows, or [`NOWHERE`].
    pub of_row: Vec<u32>,
    /// By dimension, then by group: the group's code.
    pub codes: Vec<Vec<u32>>,
    /// By dimension, then by group of those up to it: the group without it.
    pub above: Vec<Vec<u32>>,
    pub len: usize,
}

/// Whether what is chosen of so many rows is better listed than marked among all.
pub(super) fn are_few(chosen: &Bits, rows: usize) -> bool {
    (chosen.len() as usize) < rows / 3
}

/// New numbers for some groups of so many, in the order in which they are met, and which groups have them.
pub(super) fn renumbered(groups: impl Iterator<Item = u32>, n_groups: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut numbers, mut met) = (vec![NOWHERE; n_groups], Vec::new());
    let number = |group: u32| {
        let Some(number) = numbers.get_mut(group as usize) else { return NOWHERE };
        if *number == NOWHERE {
            *number = met.len() as u32;
            met.push(group);
        }
        *number
    };
    (groups.map(number).collect(), met)
}

impl Groups {
    /// One group of so many rows.
    pub fn whole(rows: usize) -> Self {
        Self::one(None, vec![0; rows], rows > 0)
    }

    fn one(rows: Option<Rc<[u32]>>, of_row: Vec<u32>, is_any: bool) -> Self {
        Self { rows, of_row, codes: Vec::new(), above: Vec::new(), len: usize::from(is_any) }
    }

    /// One group of the rows that are chosen among so many.
    pub fn chosen(rows: usize, chosen: &Bits) -> Self {
        if are_few(chosen, rows) {
            let of_row = vec![0; chosen.len() as usize];
            return Self::one(Some(chosen.iter().collect()), of_row, chosen.len() > 0);
        }
        if chosen.len() as usize == rows {
            return Self::whole(rows);
        }
        let of_row = parts::all(0..rows as u32, |row| if chosen.contains(row) { 0 } else { NOWHERE });
        Self::one(None, of_row, chosen.len() > 0)
    }

    /// Splits every group by one more dimension.
    #[inline(never)]
    pub fn split(&mut self, codes: &Codes) {
        let mut pairs = Pairs::new(self.len, codes.limit);
        let (rows, of_row) = (self.rows.as_deref(), &mut self.of_row);
        parts::each(0..of_row.len() as u32, |at| {
            let (group, row) = (&mut of_row[at as usize], rows.map_or(at, |rows| rows[at as usize]));
            if *group != NOWHERE
                && let Some(&code) = codes.rows.get(row as usize)
            {
                *group = pairs.number(*group, codes.images[code as usize]);
            }
        });
        for column in &mut self.codes {
            *column = pairs.found.iter().map(|&(group, _)| column[group as usize]).collect();
        }
        self.codes.push(pairs.found.iter().map(|&(_, code)| code).collect());
        self.above.push(pairs.found.iter().map(|&(group, _)| group).collect());
        self.len = pairs.found.len();
    }
}

/// Lists of groups, one behind the other.
pub(super) struct Children {
    starts: Vec<u32>,
    groups: Vec<u32>,
}

impl Children {
    /// From the group above every group.
    pub fn new(above: &[u32], n_above: usize) -> Self {
        let mut starts = vec![0_u32; n_above + 1];
        above.iter().for_each(|&group| starts[group as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut groups = vec![0; above.len()];
        for (group, &above) in (0..).zip(above) {
            groups[next[above as usize] as usize] = group;
            next[above as usize] += 1;
        }
        Self { starts, groups }
    }

    /// Those of one.
    pub fn of(&self, group: u32) -> &[u32] {
        let at = group as usize;
        &self.groups[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// All groups, those side by side that a coarser one is made of: what is [`above`](Groups::above) them tells.
pub(super) fn side_by_side(above: &[Vec<u32>], len: usize) -> Vec<u32> {
    let (mut order, mut width): (Vec<u32>, _) = ((0..1.min(len as u32)).collect(), 1);
    for groups in above {
        let children = Children::new(groups, width);
        order = order.iter().flat_map(|&group| children.of(group)).copied().collect();
        width = groups.len();
    }
    order
}

/// Numbers for pairs of group and code.
struct Pairs {
    limit: usize,
    table: Vec<u32>,
    hashed: FxHashMap<u64, u32>,
    found: Vec<(u32, u32)>,
}

impl Pairs {
    fn new(groups: usize, limit: usize) -> Self {
        let size = groups.checked_mul(limit).filter(|&size| size <= TABLE).unwrap_or(0);
        Self { limit, table: vec![NOWHERE; size], hashed: FxHashMap::default(), found: Vec::new() }
    }

    #[inline]
    fn number(&mut self, group: u32, code: u32) -> u32 {
        let next = self.found.len() as u32;
        let slot = match self.table.get_mut(group as usize * self.limit + code as usize) {
            Some(slot) => slot,
            None => self.hashed.entry(u64::from(group) << 32 | u64::from(code)).or_insert(NOWHERE),
        };
        if *slot == NOWHERE {
            *slot = next;
            self.found.push((group, code));
        }
        *slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(of_row: &[u32], dimensions: &[(&[u32], usize)], groups: &[u32], codes: &[&[u32]]) {
        let chosen = Bits::of(of_row.len(), |row| of_row[row as usize] != NOWHERE);
        let mut found = Groups::chosen(of_row.len(), &chosen);
        for &(rows, limit) in dimensions {
            let images: Vec<u32> = (0..limit as u32).collect();
            found.split(&Codes { rows, images: &images, limit });
        }
        assert_eq!(found.of_row, groups);
        assert_eq!(found.codes, codes);
        assert_eq!(found.len, codes.first().map_or(found.len, |codes| codes.len()));
    }

    #[test]
    fn what_a_coarser_group_is_made_of_stands_side_by_side() {
        for (above, len, expected) in [
            (vec![], 0, vec![]),
            (vec![], 1, vec![0]),
            (vec![vec![0, 0, 0]], 3, vec![0, 1, 2]),
            (vec![vec![0, 0], vec![1, 0, 1, 0]], 4, vec![1, 3, 0, 2]),
            (vec![vec![0, 0], vec![1, 0, 1], vec![2, 1, 0, 1, 2]], 5, vec![1, 3, 2, 0, 4]),
        ] {
            assert_eq!(side_by_side(&above, len), expected);
        }
    }

    #[test]
    fn rows_with_the_same_codes_are_one_group() {
        let large = TABLE;
        for limit in [5, large] {
            check(&[0, 0, NOWHERE, 0], &[(&[1, 2, 3, 1], limit)], &[0, 1, NOWHERE, 0], &[&[1, 2]]);
            check(
                &[0, 0, 0, 0],
                &[(&[1, 2, 1, 2], limit), (&[4, 4, 0, 4], limit)],
                &[0, 1, 2, 1],
                &[&[1, 2, 1], &[4, 4, 0]],
            );
        }
        check(&[NOWHERE], &[(&[1], 5)], &[NOWHERE], &[&[]]);
        check(&[], &[], &[], &[]);
    }
}
