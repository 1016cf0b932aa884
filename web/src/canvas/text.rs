//! Texts on a canvas: in one line, never wider than their place.

use std::cell::RefCell;
use std::collections::HashMap;

use web_sys::CanvasRenderingContext2d;

use super::color::Color;

/// How many widths are remembered.
const REMEMBERED: usize = 20_000;
/// No bar shows more letters than this.
const LONGEST: usize = 400;

/// Pixels of a rim around letters, on both sides of their outline together.
const RIM: f64 = 5.0;

/// Writes texts and remembers how wide they are.
#[derive(Default)]
pub struct Writer {
    font: RefCell<String>,
    /// By font, then by text.
    widths: RefCell<HashMap<String, HashMap<String, f64>>>,
}

/// A place for a text.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct LabelPlace {
    pub x: f64,
    /// The line that the letters stand on.
    pub y: f64,
    pub width: f64,
}

impl Writer {
    /// From here on in this font (CSS) and colour.
    pub fn style(&self, context: &CanvasRenderingContext2d, font: &str, color: Color) {
        font.clone_into(&mut self.font.borrow_mut());
        context.set_font(font);
        context.set_fill_style_str(&color.css());
    }

    /// Writes as much of `text` as fits, with an ellipsis where it is cut.
    pub fn write(&self, context: &CanvasRenderingContext2d, text: &str, place: LabelPlace) {
        let Some(text) = self.fitting(context, text, place.width) else { return };
        // Only a canvas that is gone refuses.
        let _ = context.fill_text(&text, place.x, place.y);
    }

    /// The same on whatever is there: with a rim in the colour of the ground.
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
        // Only a canvas that is gone refuses.
        let _ = context
            .stroke_text(&text, place.x, place.y)
            .and_then(|()| context.fill_text(&text, place.x, place.y));
    }

    /// Writes the end of `text`, as much of it as fits, against the right edge of its place: of ids, the last letters
    /// tell one from another. Returns the width of what was written.
    pub fn write_end(&self, context: &CanvasRenderingContext2d, text: &str, place: LabelPlace) -> f64 {
        let starts = text.char_indices().map(|(at, _)| at).skip(text.chars().count().saturating_sub(LONGEST));
        for at in starts {
            let end = if at == 0 { text.to_owned() } else { format!("…{}", &text[at..]) };
            let width = self.width(context, &end);
            if width <= place.width {
                // Only a canvas that is gone refuses.
                let _ = context.fill_text(&end, place.x + place.width - width, place.y);
                return width;
            }
        }
        0.0
    }

    /// How wide `text` is.
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

    /// The longest beginning of `text` that fits, with an ellipsis if that is not all; `None` if hardly a letter does.
    fn fitting(&self, context: &CanvasRenderingContext2d, text: &str, width: f64) -> Option<String> {
        let cut = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
        let text = &text[..cut];
        let whole = self.width(context, text);
        if whole <= width {
            return Some(text.to_owned());
        }
        let letters: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        // Begin where even spacing would cut; a few steps lead to where the letters really do.
        let mut count = (letters.len() as f64 * width / whole) as usize;
        // One or two letters tell nothing.
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
