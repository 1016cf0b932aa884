//! Completion of the filter and of SQL: a list below the field, by the combobox pattern of ARIA.

use queryscope::internal::text;
use queryscope::protocol::{FilterCompletion, FilterCompletionRequest, FilterCompletions};
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::PanelProps;
use super::use_query::{Answer, use_query};
use crate::host::page;
use crate::words;

/// The completions of a field.
pub struct Completion {
    text: String,
    found: Option<FilterCompletions>,
    /// Whether the list is to open when its completions arrive.
    is_waiting: bool,
    /// Index of the highlighted completion.
    pub active: Option<usize>,
    highlight: Callback<Option<usize>>,
    /// Opens the list for a position in the text, in bytes; `None` closes it.
    pub close: Callback<Option<u32>>,
    /// Accepts a completion by its index.
    pub accept: Callback<usize>,
}

/// Requests the completions for the text of a field, whose list opens while the user types.
#[hook]
pub fn use_completion(panel: &PanelProps, text: &str, input: &NodeRef, set: &Callback<String>) -> Completion {
    let caret = use_state_eq(|| None::<u32>);
    let request = (*caret).map(|caret| FilterCompletionRequest { text: text.to_owned(), caret });
    let answer = use_query(&panel.client, request.clone(), panel.state.load.info.build);
    let answer = answer.as_ref().filter(|answer| request.is_some() && answer.request() == request.as_ref());
    let found = answer.and_then(Answer::reply).cloned();
    let is_waiting = request.is_some() && answer.is_none();
    let completion = use_list(text, " ", input, set, caret, found);
    Completion { is_waiting, ..completion }
}

/// The list of the completions `found` for the text of a field. `caret` is the position in bytes for which the list is open. `after` is
/// inserted after a completion that the user accepts.
#[hook]
pub fn use_list(
    text: &str,
    after: &'static str,
    input: &NodeRef,
    set: &Callback<String>,
    caret: UseStateHandle<Option<u32>>,
    found: Option<FilterCompletions>,
) -> Completion {
    let active = use_state_eq(|| None::<usize>);
    let found = found.filter(|found| !found.list.is_empty());
    let highlight = Callback::from({
        let setter = active.setter();
        move |at| setter.set(at)
    });
    let close = Callback::from({
        let (caret, active) = (caret.setter(), active.setter());
        move |at| {
            caret.set(at);
            active.set(None);
        }
    });
    let accept = Callback::from({
        let (found, text) = (found.clone(), text.to_owned());
        let (set, close) = (set.clone(), close.clone());
        let input = input.clone();
        move |at: usize| {
            let found = found.as_ref().and_then(|found| Some((found.from, found.until, found.list.get(at)?)));
            let Some((from, until, chosen)) = found else { return };
            let before = text.get(..from as usize).unwrap_or_default();
            let rest = text.get(until as usize..).unwrap_or_default();
            let rest = if after.is_empty() { rest } else { rest.trim_start() };
            let own = chosen.text.clone() + after;
            if let Some(input) = field(&input) {
                retype(&input, [before, &own, rest]);
            }
            // After a value, the condition is complete.
            let is_done = chosen.count.is_some() || after.is_empty();
            close.emit((!is_done).then_some((before.len() + own.len()) as u32));
            set.emit(format!("{before}{own}{rest}"));
        }
    });
    Completion { text: text.to_owned(), found, is_waiting: false, active: *active, highlight, close, accept }
}

impl Completion {
    /// Whether the list is shown: there is at least one completion.
    pub fn is_open(&self) -> bool {
        self.found.is_some()
    }

    /// The text before what a completion replaces; `None` if there is no list.
    pub fn before(&self) -> Option<&str> {
        self.text.get(..self.found.as_ref()?.from as usize)
    }

    /// Whether a completion could still complete the word at the caret, so that the filter is not to be applied yet: a longer name or number,
    /// a value after `=` or `!=`, or an operator after a name. True until the completions are known; false while the list is closed.
    pub fn is_unfinished(&self) -> bool {
        let Some(found) = &self.found else { return self.is_waiting };
        let part = self.text.get(found.from as usize..found.until as usize).unwrap_or_default();
        if part.is_empty() {
            return found.list.iter().any(|one| one.text == "=");
        }
        let part = without_quotes(part);
        let goes_on = found.list.iter().any(|one| without_quotes(&one.text).starts_with(&part));
        // A value that has to be contained is finished at any length.
        let is_value = found.list.iter().any(|one| one.count.is_some());
        let is_equal = self.before().is_some_and(|before| before.trim_end().ends_with('='));
        let is_whole = found.list.iter().any(|one| without_quotes(&one.text) == part);
        goes_on && (!is_value || is_equal && !is_whole)
    }

    /// Returns the handler of the field's input: it opens the list at the caret and passes the new text to `set`.
    pub fn oninput(&self, input: &NodeRef, set: &Callback<String>) -> Callback<InputEvent> {
        let (input, set) = (input.clone(), set.clone());
        let open = self.close.clone();
        Callback::from(move |_| {
            let Some(input) = field(&input) else { return };
            open.emit(Some(caret(&input)));
            set.emit(input.value());
        })
    }

