//! Content of each tab and the state slices that it reads: a view is rendered again only when one of these slices changes.

use yew::prelude::*;

use crate::components::{
    Comparison, Overview, PanelProps, Parallelism, Pivot, Sources, Sql, Statements, Tables, Transactions,
    Trends,
};
use crate::state::{StateSlice, Tab};

/// The view of a tab.
pub struct View {
    /// The tab that shows the view.
    pub tab: Tab,
    /// State slices that the view reads.
    pub reads: &'static [StateSlice],
    draw: fn(PanelProps) -> Html,
}

/// All views. Gantt and flame graph are drawn by the timeline, which always exists.
pub const VIEWS: [View; 12] = [
    view(
        Tab::Trends,
        &[StateSlice::Trace, StateSlice::Trends, StateSlice::Orders],
        |panel| html! { <Trends ..panel /> },
    ),
    view(
        Tab::Overview,
        &[
            StateSlice::Trace,
            StateSlice::Range,
            StateSlice::Selection,
            StateSlice::Viewport,
            StateSlice::Filter,
            StateSlice::Overview,
            StateSlice::Theme,
        ],
        |panel| html! { <Overview ..panel /> },
    ),
    view(Tab::Gantt, &[], |_| Html::default()),
    view(Tab::Flame, &[], |_| Html::default()),
    view(
        Tab::Statements,
        &[
            StateSlice::Trace,
            StateSlice::Range,
            StateSlice::Filter,
            StateSlice::Statements,
            StateSlice::Compare,
        ],
        |panel| html! { <Statements ..panel /> },
    ),
    view(
        Tab::Sources,
        &[
            StateSlice::Trace,
            StateSlice::Range,
            StateSlice::Selection,
            StateSlice::Viewport,
            StateSlice::Filter,
            StateSlice::Sources,
            StateSlice::Orders,
            StateSlice::Theme,
        ],
        |panel| html! { <Sources ..panel /> },
    ),
    view(
        Tab::Pivot,
        &[StateSlice::Trace, StateSlice::Range, StateSlice::Filter, StateSlice::Pivot],
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
        &[
            StateSlice::Trace,
            StateSlice::Range,
            StateSlice::Selection,
            StateSlice::Filter,
            StateSlice::Compare,
            StateSlice::Queries,
            StateSlice::Statements,
        ],
        |panel| html! { <Comparison ..panel /> },
    ),
    view(
        Tab::Transactions,
        &[StateSlice::Trace, StateSlice::Range, StateSlice::Orders],
        |panel| html! { <Transactions ..panel /> },
    ),
    view(Tab::Tables, &[StateSlice::Trace, StateSlice::Table], |panel| html! { <Tables ..panel /> }),
    view(
        Tab::Sql,
        &[StateSlice::Trace, StateSlice::Sql, StateSlice::Selection, StateSlice::Orders],
        |panel| html! { <Sql ..panel /> },
    ),
];

const fn view(tab: Tab, reads: &'static [StateSlice], draw: fn(PanelProps) -> Html) -> View {
    View { tab, reads, draw }
}

/// Renders the view of the current tab.
pub fn view_of(panel: &PanelProps) -> Html {
    let shown = VIEWS.iter().find(|view| view.tab == panel.state.nav.tab);
    shown.map_or_else(Html::default, |view| (view.draw)(panel.reading(view.reads)))
}
