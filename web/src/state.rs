//! What the page shows: one state, changed by actions alone. One selection and one time range everywhere.

mod tab;

use std::rc::Rc;

use queryscope::protocol::{Beside, CompareView, Found, PivotSpec, PivotView, TableView};
use queryscope::view::{Arrangement, ColorBy, MergedSpec, ViewKind, ViewSpec, Viewport, Weight};
use yew::prelude::*;

use crate::client::Offer;
use crate::messages::{Info, Progress, Watched};
pub use tab::Tab;

/// Sends an action to the state.
pub type Dispatch = UseReducerDispatcher<State>;

/// Above this, a row for each query shows nothing of the whole: they are packed, unless somebody chose otherwise.
const MANY_QUERIES: u32 = 500;

/// The whole state of the page, but for what moves with every frame (the timeline's camera, the hover).
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Landing page, loading, a trace, an error.
    pub phase: Phase,
    /// How far reading is, while it goes on, and until the picture of all stands.
    pub progress: Option<Progress>,
    /// Whether the user has stopped it: the picture of what was read is still to come.
    pub stopped: bool,
    /// What the trace holds.
    pub info: Info,
    /// Counts up whenever there is another trace, or other hits: whoever asked the worker for something asks again.
    pub epoch: u32,
    /// The tab.
    pub tab: Tab,
    /// How the Gantt view arranges its rows.
    pub arrangement: Arrangement,
    /// Whether that was chosen, by the user or an address; else it goes by the trace's size.
    pub arranged: bool,
    /// What colours tell apart.
    pub color: ColorBy,
    /// Which arrows of the selection are drawn.
    pub arrows: ArrowsShown,
    /// Which flame graph.
    pub flame: Flame,
    /// What merged frames are grouped by, and weigh: see [`State::grouping`].
    pub merged: MergedSpec,
    /// The pivot table. Its range is the state's `range`.
    pub pivot: PivotView,
    /// The side table that is looked at.
    pub table: TableView,
    /// Which executions stand beside each other.
    pub compare: CompareView,
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
    /// Whether the query list is open,
    pub list: bool,
    /// and whether somebody wanted it so. Else it is open where there are queries.
    pub list_chosen: bool,
    /// Light, dark, or as the system is.
    pub theme: Theme,
    /// Only the views, for a frame in another page.
    pub embedded: bool,
    /// The addresses of everything that is open, for links; `None` where some of it has none, such as files of this machine.
    pub addresses: Option<Vec<String>>,
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

/// Which arrows of the selection are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ArrowsShown {
    /// Those that lead to it, and those that lead on from there, to the end.
    #[default]
    Chain,
    /// Those that begin or end at it.
    Direct,
}

impl ArrowsShown {
    /// The other choice.
    pub fn other(self) -> Self {
        match self {
            Self::Chain => Self::Direct,
            Self::Direct => Self::Chain,
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

/// What happens to the state.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Reading begins; `true` for a new trace; the addresses of what is read, if it has any.
    Opening(bool, Option<Vec<String>>),
    /// Reading goes on.
    Progress(Progress),
    /// The user stops reading.
    Stop,
    /// The picture of all that was read stands.
    Drawn,
    /// There is a trace; `true` while reading goes on; what was watched, as it is called in it.
    Opened(Info, bool, Watched),
    /// What was pointed at while the trace was built anew, as it is called in this build.
    Named(u32, Watched),
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
    /// Other arrows.
    Arrows(ArrowsShown),
    /// Another flame graph.
    Flame(Flame),
    /// Another merged flame graph.
    Merge(MergedSpec),
    /// Another pivot table.
    Pivot(PivotView),
    /// Another side table, or another order of it.
    Table(TableView),
    /// Other executions beside each other.
    Compare(CompareView),
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
            stopped: false,
            info: Info::default(),
            epoch: 0,
            tab: Tab::Gantt,
            arrangement: Arrangement::ByQuery,
            arranged: false,
            color: ColorBy::Kind,
            arrows: ArrowsShown::Chain,
            flame: Flame::Time(None),
            merged: default_merged(),
            pivot: default_pivot(),
            table: TableView::default(),
            compare: CompareView::default(),
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
            list_chosen: false,
            theme: Theme::System,
            embedded: false,
            addresses: None,
        }
    }
}

