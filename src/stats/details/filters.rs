//! Values of an item by which the page can be filtered.

use super::{Facts, INHERITED, key_name, run};
use crate::analysis::{outcome, outcome_name};
use crate::protocol::FilterValue;
use crate::trace::{Item, Trace, TrackKind, key};

/// Returns the values of `item` that a filter may name, each with the name under which the details show it.
pub fn filters(trace: &Trace, item: Item) -> Vec<FilterValue> {
    let facts = Facts::of(trace, item);
    let own = trace.track_of(item);
    let thread = trace.tracks.ancestor(own, TrackKind::Thread).map(|track| trace.tracks.get(track).name);
    let known = [
        ("kind", Some(facts.kind.name())),
        ("name", Some(trace.str(facts.name))),
        ("status", Some(outcome_name(outcome(facts.flags)))),
        ("run", run(trace, item).map(|run| trace.str(run.name))),
        ("thread", thread.map(|name| trace.str(name))),
    ];
    let known =
        known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), name.to_owned(), value?)));
    let texts = trace.texts(item).filter(|(key, _)| *key != key::ERROR).map(|(key, text)| {
        let name = key_name(trace, key);
        (name.clone(), name, trace.str(text))
    });
    let inherited = INHERITED.iter().filter(|key| trace.text(item, **key).is_none()).filter_map(|&key| {
        let name = key_name(trace, key);
        Some((name.clone(), format!("in {name}"), trace.str(trace.inherited_text(item, key)?)))
    });
    let of_tracks = trace.track_texts.keys().into_iter().filter_map(|key| {
        let name = key_name(trace, key);
        Some((name.clone(), name, trace.str(trace.track_text(own, key)?)))
    });
    let all = known.chain(texts).chain(inherited).chain(of_tracks);
    all.map(|(label, attribute, value)| FilterValue { label, attribute, value: value.to_owned() }).collect()
}
