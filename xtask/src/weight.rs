//! Download sizes: of files as they are, with gzip, and with brotli, which static hosts send to every browser.

use std::fs;
use std::io::Write;
use std::iter::Sum;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::element;
use crate::site::ENGINE;

/// Upper limit for the first load of the page, in bytes with brotli. The goal is 400,000 again: the table that all views
/// share, columns by a dimension, and charts by run need more than the tables that they replaced, and a type for each request
/// 4,000 more than one for all.
pub const BAR: u64 = 429_000;

/// Upper limit for the engine, which is fetched right after the page, in bytes with brotli. A format or view that needs
/// more raises the limit in the same commit, so that growth is noticed.
const ENGINE_BAR: u64 = 895_000;

/// Folders of the site whose files are fetched only when the user or another page requests them.
const ON_DEMAND: [&str; 2] = ["sample", element::FOLDER];

/// Sizes of one or several files, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Weight {
    pub raw: u64,
    pub gzip: u64,
    pub brotli: u64,
}

impl Weight {
    /// Sizes of `bytes`, compressed at the highest levels.
    pub fn of(bytes: &[u8]) -> Result<Self> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(bytes)?;
        let mut brotli = Vec::new();
        let best = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
        brotli::BrotliCompress(&mut &*bytes, &mut brotli, &best)?;
        let (gzip, brotli) = (gzip.finish()?.len() as u64, brotli.len() as u64);
        Ok(Self { raw: bytes.len() as u64, gzip, brotli })
    }
}

impl Sum for Weight {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |a, b| Self {
            raw: a.raw + b.raw,
            gzip: a.gzip + b.gzip,
            brotli: a.brotli + b.brotli,
        })
    }
}

/// Prints the sizes of the site in `dist`, file by file: the page's own files, and the engine.
///
/// # Errors
/// If a size exceeds its limit.
pub fn check(dist: &Path) -> Result<()> {
    let (engine, page): (Vec<_>, Vec<_>) =
        files(dist)?.into_iter().partition(|(name, _)| name.starts_with(ENGINE));
    for (what, files, bar) in [("first load", page, BAR), ("engine, right behind it", engine, ENGINE_BAR)] {
        let total: Weight = files.iter().map(|(_, weight)| *weight).sum();
        print!("{}", table(what, &files, total, bar));
        ensure!(!files.is_empty() && total.brotli < bar, "{what}: {} bytes, {bar} are allowed", total.brotli);
    }
    Ok(())
}

/// Size of the engine of the site in `dist`.
pub fn engine(dist: &Path) -> Result<Weight> {
    let is_engine = |(name, weight): (String, Weight)| name.starts_with(ENGINE).then_some(weight);
    Ok(files(dist)?.into_iter().filter_map(is_engine).sum())
}

/// All files of the site except those in [`ON_DEMAND`], largest first.
fn files(dist: &Path) -> Result<Vec<(String, Weight)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dist).with_context(|| format!("no site in {}", dist.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            ensure!(ON_DEMAND.contains(&name.as_str()), "{name}/ is new in the site: is it loaded at once?");
        } else {
            files.push((name, Weight::of(&fs::read(entry.path())?)?));
        }
    }
    files.sort_by(|a, b| b.1.brotli.cmp(&a.1.brotli).then_with(|| a.0.cmp(&b.0)));
    Ok(files)
}

fn table(what: &str, files: &[(String, Weight)], total: Weight, bar: u64) -> String {
    let row = |name: &str, w: Weight| format!("{name:<48}{:>10}{:>10}{:>10}\n", w.raw, w.gzip, w.brotli);
    let mut text = format!("{:<48}{:>10}{:>10}{:>10}\n", what, "bytes", "gzip", "brotli");
    text.extend(files.iter().map(|(name, weight)| row(name, *weight)));
    text.push_str(&row("in all", total));
    text.push_str(&format!("{:<68}{bar:>10}\n", "allowed"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_all_files() {
        let text = "what repeats is small, ".repeat(50);
        let (a, b) = (Weight::of(text.as_bytes()).expect("memory"), Weight::of(b"").expect("memory"));
        assert_eq!((a.raw, b.raw), (text.len() as u64, 0));
        assert!(a.gzip < 100 && a.brotli < a.gzip, "{a:?}");
        let total: Weight = [a, b, a].into_iter().sum();
        assert_eq!(total.brotli, 2 * a.brotli + b.brotli);
        let table = table("all", &[("a.js".into(), a)], total, 9);
        assert!(table.contains(&format!("{:>10}\n", total.brotli)), "{table}");
    }
}
