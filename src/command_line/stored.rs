//! Reads traces of data sets through `queryscope-sql`, which is a separate program because it is many times as large.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::rows::MANIFEST;

/// Name of the program that reads and writes data sets.
const PROGRAM: &str = "queryscope-sql";

/// The program that reads and writes data sets: the file in the folder of this program if there is one, otherwise only
/// its name, which is looked up in the path.
pub fn sql_program() -> OsString {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let next_to = std::env::current_exe().ok().map(|path| path.with_file_name(&name));
    next_to.filter(|path| path.is_file()).map_or_else(|| OsString::from(&name), OsString::from)
}

/// A data set, or one trace of it.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct StoredPath {
    folder: PathBuf,
    /// Name of the trace; `None` for all.
    trace: Option<String>,
}

impl StoredPath {
    /// The data set, or the single trace of it, that a path names: the folder of the data set, or a path below that
    /// folder that does not exist as a file and ends in the name of a trace. `None` for any other path.
    pub fn of(path: &Path) -> Option<Self> {
        let is_dataset = |folder: &Path| folder.join(MANIFEST).is_file();
        if is_dataset(path) {
            return Some(Self { folder: path.to_owned(), trace: None });
        }
        if path.exists() {
            return None;
        }
        let folder = path.ancestors().skip(1).find(|folder| is_dataset(folder))?;
        let trace = path.strip_prefix(folder).ok()?.to_string_lossy().replace('\\', "/");
        Some(Self { folder: folder.to_owned(), trace: Some(trace) })
    }

    /// What to do about a folder that has the files of a data set, but not its manifest; `None` for any other folder.
    pub fn without_manifest(folder: &Path) -> Option<String> {
        // Every trace of a data set has runs.
        let mut days = fs::read_dir(folder.join("runs")).ok()?.flatten();
        days.any(|day| day.file_name().as_encoded_bytes().starts_with(b"day=")).then(|| {
            format!(
                "{}: the folder has the files of a data set, but not its manifest, {MANIFEST}. Put the manifest back, or convert the traces again into an empty folder",
                folder.display()
            )
        })
    }

    /// Names of the traces, in the order of the data set.
    ///
    /// # Errors
    /// A sentence if the manifest is damaged or has no such trace.
    pub fn traces(&self) -> Result<Vec<String>, String> {
        let path = self.folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let manifest: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let traces = manifest["traces"].as_array().map_or(&[][..], Vec::as_slice);
        let mut names: Vec<String> =
            traces.iter().filter_map(|trace| Some(trace["name"].as_str()?.to_owned())).collect();
        if let Some(wanted) = &self.trace {
            names.retain(|name| name == wanted || name.strip_prefix('/') == Some(wanted));
            if names.is_empty() {
                return Err(format!(
                    "{}: there is no trace “{wanted}”. \"queryscope sql {} 'SELECT DISTINCT trace FROM runs'\" lists all",
                    self.folder.display(),
                    self.folder.display()
                ));
            }
        }
        Ok(names)
    }

    /// Starts to read a trace in the format `queryscope`.
    pub fn open(&self, trace: &str) -> io::Result<StoredReader> {
        let mut command = Command::new(sql_program());
        command.arg("stored").arg(&self.folder).args(["--", trace]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(|error| {
            let about = format!(
                "data sets are read by {PROGRAM}, which cannot be run: {error}. Build it in the repository with \"cargo install --profile native --path sql\""
            );
            io::Error::new(error.kind(), about)
        })?;
        let out = child.stdout.take().ok_or_else(|| io::Error::other("no pipe"))?;
        Ok(StoredReader { child, out })
    }
}

/// A trace that is read through the program `queryscope-sql`.
pub(super) struct StoredReader {
    child: Child,
    out: std::process::ChildStdout,
}

impl Read for StoredReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.out.read(buffer)?;
        if read == 0 && !buffer.is_empty() && !self.child.wait()?.success() {
            return Err(io::Error::other(format!("{PROGRAM} could not read it")));
        }
        Ok(read)
    }
}

impl Drop for StoredReader {
    fn drop(&mut self) {
        // A trace that was not read to its end, because the memory limit was reached.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_data_sets_and_their_traces() {
        let folder = std::env::temp_dir().join(format!("queryscope-stored-{}", std::process::id()));
        fs::create_dir_all(folder.join("spans")).expect("a folder");
        let manifest = r#"{"traces":[{"name":"a.json"},{"name":"b/c.json"},{"name":"/srv/d.json"}]}"#;
        fs::write(folder.join(MANIFEST), manifest).expect("a file");
        let found = |path: &str| StoredPath::of(&folder.join(path)).map(|stored| stored.traces());
        for (path, expected) in [
            ("", &["a.json", "b/c.json", "/srv/d.json"][..]),
            ("a.json", &["a.json"]),
            ("b/c.json", &["b/c.json"]),
            ("srv/d.json", &["/srv/d.json"]),
        ] {
            let names = found(path).expect("a data set").expect("known traces");
            assert_eq!(names, expected, "{path}");
        }
        assert!(
            found("nothing.json")
                .expect("a data set")
                .is_err_and(|error| error.contains("there is no trace"))
        );
        assert_eq!(StoredPath::of(&folder.join("spans")), None);
        assert_eq!(StoredPath::without_manifest(&folder), None);
        fs::create_dir_all(folder.join("runs/day=2026-03-31")).expect("a folder");
        fs::remove_file(folder.join(MANIFEST)).expect("a file");
        assert_eq!(StoredPath::of(&folder), None);
        let lost = StoredPath::without_manifest(&folder).expect("files of a data set");
        assert!(lost.contains(MANIFEST) && lost.contains("Put the manifest back"), "{lost}");
        assert_eq!(StoredPath::of(Path::new("/nowhere/a.json")), None);
        fs::remove_dir_all(&folder).expect("the folder was made here");
    }
}
