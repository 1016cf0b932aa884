//! Paints the canvases.

use queryscope::internal::text;
use queryscope::internal::view::ruler::{Ruler, shares, ticks};
use queryscope::internal::view::{Fold, LabelPlace, Scene, Transform, heading_detail};
use queryscope::protocol::{MERGED_WIDTH, Viewport};
use yew::prelude::*;

use super::elements::{Surfaces, TimelineElements};
use super::pins::{paint_dots, paint_pin};
use super::{Axis, Timeline, arrows, note_markers, offscreen_hints, path_marks};
use crate::canvas::{CanvasTheme, Highlights, Layer, Surface, paint_labels, paint_scene};
use crate::words;

impl Timeline {
    #[inline(never)]
    pub(super) fn paint(&mut self, ctx: &Context<Self>) {
        if self.theme.is_none() {
            let theme = CanvasTheme::read(ctx.props().mount.root());
            self.theme = theme.map(|theme| theme.only(&ctx.props().state.nav.only));
        }
        // Taken out while painting, so that the other fields of `self` can be borrowed.
        let (Some(theme), Some(mut surfaces)) = (self.theme.take(), self.elements.surfaces.take()) else {
            return;
        };
        let ruler = self.ruler(ctx);
        self.picture(ctx, &theme, &mut surfaces, &ruler);
        self.axis_strip(ctx, &theme, &mut surfaces, &ruler);
        self.map(ctx, &theme, &mut surfaces);
        (self.theme, self.elements.surfaces) = (Some(theme), Some(surfaces));
        let camera = self.camera(ctx);
        self.elements.scrollbar(camera.view.top, f64::from(camera.view.height), camera.content);
        self.corner(ctx);
    }

    #[inline(never)]
    fn picture(&self, ctx: &Context<Self>, theme: &CanvasTheme, surfaces: &mut Surfaces, ruler: &Ruler) {
        let (Some(scene), Some(transform)) = (self.scene(ctx), self.transform(ctx)) else {
            for surface in [&mut surfaces.picture, &mut surfaces.headings] {
                surface.pixels.clear(theme.panel);
                surface.show();
            }
            return;
        };
        let layer = Layer { scene, transform, theme, ends_behind: ctx.props().state.load.info.cut.1 };
        paint_scene(&mut surfaces.picture, &layer, &self.highlights(ctx, ruler));
        self.paint_area(ctx, theme, &mut surfaces.picture, (scene, &transform));
        surfaces.picture.show();
        let time = self.axis(ctx) == Axis::Time;
        if self.axis(ctx) != Axis::Merged {
            let shown =
                self.arrows.list.iter().filter(|arrow| arrows::is_shown(arrow, ctx.props().state.nav.arrows));
            arrows::paint(&surfaces.picture, theme, shown, &self.camera(ctx).view);
        }
        if time {
            path_marks::paint(&surfaces.picture, theme, &self.path.marks, &self.time.view);
        }
        // Labels are painted after the arrows, which would cross them out otherwise.
        paint_labels(&surfaces.picture, &self.writer, &layer);
        if time {
            let shown = (&transform, &self.time.view);
            offscreen_hints::paint(&surfaces.picture, &self.writer, theme, &scene.rows, shown);
        }
        self.headings(theme, &mut surfaces.headings, scene, &transform, false);
        let pins = (&mut surfaces.pins, &mut surfaces.pin_headings);
        self.paint_pins(ctx, theme, pins, self.highlights(ctx, ruler));
    }

    fn highlights(&self, ctx: &Context<Self>, ruler: &Ruler) -> Highlights {
        let (state, time) = (&ctx.props().state, self.axis(ctx) == Axis::Time);
        let has_items = self.axis(ctx) != Axis::Merged;
        let view = &self.time.view;
        Highlights {
            selection: state.nav.selection.filter(|_| has_items),
            picked: if time { state.nav.picked.clone() } else { Vec::new() },
            partner: self.partner(ctx),
            hidden: self.hidden_bar(ctx).filter(|_| has_items),
            hover: self.hover.id,
            range: state
                .nav
                .range
                .filter(|_| time)
                .map(|(start, end)| (view.x_from_time(start), view.x_from_time(end))),
            ticks: ruler.ticks.iter().map(|tick| f64::from(tick.x)).collect(),
        }
    }

