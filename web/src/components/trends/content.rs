//! Tables and chart of the trends.

use queryscope::internal::text::NOT_REPORTED;
use queryscope::protocol::{
    TrendCell, TrendCellContent, TrendChart, TrendChoice, TrendColumn, TrendColumnKind, TrendPage, TrendTable,
};
use yew::prelude::*;

use crate::components::PanelProps;
use crate::state::Action;
use crate::stored_trace::show_trace;
use crate::ui::{DataTable, SortKey, TableCell, TableColumn, TableHeading, TableRow, TableRows};
use crate::words;

/// Ids of the tables: of the list, and of a group.
const IDS: [[&str; 2]; 2] = [["trend-groups", "trend-traces"], ["trend-changes", "trend-runs"]];

/// Properties of the content.
#[derive(Properties, PartialEq)]
pub struct ContentProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// What is shown.
    pub page: TrendPage,
    /// Whether another answer is waited for.
    pub is_old: bool,
}

/// Sentences, chart and tables.
#[component]
pub fn Content(props: &ContentProps) -> Html {
    let ContentProps { panel, page, is_old } = props;
    let is_group = !page.group.is_empty();
    let ids = IDS[usize::from(is_group)];
    // A group without changes has no table of them.
    let ids = &ids[if is_group { 2 - page.tables.len().min(2) } else { 0 }..];
    html! {
        <>
            if !page.warnings.is_empty() {
                <section class="notice" role="status"><h2>{ words::trends::WARNINGS }</h2>{ for page.warnings.iter().map(|text| html! { <p dir="auto">{ text }</p> }) }</section>
            }
            <section inert={*is_old}>
                if is_group { <h2 class="shape-text" dir="auto">{ &page.group }</h2> }
                { for page.summary.iter().map(|line| html! { <p class="muted" dir="auto">{ line }</p> }) }
                if let Some(shown) = &page.chart { { chart(shown) } }
            </section>
            { for ids.iter().zip(&page.tables).map(|(id, shown)| html! { <Table id={*id} panel={panel.clone()} table={shown.clone()} is_old={*is_old} /> }) }
            <details class="trend-notes"><summary>{ words::trends::METHOD }</summary>{ for page.notes.iter().map(|note| html! { <p>{ note }</p> }) }</details>
        </>
    }
}

fn chart(of: &TrendChart) -> Html {
    let path = |(class, d): &(String, String)| html! { <path class={class.clone()} d={d.clone()} /> };
    let text = |of: &queryscope::protocol::ChartText| {
        html! { <text class={of.class.clone()} text-anchor={of.anchor.clone()} x={of.at.0.to_string()} y={of.at.1.to_string()}>{ &of.text }</text> }
    };
    let (width, height) = of.size;
    html! {
        <div class="trend-chart" tabindex="0" role="group" aria-label={words::trends::REGION}>
            <svg viewBox={format!("0 0 {width} {height}")} role="img" aria-label={of.meaning.clone()}>
                { for of.paths.iter().map(path) }
                { for of.texts.iter().map(text) }
            </svg>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct TrendTableProps {
    id: &'static str,
    panel: PanelProps,
    table: TrendTable,
    is_old: bool,
}

#[component]
fn Table(props: &TrendTableProps) -> Html {
    let TrendTableProps { id, panel, table, is_old } = props;
    let is_wide = matches!(table.cells.first().map(|cell| &cell.content), Some(TrendCellContent::Group(_)));
    let columns =
        table.columns.iter().enumerate().map(|(at, of)| column(of, is_wide && at == 0)).collect::<Vec<_>>();
    let rows = use_memo((table.clone(), panel.clone()), |(table, panel)| {
        let width = table.columns.len().max(1);
        let rows: Vec<Vec<TrendCell>> = table.cells.chunks(width).map(<[_]>::to_vec).collect();
        let panel = panel.clone();
        TableRows::in_page(rows, move |row| TableRow::of(row.iter().map(|of| cell(of, &panel)).collect()))
    });
    let heading = TableHeading::section(html! { <h2>{ &table.title }</h2> });
    html! {
        <section aria-label={table.title.clone()} inert={*is_old} aria-busy={is_old.then_some("true")}>
            <DataTable {id} label={table.title.clone()} class="framed shapes" {columns} rows={(*rows).clone()} {heading} file={*id}
                nothing={html! { <p class="muted">{ words::trends::NOTHING }</p> }} />
        </section>
    }
}

fn column(of: &TrendColumn, is_wide: bool) -> TableColumn {
    let name = of.name.clone();
    let column = match of.kind {
        TrendColumnKind::Text if is_wide => TableColumn::text(name).characters(40, true),
        TrendColumnKind::Text => TableColumn::text(name),
        TrendColumnKind::Number => TableColumn::number(name),
        TrendColumnKind::Time => TableColumn::time(name),
        TrendColumnKind::Bytes => TableColumn::bytes(name),
        TrendColumnKind::Chart => TableColumn::bars(name).track("112px", "112px"),
    };
    column.under(of.group.clone()).meaning(of.meaning.clone())
}

fn cell(of: &TrendCell, panel: &PanelProps) -> TableCell {
    let made = match of.number {
        Some(number) => TableCell::number(of.text.clone(), number),
        None if of.text == NOT_REPORTED => return TableCell::absent(""),
        None => TableCell::text(of.text.clone()),
    };
    let made = if of.meaning.is_empty() { made } else { made.titled(of.meaning.clone()) };
    match &of.content {
        TrendCellContent::Plain => made,
        TrendCellContent::Worse => made.class("bad"),
        TrendCellContent::Better => made.class("good"),
        TrendCellContent::Group(group) => {
            let choice = TrendChoice { group: Some(*group), ..panel.state.nav.trends.clone() };
            let choose = panel.dispatch_of(Action::Trends);
            made.link(
                words::trends::SHOW_GROUP,
                Callback::from(move |_: MouseEvent| choose.emit(choice.clone())),
            )
        }
        TrendCellContent::Trace(name, place) => {
            let title =
                if place.is_some() { words::trends::SHOW_EXECUTION } else { words::trends::SHOW_TRACE };
            let Some(dataset) = panel.state.load.dataset.clone() else { return made };
            let dispatch = panel.dispatch.clone();
            let (name, item) = (name.clone(), *place);
            made.link(title, Callback::from(move |_: MouseEvent| show_trace(&dispatch, &dataset, &name, item)))
        }
        TrendCellContent::Sparkline([line, marks]) => made.key(SortKey::Nothing).shown(html! {
            <svg class="trendline" viewBox="0 0 96 16" preserveAspectRatio="none" aria-hidden="true"><path class="change" d={marks.clone()} /><path d={line.clone()} /></svg>
        }),
    }
}
