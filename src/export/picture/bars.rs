//! Bars and marks of an image.

use super::svg::{SvgText, number};
use super::text_width::TextFont;
use super::{Definitions, PictureScene};
use crate::view::{BarEdges, BarStyle, Color, FADE, HATCH, LABEL_SIZE, RADIUS, Rect, SceneMark, note_of};

const LABEL: TextFont = TextFont::regular(LABEL_SIZE);
/// Distance from the viewport at which shapes are cut off, in CSS pixels.
const CUT: f64 = 60.0;
/// Opacity of opaque shapes, on a scale from 0 to 255.
const OPAQUE: u8 = 255;

/// Draws all bars, then all marks, then all labels of bars.
pub(super) fn draw(scene: &PictureScene, out: &mut SvgText, definitions: &mut Definitions) {
    let mut columns = PixelColumns::default();
    let mut last = f64::NEG_INFINITY;
    for rect in &scene.scene.rects {
        let Some(bar) = scene.on_screen(rect) else { continue };
        let is_column = rect.style.has(BarStyle::DENSITY);
        // The columns of one lane are adjacent, so that those of one colour can be one path.
        if !is_column || bar.left.round() < last {
            columns.flush(out);
        }
        last = if is_column { bar.right.round() } else { f64::NEG_INFINITY };
        if is_column {
            column(scene, rect, bar, &mut columns)
        } else {
            body(scene, rect, bar, out, definitions)
        }
    }
    columns.flush(out);
    for mark in &scene.scene.marks {
        draw_mark(scene, mark, out, None);
    }
    for rect in scene.scene.rects.iter().filter(|rect| scene.selection == Some(rect.id)) {
        if let Some(bar) = scene.on_screen(rect) {
            selected(scene, bar, out);
        }
    }
    for mark in scene.scene.marks.iter().filter(|mark| scene.selection == Some(mark.id)) {
        draw_mark(scene, mark, out, Some((3.0, scene.theme.accent)));
        draw_mark(scene, mark, out, Some((1.0, scene.theme.panel)));
        draw_mark(scene, mark, out, None);
    }
}

