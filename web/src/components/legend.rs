//! The legend of colours: as many entries as fit next to the tabs, and the full list in a popover.

use queryscope::protocol::{ColorBy, Legend as Names, LegendRequest, slot};
use queryscope::trace::Kind;

use yew::prelude::*;

use super::PanelProps;
use super::color::{css, swatch};
use super::icon::{Icon, icon};
use super::use_query::{Answer, use_query};
use crate::state::{Action, Flame, Tab};
use crate::ui::hang;
use crate::words;

/// The legend of the open view.
#[component]
pub fn Legend(props: &PanelProps) -> Html {
    let list = use_node_ref();
    let onclick = use_callback(list.clone(), |event: MouseEvent, list| hang(list, &event));
    let state = &props.state;
    // A merged flame graph has its own colours, by the field it is grouped by.
    let merged = state.nav.tab == Tab::Flame && state.nav.flame == Flame::Merged;
    if merged && state.difference().is_some() {
        return difference(!state.load.info.has_slices_alone());
    }
    let color = if merged { ColorBy::Kind } else { state.nav.color };
    let request = state.nav.tab.has_picture().then_some(LegendRequest { color });
    let answer = use_query(&props.client, request, state.load.scene_version);
    let Some(names) = answer.as_ref().and_then(Answer::reply) else {
        return html! { <span class="legend" /> };
    };
    let by_name = matches!(color, ColorBy::Connector | ColorBy::Datasource | ColorBy::Query);
    // More entries than surely fit next to the tabs.
    let is_long = by_name || names.more > 0 || names.entries.len() > 4;
    html! {
        <>
            <div class="legend" role="group" aria-label={words::legend::NEXT_TO_TABS}>{ entries(props, names, color, BESIDE) }</div>
            <button type="button" class={classes!("btn", "quiet", "small", "legend-button", is_long.then_some("named"))}
                popovertarget="legend-all" {onclick} title={words::legend::TITLE}>{ icon(Icon::Palette) }<span class="label">{ count(names, by_name) }</span></button>
            <div id="legend-all" ref={list} popover="auto" class="scrolls" role="group" aria-label={words::legend::LEGEND}>
                { entries(props, names, color, names.entries.len()) }
                if names.more > 0 {
                    <p>{ words::legend::other_names(names.more.into()) }</p>
                }
                if !state.nav.only.is_empty() {
                    <button type="button" class="btn small" onclick={props.dispatch_of(Action::Only).reform(|_: MouseEvent| Vec::new())}>{ words::legend::SHOW_ALL }</button>
                }
                if by_name { <p>{ words::legend::SHARED_COLOURS }</p> }
            </div>
        </>
    }
}

/// The colours of a difference flame graph; hidden in the tab bar, where the toolbar shows them. In a trace with statements, a note says that the graph counts all spans, while the comparison of
/// runs counts statements only.
fn difference(has_statements: bool) -> Html {
    let entry = |color: &'static str, name: &'static str| {
        html! { <span class="of-difference"><i class="swatch" style={format!("background:var({color})")} aria-hidden="true" />{ name }</span> }
    };
    html! {
        <div class="legend" role="group" aria-label={words::legend::NEXT_TO_TABS}>
            { entry("--more-1", words::timeline::MORE_IN_NEW) }
            { entry("--less-1", words::timeline::LESS_IN_NEW) }
            if has_statements { <span>{ words::timeline::OF_ALL_SPANS }</span> }
        </div>
    }
}

/// Maximum number of entries next to the tabs.
const BESIDE: usize = 24;

/// Renders up to `most` legend entries as toggle buttons. While some are on, bars in other colours are dimmed.
fn entries(props: &PanelProps, names: &Names, color: ColorBy, most: usize) -> Html {
    let only = &props.state.nav.only;
    let entry = |(color, name): &(u16, String)| {
        let is_on = only.contains(color);
        let others = only.iter().copied().filter(|slot| slot != color);
        let slots: Vec<u16> = others.chain((!is_on).then_some(*color)).collect();
        let onclick = props.dispatch_of(Action::Only).reform(move |_: MouseEvent| slots.clone());
        html! {
            <button type="button" class="entry" title={words::legend::highlight(name)} aria-pressed={is_on.to_string()} {onclick}>
                { swatch(*color) }<span class="clip foreign" dir="auto">{ name }</span>
            </button>
        }
    };
    let nameless = match color {
        ColorBy::Connector => Some(words::legend::NO_CONNECTOR),
        ColorBy::Datasource => Some(words::legend::NO_DATASOURCE),
        ColorBy::Query => Some(words::legend::NO_QUERY),
        ColorBy::Kind | ColorBy::Outcome => None,
    };
    html! {
        <>
            { for names.entries.iter().take(most).map(entry) }
            if let Some(name) = nameless { { entry(&(slot::NONE, name.to_owned())) } }
            if names.entries.iter().any(|(_, name)| color == ColorBy::Kind && name == Kind::Execution.name()) {
                <span><i class="swatch" style="background:var(--reading)" aria-hidden="true" />{ words::legend::FETCHING_ROWS }</span>
            }
            if names.failed && color != ColorBy::Outcome {
                <span><i class="swatch hatched" style={format!("border:1px solid {}", css(slot::FAILED))} aria-hidden="true" />{ words::legend::FAILED }</span>
            }
        </>
    }
}

fn count(names: &Names, by_name: bool) -> String {
    let all = names.entries.len() as u64 + u64::from(names.more);
    if by_name { words::legend::names(all) } else { words::legend::LEGEND.to_owned() }
}
