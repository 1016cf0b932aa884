//! Messages about files that could not be read, or only in part.

use queryscope::internal::text;

use super::common::{count, files, records};

pub const NOTHING_READ: &str = "Nothing was read";
pub const SCAN_CANCELLED: &str = "Cancelled while the folder was scanned.";
pub const EMPTY_FOLDER: &str = "The dropped folder contains no files.";
pub const NO_FILES: &str = "The selection contains no files.";
pub const PASTED_TEXT: &str = "pasted text";

/// Reason why reading stopped. [`stopped_here`] and [`stopped_before`] add the position.
pub const CANCELLED: &str = "reading was cancelled";
pub const LIMIT_REACHED: &str = "the size limit of this page was reached, and reading stopped";
pub const MEMORY_FULL: &str = "the page's memory is full, and reading stopped";

pub const NO_PERMISSION_TO_OPEN: &str = "the browser was not allowed to open it";
pub const NO_PERMISSION_TO_READ: &str = "the browser was not allowed to read it";
pub const NOT_REACHED: &str =
    "the server cannot be reached, or it redirects to another site: open the URL that it redirects to";
pub const REDIRECTED: &str =
    "the server redirects to another site, which this page may not read: open the URL that it redirects to";
pub const NOT_SHARED: &str = "the server does not allow this page to read the file (CORS). Its answer needs the header \
     “Access-Control-Allow-Origin: *”, or the site of this page instead of the star";
pub const MIXED_CONTENT: &str = "a page that was loaded over https: cannot read http: URLs. Use an https: URL, or download the file and drop it \
     here";
pub const WEB_PAGE: &str = "the server answered with a web page instead of a trace: the URL needs a login, or leads to a page about the file \
     instead of the file itself";
pub const SILENT: &str = "the server sent nothing for 30 seconds";
pub const EMPTY_ANSWER: &str = "the server's answer is empty";
pub const BECAME_SHORTER: &str = "it became shorter while it was read";
pub const CHANGED: &str =
    "it was changed, moved or locked after it was opened, or permission to read it was denied";
pub const GONE: &str = "it no longer exists";
pub const FAILED: &str = "it could not be read, and the browser gave no reason";
pub const NOT_OPEN: &str = "the file is no longer open";

pub fn failed(error: &str) -> String {
    format!("{FAILED}: {error}")
}

pub fn not_found(status: u16) -> String {
    format!("there is no file at this URL (the server answered {status})")
}

pub fn forbidden(status: u16) -> String {
    format!("the server does not allow it (it answered {status})")
}

pub fn answered(status: u16, text: &str) -> String {
    format!("the server answered {status} {text}")
}

pub fn not_read_again(name: &str) -> String {
    format!("{name} cannot be read again: it was changed, moved or deleted after it was opened")
}

pub fn stopped_here(why: &str) -> String {
    format!("{why} here")
}

pub fn stopped_before(why: &str) -> String {
    format!("{why} before")
}

pub fn not_read(name: &str) -> String {
    format!("{name} could not be read")
}

pub fn partly_read(share: &str, name: &str) -> String {
    format!("Only {share} of {name} could be read")
}

pub fn only(share: &str) -> String {
    format!("Only {share} could be read")
}

/// Formats `340 MB of 3.2 GB`. If the server compresses and reports a smaller size than was read, the total is unknown.
pub fn share(bytes: u64, all: Option<u64>) -> String {
    let size = |bytes: u64| text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
    let all = all.filter(|&all| all >= bytes);
    all.map_or_else(|| size(bytes), |all| format!("{} of {}", size(bytes), size(all)))
}

/// States how much of one file, or of several files, was read.
pub fn extent(share: &str, name: &str, n_files: u32, is_shown: bool) -> String {
    let of = match n_files {
        0 | 1 => format!("of {name}"),
        n => format!("in {}", files(n.into())),
    };
    let are = if is_shown { "are shown" } else { "were read" };
    format!("{share} {of} {are}.")
}

/// Reports that the memory is full, and suggests what can be loaded instead.
pub fn memory_full(n_files: u32, n_runs: usize) -> String {
    let instead = match (n_runs, n_files) {
        (0 | 1, 0 | 1) => "Load a time range instead.",
        (0 | 1, _) => "Load a time range instead, or open fewer files.",
        _ => "Load a time range or fewer runs instead.",
    };
    format!(
        "The page's memory is full. The records read so far are shown; the import report states where reading stopped. {instead}"
    )
}

pub fn more_not_read(n: u64) -> String {
    let files = text::counted(n, "more file", "more files");
    format!(" {files} could not be read: see the import report.")
}

pub fn incomplete(name: &str) -> String {
    format!("{name} is incomplete.")
}

pub fn more_incomplete(n: u64) -> String {
    let files = text::counted(n, "more file is", "more files are");
    format!(" {files} incomplete: see the import report.")
}

pub fn not_traces_and_incomplete(names: &str, incomplete: &str, text: &str) -> String {
    format!("{names}. {incomplete} {text}")
}

pub fn two_sentences(one: &str, other: &str) -> String {
    format!("{one} {other}")
}

pub fn not_traces(n: u64, all: u64) -> String {
    let of = files(all);
    match n {
        n if n == all => format!("No trace in {of}."),
        1 => format!("1 of {of} is not a trace."),
        n => format!("{} of {of} are not traces.", count(n)),
    }
}

pub fn first_and_more(name: &str, n: u32) -> String {
    format!("{name} + {}", count(n.into()))
}

pub fn folder(name: &str, n: u32) -> String {
    format!("{name} ({})", files(n.into()))
}

pub fn nothing_to_show(name: &str) -> String {
    format!("{name} contains nothing to show")
}

pub fn none_to_show(n: usize) -> String {
    format!("None of these {n} files contains anything to show")
}

pub fn unsupported(name: &str) -> String {
    format!("{name} is not in a supported format")
}

pub fn none_supported(n: usize) -> String {
    format!("None of these {n} files is in a supported format")
}

pub fn supported_formats(formats: &str) -> String {
    format!("queryscope reads traces of {formats}, compressed or not.")
}

pub fn recognised(name: &str, format: &str, n_records: u64) -> String {
    let why = match n_records {
        0 => "but contains no records.".to_owned(),
        n => format!("but none of its {} could be used: see the import report.", records(n)),
    };
    format!("{name} was recognised ({format}), {why}")
}

/// Turns a reason into a sentence: with a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    capitalised(text) + end
}

/// Returns the text with a capital first letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|c| c.to_ascii_uppercase().into()).unwrap_or_default();
    first + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn shares_and_sentences() {
        assert_eq!(share(15_000_000, Some(229_000_000)), "15 MB of 229 MB");
        assert_eq!(share(15_000_000, None), "15 MB");
        assert_eq!(share(15_000_000, Some(3_000_000)), "15 MB");
        assert_eq!(sentence("it is gone"), "It is gone.");
        assert_eq!(capitalised("reading was cancelled"), "Reading was cancelled");
    }
}
