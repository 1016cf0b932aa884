//! Texts of the progress display while files are read.

use queryscope::internal::text;

use super::common::{files, records};

pub const CANCEL: &str = "Cancel";
pub const READ: &str = "Read";
pub const RECORDS: &str = "Records";
pub const RATE: &str = "Rate";
pub const TIME_LEFT: &str = "Time left";
pub const UNKNOWN: &str = "–";
pub const READING: &str = "Reading…";

pub fn scanning(n: u32) -> String {
    format!("Scanning folder: {}", files(n.into()))
}

pub fn reading(name: &str) -> String {
    format!("Reading {name}")
}

pub fn reading_one_of(name: &str, file: u32, files: u32) -> String {
    format!("Reading {name} ({file} of {files})")
}

pub fn amount_of(read: &str, total: &str) -> String {
    format!("{read} of {total}")
}

pub fn rate(bytes: i64) -> String {
    format!("{}/s", text::bytes(bytes))
}

pub fn left(nanoseconds: i64) -> String {
    format!("about {}", text::duration_exact(nanoseconds))
}

/// Formats progress on one line: "15 MB of 229 MB · 300 records · about 12 s left".
pub fn slim(amount: &str, n: u64, nanoseconds: Option<i64>) -> String {
    let left = nanoseconds.map_or_else(String::new, |nanoseconds| format!(" · {} left", left(nanoseconds)));
    format!("{amount} · {}{left}", records(n))
}

pub fn stopped(amount: &str) -> String {
    format!("Stopped at {amount}. Drawing what was read…")
}

pub fn complete(n: u64) -> String {
    format!("Read {}. Drawing the complete trace…", records(n))
}