/// By what suits the trace, by time.
pub fn default_merged() -> MergedSpec {
    let (path, arguments, focus) = (Vec::new(), Vec::new(), Vec::new());
    MergedSpec { path, weight: Weight::Time, focus, range: None, arguments }
}

/// By kind and name: how many, and where the time went.
pub fn default_pivot() -> PivotView {
    pivot_of("kind, name", "count, sum, sum(self time), avg, p95, max", "")
}

/// Where spans are instructions of plans: the functions that they call by their modules, and what those made.
fn functions() -> PivotView {
    pivot_of("category, name", "count, sum, sum(self time), max, sum(rows out), sum(bytes)", "kind = slice")
}

/// Where a database server names what it did and sums it up: its own numbers, by its own names.
fn instruments() -> PivotView {
    pivot_of("kind, event name", "server count, server sum, server avg, server max, sum(self time), p95", "")
}

fn pivot_of(by: &str, measures: &str, filter: &str) -> PivotView {
    let [by, measures, filter] = [by, measures, filter].map(str::to_owned);
    let spec = PivotSpec { by, measures, filter, range: None };
    PivotView { spec, sort: Some(1), descending: true, open: Vec::new() }
}

impl State {
    /// The picture of the current tab; `None` for a tab without one.
    pub fn view(&self) -> Option<ViewSpec> {
        let kind = match (self.tab, self.flame) {
            (Tab::Overview | Tab::Pivot | Tab::Parallel, _) => return None,
            (Tab::Compare | Tab::Transactions | Tab::Tables, _) => return None,
            (Tab::Gantt, _) => ViewKind::Gantt(self.arrangement),
            (Tab::Flame, Flame::Time(query)) => ViewKind::FlameTime { query },
            (Tab::Flame, Flame::Merged) => ViewKind::FlameMerged(self.grouping()),
        };
        Some(ViewSpec { kind, color: self.color })
    }

    /// Whether leaving the page loses what is open: files of this machine must be found and given again, whereas the
    /// address leads back to everything else.
    pub fn is_lost_by_leaving(&self) -> bool {
        matches!(self.phase, Phase::Ready | Phase::Loading) && self.addresses.is_none()
    }

    /// The merged flame graph: of the chosen range, and while nobody chose a path, along the trace's own.
    pub fn grouping(&self) -> MergedSpec {
        let chosen = Some(&self.merged.path).filter(|path| !path.is_empty());
        let path = chosen.unwrap_or(&self.info.flame).clone();
        MergedSpec { path, range: self.range, ..self.merged.clone() }
    }

    fn jump_to(&mut self, item: u32, zoom: bool) {
        let number = self.jump.map_or(0, |jump| jump.number) + 1;
        self.selection = Some(item);
        self.jump = Some(Jump { item, zoom, number });
    }

    /// What is selected, and what the flame graph is about.
    pub fn watched(&self) -> Watched {
        let Flame::Time(flame) = self.flame else {
            return Watched { selection: self.selection, flame: None };
        };
        Watched { selection: self.selection, flame }
    }

