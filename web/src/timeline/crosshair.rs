//! The line under the pointer with its time, and the length of the time range that is being selected.
//!
//! These are elements over the canvases, so moving the pointer neither repaints a canvas nor renders the page.

use queryscope::internal::view::ruler::{pixel_length, pixel_time};
use web_sys::{HtmlElement, PointerEvent};
use yew::prelude::*;

use super::elements::{TimelineElements, set_style};
use super::pointer::{Gesture, PointerPhase, Zone};
use super::{Axis, Timeline};

/// Distance in CSS pixels between the pointer and the length of a range.
const BESIDE: f64 = 14.0;

/// The elements of the crosshair and the pointer's position.
#[derive(Default)]
pub struct Crosshair {
    line: NodeRef,
    time: NodeRef,
    distance: NodeRef,
    /// CSS pixels from the left edge of the rows and from the top of the ruler; `None` if the pointer is elsewhere.
    at: Option<(f64, f64)>,
}

impl Crosshair {
    /// Renders the line, which is over the canvas and below all notes.
    pub fn line(&self) -> Html {
        html! { <div class="crosshair" aria-hidden="true" ref={self.line.clone()} /> }
    }

    /// Renders the time at the ruler and the length next to the pointer.
    pub fn labels(&self) -> Html {
        html! {
            <>
                <div class="crosshair-room ruler" aria-hidden="true"><div class="crosshair-time" ref={self.time.clone()} /></div>
                <div class="crosshair-room" aria-hidden="true"><div class="crosshair-distance" ref={self.distance.clone()} /></div>
            </>
        }
    }
}

impl Timeline {
    /// Updates the crosshair for a pointer event in a zone.
    pub(super) fn point_crosshair(
        &mut self,
        ctx: &Context<Self>,
        zone: Zone,
        phase: PointerPhase,
        event: &PointerEvent,
        (x, y): (f64, f64),
    ) {
        let ranging = matches!(self.gesture, Gesture::Range { .. });
        let (width, height) = (f64::from(self.time.view.width), f64::from(self.time.view.height));
        let down = match zone {
            Zone::Picture => self.ruler_height(),
            _ => 0.0,
        };
        let inside = (0.0..width).contains(&x) && (0.0..height + self.ruler_height()).contains(&(y + down));
        // A finger hides the crosshair and leaves no pointer when it is lifted.
        let is_finger = event.pointer_type() == "touch" && !ranging;
        let shown = matches!(zone, Zone::Picture | Zone::Ruler)
            && phase != PointerPhase::Leave
            && !is_finger
            && (inside || ranging);
        self.crosshair.at = shown.then_some((x.clamp(0.0, width), y + down));
        self.place_crosshair(ctx);
    }

    /// Moves the crosshair to the pointer and updates its texts.
    pub(super) fn place_crosshair(&self, ctx: &Context<Self>) {
        let Crosshair { line, time, distance, at } = &self.crosshair;
        let at = at.filter(|_| self.axis(ctx) == Axis::Time && self.scene(ctx).is_some());
        let Some((x, y)) = at else {
            [line, time, distance].into_iter().for_each(hide);
            return;
        };
        let view = &self.time.view;
        let width = f64::from(view.width);
        let now = view.time_from_x(x);
        TimelineElements::write(time, &pixel_time(view, now));
        place(line, x.min(width - 1.0).floor(), 0.0);
        // The label is centred on the line, except at the edges.
        let wide = width_of(time);
        place(time, (x - wide / 2.0).clamp(0.0, (width - wide).max(0.0)).round(), 0.0);
        let (start, end) = match self.gesture {
            Gesture::Range { anchor, to } => (anchor.min(to), anchor.max(to)),
            Gesture::Area(drag) => drag.range(),
            _ => return hide(distance),
        };
        let (from, to) = (pixel_time(view, start), pixel_time(view, end));
        TimelineElements::write(distance, &format!("{from} … {to} · {}", pixel_length(view, start, end)));
        let wide = width_of(distance);
        let left = if x + BESIDE + wide <= width { x + BESIDE } else { x - BESIDE - wide };
        let lowest = (self.ruler_height() + f64::from(view.height) - 28.0).max(0.0);
        let top = (y + BESIDE).clamp(self.ruler_height().min(lowest), lowest);
        place(distance, left.clamp(0.0, (width - wide).max(0.0)).round(), top.round());
    }

    fn ruler_height(&self) -> f64 {
        self.elements.surfaces.as_ref().map_or(0.0, |surfaces| surfaces.ruler.height)
    }
}

fn width_of(node: &NodeRef) -> f64 {
    node.cast::<HtmlElement>().map_or(0.0, |element| f64::from(element.offset_width()))
}

fn place(node: &NodeRef, x: f64, y: f64) {
    if let Some(element) = node.cast::<HtmlElement>() {
        set_style(&element, "transform", &format!("translate({x}px,{y}px)"));
        set_style(&element, "visibility", "visible");
    }
}

fn hide(node: &NodeRef) {
    if let Some(element) = node.cast::<HtmlElement>() {
        set_style(&element, "visibility", "");
    }
}
