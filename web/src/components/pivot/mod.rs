//! The pivot table: spans and events, grouped by any attributes and summarised by any measures.

mod chips;
mod row;
mod table;
mod tools;

use queryscope::protocol::{PivotChoicesRequest, PivotSpec, PivotView};
use yew::prelude::*;

use super::PanelProps;
use super::use_query::{Answer, use_query};
use crate::state::State;
use crate::words;
pub use chips::DRAG;
use table::Table;

/// The panel of the pivot table.
#[component]
pub fn Pivot(props: &PanelProps) -> Html {
    let state = &props.state;
    let answer = use_query(&props.client, Some(PivotChoicesRequest), state.load.info.build);
    let choices = answer.as_ref().and_then(Answer::reply).cloned().unwrap_or_default();
    let view = in_range(&state.nav.pivot, state.nav.range);
    html! {
        <section class="pivot" aria-label={words::pivot::PIVOT_TABLE}>
            { tools::tools(props, &view, &choices) }
            <Table panel={props.clone()} {view} />
        </section>
    }
}

/// Returns the view limited to the active time range.
fn in_range(view: &PivotView, range: Option<(i64, i64)>) -> PivotView {
    PivotView { spec: PivotSpec { range, ..view.spec.clone() }, ..view.clone() }
}

/// Returns the view with the filter of all views added to its own.
fn joined(view: &PivotView, state: &State) -> PivotView {
    let filter = state.joined_filter(&view.spec.filter);
    PivotView { spec: PivotSpec { filter, ..view.spec.clone() }, ..view.clone() }
}

/// Splits a list at its commas, except commas in brackets.
pub fn parts(list: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = list.split(|c: char| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
