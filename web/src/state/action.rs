//! What changes the state: nothing else does.

use queryscope::protocol::{
    Arrangement, ColorBy, CompareView, MergedSpec, PivotView, QueryList, SearchResult, TableView, TrackKey,
    Viewport,
};

use super::{ArrowsShown, Dialog, Flame, Nav, Notice, Tab, Theme};
use crate::messages::{Progress, TraceInfo, TrackedItems};

/// What happens to the state.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Reading begins; `true` for a new trace; the addresses of what is read, if it has any.
    Opening(bool, Option<Vec<String>>),
    /// Reading goes on.
    Progress(Progress),
    /// The user cancels reading.
    Stop,
    /// The complete trace has been drawn.
    Drawn,
    /// There is a trace; `true` while reading goes on; the tracked items with their codes in it.
    Opened(TraceInfo, bool, TrackedItems),
    /// What was pointed at while the trace was built anew, as it is called in this build.
    Remapped(u32, TrackedItems),
    /// Something could not be opened.
    Failed(Notice),
    /// Back to the landing page.
    Close,
    /// Another tab.
    Show(Tab),
    /// Another arrangement.
    Arrange(Arrangement),
    /// Expands or collapses tracks.
    Expand(Vec<TrackKey>, bool),
    /// Expands or collapses all tracks below the runs.
    ExpandAll(bool),
    /// Other colours.
    Color(ColorBy),
    /// Bars of these colour slots are to stand out.
    Only(Vec<u16>),
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
    /// Another order or filter of the query list.
    Queries(QueryList),
    /// Back to what was looked at before, or where a link leads.
    Go(Box<Nav>),
    /// Selects, without moving anything.
    Select(Option<u32>),
    /// Selects, and brings into view.
    Reveal(u32),
    /// Selects, and zooms to it.
    ZoomTo(u32),
    /// Narrows to a time range.
    Range(Option<(i64, i64)>),
    /// The timeline came to rest.
    ViewportSettled(Viewport),
    /// What screen readers are told.
    Announce(String),
    /// Another text to search for.
    Search(String),
    /// What it found: hits are marked in all scenes now.
    SearchFound(Option<SearchResult>),
    /// Scenes changed (tracks were opened or closed).
    InvalidateScenes,
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
