//! Paints a scene: rows, bars, marks, and highlights of the selection, the hovered item and the time range.

use queryscope::internal::view::{
    BarEdges, BarStyle, FADE, HATCH, LABEL_SIZE, LabelPlace, RADIUS, Rect, Scene, SceneMark, Transform,
    note_of,
};

use super::color::Color;
use super::pixels::Area;
use super::shapes;
use super::surface::Surface;
use super::text::Writer;
use super::theme::CanvasTheme;

/// A scene with its transform to the screen and its theme.
pub struct Layer<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Transform from the scene's pixels to the screen's.
    pub transform: Transform,
    /// The colours and fonts.
    pub theme: &'a CanvasTheme,
    /// Whether records after the loaded range were left out. Spans without an end may then have ended after the range.
    pub ends_behind: bool,
}

/// Highlighted items and positions.
#[derive(Clone, Default)]
pub struct Highlights {
    /// Id of the selected item.
    pub selection: Option<u32>,
    /// Ids of the items that the user gathered.
    pub picked: Vec<u32>,
    /// Id of an item with an additional outline: in the other compared execution, the counterpart of the item under the pointer or, without
    /// one, of the selected item.
    pub partner: Option<u32>,
    /// Left, right, top and bottom of the selection if it has no bar of its own, in CSS pixels.
    pub hidden: Option<(f64, f64, f64, f64)>,
    /// Id of the item under the pointer.
    pub hover: Option<u32>,
    /// Start and end of the time range, in CSS pixels.
    pub range: Option<(f64, f64)>,
    /// Positions of the ruler's ticks, in CSS pixels.
    pub ticks: Vec<f64>,
}

/// Paints everything but texts to the pixel buffer.
#[inline(never)]
pub fn paint_scene(surface: &mut Surface, layer: &Layer, highlights: &Highlights) {
    surface.pixels.clear(layer.theme.panel);
    layer.ground(surface, highlights);
    for rect in &layer.scene.rects {
        layer.rect(surface, rect);
    }
    for mark in &layer.scene.marks {
        layer.mark(surface, mark, None);
    }
    layer.stand_out(surface, highlights);
}

/// Writes the texts of a scene on top of its pixels.
#[inline(never)]
pub fn paint_labels(surface: &Surface, writer: &Writer, layer: &Layer) {
    let (context, theme) = (&surface.context, layer.theme);
    writer.style(context, &format!("{LABEL_SIZE}px {}", theme.ui), theme.text);
    let (mut color, mut notes) = (None, Vec::new());
    for rect in &layer.scene.rects {
        let Some(bar) = layer.on_screen(surface, rect) else { continue };
        if note_of(rect.style, layer.ends_behind).is_some() {
            notes.push((rect, bar));
        }
        let Some(text) = layer.scene.texts.get(rect.label as usize) else { continue };
        let Some(place) = bar.label_place(rect.style, surface.width) else { continue };
        let ink = theme.ink(rect.color, rect.style);
        if color.replace(ink) != Some(ink) {
            context.set_fill_style_str(&ink.css());
        }
        writer.write(context, text, place);
    }
    for (rect, bar) in notes {
        layer.note(surface, writer, rect, bar);
    }
    layer.row_notes(surface, writer);
}

