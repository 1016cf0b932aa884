//! Grouping: rows with the same codes get the same number. Numbers of groups of which a coarser one is made follow one
//! another.

use std::rc::Rc;

use crate::analysis::Bits;
use crate::base::FxHashMap;
use crate::base::chunked;

/// The group of a row that is in none.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Up to so many combinations are looked up in a table, which then has at most 16 MiB; more are hashed.
const TABLE: usize = 1 << 22;

/// Lists that stand one after the other, numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NumberedLists {
    /// Where each begins; at the end, where the last one ends.
    starts: Vec<u32>,
}

impl NumberedLists {
    /// None yet.
    pub fn none() -> Self {
        Self { starts: vec![0] }
    }

    /// So many things in each.
    pub fn of_lengths(lengths: impl IntoIterator<Item = u32>) -> Self {
        let mut lists = Self::none();
        lengths.into_iter().for_each(|length| lists.push(lists.end() + length));
        lists
    }

    /// Number of lists.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where all of them end.
    pub fn end(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// One more, which ends here.
    pub fn push(&mut self, end: u32) {
        self.starts.push(end);
    }

    /// What is in one.
    #[inline]
    pub fn of(&self, list: usize) -> std::ops::Range<u32> {
        self.starts[list]..self.starts[list + 1]
    }

    /// The part of `all` that is in one.
    #[inline]
    pub fn slice<'a, T>(&self, list: usize, all: &'a [T]) -> &'a [T] {
        &all[self.starts[list] as usize..self.starts[list + 1] as usize]
    }

    /// What is in each, in order.
    pub fn iter(&self) -> impl Iterator<Item = std::ops::Range<u32>> + '_ {
        self.starts.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// Longer lists, each made of those that are in one of `outer`.
    pub fn joined(&self, outer: &Self) -> Self {
        Self { starts: outer.starts.iter().map(|&list| self.starts[list as usize]).collect() }
    }

    /// The lists of what is kept of everything, without those of which nothing is; and which lists are left. `kept` goes up.
    fn of_kept(&self, kept: &[u32]) -> (Self, Vec<u32>) {
        let mut lists = Self::none();
        let mut left = Vec::new();
        let mut at = 0;
        for (number, list) in (0..).zip(self.iter()) {
            at += kept[at..].iter().take_while(|&&one| one < list.end).count();
            if at as u32 > lists.end() {
                lists.push(at as u32);
                left.push(number);
            }
        }
        (lists, left)
    }
}

/// The codes of rows in one dimension: those of its attribute, and what projections make of each.
pub(super) struct Codes<'a> {
    pub rows: &'a [u32],
    pub images: &'a [u32],
    /// Images are below this.
    pub limit: usize,
}

/// Rows and their groups.
#[derive(Clone)]
pub(super) struct GroupedPoints {
    /// Which rows these are; all of them for `None`.
    pub rows: Option<Rc<[u32]>>,
    /// The group of each of these rows, or [`NOWHERE`].
    pub groups: Vec<u32>,
}

impl GroupedPoints {
    /// The chosen points among so many rows, all in one group.
    fn one(rows: usize, chosen: &Bits) -> Self {
        if are_few(chosen, rows) {
            return Self { rows: Some(chosen.iter().collect()), groups: vec![0; chosen.len() as usize] };
        }
        if chosen.len() as usize == rows {
            return Self { rows: None, groups: vec![0; rows] };
        }
        let group = |row| if chosen.contains(row) { 0 } else { NOWHERE };
        Self { rows: None, groups: chunked::map(0..rows as u32, group) }
    }

    /// The points that are in `chosen` as well, with their groups.
    #[inline(never)]
    fn chosen(&self, chosen: &Bits) -> Self {
        let groups = &self.groups;
        match &self.rows {
            Some(rows) => {
                let kept = rows.iter().zip(groups).filter(|(row, _)| chosen.contains(**row));
                let (rows, groups): (Vec<u32>, Vec<u32>) = kept.unzip();
                Self { rows: Some(rows.into()), groups }
            }
            None if are_few(chosen, groups.len()) => {
                let rows: Rc<[u32]> = chosen.iter().collect();
                let groups = rows.iter().map(|&row| groups[row as usize]).collect();
                Self { rows: Some(rows), groups }
            }
            None => {
                let group = |row| if chosen.contains(row) { groups[row as usize] } else { NOWHERE };
                Self { rows: None, groups: chunked::map(0..groups.len() as u32, group) }
            }
        }
    }

