//! The dialog that saves the trace as an HTML file or a session file. The worker describes its fields and writes the file.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::PanelProps;
use super::icon::{Icon, icon};
use crate::host::page::download_blob;
use crate::messages::{SaveField, SaveFieldKind, SaveForm, SaveOrder};
use crate::state::{Action, NOTE_CHARACTERS, NoteTarget, UserNote, notes_as_text};
use crate::ui::Dialog;
use crate::words;

/// Values of the fields, by their ids.
type Values = [u32; SaveField::COUNT];

/// The dialog that saves the trace.
#[component]
pub fn SaveDialog(props: &PanelProps) -> Html {
    let form = use_state(SaveForm::default);
    let values = use_state(Values::default);
    let notes = use_node_ref();
    let order = use_callback(
        (props.clone(), *values, form.setter(), notes.clone()),
        |write: bool, (panel, values, form, notes)| {
            let form = form.clone();
            let saver = Callback::from(move |(next, file): (SaveForm, JsValue)| {
                if let Some(file) = file.dyn_ref::<Blob>() {
                    download_blob(&next.name, file);
                }
                form.set(next);
            });
            let added = notes.cast::<HtmlTextAreaElement>().map(|notes| notes.value()).unwrap_or_default();
            let added = UserNote::new(NoteTarget::Trace, &added);
            // The address is written a moment after a trace was opened; until then, the view is that of its session file.
            let written = Some(panel.mount.host().fragment()).filter(|written| !written.is_empty());
            let shown = written.unwrap_or_else(|| panel.state.load.info.session_state.clone());
            let state = with_note(shown, added.as_ref());
            let all: Vec<UserNote> = panel.state.nav.notes.iter().cloned().chain(added).collect();
            let template = panel.mount.host().assets().template.clone();
            let order = SaveOrder {
                values: *values,
                range: panel.state.nav.range,
                selection: panel.state.nav.selection,
                state,
                notes: notes_as_text(&all),
                write,
                has_template: !template.is_undefined(),
            };
            panel.client.save(Some(order), template, saver);
        },
    );
    // Describes the dialog again for other values or another build of the trace.
    let described = (*values, props.state.load.info.build, props.state.nav.range, props.state.nav.selection);
    let describe = order.clone();
    use_effect_with(described, move |_| describe.emit(false));
    let client = props.client.clone();
    use_effect_with((), move |()| move || client.save(None, JsValue::UNDEFINED, Callback::noop()));
    let onclose = props.dispatch_of(|()| Action::Dialog(None));
    let onsubmit = order.reform(|event: SubmitEvent| {
        event.prevent_default();
        true
    });
    html! {
        <Dialog mount={props.mount.clone()} id="save" title={words::save::SAVE} {onclose} footer={footer(&form, &order)}>
            if form.fields.is_empty() { <p>{ words::common::LOADING }</p> } else { <form id="save-form" class="part" {onsubmit}>
                { for form.fields.iter().map(|field| fieldset(field, &values)) }
                <fieldset class="content">
                    <legend>{ words::save::CONTENT }</legend>
                    <dl>{ for form.content.iter().map(|(label, value)| html! {
                        <div><dt class="foreign" dir="auto">{ label }</dt><dd class="foreign" dir="auto">{ value }</dd></div>
                    }) }</dl>
                </fieldset>
                <label class="notes">{ words::save::NOTES }<textarea ref={notes} rows="2" maxlength={NOTE_CHARACTERS.to_string()} /></label>
            </form> }
        </Dialog>
    }
}

fn footer(form: &SaveForm, order: &Callback<bool>) -> Html {
    let cancel = order.reform(|_: MouseEvent| false);
    html! {
        <footer>
            <p role="status" class={classes!("space", "foreign", form.failed.then_some("bad"))} dir="auto">
                if let Some((done, total)) = form.progress {
                    <progress value={done.to_string()} max={total.to_string()} aria-label={words::save::SAVE} />
                }
                // Screen readers announce only the start and the end, not each progress update.
                <span aria-hidden={form.progress.is_some().then_some("true")}>{ &form.status }</span>
            </p>
            if form.progress.is_some() {
                <button type="button" class="btn" onclick={cancel}>{ words::save::CANCEL }</button>
            } else {
                <button type="submit" form="save-form" class="btn primary" disabled={form.name.is_empty()}>
                    { icon(Icon::Download) }{ words::save::SAVE_FILE }
                </button>
            }
        </footer>
    }
}

/// Adds a note to the state of the views.
fn with_note(state: String, note: Option<&UserNote>) -> String {
    let Some(note) = note else { return state };
    let value = js_sys::encode_uri_component(&format!("trace,{}", note.text));
    format!("{state}&note={}", String::from(value))
}

/// Renders a field; choosing an option sets its value.
fn fieldset(field: &SaveField, values: &UseStateHandle<Values>) -> Html {
    let id = field.id as usize;
    let value = values.get(id).copied().unwrap_or_default();
    let set = move |values: &UseStateHandle<Values>, value: u32| {
        let mut next = **values;
        if let Some(place) = next.get_mut(id) {
            *place = value;
        }
        values.set(next);
    };
    if field.kind == SaveFieldKind::List {
        let values = values.clone();
        let onchange = move |event: Event| {
            let select: HtmlSelectElement = event.target_unchecked_into();
            set(&values, u32::try_from(select.selected_index()).unwrap_or_default());
        };
        let option = |(at, (label, _)): (usize, &(String, String))| {
            html! { <option selected={value as usize == at}>{ label }</option> }
        };
        return html! {
            <label class="choice">{ &field.legend }
                <select {onchange}>{ for field.options.iter().enumerate().map(option) }</select>
            </label>
        };
    }
    let many = field.kind == SaveFieldKind::Many;
    let option = |(at, (label, hint)): (u32, &(String, String))| {
        let bit = 1 << at;
        let next = if many { value ^ bit } else { at };
        let values = values.clone();
        let onchange = move |_: Event| set(&values, next);
        html! {
            <label>
                <input type={if many { "checkbox" } else { "radio" }} name={format!("save-{id}")}
                    checked={if many { value & bit != 0 } else { value == at }} disabled={field.disabled & bit != 0} {onchange} />
                <span class="foreign" dir="auto">{ label }<span class="hint">{ hint }</span></span>
            </label>
        }
    };
    html! {
        <fieldset>
            <legend>{ &field.legend }</legend>
            { for (0..).zip(&field.options).map(option) }
        </fieldset>
    }
}
