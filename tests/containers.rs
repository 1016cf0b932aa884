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
                let rest = &bytes[reread.start() as usize..];
                let needed = rest.chunks(size).take_while(|part| reread.push(part)).count();
                assert!(needed <= rest.len().div_ceil(size));
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

/// Slices from `first` on, one after the other: some 80 bytes each.
fn slices(first: u64, count: u64) -> String {
    let event =
        |n| format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{n},"dur":1,"cat":"reading","name":"part {n}"}}"#);
    let events: Vec<String> = (first..first + count).map(event).collect();
    format!("[{}]", events.join(",\n"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let sum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(bytes);
    let mut file = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255];
    file.extend(miniz_oxide::deflate::compress_to_vec(bytes, 1));
    file.extend(sum.to_le_bytes());
    file.extend((bytes.len() as u32).to_le_bytes());
    file
}

/// A frame with a window of 2 MiB and a stored block for each part; without the last block it is cut off.
fn zstd(parts: &[&[u8]], is_cut: bool) -> Vec<u8> {
    let mut file = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x58];
    for part in parts {
        file.extend(&((part.len() as u32) << 3).to_le_bytes()[..3]);
        file.extend(*part);
    }
    file.extend(if is_cut { &[][..] } else { &[1, 0, 0] });
    file
}

#[test]
fn what_decoders_hold_back_is_not_lost() {
    let events = slices(0, 500);
    let parts: Vec<&[u8]> = events.as_bytes().chunks(20_000).collect();
    let whole = zstd(&parts, false);
    let skipped = [&[0x5A, 0x2A, 0x4D, 0x18, 4, 0, 0, 0], &b"what"[..], &whole].concat();
    let mut damaged = whole.clone();
    // There is no such kind of block.
    let last = damaged.len() - 3;
    damaged[last] = 7;
    let padded = [gzip(events.as_bytes()), vec![0; 512]].concat();
    let cases = [
        (whole, ""),
        (skipped, ""),
        (zstd(&parts, true), "damaged archive"),
        (damaged, "damaged archive"),
        (padded, ""),
    ];
    for (bytes, expected) in cases {
        for size in [1 << 20, 7] {
            let session = open("a.zst", &bytes, size);
            assert_eq!(session.n_records(), 500, "{expected}, slices of {size}");
            let report = session.report();
            let problems: Vec<&str> =
                report[0].problems.iter().map(|problem| problem.name.as_str()).collect();
            assert_eq!(problems.join(", "), expected, "slices of {size}");
        }
    }
}

fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (number, bytes) in entries.iter().enumerate() {
        let mut header = [0; 512];
        let put = |header: &mut [u8; 512], at: usize, text: &str| {
            header[at..at + text.len()].copy_from_slice(text.as_bytes());
        };
        put(&mut header, 0, &format!("entry{number}.json"));
        put(&mut header, 124, &format!("{:011o}", bytes.len()));
        put(&mut header, 148, "        ");
        put(&mut header, 156, "0");
        put(&mut header, 257, "ustar\x0000");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        put(&mut header, 148, &format!("{sum:06o}\0 "));
        archive.extend(header);
        archive.extend(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

/// However large it is: what is unpacked again is some MiB.
#[test]
fn a_record_of_a_large_packed_file_is_read_again_from_near() {
    const N: u64 = 150_000;
    let text = slices(0, 2 * N);
    let halves = || [slices(0, N).into_bytes(), slices(N, N).into_bytes()];
    let utf16: Vec<u8> =
        "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let mut broken = text.clone().into_bytes();
    broken[60] = 0xFF;
    for (name, stored) in [
        ("a.json.gz", gzip(text.as_bytes())),
        ("utf16.json", utf16),
        ("invalid.json", broken),
        ("two.tar", tar(&halves())),
        ("two.tar.gz", gzip(&tar(&halves()))),
        ("packed.tar", tar(&halves().map(|half| gzip(&half)))),
    ] {
        let session = open(name, &stored, 100_000);
        assert_eq!(session.n_records(), 2 * N, "{name}");
        for record in (0..2 * N).step_by(7_919) {
            let place = session.place(RecordId(record as u32)).expect("a record");
            let mut reread = session.reread(&place).expect("a packed record");
            let parts = stored[reread.start() as usize..].chunks(10_000);
            let needed = parts.take_while(|part| reread.push(part)).count() * 10_000;
            let found = String::from_utf8(reread.finish().expect("the text")).expect("text");
            assert!(found.contains(&format!(r#""ts":{record},"#)), "{name}, {record}: {found}");
            // Less than a third of what stands before the last one.
            assert!(needed < stored.len() / 3, "{name}, {record}: {needed} of {}", stored.len());
        }
    }
}
