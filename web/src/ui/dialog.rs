//! A modal dialog: the browser keeps the focus inside it and closes it with Esc.

use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlElement};
use yew::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::host::Mount;
use crate::words;

/// What a dialog needs.
#[derive(Properties, PartialEq)]
pub struct DialogProps {
    /// Where the viewer is.
    pub mount: Mount,
    /// The element's id.
    pub id: AttrValue,
    /// Its heading.
    pub title: AttrValue,
    /// Asked to close.
    pub onclose: Callback<()>,
    /// What stands in the middle, scrollable.
    pub children: Children,
    /// Buttons at the bottom.
    #[prop_or_default]
    pub footer: Html,
}

/// A modal dialog, open for as long as it is there.
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

/// Opens the dialog with the focus inside it, and gives the focus back to what had it when the dialog goes.
#[hook]
fn use_focus(mount: &Mount, node: &NodeRef) {
    let mount = mount.clone();
    use_effect_with(node.clone(), move |node| {
        let (dialog, opener) = (node.cast::<HtmlDialogElement>(), mount.focused());
        if let Some(dialog) = &dialog {
            // It fails only for a dialog that is already open, or one that was removed meanwhile.
            let _ = dialog.show_modal();
            // The browser would take the first button, which closes it.
            focus(dialog.query_selector(".body").ok().flatten());
        }
        move || {
            // Nothing outside of a modal dialog takes the focus while it is open.
            if let Some(dialog) = dialog {
                dialog.close();
            }
            focus(opener.filter(|opener| opener.is_connected()).map(Into::into));
        }
    });
    // A form may come later than its dialog: it is made of an answer.
    let (node, found) = (node.clone(), use_mut_ref(|| false));
    use_effect(move || {
        let fields = "form input, form select, form textarea";
        let field = node.cast::<HtmlDialogElement>().and_then(|d| d.query_selector(fields).ok().flatten());
        if field.is_some() && !found.replace(true) {
            focus(field);
        }
    });
}

/// Gives the focus to an element, if it is there.
pub fn focus(element: Option<web_sys::Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // It fails for none that is in the page.
        let _ = element.focus();
    }
}
