//! State of the panels, dialogs and messages around the views, which is not part of an address.

use queryscope::protocol::SearchResult;

use super::{TABS, Tab};
use crate::client::RecoveryAction;

/// State of the panels, dialogs and messages.
#[derive(Clone, PartialEq, Debug)]
pub struct Ui {
    /// Item that the timeline is to bring into view.
    pub jump: Option<Jump>,
    /// Incremented whenever the timeline must move to [`super::Nav::viewport`] instead of updating it.
    pub visits: u32,
    /// Text on the selection for screen readers.
    pub status: String,
    /// Result of the search.
    pub found: Option<SearchResult>,
    /// The open dialog.
    pub dialog: Option<Dialog>,
    /// Whether the filter field is shown although no filter is set.
    pub shows_filter: bool,
    /// Attribute and value (`None` for no value) of the menu that filters by a value.
    pub filter_menu: (String, Option<String>),
    /// The current transient message.
    pub notice: Option<Notice>,
    /// Panels that the user opened or closed, per tab.
    pub layouts: [Layout; TABS.len()],
    /// Whether the viewer is too low to show the query list below the views unless the user opens it.
    pub low: bool,
    /// Light, dark, or the system's theme.
    pub theme: Theme,
    /// Whether the page is in a frame of another page.
    pub embedded: bool,
    /// Controls that are shown around the views.
    pub controls: Controls,
}

/// Which panels next to and below a view are open; `None` if the user did not choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// Whether the details panel is open.
    pub details: Option<bool>,
    /// Whether the query list is open.
    pub list: Option<bool>,
}

impl Ui {
    /// The panel layout of a tab.
    pub fn layout(&self, tab: Tab) -> Layout {
        self.layouts[tab as usize]
    }

    /// The panel layout of a tab, mutable.
    pub fn layout_mut(&mut self, tab: Tab) -> &mut Layout {
        &mut self.layouts[tab as usize]
    }

    /// All chosen layouts as text, such as `gantt:10 flame:-0`: details panel first, then query list; `-` for no choice.
    pub fn layouts_as_text(&self) -> String {
        let sign = |open: Option<bool>| open.map_or('-', |open| if open { '1' } else { '0' });
        let chosen = TABS.iter().zip(self.layouts).filter(|(_, layout)| *layout != Layout::default());
        let texts: Vec<String> = chosen
            .map(|(named, layout)| format!("{}:{}{}", named.id, sign(layout.details), sign(layout.list)))
            .collect();
        texts.join(" ")
    }

    /// Restores the layouts that [`Ui::layouts_as_text`] wrote; parts that are not understood are skipped.
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

    /// Returns the state for a new trace: only theme, embedding, controls and panel layouts are kept.
    pub fn emptied(&self) -> Self {
        let Self { theme, embedded, controls, layouts, low, .. } = *self;
        Self { theme, embedded, controls, layouts, low, ..Self::default() }
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
            shows_filter: false,
            filter_menu: Default::default(),
            notice: None,
            layouts: [Layout::default(); TABS.len()],
            low: false,
            theme: Theme::System,
            embedded: false,
            controls: Controls::Full,
        }
    }
}

/// A message: a headline, a description, and an action that the user can take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Headline of a few words.
    pub title: String,
    /// Description, one or two sentences.
    pub text: String,
    /// Recovery action, if any; a message with an action stays until the user closes it.
    pub recovery: Option<RecoveryAction>,
}

/// How far a jump zooms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JumpZoom {
    /// Not at all: the time axis moves only if it must.
    Keep,
    /// In, if the item would be too narrow to be seen.
    IfNarrow,
    /// So that the item fills the width.
    Fill,
}

/// A request to bring an item into view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// Code of the item.
    pub item: u32,
    pub zoom: JumpZoom,
    /// Sequence number, so that the same jump can be requested twice.
    pub number: u32,
}

/// The dialogs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Dialog {
    Report,
    Part,
    Save,
    Notes,
    Help,
}

/// Controls that are shown around the views.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Controls {
    /// All controls: top bar, tabs, panels and query list.
    #[default]
    Full,
    /// One bar with the name of the trace, and the toolbar of the timeline: no tabs, search field or query list.
    Minimal,
    /// No controls, only the view.
    None,
}

impl Controls {
    /// Name in addresses and options.
    pub fn name(self) -> &'static str {
        match self {
            Controls::Full => "full",
            Controls::Minimal => "minimal",
            Controls::None => "none",
        }
    }

    /// The controls with this name; `None` if there are none.
    pub fn named(name: &str) -> Option<Self> {
        [Controls::Full, Controls::Minimal, Controls::None]
            .into_iter()
            .find(|controls| controls.name() == name)
    }
}

/// The colour theme.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// Name of the theme in the style sheet and in local storage; empty for the system's.
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The theme with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        [Theme::System, Theme::Light, Theme::Dark].into_iter().find(|theme| theme.name() == name)
    }
}
