//! Colours and fonts of the canvases, read from the style sheet, so that a bar, its legend and its chart have equal colours.

use std::ops::Deref;

use queryscope::internal::view::SceneTheme;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlElement};

use super::color::Color;
use crate::host::page;

/// The colours and fonts of the canvases.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CanvasTheme {
    colors: SceneTheme,
    /// Font of all texts, in CSS syntax.
    pub ui: String,
}

impl Deref for CanvasTheme {
    type Target = SceneTheme;

    fn deref(&self) -> &SceneTheme {
        &self.colors
    }
}

impl CanvasTheme {
    /// Reads the current style of an element: light, dark, or the system's forced colours. `None` if the element is not in a
    /// document, where it has no style.
    pub fn read(element: &Element) -> Option<CanvasTheme> {
        let sheet = Sheet::of(element)?;
        Some(Self { colors: SceneTheme::of(|name| sheet.color(name)), ui: sheet.font("ui") })
    }

    /// Returns the theme with pale colours for all slots except these; unchanged if `slots` is empty.
    #[must_use]
    pub fn only(self, slots: &[u16]) -> Self {
        Self { colors: self.colors.only(slots), ..self }
    }
}

/// Reads values of the style sheet's variables, as they apply to one element.
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
}

impl Drop for Sheet {
    fn drop(&mut self) {
        self.probe.remove();
    }
}
