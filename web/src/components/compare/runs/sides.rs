//! The choice of both sides, their totals and the verdict.

use queryscope::internal::text;
use queryscope::protocol::{
    ComparedRuns, GroupBy, MergedDifference, RunComparisonSpec, RunSelection, SideTotals,
};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::{change, side_name};
use crate::components::PanelProps;
use crate::state::{Action, RunsView};
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows, TermHelp};
use crate::url::{run_selection, run_selection_text};
use crate::words;
use crate::words::glossary::Term;

/// Maximum number of runs in a list.
const MOST: usize = 200;

/// Renders the choices: base side, new side, and the attribute by which executions are grouped.
pub fn choices(props: &PanelProps, names: &[String]) -> Html {
    let (view, range) = (&props.state.nav.runs, props.state.nav.range);
    let sides = view.sides(props.state.load.info.runs, range);
    let [base, new] = sides.clone().map_or([None, None], |sides| sides.map(Some));
    let swapped = sides.clone();
    let swap = change(props, move |view, _: MouseEvent| {
        if let Some([base, new]) = swapped.clone() {
            (view.base, view.new) = (Some(new), Some(base));
        }
    });
    let range_as = |side: &Option<RunSelection>, set: fn(&mut RunsView, RunSelection)| {
        let runs = side.as_ref().map(|side| side.runs.clone()).unwrap_or_default();
        let onclick = change(props, move |view, _: MouseEvent| {
            set(view, RunSelection { runs: runs.clone(), within: range, outside: false });
            view.group = None;
        });
        html! {
            <button type="button" class="btn small" title={words::compare::USE_RANGE_MEANING} disabled={range.is_none()} {onclick}>
                { words::compare::USE_RANGE }
            </button>
        }
    };
    html! {
        <div class="compare-choices">
            <label for="runs-base"><b>{ words::compare::BASE }</b></label>
            { side(props, "runs-base", (&base, &new), names, |view, side| view.base = Some(side)) }
            <span class="compare-own">{ range_as(&base, |view, side| view.base = Some(side)) }</span>
            <label for="runs-new"><b>{ words::compare::NEW }</b></label>
            { side(props, "runs-new", (&new, &base), names, |view, side| view.new = Some(side)) }
            <span class="compare-own">
                { range_as(&new, |view, side| view.new = Some(side)) }
                <button type="button" class="btn small" title={words::compare::SWAP_SIDES} disabled={sides.is_none()} onclick={swap}>{ words::compare::SWAP }</button>
            </span>
            <label for="runs-by">{ words::compare::GROUP_BY }</label>
            { group_by(props) }
            <span class="compare-own"><TermHelp term={Term::StatementShape} />{ flame(props, sides.as_ref()) }</span>
        </div>
    }
}

/// The button that shows the difference of both sides as a flame graph.
fn flame(props: &PanelProps, sides: Option<&[RunSelection; 2]>) -> Html {
    let Some([base, new]) = sides.cloned() else { return Html::default() };
    let dispatch = props.dispatch.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        let sides = MergedDifference { base: base.clone(), new: new.clone(), width_by_base: false };
        dispatch.dispatch(Action::MergeDifference(sides));
    });
    html! {
        <button type="button" class="btn small" title={words::compare::FLAME_MEANING} {onclick}>{ words::compare::FLAME }</button>
    }
}

fn option(value: String, selected: bool, text: String) -> Html {
    html! { <option key={value.clone()} {value} {selected}>{ text }</option> }
}

/// Renders the control that chooses the runs or time range of a side.
fn side(
    props: &PanelProps,
    id: &'static str,
    (now, other): (&Option<RunSelection>, &Option<RunSelection>),
    names: &[String],
    set: fn(&mut RunsView, RunSelection),
) -> Html {
    let run = |runs: Vec<u32>| RunSelection { runs, ..RunSelection::default() };
    let n_runs = names.len() as u32;
    let mut offered: Vec<(RunSelection, String)> = Vec::new();
    for at in 0..n_runs.min(MOST as u32) {
        offered.push((run(vec![at]), side_name(&run(vec![at]), names)));
    }
    if n_runs > 1 {
        offered.push((run(Vec::new()), words::compare::ALL_RUNS.to_owned()));
    }
    if let Some(other) = other {
        if let (&[alone], None, 3..) = (&other.runs[..], other.within, n_runs) {
            let rest = run((0..n_runs.min(MOST as u32)).filter(|at| *at != alone).collect());
            offered.push((rest, words::compare::all_but(&side_name(other, names))));
        }
        if other.within.is_some() {
            let rest = RunSelection { outside: !other.outside, ..other.clone() };
            let text = side_name(&rest, names);
            offered.push((rest, text));
        }
    }
    if let Some(now) = now.as_ref().filter(|now| !offered.iter().any(|(side, _)| side == *now)) {
        offered.insert(0, (now.clone(), side_name(now, names)));
    }
    let options = offered
        .into_iter()
        .map(|(side, text)| option(run_selection_text(&side), now.as_ref() == Some(&side), text));
    let options: Vec<Html> = options.collect();
    let onchange = change(props, move |view, event: Event| {
        let value = event.target_unchecked_into::<HtmlSelectElement>().value();
        if let Some(side) = run_selection(&value) {
            set(view, side);
            view.group = None;
        }
    });
    html! { <select {id} class="foreign" dir="auto" {onchange}>{ for options }</select> }
}

