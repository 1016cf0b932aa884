//! A table cell: its displayed content, its copied text and its sort key.

use queryscope::internal::text;
use yew::prelude::*;

use crate::words;

/// Sort key of a cell within its column.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum SortKey {
    /// No value, sorted last in both directions.
    #[default]
    Nothing,
    /// A number.
    Number(i64),
    /// A text, in lower case.
    Text(String),
}

/// Content of a cell in addition to its text.
#[derive(Clone, PartialEq, Default)]
pub(super) enum Content {
    /// Only the text.
    #[default]
    Text,
    /// A button labelled with the text.
    Link(Callback<MouseEvent>),
    /// A stacked bar: CSS class and length of each part, and the length of the whole.
    Bar(Vec<(&'static str, i64)>, i64),
    /// Any other elements.
    Html(Html),
}

/// The displayed content, copied text and sort key of a table cell.
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
    /// A cell with a text. The tooltip repeats the text, which may be cut off.
    #[inline(never)]
    pub fn text(text: impl Into<AttrValue>) -> Self {
        let text = text.into();
        let key = SortKey::Text(text.to_lowercase());
        Self { title: Some(text.clone()), class: vec!["foreign"], key, text, ..Self::default() }
    }

    /// A cell with a number: the formatted text and the exact value.
    #[inline(never)]
    pub fn number(shown: impl Into<AttrValue>, exact: i64) -> Self {
        let copied = Some(exact.to_string().into());
        Self { text: shown.into(), copied, key: SortKey::Number(exact), ..Self::default() }
    }

    /// A cell with a count, with digits grouped.
    pub fn count(n: impl Into<i64>) -> Self {
        Self::counted(n.into())
    }

    #[inline(never)]
    fn counted(n: i64) -> Self {
        Self::number(text::count(n), n)
    }

    /// A cell with a duration or point in time, in nanoseconds.
    #[inline(never)]
    pub fn time(ns: i64) -> Self {
        Self::number(text::duration(ns), ns).titled(text::duration_exact(ns))
    }

    /// A cell with a size in bytes.
    #[inline(never)]
    pub fn bytes(n: i64) -> Self {
        Self::number(text::bytes(n), n).titled(format!("{} B", text::count(n)))
    }

    /// A cell with `part` as a percentage of `whole`, or a dash if `whole` is not positive.
    #[inline(never)]
    pub fn share(part: i64, whole: i64) -> Self {
        if whole <= 0 {
            return Self::absent("");
        }
        // In units of 0.0001 %.
        let exact = (i128::from(part) * 1_000_000 / i128::from(whole)) as i64;
        let copied = format!("{}.{:04}", exact / 10_000, exact % 10_000);
        Self::number(text::percent(part as f64 / whole as f64), exact).copied(copied)
    }

    /// A cell with a dash. `why` is its tooltip, and explains why there is no value.
    #[inline(never)]
    pub fn absent(why: &'static str) -> Self {
        let title = (!why.is_empty()).then_some(why.into());
        let copied = Some(AttrValue::default());
        Self { text: "–".into(), copied, title, class: vec!["absent"], ..Self::default() }
    }

    /// Whether the cell has no value. What has one and is only less important, such as a count of 0, has the class `faint`.
    pub fn is_absent(&self) -> bool {
        self.class.contains(&"absent")
    }

    /// A cell made by `write` from a value, or a dash for `None`.
    #[inline(never)]
    pub fn or_absent(value: Option<i64>, write: fn(i64) -> Self) -> Self {
        value.map_or_else(|| Self::absent(words::common::NOT_REPORTED), write)
    }

    /// A cell with a quotient, or a dash that `absent` explains.
    #[inline(never)]
    pub fn ratio(ratio: Option<f64>, absent: &'static str) -> Self {
        let Some(ratio) = ratio else { return Self::absent(absent) };
        Self::text(text::ratio(ratio)).copied(format!("{ratio:.3}"))
    }

    /// A cell with a stacked bar: CSS class and length of each part, and the length of the whole.
    #[inline(never)]
    pub fn bar(parts: Vec<(&'static str, i64)>, whole: i64) -> Self {
        Self { content: Content::Bar(parts, whole), class: vec!["bar-cell"], ..Self::default() }
    }

    /// Whether the cell has a number above 0.
    pub fn is_positive(&self) -> bool {
        matches!(self.key, SortKey::Number(number) if number > 0)
    }

    /// Shows the text as a button, with a tooltip and a click handler.
    #[inline(never)]
    pub fn link(self, title: impl Into<AttrValue>, onclick: Callback<MouseEvent>) -> Self {
        Self { content: Content::Link(onclick), ..self.titled(title) }
    }

    /// Shows other elements instead of the text.
    #[inline(never)]
    pub fn shown(self, html: Html) -> Self {
        Self { content: Content::Html(html), ..self }
    }

    /// Sets the tooltip.
    #[inline(never)]
    pub fn titled(self, title: impl Into<AttrValue>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// Sets the text that is copied instead of the displayed text.
    #[inline(never)]
    pub fn copied(self, copied: impl Into<AttrValue>) -> Self {
        Self { copied: Some(copied.into()), ..self }
    }

    /// Adds a CSS class.
    pub fn class(self, class: &'static str) -> Self {
        self.class_if(Some(class))
    }

    /// Adds a CSS class, if there is one.
    #[inline(never)]
    pub fn class_if(mut self, class: Option<&'static str>) -> Self {
        self.class.extend(class);
        self
    }

    /// Sets inline CSS declarations.
    #[inline(never)]
    pub fn style(self, style: impl Into<AttrValue>) -> Self {
        Self { style: Some(style.into()), ..self }
    }

    /// Sets the sort key.
    #[inline(never)]
    pub fn key(self, key: SortKey) -> Self {
        Self { key, ..self }
    }

    /// Returns the text that is copied.
    pub(super) fn copied_text(&self) -> &str {
        self.copied.as_ref().unwrap_or(&self.text)
    }

    /// Renders the content of the cell.
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

/// A button in a row that looks like a link. Arrow keys move to it; it is not in the Tab order.
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
