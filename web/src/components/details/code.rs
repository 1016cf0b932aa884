//! A formatted and highlighted text of the trace: SQL, a pushed command, an error.

use queryscope::internal::text;
use queryscope::protocol::{Code, TokenKind};
use yew::prelude::*;

use super::titled;
use crate::components::icon::{Icon, icon};
use crate::words;

/// Number of characters shown initially. The rest of a long text is rendered on request only.
const SHOWN: usize = 6_000;

/// Properties of a [`CodeBlock`].
#[derive(Properties, PartialEq)]
pub struct CodeProps {
    /// Text with its syntax tokens.
    pub code: Code,
}

/// A code block with a title, a copy button, and a switch between wrapped and scrolled lines.
#[component]
pub fn CodeBlock(props: &CodeProps) -> Html {
    let (all, wrap) = (use_state(|| false), use_state(|| true));
    let Code { title, original, tokens, left_out } = &props.code;
    let length: usize = tokens.iter().map(|(_, text)| text.chars().count()).sum();
    let toggle = {
        let wrap = wrap.clone();
        Callback::from(move |_: MouseEvent| wrap.set(!*wrap))
    };
    let wrap_button = html! {
        <button type="button" class="btn quiet small icon-only" aria-pressed={wrap.to_string()} title={words::details::WRAP_LINES} aria-label={words::details::WRAP_LINES} onclick={toggle}>
            { icon(Icon::Wrap) }
        </button>
    };
    let limit = if *all { usize::MAX } else { SHOWN };
    let more = {
        let all = all.clone();
        Callback::from(move |_: MouseEvent| all.set(true))
    };
    let class = classes!("code", "foreign", (!*wrap).then_some("nowrap"), (*all).then_some("all"));
    html! {
        <section>
            { titled(title, (*left_out == 0).then_some(original.as_str()), wrap_button) }
            <pre {class} dir="auto" tabindex="0" aria-label={title.clone()}><code>{ for pieces(tokens, limit) }</code></pre>
            if length > limit {
                <button type="button" class="link code-more" onclick={more}>
                    { words::details::show_all_characters(length) }
                </button>
            }
            if *left_out > 0 {
                <p class="absent">{ words::details::more_characters(*left_out) }</p>
            }
        </section>
    }
}

/// Renders the tokens of the first `limit` characters. The last token may be cut.
pub fn pieces(tokens: &[(TokenKind, String)], limit: usize) -> Vec<Html> {
    let mut left = limit;
    let mut pieces = Vec::new();
    for (kind, token) in tokens {
        if left == 0 {
            break;
        }
        let shown: String = token.chars().take(left).map(text::visible).collect();
        left = left.saturating_sub(shown.chars().count());
        pieces.push(match class(*kind) {
            Some(class) => html! { <span {class}>{ shown }</span> },
            None => html! { { shown } },
        });
    }
    pieces
}

fn class(kind: TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::Plain => None,
        TokenKind::Keyword => Some("keyword"),
        TokenKind::Text => Some("text"),
        TokenKind::Number => Some("number"),
        TokenKind::Comment => Some("comment"),
    }
}
