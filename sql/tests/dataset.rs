//! Data sets: what is written is read back and says the same, for every format.

#[path = "../../tests/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::{env, fs};

use queryscope::export::Report;
use queryscope::internal::testing::{dump, dump_rest};
use queryscope::protocol::{ExportSpec, FileReport};
use queryscope::session::Session;
use queryscope::trace::Trace;
use queryscope_sql::dataset::{self, MANIFEST, Manifest};
use queryscope_sql::rows::TraceRows;

/// A new folder below the temporary one.
fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-dataset-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn opened(path: &Path) -> Session {
    support::open([(path.to_string_lossy(), fs::read(path).expect("the file can be read"))])
}

fn rows(path: &Path, name: &str) -> TraceRows {
    TraceRows::new(opened(path), name, Some("2026-03-31".to_owned()))
}

/// Rules whose findings are about problems of the files, which `files` and `problems` hold.
const OF_FILES: [&str; 2] = ["lost", "clocks"];

fn report(trace: &Trace, files: Vec<FileReport>) -> Vec<String> {
    let mut report = serde_json::to_value(Report::of(trace, files)).expect("plain data");
    report.as_object_mut().expect("an object").remove("files");
    if let Some(findings) = report["findings"].as_array_mut() {
        findings.retain(|finding| !OF_FILES.iter().any(|rule| finding["rule"] == **rule));
    }
    format!("{report:#}").lines().map(str::to_owned).collect()
}

fn lines(trace: &Trace) -> Vec<String> {
    dump(trace).into_iter().chain(dump_rest(trace)).collect()
}

fn saved(session: &Session) -> Vec<String> {
    let mut export = session.export(&ExportSpec::default());
    let mut out = Vec::new();
    while export.step(session.trace(), &mut out) {}
    String::from_utf8(out).expect("the format is text").lines().map(str::to_owned).collect()
}

/// What differs first; `None` if nothing does.
fn difference(what: &str, left: &[String], right: &[String]) -> Option<String> {
    let first = left.iter().zip(right).position(|(left, right)| left != right);
    let at = first.unwrap_or(left.len().min(right.len()));
    (left != right).then(|| format!("{what}, line {at}:\n  {:?}\n  {:?}", left.get(at), right.get(at)))
}

/// What is not the same after a trace was added to a data set and read back.
fn broken_law(path: &Path, folder: &Path) -> Option<String> {
    let name = path.to_string_lossy();
    let session = opened(path);
    let (before, files) = (lines(session.trace()), session.report());
    let (told, written) = (report(session.trace(), session.report()), saved(&session));
    dataset::add_trace(folder, &TraceRows::new(session, &name, None)).expect("the folder can be written to");
    let content = dataset::read_trace(folder, &name).expect("it was written");
    let again = support::open([("stored.ndjson", &content.lines)]);
    let problems = again.report().remove(0).problems;
    difference("trace", &before, &lines(again.trace()))
        .or_else(|| (!problems.is_empty()).then(|| format!("{problems:?}")))
        .or_else(|| (content.files != files).then(|| format!("{files:?}\n{:?}", content.files)))
        .or_else(|| difference("report", &told, &report(again.trace(), files)))
        .or_else(|| difference("saved trace", &written, &saved(&again)))
}

#[test]
fn what_is_stored_is_read_back() {
    let folder = folder("law");
    let traces = fixtures();
    let broken = |path: &Path| Some(format!("{}: {}", path.display(), broken_law(path, &folder)?));
    let broken: Vec<String> = traces.iter().filter_map(|path| broken(path)).collect();
    assert!(broken.is_empty(), "{} of {}\n{}", broken.len(), traces.len(), broken.join("\n"));
    assert_eq!(Manifest::read(&folder).expect("a manifest").traces.len(), traces.len());
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// The small traces of every format.
fn fixtures() -> Vec<PathBuf> {
    let folders = fs::read_dir(fixture("")).expect("the traces are there").flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).filter(|path| path.is_file()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending != "txt"));
    files.sort();
    files
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/traces").join(name)
}

/// All Parquet files of a folder.
fn parquet_files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(parquet_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "parquet") {
            found.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    found.sort();
    found
}

#[test]
fn a_rerun_replaces_its_own_files_only() {
    let folder = folder("rerun");
    let small = fixture("chrome/flows.json");
    let other = fixture("chrome/counters.json");
    dataset::add_trace(&folder, &rows(&small, "a")).expect("written");
    dataset::add_trace(&folder, &rows(&other, "b")).expect("written");
    let before = parquet_files(&folder);
    let times: Vec<_> = before.iter().map(|path| fs::metadata(path).expect("a file").len()).collect();
    // Another day: all files of `a` move, those of `b` stay.
    let mut again = rows(&small, "a");
    again.day = Some("2026-04-01".to_owned());
    dataset::add_trace(&folder, &again).expect("written");
    let after = parquet_files(&folder);
    assert_eq!(after.len(), before.len());
    assert!(after.iter().any(|path| path.contains("day=2026-04-01")));
    let moved = |path: &&String| !after.contains(path);
    assert!(before.iter().filter(moved).all(|path| path.ends_with(&format!("{:016x}.parquet", again.id))));
    dataset::add_trace(&folder, &rows(&small, "a")).expect("written");
    assert_eq!(parquet_files(&folder), before);
    let sizes: Vec<_> = before.iter().map(|path| fs::metadata(path).expect("a file").len()).collect();
    assert_eq!(sizes, times, "the same trace gives the same files");
    let manifest = Manifest::read(&folder).expect("a manifest");
    let mut named: Vec<String> =
        manifest.traces.iter().flat_map(|trace| &trace.files).map(|f| f.path.clone()).collect();
    named.sort();
    let listed: Vec<String> =
        before.iter().map(|path| path[folder.to_string_lossy().len() + 1..].to_owned()).collect();
    assert_eq!(named, listed, "the manifest names all files");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn damage_is_a_sentence() {
    let folder = folder("damage");
    dataset::add_trace(&folder, &rows(&fixture("chrome/flows.json"), "a")).expect("written");
    let spans = parquet_files(&folder).into_iter().find(|path| path.contains("/spans/")).expect("spans");
    let whole = fs::read(&spans).expect("a file");
    fs::write(&spans, &whole[..whole.len() / 2]).expect("written");
    let error = dataset::stored_tables(&folder).expect_err("it is damaged").to_string();
    assert!(error.contains("it is damaged or was replaced"), "{error}");
    let error = dataset::read_trace(&folder, "a").err().expect("it is damaged").to_string();
    assert!(error.contains(".parquet: "), "{error}");
    for (manifest, part) in [
        ("{", "EOF while parsing"),
        (r#"{"queryscope":"dataset","version":99,"traces":[]}"#, "a manifest of version 99"),
        (
            r#"{"queryscope":"dataset","version":1,"traces":[{"trace_id":"1","name":"","engine":"","day":"","files":[{"table":"spans","path":"../x","bytes":1,"rows":1}]}]}"#,
            "is outside the folder",
        ),
    ] {
        fs::write(folder.join(MANIFEST), manifest).expect("written");
        let error = dataset::stored_tables(&folder).expect_err("it is damaged").to_string();
        assert!(error.contains(part), "{error}");
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
