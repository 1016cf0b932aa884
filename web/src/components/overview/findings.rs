//! Findings by rule, each with a link to its span, and the thresholds of the rules.

use queryscope::internal::text;
use queryscope::protocol::{ChangedThreshold, Finding, FindingGroup, FindingList, FindingThreshold};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::worth::{copy, shares};
use crate::components::{PanelProps, show_finding, typing};
use crate::state::{Action, OverviewView};
use crate::words;

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
                { copy(&list.groups) }
            </header>
            { for list.groups.iter().map(|group| view(props, group)) }
            { for list.errors.iter().map(|error| html! { <p class="error" role="alert">{ error }</p> }) }
            if !list.thresholds.is_empty() { { thresholds(props, &list.thresholds) } }
        </section>
    }
}

fn view(props: &PanelProps, group: &FindingGroup) -> Html {
    let count = text::count(i64::try_from(group.count).unwrap_or(i64::MAX));
    let left_out = group.count.saturating_sub(group.worst.len() as u64);
    html! {
        <details class="finding" key={group.key.clone()}>
            <summary><b>{ &group.name }</b><span class="number">{ count }</span>{ for shares(group) }<span>{ &group.meaning }</span></summary>
            <ul>{ for group.worst.iter().map(|finding| row(props, finding)) }</ul>
            if left_out > 0 {
                <p>{ words::overview::more_findings(left_out) }</p>
            }
        </details>
    }
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
