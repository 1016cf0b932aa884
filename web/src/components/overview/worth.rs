//! The section of the most important findings: the rules with the largest affected shares, each with one sentence and
//! the worst finding.

use queryscope::internal::{markdown, text};
use queryscope::protocol::{FindingGroup, FindingList, ShareUnit};
use yew::prelude::*;

use crate::components::copy::Copy;
use crate::components::{PanelProps, show_finding};
use crate::ui::TermHelp;
use crate::words;
use crate::words::glossary::Term;

/// Number of sentences.
const SHOWN: usize = 5;

/// Renders the section of the most important findings. `list` is `None` before the first reply.
pub fn section(props: &PanelProps, list: Option<&FindingList>, inert: bool) -> Html {
    let Some(list) = list else { return Html::default() };
    let busy = (list.rules_left > 0).then_some("true");
    let meaning = match list.rules_left {
        0 => words::overview::worth_meaning(
            list.groups.len().min(SHOWN),
            list.groups.len(),
            list.is_filtered,
            props.state.nav.range.is_some(),
        ),
        left => words::overview::worth_so_far(left),
    };
    html! {
        <section aria-labelledby="worth" aria-busy={busy} {inert}>
            <header>
                <h2 id="worth">{ words::overview::WORTH_INVESTIGATING }{ words::filter::filtered(list.is_filtered) }</h2>
                <TermHelp term={Term::Finding} />
                <p>{ meaning }</p>
                { copy(&list.groups[..list.groups.len().min(SHOWN)]) }
            </header>
            if !list.groups.is_empty() {
                <ol class="worth">{ for list.groups.iter().take(SHOWN).map(|group| entry(props, group)) }</ol>
            }
        </section>
    }
}

fn entry(props: &PanelProps, group: &FindingGroup) -> Html {
    let (panel, worst) = (props.clone(), group.worst.first().cloned());
    let item = worst.as_ref().and_then(|worst| worst.item);
    let onclick = move |_: MouseEvent| worst.iter().for_each(|worst| show_finding(&panel, worst));
    let title = group.worst.first().map_or("", |worst| worst.title.as_str());
    let label = if item.is_some() { words::overview::SHOW } else { words::overview::REPORT };
    html! {
        <li key={group.key.clone()} data-rule={group.key.clone()}>
            <b class="share">{ shares(group).next() }</b>
            <span><b>{ &group.name }</b>{ " " }<span class="foreign">{ &group.sentence }</span></span>
            <button type="button" class="btn small" aria-label={words::overview::show(label, title)} title={title.to_owned()} {onclick}>{ label }</button>
        </li>
    }
}

/// Renders the button that copies groups as a Markdown table. Empty without groups.
pub fn copy(groups: &[FindingGroup]) -> Html {
    if groups.is_empty() {
        return Html::default();
    }
    let row = |group: &FindingGroup| {
        let shares: Vec<String> = group.shares.iter().map(words::overview::share).collect();
        let texts = [group.name.clone(), group.count.to_string(), shares.join(", "), group.sentence.clone()];
        format!("| {} |\n", texts.map(|text| markdown::cell(&text).into_owned()).join(" | "))
    };
    let rows: String = groups.iter().map(row).collect();
    html! { <Copy text={words::overview::MARKDOWN_HEAD.to_owned() + &rows} label={words::overview::COPY_FINDINGS} /> }
}

/// Renders the shares of a group, each with the exact part and total as the tooltip.
pub fn shares(group: &FindingGroup) -> impl Iterator<Item = Html> + '_ {
    group.shares.iter().map(|share| {
        let write = |value: i64| match share.unit {
            ShareUnit::Time => text::duration(value),
            ShareUnit::Bytes => text::bytes(value),
            ShareUnit::Count => text::count(value),
        };
        let exact = words::overview::part_of(&write(share.part), &write(share.whole));
        html! { <span class="number" title={exact}>{ words::overview::share(share) }</span> }
    })
}
