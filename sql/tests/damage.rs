//! Data sets with damaged files and manifests that lie: a sentence that names the file, and an answer to all that does not need it.

use crate::support;

use std::hash::Hasher;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use bytes::Bytes;
use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::ParquetMetaDataReader;
use queryscope::export::{GroupBy, RunMeasure};
use queryscope_sql::dataset::{self, Dataset, DatasetError, MANIFEST, Manifest, StoredFile, block_on};
use queryscope_sql::identity::trace_id;
use queryscope_sql::output::{self, OutputForm};
use queryscope_sql::query::{Engine, Limits};
use queryscope_sql::rows::TraceRows;
use queryscope_sql::trend::{RunOrder, TrendInputs};
use twox_hash::XxHash64;

/// A new data set below the temporary folder with the traces `a` and `b`.
fn data_set(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-damage-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for (name, file) in [("a", "chrome/flows.json"), ("b", "chrome/cpu-time.json")] {
        let session = support::open_path(&format!("tests/traces/{file}"));
        let rows = TraceRows::new(session, name, Some("2026-03-31".to_owned()));
        dataset::add_trace(&folder, &rows).expect("written");
    }
    folder
}

/// The file of a table of the trace `a`.
fn file_of(folder: &Path, table: &str) -> StoredFile {
    let dataset = Dataset::of_folder(folder).expect("a manifest");
    dataset.trace("a").expect("a trace").file(table).expect("a file").clone()
}

/// The answer to a statement as CSV.
fn answer(folder: &Path, sql: &str) -> Result<String, String> {
    let stored = Dataset::of_folder(folder).and_then(|set| block_on(Arc::new(set).tables_of(sql)));
    let stored = stored.map_err(|error| error.to_string())?;
    let engine = Engine::new(&[], vec![stored], Limits::default()).map_err(|error| error.to_string())?;
    let result = engine.run(sql).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    output::write(&result, OutputForm::Csv, &mut out).map_err(|error| error.to_string())?;
    String::from_utf8(out).map_err(|error| error.to_string())
}

/// All rows of a trace in a table.
fn rows_of(trace: &str, table: &str) -> String {
    format!("SELECT * FROM {table} WHERE trace_id = {}", trace_id(trace))
}

/// Trends of the data set: the sentence if there are none, and the warnings.
fn trend(folder: &Path) -> Vec<String> {
    let trend = || -> Result<_, DatasetError> {
        let mut inputs = TrendInputs::new(GroupBy::Shape);
        block_on(inputs.add_dataset(&Arc::new(Dataset::of_folder(folder)?), None))?;
        block_on(inputs.trend(RunMeasure::P50, RunOrder::Time))
    };
    match trend() {
        Ok(trend) => trend.warnings.into_iter().map(|warning| warning.text).collect(),
        Err(error) => vec![error.to_string()],
    }
}

/// Why a trace cannot be read.
fn unread(folder: &Path, trace: &str) -> Option<String> {
    let read = Dataset::of_folder(folder).and_then(|set| block_on(set.read_trace(trace)));
    read.err().map(|error| error.to_string())
}