    /// Gives groups other numbers; how many points each of so many has then.
    #[inline(never)]
    fn renumbered(&mut self, numbers: &[u32], len: usize) -> Vec<u32> {
        let mut counts = vec![0; len];
        let groups = &mut self.groups;
        chunked::for_each(0..groups.len() as u32, |at| {
            let group = &mut groups[at as usize];
            // Rows that are in none come after all groups.
            if let Some(&number) = numbers.get(*group as usize) {
                *group = number;
                counts[number as usize] += 1;
            }
        });
        counts
    }
}

/// Whether what is chosen of so many rows is better listed than marked among all.
fn are_few(chosen: &Bits, rows: usize) -> bool {
    (chosen.len() as usize) < rows / 3
}

/// Groups by some dimensions.
pub(super) struct PointGroups {
    pub points: GroupedPoints,
    /// By group: how many points.
    pub counts: Vec<u32>,
    /// By dimension, then by group: the group's code.
    pub codes: Vec<Vec<u32>>,
    /// By dimension, then by group of those before it: the groups that it splits that one into.
    pub levels: Vec<NumberedLists>,
}

impl PointGroups {
    /// One group of so many rows.
    pub fn whole(rows: usize) -> Self {
        Self::one(rows, &Bits::all(rows))
    }

    /// One group of the rows that are chosen among so many; none if there is no such row.
    pub fn one(rows: usize, chosen: &Bits) -> Self {
        let counts = Some(chosen.len()).filter(|&len| len > 0).into_iter().collect();
        Self { points: GroupedPoints::one(rows, chosen), counts, codes: Vec::new(), levels: Vec::new() }
    }

    /// Splits every group by one more dimension.
    #[inline(never)]
    pub fn split(&mut self, codes: &Codes) {
        let pairs = GroupCodes::of(&mut self.points, self.counts.len(), codes);
        let (level, numbers) = pairs.side_by_side(self.counts.len());
        let mut found = vec![(0, 0); numbers.len()];
        numbers.iter().zip(&pairs.found).for_each(|(&number, &pair)| found[number as usize] = pair);
        for column in &mut self.codes {
            *column = found.iter().map(|&(group, _)| column[group as usize]).collect();
        }
        self.codes.push(found.iter().map(|&(_, code)| code).collect());
        self.levels.push(level);
        self.counts = self.points.renumbered(&numbers, numbers.len());
    }

    /// The grouping of the points that are chosen, and which groups are left.
    #[inline(never)]
    pub fn chosen(
        points: &GroupedPoints,
        codes: &[Vec<u32>],
        levels: &[NumberedLists],
        chosen: &Bits,
    ) -> (Self, Vec<u32>) {
        let mut points = points.chosen(chosen);
        let len = codes.last().map_or(1, Vec::len);
        let same: Vec<u32> = (0..len as u32).collect();
        let counts = points.renumbered(&same, len);
        let left: Vec<u32> = same.into_iter().filter(|&group| counts[group as usize] > 0).collect();
        let mut numbers = vec![NOWHERE; len];
        (0..).zip(&left).for_each(|(number, &group)| numbers[group as usize] = number);
        let counts = if left.len() == len { counts } else { points.renumbered(&numbers, left.len()) };
        let pick = |column: &Vec<u32>| left.iter().map(|&group| column[group as usize]).collect();
        let codes = codes.iter().map(pick).collect();
        let (mut kept_levels, mut kept) = (Vec::new(), left.clone());
        for level in levels.iter().rev() {
            let (lists, above) = level.of_kept(&kept);
            kept_levels.push(lists);
            kept = above;
        }
        kept_levels.reverse();
        (Self { points, counts, codes, levels: kept_levels }, left)
    }
}

/// Numbers for pairs of group and code, in the order in which they are met.
struct GroupCodes {
    limit: usize,
    table: Vec<u32>,
    hashed: FxHashMap<u64, u32>,
    found: Vec<(u32, u32)>,
}

