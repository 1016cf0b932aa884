//! Dimensions by which the frames of a trace can be grouped, and the default grouping.

use super::{FrameDimension, FrameWeight};
use crate::base::FxHashSet;
use crate::trace::{Key, Kind, Trace, TrackId, TrackKind, key};

/// Returns the dimensions that have more than one value in a trace, in the order in which they are offered.
pub fn dimensions(trace: &Trace) -> Vec<FrameDimension> {
    use FrameDimension::{
        BufferType, Category, CommandType, Connector, Database, Datasource, Name, Outcome, Process, Query,
        Run, SqlShape, Stack, Thread,
    };
    let (keys, tracks) = (keys(trace), track_kinds(trace));
    let queries = trace.spans.has(Kind::Query);
    let known = [
        (Run, trace.runs.len() > 1),
        (SqlShape, queries && keys.contains(&key::SQL)),
        (Query, queries),
        (Database, keys.contains(&key::DATABASE)),
        (Connector, keys.contains(&key::CONNECTOR)),
        (Datasource, keys.contains(&key::DATASOURCE)),
        (CommandType, keys.contains(&key::COMMAND_TYPE)),
        (BufferType, trace.events.has(Kind::Buffer)),
        (Outcome, queries),
        (Process, tracks.contains(&TrackKind::Process)),
        (Thread, tracks.contains(&TrackKind::Thread)),
        (Category, keys.contains(&key::CATEGORY)),
        (Name, has_names(trace)),
        (Stack, has_names(trace) || trace.spans.has(Kind::Source) || trace.spans.has(Kind::Execution)),
    ];
    known.into_iter().filter_map(|(dimension, has)| has.then_some(dimension)).collect()
}

/// Returns the weights that a trace offers, except its arguments. Rows and bytes are offered only if the trace reports
/// them.
pub fn weights(trace: &Trace) -> Vec<FrameWeight> {
    let keys = trace.keys_in_use();
    let known = [
        (FrameWeight::Time, true),
        (FrameWeight::SelfTime, true),
        (FrameWeight::RowsRead, keys.contains(&key::ROWS_READ)),
        (FrameWeight::RowsReturned, keys.contains(&key::ROWS_RETURNED)),
        (FrameWeight::Bytes, keys.contains(&key::BYTES)),
        (FrameWeight::Count, true),
    ];
    known.into_iter().filter_map(|(weight, has)| has.then_some(weight)).collect()
}

/// Default grouping path: the sources of queries if the trace has some, otherwise stacks.
pub fn first_path(trace: &Trace) -> Vec<FrameDimension> {
    use FrameDimension::{BufferType, CommandType, Connector, Datasource, SqlShape, Stack};
    if !trace.spans.has(Kind::Query) {
        return vec![Stack];
    }
    if trace.spans.has(Kind::Source) || !has_names(trace) {
        return vec![SqlShape, Connector, Datasource, CommandType, BufferType];
    }
    vec![SqlShape, Stack]
}

/// Whether the trace has spans that are grouped by their names.
fn has_names(trace: &Trace) -> bool {
    Kind::ALL.into_iter().any(|kind| is_named(kind) && trace.spans.has(kind))
}

/// Whether spans of a kind are grouped by their names. Spans of other kinds are grouped by their attributes.
pub(super) fn is_named(kind: Kind) -> bool {
    matches!(kind, Kind::Slice | Kind::State | Kind::Statement | Kind::Stage | Kind::Wait | Kind::Other)
}

fn keys(trace: &Trace) -> FxHashSet<Key> {
    trace.shapes.keys().chain(trace.reported.keys()).collect()
}

fn track_kinds(trace: &Trace) -> FxHashSet<TrackKind> {
    (0..trace.tracks.len() as u32).map(|track| trace.tracks.kind(TrackId(track))).collect()
}