const GROUPS: [(GroupBy, &str); 5] = [
    (GroupBy::Shape, words::compare::BY_STATEMENT),
    (GroupBy::Name, words::compare::BY_NAME),
    (GroupBy::Kind, words::compare::BY_KIND),
    (GroupBy::Datasource, words::compare::BY_DATASOURCE),
    (GroupBy::Connector, words::compare::BY_CONNECTOR),
];

fn group_by(props: &PanelProps) -> Html {
    let info = &props.state.load.info;
    let now = props.state.nav.runs.by;
    let has = |by: GroupBy| match by {
        GroupBy::Shape => info.queries > 0,
        GroupBy::Name | GroupBy::Kind => true,
        GroupBy::Datasource | GroupBy::Connector => info.sources,
    };
    let shown = GROUPS.into_iter().filter(|(by, _)| has(*by) || *by == now);
    let options = shown.map(|(by, name)| option(name.to_owned(), by == now, name.to_owned()));
    let options: Vec<Html> = options.collect();
    let onchange = change(props, |view, event: Event| {
        let value = event.target_unchecked_into::<HtmlSelectElement>().value();
        if let Some((by, _)) = GROUPS.into_iter().find(|(_, name)| *name == value) {
            (view.by, view.group) = (by, None);
        }
    });
    html! { <select id="runs-by" {onchange}>{ for options }</select> }
}

/// A measure of the totals: its name, its value on a side, and the function that formats it.
type HeadMeasure = (&'static str, fn(&SideTotals) -> Option<i64>, fn(i64) -> String);

const MEASURES: [HeadMeasure; 10] = [
    (words::compare::WALL_TIME, |side| Some(side.wall), text::duration),
    (words::compare::COUNT, |side| i64::try_from(side.all.count).ok(), text::count),
    (words::compare::TOTAL, |side| side.all.total, text::duration),
    ("p50", |side| side.all.p50, text::duration),
    ("p95", |side| side.all.p95, text::duration),
    (words::compare::SELF_TIME, |side| side.all.self_time, text::duration),
    (words::compare::ROWS_READ, |side| side.all.rows_read, text::count),
    (words::compare::ROWS_RETURNED, |side| side.all.rows_returned, text::count),
    (words::compare::BYTES, |side| side.all.bytes, text::bytes),
    (words::compare::FAILED, |side| i64::try_from(side.all.failed).ok(), text::count),
];

/// Renders the totals of both sides, and the verdict.
pub fn totals(spec: &RunComparisonSpec, page: &ComparedRuns) -> Html {
    let columns = vec![
        TableColumn::text(words::compare::MEASURE),
        TableColumn::number(words::compare::BASE).unsorted(),
        TableColumn::number(words::compare::NEW).unsorted(),
        TableColumn::number(words::compare::DIFFERENCE).meaning(words::compare::NEW_MINUS_BASE).unsorted(),
        TableColumn::number(words::compare::CHANGE).meaning(words::compare::CHANGE_MEANING).unsorted(),
    ];
    let measures = MEASURES.iter().filter_map(|&(name, value, write)| {
        let values = [value(&page.base), value(&page.new)];
        values.iter().any(Option::is_some).then_some((name, values, write))
    });
    let rows = TableRows::in_page(measures.collect::<Vec<_>>(), |&(name, [base, new], write)| {
        let cell = |value: Option<i64>| match value {
            Some(value) => TableCell::number(write(value), value),
            None => TableCell::absent(words::common::NOT_REPORTED),
        };
        TableRow::of(vec![
            TableCell::text(name),
            cell(base),
            cell(new),
            difference(base, new, write),
            percent(base, new),
        ])
    });
    let head = html! {
        <>
            <h2 id="compared-totals">{ words::compare::TOTALS }</h2>
            <p class="whole-line verdict" role="status">{ words::compare::verdict(spec.base == spec.new, page) }</p>
        </>
    };
    html! {
        <section aria-labelledby="compared-totals">
            <DataTable id="compared-total" label={words::compare::TOTALS} class="framed" {columns} {rows} heading={TableHeading::section(head)} />
        </section>
    }
}

/// A cell with new minus base; a missing value counts as zero if the other side has a value.
pub fn difference(base: Option<i64>, new: Option<i64>, write: fn(i64) -> String) -> TableCell {
    if base.is_none() && new.is_none() {
        return TableCell::absent(words::common::NOT_REPORTED);
    }
    let change = new.unwrap_or(0).saturating_sub(base.unwrap_or(0));
    TableCell::number(words::compare::signed_by(change, write), change)
}

fn percent(base: Option<i64>, new: Option<i64>) -> TableCell {
    match (base, new) {
        (Some(base), Some(new)) if base > 0 => TableCell::text(words::compare::percent_change(base, new)),
        _ => TableCell::absent(words::compare::NO_PERCENT),
    }
}
