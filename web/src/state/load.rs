//! The open trace and the reading progress.

use super::{Notice, Tab};
use crate::messages::{Progress, TraceInfo};
use crate::url::{FileMatch, LocalFile, Place, file_match};

/// The open trace and the reading progress.
#[derive(Clone, PartialEq, Debug)]
pub struct Load {
    /// Landing page, loading, a trace, or an error.
    pub phase: Phase,
    /// Reading progress; `None` once reading ended and the scene of the complete trace is ready.
    pub progress: Option<Progress>,
    /// Whether the user stopped reading, and the scene of the records read so far is not ready yet.
    pub stopped: bool,
    /// Whether a reply of the engine takes long.
    pub is_computing: bool,
    /// Summary of the trace.
    pub info: TraceInfo,
    /// Incremented whenever the trace or its highlighted hits change, so that components request their data again.
    pub scene_version: u32,
    /// Addresses of all open sources, for links; `None` if a source has no address, such as a local file.
    pub addresses: Option<Vec<String>>,
    /// Absolute URLs that a link names and that are requested only after the user agreed.
    pub unconfirmed: Vec<String>,
    /// All open files, for links to local files.
    pub files: Vec<LocalFile>,
    /// The local files that a link names.
    pub wanted: WantedFiles,
    /// Whether the open files are those of the link; `None` without such a link, or until their content is known.
    pub file_match: Option<FileMatch>,
    /// The open data set; `None` if none is open.
    pub dataset: Option<OpenDataset>,
}

/// A data set that is open, and the trace of it that is open or wanted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OpenDataset {
    /// Address of its folder or manifest; `None` if its files were dropped.
    pub address: Option<String>,
    /// Name of its folder.
    pub name: String,
    /// Name of the open trace.
    pub trace: Option<String>,
    /// The trace that is to be opened; `None` if no trace is waiting to be opened.
    pub wanted: Option<WantedTrace>,
    /// Item to select once the open trace is complete; `None` if there is none, or once it was selected.
    pub item: Option<Place>,
}

/// A trace of a data set that is to be opened.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WantedTrace {
    /// Name of the trace.
    pub name: String,
    /// Item to select once the trace is complete.
    pub item: Option<Place>,
    /// Tab in which it opens.
    pub tab: Tab,
    /// Maximum number of bytes that may be fetched for the trace.
    pub limit: u64,
    /// Number of bytes that must be fetched, if this is more than `limit`: the user is asked whether to fetch them. `None` until then.
    pub bytes: Option<u64>,
}

/// The local files of a link.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WantedFiles {
    /// The files that the link names.
    pub files: Vec<LocalFile>,
    /// Number of files if the link names only some of them; otherwise 0.
    pub n: u32,
}

impl Load {
    /// Whether a data set is open, and no trace of it.
    pub fn has_dataset_alone(&self) -> bool {
        self.dataset.as_ref().is_some_and(|dataset| dataset.trace.is_none())
    }

    /// Adds opened files, or replaces the list for a new trace. Their content is not known yet.
    pub(super) fn add_files(&mut self, fresh: bool, files: Vec<LocalFile>) {
        if fresh {
            self.files.clear();
        }
        self.files.extend(files);
        self.file_match = None;
    }

    /// Stores the hashes of opened files and compares the files with those of the link.
    pub(super) fn hashed(&mut self, files: Vec<LocalFile>) {
        for file in files {
            let is_it =
                |of: &&mut LocalFile| of.hash.is_none() && (&of.name, of.size) == (&file.name, file.size);
            if let Some(of) = self.files.iter_mut().find(is_it) {
                of.hash = file.hash;
            }
        }
        let WantedFiles { files, n } = &self.wanted;
        self.file_match = (!files.is_empty()).then(|| file_match(files, *n, &self.files));
    }
}

impl Default for Load {
    fn default() -> Self {
        Self {
            phase: Phase::Landing,
            progress: None,
            stopped: false,
            is_computing: false,
            info: TraceInfo::default(),
            scene_version: 0,
            addresses: None,
            unconfirmed: Vec::new(),
            files: Vec::new(),
            wanted: WantedFiles::default(),
            file_match: None,
            dataset: None,
        }
    }
}

/// Phase of the page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Nothing is open.
    Landing,
    /// The first trace is being read and nothing of it can be shown yet.
    Loading,
    /// A trace is shown; reading may continue (see [`Load::progress`]).
    Ready,
    /// No trace could be opened.
    Error(Notice),
}

impl Phase {
    /// Name of the phase in the page's `data-phase` attribute.
    pub fn name(&self) -> &'static str {
        match self {
            Phase::Landing => "landing",
            Phase::Loading => "loading",
            Phase::Ready => "ready",
            Phase::Error(_) => "error",
        }
    }
}
