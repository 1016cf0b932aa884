//! Messages about links to a view: copied links and opened links.

use queryscope::internal::text;

use crate::url::LocalFile;

pub const COPY: &str = "Copy link";
pub const TITLE: &str = "Copy a link to this view: times, positions, what you typed or filter by; no other names, statements or values of the trace";
pub const COPIED: &str = "Link copied.";
pub const NOT_COPIED: &str = "Link not copied: the browser denied access to the clipboard.";
const HOLDS: &str = "Apart from that, it contains times, positions, what you typed or filter by; no other names, statements or values of the trace.";

pub fn opens_trace() -> String {
    format!("It contains the URL of this trace and opens it in this view. {HOLDS}")
}

pub fn opens_view() -> String {
    format!(
        "It opens this view once the same file is opened. It contains the name and size of that file, and a hash of its content. {HOLDS}"
    )
}

/// A link or a row of an SQL result names an item that is not there: "Span 12 is not in this trace".
pub fn missing_item(item: u32) -> String {
    let kind = if item >> 31 == 0 { "Span" } else { "Event" };
    format!("{kind} {} is not in this trace", item & (u32::MAX >> 1))
}

/// Asks for the local files of a link.
pub fn wanted_files(files: &[LocalFile], n: u32) -> String {
    match files {
        [file] if n <= 1 => format!("This link is for the file {}. Drop it here or choose it.", named(file)),
        _ => format!("This link is for {}. Drop them here or choose them.", all_named(files, n)),
    }
}

pub const FILES_NOT_COMPARED: &str =
    "Name and size match the file of the link; the content could not be compared.";

pub fn missing_files(files: &[LocalFile], n: u32) -> String {
    format!(
        "The link is for {}. Some of them are not open: add them to see the whole view.",
        all_named(files, n)
    )
}

pub fn other_files(files: &[LocalFile], n: u32) -> String {
    match files {
        [file] if n <= 1 => format!(
            "This is not the file of the link, which is for {}. The view may differ from that of the link.",
            named(file)
        ),
        _ => format!(
            "These are not the files of the link, which is for {}. The view may differ from that of the link.",
            all_named(files, n)
        ),
    }
}

fn named(file: &LocalFile) -> String {
    let size = file.size.and_then(|size| i64::try_from(size).ok());
    size.map_or_else(|| file.name.clone(), |size| format!("{} ({})", file.name, text::bytes(size)))
}

/// Lists the names of the first few files, and the number of the others.
fn all_named(files: &[LocalFile], n: u32) -> String {
    const LISTED: usize = 5;
    let total = files.len().max(n as usize);
    let names: Vec<String> = files.iter().take(LISTED).map(named).collect();
    let more = if total > names.len() { format!(" and {} more", total - names.len()) } else { String::new() };
    format!("{}: {}{more}", text::counted(total as u64, "file", "files"), names.join(", "))
}

pub const OPEN_FULL_VIEWER: &str = "Open in queryscope";
pub const OPEN_FULL_VIEWER_TITLE: &str = "Open the full viewer in a new tab";

pub const NOT_UNDERSTOOD: &str = "Link not understood";
pub const TOO_LONG: &str = "The link is longer than 64 KiB and was ignored.";
pub const NEWER: &str = "Link from a newer version";
pub const NEWER_TEXT: &str = "Settings that this version does not know were ignored, so the view may differ.";
/// What a link opens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linked {
    Trace,
    Dataset,
}

/// Title of the error of an address.
pub fn invalid_title(what: Linked) -> &'static str {
    match what {
        Linked::Trace => "Invalid trace URL",
        Linked::Dataset => "Invalid data set URL",
    }
}

/// Parameter of an address that names what it opens.
fn parameter(what: Linked) -> &'static str {
    match what {
        Linked::Trace => "trace=",
        Linked::Dataset => "dataset=",
    }
}

pub fn invalid_url(what: Linked, url: &str) -> String {
    let parameter = parameter(what);
    format!("“{url}” (after {parameter}) is not a valid URL. Correct the address and reload, or open a file.")
}

pub fn unsupported_scheme(what: Linked, url: &str, scheme: &str) -> String {
    let parameter = parameter(what);
    format!(
        "“{url}” (after {parameter}) begins with {scheme} but only http: and https: can be read. Correct the address and \
         reload, or open the file itself."
    )
}
