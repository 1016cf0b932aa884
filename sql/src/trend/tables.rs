//! [`group_tables`]: what a data set keeps of the executions of each statement, name, kind, data source and connector in each run.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use queryscope::export::{GroupBy, SampledExecution, engine_version, run_groups};

use super::group_row::{GroupRow, numbers, texts};
use crate::rows::TraceRows;
use crate::schema::column::{RUN_ID, TRACE_ID, int, text};
use crate::schema::{self, ColumnSchema, TableSchema};

/// What executions are grouped by, with the values of the column `grouped_by`.
pub const GROUPINGS: [(&str, GroupBy); 5] = [
    ("shape", GroupBy::Shape),
    ("name", GroupBy::Name),
    ("kind", GroupBy::Kind),
    ("datasource", GroupBy::Datasource),
    ("connector", GroupBy::Connector),
];

const GROUP_ID: ColumnSchema = int("group_id", "", "Number of the group in its trace.", "3");
const GROUPED_BY: ColumnSchema = text(
    "grouped_by",
    "What the group has in common: `shape`, `name`, `kind`, `datasource` or `connector`.",
    "shape",
);

/// Name of the first of [`TREND_TABLES`].
pub const GROUPS: &str = "execution_groups";
/// Name of the second of [`TREND_TABLES`].
pub const SAMPLES: &str = "execution_samples";

/// The tables that only data sets have, in the order of the handbook.
pub const TREND_TABLES: &[TableSchema] = &[
    TableSchema {
        name: GROUPS,
        about: "One row per run and group of executions, such as a statement without its values. Of each run and grouping, the 200 groups \
                with the most total time, and one row with a null text for all others.",
        sorted_by: &[],
        columns: &[
            TRACE_ID,
            RUN_ID,
            GROUP_ID,
            GROUPED_BY,
            text(
                "text",
                "Text of the group; null for all groups beyond the largest.",
                "SELECT * FROM orders WHERE id = ?",
            ),
            text("run", "Name of the run.", "no-buffer"),
            text("version", "Version of the engine; null if the trace does not report it.", "MySQL 8.4.3"),
            int("origin_ns", "nanoseconds", "Reading of the run's clock at time 0.", "-5000"),
            int(
                "executions",
                "count",
                "Complete executions: those with both their start and their end in the trace.",
                "12",
            ),
            int("incomplete", "count", "Executions whose start or end is not in the trace.", "1"),
            int(
                "errors",
                "count",
                "Failed executions, including incomplete ones. Of source executions: those of failed statements.",
                "0",
            ),
            int(
                "total_ns",
                "nanoseconds",
                "Sum of the durations. This and the following columns cover complete executions, except `first_start_ns`.",
                "960",
            ),
            int("self_ns", "nanoseconds", "Time that no nested span covers.", "144"),
            int("min_ns", "nanoseconds", "Shortest duration.", "70"),
            int(
                "p50_ns",
                "nanoseconds",
                "Median of the durations, by nearest rank, as all percentiles.",
                "80",
            ),
            int("p95_ns", "nanoseconds", "95th percentile of the durations.", "88"),
            int("p99_ns", "nanoseconds", "99th percentile of the durations.", "90"),
            int("max_ns", "nanoseconds", "Longest duration.", "90"),
            int("rows_read", "rows", "Rows read; null if they were not reported.", "102944"),
            int("rows_returned", "rows", "Rows returned; null if they were not reported.", "250"),
            int(
                "bytes",
                "bytes",
                "Bytes; for statements those of everything inside them. Null if they were not reported.",
                "1000",
            ),
            int("first_start_ns", "nanoseconds", "Start of the first execution, complete or not.", "10"),
            int("slowest_span_id", "", "Span of the longest execution.", "1"),
            int("slowest_start_ns", "nanoseconds", "Start of the longest execution.", "10"),
        ],
    },
    TableSchema {
        name: SAMPLES,
        about: "Complete executions of each group with a text, in ascending order of their durations: all of them if there are at most \
                64, otherwise 64 at evenly spaced ranks.",
        sorted_by: &[],
        columns: &[
            TRACE_ID,
            RUN_ID,
            GROUP_ID,
            GROUPED_BY,
            int("span_id", "", "Span of the execution.", "1"),
            int("start_ns", "nanoseconds", "Start, since the run's first event.", "10"),
            int("duration_ns", "nanoseconds", "Duration.", "80"),
        ],
    },
];

