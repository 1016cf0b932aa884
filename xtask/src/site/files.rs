//! Lists the files of a folder, and finds the files of the site that contain the viewer's programs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::ENGINE;

/// Base name of the page's files, as Trunk names them.
pub const PAGE: &str = "queryscope-web";

/// All files in a folder and in the folders inside it.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("no folder {}", folder.display()))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    Ok(files)
}

/// Sorted names of the files in a folder; files in its subfolders are left out.
pub fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Names of the files that hold the viewer's programs, with the hash of their content.
pub struct ProgramFiles {
    pub page: String,
    pub page_module: String,
    pub engine: String,
    pub engine_module: String,
}

impl ProgramFiles {
    /// Finds the files in the folder of a built site.
    ///
    /// # Errors
    /// If the site lacks one of them.
    pub fn of(dist: &Path) -> Result<Self> {
        let names = names(dist)?;
        let find = |base: &str, end: &str| {
            let found = names.iter().find(|name| {
                let rest = name.strip_prefix(base).and_then(|rest| rest.strip_suffix(end));
                rest.is_some_and(|hash| hash.starts_with('-') && !hash.contains(['.', '_']))
            });
            found.cloned().with_context(|| format!("the site has no {base}-….{end}"))
        };
        Ok(Self {
            page: find(PAGE, ".js")?,
            page_module: find(PAGE, "_bg.wasm")?,
            engine: find(ENGINE, ".js")?,
            engine_module: find(ENGINE, "_bg.wasm")?,
        })
    }

    /// All names.
    pub fn all(&self) -> [&String; 4] {
        [&self.page, &self.page_module, &self.engine, &self.engine_module]
    }
}
