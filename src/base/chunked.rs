//! Long loops, split into chunks. A browser switches to the optimised version of a function only at its next call, so that a
//! single call with a loop over a million rows would run unoptimised to its end.

use std::ops::Range;

/// Number of loop iterations per chunk, which is one function call.
const PART: u32 = 1 << 14;

/// Calls `take` with every number of the range, in order.
pub fn for_each(range: Range<u32>, mut take: impl FnMut(u32)) {
    for start in range.clone().step_by(PART as usize) {
        part(start..range.end.min(start.saturating_add(PART)), &mut take);
    }
}

#[inline(never)]
fn part(range: Range<u32>, take: &mut impl FnMut(u32)) {
    range.for_each(take);
}

/// Returns the results of `make` for every number of the range, in order.
pub fn map<T>(range: Range<u32>, mut make: impl FnMut(u32) -> T) -> Vec<T> {
    let mut made = Vec::with_capacity(range.len());
    for_each(range, |number| made.push(make(number)));
    made
}

/// Splits a list into chunks.
pub fn chunks<T>(list: &[T]) -> impl Iterator<Item = &[T]> {
    list.chunks(PART as usize)
}

/// Calls `take` with the elements of both lists at each index, up to the end of the shorter list.
pub fn for_each_pair<A: Copy, B: Copy>(a: &[A], b: &[B], mut take: impl FnMut(A, B)) {
    for (a, b) in chunks(a).zip(chunks(b)) {
        part_of_pairs(a, b, &mut take);
    }
}

#[inline(never)]
fn part_of_pairs<A: Copy, B: Copy>(a: &[A], b: &[B], take: &mut impl FnMut(A, B)) {
    a.iter().zip(b).for_each(|(&a, &b)| take(a, b));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_turn() {
        for range in [0..0, 3..4, 0..PART, 5..3 * PART + 7, u32::MAX - 2 * PART..u32::MAX] {
            assert!(map(range.clone(), |number| number).into_iter().eq(range));
        }
    }

    #[test]
    fn pairs_stand_at_the_same_place() {
        for (n, m) in [(0, 3), (3, 3), (2 * PART + 5, 2 * PART + 4), (PART, 2 * PART)] {
            let (a, b): (Vec<u32>, Vec<u64>) = ((0..n).collect(), (0..m.into()).collect());
            let mut met = Vec::new();
            for_each_pair(&a, &b, |a, b| met.push((a, b)));
            assert!(met.into_iter().eq(a.into_iter().zip(b)));
        }
    }
}
