//! Two executions in timelines, one below the other: their summary, and the counterpart of the step under the pointer or of the
//! selected step.

use queryscope::internal::text;
use queryscope::protocol::{SideBySideRequest, SideBySideSummary};
use yew::prelude::*;

use super::camera::bounds_of;
use super::requests::TimelineAnswer;
use super::{Axis, Timeline};
use crate::state::Flame;
use crate::words;

/// The engine's latest description of the two executions.
#[derive(Default)]
pub struct SideBySide {
    /// The executions that were described last.
    executions: Option<[u32; 2]>,
    /// Their description; `None` until it is there, and if one of them does not exist.
    found: Option<Box<SideBySideSummary>>,
}

impl SideBySide {
    /// Duration of the longer execution as text; empty until the description is there.
    pub fn length(&self) -> String {
        self.found.as_ref().map(|found| text::duration(found.length)).unwrap_or_default()
    }
}

impl Timeline {
    /// Requests a description of the executions and of the step under the pointer, or else of the selected one, unless it was
    /// already requested.
    pub(super) fn ask_side_by_side(&mut self, ctx: &Context<Self>) {
        let nav = &ctx.props().state.nav;
        if self.axis(ctx) != Axis::Sides {
            return;
        }
        let item = self.hover.id.or(nav.selection);
        let request = SideBySideRequest { executions: nav.side_by_side(), item };
        if self.asked.side_by_side.as_ref() != Some(&request) {
            self.asked.side_by_side = Some(request.clone());
            self.ask(ctx, request, |found| Some(TimelineAnswer::SideBySide(found)));
        }
    }

    pub(super) fn take_side_by_side(&mut self, ctx: &Context<Self>, found: Option<Box<SideBySideSummary>>) {
        let nav = &ctx.props().state.nav;
        let executions = Some(nav.side_by_side()).filter(|_| found.is_some());
        if executions != self.side_by_side.executions {
            self.sides.bounds = bounds_of(found.as_ref().map_or(1, |found| found.length));
            self.show_side_part(nav.side_part);
        }
        self.side_by_side = SideBySide { executions, found };
        self.schedule(ctx);
    }

    pub(super) fn show_side_part(&mut self, part: Option<(i64, i64)>) {
        let (start, end) = part.unwrap_or(self.sides.bounds);
        self.sides.look_at(start, end);
    }

    /// The counterpart in the other execution of the span under the pointer or, without one, of the selected span. `None` if there is none.
    pub(super) fn partner(&self, ctx: &Context<Self>) -> Option<u32> {
        let item = self.hover.id.or(ctx.props().state.nav.selection)?;
        let step = self.side_by_side.found.as_ref().filter(|_| self.axis(ctx) == Axis::Sides)?;
        let [a, b] = step.step.as_ref()?.items;
        if a == Some(item) { b } else { a }
    }

    /// Renders the difference of the executions, and of the step under the pointer or, without one, of the selected step.
    pub(super) fn side_by_side_note(&self, ctx: &Context<Self>) -> Html {
        let nav = &ctx.props().state.nav;
        if self.axis(ctx) != Axis::Sides || nav.flame != Flame::SideBySide {
            return Html::default();
        }
        let Some(found) = &self.side_by_side.found else {
            let is_known = self.side_by_side.executions.is_none() && nav.side_by_side().contains(&u32::MAX);
            return html! { if is_known { <p class="matched-note" id="side-by-side">{ words::timeline::NO_EXECUTIONS }</p> } };
        };
        html! {
            <p class="matched-note" id="side-by-side">
                { words::timeline::side_by_side(found) }
                if let Some(step) = &found.step { <br /><b>{ words::timeline::aligned_step(step) }</b> }
            </p>
        }
    }
}
