//! The part of an address that stores the state of the overview: changed thresholds, and the grouping of time.

use queryscope::protocol::ChangedThreshold;

use super::{name, named};
use crate::state::{Nav, TimeDimension, TimeMeasure};

pub(super) const DIMENSIONS: [(TimeDimension, &str); 6] = [
    (TimeDimension::Kind, "kind"),
    (TimeDimension::Connector, "connector"),
    (TimeDimension::Datasource, "datasource"),
    (TimeDimension::Statement, "statement"),
    (TimeDimension::Name, "name"),
    (TimeDimension::Thread, "thread"),
];
pub(super) const MEASURES: [(TimeMeasure, &str); 5] = [
    (TimeMeasure::SelfTime, "self"),
    (TimeMeasure::Total, "total"),
    (TimeMeasure::Rows, "rows"),
    (TimeMeasure::Bytes, "bytes"),
    (TimeMeasure::Waits, "waits"),
];

/// Applies one name-value pair of an address; returns `false` if the pair is not about the overview.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    let view = &mut nav.overview;
    match name {
        "threshold" => {
            if let Some((key, value)) = value.split_once(':') {
                view.set(ChangedThreshold { key: key.to_owned(), value: value.to_owned() });
            }
        }
        "time.by" => view.by = named(&DIMENSIONS, value).or(view.by),
        "time.of" => view.measure = named(&MEASURES, value).or(view.measure),
        _ => return false,
    }
    true
}

/// Adds the settings that differ from their default.
pub(super) fn add(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let view = &nav.overview;
    view.thresholds
        .iter()
        .for_each(|changed| add("threshold", &format!("{}:{}", changed.key, changed.value)));
    view.by.into_iter().for_each(|by| add("time.by", name(&DIMENSIONS, by)));
    view.measure.into_iter().for_each(|measure| add("time.of", name(&MEASURES, measure)));
}
