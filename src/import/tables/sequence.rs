//! Start times for events of one thread of which only order, nesting and durations are known: one event follows the other.

use crate::base::FxHashMap;

/// The reported order, nesting and duration of an event.
#[derive(Clone, Copy, Debug)]
pub struct SequenceStep {
    pub id: u64,
    /// What it says that it is in.
    pub parent: Option<u64>,
    /// Picoseconds.
    pub length: u64,
    /// Whether it cuts across the others: a transaction, which lasts longer than the statement that begins it.
    pub cuts_across: bool,
}

/// Where an event stands.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SequenceSlot {
    /// Picoseconds since the first one.
    pub start: u64,
    /// The id of the last event in it.
    pub end_id: u64,
}

/// Steps above one another that are followed to what holds an event: no nesting of a server is deeper.
const DEEPEST: usize = 1_000;

/// Places every event after the previous event in the same holder; the first event of a holder begins with the holder.
pub fn lay_out(steps: &[SequenceStep]) -> Vec<SequenceSlot> {
    let by_id: FxHashMap<u64, usize> = (0..).zip(steps).map(|(at, s)| (s.id, at)).collect();
    let mut order: Vec<usize> = (0..steps.len()).collect();
    crate::base::sort::by_key(&mut order, |&at| (0, steps[at].id));
    let mut slots = vec![SequenceSlot::default(); steps.len()];
    // Until when each event is filled; and the thread.
    let mut filled = vec![0_u64; steps.len()];
    let mut top = 0_u64;
    let mut holders = vec![None; steps.len()];
    for &at in &order {
        let step = steps[at];
        let parent = holder(steps, &by_id, &step);
        let start = parent.map_or(top, |parent| filled[parent]);
        slots[at] = SequenceSlot { start, end_id: step.id };
        filled[at] = start;
        let end = start.saturating_add(step.length);
        if !step.cuts_across {
            *parent.map_or(&mut top, |parent| &mut filled[parent]) = end;
        }
        holders[at] = parent;
    }
    end_ids(steps, &by_id, &order, &holders, &mut slots);
    slots
}

/// The last id in every event. What holds an event began before it: from the last event to the first, each tells its
/// holder.
fn end_ids(
    steps: &[SequenceStep],
    by_id: &FxHashMap<u64, usize>,
    order: &[usize],
    holders: &[Option<usize>],
    slots: &mut [SequenceSlot],
) {
    for &at in order.iter().rev() {
        if let Some(holder) = holders[at] {
            slots[holder].end_id = slots[holder].end_id.max(slots[at].end_id);
        }
    }
    // What is in a transaction is no part of the statement that began it, but makes the transaction longer.
    for step in steps {
        if let Some(&around) = step.parent.and_then(|id| by_id.get(&id)).filter(|&&at| steps[at].cuts_across)
        {
            slots[around].end_id = slots[around].end_id.max(step.id);
        }
    }
}

/// What an event lies in: what it says, but a transaction stands for what the statement lies in that began it, and what
/// came later for what that lies in.
fn holder(steps: &[SequenceStep], by_id: &FxHashMap<u64, usize>, step: &SequenceStep) -> Option<usize> {
    let find = |step: &SequenceStep| by_id.get(&step.parent?).copied();
    let mut above = find(step);
    for _ in 0..DEEPEST {
        let at = above?;
        let one = &steps[at];
        above = if one.cuts_across {
            find(one).and_then(|began| find(&steps[began]))
        } else if one.id >= step.id {
            find(one)
        } else {
            return Some(at);
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Events as id, parent (0 for none) and length; a length of 0 is a transaction. Start and last id of each.
    fn check(events: &[(u64, u64, u64)], expected: &[(u64, u64)]) {
        let step = |&(id, parent, length): &(u64, u64, u64)| SequenceStep {
            id,
            parent: (parent > 0).then_some(parent),
            length,
            cuts_across: length == 0,
        };
        let steps: Vec<SequenceStep> = events.iter().map(step).collect();
        let found: Vec<(u64, u64)> = lay_out(&steps).iter().map(|slot| (slot.start, slot.end_id)).collect();
        assert_eq!(found, expected, "{events:?}");
    }

    #[test]
    fn events_follow_one_another() {
        check(&[], &[]);
        check(&[(1, 0, 10), (2, 1, 4), (3, 1, 6), (4, 0, 5)], &[(0, 3), (0, 2), (4, 3), (10, 4)]);
        // In any order; a parent that is not there is none.
        check(&[(4, 0, 5), (2, 9, 4)], &[(4, 4), (0, 2)]);
        // START TRANSACTION, its transaction, and a statement that says it is in the transaction.
        check(&[(1, 0, 10), (2, 1, 0), (5, 2, 7)], &[(0, 2), (0, 5), (10, 5)]);
        // A stage that names a later statement of a trigger, which is in the same statement.
        check(&[(1, 0, 9), (2, 3, 4), (3, 1, 2)], &[(0, 3), (0, 2), (4, 3)]);
        // Circles.
        check(&[(1, 1, 9)], &[(0, 1)]);
        check(&[(1, 2, 9), (2, 1, 3)], &[(0, 2), (0, 2)]);
    }

    proptest! {
        #[test]
        fn any_nesting_comes_to_an_end(events in prop::collection::vec((0_u64..9, 0_u64..9, 0..u64::MAX), 0..12)) {
            let steps = events.iter().map(|&(id, parent, length)| SequenceStep { id, parent: Some(parent), length, cuts_across: length % 3 == 0 });
            let steps: Vec<SequenceStep> = steps.collect();
            prop_assert_eq!(lay_out(&steps).len(), steps.len());
        }
    }
}
