//! What a file of a data set holds, against what the manifest says of it.

use std::error::Error;
use std::hash::Hasher;

use parquet::file::metadata::ParquetMetaData;
use twox_hash::XxHash64;

use super::files::Dataset;
use super::manifest::StoredFile;
use super::{DatasetError, FileParts};

/// Hash of a file, as the manifest has it.
pub fn hash(bytes: &[u8]) -> String {
    let mut hash = XxHash64::with_seed(0);
    hash.write(bytes);
    format!("{:016x}", hash.finish())
}

/// Checks the number of rows in a file.
///
/// # Errors
/// A sentence if it is another one.
pub fn check_rows(
    dataset: &Dataset,
    parts: &FileParts,
    metadata: &ParquetMetaData,
) -> Result<(), DatasetError> {
    if !dataset.is_checked() {
        return Ok(());
    }
    let rows = metadata.file_metadata().num_rows();
    same_rows(dataset, parts.trace(), parts.file(), u64::try_from(rows).unwrap_or(0))
}

/// # Errors
/// A sentence if a file has another number of rows than the manifest says.
pub fn same_rows(dataset: &Dataset, trace: &str, file: &StoredFile, rows: u64) -> Result<(), DatasetError> {
    match rows == file.rows {
        true => Ok(()),
        false => {
            let about = format!("it has {rows} rows, and the manifest says {}", file.rows);
            Err(dataset.wrong(trace, file, about))
        }
    }
}

/// The sentence of an error: that of the data set which caused it, or one about the file.
pub fn sentence(
    dataset: &Dataset,
    trace: &str,
    file: &StoredFile,
    error: &(dyn Error + 'static),
) -> DatasetError {
    cause(error).unwrap_or_else(|| dataset.wrong(trace, file, error))
}

/// The error of a data set that caused another error.
pub fn cause(error: &(dyn Error + 'static)) -> Option<DatasetError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(DatasetError(text)) = error.downcast_ref() {
            return Some(DatasetError(text.clone()));
        }
        next = error.source();
    }
    None
}
