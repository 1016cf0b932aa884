//! The choice of both sides, their totals and the verdict.

use queryscope::internal::text;
use queryscope::protocol::{
    ComparedRunGroup, ComparedRunRow, ComparedRuns, GroupBy, MergedDifference, QueryColumn,
    RunComparisonSpec, RunSelection, SideMeasures, SideTotals,
};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::side_link::{MeasureLink, SideLink};
use super::{change, side_name};
use crate::components::PanelProps;
use crate::state::{Action, RunsView};
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows, TermHelp};
use crate::url::{run_selection, run_selection_text};
use crate::words;
use crate::words::glossary::Term;

/// Maximum number of runs in a list.
const MOST: usize = 200;
const NEW_SIDE: &str = "runs-new";
/// Value of the option for every other run.
const EACH: &str = "each";

/// Renders the choices: base side, new side, and the attribute by which executions are grouped.
pub fn choices(props: &PanelProps, names: &[String]) -> Html {
    let (view, range) = (&props.state.nav.runs, props.state.nav.range);
    let base_of_all = view.base_of_all(props.state.load.info.runs);
    let sides = view.sides(props.state.load.info.runs, range);
    let [base, new] = sides.clone().map_or([None, None], |sides| sides.map(Some));
    let new = new.filter(|_| base_of_all.is_none());
    let sides = sides.filter(|_| base_of_all.is_none());
    let swapped = sides.clone();
    let swap = change(props, move |view, _: MouseEvent| {
        if let Some([base, new]) = swapped.clone() {
            (view.base, view.new) = (Some(new), Some(base));
            view.only = None;
        }
    });
    let n_runs = props.state.load.info.runs;
    let range_as = |side: &Option<RunSelection>, [own, other]: [fn(&mut RunsView, RunSelection); 2]| {
        let runs = side.as_ref().map(|side| side.runs.clone()).unwrap_or_default();
        let onclick = change(props, move |view, _: MouseEvent| {
            let inside = RunSelection { runs: runs.clone(), within: range, outside: false };
            own(view, inside.clone());
            if view.sides(n_runs, range).is_some_and(|[base, new]| base == new) {
                other(view, RunSelection { outside: true, ..inside });
            }
            view.show_all_verdicts();
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
            { side(props, "runs-base", (&base, &new), names, |view, side| view.base = side) }
            <span class="compare-own">{ range_as(&base, [set_base, set_new]) }</span>
            <label for={NEW_SIDE}><b>{ words::compare::NEW }</b></label>
            { side(props, NEW_SIDE, (&new, &base), names, |view, side| view.new = side) }
            <span class="compare-own">
                { range_as(&new, [set_new, set_base]) }
                <button type="button" class="btn small" title={words::compare::SWAP_SIDES} disabled={sides.is_none()} onclick={swap}>{ words::compare::SWAP }</button>
            </span>
            <label for="runs-by">{ words::compare::GROUP_BY }</label>
            { group_by(props) }
            <span class="compare-own">
                if !props.state.load.info.has_slices_alone() { <TermHelp term={Term::StatementShape} /> }
                if let Some(sides) = sides.filter(|_| view.group.is_none()) { { flame(props, sides, None) } }
            </span>
        </div>
    }
}

fn set_base(view: &mut RunsView, side: RunSelection) {
    view.base = Some(side);
}

fn set_new(view: &mut RunsView, side: RunSelection) {
    view.new = Some(side);
}

/// The button that shows the difference of both sides as a flame graph, with this filter, or that of all views for `None`.
pub fn flame(props: &PanelProps, [base, new]: [RunSelection; 2], filter: Option<String>) -> Html {
    let dispatch = props.dispatch.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        if let Some(filter) = &filter {
            dispatch.dispatch(Action::Filter(filter.clone()));
        }
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
    set: fn(&mut RunsView, Option<RunSelection>),
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
    let each = (id == NEW_SIDE && n_runs > 2)
        .then(|| option(EACH.to_owned(), now.is_none(), words::run_table::EACH_OTHER_RUN.to_owned()));
    let options: Vec<Html> = each.into_iter().chain(options).collect();
    let onchange = change(props, move |view, event: Event| {
        let value = event.target_unchecked_into::<HtmlSelectElement>().value();
        let side = run_selection(&value);
        if side.is_some() {
            set(view, side);
            view.show_all_verdicts();
        } else if value == EACH {
            set(view, None);
            view.show_all_groups();
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
    let now = match props.state.nav.runs.by {
        // Without statements, the engine groups by name.
        GroupBy::Shape if info.has_slices_alone() => GroupBy::Name,
        by => by,
    };
    let has = |by: GroupBy| match by {
        GroupBy::Shape => !info.has_slices_alone(),
        GroupBy::Name | GroupBy::Kind => true,
        GroupBy::Datasource | GroupBy::Connector => info.sources,
    };
    let shown = GROUPS.into_iter().filter(|(by, _)| has(*by) || *by == now);
    let options = shown.map(|(by, name)| option(name.to_owned(), by == now, name.to_owned()));
    let options: Vec<Html> = options.collect();
    let onchange = change(props, |view, event: Event| {
        let value = event.target_unchecked_into::<HtmlSelectElement>().value();
        if let Some((by, _)) = GROUPS.into_iter().find(|(_, name)| *name == value) {
            view.by = by;
            view.show_all_groups();
        }
    });
    html! { <select id="runs-by" {onchange}>{ for options }</select> }
}

/// Unit of a measure's values.
#[derive(Clone, Copy)]
pub enum MeasureUnit {
    Count,
    Time,
    Bytes,
}

impl MeasureUnit {
    /// The function that formats a value.
    pub fn write(self) -> fn(i64) -> String {
        match self {
            Self::Count => text::count,
            Self::Time => text::duration,
            Self::Bytes => text::bytes,
        }
    }

    /// A column of values.
    pub fn column(self, name: &'static str) -> TableColumn {
        match self {
            Self::Count => TableColumn::number(name),
            Self::Time => TableColumn::time(name),
            Self::Bytes => TableColumn::bytes(name),
        }
    }

    /// A cell with a value, or a dash if it was not reported.
    pub fn cell(self, value: Option<i64>) -> TableCell {
        TableCell::or_absent(
            value,
            match self {
                Self::Count => TableCell::count,
                Self::Time => TableCell::time,
                Self::Bytes => TableCell::bytes,
            },
        )
    }
}

/// A measure of the totals: its name, its unit, the executions to which its value leads, and its value on a side.
pub type HeadMeasure = (&'static str, MeasureUnit, MeasureLink, fn(&SideTotals) -> Option<i64>);

/// The executions that report rows that they read.
pub const READ: MeasureLink = MeasureLink::Meeting("rows_read >= 0", Some(QueryColumn::RowsRead));
/// The executions that report rows that they returned.
pub const RETURNED: MeasureLink = MeasureLink::Meeting("rows_returned >= 0", Some(QueryColumn::RowsReturned));

/// The measures of the totals, in order.
pub const TOTALS: [HeadMeasure; 11] = [
    (words::compare::WALL_TIME, MeasureUnit::Time, MeasureLink::Nowhere, |side| Some(side.wall)),
    (words::compare::COUNT, MeasureUnit::Count, MeasureLink::All, |side| i64::try_from(side.all.count).ok()),
    (words::compare::TOTAL, MeasureUnit::Time, MeasureLink::All, |side| side.all.total),
    ("p50", MeasureUnit::Time, MeasureLink::AtLeast, |side| side.all.p50),
    ("p95", MeasureUnit::Time, MeasureLink::AtLeast, |side| side.all.p95),
    ("max", MeasureUnit::Time, MeasureLink::AtLeast, |side| side.all.max),
    (words::compare::SELF_TIME, MeasureUnit::Time, MeasureLink::All, |side| side.all.self_time),
    (words::compare::ROWS_READ, MeasureUnit::Count, READ, |side| side.all.rows_read),
    (words::compare::ROWS_RETURNED, MeasureUnit::Count, RETURNED, |side| side.all.rows_returned),
    (words::compare::BYTES, MeasureUnit::Bytes, MeasureLink::All, |side| side.all.bytes),
    (words::compare::FAILED, MeasureUnit::Count, MeasureLink::Failed, |side| {
        i64::try_from(side.all.failed).ok()
    }),
];

/// Renders the totals of both sides, and the verdict. `runs` are the names of the runs.
pub fn totals(props: &PanelProps, spec: &RunComparisonSpec, page: &ComparedRuns, runs: &[String]) -> Html {
    let head = html! {
        <>
            <h2 id="compared-totals">{ words::compare::TOTALS }{ words::filter::filtered(page.is_filtered) }</h2>
            <p class="whole-line verdict" role="status">{ words::compare::verdict(&spec.base, &spec.new, page) }</p>
        </>
    };
    let sides = [(&spec.base, &page.base), (&spec.new, &page.new)];
    let links = sides.map(|(side, totals)| SideLink::of_totals(props, &spec.filter, side, runs, totals));
    html! {
        <section aria-labelledby="compared-totals">
            { measures("compared-total", [&page.base, &page.new], &TOTALS, head, links) }
        </section>
    }
}

/// The links to the executions of one group on both sides; `None` where no filter can express them, and where no list shows
/// them.
pub fn group_links(
    props: &PanelProps,
    spec: &RunComparisonSpec,
    row: &ComparedRunRow,
    runs: &[String],
) -> [Option<SideLink>; 2] {
    let conditions = &row.conditions;
    let sides = [(&spec.base, &row.base, conditions.of_base()), (&spec.new, &row.new, conditions.of_new())];
    sides.map(|(side, measures, condition)| {
        SideLink::of(props, &spec.filter, side, runs, measures.as_ref()?)?.of_group(condition, row.slices)
    })
}

/// Renders the measures of one group on both sides.
pub fn group_measures(found: &ComparedRunGroup, head: Html, links: [Option<SideLink>; 2]) -> Html {
    let side =
        |of: &Option<SideMeasures>| SideTotals { all: of.unwrap_or_default(), ..SideTotals::default() };
    let sides = [&side(&found.row.base), &side(&found.row.new)];
    // A group has no wall time.
    measures("compared-measure", sides, &TOTALS[1..], head, links)
}

/// A table of measures of both sides, with their differences. If a side has a link, its values lead to their executions.
fn measures(
    id: &'static str,
    [base, new]: [&SideTotals; 2],
    shown: &[HeadMeasure],
    head: Html,
    links: [Option<SideLink>; 2],
) -> Html {
    let columns = vec![
        TableColumn::text(words::compare::MEASURE),
        TableColumn::number(words::compare::BASE).unsorted(),
        TableColumn::number(words::compare::NEW).unsorted(),
        TableColumn::number(words::compare::DIFFERENCE).meaning(words::compare::NEW_MINUS_BASE).unsorted(),
        TableColumn::share(words::compare::CHANGE).meaning(words::compare::CHANGE_MEANING).unsorted(),
    ];
    let measures = shown.iter().filter_map(|&(name, unit, link, value)| {
        let values = [value(base), value(new)];
        values.iter().any(Option::is_some).then_some((name, values, unit, link))
    });
    let rows = measures.map(|(name, [base, new], unit, link)| {
        let cell = |value: Option<i64>, side: &Option<SideLink>| match side {
            Some(side) => side.measure(unit.cell(value), value, link),
            None => unit.cell(value),
        };
        TableRow::of(vec![
            // The rows have different units.
            TableCell::text(name).copied(unit.column(name).copied_name(0)),
            cell(base, &links[0]),
            cell(new, &links[1]),
            difference([Some(base), Some(new)], unit.write()),
            percent(base, new),
        ])
    });
    let rows = TableRows::in_page(rows.collect::<Vec<_>>(), TableRow::clone);
    html! { <DataTable {id} label={words::compare::MEASURES} class="framed" {columns} {rows} heading={TableHeading::section(head)} /> }
}

/// A cell with new minus base. A side without executions counts as zero; a side that does not report the measure gives no
/// difference.
pub fn difference(sides: [Option<Option<i64>>; 2], write: fn(i64) -> String) -> TableCell {
    let [Some(base), Some(new)] = sides.map(|side| side.unwrap_or(Some(0))) else {
        return TableCell::absent(words::common::NOT_REPORTED);
    };
    let change = new.saturating_sub(base);
    TableCell::number(words::compare::signed_by(change, write), change)
}

fn percent(base: Option<i64>, new: Option<i64>) -> TableCell {
    match (base, new) {
        (Some(base), Some(new)) if base > 0 => TableCell::text(words::compare::percent_change(base, new))
            .copied(words::compare::copied_percent(new as f64 / base as f64)),
        _ => TableCell::absent(words::compare::NO_PERCENT),
    }
}