    /// Paints the headings of rows, with the pin of the row under the pointer and of pinned tracks; all rows of the
    /// strip of pinned tracks have one.
    #[inline(never)]
    pub(super) fn headings(
        &self,
        theme: &CanvasTheme,
        surface: &mut Surface,
        scene: &Scene,
        transform: &Transform,
        is_strip: bool,
    ) {
        let texts = &scene.texts;
        surface.pixels.clear(theme.panel);
        let width = surface.width;
        for row in &scene.rows {
            let top = transform.y(row.y);
            if row.header {
                let area = surface.area(0.0, top, width, f64::from(row.height));
                surface.pixels.fill(area, theme.ground, 255);
            }
            if row.depth <= 1 {
                let area = surface.area(0.0, top.round() - 1.0, width, 1.0);
                surface.pixels.fill(area, theme.line_soft, 255);
            }
        }
        surface.show();
        for (row, x, y) in scene.headings(transform) {
            if row.fold != Fold::Leaf {
                triangle(surface, x, y, row.fold == Fold::Open, theme);
            }
            let Some(text) = texts.get(row.label as usize) else { continue };
            let (weight, color) = match row.depth {
                0 => ("600", theme.text),
                1 => ("400", theme.text),
                _ => ("400", theme.muted),
            };
            let (x, y) = (x + 14.0, y + 4.4);
            let detail = self.heading_detail(theme, surface, texts.get(row.detail as usize), (x, y));
            self.writer.style(&surface.context, &format!("{weight} 12.5px {}", theme.ui), color);
            self.writer.write(&surface.context, text, LabelPlace { x, y, width: width - x - 8.0 - detail });
            let top = transform.y(row.y);
            let is_pointed =
                self.pins.pointed.is_some_and(|at| top <= at && at < top + f64::from(row.height));
            let is_pinned = is_strip || self.pins.has(row.track);
            if row.track != u32::MAX && (is_pinned || is_pointed && !is_strip) {
                paint_pin(surface, theme, y - 4.4, is_pinned);
            }
            if row.track != u32::MAX && is_pointed && !is_strip {
                paint_dots(surface, theme, y - 4.4);
            }
        }
    }

    /// Writes the secondary text of a row's heading at the right edge. Returns the width of the written text.
    fn heading_detail(
        &self,
        theme: &CanvasTheme,
        surface: &crate::canvas::Surface,
        detail: Option<&String>,
        (x, y): (f64, f64),
    ) -> f64 {
        let Some(detail) = detail else { return 0.0 };
        self.writer.style(&surface.context, &format!("11px {}", theme.ui), theme.muted);
        let (width, is_value) = heading_detail(detail, surface.width - x - 8.0);
        if is_value && self.writer.width(&surface.context, detail) > width {
            return 0.0;
        }
        let left = surface.width - 8.0 - width;
        self.writer.write_end(&surface.context, detail, LabelPlace { x: left, y, width }) + 10.0
    }

    /// Paints the ruler and the selected time range.
    #[inline(never)]
    fn axis_strip(&self, ctx: &Context<Self>, theme: &CanvasTheme, surfaces: &mut Surfaces, ruler: &Ruler) {
        let (surface, view) = (&mut surfaces.ruler, self.camera(ctx).view);
        surface.pixels.clear(theme.panel);
        let height = surface.height;
        let range = ctx.props().state.nav.range.filter(|_| self.axis(ctx) == Axis::Time);
        if let Some((start, end)) = range {
            let (from, to) = (view.x_from_time(start), view.x_from_time(end));
            let area = surface.area(from, 0.0, to - from, height);
            surface.pixels.fill(area, theme.accent_soft, 255);
            let edge = surface.area(from, height - 2.0, to - from, 2.0);
            surface.pixels.fill(edge, theme.accent, 255);
        }
        for tick in &ruler.ticks {
            let area = surface.area(f64::from(tick.x).round(), 0.0, 1.0, height);
            surface.pixels.fill(area, theme.line_soft, 255);
        }
        if self.axis(ctx) == Axis::Time {
            note_markers::paint(surface, theme, &ctx.props().state.nav.notes, &view);
        }
        surface.show();
        let context = &surface.context;
        let mut free_from = 0.0;
        if let Some(base) = &ruler.base {
            self.writer.style(context, &format!("600 11px {}", theme.ui), theme.text);
            free_from = 6.0 + self.writer.width(context, base) + 10.0;
            self.writer.write(context, base, LabelPlace { x: 6.0, y: 17.0, width: 400.0 });
        }
        self.writer.style(context, &format!("11px {}", theme.ui), theme.muted);
        for tick in ruler.ticks.iter().filter(|tick| f64::from(tick.x) >= free_from) {
            let (x, width) = (f64::from(tick.x) + 5.0, self.writer.width(context, &tick.label));
            if x + width <= surface.width {
                self.writer.write(context, &tick.label, LabelPlace { x, y: 17.0, width });
            }
        }
    }

    fn ruler(&self, ctx: &Context<Self>) -> Ruler {
        match self.axis(ctx) {
            Axis::Time => ticks(&self.time.view),
            Axis::Merged => shares(&self.merged.view),
            Axis::Sides => ticks(&self.sides.view),
        }
    }

