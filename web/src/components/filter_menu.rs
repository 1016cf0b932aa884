//! Filtering by a value that is shown: buttons next to values, and the menu that they open.

use queryscope::internal::filter_text;
use queryscope::protocol::FilterValue;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::PanelProps;
use super::icon::{Icon, icon};
use crate::input;
use crate::state::{Action, Dispatch};
use crate::ui::hang_below;
use crate::words;

/// A button next to the value of an attribute (`None` for no value) that opens the menu. Arrow keys move to it in a row of a table;
/// elsewhere it is in the Tab order. Empty for a very long value.
#[inline(never)]
pub fn filter_button(dispatch: &Dispatch, attribute: &str, value: Option<&str>, in_row: bool) -> Html {
    if value.is_some_and(|value| value.len() > FilterValue::LONGEST) {
        return Html::default();
    }
    let (dispatch, of) = (dispatch.clone(), (attribute.to_owned(), value.map(str::to_owned)));
    let label = words::filter::by(attribute, value);
    let onclick = Callback::from(move |event: MouseEvent| {
        // The row below is not clicked.
        event.stop_propagation();
        let button = input::origin(&event).and_then(|inner| inner.closest("button").ok()?);
        if let Some((button, menu)) = button.and_then(|button| menu(&button).map(|menu| (button, menu))) {
            hang_below(&menu, &button);
        }
        dispatch.dispatch(Action::FilterMenu(of.clone()));
    });
    html! {
        <button type="button" class="filter-by" popovertarget="filter-menu" tabindex={in_row.then_some("-1")} aria-label={label.clone()} title={label} {onclick}>
            { icon(Icon::Filter) }
        </button>
    }
}

fn menu(button: &Element) -> Option<HtmlElement> {
    let root = button.closest(".queryscope").ok()??;
    root.query_selector("#filter-menu").ok()??.dyn_into().ok()
}

/// The menu of filters by a value: only this value, or the current filter with a condition that includes or excludes the value.
#[component]
pub fn FilterMenu(props: &PanelProps) -> Html {
    let (attribute, value) = &props.state.ui.filter_menu;
    let filter = &props.state.nav.filter;
    let condition = |is_excluded| filter_text::condition(attribute, value.as_deref(), is_excluded);
    let (included, excluded) = (condition(false), condition(true));
    let choices = [
        (words::filter::ONLY, included.clone(), true),
        (words::filter::INCLUDE, filter_text::with(filter, &included), false),
        (words::filter::EXCLUDE, filter_text::with(filter, &excluded), false),
    ];
    let button = |(label, text, is_first): (&'static str, String, bool)| {
        let onclick = props.dispatch_of(Action::Filter).reform(move |_: MouseEvent| text.clone());
        html! {
            <button type="button" class="btn quiet small" autofocus={is_first} popovertarget="filter-menu" popovertargetaction="hide" {onclick}>{ label }</button>
        }
    };
    html! {
        <div id="filter-menu" class="copy-forms" popover="auto" role="group" aria-label={words::filter::MENU}>
            <code class="clip foreign" title={included.clone()}>{ &included }</code>
            { for choices.into_iter().map(button) }
        </div>
    }
}
