//! Archives that are damaged, cut off, or made to unpack to more than anybody wants: what is missing is said, and no step of
//! unpacking takes long.

use crate::support;

use std::io::Write;

use crate::support::archives::{gzip_stored, tar, tar_entry, zip, zstd_repeated, zstd_stored};
use queryscope::protocol::FileReport;
use queryscope::session::Session;

/// A record of Kubling's, of 94 bytes with its line feed.
const LINE: &str = "{\"runId\":\"r\",\"queryId\":\"q\",\"vdbName\":\"v\",\"vdbVersion\":\"1\",\"timestamp\":1,\"type\":\"QUERY_START\"}\n";

fn read(bytes: &[u8]) -> Vec<FileReport> {
    let mut session = Session::default();
    session.open("file");
    session.push(bytes);
    session.close(None);
    session.build();
    session.report()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    packer.write_all(bytes).expect("memory");
    packer.finish().expect("memory")
}

/// Reads in steps. How many there were, the most records that one read, and what is reported.
fn steps(bytes: &[u8]) -> (u64, u64, Vec<FileReport>) {
    let mut session = Session::default();
    let mut count = 0;
    let mut most = 0;
    let mut before = 0;
    session.open("file");
    let mut step = |records: u64| {
        count += 1;
        most = most.max(records - before);
        before = records;
    };
    for part in bytes.chunks(1 << 16) {
        let mut rest = part;
        while session.push_step(&mut rest) {
            step(session.n_records());
        }
        assert!(rest.is_empty());
        step(session.n_records());
    }
    while session.close_step(None) {
        step(session.n_records());
    }
    step(session.n_records());
    (count, most, session.report())
}

/// However much a few bytes unpack to, a step reads no more than 2 MiB of it: then "cancel" can be heard.
#[test]
fn a_step_of_unpacking_is_bounded() {
    const LINES: usize = 60_000;
    let text = LINE.repeat(LINES);
    let gzip = |bytes: &[u8]| {
        let mut file = gzip_stored(b"");
        file.truncate(10);
        file.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
        file.extend(crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(bytes).to_le_bytes());
        file.extend((bytes.len() as u32).to_le_bytes());
        file
    };
    let packed = [gzip(text.as_bytes()), bzip2(text.as_bytes())];
    for packed in packed {
        assert!(packed.len() < text.len() / 100);
        let inside = [("a.json.gz", packed.as_slice())];
        for (what, bytes) in [
            ("alone", packed.clone()),
            ("in a tar archive", tar(&inside)),
            ("in a packed tar archive", gzip(&tar(&inside))),
            ("in a zip archive", zip(&inside, true)),
            ("in a zip archive without a table", zip(&inside, false)),
        ] {
            let (count, most, report) = steps(&bytes);
            assert_eq!(report.iter().map(|file| file.records).sum::<u64>(), LINES as u64, "{what}");
            assert!(most * LINE.len() as u64 <= 2 << 20, "{what}: {most} records in one step");
            assert!(count >= text.len() as u64 >> 21, "{what}: {count} steps");
        }
    }
}

/// Zeros, or whatever it is: no trace is so small.
#[test]
fn what_unpacks_to_too_much_is_given_up() {
    let zeros = vec![0_u8; 1 << 20];
    // Blocks of a MiB that do not need each other, the first again and again.
    let mut deflated = gzip_stored(b"")[..10].to_vec();
    let (mut packer, mut out) =
        (Box::<miniz_oxide::deflate::core::CompressorOxide>::default(), vec![0; 1 << 16]);
    packer.set_format_and_level(miniz_oxide::DataFormat::Raw, 9);
    let made =
        miniz_oxide::deflate::stream::deflate(&mut packer, &zeros, &mut out, miniz_oxide::MZFlush::Full);
    deflated.extend(out[..made.bytes_written].repeat(1 << 10));
    let begun = [LINE.as_bytes(), &vec![b' '; 96 << 20]].concat();
    for (what, bytes, records) in [
        ("gzip", deflated, 0),
        ("bzip2", bzip2(&zeros.repeat(96)), 0),
        ("bzip2 with one record", bzip2(&begun), 1),
        ("Zstandard", zstd_repeated(0, 1 << 30), 0),
    ] {
        assert!(bytes.len() < 3 << 20, "{what}: {}", bytes.len());
        let (count, _, report) = steps(&bytes);
        let file = &report[0];
        assert!(count < 200, "{what}: {count} steps, where 64 MiB are enough to tell");
        assert_eq!(file.records, records, "{what}");
        let missing = file.missing.as_deref().unwrap_or_default();
        assert!(missing.contains("without a record"), "{what}: {missing}");
        assert!(file.problems.iter().any(|problem| problem.name == "unpacks to too much"), "{what}");
    }
}

