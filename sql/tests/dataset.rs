//! Data sets: what is written is read back and says the same, for every format.

use crate::support;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use crate::support::round_trip::{difference, report_lines, trace_lines, written};
use datafusion::arrow::datatypes::DataType;
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy, ParquetMetaDataReader};
use queryscope::protocol::{ExportSpec, FileReport, LOST_IN_ORIGINAL};
use queryscope::session::Session;
use queryscope_sql::dataset::{self, Dataset, DatasetWriter, MANIFEST, Manifest, block_on};
use queryscope_sql::output::{self, OutputForm};
use queryscope_sql::query::{Engine, Limits};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::schema;

/// A new folder below the temporary one.
fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-dataset-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A trace that is a file, or a folder of files.
fn opened(path: &Path) -> Session {
    support::open_path(&path.to_string_lossy())
}

fn rows(path: &Path, name: &str) -> TraceRows {
    TraceRows::new(opened(path), name, Some("2026-03-31".to_owned()))
}

/// What is not the same after a trace was added to a data set and read back.
fn broken_law(path: &Path, folder: &Path) -> Option<String> {
    let name = path.to_string_lossy();
    let session = opened(path);
    let (before, files) = (trace_lines(session.trace()), session.report());
    let (expected, saved) = (report_lines(session.trace(), session.report()), written_lines(&session));
    dataset::add_trace(folder, &TraceRows::new(session, &name, None)).expect("the folder can be written to");
    let content =
        Dataset::of_folder(folder).and_then(|set| block_on(set.read_trace(&name))).expect("it was written");
    let again = support::open([("stored.ndjson", &content.lines)]);
    let problems = again.report().remove(0).problems;
    let told: Vec<(bool, u64)> =
        problems.iter().map(|problem| (problem.name == LOST_IN_ORIGINAL, problem.count)).collect();
    let unread = again.report().remove(0).reported;
    difference(&before, &trace_lines(again.trace()))
        .or_else(|| (unread > 0).then(|| format!("{unread} lines: {problems:?}")))
        .or_else(|| (totals(&told) != totals(&known_problems(&files))).then(|| format!("{problems:?}")))
        .or_else(|| (content.files != files).then(|| format!("{files:?}\n{:?}", content.files)))
        .or_else(|| difference(&expected, &report_lines(again.trace(), files)))
        .or_else(|| difference(&saved, &written_lines(&again)))
}

/// What was wrong with the original files: whether data is missing, and how often.
fn known_problems(files: &[FileReport]) -> Vec<(bool, u64)> {
    let problems = files.iter().flat_map(|file| &file.problems).map(|problem| (problem.lost, problem.count));
    problems.chain(files.iter().filter(|file| file.missing.is_some()).map(|_| (true, 1))).collect()
}

fn totals(problems: &[(bool, u64)]) -> [u64; 2] {
    [false, true]
        .map(|lost| problems.iter().filter(|problem| problem.0 == lost).map(|problem| problem.1).sum())
}

fn written_lines(session: &Session) -> Vec<String> {
    written(session, &ExportSpec::default()).lines().map(str::to_owned).collect()
}

