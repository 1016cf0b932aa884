//! [`Dataset`]: an opened data set, whose files are read in ranges, wherever they are.

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use queryscope::protocol::SqlPlannedReads;

use super::manifest::{Manifest, StoredFile, StoredTrace};
use super::{DatasetError, MANIFEST, part};

/// Largest file of a folder that is read whole, in bytes.
const WHOLE: u64 = 4 << 20;
/// Longest manifest in bytes: that of some 100,000 traces.
const LONGEST_MANIFEST: u64 = 256 << 20;

/// A read that may not have ended.
pub type Reading = BoxFuture<'static, Result<Bytes, ReadFailure>>;

/// Why a file cannot be read, without its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadFailure {
    /// The file is missing, or shorter than the manifest says.
    File(String),
    /// The connection, the server or the folder does not allow it. The text says what to do.
    Access(String),
    /// The server allows it for no file at all. The text says what to do.
    Server(String),
}

impl ReadFailure {
    /// The failure of a file that is read whole and is longer than `most` bytes.
    pub fn too_long(most: u64) -> Self {
        Self::Access(format!("it is longer than {} MB, so it is not the manifest of a data set", most >> 20))
    }
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::File(reason) | Self::Access(reason) | Self::Server(reason)) = self;
        out.write_str(reason)
    }
}

impl From<io::Error> for ReadFailure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::File(error.to_string()),
            _ => Self::Access(error.to_string()),
        }
    }
}

/// Where the files of a data set are: in a folder, at an address, or dropped on a page.
pub trait DatasetFiles: fmt::Debug + Send + Sync {
    /// Path or address of a file, for messages.
    fn place(&self, path: &str) -> String;

    /// Reads a whole file whose size is not known. Fails if it is longer than `most` bytes, without reading all of it.
    fn read_whole(&self, path: &str, most: u64) -> Reading;

    /// Reads a range of bytes. The answer is shorter only if the file ends before the range does.
    fn read_range(&self, path: &str, range: Range<u64>) -> Reading;

    /// Size in bytes; `None` if it takes a request to know it.
    ///
    /// # Errors
    /// If the file is not there, or may not be looked at.
    fn size(&self, path: &str) -> Result<Option<u64>, ReadFailure>;

    /// Bytes that take about as long as one more request.
    fn bytes_of_a_request(&self) -> u64;

    /// Size of the largest files that are always read whole, so that their hashes are compared with the manifest.
    fn bytes_of_a_whole_file(&self) -> u64 {
        self.bytes_of_a_request()
    }

    /// Number of files that are read at the same time.
    fn reads_at_once(&self) -> usize;
}

/// Files of a folder.
#[derive(Debug)]
pub struct FolderFiles(pub PathBuf);

impl DatasetFiles for FolderFiles {
    fn place(&self, path: &str) -> String {
        self.0.join(path).display().to_string()
    }

    fn read_whole(&self, path: &str, most: u64) -> Reading {
        let read = || -> Result<Bytes, ReadFailure> {
            let mut bytes = Vec::new();
            File::open(self.0.join(path))?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > most { Err(ReadFailure::too_long(most)) } else { Ok(Bytes::from(bytes)) }
        };
        std::future::ready(read()).boxed()
    }

    fn read_range(&self, path: &str, range: Range<u64>) -> Reading {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(self.0.join(path))?;
            file.seek(SeekFrom::Start(range.start))?;
            let mut bytes = Vec::new();
            file.take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        std::future::ready(read().map(Bytes::from).map_err(ReadFailure::from)).boxed()
    }

    fn size(&self, path: &str) -> Result<Option<u64>, ReadFailure> {
        Ok(Some(fs::metadata(self.0.join(path))?.len()))
    }

    fn bytes_of_a_request(&self) -> u64 {
        9 << 10
    }

    fn bytes_of_a_whole_file(&self) -> u64 {
        WHOLE
    }

    fn reads_at_once(&self) -> usize {
        1
    }
}

/// What was read of a data set: the requests that were answered, and the bytes that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    pub requests: u64,
    pub bytes: u64,
}

/// An opened data set. Its manifest was read; its files are read when they are needed.
#[derive(Debug)]
pub struct Dataset {
    files: Arc<dyn DatasetFiles>,
    manifest: Manifest,
    is_checked: bool,
    step: Mutex<Step>,
    /// Why no file can be read, once that is known.
    fault: OnceLock<String>,
}

/// What the current step has read, and may read.
#[derive(Debug)]
struct Step {
    /// Position among the steps of the data set, from 0.
    number: u64,
    /// Bytes that are read at most.
    planned_bytes: u64,
    /// Paths of the files that are read.
    planned_files: HashSet<String>,
    traffic: Traffic,
    /// Bytes that were asked for.
    requested: u64,
    limit: u64,
    is_over: bool,
}

