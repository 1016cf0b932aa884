//! Files as users hand them over: dropped, picked, pasted; folders with everything in them.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemDirectoryReader, FileSystemEntry,
    FileSystemFileEntry,
};

use crate::messages::Source;

/// What was dropped or pasted, taken at once: a `DataTransfer` is empty as soon as its event is over.
pub struct Dropped {
    entries: Vec<FileSystemEntry>,
    files: Vec<Source>,
}

impl Dropped {
    /// Takes what an event carries.
    pub fn take(data: &DataTransfer) -> Self {
        let items = data.items();
        let entries: Vec<_> = (0..items.length())
            .filter_map(|at| items.get(at))
            .filter(|item| item.kind() == "file")
            .filter_map(|item| item.webkit_get_as_entry().ok().flatten())
            .collect();
        // An event that a script made has files, but no entries.
        let files = if entries.is_empty() { from_list(data.files()) } else { Vec::new() };
        Self { entries, files }
    }

    /// Whether nothing in it is a file.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.files.is_empty()
    }

    /// All files, those in folders too, in the order of their names.
    pub async fn sources(self) -> Vec<Source> {
        let mut sources = self.files;
        for entry in self.entries {
            let mut found = walk(entry).await;
            found.sort_by_key(Source::name);
            sources.append(&mut found);
        }
        sources
    }
}

/// The files of a picker; those of a folder with their path inside it.
pub fn from_list(list: Option<FileList>) -> Vec<Source> {
    let Some(list) = list else { return Vec::new() };
    let mut sources: Vec<_> = (0..list.length()).filter_map(|at| list.get(at)).map(from_file).collect();
    if sources.iter().any(|source| source.name().contains('/')) {
        sources.sort_by_key(Source::name);
    }
    sources
}

/// Pasted text as a file.
pub fn from_text(text: &str) -> Option<Source> {
    let file = File::new_with_str_sequence(&Array::of1(&text.into()), "pasted text").ok()?;
    Some(Source::File { name: file.name(), file })
}

fn from_file(file: File) -> Source {
    let path =
        js_sys::Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
    let name = path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name());
    Source::File { name, file }
}

/// Everything at and below an entry. No recursion: folders may be nested deeper than the stack.
async fn walk(entry: FileSystemEntry) -> Vec<Source> {
    let (mut left, mut found) = (vec![entry], Vec::new());
    while let Some(entry) = left.pop() {
        let name = entry.full_path().trim_start_matches('/').to_owned();
        if entry.is_directory() {
            let (children, all) = children(entry.unchecked_ref()).await;
            left.extend(children);
            if !all {
                found.push(Source::Closed { name: format!("{name}/") });
            }
        } else {
            found.push(match file_of(entry.unchecked_ref()).await {
                Some(file) => Source::File { name, file },
                None => Source::Closed { name },
            });
        }
    }
    found
}

/// A reader hands out a folder in parts (Chromium: 100), and an empty part at the end. What is in it, and whether that is
/// all.
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

async fn file_of(entry: &FileSystemFileEntry) -> Option<File> {
    let file = promise(|resolve, reject| {
        entry.file_with_callback_and_callback(resolve, reject);
        None
    });
    JsFuture::from(file).await.ok().map(JsCast::unchecked_into)
}

/// A promise from a function that takes two callbacks and may fail at once.
fn promise(mut call: impl FnMut(&Function, &Function) -> Option<JsValue>) -> Promise {
    Promise::new(&mut |resolve, reject| {
        if let Some(error) = call(&resolve, &reject) {
            // The promise has no other listener that could throw here.
            let _ = reject.call1(&JsValue::NULL, &error);
        }
    })
}
