//! The colours and the font of the charts, from the style sheets.

use queryscope::chart::{Look, Rgb};
use web_sys::{CssStyleDeclaration, HtmlElement};
use yew::prelude::*;

use crate::events::Listener;
use crate::host::page;

/// Colours by their names, inside `element` now.
pub fn colors(element: &HtmlElement, names: &[&str]) -> Option<Vec<Rgb>> {
    let style = page::style_of(element)?;
    Some(names.iter().map(|name| rgb(&value(&style, &format!("--{name}")))).collect())
}

/// How a chart looks inside `element` now.
pub fn look(element: &HtmlElement, series: &[&str], scale: f64) -> Option<Look> {
    let style = page::style_of(element)?;
    let color = |name: &str| rgb(&value(&style, &format!("--{name}")));
    Some(Look {
        text: color("muted"),
        grid: color("line"),
        mark: color("text"),
        series: series.iter().map(|name| color(name)).collect(),
        font: value(&style, "font-family"),
        scale,
    })
}

fn value(style: &CssStyleDeclaration, name: &str) -> String {
    // A property that does not exist is an empty text.
    style.get_property_value(name).unwrap_or_default().trim().to_owned()
}

/// `#3f74e0` as numbers; grey for anything else.
fn rgb(hex: &str) -> Rgb {
    let part =
        |at: usize| hex.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).unwrap_or(128);
    (part(1), part(3), part(5))
}

/// Counts up when the system changes between light and dark.
#[hook]
pub fn use_dark() -> u32 {
    let changes = use_state_eq(|| 0);
    let setter = changes.clone();
    use_effect_with(*changes, move |_| {
        let query = page::media("(prefers-color-scheme: dark)");
        let listener =
            query.and_then(|query| Listener::new(query.into(), "change", move |_| setter.set(*setter + 1)));
        move || drop(listener)
    });
    *changes
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::rgb;

    #[wasm_bindgen_test]
    fn colours_are_read_from_their_digits() {
        for (hex, color) in [
            ("#3f74e0", (63, 116, 224)),
            ("#ffffff", (255, 255, 255)),
            ("", (128, 128, 128)),
            ("#é", (128, 128, 128)),
        ] {
            assert_eq!(rgb(hex), color, "{hex}");
        }
    }
}
