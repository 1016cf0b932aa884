//! Copy buttons, and their feedback after a click.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::icon::{Icon, icon};
use crate::host::page::{self, Timer, copy};
use crate::words;

/// Time for which a button shows whether copying succeeded, in milliseconds.
const SAID: i32 = 1_500;

/// Result of an attempt to copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copied {
    /// The text is in the clipboard.
    Done,
    /// The browser refused: the page has no permission or no secure context.
    Refused,
}

impl Copied {
    fn of(done: bool) -> Self {
        if done { Copied::Done } else { Copied::Refused }
    }

    fn word(self) -> &'static str {
        match self {
            Copied::Done => words::copy::COPIED,
            Copied::Refused => words::copy::NOT_COPIED,
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Copied::Done => words::copy::COPIED,
            Copied::Refused => words::copy::DENIED,
        }
    }

    fn icon(self) -> Icon {
        match self {
            Copied::Done => Icon::Check,
            Copied::Refused => Icon::Close,
        }
    }
}

/// Returns the result of the last attempt, for a short time, and a callback that copies a text. `then` receives every result.
#[hook]
pub fn use_copy(then: Callback<Copied>) -> (Option<Copied>, Callback<String>) {
    // The time of the attempt is part of the state, so that a second attempt restarts the timer.
    let last = use_state(|| None::<(Copied, f64)>);
    let setter = last.setter();
    use_effect_with(*last, move |last| {
        let timer = last.and_then(|_| Timer::start(SAID, move || setter.set(None)));
        move || drop(timer)
    });
    let start = use_callback((last.setter(), then), |text: String, (setter, then)| {
        let (setter, then) = (setter.clone(), then.clone());
        spawn_local(async move {
            let copied = Copied::of(copy(&text).await);
            setter.set(Some((copied, page::now())));
            then.emit(copied);
        });
    });
    (last.map(|(copied, _)| copied), start)
}

/// Properties of a [`CopyButton`].
#[derive(Properties, PartialEq)]
pub struct CopyButtonProps {
    /// Id of the button's element, if it has one.
    #[prop_or_default]
    pub id: Option<AttrValue>,
    /// CSS classes of the button.
    pub class: Classes,
    /// Label of the button, also shown as text unless `icon_only` is set.
    pub label: AttrValue,
    /// Tooltip of the button.
    pub title: AttrValue,
    /// Icon in front of the label.
    pub icon: Icon,
    /// Whether the button shows only its icon until something is copied.
    #[prop_or_default]
    pub icon_only: bool,
    /// Result of the last attempt, as returned by [`use_copy`].
    pub copied: Option<Copied>,
    /// Whether the button announces the result to screen readers. If not, the caller does.
    #[prop_or(true)]
    pub announced: bool,
    /// Called when the button is clicked.
    pub onclick: Callback<MouseEvent>,
}

/// A copy button that shows and announces the result of copying for a short time.
#[component]
pub fn CopyButton(props: &CopyButtonProps) -> Html {
    let CopyButtonProps { id, class, label, title, copied, .. } = props;
    let shown = copied.map_or(props.icon, Copied::icon);
    let bare = props.icon_only && copied.is_none();
    let title = copied.map_or(title.clone(), |copied| copied.sentence().into());
    let name = copied.map_or(label.clone(), |copied| copied.word().into());
    html! {
        <span class="copying">
            <button type="button" {id} class={classes!(class.clone(), bare.then_some("icon-only"))} {title} aria-label={name.clone()}
                data-copied={copied.map(|copied| (copied == Copied::Done).to_string())} onclick={props.onclick.clone()}>
                { icon(shown) }
                if !bare { <span class={classes!(copied.is_none().then_some("label"))}>{ name }</span> }
            </button>
            if props.announced {
                <span class="visually-hidden" role="status">{ copied.map_or("", Copied::sentence) }</span>
            }
        </span>
    }
}

/// Properties of a `Copy` button.
#[derive(Properties, PartialEq)]
pub struct CopyProps {
    /// Text that is copied.
    pub text: AttrValue,
    /// Label of the button, such as "Copy SQL".
    pub label: AttrValue,
}

/// A button that copies a text, and shows the result for a short time.
#[component]
pub fn Copy(props: &CopyProps) -> Html {
    let (copied, copy) = use_copy(Callback::noop());
    let onclick =
        use_callback((props.text.clone(), copy), |_: MouseEvent, (text, copy)| copy.emit(text.to_string()));
    let label = &props.label;
    html! { <CopyButton class="btn quiet small" {label} title={label.clone()} icon={Icon::Copy} icon_only=true {copied} {onclick} /> }
}
