//! Groups of intervals that overlap, each nested in itself, in rows of their own.

use crate::import::nest::{DEEPEST, Placed};
use crate::lanes::Lanes;
use crate::sort;

/// All groups as one list by start. A group that overlaps none before stands in the topmost rows, the others below; groups
/// stand by their first starts.
pub fn stacked(groups: Vec<Vec<Placed>>) -> Vec<Placed> {
    let mut lanes = Lanes::default();
    let place = |group: &Vec<Placed>| {
        let start = group.first().map_or(i64::MIN, |placed| placed.start);
        let end = group.iter().map(|placed| placed.end).max().unwrap_or(start);
        lanes.row(start, end)
    };
    let lane_of: Vec<u16> = groups.iter().map(place).collect();
    // A lane is as high as the highest group in it.
    let mut tops = vec![0_u16; lane_of.iter().max().map_or(0, |last| usize::from(*last) + 1)];
    for (group, &lane) in groups.iter().zip(&lane_of) {
        let height = group.iter().map(|placed| placed.depth.saturating_add(1)).max().unwrap_or(0);
        tops[usize::from(lane)] = tops[usize::from(lane)].max(height);
    }
    let mut top = 0_u16;
    for lane in &mut tops {
        top = top.saturating_add(std::mem::replace(lane, top));
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

/// What stands group by group, by start.
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
