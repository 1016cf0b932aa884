//! The table of counters of an area.

use queryscope::protocol::{AreaCounter, AreaSummary, CounterValue};
use yew::prelude::*;

use crate::components::{PanelProps, one_line};
use crate::state::Action;
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows};
use crate::words;

/// The counters of an area, in the order of the tracks.
pub(super) fn counters(panel: &PanelProps, area: &AreaSummary) -> Html {
    let onshow = panel.dispatch_of(Action::Reveal);
    let rows = TableRows::in_page(area.counters.clone(), move |of| row(of, &onshow));
    let content = html! {
        <>
            <h2 id="area-counters">{ words::area::COUNTERS }</h2>
            <p class="muted whole-line">{ words::area::COUNTERS_MEANING }</p>
        </>
    };
    html! {
        <section aria-labelledby="area-counters">
            <DataTable id="area-counter" label={words::area::COUNTERS} class="framed" columns={columns()} {rows} heading={TableHeading::section(content)} />
            if area.more_counters > 0 { <p class="muted">{ words::area::more_counters(area.more_counters) }</p> }
        </section>
    }
}

fn columns() -> Vec<TableColumn> {
    let number = |name: &'static str| TableColumn::number(name).characters(11, false);
    vec![
        TableColumn::text(words::area::NAME).characters(36, true),
        number(words::area::MINIMUM),
        number(words::area::MAXIMUM),
        number(words::area::AVERAGE),
        number(words::area::FIRST),
        number(words::area::LAST),
        number(words::area::SAMPLES),
    ]
}

fn row(row: &AreaCounter, onshow: &Callback<u32>) -> TableRow {
    let item = row.item;
    let onshow = onshow.reform(move |_: MouseEvent| item);
    let value = |value: &CounterValue| {
        TableCell::number(value.text.clone(), value.millionths).copied(value.decimal.clone())
    };
    let name = one_line(&row.name);
    // Copied numbers have no units, which differ from row to row.
    let copied = if row.unit.is_empty() { name.to_string() } else { format!("{name} ({})", row.unit) };
    TableRow::of(vec![
        TableCell::text(name).copied(copied).link(words::common::SHOW_IN_GANTT, onshow),
        value(&row.minimum),
        value(&row.maximum),
        value(&row.average),
        value(&row.first),
        value(&row.last),
        TableCell::count(i64::try_from(row.samples).unwrap_or(i64::MAX)),
    ])
}
