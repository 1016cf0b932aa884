//! Files that users drop, pick or paste, including folders with all their content.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemDirectoryReader, FileSystemEntry,
    FileSystemFileEntry,
};

use crate::host::page;
use crate::messages::Source;
use crate::words;

/// Dropped or pasted data, read at once because a `DataTransfer` is empty as soon as its event is over.
pub struct Dropped {
    entries: Vec<FileSystemEntry>,
    files: Vec<Source>,
}

impl Dropped {
    /// Takes the files and folders of an event.
    pub fn take(data: &DataTransfer) -> Self {
        let items = data.items();
        let entries: Vec<_> = (0..items.length())
            .filter_map(|at| items.get(at))
            .filter(|item| item.kind() == "file")
            .filter_map(|item| item.webkit_get_as_entry().ok().flatten())
            .collect();
        // The event of a script has files, but no entries.
        let files = if entries.is_empty() { from_list(data.files()) } else { Vec::new() };
        Self { entries, files }
    }

    /// Whether the data contains folders, which take time to search.
    pub fn has_folders(&self) -> bool {
        self.entries.iter().any(FileSystemEntry::is_directory)
    }

    /// Whether the data contains no file and no folder.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.files.is_empty()
    }

    /// Returns all files; files of a dropped folder are sorted by name. `found` is called with the number of files so far.
    pub async fn sources(self, found: impl Fn(usize)) -> Vec<Source> {
        let mut sources = self.files;
        for entry in self.entries {
            let before = sources.len();
            let mut below = walk(entry, |more| found(before + more)).await;
            below.sort_by_cached_key(Source::name);
            sources.append(&mut below);
        }
        sources
    }
}

/// The files of a file picker; files of a folder have their path inside the folder as name.
pub fn from_list(list: Option<FileList>) -> Vec<Source> {
    let Some(list) = list else { return Vec::new() };
    let mut sources: Vec<_> = (0..list.length()).filter_map(|at| list.get(at)).map(from_file).collect();
    if sources.iter().any(|source| source.name().contains('/')) {
        sources.sort_by_cached_key(Source::name);
    }
    sources
}

/// Pasted text as a file; `None` if the browser refuses to create it.
pub fn from_text(text: &str) -> Option<Source> {
    let file = File::new_with_str_sequence(&Array::of1(&text.into()), words::reading::PASTED_TEXT).ok()?;
    Some(Source::File { name: file.name(), file })
}

/// Files up to this size in bytes are hashed whole; larger ones by their first and last half of it.
const HASHED: f64 = (2 << 20) as f64;

/// The first 16 hexadecimal digits of a file's SHA-256, to recognise the file of a link. Of a file larger than 2 MiB, the
/// first MiB, the last MiB and the size in decimal digits are hashed instead, so that gigabytes need not be read for it.
/// `None` if the file cannot be read, or the browser computes no hashes because the page is not from a secure origin.
pub async fn content_hash(file: &File) -> Option<String> {
    let size = file.size();
    let part = |from: f64, to: f64| file.slice_with_f64_and_f64(from, to).ok();
    let content: Blob = if size <= HASHED {
        part(0.0, size)?
    } else {
        let parts = Array::of3(
            &part(0.0, HASHED / 2.0)?.into(),
            &part(size - HASHED / 2.0, size)?.into(),
            &(size as u64).to_string().into(),
        );
        Blob::new_with_blob_sequence(&parts).ok()?
    };
    let bytes = JsFuture::from(content.array_buffer()).await.ok()?;
    let hash = page::sha_256(&bytes).await?;
    Some(hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

fn from_file(file: File) -> Source {
    let path =
        js_sys::Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
    let name = path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name());
    Source::File { name, file }
}

/// Number of files requested at a time: a browser takes almost a millisecond for each file, and does nothing else while it
/// answers thousands of requests.
const AT_ONCE: usize = 64;

/// Returns all files in an entry and its subfolders. Iterative, because deep nesting could overflow the stack. `tell` receives the number
/// of files found so far.
async fn walk(entry: FileSystemEntry, tell: impl Fn(usize)) -> Vec<Source> {
    let (mut left, mut found) = (vec![entry], Vec::new());
    while !left.is_empty() {
        let (folders, files): (Vec<_>, Vec<_>) = left.drain(..).partition(FileSystemEntry::is_directory);
        for files in files.chunks(AT_ONCE) {
            found.append(&mut opened(files).await);
            tell(found.len());
        }
        for folder in folders {
            let (mut children, all) = children(folder.unchecked_ref()).await;
            left.append(&mut children);
            if !all {
                found.push(Source::Unreadable { name: format!("{}/", path(&folder)) });
            }
        }
    }
    found
}

fn path(entry: &FileSystemEntry) -> String {
    entry.full_path().trim_start_matches('/').to_owned()
}

/// Opens the files of `entries`, all requested at once.
async fn opened(entries: &[FileSystemEntry]) -> Vec<Source> {
    let files: Vec<JsFuture> = entries.iter().map(|entry| file_of(entry.unchecked_ref()).into()).collect();
    let mut sources = Vec::new();
    for (entry, file) in entries.iter().zip(files) {
        let name = path(entry);
        sources.push(match file.await {
            Ok(file) => Source::File { name, file: file.unchecked_into() },
            Err(_) => Source::Unreadable { name },
        });
    }
    sources
}

/// Returns the entries of a folder, and whether they are complete. A browser returns a folder in parts (Chromium: 100
/// entries each), with an empty part at the end.
async fn children(folder: &FileSystemDirectoryEntry) -> (Vec<FileSystemEntry>, bool) {
    let reader: FileSystemDirectoryReader = folder.create_reader();
    let mut children = Vec::new();
    loop {
        let part =
            promise(|resolve, reject| reader.read_entries_with_callback_and_callback(resolve, reject).err());
        let Ok(part) = JsFuture::from(part).await else { return (children, false) };
        let part: Array = part.unchecked_into();
        if part.length() == 0 {
            return (children, true);
        }
        children.extend(part.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}

fn file_of(entry: &FileSystemFileEntry) -> Promise {
    promise(|resolve, reject| {
        entry.file_with_callback_and_callback(resolve, reject);
        None
    })
}

/// Makes a promise from a function that takes two callbacks, one for success and one for failure, and may itself fail.
fn promise(mut call: impl FnMut(&Function, &Function) -> Option<JsValue>) -> Promise {
    Promise::new(&mut |resolve, reject| {
        if let Some(error) = call(&resolve, &reject) {
            // The promise has no other listener that could throw.
            let _ = reject.call1(&JsValue::NULL, &error);
        }
    })
}
