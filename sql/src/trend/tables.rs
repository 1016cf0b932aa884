//! [`group_tables`]: what a data set keeps of the executions of each statement, name, kind, data source and connector in each run.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringDictionaryBuilder};
use datafusion::arrow::datatypes::{Int32Type, SchemaRef};
use datafusion::arrow::error::ArrowError;
use queryscope::export::{GroupBy, GroupSummary, RunGroup, SampledExecution, engine_version, run_groups};

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

/// The tables that only data sets have, in the order of the handbook.
pub const TREND_TABLES: &[TableSchema] = &[
    TableSchema {
        name: "execution_groups",
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
                "Sum of the durations of complete executions, as all further columns.",
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
                "Bytes; for statements those of their buffer events. Null if they were not reported.",
                "1000",
            ),
            int("first_start_ns", "nanoseconds", "Start of the first execution, complete or not.", "10"),
            int("slowest_span_id", "", "Span of the longest execution.", "1"),
            int("slowest_start_ns", "nanoseconds", "Its start.", "10"),
        ],
    },
    TableSchema {
        name: "execution_samples",
        about: "Complete executions of each group with a text, in ascending order of their durations: all of them, or of more than 64 those in \
                the middle of 64 equal parts.",
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

/// A group with its number and its grouping.
struct NumberedGroup<'r> {
    id: i64,
    by: &'static str,
    run: &'r RunColumns,
    group: RunGroup,
}

struct RunColumns {
    name: String,
    version: Option<String>,
    origin: i64,
}

/// The rows of both tables of a trace.
///
/// # Errors
/// Only if the columns do not fit the schema, which is a fault of this program.
pub fn group_tables(rows: &TraceRows) -> Result<Vec<NamedBatches>, ArrowError> {
    let trace = &rows.trace;
    let runs: Vec<RunColumns> = trace
        .runs
        .iter()
        .map(|run| RunColumns {
            name: trace.str(run.name).to_owned(),
            version: engine_version(trace, run.track),
            origin: run.origin,
        })
        .collect();
    let groupings = run_groups(trace, &GROUPINGS.map(|(_, by)| by));
    let mut tables = TREND_TABLES.iter().map(|table| NamedBatches {
        name: table.name,
        schema: schema::stored_schema(table),
        batches: Vec::new(),
    });
    let (Some(mut groups), Some(mut samples)) = (tables.next(), tables.next()) else {
        return Ok(Vec::new());
    };
    let mut id = 0;
    for (by, list) in groupings {
        let numbered = list.into_iter().filter_map(|group| {
            let run = runs.get(group.run.0 as usize)?;
            id += 1;
            Some(NumberedGroup { id: id - 1, by: grouping_name(by), run, group })
        });
        let numbered: Vec<NumberedGroup> = numbered.collect();
        groups.batches.push(group_batch(rows.identity.id, &numbered, &groups.schema)?);
        samples.batches.push(sample_batch(rows.identity.id, &numbered, &samples.schema)?);
    }
    Ok(vec![groups, samples])
}

fn numbers(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<Int64Array>())
}

fn texts<'t>(values: impl Iterator<Item = Option<&'t str>>) -> ArrayRef {
    let mut texts = StringDictionaryBuilder::<Int32Type>::new();
    values.for_each(|text| texts.append_option(text));
    Arc::new(texts.finish())
}

fn group_batch(trace: i64, groups: &[NumberedGroup], schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let count = |count: u64| i64::try_from(count).ok();
    let number =
        |get: &dyn Fn(&GroupSummary) -> Option<i64>| numbers(groups.iter().map(|of| get(&of.group.summary)));
    let arrays = schema.fields().iter().map(|field| match field.name().as_str() {
        "trace_id" => numbers(groups.iter().map(|_| Some(trace))),
        "run_id" => numbers(groups.iter().map(|of| Some(i64::from(of.group.run.0)))),
        "group_id" => numbers(groups.iter().map(|of| Some(of.id))),
        "grouped_by" => texts(groups.iter().map(|of| Some(of.by))),
        "text" => texts(groups.iter().map(|of| of.group.text.as_deref())),
        "run" => texts(groups.iter().map(|of| Some(of.run.name.as_str()))),
        "version" => texts(groups.iter().map(|of| of.run.version.as_deref())),
        "origin_ns" => numbers(groups.iter().map(|of| Some(of.run.origin))),
        "executions" => number(&|summary| count(summary.executions)),
        "incomplete" => number(&|summary| count(summary.incomplete)),
        "errors" => number(&|summary| count(summary.errors)),
        "total_ns" => number(&|summary| summary.total),
        "self_ns" => number(&|summary| summary.self_time),
        "min_ns" => number(&|summary| summary.min),
        "p50_ns" => number(&|summary| summary.p50),
        "p95_ns" => number(&|summary| summary.p95),
        "p99_ns" => number(&|summary| summary.p99),
        "max_ns" => number(&|summary| summary.max),
        "rows_read" => number(&|summary| summary.rows_read),
        "rows_returned" => number(&|summary| summary.rows_returned),
        "bytes" => number(&|summary| summary.bytes),
        "first_start_ns" => number(&|summary| summary.first_start),
        "slowest_span_id" => number(&|summary| summary.slowest.map(|at| i64::from(at.span))),
        _ => number(&|summary| summary.slowest.map(|at| at.start)),
    });
    RecordBatch::try_new(schema.clone(), arrays.collect())
}

fn sample_batch(trace: i64, groups: &[NumberedGroup], schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let rows: Vec<(&NumberedGroup, SampledExecution)> =
        groups.iter().flat_map(|of| of.group.sample.iter().map(move |at| (of, *at))).collect();
    let arrays = schema.fields().iter().map(|field| match field.name().as_str() {
        "trace_id" => numbers(rows.iter().map(|_| Some(trace))),
        "run_id" => numbers(rows.iter().map(|(of, _)| Some(i64::from(of.group.run.0)))),
        "group_id" => numbers(rows.iter().map(|(of, _)| Some(of.id))),
        "grouped_by" => texts(rows.iter().map(|(of, _)| Some(of.by))),
        "span_id" => numbers(rows.iter().map(|(_, at)| Some(i64::from(at.span)))),
        "start_ns" => numbers(rows.iter().map(|(_, at)| Some(at.start))),
        _ => numbers(rows.iter().map(|(_, at)| Some(at.duration))),
    });
    RecordBatch::try_new(schema.clone(), arrays.collect())
}
