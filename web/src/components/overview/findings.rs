//! Findings by rule, each with a link to its span, and the thresholds of the rules.

use queryscope::internal::text;
use queryscope::protocol::{
    ChangedThreshold, Finding, FindingGroup, FindingList, FindingThreshold, FindingsRequest,
    RuleFindingsRequest,
};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::worth::{copy, shares};
use crate::components::show_more::use_show_more_from;
use crate::components::use_query::{Answer, use_query};
use crate::components::{PanelProps, show_finding, typing};
use crate::state::{Action, OverviewView, State};
use crate::words;

/// The request for the findings of all rules.
pub fn request(state: &State) -> FindingsRequest {
    let thresholds = state.nav.overview.thresholds.clone();
    FindingsRequest { range: state.nav.range, thresholds, filter: state.nav.filter.clone(), in_steps: true }
}

/// Renders the section of all findings. Empty without findings and thresholds.
pub fn section(props: &PanelProps, list: Option<&FindingList>, inert: bool) -> Html {
    let Some(list) = list.filter(|list| !list.groups.is_empty() || !list.thresholds.is_empty()) else {
        return Html::default();
    };
    html! {
        <section aria-labelledby="findings" {inert}>
            <header>
                <h2 id="findings">{ words::overview::FINDINGS }{ words::filter::filtered(list.is_filtered) }</h2>
                <p>{ words::overview::FINDINGS_MEANING }</p>
                { copy(list.groups.iter()) }
            </header>
            { for list.groups.iter().map(|group| html! { <RuleFindings key={group.key.clone()} panel={props.clone()} group={group.clone()} /> }) }
            { for list.errors.iter().map(|error| html! { <p class="error" role="alert">{ error }</p> }) }
            if !list.thresholds.is_empty() { { thresholds(props, &list.thresholds) } }
        </section>
    }
}

#[derive(Properties, Clone, PartialEq)]
struct RuleFindingsProps {
    panel: PanelProps,
    group: FindingGroup,
}

/// The findings of one rule: the worst, and more on demand.
#[component]
fn RuleFindings(props: &RuleFindingsProps) -> Html {
    let RuleFindingsProps { panel, group } = props;
    let (first, all) = (group.worst.len(), group.count as usize);
    let (shown, more) =
        use_show_more_from(first, all, words::overview::ONE_FINDING, words::overview::MANY_FINDINGS);
    let (request, build) = (request(&panel.state), panel.state.load.info.build);
    let further = (shown > first).then(|| RuleFindingsRequest {
        all: request.clone(),
        rule: group.key.clone(),
        count: shown as u32,
    });
    let answer = use_query(&panel.client, further, build);
    let answer = answer.as_ref().filter(|answer| *answer.scene_version() == build);
    let is_current =
        |answer: &&Answer<RuleFindingsRequest>| answer.request().is_some_and(|of| of.all == request);
    let listed = answer.filter(is_current).and_then(Answer::reply).unwrap_or(&group.worst);
    html! {
        <details class="finding" data-rule={group.key.clone()}>
            <summary><b>{ &group.name }</b><span class="number">{ count(group) }</span>{ for shares(group) }<span>{ &group.meaning }</span></summary>
            <ul>{ for listed.iter().map(|finding| row(panel, finding)) }</ul>
            { more }
        </details>
    }
}

/// The number of findings of a rule.
pub fn count(group: &FindingGroup) -> String {
    text::count(i64::try_from(group.count).unwrap_or(i64::MAX))
}

fn row(props: &PanelProps, finding: &Finding) -> Html {
    let start = finding.duration.map(|_| words::common::at(finding.start));
    let cells = html! {
        <>
            <code class="foreign" dir="auto">{ &finding.title }</code>
            <span class="foreign" title={finding.text.clone()}>{ &finding.text }</span>
            <span class="number" title={start}>{ finding.duration.map(text::duration) }</span>
        </>
    };
    let (panel, shown) = (props.clone(), finding.clone());
    let onclick = move |_: MouseEvent| show_finding(&panel, &shown);
    html! { <li><button type="button" class="line" {onclick} title={finding.title.clone()}>{ cells }</button></li> }
}

fn thresholds(props: &PanelProps, thresholds: &[FindingThreshold]) -> Html {
    let changed = &props.state.nav.overview;
    // Instead of a value that is not valid, the default is used.
    let n_changed = thresholds.iter().filter(|threshold| threshold.value != threshold.default).count();
    let n_wrong = thresholds.iter().filter(|threshold| is_wrong(changed, threshold)).count();
    let (dispatch, view) = (props.dispatch.clone(), changed.clone());
    let reset = move |_: MouseEvent| {
        dispatch.dispatch(Action::Overview(OverviewView { thresholds: Vec::new(), ..view.clone() }));
    };
    html! {
        <details class="finding thresholds" key="thresholds">
            <summary><b>{ words::overview::THRESHOLDS }</b><span>{ words::overview::changed(n_changed, n_wrong) }</span></summary>
            <div class="fields">{ for thresholds.iter().map(|threshold| field(props, threshold)) }</div>
            <p><button type="button" class="btn small" disabled={changed.thresholds.is_empty()} onclick={reset}>{ words::overview::RESET }</button></p>
        </details>
    }
}

/// Whether the value that was written for a threshold is not valid.
fn is_wrong(view: &OverviewView, threshold: &FindingThreshold) -> bool {
    let written = view.thresholds.iter().find(|changed| changed.key == threshold.key);
    written.is_some_and(|changed| changed.value != threshold.value && threshold.value == threshold.default)
}

/// A field for one threshold. An empty field means the default value.
fn field(props: &PanelProps, threshold: &FindingThreshold) -> Html {
    let view = props.state.nav.overview.clone();
    let written = view.thresholds.iter().find(|changed| changed.key == threshold.key);
    let value = written.map_or(&threshold.value, |changed| &changed.value).clone();
    let is_wrong = is_wrong(&view, threshold);
    let dispatch = props.dispatch.clone();
    let key = threshold.key.clone();
    let default = threshold.default.clone();
    let onchange = move |event: Event| {
        let value = event.target_unchecked_into::<HtmlInputElement>().value();
        let (mut view, value) = (view.clone(), value.trim().to_owned());
        if value.is_empty() || value == default {
            view.reset(&key);
        } else {
            view.set(ChangedThreshold { key: key.clone(), value });
        }
        dispatch.dispatch(Action::Overview(view));
    };
    let onkeydown = typing(&props.mount);
    html! {
        <label key={threshold.key.clone()}>
            <span>{ words::overview::threshold(threshold) }</span>
            <span class={classes!("field", is_wrong.then_some("wrong"))}>
                <input type="text" inputmode="decimal" autocomplete="off" name={threshold.key.clone()} aria-invalid={is_wrong.to_string()} {value} {onchange} {onkeydown} />
            </span>
            <span class="muted">{ &threshold.unit }</span>
        </label>
    }
}
