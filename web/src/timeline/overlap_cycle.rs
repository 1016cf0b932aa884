//! Repeated clicks at the same place: each click selects the next of the overlapping items.

use yew::prelude::*;

use super::Timeline;
use super::pointer::CLICK;
use crate::host::page::now;
use crate::state::Action;

/// Milliseconds within which a second click makes a double click, which zooms.
const DOUBLE: f64 = 500.0;

/// The last click that selected an item.
#[derive(Clone, PartialEq)]
pub struct Clicked {
    at: (f64, f64),
    when: f64,
    /// Items under the pointer, the topmost first.
    drawn: Vec<u32>,
    /// Position in `drawn` of the item that was selected last.
    reached: usize,
    /// The selected item, which may not be in `drawn`: of several items at the same place, only the first is drawn.
    item: u32,
}

impl Timeline {
    /// Selects the clicked item, or the next overlapping item after a repeated click.
    pub(super) fn click_item(&mut self, ctx: &Context<Self>, (x, y): (f64, f64), item: Option<u32>) {
        let (scene, when) = (self.scene(ctx).zip(self.transform(ctx)), now());
        let drawn = scene.map(|(scene, transform)| scene.stacked_items(x, y, &transform)).unwrap_or_default();
        let before = self.clicked_at(ctx, (x, y)).and(self.clicked.as_mut());
        if let Some(clicked) = before.filter(|clicked| clicked.drawn.first() == drawn.first()) {
            if when - std::mem::replace(&mut clicked.when, when) > DOUBLE {
                self.ask_beneath(ctx);
            }
            return;
        }
        self.clicked = item.map(|item| Clicked { at: (x, y), when, drawn, reached: 0, item });
        ctx.props().dispatch.dispatch(Action::Select(item));
    }

    /// Whether a click made the current selection.
    pub(super) fn is_clicked(&self, ctx: &Context<Self>) -> bool {
        self.clicked.as_ref().is_some_and(|clicked| ctx.props().state.nav.selection == Some(clicked.item))
    }

    /// The item that a click at this place selected; `None` if it is not selected any more.
    pub(super) fn clicked_at(&self, ctx: &Context<Self>, (x, y): (f64, f64)) -> Option<u32> {
        let clicked = self.clicked.as_ref()?;
        let near = (clicked.at.0 - x).hypot(clicked.at.1 - y) < CLICK;
        (near && ctx.props().state.nav.selection == Some(clicked.item)).then_some(clicked.item)
    }

    /// Selects `next`, the next of the items at the same place. If there is none, selects the next item that is drawn
    /// under the pointer; after the last drawn item, it starts over with the first.
    pub(super) fn go_beneath(&mut self, ctx: &Context<Self>, next: Option<u32>) {
        let Some(clicked) = &mut self.clicked else { return };
        if next.is_none() {
            clicked.reached = (clicked.reached + 1) % clicked.drawn.len().max(1);
        }
        // A drawn item is under the pointer; `next` may be elsewhere and must be scrolled into view.
        let drawn = clicked.drawn.get(clicked.reached).map(|item| Action::Select(Some(*item)));
        if let Some(action) = next.map(Action::Reveal).or(drawn) {
            if let Action::Reveal(item) | Action::Select(Some(item)) = action {
                clicked.item = item;
            }
            ctx.props().dispatch.dispatch(action);
        }
    }
}
