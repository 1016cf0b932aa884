//! The part of an address that stores the state of the sources tab. Groups are numbers, so that the address contains no
//! text of the trace.

use queryscope::protocol::{
    BufferMeasure, BufferQueryColumn, SourceColumn, SourceDimension, SourceExecutionColumn,
    SourceExecutionList, SourceList,
};

use super::{name, named, reversible};
use crate::state::Nav;

pub(super) const DIMENSIONS: [(SourceDimension, &str); 5] = [
    (SourceDimension::Connector, "connector"),
    (SourceDimension::Datasource, "datasource"),
    (SourceDimension::CommandType, "command-type"),
    (SourceDimension::CommandShape, "command"),
    (SourceDimension::Run, "run"),
];
pub(super) const SOURCE_COLUMNS: [(SourceColumn, &str); 16] = [
    (SourceColumn::Name(SourceDimension::Connector), "connector"),
    (SourceColumn::Name(SourceDimension::Datasource), "datasource"),
    (SourceColumn::Name(SourceDimension::CommandType), "command-type"),
    (SourceColumn::Name(SourceDimension::CommandShape), "command"),
    (SourceColumn::Name(SourceDimension::Run), "run"),
    (SourceColumn::Executions, "executions"),
    (SourceColumn::Total, "total"),
    (SourceColumn::P50, "p50"),
    (SourceColumn::P95, "p95"),
    (SourceColumn::Max, "max"),
    (SourceColumn::Reading, "reading"),
    (SourceColumn::RowsRead, "rows-read"),
    (SourceColumn::RowsReturned, "rows-returned"),
    (SourceColumn::OverFetch, "over-fetch"),
    (SourceColumn::RowRate, "row-rate"),
    (SourceColumn::Failed, "failed"),
];
pub(super) const EXECUTION_COLUMNS: [(SourceExecutionColumn, &str); 6] = [
    (SourceExecutionColumn::Start, "start"),
    (SourceExecutionColumn::Duration, "duration"),
    (SourceExecutionColumn::Reading, "reading"),
    (SourceExecutionColumn::RowsRead, "rows-read"),
    (SourceExecutionColumn::RowsReturned, "rows-returned"),
    (SourceExecutionColumn::OverFetch, "over-fetch"),
];
pub(super) const MEASURES: [(BufferMeasure, &str); 3] = [
    (BufferMeasure::Bytes, "bytes"),
    (BufferMeasure::Elements, "elements"),
    (BufferMeasure::Events, "events"),
];
pub(super) const QUERY_COLUMNS: [(BufferQueryColumn, &str); 6] = [
    (BufferQueryColumn::Bytes, "bytes"),
    (BufferQueryColumn::Elements, "elements"),
    (BufferQueryColumn::Events, "events"),
    (BufferQueryColumn::Spilled, "spilled"),
    (BufferQueryColumn::SpillShare, "spill-share"),
    (BufferQueryColumn::Duration, "duration"),
];
/// Suffix of a measure in an address if the chart shows the sum since the start.
const CUMULATIVE: &str = ",cumulative";
/// Value for a grouping without dimensions.
const ALL: &str = "none";

/// Applies one name-value pair of an address; returns `false` if the pair is not about this tab.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    let view = &mut nav.sources;
    let (column, minus) = reversible(value);
    match name {
        "sources" => {
            if let Some(sort) = named(&SOURCE_COLUMNS, column) {
                (view.list.sort, view.list.reversed) = (sort, minus);
            }
        }
        "sources.by" => {
            let names: Vec<&str> = value.split(',').collect();
            let is_named = |(_, name): &&(SourceDimension, &str)| names.contains(name);
            let by: Vec<_> = DIMENSIONS.iter().filter(is_named).map(|(dimension, _)| *dimension).collect();
            if !by.is_empty() || value == ALL {
                view.list.by = by;
            }
        }
        "source" => {
            if let Ok(group) = value.parse() {
                view.executions.get_or_insert_default().group = group;
            }
        }
        "source.failed" => view.executions.get_or_insert_default().failed = value == "1",
        "source.order" => {
            if let Some(sort) = named(&EXECUTION_COLUMNS, column) {
                let list = view.executions.get_or_insert_default();
                (list.sort, list.reversed) = (sort, minus);
            }
        }
        "buffers" => {
            let (measure, cumulative) =
                value.strip_suffix(CUMULATIVE).map_or((value, false), |name| (name, true));
            if let Some(measure) = named(&MEASURES, measure) {
                (view.measure, view.cumulative) = (measure, cumulative);
            }
        }
        "buffer-queries" => {
            if let Some(sort) = named(&QUERY_COLUMNS, column) {
                (view.queries.sort, view.queries.reversed) = (sort, minus);
            }
        }
        _ => return false,
    }
    true
}

/// Adds the settings that differ from their default.
pub(super) fn add(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let view = &nav.sources;
    let sign = |minus: bool| if minus { "-" } else { "" };
    let begin = SourceList::default();
    if (view.list.sort, view.list.reversed) != (begin.sort, begin.reversed) {
        add("sources", &format!("{}{}", sign(view.list.reversed), name(&SOURCE_COLUMNS, view.list.sort)));
    }
    if view.list.by != begin.by {
        let names: Vec<_> = view.list.by.iter().map(|dimension| name(&DIMENSIONS, *dimension)).collect();
        add("sources.by", &if names.is_empty() { ALL.to_owned() } else { names.join(",") });
    }
    if let Some(SourceExecutionList { group, failed, sort, reversed, .. }) = &view.executions {
        add("source", &group.to_string());
        if *failed {
            add("source.failed", "1");
        }
        if (*sort, *reversed) != (SourceExecutionColumn::default(), false) {
            add("source.order", &format!("{}{}", sign(*reversed), name(&EXECUTION_COLUMNS, *sort)));
        }
    }
    if (view.measure, view.cumulative) != (BufferMeasure::default(), false) {
        let suffix = if view.cumulative { CUMULATIVE } else { "" };
        add("buffers", &format!("{}{suffix}", name(&MEASURES, view.measure)));
    }
    if (view.queries.sort, view.queries.reversed) != (BufferQueryColumn::default(), false) {
        let name = name(&QUERY_COLUMNS, view.queries.sort);
        add("buffer-queries", &format!("{}{name}", sign(view.queries.reversed)));
    }
}
