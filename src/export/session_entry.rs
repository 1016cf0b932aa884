//! The rules of session files that the page and the command line share: the first entry, `session.json`, and the paths of traces.

use super::trace_file::JsonLine;
use crate::import::SavedSession;

/// Folder of the traces in a session file.
pub const TRACES: &str = "traces/";
/// First bytes of files that are compressed already: gzip, Zstandard, bzip2, zip, xz.
const COMPRESSED: [&[u8]; 5] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"PK\x03\x04", b"\xfd7z"];
/// Parts of a link that belong to the page on which the trace was opened.
const OF_THE_PAGE: [&str; 5] = ["trace", "file", "files", "embed", "controls"];
/// Parts of a link that contain no text of the trace, including the user's notes.
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

/// State of the views, as in a link, without the parts that belong to the page on which it was copied. If texts were
/// removed from the trace, parts that could contain them (search, filters, names and their hashes) are left out as
/// well.
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

/// Path of a trace in a session file: always inside the folder of traces, with slashes, and unique.
pub fn trace_path(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let is_safe = |c: &char| !c.is_control() && *c != ':';
    let mut path = String::new();
    for part in name.split(['/', '\\']) {
        let part: String = part.chars().filter(is_safe).collect();
        if !matches!(&*part, "" | "." | "..") {
            path.push_str(if path.is_empty() { "" } else { "/" });
            path.push_str(&part);
        }
    }
    if path.is_empty() {
        path.push_str("trace");
    }
    let mut free = format!("{TRACES}{path}");
    let mut number = 1_u32;
    while is_taken(&free) {
        number += 1;
        free = format!("{TRACES}{number}/{path}");
    }
    free
}

/// Whether a file with these first bytes is compressed already, so that a session file stores it as it is.
pub fn is_compressed(head: &[u8]) -> bool {
    COMPRESSED.iter().any(|mark| head.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_their_folder_and_differ() {
        let mut paths: Vec<String> = Vec::new();
        for (name, expected) in [
            ("a.json", "traces/a.json"),
            ("/home/me/a.json", "traces/home/me/a.json"),
            ("a.json", "traces/2/a.json"),
            ("a.json", "traces/3/a.json"),
            ("../../etc/passwd", "traces/etc/passwd"),
            ("C:\\traces\\a.json", "traces/C/traces/a.json"),
            ("..", "traces/trace"),
            (".\u{7}./x", "traces/x"),
            ("a\n\u{0}b", "traces/ab"),
            ("<b>.json", "traces/<b>.json"),
            ("", "traces/2/trace"),
        ] {
            let path = trace_path(name, |path| paths.iter().any(|taken| taken == path));
            assert_eq!(path, expected, "{name:?}");
            paths.push(path);
        }
    }
}