impl GroupCodes {
    /// The distinct pairs of group and code of all points; the group of each point becomes the number of its pair.
    fn of(points: &mut GroupedPoints, groups: usize, codes: &Codes) -> Self {
        let size = groups.checked_mul(codes.limit).filter(|&size| size <= TABLE).unwrap_or(0);
        let (table, hashed) = (vec![NOWHERE; size], FxHashMap::default());
        let mut pairs = Self { limit: codes.limit, table, hashed, found: Vec::new() };
        let (rows, of_row) = (points.rows.as_deref(), &mut points.groups);
        chunked::for_each(0..of_row.len() as u32, |at| {
            let (group, row) = (&mut of_row[at as usize], rows.map_or(at, |rows| rows[at as usize]));
            if *group != NOWHERE
                && let Some(&code) = codes.rows.get(row as usize)
            {
                *group = pairs.number(*group, codes.images[code as usize]);
            }
        });
        pairs
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

    /// The pairs of each of so many groups, once those of a group follow one another; and by pair the number that it has
    /// then.
    fn side_by_side(&self, groups: usize) -> (NumberedLists, Vec<u32>) {
        let mut counts = vec![0; groups];
        self.found.iter().for_each(|&(group, _)| counts[group as usize] += 1);
        let lists = NumberedLists::of_lengths(counts);
        let mut next = lists.starts.clone();
        let number = |&(group, _): &(u32, u32)| {
            let next = &mut next[group as usize];
            *next += 1;
            *next - 1
        };
        let numbers = self.found.iter().map(number).collect();
        (lists, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(starts: &[u32]) -> NumberedLists {
        NumberedLists { starts: starts.to_vec() }
    }

    /// Splits what is chosen of some rows by dimensions: the rows' groups, the groups' codes, and the groups in each group.
    fn check(chosen: &[u32], dimensions: &[&[u32]], of_row: &[u32], codes: &[&[u32]], levels: &[&[u32]]) {
        let images: Vec<u32> = (0..TABLE as u32).collect();
        let bits = Bits::of(of_row.len(), |row| chosen.contains(&row));
        for limit in [9, TABLE] {
            let mut groups = PointGroups::one(of_row.len(), &bits);
            for rows in dimensions {
                groups.split(&Codes { rows, images: &images, limit });
            }
            let rows = groups
                .points
                .rows
                .as_ref()
                .map_or_else(|| (0..of_row.len() as u32).collect(), |rows| rows.to_vec());
            let expected: Vec<u32> = rows.iter().map(|&row| of_row[row as usize]).collect();
            assert_eq!(groups.points.groups, expected);
            assert_eq!(groups.codes, codes);
            assert_eq!(groups.levels, levels.iter().map(|starts| lists(starts)).collect::<Vec<_>>());
            let counted = |group| expected.iter().filter(|of| **of == group).count() as u32;
            let counts: Vec<u32> = (0..groups.counts.len() as u32).map(counted).collect();
            assert_eq!(groups.counts, counts);
        }
    }

    #[test]
    fn rows_with_the_same_codes_are_one_group() {
        check(&[0, 1, 3], &[&[1, 2, 3, 1]], &[0, 1, NOWHERE, 0], &[&[1, 2]], &[&[0, 2]]);
        check(
            &[0, 1, 2, 3],
            &[&[1, 2, 1, 2], &[4, 4, 0, 4]],
            &[0, 2, 1, 2],
            &[&[1, 1, 2], &[4, 0, 4]],
            &[&[0, 2], &[0, 2, 3]],
        );
        check(
            &[2],
            &[&[0, 0, 7, 0, 0, 0, 0]],
            &[NOWHERE, NOWHERE, 0, NOWHERE, NOWHERE, NOWHERE, NOWHERE],
            &[&[7]],
            &[&[0, 1]],
        );
        check(&[], &[&[1]], &[NOWHERE], &[&[]], &[&[0]]);
        check(&[], &[], &[], &[], &[]);
    }

    #[test]
    fn what_is_chosen_has_no_empty_groups() {
        let images: Vec<u32> = (0..9).collect();
        let mut all = PointGroups::whole(6);
        for rows in [&[1, 1, 2, 2, 3, 3], &[4, 5, 4, 5, 4, 4]] {
            all.split(&Codes { rows, images: &images, limit: 9 });
        }
        for (chosen, of_row, left, levels) in [
            (
                &[0, 1, 2, 3, 4, 5][..],
                &[0, 1, 2, 3, 4, 4][..],
                &[0, 1, 2, 3, 4][..],
                [&[0, 3][..], &[0, 2, 4, 5]],
            ),
            (&[1, 4], &[NOWHERE, 0, NOWHERE, NOWHERE, 1, NOWHERE], &[1, 4], [&[0, 2], &[0, 1, 2]]),
            (&[5], &[0], &[4], [&[0, 1], &[0, 1]]),
            (&[], &[], &[], [&[0], &[0]]),
        ] {
            let chosen = Bits::of(6, |row| chosen.contains(&row));
            let (groups, which) = PointGroups::chosen(&all.points, &all.codes, &all.levels, &chosen);
            assert_eq!((&groups.points.groups[..], &which[..]), (of_row, left));
            assert_eq!(groups.levels, levels.map(lists));
            let codes: Vec<u32> = left.iter().map(|&group| all.codes[1][group as usize]).collect();
            assert_eq!(groups.codes[1], codes);
        }
    }
}
