//! A modal dialog: the browser keeps the focus inside it and closes it with Esc.

use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlElement};
use yew::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::host::Mount;
use crate::words;

/// Properties of a [`Dialog`].
#[derive(Properties, PartialEq)]
pub struct DialogProps {
    /// Host and root element of the viewer.
    pub mount: Mount,
    /// Id of the dialog's element.
    pub id: AttrValue,
    /// Heading of the dialog.
    pub title: AttrValue,
    /// Called when the user closes the dialog.
    pub onclose: Callback<()>,
    /// Scrollable content between the heading and the footer.
    pub children: Children,
    /// Buttons at the bottom of the dialog.
    #[prop_or_default]
    pub footer: Html,
}

/// A modal dialog, open as long as the component is mounted.
#[component]
pub fn Dialog(props: &DialogProps) -> Html {
    let node = use_node_ref();
    use_focus(&props.mount, &node);
    let close = props.onclose.reform(|_: MouseEvent| ());
    let closed = props.onclose.reform(|_: Event| ());
    let onclick =
        use_callback((node.clone(), props.onclose.clone()), |event: MouseEvent, (node, onclose)| {
            // A click on the backdrop has the dialog itself as its target.
            if node.get().is_some_and(|node| event.target().is_some_and(|target| *target == **node)) {
                onclose.emit(());
            }
        });
    let heading = format!("{}-title", props.id);
    html! {
        <dialog id={props.id.clone()} ref={node} aria-labelledby={heading.clone()} onclose={closed} {onclick}>
            <header>
                <h2 id={heading.clone()}>{ &props.title }</h2>
                <button type="button" class="btn quiet icon-only" aria-label={words::common::CLOSE} title={words::common::CLOSE_WITH_KEY} onclick={close}>
                    { icon(Icon::Close) }
                </button>
            </header>
            <div class="body scrolls" tabindex="0" role="group" aria-labelledby={heading}>{ for props.children.iter() }</div>
            { props.footer.clone() }
        </dialog>
    }
}

/// Opens the dialog and moves the focus inside. When the dialog closes, returns the focus to the element that had it before.
#[hook]
fn use_focus(mount: &Mount, node: &NodeRef) {
    let mount = mount.clone();
    use_effect_with(node.clone(), move |node| {
        let (dialog, opener) = (node.cast::<HtmlDialogElement>(), mount.focused());
        if let Some(dialog) = &dialog {
            // Fails only if the dialog is already open or no longer in the document.
            let _ = dialog.show_modal();
            // By default, the browser would focus the first button, which closes the dialog.
            focus(dialog.query_selector(".body").ok().flatten());
        }
        move || {
            // While a modal dialog is open, no element outside can take the focus.
            if let Some(dialog) = dialog {
                dialog.close();
            }
            focus(opener.filter(|opener| opener.is_connected()).map(Into::into));
        }
    });
    // A form may appear later than its dialog, when the engine has answered.
    let (node, found) = (node.clone(), use_mut_ref(|| false));
    use_effect(move || {
        let fields = "form input, form select, form textarea";
        let field = node.cast::<HtmlDialogElement>().and_then(|d| d.query_selector(fields).ok().flatten());
        if field.is_some() && !found.replace(true) {
            focus(field);
        }
    });
}

/// Moves the focus to an element, if there is one.
pub fn focus(element: Option<web_sys::Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // Never fails for an element that is in the document.
        let _ = element.focus();
    }
}
