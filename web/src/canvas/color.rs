//! Colours as stored in a pixel buffer: red, green, blue and opacity, one byte each.

/// An opaque colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Color {
    /// Red channel, 0–255.
    pub red: u8,
    /// Green channel, 0–255.
    pub green: u8,
    /// Blue channel, 0–255.
    pub blue: u8,
}

impl Color {
    /// White.
    pub const WHITE: Color = Color::new(255, 255, 255);
    /// Nearly black: text on light bars.
    pub const INK: Color = Color::new(11, 16, 28);

    /// Creates a colour from its channels, 0–255 each.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }

    /// Parses `#rrggbb`, the form in which a canvas returns every opaque colour.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let value = u32::from_str_radix(digits, 16).ok()?;
        Some(Self::new((value >> 16) as u8, (value >> 8) as u8, value as u8))
    }

    /// Formats the colour as `#rrggbb`.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }

    /// The colour as an opaque pixel.
    pub const fn pixel(self) -> u32 {
        u32::from_le_bytes([self.red, self.green, self.blue, 255])
    }

    /// Returns this colour mixed with `share` (0–255) of `over`.
    #[must_use]
    pub fn mix(self, over: Color, share: u8) -> Color {
        let part = |a: u8, b: u8| {
            let a = u32::from(a);
            let b = u32::from(b);
            let share = u32::from(share);
            ((a * (255 - share) + b * share + 127) / 255) as u8
        };
        Color::new(part(self.red, over.red), part(self.green, over.green), part(self.blue, over.blue))
    }

    /// Contrast ratio of two colours as defined by WCAG, from 1 (equal) to 21.
    pub fn contrast(self, other: Color) -> f64 {
        let (a, b) = (self.luminance() + 0.05, other.luminance() + 0.05);
        a.max(b) / a.min(b)
    }

    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }
}

/// Returns a pixel mixed with `share` (0–255) of `over`.
#[inline]
pub fn blend(under: u32, over: Color, share: u32) -> u32 {
    let keep = 255 - share;
    // Two channels at a time; each sum stays below 2¹⁶.
    let red_blue = (under & 0x00ff_00ff) * keep + (u32::from(over.red) | u32::from(over.blue) << 16) * share;
    let green = (under >> 8 & 0xff) * keep + u32::from(over.green) * share;
    let shifted = |sum: u32| (sum + 0x0080_0080 + (sum >> 8 & 0x00ff_00ff)) >> 8 & 0x00ff_00ff;
    shifted(red_blue) | (shifted(green) & 0xff) << 8 | 0xff00_0000
}
