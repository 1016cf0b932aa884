//! Data sets: folders of Parquet files with a manifest, to which traces are added.
//!
//! ```text
//! runs/queryscope-dataset.json                                       the manifest: HTTP cannot list folders
//! runs/spans/day=2026-03-31/engine=kubling/00000000000000aa.parquet  one file for each table of a trace
//! ```

mod manifest;
mod read;
mod tables;
mod write;

use std::fmt;
use std::path::Path;

pub use manifest::{MANIFEST, Manifest, StoredFile, StoredTrace};
pub use read::{StoredContent, read_trace};
pub use tables::stored_tables;
pub use write::add_trace;

/// Why a data set cannot be written or read, as a sentence.
#[derive(Debug)]
pub struct DatasetError(String);

impl DatasetError {
    fn at(path: &Path, error: impl fmt::Display) -> Self {
        Self(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for DatasetError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for DatasetError {}

/// Whether a folder is a data set.
pub fn is_dataset(folder: &Path) -> bool {
    folder.join(MANIFEST).is_file()
}
