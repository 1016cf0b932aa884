//! Wheel input over the canvases: scrolling, panning and zooming, and when an embedded viewer leaves the wheel to the
//! page.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, WheelEvent};
use yew::html::Scope;
use yew::prelude::*;

use super::camera::Room;
use super::elements::TimelineElements;
use super::{Msg, Timeline};
use crate::events::Listener;
use crate::host::Mount;
use crate::input::{self, Wheel, WheelMode};

/// A turn of the wheel that the timeline handles.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WheelTurn {
    /// CSS pixels from the left edge of the rows; negative over the headings.
    x: f64,
    /// Whether the pointer is over the pinned rows.
    over_pins: bool,
    wheel: Wheel,
}

/// State with which the listener decides during an event whether the timeline handles it. A message to the timeline
/// would be too late: the browser has passed the event to the page by then.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Reach {
    /// Whether the viewer is part of another page that scrolls with the wheel, too.
    shared: bool,
    room: Room,
}

impl Reach {
    /// Whether the timeline handles a turn. Turns with a modifier key and sideways turns are always handled, because the
    /// browser would zoom the page or go back in history.
    fn takes(self, wheel: Wheel, modified: bool) -> bool {
        let moves = match wheel {
            Wheel::Scroll(pixels) if pixels < 0.0 => self.room.up,
            Wheel::Scroll(pixels) => pixels > 0.0 && self.room.down,
            Wheel::Zoom(factor) if factor < 1.0 => self.room.closer,
            Wheel::Zoom(_) => self.room.farther,
            Wheel::Pan(_) => true,
        };
        !self.shared || modified || moves
    }
}

/// Listens to the wheel over all canvases.
pub fn listen(link: &Scope<Timeline>, mount: &Mount, elements: &TimelineElements) -> Option<Listener> {
    let (turned, mount) = (link.callback(Msg::Wheel), mount.clone());
    let (picture, reach) = (elements.picture.clone(), elements.reach.clone());
    let pins = elements.pins.clone();
    Listener::new(elements.root.cast::<Element>()?.into(), "wheel", move |event: Event| {
        let (Ok(event), Some(picture)) = (event.dyn_into::<WheelEvent>(), picture.cast::<Element>()) else {
            return;
        };
        let place = picture.get_bounding_client_rect();
        let modified = event.ctrl_key() || event.meta_key();
        let x = f64::from(event.client_x()) - place.left();
        // Over the headings there is no time to zoom at, so the wheel scrolls the rows.
        let mode = if x < 0.0 { WheelMode::Scroll } else { mount.wheel_mode() };
        let wheel = input::wheel(&event, mode, place.height());
        // An event that cannot be cancelled is already scrolling the page, so it must not also move the rows.
        let is_of_page = reach.get().shared && !event.cancelable();
        if !is_of_page && reach.get().takes(wheel, modified) {
            event.prevent_default();
            let pins = pins.cast::<Element>().map(|pins| pins.get_bounding_client_rect());
            let y = f64::from(event.client_y());
            let over_pins = pins.is_some_and(|pins| pins.top() <= y && y < pins.bottom());
            turned.emit(WheelTurn { x, over_pins, wheel });
        }
    })
}

impl Timeline {
    #[inline(never)]
    pub(super) fn wheel(&mut self, ctx: &Context<Self>, turn: WheelTurn) -> bool {
        let WheelTurn { x, over_pins, wheel } = turn;
        if let Wheel::Scroll(pixels) = wheel
            && over_pins
            && self.scroll_pins(ctx, pixels)
        {
            return false;
        }
        let camera = self.camera_mut(ctx);
        match wheel {
            Wheel::Zoom(factor) => camera.zoom(x.max(0.0), factor),
            Wheel::Pan(pixels) => camera.pan(pixels),
            Wheel::Scroll(pixels) => camera.scroll_by(pixels),
        }
        self.fitted = None;
        self.tell_reach(ctx);
        self.moved(ctx);
        let had_card = self.card.take().is_some();
        // Another item may be under the pointer now.
        let at = self.hover.at;
        had_card | (at.is_some() && self.hover_at(ctx, at))
    }

    /// Updates the listener's state with the directions in which the wheel can move the timeline.
    pub(super) fn tell_reach(&self, ctx: &Context<Self>) {
        let embedded = ctx.props().state.ui.embedded || !ctx.props().mount.host().takes_page_input();
        self.elements.reach.set(Reach { shared: embedded, room: self.camera(ctx).room() });
    }
}

/// [`Reach`], shared by the timeline and its wheel listener.
pub type SharedReach = Rc<Cell<Reach>>;

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn an_embedded_viewer_takes_what_moves_something_and_a_site_everything() {
        let whole = Room { up: false, down: true, closer: true, farther: false };
        let deep = Room { up: true, down: false, closer: false, farther: true };
        let none = Room::default();
        for (room, wheel, modified, expected) in [
            (whole, Wheel::Scroll(9.0), false, true),
            (whole, Wheel::Scroll(-9.0), false, false),
            (deep, Wheel::Scroll(9.0), false, false),
            (deep, Wheel::Scroll(-9.0), false, true),
            (none, Wheel::Scroll(9.0), false, false),
            (deep, Wheel::Scroll(0.0), false, false),
            (whole, Wheel::Zoom(0.5), false, true),
            (whole, Wheel::Zoom(2.0), false, false),
            (deep, Wheel::Zoom(0.5), false, false),
            (deep, Wheel::Zoom(2.0), false, true),
            (whole, Wheel::Zoom(2.0), true, true),
            (none, Wheel::Pan(5.0), false, true),
        ] {
            let reach = |shared| Reach { shared, room };
            assert_eq!(reach(true).takes(wheel, modified), expected, "{room:?} {wheel:?}");
            assert!(reach(false).takes(wheel, modified), "{room:?} {wheel:?}");
        }
    }
}
