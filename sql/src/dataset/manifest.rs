//! [`Manifest`]: what a data set consists of.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::{DatasetError, MANIFEST};
use crate::identity::trace_id;
use crate::schema::VERSION;
use crate::trend::{GROUPS, SAMPLES};

/// Name of the file that a writer locks.
const LOCK: &str = "queryscope-dataset.lock";
/// Largest file of a data set, in bytes: JavaScript counts larger numbers only approximately.
const LARGEST_FILE: u64 = 1 << 53;
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
    /// `None` if an older version wrote the data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trend_index: Option<TrendIndex>,
}

/// The members by which a manifest is recognised.
#[derive(Deserialize)]
struct ManifestHead {
    queryscope: String,
    version: u32,
}

impl ManifestHead {
    /// Why the manifest cannot be read by this version.
    fn fault(&self, place: &str) -> Option<DatasetError> {
        let about = if self.queryscope != KIND {
            format!(
                "this is not the manifest of a data set: its member \"queryscope\" is “{}”, not “{KIND}”. Put the manifest back, or convert the traces into a new folder",
                self.queryscope
            )
        } else if self.version > VERSION {
            format!(
                "a manifest of version {}, and this program reads {VERSION}. Use the version of queryscope that wrote it, or a newer one",
                self.version
            )
        } else {
            return None;
        };
        Some(DatasetError::at(place, about))
    }
}

/// A trace of a data set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoredTrace {
    /// Number of the trace, as decimal digits: many readers of JSON lose digits beyond 2^53.
    pub trace_id: String,
    pub name: String,
    /// Name of the trace that this is a part of, if it was larger than memory when it was converted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    pub engine: String,
    pub day: String,
    pub files: Vec<StoredFile>,
}

/// The files that have the rows of `execution_groups` and `execution_samples` of many traces, so that trends need not read files of
/// each trace. They are made of those files.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrendIndex {
    /// Files by the grouping of their rows, such as `shape`.
    pub files: BTreeMap<String, Vec<StoredFile>>,
    /// By `trace_id`: hashes of the trace's files `execution_groups` and `execution_samples` from which the rows were made; empty if it
    /// has no such file. If the trace has other files now, its rows in the index are not used.
    pub traces: BTreeMap<String, [String; 2]>,
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

impl StoredFile {
    /// Sum of the sizes of files in bytes, at most `u64::MAX`: manifests may say anything.
    pub fn sum_bytes<'f>(files: impl IntoIterator<Item = &'f Self>) -> u64 {
        files.into_iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }
}

impl StoredTrace {
    /// Number of the trace.
    pub fn id(&self) -> i64 {
        self.trace_id.parse().unwrap_or_default()
    }

    /// Name of the whole trace.
    pub fn whole_trace_name(&self) -> &str {
        self.part_of.as_ref().unwrap_or(&self.name)
    }

    /// The file of a table; `None` if the table has no rows.
    pub fn file(&self, table: &str) -> Option<&StoredFile> {
        self.files.iter().find(|file| file.table == table)
    }

    /// Hashes of the files `execution_groups` and `execution_samples`, as [`TrendIndex::traces`] has them.
    pub fn trend_hashes(&self) -> [String; 2] {
        let hash = |table: &str| self.file(table).map_or_else(String::new, |file| file.xxh64.clone());
        [GROUPS, SAMPLES].map(hash)
    }
}

impl TrendIndex {
    /// All files.
    pub fn all_files(&self) -> impl Iterator<Item = &StoredFile> {
        self.files.values().flatten()
    }
}

impl Manifest {
    /// The file of the index that has the rows of a table in one grouping.
    pub fn index_file(&self, table: &str, by: &str) -> Option<&StoredFile> {
        self.trend_index.as_ref()?.files.get(by)?.iter().find(|file| file.table == table)
    }

