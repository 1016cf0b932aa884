//! Incremental display of long lists, since rendering thousands of rows at once would freeze the page.

use yew::prelude::*;

use crate::words;

/// Number of rows that are shown initially.
const STEP: usize = 200;

/// Returns the number of rows to show out of `all`, and a button that shows more.
#[hook]
pub fn use_show_more(all: usize, one: &'static str, many: &'static str) -> (usize, Html) {
    use_show_more_from(STEP, all, one, many)
}

/// Like [`use_show_more`], but shows `first` items initially, for items larger than rows.
#[hook]
pub fn use_show_more_from(first: usize, all: usize, one: &'static str, many: &'static str) -> (usize, Html) {
    let shown = use_state_eq(|| first);
    let (now, left) = (*shown, all.saturating_sub(*shown));
    let setter = shown.setter();
    // Each click doubles the number, so ten thousand rows take few clicks.
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
