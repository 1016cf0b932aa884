//! A source record as it is in the file, read again when the user opens it.

use queryscope::internal::text;
use queryscope::protocol::{RawPlace, RawRecord};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::titled;
use crate::client::Client;
use crate::words;

/// Maximum number of characters of a record that are shown.
const SHOWN: usize = 20_000;
/// Maximum number of fields of a record that are listed.
const FIELDS: usize = 500;

/// Properties of a [`Raw`] record.
#[derive(Properties, PartialEq)]
pub struct RawProps {
    /// Connection to the worker, which holds the files.
    pub client: Client,
    /// File and position of the record.
    pub place: RawPlace,
}

/// A source record that unfolds to its fields and its text.
#[component]
pub fn Raw(props: &RawProps) -> Html {
    let record = use_state(|| None::<Result<RawRecord, String>>);
    let asked = use_mut_ref(|| false);
    let client = props.client.clone();
    let place = props.place.clone();
    let setter = record.setter();
    let ontoggle = Callback::from(move |event: Event| {
        let open = event.target_unchecked_into::<HtmlElement>().has_attribute("open");
        if open && !asked.replace(true) {
            let client = client.clone();
            let place = place.clone();
            let setter = setter.clone();
            spawn_local(async move { setter.set(Some(client.raw(place).await)) });
        }
    });
    html! {
        <details class="raw" {ontoggle}>
            <summary><span class="clip foreign" dir="auto" title={where_it_is(&props.place)}>{ where_it_is(&props.place) }</span></summary>
            <div class="body">{ body(record.as_ref(), props.place.cut) }</div>
        </details>
    }
}

/// Renders the fields and the text of a record, a loading note for `None`, or the error.
pub fn body(record: Option<&Result<RawRecord, String>>, cut: bool) -> Html {
    match record {
        None => html! { <p class="absent">{ words::details::READING }</p> },
        Some(Err(reason)) => html! { <p class="note failure">{ reason }</p> },
        Some(Ok(record)) => html! {
            <>
                <dl class="kv">
                    { for record.fields.iter().take(FIELDS).map(|(name, value)| html! {
                        <><dt class="foreign" dir="auto">{ name }</dt><dd class="foreign" dir="auto">{ text::shortened(value, 2_000) }</dd></>
                    }) }
                </dl>
                { more_fields(record.fields.len()) }
                <div>
                    { titled(words::details::TEXT, Some(&record.text), Html::default()) }
                    <pre class="code foreign" dir="auto" tabindex="0" aria-label={words::details::RECORD_TEXT}>{ text::shortened(&record.text, SHOWN) }</pre>
                    { rest(&record.text, cut) }
                </div>
            </>
        },
    }
}

/// Renders the number of fields that are not listed.
fn more_fields(all: usize) -> Html {
    match all.saturating_sub(FIELDS) as u64 {
        0 => Html::default(),
        more => html! { <p class="absent">{ words::details::more_fields(more) }</p> },
    }
}

/// Renders a note about the part of the text that is not shown.
fn rest(text: &str, cut: bool) -> Html {
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    match (cut, text.len() > SHOWN) {
        (true, _) => html! { <p class="absent">{ words::details::record_is_cut(bytes) }</p> },
        (false, true) => html! { <p class="absent">{ words::details::start_of_record(bytes) }</p> },
        (false, false) => Html::default(),
    }
}

fn where_it_is(place: &RawPlace) -> String {
    // A compact array is on a single line, so the byte offset is part of the location.
    words::details::location(&place.name, place.line, place.offset)
}
