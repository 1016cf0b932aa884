//! Parquet files: the settings that all of them share, and the rows of a statement as a file.

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};

use crate::statement::{QueryError, ResultRows};

/// Maximum number of rows in a row group.
const ROW_GROUP: usize = 1 << 17;
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
/// If a column has a type that Parquet does not have, such as an interval of time.
pub fn of_rows(rows: &ResultRows) -> Result<Vec<u8>, QueryError> {
    let written = || {
        let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema.clone(), Some(settings().build()))?;
        rows.batches.iter().try_for_each(|batch| writer.write(batch))?;
        writer.into_inner()
    };
    written().map_err(|error| QueryError::new(error.to_string()))
}
