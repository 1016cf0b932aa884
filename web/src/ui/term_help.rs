//! A small "?" next to a heading, which opens the glossary definition of a term.

use web_sys::HtmlElement;
use yew::prelude::*;

use super::dialog::focus;
use crate::words;
use crate::words::glossary::Term;

/// Distance between the button and the definition, in CSS pixels.
const GAP: f64 = 5.0;

/// Properties of a [`TermHelp`] button.
#[derive(Properties, PartialEq)]
pub struct TermHelpProps {
    /// The glossary term. Its name is the id of the definition, so each term has at most one button on the page.
    pub term: Term,
}

/// A button that opens a term's definition. Enter, a click and a touch open it; Esc or a click elsewhere closes it.
#[component]
pub fn TermHelp(props: &TermHelpProps) -> Html {
    let (button, definition) = (use_node_ref(), use_node_ref());
    let (title, text) = props.term.entry();
    let id = format!("term-{}", title.to_lowercase().replace(' ', "-"));
    let nodes = (button.clone(), definition.clone());
    let onclick = use_callback(nodes, |_: MouseEvent, (button, definition)| place(button, definition));
    let onkeydown = use_callback(definition.clone(), |event: KeyboardEvent, definition| {
        if event.key() == "Escape" && close(definition) {
            // Otherwise the page would handle Esc, too.
            event.prevent_default();
            event.stop_propagation();
        }
    });
    let question = words::glossary::question(title);
    html! {
        <>
            <button type="button" class="term-button" ref={button} popovertarget={id.clone()} aria-describedby={id.clone()}
                aria-label={question.clone()} title={question} {onclick} {onkeydown}>{ words::glossary::SIGN }</button>
            <div {id} class="term-definition" ref={definition} popover="auto" role="note"><b>{ title }</b><p>{ text }</p></div>
        </>
    }
}

/// Positions the definition below its button before the browser shows it, since the CSS of a popover cannot refer to the
/// button. Then focuses the button, because some browsers do not focus a button that is clicked.
fn place(button: &NodeRef, definition: &NodeRef) {
    let (Some(button), Some(definition)) = (button.cast::<HtmlElement>(), definition.cast::<HtmlElement>())
    else {
        return;
    };
    let place = button.get_bounding_client_rect();
    for (name, value) in [("--below", place.bottom() + GAP), ("--from-left", place.left())] {
        // Property names and values are valid CSS, so this cannot fail.
        let _ = definition.style().set_property(name, &format!("{value}px"));
    }
    focus(Some(button.into()));
}

/// Closes the definition, and returns whether it was open.
fn close(definition: &NodeRef) -> bool {
    let Some(definition) = definition.cast::<HtmlElement>() else { return false };
    let is_open = definition.matches(":popover-open").unwrap_or(false);
    is_open && definition.hide_popover().is_ok()
}
