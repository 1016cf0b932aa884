//! The tables of the panel.

use std::ops::Range;

use queryscope::protocol::{
    EqualSteps, Held, Link, Parallel, PathName, PathStep, PlanStep, Producer, Worker,
};
use queryscope::text;
use yew::prelude::*;

use super::share;
use crate::components::{PanelProps, show_in_timeline};
use crate::state::Action;

/// A table, or that it has no rows.
pub fn table(label: &'static str, columns: &[&'static str], rows: Vec<Html>) -> Html {
    if rows.is_empty() {
        return html! { <p class="muted">{ "None." }</p> };
    }
    html! {
        <div class="table-frame scrolls" tabindex="0" role="group" aria-label={label}>
            <table class="summary">
                <thead><tr>{ for columns.iter().map(|name| heading(name)) }</tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}

/// How many rows of a table are shown, and a button for more of them.
type Shown = (usize, Html);

/// A table whose further rows a button shows.
fn long_table(label: &'static str, columns: &[&'static str], rows: Vec<Html>, more: &Html) -> Html {
    html! { <>{ table(label, columns, rows) }{ more.clone() }</> }
}

/// The name of a column of bars, which repeat the numbers beside them.
const BAR: &str = "";

/// The head of a column; one of bars has no words, and is none for those who do not see them.
pub fn heading(name: &'static str) -> Html {
    match name {
        BAR => html! { <td aria-hidden="true" /> },
        name => html! { <th scope="col">{ name }</th> },
    }
}

/// A time; exactly in its title.
pub fn time(ns: i64) -> Html {
    html! { <td title={text::duration_exact(ns)}>{ text::duration(ns) }</td> }
}

