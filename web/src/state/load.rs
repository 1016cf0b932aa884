//! The open trace and the reading progress.

use super::Notice;
use crate::messages::{Progress, TraceInfo};

/// The open trace and the reading progress.
#[derive(Clone, PartialEq, Debug)]
pub struct Load {
    /// Landing page, loading, a trace, or an error.
    pub phase: Phase,
    /// Reading progress; `None` once reading ended and the scene of the complete trace is ready.
    pub progress: Option<Progress>,
    /// Whether the user stopped reading and the scene of what was read is not ready yet.
    pub stopped: bool,
    /// Summary of the trace.
    pub info: TraceInfo,
    /// Incremented whenever the trace or its highlighted hits change, so that components request their data again.
    pub scene_version: u32,
    /// Addresses of everything that is open, for links; `None` if a source has none, such as a local file.
    pub addresses: Option<Vec<String>>,
    /// Absolute URLs that a link names and that are requested only after the user agreed.
    pub unconfirmed: Vec<String>,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            phase: Phase::Landing,
            progress: None,
            stopped: false,
            info: TraceInfo::default(),
            scene_version: 0,
            addresses: None,
            unconfirmed: Vec::new(),
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