/// Writes the labels and notes of all bars.
pub(super) fn labels(scene: &PictureScene, out: &mut SvgText) {
    for rect in &scene.scene.rects {
        let Some(bar) = scene.on_screen(rect) else { continue };
        let ink = scene.theme.ink(rect.color, rect.style);
        let label = scene.scene.texts.get(rect.label as usize);
        let place = bar.label_place(rect.style, scene.width);
        if let Some((label, place)) = label.zip(place)
            && let Some(text) = LABEL.fitting(label, place.width)
        {
            out.text(&text, (place.x, place.y), LABEL, ink, "");
        }
        let Some((note, failed)) = note_of(rect.style, scene.ends_later) else { continue };
        let font = if failed { TextFont::bold(LABEL_SIZE) } else { LABEL };
        let label = label.map_or(0.0, |label| LABEL.width(label) + 12.0);
        let room = f64::from(rect.room);
        let found = bar.note_place(rect.style, scene.width, room, [font.width(note), label]);
        if let Some((place, inside)) = found {
            let color = if failed { scene.theme.bad } else { scene.theme.muted };
            let style = if failed { "" } else { r#" font-style="italic""# };
            out.text(note, (place.x, place.y), font, if inside { ink } else { color }, style);
        }
    }
}

/// Pixel columns as paths, one per colour and opacity.
#[derive(Default)]
struct PixelColumns {
    paths: Vec<ColumnPath>,
}

/// Path of the pixel columns of one colour and opacity.
struct ColumnPath {
    color: Color,
    alpha: u8,
    d: String,
    /// The last column, which may grow to the right.
    last: [f64; 4],
}

impl PixelColumns {
    fn add(&mut self, color: Color, alpha: u8, column: [f64; 4]) {
        let [x, y, width, height] = column;
        if width <= 0.0 || height <= 0.0 || alpha == 0 {
            return;
        }
        let known = self.paths.iter_mut().find(|path| path.color == color && path.alpha == alpha);
        let Some(path) = known else {
            return self.paths.push(ColumnPath { color, alpha, d: String::new(), last: column });
        };
        let [last_x, last_y, last_width, last_height] = path.last;
        if last_x + last_width == x && (last_y, last_height) == (y, height) {
            path.last[2] += width;
        } else {
            path.end();
            path.last = column;
        }
    }

    fn flush(&mut self, out: &mut SvgText) {
        for mut path in self.paths.drain(..) {
            path.end();
            let mut style = format!(r#"fill="{}""#, path.color.css());
            if path.alpha < OPAQUE {
                style += &format!(r#" fill-opacity="{}""#, number(f64::from(path.alpha) / 255.0));
            }
            out.path(&path.d, &style);
        }
    }
}

impl ColumnPath {
    fn end(&mut self) {
        let [x, y, width, height] = self.last.map(number);
        self.d += &format!("M{x} {y}h{width}v{height}h-{width}z");
    }
}

/// Draws a pixel column that represents many bars; its height shows the busy share.
fn column(scene: &PictureScene, rect: &Rect, bar: BarEdges, columns: &mut PixelColumns) {
    let color = scene.theme.dimmed(scene.theme.slot(rect.color).fill, rect.style);
    let left = bar.left.round();
    let width = (bar.right.round() - left).max(1.0);
    let (left, right) = (left.max(-CUT), (left + width).min(scene.width + CUT));
    let (top, bottom) = (bar.top.round(), bar.bottom.round());
    let mut add =
        |from: f64, to: f64, color, alpha| columns.add(color, alpha, [left, from, right - left, to - from]);
    // A failure is drawn instead of the upper third, not over it, so that the order of paths does not matter.
    let failed = rect.style.has(BarStyle::FAILED);
    let from = if failed { top + ((bottom - top) / 3.0).floor() } else { top };
    if rect.split <= 0.0 {
        add(from, bottom, color, rect.alpha);
    } else {
        let solid = bottom - rect.solid_rows((bottom - top) as i64) as f64;
        add(from, solid.max(from), color, Rect::IDLE);
        add(solid.max(from), bottom, color, OPAQUE);
    }
    if failed {
        add(top, from, scene.theme.bad, OPAQUE);
    }
}

/// Draws a bar with its darker part, fading ends and flags.
fn body(scene: &PictureScene, rect: &Rect, bar: BarEdges, out: &mut SvgText, definitions: &mut Definitions) {
    let theme = scene.theme;
    let color = theme.dimmed(theme.slot(rect.color).fill, rect.style);
    let (top, height) = (bar.top.round(), bar.bottom.round() - bar.top.round());
    let fade = FADE.min(bar.width() / 2.0);
    let [mut left, mut right] = [bar.left, bar.right];
    if rect.style.has(BarStyle::OPEN_START) {
        let paint = definitions.fade(color, true);
        out.rect([left, top, fade, height], color, "");
        replace_fill(out, color, &paint);
        left += fade;
    }
    if rect.style.has(BarStyle::OPEN_END) {
        right -= fade;
        let paint = definitions.fade(color, false);
        out.rect([right, top, fade, height], color, "");
        replace_fill(out, color, &paint);
    }
    // Bars that begin or end far outside are cut there.
    let (left, right) = (left.max(-CUT), right.min(scene.width + CUT));
    out.rect([left, top, right - left, height], color, corners(right - left, RADIUS));
    if rect.split > 0.0 {
        let until = (bar.left + bar.width() * f64::from(rect.split.min(1.0))).min(right);
        let dark = theme.dimmed(theme.slot(rect.color).dark, rect.style);
        out.rect([left, top, until - left, height], dark, corners(until - left, RADIUS));
        // Only the left corners are round.
        if until - left > RADIUS && until < right - RADIUS {
            out.rect([until - RADIUS, top, RADIUS, height], dark, "");
        }
    }
    flags(scene, rect, bar, out, definitions);
}

/// Replaces the colour of the element that was added last by a gradient or pattern.
fn replace_fill(out: &mut SvgText, color: Color, paint: &str) {
    let color = format!(r#"fill="{}""#, color.css());
    if let Some(at) = out.0.rfind(&color) {
        out.0.replace_range(at..at + color.len(), &format!(r#"fill="{paint}""#));
    }
}

/// Attribute of round corners, for a bar that is wide enough to show them.
fn corners(width: f64, radius: f64) -> &'static str {
    if width >= radius * 2.0 + 2.0 { r#" rx="3""# } else { "" }
}

/// Draws the flags of a bar (failed, inferred, over-fetch, match) as shapes, because colour alone is not enough.
fn flags(scene: &PictureScene, rect: &Rect, bar: BarEdges, out: &mut SvgText, definitions: &mut Definitions) {
    let (theme, style) = (scene.theme, rect.style);
    let (left, right) = (bar.left.max(-CUT), bar.right.min(scene.width + CUT));
    let (top, bottom) = (bar.top.round(), bar.bottom.round());
    let mut outline = |by: f64, color: Color, more: &str| {
        let [x, y] = [left - by, top - by].map(number);
        let [width, height] = [right - left + 2.0 * by, bottom - top + 2.0 * by].map(number);
        let round = corners(right - left, RADIUS);
        let color = color.css();
        out.raw(&format!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="none" stroke="{color}"{round}{more}/>"#
        ));
    };
    if style.has(BarStyle::INFERRED) && bar.width() > 8.0 {
        outline(-0.5, theme.text, r#" stroke-dasharray="3""#);
    }
    if style.has(BarStyle::UNMATCHED) {
        outline(-1.0, theme.text, r#" stroke-width="2" stroke-dasharray="5""#);
    }
    if style.has(BarStyle::MATCH) {
        outline(0.75, theme.text, r#" stroke-width="1.5""#);
    }
    if style.has(BarStyle::FAILED) {
        outline(-0.5, theme.bad, "");
        let hatched = HATCH.min(bar.width() / 2.0);
        let hatch = definitions.hatch();
        out.rect([bar.right - hatched, top, hatched, bottom - top], theme.bad, corners(hatched, RADIUS));
        replace_fill(out, theme.bad, &hatch);
    }
    if style.has(BarStyle::OVER_FETCH) {
        let wide = bar.width() > 12.0;
        let color = if wide { theme.slot(rect.color).ink } else { theme.warn };
        let x = bar.left + if wide { 7.0 } else { bar.width() / 2.0 };
        let d = format!("M{} {}l4.64 8h-9.28z", number(x), number(bottom - 11.0));
        out.path(&d, &format!(r#"fill="{}""#, color.css()));
    }
}

/// Draws the selection's outline, with a gap in the panel's colour so that it differs from a bar of the same colour.
fn selected(scene: &PictureScene, bar: BarEdges, out: &mut SvgText) {
    let (left, right) = (bar.left.max(-CUT), bar.right.min(scene.width + CUT));
    for (by, width, color) in [(0.5, 1, scene.theme.panel), (2.0, 2, scene.theme.accent)] {
        let [x, y] = [left - by, bar.top.round() - by].map(number);
        let [w, h] = [right - left + 2.0 * by, bar.bottom.round() - bar.top.round() + 2.0 * by].map(number);
        let color = color.css();
        out.raw(&format!(
            r#"<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="4" fill="none" stroke="{color}" stroke-width="{width}"/>"#
        ));
    }
}

fn draw_mark(scene: &PictureScene, mark: &SceneMark, out: &mut SvgText, ring: Option<(f64, Color)>) {
    let (x, y) = (f64::from(mark.x), f64::from(mark.y));
    if x < -CUT || x > scene.width + CUT {
        return;
    }
    let (grow, color) = match ring {
        Some(ring) => ring,
        None if mark.style.has(BarStyle::FAILED) => (0.0, scene.theme.bad),
        None => (0.0, scene.theme.dimmed(scene.theme.slot(mark.color).fill, mark.style)),
    };
    if ring.is_none() && mark.style.has(BarStyle::MATCH) {
        draw_mark(scene, mark, out, Some((2.0, scene.theme.text)));
    }
    let (radius, color) = (number(f64::from(mark.radius) + grow), color.css());
    let (x, y) = (number(x), number(y));
    if mark.diamond {
        out.path(
            &format!("M{x} {y}m-{radius} 0l{radius}-{radius} {radius} {radius}-{radius} {radius}z"),
            &format!(r#"fill="{color}""#),
        );
    } else {
        out.raw(&format!(r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{color}"/>"#));
    }
}
