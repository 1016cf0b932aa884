//! [`DatasetWriter`]: the tables of traces as Parquet files, in row groups of bounded size.
//!
//! Only the manifest says what a data set has. A file has its own content in its name, so that no file that the manifest names is ever
//! written to. A writer that ends at any moment leaves a data set as it was, or as it should be, and files that nothing names;
//! the next writer removes those.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::hash::Hasher;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use queryscope::internal::rows::{KnownTable, TableRef};
use twox_hash::XxHash64;

use super::manifest::{Manifest, StoredFile, StoredTrace, lock};
use super::{DatasetError, MANIFEST, attributes, encoding, stored_rows};
use crate::rows::TraceRows;
use crate::trend::group_tables;

/// Bytes of a row group that is being written, after which it ends.
const ROW_GROUP_BYTES: usize = 64 << 20;
/// Day of a trace whose day is not known.
const UNKNOWN_DAY: &str = "unknown";
/// Ending of a file that is being written, which no reader takes for a table.
const UNFINISHED: &str = "new";

/// Adds traces to a data set. No other program writes to it until this is dropped.
pub struct DatasetWriter {
    folder: PathBuf,
    manifest: Manifest,
    _lock: File,
}

impl DatasetWriter {
    /// Opens a data set, which is made if it is not there, and removes the files that a writer left that did not end. Waits while another
    /// program writes.
    ///
    /// # Errors
    /// A sentence if the folder cannot be written to, its manifest is damaged, or files of a data set have no manifest.
    pub fn open(folder: &Path) -> Result<Self, DatasetError> {
        fs::create_dir_all(folder).map_err(|error| DatasetError::at_path(folder, error))?;
        let lock = lock(folder)?;
        let manifest = Manifest::read(folder)?;
        let writer = Self { folder: folder.to_owned(), manifest, _lock: lock };
        match folder.join(MANIFEST).exists() {
            true => writer.remove_unnamed()?,
            false if files_of_tables(folder).is_empty() => writer.manifest.write(folder)?,
            false => {
                let about = "the folder has files of a data set, but no manifest. Put the manifest back, or choose an empty folder";
                return Err(DatasetError::at_path(&folder.join(MANIFEST), about));
            }
        }
        Ok(writer)
    }

    /// Writes the files of a trace, which replaces one of the same name. Nothing changes for readers before [`Self::commit`].
    ///
    /// # Errors
    /// A sentence if the folder cannot be written to.
    pub fn add(&mut self, trace: &TraceRows) -> Result<StoredTrace, DatasetError> {
        let day = trace.identity.day.as_deref().unwrap_or(UNKNOWN_DAY);
        let mut files = Vec::new();
        for (name, table) in trace.table_names() {
            let schema = trace.schema(table);
            let batches = trace.parts(table).into_iter().map(|part| trace.batch(table, part, &schema));
            let about = match table {
                TableRef::Side(at) => {
                    let parts = stored_rows::side_table_parts(trace, &trace.tables.side_tables[at]);
                    Some(KeyValue::new(stored_rows::SIDE_TABLES.to_owned(), parts))
                }
                TableRef::Known(KnownTable::Attributes) => {
                    let orders = attributes::attribute_orders(trace);
                    Some(KeyValue::new(attributes::ATTRIBUTE_ORDERS.to_owned(), orders))
                }
                TableRef::Known(_) => None,
            };
            let new = NewFile { folder: &self.folder, table: &name, day, trace };
            files.extend(new.write(&schema, batches, about)?);
        }
        for table in group_tables(trace).map_err(|error| DatasetError::at_path(&self.folder, error))? {
            let new = NewFile { folder: &self.folder, table: table.name, day, trace };
            let schema = table.schema;
            files.extend(new.write(&schema, table.batches.into_iter().map(Ok), None)?);
        }
        let trace_id = trace.identity.id.to_string();
        let (engine, name) = (trace.identity.engine.clone(), trace.identity.name.clone());
        let stored = StoredTrace { trace_id, name, engine, day: day.to_owned(), files };
        self.manifest.traces.retain(|known| known.trace_id != stored.trace_id);
        self.manifest.traces.push(stored.clone());
        Ok(stored)
    }

    /// Writes the manifest, by which readers see all added traces at once, and removes the files of the traces that were replaced.
    ///
    /// # Errors
    /// A sentence if the folder cannot be written to.
    pub fn commit(&mut self) -> Result<(), DatasetError> {
        self.manifest.traces.sort_by(|left, right| (&left.day, &left.name).cmp(&(&right.day, &right.name)));
        self.manifest.write(&self.folder)?;
        self.remove_unnamed()
    }

