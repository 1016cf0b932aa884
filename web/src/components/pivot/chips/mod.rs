//! An editable list of chips: chips can be added, edited, removed, and reordered by drag and drop or keys.

mod edit;
mod moves;
mod slot;

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlSelectElement};
use yew::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::ui::{Chip, ChipHandle, TermHelp};
use crate::words;
use crate::words::glossary::Term;
use edit::Edit;
use moves::Moves;
use slot::slot;

/// Prefix of the data type of a dragged chip. The viewer's number and the list's id follow, so that dropped files and
/// chips of other lists are ignored.
pub const DRAG: &str = "application/x-queryscope-";
/// Value of the option to enter a custom text, different from every other option.
const WRITE: &str = "=";

/// Maximum number of options in the menu. A trace may have thousands of numbers with nine functions each.
const LISTED: usize = 400;

/// Properties of [`Chips`].
#[derive(Properties, PartialEq)]
pub struct ChipsProps {
    /// Number of the viewer. Chips cannot be dragged to another viewer.
    pub viewer: u32,
    /// Id of the list, unique in the viewer.
    pub id: &'static str,
    /// Label in front of the list.
    pub label: &'static str,
    /// Glossary term that explains the label, if needed.
    #[prop_or_default]
    pub term: Option<Term>,
    /// Label of the button that adds a chip.
    pub add: &'static str,
    /// Text of each chip, in order.
    pub items: Vec<String>,
    /// Options that can be added, in groups with headings. A group with an empty heading shows none.
    pub choices: Vec<(String, Vec<String>)>,
    /// Receives the changed list after a chip was moved, added, edited or removed.
    pub onchange: Callback<Vec<String>>,
}

/// State and handlers for rendering a movable chip.
struct MovableChip<'a> {
    moves: &'a Rc<Moves>,
    onkey: Callback<(usize, KeyboardEvent)>,
    /// Index of the chip that is being edited, or the number of chips while a new one is entered.
    edited: UseStateHandle<Option<usize>>,
    /// Index of the chip before which a dragged chip would be dropped.
    target: UseStateHandle<Option<usize>>,
}

