//! Statements worth investigating, with the reasons. Each links to the execution.

use queryscope::internal::text;
use queryscope::protocol::{Finding, FindingGroup, FindingsRequest};
use yew::prelude::*;

use crate::components::use_query::{is_old, use_query};
use crate::components::{PanelProps, show_in_timeline};
use crate::ui::TermHelp;
use crate::words;
use crate::words::glossary::Term;

/// The section of findings. Empty if the trace has none.
#[component]
pub fn Findings(props: &PanelProps) -> Html {
    let build = props.state.load.info.build;
    let Some(answer) = use_query(&props.client, Some(FindingsRequest), build) else {
        return Html::default();
    };
    let Some(groups) = answer.reply().filter(|groups| !groups.is_empty()) else { return Html::default() };
    html! {
        <section aria-labelledby="findings" inert={is_old(Some(&answer), &build)}>
            <header>
                <h2 id="findings">{ words::overview::FINDINGS }</h2>
                <TermHelp term={Term::Finding} />
                <p>{ words::overview::FINDINGS_MEANING }</p>
            </header>
            { for groups.iter().map(|group| view(props, group)) }
        </section>
    }
}

fn view(props: &PanelProps, group: &FindingGroup) -> Html {
    let count = text::count(i64::try_from(group.count).unwrap_or(i64::MAX));
    let left_out = group.count.saturating_sub(group.worst.len() as u64);
    html! {
        <details class="finding">
            <summary><b>{ &group.name }</b><span class="number">{ count }</span><span>{ &group.meaning }</span></summary>
            <ul>{ for group.worst.iter().map(|finding| row(props, finding)) }</ul>
            if left_out > 0 {
                <p>{ words::overview::more_findings(left_out) }</p>
            }
        </details>
    }
}

fn row(props: &PanelProps, finding: &Finding) -> Html {
    let (dispatch, item) = (props.dispatch.clone(), finding.item);
    let onclick = move |_: MouseEvent| show_in_timeline(&dispatch, item);
    html! {
        <li>
            <button type="button" {onclick} title={finding.title.clone()}>
                <code class="foreign" dir="auto">{ &finding.title }</code>
                <span class="foreign">{ &finding.text }</span>
                <span class="number" title={words::common::at(finding.start)}>{ text::duration(finding.duration) }</span>
            </button>
        </li>
    }
}
