//! [`Manifest`]: what a data set consists of.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::{DatasetError, MANIFEST};
use crate::identity::trace_id;
use crate::schema::VERSION;

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

/// The members by which a manifest is recognised.
#[derive(Deserialize)]
struct ManifestHead {
    queryscope: String,
    version: u32,
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
    /// XXH64 of the file, as 16 hexadecimal digits.
    pub xxh64: String,
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
        let text = fs::read(&path).map_err(|error| DatasetError::at_path(&path, error))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// The manifest in a file, whose path or address messages name.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(place: &str, text: &[u8]) -> Result<Self, DatasetError> {
        let damaged = |error| {
            let to_do = "The manifest is damaged: put back a copy, or convert the traces into a new folder";
            DatasetError::at(place, format!("{error}. {to_do}"))
        };
        // What a newer version has is not known, so that its version is read alone.
        let head: ManifestHead = serde_json::from_slice(text).map_err(damaged)?;
        if head.queryscope != KIND || head.version > VERSION {
            let about = format!(
                "a manifest of version {}, and this program reads {VERSION}. Use the version of queryscope that wrote it, or a newer one",
                head.version
            );
            return Err(DatasetError::at(place, about));
        }
        let manifest: Self = serde_json::from_slice(text).map_err(damaged)?;
        match manifest.fault() {
            Some(about) => Err(DatasetError::at(place, about)),
            None => Ok(manifest),
        }
    }

    /// What cannot be true of a data set: its rows would be wrong, or not its own.
    fn fault(&self) -> Option<String> {
        let to_do = "Convert the traces into a new folder";
        let (mut names, mut paths) = (HashSet::new(), HashSet::new());
        for trace in &self.traces {
            let name = &trace.name;
            if !names.insert(name) {
                return Some(format!("the trace “{name}” is listed twice. {to_do}"));
            }
            for StoredFile { path, .. } in &trace.files {
                let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
                if !is_inside {
                    return Some(format!(
                        "“{path}” is outside the folder. Do not use data sets from untrusted places"
                    ));
                }
                if !paths.insert(path) {
                    return Some(format!("“{path}” is listed twice. {to_do}"));
                }
            }
            if trace.trace_id != trace_id(name).to_string() {
                return Some(format!("the trace “{name}” has the number of another one. {to_do}"));
            }
        }
        None
    }

    /// Writes the manifest, so that a reader sees the whole old or the whole new one.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn write(&self, folder: &Path) -> Result<(), DatasetError> {
        let path = folder.join(MANIFEST);
        let new = folder.join(format!("{MANIFEST}.new"));
        let mut text =
            serde_json::to_string_pretty(self).map_err(|error| DatasetError::at_path(&path, error))?;
        text.push('\n');
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, &path))
            .map_err(|error| DatasetError::at_path(&path, error))
    }
}

/// Locks a data set for one writer, until the file is closed.
pub fn lock(folder: &Path) -> Result<File, DatasetError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(|error| DatasetError::at_path(&path, error))?;
    file.lock().map_err(|error| DatasetError::at_path(&path, error))?;
    Ok(file)
}
