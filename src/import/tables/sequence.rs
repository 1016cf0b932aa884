//! Start times for events of one thread whose order, nesting and durations are known: each event follows the previous one.

use crate::base::FxHashMap;

/// The reported order, nesting and duration of an event.
#[derive(Clone, Copy, Debug)]
pub struct SequenceStep {
    pub id: u64,
    /// Reported parent of the event.
    pub parent: Option<u64>,
    /// Duration, in picoseconds.
    pub length: u64,
    /// Whether the event is one, like a transaction, that does not nest with the others, because it outlasts the
    /// statement that begins it.
    pub cuts_across: bool,
}

/// Computed position of an event in time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SequenceSlot {
    /// Start, in picoseconds since the first event.
    pub start: u64,
    /// ID of the last event inside the event.
    pub end_id: u64,
}

/// Maximum number of ancestors that are searched for the event that contains an event: a server does not nest deeper.
const DEEPEST: usize = 1_000;

/// Computes start times: each event begins where the previous event in the same parent ends, and the first event
/// begins with its parent. For exceptions to the reported parent, see `holder`.
pub fn lay_out(steps: &[SequenceStep]) -> Vec<SequenceSlot> {
    let by_id: FxHashMap<u64, usize> = (0..).zip(steps).map(|(at, s)| (s.id, at)).collect();
    let mut order: Vec<usize> = (0..steps.len()).collect();
    crate::base::sort::by_key(&mut order, |&at| (0, steps[at].id));
    let mut slots = vec![SequenceSlot::default(); steps.len()];
    // `filled`: end of the placed children of each event. `top`: end of the thread's top-level events.
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

/// Computes the last ID inside every event. Holders precede their events, so the events are processed from last to
/// first, each updating its holder.
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
    // Events in a transaction are not part of the statement that began it, but extend the transaction.
    for step in steps {
        if let Some(&around) = step.parent.and_then(|id| by_id.get(&id)).filter(|&&at| steps[at].cuts_across)
        {
            slots[around].end_id = slots[around].end_id.max(step.id);
        }
    }
}

/// Returns the event that contains `step`: its reported parent, with two exceptions. If that parent is a transaction,
/// the event that contains the statement which began the transaction is used; if the parent has a later ID than the
/// event, the parent's own parent is used.
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

    /// Checks start and last ID of events, given as ID, parent (0 for none) and length; a length of 0 is a transaction.
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
        // In any order; a parent that does not exist is ignored.
        check(&[(4, 0, 5), (2, 9, 4)], &[(4, 4), (0, 2)]);
        // START TRANSACTION, its transaction, and a statement whose parent is the transaction.
        check(&[(1, 0, 10), (2, 1, 0), (5, 2, 7)], &[(0, 2), (0, 5), (10, 5)]);
        // A stage whose parent is a later statement of a trigger, in the same statement.
        check(&[(1, 0, 9), (2, 3, 4), (3, 1, 2)], &[(0, 3), (0, 2), (4, 3)]);
        // Cycles of parents.
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
