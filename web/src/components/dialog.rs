//! A modal dialog: the browser keeps the focus inside it and closes it with Esc.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use super::icon::{Icon, icon};

/// What a dialog needs.
#[derive(Properties, PartialEq)]
pub struct DialogProps {
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
    use_effect_with(node.clone(), |node| {
        if let Some(dialog) = node.cast::<HtmlDialogElement>() {
            // It fails only for a dialog that is already open, or one that was removed meanwhile.
            let _ = dialog.show_modal();
        }
    });
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
                <h2 id={heading}>{ &props.title }</h2>
                <button type="button" class="btn quiet icon-only" aria-label="Close" title="Close (Esc)" onclick={close}>
                    { icon(Icon::Close) }
                </button>
            </header>
            <div class="body scrolls" tabindex="-1">{ for props.children.iter() }</div>
            { props.footer.clone() }
        </dialog>
    }
}
