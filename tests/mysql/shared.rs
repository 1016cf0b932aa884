//! Every shared file against what is known of it: counts of the server's own clients, and what an independent program
//! computed.

use std::fs;
use std::path::{Path, PathBuf};

use queryscope::session::Session;
use queryscope::trace::{Kind, SpanId};

/// The folder of shared exports.
pub fn shared() -> Option<PathBuf> {
    crate::support::shared("own/mysql").map(|folder| folder.join("own/mysql"))
}

/// Every file below a path, or the one that it is.
fn below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut found: Vec<PathBuf> =
        fs::read_dir(path).into_iter().flatten().flatten().flat_map(|entry| below(&entry.path())).collect();
    found.sort();
    found
}
/// Opens files, each with its path below a folder.
pub fn open(root: &Path, paths: &[PathBuf]) -> Session {
    let name = |path: &PathBuf| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let read = |path: &PathBuf| (name(path), fs::read(path).expect("a file that is there"));
    crate::support::open(paths.iter().map(read))
}

/// Statements, transactions, stages, waits with pauses.
fn counts(session: &Session) -> [usize; 4] {
    let trace = session.trace();
    let kinds: Vec<Kind> = (0..trace.spans.len() as u32).map(|id| trace.spans.get(SpanId(id)).kind).collect();
    let of = |wanted: &[Kind]| kinds.iter().filter(|kind| wanted.contains(kind)).count();
    [
        of(&[Kind::Query, Kind::Statement]),
        of(&[Kind::Transaction]),
        of(&[Kind::Stage]),
        of(&[Kind::Wait, Kind::Idle]),
    ]
}

/// A folder or archive; statements, transactions, stages, waits (those under way included); records that are lost.
type Known = (&'static str, [usize; 4], u64);

const SETS: [Known; 22] = [
    ("mysql-9.7-sysbench-gold.zip", [2_028, 71, 19_826, 131_021], 0),
    ("mysql-9.7-mini-one-file-per-table.zip", [257, 51, 1_889, 21_777], 0),
    ("mysql-9.7-mini-outfile-csv.tar.gz", [257, 51, 1_889, 21_777], 0),
    ("mariadb-10.11-mini-tsv.zip", [257, 57, 2_898, 34_033], 0),
    ("mysql-9.7-mini/mysqldump/performance_schema_events.sql.gz", [257, 51, 1_889, 21_777], 0),
    ("mysql-9.7-mini/mysqldump/complete_insert_one_row.sql.gz", [257, 51, 0, 0], 0),
    ("mysql-9.7-mini/mysqldump/dump.xml.gz", [257, 51, 0, 0], 0),
    ("mysql-9.7-mini/mysqldump/tab", [257, 51, 0, 0], 0),
    ("mysql-9.7-mini/ascii-table", [257, 51, 1_889, 35], 0),
    ("mysql-9.7-mini/vertical", [257, 51, 1_889, 30], 0),
    ("mysql-9.7-mini/xml", [257, 51, 1_889, 30], 0),
    ("mysql-9.7-mini/html", [257, 0, 0, 0], 0),
    ("mysql-9.7-mini/outfile-default", [257, 51, 1_889, 30], 0),
    ("mysql-9.7-mini/json-sql", [257, 51, 1_889, 30], 0),
    ("mysql-9.7-sys-procs.zip", [18, 7, 151, 9_822], 0),
    ("synthetic-client-forms/datagrip", [257, 51, 400, 500], 0),
    ("synthetic-client-forms/dbeaver", [257, 51, 400, 500], 0),
    ("synthetic-client-forms/heidisql", [257, 51, 400, 500], 0),
    ("synthetic-client-forms/mysqlsh/dump", [257, 51, 400, 500], 0),
    ("synthetic-client-forms/mysqlsh/exportTable", [257, 51, 400, 500], 0),
    ("synthetic-client-forms/phpmyadmin", [257, 51, 400, 500], 0),
    ("synthetic-client-forms/workbench", [257, 51, 400, 500], 0),
];

#[test]
fn every_shared_export_is_read() {
    let Some(root) = shared() else { return };
    for (name, expected, lost) in SETS {
        let session = open(&root, &below(&root.join(name)));
        assert_eq!(counts(&session), expected, "{name}");
        let reported: u64 = session.report().iter().map(|file| file.reported).sum();
        assert_eq!(reported, lost, "{name}");
    }
}

/// The factor between the two clocks, as an independent fit has it, to two millionths; and what is left of the error.
#[test]
fn clocks_are_brought_together() {
    let Some(root) = shared() else { return };
    for (name, ppm, complete) in [
        ("mysql-9.7-sysbench-gold.zip", "−998.28", "Complete: all 152,946 event ids of 22 threads"),
        ("mysql-9.7-mini-one-file-per-table.zip", "−998.28", ">99 % of the event ids"),
        ("mariadb-10.11-mini-tsv.zip", "−3,586.3", ">99 % of the event ids"),
    ] {
        let session = open(&root, &below(&root.join(name)));
        let notes = &session.trace().notes;
        assert!(notes.iter().any(|note| note.text.starts_with(complete)), "{name}: {notes:?}");
        assert!(
            notes.iter().any(|note| note.text.contains(&format!("corrected by {ppm}"))),
            "{name}: {notes:?}"
        );
    }
}

/// Numbers that a spreadsheet or a data frame rounded are read, and it is said.
#[test]
fn rounded_numbers_are_told() {
    let Some(root) = shared() else { return };
    for name in ["excel", "pandas"] {
        let session = open(&root, &below(&root.join("synthetic-client-forms").join(name)));
        assert_eq!(counts(&session), [257, 51, 400, 500], "{name}");
        let rounded = session
            .report()
            .iter()
            .flat_map(|file| file.problems.clone())
            .any(|p| p.name == "rounded numbers");
        assert!(rounded, "{name}");
    }
}

/// Cut at many places, nothing is lost but what is behind the cut.
#[test]
fn shared_files_cut_anywhere_are_accounted_for() {
    let Some(root) = shared() else { return };
    for path in
        below(&root.join("mysql-9.7-mini")).into_iter().chain(below(&root.join("synthetic-client-forms")))
    {
        let bytes = fs::read(&path).expect("a file that is there");
        for part in 1..4 {
            let mut session = Session::default();
            session.open(&path.to_string_lossy());
            session.push(&bytes[..bytes.len() * part / 4]);
            session.close(None);
            session.build();
            for file in session.report() {
                assert_eq!(file.records, file.used + file.reported, "{file:?}");
            }
        }
    }
}

/// Pseudo-random numbers: the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    /// Some bytes are others; every third time those that texts, quotes and columns are made of.
    fn flipped(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for n in 0..8 {
            let (at, byte) = (self.below(bytes.len()), self.below(256) as u8);
            bytes[at] = if n % 3 == 0 { b"\"'\\\t\n|<>{}(),;"[usize::from(byte) % 14] } else { byte };
        }
        bytes
    }

    /// The lines in another order.
    fn shuffled(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        (1..lines.len()).rev().for_each(|at| lines.swap(at, self.below(at + 1)));
        lines.concat()
    }
}

