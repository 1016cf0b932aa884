//! Grouping: rows with the same codes stand side by side, and so do the groups of which a coarser one is made.

use crate::parts;
use crate::stats::Bits;

/// Lists that stand one behind the other, numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lists {
    /// Where each begins; at the end, where the last one ends.
    starts: Vec<u32>,
}

impl Lists {
    /// None yet.
    pub fn none() -> Self {
        Self { starts: vec![0] }
    }

    /// So many, with one thing in each.
    pub fn of_ones(len: usize) -> Self {
        Self { starts: (0..=len as u32).collect() }
    }

    /// How many there are.
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
        let (mut lists, mut left, mut at) = (Self::none(), Vec::new(), 0);
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

impl Codes<'_> {
    #[inline]
    fn of(&self, row: u32) -> u32 {
        self.images[self.rows[row as usize] as usize]
    }
}

/// Rows, group after group.
#[derive(Clone)]
pub(super) struct Points {
    pub rows: Vec<u32>,
    /// The rows of every group.
    pub groups: Lists,
}

impl Points {
    /// The rows of a group.
    #[inline]
    pub fn of(&self, group: usize) -> &[u32] {
        self.groups.slice(group, &self.rows)
    }

    /// Those that are chosen, without groups that have none; and which groups are left.
    fn chosen(&self, chosen: &Bits) -> (Self, Vec<u32>) {
        let (mut rows, mut groups, mut left) = (Vec::new(), Lists::none(), Vec::new());
        for group in 0..self.groups.len() {
            parts::slices(self.of(group)).for_each(|part| choose(part, chosen, &mut rows));
            if rows.len() as u32 > groups.end() {
                groups.push(rows.len() as u32);
                left.push(group as u32);
            }
        }
        (Self { rows, groups }, left)
    }
}

#[inline(never)]
fn choose(rows: &[u32], chosen: &Bits, into: &mut Vec<u32>) {
    into.extend(rows.iter().filter(|row| chosen.contains(**row)));
}

/// Groups by some dimensions.
pub(super) struct Groups {
    pub points: Points,
    /// By dimension, then by group: the group's code.
    pub codes: Vec<Vec<u32>>,
    /// By dimension, then by group of those before it: the groups that it splits that one into.
    pub levels: Vec<Lists>,
}

impl Groups {
    /// One group of so many rows.
    pub fn whole(rows: usize) -> Self {
        Self::one((0..rows as u32).collect())
    }

    /// One group of these rows; none if there is no row.
    pub fn one(rows: Vec<u32>) -> Self {
        let mut groups = Lists::none();
        if !rows.is_empty() {
            groups.push(rows.len() as u32);
        }
        Self { points: Points { rows, groups }, codes: Vec::new(), levels: Vec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.points.groups.len()
    }

    /// Splits every group by one more dimension.
    #[inline(never)]
    pub fn split(&mut self, codes: &Codes) {
        let mut split = Split::new(self.points.rows.len(), codes.limit);
        let (mut level, mut above) = (Lists::none(), Vec::new());
        for group in 0..self.len() {
            split.add(self.points.of(group), codes);
            above.resize(split.codes.len(), group);
            level.push(split.codes.len() as u32);
        }
        for column in &mut self.codes {
            *column = above.iter().map(|&group| column[group]).collect();
        }
        self.codes.push(split.codes);
        self.levels.push(level);
        self.points = Points { rows: split.rows, groups: split.groups };
    }

    /// The same groups of the rows that are chosen; and which groups are left.
    pub fn chosen(points: &Points, codes: &[Vec<u32>], levels: &[Lists], chosen: &Bits) -> (Self, Vec<u32>) {
        let (points, left) = points.chosen(chosen);
        let pick = |column: &Vec<u32>| left.iter().map(|&group| column[group as usize]).collect();
        let codes = codes.iter().map(pick).collect();
        let (mut kept_levels, mut kept) = (Vec::new(), left.clone());
        for level in levels.iter().rev() {
            let (lists, above) = level.of_kept(&kept);
            kept_levels.push(lists);
            kept = above;
        }
        kept_levels.reverse();
        (Self { points, codes, levels: kept_levels }, left)
    }
}

/// The number of a code that was not met in a group.
const NEW: u32 = u32::MAX;

/// Groups while they are split, one after the other.
struct Split {
    rows: Vec<u32>,
    groups: Lists,
    /// By new group.
    codes: Vec<u32>,
    /// By code: its number among those that were met in this group, or [`NEW`].
    numbers: Vec<u32>,
    /// By number, of this group: how many rows, then where the next one goes.
    counts: Vec<u32>,
    /// By row of this group: the number of its code.
    number_of: Vec<u32>,
}

impl Split {
    fn new(rows: usize, limit: usize) -> Self {
        let (numbers, groups) = (vec![NEW; limit], Lists::none());
        let (codes, counts, number_of) = (Vec::new(), Vec::new(), Vec::new());
        Self { rows: Vec::with_capacity(rows), groups, codes, numbers, counts, number_of }
    }

