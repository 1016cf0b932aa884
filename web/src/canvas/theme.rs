//! Colours and fonts of the canvases, read from the style sheet, so that a bar, its legend and its chart have equal colours.

use queryscope::protocol::slot;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlElement};

use super::color::Color;
use crate::host::page;

/// Minimum contrast of a label on its bar (WCAG AA).
pub const LABEL_CONTRAST: f64 = 4.5;

/// Share of the panel's colour in bars that are not highlighted (0–255).
pub const PALE: u8 = 185;

/// The colours and fonts of the canvases.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)]
pub struct CanvasTheme {
    pub panel: Color,
    pub ground: Color,
    pub line: Color,
    pub line_soft: Color,
    pub text: Color,
    pub muted: Color,
    pub faint: Color,
    pub accent: Color,
    pub accent_soft: Color,
    pub bad: Color,
    pub bad_soft: Color,
    pub warn: Color,
    /// Font of all texts, in CSS syntax.
    pub ui: String,
    slots: Vec<Paint>,
}

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

/// Names that the style sheet gives to the colours below `slot::CATEGORY`, in the order of their slots.
pub const NAMED: [&str; slot::CATEGORY as usize] = [
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

impl CanvasTheme {
    /// Reads the current style of an element: light, dark, or the system's forced colours. `None` if the element is not in a
    /// document, where it has no style.
    pub fn read(element: &Element) -> Option<CanvasTheme> {
        let sheet = Sheet::of(element)?;
        let slots = (0..slot::CATEGORY + slot::CATEGORIES).map(|number| sheet.paint(number)).collect();
        Some(CanvasTheme {
            panel: sheet.color("panel"),
            ground: sheet.color("bg"),
            line: sheet.color("line"),
            line_soft: sheet.color("line-soft"),
            text: sheet.color("text"),
            muted: sheet.color("muted"),
            faint: sheet.color("faint"),
            accent: sheet.color("accent"),
            accent_soft: sheet.color("accent-soft"),
            bad: sheet.color("failed"),
            bad_soft: sheet.color("bad-soft"),
            warn: sheet.color("warn"),
            ui: sheet.font("ui"),
            slots,
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
}

/// The style sheet as it applies to one element.
pub struct Sheet {
    /// Hidden element that resolves a colour of the sheet, which is a pair of a light and a dark value.
    probe: HtmlElement,
    style: CssStyleDeclaration,
    context: CanvasRenderingContext2d,
}

impl Sheet {
    /// Reads the current style of an element; `None` if it is not in a document.
    pub fn of(element: &Element) -> Option<Self> {
        let context: CanvasRenderingContext2d = page::canvas()?.get_context("2d").ok()??.dyn_into().ok()?;
        let probe: HtmlElement = page::element("i").filter(|_| element.is_connected())?.dyn_into().ok()?;
        element.append_child(&probe).ok()?;
        let style = page::style_of(&probe)?;
        probe.style().set_property("forced-color-adjust", "none").ok()?;
        Some(Self { probe, style, context })
    }

    /// The value of a font variable of the sheet.
    pub fn font(&self, name: &str) -> String {
        self.style.get_property_value(&format!("--{name}")).unwrap_or_default().trim().to_owned()
    }

    /// The value of a colour variable. Setting it on a canvas normalises every notation, including the system's colour names.
    pub fn color(&self, name: &str) -> Color {
        // A name that the sheet does not have leaves the text colour unchanged.
        let _ = self.probe.style().set_property("color", &format!("var(--{name})"));
        self.context.set_fill_style_str("#808080");
        self.context.set_fill_style_str(&self.style.get_property_value("color").unwrap_or_default());
        self.context.fill_style().as_string().and_then(|text| Color::parse(&text)).unwrap_or_default()
    }

    fn paint(&self, number: u16) -> Paint {
        let name = match NAMED.get(usize::from(number)) {
            Some(name) => (*name).to_owned(),
            None => format!("category-{}", number - slot::CATEGORY),
        };
        let fill = self.color(&name);
        let dark =
            if name == "execution" { self.color("reading") } else { fill.mix(Color::new(0, 0, 0), 50) };
        Paint::new(fill, dark)
    }
}

impl Drop for Sheet {
    fn drop(&mut self) {
        self.probe.remove();
    }
}
