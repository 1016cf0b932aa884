//! A cell of a table: what is shown, what is copied, and what it is sorted by.

use queryscope::internal::text;
use yew::prelude::*;

use crate::words;

/// What orders a cell among those of its column.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum SortKey {
    /// No value: last in both directions.
    #[default]
    Nothing,
    /// A number.
    Number(i64),
    /// A text, in lower case.
    Text(String),
}

/// What is in a cell besides a text.
#[derive(Clone, PartialEq, Default)]
pub(super) enum Content {
    /// The text alone.
    #[default]
    Text,
    /// A button with the text on it.
    Link(Callback<MouseEvent>),
    /// Parts of a whole as one bar, each with its class and length.
    Bar(Vec<(&'static str, i64)>, i64),
    /// Anything else.
    Html(Html),
}

/// A cell of a table.
#[derive(Clone, PartialEq, Default)]
pub struct TableCell {
    pub(super) text: AttrValue,
    pub(super) copied: Option<AttrValue>,
    pub(super) title: Option<AttrValue>,
    pub(super) class: Vec<&'static str>,
    pub(super) style: Option<AttrValue>,
    pub(super) key: SortKey,
    pub(super) content: Content,
}

impl TableCell {
    /// A cell with a text, which is its tooltip as well: there may be no room for all of it.
    #[inline(never)]
    pub fn text(text: impl Into<AttrValue>) -> Self {
        let text = text.into();
        let key = SortKey::Text(text.to_lowercase());
        Self { title: Some(text.clone()), class: vec!["foreign"], key, text, ..Self::default() }
    }

    /// A cell with a number: what is shown, and the number itself.
    #[inline(never)]
    pub fn number(shown: impl Into<AttrValue>, exact: i64) -> Self {
        let copied = Some(exact.to_string().into());
        Self { text: shown.into(), copied, key: SortKey::Number(exact), ..Self::default() }
    }

    /// A cell with a count.
    pub fn count(n: impl Into<i64>) -> Self {
        Self::counted(n.into())
    }

    #[inline(never)]
    fn counted(n: i64) -> Self {
        Self::number(text::count(n), n)
    }

    /// A cell with a time or duration in nanoseconds.
    #[inline(never)]
    pub fn time(ns: i64) -> Self {
        Self::number(text::duration(ns), ns).titled(text::duration_exact(ns))
    }

    /// A cell with a size in bytes.
    #[inline(never)]
    pub fn bytes(n: i64) -> Self {
        Self::number(text::bytes(n), n).titled(format!("{} B", text::count(n)))
    }

    /// A cell with the share that a part is of a whole; a dash for a share of nothing.
    #[inline(never)]
    pub fn share(part: i64, whole: i64) -> Self {
        if whole <= 0 {
            return Self::absent("");
        }
        // In ten thousandths of a percent.
        let exact = (i128::from(part) * 1_000_000 / i128::from(whole)) as i64;
        let copied = format!("{}.{:04}", exact / 10_000, exact % 10_000);
        Self::number(text::percent(part as f64 / whole as f64), exact).copied(copied)
    }

    /// A dash, and why there is no value.
    #[inline(never)]
    pub fn absent(why: &'static str) -> Self {
        let title = (!why.is_empty()).then_some(why.into());
        let copied = Some(AttrValue::default());
        Self { text: "–".into(), copied, title, class: vec!["absent"], ..Self::default() }
    }

    /// What `write` makes of a value, or a dash where it is not reported.
    #[inline(never)]
    pub fn or_absent(value: Option<i64>, write: fn(i64) -> Self) -> Self {
        value.map_or_else(|| Self::absent(words::common::NOT_REPORTED), write)
    }

    /// Parts of a whole as one bar, each with its class.
    #[inline(never)]
    pub fn bar(parts: Vec<(&'static str, i64)>, whole: i64) -> Self {
        Self { content: Content::Bar(parts, whole), class: vec!["bar-cell"], ..Self::default() }
    }

    /// Shown as a button that does something.
    #[inline(never)]
    pub fn link(self, title: impl Into<AttrValue>, onclick: Callback<MouseEvent>) -> Self {
        Self { content: Content::Link(onclick), ..self.titled(title) }
    }

    /// Shown as other elements than its text.
    #[inline(never)]
    pub fn shown(self, html: Html) -> Self {
        Self { content: Content::Html(html), ..self }
    }

    /// With another tooltip.
    #[inline(never)]
    pub fn titled(self, title: impl Into<AttrValue>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// With another text to be copied.
    #[inline(never)]
    pub fn copied(self, copied: impl Into<AttrValue>) -> Self {
        Self { copied: Some(copied.into()), ..self }
    }

    /// With a class of the style sheet.
    pub fn class(self, class: &'static str) -> Self {
        self.class_if(Some(class))
    }

    /// With a class of the style sheet, or without.
    #[inline(never)]
    pub fn class_if(mut self, class: Option<&'static str>) -> Self {
        self.class.extend(class);
        self
    }

    /// With a declaration for the style sheet.
    #[inline(never)]
    pub fn style(self, style: impl Into<AttrValue>) -> Self {
        Self { style: Some(style.into()), ..self }
    }

    /// With another key to be sorted by.
    #[inline(never)]
    pub fn key(self, key: SortKey) -> Self {
        Self { key, ..self }
    }

    /// The text to be copied.
    pub(super) fn copied_text(&self) -> &str {
        self.copied.as_ref().unwrap_or(&self.text)
    }

    /// What stands in the cell.
    pub(super) fn content(&self) -> Html {
        match &self.content {
            Content::Text => html! { &self.text },
            Content::Link(onclick) => {
                link(&self.text, self.title.clone().unwrap_or_default(), onclick.clone())
            }
            Content::Bar(parts, whole) => bar(parts, *whole),
            Content::Html(html) => html.clone(),
        }
    }
}

/// A button in a row, which looks like a link. The arrow keys lead to it, the Tab key passes it.
pub fn link(text: &str, title: impl Into<AttrValue>, onclick: Callback<MouseEvent>) -> Html {
    html! {
        <button type="button" class="link foreign clip" dir="auto" tabindex="-1" title={title.into()} {onclick}>{ text }</button>
    }
}

fn bar(parts: &[(&'static str, i64)], whole: i64) -> Html {
    let part = |(class, value): &(&'static str, i64)| {
        let width = if whole > 0 { *value as f64 / whole as f64 * 100.0 } else { 0.0 };
        html! { <i class={*class} style={format!("width:{width:.2}%")}></i> }
    };
    html! { <span class="use-bar" aria-hidden="true">{ for parts.iter().map(part) }</span> }
}
