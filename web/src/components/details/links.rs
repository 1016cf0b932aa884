//! Links from the selection to its ancestors, children and dependencies.

use queryscope::internal::text;
use queryscope::protocol::{BufferEvents, Details, Link};
use yew::prelude::*;

use crate::components::color::swatch;
use crate::state::{Action, Dispatch};
use crate::words;

/// Lists the ancestors from the request down to the parent. In a very long list, those in the middle are left out.
pub fn parents(facts: &Details, dispatch: &Dispatch) -> Html {
    let (links, all) = (&facts.parents, facts.n_parents as usize);
    let hidden = all.saturating_sub(links.len());
    let entry = |link: &Link| entry(link, dispatch);
    match links.split_first() {
        Some((outermost, nearest)) if hidden > 0 => html! {
            <section>
                { heading(words::details::ANCESTORS, all) }
                <ul class="links">{ entry(outermost) }</ul>
                <p class="absent">{ words::details::more_ancestors(hidden) }</p>
                <ul class="links">{ for nearest.iter().map(entry) }</ul>
            </section>
        },
        _ => list(words::details::ANCESTORS, links, all, dispatch),
    }
}

/// Lists the children of the selection.
pub fn children(facts: &Details, dispatch: &Dispatch) -> Html {
    html! {
        <>
            { list(words::details::CHILDREN, &facts.children, facts.n_children as usize, dispatch) }
            { for facts.buffers.iter().map(|buffers| buffer_events(facts.item, buffers, dispatch)) }
        </>
    }
}

/// Renders buffer events as one line that unfolds. The line is folded again when the selection changes.
fn buffer_events(item: u32, buffers: &BufferEvents, dispatch: &Dispatch) -> Html {
    let hidden = buffers.count as usize - buffers.links.len();
    html! {
        <details key={item} class="folded">
            <summary>{ swatch(buffers.color) }{ words::details::buffer_events(buffers.count, buffers.bytes) }</summary>
            <ul class="links">{ for buffers.links.iter().map(|link| entry(link, dispatch)) }</ul>
            if hidden > 0 { <p class="absent">{ words::details::more_in_views(hidden) }</p> }
        </details>
    }
}

/// Lists the spans that the selection depends on, and those that require the selection.
pub fn arrows(facts: &Details, dispatch: &Dispatch) -> Html {
    let (reaching, leaving) = facts.n_arrows;
    html! {
        <>
            { list(words::details::DEPENDS_ON, &facts.sources, reaching as usize, dispatch) }
            { list(words::details::REQUIRED_BY, &facts.targets, leaving as usize, dispatch) }
        </>
    }
}

fn list(title: &str, links: &[Link], all: usize, dispatch: &Dispatch) -> Html {
    if links.is_empty() {
        return Html::default();
    }
    let hidden = all.saturating_sub(links.len());
    html! {
        <section>
            { heading(title, all) }
            <ul class="links">{ for links.iter().map(|link| entry(link, dispatch)) }</ul>
            if hidden > 0 { <p class="absent">{ words::details::more_in_views(hidden) }</p> }
        </section>
    }
}

fn heading(title: &str, all: usize) -> Html {
    html! { <h3 class="kicker">{ title.to_owned() }if all > 1 { { words::details::number_of(all) } }</h3> }
}

fn entry(link: &Link, dispatch: &Dispatch) -> Html {
    let (dispatch, item) = (dispatch.clone(), link.item);
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Reveal(item));
    let when = link.duration.map_or_else(|| words::common::since_start(link.start), text::duration);
    html! {
        <li>
            <button type="button" title={format!("{} · {}", link.title, text::time(link.start))} {onclick}>
                { swatch(link.color) }<span class="clip foreign" dir="auto">{ &link.title }</span><span class="when">{ when }</span>
            </button>
        </li>
    }
}
