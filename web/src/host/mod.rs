//! The viewer's only access to the page around it. Nothing outside this folder uses `window` or `document`.
//!
//! - [`Host`] is implemented by a viewer's shell and decides what differs between viewers: the addresses of its files,
//!   whether it sets a title and an address, whether it receives keys of the whole page, what is stored.
//! - [`ViewerEvent`]: events that a viewer reports to the embedding page.
//! - [`Mount`] is the place of one viewer: its host, its root element, and look-ups inside the root element.
//! - [`page`] holds what all viewers of a page share: clock, frames, styles, clipboard, downloads.
//! - [`document`] is for a shell that owns the whole document.
//! - [`style`] is the style sheet that all viewers of a page share.

pub mod document;
mod mount;
pub mod page;
mod recent_traces;
pub mod style;

pub use mount::{Mount, PictureOrder};
pub use recent_traces::{KeepOutcome, RecentTrace, TraceStore};

use wasm_bindgen::JsValue;

use crate::events::Listener;
use crate::messages::{Progress, TraceInfo};
use crate::spawn_engine::EngineProgram;
use crate::state::Notice;
use crate::url::{Address, Place};

/// Addresses of the files that a viewer downloads.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Assets {
    /// The program of the worker that runs the engine.
    pub engine: EngineProgram,
    /// The program of the worker that runs SQL; `None` if it was not built.
    pub sql: Option<EngineProgram>,
    /// Address of the folder with the sample run; `None` if no sample is offered.
    pub sample: Option<String>,
    /// The viewer as a single HTML file, into which a trace can be saved: its address, or a `Blob` with its text; undefined if
    /// no HTML file can be saved.
    pub template: JsValue,
}

/// A trace that the site offers on its landing page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostedTrace {
    /// Address, relative to the page or absolute.
    pub url: String,
    /// Name to show.
    pub name: String,
    /// Description of the trace; may be empty.
    pub description: String,
}

/// How a change of the address affects the history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Adds a step: Back leads to the previous step.
    New,
    /// Replaces the current step.
    Same,
}

/// A step of the history that the user went to.
#[derive(Clone, PartialEq, Debug)]
pub struct Visit {
    /// Number of the step; `None` if no viewer made it.
    pub step: Option<u32>,
    /// The parsed address of the step.
    pub address: Box<Address>,
}

/// An event in a viewer, for the embedding page.
#[derive(Clone, Copy, Debug)]
pub enum ViewerEvent<'a> {
    /// The viewer is rendered.
    Ready,
    /// Reading begins.
    Opening {
        /// Whether the user opened the trace, in the viewer or by an address, rather than the embedding page.
        by_user: bool,
    },
    /// Reading made progress.
    Progress(&'a Progress),
    /// The complete trace is shown.
    Loaded(&'a TraceInfo),
    /// The trace was closed.
    Closed,
    /// The selected item: code, start and duration in nanoseconds, and its name; `None` if nothing is selected.
    Selected(Option<(Place, &'a str)>),
    /// The state of the views changed: the new state as the fragment of a link.
    Viewed(&'a str),
    /// A trace could not be opened.
    Failed(&'a Notice),
    /// A trace is incomplete, or another warning is shown.
    Warned(&'a Notice),
}

/// Decisions of a shell for its viewer. The default methods use nothing of the page.
pub trait Host {
    /// Addresses of the viewer's files.
    fn assets(&self) -> &Assets;

    /// Whether the viewer receives keys and pasted text of the whole page, instead of those inside the viewer only.
    fn takes_page_input(&self) -> bool {
        false
    }

    /// Traces that the landing page lists.
    fn hosted_traces(&self) -> &[HostedTrace] {
        &[]
    }

    /// Store of the traces that the user opened; `None` if the viewer offers none.
    fn trace_store(&self) -> Option<&TraceStore> {
        None
    }

    /// Whether the user is asked before a link makes the browser request this absolute URL.
    fn asks_before(&self, _url: &str) -> bool {
        false
    }

    /// Prefix of the keys in local storage; `None` if nothing is stored.
    fn storage_prefix(&self) -> Option<&str> {
        None
    }

    /// Shows the name of the open trace; the name is empty if no trace is open.
    fn set_title(&self, _name: &str) {}

    /// Stores the state of the views, given as the fragment of an address, under the number of its history step.
    fn set_fragment(&self, _fragment: &str, _number: u32, _step: Step) {}

    /// Calls `call` when the user goes to another step of the history, until the listener is dropped.
    fn hear_visits(&self, _call: Box<dyn FnMut(Visit)>) -> Option<Listener> {
        None
    }

    /// Reports whether leaving would lose the open trace, so that the host can ask for confirmation.
    fn hold(&self, _is_lost: bool) {}

    /// Reports an event in the viewer to the embedding page.
    fn report(&self, _event: &ViewerEvent<'_>) {}

    /// The state of the views as the fragment of a link, as of the last [`Host::set_fragment`].
    fn fragment(&self) -> String {
        String::new()
    }

    /// The address of the current state; `None` if the viewer offers no link.
    fn link(&self) -> Option<String> {
        None
    }
}
