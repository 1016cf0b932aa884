//! The index of trends: whatever happens to it, trends are those of the files of the traces.

use crate::support;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use queryscope::export::{RunMeasure, TrendFormat, TrendOutput};
use queryscope_sql::dataset::{self, Dataset, DatasetWriter, MANIFEST, Manifest, block_on};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::trend::{GROUPINGS, RunOrder, TrendInputs, write_index};
use serde_json::Value;

/// Runs of the data set; from [`SLOWER`] on, one statement is slower.
const RUNS: usize = 12;
const SLOWER: usize = 6;
/// Reads of the index for a trend: the groups, and the executions near changes.
const INDEX_READS: u64 = 2;
/// A trace with sources and connectors, so that all groupings have groups.
const WITH_SOURCES: &str = "web/assets/sample/no-buffer.json.gz";

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-trend-index-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A run of two statements, one of them on a server whose name says its version.
fn run(at: usize, factor: usize) -> TraceRows {
    let mut text = format!(
        "{{\"queryscope\":\"trace\",\"version\":1}}\n{{\"run\":\"nightly\",\"texts\":{{\"version\":\"9.{}\"}}}}\n\
         {{\"track\":\"session\",\"kind\":\"thread\"}}\n",
        at / SLOWER
    );
    let mut start = 0;
    for query in 0..30_usize {
        let slower = if at >= SLOWER && query.is_multiple_of(2) { 150 } else { 100 };
        let duration = 10_000 * slower * factor + (at * 7 + query * 13) % 11 * 3_000;
        let table = if query.is_multiple_of(2) { "a" } else { "b" };
        let _ = writeln!(
            text,
            "{{\"span\":\"q{query}\",\"kind\":\"query\",\"start\":{start},\"duration\":{duration},\"texts\":{{\"SQL\":\"SELECT * FROM {table} WHERE id = {query}\"}}}}"
        );
        start += duration + 10;
    }
    let name = name(at);
    TraceRows::new(support::open([(name.as_str(), text)]), &name, Some("2026-03-31".to_owned()))
}

fn name(at: usize) -> String {
    format!("run-{at:02}.ndjson")
}

fn data_set(name: &str) -> PathBuf {
    let folder = folder(name);
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    for at in 0..RUNS {
        writer.add(&run(at, 1)).expect("written");
    }
    for at in 0..2 {
        let name = format!("sources-{at}");
        writer.add(&TraceRows::new(support::open_path(WITH_SOURCES), &name, None)).expect("written");
    }
    writer.commit().expect("written");
    folder
}

/// The trend of one grouping and measure as JSON, without its warnings, and these.
fn trend(
    folder: &Path,
    by: usize,
    measure: RunMeasure,
    engine: &str,
) -> (Result<Value, String>, Vec<String>, u64) {
    let dataset = Arc::new(Dataset::of_folder(folder).expect("a manifest"));
    dataset.begin_step(u64::MAX);
    let mut inputs = TrendInputs::new(GROUPINGS[by].1);
    block_on(inputs.add_dataset(&dataset, Some(engine))).expect("no limit");
    let found = block_on(inputs.trend(measure, RunOrder::Name));
    let requests = dataset.traffic().requests;
    let trend = match found {
        Ok(trend) => trend,
        Err(error) => return (Err(error.to_string()), Vec::new(), requests),
    };
    let mut out = Vec::new();
    let output = TrendOutput { trend: &trend, group_title: GROUPINGS[by].0, limit: None };
    output.write(TrendFormat::Json, &mut out).expect("memory");
    let mut json: Value = serde_json::from_slice(&out).expect("JSON");
    json.as_object_mut().expect("an object").remove("warnings");
    (Ok(json), trend.warnings.into_iter().map(|warning| warning.text).collect(), requests)
}

/// The trends of all groupings, without warnings, and all warnings.
fn trends(folder: &Path) -> (Vec<Result<Value, String>>, Vec<String>) {
    trends_of(folder, &[RunMeasure::P50])
}