/// Parts of a whole as one bar: work, what it says that it waits, the rest.
pub fn bar(parts: &[(&'static str, i64)], whole: i64) -> Html {
    let part = |(class, value): &(&'static str, i64)| {
        let width = if whole > 0 { *value as f64 / whole as f64 * 100.0 } else { 0.0 };
        html! { <i class={*class} style={format!("width:{width:.2}%")}></i> }
    };
    html! { <td class="bar-cell"><span class="use-bar" aria-hidden="true">{ for parts.iter().map(part) }</span></td> }
}

/// Numbers of threads from none to the most that ran together.
pub fn concurrencies(view: &Parallel) -> usize {
    view.at_once.iter().rposition(|&ns| ns > 0).map_or(0, |last| last + 1)
}

/// Time with exactly none, one, two, … threads running. Numbers of threads that never ran together are left out at the end.
pub fn at_once(view: &Parallel, (shown, more): &Shown) -> Html {
    let wall = view.at_once.iter().copied().fold(0, i64::saturating_add);
    let row = |(threads, &ns): (usize, &i64)| {
        html! {
            <tr>
                <th scope="row">{ text::counted(threads as u64, "thread", "threads") }</th>
                { bar(&[("work", ns)], wall) }
                { time(ns) }
                <td>{ share(ns, wall) }</td>
            </tr>
        }
    };
    long_table(
        "Concurrency",
        &["Running", "", "Time", "Share"],
        view.at_once.iter().enumerate().take(*shown).map(row).collect(),
        more,
    )
}

/// The threads.
pub fn workers(view: &Parallel, (shown, more): &Shown) -> Html {
    let wall = view.end.saturating_sub(view.start);
    let row = |worker: &Worker| {
        html! {
            <tr>
                <th scope="row" class="clip foreign" dir="auto" title={worker.name.clone()}>{ &worker.name }</th>
                { bar(&[("work", worker.busy), ("wait", worker.waiting)], wall) }
                { time(worker.busy) }
                <td>{ share(worker.busy, wall) }</td>
                { time(worker.waiting) }
                { time(worker.idle) }
                { time(worker.starved) }
                <td>{ text::count(i64::from(worker.spans)) }</td>
            </tr>
        }
    };
    let columns = ["Thread", "", "Busy", "Share", "Waiting", "Idle", "Starved", "Spans"];
    long_table("By thread", &columns, view.workers.iter().take(*shown).map(row).collect(), more)
}

/// The inputs that threads waited for.
pub fn producers(props: &PanelProps, view: &Parallel, (shown, more): &Shown) -> Html {
    let row = |producer: &Producer| {
        html! {
            <tr>
                { name(props, &producer.link) }
                { time(producer.time) }
                <td>{ text::count(i64::from(producer.count)) }</td>
                { time(producer.link.duration.unwrap_or(0)) }
            </tr>
        }
    };
    let columns = ["Span", "Waiting time, all threads", "Waits", "Duration"];
    long_table("Blocking producers", &columns, view.producers.iter().take(*shown).map(row).collect(), more)
}

/// The critical path, span by span.
pub fn path(props: &PanelProps, view: &Parallel, (shown, more): &Shown) -> Html {
    let row = |step: &PathStep| {
        html! {
            <tr>
                { name(props, &step.link) }
                <td class="foreign" dir="auto">{ &step.via }</td>
                <td class="clip foreign" dir="auto" title={step.thread.clone()}>{ &step.thread }</td>
                { time(step.start.saturating_sub(view.start)) }
                { time(step.gap) }
                { time(step.time) }
                <td>{ share(step.time, view.path_time) }</td>
            </tr>
        }
    };
    let columns = ["Span", "Input", "Thread", "Start", "Gap before", "Time", "Share of the path"];
    long_table("Critical path", &columns, view.path.iter().take(*shown).map(row).collect(), more)
}

/// The critical path by the names of its spans.
pub fn path_names(props: &PanelProps, view: &Parallel, (shown, more): &Shown) -> Html {
    let row = |of: &PathName| {
        let (dispatch, item) = (props.dispatch.clone(), of.longest.item);
        let onclick = move |_: MouseEvent| show_in_timeline(&dispatch, item);
        html! {
            <tr>
                <th scope="row" class="clip">
                    <button type="button" class="link foreign" dir="auto" title="Show the longest part in the Gantt view" {onclick}>{ &of.name }</button>
                </th>
                { bar(&[("work", of.time)], view.path_time) }
                { time(of.time) }
                <td>{ share(of.time, view.path_time) }</td>
                <td>{ text::count(i64::from(of.count)) }</td>
            </tr>
        }
    };
    let columns = ["Name", "", "Time on the path", "Share of the path", "Parts"];
    long_table(
        "Critical path by name",
        &columns,
        view.path_names.iter().take(*shown).map(row).collect(),
        more,
    )
}

/// The plan, with the instruction marked of which a run is selected.
pub fn plan(props: &PanelProps, view: &Parallel, (shown, more): &Shown) -> Html {
    let longest = view.plan.iter().map(|step| step.time).max().unwrap_or(0);
    let several = view.plan.windows(2).any(|two| two[0].program != two[1].program);
    let row = |at: u32| {
        let Some(step) = view.plan.get(at as usize) else { return Html::default() };
        let before = (at as usize).checked_sub(1).and_then(|before| view.plan.get(before));
        let begins = several && before.is_none_or(|before| before.program != step.program);
        let (dispatch, item) = (props.dispatch.clone(), step.item);
        let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Select(Some(item)));
        let selected = view.marked == Some(at);
        html! {
            <>
            if begins {
                <tr><th scope="rowgroup" colspan="6" class="foreign" dir="auto">{ function(&step.program) }</th></tr>
            }
            <tr aria-current={selected.then_some("true")} class={classes!(selected.then_some("selected"))}>
                <th scope="row" class="plan-text">
                    <span class="place">{ for place(step) }</span>
                    <button type="button" class="link foreign" dir="auto" title={step.text.clone()} {onclick}>{ &step.text }</button>
                </th>
                { bar(&[("work", step.time)], longest) }
                { time(step.time) }
                <td>{ text::count(i64::from(step.runs)) }</td>
                <td>{ text::or_dash(step.rows, text::count) }</td>
                <td>{ text::or_dash(step.bytes, text::bytes) }</td>
            </tr>
            </>
        }
    };
    let piece =
        |(left_out, rows): (u32, Range<u32>)| html! { <>{ skipped(left_out) }{ for rows.map(row) }</> };
    long_table(
        "Plan",
        &["Instruction", "", "Time", "Executions", "Max rows of one execution", "Max bytes of one execution"],
        plan_rows(view, *shown).into_iter().map(piece).collect(),
        more,
    )
}

/// Instructions around a marked one that is far down.
const AROUND: u32 = 10;

/// The rows of a plan that are shown, in one or two pieces, each with how many are left out before it: the first ones,
/// and those around the marked one.
fn plan_rows(view: &Parallel, shown: usize) -> Vec<(u32, Range<u32>)> {
    let (all, first) = (view.plan.len() as u32, shown as u32);
    if all == 0 {
        return Vec::new();
    }
    let mut pieces = vec![(0, 0..first.min(all))];
    if let Some(marked) = view.marked.filter(|&marked| marked >= first && marked < all) {
        let start = marked.saturating_sub(AROUND).max(first);
        pieces.push((start - first, start..(marked + AROUND + 1).min(all)));
    }
    pieces
}

/// A row that stands for those that are left out.
fn skipped(rows: u32) -> Html {
    let words = || format!("… {}", text::counted(rows.into(), "instruction", "instructions"));
    html! { if rows > 0 { <tr><td colspan="6" class="skipped">{ words() }</td></tr> } }
}

/// The place of an instruction, where it is told.
fn place(step: &PlanStep) -> Option<i64> {
    Some(step.place).filter(|place| *place != PlanStep::NOWHERE)
}

/// What stands above the instructions of a function.
fn function(program: &str) -> String {
    if program.is_empty() { "Unknown function".to_owned() } else { format!("function {program}") }
}

/// Instructions that do the same, and how evenly they ran.
pub fn equal(props: &PanelProps, view: &Parallel, (shown, more): &Shown) -> Html {
    let row = |of: &EqualSteps| {
        let longest = of.slowest.duration.unwrap_or(0);
        let average = of.time as f64 / f64::from(of.runs.max(1));
        let skew = if average > 0.0 { text::ratio(longest as f64 / average) } else { "–".to_owned() };
        let (dispatch, item) = (props.dispatch.clone(), of.slowest.item);
        let onclick = move |_: MouseEvent| show_in_timeline(&dispatch, item);
        html! {
            <tr>
                <th scope="row" class="plan-text foreign" dir="auto" title={of.name.clone()}>{ &of.name }</th>
                <td>{ text::count(i64::from(of.places)) }</td>
                { time(of.time) }
                { time(of.shortest) }
                { time(of.median) }
                <td><button type="button" class="link" title={format!("{}: show the slowest in the Gantt view", text::duration_exact(longest))} {onclick}>{ text::duration(longest) }</button></td>
                <td>{ skew }</td>
            </tr>
        }
    };
    let columns = ["Step", "Parts", "Time", "Shortest", "Median", "Longest", "Skew"];
    long_table("Partition skew", &columns, view.equal.iter().take(*shown).map(row).collect(), more)
}

/// What was handed on, and for how long it was there.
pub fn values(props: &PanelProps, view: &Parallel, (shown, more): &Shown) -> Html {
    let wall = view.end.saturating_sub(view.start);
    let row = |value: &Held| {
        let (before, life) = (value.start.saturating_sub(view.start), value.end.saturating_sub(value.start));
        html! {
            <tr>
                <th scope="row" class="clip foreign" dir="auto">{ &value.name }</th>
                { bar(&[("before", before), ("work", life)], wall) }
                <td>{ text::or_dash(value.bytes, text::bytes) }</td>
                { time(before) }
                { time(life) }
                <td>{ text::count(i64::from(value.readers)) }</td>
                { name(props, &value.link) }
            </tr>
        }
    };
    let columns = ["Value", "", "Bytes", "Created at", "Lifetime", "Readers", "Created by"];
    long_table("Intermediate results", &columns, view.values.iter().take(*shown).map(row).collect(), more)
}

/// A span, to be selected and shown in the Gantt view.
fn name(props: &PanelProps, link: &Link) -> Html {
    let (dispatch, item) = (props.dispatch.clone(), link.item);
    let onclick = move |_: MouseEvent| show_in_timeline(&dispatch, item);
    html! {
        <th scope="row" class="clip">
            <button type="button" class="link foreign" dir="auto" title="Show in the Gantt view" {onclick}>{ &link.title }</button>
        </th>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_marked_instruction_is_among_the_rows() {
        let step = |place| {
            let (text, program) = (String::new(), String::new());
            PlanStep { place, text, item: 0, runs: 1, time: 1, rows: None, bytes: None, program }
        };
        for (all, shown, marked, expected) in [
            (0, 0, None, vec![]),
            (5, 5, None, vec![(0, 0..5)]),
            (500, 100, Some(99), vec![(0, 0..100)]),
            (500, 100, Some(104), vec![(0, 0..100), (0, 100..115)]),
            (500, 100, Some(300), vec![(0, 0..100), (190, 290..311)]),
            (500, 100, Some(499), vec![(0, 0..100), (389, 489..500)]),
            (500, 100, Some(900), vec![(0, 0..100)]),
        ] {
            let view = Parallel { plan: (0..all).map(step).collect(), marked, ..Parallel::default() };
            assert_eq!(plan_rows(&view, shown), expected, "{all} {shown} {marked:?}");
        }
    }
}
