//! Whatever a trace is packed in, it is the same trace, and its records are found again.

use std::fs;
use std::path::{Path, PathBuf};

use queryscope::session::Session;
use queryscope::trace::RecordId;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/containers")
}

fn open(name: &str, bytes: &[u8], size: usize) -> Session {
    let mut session = Session::default();
    session.open(name);
    bytes.chunks(size.max(1)).for_each(|part| session.push(part));
    session.close(None);
    session.build();
    for file in session.report() {
        assert_eq!(file.records, file.used + file.reported, "{name}: {file:?}");
    }
    session
}

/// How many files of how many records each, without a problem, however the bytes are cut; and that the record of every
/// span can be read again.
fn check(name: &str, files: &[u64]) {
    let bytes = fs::read(folder().join(name)).expect("a fixture");
    for size in [1, 100, 1 << 20] {
        let session = open(name, &bytes, size);
        let report = session.report();
        let records: Vec<u64> =
            report.iter().map(|file| file.records).filter(|records| *records > 0).collect();
        assert_eq!(records, files, "{name} in slices of {size}: {report:#?}");
        assert!(report.iter().all(|file| file.recognised && file.problems.is_empty()), "{report:#?}");
        for record in 0..files.iter().sum::<u64>() {
            let place = session.place(RecordId(record as u32)).expect("a record");
            let text = if place.packed {
                let mut reread = session.reread(&place).expect("a packed record");
                // No byte behind the record is looked at.
                let needed = bytes.chunks(size).take_while(|part| reread.push(part)).count();
                assert!(needed <= bytes.len().div_ceil(size));
                reread.finish().expect("the text")
            } else {
                bytes[place.offset as usize..][..place.length as usize].to_vec()
            };
            let fields = session.raw(&place, &text).fields;
            assert!(
                fields.iter().any(|(name, value)| name == "queryId" && value == "q"),
                "{name}: {fields:?}"
            );
        }
    }
}

#[test]
fn every_container_holds_the_same_trace() {
    for name in ["one.ndjson", "one.ndjson.zst", "one.ndjson.bz2"] {
        check(name, &[4]);
    }
    // Frames and streams one after the other, one of them to be skipped.
    for name in ["twice.ndjson.zst", "twice.ndjson.bz2"] {
        check(name, &[8]);
    }
    for name in ["two.tar", "two.tar.gz", "two.tar.zst", "two.tar.bz2", "packed.tar", "packed.zip"] {
        check(name, &[4, 4]);
    }
}

#[test]
fn archives_and_their_files_are_named() {
    let bytes = fs::read(folder().join("two.tar.zst")).expect("a fixture");
    let report = open("two.tar.zst", &bytes, 1 << 20).report();
    let names: Vec<_> = report.iter().map(|file| (file.name.as_str(), file.format.as_str())).collect();
    let expected = [
        ("two.tar.zst", "Tar archive of 2 files"),
        ("two.tar.zst/first.ndjson", "Kubling, JSON lines"),
        ("two.tar.zst/second.ndjson", "Kubling, JSON lines"),
    ];
    assert_eq!(names, expected);
}

/// Cut off and damaged archives: what can be unpacked is shown, the rest is told, nothing panics.
#[test]
fn damage_is_told() {
    for entry in fs::read_dir(folder()).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        let (name, bytes) =
            (path.file_name().unwrap_or_default().to_string_lossy(), fs::read(&path).expect("a fixture"));
        let whole = open(&name, &bytes, 1 << 20).n_records();
        for at in (1..bytes.len()).step_by(bytes.len() / 60 + 1) {
            let cut = open(&name, &bytes[..at], 1 << 20);
            let told = cut.report().iter().any(|file| !file.recognised || !file.problems.is_empty());
            assert!(
                cut.n_records() <= whole && (told || cut.n_records() > 0 || name.contains(".tar")),
                "{name} cut at {at}"
            );
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            open(&name, &damaged, 1 << 20);
        }
    }
}