    /// Whether the index has the rows of a trace in a table as the trace's own file has them.
    pub fn is_indexed(&self, trace: &StoredTrace, table: &str, by: &str) -> bool {
        let hashes = self.trend_index.as_ref().and_then(|index| index.traces.get(&trace.trace_id));
        let is_same = |[groups, samples]: &[String; 2]| {
            let hash = if table == GROUPS { groups } else { samples };
            hash == trace.file(table).map_or("", |file| &file.xxh64)
        };
        hashes.is_some_and(is_same) && self.index_file(table, by).is_some()
    }

    /// Whether a file is one of the index.
    pub fn is_of_index(&self, file: &StoredFile) -> bool {
        self.trend_index.iter().flat_map(TrendIndex::all_files).any(|known| known.path == file.path)
    }

    /// All files that the manifest names.
    pub fn files(&self) -> impl Iterator<Item = &StoredFile> {
        let index = self.trend_index.iter().flat_map(TrendIndex::all_files);
        self.traces.iter().flat_map(|trace| &trace.files).chain(index)
    }

    /// The manifest of a data set; an empty one if there is none.
    ///
    /// # Errors
    /// If it cannot be read, is damaged or of a newer version, or names a file outside the folder.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        let path = folder.join(MANIFEST);
        if !path.exists() {
            let queryscope = KIND.to_owned();
            return Ok(Self { queryscope, version: VERSION, traces: Vec::new(), trend_index: None });
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
        let manifest = match serde_json::from_slice::<Self>(text) {
            Ok(manifest) => manifest,
            // What a newer version has is not known, so that its version is read alone.
            Err(error) => {
                let head: ManifestHead = serde_json::from_slice(text).map_err(damaged)?;
                return Err(head.fault(place).unwrap_or_else(|| damaged(error)));
            }
        };
        let head = ManifestHead { queryscope: manifest.queryscope.clone(), version: manifest.version };
        match head.fault(place).or_else(|| Some(DatasetError::at(place, manifest.fault()?))) {
            Some(error) => Err(error),
            None => Ok(manifest),
        }
    }

    /// What cannot be true of a data set: its rows would be wrong, or not its own.
    fn fault(&self) -> Option<String> {
        let to_do = "Convert the traces into a new folder";
        let (mut names, mut paths) = (HashSet::new(), HashSet::new());
        for StoredFile { path, bytes, .. } in self.files() {
            let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
            if !is_inside {
                return Some(format!(
                    "“{path}” is outside the folder. Do not use data sets from untrusted places"
                ));
            }
            if *bytes > LARGEST_FILE {
                return Some(format!("“{path}” cannot have {bytes} bytes: no file is that large. {to_do}"));
            }
            if !paths.insert(path) {
                return Some(format!("“{path}” is listed twice. {to_do}"));
            }
        }
        for StoredTrace { name, trace_id: number, .. } in &self.traces {
            if !names.insert(name) {
                return Some(format!("the trace “{name}” is listed twice. {to_do}"));
            }
            if *number != trace_id(name).to_string() {
                return Some(format!("the trace “{name}” has the number of another one. {to_do}"));
            }
        }
        None
    }

    /// The manifest as JSON, a trace in each line: readers fetch the whole of it, and spaces would be a third of that.
    fn text(&self) -> serde_json::Result<String> {
        let kind = serde_json::to_string(&self.queryscope)?;
        let mut text = format!("{{\"queryscope\":{kind},\"version\":{},\"traces\":[", self.version);
        for (at, trace) in self.traces.iter().enumerate() {
            text.push_str(if at == 0 { "\n" } else { ",\n" });
            text.push_str(&serde_json::to_string(trace)?);
        }
        text.push_str("\n]");
        if let Some(index) = &self.trend_index {
            text.push_str(",\n\"trend_index\":");
            text.push_str(&serde_json::to_string(index)?);
        }
        text.push_str("}\n");
        Ok(text)
    }

    /// Writes the manifest, so that a reader sees the whole old or the whole new one.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn write(&self, folder: &Path) -> Result<(), DatasetError> {
        let path = folder.join(MANIFEST);
        let new = folder.join(format!("{MANIFEST}.new"));
        let text = self.text().map_err(|error| DatasetError::at_path(&path, error))?;
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
