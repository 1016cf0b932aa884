//! Single-line texts on a canvas, shortened to fit their place.

use std::cell::RefCell;
use std::collections::HashMap;

use queryscope::internal::view::LabelPlace;
use web_sys::CanvasRenderingContext2d;

use super::color::Color;

/// Maximum number of text widths that are remembered.
const REMEMBERED: usize = 20_000;
/// Maximum number of characters that a bar shows.
const LONGEST: usize = 400;

/// Stroke width in pixels of the rim around letters; half of the stroke is outside of their outline.
const RIM: f64 = 5.0;

/// Writes texts and remembers their widths.
#[derive(Default)]
pub struct Writer {
    font: RefCell<String>,
    /// Width in CSS pixels, by font and by text.
    widths: RefCell<HashMap<String, HashMap<String, f64>>>,
}

impl Writer {
    /// Sets the font (CSS) and colour of the following texts.
    pub fn style(&self, context: &CanvasRenderingContext2d, font: &str, color: Color) {
        font.clone_into(&mut self.font.borrow_mut());
        context.set_font(font);
        context.set_fill_style_str(&color.css());
    }

    /// Writes as much of `text` as fits, with an ellipsis if it is cut.
    pub fn write(&self, context: &CanvasRenderingContext2d, text: &str, place: LabelPlace) {
        let Some(text) = self.fitting(context, text, place.width) else { return };
        // This fails only for a canvas that no longer exists.
        let _ = context.fill_text(&text, place.x, place.y);
    }

    /// Writes `text` like [`Self::write`], with a rim in the background colour to be legible on any background.
    pub fn write_over(
        &self,
        context: &CanvasRenderingContext2d,
        text: &str,
        place: LabelPlace,
        ground: Color,
    ) {
        let Some(text) = self.fitting(context, text, place.width) else { return };
        context.set_stroke_style_str(&ground.css());
        context.set_line_width(RIM);
        context.set_line_join("round");
        // This fails only for a canvas that no longer exists.
        let _ = context
            .stroke_text(&text, place.x, place.y)
            .and_then(|()| context.fill_text(&text, place.x, place.y));
    }

    /// Writes as much of the end of `text` as fits, aligned to the right edge of its place, because ids differ in their last
    /// letters. Returns the width of the written text.
    pub fn write_end(&self, context: &CanvasRenderingContext2d, text: &str, place: LabelPlace) -> f64 {
        let starts = text.char_indices().map(|(at, _)| at).skip(text.chars().count().saturating_sub(LONGEST));
        for at in starts {
            let end = if at == 0 { text.to_owned() } else { format!("…{}", &text[at..]) };
            let width = self.width(context, &end);
            if width <= place.width {
                // This fails only for a canvas that no longer exists.
                let _ = context.fill_text(&end, place.x + place.width - width, place.y);
                return width;
            }
        }
        0.0
    }

    /// Width of `text` in CSS pixels.
    pub fn width(&self, context: &CanvasRenderingContext2d, text: &str) -> f64 {
        let font = self.font.borrow();
        let mut fonts = self.widths.borrow_mut();
        let widths = fonts.entry(font.clone()).or_default();
        if let Some(width) = widths.get(text) {
            return *width;
        }
        if widths.len() >= REMEMBERED {
            widths.clear();
        }
        let width = context.measure_text(text).map_or(0.0, |metrics| metrics.width());
        widths.insert(text.to_owned(), width);
        width
    }

    /// The longest beginning of `text` that fits, with an ellipsis if it is cut; `None` if fewer than three letters fit.
    fn fitting(&self, context: &CanvasRenderingContext2d, text: &str, width: f64) -> Option<String> {
        let cut = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
        let text = &text[..cut];
        let whole = self.width(context, text);
        if whole <= width {
            return Some(text.to_owned());
        }
        let letters: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        // Starts where even spacing would cut; a few steps lead to the exact place.
        let mut count = (letters.len() as f64 * width / whole) as usize;
        // One or two letters are of no use to the reader.
        while count > 2 {
            let part = format!("{}…", text[..letters[count.min(letters.len() - 1)]].trim_end());
            let part_width = context.measure_text(&part).map_or(0.0, |metrics| metrics.width());
            if part_width <= width {
                return Some(part);
            }
            count -= 1;
        }
        None
    }
}
