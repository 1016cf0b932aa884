//! The statements tab: shapes (or slices by name) with sums and percentiles, and distribution and executions of one
//! shape.

mod detail;
mod executions;
mod list;
mod path;

use yew::prelude::*;

use super::PanelProps;
use crate::state::{Action, StatementsView};
use crate::words;

/// The panel of the statements tab.
#[component]
pub fn Statements(props: &PanelProps) -> Html {
    let is_of_slices = props.state.load.info.has_slices_alone();
    let label = if is_of_slices { words::statements::REGION_OF_SLICES } else { words::statements::REGION };
    html! {
        <div class="overview statements scrolls" tabindex="0" role="region" aria-label={label}>
            if props.state.nav.statements.executions.is_some() {
                <detail::Detail ..props.clone() />
            } else {
                <list::List ..props.clone() />
            }
        </div>
    }
}

/// Returns a callback that updates the state of the tab.
fn change<T: 'static>(props: &PanelProps, change: impl Fn(&mut StatementsView, T) + 'static) -> Callback<T> {
    let (dispatch, now) = (props.dispatch.clone(), props.state.nav.statements.clone());
    Callback::from(move |value| {
        let mut view = now.clone();
        change(&mut view, value);
        dispatch.dispatch(Action::Statements(view));
    })
}
