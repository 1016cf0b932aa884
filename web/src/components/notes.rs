//! The dialog of the user's notes: a form for a new note, and the list of all notes.

use queryscope::protocol::{DetailsRequest, Viewport};
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::PanelProps;
use super::icon::{Icon, icon};
use super::use_query::{Answer, use_query};
use crate::state::{Action, MOST_NOTES, NOTE_CHARACTERS, NoteTarget, Tab, UserNote};
use crate::ui::{Dialog, focus};
use crate::words;

/// The dialog of the notes.
#[component]
pub fn Notes(props: &PanelProps) -> Html {
    let edited = use_state_eq(|| None::<usize>);
    // A field that appears takes the focus, as what had it may be gone.
    let mount = props.mount.clone();
    use_effect_with((*edited, props.state.nav.notes.len()), move |_| {
        let field = mount.find("#notes .note-list input");
        focus(field.or_else(|| mount.find("#notes .note-form input")));
    });
    let onclose = props.dispatch_of(Action::Dialog).reform(|()| None);
    let notes = &props.state.nav.notes;
    html! {
        <Dialog mount={props.mount.clone()} id="notes" title={words::notes::NOTES} {onclose}>
            if notes.len() < MOST_NOTES { <NewNote ..props.clone() /> } else { <p>{ words::notes::full(MOST_NOTES) }</p> }
            if notes.is_empty() {
                <p class="muted">{ words::notes::NONE }</p>
            } else {
                <ol class="note-list" aria-label={words::notes::NOTES}>
                    { for notes.iter().enumerate().map(|(at, note)| listed(props, at, note, &edited)) }
                </ol>
            }
        </Dialog>
    }
}

/// Opens the dialog of the notes.
pub fn notes_button(props: &PanelProps, class: &'static str, label: &'static str) -> Html {
    let onclick = props.dispatch_of(Action::Dialog).reform(|_: MouseEvent| Some(crate::state::Dialog::Notes));
    html! { <button type="button" {class} title={words::notes::ADD_TITLE} aria-label={label} {onclick}>{ icon(Icon::Note) }</button> }
}

/// The form for a new note on the selected item, the time range or the whole trace.
#[component]
fn NewNote(props: &PanelProps) -> Html {
    let (state, nav) = (&props.state, &props.state.nav);
    let request = nav.selection.map(|item| DetailsRequest { item });
    let answer = use_query(&props.client, request, state.load.scene_version);
    let facts = answer.as_ref().and_then(Answer::reply).and_then(Option::as_deref);
    let item = facts.filter(|facts| nav.selection == Some(facts.item)).map(|facts| {
        let duration = facts.duration.unwrap_or(0);
        (
            NoteTarget::Item { item: facts.item, start: facts.start, duration },
            words::notes::on_item(&facts.title),
        )
    });
    let range = nav.range.map(|(start, end)| NoteTarget::Range { start, end });
    let described = |target: NoteTarget| (target, target.description());
    let all = [item, range.map(described), Some(described(NoteTarget::Trace))];
    let targets: Vec<(NoteTarget, String)> = all.into_iter().flatten().collect();
    let (field, select) = (use_node_ref(), use_node_ref());
    let onsubmit = {
        let (field, select) = (field.clone(), select.clone());
        let dispatch = props.dispatch.clone();
        let targets: Vec<NoteTarget> = targets.iter().map(|(target, _)| *target).collect();
        move |event: SubmitEvent| {
            event.prevent_default();
            let Some(field) = field.cast::<HtmlInputElement>() else { return };
            let chosen = select.cast::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
            let target = usize::try_from(chosen).ok().and_then(|at| targets.get(at));
            if let Some(note) = target.and_then(|target| UserNote::new(*target, &field.value())) {
                dispatch.dispatch(Action::AddNote(note));
                field.set_value("");
            }
        }
    };
    html! {
        <form class="note-form" {onsubmit}>
            <input type="text" ref={field} maxlength={NOTE_CHARACTERS.to_string()} placeholder={words::notes::TEXT} aria-label={words::notes::TEXT} autocomplete="off" />
            <label>{ words::notes::ON }<select ref={select}>
                // The most specific target is the first; without a choice, a browser would take the option that was made first.
                { for targets.iter().enumerate().map(|(at, (_, name))| html! { <option selected={at == 0}>{ name }</option> }) }
            </select></label>
            <button type="submit" class="btn primary">{ words::notes::ADD }</button>
        </form>
    }
}

