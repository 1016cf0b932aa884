//! The toolbar of the pivot table: grouping, measures and filters.

use queryscope::protocol::{
    PivotChoices, PivotColumn, PivotCsvRequest, PivotRows, PivotRowsRequest, PivotSpec, PivotView, PlainField,
};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::chips::Chips;
use super::{joined, parts};
use crate::components::copy::use_copy;
use crate::components::icon::{Icon, icon};
use crate::components::query_list::tools::range;
use crate::components::{PanelProps, typing};
use crate::host::page::download;
use crate::state::Action;
use crate::ui::{CopiedRows, CopyForm, CopyTable, TableCell, TableColumn, TableRow};
use crate::words;
use crate::words::glossary::Term;

const FUNCTIONS: [&str; 8] = ["sum", "avg", "min", "max", "p50", "p90", "p95", "p99"];

/// Renders the toolbar.
pub fn tools(panel: &PanelProps, view: &PivotView, choices: &PivotChoices) -> Html {
    let change = |with: fn(PivotView, String) -> PivotView| {
        let (dispatch, view) = (panel.dispatch.clone(), view.clone());
        Callback::from(move |items: Vec<String>| {
            dispatch.dispatch(Action::Pivot(with(view.clone(), items.join(", "))));
        })
    };
    let regroup = change(|view, by| {
        // The open groups belong to the previous dimensions.
        PivotView { spec: PivotSpec { by, ..view.spec }, open: Vec::new(), ..view }
    });
    let turn = change(|view, across| {
        // Only one dimension is possible, so the latest choice replaces the previous one.
        let across = parts(&across).pop().unwrap_or_default();
        PivotView { spec: PivotSpec { across, ..view.spec }, column: PivotColumn::All, ..view }
    });
    let measure = change(|view, measures| {
        let sort = same_measure(view.sort, &view.spec.measures, &measures);
        PivotView { spec: PivotSpec { measures, ..view.spec }, sort, ..view }
    });
    html! {
        <div class="pivot-tools">
            <Chips viewer={panel.mount.number()} id="by" label={words::pivot::GROUP_BY} term={Term::Projection} add={words::pivot::ADD_DIMENSION} items={parts(&view.spec.by)}
                choices={choices.dimensions.clone()} onchange={regroup} />
            <Chips viewer={panel.mount.number()} id="across" label={words::pivot::COLUMNS_BY} add={words::pivot::SET_COLUMNS} items={parts(&view.spec.across)}
                choices={choices.dimensions.clone()} onchange={turn} />
            <Chips viewer={panel.mount.number()} id="measure" label={words::pivot::MEASURES} term={Term::Measure} add={words::pivot::ADD_MEASURE} items={parts(&view.spec.measures)}
                choices={measures(choices)} onchange={measure} />
            <div class="pivot-line">
                { filter(panel, view) }
                { range(panel) }
                <span class="space" />
                <CopyPivot panel={panel.clone()} view={joined(view, &panel.state)} />
            </div>
        </div>
    }
}

/// Returns the index in the list `after` of the measure that the rows are sorted by.
fn same_measure(sort: Option<u32>, before: &str, after: &str) -> Option<u32> {
    let before = parts(before);
    let measure = before.get(sort? as usize)?;
    parts(after).iter().position(|other| other == measure).map(|at| at as u32)
}

/// Returns all measures: every function of every number, grouped by number.
fn measures(choices: &PivotChoices) -> Vec<(String, Vec<String>)> {
    let count = (String::new(), vec!["count".to_owned()]);
    let of = |quantity: &String| {
        let written = |function: &str| match quantity.as_str() {
            "duration" => function.to_owned(),
            other => format!("{function}({other})"),
        };
        (quantity.clone(), FUNCTIONS.iter().map(|function| written(function)).collect())
    };
    let server = (words::pivot::SERVER_MEASURES.to_owned(), choices.server.clone());
    [count, server]
        .into_iter()
        .filter(|(_, measures)| !measures.is_empty())
        .chain(choices.quantities.iter().map(of))
        .collect()
}

