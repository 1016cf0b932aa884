//! A row of the pivot table: a group, or a span or event of an open group.

use queryscope::protocol::{PivotCell, PivotRow};
use yew::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::components::one_line;

/// The row at `index`, or a placeholder while it is on its way.
pub fn row(
    index: u32,
    row: Option<&PivotRow>,
    columns: &str,
    selected: bool,
    onrow: &Callback<(u32, bool)>,
) -> Html {
    // The head and the sum of all are the first rows for screen readers.
    let position = (u64::from(index) + 3).to_string();
    let Some(row) = row else {
        return html! { <div key={index} class="grid-row waiting" role="row" aria-rowindex={position} style={columns.to_owned()}><span role="gridcell" class="sql" /></div> };
    };
    let (onrow, is_group) = (onrow.clone(), row.item.is_none());
    let onclick = move |event: MouseEvent| {
        let twice = event.detail() > 1;
        // The second click of two must not close what the first one opened.
        if !(is_group && twice) {
            onrow.emit((index, twice));
        }
    };
    let kind = if row.item.is_some() { "point" } else { "group" };
    html! {
        <div key={index} id={format!("pivot-{index}")} class={classes!("grid-row", kind)} role="row" style={columns.to_owned()}
            aria-rowindex={position} aria-level={(row.depth + 1).to_string()} aria-expanded={row.open.map(|open| open.to_string())}
            aria-selected={selected.to_string()} data-item={row.item.map(|item| item.to_string())} {onclick}>
            <span role="rowheader" class="label foreign" dir="auto" title={row.label.clone()} style={format!("--depth:{}", row.depth)}>
                if row.open.is_some() { { icon(Icon::Down) } }
                <span>{ one_line(&row.label) }</span>
            </span>
            { for row.cells.iter().map(cell) }
        </div>
    }
}

/// The sum of everything, above all groups.
pub fn total(cells: &[PivotCell], columns: &str) -> Html {
    html! {
        <div class="grid-row total" id="pivot-total" role="row" aria-rowindex="2" style={columns.to_owned()}>
            <span role="rowheader" class="label"><span>{ "All" }</span></span>
            { for cells.iter().map(cell) }
        </div>
    }
}

fn cell(cell: &PivotCell) -> Html {
    let absent = cell.exact.is_empty();
    let title = if absent { "not reported".to_owned() } else { cell.exact.clone() };
    let heat = (cell.heat > 0).then(|| format!("--heat:{}%", u32::from(cell.heat) * 36 / 255));
    let look = classes!("right", absent.then_some("absent"), heat.is_some().then_some("tinted"));
    html! {
        <span role="gridcell" class={look} {title} style={heat}>{ &cell.text }</span>
    }
}
