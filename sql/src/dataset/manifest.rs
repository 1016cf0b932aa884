//! [`Manifest`]: what a data set consists of.

use std::fs::{self, File};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::DatasetError;
use crate::schema::VERSION;

/// Name of the manifest in the folder of its data set.
pub const MANIFEST: &str = "queryscope-dataset.json";
/// Name of the file that a writer locks.
const LOCK: &str = "queryscope-dataset.lock";
/// Value of the first member.
const KIND: &str = "dataset";

/// What a data set consists of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// `dataset`.
    pub queryscope: String,
    /// Version of tables and manifest.
    pub version: u32,
    /// The traces, by day and name.
    pub traces: Vec<StoredTrace>,
}

/// A trace of a data set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoredTrace {
    /// Number of the trace, as decimal digits: many readers of JSON lose digits beyond 2^53.
    pub trace_id: String,
    pub name: String,
    pub engine: String,
    pub day: String,
    pub files: Vec<StoredFile>,
}

/// A file of a data set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoredFile {
    pub table: String,
    /// Path from the folder of the data set, with `/`.
    pub path: String,
    pub bytes: u64,
    pub rows: u64,
}

impl Manifest {
    /// The manifest of a data set; an empty one if there is none.
    ///
    /// # Errors
    /// If it cannot be read, is damaged or of a newer version, or names a file outside the folder.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        let path = folder.join(MANIFEST);
        if !path.exists() {
            return Ok(Self { queryscope: KIND.to_owned(), version: VERSION, traces: Vec::new() });
        }
        let text = fs::read_to_string(&path).map_err(|error| DatasetError::at(&path, error))?;
        let manifest: Self = serde_json::from_str(&text).map_err(|error| DatasetError::at(&path, error))?;
        if manifest.queryscope != KIND || manifest.version > VERSION {
            let about =
                format!("a manifest of version {}, and this program reads {VERSION}", manifest.version);
            return Err(DatasetError::at(&path, about));
        }
        let files = || manifest.traces.iter().flat_map(|trace| &trace.files);
        let is_inside =
            |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        match files().find(|file| !is_inside(&file.path)) {
            Some(file) => Err(DatasetError::at(&path, format!("“{}” is outside the folder", file.path))),
            None => Ok(manifest),
        }
    }

    /// Writes the manifest, so that a reader sees the whole old or the whole new one.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn write(&self, folder: &Path) -> Result<(), DatasetError> {
        let path = folder.join(MANIFEST);
        let new = folder.join(format!("{MANIFEST}.new"));
        let mut text = serde_json::to_string_pretty(self).map_err(|error| DatasetError::at(&path, error))?;
        text.push('\n');
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, &path))
            .map_err(|error| DatasetError::at(&path, error))
    }
}

/// Locks a data set for one writer, until the file is closed.
pub fn lock(folder: &Path) -> Result<File, DatasetError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(|error| DatasetError::at(&path, error))?;
    file.lock().map_err(|error| DatasetError::at(&path, error))?;
    Ok(file)
}
