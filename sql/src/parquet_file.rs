//! Parquet files: the settings that all of them share, and the rows of a statement as a file.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};

use crate::statement::{QueryError, ResultRows};

/// Maximum number of rows in a row group.
pub const ROW_GROUP: usize = 1 << 17;
/// Compression level of Zstandard, from 1 to 22.
const LEVEL: i32 = 3;

/// Settings of all Parquet files that queryscope writes.
pub fn settings() -> WriterPropertiesBuilder {
    let level = ZstdLevel::try_new(LEVEL).unwrap_or_default();
    WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_created_by(concat!("queryscope ", env!("CARGO_PKG_VERSION")).to_owned())
}

/// The rows of a statement as a Parquet file.
///
/// # Errors
/// A sentence that names the column whose type Parquet does not have, such as an interval of time.
pub fn of_rows(rows: &ResultRows) -> Result<Vec<u8>, QueryError> {
    written(&rows.schema, &rows.batches).map_err(|error| {
        let refused = (0..rows.schema.fields().len()).find(|&at| !has_type(rows, at));
        QueryError::new(match refused.map(|at| rows.schema.field(at)) {
            Some(field) => format!(
                "The column “{}” cannot be saved: Parquet has no type {}. Leave it out, or make it text: CAST(… AS VARCHAR)",
                field.name(),
                field.data_type()
            ),
            None => format!("The rows cannot be saved as Parquet: {error}"),
        })
    })
}

fn written(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>, ParquetError> {
    let mut writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(settings().build()))?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.into_inner()
}

/// Whether Parquet has the type of a column. Only the writer knows.
fn has_type(rows: &ResultRows, column: usize) -> bool {
    let first =
        rows.batches.iter().take(1).map(|batch| batch.slice(0, batch.num_rows().min(1)).project(&[column]));
    let Ok(batches) = first.collect::<Result<Vec<_>, _>>() else { return false };
    rows.schema.project(&[column]).is_ok_and(|schema| written(&schema.into(), &batches).is_ok())
}
