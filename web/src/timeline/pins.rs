//! Pinned tracks: rows above the timeline's rows, which stay in view while the timeline scrolls. They have a canvas of
//! their own, with the height of their rows up to a share of the timeline, beyond which the pinned rows scroll
//! separately.

use queryscope::internal::view::{Scene, Transform};
use queryscope::protocol::{ItemTrackRequest, TrackKey, TrackKeyRequest, ViewKind, ViewSpec, Viewport};
use yew::prelude::*;

use super::elements::thumb_of;
use super::requests::TimelineAnswer;
use super::{Axis, Timeline};
use crate::canvas::{CanvasTheme, Highlights, Layer, Surface, paint_labels, paint_scene};
use crate::state::{Action, State, Tab};
use crate::words;

/// Width in CSS pixels of the area at the right end of a heading that pins its track.
const PIN_WIDTH: f64 = 24.0;

/// Width of the line below the pinned rows, in CSS pixels.
const BORDER: f64 = 2.0;

/// The pinned tracks and the visible part of them.
#[derive(Default)]
pub struct PinnedRows {
    scene: Option<Scene>,
    /// Build of the scene: in another build, the item codes have other meanings.
    build: u32,
    /// View, viewport and filter of the latest requested scene; `None` if none was requested.
    asked: Option<(ViewSpec, Viewport)>,
    in_flight: bool,
    /// Scroll position in CSS pixels.
    top: f64,
    /// Height of all pinned rows in CSS pixels.
    content: f64,
    /// Pointer over the headings of the rows, in CSS pixels from their top.
    pub pointed: Option<f64>,
}

impl PinnedRows {
    /// Forgets the requested scene, because the trace changed.
    pub fn forget(&mut self) {
        self.asked = None;
    }

    /// Scrolls down by `pixels`; returns `false` if all rows are in view.
    pub fn scroll_by(&mut self, pixels: f64, height: f64) -> bool {
        let lowest = (self.content - height).max(0.0);
        self.top = (self.top + pixels).clamp(0.0, lowest);
        lowest > 0.0
    }

    /// Whether a track is among the pinned tracks that are drawn.
    pub fn has(&self, track: u32) -> bool {
        self.scene.as_ref().is_some_and(|scene| scene.rows.iter().any(|row| row.track == track))
    }
}

/// Whether `x` is on the pin at the right end of a heading. `width` is the width of the headings; both are in CSS pixels. Narrow headings
/// have no pin.
pub fn is_at_pin(x: f64, width: f64) -> bool {
    x >= width - PIN_WIDTH && width > 2.0 * PIN_WIDTH
}

/// Whether `x` is on the button (⋮) that opens the menu of a track, or on the pin at its right, which callers check first. `width` is the
/// width of the headings; both are in CSS pixels. Narrow headings have neither.
pub fn is_at_menu(x: f64, width: f64) -> bool {
    is_at_pin(x + PIN_WIDTH, width)
}

/// The view of the pinned tracks; `None` if none is pinned or the tab does not show them.
fn view_of(state: &State) -> Option<ViewSpec> {
    let kind = ViewKind::Pinned(state.nav.pins.clone());
    let shows = state.nav.tab == Tab::Gantt && !state.nav.pins.is_empty();
    shows.then(|| state.view_of(kind))
}

impl Timeline {
    /// Height of the pinned rows' canvas, in CSS pixels.
    fn pins_height(&self) -> f64 {
        self.elements.surfaces.as_ref().map_or(0.0, |surfaces| surfaces.pins.height)
    }

    /// Style of the grid with the height of the pinned rows, at most two fifths of the timeline.
    pub(super) fn pins_style(&self, ctx: &Context<Self>) -> String {
        match view_of(&ctx.props().state) {
            Some(_) => format!("--pins:min({:.0}px,40%)", self.pins.content + BORDER),
            None => String::new(),
        }
    }

    fn pins_viewport(&self) -> Viewport {
        let Viewport { start, end, width, .. } = self.time.view;
        Viewport { start, end, width, top: self.pins.top, height: self.pins_height() as f32 }
    }

    /// Requests the scene of the pinned tracks, unless it was already requested or another request is in progress.
    pub(super) fn ask_pins(&mut self, ctx: &Context<Self>) {
        let Some(spec) = view_of(&ctx.props().state) else {
            (self.pins.scene, self.pins.asked, self.pins.content) = (None, None, 0.0);
            return;
        };
        let wanted = (spec, self.pins_viewport());
        if self.pins.in_flight || self.pins.asked.as_ref() == Some(&wanted) || wanted.1.width <= 1.0 {
            return;
        }
        self.pins.in_flight = true;
        self.pins.asked = Some(wanted.clone());
        let (client, build) = (ctx.props().client.clone(), ctx.props().state.load.info.build);
        let scene = async move { client.scene(wanted.0, wanted.1).await };
        self.later(ctx, async move { Some(TimelineAnswer::Pins(build, scene.await)) });
    }

    /// Takes the scene of the pinned tracks; returns `true` if their height changed.
    pub(super) fn take_pins(&mut self, build: u32, scene: Option<Scene>) -> bool {
        self.pins.in_flight = false;
        let Some(scene) = scene else { return false };
        let is_other = scene.content_height != self.pins.content;
        self.pins.content = scene.content_height;
        (self.pins.scene, self.pins.build) = (Some(scene), build);
        self.pins.scroll_by(0.0, self.pins_height());
        is_other
    }

    fn pins_shown(&self, ctx: &Context<Self>) -> Option<(&Scene, Transform)> {
        let scene = self.pins.scene.as_ref().filter(|_| self.axis(ctx) == Axis::Time)?;
        Some((scene, Transform::between(&scene.viewport, &self.pins_viewport())))
    }

