//! The steps of two executions, side by side.

use queryscope::protocol::{Compare, CompareColumn, CompareStep, CompareView, StepSum};
use queryscope::text;
use yew::prelude::*;

use super::{jump, ratio, signed};
use crate::components::PanelProps;
use crate::components::color::swatch;
use crate::components::icon::{Icon, icon};
use crate::components::more::use_more;
use crate::state::Action;

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct TableProps {
    /// What every panel gets.
    pub panel: PanelProps,
    /// What was found.
    pub found: Compare,
}

/// The table.
#[component]
pub fn Table(props: &TableProps) -> Html {
    let found = &props.found;
    let (shown, more) = use_more(found.steps.len(), "step", "steps");
    let rows = Rows {
        props,
        per: i64::from(found.n_b.max(1)),
        most: found
            .steps
            .iter()
            .map(|step| difference(step, i64::from(found.n_b.max(1))).saturating_abs())
            .max()
            .unwrap_or(0),
    };
    let left = (found.n_steps as usize).saturating_sub(found.steps.len());
    html! {
        <>
            <div class="table-frame scrolls" tabindex="0" role="group" aria-label="Steps">
                <table class="summary">
                    <thead><tr>{ head(&props.panel) }</tr></thead>
                    <tbody>{ for found.steps[..shown].iter().map(|step| rows.row(step)) }</tbody>
                </table>
            </div>
            { more }
            if left > 0 { <p class="muted">{ format!("{left} more steps are not listed.") }</p> }
        </>
    }
}

/// By how much a step took longer in the one.
fn difference(step: &CompareStep, per: i64) -> i64 {
    let time = |sum: &Option<StepSum>| sum.as_ref().map_or(0, |sum| sum.time);
    time(&step.a).saturating_sub(time(&step.b) / per)
}

const COLUMNS: [(Option<CompareColumn>, &str, &str); 8] = [
    (Some(CompareColumn::Step), "Step", "As they stand in the plan"),
    (Some(CompareColumn::A), "A", "Time in A"),
    (Some(CompareColumn::B), "B", "Time in B"),
    (
        Some(CompareColumn::Difference),
        "Difference",
        "How much longer it took in A; ordered by size, whichever took longer",
    ),
    (None, "", ""),
    (
        Some(CompareColumn::Ratio),
        "Ratio",
        "How many times as long it took in A; ordered by how far it is from 1",
    ),
    (
        None,
        "Runs",
        "How often it ran; and in brackets: at most so many times the average, which is the longest run",
    ),
    (None, "Rows", "The most that one run made"),
];

fn head(panel: &PanelProps) -> Html {
    let now = &panel.state.nav.compare;
    let cell = |&(column, name, title): &(Option<CompareColumn>, &'static str, &'static str)| {
        let Some(column) = column else {
            return match name {
                // The bars repeat the numbers before them.
                "" => html! { <td aria-hidden="true" /> },
                name => html! { <th scope="col" {title}>{ name }</th> },
            };
        };
        let is_sorted = now.sort == column;
        // One looks for the greatest numbers, but reads a plan from its beginning.
        let ascending = if is_sorted { !now.ascending } else { column == CompareColumn::Step };
        let view = CompareView { sort: column, ascending, ..now.clone() };
        let onclick = panel.dispatch_of(Action::Compare).reform(move |_: MouseEvent| view.clone());
        let order = match (is_sorted, now.ascending) {
            (false, _) => "none",
            (true, true) => "ascending",
            (true, false) => "descending",
        };
        html! {
            <th scope="col" aria-sort={order}>
                <button type="button" class="sort" {title} {onclick}>
                    { name }if is_sorted { { icon(if now.ascending { Icon::Up } else { Icon::Down }) } }
                </button>
            </th>
        }
    };
    html! { <>{ for COLUMNS.iter().map(cell) }</> }
}

struct Rows<'a> {
    props: &'a TableProps,
    /// Executions that the other side is the average of.
    per: i64,
    /// The largest difference, for the bars.
    most: i64,
}

