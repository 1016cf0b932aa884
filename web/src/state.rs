//! What the page shows: one state, changed by actions alone. One selection and one time range everywhere.

use std::rc::Rc;

use queryscope::protocol::Found;
use queryscope::view::{Arrangement, ColorBy, Dimension, MergedSpec, ViewKind, ViewSpec, Viewport, Weight};
use yew::prelude::*;

use crate::messages::{Info, Progress};

/// Sends an action to the state.
pub type Dispatch = UseReducerDispatcher<State>;

/// The whole state of the page, but for what moves with every frame (the timeline's camera, the hover).
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Landing page, loading, a trace, an error.
    pub phase: Phase,
    /// How far reading is, while it goes on.
    pub progress: Option<Progress>,
    /// What the trace holds.
    pub info: Info,
    /// Counts up whenever there is another trace, or other hits: whoever asked the worker for something asks again.
    pub epoch: u32,
    /// The tab.
    pub tab: Tab,
    /// How the Gantt view arranges its rows.
    pub arrangement: Arrangement,
    /// What colours tell apart.
    pub color: ColorBy,
    /// Which flame graph.
    pub flame: Flame,
    /// What merged frames are grouped by, and weigh. Its range is the state's `range`.
    pub merged: MergedSpec,
    /// The selected item's code.
    pub selection: Option<u32>,
    /// What the timeline is to bring into view.
    pub jump: Option<Jump>,
    /// The time range that everything is narrowed to: nanoseconds since the runs' first events.
    pub range: Option<(i64, i64)>,
    /// What the timeline shows, told a moment after it came to rest.
    pub viewport: Option<Viewport>,
    /// The selection in words, for those who do not see it.
    pub status: String,
    /// The text that is searched for.
    pub search: String,
    /// What it found.
    pub found: Option<Found>,
    /// The dialog that is open.
    pub dialog: Option<Dialog>,
    /// A message in passing.
    pub notice: Option<Notice>,
    /// Whether the details are open.
    pub details: bool,
    /// Whether the query list is open.
    pub list: bool,
    /// Light, dark, or as the system is.
    pub theme: Theme,
    /// Only the views, for a frame in another page.
    pub embedded: bool,
    /// The address that the trace came from, for links.
    pub source: Option<String>,
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

/// A message: a headline and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// A few words.
    pub title: String,
    /// A sentence or two.
    pub text: String,
}

/// The tabs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Tab {
    Overview,
    Gantt,
    Flame,
}

impl Tab {
    /// All of them, in order, with their names.
    pub const ALL: [(Tab, &str); 3] =
        [(Tab::Overview, "Overview"), (Tab::Gantt, "Gantt"), (Tab::Flame, "Flame")];

    /// For `data-view` and the address.
    pub fn id(self) -> &'static str {
        match self {
            Tab::Overview => "overview",
            Tab::Gantt => "gantt",
            Tab::Flame => "flame",
        }
    }
}

/// The flame graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flame {
    /// In time order: the query that holds the item, or everything.
    Time(Option<u32>),
    /// Grouped along a path.
    Merged,
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

/// What happens to the state.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Reading begins; `true` for a new trace.
    Opening(bool, Option<String>),
    /// Reading goes on.
    Progress(Progress),
    /// There is a trace; `true` while reading goes on.
    Opened(Info, bool),
    /// Something could not be opened.
    Failed(Notice),
    /// Back to the landing page.
    Close,
    /// Another tab.
    Show(Tab),
    /// Another arrangement.
    Arrange(Arrangement),
    /// Other colours.
    Color(ColorBy),
    /// Another flame graph.
    Flame(Flame),
    /// Another merged flame graph.
    Merge(MergedSpec),
    /// Selects, without moving anything.
    Select(Option<u32>),
    /// Selects, and brings into view.
    Reveal(u32),
    /// Selects, and zooms to it.
    ZoomTo(u32),
    /// Narrows to a time range.
    Range(Option<(i64, i64)>),
    /// The timeline came to rest.
    Look(Viewport),
    /// What screen readers are told.
    Say(String),
    /// Another text to search for.
    Search(String),
    /// What it found: hits are marked in all scenes now.
    Found(Option<Found>),
    /// Scenes changed (tracks were opened or closed).
    Changed,
    /// Opens or closes a dialog.
    Dialog(Option<Dialog>),
    /// Shows or hides a message.
    Notice(Option<Notice>),
    /// Opens or closes the details.
    Details(bool),
    /// Opens or closes the query list.
    List(bool),
    /// Light, dark, or as the system is.
    Theme(Theme),
}

