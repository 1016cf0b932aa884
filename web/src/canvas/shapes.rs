//! Shapes made of pixel rows: bars with round corners, outlines, hatching, fading ends, dots and diamonds.

use super::color::Color;
use super::pixels::{Area, Pixels};

/// Inset in pixels at both ends of row `y` of a rectangle with round corners.
fn inset(area: &Area, radius: f64, y: i64) -> f64 {
    let from_edge = (y - area.top).min(area.bottom - 1 - y) as f64 + 0.5;
    if from_edge >= radius {
        return 0.0;
    }
    let rise = radius - from_edge;
    radius - (radius * radius - rise * rise).max(0.0).sqrt()
}

/// Paints a filled bar. Corners are round only if the bar is wide enough to show them.
pub fn bar(pixels: &mut Pixels, area: Area, radius: f64, color: Color, share: u8) {
    let radius = if area.width() >= radius * 2.0 + 2.0 { radius } else { 0.0 };
    for y in area.rows(pixels.height()) {
        let inset = inset(&area, radius, y);
        pixels.span(y, area.left + inset, area.right - inset, color, share);
    }
}

/// Paints the left part of a bar, up to `until`.
pub fn bar_part(pixels: &mut Pixels, area: Area, radius: f64, until: f64, color: Color) {
    let radius = if area.width() >= radius * 2.0 + 2.0 { radius } else { 0.0 };
    for y in area.rows(pixels.height()) {
        let inset = inset(&area, radius, y);
        pixels.span(y, area.left + inset, until.min(area.right - inset), color, 255);
    }
}

/// Paints an outline of `thickness` just inside `area`; with `dash`, a dashed outline with dashes of that length.
pub fn outline(
    pixels: &mut Pixels,
    area: Area,
    radius: f64,
    thickness: i64,
    color: Color,
    dash: Option<f64>,
) {
    let inner = area.grown(-thickness);
    let inner_radius = (radius - thickness as f64).max(0.0);
    for y in area.rows(pixels.height()) {
        let edge = inset(&area, radius, y);
        let (left, right) = (area.left + edge, area.right - edge);
        if y < inner.top || y >= inner.bottom || inner.width() <= 0.0 {
            dashed(pixels, y, left, right, color, dash);
        } else if dash.is_none_or(|dash| ((y - area.top) as f64 / dash) as i64 % 2 == 0) {
            let inside = inset(&inner, inner_radius, y);
            pixels.span(y, left, inner.left + inside, color, 255);
            pixels.span(y, inner.right - inside, right, color, 255);
        }
    }
}

fn dashed(pixels: &mut Pixels, y: i64, left: f64, right: f64, color: Color, dash: Option<f64>) {
    let Some(dash) = dash else { return pixels.span(y, left, right, color, 255) };
    // Dashes are aligned to the bar, not to the screen; dashes left of the screen are skipped.
    let skipped = ((0.0 - left) / (dash * 2.0)).max(0.0).floor() * dash * 2.0;
    let (mut at, end) = (left + skipped, right.min(pixels.width() as f64));
    while at < end {
        pixels.span(y, at, (at + dash).min(right), color, 255);
        at += dash * 2.0;
    }
}

/// Paints oblique stripes over the area, `period` pixels apart.
pub fn hatch(pixels: &mut Pixels, area: Area, period: i64, ground: Color, stripe: Color) {
    let (left, right) = (area.left.max(0.0) as i64, area.right.min(pixels.width() as f64) as i64);
    let start = area.left as i64;
    for y in area.rows(pixels.height()) {
        for x in left..right {
            let on = (x - start + y - area.top).rem_euclid(period) * 5 < period * 2;
            pixels.dot(x, y, if on { stripe } else { ground }, 255);
        }
    }
}

/// Paints an end of a bar that fades to the right, or (`towards_left`) to the left.
pub fn fade(pixels: &mut Pixels, area: Area, towards_left: bool, color: Color) {
    let (left, right) = (area.left.max(0.0) as i64, area.right.min(pixels.width() as f64) as i64);
    for x in left..right {
        let along = (x as f64 + 0.5 - area.left) / area.width().max(1.0);
        let share = if towards_left { along } else { 1.0 - along };
        for y in area.rows(pixels.height()) {
            pixels.dot(x, y, color, (share.clamp(0.0, 1.0) * 255.0) as u8);
        }
    }
}

/// Paints a dot with its centre at (`x`, `y`).
pub fn dot(pixels: &mut Pixels, x: f64, y: f64, radius: f64, color: Color, share: u8) {
    for row in (y - radius).floor() as i64..(y + radius).ceil() as i64 {
        let rise = row as f64 + 0.5 - y;
        let half = (radius * radius - rise * rise).max(0.0).sqrt();
        pixels.span(row, x - half, x + half, color, share);
    }
}

/// Paints a diamond with its centre at (`x`, `y`).
pub fn diamond(pixels: &mut Pixels, x: f64, y: f64, radius: f64, color: Color, share: u8) {
    for row in (y - radius).floor() as i64..(y + radius).ceil() as i64 {
        let half = radius - (row as f64 + 0.5 - y).abs();
        pixels.span(row, x - half, x + half, color, share);
    }
}

/// Paints a warning triangle with its base at `bottom` and its tip at `x`.
pub fn triangle(pixels: &mut Pixels, x: f64, bottom: i64, height: i64, color: Color) {
    for step in 0..height {
        let half = (step as f64 + 0.5) * 0.58;
        pixels.span(bottom - height + step, x - half, x + half, color, 255);
    }
}
