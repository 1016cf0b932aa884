//! Moves of the focus from one span or event to another.

use super::Session;
use super::handlers::known;
use crate::protocol::{NeighbourRequest, SpanJump, SpanJumpRequest};
use crate::stats;
use crate::trace::Item;
use crate::view;

impl Session {
    /// The neighbour of an item in a direction. Within two executions, a move that would leave them leads nowhere.
    pub(super) fn neighbour_of(&mut self, request: &NeighbourRequest) -> Option<Item> {
        let item = match request.item {
            Some(code) => Some(known(&self.trace, code)?),
            None => None,
        };
        let Some(executions) = request.within else {
            return view::neighbour(&self.trace, item, request.step);
        };
        let mut is_within = |item: &Item| {
            let found = self.scenes.side_by_side(&self.trace, executions, Some(*item));
            found.is_some_and(|found| found.step.is_some())
        };
        match item.filter(&mut is_within) {
            Some(item) => view::neighbour(&self.trace, Some(item), request.step).filter(is_within),
            None => known(&self.trace, executions[0]),
        }
    }

    /// Where a jump leads, among the items that pass the filter.
    pub(super) fn jump_from(&mut self, request: &SpanJumpRequest) -> SpanJump {
        let Self { trace, answers, .. } = self;
        let item = request.item.and_then(|code| known(trace, code));
        let (shapes, passing) = answers.jumps(trace, &request.filter);
        stats::span_jump(trace, shapes, item, request.target, passing)
    }
}