fn trends_of(folder: &Path, measures: &[RunMeasure]) -> (Vec<Result<Value, String>>, Vec<String>) {
    let (mut found, mut warnings) = (Vec::new(), Vec::new());
    for by in 0..GROUPINGS.len() {
        for &measure in measures {
            for engine in ["queryscope", "kubling"] {
                let (trend, said, _) = trend(folder, by, measure, engine);
                found.push(trend);
                warnings.extend(said);
            }
        }
    }
    (found, warnings)
}

/// Number of reads for the trend of statements.
fn requests(folder: &Path) -> u64 {
    trend(folder, 0, RunMeasure::P50, "queryscope").2
}

fn manifest(folder: &Path) -> Manifest {
    Manifest::read(folder).expect("a manifest")
}

/// Changes the manifest without the writer.
fn edit(folder: &Path, change: impl FnOnce(&mut Manifest)) {
    let mut manifest = manifest(folder);
    change(&mut manifest);
    manifest.write(folder).expect("written");
}

fn index_files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.join("trend_index")).expect("a folder").flatten();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn named_index_files(folder: &Path) -> Vec<PathBuf> {
    let index = manifest(folder).trend_index.expect("an index");
    let mut files: Vec<PathBuf> = index.all_files().map(|file| folder.join(&file.path)).collect();
    files.sort();
    files
}

/// Compares the trends with those without an index. Returns the warnings.
fn check(folder: &Path, about: &str) -> Vec<String> {
    check_measures(folder, about, &[RunMeasure::P50])
}

fn check_measures(folder: &Path, about: &str, measures: &[RunMeasure]) -> Vec<String> {
    let (with, warnings) = trends_of(folder, measures);
    let before = fs::read(folder.join(MANIFEST)).expect("a file");
    edit(folder, |manifest| manifest.trend_index = None);
    let (without, other_warnings) = trends_of(folder, measures);
    fs::write(folder.join(MANIFEST), before).expect("written");
    assert_eq!(other_warnings, [""; 0], "{about}");
    assert!(with == without, "{about}: {with:#?}\n{without:#?}");
    warnings
}