    /// Paints the pinned rows and their headings.
    #[inline(never)]
    pub(super) fn paint_pins(
        &self,
        ctx: &Context<Self>,
        theme: &CanvasTheme,
        (rows, headings): (&mut Surface, &mut Surface),
        highlights: Highlights,
    ) {
        let Some((scene, transform)) = self.pins_shown(ctx) else { return };
        if rows.height < 1.0 {
            return;
        }
        let layer = Layer { scene, transform, theme, ends_behind: ctx.props().state.load.info.cut.1 };
        paint_scene(rows, &layer, &Highlights { hidden: None, ..highlights });
        if self.pins.content > rows.height + 0.5 {
            let (length, start) = thumb_of(self.pins.top, rows.height, self.pins.content);
            let thumb = rows.area(rows.width - 6.0, start, 4.0, length);
            rows.pixels.fill(thumb, theme.muted, 190);
        }
        rows.show();
        paint_labels(rows, &self.writer, &layer);
        self.headings(theme, headings, scene, &transform, true);
    }

    /// The item of the pinned rows at a point.
    pub(super) fn pinned_id_at(&self, ctx: &Context<Self>, (x, y): (f64, f64)) -> Option<u32> {
        let is_old = self.pins.build != ctx.props().state.load.info.build;
        let (scene, transform) = self.pins_shown(ctx).filter(|_| !is_old)?;
        scene.hit(x, y, &transform).id
    }

    /// Track of the pinned row at a height.
    pub(super) fn pinned_track_at(&self, ctx: &Context<Self>, y: f64) -> Option<u32> {
        let (scene, transform) = self.pins_shown(ctx)?;
        scene.row_at(y, &transform).map(|at| scene.rows[at].track)
    }

    /// Scrolls the pinned rows; returns `false` if they are all in view.
    pub(super) fn scroll_pins(&mut self, ctx: &Context<Self>, pixels: f64) -> bool {
        let height = self.pins_height();
        let scrolls = self.pins.scroll_by(pixels, height);
        self.schedule(ctx);
        scrolls
    }

    /// Pins a track, or removes its pin.
    pub(super) fn toggle_pin(&self, ctx: &Context<Self>, track: u32) {
        self.ask(ctx, TrackKeyRequest { track }, |key| key.map(TimelineAnswer::Pin));
    }

    /// Pins the track of the selected item, or removes its pin.
    pub(super) fn toggle_pin_of_selection(&self, ctx: &Context<Self>) {
        if let Some(item) = ctx.props().state.nav.selection {
            self.ask(ctx, ItemTrackRequest { item }, |key| key.map(TimelineAnswer::Pin));
        }
    }

    pub(super) fn pin(&self, ctx: &Context<Self>, key: TrackKey) {
        let pinned = ctx.props().state.nav.pins.contains(&key);
        ctx.props().dispatch.dispatch(Action::Pin(key, !pinned));
    }

    /// Number of pinned tracks and a button that removes all pins, in the corner next to the ruler.
    pub(super) fn pins_corner(&self, ctx: &Context<Self>) -> Html {
        let state = &ctx.props().state;
        if view_of(state).is_none() {
            return Html::default();
        }
        let (dispatch, pins) = (ctx.props().dispatch.clone(), state.nav.pins.clone());
        let unpin = move |_: MouseEvent| {
            pins.iter().for_each(|key| dispatch.dispatch(Action::Pin(*key, false)));
        };
        html! {
            <>
                <span role="status">{ words::notes::pinned(state.nav.pins.len()) }</span>
                <button type="button" class="link" onclick={unpin}>{ words::notes::UNPIN_ALL }</button>
            </>
        }
    }
}

/// Paints the button (⋮) of a heading, which opens the menu of its track.
pub fn paint_dots(surface: &Surface, theme: &CanvasTheme, y: f64) {
    let (context, x) = (&surface.context, surface.width - PIN_WIDTH * 1.5);
    context.set_fill_style_str(&theme.panel.css());
    context.fill_rect(surface.width - PIN_WIDTH * 2.0, y - 9.0, PIN_WIDTH, 18.0);
    context.set_fill_style_str(&theme.muted.css());
    for dy in [-5.0, -1.0, 3.0] {
        context.fill_rect(x - 1.0, y + dy, 2.0, 2.0);
    }
}

/// Paints the pin of a heading: filled if its track is pinned.
pub fn paint_pin(surface: &Surface, theme: &CanvasTheme, y: f64, is_pinned: bool) {
    let (context, x) = (&surface.context, surface.width - PIN_WIDTH / 2.0);
    context.set_fill_style_str(&theme.panel.css());
    context.fill_rect(surface.width - PIN_WIDTH, y - 9.0, PIN_WIDTH, 18.0);
    let color = if is_pinned { theme.accent } else { theme.muted }.css();
    context.set_stroke_style_str(&color);
    context.set_fill_style_str(&color);
    context.set_line_width(1.4);
    context.begin_path();
    // A head, a shaft that widens to a collar, and the needle.
    for (at, (dx, dy)) in
        [(-3.0, -6.0), (3.0, -6.0), (2.0, 0.0), (4.0, 2.0), (-4.0, 2.0), (-2.0, 0.0)].iter().enumerate()
    {
        if at == 0 {
            context.move_to(x + dx, y + dy);
        } else {
            context.line_to(x + dx, y + dy);
        }
    }
    context.close_path();
    if is_pinned {
        context.fill();
    }
    context.stroke();
    context.begin_path();
    context.move_to(x, y + 2.0);
    context.line_to(x, y + 6.5);
    context.stroke();
}