fn filter(panel: &PanelProps, view: &PivotView) -> Html {
    let (dispatch, now) = (panel.dispatch.clone(), view.clone());
    let set = Callback::from(move |filter: String| {
        let spec = PivotSpec { filter, ..now.spec.clone() };
        dispatch.dispatch(Action::Pivot(PivotView { spec, ..now.clone() }));
    });
    let oninput = set.reform(|event: InputEvent| event.target_unchecked_into::<HtmlInputElement>().value());
    let clear = set.reform(|_: MouseEvent| String::new());
    let onkeydown = typing(&panel.mount);
    html! {
        <div class="field">
            <input id="pivot-filter" type="search" aria-label={words::pivot::FILTER} placeholder={words::pivot::FILTER_EXAMPLE}
                title={words::pivot::FILTER_SYNTAX} autocomplete="off" spellcheck="false" value={view.spec.filter.clone()} {oninput} {onkeydown} />
            if !view.spec.filter.is_empty() {
                <button type="button" class="btn quiet small icon-only" aria-label={words::common::CLEAR_FILTER} title={words::common::CLEAR_FILTER} onclick={clear}>{ icon(Icon::Close) }</button>
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct CopyPivotProps {
    panel: PanelProps,
    view: PivotView,
}

/// The buttons that copy and save the whole table.
#[component]
fn CopyPivot(props: &CopyPivotProps) -> Html {
    let (copied, copy) = use_copy(Callback::noop());
    let oncopy = with_table(props, move |_, text| copy.emit(text));
    let onsave = with_table(props, |form, text| {
        let (ending, media_type) = form.file_type();
        download(&format!("pivot.{ending}"), media_type, &text);
    });
    html! { <CopyTable id="pivot-copy" {copied} {oncopy} {onsave} other={None::<(&'static str, Callback<()>)>} /> }
}

/// Returns a callback that fetches the whole table and passes it to `act` as text of the chosen form.
fn with_table(
    props: &CopyPivotProps,
    act: impl Fn(CopyForm, String) + Clone + 'static,
) -> Callback<CopyForm> {
    let (client, view) = (props.panel.client.clone(), props.view.clone());
    Callback::from(move |form: CopyForm| {
        let client = client.clone();
        let view = view.clone();
        let act = act.clone();
        spawn_local(async move {
            // The engine writes CSV, so that a large table does not cross as single values.
            let text = match form {
                CopyForm::Csv => client.ask(PivotCsvRequest { view }).await.flatten(),
                form => client.ask(PivotRowsRequest { view }).await.flatten().map(|rows| written(form, rows)),
            };
            if let Some(text) = text {
                act(form, text);
            }
        });
    })
}

/// The rows of a table in a form. A column whose values are all numbers is a column of numbers.
fn written(form: CopyForm, PivotRows { columns, rows }: PivotRows) -> String {
    let is_text = |at: usize| rows.iter().any(|row| matches!(row.get(at), Some(PlainField::Text(_))));
    let column = |(at, name)| if is_text(at) { TableColumn::text(name) } else { TableColumn::number(name) };
    let columns: Vec<TableColumn> = columns.into_iter().enumerate().map(column).collect();
    let mut copied = CopiedRows::new(form, &columns);
    for row in rows {
        let cell = |field: PlainField| match field {
            PlainField::None => TableCell::absent(""),
            PlainField::Text(text) | PlainField::Number(text) => TableCell::text(text),
        };
        copied.add(&TableRow::of(row.into_iter().map(cell).collect()));
    }
    copied.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn rows_stay_in_the_order_of_a_measure() {
        for (sort, before, after, expected) in [
            (Some(1), "count, sum", "sum, count", Some(0)),
            (Some(1), "count, sum", "count, max, sum", Some(2)),
            (Some(1), "count, sum", "count", None),
            (Some(7), "count", "count", None),
            (None, "count", "count", None),
        ] {
            assert_eq!(same_measure(sort, before, after), expected, "{before} {after}");
        }
    }

    #[wasm_bindgen_test]
    fn a_table_is_written_in_every_form() {
        let text = |text: &str| PlainField::Text(text.to_owned());
        let number = |digits: &str| PlainField::Number(digits.to_owned());
        let table = PivotRows {
            columns: vec!["kind".to_owned(), "duration, sum (ns)".to_owned()],
            rows: vec![
                vec![text("=1|1"), number("12")],
                vec![PlainField::None, number("3")],
                vec![text("5"), PlainField::None],
            ],
        };
        for (form, expected) in [
            (CopyForm::Tabs, "kind\tduration, sum (ns)\n'=1|1\t12\n\t3\n5\t\n"),
            (
                CopyForm::Markdown,
                "| kind | duration, sum (ns) |\n| --- | ---: |\n| <code>=1&#124;1</code> | 12 |\n|  | 3 |\n| 5 |  |\n",
            ),
            (
                CopyForm::Json,
                "[\n  { \"kind\": \"=1|1\", \"duration, sum (ns)\": 12 },\n  \
                 { \"kind\": null, \"duration, sum (ns)\": 3 },\n  \
                 { \"kind\": \"5\", \"duration, sum (ns)\": null }\n]\n",
            ),
        ] {
            assert_eq!(written(form, table.clone()), expected);
        }
    }
}
