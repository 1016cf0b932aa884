//! Joins the viewer's style sheets into one, without comments and indentation: they are a part of the page's first load.

use std::path::Path;
use std::{env, fs, io};

/// The sheets, in the order in which later rules win.
const SHEETS: [&str; 20] = [
    "tokens",
    "base",
    "frame",
    "landing",
    "table",
    "queries",
    "details",
    "overview",
    "pivot",
    "parallel",
    "compare",
    "transactions",
    "statements",
    "tables",
    "sql",
    "trends",
    "dialogs",
    "timeline",
    "notes",
    "mount",
];

fn main() -> io::Result<()> {
    let mut rules = String::new();
    for name in SHEETS {
        let path = format!("assets/{name}.css");
        println!("cargo::rerun-if-changed={path}");
        let sheet = without_comments(&fs::read_to_string(path)?);
        sheet.lines().map(str::trim).filter(|line| !line.is_empty()).for_each(|line| {
            rules.push_str(line);
            rules.push('\n');
        });
    }
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&folder).join("viewer.css"), rules)
}

/// A sheet without its comments. No string in the sheets holds the mark that begins one.
fn without_comments(sheet: &str) -> String {
    let mut parts = sheet.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("*/").map_or("", |(_, rest)| rest))
}
