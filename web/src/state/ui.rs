//! What is around the views, and passes: panels, dialogs, messages.

use queryscope::protocol::SearchResult;

use super::{TABS, Tab};
use crate::client::RecoveryAction;

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
    pub found: Option<SearchResult>,
    /// The dialog that is open.
    pub dialog: Option<Dialog>,
    /// A message in passing.
    pub notice: Option<Notice>,
    /// Which panels are open beside and below each view, as the user left them.
    pub layouts: [Layout; TABS.len()],
    /// Whether the viewer is too low for a list below the views, unless somebody opens it.
    pub low: bool,
    /// Light, dark, or as the system is.
    pub theme: Theme,
    /// Only the views, for a frame in another page.
    pub embedded: bool,
}

/// Which panels are open beside and below a view; `None` where nobody chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// The details of the selection.
    pub details: Option<bool>,
    /// The query list.
    pub list: Option<bool>,
}

impl Ui {
    /// Which panels are open beside and below a view.
    pub fn layout(&self, tab: Tab) -> Layout {
        self.layouts[tab as usize]
    }

    /// Opens or closes panels of a view.
    pub fn layout_mut(&mut self, tab: Tab) -> &mut Layout {
        &mut self.layouts[tab as usize]
    }

    /// All layouts that somebody chose: `gantt:10 flame:-0`, the details before the list, `-` where nobody chose.
    pub fn layouts_as_text(&self) -> String {
        let sign = |open: Option<bool>| open.map_or('-', |open| if open { '1' } else { '0' });
        let chosen = TABS.iter().zip(self.layouts).filter(|(_, layout)| *layout != Layout::default());
        let texts: Vec<String> = chosen
            .map(|(named, layout)| format!("{}:{}{}", named.id, sign(layout.details), sign(layout.list)))
            .collect();
        texts.join(" ")
    }

    /// Takes over what [`Ui::layouts_as_text`] wrote; what cannot be understood is left out.
    pub fn take_layouts(&mut self, text: &str) {
        let open = |sign: char| match sign {
            '0' => Some(false),
            '1' => Some(true),
            _ => None,
        };
        for part in text.split(' ') {
            let Some((id, signs)) = part.split_once(':') else { continue };
            let Some(tab) = Tab::of_id(id) else { continue };
            if let [details, list] = signs.chars().collect::<Vec<_>>()[..] {
                *self.layout_mut(tab) = Layout { details: open(details), list: open(list) };
            }
        }
    }

    /// As it is while another trace is opened.
    pub fn emptied(&self) -> Self {
        let Self { theme, embedded, layouts, low, .. } = *self;
        Self { theme, embedded, layouts, low, ..Self::default() }
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
            layouts: [Layout::default(); TABS.len()],
            low: false,
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
    pub recovery: Option<RecoveryAction>,
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
    /// Name of the theme in the style sheet and in the local storage; empty for the system's.
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The theme that is called `name`; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        [Theme::System, Theme::Light, Theme::Dark].into_iter().find(|theme| theme.name() == name)
    }
}
