//! [`StoredRows`]: all rows of a table of a trace, and what its file says besides.

use bytes::Bytes;
use datafusion::arrow::array::{Array, AsArray, BooleanArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Int64Type, Schema, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::FileMetaData;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::attributes::ATTRIBUTE_ORDERS;
use super::files::Dataset;
use super::manifest::StoredTrace;
use super::{DatasetError, part};
use crate::rows::TraceRows;
use crate::schema;
use queryscope::internal::rows::SqlSideTable;

/// Key of a Parquet file's metadata that holds the side tables in it, as JSON.
pub const SIDE_TABLES: &str = "queryscope.side_tables";

/// A side table of one run in a Parquet file.
#[derive(Serialize, Deserialize)]
pub struct StoredPart {
    /// Position among all side tables of the trace.
    pub at: usize,
    pub run: u32,
    pub name: String,
    pub columns: Vec<String>,
    pub rows: usize,
}

/// The side tables of all runs that are stored in one file.
pub fn side_table_parts(trace: &TraceRows, table: &SqlSideTable) -> String {
    let text = |id| trace.trace.str(id).to_owned();
    let parts = table.tables(&trace.trace).map(|(at, table)| {
        let columns = table.columns().iter().map(|&column| text(column)).collect();
        let (run, name, rows) = (table.run.0, text(table.name), table.len());
        StoredPart { at, run, name, columns, rows }
    });
    serde_json::to_string(&parts.collect::<Vec<_>>()).unwrap_or_default()
}

/// All rows of a table.
pub struct StoredRows {
    pub batch: RecordBatch,
    pub parts: Vec<StoredPart>,
    /// See [`ATTRIBUTE_ORDERS`].
    pub orders: Vec<Vec<usize>>,
}

/// What the metadata of a file has under a key, as JSON; the default if it has nothing.
fn known_about<T: DeserializeOwned + Default>(metadata: &FileMetaData, key: &str) -> serde_json::Result<T> {
    let entry = metadata.key_value_metadata().and_then(|all| all.iter().find(|entry| entry.key == key));
    entry.and_then(|entry| entry.value.as_deref()).map_or_else(|| Ok(T::default()), serde_json::from_str)
}

impl StoredRows {
    pub async fn read(dataset: &Dataset, trace: &StoredTrace, table: &str) -> Result<Self, DatasetError> {
        let Some(file) = trace.files.iter().find(|file| file.table == table) else {
            let schema =
                schema::table(table).map_or_else(|| SchemaRef::new(Schema::empty()), schema::stored_schema);
            let batch = RecordBatch::new_empty(schema);
            return Ok(Self { batch, parts: Vec::new(), orders: Vec::new() });
        };
        let bytes = dataset.read_checked(&trace.name, file).await?;
        let wrong = |error: Box<dyn std::error::Error>| dataset.wrong(&trace.name, file, error);
        let reader = part::reader(bytes).map_err(|error| wrong(error.into()))?;
        part::check_rows(dataset, &trace.name, file, reader.metadata())?;
        Self::decode(reader).map_err(wrong)
    }

    fn decode(reader: ParquetRecordBatchReaderBuilder<Bytes>) -> Result<Self, Box<dyn std::error::Error>> {
        let metadata = reader.metadata().file_metadata();
        let (parts, orders) = (known_about(metadata, SIDE_TABLES)?, known_about(metadata, ATTRIBUTE_ORDERS)?);
        let schema = reader.schema().clone();
        let batches = reader.build()?.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { batch: concat_batches(&schema, &batches)?, parts, orders })
    }

    pub fn len(&self) -> usize {
        self.batch.num_rows()
    }

    pub fn nums(&self, name: &str) -> Nums {
        let column =
            self.batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
        Nums(column.cloned().unwrap_or_else(|| Int64Array::new_null(self.len())))
    }

    pub fn texts(&self, name: &str) -> Texts {
        self.texts_at(self.batch.schema_ref().index_of(name).ok())
    }

    pub fn texts_at(&self, at: Option<usize>) -> Texts {
        let column = at.and_then(|at| cast(self.batch.column(at), &DataType::Utf8).ok());
        let column = column.and_then(|column| column.as_string_opt::<i32>().cloned());
        Texts(column.unwrap_or_else(|| StringArray::new_null(self.len())))
    }

    pub fn flags(&self, name: &str) -> FlagColumn {
        let column = self.batch.column_by_name(name).and_then(|column| column.as_boolean_opt());
        FlagColumn(column.cloned().unwrap_or_else(|| BooleanArray::new_null(self.len())))
    }
}

pub struct Nums(pub Int64Array);

impl Nums {
    pub fn get(&self, row: usize) -> Option<i64> {
        (row < self.0.len() && self.0.is_valid(row)).then(|| self.0.value(row))
    }

    pub fn count(&self, row: usize) -> u64 {
        self.get(row).and_then(|count| u64::try_from(count).ok()).unwrap_or(0)
    }
}

pub struct Texts(pub StringArray);

impl Texts {
    pub fn get(&self, row: usize) -> Option<&str> {
        (row < self.0.len() && self.0.is_valid(row)).then(|| self.0.value(row))
    }

    pub fn owned(&self, row: usize) -> String {
        self.get(row).unwrap_or_default().to_owned()
    }
}

pub struct FlagColumn(BooleanArray);

impl FlagColumn {
    pub fn get(&self, row: usize) -> bool {
        row < self.0.len() && self.0.is_valid(row) && self.0.value(row)
    }
}
