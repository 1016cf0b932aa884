//! The first entry of a session file, `session.json`.

use super::trace_file::JsonLine;
use crate::import::SavedSession;

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