impl Step {
    fn new(number: u64, traffic: Traffic, limit: u64) -> Self {
        Self {
            number,
            planned_bytes: 0,
            planned_files: HashSet::new(),
            traffic,
            requested: 0,
            limit,
            is_over: false,
        }
    }

    /// Ends because more would be read than the limit.
    fn over(&mut self) -> DatasetError {
        self.is_over = true;
        DatasetError::of(format!("more than {} bytes are needed", self.limit))
    }
}

impl Dataset {
    /// Reads the manifest.
    ///
    /// # Errors
    /// A sentence if it cannot be read, is damaged or of a newer version, or names a file outside the data set.
    pub async fn open(files: Arc<dyn DatasetFiles>) -> Result<Self, DatasetError> {
        let place = files.place(MANIFEST);
        let bytes = files
            .read_whole(MANIFEST, LONGEST_MANIFEST)
            .await
            .map_err(|error| DatasetError::at(&place, error))?;
        let manifest = Manifest::parse(&place, &bytes)?;
        let traffic = Traffic { requests: 1, bytes: bytes.len() as u64 };
        Ok(Self::new(files, manifest, traffic))
    }

    /// Opens a folder.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn of_folder(folder: &Path) -> Result<Self, DatasetError> {
        block_on(Self::open(Arc::new(FolderFiles(folder.to_owned()))))
    }

    /// The data set of a manifest that was read before.
    pub(crate) fn of_manifest(folder: &Path, manifest: Manifest) -> Self {
        Self::new(Arc::new(FolderFiles(folder.to_owned())), manifest, Traffic::default())
    }

    fn new(files: Arc<dyn DatasetFiles>, manifest: Manifest, traffic: Traffic) -> Self {
        let step = Mutex::new(Step::new(0, traffic, u64::MAX));
        Self { files, manifest, is_checked: true, step, fault: OnceLock::new() }
    }

    /// A data set whose files others read, so that what the manifest says of them is not checked.
    pub fn unchecked(self) -> Self {
        Self { is_checked: false, ..self }
    }

    pub(super) fn is_checked(&self) -> bool {
        self.is_checked
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The trace of this name.
    ///
    /// # Errors
    /// A sentence if there is none.
    pub fn trace(&self, name: &str) -> Result<&StoredTrace, DatasetError> {
        let found = self.manifest.traces.iter().find(|trace| trace.name == name);
        found.ok_or_else(|| DatasetError::at(&self.place(MANIFEST), format!("there is no trace “{name}”")))
    }

    /// Begins a step, which may read so many bytes.
    pub fn begin_step(&self, limit: u64) {
        let mut step = self.step();
        *step = Step::new(step.number + 1, Traffic::default(), limit);
    }

    /// Number of the current step, from 0.
    pub(super) fn step_number(&self) -> u64 {
        self.step().number
    }

    /// What the plans of the current step read at most.
    pub fn planned(&self) -> SqlPlannedReads {
        let step = self.step();
        SqlPlannedReads { bytes: step.planned_bytes, files: step.planned_files.len() as u64 }
    }

    /// Adds bytes of a file to what the current step reads at most.
    pub(super) fn plan(&self, path: &str, bytes: u64) {
        let mut step = self.step();
        step.planned_bytes = step.planned_bytes.saturating_add(bytes);
        if bytes > 0 {
            step.planned_files.insert(path.to_owned());
        }
    }

    /// Compares what the current step reads at most with its limit.
    ///
    /// # Errors
    /// If it is more.
    pub fn check_plan(&self) -> Result<(), DatasetError> {
        let mut step = self.step();
        if step.planned_bytes > step.limit {
            return Err(step.over());
        }
        Ok(())
    }

    /// What the current step has read.
    pub fn traffic(&self) -> Traffic {
        self.step().traffic
    }

    /// Whether the current step ended because it reads more than its limit.
    pub fn is_over_limit(&self) -> bool {
        self.step().is_over
    }

    /// Whether it turned out that no file can be read.
    pub(crate) fn has_fault(&self) -> bool {
        self.fault.get().is_some()
    }

    /// Path or address of a file, for messages.
    pub fn place(&self, path: &str) -> String {
        self.files.place(path)
    }

    pub(crate) fn bytes_of_a_request(&self) -> u64 {
        self.files.bytes_of_a_request()
    }

    /// Size of the largest files that are always read whole.
    pub(super) fn bytes_of_a_whole_file(&self) -> u64 {
        if self.is_checked { self.files.bytes_of_a_whole_file() } else { self.bytes_of_a_request() }
    }

    /// Number of files that are read at the same time, at least 1.
    pub(crate) fn reads_at_once(&self) -> usize {
        self.files.reads_at_once().max(1)
    }

    /// Checks that a file is there and has its size, where that takes no request.
    pub(crate) fn check_size(&self, trace: &str, file: &StoredFile) -> Result<(), DatasetError> {
        if !self.is_checked {
            return Ok(());
        }
        let size = self.files.size(&file.path).map_err(|failure| self.unread(trace, file, failure))?;
        match size.filter(|&size| size != file.bytes) {
            None => Ok(()),
            Some(size) => {
                let about = format!("it has {size} bytes, and the manifest says {}", file.bytes);
                Err(self.wrong(trace, file, about))
            }
        }
    }

    /// Reads a range of a file.
    ///
    /// # Errors
    /// A sentence if that is not possible, the file is shorter than the manifest says, or the step reads more than its limit.
    pub(super) async fn read(
        &self,
        trace: &str,
        file: &StoredFile,
        range: Range<u64>,
    ) -> Result<Bytes, DatasetError> {
        if range.end > file.bytes || range.start > range.end {
            let about = format!("it refers to byte {}, and the manifest says {}", range.end, file.bytes);
            return Err(self.wrong(trace, file, about));
        }
        if let Some(reason) = self.fault.get() {
            return Err(DatasetError::at(&self.place(""), reason));
        }
        let wanted = range.end - range.start;
        self.request(wanted)?;
        let start = range.start;
        let bytes = self.files.read_range(&file.path, range).await;
        self.answered(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64));
        let bytes = bytes.map_err(|failure| self.unread(trace, file, failure))?;
        if bytes.len() as u64 == wanted {
            return Ok(bytes);
        }
        let size = start + bytes.len() as u64;
        Err(self.wrong(trace, file, format!("it has {size} bytes, and the manifest says {}", file.bytes)))
    }

    /// All bytes of a file, if they have the hash that the manifest says.
    ///
    /// # Errors
    /// A sentence if they have another one, or cannot be read.
    pub(crate) async fn read_checked(&self, trace: &str, file: &StoredFile) -> Result<Bytes, DatasetError> {
        self.check_size(trace, file)?;
        let bytes = self.read(trace, file, 0..file.bytes).await?;
        self.check_hash(trace, file, &bytes)?;
        Ok(bytes)
    }

    /// Compares the hash of a whole file with the manifest.
    ///
    /// # Errors
    /// A sentence if they differ.
    pub(super) fn check_hash(
        &self,
        trace: &str,
        file: &StoredFile,
        bytes: &[u8],
    ) -> Result<(), DatasetError> {
        let found = part::hash(bytes);
        if self.is_checked && found != file.xxh64 {
            let about = format!("its hash is {found}, and the manifest says {}", file.xxh64);
            return Err(self.wrong(trace, file, about));
        }
        Ok(())
    }

    /// A sentence about a file that was not read.
    fn unread(&self, trace: &str, file: &StoredFile, failure: ReadFailure) -> DatasetError {
        match failure {
            ReadFailure::File(reason) => self.wrong(trace, file, reason),
            ReadFailure::Access(reason) => DatasetError::at(&self.place(&file.path), reason),
            ReadFailure::Server(reason) => {
                let reason = self.fault.get_or_init(|| reason);
                DatasetError::at(&self.place(""), reason)
            }
        }
    }

    /// A sentence about a file that is not as the manifest says. Files of the index are of no trace.
    pub(crate) fn wrong(&self, trace: &str, file: &StoredFile, reason: impl fmt::Display) -> DatasetError {
        let again = match self.manifest.is_of_index(file) {
            true => "The next “queryscope convert” into the data set writes it again".to_owned(),
            false => format!("Convert “{trace}” again"),
        };
        let about = format!("{reason}. The file is missing, damaged or was replaced. {again}");
        DatasetError::at(&self.place(&file.path), about)
    }

    /// Asks for bytes, as many as the step may still read.
    fn request(&self, bytes: u64) -> Result<(), DatasetError> {
        let mut step = self.step();
        let sum = step.requested.saturating_add(bytes);
        if sum > step.limit {
            return Err(step.over());
        }
        step.requested = sum;
        Ok(())
    }

    fn answered(&self, bytes: u64) {
        let mut step = self.step();
        step.traffic.requests += 1;
        step.traffic.bytes = step.traffic.bytes.saturating_add(bytes);
    }

    fn step(&self) -> MutexGuard<'_, Step> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