    /// Returns the key handler of the field: keys of the list move in it, accept or close; all other keys are passed to `typing`.
    pub fn onkeydown(&self, input: &NodeRef, typing: Callback<KeyboardEvent>) -> Callback<KeyboardEvent> {
        let (active, highlight) = (self.active, self.highlight.clone());
        let (close, accept) = (self.close.clone(), self.accept.clone());
        let (input, n) = (input.clone(), self.found.as_ref().map(|found| found.list.len()));
        Callback::from(move |event: KeyboardEvent| {
            match (event.key().as_str(), n, active) {
                ("ArrowDown", Some(n), at) => highlight.emit(Some(at.map_or(0, |at| (at + 1) % n))),
                ("ArrowUp", Some(n), at) => {
                    highlight.emit(Some(at.unwrap_or(0).checked_sub(1).unwrap_or(n - 1)))
                }
                ("ArrowDown", None, _) => close.emit(field(&input).map(|input| caret(&input))),
                ("Enter" | "Tab", Some(_), Some(at)) => accept.emit(at),
                ("Escape", Some(_), _) => close.emit(None),
                _ => return typing.emit(event),
            }
            event.prevent_default();
            event.stop_propagation();
        })
    }

    /// Renders the list; empty without completions. The style sheet shows `hint`, which says by which keys to accept, above the completions:
    /// a list box may contain options only.
    pub fn list(&self, id: &str, hint: Option<&'static str>) -> Html {
        let Some(found) = &self.found else { return Html::default() };
        let option = |(at, one): (usize, &FilterCompletion)| {
            let onclick = self.accept.reform(move |_: MouseEvent| at);
            html! {
                <li id={format!("{id}-{at}")} role="option" aria-selected={(self.active == Some(at)).to_string()} {onclick}>
                    <span class="clip foreign">{ &one.text }</span>
                    if let Some(count) = one.count { <span class="number">{ text::count(i64::from(count)) }</span> }
                </li>
            }
        };
        // The field keeps the focus.
        let onmousedown = |event: MouseEvent| event.prevent_default();
        html! {
            <ul id={format!("{id}-list")} class="completions" role="listbox" aria-label={words::filter::COMPLETIONS} data-text={self.text.clone()} data-hint={hint} {onmousedown}>
                { for found.list.iter().enumerate().map(option) }
            </ul>
        }
    }
}

/// A name or value in lower case, without quotes and with blanks for underscores.
fn without_quotes(text: &str) -> String {
    text.trim_matches('"').replace('_', " ").to_lowercase()
}

/// The text field at a node. An `<input>` and a `<textarea>` have the same properties for value and selection, so both are used as the former.
pub fn field(node: &NodeRef) -> Option<HtmlInputElement> {
    node.cast::<web_sys::Element>().map(JsCast::unchecked_into)
}

/// Replaces what stands in a field between two parts of its text, and puts the caret after it. Undo restores the text.
pub fn retype(input: &HtmlInputElement, [before, new, rest]: [&str; 3]) {
    let units = |text: &str| text.encode_utf16().count() as u32;
    let from = units(before);
    let until = units(&input.value()).saturating_sub(units(rest)).max(from);
    // A text field always has a selection.
    let _ = input.focus().and_then(|()| input.set_selection_range(from, until));
    let (whole, at) = (format!("{before}{new}{rest}"), from + units(new));
    if !page::type_text(new) || input.value() != whole {
        input.set_value(&whole);
        let _ = input.set_selection_range(at, at);
    }
}

/// Position of the caret of a field, in bytes.
pub fn caret(input: &HtmlInputElement) -> u32 {
    let at = input.selection_start().ok().flatten().unwrap_or(0) as usize;
    let (text, mut units) = (input.value(), 0);
    let is_before = |c: &char| {
        units += c.len_utf16();
        units <= at
    };
    text.chars().take_while(is_before).map(char::len_utf8).sum::<usize>() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_text_is_finished_where_no_completion_goes_on() {
        let name = None;
        let value = Some(1);
        for (text, from, list, expected) in [
            ("durat", 0, vec![("duration", name)], true),
            ("duration", 0, vec![("duration", name)], true),
            ("self t", 0, vec![("self_time", name)], true),
            ("time", 0, vec![("self_time", name)], false),
            ("duration ", 9, vec![(">", name), ("=", name)], true),
            ("failed ", 7, vec![("kind", name), ("name", name)], false),
            ("duration > 5", 11, vec![("5ms", name), ("5s", name)], true),
            ("kind = qu", 7, vec![("query", value), ("request", value)], true),
            ("kind != query", 8, vec![("query", value)], false),
            ("sql ~ ord", 6, vec![("orders", value)], false),
            ("name = \"a b", 7, vec![("\"a b c\"", value)], true),
            ("name = orders", 7, vec![("\"all orders\"", value)], false),
        ] {
            let list =
                list.into_iter().map(|(text, count)| FilterCompletion { text: text.to_owned(), count });
            let found = FilterCompletions { from, until: text.len() as u32, list: list.collect() };
            let completion = Completion {
                text: text.to_owned(),
                found: Some(found),
                is_waiting: false,
                active: None,
                highlight: Callback::noop(),
                close: Callback::noop(),
                accept: Callback::noop(),
            };
            assert_eq!(completion.is_unfinished(), expected, "{text}");
        }
    }
}
