//! Data sets: folders of Parquet files with a manifest, to which traces are added.
//!
//! ```text
//! runs/queryscope-dataset.json                                             the manifest, which alone says what there is
//! runs/spans/day=2026-03-31/engine=kubling/00000000000000aa-9bc1….parquet  one file for each table of a trace
//! runs/trend_index/execution_groups-shape-77ab….parquet                    rows of all traces, from which trends are read
//! ```

mod attributes;
mod encoding;
mod file_parts;
mod files;
mod manifest;
mod new_file;
pub(crate) mod part;
mod planned;
mod read;
mod scan;
mod stored_rows;
mod tables;
mod write;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use datafusion::catalog::TableProvider;

pub(crate) use encoding::index_properties;
pub use file_parts::FileParts;
pub use files::{Dataset, DatasetFiles, FolderFiles, ReadFailure, Reading, Traffic};
pub use futures::executor::block_on;
pub use manifest::{Manifest, StoredFile, StoredTrace, TrendIndex};
pub(crate) use new_file::{INDEX_FOLDER, NewFile, index_name};
pub use queryscope::internal::rows::MANIFEST;
pub use read::StoredContent;
pub use scan::DatasetScan;
pub use tables::{NO_STORE, found_schema};
pub use write::{DatasetWriter, add_trace};

/// Why a data set cannot be written or read, as a sentence.
#[derive(Clone, Debug)]
pub struct DatasetError(String);

impl DatasetError {
    /// An error about a file at a path or address.
    fn at(place: &str, error: impl fmt::Display) -> Self {
        Self(format!("{place}: {error}"))
    }

    fn at_path(path: &Path, error: impl fmt::Display) -> Self {
        Self::at(&path.display().to_string(), error)
    }

    /// A whole sentence.
    pub fn of(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for DatasetError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for DatasetError {}

/// Tables of a data set, by name.
pub type StoredTables = Vec<(String, Arc<dyn TableProvider>)>;

/// Whether a folder is a data set.
pub fn is_dataset(folder: &Path) -> bool {
    folder.join(MANIFEST).is_file()
}
