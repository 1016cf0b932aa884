//! The first entry of a session file, `session.json`.

use super::trace_file::JsonLine;
use crate::import::SavedSession;

/// Parts of a link that belong to the page on which the trace was opened.
const OF_THE_PAGE: [&str; 5] = ["trace", "file", "files", "embed", "controls"];
/// Parts of a link that hold no text of the trace, and the user's notes.
const WITHOUT_TEXTS: [&str; 15] = [
    "v",
    "view",
    "rows",
    "color",
    "arrows",
    "flame",
    "merged",
    "item",
    "t",
    "top",
    "range",
    "theme",
    "list",
    "note",
    "notes-left-out",
];

/// The state of the views, as in a link, without what belongs to the page on which it was copied. If something was removed from the trace, what could hold it (a
/// search, filters, names and their hashes) is left out as well.
pub fn state_kept(state: &str, is_redacted: bool) -> String {
    let is_kept = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        !OF_THE_PAGE.contains(&name) && (!is_redacted || WITHOUT_TEXTS.contains(&name))
    };
    state.split('&').filter(is_kept).collect::<Vec<_>>().join("&")
}

/// Writes `session.json`: the state of the viewer, notes, and what was removed from the traces.
pub fn session_entry(saved: &SavedSession) -> Vec<u8> {
    let mut text = Vec::new();
    let mut line = JsonLine::new(&mut text);
    line.string("queryscope", "session");
    line.num("version", 1);
    line.string("state", &saved.state);
    line.string("notes", &saved.notes);
    line.strings("removed", saved.removed.iter().map(String::as_str));
    line.end();
    text
}
