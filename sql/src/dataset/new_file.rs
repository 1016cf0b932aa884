//! [`NewFile`]: a Parquet file that is written, and gets a name with its hash when it is whole.

use std::fs::{self, File};
use std::hash::Hasher;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use twox_hash::XxHash64;

use super::manifest::StoredFile;
use super::{DatasetError, encoding};
use crate::trend::{GROUPINGS, TREND_TABLES};

/// Folder of the files of the index of trends.
pub const INDEX_FOLDER: &str = "trend_index";
/// Bytes of a row group that is being written, after which it ends.
const ROW_GROUP_BYTES: usize = 64 << 20;
/// Ending of a file that is being written, which no reader takes for a table.
const UNFINISHED: &str = "new";

/// A file that is being written.
pub struct NewFile<'a> {
    /// Folder of the data set.
    pub root: &'a Path,
    pub table: &'a str,
    /// Folder of the file, from that of the data set.
    pub place: String,
    /// Name of the file without its hash.
    pub name: String,
    pub properties: WriterProperties,
}

impl NewFile<'_> {
    /// Writes rows; `None` if there are none and nothing is known `about` them.
    ///
    /// # Errors
    /// A sentence if the folder cannot be written to.
    pub fn write(
        &self,
        schema: &SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        about: Option<KeyValue>,
    ) -> Result<Option<StoredFile>, DatasetError> {
        let new = self.root.join(&self.place).join(format!("{}.{UNFINISHED}", self.name));
        let written = self.write_unnamed(&new, schema, batches, about);
        let Some(written) = written.map_err(|error| DatasetError::at_path(&new, error))? else {
            return Ok(None);
        };
        let hash = format!("{:016x}", written.hash);
        let path = format!("{}/{}-{hash}.parquet", self.place, self.name);
        fs::rename(&new, self.root.join(&path)).map_err(|error| DatasetError::at_path(&new, error))?;
        let WrittenFile { bytes, rows, .. } = written;
        Ok(Some(StoredFile { table: self.table.to_owned(), path, bytes, rows, xxh64: hash }))
    }

    fn write_unnamed(
        &self,
        to: &Path,
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
        let out =
            HashedFile { out: BufWriter::new(File::create(to)?), hash: XxHash64::with_seed(0), bytes: 0 };
        let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(self.properties.clone()))?;
        if let Some(about) = about {
            writer.append_key_value_metadata(about);
        }
        let mut rows = 0;
        for batch in first.into_iter().chain(batches) {
            let batch = batch?;
            rows += batch.num_rows() as u64;
            writer.write(&batch)?;
            if writer.in_progress_size() > ROW_GROUP_BYTES || encoding::ends_row_group(self.table) {
                writer.flush()?;
            }
        }
        let mut out = writer.into_inner()?;
        out.flush()?;
        Ok(Some(WrittenFile { bytes: out.bytes, rows, hash: out.hash.finish() }))
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

/// Files of tables that a writer made: `TABLE/day=…/engine=…/`, then the number of the trace and the hash.
pub fn files_of_tables(folder: &Path) -> Vec<PathBuf> {
    let is_named = |path: &Path, start: &str| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start)) && path.is_dir()
    };
    let days = inside(folder).into_iter().flat_map(|path| inside(&path));
    let engines = days.filter(|path| is_named(path, "day=")).flat_map(|path| inside(&path));
    let files = engines.filter(|path| is_named(path, "engine=")).flat_map(|path| inside(&path));
    files.filter(|path| made_here(path).is_some_and(|name| is_hash(&name))).collect()
}

/// Files of the index that a writer made.
pub fn files_of_index(folder: &Path) -> Vec<PathBuf> {
    let is_of_index = |name: &str| {
        let of = |table: &str| GROUPINGS.iter().any(|(by, _)| index_name(table, by) == name);
        TREND_TABLES.iter().any(|table| of(table.name))
    };
    let files = inside(&folder.join(INDEX_FOLDER)).into_iter();
    files.filter(|path| made_here(path).is_some_and(|name| is_of_index(&name))).collect()
}

/// Name of a file of the index without its hash.
pub fn index_name(table: &str, by: &str) -> String {
    format!("{table}-{by}")
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// The [`NewFile::name`] of a file, if its own name is one that [`NewFile`] gives.
fn made_here(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_string_lossy();
    match path.extension()?.to_str()? {
        "parquet" => stem.rsplit_once('-').filter(|(_, hash)| is_hash(hash)).map(|(name, _)| name.to_owned()),
        UNFINISHED => Some(stem.into_owned()),
        _ => None,
    }
}

/// Whether a text is 16 hexadecimal digits.
fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
