//! One group of executions: the durations of both sides, the verdict, and example executions.

use queryscope::internal::{filter_text, text};
use queryscope::protocol::{
    CompareRunsGroupRequest, CompareView, CompareWith, ComparedBar, ComparedRunGroup, ExampleExecution,
    RunComparisonSpec,
};
use yew::prelude::*;

use super::side_link::SideLink;
use super::sides::{flame, group_links, group_measures};
use super::{change, side_name};
use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::{PanelProps, show_in_timeline};
use crate::state::{Action, CompareMode, RunsView};
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows};
use crate::words;

/// Properties of one group.
#[derive(Properties, PartialEq)]
pub struct ComparedGroupProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// The sides, and the attribute by which executions are grouped.
    pub spec: RunComparisonSpec,
    /// Hash of the group's text.
    pub group: u64,
    /// Names of all runs, in the order of opening.
    pub names: Vec<String>,
}

/// The group that the comparison shows.
#[component]
pub fn Group(props: &ComparedGroupProps) -> Html {
    let panel = &props.panel;
    let build = panel.state.load.info.build;
    let request = CompareRunsGroupRequest { spec: props.spec.clone(), group: props.group };
    let answer = use_query(&panel.client, Some(request), build);
    let inert = is_old(answer.as_ref(), &build);
    // The filter is empty if that of all views is not valid.
    let missing = match props.spec.filter.is_empty() {
        true => words::compare::NO_SUCH_GROUP,
        false => words::compare::NO_SUCH_GROUP_IN_FILTER,
    };
    let back = change(panel, |view, _: MouseEvent| view.group = None);
    html! {
        <section {inert} aria-labelledby="compared-one">
            <header>
                <button type="button" class="btn small" onclick={back}>{ words::compare::ALL_GROUPS }</button>
            </header>
            { match answer.as_ref().and_then(Answer::reply) {
                None => html! { <p class="muted" id="compared-one">{ words::common::LOADING }</p> },
                Some(None) => html! { <p class="muted" id="compared-one" role="status">{ missing }</p> },
                Some(Some(found)) => content(props, found),
            } }
        </section>
    }
}

fn content(props: &ComparedGroupProps, found: &ComparedRunGroup) -> Html {
    let links = group_links(&props.panel, &props.spec, &found.row, &props.names);
    let head = html! { <h3 class="kicker">{ words::compare::MEASURES }{ words::filter::filtered(found.is_filtered) }</h3> };
    html! {
        <>
            <h2 id="compared-one" class="shape-text foreign">{ &found.text }</h2>
            <p class="verdict" role="status">{ words::compare::verdict_of_group(found) }</p>
            if found.row.change.is_some() { <p class="muted">{ words::compare::TYPICAL_CHANGE_MEANING }</p> }
            { examples(props, found) }
            { group_measures(found, head, links.clone()) }
            if !found.bars.is_empty() {
                { histogram(props, found) }
                { table(found, links) }
            }
        </>
    }
}

/// Renders the example executions of both sides, with links to compare and to show them.
fn examples(props: &ComparedGroupProps, found: &ComparedRunGroup) -> Html {
    let panel = &props.panel;
    let show = |name: String, of: Option<ExampleExecution>| {
        let Some(of) = of else { return Html::default() };
        let dispatch = panel.dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| show_in_timeline(&dispatch, of.item));
        html! {
            <button type="button" class="btn small" title={words::compare::SHOW_IN_TIMELINE} {onclick}>
                { words::compare::example(&name, of.duration) }
            </button>
        }
    };
    let compare = |label: &'static str,
                   title: &'static str,
                   in_timelines: bool,
                   pair: Option<(ExampleExecution, ExampleExecution)>| {
        // Step by step, queries are compared.
        let Some((base, new)) = pair.filter(|_| in_timelines || panel.state.load.info.compares()) else {
            return Html::default();
        };
        let (dispatch, nav) = (panel.dispatch.clone(), panel.state.nav.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            let view =
                CompareView { a: Some(new.item), b: CompareWith::Item(base.item), ..nav.compare.clone() };
            if in_timelines {
                return dispatch.dispatch(Action::SideBySide(view));
            }
            dispatch.dispatch(Action::Compare(view));
            let runs = RunsView { chosen_mode: Some(CompareMode::Executions), ..nav.runs.clone() };
            dispatch.dispatch(Action::CompareRuns(runs));
        });
        html! { <button type="button" class="btn small" {title} {onclick}>{ label }</button> }
    };
    let (base, new) = (found.base, found.new);
    let condition = found.row.conditions.common();
    let filter = condition.map(|condition| filter_text::with(&props.spec.filter, condition));
    let pair = base.zip(new);
    let medians = pair.map(|(base, new)| (base.median, new.median));
    let longest = pair.map(|(base, new)| (base.longest, new.longest));
    html! {
        <div class="compare-examples">
            { compare(words::compare::COMPARE_MEDIANS, words::compare::COMPARE_STEPS_MEANING, false, medians) }
            { compare(words::compare::COMPARE_LONGEST, words::compare::COMPARE_STEPS_MEANING, false, longest) }
            { compare(words::compare::TIMELINES_OF_MEDIANS, words::compare::TIMELINES_MEANING, true, medians) }
            { compare(words::compare::TIMELINES_OF_LONGEST, words::compare::TIMELINES_MEANING, true, longest) }
            { flame(panel, [props.spec.base.clone(), props.spec.new.clone()], filter) }
            <span class="muted">{ words::compare::SHOW }</span>
            { show(words::compare::MEDIAN_OF_BASE.to_owned(), base.map(|side| side.median)) }
            { show(words::compare::LONGEST_OF_BASE.to_owned(), base.map(|side| side.longest)) }
            { show(words::compare::MEDIAN_OF_NEW.to_owned(), new.map(|side| side.median)) }
            { show(words::compare::LONGEST_OF_NEW.to_owned(), new.map(|side| side.longest)) }
        </div>
    }
}