    /// The next group's rows: those of one code behind the other, in the order in which codes are met.
    fn add(&mut self, rows: &[u32], codes: &Codes) {
        let (first, begin) = (self.codes.len(), self.rows.len());
        if let [row] = *rows {
            self.codes.push(codes.of(row));
        } else {
            parts::slices(rows).for_each(|part| self.count(part, codes));
        }
        let mut end = begin as u32;
        for count in &mut self.counts {
            (*count, end) = (end, end + *count);
        }
        match self.counts.len() {
            0 | 1 => self.rows.extend_from_slice(rows),
            _ => {
                self.rows.resize(begin + rows.len(), 0);
                let parts = parts::slices(rows).zip(parts::slices(&self.number_of));
                parts.for_each(|(rows, numbers)| place(rows, numbers, &mut self.counts, &mut self.rows));
            }
        }
        self.close(first);
    }

    #[inline(never)]
    fn count(&mut self, rows: &[u32], codes: &Codes) {
        for &row in rows {
            let code = codes.of(row);
            let number = &mut self.numbers[code as usize];
            if *number == NEW {
                *number = self.counts.len() as u32;
                self.counts.push(0);
                self.codes.push(code);
            }
            self.counts[*number as usize] += 1;
            self.number_of.push(*number);
        }
    }

    /// Ends the groups from `first` on, and forgets what was met.
    fn close(&mut self, first: usize) {
        // Each count went up to where the next begins.
        match self.counts.len() {
            0 | 1 => self.groups.push(self.rows.len() as u32),
            _ => self.counts.iter().for_each(|&end| self.groups.push(end)),
        }
        self.codes[first..].iter().for_each(|&code| self.numbers[code as usize] = NEW);
        self.counts.clear();
        self.number_of.clear();
    }
}

/// Puts rows where the next one of their number goes.
#[inline(never)]
fn place(rows: &[u32], numbers: &[u32], next: &mut [u32], all: &mut [u32]) {
    for (&row, &number) in rows.iter().zip(numbers) {
        let next = &mut next[number as usize];
        all[*next as usize] = row;
        *next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(starts: &[u32]) -> Lists {
        Lists { starts: starts.to_vec() }
    }

    /// Splits `rows` by dimensions: the rows in their new order, the groups' codes, and the groups in each group.
    fn check(rows: &[u32], dimensions: &[&[u32]], sorted: &[u32], codes: &[&[u32]], levels: &[&[u32]]) {
        let images: Vec<u32> = (0..9).collect();
        let mut groups = Groups::one(rows.to_vec());
        for rows in dimensions {
            groups.split(&Codes { rows, images: &images, limit: images.len() });
        }
        assert_eq!(groups.points.rows, sorted);
        assert_eq!(groups.codes, codes);
        assert_eq!(groups.levels, levels.iter().map(|starts| lists(starts)).collect::<Vec<_>>());
        assert_eq!(groups.len(), codes.last().map_or(groups.len(), |codes| codes.len()));
    }

    #[test]
    fn rows_with_the_same_codes_stand_side_by_side() {
        check(&[0, 1, 3], &[&[1, 2, 3, 1]], &[0, 3, 1], &[&[1, 2]], &[&[0, 2]]);
        check(
            &[0, 1, 2, 3],
            &[&[1, 2, 1, 2], &[4, 4, 0, 4]],
            &[0, 2, 1, 3],
            &[&[1, 1, 2], &[4, 0, 4]],
            &[&[0, 2], &[0, 2, 3]],
        );
        check(&[2], &[&[0, 0, 7]], &[2], &[&[7]], &[&[0, 1]]);
        check(&[], &[&[1]], &[], &[&[]], &[&[0]]);
        check(&[], &[], &[], &[], &[]);
    }

    #[test]
    fn what_is_chosen_has_no_empty_groups() {
        let images: Vec<u32> = (0..9).collect();
        let mut all = Groups::whole(6);
        for rows in [&[1, 1, 2, 2, 3, 3], &[4, 5, 4, 5, 4, 4]] {
            all.split(&Codes { rows, images: &images, limit: 9 });
        }
        for (chosen, rows, left, levels) in [
            (
                &[0, 1, 2, 3, 4, 5][..],
                &[0, 1, 2, 3, 4, 5][..],
                &[0, 1, 2, 3, 4][..],
                [&[0, 3][..], &[0, 2, 4, 5]],
            ),
            (&[1, 4], &[1, 4], &[1, 4], [&[0, 2], &[0, 1, 2]]),
            (&[5, 4], &[4, 5], &[4], [&[0, 1], &[0, 1]]),
            (&[], &[], &[], [&[0], &[0]]),
        ] {
            let chosen = Bits::of(6, |row| chosen.contains(&row));
            let (groups, which) = Groups::chosen(&all.points, &all.codes, &all.levels, &chosen);
            assert_eq!((&groups.points.rows[..], &which[..]), (rows, left));
            assert_eq!(groups.levels, levels.map(lists));
            let codes: Vec<u32> = left.iter().map(|&group| all.codes[1][group as usize]).collect();
            assert_eq!(groups.codes[1], codes);
        }
    }
}