    /// Removes the files of tables that the manifest does not name. Other files are not touched.
    fn remove_unnamed(&self) -> Result<(), DatasetError> {
        let files = self.manifest.traces.iter().flat_map(|trace| &trace.files);
        let named: BTreeSet<PathBuf> = files.map(|file| self.folder.join(&file.path)).collect();
        for path in files_of_tables(&self.folder).into_iter().filter(|path| !named.contains(path)) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(DatasetError::at_path(&path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Adds one trace to a data set, which is made if it is not there. Files of an earlier trace of the same name are replaced.
///
/// # Errors
/// A sentence if the folder cannot be written to. Files of other traces are as they were.
pub fn add_trace(folder: &Path, trace: &TraceRows) -> Result<StoredTrace, DatasetError> {
    let mut writer = DatasetWriter::open(folder)?;
    let stored = writer.add(trace)?;
    writer.commit()?;
    Ok(stored)
}

/// Files that a writer made: `TABLE/day=…/engine=…/`, then a name as [`NewFile`] gives it.
fn files_of_tables(folder: &Path) -> Vec<PathBuf> {
    let is_named = |path: &Path, start: &str| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start)) && path.is_dir()
    };
    let inside = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let days = inside(folder.to_owned()).flat_map(inside).filter(|path| is_named(path, "day="));
    let engines = days.flat_map(inside).filter(|path| is_named(path, "engine="));
    engines.flat_map(inside).filter(|path| is_made_here(path)).collect()
}

fn is_made_here(path: &Path) -> bool {
    let is_number = |text: &str| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("parquet") => stem.split_once('-').is_some_and(|(id, hash)| is_number(id) && is_number(hash)),
        Some(UNFINISHED) => is_number(&stem),
        _ => false,
    }
}

/// A file that is being written.
struct NewFile<'a> {
    folder: &'a Path,
    table: &'a str,
    day: &'a str,
    trace: &'a TraceRows,
}

impl NewFile<'_> {
    /// Writes a table; `None` if it has no rows and nothing is known `about` it.
    fn write(
        &self,
        schema: &SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        about: Option<KeyValue>,
    ) -> Result<Option<StoredFile>, DatasetError> {
        let place = format!("{}/day={}/engine={}", self.table, self.day, self.trace.identity.engine);
        let folder = self.folder.join(&place);
        let new = folder.join(format!("{:016x}.{UNFINISHED}", self.trace.identity.id));
        let written = write_file(&new, self.table, schema, batches, about);
        let Some(written) = written.map_err(|error| DatasetError::at_path(&new, error))? else {
            return Ok(None);
        };
        let hash = format!("{:016x}", written.hash);
        let path = format!("{place}/{:016x}-{hash}.parquet", self.trace.identity.id);
        fs::rename(&new, self.folder.join(&path)).map_err(|error| DatasetError::at_path(&new, error))?;
        let WrittenFile { bytes, rows, .. } = written;
        Ok(Some(StoredFile { table: self.table.to_owned(), path, bytes, rows, xxh64: hash }))
    }
}

struct WrittenFile {
    bytes: u64,
    rows: u64,
    hash: u64,
}

/// A file with the hash of what was written to it.
struct HashedFile {
    out: BufWriter<File>,
    hash: XxHash64,
    bytes: u64,
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.write(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_file(
    to: &Path,
    table: &str,
    schema: &SchemaRef,
    mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    about: Option<KeyValue>,
) -> Result<Option<WrittenFile>, Box<dyn std::error::Error>> {
    let first = batches.find(|batch| batch.as_ref().map_or(true, |batch| batch.num_rows() > 0));
    if first.is_none() && about.is_none() {
        return Ok(None);
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let out = HashedFile { out: BufWriter::new(File::create(to)?), hash: XxHash64::with_seed(0), bytes: 0 };
    let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(encoding::properties(table, schema)))?;
    if let Some(about) = about {
        writer.append_key_value_metadata(about);
    }
    let mut rows = 0;
    for batch in first.into_iter().chain(batches) {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        writer.write(&batch)?;
        if writer.in_progress_size() > ROW_GROUP_BYTES || encoding::ends_row_group(table) {
            writer.flush()?;
        }
    }
    let mut out = writer.into_inner()?;
    out.flush()?;
    Ok(Some(WrittenFile { bytes: out.bytes, rows, hash: out.hash.finish() }))
}
