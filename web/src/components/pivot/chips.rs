//! A list of chips: dragged or moved by keys into another order, taken away, and one more added.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlSelectElement};
use yew::prelude::*;

use crate::components::icon::{Icon, icon};

/// What is dragged carries this type, followed by the list's id: files that are dropped have others.
pub const DRAG: &str = "application/x-queryscope-";

/// What a list of chips needs.
#[derive(Properties, PartialEq)]
pub struct ChipsProps {
    /// Tells lists apart.
    pub id: &'static str,
    /// What stands before it.
    pub label: &'static str,
    /// What the button for one more is called.
    pub add: &'static str,
    /// The chips.
    pub items: Vec<String>,
    /// What can be added, in groups with headings (none for an empty one).
    pub choices: Vec<(String, Vec<String>)>,
    /// The chips in their new order, with what was added and without what was taken away.
    pub onchange: Callback<Vec<String>>,
}

/// The list.
#[component]
pub fn Chips(props: &ChipsProps) -> Html {
    let list = use_node_ref();
    // Where the focus belongs after a chip was moved by a key.
    let focus = use_mut_ref(|| None::<usize>);
    {
        let (list, focus) = (list.clone(), focus.clone());
        use_effect_with(props.items.clone(), move |_| {
            let chip = focus.take().and_then(|at| list.cast::<HtmlElement>()?.children().item(at as u32));
            if let Some(chip) = chip.and_then(|chip| chip.dyn_into::<HtmlElement>().ok()) {
                // An element that is there can take the focus.
                let _ = chip.focus();
            }
        });
    }
    let moves = Rc::new(Moves { id: props.id, items: props.items.clone(), onchange: props.onchange.clone() });
    let onkey = {
        let moves = moves.clone();
        Callback::from(move |(at, event): (usize, KeyboardEvent)| {
            let Some((items, next)) = moves.by_key(at, &event.key()) else { return };
            event.prevent_default();
            event.stop_propagation();
            *focus.borrow_mut() = next;
            moves.onchange.emit(items);
        })
    };
    html! {
        <div class="pivot-chips">
            <span class="kicker" id={format!("{}-label", props.id)}>{ props.label }</span>
            <span class="chips" role="list" aria-labelledby={format!("{}-label", props.id)} ref={list}>
                { for (0..props.items.len()).map(|at| chip(&moves, at, &onkey)) }
            </span>
            { adder(props) }
        </div>
    }
}

/// The changes that can be made to a list.
struct Moves {
    id: &'static str,
    items: Vec<String>,
    onchange: Callback<Vec<String>>,
}

impl Moves {
    fn to(&self, from: usize, to: usize) -> Vec<String> {
        let mut items = self.items.clone();
        if from < items.len() && to < items.len() {
            let item = items.remove(from);
            items.insert(to, item);
        }
        items
    }

    fn without(&self, at: usize) -> Vec<String> {
        let mut items = self.items.clone();
        if at < items.len() {
            items.remove(at);
        }
        items
    }

    /// The list after a key on a chip, and which chip has the focus then.
    fn by_key(&self, at: usize, key: &str) -> Option<(Vec<String>, Option<usize>)> {
        let last = self.items.len().checked_sub(1)?;
        match key {
            "ArrowLeft" if at > 0 => Some((self.to(at, at - 1), Some(at - 1))),
            "ArrowRight" if at < last => Some((self.to(at, at + 1), Some(at + 1))),
            "Delete" | "Backspace" => Some((self.without(at), last.checked_sub(1).map(|end| at.min(end)))),
            _ => None,
        }
    }

    fn kind(&self) -> String {
        format!("{DRAG}{}", self.id)
    }
}

fn chip(moves: &Rc<Moves>, at: usize, onkey: &Callback<(usize, KeyboardEvent)>) -> Html {
    let item = moves.items[at].clone();
    let onkeydown = onkey.reform(move |event| (at, event));
    let kind = moves.kind();
    let ondragstart = move |event: DragEvent| {
        if let Some(data) = event.data_transfer() {
            // A browser that refuses the type drags nothing.
            let _ = data.set_data(&kind, &at.to_string());
            data.set_effect_allowed("move");
        }
    };
    let over = moves.kind();
    let ondragover = move |event: DragEvent| {
        if event.data_transfer().is_some_and(|data| data.types().includes(&over.as_str().into(), 0)) {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    let dropped = moves.clone();
    let ondrop = move |event: DragEvent| {
        let from = event.data_transfer().and_then(|data| data.get_data(&dropped.kind()).ok()?.parse().ok());
        if let Some(from) = from {
            event.prevent_default();
            event.stop_propagation();
            dropped.onchange.emit(dropped.to(from, at));
        }
    };
    let removed = moves.clone();
    let onclick = move |_: MouseEvent| removed.onchange.emit(removed.without(at));
    html! {
        <span key={item.clone()} class="chip-step foreign" role="listitem" tabindex="0" draggable="true"
            title="Drag, or ← → to move; Delete to take away" {onkeydown} {ondragstart} {ondragover} {ondrop}>
            { &item }
            <button type="button" class="chip-button" tabindex="-1" aria-label={format!("Take away {item}")} {onclick}>{ "×" }</button>
        </span>
    }
}

fn adder(props: &ChipsProps) -> Html {
    let left: Vec<(String, Vec<String>)> = props
        .choices
        .iter()
        .map(|(name, choices)| {
            (name.clone(), choices.iter().filter(|choice| !props.items.contains(choice)).cloned().collect())
        })
        .collect();
    let (items, onchange) = (props.items.clone(), props.onchange.clone());
    let onchange = move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = select.value();
        select.set_selected_index(0);
        if !chosen.is_empty() {
            onchange.emit(items.iter().cloned().chain([chosen]).collect());
        }
    };
    let option = |choice: &String| html! { <option value={choice.clone()}>{ choice }</option> };
    let group = |(name, choices): &(String, Vec<String>)| match name.as_str() {
        "" => html! { <>{ for choices.iter().map(option) }</> },
        _ => html! { <optgroup label={name.clone()}>{ for choices.iter().map(option) }</optgroup> },
    };
    html! {
        <label class="chip-more" title={props.add}>
            { icon(Icon::Plus) }
            <select id={format!("{}-add", props.id)} aria-label={props.add} {onchange}>
                <option value="" selected=true />
                { for left.iter().map(group) }
            </select>
        </label>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn check(items: &str, at: usize, key: &str, expected: Option<(&str, Option<usize>)>) {
        let list = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let moves = Moves { id: "by", items: list(items), onchange: Callback::noop() };
        let expected = expected.map(|(items, focus)| (list(items), focus));
        assert_eq!(moves.by_key(at, key), expected, "{items} {at} {key}");
    }

    #[wasm_bindgen_test]
    fn chips_move_by_keys() {
        check("abc", 1, "ArrowLeft", Some(("bac", Some(0))));
        check("abc", 1, "ArrowRight", Some(("acb", Some(2))));
        check("abc", 0, "ArrowLeft", None);
        check("abc", 2, "ArrowRight", None);
        check("abc", 2, "Delete", Some(("ab", Some(1))));
        check("a", 0, "Backspace", Some(("", None)));
        check("", 0, "Delete", None);
        check("abc", 0, "x", None);
    }
}
