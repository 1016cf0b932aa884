//! The text field that edits a chip: any list of projections, and percentiles of any number.

use std::cell::Cell;

use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Maximum number of suggestions that are shown at a time.
const OFFERED: usize = 200;

/// Properties of an [`Edit`] field.
#[derive(Properties, PartialEq)]
pub struct EditProps {
    /// Initial text of the field.
    pub value: String,
    /// Label of the field for screen readers.
    pub label: String,
    /// Id of the list of suggestions.
    pub list: String,
    /// Suggestions, in named groups.
    pub choices: Vec<(String, Vec<String>)>,
    /// Receives the entered text, or `None` if editing was cancelled.
    pub ondone: Callback<Option<String>>,
}

/// A text field with suggestions that edits a chip.
#[component]
pub fn Edit(props: &EditProps) -> Html {
    let field = use_node_ref();
    {
        let field = field.clone();
        use_effect_with((), move |()| {
            if let Some(field) = field.cast::<HtmlInputElement>() {
                // An element in the document can take the focus.
                let _ = field.focus();
                field.select();
            }
        });
    }
    // Removing the field also blurs it, so the flag ensures that the result is sent once.
    let is_done = use_memo((), |()| Cell::new(false));
    let done = {
        let (ondone, is_done) = (props.ondone.clone(), is_done.clone());
        Callback::from(move |text: Option<String>| {
            if !is_done.replace(true) {
                ondone.emit(text);
            }
        })
    };
    let written = {
        let field = field.clone();
        move || field.cast::<HtmlInputElement>().map(|field| field.value())
    };
    let onblur = {
        let (done, written) = (done.clone(), written.clone());
        move |_: FocusEvent| done.emit(written())
    };
    let onkeydown = move |event: KeyboardEvent| {
        // Key presses in the field must not trigger the shortcuts of the views.
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => done.emit(written()),
            "Escape" => done.emit(None),
            _ => {}
        }
    };
    let typed = use_state_eq(|| props.value.clone());
    let setter = typed.setter();
    let oninput =
        move |event: InputEvent| setter.set(event.target_unchecked_into::<HtmlInputElement>().value());
    let size = props.value.chars().count().clamp(10, 40).to_string();
    html! {
        <>
            <input class="chip-edit" ref={field} value={(*typed).clone()} aria-label={props.label.clone()} list={props.list.clone()}
                {size} autocomplete="off" spellcheck="false" {onblur} {onkeydown} {oninput} />
            <datalist id={props.list.clone()}>
                { for offered(&props.choices, &typed).map(|choice| html! { <option value={choice.clone()} /> }) }
            </datalist>
        </>
    }
}

/// Returns the suggestions for the browser's list: the first ones that contain the typed text.
fn offered<'a>(choices: &'a [(String, Vec<String>)], typed: &str) -> impl Iterator<Item = &'a String> {
    let typed = typed.trim().to_lowercase();
    let all = choices.iter().flat_map(|(_, choices)| choices);
    all.filter(move |choice| choice.to_lowercase().contains(&typed)).take(OFFERED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn what_was_typed_finds_every_choice() {
        let choices: Vec<String> = (0..9_000).map(|number| format!("max(Number {number})")).collect();
        let choices = [(String::new(), vec!["count".to_owned()]), ("numbers".to_owned(), choices)];
        for (typed, count, first) in [
            ("", OFFERED, Some("count")),
            ("number 8999", 1, Some("max(Number 8999)")),
            (" NUMBER 899", 11, Some("max(Number 899)")),
            ("no", 0, None),
        ] {
            let found: Vec<&String> = offered(&choices, typed).collect();
            assert_eq!((found.len(), found.first().map(|first| first.as_str())), (count, first), "{typed}");
        }
    }
}