#[test]
fn what_is_stored_is_read_back() {
    let folder = folder("law");
    let mut traces = support::fixtures();
    traces.extend(["mysql/thread", "mysql/graph"].map(fixture));
    let broken = |path: &Path| Some(format!("{}: {}", path.display(), broken_law(path, &folder)?));
    let broken: Vec<String> = traces.iter().filter_map(|path| broken(path)).collect();
    assert!(broken.is_empty(), "{} of {}\n{}", broken.len(), traces.len(), broken.join("\n"));
    assert_eq!(Manifest::read(&folder).expect("a manifest").traces.len(), traces.len());
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// What other programs rely on when they read a file.
#[test]
fn files_say_how_they_are_read_best() {
    let folder = folder("footer");
    let stored = dataset::add_trace(&folder, &rows(&fixture("kubling/cut-off.json"), "a")).expect("written");
    let file = File::open(folder.join(&stored.file("spans").expect("spans").path)).expect("a file");
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    let metadata = reader.parse_and_finish(&file).expect("a footer and a page index");
    let about = metadata.file_metadata();
    let names: Vec<&str> = about.schema_descr().columns().iter().map(|column| column.name()).collect();
    for group in metadata.row_groups() {
        let sorted = group.sorting_columns().expect("an order").iter();
        let sorted: Vec<&str> = sorted.map(|column| names[column.column_idx as usize]).collect();
        assert_eq!(sorted, ["track_id", "start_ns"]);
        let is_zstd = |column: &ColumnChunkMetaData| matches!(column.compression(), Compression::ZSTD(_));
        assert!(group.columns().iter().all(is_zstd));
        let filtered = group.columns().iter().filter(|column| column.bloom_filter_offset().is_some());
        let filtered: Vec<String> = filtered.map(|column| column.column_path().string()).collect();
        assert_eq!(filtered, ["trace_id", "query_id"]);
    }
    let schema = parquet_to_arrow_schema(about.schema_descr(), about.key_value_metadata()).expect("a schema");
    let table = schema::table("spans").expect("a table");
    assert_eq!(schema.fields(), schema::stored_schema(table).fields());
    let field = |name: &str| schema.field_with_name(name).expect("a column");
    let text = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    assert_eq!((field("span_id").data_type(), field("name").data_type()), (&DataType::Int64, &text));
    assert_eq!(field("duration_ns").metadata().get("unit").map(String::as_str), Some("nanoseconds"));
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

fn fixture(name: &str) -> PathBuf {
    support::root().join("tests/traces").join(name)
}

/// The Parquet files of the index of trends.
fn index_files(folder: &Path) -> Vec<String> {
    parquet_files(&folder.join("trend_index"))
}

/// The Parquet files of traces.
fn trace_files(folder: &Path) -> Vec<String> {
    let of_index = index_files(folder);
    parquet_files(folder).into_iter().filter(|path| !of_index.contains(path)).collect()
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
    let (before, index) = (trace_files(&folder), index_files(&folder));
    let times: Vec<_> = before.iter().map(|path| fs::metadata(path).expect("a file").len()).collect();
    // Another day: all files of `a` move, those of `b` stay.
    let mut again = rows(&small, "a");
    again.identity.day = Some("2026-04-01".to_owned());
    dataset::add_trace(&folder, &again).expect("written");
    let after = trace_files(&folder);
    assert_eq!(after.len(), before.len());
    assert!(after.iter().any(|path| path.contains("day=2026-04-01")));
    let moved = |path: &&String| !after.contains(path);
    assert!(before.iter().filter(moved).all(|path| path.contains(&format!("/{:016x}-", again.identity.id))));
    dataset::add_trace(&folder, &rows(&small, "a")).expect("written");
    assert_eq!((trace_files(&folder), index_files(&folder)), (before.clone(), index.clone()));
    let sizes: Vec<_> = before.iter().map(|path| fs::metadata(path).expect("a file").len()).collect();
    assert_eq!(sizes, times, "the same trace gives the same files");
    let manifest = Manifest::read(&folder).expect("a manifest");
    let mut named: Vec<String> = manifest.files().map(|file| file.path.clone()).collect();
    named.sort();
    let all = before.iter().chain(&index);
    let mut listed: Vec<String> =
        all.map(|path| path[folder.to_string_lossy().len() + 1..].to_owned()).collect();
    listed.sort();
    assert_eq!(named, listed, "the manifest names all files");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// The rows of `spans` of each trace, as statements see them; the sentence if there is no answer.
fn answer(folder: &Path) -> Result<String, String> {
    let stored = Dataset::of_folder(folder)
        .and_then(|set| block_on(Arc::new(set).tables()))
        .map_err(|error| error.to_string())?;
    let engine = Engine::new(&[], vec![stored], Limits::default()).map_err(|error| error.to_string())?;
    let sql = "SELECT r.trace, r.day, count(*) AS n, sum(s.duration_ns) AS total FROM spans s \
               JOIN runs r ON r.trace_id = s.trace_id AND r.run_id = s.run_id GROUP BY 1, 2 ORDER BY 1, 2";
    let result = engine.run(sql).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    output::write(&result, OutputForm::Csv, &mut out).map_err(|error| error.to_string())?;
    String::from_utf8(out).map_err(|error| error.to_string())
}

/// Files that the manifest does not name.
fn unnamed(folder: &Path) -> Vec<String> {
    let manifest = Manifest::read(folder).expect("a manifest");
    let is_named = |path: &String| manifest.files().any(|file| path.ends_with(&file.path));
    parquet_files(folder).into_iter().filter(|path| !is_named(path)).collect()
}

/// A writer that ends between any two of its steps: readers see the data set as it was or as it should be, and the next writer removes
/// what is left.
#[test]
fn a_writer_that_ends_early_changes_nothing_or_everything() {
    let folder = folder("early");
    let (small, other) = (fixture("chrome/flows.json"), fixture("chrome/cpu-time.json"));
    dataset::add_trace(&folder, &rows(&small, "a")).expect("written");
    dataset::add_trace(&folder, &rows(&small, "b")).expect("written");
    let before = answer(&folder).expect("an answer");
    let old_files = parquet_files(&folder);
    let kept: Vec<(String, Vec<u8>)> =
        old_files.iter().map(|path| (path.clone(), fs::read(path).expect("a file"))).collect();
    // Before the manifest: the new files are there, some of them half.
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    let mut again = rows(&other, "a");
    again.identity.day = Some("2026-04-02".to_owned());
    let stored = writer.add(&again).expect("written");
    drop(writer);
    let half =
        folder.join("spans/day=2026-04-02/engine=chrome").join(format!("{:016x}.new", again.identity.id));
    fs::write(&half, b"PAR1").expect("written");
    fs::write(folder.join(format!("{MANIFEST}.new")), "{").expect("written");
    assert_eq!(answer(&folder).as_ref(), Ok(&before));
    assert_eq!(unnamed(&folder).len(), stored.files.len());
    drop(DatasetWriter::open(&folder).expect("a writer"));
    assert_eq!((parquet_files(&folder), half.exists()), (old_files, false));
    // After the manifest, before the old files are removed.
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    writer.add(&again).expect("written");
    writer.commit().expect("written");
    let after = answer(&folder).expect("an answer");
    assert!(after != before && after.contains("a,2026-04-02"), "{after}");
    drop(writer);
    for (path, content) in &kept {
        fs::write(path, content).expect("written");
    }
    assert!(!unnamed(&folder).is_empty());
    assert_eq!(answer(&folder).as_ref(), Ok(&after), "no row counts twice");
    drop(DatasetWriter::open(&folder).expect("a writer"));
    assert_eq!(unnamed(&folder), [""; 0]);
    assert_eq!(answer(&folder).as_ref(), Ok(&after));
    // Files of other people stay.
    let foreign = folder.join("spans/day=2026-04-02/engine=chrome/mine.parquet");
    fs::write(&foreign, "mine").expect("written");
    dataset::add_trace(&folder, &rows(&small, "c")).expect("written");
    assert!(foreign.exists());
    // Without its manifest, nothing is removed.
    fs::remove_file(folder.join(MANIFEST)).expect("a file");
    let error = DatasetWriter::open(&folder).err().expect("no manifest").to_string();
    assert!(error.contains("no manifest. Put the manifest back"), "{error}");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// The program is killed at forty moments of its work.
#[test]
fn a_killed_program_changes_nothing_or_everything() {
    let folder = folder("killed");
    let (small, other) = (fixture("chrome/flows.json"), fixture("kubling/cut-off.json"));
    let convert = |file: &Path, day: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"));
        command.args(["convert", "--name", "a", "--day", day, "-o"]).arg(&folder).arg(file);
        command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("the program runs")
    };
    let begin = Instant::now();
    convert(&small, "2026-03-31").wait().expect("it ends");
    let whole = begin.elapsed();
    let first = answer(&folder).expect("an answer");
    convert(&other, "2026-04-01").wait().expect("it ends");
    let second = answer(&folder).expect("an answer");
    assert_ne!(first, second);
    let (mut changed, mut now) = (0, second.clone());
    for moment in 0..40_u32 {
        let (file, day, next) =
            if now == first { (&other, "2026-04-01", &second) } else { (&small, "2026-03-31", &first) };
        let mut child = convert(file, day);
        thread::sleep((whole * (moment % 20 + 1)).div_f64(20.0).min(Duration::from_secs(5)));
        let _ = child.kill();
        child.wait().expect("it ends");
        let found = answer(&folder).expect("an answer");
        assert!(found == now || found == *next, "moment {moment}: {found}");
        changed += u32::from(found == *next);
        now = found;
    }
    convert(&small, "2026-03-31").wait().expect("it ends");
    assert_eq!((answer(&folder).as_ref(), unnamed(&folder).len()), (Ok(&first), 0));
    assert!(changed < 40, "some were killed before they changed anything");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A trace of a data set is a file for all commands, and so is the data set.
#[test]
fn traces_of_a_data_set_are_read_as_files() {
    let folder = folder("files");
    dataset::add_trace(&folder, &rows(&fixture("chrome/flows.json"), "a/flows.json")).expect("written");
    dataset::add_trace(&folder, &rows(&fixture("chrome/counters.json"), "b.json")).expect("written");
    let count = |path: &str, table: &str| {
        let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"))
            .args(["sql", "--format", "csv"])
            .arg(folder.join(path))
            .arg(format!("SELECT count(*) AS n FROM {table}"))
            .output()
            .expect("the program runs");
        (String::from_utf8_lossy(&run.stdout).into_owned(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let spans = |path: &str| count(path, "spans").0.lines().nth(1).and_then(|n| n.parse::<u64>().ok());
    let all = spans("").expect("a number");
    assert!(spans("a/flows.json") > Some(0));
    assert_eq!(spans("a/flows.json").zip(spans("b.json")).map(|(a, b)| a + b), Some(all));
    let (_, error) = count("c.json", "spans");
    assert!(error.contains("there is no trace “c.json”"), "{error}");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn days_are_days_of_the_calendar() {
    let folder = folder("days");
    for (day, is_day) in [
        ("2026-03-31", true),
        ("2024-02-29", true),
        ("2026-02-29", false),
        ("2026-99-99", false),
        ("2026-3-31", false),
        ("0000-00-00", false),
        ("31.03.2026", false),
        ("", false),
        ("../..", false),
    ] {
        let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql"))
            .args(["convert", "--day", day, "-o"])
            .args([&folder, &fixture("chrome/flows.json")])
            .output()
            .expect("the program runs");
        let error = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.success(), is_day, "{day}: {error}");
        assert_eq!(error.contains("expected a day of the calendar such as 2026-03-31"), !is_day, "{error}");
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
