//! The steps of two executions, compared in a table.

use std::rc::Rc;

use queryscope::internal::text;
use queryscope::protocol::{Compare, CompareColumn, CompareStep, CompareView, StepSum};
use yew::prelude::*;

use super::jump;
use crate::components::PanelProps;
use crate::components::color::swatch;
use crate::state::Action;
use crate::ui::{
    DataTable, RowSource, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, WorkerOrder,
};
use crate::words;

/// Properties of the table of steps.
#[derive(Properties, PartialEq)]
pub struct CompareTableProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// Result of the comparison.
    pub found: Compare,
    /// Text about the steps, above the table.
    pub about: AttrValue,
    /// Controls that choose which steps are shown.
    pub switches: Html,
}

/// The table of steps of both executions.
#[component]
pub fn Table(props: &CompareTableProps) -> Html {
    let found = Rc::new(props.found.clone());
    let left = (found.n_steps as usize).saturating_sub(found.steps.len());
    let about = html! {
        <>
            <h2 id="compare-steps">{ words::compare::STEPS }</h2>
            <p>
                { &props.about }
                if left > 0 { { words::compare::steps_not_shown(left) } }
            </p>
            <span class="end compare-switches">{ props.switches.clone() }</span>
        </>
    };
    html! {
        <DataTable id="compared" label={words::compare::STEPS} class="framed" columns={columns()} rows={rows(&props.panel, &found)}
            heading={TableHeading::section(about)} />
    }
}

/// Time of the step in new minus its time in base, in nanoseconds. `per` is the number of executions that base averages.
fn difference(step: &CompareStep, per: i64) -> i64 {
    let time = |sum: &Option<StepSum>| sum.as_ref().map_or(0, |sum| sum.time);
    time(&step.a).saturating_sub(time(&step.b) / per)
}

/// Columns of the table. [`ORDERS`] has the sort key of each.
fn columns() -> Vec<TableColumn> {
    vec![
        TableColumn::text(words::compare::STEP)
            .meaning(words::compare::PLAN_ORDER)
            .track("minmax(200px, 36fr)", "200px"),
        TableColumn::time(words::compare::BASE).meaning(words::compare::TIME_IN_BASE),
        TableColumn::time(words::compare::NEW).meaning(words::compare::TIME_IN_NEW),
        TableColumn::time(words::compare::DIFFERENCE).meaning(words::compare::DIFFERENCE_OF_STEP),
        TableColumn::bars(words::compare::DIFFERENCE_BAR),
        TableColumn::number(words::compare::RATIO).meaning(words::compare::RATIO_OF_STEP),
        TableColumn::number(words::compare::CALLS).meaning(words::compare::CALLS_MEANING).unsorted(),
        TableColumn::number(words::compare::ROWS).meaning(words::common::MAX_ROWS).unsorted(),
    ]
}

/// Sort key of the worker for each column of the table. `None` if the column is not sortable.
const ORDERS: [Option<CompareColumn>; 8] = [
    Some(CompareColumn::Step),
    Some(CompareColumn::B),
    Some(CompareColumn::A),
    Some(CompareColumn::Difference),
    None,
    Some(CompareColumn::Ratio),
    None,
    None,
];

fn rows(panel: &PanelProps, found: &Rc<Compare>) -> TableRows {
    let view = panel.state.nav.compare.clone();
    let column = ORDERS.iter().position(|order| *order == Some(view.sort));
    let now = column.map(|column| SortOrder { column, descending: !view.ascending });
    let onsort = panel.dispatch_of(Action::Compare).reform(move |order: Option<SortOrder>| {
        let sort = order.and_then(|order| *ORDERS.get(order.column)?).unwrap_or(view.sort);
        let ascending = order.map_or(view.ascending, |order| !order.descending);
        CompareView { sort, ascending, ..view.clone() }
    });
    let source = RowSource::Worker(WorkerOrder { now, has_original: false, onsort }, None);
    let per = i64::from(found.n_b.max(1));
    let most = found.steps.iter().map(|step| difference(step, per).saturating_abs()).max().unwrap_or(0);
    let (panel, found) = (panel.clone(), found.clone());
    let count = found.steps.len() as u32;
    let row = move |at: u32| {
        let steps = StepRows { panel: &panel, found: &found, per, most };
        found.steps.get(at as usize).map(|step| steps.row(step))
    };
    TableRows { count, row: Rc::new(row), source }
}

struct StepRows<'a> {
    panel: &'a PanelProps,
    found: &'a Compare,
    /// Number of executions that base averages.
    per: i64,
    /// Maximum difference of all steps, in nanoseconds, which is the length of the longest bar.
    most: i64,
}

