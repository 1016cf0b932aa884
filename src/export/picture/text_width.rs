//! Estimates widths of texts by those of the widest common screen font, so that a text fits with other fonts, too.

/// Advance widths of the characters from U+0020 to U+007E in DejaVu Sans, in hundredths of the font size, rounded up.
#[rustfmt::skip]
const ASCII: [u8; 95] = [
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54,
    100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50,
    50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
];
/// Width of bold text compared with regular text.
const BOLD: f64 = 1.15;
/// A shortened text has more characters than this; fewer are of no use to the reader.
const MIN_CHARS: usize = 2;

/// Size and weight of a text.
#[derive(Clone, Copy)]
pub(super) struct TextFont {
    /// Font size, in CSS pixels.
    pub size: f64,
    pub bold: bool,
}

impl TextFont {
    pub const fn regular(size: f64) -> Self {
        Self { size, bold: false }
    }

    pub const fn bold(size: f64) -> Self {
        Self { size, bold: true }
    }

    /// Width of a text, in CSS pixels; an upper limit for common fonts.
    pub fn width(self, text: &str) -> f64 {
        text.chars().map(|c| self.char_width(c)).sum()
    }

    fn char_width(self, c: char) -> f64 {
        let hundredths = match u32::from(c) {
            code @ 0x20..=0x7e => f64::from(ASCII[code as usize - 0x20]),
            0x300..=0x36f | 0x200b..=0x200f => 0.0,
            0xb7 | 0x2009 | 0x2039 | 0x203a => 40.0,
            0..=0x24f => 68.0,
            0x250..=0x1fff => 85.0,
            0x2000..=0x2e7f => 100.0,
            _ => 105.0,
        };
        hundredths / 100.0 * self.size * if self.bold { BOLD } else { 1.0 }
    }

    /// The longest beginning of `text` that fits, with an ellipsis if it is cut; `None` if fewer than three characters fit.
    pub fn fitting(self, text: &str, width: f64) -> Option<String> {
        let (end, count) = self.prefix(text.chars(), width);
        if end == text.len() {
            return Some(text.to_owned());
        }
        (count > MIN_CHARS).then(|| format!("{}…", text[..end].trim_end()))
    }

    /// The longest end of `text` that fits, with an ellipsis if it is cut, because ids differ in their last letters. Empty if
    /// fewer than three characters fit.
    pub fn fitting_end(self, text: &str, width: f64) -> String {
        let (end, count) = self.prefix(text.chars().rev(), width);
        match text.len() - end {
            0 => text.to_owned(),
            start if count > MIN_CHARS => format!("…{}", text[start..].trim_start()),
            _ => String::new(),
        }
    }

    /// Bytes and number of the first characters that fit into `width`: all, or as many as fit with an ellipsis.
    fn prefix(self, chars: impl Iterator<Item = char>, width: f64) -> (usize, usize) {
        let ellipsis = self.char_width('…');
        let mut used = 0.0;
        let mut bytes = 0;
        let mut fitting = (0, 0);
        for (count, c) in (1..).zip(chars) {
            used += self.char_width(c);
            bytes += c.len_utf8();
            if used > width {
                return fitting;
            }
            if used + ellipsis <= width {
                fitting = (bytes, count);
            }
        }
        (bytes, MIN_CHARS + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shortened_to_their_room() {
        let font = TextFont::regular(10.0);
        for (text, width, start, end) in [
            ("SELECT", 100.0, Some("SELECT"), "SELECT"),
            ("SELECT a FROM t", 60.0, Some("SELECT a…"), "…a FROM t"),
            ("SELECT", 12.0, None, ""),
            ("日本語日本語", 52.0, Some("日本語日…"), "…語日本語"),
            ("", 0.0, Some(""), ""),
        ] {
            let shortened = font.fitting(text, width);
            assert_eq!(shortened.as_deref(), start, "{text} {width}");
            assert_eq!(font.fitting_end(text, width), end, "{text} {width}");
            assert!(shortened.is_none_or(|text| font.width(&text) <= width));
        }
    }
}
