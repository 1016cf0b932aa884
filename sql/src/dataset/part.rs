//! What a file of a data set holds, against what the manifest says of it.

use std::error::Error;
use std::hash::Hasher;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema, parquet_to_arrow_schema};
use parquet::basic::Encoding;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};
use parquet::file::statistics::Statistics;
use twox_hash::XxHash64;

use super::DatasetError;
use super::files::Dataset;
use super::manifest::StoredFile;
use crate::identity::trace_id;
use crate::schema::text_type;

/// Hash of a file, as the manifest has it.
pub fn hash(bytes: &[u8]) -> String {
    let mut hash = XxHash64::with_seed(0);
    hash.write(bytes);
    format!("{:016x}", hash.finish())
}

/// The range of a column of a row group in its file; `None` if no file can have it. Parquet's own function panics then.
pub fn column_range(column: &ColumnChunkMetaData) -> Option<Range<u64>> {
    range(column.dictionary_page_offset().unwrap_or(column.data_page_offset()), column.compressed_size())
}

/// The range of the column of a row group that has `range`; `None` if none has all of it. The footer was checked.
pub fn column_around(metadata: &ParquetMetaData, range: &Range<u64>) -> Option<Range<u64>> {
    let starts_before =
        |column: &ColumnChunkMetaData| column_range(column).is_some_and(|column| column.start <= range.start);
    let groups = metadata.row_groups();
    let group = groups.partition_point(|group| group.columns().first().is_some_and(starts_before));
    let columns = groups.get(group.checked_sub(1)?)?.columns();
    let column = columns.get(columns.partition_point(starts_before).checked_sub(1)?)?;
    column_range(column).filter(|column| range.end <= column.end)
}

/// The range of the page index of all columns; `None` if there is none.
pub fn page_index_range(metadata: &ParquetMetaData) -> Option<Range<u64>> {
    let columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    let places = columns.flat_map(|column| {
        [
            column.column_index_offset().zip(column.column_index_length()),
            column.offset_index_offset().zip(column.offset_index_length()),
        ]
    });
    let ranges = places.flatten().filter_map(|(offset, length)| range(offset, length));
    ranges.reduce(|all, one| all.start.min(one.start)..all.end.max(one.end))
}

/// The range of a part of a file; `None` if no file can have it.
pub fn range(offset: i64, length: impl TryInto<u64>) -> Option<Range<u64>> {
    let start = u64::try_from(offset).ok()?;
    Some(start..start.checked_add(length.try_into().ok()?)?)
}

/// Checks that a file of so many bytes can be as its footer says. Parquet's readers rely on that, and panic otherwise.
///
/// # Errors
/// If the footer is damaged.
pub fn check_footer(metadata: &ParquetMetaData, bytes: u64) -> ParquetResult<()> {
    let (mut rows, mut end) = (0_i64, 0);
    for (at, group) in metadata.row_groups().iter().enumerate() {
        for (number, column) in group.columns().iter().enumerate() {
            let range = column_range(column).filter(|range| {
                // Other parts, such as bloom filters, are between row groups only.
                let is_next = range.start == end || number == 0 && range.start > end;
                is_next && range.end <= bytes && has_all(column, group)
            });
            let Some(range) = range else {
                let name = column.column_path().string();
                return Err(damaged(format!(
                    "wrong position, size or number of values of the column “{name}” of row group {at}"
                )));
            };
            end = range.end;
        }
        rows = rows.saturating_add(group.num_rows());
    }
    match metadata.file_metadata().num_rows() {
        of_file if of_file == rows => Ok(()),
        of_file => Err(damaged(format!("it has {of_file} rows, and its row groups have {rows}"))),
    }
}

/// Whether a column can have the values of all rows of a row group, its dictionary is where its pages need it, and its bloom filter has a
/// valid range.
fn has_all(column: &ColumnChunkMetaData, group: &RowGroupMetaData) -> bool {
    let is_dictionary = |encoding| matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
    let has_dictionary = column.encodings().any(is_dictionary);
    let is_flat = column.column_descr().max_rep_level() == 0;
    let is_before = |place| place < column.data_page_offset();
    let is_in_file = |length| column.bloom_filter_offset().is_none_or(|place| range(place, length).is_some());
    group.num_rows() >= 0
        && column.bloom_filter_length().is_none_or(is_in_file)
        && (!is_flat || column.num_values() == group.num_rows())
        && (!has_dictionary || column.dictionary_page_offset().is_some())
        && column.dictionary_page_offset().is_none_or(is_before)
}

fn damaged(about: String) -> ParquetError {
    ParquetError::General(about)
}

