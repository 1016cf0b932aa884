//! Types of the columns of side tables: exports have texts only, so that the types are those of the values in all traces that are read.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use queryscope_sql::dataset::{Dataset, DatasetWriter, StoredTables, block_on};
use queryscope_sql::output::{self, OutputForm};
use queryscope_sql::query::{Engine, Limits};
use queryscope_sql::rows::{SharedTrace, TraceRows};

use crate::support;

/// A side table of each trace: columns, and rows of cells. `-` is no value.
const TRACES: [(&str, &str, &[&str]); 3] = [
    ("a", "name n empty late odd", &["x 9 - - 1", "y 13 - - 7", "z - - - -"]),
    ("b", "n name empty late odd", &["100 x - 5 07", "-2 y - 40 8"]),
    ("c", "name n extra", &["x 20 3", "y 18446744073709551615 4"]),
];

fn trace(at: usize) -> TraceRows {
    let (name, columns, rows) = TRACES[at];
    let list = |words: &str| {
        let cell = |word: &str| if word == "-" { "null".to_owned() } else { format!("{word:?}") };
        words.split(' ').map(cell).collect::<Vec<_>>().join(",")
    };
    let mut text = "{\"queryscope\":\"trace\",\"version\":1}\n{\"run\":\"r\"}\n".to_owned();
    text.push_str(&format!("{{\"table\":\"digests\",\"run\":0,\"columns\":[{}]}}\n", list(columns)));
    rows.iter().for_each(|row| text.push_str(&format!("{{\"row\":[{}]}}\n", list(row))));
    let file = format!("{name}.ndjson");
    TraceRows::new(support::open([(file.as_str(), text)]), name, Some("2026-03-31".to_owned()))
}

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-side-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A data set of some of the traces, in a subfolder.
fn stored(folder: &Path, name: &str, traces: &[usize]) -> StoredTables {
    let folder = folder.join(name);
    let mut writer = DatasetWriter::open(&folder).expect("a writer");
    traces.iter().for_each(|&at| _ = writer.add(&trace(at)).expect("written"));
    writer.commit().expect("written");
    block_on(Arc::new(Dataset::of_folder(&folder).expect("a manifest")).tables()).expect("tables")
}

fn shared(traces: &[usize]) -> Vec<SharedTrace> {
    traces.iter().map(|&at| Arc::new(trace(at))).collect()
}

fn answer(engine: &Engine, sql: &str) -> String {
    let mut out = Vec::new();
    match engine.run(sql) {
        Ok(rows) => output::write(&rows, OutputForm::Csv, &mut out).expect("a vector"),
        Err(error) => return format!("error: {error}"),
    }
    String::from_utf8(out).expect("UTF-8").trim_end().replace('\n', " ")
}

fn check(engine: &Engine, about: &str, cases: &[(&str, &str)]) {
    for (sql, expected) in cases {
        let sql = format!("SELECT {sql}").replace(" d ", " digests ");
        assert_eq!(answer(engine, &sql), *expected, "{about}: {sql}");
    }
}

const TYPES: &str = "column_name AS c, data_type AS t FROM information_schema.columns
    WHERE table_name = 'digests' AND ordinal_position > 2 AND column_name NOT IN ('day', 'engine', 'row_id') ORDER BY c";

/// Whole numbers are sorted and added as numbers; all other columns are texts.
#[test]
fn columns_of_integers_are_integers() {
    let folder = folder("integers");
    for (about, traces, sets) in
        [("a trace", shared(&[0]), vec![]), ("a data set", vec![], vec![stored(&folder, "numbers", &[0])])]
    {
        let engine = Engine::new(&traces, sets, Limits::default()).expect("an engine");
        check(
            &engine,
            about,
            &[
                ("max(n) AS m, sum(n) AS s FROM d ", "m,s 13,22"),
                ("n FROM d WHERE n IS NOT NULL ORDER BY n", "n 9 13"),
                ("name FROM d WHERE n > 9", "name y"),
                // As a text, too.
                ("name FROM d WHERE n = '9'", "name x"),
                ("name FROM d WHERE empty IS NULL AND late IS NULL ORDER BY name", "name x y z"),
                ("count(*) AS n FROM d WHERE empty = 'x'", "n 0"),
                ("max(name) AS m FROM d ", "m z"),
                (
                    TYPES,
                    "c,t empty,\"Dictionary(Int32, Utf8)\" late,\"Dictionary(Int32, Utf8)\" n,Int64 name,\"Dictionary(Int32, Utf8)\" odd,Int64",
                ),
            ],
        );
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// A column is one of integers if all traces have integers or no values in it. Otherwise the integers of one trace are texts, too.
#[test]
fn traces_and_data_sets_have_one_type_of_each_column() {
    let folder = folder("types");
    for (about, traces, sets) in [
        ("traces", shared(&[0, 1]), vec![]),
        ("a data set", vec![], vec![stored(&folder, "both", &[0, 1])]),
        ("a trace and a data set", shared(&[0]), vec![stored(&folder, "one", &[1])]),
        ("a data set and a trace", shared(&[1]), vec![stored(&folder, "other", &[0])]),
        ("two data sets", vec![], vec![stored(&folder, "first", &[0]), stored(&folder, "second", &[1])]),
    ] {
        let engine = Engine::new(&traces, sets, Limits::default()).expect("an engine");
        check(
            &engine,
            about,
            &[
                ("max(n) AS m, min(n) AS l, sum(n) AS s FROM d ", "m,l,s 100,-2,120"),
                ("odd FROM d WHERE odd IS NOT NULL ORDER BY odd", "odd 07 1 7 8"),
                ("name, n FROM d WHERE odd = '7' OR odd = '8' ORDER BY odd", "name,n y,13 y,-2"),
                ("max(late) AS m, sum(late) AS s FROM d ", "m,s 40,45"),
                ("count(*) AS n FROM d WHERE empty = 'x'", "n 0"),
            ],
        );
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}

/// Columns that a trace does not have are null there; a number that is too large makes its column one of texts.
#[test]
fn columns_of_some_traces_only_are_null_in_the_others() {
    let folder = folder("missing");
    for (about, traces, sets) in [
        ("traces", shared(&[0, 2]), vec![]),
        ("a data set", vec![], vec![stored(&folder, "wide", &[0, 2])]),
        ("a trace and a data set", shared(&[0]), vec![stored(&folder, "extra", &[2])]),
        ("a data set and a trace", shared(&[2]), vec![stored(&folder, "plain", &[0])]),
    ] {
        let engine = Engine::new(&traces, sets, Limits::default()).expect("an engine");
        check(
            &engine,
            about,
            &[
                (
                    "count(extra) AS e, sum(extra) AS s, count(odd) AS o, sum(odd) AS t FROM d ",
                    "e,s,o,t 2,7,2,8",
                ),
                ("n, extra FROM d WHERE extra > 3", "n,extra 18446744073709551615,4"),
                ("max(CAST(n AS DECIMAL(38, 0))) AS m FROM d ", "m 18446744073709551615"),
                ("name, row_id FROM d WHERE extra IS NULL ORDER BY row_id", "name,row_id x,0 y,1 z,2"),
            ],
        );
    }
    fs::remove_dir_all(&folder).expect("the folder was made here");
}
