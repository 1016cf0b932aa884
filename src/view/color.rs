//! Colours, their contrast, and the colours of a bar with a legible label.

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

    /// The colour `0xrrggbb`.
    pub const fn of_bits(bits: u32) -> Self {
        Self::new((bits >> 16) as u8, (bits >> 8) as u8, bits as u8)
    }

    /// Parses `#rrggbb`, the form in which a canvas returns every opaque colour; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        Some(Self::of_bits(u32::from_str_radix(digits, 16).ok()?))
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

/// Minimum contrast of a label on its bar (WCAG AA).
pub const LABEL_CONTRAST: f64 = 4.5;

/// The colours of a colour slot.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Paint {
    /// Colour of the bar.
    pub fill: Color,
    /// Colour of the darker part of a split bar.
    pub dark: Color,
    /// Colour of text on the bar.
    pub ink: Color,
}

impl Paint {
    /// Chooses white or nearly black text, and adjusts the bar's colours if neither has enough contrast.
    pub fn new(fill: Color, dark: Color) -> Self {
        // White looks calmer on a strong colour, so it is preferred if darkening the bar slightly gives enough contrast.
        let ink = if fill.contrast(Color::WHITE) >= 3.3 { Color::WHITE } else { Color::INK };
        Self { fill: legible(fill, ink), dark: legible(dark, ink), ink }
    }
}

/// The colour nearest to `fill` on which `ink` is legible.
fn legible(mut fill: Color, ink: Color) -> Color {
    let away = if ink == Color::WHITE { Color::new(0, 0, 0) } else { Color::WHITE };
    while fill.contrast(ink) < LABEL_CONTRAST {
        fill = fill.mix(away, 6);
    }
    fill
}
