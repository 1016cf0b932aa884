//! The part of an address that stores the filter, and the order and the weights of the query list.

use queryscope::protocol::{QueryColumn, QueryList, ScoreWeights};

use super::{name, named};
use crate::state::Nav;

pub(super) const QUERY_COLUMNS: [(QueryColumn, &str); 10] = [
    (QueryColumn::Sql, "sql"),
    (QueryColumn::Start, "start"),
    (QueryColumn::Duration, "duration"),
    (QueryColumn::Ratio, "ratio"),
    (QueryColumn::Score, "score"),
    (QueryColumn::Sources, "sources"),
    (QueryColumn::RowsRead, "rows-read"),
    (QueryColumn::RowsReturned, "rows-returned"),
    (QueryColumn::BufferBytes, "buffer"),
    (QueryColumn::Outcome, "outcome"),
];

/// Applies one name-value pair of an address; returns `false` if the pair is not about the query list.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    match name {
        "list" => {
            if let Some(sort) = named(&QUERY_COLUMNS, value.trim_start_matches('-')) {
                let list = nav.queries.get_or_insert_default();
                (list.sort, list.descending) = (sort, value.starts_with('-'));
            }
        }
        "weights" => {
            if let Some(weights) = weights(value) {
                nav.queries.get_or_insert_default().weights = weights;
            }
        }
        "filter" => value.clone_into(&mut nav.filter),
        "unmatched" => nav.hides_rest = value == "hidden",
        _ => return false,
    }
    true
}

/// Adds the settings of the query list, if the user or an address chose them.
pub(super) fn add(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    if let Some(list) = &nav.queries {
        add_list(list, add);
    }
    if !nav.filter.is_empty() {
        add("filter", &nav.filter);
    }
    if nav.hides_rest {
        add("unmatched", "hidden");
    }
}

fn add_list(list: &QueryList, add: &mut dyn FnMut(&str, &str)) {
    let sign = if list.descending { "-" } else { "" };
    add("list", &format!("{sign}{}", name(&QUERY_COLUMNS, list.sort)));
    if list.weights != ScoreWeights::default() {
        let ScoreWeights { latency, io, buffer } = list.weights;
        add(
            "weights",
            &[latency, io, buffer].map(|weight| ScoreWeights::number(weight).to_string()).join(","),
        );
    }
}

/// Parses the weights of a score, such as `0.6,0.3,0.1`.
fn weights(text: &str) -> Option<ScoreWeights> {
    let mut parts = text.split(',').map(ScoreWeights::parse);
    let weights = ScoreWeights { latency: parts.next()??, io: parts.next()??, buffer: parts.next()?? };
    parts.next().is_none().then_some(weights)
}
