//! The service worker, with which the site starts without a network.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use anyhow::{Result, ensure};

use super::SQL;
use super::files::names;
use super::names::is_by_content;

/// Files of the site that are kept for use without a network and whose names contain no hash.
const PLAIN: &[&str] = &["", "index.html", "config.json", "favicon.svg", "manifest.webmanifest"];
/// Folder with the sample run.
const SAMPLE: &str = "sample";

/// Writes `sw.js`, with the list of the files to keep and a hash of their content as its version.
///
/// # Errors
/// If a file is missing, or the script has no place for the list.
pub fn write(dist: &Path) -> Result<()> {
    let mut files: Vec<String> = PLAIN.iter().map(|&file| file.to_owned()).collect();
    let (later, first): (Vec<_>, Vec<_>) =
        names(dist)?.into_iter().filter(|name| is_by_content(name)).partition(|name| name.starts_with(SQL));
    files.extend(first);
    files.extend(names(&dist.join(SAMPLE))?.into_iter().map(|name| format!("{SAMPLE}/{name}")));
    let mut hasher = DefaultHasher::new();
    for file in files.iter().filter(|file| !file.is_empty()) {
        hasher.write(file.as_bytes());
        hasher.write(&fs::read(dist.join(file))?);
    }
    let path = dist.join("sw.js");
    let script = fs::read_to_string(&path)?;
    let [list, later] = [serde_json::to_string(&files)?, serde_json::to_string(&later)?];
    let filled = script
        .replace("const VERSION = \"\"", &format!("const VERSION = \"{:016x}\"", hasher.finish()))
        .replace("const FILES = []", &format!("const FILES = {list}"))
        .replace("const LATER = []", &format!("const LATER = {later}"));
    ensure!(
        filled.len() > script.len() + list.len() + later.len() - 4,
        "sw.js has no place for its version and its files"
    );
    Ok(fs::write(path, filled)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_worker_knows_the_files_of_this_build() -> Result<()> {
        let dist = std::env::temp_dir().join(format!("queryscope-offline-{}", std::process::id()));
        fs::create_dir_all(dist.join(SAMPLE))?;
        let build = |page: &str| -> Result<String> {
            for file in PLAIN.iter().filter(|file| !file.is_empty()) {
                fs::write(dist.join(file), page)?;
            }
            fs::write(dist.join("boot-0123456789abcdef.js"), "start")?;
            fs::write(dist.join("queryscope-single.html"), "not kept")?;
            fs::write(dist.join("queryscope-sql-0123456789abcdef.js"), "kept when it is used")?;
            fs::write(dist.join("sample/run.json.gz"), "")?;
            fs::write(dist.join("sw.js"), "const VERSION = \"\";\nconst FILES = [];\nconst LATER = [];")?;
            write(&dist)?;
            Ok(fs::read_to_string(dist.join("sw.js"))?)
        };
        let scripts = [build("a")?, build("b")?, build("a")?];
        assert_eq!((scripts[0] == scripts[1], scripts[0] == scripts[2]), (false, true));
        let list = "[\"\",\"index.html\",\"config.json\",\"favicon.svg\",\"manifest.webmanifest\",\"boot-0123456789abcdef.js\",\"sample/run.json.gz\"]";
        let later = "const LATER = [\"queryscope-sql-0123456789abcdef.js\"]";
        assert!(scripts[0].contains(list) && scripts[0].contains(later), "{}", scripts[0]);
        Ok(fs::remove_dir_all(&dist)?)
    }
}