    fn opened(&mut self, info: Info, partial: bool, items: Watched) {
        // An export of tables alone is looked at as tables, until there is something else.
        let tables_alone = info.items == 0 && info.tables > 0 && !partial;
        if tables_alone {
            self.tab = Tab::Tables;
        } else if self.tab == Tab::Tables && self.info.tables > 0 && self.info.items == 0 && info.items > 0 {
            self.tab = Tab::Gantt;
        }
        self.info = info;
        self.epoch += 1;
        // Ids change with every build: what is not found again would name something else.
        self.selection = self.selection.and(items.selection);
        self.jump = None;
        self.forget_compared();
        if let Flame::Time(query) = &mut self.flame {
            *query = query.and(items.flame);
        }
        if !self.arranged && self.selection.is_none() && self.viewport.is_none() {
            let many = self.info.queries > MANY_QUERIES;
            self.arrangement = if many { Arrangement::Packed } else { Arrangement::ByQuery };
        }
        if (self.info.items > 0 || tables_alone)
            && let Phase::Error(notice) = std::mem::replace(&mut self.phase, Phase::Ready)
        {
            self.notice = Some(notice);
        }
        if !self.list_chosen {
            self.list = self.info.queries > 0 || self.info.items == 0;
        }
        if !partial {
            if !self.waits_for_picture() {
                self.progress = None;
            }
            if [default_pivot(), functions(), instruments()].contains(&self.pivot) {
                self.pivot = match &self.info {
                    info if info.plans => functions(),
                    info if info.server => instruments(),
                    _ => default_pivot(),
                };
            }
        }
    }

    /// It was lost when the trace was built anew, unless somebody pointed at something else since.
    fn named(&mut self, items: Watched) {
        self.selection = self.selection.or(items.selection);
        if let Flame::Time(query) = &mut self.flame {
            *query = query.or(items.flame);
        }
    }

    fn failed(&mut self, notice: Notice) {
        // Without an engine there is nothing to look at.
        if self.phase == Phase::Ready && notice.offer != Some(Offer::Again) {
            self.notice = Some(notice);
        } else {
            self.phase = Phase::Error(notice);
        }
        if !self.waits_for_picture() || matches!(self.phase, Phase::Error(_)) {
            (self.progress, self.stopped) = (None, false);
        }
    }

    /// Whether nothing more is read, and what says so stays until the picture stands.
    fn waits_for_picture(&self) -> bool {
        self.stopped || self.progress.as_ref().is_some_and(|progress| progress.complete)
    }

    fn goes_on(&mut self, progress: Progress) {
        // What was dropped behind "cancel" is read after it was told what became of the rest.
        if matches!(self.phase, Phase::Error(_)) {
            self.phase = Phase::Loading;
        }
        self.progress = Some(progress);
    }

    fn opening(&mut self, fresh: bool, added: Option<Vec<String>>) {
        let before = if fresh { Some(Vec::new()) } else { self.addresses.take() };
        let addresses = before.zip(added).map(|(before, added)| [before, added].concat());
        if fresh || self.phase != Phase::Ready {
            // What an address asked for is kept; what belongs to the trace that was open is not.
            let wanted =
                if self.phase == Phase::Landing { (self.viewport, self.range) } else { (None, None) };
            let mut state = self.emptied();
            (state.tab, state.color, state.arrows) = (self.tab, self.color, self.arrows);
            (state.arrangement, state.arranged) = (self.arrangement, self.arranged);
            (state.flame, state.merged) = (self.flame, self.merged.clone());
            (state.pivot, state.compare) = (self.pivot.clone(), self.compare.clone());
            state.table.table = if self.phase == Phase::Landing { self.table.table } else { 0 };
            state.forget_compared();
            (state.viewport, state.range) = wanted;
            *self = State { phase: Phase::Loading, ..state };
        }
        self.addresses = addresses;
        (self.progress, self.stopped, self.notice) = (Some(Progress::default()), false, None);
    }

    /// Which executions were compared; how they are is kept.
    fn forget_compared(&mut self) {
        self.compare.a = None;
        if let Beside::Item(_) = self.compare.b {
            self.compare.b = Beside::Typical;
        }
    }

