//! Messages about links to a view: copied links and opened links.

pub const COPY: &str = "Copy link";
pub const TITLE: &str = "Copy a link to this view: times, positions and what you typed; no names, statements or values of the trace";
pub const COPIED: &str = "Link copied.";
pub const NOT_COPIED: &str = "Link not copied: the browser denied access to the clipboard.";
const HOLDS: &str =
    "It contains times, positions and what you typed; no names, statements or values of the trace.";

pub fn opens_trace() -> String {
    format!("It opens this trace from its URL, in this view. {HOLDS}")
}

pub fn opens_view() -> String {
    format!("It opens this view, without the trace: open the same file to see it. {HOLDS}")
}

pub const OPEN_FULL_VIEWER: &str = "Open in queryscope";
pub const OPEN_FULL_VIEWER_TITLE: &str = "Open the full viewer in a new tab";

pub const NOT_UNDERSTOOD: &str = "Link not understood";
pub const TOO_LONG: &str = "The link is longer than 64 KiB and was ignored.";
pub const NEWER: &str = "Link from a newer version";
pub const NEWER_TEXT: &str = "Settings that this version does not know were ignored, so the view may differ.";
pub const INVALID_URL: &str = "Invalid trace URL";

pub fn invalid_url(trace: &str) -> String {
    format!("“{trace}” (after trace=) is not a valid URL. Correct the address and reload, or open a file.")
}

pub fn unsupported_scheme(trace: &str, scheme: &str) -> String {
    format!(
        "“{trace}” (after trace=) begins with {scheme} but only http: and https: can be read. Correct the address and \
         reload, or open the file itself."
    )
}
