//! The viewer's only way to the page around it. Nothing outside this folder knows `window` or `document`.
//!
//! - [`Host`] is what differs from one viewer to the next, and is its shell's business: where its files are, whether
//!   it may show a title and an address, whether it hears keys of the whole page, what it remembers.
//! - [`Mount`] is one viewer's place: its host, its root element, and look-ups inside of it.
//! - [`page`] is what is the same for all viewers of a page: clock, frames, styles, clipboard, downloads.
//! - [`document`] is for a shell to which the whole document belongs.
//! - [`style`] is the style sheet that all viewers of a page share.

pub mod document;
mod mount;
pub mod page;
pub mod style;

pub use mount::Mount;

use crate::events::Listener;
use crate::url::Address;

/// Where the files are that a viewer fetches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assets {
    /// Address of the engine's script and program, without their endings `.js` and `_bg.wasm`.
    pub engine: String,
    /// Address of the folder of the sample run; without one the viewer offers none.
    pub sample: Option<String>,
}

/// What becomes of the history when the address changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A new step: Back leads to the one before.
    New,
    /// The step that is there is changed.
    Same,
}

/// A step of the history that the user went to.
#[derive(Clone, PartialEq, Debug)]
pub struct Visit {
    /// The number that it was given, if a viewer made it.
    pub step: Option<u32>,
    /// What its address asks for.
    pub address: Box<Address>,
}

/// What a shell decides for its viewer. What is not overridden takes nothing over from the page.
pub trait Host {
    /// Where the viewer's files are.
    fn assets(&self) -> &Assets;

    /// Whether keys and pasted text of the whole page are meant for the viewer; else only what happens inside it.
    fn takes_page_input(&self) -> bool {
        false
    }

    /// What the keys of the local storage begin with. `None`: nothing is remembered.
    fn storage_prefix(&self) -> Option<&str> {
        None
    }

    /// A trace of this name is open; an empty name: none is.
    fn set_title(&self, _name: &str) {}

    /// What is looked at, as the fragment of an address, and the number of the step of the history that it belongs to.
    fn set_fragment(&self, _fragment: &str, _number: u32, _step: Step) {}

    /// Hears when the host goes to another step, until the listener is dropped.
    fn hear_visits(&self, _call: Box<dyn FnMut(Visit)>) -> Option<Listener> {
        None
    }

    /// Whether a trace is open that no address leads back to: whoever leaves may be asked.
    fn hold(&self, _is_lost: bool) {}

    /// The address that leads to what is looked at. `None`: there is none, and the viewer offers no link.
    fn link(&self) -> Option<String> {
        None
    }
}
