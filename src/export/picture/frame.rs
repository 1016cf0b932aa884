//! Everything in an image except bars, marks and arrows: title, axis, headings, backgrounds of rows, notes and hints.

use super::svg::{SvgText, escaped, number};
use super::text_width::TextFont;
use super::{FONTS, PictureScene};
use crate::base::text;
use crate::protocol::Viewport;
use crate::view::{Fold, OffscreenHint, SceneRow, heading_detail};

/// Distance of texts from the left and right edge of the image, in CSS pixels.
const MARGIN: f64 = 14.0;

/// Begins the document: its size, title and description, and the background.
pub(super) fn begin(
    scene: &PictureScene,
    out: &mut SvgText,
    (width, height): (f64, f64),
    [title, subtitle]: [&str; 2],
) {
    let (w, h) = (number(width), number(height));
    out.raw(&format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" xml:space="preserve" font-family="{FONTS}">"#
    ));
    out.raw(&format!("<title>{}</title><desc>{}</desc>", escaped(title), escaped(subtitle)));
    out.rect([0.0, 0.0, width, height], scene.theme.panel, "");
    let room = width - 2.0 * MARGIN;
    for (text, y, font, color) in [
        (title, 20.0, TextFont::bold(13.0), scene.theme.text),
        (subtitle, 37.0, TextFont::regular(11.0), scene.theme.muted),
    ] {
        if let Some(text) = font.fitting(&text::visible_name(text), room) {
            out.text(&text, (MARGIN, y), font, color, "");
        }
    }
}

/// Draws the axis with its ticks and, above the headings, the length of the trace.
pub(super) fn axis(scene: &PictureScene, out: &mut SvgText, [x, y, width, height]: [f64; 4], end: i64) {
    let theme = scene.theme;
    let small = TextFont::regular(11.0);
    if x > 0.0 {
        let total = format!("Total {}", text::duration(end));
        if let Some(total) = small.fitting(&total, x - 2.0 * MARGIN) {
            out.text(&total, (MARGIN, y + 17.0), small, theme.muted, "");
        }
    }
    out.begin_part([x, y, width, height]);
    if let Some((from, to)) = scene.range.map(|range| edges_of(range, scene.view)) {
        out.rect([from, 0.0, to - from, height], theme.accent_soft, "");
        out.rect([from, height - 2.0, to - from, 2.0], theme.accent, "");
    }
    for tick in &scene.ruler.ticks {
        out.rect([f64::from(tick.x).round(), 0.0, 1.0, height], theme.line_soft, "");
    }
    let mut free_from = 0.0;
    if let Some(base) = &scene.ruler.base {
        let font = TextFont::bold(11.0);
        free_from = 6.0 + font.width(base) + 10.0;
        out.text(base, (6.0, 17.0), font, theme.text, "");
    }
    for tick in scene.ruler.ticks.iter().filter(|tick| f64::from(tick.x) >= free_from) {
        let x = f64::from(tick.x) + 5.0;
        if x + small.width(&tick.label) <= width {
            out.text(&tick.label, (x, 17.0), small, theme.muted, "");
        }
    }
    out.end_part();
}

/// Left and right edge of a time range, cut outside of the viewport.
fn edges_of((start, end): (i64, i64), view: &Viewport) -> (f64, f64) {
    let x = |time: i64| view.x_from_time(time).clamp(-10.0, f64::from(view.width) + 10.0);
    (x(start), x(end))
}

/// Draws the lines around the axis, the headings and the rows.
pub(super) fn edges(scene: &PictureScene, out: &mut SvgText, [x, top, right, bottom]: [f64; 4]) {
    let line = scene.theme.line;
    for y in [top, top + super::AXIS, bottom] {
        out.rect([0.0, y - 1.0, right, 1.0], line, "");
    }
    if x > 0.0 {
        out.rect([x - 1.0, top, 1.0, bottom - top], line, "");
    }
}