    /// Paints the minimap: how busy the trace is over time, and which part of it is shown.
    #[inline(never)]
    fn map(&self, ctx: &Context<Self>, theme: &CanvasTheme, surfaces: &mut Surfaces) {
        let (time, Some(map)) = (self.axis(ctx) == Axis::Time, self.map_view_of(ctx, surfaces)) else {
            return;
        };
        let surface = &mut surfaces.minimap;
        surface.pixels.clear(theme.panel);
        let (width, height) = (surface.width, surface.height);
        if let (true, Some((busy, failed))) = (time, &self.busy) {
            let color = theme.slot(1).fill;
            let step = width / busy.len().max(1) as f64;
            for (at, &share) in busy.iter().enumerate().filter(|(_, share)| **share > 0) {
                let share = f64::from(share) / 255.0;
                let tall = ((height - 14.0) * share).max(1.5);
                let area = surface.area(at as f64 * step, height - 4.0 - tall, step, tall);
                surface.pixels.fill(area, color, (70.0 + 120.0 * share) as u8);
                if failed.get(at).is_some_and(|&failed| failed > 0) {
                    let area = surface.area(at as f64 * step, height - 4.0, step.max(1.5), 3.0);
                    surface.pixels.fill(area, theme.bad, 255);
                }
            }
        }
        let view = self.camera(ctx).view;
        let (left, right) = (map.x_from_time(view.start).max(0.0), map.x_from_time(view.end).min(width));
        for (from, to) in [(0.0, left), (right, width)] {
            let area = surface.area(from, 0.0, to - from, height);
            surface.pixels.fill(area, theme.ground, 184);
        }
        if !self.camera(ctx).is_whole() {
            view_rectangle(surface, theme, left, right.max(left + 3.0));
        }
        surface.show();
    }

    fn map_view_of(&self, ctx: &Context<Self>, surfaces: &Surfaces) -> Option<Viewport> {
        let (start, end) = match self.axis(ctx) {
            Axis::Time => (0, ctx.props().state.load.info.end.max(1)),
            Axis::Merged => self.merged.bounds,
            Axis::Sides => self.sides.bounds,
        };
        (surfaces.minimap.width > 0.0).then_some(Viewport {
            start,
            end,
            width: surfaces.minimap.width as f32,
            top: 0.0,
            height: 1.0,
        })
    }

    /// Writes the text in the corner above the headings.
    fn corner(&self, ctx: &Context<Self>) {
        let info = &ctx.props().state.load.info;
        let view = self.camera(ctx).view;
        let length = view.end.saturating_sub(view.start);
        let (whole, shown) = match self.axis(ctx) {
            Axis::Time if self.camera(ctx).is_whole() => {
                (text::duration(info.end), words::timeline::SHOWING_ALL.to_owned())
            }
            Axis::Sides if self.camera(ctx).is_whole() => {
                (self.side_by_side.length(), words::timeline::SHOWING_ALL.to_owned())
            }
            Axis::Sides => (self.side_by_side.length(), words::timeline::showing(length)),
            Axis::Time => (text::duration(info.end), words::timeline::showing(length)),
            Axis::Merged => {
                (String::new(), words::timeline::showing_percent(length as f64 * 100.0 / MERGED_WIDTH as f64))
            }
        };
        TimelineElements::write(&self.elements.whole, &whole);
        TimelineElements::write(&self.elements.in_view, &shown);
    }
}

/// Paints the minimap's rectangle for the shown part of the trace, with handles at both ends.
fn view_rectangle(surface: &mut crate::canvas::Surface, theme: &CanvasTheme, left: f64, right: f64) {
    let height = surface.height;
    let frame = surface.area(left, 2.0, right - left, height - 4.0);
    let thick = (1.5 * surface.density).round() as i64;
    crate::canvas::shapes::outline(&mut surface.pixels, frame, 2.0, thick, theme.accent, None);
    for x in [left, right] {
        let handle = surface.area(x - 2.0, height / 2.0 - 8.0, 4.0, 16.0);
        surface.pixels.fill(handle, theme.accent, 255);
    }
}

/// Paints the triangle before a heading that can be expanded or collapsed.
fn triangle(surface: &crate::canvas::Surface, x: f64, y: f64, open: bool, theme: &CanvasTheme) {
    let context = &surface.context;
    context.set_fill_style_str(&theme.muted.css());
    context.begin_path();
    let corners = if open {
        [(x, y - 2.5), (x + 8.0, y - 2.5), (x + 4.0, y + 3.0)]
    } else {
        [(x + 1.5, y - 4.0), (x + 6.5, y), (x + 1.5, y + 4.0)]
    };
    context.move_to(corners[0].0, corners[0].1);
    context.line_to(corners[1].0, corners[1].1);
    context.line_to(corners[2].0, corners[2].1);
    context.fill();
}