/// The footer with a schema of Arrow that is made of Parquet's own, in which all texts have dictionaries. The one in the file is not
/// decoded: its decoder panics if it is damaged.
///
/// # Errors
/// If Parquet's schema is damaged.
pub fn with_plain_schema(metadata: ParquetMetaData) -> ParquetResult<ParquetMetaData> {
    let about = metadata.file_metadata();
    let field = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 => Field::new(field.name(), text_type(), field.is_nullable()),
        _ => field.as_ref().clone(),
    };
    let fields = parquet_to_arrow_schema(about.schema_descr(), None)?;
    let schema = Schema::new(fields.fields().iter().map(field).collect::<Vec<_>>());
    let mut entries = about.key_value_metadata().cloned().unwrap_or_default();
    entries.retain(|entry| entry.key != ARROW_SCHEMA_META_KEY);
    entries.push(KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&schema)));
    let about = FileMetaData::new(
        about.version(),
        about.num_rows(),
        about.created_by().map(str::to_owned),
        Some(entries),
        about.schema_descr_ptr(),
        about.column_orders().cloned(),
    );
    let groups = metadata.row_groups().to_vec();
    Ok(ParquetMetaDataBuilder::new(about).set_row_groups(groups).build())
}

/// Checks that all pages are inside their columns and in order.
///
/// # Errors
/// If the page index is damaged.
pub fn check_pages(metadata: &ParquetMetaData) -> ParquetResult<()> {
    for (group, columns) in metadata.row_groups().iter().zip(metadata.offset_index().into_iter().flatten()) {
        for (column, pages) in group.columns().iter().zip(columns) {
            let Range { start, end } = column_range(column).unwrap_or_default();
            let (mut place, mut row) = (start, 0);
            for page in pages.page_locations() {
                let start = u64::try_from(page.offset).ok();
                let length = u64::try_from(page.compressed_page_size).ok();
                let next = start.zip(length).and_then(|(start, length)| start.checked_add(length));
                let is_next = start >= Some(place) && page.first_row_index >= row;
                match next.filter(|&next| is_next && next <= end && page.first_row_index <= group.num_rows())
                {
                    Some(next) => (place, row) = (next, page.first_row_index),
                    None => {
                        let name = column.column_path().string();
                        return Err(damaged(format!("the page index of the column “{name}” is damaged")));
                    }
                }
            }
        }
    }
    Ok(())
}

/// A reader of a whole file, whose footer was checked.
///
/// # Errors
/// If it is no Parquet file or damaged.
pub fn reader(bytes: Bytes) -> ParquetResult<ParquetRecordBatchReaderBuilder<Bytes>> {
    let about = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::default())?;
    check_footer(about.metadata(), bytes.len() as u64)?;
    Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, about))
}

/// Compares the footer of a trace's file with the manifest: its number of rows, and the trace that they belong to.
///
/// # Errors
/// A sentence if they differ.
pub fn check_rows(
    dataset: &Dataset,
    trace: &str,
    file: &StoredFile,
    metadata: &ParquetMetaData,
) -> Result<(), DatasetError> {
    if !dataset.is_checked() {
        return Ok(());
    }
    let rows = metadata.file_metadata().num_rows();
    same_rows(dataset, trace, file, u64::try_from(rows).unwrap_or(0))?;
    let number = trace_id(trace);
    match trace_numbers(metadata).find(|found| *found != number) {
        None => Ok(()),
        Some(found) => {
            let owner = dataset.manifest().traces.iter().find(|known| known.id() == found);
            let owner =
                owner.map_or_else(|| format!("the trace {found}"), |known| format!("“{}”", known.name));
            let about = format!("its rows are of {owner}, and the manifest lists it under “{trace}”");
            Err(dataset.wrong(trace, file, about))
        }
    }
}

/// The smallest and largest `trace_id` of each row group, where a file has statistics of them.
fn trace_numbers(metadata: &ParquetMetaData) -> impl Iterator<Item = i64> {
    let known = metadata.row_groups().iter().filter_map(|group| statistics(group, "trace_id"));
    let bounds = known.flat_map(|statistics| match statistics {
        Statistics::Int64(known) => [known.min_opt().copied(), known.max_opt().copied()],
        _ => [None, None],
    });
    bounds.flatten()
}

/// The statistics of a column of a row group; `None` if the file has none.
pub fn statistics<'g>(group: &'g RowGroupMetaData, column: &str) -> Option<&'g Statistics> {
    group.columns().iter().find(|of| of.column_path().string() == column)?.statistics()
}

/// Whether a column has no values in a file, by its statistics.
pub fn has_no_values(metadata: &ParquetMetaData, column: &str) -> bool {
    metadata.row_groups().iter().all(|group| {
        let nulls = statistics(group, column).and_then(Statistics::null_count_opt);
        nulls.is_some_and(|nulls| i64::try_from(nulls) == Ok(group.num_rows()))
    })
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
