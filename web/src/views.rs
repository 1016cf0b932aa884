//! What each tab shows, and what it reads of the state: a view is drawn again when that changes, and not when the rest does.

use yew::prelude::*;

use crate::components::{Comparison, Overview, PanelProps, Parallelism, Pivot, Tables, Transactions};
use crate::state::{StateSlice, Tab};

/// What a tab shows.
pub struct View {
    /// The tab.
    pub tab: Tab,
    /// What it reads of the state.
    pub reads: &'static [StateSlice],
    draw: fn(PanelProps) -> Html,
}

/// All of them. Gantt and flame graph are drawn by the timeline, which is always there.
pub const VIEWS: [View; 8] = [
    view(
        Tab::Overview,
        &[StateSlice::Trace, StateSlice::Range, StateSlice::Theme],
        |panel| html! { <Overview ..panel /> },
    ),
    view(Tab::Gantt, &[], |_| Html::default()),
    view(Tab::Flame, &[], |_| Html::default()),
    view(
        Tab::Pivot,
        &[StateSlice::Trace, StateSlice::Range, StateSlice::Pivot],
        |panel| html! { <Pivot ..panel /> },
    ),
    view(
        Tab::Parallel,
        &[
            StateSlice::Trace,
            StateSlice::Range,
            StateSlice::Selection,
            StateSlice::Compare,
            StateSlice::Theme,
        ],
        |panel| html! { <Parallelism ..panel /> },
    ),
    view(
        Tab::Compare,
        &[StateSlice::Trace, StateSlice::Selection, StateSlice::Compare],
        |panel| html! { <Comparison ..panel /> },
    ),
    view(
        Tab::Transactions,
        &[StateSlice::Trace, StateSlice::Range],
        |panel| html! { <Transactions ..panel /> },
    ),
    view(Tab::Tables, &[StateSlice::Trace, StateSlice::Table], |panel| html! { <Tables ..panel /> }),
];

const fn view(tab: Tab, reads: &'static [StateSlice], draw: fn(PanelProps) -> Html) -> View {
    View { tab, reads, draw }
}

/// What the tab that is open shows.
pub fn view_of(panel: &PanelProps) -> Html {
    let shown = VIEWS.iter().find(|view| view.tab == panel.state.nav.tab);
    shown.map_or_else(Html::default, |view| (view.draw)(panel.reading(view.reads)))
}
