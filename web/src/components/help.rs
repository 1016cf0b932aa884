//! The help dialog: keys, mouse actions, and the setting for the mouse wheel.

use yew::prelude::*;

use super::PanelProps;
use crate::input::{CHART, KEYS, POINTER, WheelMode};
use crate::state::{Action, TABS};
use crate::ui::Dialog;
use crate::words;

/// Options for the mouse wheel without a modifier key.
const WHEEL_MODES: [(WheelMode, &str); 2] =
    [(WheelMode::Scroll, words::keys::SCROLLS), (WheelMode::Zoom, words::keys::ZOOMS)];

/// The dialog that lists keys and mouse actions.
#[component]
pub fn Help(props: &PanelProps) -> Html {
    let mode = use_state_eq(|| props.mount.wheel_mode());
    let dispatch = props.dispatch.clone();
    let onclose = Callback::from(move |()| dispatch.dispatch(Action::Dialog(None)));
    let choose = use_callback((props.mount.clone(), mode.setter()), |chosen, (mount, mode)| {
        mount.set_wheel_mode(chosen);
        mode.set(chosen);
    });
    html! {
        <Dialog mount={props.mount.clone()} id="help" title={words::keys::TITLE} {onclose}>
            <div class="keys">
                <h3 class="kicker">{ words::keys::KEYS }</h3>
                { for KEYS.iter().map(|key| row(key.label, key.meaning)) }
                <h3 class="kicker">{ words::keys::VIEWS }</h3>
                { for TABS.iter().map(|tab| row(tab.key, tab.meaning)) }
                <h3 class="kicker">{ words::keys::CHART }</h3>
                { for CHART.iter().map(|(keys, meaning)| row(keys, meaning)) }
                <h3 class="kicker">{ words::keys::POINTER }</h3>
                { wheel_choice(*mode, &choose) }
                { for mode.gestures().iter().chain(POINTER).map(|(gesture, meaning)| row(gesture, meaning)) }
            </div>
        </Dialog>
    }
}

fn row(keys: &'static str, meaning: &'static str) -> Html {
    html! { <div><span>{ meaning }</span><kbd>{ keys }</kbd></div> }
}

fn wheel_choice(chosen: WheelMode, choose: &Callback<WheelMode>) -> Html {
    let segment = |(mode, name): (WheelMode, &'static str)| {
        let onclick = choose.reform(move |_: MouseEvent| mode);
        html! { <button type="button" data-wheel={mode.name()} aria-pressed={(mode == chosen).to_string()} {onclick}>{ name }</button> }
    };
    html! {
        <div class="wheel-choice">
            <span>{ words::keys::WHEEL }</span>
            <span class="segments" role="group" aria-label={words::keys::WHEEL}>{ for WHEEL_MODES.into_iter().map(segment) }</span>
        </div>
    }
}
