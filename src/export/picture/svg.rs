//! Elements of an SVG document as text. Attributes hold numbers and colours only; names of the trace are character data.

use std::fmt::Write;

use super::text_width::TextFont;
use crate::base::text;
use crate::view::Color;

/// A part of an SVG document.
#[derive(Default)]
pub(super) struct SvgText(pub String);

/// Formats a length with at most two decimals, without trailing zeros.
pub(super) fn number(value: f64) -> String {
    let hundredths = (value * 100.0).round();
    // A length that is not finite, or of an image beyond all limits, is drawn nowhere.
    let hundredths = if hundredths.abs() < 1e12 { hundredths as i64 } else { 0 };
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (hundredths.abs() / 100, hundredths.abs() % 100);
    match (rest, rest % 10) {
        (0, _) => format!("{sign}{whole}"),
        (_, 0) => format!("{sign}{whole}.{}", rest / 10),
        _ => format!("{sign}{whole}.{rest:02}"),
    }
}

/// Character data of a text: markup is escaped, and characters that XML forbids or viewers cannot show are replaced.
pub(in crate::export) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match text::in_line(c) {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

impl SvgText {
    /// Adds markup that holds no text of the trace.
    pub fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// Adds a filled rectangle; `more` are further attributes.
    pub fn rect(&mut self, [x, y, width, height]: [f64; 4], color: Color, more: &str) {
        if width > 0.0 && height > 0.0 {
            let [x, y, width, height] = [x, y, width, height].map(number);
            let color = color.css();
            // Writing to a string cannot fail.
            let _ = writeln!(
                self.0,
                r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{color}"{more}/>"#
            );
        }
    }

    /// Adds a path; `style` are its attributes.
    pub fn path(&mut self, d: &str, style: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, r#"<path d="{d}" {style}/>"#);
    }

    /// Adds a text whose baseline begins at (`x`, `y`); `more` are further attributes.
    pub fn text(&mut self, text: &str, (x, y): (f64, f64), font: TextFont, color: Color, more: &str) {
        let [x, y, size] = [x, y, font.size].map(number);
        let weight = if font.bold { r#" font-weight="600""# } else { "" };
        let (color, text) = (color.css(), escaped(text));
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.0,
            r#"<text x="{x}" y="{y}" font-size="{size}"{weight} fill="{color}"{more}>{text}</text>"#
        );
    }

    /// Begins a clipped part with its own origin, until [`Self::end_part`].
    pub fn begin_part(&mut self, [x, y, width, height]: [f64; 4]) {
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(number);
        // Writing to a string cannot fail.
        let _ =
            writeln!(self.0, r#"<svg x="{x}" y="{y}" width="{width}" height="{height}" overflow="hidden">"#);
    }

    pub fn end_part(&mut self) {
        self.0.push_str("</svg>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (1.5, "1.5"),
            (-0.25, "-0.25"),
            (10.039, "10.04"),
            (0.001, "0"),
            (-0.001, "0"),
            (3.05, "3.05"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn markup_is_text() {
        for (text, expected) in [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("]]> & \"q\" 'a'", "]]&gt; &amp; &quot;q&quot; 'a'"),
            ("a\u{0}b\u{8}\u{202e}\u{ffff}", "a␀b␈\u{fffd}\u{fffd}"),
            ("日本 → é", "日本 → é"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }
}
