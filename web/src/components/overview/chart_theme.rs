//! Colours and font of the charts, read from the style sheets.

use queryscope::internal::chart::{ChartStyle, Rgb};
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::canvas::theme::Sheet;
use crate::events::Listener;
use crate::host::page;

/// Returns the current colours of custom properties inside `element`.
pub fn colors(element: &HtmlElement, names: &[&str]) -> Option<Vec<Rgb>> {
    let sheet = Sheet::of(&element.parent_element()?)?;
    Some(names.iter().map(|name| rgb(&sheet, name)).collect())
}

/// Returns the current style of a chart inside `element`.
pub fn chart_style(element: &HtmlElement, series: &[&str], scale: f64) -> Option<ChartStyle> {
    let sheet = Sheet::of(&element.parent_element()?)?;
    let color = |name: &str| rgb(&sheet, name);
    Some(ChartStyle {
        text: color("muted"),
        grid: color("line"),
        mark: color("text"),
        series: series.iter().map(|name| color(name)).collect(),
        font: sheet.font("ui"),
        scale,
    })
}

fn rgb(sheet: &Sheet, name: &str) -> Rgb {
    let color = sheet.color(name);
    (color.red, color.green, color.blue)
}

/// Returns a number that increases when the system switches between light and dark.
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
