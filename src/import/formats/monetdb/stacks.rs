//! Stacks groups of nested intervals in separate rows if the groups overlap.

use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::import::interval_nesting::{DEEPEST, Placed};

/// Merges all groups of nested intervals into one list, sorted by start. Groups that overlap are in different lanes,
/// each of which has as many rows as its tallest group.
pub fn stacked(groups: Vec<Vec<Placed>>) -> Vec<Placed> {
    let mut lanes = LaneAllocator::default();
    let place = |group: &Vec<Placed>| {
        let start = group.first().map_or(i64::MIN, |placed| placed.start);
        let end = group.iter().map(|placed| placed.end).max().unwrap_or(start);
        lanes.row(start, end)
    };
    let lane_of: Vec<u16> = groups.iter().map(place).collect();
    // The height of a lane is the height of its tallest group.
    let mut tops = vec![0_u16; lane_of.iter().max().map_or(0, |last| usize::from(*last) + 1)];
    for (group, &lane) in groups.iter().zip(&lane_of) {
        let height = group.iter().map(|placed| placed.depth.saturating_add(1)).max().unwrap_or(0);
        tops[usize::from(lane)] = tops[usize::from(lane)].max(height);
    }
    let mut by_height: Vec<usize> = (0..tops.len()).collect();
    sort::by_key(&mut by_height, |&lane| (i64::from(tops[lane]), 0));
    let mut top = 0_u16;
    for lane in by_height {
        top = top.saturating_add(std::mem::replace(&mut tops[lane], top));
    }
    let mut all = Vec::with_capacity(groups.iter().map(Vec::len).sum());
    for (group, &lane) in groups.into_iter().zip(&lane_of) {
        let (first, top) = (all.len() as u32, tops[usize::from(lane)]);
        all.extend(group.into_iter().map(|placed| Placed {
            parent: placed.parent.map(|at| at + first),
            depth: placed.depth.saturating_add(top).min(DEEPEST),
            ..placed
        }));
    }
    by_start(&all)
}

/// Sorts intervals, which are listed group by group, by start.
fn by_start(all: &[Placed]) -> Vec<Placed> {
    let mut order: Vec<u32> = (0..all.len() as u32).collect();
    sort::by_key(&mut order, |&at| (all[at as usize].start, 0));
    let mut moved = vec![0_u32; all.len()];
    for (to, &at) in (0..).zip(&order) {
        moved[at as usize] = to;
    }
    let placed = |&at: &u32| {
        let placed = all[at as usize];
        Placed { parent: placed.parent.map(|parent| moved[parent as usize]), ..placed }
    };
    order.iter().map(placed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Flags;

    /// A group in which each interval is nested in the previous interval.
    fn nested(intervals: &[(i64, i64)]) -> Vec<Placed> {
        let placed = |(depth, &(start, end)): (usize, &(i64, i64))| {
            let parent = depth.checked_sub(1).map(|parent| parent as u32);
            Placed { start, end, what: start as u32, flags: Flags::default(), parent, depth: depth as u16 }
        };
        intervals.iter().enumerate().map(placed).collect()
    }

    #[test]
    fn low_groups_stand_above_high_ones() {
        let low = nested(&[(5, 90)]);
        let high = nested(&[(0, 80), (10, 20), (12, 14)]);
        let after = nested(&[(95, 99), (96, 97)]);
        let found = stacked(vec![high, low, after]);
        let depths: Vec<(u32, u16, Option<u32>)> =
            found.iter().map(|placed| (placed.what, placed.depth, placed.parent)).collect();
        let expected =
            [(0, 1, None), (5, 0, None), (10, 2, Some(0)), (12, 3, Some(2)), (95, 1, None), (96, 2, Some(4))];
        assert_eq!(depths, expected, "what follows a high group is in its rows");
    }
}