impl Layer<'_> {
    /// Paints the background: headers, the selected row, the time range, the grid, lines between rows.
    #[inline(never)]
    fn ground(&self, surface: &mut Surface, highlights: &Highlights) {
        let (width, height) = (surface.width, surface.height);
        for row in self.scene.rows.iter().filter(|row| row.header) {
            let area = surface.area(0.0, self.transform.y(row.y), width, f64::from(row.height));
            surface.pixels.fill(area, self.theme.ground, 255);
        }
        if let Some(row) = self.selected_row(highlights) {
            let area = surface.area(0.0, self.transform.y(row.0), width, f64::from(row.1));
            surface.pixels.fill(area, self.theme.accent_soft, 150);
        }
        if let Some((from, to)) = highlights.range {
            let area = surface.area(from, 0.0, to - from, height);
            surface.pixels.fill(area, self.theme.accent_soft, 120);
        }
        for &x in &highlights.ticks {
            let area = surface.area(x.round(), 0.0, 1.0, height);
            surface.pixels.fill(area, self.theme.line_soft, 255);
        }
        // Lines separate groups; there are none between the rows of one query.
        for row in self.scene.rows.iter().filter(|row| row.depth <= 1) {
            let area = surface.area(0.0, self.transform.y(row.y).round() - 1.0, width, 1.0);
            surface.pixels.fill(area, self.theme.line_soft, 255);
        }
    }

    fn selected_row(&self, highlights: &Highlights) -> Option<(f32, f32)> {
        let id = highlights.selection?;
        let rect = self.scene.rects.iter().find(|rect| rect.id == id).map(|rect| rect.y + rect.height / 2.0);
        let y = rect.or_else(|| self.scene.marks.iter().find(|mark| mark.id == id).map(|mark| mark.y))?;
        let row = self.scene.rows.iter().find(|row| row.y <= y && y < row.y + row.height)?;
        Some((row.y, row.height))
    }

    fn on_screen(&self, surface: &Surface, rect: &Rect) -> Option<BarEdges> {
        let bar = BarEdges::of(rect, &self.transform);
        bar.is_on_screen(surface.width, surface.height).then_some(bar)
    }

    fn rect(&self, surface: &mut Surface, rect: &Rect) {
        let Some(bar) = self.on_screen(surface, rect) else { return };
        let area = surface.area(bar.left, bar.top, bar.right - bar.left, bar.bottom - bar.top);
        let color = self.theme.dimmed(self.theme.slot(rect.color).fill, rect.style);
        if rect.style.has(BarStyle::DENSITY) {
            // Between two pixels, the column would have half the strength in each.
            let area = area.whole();
            self.column(surface, rect, area, color);
            if rect.style.has(BarStyle::FAILED) {
                let top = Area { bottom: area.top + (area.bottom - area.top) / 3, ..area };
                surface.pixels.fill(top, self.theme.bad, 255);
            }
            return;
        }
        self.body(surface, rect, area, color);
        self.marks_of(surface, rect, area);
    }

    /// Paints a pixel column that represents many spans; its height shows the busy share.
    fn column(&self, surface: &mut Surface, rect: &Rect, area: Area, color: Color) {
        if rect.split <= 0.0 {
            return surface.pixels.fill(area, color, rect.alpha);
        }
        let top = area.bottom - rect.solid_rows(area.bottom - area.top);
        surface.pixels.fill(Area { bottom: top, ..area }, color, Rect::IDLE);
        surface.pixels.fill(Area { top, ..area }, color, 255);
    }

    /// Paints the bar itself, its darker part, and fading ends.
    #[inline(never)]
    fn body(&self, surface: &mut Surface, rect: &Rect, area: Area, color: Color) {
        let (density, radius) = (surface.density, RADIUS * surface.density);
        let fade = (FADE * density).min(area.width() / 2.0);
        let solid = Area {
            left: if rect.style.has(BarStyle::OPEN_START) { area.left + fade } else { area.left },
            right: if rect.style.has(BarStyle::OPEN_END) { area.right - fade } else { area.right },
            ..area
        };
        shapes::bar(&mut surface.pixels, solid, radius, color, 255);
        if rect.split > 0.0 {
            let until = area.left + area.width() * f64::from(rect.split.min(1.0));
            let dark = self.theme.dimmed(self.theme.slot(rect.color).dark, rect.style);
            shapes::bar_part(&mut surface.pixels, solid, radius, until, dark);
        }
        if solid.left > area.left {
            shapes::fade(&mut surface.pixels, Area { right: solid.left, ..area }, true, color);
        }
        if solid.right < area.right {
            shapes::fade(&mut surface.pixels, Area { left: solid.right, ..area }, false, color);
        }
    }

    /// Paints the flags of a bar (failed, inferred, over-fetch, match) as shapes, because colour alone is not enough.
    #[inline(never)]
    fn marks_of(&self, surface: &mut Surface, rect: &Rect, area: Area) {
        let density = surface.density;
        let radius = RADIUS * surface.density;
        let style = rect.style;
        let (pixels, theme) = (&mut surface.pixels, self.theme);
        let round = if area.width() >= radius * 2.0 + 2.0 { radius } else { 0.0 };
        if style.has(BarStyle::FAILED) {
            let end = Area { left: area.right - (HATCH * density).min(area.width() / 2.0), ..area };
            shapes::hatch(pixels, end, (6.0 * density) as i64, theme.bad_soft, theme.bad);
            shapes::outline(pixels, area, round, density.round().max(1.0) as i64, theme.bad, None);
        }
        if style.has(BarStyle::INFERRED) && area.width() > 8.0 * density {
            shapes::outline(
                pixels,
                area,
                round,
                density.round().max(1.0) as i64,
                theme.text,
                Some(3.0 * density),
            );
        }
        if style.has(BarStyle::UNMATCHED) {
            let thick = (2.0 * density).round() as i64;
            shapes::outline(pixels, area, round, thick, theme.text, Some(5.0 * density));
        }
        if style.has(BarStyle::OVER_FETCH) {
            let paint = theme.slot(rect.color);
            let wide = area.width() > 12.0 * density;
            let color = if wide { paint.ink } else { theme.warn };
            let x = area.left + if wide { 7.0 * density } else { area.width() / 2.0 };
            shapes::triangle(pixels, x, area.bottom - (3.0 * density) as i64, (8.0 * density) as i64, color);
        }
        if style.has(BarStyle::MATCH) {
            shapes::outline(
                pixels,
                area.grown(density as i64),
                radius,
                (1.5 * density).round() as i64,
                theme.text,
                None,
            );
        }
    }

    fn mark(&self, surface: &mut Surface, mark: &SceneMark, ring: Option<(f64, Color)>) {
        let density = surface.density;
        let (x, y) = (self.transform.x(mark.x), self.transform.y(mark.y));
        let (grow, color) = match ring {
            Some((grow, color)) => (grow, color),
            None if mark.style.has(BarStyle::FAILED) => (0.0, self.theme.bad),
            None => (0.0, self.theme.dimmed(self.theme.slot(mark.color).fill, mark.style)),
        };
        let radius = (f64::from(mark.radius) + grow) * density;
        if ring.is_none() && mark.style.has(BarStyle::MATCH) {
            self.mark(surface, mark, Some((2.0, self.theme.text)));
        }
        let shape = if mark.diamond { shapes::diamond } else { shapes::dot };
        shape(&mut surface.pixels, x * density, y * density, radius, color, 255);
    }

    /// Paints the selection's outline, the hovered item, and the edges of the time range.
    #[inline(never)]
    fn stand_out(&self, surface: &mut Surface, highlights: &Highlights) {
        let density = surface.density;
        for rect in &self.scene.rects {
            let (selected, hovered) =
                (highlights.selection == Some(rect.id), highlights.hover == Some(rect.id));
            let is_partner = highlights.partner == Some(rect.id) || highlights.picked.contains(&rect.id);
            let Some(bar) =
                (selected || hovered || is_partner).then(|| self.on_screen(surface, rect)).flatten()
            else {
                continue;
            };
            let area = surface.area(bar.left, bar.top, bar.right - bar.left, bar.bottom - bar.top);
            if hovered {
                shapes::bar(&mut surface.pixels, area, RADIUS * density, self.theme.panel, 56);
            }
            if selected || is_partner {
                self.outline(surface, area);
            }
        }
        if let Some((left, right, top, bottom)) = highlights.hidden {
            let area = surface.area(left, top, right - left, bottom - top);
            self.outline(surface, area);
        }
        for mark in &self.scene.marks {
            if highlights.selection == Some(mark.id) || highlights.hover == Some(mark.id) {
                let ring =
                    if highlights.selection == Some(mark.id) { self.theme.accent } else { self.theme.muted };
                self.mark(surface, mark, Some((3.0, ring)));
                self.mark(surface, mark, Some((1.0, self.theme.panel)));
                self.mark(surface, mark, None);
            }
        }
        if let Some((from, to)) = highlights.range {
            for x in [from, to] {
                let area = surface.area(x.round() - 1.0, 0.0, 1.0, surface.height);
                surface.pixels.fill(area, self.theme.accent, 200);
            }
        }
    }

    /// Paints the selection's outline, with a gap in the panel's colour so that it differs from a bar of the same colour.
    fn outline(&self, surface: &mut Surface, area: Area) {
        let (gap, thick) = (surface.density.round() as i64, (2.0 * surface.density).round() as i64);
        for (grown, thick, color) in [(gap, gap, self.theme.panel), (gap + thick, thick, self.theme.accent)] {
            let radius = RADIUS * surface.density + grown as f64;
            shapes::outline(&mut surface.pixels, area.grown(grown), radius, thick, color, None);
        }
    }

    /// Writes the note of a bar after the bar if there is room on the screen, otherwise inside the bar.
    fn note(&self, surface: &Surface, writer: &Writer, rect: &Rect, bar: BarEdges) {
        let Some((text, failed)) = note_of(rect.style, self.ends_behind) else { return };
        let (context, theme) = (&surface.context, self.theme);
        let (weight, color) = if failed { ("600", theme.bad) } else { ("italic", theme.muted) };
        writer.style(context, &format!("{weight} {LABEL_SIZE}px {}", theme.ui), color);
        let label = self.scene.texts.get(rect.label as usize);
        let label = label.map_or(0.0, |label| writer.width(context, label) + 12.0);
        let room = f64::from(rect.room) * self.transform.scale;
        let widths = [writer.width(context, text), label];
        let Some((place, inside)) = bar.note_place(rect.style, surface.width, room, widths) else { return };
        if inside {
            context.set_fill_style_str(&theme.ink(rect.color, rect.style).css());
        }
        writer.write(context, text, place);
    }

    #[inline(never)]
    fn row_notes(&self, surface: &Surface, writer: &Writer) {
        writer.style(&surface.context, &format!("12px {}", self.theme.ui), self.theme.muted);
        for row in &self.scene.rows {
            if let Some(text) = self.scene.texts.get(row.note as usize) {
                let y = self.transform.y(row.y) + f64::from(row.height) / 2.0 + 4.3;
                let place = LabelPlace { x: 8.0, y, width: surface.width - 16.0 };
                // The row may also contain a strip of numbers.
                writer.write_over(&surface.context, text, place, self.theme.panel);
            }
        }
    }
}
