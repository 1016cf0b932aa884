//! [`add_trace`]: the tables of a trace as Parquet files, in row groups of bounded size.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;

use super::manifest::{Manifest, StoredFile, StoredTrace, lock};
use super::{DatasetError, read};
use crate::rows::{TableRef, TraceRows};
use crate::schema;

/// Rows of a row group at most.
const ROW_GROUP: usize = 1 << 17;
/// Bytes of a row group that is being written, after which it ends.
const ROW_GROUP_BYTES: usize = 64 << 20;
/// Day of a trace whose day is not known.
const UNKNOWN_DAY: &str = "unknown";
/// Level of compression, of 22.
const LEVEL: i32 = 3;
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

/// Adds a trace to a data set, which is made if it is not there. Files of an earlier trace of the same name are replaced.
///
/// # Errors
/// A sentence if the folder cannot be written to. Files of other traces are as they were.
pub fn add_trace(folder: &Path, trace: &TraceRows) -> Result<StoredTrace, DatasetError> {
    fs::create_dir_all(folder).map_err(|error| DatasetError::at(folder, error))?;
    let _lock = lock(folder)?;
    let mut manifest = Manifest::read(folder)?;
    let day = trace.day.as_deref().unwrap_or(UNKNOWN_DAY);
    let mut files = Vec::new();
    for (name, table) in trace.tables() {
        let path = format!("{name}/day={day}/engine={}/{:016x}.parquet", trace.engine, trace.id);
        let to = folder.join(&path);
        let rows = write_table(&to, trace, &name, table).map_err(|error| DatasetError::at(&to, error))?;
        if rows > 0 || matches!(table, TableRef::Side(_)) {
            let bytes = fs::metadata(&to).map_or(0, |about| about.len());
            files.push(StoredFile { table: name, path, bytes, rows });
        }
    }
    let trace_id = trace.id.to_string();
    let (engine, name) = (trace.engine.clone(), trace.name.clone());
    let stored = StoredTrace { trace_id, name, engine, day: day.to_owned(), files };
    let is_old = |known: &StoredTrace| known.trace_id == stored.trace_id;
    let old: Vec<StoredFile> =
        manifest.traces.iter().filter(|known| is_old(known)).flat_map(|known| known.files.clone()).collect();
    manifest.traces.retain(|known| !is_old(known));
    manifest.traces.push(stored.clone());
    manifest.traces.sort_by(|left, right| (&left.day, &left.name).cmp(&(&right.day, &right.name)));
    manifest.write(folder)?;
    let is_new = |path: &str| stored.files.iter().any(|file| file.path == path);
    for file in old.iter().filter(|file| !is_new(&file.path)) {
        // What is no longer named is not read through the manifest, but it would be by programs that list folders.
        let path = folder.join(&file.path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(DatasetError::at(&path, error));
            }
            _ => {}
        }
    }
    Ok(stored)
}

fn write_table(
    to: &Path,
    trace: &TraceRows,
    name: &str,
    table: TableRef,
) -> Result<u64, Box<dyn std::error::Error>> {
    let schema = trace.schema(table);
    let mut batches = trace.parts(table).into_iter().map(|part| trace.batch(table, part, &schema));
    let first = batches.find(|batch| batch.as_ref().map_or(true, |batch| batch.num_rows() > 0));
    if first.is_none() && matches!(table, TableRef::Known(_)) {
        return Ok(0);
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = to.with_extension("new");
    let out = BufWriter::new(File::create(&new)?);
    let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties(name, &schema)))?;
    if let TableRef::Side(at) = table {
        let about = read::side_table_parts(trace, &trace.side_tables[at]);
        writer.append_key_value_metadata(KeyValue::new(read::SIDE_TABLES.to_owned(), about));
    }
    let mut rows = 0;
    for batch in first.into_iter().chain(batches) {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        writer.write(&batch)?;
        if writer.in_progress_size() > ROW_GROUP_BYTES {
            writer.flush()?;
        }
    }
    writer.close()?;
    fs::rename(&new, to)?;
    Ok(rows)
}

fn properties(table: &str, schema: &SchemaRef) -> WriterProperties {
    let level = ZstdLevel::try_new(LEVEL).unwrap_or_default();
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_created_by(concat!("queryscope ", env!("CARGO_PKG_VERSION")).to_owned());
    for field in schema.fields() {
        let column = ColumnPath::from(field.name().as_str());
        if *field.data_type() == DataType::Int64 && SPREAD.contains(&field.name().as_str()) {
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column.clone(), Encoding::DELTA_BINARY_PACKED);
        }
        if let Some((_, values)) = BLOOM.iter().find(|(name, _)| name == field.name()) {
            properties = properties
                .set_column_bloom_filter_enabled(column.clone(), true)
                .set_column_bloom_filter_max_ndv(column, *values);
        }
    }
    let sorted_by = schema::table(table).map_or(&[][..], |table| table.sorted_by);
    let position = |name: &&str| schema.index_of(name).ok();
    let sorting = sorted_by.iter().filter_map(position).map(|at| SortingColumn {
        column_idx: at as i32,
        descending: false,
        nulls_first: false,
    });
    properties.set_sorting_columns(Some(sorting.collect())).build()
}
