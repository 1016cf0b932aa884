//! What must hold of any bytes: no panic, every record is accounted for, where the bytes are cut never matters, and reading in
//! bounded steps reads the same. Used by the fuzz targets, and by the short run in `tests/fuzz.rs`.

use queryscope::export::{SpanFormat, write_spans};
use queryscope::protocol::FileReport;
use queryscope::session::Session;

/// What is read of any bytes.
pub struct Target {
    /// As `cargo xtask fuzz` calls it: a format's id, or a container.
    pub name: &'static str,
    /// The format that the bytes are read as; `None` to recognise them.
    pub format: Option<&'static str>,
    /// How files of a container begin: what else they begin with is another target's.
    pub magic: &'static [u8],
    /// The folder of `tests/traces` that it begins with.
    pub seeds: &'static str,
    /// How the names of those files end.
    pub ending: &'static str,
}

const fn format(id: &'static str) -> Target {
    Target { name: id, format: Some(id), magic: b"", seeds: id, ending: "" }
}

const fn container(name: &'static str, magic: &'static [u8], ending: &'static str) -> Target {
    Target { name, format: None, magic, seeds: "containers", ending }
}

/// All of them: every reader and every container.
pub const TARGETS: &[Target] = &[
    format("kubling"),
    format("topoexec"),
    format("chrome"),
    format("monetdb"),
    format("mysql"),
    format("folded"),
    format("queryscope"),
    container("gzip", b"\x1f\x8b\x08", ".gz"),
    container("zstd", b"\x28\xb5\x2f\xfd", ".zst"),
    container("bzip2", b"BZh9", ".bz2"),
    container("zip", b"PK\x03\x04", ".zip"),
    container("tar", b"", ".tar"),
];

/// Everything that a trace says, and what became of its files.
type Outcome = (Vec<FileReport>, String);

/// The bytes in pieces of this size.
fn read(target: &Target, bytes: &[u8], size: usize) -> Outcome {
    let mut session = Session::default();
    session.read_as(target.format).expect("a known format");
    session.open("fuzz");
    bytes.chunks(size.max(1)).for_each(|part| session.push(part));
    session.close(None);
    session.build();
    let report = session.report();
    for file in &report {
        assert_eq!(file.records, file.used + file.reported + file.left_out, "{file:?}");
    }
    let mut rows = Vec::new();
    write_spans(session.trace(), SpanFormat::Csv, true, &mut rows).expect("memory");
    (report, String::from_utf8(rows).expect("rows are text"))
}

/// Checks the law for one input.
pub fn check(target: &Target, data: &[u8]) {
    let Some((&size, bytes)) = data.split_first() else { return };
    let mut bytes = bytes.to_vec();
    if bytes.len() >= target.magic.len() {
        bytes[..target.magic.len()].copy_from_slice(target.magic);
    }
    let (whole, cut) = (read(target, &bytes, usize::MAX), read(target, &bytes, usize::from(size)));
    assert_eq!(whole, cut, "in pieces of {size}");
}