impl StepRows<'_> {
    fn row(&self, step: &CompareStep) -> TableRow {
        // Without a base, there is no difference.
        let change = if self.found.has_base() { difference(step, self.per) } else { 0 };
        let time = |(sum, per): (&Option<StepSum>, i64)| sum.as_ref().map(|sum| sum.time / per);
        let both = time((&step.a, 1)).zip(time((&step.b, self.per)));
        TableRow::of(vec![
            self.name(step),
            self.side(step.b.as_ref(), self.per),
            self.side(step.a.as_ref(), 1),
            changed(change, both.is_some()),
            self.bar(change),
            both.map_or_else(
                || TableCell::absent(if self.found.has_base() { words::compare::ONLY_IN_ONE } else { "" }),
                |(a, b)| TableCell::text(words::compare::ratio(a, b)),
            ),
            TableCell::text(self.both(step, runs)),
            TableCell::text(self.both(step, |sum, _| text::or_dash(sum.rows, text::count))),
        ])
    }

    fn name(&self, step: &CompareStep) -> TableCell {
        let place = |sum: &Option<StepSum>| sum.as_ref().and_then(|sum| sum.place);
        let places = match (place(&step.a), place(&step.b)) {
            (Some(a), Some(b)) if a != b => words::compare::either(&b.to_string(), &a.to_string()),
            (a, b) => a.or(b).map_or_else(String::new, |place| place.to_string()),
        };
        let lone = match (&step.a, &step.b) {
            (Some(_), None) if self.found.has_base() => Some(words::compare::ONLY_IN_NEW),
            (None, Some(_)) => Some(words::compare::ONLY_IN_BASE),
            _ => None,
        };
        let name = html! {
            <>
                <span class="place" title={words::compare::PLACE}>{ places }</span>{ swatch(step.color) }{ " " }
                if let Some(lone) = lone { <span class="pill warn">{ lone }</span>{ " " } }
                <span class="foreign" dir="auto">{ &step.name }</span>
            </>
        };
        let title = words::compare::kind_and_name(&step.kind, &step.name);
        TableCell::text(step.name.clone()).titled(title).class("mono").shown(name)
    }

    /// A cell with the step's time in one execution, linked to the longest call of the step.
    fn side(&self, sum: Option<&StepSum>, per: i64) -> TableCell {
        let Some(sum) = sum else {
            return TableCell::absent(if self.found.has_base() { words::compare::DID_NOT_RUN } else { "" });
        };
        let time = sum.time / per;
        let title = words::compare::show_longest(time);
        TableCell::time(time).link(title, jump(self.panel, self.found, sum.item))
    }

    /// A cell with a bar of the difference: to the right if the step took longer in new, to the left if in base.
    fn bar(&self, change: i64) -> TableCell {
        let share =
            if self.most > 0 { change.saturating_abs() as f64 / self.most as f64 * 50.0 } else { 0.0 };
        let left = if change < 0 { 50.0 - share } else { 50.0 };
        let class = if change < 0 { "shorter" } else { "longer" };
        TableCell::default().shown(html! {
            <span class="change-bar" aria-hidden="true"><i {class} style={format!("left:{left:.2}%;width:{share:.2}%")} /></span>
        })
    }

    /// Returns the values of base and new as text, or a single value if both are equal.
    fn both(&self, step: &CompareStep, write: impl Fn(&StepSum, i64) -> String) -> String {
        let side = |sum: &Option<StepSum>, per: i64| sum.as_ref().map(|sum| write(sum, per));
        match (side(&step.a, 1), side(&step.b, self.per)) {
            (Some(a), Some(b)) if a != b => words::compare::either(&b, &a),
            (a, b) => a.or(b).unwrap_or_default(),
        }
    }
}

/// A cell with the signed difference of a step.
fn changed(change: i64, ran_in_both: bool) -> TableCell {
    if change == 0 && !ran_in_both {
        return TableCell::absent("");
    }
    let look = (change != 0).then_some(if change > 0 { "longer" } else { "shorter" });
    let title = text::duration_exact(change.saturating_abs());
    TableCell::number(words::compare::signed(change), change).titled(title).class_if(look)
}

/// Describes the number of calls of a step per execution, and their skew.
fn runs(sum: &StepSum, per: i64) -> String {
    let runs = i64::from(sum.runs);
    let count = if runs % per == 0 { text::count(runs / per) } else { text::ratio(runs as f64 / per as f64) };
    let average = sum.time as f64 / runs.max(1) as f64;
    let skew = if runs > per && average > 0.0 { sum.longest as f64 / average } else { 0.0 };
    if skew > 1.0 { words::compare::uneven_calls(&count, skew) } else { count }
}
