//! The way up and down from the selection.

use queryscope::protocol::{Details, Link};
use queryscope::text;
use yew::prelude::*;

use crate::components::color::swatch;
use crate::state::{Action, Dispatch};

/// From the request down to the parent.
pub fn parents(facts: &Details, dispatch: &Dispatch) -> Html {
    list("Inside", &facts.parents, facts.parents.len(), dispatch)
}

/// What is right below the selection.
pub fn children(facts: &Details, dispatch: &Dispatch) -> Html {
    list("Holds", &facts.children, facts.n_children as usize, dispatch)
}

/// Where arrows come from, and where they lead.
pub fn arrows(facts: &Details, dispatch: &Dispatch) -> Html {
    let (reaching, leaving) = facts.n_arrows;
    html! {
        <>
            { list("Arrows from", &facts.sources, reaching as usize, dispatch) }
            { list("Arrows to", &facts.targets, leaving as usize, dispatch) }
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
            <h3 class="kicker">{ title.to_owned() }if all > 1 { { format!(" · {}", count(all)) } }</h3>
            <ul class="links">{ for links.iter().map(|link| entry(link, dispatch)) }</ul>
            if hidden > 0 { <p class="absent">{ format!("and {} more, in the views", count(hidden)) }</p> }
        </section>
    }
}

fn count(n: usize) -> String {
    text::count(i64::try_from(n).unwrap_or(i64::MAX))
}

fn entry(link: &Link, dispatch: &Dispatch) -> Html {
    let (dispatch, item) = (dispatch.clone(), link.item);
    let onclick = move |_: MouseEvent| dispatch.dispatch(Action::Reveal(item));
    let when = link.duration.map_or_else(|| format!("+{}", text::duration(link.start)), text::duration);
    html! {
        <li>
            <button type="button" title={format!("{} · {}", link.title, text::time(link.start))} {onclick}>
                { swatch(link.color) }<span class="clip foreign" dir="auto">{ &link.title }</span><span class="when">{ when }</span>
            </button>
        </li>
    }
}