    /// Nothing is open.
    fn emptied(&self) -> State {
        let State { theme, embedded, details, list, list_chosen, .. } = *self;
        State { theme, embedded, details, list, list_chosen, epoch: self.epoch + 1, ..State::default() }
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut state = (*self).clone();
        match action {
            Action::Opening(fresh, added) => state.opening(fresh, added),
            Action::Progress(progress) => state.goes_on(progress),
            Action::Stop => state.stopped = true,
            Action::Drawn if state.waits_for_picture() => (state.progress, state.stopped) = (None, false),
            // Something else is read by now.
            Action::Drawn => {}
            Action::Opened(info, partial, items) => state.opened(info, partial, items),
            Action::Named(build, items) if build == state.info.build => state.named(items),
            Action::Named(..) => {}
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
            Action::Arrange(arrangement) => (state.arrangement, state.arranged) = (arrangement, true),
            Action::Color(color) => state.color = color,
            Action::Arrows(arrows) => state.arrows = arrows,
            Action::Flame(flame) => state.flame = flame,
            Action::Merge(merged) => {
                // The trace's own path is no choice: the next trace has its own.
                let chosen = merged.path != state.info.flame;
                let path = if chosen { merged.path } else { Vec::new() };
                state.merged = MergedSpec { path, range: None, ..merged };
            }
            // The range is everybody's.
            Action::Pivot(mut pivot) => {
                pivot.spec.range = None;
                state.pivot = pivot;
            }
            Action::Table(table) => state.table = table,
            Action::Compare(compare) => state.compare = compare,
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
            Action::List(open) => (state.list, state.list_chosen) = (open, true),
            Action::Theme(theme) => state.theme = theme,
        }
        Rc::new(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn after(actions: Vec<Action>) -> Rc<State> {
        actions.into_iter().fold(Rc::new(State::default()), Reducible::reduce)
    }

    fn opened(queries: u32, items: Watched) -> Action {
        Action::Opened(Info { queries, items: 1, ..Info::default() }, true, items)
    }

    #[wasm_bindgen_test]
    fn the_selection_is_kept_while_the_trace_grows() {
        let found = |item| Watched { selection: item, flame: None };
        for (selected, told, expected) in
            [(Some(3), Some(5), Some(5)), (Some(3), None, None), (None, Some(5), None)]
        {
            let state = after(vec![opened(1, found(None)), Action::Select(selected), opened(2, found(told))]);
            assert_eq!(state.selection, expected);
        }
    }

    #[wasm_bindgen_test]
    fn what_was_pointed_at_while_the_trace_was_built_is_selected() {
        let told = Watched { selection: Some(7), flame: None };
        let grown = [opened(1, Watched::default()), Action::Select(Some(3)), opened(2, Watched::default())];
        for (since, build, expected) in
            [(None, 0, Some(7)), (None, 1, None), (Some(Action::Select(Some(9))), 0, Some(9))]
        {
            let actions = grown.iter().cloned().chain(since).chain([Action::Named(build, told)]);
            assert_eq!(after(actions.collect()).selection, expected);
        }
    }

    #[wasm_bindgen_test]
    fn how_far_reading_is_stays_until_the_picture_stands() {
        let complete = || Action::Progress(Progress { complete: true, ..Progress::default() });
        let end = || Action::Opened(Info { items: 1, ..Info::default() }, false, Watched::default());
        let told = || Action::Failed(Notice { title: String::new(), text: String::new(), offer: None });
        let begun = || vec![Action::Opening(true, None), opened(1, Watched::default())];
        for (actions, expected) in [
            (vec![], true),
            (vec![end()], false),
            (vec![complete(), end()], true),
            (vec![complete(), end(), Action::Drawn], false),
            (vec![Action::Stop, told(), end()], true),
            (vec![Action::Stop, told(), end(), Action::Drawn], false),
            (vec![complete(), end(), Action::Opening(false, None), Action::Drawn], true),
        ] {
            let state = after(begun().into_iter().chain(actions).collect());
            assert_eq!(state.progress.is_some(), expected);
        }
    }

    #[wasm_bindgen_test]
    fn only_what_no_address_leads_back_to_is_lost_by_leaving() {
        let address = |name: &str| Action::Opening(false, Some(vec![name.to_owned()]));
        let fresh = |name: &str| Action::Opening(true, Some(vec![name.to_owned()]));
        let file = |fresh| Action::Opening(fresh, None);
        for (actions, lost, addresses) in [
            (vec![], false, None),
            (vec![file(true)], true, None),
            (vec![file(true), opened(1, Watched::default())], true, None),
            (vec![file(true), opened(1, Watched::default()), Action::Close], false, None),
            (vec![fresh("a"), opened(1, Watched::default())], false, Some("a")),
            (vec![fresh("a"), opened(1, Watched::default()), address("b")], false, Some("a b")),
            (vec![fresh("a"), opened(1, Watched::default()), file(false)], true, None),
            (vec![file(true), opened(1, Watched::default()), address("b")], true, None),
            (vec![file(true), opened(1, Watched::default()), fresh("b")], false, Some("b")),
        ] {
            let state = after(actions);
            assert_eq!(state.is_lost_by_leaving(), lost);
            assert_eq!(state.addresses.as_ref().map(|all| all.join(" ")).as_deref(), addresses);
        }
    }

    #[wasm_bindgen_test]
    fn tables_alone_are_shown_until_there_are_events() {
        let opened = |items, tables, partial| {
            Action::Opened(Info { items, tables, ..Info::default() }, partial, Watched::default())
        };
        for (actions, phase, tab) in [
            (vec![opened(0, 2, false)], "ready", Tab::Tables),
            (vec![opened(0, 2, true)], "landing", Tab::Gantt),
            (vec![opened(0, 2, true), opened(9, 2, false)], "ready", Tab::Gantt),
            (vec![opened(0, 2, false), opened(9, 2, false)], "ready", Tab::Gantt),
            (vec![Action::Show(Tab::Tables), opened(9, 2, false)], "ready", Tab::Tables),
        ] {
            let state = after(actions);
            assert_eq!((state.phase.name(), state.tab), (phase, tab));
        }
        let alone = Info { tables: 1, ..Info::default() };
        assert_eq!(Tab::of(&alone), [(Tab::Tables, "Tables")]);
    }

    #[wasm_bindgen_test]
    fn what_has_statements_can_be_compared() {
        for (queries, plans, expected) in
            [(0, false, false), (1, false, false), (1, true, true), (2, false, true)]
        {
            let info = Info { queries, plans, items: 9, parallel: true, ..Info::default() };
            assert_eq!(Tab::of(&info).contains(&(Tab::Compare, "Compare")), expected);
        }
    }

    #[wasm_bindgen_test]
    fn the_list_is_open_where_there_are_queries_unless_somebody_chose() {
        let none = Watched::default();
        for (actions, expected) in [
            (vec![opened(9, none)], true),
            (vec![opened(0, none)], false),
            (vec![opened(0, none), opened(9, none)], true),
            (vec![opened(9, none), Action::Opening(true, None), opened(0, none)], false),
            (vec![opened(0, none), Action::Opening(true, None), opened(9, none)], true),
            (vec![opened(0, none), Action::List(true), opened(0, none)], true),
            (vec![opened(9, none), Action::List(false), opened(9, none)], false),
        ] {
            assert_eq!(after(actions).list, expected);
        }
    }

    #[wasm_bindgen_test]
    fn many_queries_are_packed_unless_somebody_chose() {
        let none = Watched::default();
        let by_query = Action::Arrange(Arrangement::ByQuery);
        let look = Action::Look(Viewport { start: 0, end: 9, width: 1.0, top: 0.0, height: 1.0 });
        for (actions, expected) in [
            (vec![opened(500, none)], Arrangement::ByQuery),
            (vec![opened(9, none), opened(501, none)], Arrangement::Packed),
            (vec![by_query, opened(501, none)], Arrangement::ByQuery),
            (vec![opened(9, none), look, opened(501, none)], Arrangement::ByQuery),
        ] {
            assert_eq!(after(actions).arrangement, expected);
        }
    }
}
