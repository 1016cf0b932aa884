//! Sorting by one routine for all rows: the page is downloaded before it runs, and every `sort_by` of a new type
//! is some six kilobytes of it.

use std::cmp::Ordering;

/// So few rows are sorted where they are, without allocating.
const FEW: usize = 16;
/// How far rows may be moved by one place, on average, before sorting them takes less.
const MOVES: usize = 8;

/// Sorts by a key of two numbers. Rows with equal keys stay in their order.
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
    let mut order: Vec<(i64, u64, u32)> = items.iter().enumerate().map(keyed).collect();
    if !sort_nearby(&mut order) {
        order.sort_unstable();
    }
    arrange(items, order.iter().map(|entry| entry.2));
}

/// Sorts rows of which most are near their places, as those of a file that several threads wrote; `false` if they are not,
/// with the rows in another order.
#[inline(never)]
fn sort_nearby(order: &mut [(i64, u64, u32)]) -> bool {
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

/// `n` among the numbers without a sign, in the same order.
pub fn ordered(n: i64) -> u64 {
    n.cast_unsigned() ^ (1 << 63)
}

/// Sorts by comparison: slower than [`by_key`], for rows whose order is no number. Equal rows stay in their order.
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
    }
}
