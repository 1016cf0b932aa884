//! Jumps from the selection to another span, by keys and by buttons.

use queryscope::protocol::{JumpTarget, SpanJumpRequest};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::PanelProps;
use crate::state::{Action, Notice};
use crate::words;

/// The buttons, in groups.
const GROUPS: [(&str, &[JumpTarget]); 3] = [
    (
        words::span_jump::SAME_NAME,
        &[
            JumpTarget::PreviousOfName,
            JumpTarget::NextOfName,
            JumpTarget::LongerOfName,
            JumpTarget::LongestOfName,
        ],
    ),
    (words::span_jump::FAILED, &[JumpTarget::PreviousFailed, JumpTarget::NextFailed]),
    (words::span_jump::SAME_KIND, &[JumpTarget::Longest]),
];

/// Selects the target of a jump from the selection and shows it. A message says its position among all targets.
pub fn span_jump(panel: &PanelProps, target: JumpTarget) {
    let (client, dispatch) = (panel.client.clone(), panel.dispatch.clone());
    let nav = &panel.state.nav;
    let request = SpanJumpRequest { item: nav.selection, target, filter: nav.filter.clone() };
    spawn_local(async move {
        let from = request.item;
        let Some(found) = client.ask(request).await else { return };
        found.item.into_iter().for_each(|item| dispatch.dispatch(Action::Approach(item)));
        let (title, text) = words::span_jump::found(target, &found, from);
        dispatch.dispatch(Action::Notice(Some(Notice { title, text, recovery: None })));
    });
}

/// The buttons that lead from the selection to another span.
pub(super) fn jump_buttons(panel: &PanelProps) -> Html {
    let button = |target: &JumpTarget| {
        let (panel, target) = (panel.clone(), *target);
        let (name, title) = words::span_jump::button(target);
        let onclick = move |_: MouseEvent| span_jump(&panel, target);
        html! { <button type="button" aria-label={title} {title} {onclick}>{ name }</button> }
    };
    let group = |(name, targets): &(&'static str, &[JumpTarget])| {
        html! {
            <span class="choice">{ *name }
                <span class="segments" role="group" aria-label={*name}>{ for targets.iter().map(button) }</span>
            </span>
        }
    };
    html! { <div class="jumps" role="group" aria-label={words::span_jump::GO_TO}>{ for GROUPS.iter().map(group) }</div> }
}
