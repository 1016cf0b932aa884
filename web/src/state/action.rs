//! Actions: the only way to change the state.

use queryscope::protocol::{
    Arrangement, ColorBy, CompareView, CounterView, MergedDifference, MergedSpec, PivotView, QueryList,
    SearchResult, TableView, TrackKey, TrackLayout, TransactionList, TrendChoice, Viewport,
};

use super::{
    AreaView, ArrowsShown, Controls, Dialog, Flame, Nav, Notice, OpenDataset, OverviewView, RunsView,
    SourcesView, StatementsView, Tab, Theme, UserNote, WantedFiles,
};
use crate::messages::{Progress, TraceInfo, TrackedItems};
use crate::url::LocalFile;

/// A change of the state.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Reading begins; `true` for a new trace; the addresses of the sources, or `None` if a source has no address.
    Opening(bool, Option<Vec<String>>),
    /// Reading made progress.
    Progress(Progress),
    /// The user cancels reading.
    Stop,
    /// The scene of the complete trace is ready.
    Drawn,
    /// Whether a reply of the engine takes long.
    Computing(bool),
    /// A trace can be shown: its summary, whether reading continues, and the tracked items with their codes in it.
    Opened(TraceInfo, bool, TrackedItems),
    /// Number of the current build, and the codes in it of tracked items that were requested with codes of the previous
    /// build.
    Remapped(u32, TrackedItems),
    /// A source could not be read, or there is nothing to show.
    Failed(Notice),
    /// Asks the user whether to request these absolute URLs, which a link names.
    Confirm(Vec<String>),
    /// Closes the trace and returns to the landing page.
    Close,
    /// Shows a tab.
    Show(Tab),
    /// Sets the row arrangement.
    Arrange(Arrangement),
    /// Expands (`true`) or collapses tracks.
    Expand(Vec<TrackKey>, bool),
    /// Expands (`true`) or collapses all tracks below the runs.
    ExpandAll(bool),
    /// Sets the colouring.
    Color(ColorBy),
    /// Highlights the bars of these colour slots and makes all other bars pale; empty for no highlight.
    Only(Vec<u16>),
    /// Sets which arrows are drawn.
    Arrows(ArrowsShown),
    /// Sets whether the critical path of the selection is marked in the timeline.
    MarkPath(bool),
    /// Sets which flame graph is shown.
    Flame(Flame),
    /// Sets the merged flame graph.
    Merge(MergedSpec),
    /// Shows the differences of two sides as a merged flame graph.
    MergeDifference(MergedDifference),
    /// Sets the pivot table.
    Pivot(PivotView),
    /// Sets the side table, or its order.
    Table(TableView),
    /// Sets the compared executions. A new execution A switches the compare tab from runs to executions.
    Compare(CompareView),
    /// Sets the state of the comparison of runs.
    CompareRuns(RunsView),
    /// Sets the order of the query list.
    Queries(QueryList),
    /// Sets the filter of all views; it must be valid.
    Filter(String),
    /// Sets whether timelines hide (`true`) or dim spans and events that do not match the filter.
    HideRest(bool),
    /// Sets the attribute and the value (`None` for no value) of the menu that filters by a value.
    FilterMenu((String, Option<String>)),
    /// Shows the filter field (`true`), or hides it if no filter is set.
    ShowFilter(bool),
    /// Restores the state of a step of the history, or of a link.
    Go(Box<Nav>),
    /// Selects an item without moving the view; `None` clears the selection.
    Select(Option<u32>),
    /// Selects an item and scrolls it into view.
    Reveal(u32),
    /// Selects an item and scrolls it into view; zooms in if it would be too narrow to be seen.
    Approach(u32),
    /// Selects an item and zooms to it.
    ZoomTo(u32),
    /// Sets the time range of all views; `None` for the whole trace.
    Range(Option<(i64, i64)>),
    /// Sets the selected area. The first value is its time range; `None` leaves the time range unchanged.
    Area(Option<(i64, i64)>, AreaView),
    /// Moves the timeline to this viewport.
    MoveTo(Viewport),
    /// The timeline stopped moving at this viewport.
    ViewportSettled(Viewport),
    /// Sets the text that screen readers announce.
    Announce(String),
    /// Sets the search text.
    Search(String),
    /// Stores the search result; its hits are highlighted in all scenes from now on.
    SearchFound(Option<SearchResult>),
    /// Scenes must be requested again, because tracks were expanded or collapsed.
    InvalidateScenes,
    /// Opens a dialog; `None` closes it.
    Dialog(Option<Dialog>),
    /// Shows a message; `None` hides it.
    Notice(Option<Notice>),
    /// Opens (`true`) or closes the details panel.
    Details(bool),
    /// Opens (`true`) or closes the query list.
    List(bool),
    /// Sets the theme: light, dark, or the system's.
    Theme(Theme),
    /// Pins a track above the rows (`true`), or removes the pin.
    Pin(TrackKey, bool),
    /// Adds an item to the gathered items, or removes it from them.
    Pick(u32),
    /// Sets the gathered items.
    Picked(Vec<u32>),
    /// Sets the hidden, moved and filtered tracks.
    Tracks(TrackLayout),
    /// Sets whether counters show values or rates, share a scale, and are stacked.
    Counters(CounterView),
    /// Shows two executions in timelines, one below the other.
    SideBySide(CompareView),
    /// The timelines of two executions stopped moving and show this part; `None` for all of it.
    SidesSettled(Option<(i64, i64)>),
    /// The merged flame graph stopped moving and shows this part; `None` for all of it.
    MergedSettled(Option<(i64, i64)>),
    /// Shows a data set in place of the open trace.
    Dataset(OpenDataset),
    /// Sets which trace of the data set is open or wanted.
    StoredTrace(OpenDataset),
    /// Sets grouping, measure, engine and group of the trends.
    Trends(TrendChoice),
    /// Sets the SQL statement in the editor.
    Sql(String),
    /// Sets whether SQL reads the open trace of a data set, instead of the whole data set.
    SqlOfTrace(bool),
    /// Sets the columns of the chart of the SQL result, by hashes of their names; `None` closes the chart.
    SqlChart(Option<(u32, u32)>),
    /// Sets whether side tables show their values as recorded.
    RawValues(bool),
    /// Sets the order of the transaction list.
    Transactions(TransactionList),
    /// Sets the state of the statements tab.
    Statements(StatementsView),
    /// Sets the state of the overview.
    Overview(OverviewView),
    /// Sets the state of the sources tab.
    Sources(SourcesView),
    /// Sets the column and the direction (`true` for descending) that order a table in the page; `None` for its own order.
    Order(String, Option<(u32, bool)>),
    /// Files that are being opened (`true` for a new trace), whose content is not known yet.
    Files(bool, Vec<LocalFile>),
    /// The files of [`Action::Files`] with the hashes of their content, where these could be computed.
    Hashed(Vec<LocalFile>),
    /// Sets the local files that a link names.
    Wanted(WantedFiles),
    /// Adds a note.
    AddNote(UserNote),
    /// Replaces the text of the note with this index; an empty text deletes the note.
    EditNote(usize, String),
    /// Sets which controls are shown around the views.
    Controls(Controls),
}
