//! [`GroupRow`]: a row of `execution_groups`, as record batches have it.

use std::array;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int32Array, Int64Array, RecordBatch, StringDictionaryBuilder,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{Int32Type, Int64Type, SchemaRef};
use datafusion::arrow::error::ArrowError;
use queryscope::export::{GroupSummary, SampledExecution};

use crate::schema;

/// A row of `execution_groups`.
#[derive(Clone, Debug)]
pub struct GroupRow {
    pub trace_id: i64,
    pub run_id: u32,
    pub run: Arc<str>,
    pub version: Option<Arc<str>>,
    pub origin: i64,
    pub group_id: i64,
    /// `None` for all groups beyond the largest.
    pub text: Option<Arc<str>>,
    pub summary: GroupSummary,
}

/// Columns of numbers, in the order of [`GroupRow::of_numbers`].
const NUMBERS: [&str; 20] = [
    "trace_id",
    "run_id",
    "group_id",
    "origin_ns",
    "executions",
    "incomplete",
    "errors",
    "total_ns",
    "self_ns",
    "min_ns",
    "p50_ns",
    "p95_ns",
    "p99_ns",
    "max_ns",
    "rows_read",
    "rows_returned",
    "bytes",
    "first_start_ns",
    "slowest_span_id",
    "slowest_start_ns",
];

impl GroupRow {
    /// The rows of one grouping as a batch.
    ///
    /// # Errors
    /// Only if the columns do not fit the schema, which is a fault of this program.
    pub fn batch(rows: &[Self], by: &str, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let arrays = schema.fields().iter().map(|field| match field.name().as_str() {
            "grouped_by" => texts(rows.iter().map(|_| Some(by))),
            "text" => texts(rows.iter().map(|row| row.text.as_deref())),
            "run" => texts(rows.iter().map(|row| Some(&*row.run))),
            "version" => texts(rows.iter().map(|row| row.version.as_deref())),
            name => {
                let at = NUMBERS.iter().position(|known| *known == name);
                numbers(rows.iter().map(|row| *row.numbers().get(at?)?))
            }
        });
        RecordBatch::try_new(schema.clone(), arrays.collect())
    }

    /// The rows of a batch. Columns that it does not have are null.
    pub fn of_batch(batch: &RecordBatch) -> Vec<Self> {
        let columns = BatchColumns(batch);
        let columns_of_numbers = NUMBERS.map(|name| columns.numbers(name));
        let [texts, runs, versions] = ["text", "run", "version"].map(|name| columns.texts(name));
        let row = |row: usize| {
            let numbers = array::from_fn(|at| {
                let column = columns_of_numbers[at]?;
                column.is_valid(row).then(|| column.value(row))
            });
            let text = |texts: &Option<SharedTexts>| texts.as_ref()?.get(row);
            let run = text(&runs).unwrap_or_default();
            Self { text: text(&texts), run, version: text(&versions), ..Self::of_numbers(numbers) }
        };
        (0..batch.num_rows()).map(row).collect()
    }

    fn of_numbers(numbers: [Option<i64>; NUMBERS.len()]) -> Self {
        let [
            trace_id,
            run_id,
            group_id,
            origin,
            executions,
            incomplete,
            errors,
            total,
            self_time,
            min,
            p50,
            p95,
            p99,
            max,
            rows_read,
            rows_returned,
            bytes,
            first_start,
            slowest_span,
            slowest_start,
        ] = numbers;
        let count = |number: Option<i64>| number.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        let id = |number: Option<i64>| number.and_then(|n| u32::try_from(n).ok());
        let slowest = id(slowest_span).zip(slowest_start).zip(max);
        let slowest = slowest.map(|((span, start), duration)| SampledExecution { span, start, duration });
        Self {
            trace_id: trace_id.unwrap_or(0),
            run_id: id(run_id).unwrap_or(0),
            run: Arc::default(),
            version: None,
            origin: origin.unwrap_or(0),
            group_id: group_id.unwrap_or(0),
            text: None,
            summary: GroupSummary {
                executions: count(executions),
                incomplete: count(incomplete),
                errors: count(errors),
                total,
                self_time,
                min,
                p50,
                p95,
                p99,
                max,
                rows_read,
                rows_returned,
                bytes,
                first_start,
                slowest,
            },
        }
    }

    /// The numbers of [`Self::of_numbers`].
    fn numbers(&self) -> [Option<i64>; NUMBERS.len()] {
        let count = |count: u64| i64::try_from(count).ok();
        let of = &self.summary;
        [
            Some(self.trace_id),
            Some(i64::from(self.run_id)),
            Some(self.group_id),
            Some(self.origin),
            count(of.executions),
            count(of.incomplete),
            count(of.errors),
            of.total,
            of.self_time,
            of.min,
            of.p50,
            of.p95,
            of.p99,
            of.max,
            of.rows_read,
            of.rows_returned,
            of.bytes,
            of.first_start,
            of.slowest.map(|at| i64::from(at.span)),
            of.slowest.map(|at| at.start),
        ]
    }
}

/// A column of numbers.
pub fn numbers(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<Int64Array>())
}

/// A column of texts.
pub fn texts<'t>(values: impl Iterator<Item = Option<&'t str>>) -> ArrayRef {
    let mut texts = StringDictionaryBuilder::<Int32Type>::new();
    values.for_each(|text| texts.append_option(text));
    Arc::new(texts.finish())
}

/// Columns of a batch by their names.
pub struct BatchColumns<'b>(pub &'b RecordBatch);

impl<'b> BatchColumns<'b> {
    pub fn numbers(&self, name: &str) -> Option<&'b Int64Array> {
        self.0.column_by_name(name)?.as_primitive_opt::<Int64Type>()
    }

    fn texts(&self, name: &str) -> Option<SharedTexts> {
        let column = cast(self.0.column_by_name(name)?, &schema::text_type()).ok()?;
        let dictionary = column.as_dictionary_opt::<Int32Type>()?;
        let texts = dictionary.values().as_string_opt::<i32>()?;
        let texts = texts.iter().map(|text| text.map(Arc::from)).collect();
        Some(SharedTexts { keys: dictionary.keys().clone(), texts })
    }
}

/// A column of texts, in which equal ones are held once.
struct SharedTexts {
    keys: Int32Array,
    texts: Vec<Option<Arc<str>>>,
}

impl SharedTexts {
    fn get(&self, row: usize) -> Option<Arc<str>> {
        let key = self.keys.is_valid(row).then(|| self.keys.value(row))?;
        self.texts.get(usize::try_from(key).ok()?)?.clone()
    }
}
