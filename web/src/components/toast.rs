//! A transient message at the bottom of the page.

use yew::prelude::*;

use super::PanelProps;
use super::icon::{Icon, icon};
use crate::host::page::Timer;
use crate::state::Action;
use crate::words;

/// Display time of a message in milliseconds. A message with a recovery action stays until the user closes it.
const SHOWN: i32 = 6_000;

/// The current notice, if there is one.
#[component]
pub fn Toast(props: &PanelProps) -> Html {
    let dispatch = props.dispatch.clone();
    use_effect_with(props.state.ui.notice.clone(), move |notice| {
        let passes = notice.as_ref().is_some_and(|notice| notice.recovery.is_none());
        // A new message drops the timer of the previous message.
        let timer = passes.then(|| Timer::start(SHOWN, move || dispatch.dispatch(Action::Notice(None))));
        move || drop(timer)
    });
    let dispatch = props.dispatch.clone();
    let close = move |_: MouseEvent| dispatch.dispatch(Action::Notice(None));
    // Screen readers announce text only in a live region that exists already.
    html! {
        <div class="toasts" role="status">
            if let Some(notice) = &props.state.ui.notice {
                <div class="toast">
                    <span><b>{ &notice.title }</b>{ " " }{ &notice.text }</span>
                    { props.recovery_button(notice) }
                    <button type="button" class="btn quiet small icon-only" aria-label={words::common::CLOSE} onclick={close}>{ icon(Icon::Close) }</button>
                </div>
            }
        </div>
    }
}