/// Draws the headings of the rows.
pub(super) fn headings(scene: &PictureScene, out: &mut SvgText, area: [f64; 4]) {
    let (theme, width) = (scene.theme, area[2]);
    out.begin_part(area);
    row_grounds(scene, out, width);
    for (row, x, y) in scene.scene.headings(&PictureScene::TRANSFORM) {
        if row.y > scene.height as f32 || row.y + row.height < 0.0 {
            continue;
        }
        if row.fold != Fold::Leaf {
            let d = if row.fold == Fold::Open {
                format!("M{} {}h8l-4 5.5z", number(x), number(y - 2.5))
            } else {
                format!("M{} {}l5 4-5 4z", number(x + 1.5), number(y - 4.0))
            };
            out.path(&d, &format!(r#"fill="{}""#, theme.muted.css()));
        }
        let (x, y) = (x + 14.0, y + 4.4);
        let detail = scene.scene.texts.get(row.detail as usize);
        let taken = detail.map_or(0.0, |detail| write_detail(scene, out, detail, (x, y), width));
        let font = if row.depth == 0 { TextFont::bold(12.5) } else { TextFont::regular(12.5) };
        let color = if row.depth <= 1 { theme.text } else { theme.muted };
        let name = scene.scene.texts.get(row.label as usize);
        if let Some(name) = name.and_then(|name| font.fitting(name, width - x - 8.0 - taken)) {
            out.text(&name, (x, y), font, color, "");
        }
    }
    out.end_part();
}

/// Writes the secondary text of a heading at the right edge. Returns the width it takes.
fn write_detail(
    scene: &PictureScene,
    out: &mut SvgText,
    detail: &str,
    (x, y): (f64, f64),
    width: f64,
) -> f64 {
    let font = TextFont::regular(11.0);
    let (room, is_value) = heading_detail(detail, width - x - 8.0);
    let text = font.fitting_end(detail, room);
    if text.is_empty() || is_value && text != detail {
        return 10.0;
    }
    out.text(&text, (width - 8.0, y), font, scene.theme.muted, r#" text-anchor="end""#);
    font.width(&text) + 10.0
}

/// Draws the backgrounds and lines of the rows.
fn row_grounds(scene: &PictureScene, out: &mut SvgText, width: f64) {
    let is_shown = |row: &&SceneRow| row.y + row.height > 0.0 && f64::from(row.y) < scene.height;
    for row in scene.scene.rows.iter().filter(is_shown) {
        let y = f64::from(row.y);
        if row.header {
            out.rect([0.0, y.round(), width, f64::from(row.height).round()], scene.theme.ground, "");
        }
        // Lines separate groups; there are none between the rows of one query.
        if row.depth <= 1 {
            out.rect([0.0, y.round() - 1.0, width, 1.0], scene.theme.line_soft, "");
        }
    }
}

/// Draws the background of the rows: headers, the selected row, the time range, the grid.
pub(super) fn ground(scene: &PictureScene, out: &mut SvgText) {
    let theme = scene.theme;
    row_grounds(scene, out, scene.width);
    if let Some(row) = selected_row(scene) {
        let area = [0.0, f64::from(row.y).round(), scene.width, f64::from(row.height).round()];
        out.rect(area, theme.accent_soft, r#" fill-opacity=".59""#);
    }
    if let Some((from, to)) = scene.range.map(|range| edges_of(range, scene.view)) {
        out.rect([from, 0.0, to - from, scene.height], theme.accent_soft, r#" fill-opacity=".47""#);
        for x in [from, to] {
            out.rect([x.round() - 1.0, 0.0, 1.0, scene.height], theme.accent, r#" fill-opacity=".78""#);
        }
    }
    for tick in &scene.ruler.ticks {
        out.rect([f64::from(tick.x).round(), 0.0, 1.0, scene.height], theme.line_soft, "");
    }
}

fn selected_row<'a>(scene: &PictureScene<'a>) -> Option<&'a SceneRow> {
    let (id, shown) = (scene.selection?, scene.scene);
    let bar = shown.rects.iter().find(|rect| rect.id == id).map(|rect| rect.y + rect.height / 2.0);
    let y = bar.or_else(|| shown.marks.iter().find(|mark| mark.id == id).map(|mark| mark.y))?;
    shown.rows.iter().find(|row| row.y <= y && y < row.y + row.height)
}

/// Writes the notes of rows, and the hints at the edges of rows without visible items.
pub(super) fn row_texts(scene: &PictureScene, out: &mut SvgText) {
    let muted = scene.theme.muted;
    let (font, hints) = (TextFont::regular(12.0), TextFont::regular(11.0));
    let rim = format!(
        r#" stroke="{}" stroke-width="5" stroke-linejoin="round" paint-order="stroke""#,
        scene.theme.panel.css()
    );
    for row in &scene.scene.rows {
        let middle = f64::from(row.y + row.height / 2.0);
        if middle < 0.0 || middle > scene.height {
            continue;
        }
        let note = scene.scene.texts.get(row.note as usize).filter(|note| !note.is_empty());
        if let Some(note) = note.and_then(|note| font.fitting(note, scene.width - 16.0)) {
            out.text(&note, (8.0, middle + 4.3), font, muted, &rim);
        }
        for hint in OffscreenHint::of(row, scene.view) {
            let text = hint.text(scene.width);
            if hint.is_left() {
                out.text(&text, (7.0, middle + 4.0), hints, muted, "");
            } else {
                out.text(&text, (scene.width - 7.0, middle + 4.0), hints, muted, r#" text-anchor="end""#);
            }
        }
    }
}
