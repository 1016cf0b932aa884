//! The keys.

use yew::prelude::*;

use super::PanelProps;
use super::dialog::Dialog;
use crate::input::{CHART, KEYS, POINTER};
use crate::state::{Action, TABS};

/// The dialog that lists the keys, and what the pointer does.
#[component]
pub fn Help(props: &PanelProps) -> Html {
    let dispatch = props.dispatch.clone();
    let onclose = Callback::from(move |()| dispatch.dispatch(Action::Dialog(None)));
    html! {
        <Dialog mount={props.mount.clone()} id="help" title="Keys and pointer" {onclose}>
            <div class="keys">
                <h3 class="kicker">{ "Keys" }</h3>
                { for KEYS.iter().map(|key| row(key.label, key.meaning)) }
                <h3 class="kicker">{ "Views" }</h3>
                { for TABS.iter().map(|tab| row(tab.key, tab.meaning)) }
                <h3 class="kicker">{ "In a chart" }</h3>
                { for CHART.iter().map(|(keys, meaning)| row(keys, meaning)) }
                <h3 class="kicker">{ "Pointer" }</h3>
                { for POINTER.iter().map(|(gesture, meaning)| row(gesture, meaning)) }
            </div>
        </Dialog>
    }
}

fn row(keys: &'static str, meaning: &'static str) -> Html {
    html! { <div><span>{ meaning }</span><kbd>{ keys }</kbd></div> }
}
