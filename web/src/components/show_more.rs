//! Long lists, a part at a time: thousands of rows at once would stop the page.

use yew::prelude::*;

use crate::words;

/// Rows that are shown at first, and with each further step at least.
const STEP: usize = 200;

/// How many of `all` rows are to be shown, and a button for more of them.
#[hook]
pub fn use_show_more(all: usize, one: &'static str, many: &'static str) -> (usize, Html) {
    use_show_more_from(STEP, all, one, many)
}

/// Like [`use_show_more`], for pieces larger than rows, of which `first` are shown at first.
#[hook]
pub fn use_show_more_from(first: usize, all: usize, one: &'static str, many: &'static str) -> (usize, Html) {
    let shown = use_state_eq(|| first);
    let (now, left) = (*shown, all.saturating_sub(*shown));
    let setter = shown.setter();
    // Twice as many each time: ten thousand rows are five clicks away.
    let onclick = move |_: MouseEvent| setter.set(now * 2);
    let button = match left {
        0 => Html::default(),
        _ => html! {
            <p class="more">
                <button type="button" class="btn small" {onclick}>{ words::common::show_more(now.min(left)) }</button>
                { words::common::not_shown(left as u64, one, many) }
            </p>
        },
    };
    (now.min(all), button)
}