/// The table with this name, if it is one of [`TREND_TABLES`].
pub fn table(name: &str) -> Option<&'static TableSchema> {
    TREND_TABLES.iter().find(|table| table.name == name)
}

/// Value of `grouped_by`.
pub fn grouping_name(by: GroupBy) -> &'static str {
    GROUPINGS.iter().find(|(_, known)| *known == by).map_or("", |(name, _)| name)
}

/// A table with its rows; each batch has the groups of one grouping.
#[derive(Debug)]
pub struct NamedBatches {
    pub name: &'static str,
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
}

/// The rows of both tables of a trace.
///
/// # Errors
/// Only if the columns do not fit the schema, which is a fault of this program.
pub fn group_tables(rows: &TraceRows) -> Result<Vec<NamedBatches>, ArrowError> {
    let trace = &rows.trace;
    let about_runs = trace.runs.iter().map(|run| GroupRow {
        trace_id: rows.identity.id,
        run_id: 0,
        run: Arc::from(trace.str(run.name)),
        version: engine_version(trace, run.track).map(Arc::from),
        origin: run.origin,
        group_id: 0,
        text: None,
        summary: Default::default(),
    });
    let about_runs: Vec<GroupRow> = about_runs.collect();
    let mut tables = TREND_TABLES.iter().map(|table| NamedBatches {
        name: table.name,
        schema: schema::stored_schema(table),
        batches: Vec::new(),
    });
    let (Some(mut groups), Some(mut samples)) = (tables.next(), tables.next()) else {
        return Ok(Vec::new());
    };
    let mut next_id = 0;
    for (by, list) in run_groups(trace, &GROUPINGS.map(|(_, by)| by)) {
        let (mut group_rows, mut sample_rows) = (Vec::new(), Vec::new());
        for group in list {
            let Some(run) = about_runs.get(group.run.0 as usize) else { continue };
            let (run_id, group_id) = (group.run.0, next_id);
            next_id += 1;
            sample_rows.extend(group.sample.into_iter().map(|execution| (run_id, group_id, execution)));
            let text = group.text.map(Arc::from);
            group_rows.push(GroupRow { run_id, group_id, text, summary: group.summary, ..run.clone() });
        }
        let by = grouping_name(by);
        groups.batches.push(GroupRow::batch(&group_rows, by, &groups.schema)?);
        samples.batches.push(sample_batch(rows.identity.id, by, &sample_rows, &samples.schema)?);
    }
    Ok(vec![groups, samples])
}

/// The sampled executions of the groups of one grouping, each with the numbers of its run and group.
fn sample_batch(
    trace: i64,
    by: &str,
    rows: &[(u32, i64, SampledExecution)],
    schema: &SchemaRef,
) -> Result<RecordBatch, ArrowError> {
    let arrays = schema.fields().iter().map(|field| match field.name().as_str() {
        "trace_id" => numbers(rows.iter().map(|_| Some(trace))),
        "run_id" => numbers(rows.iter().map(|(run, ..)| Some(i64::from(*run)))),
        "group_id" => numbers(rows.iter().map(|(_, group, _)| Some(*group))),
        "grouped_by" => texts(rows.iter().map(|_| Some(by))),
        "span_id" => numbers(rows.iter().map(|(.., at)| Some(i64::from(at.span)))),
        "start_ns" => numbers(rows.iter().map(|(.., at)| Some(at.start))),
        _ => numbers(rows.iter().map(|(.., at)| Some(at.duration))),
    });
    RecordBatch::try_new(schema.clone(), arrays.collect())
}
