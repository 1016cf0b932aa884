//! The selected row of the query list. The row follows the selection of all views, and is moved by keys.

use std::cell::Cell;
use std::rc::Rc;

use queryscope::protocol::{FindQueryRequest, QueryList as List, QueryListRequest, QueryPositionRequest};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::RowsProps;
use crate::components::PanelProps;
use crate::components::use_query::{Answer, use_query};
use crate::state::{Action, Dispatch};

/// A query that the user chose in the list.
#[derive(Clone, Copy)]
pub struct Chosen {
    /// Index of the row.
    pub row: u32,
    /// Item code of the query in the build that the row is from.
    pub item: u32,
    /// Record number of the query, which is the same in every build.
    pub record: Option<u32>,
    /// Whether to zoom to the query.
    pub zoom: bool,
}

/// State of the selected row.
#[derive(Default, PartialEq)]
pub struct SelectedRow {
    row: Cell<Option<u32>>,
    /// The item that was selected in the list. Its row is known before the worker replies, which may be after the next
    /// key press.
    own: Cell<Option<u32>>,
    /// Number of choices so far. When replies arrive, only the latest choice is selected.
    choices: Cell<u32>,
}

impl SelectedRow {
    /// Returns the selected row. `None` if no query is selected or the query is not in the list.
    pub fn row(&self) -> Option<u32> {
        self.row.get()
    }
}

/// Returns the selected row's state, and the row of a selection made in another view, which the table's cursor moves to.
#[hook]
pub fn use_selected_row(panel: &PanelProps, list: &List) -> (Rc<SelectedRow>, Option<Option<u32>>) {
    let cursor = use_memo((), |()| SelectedRow::default());
    let (selection, scene_version) = (panel.state.nav.selection, panel.state.load.scene_version);
    // After a change of the order or the trace, no row is known.
    use_memo((list.clone(), scene_version), |_| cursor.own.set(None));
    let request = selection.map(|item| QueryPositionRequest { list: list.clone(), item });
    let answer = use_query(&panel.client, request.clone(), scene_version);
    let answer = answer.as_ref().filter(|answer| answer.request() == request.as_ref());
    let found = match selection {
        None => Some(None),
        Some(_) => answer.and_then(Answer::reply).copied(),
    };
    let found = found.filter(|_| selection.is_none() || cursor.own.get() != selection);
    // Only a new selection or position moves the cursor, because keys may have moved it since.
    use_memo((selection, found), |(_, found)| found.iter().for_each(|row| cursor.row.set(*row)));
    (cursor, found)
}

/// Returns a callback that selects the query of a row. If the trace may have changed since, the worker first translates
/// the item code to the latest build.
#[hook]
pub fn use_select(panel: &PanelProps, cursor: &Rc<SelectedRow>, is_old: bool) -> Callback<Chosen> {
    let grows = is_old || panel.state.load.progress.is_some();
    let (client, dispatch) = (panel.client.clone(), panel.dispatch.clone());
    use_callback(
        (client, dispatch, cursor.clone(), grows),
        |chosen: Chosen, (client, dispatch, cursor, grows)| {
            let number = cursor.choices.get().wrapping_add(1);
            cursor.choices.set(number);
            let select = move |dispatch: &Dispatch, item| {
                dispatch.dispatch(if chosen.zoom { Action::ZoomTo(item) } else { Action::Reveal(item) });
            };
            let Some(record) = chosen.record.filter(|_| *grows) else {
                cursor.row.set(Some(chosen.row));
                cursor.own.set(Some(chosen.item));
                return select(dispatch, chosen.item);
            };
            let client = client.clone();
            let dispatch = dispatch.clone();
            let cursor = cursor.clone();
            spawn_local(async move {
                if let Some(Some(item)) = client.ask(FindQueryRequest { record }).await
                    && cursor.choices.get() == number
                {
                    select(&dispatch, item);
                }
            });
        },
    )
}

/// Returns a handler that selects the row that the table's cursor reached.
pub fn on_row(
    props: &RowsProps,
    cursor: &Rc<SelectedRow>,
    select: &Callback<Chosen>,
) -> impl Fn(u32, bool) + 'static {
    let (client, list) = (props.panel.client.clone(), props.list.clone());
    let (cursor, select) = (cursor.clone(), select.clone());
    move |row, zoom| {
        cursor.row.set(Some(row));
        let request = QueryListRequest { list: list.clone(), first: row, count: 1 };
        let client = client.clone();
        let cursor = cursor.clone();
        let select = select.clone();
        spawn_local(async move {
            // While a key repeats, only the row where the cursor stops is selected.
            if let Some(page) = client.ask(request).await
                && cursor.row() == Some(row)
                && let Some(found) = page.rows.first()
            {
                select.emit(Chosen { row, item: found.item, record: found.record, zoom });
            }
        });
    }
}
