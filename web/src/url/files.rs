//! The local files of a link. A link cannot open local files; it contains their names, sizes and hashes, so that the
//! page can ask for them.

/// Maximum number of local files that a link names.
pub const MOST_FILES: usize = 16;
/// Maximum length of a file's name in a link, in characters.
const LONGEST_NAME: usize = 200;
/// Number of hexadecimal digits of a file's hash in a link.
const DIGITS: usize = 16;

/// A file that the user opened, as a link names it: `name,size,hash`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LocalFile {
    /// Name of the file, without its folders.
    pub name: String,
    /// Stored size in bytes; `None` if unknown.
    pub size: Option<u64>,
    /// First 16 hexadecimal digits of the SHA-256 of the content (see [`crate::files::content_hash`]); `None` if the page
    /// could not compute it, because it was not opened by https.
    pub hash: Option<String>,
}

impl LocalFile {
    /// Creates the entry of a file. Only the last part of the path is kept, at most 200 characters.
    pub fn new(path: &str, size: Option<u64>, hash: Option<String>) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        Self { name: name.chars().take(LONGEST_NAME).collect(), size, hash }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.rsplitn(3, ',');
        let hash = parts.next()?;
        let size = parts.next()?;
        let name = parts.next()?;
        let is_hash = hash.len() == DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
        let file = Self::new(name, size.parse().ok(), is_hash.then(|| hash.to_ascii_lowercase()));
        (!file.name.is_empty()).then_some(file)
    }

    fn written(&self) -> String {
        let size = self.size.map(|size| size.to_string()).unwrap_or_default();
        format!("{},{size},{}", self.name, self.hash.as_deref().unwrap_or_default())
    }
}

/// Adds the names of local files to the fragment of a link, before the state of the views. A link that names no file
/// stays as it is.
pub fn with_files(fragment: &str, files: &[LocalFile]) -> String {
    let written =
        |file: &LocalFile| String::from(js_sys::encode_uri_component(&file.written())).replace("%2C", ",");
    let mut parts: Vec<String> =
        files.iter().take(MOST_FILES).map(|file| format!("file={}", written(file))).collect();
    if files.len() > MOST_FILES {
        parts.push(format!("files={}", files.len()));
    }
    if !fragment.is_empty() {
        parts.push(fragment.to_owned());
    }
    parts.join("&")
}

/// Result of comparing the opened files with those of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileMatch {
    /// All files have the content of the link's files, under any names.
    Same,
    /// Names and sizes are equal; the content could not be compared.
    Unchecked,
    /// Some files of the link are not open yet; all open files belong to the link.
    Missing,
    /// At least one open file does not belong to the link.
    Different,
}

/// Compares opened files with those of a link, in any order; `n` is the link's number of files if it names only some.
pub fn file_match(wanted: &[LocalFile], n: u32, opened: &[LocalFile]) -> FileMatch {
    let mut left: Vec<&LocalFile> = wanted.iter().collect();
    let mut unnamed = (n as usize).saturating_sub(wanted.len());
    let mut is_checked = unnamed == 0;
    for file in opened {
        let is_same = |other: &&LocalFile| match (&file.hash, &other.hash) {
            (Some(hash), Some(other_hash)) => hash == other_hash && file.size == other.size,
            _ => file.name == other.name && file.size == other.size,
        };
        // Of several files with this content, the one with this name is taken.
        let by_name = left.iter().position(|other| is_same(other) && other.name == file.name);
        if let Some(at) = by_name.or_else(|| left.iter().position(is_same)) {
            let other = left.swap_remove(at);
            is_checked &= file.hash.is_some() && other.hash.is_some();
        } else if unnamed > 0 {
            unnamed -= 1;
        } else {
            return FileMatch::Different;
        }
    }
    match (left.len() + unnamed, is_checked) {
        (0, true) => FileMatch::Same,
        (0, false) => FileMatch::Unchecked,
        _ => FileMatch::Missing,
    }
}
