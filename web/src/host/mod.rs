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

/// Where the files are that a viewer fetches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assets {
    /// Address of the engine's script and program, without their endings `.js` and `_bg.wasm`.
    pub engine: String,
    /// Address of the folder of the sample run; without one the viewer offers none.
    pub sample: Option<String>,
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

    /// What is looked at, as the fragment of an address.
    fn set_fragment(&self, _fragment: &str) {}

    /// Whether a trace is open that no address leads back to: whoever leaves may be asked.
    fn hold(&self, _is_lost: bool) {}

    /// The address that leads to what is looked at. `None`: there is none, and the viewer offers no link.
    fn link(&self) -> Option<String> {
        None
    }
}
