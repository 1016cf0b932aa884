//! What is around the views, and passes: panels, dialogs, messages.

use queryscope::protocol::Found;

use crate::client::Offer;

/// Panels, dialogs, messages.
#[derive(Clone, PartialEq, Debug)]
pub struct Ui {
    /// What the timeline is to bring into view.
    pub jump: Option<Jump>,
    /// Counts up whenever the timeline is to show what [`super::Nav::viewport`] says, and not the other way round.
    pub visits: u32,
    /// The selection in words, for those who do not see it.
    pub status: String,
    /// What the search found.
    pub found: Option<Found>,
    /// The dialog that is open.
    pub dialog: Option<Dialog>,
    /// A message in passing.
    pub notice: Option<Notice>,
    /// Whether the details are open.
    pub details: bool,
    /// Whether the query list is open,
    pub list: bool,
    /// and whether somebody wanted it so. Else it is open where there are queries.
    pub list_chosen: bool,
    /// Light, dark, or as the system is.
    pub theme: Theme,
    /// Only the views, for a frame in another page.
    pub embedded: bool,
}

impl Ui {
    /// As it is while another trace is opened.
    pub fn emptied(&self) -> Self {
        let Self { theme, embedded, details, list, list_chosen, .. } = *self;
        Self { theme, embedded, details, list, list_chosen, ..Self::default() }
    }
}

impl Default for Ui {
    fn default() -> Self {
        Self {
            jump: None,
            visits: 0,
            status: String::new(),
            found: None,
            dialog: None,
            notice: None,
            details: true,
            list: true,
            list_chosen: false,
            theme: Theme::System,
            embedded: false,
        }
    }
}

/// A message: a headline and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// A few words.
    pub title: String,
    /// A sentence or two.
    pub text: String,
    /// A way on, if there is one: such a message stays until it is closed.
    pub offer: Option<Offer>,
}

/// What the timeline is to bring into view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// The item.
    pub item: u32,
    /// Whether it is to fill the width; else the time axis moves only if it must.
    pub zoom: bool,
    /// Counts up: the same jump may be asked for twice.
    pub number: u32,
}

/// The dialogs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Dialog {
    Report,
    Part,
    Help,
}

/// Light or dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// As the style sheet and the storage call it; empty for the system's.
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The theme of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Theme::System, Theme::Light, Theme::Dark].into_iter().find(|theme| theme.name() == name)
    }
}
