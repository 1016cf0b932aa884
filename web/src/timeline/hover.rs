//! What the pointer rests on, and the card that tells about it.

use std::time::Duration;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::{Msg, Timeline};

/// How long the pointer rests before the card comes.
const DELAY: Duration = Duration::from_millis(80);

/// Where the pointer is, and on what.
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Hover {
    /// CSS pixels on the picture.
    pub at: Option<(f64, f64)>,
    /// The id of the bar or mark.
    pub id: Option<u32>,
}

impl Timeline {
    /// The pointer is at a place of the picture; `true` if the card changes.
    pub(super) fn hover_at(&mut self, ctx: &Context<Self>, at: Option<(f64, f64)>) -> bool {
        let id = at.and_then(|(x, y)| self.id_at(ctx, x, y));
        let had_card = self.card.is_some();
        let other = id != self.hover.id;
        self.hover = Hover { at, id };
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

    /// The card beside the pointer, inside the picture.
    pub(super) fn card(&self) -> Html {
        let (Some(card), Some((x, y)), Some(surfaces)) = (&self.card, self.hover.at, &self.stage.surfaces)
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
        html! {
            <div class="card" role="tooltip" style={format!("{across};{down}")}>
                <div class="kicker">{ &card.kind }</div>
                <div class="card-title foreign">{ &card.title }</div>
                { for card.marks.iter().map(|mark| html! { <span class="pill warn">{ mark }</span> }) }
                <dl>{ for card.lines.iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd class="foreign">{ value }</dd></> }) }</dl>
            </div>
        }
    }
}
