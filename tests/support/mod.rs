//! Helpers that the tests share: shared traces next to the repository, and sessions made from files.

// The tests of each package are a program of their own and use only some of these functions.
#![allow(dead_code)]

pub mod archives;
pub mod duplicates;
pub mod generated;
pub mod round_trip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use queryscope::protocol::RawPlace;
use queryscope::session::Session;

/// Two runs with every feature of Kubling's queries, in the notation of `queryscope::internal::testing`.
pub const SMALL: &str = "
    run no-buffer 400
    query q1 10..90 request=5..95 : SELECT *  FROM orders
    source 12..60 js-conn OrdersAPI
    execution 14..58 read=102944 returned=250 reading=22 over-fetch
    source 40..80 pg-conn OrdersDB
    execution 45..75
    buffer 20 READ 1000
    buffer 30 SPILL 1000000000
    query q2 100..140 failed : UPDATE orders SET state = 'x'
    query q3 120..400 open-end : INSERT INTO users VALUES (1)
    run rocks 300
    query r1 0..300 : SELECT name FROM pods
";

/// Returns the folder of realistic shared traces if it contains `needed`. Otherwise prints a note and returns `None`.
pub fn shared(needed: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces");
    let folder = std::env::var_os("QUERYSCOPE_TRACES").map_or_else(beside, PathBuf::from);
    if folder.join(needed).is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: the shared traces are not at {}", folder.join(needed).display());
    None
}

/// Returns the text of a compressed record, given all bytes of its stored file.
pub fn unpack(session: &Session, place: &RawPlace, stored: &[u8]) -> Option<Vec<u8>> {
    let mut reread = session.reread(place)?;
    reread.push(&stored[reread.start() as usize..]);
    reread.finish()
}

/// Returns the root of the repository, from the folder of the package whose test this is.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("tests/support").is_dir()).unwrap_or(package).to_owned()
}

/// Returns the paths of the small traces of every format.
pub fn fixtures() -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("tests/traces")).expect("the traces are there").flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).filter(|path| path.is_file()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending != "txt"));
    files.sort();
    files
}

/// Asserts that every file in these folders of the shared traces is `known`, except `.md` files and files whose names
/// contain one of `others`.
pub fn assert_all_known(shared: &Path, folders: &[&str], known: &[&str], others: &[&str]) {
    let mut left: Vec<PathBuf> = folders.iter().map(|folder| shared.join(folder)).collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()),
            );
            continue;
        }
        let name = path.strip_prefix(shared).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let is_other = name.ends_with(".md") || others.iter().any(|other| name.contains(other));
        assert!(is_other || known.contains(&&*name), "{name} is in no table");
    }
}

/// Opens named files as one trace, and asserts that every record is accounted for.
pub fn open<N: AsRef<str>, B: AsRef<[u8]>>(files: impl IntoIterator<Item = (N, B)>) -> Session {
    open_in(Session::default(), files)
}

/// Returns a Python that has the package duckdb. Otherwise prints a note and returns `None`.
pub fn python_with_duckdb() -> Option<String> {
    let python = std::env::var("QUERYSCOPE_DUCKDB_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let known = Command::new(&python).args(["-c", "import duckdb"]).output();
    if !known.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no package duckdb (QUERYSCOPE_DUCKDB_PYTHON names another Python)");
        return None;
    }
    Some(python)
}

/// Opens a trace of the repository: a file, or a folder whose files are one trace.
pub fn open_path(path: &str) -> Session {
    let path = root().join(path);
    let mut files: Vec<PathBuf> = match path.is_dir() {
        true => fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()).collect(),
        false => vec![path],
    };
    files.sort();
    open(files.iter().map(|path| (path.to_string_lossy(), fs::read(path).expect("a file"))))
}

/// Records of Kubling: a query whose source returned as many rows, and whose execution returned 7 of 700.
pub fn kubling_source(returned: u32) -> String {
    let line = |time: i64, rest: &str| {
        format!(r#"{{"runId":"r","queryId":"a","vdbName":"v","vdbVersion":"1","timestamp":{time},{rest}}}"#)
            + "\n"
    };
    let of = r#""connectorName":"c","tupleSourceId":"t""#;
    let more = r#""datasourceName":"d","commandPushed":"x","sourceCommandType":"QUERY""#;
    let execution_end = format!(
        r#""type":"SOURCE_EXECUTION_END",{of},{more},"rowsRead":700,"rowsReturned":7,"sourceReadDurationNanos":5"#
    );
    let source_end =
        format!(r#""type":"SOURCE_END",{of},"rowsRead":700,"rowsReturned":{returned},"duration":30"#);
    let lines = [
        line(0, r#""type":"QUERY_START","sql":"SELECT 1""#),
        line(10, &format!(r#""type":"SOURCE_START",{of}"#)),
        line(20, &format!(r#""type":"SOURCE_EXECUTION_START",{of},{more}"#)),
        line(30, &execution_end),
        line(40, &source_end),
        line(50, r#""type":"QUERY_END","success":true,"error":null"#),
    ];
    lines.concat()
}

/// Opens named files as one trace in a prepared session, and asserts that every record is accounted for.
pub fn open_in<N: AsRef<str>, B: AsRef<[u8]>>(
    mut session: Session,
    files: impl IntoIterator<Item = (N, B)>,
) -> Session {
    for (name, bytes) in files {
        session.open(name.as_ref());
        session.push(bytes.as_ref());
        session.close(None);
    }
    session.build();
    assert_accounted(&session);
    session
}

/// Asserts for every file that records read = used + reported + left out.
pub fn assert_accounted(session: &Session) {
    for file in session.report() {
        assert_eq!(file.records, file.used + file.reported + file.left_out, "{file:?}");
    }
}
