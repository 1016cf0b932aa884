//! Texts of the landing page, and of the overlay while files are dragged over the page.

use super::link::Linked;

pub const TITLE: &str = "See where your database spends its time";
pub const INTRO: &str = "Drop a trace and follow every request down to its queries, stages, waits, source reads and buffers, on one time \
     axis.";
pub const PRIVACY: &str =
    "Nothing leaves this machine: this page reads files in your browser and sends them nowhere.";
pub const OPEN_TRACE: &str = "Open a trace";
pub const DROP: &str = "Drop trace files or a folder anywhere on this page";
pub const CHOOSE_FILES: &str = "Choose files…";
pub const CHOOSE_FOLDER: &str = "Choose folder…";
pub const OPEN_SAMPLE: &str = "Open sample run";
pub const PASTE: &str = "Or paste text of a trace or copied files with ";
pub const PASTE_KEYS: [&str; 2] = ["Ctrl", "V"];
pub const MERGED: &str =
    ". Files from one run are merged; gzip, Zstandard, bzip2, zip and tar are decompressed.";
pub const FORMATS: &str = "Supported formats";
pub const START_AGAIN: &str = "Open another trace";
pub const DROP_TO_ADD: &str = "Drop to add to this trace";
pub const DROP_TO_ADD_TEXT: &str =
    "Files from the same run are merged; other runs are added to the timeline.";
pub const DROP_TO_OPEN: &str = "Drop to open";
pub const DROP_TO_OPEN_TEXT: &str = "Files or a folder; they stay on this machine.";

pub const HOSTED: &str = "Traces on this site";
pub const DO_NOT_OPEN: &str = "Do not open";

fn linked(what: Linked) -> &'static str {
    match what {
        Linked::Trace => "trace",
        Linked::Dataset => "data set",
    }
}

/// Asks whether to open a link's traces, or its data set, from these hosts.
pub fn open_from(what: Linked, hosts: &[String]) -> String {
    format!("Open a {} from {}?", linked(what), hosts.join(" and "))
}

/// Warns of the hosts of a link.
pub fn warning(what: Linked, is_private: bool) -> String {
    let place = if is_private { "your own machine or network" } else { "another site" };
    format!(
        "The link makes your browser read this {} from {place}. Open it only if you trust the sender of the link.",
        linked(what)
    )
}

/// Button that opens a link's traces, or its data set.
pub fn open_linked(what: Linked) -> &'static str {
    match what {
        Linked::Trace => "Open trace",
        Linked::Dataset => "Open data set",
    }
}
