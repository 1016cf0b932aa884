//! Sorting with one shared routine for all row types. Every further instance of `sort_by` would add about six kilobytes to
//! the page's download.

use std::cmp::Ordering;

/// Maximum number of rows that are sorted in place, without allocating.
const FEW: usize = 16;
/// Average number of moves per row above which insertion sort is abandoned.
const MOVES: usize = 8;
/// Minimum number of rows for which a radix sort is faster than sorting by comparison.
const MANY: usize = 4096;
/// Maximum number of digits of keys that are sorted by radix.
const DIGITS: u32 = 12;
/// Number of bits per digit of the radix sort.
const BITS: u32 = 11;

/// The two keys of a row, and its index before sorting.
type SortRow = (i64, u64, u32);

/// Sorts rows by a key of two numbers. The sort is stable.
pub fn by_key<T: Clone>(items: &mut [T], key: impl Fn(&T) -> (i64, u64)) {
    if items.is_sorted_by_key(&key) {
        return;
    }
    if items.len() <= FEW {
        for end in 1..items.len() {
            let larger = items[..end].iter().rev().take_while(|item| key(item) > key(&items[end])).count();
            items[end - larger..=end].rotate_right(1);
        }
        return;
    }
    let keyed = |(at, item): (usize, &T)| {
        let (first, second) = key(item);
        (first, second, at as u32)
    };
    let mut order: Vec<SortRow> = items.iter().enumerate().map(keyed).collect();
    if !sort_nearby(&mut order) && !by_digits(&mut order) {
        order.sort_unstable();
    }
    arrange(items, order.iter().map(|entry| entry.2));
}

/// Sorts nearly sorted rows, such as those of a file written by several threads. Returns `false` if they are not nearly
/// sorted; the rows are then in an arbitrary order.
#[inline(never)]
fn sort_nearby(order: &mut [SortRow]) -> bool {
    let mut left = MOVES * order.len();
    for end in 1..order.len() {
        let row = order[end];
        let mut at = end;
        while at > 0 && order[at - 1] > row {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = row;
        match left.checked_sub(end - at) {
            Some(less) => left = less,
            None => return false,
        }
    }
    true
}

/// Sorts by the digits of the keys, least significant first (stable). Returns `false`, with the rows unchanged, if sorting by
/// comparison is faster.
fn by_digits(order: &mut Vec<SortRow>) -> bool {
    if order.len() < MANY {
        return false;
    }
    let (mut least, mut most) = ((i64::MAX, u64::MAX), (i64::MIN, 0));
    for &(first, second, _) in order.iter() {
        least = (least.0.min(first), least.1.min(second));
        most = (most.0.max(first), most.1.max(second));
    }
    let digits = |range: u64| (u64::BITS - range.leading_zeros()).div_ceil(BITS);
    let firsts = most.0.wrapping_sub(least.0).cast_unsigned();
    // With a wide range of first keys, few rows have equal first keys, and these rows are sorted by comparison afterwards.
    let are_many = firsts / MANY as u64 > order.len() as u64;
    let (of_first, of_second) =
        (digits(firsts), if are_many { 0 } else { digits(most.1.wrapping_sub(least.1)) });
    if of_first + of_second > DIGITS {
        return false;
    }
    let mut other = order.clone();
    for digit in 0..of_second {
        move_by(order, &mut other, |row| (row.1 - least.1) >> (digit * BITS));
        std::mem::swap(order, &mut other);
    }
    for digit in 0..of_first {
        move_by(order, &mut other, |row| row.0.wrapping_sub(least.0).cast_unsigned() >> (digit * BITS));
        std::mem::swap(order, &mut other);
    }
    if are_many {
        order
            .chunk_by_mut(|a, b| a.0 == b.0)
            .filter(|same| same.len() > 1)
            .for_each(<[SortRow]>::sort_unstable);
    }
    true
}

/// Moves rows to their positions by one digit of the key.
fn move_by(from: &[SortRow], to: &mut [SortRow], number: impl Fn(&SortRow) -> u64) {
    let digit = |row: &SortRow| (number(row) & ((1 << BITS) - 1)) as usize;
    let mut places = [0_u32; 1 << BITS];
    from.iter().for_each(|row| places[digit(row)] += 1);
    let mut next = 0;
    for place in &mut places {
        next += std::mem::replace(place, next);
    }
    for row in from {
        let place = &mut places[digit(row)];
        to[*place as usize] = *row;
        *place += 1;
    }
}

/// Maps a signed number to an unsigned number with the same order.
pub fn ordered(n: i64) -> u64 {
    n.cast_unsigned() ^ (1 << 63)
}

/// Sorts rows by comparison: slower than [`by_key`], for orders that numbers cannot express. The sort is stable.
pub fn by<T: Clone>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if items.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return;
    }
    let mut order: Vec<u32> = (0..items.len() as u32).collect();
    numbers(&mut order, &|a, b| compare(&items[a as usize], &items[b as usize]));
    arrange(items, order.into_iter());
}

#[inline(never)]
fn numbers(order: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    order.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
}

fn arrange<T: Clone>(items: &mut [T], order: impl Iterator<Item = u32>) {
    let sorted: Vec<T> = order.map(|at| items[at as usize].clone()).collect();
    items.iter_mut().zip(sorted).for_each(|(item, next)| *item = next);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_are_the_stable_sort(items in prop::collection::vec((-3_i64..3, 0_u64..3, any::<u8>()), 0..60)) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| (item.0, item.1));
            let mut found = items.clone();
            by_key(&mut found, |item| (item.0, item.1));
            prop_assert_eq!(&found, &expected);
            let mut found = items;
            by(&mut found, |a, b| (a.0, a.1).cmp(&(b.0, b.1)));
            prop_assert_eq!(&found, &expected);
        }

        #[test]
        fn many_rows_are_sorted_like_few(
            seed in any::<u64>(),
            // Bits of the first key, and position of the lowest: few widely spread values occur several times.
            (first, lowest) in prop::sample::select(&[(0, 0), (3, 0), (40, 0), (63, 0), (9, 40)][..]),
            second in prop::sample::select(&[0, 9, 64][..]),
        ) {
            let mut state = seed;
            let mut next = |bits: u32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state ^ (state >> 29)).checked_shr(64 - bits).unwrap_or(0)
            };
            let rows = (0..2 * MANY as u32).map(|at| ((next(first) << lowest).cast_signed() - 9, next(second), at));
            let mut found: Vec<SortRow> = rows.collect();
            let mut expected = found.clone();
            expected.sort_by_key(|row| (row.0, row.1));
            by_key(&mut found, |row| (row.0, row.1));
            prop_assert_eq!(found, expected);
        }
    }
}