#[test]
fn a_damaged_file_stops_only_what_reads_it() {
    let folder = data_set("file");
    let again = "Convert “a” again";
    for table in ["runs", "execution_groups"] {
        let file = file_of(&folder, table);
        let path = folder.join(&file.path);
        let whole = fs::read(&path).expect("a file");
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            bytes
        };
        for (content, part) in [
            (Some(whole[..whole.len() / 2].to_vec()), "bytes, and the manifest says"),
            (Some(flipped(0)), "its hash is"),
            (Some(flipped(whole.len() / 2)), "its hash is"),
            (None, "No such file"),
        ] {
            match &content {
                Some(content) => fs::write(&path, content).expect("written"),
                None => fs::remove_file(&path).expect("a file"),
            }
            let mut found = vec![answer(&folder, &rows_of("a", table)).expect_err("a damaged file")];
            found.extend(unread(&folder, "a").filter(|_| table == "runs"));
            for sentence in &found {
                let has = |part: &str| sentence.contains(part);
                assert!(has(part) && has(again) && has(&file.path), "{table}: {part} is not in {sentence}");
            }
            // The rest is usable.
            assert_eq!(found.len(), if table == "runs" { 2 } else { 1 });
            assert!(answer(&folder, &rows_of("b", table)).is_ok_and(|rows| rows.lines().count() > 1));
            assert!(answer(&folder, "SELECT * FROM spans").is_ok_and(|rows| rows.lines().count() > 2));
            assert_eq!((unread(&folder, "b"), trend(&folder)), (None, Vec::new()));
            fs::write(&path, &whole).expect("written");
        }
        assert!(answer(&folder, &rows_of("a", table)).is_ok());
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

#[test]
fn a_manifest_that_lies_is_a_sentence() {
    let folder = data_set("manifest");
    let manifest = fs::read_to_string(folder.join(MANIFEST)).expect("a manifest");
    // A manifest that says other things than the files.
    let a = manifest.find("\"name\":\"a\"").expect("the trace");
    let runs = a + manifest[a..].find("\"table\":\"runs\"").expect("its runs");
    let (head, tail) = manifest.split_at(runs);
    let wrong_rows = format!("{head}{}", tail.replacen("\"rows\":", "\"rows\":9", 1));
    let wrong_hash = format!("{head}{}", tail.replacen("\"xxh64\":\"", "\"xxh64\":\"0", 1));
    let again = "Convert “a” again";
    for (text, parts) in [
        ("{", &["EOF while parsing", "The manifest is damaged: put back a copy"][..]),
        (
            r#"{"queryscope":"dataset","version":99,"traces":{"new":true}}"#,
            &["a manifest of version 99", "or a newer one"],
        ),
        (
            r#"{"queryscope":"trace","version":1}"#,
            &["its member \"queryscope\" is “trace”, not “dataset”", "Put the manifest back"],
        ),
        (
            r#"{"queryscope":"dataset","version":1,"traces":[{"trace_id":"1"}]}"#,
            &["missing field", "put back a copy"],
        ),
        (
            r#"{"queryscope":"dataset","version":1,"traces":[{"trace_id":"1","name":"a","engine":"","day":"","files":[{"table":"spans","path":"../x","bytes":1,"rows":1,"xxh64":""}]}]}"#,
            &["is outside the folder", "untrusted"],
        ),
        (
            r#"{"queryscope":"dataset","version":1,"traces":[{"trace_id":"1","name":"a","engine":"","day":"","files":[{"table":"spans","path":"spans/x","bytes":9223372036854775807,"rows":1,"xxh64":""}]}]}"#,
            &["“spans/x” cannot have 9223372036854775807 bytes", "Convert"],
        ),
        (
            r#"{"queryscope":"dataset","version":1,"traces":[{"trace_id":"1","name":"a","engine":"","day":"","files":[]}]}"#,
            &["the trace “a” has the number of another one", "Convert"],
        ),
        (
            &format!(
                r#"{{"queryscope":"dataset","version":1,"traces":[{0},{0}]}}"#,
                format_args!(
                    r#"{{"trace_id":"{}","name":"a","engine":"","day":"","files":[]}}"#,
                    trace_id("a")
                )
            ),
            &["the trace “a” is listed twice", "Convert"],
        ),
        (&wrong_rows, &["rows, and the manifest says 9", again]),
        (&wrong_hash, &["its hash is", again]),
    ] {
        fs::write(folder.join(MANIFEST), text).expect("written");
        for found in [answer(&folder, "SELECT * FROM runs").err(), unread(&folder, "a")] {
            let sentence = found.expect("a sentence");
            assert!(parts.iter().all(|part| sentence.contains(part)), "{parts:?} is not in {sentence}");
        }
    }
    let endless = fs::File::create(folder.join(MANIFEST)).and_then(|file| file.set_len((256 << 20) + 1));
    endless.expect("written");
    let sentence = answer(&folder, "SELECT * FROM runs").expect_err("no manifest");
    assert!(sentence.contains("it is longer than 256 MB"), "{sentence}");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// Files of one trace that the manifest lists under another one would give rows of the wrong trace, or none.
#[test]
fn files_of_another_trace_are_a_sentence() {
    let folder = data_set("swapped");
    let mut manifest = Manifest::read(&folder).expect("a manifest");
    let [a, b] = &mut manifest.traces[..] else { panic!("two traces") };
    std::mem::swap(&mut a.files, &mut b.files);
    manifest.write(&folder).expect("written");
    for (trace, owner) in [("a", "b"), ("b", "a")] {
        let found = [answer(&folder, &rows_of(trace, "runs")).err(), unread(&folder, trace)];
        for sentence in found.map(|found| found.expect("a sentence")) {
            let about = format!("its rows are of “{owner}”, and the manifest lists it under “{trace}”");
            assert!(sentence.contains(&about), "{sentence}");
        }
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A file with a wrong bit: its hash is wrong, which every answer says. A larger file is not read as a whole, and what is decoded may be
/// wrong; what cannot be decoded is a sentence that names the file. For these, the manifest has the hash of the damaged file.
#[test]
fn damaged_rows_are_sentences() {
    let folder = data_set("rows");
    let text = fs::read_to_string(folder.join(MANIFEST)).expect("a manifest");
    let file = file_of(&folder, "spans");
    let path = folder.join(&file.path);
    let whole = fs::read(&path).expect("a file");
    let statements = [
        "SELECT * FROM spans ORDER BY trace_id, span_id",
        "SELECT count(name), sum(duration_ns) FROM spans WHERE depth < 9",
    ];
    let before = statements.map(|sql| answer(&folder, sql).expect("rows"));
    let mut unnamed = Vec::new();
    let mut undecodable = 0;
    for (at, bit) in (4..whole.len()).step_by(whole.len() / 50).zip((0..8).cycle()) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        fs::write(&path, &bytes).expect("written");
        fs::write(folder.join(MANIFEST), &text).expect("written");
        for sql in statements {
            let sentence = answer(&folder, sql).expect_err("a damaged file");
            assert!(sentence.contains("its hash is") && sentence.contains(&file.path), "{sentence}");
        }
        fs::write(folder.join(MANIFEST), with_hash(&text, &file, &bytes)).expect("written");
        for sentence in statements.iter().filter_map(|sql| answer(&folder, sql).err()) {
            undecodable += usize::from(sentence.contains("its rows cannot be decoded ("));
            if !sentence.contains(&file.path) || !sentence.contains("Convert “a” again") {
                unnamed.push(format!("byte {at}: {sentence}"));
            }
        }
    }
    assert!(unnamed.is_empty(), "{} sentences\n{}", unnamed.len(), unnamed.join("\n"));
    assert!(undecodable > 0, "some rows cannot be decoded");
    fs::write(&path, &whole).expect("written");
    fs::write(folder.join(MANIFEST), &text).expect("written");
    assert_eq!(statements.map(|sql| answer(&folder, sql).expect("rows")), before);
    // An error of an expression is not one of the file.
    let error = answer(&folder, "SELECT 1 / (span_id - span_id) FROM spans").expect_err("an error");
    assert!(error.contains("division by zero"), "{error}");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// Names that are no text: queryscope writes no such file, and other programs may.
#[test]
fn names_that_are_no_text_are_sentences() {
    let folder = data_set("no-text");
    let file = file_of(&folder, "spans");
    let content = with_name_of_bytes();
    fs::write(folder.join(&file.path), &content).expect("written");
    let mut manifest = Manifest::read(&folder).expect("a manifest");
    for known in manifest.traces.iter_mut().flat_map(|trace| &mut trace.files) {
        if known.path == file.path {
            (known.bytes, known.rows) = (content.len() as u64, 1);
            known.xxh64 = hash(&content);
        }
    }
    manifest.write(&folder).expect("written");
    for sql in ["SELECT name FROM spans", "SELECT max(name) FROM spans"] {
        let sentence = answer(&folder, sql).expect_err("no text");
        for part in ["its rows cannot be decoded (", "UTF-8", &file.path, "Convert “a” again"] {
            assert!(sentence.contains(part), "{sql}: {part} is not in {sentence}");
        }
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// Bytes that a statement makes are no fault of the files, even where the expression is computed while they are read.
#[test]
fn bytes_of_a_statement_are_not_of_a_file() {
    let folder = data_set("bytes");
    let error = answer(&folder, "SELECT CAST(sha256(name) AS VARCHAR) FROM spans").expect_err("no text");
    assert!(error.contains("UTF-8") && !error.contains("decoded"), "{error}");
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A file of one span, whose name is no text.
fn with_name_of_bytes() -> Vec<u8> {
    const NAME: &str = "#######";
    let name: ArrayRef = Arc::new(StringArray::from(vec![NAME]));
    let batch = RecordBatch::try_from_iter([("name", name)]).expect("a row");
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    let mut content = writer.into_inner().expect("written");
    // The values are not compressed.
    while let Some(at) = content.windows(NAME.len()).position(|part| part == NAME.as_bytes()) {
        content[at..at + NAME.len()].fill(0xff);
    }
    content
}

/// Hash of a file, as the manifest has it.
fn hash(content: &[u8]) -> String {
    let mut hash = XxHash64::with_seed(0);
    hash.write(content);
    format!("{:016x}", hash.finish())
}

/// A manifest with the hash of other content in place of a file's.
fn with_hash(manifest: &str, file: &StoredFile, content: &[u8]) -> String {
    let member = |hash: &str| format!("\"xxh64\":\"{hash}\"");
    manifest.replace(&member(&file.xxh64), &member(&hash(content)))
}

/// Where the page index of a file starts, which is between its columns and its footer.
fn page_index_start(file: &[u8]) -> usize {
    let mut reader = ParquetMetaDataReader::new();
    reader.try_parse(&Bytes::copy_from_slice(file)).expect("a Parquet file");
    let metadata = reader.finish().expect("metadata");
    let columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    let starts = columns.flat_map(|column| [column.column_index_offset(), column.offset_index_offset()]);
    usize::try_from(starts.flatten().min().expect("a page index")).expect("a place in the file")
}

/// Footers and page indexes with a wrong byte: where the file is read as a whole, its hash is wrong. Where only parts are read, as of large files, no
/// reader panics, and each names the file. For these, the manifest has the hash of the damaged file.
#[test]
fn damaged_footers_are_sentences() {
    let folder = data_set("footer");
    let mut manifest = Manifest::read(&folder).expect("a manifest");
    // Trends read the files of each trace.
    manifest.trend_index = None;
    manifest.traces.retain(|trace| trace.name == "a");
    manifest.write(&folder).expect("written");
    let text = fs::read_to_string(folder.join(MANIFEST)).expect("a manifest");
    let mut unnamed = Vec::new();
    for table in ["spans", "execution_groups"] {
        fs::write(folder.join(MANIFEST), &text).expect("written");
        let file = file_of(&folder, table);
        let path = folder.join(&file.path);
        let whole = fs::read(&path).expect("a file");
        let damaged = page_index_start(&whole)..whole.len();
        for (at, mask) in damaged.step_by(11).zip([0xff, 0x80, 0x01, 0x20].into_iter().cycle()) {
            let mut bytes = whole.clone();
            bytes[at] ^= mask;
            fs::write(&path, &bytes).expect("written");
            fs::write(folder.join(MANIFEST), &text).expect("written");
            if table == "spans" {
                let sentence = unread(&folder, "a").expect("another hash");
                assert!(sentence.contains("its hash is") && sentence.contains(&file.path), "{sentence}");
            }
            fs::write(folder.join(MANIFEST), with_hash(&text, &file, &bytes)).expect("written");
            let found = catch_unwind(|| match table {
                "spans" => {
                    let sql = "SELECT * FROM spans WHERE start_ns > 1000 AND query_id IS DISTINCT FROM 'x'";
                    [answer(&folder, sql).err(), None]
                }
                _ => [answer(&folder, "SELECT * FROM execution_groups").err(), trend(&folder).pop()],
            });
            let found = found.unwrap_or_else(|_| [Some("a panic".to_owned()), None]);
            let names = |sentence: &&String| sentence.contains(&file.path);
            let is_empty = |sentence: &&String| *sentence == "no executions to group by shape";
            let others = found.iter().flatten().filter(|sentence| !names(sentence) && !is_empty(sentence));
            unnamed.extend(others.map(|sentence| format!("{table}, byte {at}: {sentence}")));
        }
        fs::write(&path, &whole).expect("written");
    }
    assert!(unnamed.is_empty(), "{} sentences\n{}", unnamed.len(), unnamed.join("\n"));
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
