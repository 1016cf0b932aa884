//! Arguments of spans and events beyond the attributes that every trace has. Frames can be grouped by any argument, and
//! any numeric argument can be their width.

use super::{dimensions, weights};
use crate::analysis::key_name;
use crate::protocol::{FrameArgument, FrameArguments};
use crate::trace::{Key, Trace, Unit, key};

/// Keys that are not offered as arguments: they have a dimension or weight, or their values differ in nearly every
/// span.
const OWN: [Key; 10] = [
    key::SQL,
    key::CONNECTOR,
    key::DATASOURCE,
    key::COMMAND_TYPE,
    key::QUERY_ID,
    key::DATABASE,
    key::ROWS_READ,
    key::ROWS_RETURNED,
    key::BYTES,
    key::CATEGORY,
];

/// Returns the dimensions, weights and arguments that a trace offers for the merged flame graph.
pub fn arguments(trace: &Trace) -> FrameArguments {
    FrameArguments { dimensions: dimensions(trace), weights: weights(trace), arguments: own(trace) }
}

/// Arguments that a trace offers, sorted by name.
fn own(trace: &Trace) -> Vec<FrameArgument> {
    let mut keys: Vec<Key> = trace.shapes.keys().chain(trace.reported.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let named = |key: Key| {
        let info = trace.keys.get(key);
        FrameArgument { name: key_name(trace, key), number: info.unit != Unit::Text }
    };
    let mut found: Vec<FrameArgument> =
        keys.into_iter().filter(|key| !OWN.contains(key)).map(named).collect();
    crate::base::sort::by(&mut found, |a, b| a.name.cmp(&b.name).then(b.number.cmp(&a.number)));
    found.dedup_by(|a, b| a.name == b.name);
    found
}
