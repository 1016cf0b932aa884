//! Where the time of a trace without queries went, by name: a click finds the spans.

use queryscope::protocol::{PivotRow, PivotView, Reply, Request};
use yew::prelude::*;

use crate::components::PanelProps;
use crate::components::ask::use_reply;
use crate::state::{Action, Tab};

/// Names that are listed; the pivot table has them all.
const SHOWN: u32 = 12;

/// The names whose spans spent most time themselves.
#[component]
pub fn Names(props: &PanelProps) -> Html {
    let view = PivotView::names(props.state.range);
    let found =
        use_reply(&props.client, Some(Request::Pivot { view, first: 0, count: SHOWN }), props.state.epoch);
    let page = match found.as_ref().map(|answer| &answer.reply) {
        Some(Reply::Pivot(page)) if !page.rows.is_empty() => page,
        _ => return Html::default(),
    };
    let titles = ["Name", "Of its own", "Time in all", "Spans", "Longest"];
    html! {
        <section aria-labelledby="names">
            <header><h2 id="names">{ "Where the time went" }</h2><p>{ "By name, without the time of the spans inside. Choose one to find its spans." }</p></header>
            <div class="table-frame scrolls" tabindex="0" role="region" aria-labelledby="names">
                <table class="summary names">
                    <thead><tr>{ for titles.iter().map(|title| html! { <th scope="col">{ *title }</th> }) }</tr></thead>
                    <tbody>{ for page.rows.iter().map(|line| row(props, line)) }</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(props: &PanelProps, row: &PivotRow) -> Html {
    let (dispatch, name) = (props.dispatch.clone(), row.label.clone());
    let onclick = move |_: MouseEvent| {
        dispatch.dispatch(Action::Search(name.clone()));
        dispatch.dispatch(Action::Show(Tab::Gantt));
    };
    let cells = row.cells.iter().enumerate().map(|(at, cell)| {
        let share = (at == 0).then(|| format!("--share:{}%", u32::from(cell.heat) * 100 / 255));
        html! { <td style={share} title={cell.exact.clone()}>{ &cell.text }</td> }
    });
    html! {
        <tr>
            <th scope="row" class="clip foreign" dir="auto" title={row.label.clone()}>
                <button type="button" {onclick}>{ &row.label }</button>
            </th>
            { for cells }
        </tr>
    }
}