/// Bytes of the files that are damaged: more would take minutes.
const SMALL: usize = 24_000;

/// Cut at the front, with other bytes, with its lines in another order: no file is more than it was, and all of it is
/// accounted for.
#[test]
fn shared_files_damaged_anyhow_are_accounted_for() {
    let Some(root) = shared() else { return };
    let mut dice = Dice(4_618);
    let files =
        below(&root.join("mysql-9.7-mini")).into_iter().chain(below(&root.join("synthetic-client-forms")));
    for path in files {
        let bytes = fs::read(&path).expect("a file that is there");
        let name = path.to_string_lossy().into_owned();
        let text = bytes.get(..SMALL).unwrap_or(&bytes);
        if text.is_empty() {
            continue;
        }
        let mut damaged = vec![text[dice.below(text.len())..].to_vec(), dice.flipped(text)];
        if bytes.len() <= SMALL {
            damaged.push(dice.shuffled(text));
        }
        for bytes in damaged {
            // Says that every record is accounted for.
            crate::support::open([(name.as_str(), bytes)]);
        }
    }
}

/// Tables of events without their first bytes are read from the next row on.
#[test]
fn shared_tables_cut_at_their_front_are_read() {
    let Some(root) = shared() else { return };
    let mut dice = Dice(79);
    for (name, rows) in [
        ("mysql-9.7-mini/outfile-default/events_statements_history_long.txt", 257),
        ("mysql-9.7-mini/outfile-default/events_transactions_history_long.txt", 51),
        ("mysql-9.7-mini/tsv/events_statements_history_long.tsv", 257),
        ("mysql-9.7-mini/tsv/_noheader_events_statements_history_long.tsv", 257),
        ("mysql-9.7-mini/outfile-csv/events_statements_history_long.csv", 257),
        ("mysql-9.7-mini/outfile-csv/events_transactions_history_long.csv", 51),
    ] {
        let bytes = fs::read(root.join(name)).expect("a file that is there");
        let name = name.rsplit('/').next().unwrap_or(name);
        for from in (0..6).map(|n| if n == 0 { 60 } else { dice.below(120) }) {
            let session = crate::support::open([(name, &bytes[from..])]);
            let reported: u64 = session.report().iter().map(|file| file.reported).sum();
            let found = session.trace().spans.len();
            assert!(found + 1 >= rows && reported <= 1, "{name} from {from}: {found}, {reported} lost");
        }
    }
}
