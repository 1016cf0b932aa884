//! [`SampleRow`]: the sampled executions of a group, as the index of trends has them.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, Int64Builder, ListBuilder, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;

use super::group_row::{BatchColumns, numbers};

/// Column of [`SampleRow::text_hash`], by which rows are sorted.
pub const TEXT_HASH: &str = "text_hash";
const COLUMNS: [&str; 3] = [TEXT_HASH, "trace_id", "group_id"];
const DURATIONS: &str = "durations_ns";

/// The sampled executions of a group of a trace.
#[derive(Clone, Debug)]
pub struct SampleRow {
    /// Hash of the text of the group.
    pub text_hash: i64,
    pub trace_id: i64,
    pub group_id: i64,
    /// In ascending order, in nanoseconds.
    pub durations: Vec<i64>,
}

impl SampleRow {
    pub fn schema() -> SchemaRef {
        let item = Arc::new(Field::new_list_field(DataType::Int64, true));
        let columns = COLUMNS.map(|name| Field::new(name, DataType::Int64, true));
        let durations = Field::new(DURATIONS, DataType::List(item), true);
        Arc::new(Schema::new(columns.into_iter().chain([durations]).collect::<Vec<_>>()))
    }

    /// The rows as a batch.
    ///
    /// # Errors
    /// Only if the columns do not fit the schema, which is a fault of this program.
    pub fn batch(rows: &[Self]) -> Result<RecordBatch, ArrowError> {
        let mut durations = ListBuilder::new(Int64Builder::new());
        for row in rows {
            durations.values().append_slice(&row.durations);
            durations.append(true);
        }
        let columns = [
            numbers(rows.iter().map(|row| Some(row.text_hash))),
            numbers(rows.iter().map(|row| Some(row.trace_id))),
            numbers(rows.iter().map(|row| Some(row.group_id))),
            Arc::new(durations.finish()),
        ];
        RecordBatch::try_new(Self::schema(), columns.into())
    }

    /// Those rows of a batch whose numbers are wanted; `None` if it has other columns.
    pub fn of_batch(batch: &RecordBatch, is_wanted: impl Fn(&Self) -> bool) -> Option<Vec<Self>> {
        let columns = BatchColumns(batch);
        let [text_hashes, traces, groups] = COLUMNS.map(|name| columns.numbers(name));
        let (text_hashes, traces, groups) = (text_hashes?, traces?, groups?);
        let lists = batch.column_by_name(DURATIONS)?.as_list_opt::<i32>()?;
        let row = |row: usize| Self {
            text_hash: text_hashes.value(row),
            trace_id: traces.value(row),
            group_id: groups.value(row),
            durations: Vec::new(),
        };
        let mut found = Vec::new();
        for (at, mut row) in (0..batch.num_rows()).map(row).enumerate().filter(|(_, row)| is_wanted(row)) {
            let durations = lists.value(at);
            row.durations = durations.as_primitive_opt::<Int64Type>()?.values().to_vec();
            found.push(row);
        }
        Some(found)
    }
}