/// Number of executions of both sides in all bars.
fn counts(bars: &[ComparedBar]) -> [u32; 2] {
    [bars.iter().map(|bar| bar.base).sum(), bars.iter().map(|bar| bar.new).sum()]
}

/// The histograms of both sides, with adjacent bars. The height of a bar is its share of the executions of its side.
fn histogram(props: &ComparedGroupProps, found: &ComparedRunGroup) -> Html {
    let [n_base, n_new] = counts(&found.bars).map(|count| f64::from(count.max(1)));
    let shares = |bar: &ComparedBar| [f64::from(bar.base) / n_base, f64::from(bar.new) / n_new];
    let most = found.bars.iter().flat_map(shares).fold(0.0_f64, f64::max).max(1e-9);
    let bar = |bar: &ComparedBar| {
        let column = |class: &'static str, share: f64| {
            let height = if share > 0.0 { (share / most * 100.0).max(1.5) } else { 0.0 };
            html! { <i {class} style={format!("height:{height:.1}%")} /> }
        };
        let [base, new] = shares(bar);
        html! { <span title={words::compare::bar(bar)}>{ column("of-base", base) }{ column("of-new", new) }</span> }
    };
    let first = found.bars.first().map_or(0, |bar| bar.from);
    let last = found.bars.last().map_or(0, |bar| bar.until.saturating_sub(1));
    html! {
        <figure class="compared-durations" aria-label={words::compare::DISTRIBUTIONS}>
            <h3 class="kicker">{ words::compare::DISTRIBUTIONS }</h3>
            <p class="compare-key">
                <span><i class="of-base" />{ words::compare::key(words::compare::BASE, &side_name(&props.spec.base, &props.names)) }</span>
                <span><i class="of-new" />{ words::compare::key(words::compare::NEW, &side_name(&props.spec.new, &props.names)) }</span>
            </p>
            <div class="axes">
                <p class="histogram-axis"><span>{ "0" }</span><span>{ words::compare::SHARE_OF_EXECUTIONS }</span><span>{ text::percent(most) }</span></p>
                <div class="chart-frame histogram both" aria-hidden="true">{ for found.bars.iter().map(bar) }</div>
                <p class="histogram-axis"><span>{ text::duration(first) }</span><span>{ text::duration(last) }</span></p>
            </div>
        </figure>
    }
}

/// The numbers of the histograms as a table. If a side has a link, its counts lead to their executions.
fn table(found: &ComparedRunGroup, links: [Option<SideLink>; 2]) -> Html {
    let [n_base, n_new] = counts(&found.bars).map(i64::from);
    let columns = vec![
        TableColumn::text(words::compare::DURATION).unsorted(),
        TableColumn::number(words::compare::BASE).unsorted(),
        TableColumn::share(words::compare::SHARE_OF_BASE).unsorted(),
        TableColumn::number(words::compare::NEW).unsorted(),
        TableColumn::share(words::compare::SHARE_OF_NEW).unsorted(),
    ];
    let bars: Vec<ComparedBar> = found.bars.iter().copied().filter(|bar| bar.base + bar.new > 0).collect();
    let rows = TableRows::in_page(bars, move |bar: &ComparedBar| {
        let count = |count: u32, side: &Option<SideLink>| match side
            .as_ref()
            .filter(|_| count > 0)
            .map(|side| side.lasting(bar.from, bar.until).counted())
        {
            Some((title, onclick)) => TableCell::count(count).link(title, onclick),
            None => TableCell::count(count),
        };
        TableRow::of(vec![
            TableCell::text(words::statements::between(bar.from, bar.until)),
            count(bar.base, &links[0]),
            TableCell::share(bar.base.into(), n_base),
            count(bar.new, &links[1]),
            TableCell::share(bar.new.into(), n_new),
        ])
    });
    let head = html! { <h3 class="kicker">{ words::compare::EXECUTIONS_BY_DURATION }</h3> };
    html! {
        <DataTable id="compared-bar" label={words::compare::EXECUTIONS_BY_DURATION} class="framed" {columns} {rows} heading={TableHeading::section(head)} />
    }
}
