//! Colours of a whole scene by their names in the style sheet of the page, so that a canvas, an image and a legend agree.

use super::color::{Color, Paint};
use super::scene::BarStyle;
use crate::protocol::slot;

/// Share of the panel's colour in bars that are not highlighted (0–255).
const PALE: u8 = 185;
/// Share of the panel's colour in idle bars (0–255).
const IDLE: u8 = 120;

/// Names of the slots that precede the category slots, in the order of their codes.
pub const SLOT_NAMES: [&str; slot::CATEGORY as usize] = [
    "request",
    "query",
    "source",
    "execution",
    "buffer",
    "other",
    "failed",
    "unfinished",
    "ok",
    "none",
    "other",
    "other",
    "other",
    "other",
    "transaction",
    "statement",
];

/// The colours of a scene.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)]
pub struct SceneTheme {
    pub panel: Color,
    pub ground: Color,
    pub line: Color,
    pub line_soft: Color,
    pub text: Color,
    pub muted: Color,
    pub accent: Color,
    pub accent_soft: Color,
    pub bad: Color,
    pub bad_soft: Color,
    pub warn: Color,
    slots: Vec<Paint>,
}

impl SceneTheme {
    /// Builds the theme from `color`, which returns the colour of a name such as `panel` or `category-3`.
    pub fn of(color: impl Fn(&str) -> Color) -> Self {
        SceneTheme {
            panel: color("panel"),
            ground: color("bg"),
            line: color("line"),
            line_soft: color("line-soft"),
            text: color("text"),
            muted: color("muted"),
            accent: color("accent"),
            accent_soft: color("accent-soft"),
            bad: color("failed"),
            bad_soft: color("bad-soft"),
            warn: color("warn"),
            slots: (0..slot::END).map(|number| paint(number, &color)).collect(),
        }
    }

    /// The light or dark theme with the built-in colours (`TOKENS`), for images that have no style sheet.
    pub fn fixed(dark: bool) -> Self {
        Self::of(|name| {
            let found = TOKENS.iter().find(|(token, ..)| *token == name);
            found.map_or(Color::INK, |&(_, light, deep)| Color::of_bits(if dark { deep } else { light }))
        })
    }

    /// Returns the theme with pale colours for all slots except these; unchanged if `slots` is empty.
    #[must_use]
    pub fn only(mut self, slots: &[u16]) -> Self {
        let (panel, ink) = (self.panel, self.muted);
        let others =
            (0..).zip(&mut self.slots).filter(|(slot, _)| !slots.is_empty() && !slots.contains(slot));
        for (_, paint) in others {
            let pale = |color: Color| color.mix(panel, PALE);
            *paint = Paint { fill: pale(paint.fill), dark: pale(paint.dark), ink };
        }
        self
    }

    /// The colours of a slot; slots that do not exist have the colours of "other".
    pub fn slot(&self, number: u16) -> Paint {
        let other = || self.slots.get(5).copied().unwrap_or_default();
        self.slots.get(usize::from(number)).copied().unwrap_or_else(other)
    }

    /// Colour of a bar or mark of this style: paler if it is idle or does not match the search.
    pub fn dimmed(&self, color: Color, style: BarStyle) -> Color {
        let color = if style.has(BarStyle::IDLE) { color.mix(self.panel, IDLE) } else { color };
        if style.has(BarStyle::DIM) { color.mix(self.panel, PALE) } else { color }
    }

    /// Colour of the label on a bar of this slot and style.
    pub fn ink(&self, slot: u16, style: BarStyle) -> Color {
        if style.has(BarStyle::DIM) { self.muted } else { self.slot(slot).ink }
    }
}

fn paint(number: u16, color: &impl Fn(&str) -> Color) -> Paint {
    let name = SLOT_NAMES.get(usize::from(number));
    let fill = match name {
        Some(name) => color(name),
        None if number >= slot::LESS => color(&format!("less-{}", number - slot::LESS)),
        None if number >= slot::MORE => color(&format!("more-{}", number - slot::MORE)),
        None => color(&format!("category-{}", number - slot::CATEGORY)),
    };
    let dark = if name == Some(&"execution") { color("reading") } else { fill.mix(Color::new(0, 0, 0), 50) };
    Paint::new(fill, dark)
}

/// Names of the colours with their light and their dark value, as in the page's `tokens.css`.
pub const TOKENS: [(&str, u32, u32); 41] = [
    ("panel", 0xffffff, 0x151a23),
    ("bg", 0xfbfbfd, 0x0f131a),
    ("line", 0xe4e7ee, 0x262d3a),
    ("line-soft", 0xeef0f5, 0x1d2430),
    ("text", 0x1b2230, 0xe6eaf2),
    ("muted", 0x5d687b, 0x98a3b6),
    ("accent", 0x2f6fed, 0x7aa5ff),
    ("accent-soft", 0xe8f0fe, 0x1c2a4a),
    ("failed", 0xc8283f, 0xff7b8a),
    ("bad-soft", 0xfdecee, 0x3a1b22),
    ("warn", 0x8f5200, 0xf0b25a),
    ("reading", 0xb96a0c, 0xc77b1f),
    ("request", 0x8a94a8, 0x6f7b92),
    ("query", 0x3f74e0, 0x6c9bff),
    ("source", 0x17968a, 0x3cc0b0),
    ("execution", 0xe38b1d, 0xf0a340),
    ("buffer", 0x8b5bd0, 0xb18cf0),
    ("other", 0x7c8798, 0x8a95a8),
    ("unfinished", 0xb7791f, 0xe2ad55),
    ("ok", 0x2f8f5b, 0x5fc48d),
    ("none", 0xa9b1c0, 0x566174),
    ("transaction", 0x8b5bd0, 0xb18cf0),
    ("statement", 0x7fa6f2, 0x4467ad),
    ("category-0", 0x3f74e0, 0x6c9bff),
    ("category-1", 0x17968a, 0x3cc0b0),
    ("category-2", 0xd9791a, 0xf0a340),
    ("category-3", 0x8b5bd0, 0xb18cf0),
    ("category-4", 0xc9488b, 0xef86bb),
    ("category-5", 0x4d9639, 0x85c973),
    ("category-6", 0x9c6b3f, 0xcfa077),
    ("category-7", 0x1b8bb9, 0x5dc0ea),
    ("category-8", 0x5a5fd6, 0x9a9eff),
    ("category-9", 0x84861c, 0xc8c75c),
    ("category-10", 0xad4cc0, 0xdc8eea),
    ("category-11", 0x5c7791, 0x9db4cb),
    ("more-0", 0xf3b9a7, 0x6e3a33),
    ("more-1", 0xe27a61, 0xb0493a),
    ("more-2", 0xb8321f, 0xf2806c),
    ("less-0", 0xb9d2f6, 0x2b4570),
    ("less-1", 0x74a3ea, 0x3f6fbb),
    ("less-2", 0x2a58b8, 0x82aefc),
];