/// A label, an editable list of chips, and a menu that adds chips.
#[component]
pub fn Chips(props: &ChipsProps) -> Html {
    let list = use_node_ref();
    let (edited, target) = (use_state_eq(|| None::<usize>), use_state_eq(|| None::<usize>));
    // Index of the chip to focus after a chip was moved by a key or edited.
    let focus = use_mut_ref(|| None::<usize>);
    {
        let (list, focus) = (list.clone(), focus.clone());
        use_effect_with((props.items.clone(), *edited), move |_| {
            let chip = focus.take().and_then(|at| list.cast::<HtmlElement>()?.children().item(at as u32));
            if let Some(chip) = chip.and_then(|chip| chip.dyn_into::<HtmlElement>().ok()) {
                // An element in the document can take the focus.
                let _ = chip.focus();
            }
        });
    }
    let moves = Rc::new(Moves::new((props.viewer, props.id), props.items.clone(), props.onchange.clone()));
    let onkey = {
        let moves = moves.clone();
        let focus = focus.clone();
        let edited = edited.clone();
        Callback::from(move |(at, event): (usize, KeyboardEvent)| {
            if event.key() == "Enter" || event.key() == "F2" {
                edited.set(Some(at));
            } else if let Some((items, next)) = moves.by_key(at, &event.key()) {
                *focus.borrow_mut() = next;
                moves.onchange.emit(items);
            } else {
                return;
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let ondone = {
        let (moves, edited) = (moves.clone(), edited.clone());
        Callback::from(move |text: Option<String>| {
            let at = edited.unwrap_or_default();
            *focus.borrow_mut() = Some(at);
            edited.set(None);
            if let Some(items) = text.and_then(|text| moves.written(at, &text)) {
                moves.onchange.emit(items);
            }
        })
    };
    let chip = MovableChip { moves: &moves, onkey, edited: edited.clone(), target: target.clone() };
    let field = |at: usize| field(props, at, &ondone);
    let one = |at: usize| if *edited == Some(at) { field(at) } else { chip.html(at) };
    let [ondragover, ondragleave, ondrop] = dropping(&moves, &list, &target);
    html! {
        <div class="pivot-chips" {ondragover} {ondragleave} {ondrop}>
            <span class="headed">
                <span class="kicker" id={format!("{}-label", props.id)}>{ props.label }</span>
                if let Some(term) = props.term { <TermHelp {term} /> }
            </span>
            <span class="chips" role="list" aria-labelledby={format!("{}-label", props.id)} ref={list}>
                { for (0..props.items.len()).map(one) }
            </span>
            if *edited == Some(props.items.len()) { { field(props.items.len()) } }
            { adder(props, &edited) }
        </div>
    }
}

fn field(props: &ChipsProps, at: usize, ondone: &Callback<Option<String>>) -> Html {
    let value = props.items.get(at).cloned().unwrap_or_default();
    let label = if value.is_empty() { props.add.to_owned() } else { words::pivot::edit(&value) };
    let list = format!("{}-choices", props.id);
    html! { <Edit key="edit" {value} {label} {list} choices={props.choices.clone()} ondone={ondone.clone()} /> }
}

/// Returns the handlers for dragging a chip of this list: over the list, leaving the list, and dropping.
fn dropping(
    moves: &Rc<Moves>,
    list: &NodeRef,
    target: &UseStateHandle<Option<usize>>,
) -> [Callback<DragEvent>; 3] {
    let place = |list: &NodeRef, event: &DragEvent| {
        let list = list.cast::<Element>()?;
        Some(slot(&list, event.client_x().into(), event.client_y().into()))
    };
    let over = moves.kind();
    let list_over = list.clone();
    let marked = target.setter();
    let ondragover = Callback::from(move |event: DragEvent| {
        if event.data_transfer().is_some_and(|data| data.types().includes(&over.as_str().into(), 0)) {
            event.prevent_default();
            event.stop_propagation();
            marked.set(place(&list_over, &event));
        }
    });
    let unmarked = target.setter();
    let ondragleave = Callback::from(move |_: DragEvent| unmarked.set(None));
    let dropped = moves.clone();
    let list = list.clone();
    let unmarked = target.setter();
    let ondrop = Callback::from(move |event: DragEvent| {
        unmarked.set(None);
        let from = event.data_transfer().and_then(|data| data.get_data(&dropped.kind()).ok()?.parse().ok());
        if let (Some(from), Some(slot)) = (from, place(&list, &event)) {
            event.prevent_default();
            event.stop_propagation();
            dropped.onchange.emit(dropped.before(from, slot));
        }
    });
    [ondragover, ondragleave, ondrop]
}

impl MovableChip<'_> {
    fn html(&self, at: usize) -> Html {
        let moves = self.moves;
        let item = moves.items[at].clone();
        let onkeydown = self.onkey.reform(move |event| (at, event));
        let (kind, unmarked) = (moves.kind(), self.target.setter());
        let ondragstart = move |event: DragEvent| {
            if let Some(data) = event.data_transfer() {
                // If the browser rejects the type, nothing is dragged.
                let _ = data.set_data(&kind, &at.to_string());
                data.set_effect_allowed("move");
            }
        };
        let ondragend = move |_: DragEvent| unmarked.set(None);
        let edited = self.edited.setter();
        let ondblclick = move |_: MouseEvent| edited.set(Some(at));
        let removed = moves.clone();
        let onclick = move |_: MouseEvent| removed.onchange.emit(removed.without(at));
        let is_last = at + 1 == moves.items.len();
        let mark = match *self.target {
            Some(slot) if slot == at => Some("drop-before"),
            Some(slot) if is_last && slot == at + 1 => Some("drop-behind"),
            _ => None,
        };
        let handle = ChipHandle {
            onkeydown,
            ondragstart: Callback::from(ondragstart),
            ondragend: Callback::from(ondragend),
            ondblclick: Callback::from(ondblclick),
        };
        let shown = words::pivot::dimension(&item);
        let title = words::pivot::chip_title(&item, &shown);
        let remove = (words::pivot::remove(&shown).into(), Callback::from(onclick));
        html! {
            <Chip key={item.clone()} is_listed=true class={classes!("foreign", mark)} {title} {remove} {handle}><>{ shown }</></Chip>
        }
    }
}

fn adder(props: &ChipsProps, edited: &UseStateHandle<Option<usize>>) -> Html {
    let all: usize = props.choices.iter().map(|(_, choices)| choices.len()).sum();
    let mut room = LISTED;
    let left = props.choices.iter().map(|(name, choices)| {
        let choices: Vec<String> =
            choices.iter().take(room).filter(|choice| !props.items.contains(choice)).cloned().collect();
        room -= choices.len();
        (name.clone(), choices)
    });
    let left: Vec<(String, Vec<String>)> = left.filter(|(_, choices)| !choices.is_empty()).collect();
    let items = props.items.clone();
    let onchange = props.onchange.clone();
    let edited = edited.setter();
    let onchange = move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = select.value();
        select.set_selected_index(0);
        match chosen.as_str() {
            "" => {}
            WRITE => edited.set(Some(items.len())),
            _ => onchange.emit(items.iter().cloned().chain([chosen]).collect()),
        }
    };
    let option = |choice: &String| html! { <option value={choice.clone()}>{ words::pivot::dimension(choice) }</option> };
    let group = |(name, choices): &(String, Vec<String>)| match name.as_str() {
        "" => html! { <>{ for choices.iter().map(option) }</> },
        _ => html! { <optgroup label={name.clone()}>{ for choices.iter().map(option) }</optgroup> },
    };
    html! {
        <label class="chip-more" title={props.add}>
            { icon(Icon::Plus) }
            <select id={format!("{}-add", props.id)} aria-label={props.add} {onchange}>
                <option value="" selected=true />
                <option value={WRITE}>{ words::pivot::CUSTOM }</option>
                { for left.iter().map(group) }
                if all > LISTED {
                    <option disabled=true>{ words::pivot::more_choices(all - LISTED) }</option>
                }
            </select>
        </label>
    }
}
