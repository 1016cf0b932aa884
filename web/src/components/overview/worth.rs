//! The section of the most important findings: the rules with the largest affected shares, each with one sentence and
//! the worst finding. Rules with the same worst finding share an entry.

use queryscope::internal::{markdown, text};
use queryscope::protocol::{FindingGroup, FindingList, ShareUnit};
use yew::prelude::*;

use super::findings::count;
use crate::components::copy::Copy;
use crate::components::scroll_into_view::scroll_into_view;
use crate::components::{PanelProps, show_finding};
use crate::ui::{TermHelp, focus};
use crate::words;
use crate::words::glossary::Term;

/// Maximum number of entries.
const SHOWN: usize = 5;

/// Renders the section of the most important findings. `list` is `None` before the first reply.
pub fn section(props: &PanelProps, list: Option<&FindingList>, inert: bool) -> Html {
    let Some(list) = list else { return Html::default() };
    let entries = entries(&list.groups);
    let busy = (list.rules_left > 0).then_some("true");
    let meaning = match list.rules_left {
        0 => words::overview::worth_meaning(
            entries.iter().map(Vec::len).sum(),
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
                { copy(entries.iter().flatten().copied()) }
            </header>
            if !entries.is_empty() {
                <ol class="worth">{ for entries.iter().map(|groups| entry(props, groups)) }</ol>
            }
        </section>
    }
}

/// The rules of each entry, in the order of their shares.
fn entries(groups: &[FindingGroup]) -> Vec<Vec<&FindingGroup>> {
    let place = |group: &FindingGroup| {
        let worst = group.worst.first()?;
        Some((worst.item?, worst.period, worst.track))
    };
    let mut entries: Vec<Vec<&FindingGroup>> = Vec::new();
    for group in groups {
        let of = place(group);
        let same = entries.iter().position(|entry| of.is_some() && place(entry[0]) == of);
        match same {
            Some(at) => entries[at].push(group),
            None if entries.len() < SHOWN => entries.push(vec![group]),
            None => {}
        }
    }
    entries
}

fn entry(props: &PanelProps, groups: &[&FindingGroup]) -> Html {
    let Some(&first) = groups.first() else { return Html::default() };
    let (panel, worst) = (props.clone(), first.worst.first().cloned());
    let item = worst.as_ref().and_then(|worst| worst.item);
    let onclick = move |_: MouseEvent| worst.iter().for_each(|worst| show_finding(&panel, worst));
    let title = first.worst.first().map_or("", |worst| worst.title.as_str());
    let label = if item.is_some() { words::overview::SHOW } else { words::overview::REPORT };
    let rules: Vec<&str> = groups.iter().map(|group| group.key.as_str()).collect();
    html! {
        <li key={first.key.clone()} data-rule={rules.join(",")}>
            <b class="share">{ shares(first).next() }</b>
            <span>{ for groups.iter().map(|group| sentence(props, group)) }</span>
            <button type="button" class="btn small" aria-label={words::overview::show(label, title)} title={title.to_owned()} {onclick}>{ label }</button>
        </li>
    }
}

/// Renders the sentence of a rule. If there are several findings, a button opens their list and scrolls to it.
fn sentence(props: &PanelProps, group: &FindingGroup) -> Html {
    let (mount, key) = (props.mount.clone(), group.key.clone());
    let list = move |_: MouseEvent| {
        if let Some(details) = mount.find(&format!(".finding[data-rule={key}]")) {
            // Never fails for this name.
            let _ = details.set_attribute("open", "");
            focus(details.query_selector("summary").ok().flatten());
            let row = details.query_selector("li").ok().flatten();
            if let Some((frame, row)) = details.closest(".scrolls").ok().flatten().zip(row) {
                scroll_into_view(&frame, &details);
                // Findings that are longer than the view: at least the first of them.
                scroll_into_view(&frame, &row);
            }
        }
    };
    let label = words::overview::all_findings(&count(group));
    html! {
        <div>
            <b>{ &group.name }</b>{ " " }<span class="foreign">{ &group.sentence }</span>
            if group.count > 1 {
                { " " }<button type="button" class="link" aria-label={words::overview::show(&label, &group.name)} onclick={list}>{ label }</button>
            }
        </div>
    }
}

/// Renders the button that copies groups as a Markdown table. Empty without groups.
pub fn copy<'a>(groups: impl Iterator<Item = &'a FindingGroup>) -> Html {
    let row = |group: &FindingGroup| {
        let shares: Vec<String> = group.shares.iter().map(words::overview::share).collect();
        let texts = [group.name.clone(), group.count.to_string(), shares.join(", "), group.sentence.clone()];
        format!("| {} |\n", texts.map(|text| markdown::cell(&text).into_owned()).join(" | "))
    };
    let rows: String = groups.map(row).collect();
    if rows.is_empty() {
        return Html::default();
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use queryscope::protocol::Finding;
    use wasm_bindgen_test::wasm_bindgen_test;

    /// A rule whose worst finding is about this item and period.
    fn group(key: &str, item: Option<u32>, period: Option<(i64, i64)>) -> FindingGroup {
        let (key, text) = (key.to_owned(), String::new());
        let worst = Finding {
            item,
            title: text.clone(),
            text: text.clone(),
            start: 0,
            duration: None,
            period,
            track: None,
        };
        FindingGroup {
            name: key.clone(),
            key,
            meaning: text.clone(),
            sentence: text,
            count: 1,
            shares: Vec::new(),
            worst: vec![worst],
        }
    }

    #[wasm_bindgen_test]
    fn rules_with_the_same_worst_finding_share_an_entry() {
        let groups = [
            group("rejected", Some(7), None),
            group("overruns", Some(3), None),
            group("gaps", Some(7), Some((1, 2))),
            group("failed", Some(7), None),
            group("lost", None, None),
            group("clocks", None, None),
            group("stale", Some(8), None),
            group("long-tasks", Some(3), None),
        ];
        let mut found: Vec<Vec<&str>> = Vec::new();
        for entry in entries(&groups) {
            found.push(entry.iter().map(|group| group.key.as_str()).collect());
        }
        let expected: [&[&str]; 5] =
            [&["rejected", "failed"], &["overruns", "long-tasks"], &["gaps"], &["lost"], &["clocks"]];
        assert_eq!(found, expected);
    }
}
