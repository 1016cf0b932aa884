//! Grouping: rows with the same codes get the same group number. The finer groups of one coarser group have consecutive
//! numbers.

use std::rc::Rc;

use crate::analysis::Bits;
use crate::base::FxHashMap;
use crate::base::chunked;

/// Group number of a row that belongs to no group.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Maximum number of combinations that use a lookup table (at most 16 MiB); more combinations use a hash map.
const TABLE: usize = 1 << 22;

/// Divides the numbers from 0 into consecutive ranges, one per group: the numbers of the group's subgroups or of its
/// values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NumberedLists {
    /// Start of each range, followed by the end of the last range.
    starts: Vec<u32>,
}

impl NumberedLists {
    /// No ranges.
    pub fn none() -> Self {
        Self { starts: vec![0] }
    }

    /// One range for each of these lengths.
    pub fn of_lengths(lengths: impl IntoIterator<Item = u32>) -> Self {
        let mut lists = Self::none();
        lengths.into_iter().for_each(|length| lists.push(lists.end() + length));
        lists
    }

    /// Number of ranges.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// End of the last range.
    pub fn end(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Appends a range that ends at `end`.
    pub fn push(&mut self, end: u32) {
        self.starts.push(end);
    }

    /// The range with this index.
    #[inline]
    pub fn of(&self, list: usize) -> std::ops::Range<u32> {
        self.starts[list]..self.starts[list + 1]
    }

    /// The part of `all` inside the range with this index.
    #[inline]
    pub fn slice<'a, T>(&self, list: usize, all: &'a [T]) -> &'a [T] {
        &all[self.starts[list] as usize..self.starts[list + 1] as usize]
    }

    /// All ranges, in order.
    pub fn iter(&self) -> impl Iterator<Item = std::ops::Range<u32>> + '_ {
        self.starts.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// Merges ranges: each range of `outer` lists the ranges of `self` that become one.
    pub fn joined(&self, outer: &Self) -> Self {
        Self { starts: outer.starts.iter().map(|&list| self.starts[list as usize]).collect() }
    }

    /// Keeps only the numbers in `kept` (ascending): the remaining non-empty ranges, renumbered, and their old indices.
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

/// The codes of rows in one dimension: the attribute's code of each row, and the projected code of each attribute code.
pub(super) struct Codes<'a> {
    pub rows: &'a [u32],
    pub images: &'a [u32],
    /// Upper bound (exclusive) of `images`.
    pub limit: usize,
}

/// Points and the group of each.
#[derive(Clone)]
pub(super) struct GroupedPoints {
    /// The rows of the points; `None` for all rows.
    pub rows: Option<Rc<[u32]>>,
    /// Group number of each point, or [`NOWHERE`].
    pub groups: Vec<u32>,
}

impl GroupedPoints {
    /// Puts the `chosen` points into group 0; all other rows are in no group.
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

    /// The points that are also in `chosen`, with their groups.
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

    /// Replaces group `i` by `numbers[i]`; returns the number of points in each of the `len` new groups.
    #[inline(never)]
    fn renumbered(&mut self, numbers: &[u32], len: usize) -> Vec<u32> {
        let mut counts = vec![0; len];
        let groups = &mut self.groups;
        chunked::for_each(0..groups.len() as u32, |at| {
            let group = &mut groups[at as usize];
            // `NOWHERE` is larger than every index of `numbers`.
            if let Some(&number) = numbers.get(*group as usize) {
                *group = number;
                counts[number as usize] += 1;
            }
        });
        counts
    }
}

/// Whether so few rows are chosen that a list of them takes less memory than a group number for every row.
fn are_few(chosen: &Bits, rows: usize) -> bool {
    (chosen.len() as usize) < rows / 3
}

/// Points, grouped by some dimensions.
pub(super) struct PointGroups {
    pub points: GroupedPoints,
    /// By group: number of points.
    pub counts: Vec<u32>,
    /// By dimension, then by group: the group's code.
    pub codes: Vec<Vec<u32>>,
    /// For dimension `d`, one range per group by the first `d` dimensions: its subgroups by the first `d + 1`.
    pub levels: Vec<NumberedLists>,
}

impl PointGroups {
    /// Puts all rows into one group.
    pub fn whole(rows: usize) -> Self {
        Self::one(rows, &Bits::all(rows))
    }

    /// Puts the chosen rows into one group; no group if no row is chosen.
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

    /// Restricts a grouping to the chosen points; also returns the old numbers of the groups that remain.
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

/// Numbers for pairs of group and code, in the order in which the pairs first occur.
struct GroupCodes {
    limit: usize,
    table: Vec<u32>,
    hashed: FxHashMap<u64, u32>,
    found: Vec<(u32, u32)>,
}

impl GroupCodes {
    /// Finds the distinct pairs of group and code of all points, and sets each point's group to the number of its pair.
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

    /// Renumbers the pairs so that the pairs of each group are consecutive: the range of each group, and the new number of
    /// each pair.
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

    /// Splits the chosen rows by dimensions; checks the rows' groups, the groups' codes, and the ranges of subgroups.
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