impl Rows<'_> {
    fn row(&self, step: &CompareStep) -> Html {
        // With nothing beside it, nothing differs.
        let change = if self.props.found.n_b > 0 { difference(step, self.per) } else { 0 };
        let sums = [(&step.a, 1), (&step.b, self.per)];
        let time = |(sum, per): (&Option<StepSum>, i64)| sum.as_ref().map(|sum| sum.time / per);
        let both = time(sums[0]).zip(time(sums[1]));
        html! {
            <tr>
                { self.name(step) }
                { for sums.map(|(sum, per)| self.side(sum.as_ref(), per)) }
                <td class={(change != 0).then_some(if change > 0 { "longer" } else { "shorter" })} title={text::duration_exact(change.saturating_abs())}>{ if change == 0 && both.is_none() { "–".to_owned() } else { signed(change) } }</td>
                { self.bar(change) }
                <td>{ both.map_or_else(|| "–".to_owned(), |(a, b)| ratio(a, b)) }</td>
                <td>{ self.both(step, runs) }</td>
                <td>{ self.both(step, |sum, _| text::or_dash(sum.rows, text::count)) }</td>
            </tr>
        }
    }

    fn name(&self, step: &CompareStep) -> Html {
        let place = |sum: &Option<StepSum>| sum.as_ref().and_then(|sum| sum.place);
        let places = match (place(&step.a), place(&step.b)) {
            (Some(a), Some(b)) if a != b => format!("{a} / {b}"),
            (a, b) => a.or(b).map_or_else(String::new, |place| place.to_string()),
        };
        let lone = match (&step.a, &step.b) {
            (Some(_), None) if self.props.found.n_b > 0 => Some("only in A"),
            (None, Some(_)) => Some("only in B"),
            _ => None,
        };
        html! {
            <th scope="row" class="clip" title={format!("{}: {}", step.kind, step.name)}>
                <span class="place">{ places }</span>{ swatch(step.color) }{ " " }
                if let Some(lone) = lone { <span class="pill warn">{ lone }</span>{ " " } }
                <span class="foreign" dir="auto">{ &step.name }</span>
            </th>
        }
    }

    /// A time that leads to the longest run of the step.
    fn side(&self, sum: Option<&StepSum>, per: i64) -> Html {
        let Some(sum) = sum else {
            return html! { <td class="absent" title="It did not run">{ "–" }</td> };
        };
        let time = sum.time / per;
        let onclick = jump(&self.props.panel, &self.props.found, sum.item);
        html! {
            <td><button type="button" class="link" title={format!("{}: show the longest run", text::duration_exact(time))} {onclick}>{ text::duration(time) }</button></td>
        }
    }

    /// To the right where the one took longer, to the left where the other did.
    fn bar(&self, change: i64) -> Html {
        let share =
            if self.most > 0 { change.saturating_abs() as f64 / self.most as f64 * 50.0 } else { 0.0 };
        let left = if change < 0 { 50.0 - share } else { 50.0 };
        let class = if change < 0 { "shorter" } else { "longer" };
        html! {
            <td class="bar-cell"><span class="change-bar" aria-hidden="true"><i {class} style={format!("left:{left:.2}%;width:{share:.2}%")} /></span></td>
        }
    }

    /// What is said of both sides; once where it is the same.
    fn both(&self, step: &CompareStep, write: impl Fn(&StepSum, i64) -> String) -> String {
        let side = |sum: &Option<StepSum>, per: i64| sum.as_ref().map(|sum| write(sum, per));
        match (side(&step.a, 1), side(&step.b, self.per)) {
            (Some(a), Some(b)) if a != b => format!("{a} / {b}"),
            (a, b) => a.or(b).unwrap_or_default(),
        }
    }
}

/// How often a step ran in one execution, and how unevenly.
fn runs(sum: &StepSum, per: i64) -> String {
    let runs = i64::from(sum.runs);
    let count = if runs % per == 0 { text::count(runs / per) } else { text::ratio(runs as f64 / per as f64) };
    let average = sum.time as f64 / runs.max(1) as f64;
    let skew = if runs > per && average > 0.0 { sum.longest as f64 / average } else { 0.0 };
    if skew > 1.0 { format!("{count} (≤ {} ×)", text::ratio(skew)) } else { count }
}