#[test]
fn trends_are_those_of_the_files_of_the_traces() {
    let folder = data_set("law");
    let all_groupings = |folder: &Path| {
        let found = |by| trend(folder, by, RunMeasure::P50, "kubling").0.is_ok();
        (0..GROUPINGS.len()).all(found)
    };
    assert!(all_groupings(&folder), "the traces have groups of all kinds");
    let planted = trend(&folder, 0, RunMeasure::P50, "queryscope").0.expect("a trend");
    assert!(planted.to_string().contains("\"run\":6"), "{planted:#}");
    let warnings = check_measures(&folder, "new", &RunMeasure::ALL);
    assert_eq!((warnings, requests(&folder) <= INDEX_READS), (vec![], true));
    assert_eq!(index_files(&folder), named_index_files(&folder));
    dataset::add_trace(&folder, &run(RUNS, 1)).expect("written");
    assert_eq!((check(&folder, "appended"), requests(&folder) <= INDEX_READS), (vec![], true));
    dataset::add_trace(&folder, &run(3, 2)).expect("written");
    assert_eq!((check(&folder, "replaced"), requests(&folder) <= INDEX_READS), (vec![], true));
    // Traces that the index does not have, or has as they were.
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    let old_index = manifest(&folder).trend_index;
    writer.add(&run(RUNS + 1, 1)).expect("written");
    writer.add(&run(4, 3)).expect("written");
    writer.publish().expect("written");
    drop(writer);
    assert_eq!(manifest(&folder).trend_index, old_index, "publishing does not write an index");
    assert_eq!(check(&folder, "published"), [""; 0]);
    assert!(requests(&folder) > INDEX_READS);
    // A trace that another program removed.
    edit(&folder, |manifest| manifest.traces.retain(|trace| trace.name != name(5)));
    assert_eq!(check(&folder, "removed"), [""; 0]);
    drop(DatasetWriter::open(&folder).expect("a writer"));
    assert_eq!(check(&folder, "removed, and its files"), [""; 0]);
    // Only those that are not in the index are read of their own files.
    dataset::add_trace(&folder, &run(5, 1)).expect("written");
    assert_eq!((check(&folder, "added again"), requests(&folder) <= INDEX_READS), (vec![], true));
    assert_eq!(index_files(&folder), named_index_files(&folder));
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn data_sets_of_older_versions_get_an_index() {
    let folder = data_set("older");
    let expected = trends(&folder);
    // As an older version writes the manifest: without what it does not know, and with spaces.
    let text = fs::read(folder.join(MANIFEST)).expect("a file");
    let mut old: Value = serde_json::from_slice(&text).expect("JSON");
    old.as_object_mut().expect("an object").remove("trend_index");
    fs::write(folder.join(MANIFEST), serde_json::to_string_pretty(&old).expect("JSON")).expect("written");
    assert_eq!(trends(&folder), expected);
    assert!(requests(&folder) > INDEX_READS);
    // The next writer removes the files that the older one left, and makes an index of all traces.
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    assert_eq!(index_files(&folder), [""; 0].map(PathBuf::from));
    writer.add(&run(0, 1)).expect("written");
    writer.commit().expect("written");
    assert_eq!((trends(&folder), requests(&folder) <= INDEX_READS), (expected, true));
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn a_writer_that_ends_before_the_manifest_leaves_the_old_index() {
    let folder = data_set("crash");
    let (before, old_files) = (trends(&folder), index_files(&folder));
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    writer.add(&run(2, 3)).expect("written");
    // The new index is there, and the manifest does not name it.
    let mut planned = manifest(&folder);
    planned.traces.retain(|trace| trace.name != name(7));
    write_index(&folder, &planned).expect("written");
    drop(writer);
    let half = folder.join("trend_index/execution_groups-shape.new");
    fs::write(&half, "PAR1").expect("written");
    let foreign = folder.join("trend_index/mine.parquet");
    fs::write(&foreign, "mine").expect("written");
    assert!(index_files(&folder).len() > old_files.len() + 2);
    assert_eq!(trends(&folder), before);
    drop(DatasetWriter::open(&folder).expect("a writer"));
    assert!(foreign.exists(), "files of other people stay");
    fs::remove_file(&foreign).expect("a file");
    assert_eq!((index_files(&folder), trends(&folder)), (old_files, before));
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// What is wrong with the index is said, and trends are those of the files of the traces.
#[test]
fn a_damaged_index_is_not_used() {
    let folder = data_set("damage");
    let whole = fs::read(folder.join(MANIFEST)).expect("a file");
    let files = manifest(&folder).trend_index.expect("an index").files;
    for file in &files["shape"] {
        let path = folder.join(&file.path);
        let content = fs::read(&path).expect("a file");
        let other = files["name"].iter().find(|other| other.table == file.table).expect("a file");
        let other = fs::read(folder.join(&other.path)).expect("a file");
        let changed: Vec<u8> = content.iter().map(|byte| !byte).collect();
        for (damage, part) in [
            (None, "No such file"),
            (Some(&content[..content.len() / 2]), "bytes, and the manifest says"),
            (Some(&changed), ""),
            (Some(&other), "the manifest says"),
        ] {
            match damage {
                Some(damage) => fs::write(&path, damage).expect("written"),
                None => fs::remove_file(&path).expect("a file"),
            }
            let warnings = check(&folder, &format!("{}: {part}", file.path));
            assert!(!warnings.is_empty(), "{}: {part}", file.path);
            for warning in warnings {
                let name = path.file_name().expect("a name").to_string_lossy();
                let start = "The index of trends is not used, so the files of each trace are read: ";
                assert!(warning.starts_with(start) && warning.contains(&*name), "{warning}");
                assert!(
                    warning.contains(part) && warning.contains("The next “queryscope convert”"),
                    "{warning}"
                );
            }
            fs::write(&path, &content).expect("written");
        }
    }
    assert_eq!(check(&folder, "restored"), [""; 0]);
    // An index without the files of a grouping, and one of other files of a trace.
    edit(&folder, |manifest| {
        let index = manifest.trend_index.as_mut().expect("an index");
        index.files.remove("shape");
    });
    assert_eq!(check(&folder, "no files of a grouping"), [""; 0]);
    fs::write(folder.join(MANIFEST), &whole).expect("written");
    for table in 0..2 {
        edit(&folder, |manifest| {
            let index = manifest.trend_index.as_mut().expect("an index");
            index.traces.values_mut().for_each(|hashes| hashes[table] = "0".repeat(16));
        });
        assert_eq!(check(&folder, "other files of the traces"), [""; 0]);
        assert!(requests(&folder) > INDEX_READS);
        fs::write(folder.join(MANIFEST), &whole).expect("written");
    }
    // The program says it, and nothing is missing.
    let shape = folder.join(&files["shape"][0].path);
    fs::write(&shape, "PAR1").expect("written");
    let run_trend = || {
        let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"))
            .args(["trend", "--engine", "queryscope"])
            .arg(&folder)
            .output();
        let run = run.expect("the program runs");
        (run.status.success(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (is_whole, error) = run_trend();
    assert!(is_whole && error.contains("The index of trends is not used"), "{error}");
    // The next writer makes the index again.
    dataset::add_trace(&folder, &run(0, 1)).expect("written");
    assert_eq!((check(&folder, "written again"), run_trend()), (vec![], (true, String::new())));
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A trace whose files are damaged is left out, and named.
#[test]
fn a_damaged_trace_is_left_out_of_trends() {
    let folder = data_set("left-out");
    let path = |folder: &Path, table: &str| {
        let manifest = manifest(folder);
        let trace = manifest.traces.iter().find(|trace| trace.name == name(7)).expect("a trace");
        folder.join(&trace.file(table).expect("a file").path)
    };
    let run_trend = |form: &str| {
        let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"))
            .args(["trend", "--engine", "queryscope", "--format", form])
            .arg(&folder)
            .output();
        let run = run.expect("the program runs");
        let [out, error] = [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        (run.status.success(), out, error)
    };
    let with_index = run_trend("json");
    assert!(with_index.0 && with_index.2.is_empty(), "{}", with_index.2);
    let (groups, samples) = (path(&folder, "execution_groups"), path(&folder, "execution_samples"));
    fs::remove_file(&groups).expect("a file");
    assert_eq!(run_trend("json"), with_index, "the index has its groups");
    edit(&folder, |manifest| manifest.trend_index = None);
    let (is_whole, json, error) = run_trend("json");
    let found: Value = serde_json::from_str(&json).expect("JSON");
    assert!(!is_whole && error.starts_with("queryscope: “run-07.ndjson” is left out: "), "{error}");
    assert!(error.contains("Convert “run-07.ndjson” again"), "{error}");
    assert_eq!(found["runs"].as_array().map(Vec::len), Some(RUNS - 1));
    assert_eq!(found["warnings"][0]["trace"], "run-07.ndjson");
    assert!(run_trend("text").1.contains("Some files could not be read"));
    // A new index does not have it, so that it is named again.
    dataset::add_trace(&folder, &run(RUNS, 1)).expect("written");
    let again = run_trend("json");
    assert!(!again.0 && again.2.contains("“run-07.ndjson” is left out: "), "{}", again.2);
    // Without the samples, its runs are in the trend, and its executions are not compared.
    dataset::add_trace(&folder, &run(7, 1)).expect("written");
    edit(&folder, |manifest| manifest.trend_index = None);
    fs::write(&samples, "PAR1").expect("written");
    let (is_whole, json, error) = run_trend("json");
    let found: Value = serde_json::from_str(&json).expect("JSON");
    let start = "queryscope: The executions of “run-07.ndjson” near changes are not compared: ";
    assert!(!is_whole && error.starts_with(start), "{error}");
    assert_eq!(found["runs"].as_array().map(Vec::len), Some(RUNS + 1));
    assert!(json.contains("\"of_executions\": {"), "those of other runs are compared");
    // If nothing can be read, there is no trend.
    for file in manifest(&folder).files().filter(|file| file.table == "execution_groups") {
        fs::remove_file(folder.join(&file.path)).expect("a file");
    }
    let (is_whole, out, error) = run_trend("json");
    assert!(!is_whole && out.is_empty() && error.contains("12 more traces cannot be read"), "{error}");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
