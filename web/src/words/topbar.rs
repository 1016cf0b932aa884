//! Texts of the top bar, and the question before leaving a trace.

use queryscope::internal::text;

use super::common::{records, runs};

pub const CLOSE_TRACE: &str = "Close trace";
pub const ADD: &str = "Add files";
pub const ADD_TITLE: &str = "Add files to this trace";
pub const KEYS: &str = "Keyboard shortcuts";
pub const KEYS_TITLE: &str = "Keyboard shortcuts (?)";
pub const THEME_SYSTEM: &str = "Theme: system";
pub const THEME_LIGHT: &str = "Theme: light";
pub const THEME_DARK: &str = "Theme: dark";
pub const LEAVE: &str = "Close the trace?";

/// Size of the open trace: "2 runs · 300 records · 5.1 kB".
pub fn facts(n_runs: u32, n_records: u64, bytes: i64, is_subset: bool) -> String {
    let subset = if is_subset { " · subset" } else { "" };
    format!("{} · {} · {}{subset}", runs(n_runs.into()), records(n_records), text::bytes(bytes))
}

pub fn opened(name: &str, facts: &str) -> String {
    format!("{name}: {facts}")
}

pub fn import_report(problems: u32) -> String {
    match problems {
        0 => "Import report: no problems".to_owned(),
        n => format!("Import report: {}", text::counted(n.into(), "kind of problem", "kinds of problems")),
    }
}
