//! The part of an address that stores a data set and its trends. A group is a hash, so that the address contains no text of a trace.

use crate::state::{Nav, OpenDataset};

/// Applies one name-value pair of an address; returns `false` if the pair is not about trends.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    let choice = &mut nav.trends;
    match name {
        "trends.by" => choice.by = value.to_owned(),
        "trends.measure" => choice.measure = value.to_owned(),
        "trends.engine" => choice.engine = value.to_owned(),
        "trends.group" => choice.group = u64::from_str_radix(value, 16).ok(),
        _ => return false,
    }
    true
}

/// Adds the settings that differ from their default.
pub(super) fn add(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let choice = &nav.trends;
    let texts =
        [("trends.by", &choice.by), ("trends.measure", &choice.measure), ("trends.engine", &choice.engine)];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        add(name, text);
    }
    if let Some(group) = choice.group {
        add("trends.group", &format!("{group:x}"));
    }
}

/// Adds the address of a data set, and the name of its open trace, to the fragment of a link.
pub fn with_dataset(fragment: &str, dataset: &OpenDataset, address: &str) -> String {
    let encoded =
        |text: &str| String::from(js_sys::encode_uri_component(text)).replace("%2F", "/").replace("%3A", ":");
    let mut parts = vec![format!("dataset={}", encoded(address))];
    parts.extend(dataset.trace.as_ref().map(|trace| format!("stored={}", encoded(trace))));
    if !fragment.is_empty() {
        parts.push(fragment.to_owned());
    }
    parts.join("&")
}
