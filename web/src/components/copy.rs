//! Buttons that copy, and what they say afterwards.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::icon::{Icon, icon};
use crate::host::page::{self, Timer, copy};
use crate::words;

/// How long a button says what became of its click, in milliseconds.
const SAID: i32 = 1_500;

/// What became of an attempt to copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copied {
    /// It is in the clipboard.
    Done,
    /// The browser refused: no permission, or no secure context.
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

/// What became of the last attempt, for a moment; and what copies a text. Whether it could is what `then` hears.
#[hook]
pub fn use_copy(then: Callback<Copied>) -> (Option<Copied>, Callback<String>) {
    // With the time of the attempt: another one begins the moment anew.
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

/// What a copy button looks like.
#[derive(Properties, PartialEq)]
pub struct CopyButtonProps {
    /// The element's id, if it has one.
    #[prop_or_default]
    pub id: Option<AttrValue>,
    /// Its classes.
    pub class: Classes,
    /// Its name; what it shows, too, unless it is an icon only.
    pub label: AttrValue,
    /// Its tooltip.
    pub title: AttrValue,
    /// Before its name.
    pub icon: Icon,
    /// Whether it shows no text while nothing was copied.
    #[prop_or_default]
    pub icon_only: bool,
    /// What became of the last attempt, as [`use_copy`] has it.
    pub copied: Option<Copied>,
    /// Whether that is announced here; else somebody else does.
    #[prop_or(true)]
    pub announced: bool,
    /// A click.
    pub onclick: Callback<MouseEvent>,
}

/// A button that says for a moment what became of the attempt to copy, to those who see it and those who hear it.
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

/// What a button needs that copies a text which is there.
#[derive(Properties, PartialEq)]
pub struct CopyProps {
    /// What is copied.
    pub text: AttrValue,
    /// What it is: "Copy SQL".
    pub label: AttrValue,
}

/// A button that copies a text and says so for a moment.
#[component]
pub fn Copy(props: &CopyProps) -> Html {
    let (copied, copy) = use_copy(Callback::noop());
    let onclick =
        use_callback((props.text.clone(), copy), |_: MouseEvent, (text, copy)| copy.emit(text.to_string()));
    let label = &props.label;
    html! { <CopyButton class="btn quiet small" {label} title={label.clone()} icon={Icon::Copy} icon_only=true {copied} {onclick} /> }
}
