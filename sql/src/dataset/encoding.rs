//! How the columns of a table are encoded in a Parquet file.

use datafusion::arrow::datatypes::{DataType, Schema};
use parquet::basic::Encoding;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{BloomFilterPosition, EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::trend;
use crate::{parquet_file, schema};

/// Columns with a bloom filter, and the number of values for which it is made.
const BLOOM: [(&str, u64); 2] = [("trace_id", 1), ("query_id", 10_000)];
/// Numbers that go up or are spread widely; a dictionary of them would be as long as they are.
const SPREAD: [&str; 10] = [
    "track_id",
    "span_id",
    "event_id",
    "parent_id",
    "query_span_id",
    "start_ns",
    "end_ns",
    "duration_ns",
    "self_ns",
    "time_ns",
];

/// Numbers with few different values in some traces and millions in others: they have a dictionary while that is small.
const VARIED: [&str; 4] = ["read_ns", "bytes", "num", "value"];
/// Bytes of a dictionary of [`VARIED`] numbers at most.
const DICTIONARY: usize = 16 << 10;

/// Maximum length of the smallest and the largest text in the bounds of row groups and pages, in bytes.
const TEXT_BOUND: usize = 16;

/// Columns whose pages have bounds of their own in the page index, by which readers pass over them: times and identifiers, which mostly go up
/// with the rows. Bounds of other columns would exclude few pages, and every statement over a large file would read them.
fn has_page_bounds(name: &str) -> bool {
    let is_identifier = name.ends_with("_id") && name != "trace_id";
    is_identifier || ["start_ns", "end_ns", "time_ns", "leaves_ns", "arrives_ns"].contains(&name)
}

/// Whether every batch is a row group of its own, so that readers can pass over those that they do not need.
pub fn ends_row_group(table: &str) -> bool {
    trend::table(table).is_some()
}

/// The encodings of a table's columns.
pub fn properties(table: &str, schema: &Schema) -> WriterProperties {
    // Between row groups, bloom filters would be in the way of reads of several groups at once; small files are read with all of them.
    let mut properties = parquet_file::settings().set_bloom_filter_position(BloomFilterPosition::End);
    if ends_row_group(table) {
        // Small tables, read by their grouping only: statistics would be as long as the values.
        let grouping = ColumnPath::from("grouped_by");
        properties = properties
            .set_statistics_enabled(EnabledStatistics::None)
            .set_column_statistics_enabled(grouping, EnabledStatistics::Chunk);
    } else {
        properties = properties
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_statistics_truncate_length(Some(TEXT_BOUND))
            .set_column_index_truncate_length(Some(TEXT_BOUND));
    }
    for field in schema.fields() {
        let column = ColumnPath::from(field.name().as_str());
        if has_page_bounds(field.name()) && !ends_row_group(table) {
            properties = properties.set_column_statistics_enabled(column.clone(), EnabledStatistics::Page);
        }
        if *field.data_type() == DataType::Int64 && SPREAD.contains(&field.name().as_str()) {
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column.clone(), Encoding::DELTA_BINARY_PACKED);
        }
        if *field.data_type() == DataType::Int64 && VARIED.contains(&field.name().as_str()) {
            properties = properties
                .set_column_dictionary_page_size_limit(column.clone(), DICTIONARY)
                .set_column_encoding(column.clone(), Encoding::DELTA_BINARY_PACKED);
        }
        let bloom = BLOOM.iter().find(|(name, _)| name == field.name()).filter(|_| !ends_row_group(table));
        if let Some((_, values)) = bloom {
            properties = properties
                .set_column_bloom_filter_enabled(column.clone(), true)
                .set_column_bloom_filter_max_ndv(column, *values);
        }
    }
    let known = schema::table(table).or_else(|| trend::table(table));
    let sorted_by = known.map_or(&[][..], |table| table.sorted_by);
    let position = |name: &&str| schema.index_of(name).ok();
    let sorting = sorted_by.iter().filter_map(position).map(|at| SortingColumn {
        column_idx: at as i32,
        descending: false,
        nulls_first: false,
    });
    properties.set_sorting_columns(Some(sorting.collect())).build()
}

/// Columns of the index with few different values, next to measured numbers.
const REPEATED: [&str; 5] = ["trace_id", "run_id", "group_id", "origin_ns", "text_hash"];

/// The encodings of the columns of a file of the index: measured numbers byte by byte, because those of one group differ in their low
/// bytes only.
pub fn index_properties(schema: &Schema) -> WriterProperties {
    let mut properties = parquet_file::settings()
        .set_statistics_enabled(EnabledStatistics::None)
        .set_column_statistics_enabled(ColumnPath::from("text_hash"), EnabledStatistics::Chunk);
    for field in schema.fields() {
        let name = field.name().as_str();
        let column = match field.data_type() {
            DataType::Int64 if !REPEATED.contains(&name) => ColumnPath::from(name),
            DataType::List(item) => {
                ColumnPath::new(vec![name.to_owned(), "list".to_owned(), item.name().clone()])
            }
            _ => continue,
        };
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::BYTE_STREAM_SPLIT);
    }
    properties.build()
}
