//! Items that links and rows of SQL results name, which the open trace may not have.

use queryscope::protocol::DetailsRequest;
use wasm_bindgen_futures::spawn_local;

use crate::client::Client;
use crate::components::{PanelProps, show_in_timeline};
use crate::state::{Action, Notice};
use crate::url::Place;
use crate::words;

/// The item of an address, if its start and duration are still the same.
pub async fn known(panel: &PanelProps, place: Option<Place>) -> Option<u32> {
    let (item, start, duration) = place?;
    (place_of(&panel.client, item).await == Some((start, duration))).then_some(item)
}

/// The item of a link, if its start and duration are still the same. A message says if not.
pub async fn linked(panel: &PanelProps, place: Option<Place>) -> Option<u32> {
    let item = known(panel, place).await;
    if let (None, Some((missing, ..))) = (item, place) {
        say_missing(panel, missing);
    }
    item
}

fn say_missing(panel: &PanelProps, item: u32) {
    let notice = Notice { title: words::link::missing_item(item), text: String::new(), recovery: None };
    panel.dispatch.dispatch(Action::Notice(Some(notice)));
}

/// Selects an item and shows it in the timeline. A message says if the trace has no such item.
pub fn show_existing(panel: &PanelProps, item: u32) {
    let panel = panel.clone();
    spawn_local(async move {
        match place_of(&panel.client, item).await {
            Some(_) => show_in_timeline(&panel.dispatch, item),
            None => say_missing(&panel, item),
        }
    });
}

/// Start and duration of an item; `None` if the trace has no such item.
pub async fn place_of(client: &Client, item: u32) -> Option<(i64, i64)> {
    let details = client.ask(DetailsRequest { item }).await??;
    Some((details.start, details.duration.unwrap_or(0)))
}