/// Renders a note of the list, or the form that changes its text.
fn listed(props: &PanelProps, at: usize, note: &UserNote, edited: &UseStateHandle<Option<usize>>) -> Html {
    let (target, dispatch) = (note.target, props.dispatch.clone());
    let panel = props.clone();
    let name = target.description();
    let head = match target {
        NoteTarget::Trace => html! { <span class="muted">{ name }</span> },
        _ => {
            html! { <button type="button" class="link" title={words::notes::JUMP} onclick={move |_| jump(&panel, target)}>{ name }</button> }
        }
    };
    let set = edited.setter();
    let body = if **edited == Some(at) {
        let onsubmit = move |event: SubmitEvent| {
            event.prevent_default();
            let form = event.target_dyn_into::<web_sys::Element>();
            let field = form.and_then(|form| form.query_selector("input").ok().flatten());
            if let Some(field) =
                field.and_then(|field| wasm_bindgen::JsCast::dyn_into::<HtmlInputElement>(field).ok())
            {
                dispatch.dispatch(Action::EditNote(at, field.value()));
                set.set(None);
            }
        };
        html! {
            <form class="note-form" {onsubmit}>
                <input type="text" maxlength={NOTE_CHARACTERS.to_string()} value={note.text.clone()} aria-label={words::notes::TEXT} autocomplete="off" />
                <button type="submit" class="btn small">{ words::notes::SAVE }</button>
            </form>
        }
    } else {
        let edit = move |_: MouseEvent| set.set(Some(at));
        let (close, setter) = (edited.setter(), dispatch);
        let delete = move |_: MouseEvent| {
            close.set(None);
            setter.dispatch(Action::EditNote(at, String::new()));
        };
        html! {
            <>
                <p dir="auto">{ &note.text }</p>
                <button type="button" class="btn quiet small" onclick={edit} aria-label={words::notes::edit(&note.text)}>{ words::notes::EDIT }</button>
                <button type="button" class="btn quiet small" onclick={delete} aria-label={words::notes::delete(&note.text)}>{ words::notes::DELETE }</button>
            </>
        }
    };
    html! { <li key={at}><div>{ head }</div>{ body }</li> }
}

/// Closes the dialog and shows the target of a note: its item if the trace still contains it unchanged, otherwise its
/// time.
fn jump(panel: &PanelProps, target: NoteTarget) {
    let panel = panel.clone();
    spawn_local(async move {
        let go = |action| panel.dispatch.dispatch(action);
        let item = match target {
            NoteTarget::Item { item, start, duration } => {
                crate::item_links::known(&panel, Some((item, start, duration))).await
            }
            _ => None,
        };
        go(Action::Dialog(None));
        if !panel.state.nav.tab.has_picture() {
            go(Action::Show(Tab::Gantt));
        }
        match (item, target.interval()) {
            (Some(item), _) => go(Action::ZoomTo(item)),
            (None, Some((start, end))) => {
                // Around an instant, 2 % of the trace are shown.
                let room = match end.saturating_sub(start) {
                    0 => panel.state.load.info.end / 100,
                    length => length / 10,
                };
                let (room, end) = (room.saturating_add(1), end.max(start.saturating_add(1)));
                if let NoteTarget::Range { .. } = target {
                    go(Action::Range(Some((start, end))));
                }
                let (start, end) = (start.saturating_sub(room), end.saturating_add(room));
                go(Action::MoveTo(Viewport { start, end, width: 1.0, top: 0.0, height: 1.0 }));
            }
            (None, None) => {}
        }
    });
}
