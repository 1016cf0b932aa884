//! The selected row: it follows the selection, wherever that was made, and moves by keys.

use std::cell::Cell;
use std::rc::Rc;

use queryscope::protocol::{QueryList as List, Reply, Request};
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;
use yew::prelude::*;

use super::RowsProps;
use super::window::Window;
use crate::components::PanelProps;
use crate::components::ask::use_reply;
use crate::state::{Action, Dispatch};

/// A row that was chosen.
#[derive(Clone, Copy)]
pub struct Chosen {
    /// The row.
    pub row: u32,
    /// What its query is called in the build that the row is from,
    pub item: u32,
    /// and in every build.
    pub record: Option<u32>,
    /// Whether to zoom to it.
    pub zoom: bool,
}

/// The row of the selected query.
#[derive(Default, PartialEq)]
pub struct Cursor {
    row: Cell<Option<u32>>,
    /// The item that was selected here. Its row is known better here than by the worker's answer, which comes later
    /// than the next key.
    own: Cell<Option<u32>>,
    /// Counts choices: only the latest is selected.
    choices: Cell<u32>,
}

impl Cursor {
    /// The row, if a query is selected and in the list.
    pub fn row(&self) -> Option<u32> {
        self.row.get()
    }
}

/// The row of the selected query, brought into view when the selection was made elsewhere.
#[hook]
pub fn use_cursor(panel: &PanelProps, list: &List, body: &NodeRef, window: Window) -> Rc<Cursor> {
    let cursor = use_memo((), |()| Cursor::default());
    let (selection, epoch) = (panel.state.nav.selection, panel.state.load.epoch);
    // In another order, or another trace, no row is known.
    use_memo((list.clone(), epoch), |_| cursor.own.set(None));
    let request = selection.map(|item| Request::QueryPosition { list: list.clone(), item });
    let answer = use_reply(&panel.client, request.clone(), epoch);
    let answer = answer.as_deref().filter(|answer| Some(&answer.request) == request.as_ref());
    let found = match (selection, answer.map(|answer| &answer.reply)) {
        (None, _) => Some(None),
        (_, Some(Reply::Position(row))) => Some(*row),
        _ => None,
    };
    let found = found.filter(|_| selection.is_none() || cursor.own.get() != selection);
    // Only what is new moves the cursor: a key may have moved it further since.
    use_memo((selection, found), |(_, found)| found.iter().for_each(|row| cursor.row.set(*row)));
    let body = body.clone();
    use_effect_with((found.flatten(), window.rows, window.height as i32), move |(row, _, _)| {
        row.iter().for_each(|row| scroll_to(&body, window, *row));
    });
    cursor
}

/// Selects the query of a row. While the trace grows, or where the rows are of an earlier build, the worker says what the
/// query is called in the latest: another one may have that name by now.
#[hook]
pub fn use_select(panel: &PanelProps, cursor: &Rc<Cursor>, is_old: bool) -> Callback<Chosen> {
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
            let (client, dispatch, cursor) = (client.clone(), dispatch.clone(), cursor.clone());
            spawn_local(async move {
                if let Reply::Moved(Some(item)) = client.ask(Request::FindQuery { record }).await
                    && cursor.choices.get() == number
                {
                    select(&dispatch, item);
                }
            });
        },
    )
}

/// Moves the cursor by keys, and selects where it comes to.
pub fn on_key(
    props: &RowsProps,
    cursor: &Rc<Cursor>,
    select: &Callback<Chosen>,
    body: &NodeRef,
    window: Window,
) -> Callback<KeyboardEvent> {
    let (client, list) = (props.panel.client.clone(), props.list.clone());
    let (cursor, select, body) = (cursor.clone(), select.clone(), body.clone());
    Callback::from(move |event: KeyboardEvent| {
        let Some(row) = row_after(&event.key(), cursor.row(), window) else { return };
        event.prevent_default();
        event.stop_propagation();
        let zoom = event.key() == "Enter";
        cursor.row.set(Some(row));
        scroll_to(&body, window, row);
        let request = Request::Queries { list: list.clone(), first: row, count: 1 };
        let (client, cursor, select) = (client.clone(), cursor.clone(), select.clone());
        spawn_local(async move {
            // While keys repeat, only the row that is reached is selected.
            if let Reply::Queries(page) = client.ask(request).await
                && cursor.row() == Some(row)
                && let Some(found) = page.rows.first()
            {
                select.emit(Chosen { row, item: found.item, record: found.record, zoom });
            }
        });
    })
}

fn scroll_to(body: &NodeRef, window: Window, row: u32) {
    let Some(body) = body.cast::<Element>() else { return };
    let scroll = Window { scroll: f64::from(body.scroll_top()), ..window }.reveal(row);
    if let Some(scroll) = scroll.filter(|_| window.height > 0.0) {
        body.set_scroll_top(scroll as i32);
    }
}

/// The row that a key leads to.
fn row_after(key: &str, from: Option<u32>, window: Window) -> Option<u32> {
    let last = window.rows.checked_sub(1)?;
    let at = from.unwrap_or(0);
    let row = match (key, from) {
        ("ArrowDown", None) | ("Home", _) => 0,
        ("ArrowDown", _) => at.saturating_add(1),
        ("ArrowUp", _) => at.saturating_sub(1),
        ("PageDown", _) => at.saturating_add(window.page()),
        ("PageUp", _) => at.saturating_sub(window.page()),
        ("End", _) => last,
        ("Enter", _) => at,
        _ => return None,
    };
    Some(row.min(last))
}