impl Default for State {
    fn default() -> Self {
        Self {
            phase: Phase::Landing,
            progress: None,
            info: Info::default(),
            epoch: 0,
            tab: Tab::Gantt,
            arrangement: Arrangement::ByQuery,
            color: ColorBy::Kind,
            flame: Flame::Time(None),
            merged: default_merged(),
            selection: None,
            jump: None,
            range: None,
            viewport: None,
            status: String::new(),
            search: String::new(),
            found: None,
            dialog: None,
            notice: None,
            details: true,
            list: true,
            theme: Theme::System,
            embedded: false,
            source: None,
        }
    }
}

/// SQL shape → connector → datasource → command type → buffer type, by time.
pub fn default_merged() -> MergedSpec {
    use Dimension::{BufferType, CommandType, Connector, Datasource, SqlShape};
    let path = vec![SqlShape, Connector, Datasource, CommandType, BufferType];
    MergedSpec { path, weight: Weight::Time, focus: Vec::new(), range: None }
}

impl State {
    /// The picture of the current tab; `None` for a tab without one.
    pub fn view(&self) -> Option<ViewSpec> {
        let kind = match (self.tab, self.flame) {
            (Tab::Overview, _) => return None,
            (Tab::Gantt, _) => ViewKind::Gantt(self.arrangement),
            (Tab::Flame, Flame::Time(query)) => ViewKind::FlameTime { query },
            (Tab::Flame, Flame::Merged) => {
                ViewKind::FlameMerged(MergedSpec { range: self.range, ..self.merged.clone() })
            }
        };
        Some(ViewSpec { kind, color: self.color })
    }

    fn jump_to(&mut self, item: u32, zoom: bool) {
        let number = self.jump.map_or(0, |jump| jump.number) + 1;
        self.selection = Some(item);
        self.jump = Some(Jump { item, zoom, number });
    }

    fn opened(&mut self, info: Info, partial: bool) {
        self.info = info;
        self.epoch += 1;
        // Ids change with every build: a selection would name something else.
        self.selection = None;
        self.jump = None;
        if let Flame::Time(query) = &mut self.flame {
            *query = None;
        }
        if self.info.items > 0 {
            self.phase = Phase::Ready;
        }
        if !partial {
            self.progress = None;
        }
    }

    fn failed(&mut self, notice: Notice) {
        if self.phase == Phase::Ready {
            self.notice = Some(notice);
        } else {
            self.phase = Phase::Error(notice);
        }
        self.progress = None;
    }

    fn opening(&mut self, fresh: bool, source: Option<String>) {
        if fresh || self.phase != Phase::Ready {
            // What an address asked for is kept; what belongs to the trace that was open is not.
            let wanted =
                if self.phase == Phase::Landing { (self.viewport, self.range) } else { (None, None) };
            let mut state = self.emptied();
            (state.tab, state.arrangement, state.color) = (self.tab, self.arrangement, self.color);
            (state.flame, state.merged) = (self.flame, self.merged.clone());
            (state.viewport, state.range) = wanted;
            *self = State { phase: Phase::Loading, source, ..state };
        }
        self.progress = Some(Progress::default());
    }

    /// Nothing is open.
    fn emptied(&self) -> State {
        let State { theme, embedded, details, list, .. } = *self;
        State { theme, embedded, details, list, epoch: self.epoch + 1, ..State::default() }
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut state = (*self).clone();
        match action {
            Action::Opening(fresh, source) => state.opening(fresh, source),
            Action::Progress(progress) => state.progress = Some(progress),
            Action::Opened(info, partial) => state.opened(info, partial),
            Action::Failed(notice) => state.failed(notice),
            Action::Close => {
                state = State {
                    theme: self.theme,
                    embedded: self.embedded,
                    epoch: self.epoch + 1,
                    ..State::default()
                }
            }
            Action::Show(tab) => state.tab = tab,
            Action::Arrange(arrangement) => state.arrangement = arrangement,
            Action::Color(color) => state.color = color,
            Action::Flame(flame) => state.flame = flame,
            Action::Merge(merged) => state.merged = merged,
            Action::Select(item) => state.selection = item,
            Action::Reveal(item) => state.jump_to(item, false),
            Action::ZoomTo(item) => state.jump_to(item, true),
            Action::Range(range) => state.range = range.filter(|(start, end)| start < end),
            Action::Look(viewport) => state.viewport = Some(viewport),
            Action::Say(status) => state.status = status,
            Action::Search(text) => state.search = text,
            Action::Found(found) => {
                state.found = found;
                state.epoch += 1;
            }
            Action::Changed => state.epoch += 1,
            Action::Dialog(dialog) => state.dialog = dialog,
            Action::Notice(notice) => state.notice = notice,
            Action::Details(open) => state.details = open,
            Action::List(open) => state.list = open,
            Action::Theme(theme) => state.theme = theme,
        }
        Rc::new(state)
    }
}
