//! What is open, and how far reading is.

use super::Notice;
use crate::messages::{Progress, TraceInfo};

/// What is open.
#[derive(Clone, PartialEq, Debug)]
pub struct Load {
    /// Landing page, loading, a trace, an error.
    pub phase: Phase,
    /// How far reading is, while it goes on, and until the picture of all stands.
    pub progress: Option<Progress>,
    /// Whether the user has stopped it: the picture of what was read is still to come.
    pub stopped: bool,
    /// What the trace holds.
    pub info: TraceInfo,
    /// Counts up whenever there is another trace, or other hits: whoever asked the worker for something asks again.
    pub scene_version: u32,
    /// The addresses of everything that is open, for links; `None` where some of it has none, such as files of this machine.
    pub addresses: Option<Vec<String>>,
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
        }
    }
}

/// What the page is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Nothing is open.
    Landing,
    /// The first trace is read, and nothing of it can be shown yet.
    Loading,
    /// There is a trace (reading may go on: `State::progress`).
    Ready,
    /// Nothing could be opened.
    Error(Notice),
}

impl Phase {
    /// For the page's `data-phase`.
    pub fn name(&self) -> &'static str {
        match self {
            Phase::Landing => "landing",
            Phase::Loading => "loading",
            Phase::Ready => "ready",
            Phase::Error(_) => "error",
        }
    }
}
