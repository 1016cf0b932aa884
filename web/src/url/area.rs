//! The part of an address that stores the selected area of the timeline. Tracks are hashes, names are numbers.

use queryscope::protocol::{AreaNameColumn, AreaSpanColumn, AreaTrack};

use super::{name, named, reversible};
use crate::state::{AreaView, Nav};

pub(super) const NAME_COLUMNS: [(AreaNameColumn, &str); 9] = [
    (AreaNameColumn::Name, "name"),
    (AreaNameColumn::Count, "count"),
    (AreaNameColumn::Total, "total"),
    (AreaNameColumn::SelfTime, "self"),
    (AreaNameColumn::Wall, "wall"),
    (AreaNameColumn::Mean, "mean"),
    (AreaNameColumn::Max, "max"),
    (AreaNameColumn::Rows, "rows"),
    (AreaNameColumn::Bytes, "bytes"),
];
pub(super) const SPAN_COLUMNS: [(AreaSpanColumn, &str); 3] = [
    (AreaSpanColumn::Start, "start"),
    (AreaSpanColumn::Duration, "duration"),
    (AreaSpanColumn::SelfTime, "self"),
];
/// Value of `area.spans` for the spans of all names.
const ALL: &str = "all";

/// Applies one name-value pair of an address; returns `false` if the pair is not about the area.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    let view = &mut nav.area;
    let (column, minus) = reversible(value);
    match name {
        "area" => value.split(',').filter_map(|track| track.parse().ok()).for_each(|track| view.add(track)),
        "area.names" => {
            named(&NAME_COLUMNS, column).into_iter().for_each(|column| view.names = (column, minus))
        }
        "area.spans" if value == ALL => view.spans = Some(None),
        "area.spans" => view.spans = value.parse().ok().map(Some).or(view.spans),
        "area.order" => {
            named(&SPAN_COLUMNS, column).into_iter().for_each(|column| view.span_order = (column, minus))
        }
        _ => return false,
    }
    true
}

/// Adds the settings that differ from their default.
pub(super) fn add(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let AreaView { tracks, names, spans, span_order } = &nav.area;
    let sign = |minus: bool| if minus { "-" } else { "" };
    if !tracks.is_empty() {
        add("area", &tracks.iter().map(AreaTrack::to_string).collect::<Vec<_>>().join(","));
    }
    if *names != Default::default() {
        add("area.names", &format!("{}{}", sign(names.1), name(&NAME_COLUMNS, names.0)));
    }
    if let Some(group) = spans {
        add("area.spans", &group.map_or_else(|| ALL.to_owned(), |group| group.to_string()));
    }
    if *span_order != Default::default() {
        add("area.order", &format!("{}{}", sign(span_order.1), name(&SPAN_COLUMNS, span_order.0)));
    }
}
