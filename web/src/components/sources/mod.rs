//! Sources by connector, datasource and command with the executions of one of them, and buffer events over time, by type and
//! by query.

mod buffer_queries;
mod buffers;
mod executions;
mod list;

pub use buffers::events as buffer_events;
use yew::prelude::*;

use super::PanelProps;
use crate::state::{Action, SourcesView};
use crate::words;

/// The panel of the sources tab.
#[component]
pub fn Sources(props: &PanelProps) -> Html {
    let info = &props.state.load.info;
    html! {
        <div class="overview statements scrolls" tabindex="0" role="region" aria-label={words::sources::REGION}>
            if props.state.nav.sources.executions.is_some() {
                <executions::Executions ..props.clone() />
            } else {
                if !info.executions && !info.buffers { <p class="muted">{ words::sources::NO_SOURCES }</p> }
                if info.executions { <list::List ..props.clone() /> }
                if info.buffers {
                    <buffers::Buffers ..props.clone() />
                    <buffer_queries::BufferQueries ..props.clone() />
                }
            }
        </div>
    }
}

/// Returns a callback that updates the state of the tab.
fn change<T: 'static>(props: &PanelProps, change: impl Fn(&mut SourcesView, T) + 'static) -> Callback<T> {
    let (dispatch, now) = (props.dispatch.clone(), props.state.nav.sources.clone());
    Callback::from(move |value| {
        let mut view = now.clone();
        change(&mut view, value);
        dispatch.dispatch(Action::Sources(view));
    })
}
