//! What things look like: the style sheet's own colours, so that a bar, its legend and its chart agree.

use queryscope::protocol::slot;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlElement};

use super::color::Color;
use crate::host::page;

/// The least contrast of a label on its bar (WCAG AA).
pub const LABEL_CONTRAST: f64 = 4.5;

/// How much of the panel's colour is in what is not to stand out (0–255).
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
    /// The fonts, as CSS names them.
    pub ui: String,
    slots: Vec<Paint>,
}

/// How a colour slot is painted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Paint {
    /// The bar.
    pub fill: Color,
    /// The darker part of a split bar.
    pub dark: Color,
    /// Text on it.
    pub ink: Color,
}

impl Paint {
    /// Text is white or nearly black, whichever can be read; the bar gives way a little where neither can.
    pub fn new(fill: Color, dark: Color) -> Self {
        // White looks calmer on a strong colour: it is preferred where a slightly darker bar can carry it.
        let ink = if fill.contrast(Color::WHITE) >= 3.3 { Color::WHITE } else { Color::INK };
        Self { fill: legible(fill, ink), dark: legible(dark, ink), ink }
    }
}

/// The colour nearest to `fill` on which `ink` can be read.
fn legible(mut fill: Color, ink: Color) -> Color {
    let away = if ink == Color::WHITE { Color::new(0, 0, 0) } else { Color::WHITE };
    while fill.contrast(ink) < LABEL_CONTRAST {
        fill = fill.mix(away, 6);
    }
    fill
}

/// The slots before those for names, by their names in the style sheet, in the order of their codes.
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
    /// Reads the style of an element as it is now: light, dark, or the system's forced colours. `None` while the element
    /// is in no document, where it has none.
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

    /// With pale colours for all slots but these, of which the bars stand out; as it is for none.
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

    /// How a slot is painted; slots that do not exist look like "other".
    pub fn slot(&self, number: u16) -> Paint {
        let other = || self.slots.get(5).copied().unwrap_or_default();
        self.slots.get(usize::from(number)).copied().unwrap_or_else(other)
    }
}

/// A style sheet as one element has it.
pub struct Sheet {
    /// A colour of the sheet is a pair, of which one applies: it is this element's colour for as long as it is asked for.
    probe: HtmlElement,
    style: CssStyleDeclaration,
    context: CanvasRenderingContext2d,
}

impl Sheet {
    /// The style of an element as it is now; `None` while it is in no document.
    pub fn of(element: &Element) -> Option<Self> {
        let context: CanvasRenderingContext2d = page::canvas()?.get_context("2d").ok()??.dyn_into().ok()?;
        let probe: HtmlElement = page::element("i").filter(|_| element.is_connected())?.dyn_into().ok()?;
        element.append_child(&probe).ok()?;
        let style = page::style_of(&probe)?;
        probe.style().set_property("forced-color-adjust", "none").ok()?;
        Some(Self { probe, style, context })
    }

    /// A font, as CSS names it.
    pub fn font(&self, name: &str) -> String {
        self.style.get_property_value(&format!("--{name}")).unwrap_or_default().trim().to_owned()
    }

    /// A colour by its name in the sheet. A canvas knows every way of writing a colour (the system's names too), and gives it back in one.
    pub fn color(&self, name: &str) -> Color {
        // A name that the sheet does not have leaves the colour of the text.
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