/// What reading leaves when it stops in the middle of an archive is left out, and said.
#[test]
fn reading_stops_in_the_middle_of_an_archive() {
    let text = LINE.repeat(150_000);
    for bytes in [bzip2(text.as_bytes()), zip(&[("a.json.bz2", &bzip2(text.as_bytes()))], true)] {
        let mut session = Session::default();
        session.open("file");
        let mut rest = &bytes[..];
        while session.n_records() == 0 && session.push_step(&mut rest) {}
        while session.n_records() == 0 && session.close_step(None) {}
        session.stop("reading was cancelled here");
        session.build();
        let records = session.n_records();
        assert!(records > 0 && records < 140_000, "{records}");
        let report = session.report();
        assert_eq!(report[0].problems[0].name, "not read to its end");
        for file in report {
            assert_eq!(file.records, file.used + file.reported, "{file:?}");
        }
    }
}

#[test]
fn entries_that_overlap_are_refused_by_name() {
    let mut bytes = zip(&[("first.json", LINE.as_bytes()), ("second.json", LINE.as_bytes())], true);
    let records: Vec<usize> =
        bytes.windows(4).enumerate().filter(|(_, part)| part == b"PK\x01\x02").map(|(at, _)| at).collect();
    // The second record of the table names the place of the first entry.
    bytes[records[1] + 42..records[1] + 46].fill(0);
    let report = read(&bytes);
    assert_eq!(report[1].records, 1);
    assert_eq!(report[2].name, "file/second.json");
    assert_eq!(report[2].format, "Not unpacked: it shares its data with first.json.");
    assert_eq!(report[2].records, 0);
}

/// The sentence says how many bytes are there: as many as stand in the file, which is stored as it is.
#[test]
fn what_is_missing_of_a_cut_off_file_is_said() {
    let text = LINE.repeat(60);
    let check = |name: &str, whole: &[u8], cut: usize, file: usize, expected: &str| {
        assert_eq!(read(whole).iter().find_map(|file| file.missing.clone()), None, "{name}, whole");
        let report = read(&whole[..cut]);
        assert_eq!(report[file].missing.as_deref(), Some(expected), "{name}: {report:?}");
        assert!(report.iter().map(|file| file.records).sum::<u64>() > 0, "{name}");
    };
    let written = |bytes: usize| queryscope::internal::text::count(bytes as i64);
    let (half, all) = (text.len() / 2 + 10, text.len());
    let (half_is, all_is) = (written(half), written(all));
    let after = format!("everything after byte {half_is}");
    let gzip = gzip_stored(text.as_bytes());
    let expected = format!("The gzip file ends early: {after} of its content is missing.");
    check("gzip", &gzip, gzip.len() - 8 - (all - half), 0, &expected);
    let head = zstd_stored(&[&text.as_bytes()[..half]]).len() - 3;
    let zstd = zstd_stored(&[&text.as_bytes()[..half], &text.as_bytes()[half..]]);
    let expected = format!("The Zstandard file ends early: {after} of its content is missing.");
    check("Zstandard", &zstd, head + 100, 0, &expected);
    let tar = tar(&[("a.json", text.as_bytes())]);
    let expected = format!("The file in the archive ends early: {after} of {all_is} is missing.");
    check("tar", &tar, 512 + half, 1, &expected);
    let zip = zip(&[("a.json", text.as_bytes())], true);
    check("zip", &zip, 30 + "a.json".len() + half, 1, &expected);
    let expected =
        format!("The file ends in the middle of a record: everything after byte {half_is} is missing.");
    check("plain", text.as_bytes(), half, 0, &expected);
}

/// Damage is told, even if there is nothing to show.
#[test]
fn a_damaged_archive_without_contents_is_named() {
    let check = |bytes: &[u8], name: &str, expected: &str| {
        let report = read(bytes);
        let file = &report[0];
        assert!(file.problems.iter().any(|problem| problem.name == name), "{expected}: {file:?}");
        let missing = file.missing.as_deref().unwrap_or_default();
        assert!(missing.contains(expected), "{missing}");
    };
    let mut impossible = tar_entry(b'0', "a.json", LINE.as_bytes());
    // A number that is not octal, in a header whose sum is right.
    impossible[124..135].copy_from_slice(b"99999999999");
    support::archives::sum_up(&mut impossible);
    check(&impossible, "damaged archive", "a file in it has an invalid size");
    let pax = tar_entry(b'x', "PaxHeaders/a", b"15 path=a.json\n");
    check(&pax, "damaged archive", "the file that its last header announces is missing");
    check(&[pax, vec![0; 1024]].concat(), "damaged archive", "the file that its last header announces");
    let mut long = tar_entry(b'L', "././@LongLink", b"");
    long[124..135].copy_from_slice(format!("{:011o}", 300_000_000).as_bytes());
    support::archives::sum_up(&mut long);
    long.resize(1 << 16, b'n');
    check(&long, "damaged archive", "a file name in it has 300000000 bytes");
    // What `zstd --long=31` writes: a window of 2 GiB.
    let window = [0x28, 0xB5, 0x2F, 0xFD, 0, 0xA8, 1, 0, 0];
    check(&window, "not unpacked", "it needs a window larger than 134 MB (2.1 GB)");
}
