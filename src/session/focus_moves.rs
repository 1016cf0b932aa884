//! Moves of the focus from one span or event to another.

use super::Session;
use super::handlers::known;
use crate::protocol::{NeighbourRequest, SpanJump, SpanJumpRequest};
use crate::stats;
use crate::trace::Item;
use crate::view;

impl Session {
    /// The neighbour of an item in a direction; `None` if there is none. Within two executions, there is none outside
    /// of them.
    pub(super) fn neighbour_of(&mut self, request: &NeighbourRequest) -> Option<Item> {
        let item = match request.item {
            Some(code) => Some(known(&self.trace, code)?),
            None => None,
        };
        match request.within {
            Some(executions) => self.scenes.neighbour_within(&self.trace, executions, item, request.step),
            None => {
                let shown = self.answers.shown(&self.trace, &request.filter);
                view::neighbour(&self.trace, item, request.step, shown.as_ref().map(|shown| &shown.matching))
            }
        }
    }

    /// The target of a jump, among the items that pass the filter.
    pub(super) fn jump_from(&mut self, request: &SpanJumpRequest) -> SpanJump {
        let Self { trace, answers, .. } = self;
        let item = request.item.and_then(|code| known(trace, code));
        let (shapes, passing) = answers.jumps(trace, &request.filter);
        stats::span_jump(trace, shapes, item, request.target, passing)
    }
}
