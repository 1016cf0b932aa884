//! The hovered item or frame and its tooltip.

use std::time::Duration;

use queryscope::protocol::Card;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::elements::set_style;
use super::{Axis, Msg, Timeline};

/// Delay before the tooltip is requested.
const DELAY: Duration = Duration::from_millis(80);

/// Distance that tooltips keep from the edges of the rows, in CSS pixels.
const EDGE: f64 = 4.0;

/// The pointer's position and the id under it.
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Hover {
    /// Position in the rows, in CSS pixels; `None` if the pointer is elsewhere.
    pub at: Option<(f64, f64)>,
    /// Id of the bar or mark under the pointer.
    pub id: Option<u32>,
}

impl Timeline {
    /// Handles a pointer move to a position in the rows; returns `true` if the tooltip changes.
    pub(super) fn hover_at(&mut self, ctx: &Context<Self>, at: Option<(f64, f64)>) -> bool {
        let id = at.and_then(|(x, y)| self.id_at(ctx, x, y));
        self.hover_on(ctx, at, id)
    }

    /// Handles a pointer move onto an item, or off all items; returns `true` if the tooltip changes.
    pub(super) fn hover_on(&mut self, ctx: &Context<Self>, at: Option<(f64, f64)>, id: Option<u32>) -> bool {
        let had_card = self.card.is_some();
        let other = id != self.hover.id;
        self.hover = Hover { at, id };
        // Moving the pointer hides the tooltip of the keyboard selection.
        let had_card = had_card | (at.is_some() && self.by_keys && self.spoken.take().is_some());
        self.by_keys &= at.is_none();
        if !other {
            return had_card;
        }
        self.card = None;
        self.schedule(ctx);
        if let Some(id) = id {
            let due = ctx.link().callback(Msg::HoverDue);
            spawn_local(async move {
                yew::platform::time::sleep(DELAY).await;
                due.emit(id);
            });
        }
        had_card
    }

    /// Renders the tooltip next to the pointer, inside the rows.
    pub(super) fn card(&self) -> Html {
        let (Some(card), Some((x, y)), Some(surfaces)) = (&self.card, self.hover.at, &self.elements.surfaces)
        else {
            return Html::default();
        };
        let (width, height) = (surfaces.picture.width, surfaces.picture.height);
        let across = if x < width * 0.6 {
            format!("left:{}px", x + 14.0)
        } else {
            format!("right:{}px", width - x + 14.0)
        };
        let down = if y < height * 0.55 {
            format!("top:{}px", y + 16.0)
        } else {
            format!("bottom:{}px", height - y + 12.0)
        };
        html! { <div class="card" role="tooltip" style={format!("{across};{down}")} ref={self.elements.hovered.clone()}>{ content(card) }</div> }
    }

    /// Moves the tooltip at the pointer up or down if a part of it would be cut off. Of one that is higher than the rows, the start is shown.
    pub(super) fn keep_card_in_view(&self) {
        let (Some(card), Some(surfaces)) =
            (self.elements.hovered.cast::<HtmlElement>(), &self.elements.surfaces)
        else {
            return;
        };
        let (top, tall) = (f64::from(card.offset_top()), f64::from(card.offset_height()));
        let lowest = (surfaces.picture.height - tall - EDGE).max(EDGE);
        set_style(&card, "transform", &format!("translateY({}px)", top.clamp(EDGE, lowest) - top));
    }

    /// The tooltip of the item that was selected by keyboard. [`Timeline::place_spoken`] places it next to the item's bar in
    /// every frame.
    pub(super) fn spoken_card(&self) -> Html {
        // The pointer's tooltip has priority.
        let Some(card) = self.spoken.as_ref().filter(|_| self.card.is_none()) else { return Html::default() };
        // The same text is in `#status`, which screen readers announce.
        html! { <div class="card" aria-hidden="true" style="left:0;top:0;visibility:hidden" ref={self.elements.spoken.clone()}>{ content(card) }</div> }
    }

    /// Places the tooltip of the keyboard selection at its bar; hides the tooltip if the bar is out of view.
    pub(super) fn place_spoken(&self, ctx: &Context<Self>) {
        let Some(card) = self.elements.spoken.cast::<HtmlElement>() else { return };
        let set = |name: &str, value: &str| set_style(&card, name, value);
        let view = &self.time.view;
        let (width, height) = (f64::from(view.width), f64::from(view.height));
        let Some((left, top, bottom)) = self.selected_bar(ctx).filter(|bar| bar.2 > 0.0 && bar.1 < height)
        else {
            return set("visibility", "hidden");
        };
        let (wide, tall) = (f64::from(card.offset_width()), f64::from(card.offset_height()));
        let below = bottom + 8.0 + tall <= height;
        let down = if below { bottom + 8.0 } else { (top - 8.0 - tall).max(0.0) };
        let across = left.clamp(8.0, (width - wide - 20.0).max(8.0));
        set("transform", &format!("translate({across}px,{down}px)"));
        set("visibility", "visible");
    }

    /// Left, top and bottom of the selected bar or mark on screen, in CSS pixels.
    fn selected_bar(&self, ctx: &Context<Self>) -> Option<(f64, f64, f64)> {
        let (id, scene, transform) =
            (ctx.props().state.nav.selection?, self.scene(ctx)?, self.transform(ctx)?);
        if self.axis(ctx) == Axis::Merged {
            return None;
        }
        let bars = scene.rects.iter().map(|bar| (bar.id, bar.x, bar.y, bar.y + bar.height));
        let marks = scene.marks.iter().map(|mark| (mark.id, mark.x, mark.y - 4.0, mark.y + 4.0));
        let drawn = bars.chain(marks).find(|bar| bar.0 == id);
        let drawn = drawn.map(|(_, x, top, bottom)| (transform.x(x), transform.y(top), transform.y(bottom)));
        drawn.or_else(|| self.hidden_bar(ctx).map(|(left, _, top, bottom)| (left, top, bottom)))
    }

    /// Left, right, top and bottom of the selection if it is merged with other items or hidden beneath them, in CSS pixels.
    pub(super) fn hidden_bar(&self, ctx: &Context<Self>) -> Option<(f64, f64, f64, f64)> {
        let (state, scene) = (&ctx.props().state, self.scene(ctx)?);
        let (view, id, place) = self.place.as_ref()?;
        let is_drawn = scene.rects.iter().any(|bar| bar.id == *id) || scene.marks.iter().any(|m| m.id == *id);
        if is_drawn || state.nav.selection != Some(*id) || state.view().as_ref() != Some(view) {
            return None;
        }
        let camera = &self.camera(ctx).view;
        let top = place.top - camera.top;
        let (left, right) = (camera.x_from_time(place.start), camera.x_from_time(place.end));
        Some((left, right.max(left + 1.0), top + 2.0, top + f64::from(place.height) - 2.0))
    }
}

fn content(card: &Card) -> Html {
    html! {
        <>
            <div class="kicker">{ &card.kind }</div>
            <div class="card-title foreign">{ &card.title }</div>
            { for card.marks.iter().map(|mark| html! { <span class="pill warn">{ mark }</span> }) }
            <dl>{ for card.lines.iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd class="foreign">{ value }</dd></> }) }</dl>
        </>
    }
}
