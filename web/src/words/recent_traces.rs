//! Texts of the list of recent traces on the landing page, and of keeping the open trace.

use queryscope::internal::text;

use crate::host::KeepOutcome;

pub const TITLE: &str = "Recent traces";
pub const KEEP: &str =
    "Keep recent traces in this browser: the latest 20, up to 1 GB in total. Unchecking this deletes them.";
pub const NOT_TURNED_ON: &str = "No traces are kept: the browser does not allow this page to store the setting. Allow site data for this site.";
/// Title of the notice that the open trace is not kept.
const NOT_KEPT: &str = "Trace not kept.";
pub const DELETE: &str = "Delete";

/// Accessible name of the button that deletes a kept trace.
pub fn delete(name: &str) -> String {
    format!("Delete {name}")
}

/// Size and date of a kept trace.
pub fn about(size: &str, date: &str) -> String {
    format!("{size}, opened {date} ")
}

pub fn not_listed(reason: &str) -> String {
    format!("The kept traces cannot be listed: {reason}.")
}

pub fn not_deleted(reason: &str) -> String {
    format!("Not deleted: {reason}. To delete kept traces, clear the data of this site in the browser.")
}

pub fn not_opened(reason: &str) -> String {
    format!(
        "The trace cannot be read: {reason}. It may have been deleted in another tab. Open its file again."
    )
}

/// Title and text of the notice about a trace of this many bytes that was to be kept; `None` if there is nothing to say.
pub fn kept(outcome: Result<KeepOutcome, String>, bytes: u64) -> Option<(&'static str, String)> {
    let size = |bytes: u64| text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
    let reason = match outcome {
        Ok(KeepOutcome::Kept(deleted)) => {
            let first = deleted.first()?;
            let others = match deleted.len() {
                1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            return Some((
                "Recent traces:",
                format!("“{first}”{others} deleted to make room for this trace."),
            ));
        }
        Ok(KeepOutcome::TooLarge(limit)) => format!(
            "This trace is {}; traces of at most {} are kept. Keep the file to open it again.",
            size(bytes),
            size(limit)
        ),
        Ok(KeepOutcome::Full) => {
            "The browser's storage for this site is full. Delete recent traces on the landing page."
                .to_owned()
        }
        Err(reason) => format!("The browser does not allow it: {reason}."),
    };
    Some((NOT_KEPT, reason))
}
