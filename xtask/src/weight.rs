//! Download sizes: of files as they are, with gzip, and with brotli, which static hosts send to every browser.

use std::fs;
use std::iter::Sum;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::site::{self, ENGINE, SQL};
use crate::{element, single_file};

/// Upper limit for the first load of the page, in bytes with brotli. The goal is to return to 400,000: the limit was
/// raised for the table that all views share, for pivot columns by a dimension and for charts by run, which are larger
/// than the code that they replaced, by 4,000 because each request has a type of its own, by 57,000 for notes, pinned
/// tracks, saving, recent traces, links to local files, and what other pages can ask of a viewer, by 16,000 for the
/// statements tab, by 70,000 for the answers of the overview, sources and buffers, compared runs, and call stacks, and by 30,000
/// for critical paths, areas of the timeline, executions side by side, the filter of all views, and forms of copied tables, by 10,000
/// for jumps between spans, hidden and moved tracks, forms of counters, and gathered spans, by 10,000 for conditions, completion
/// and buttons of the filter, by 28,000 for compared runs in one table, histograms of statements, reasons of empty lists, and the SQL tab,
/// by 5,000 for charts, filters, tracks and files of SQL results, by 19,000 for data sets and their trends, by 3,000 for numbers that
/// show the queries that they count, by 6,000 for links to missing items, Back between traces of a
/// data set, and what SQL reads, and by 4,000 for pivot tables and findings in every form, and filters that wait for their last word, and
/// by 4,500 for statements and trends that wait for each other, texts that undo restores, and charts that keep their columns by name,
/// and by 1,500 for reasons in place of empty charts, statements for the engine of the trace at the top of their menu, and so that the
/// difference between two machines does not exceed it, by 3,500 for the links of all numbers of compared runs, and marks in charts, and
/// by 3,000 for exact values of compared runs in copies, links to slices, and values that narrow screens show in full, and by 5,000 for
/// links of the histogram of durations, of threads and concurrency, and of verdicts of compared runs, and by 6,500 for findings that
/// are listed in full, links of all numbers of statements and sources, and sentences that explain filters and empty parts, and by 4,000
/// for the filter of compared runs and the reasons of their empty parts, and Back from executions to their list.
pub const BAR: u64 = 715_000;

/// Upper limit for the engine, which is fetched right after the page, in bytes with brotli. A format or view that needs
/// more raises the limit in the same commit, so that growth is noticed. 2,000 bytes of it are for differences between machines.
const ENGINE_BAR: u64 = 1_171_000;

/// Upper limit for the SQL program, which is fetched when the SQL tab or a data set is shown, in bytes with brotli. Reading Parquet
/// files by ranges, and the trends, take 0.9 MB of it.
const SQL_BAR: u64 = 4_500_000;

/// Beginnings of the names of files and folders that are fetched only when the user or another page requests them, or after
/// the page is usable.
const ON_DEMAND: &[&str] = &["sample", "sw.js", "recents-", "handbook", element::FOLDER, single_file::NAME];

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
        let gzip = site::gzip(bytes)?.len() as u64;
        let brotli = site::brotli(bytes)?.len() as u64;
        Ok(Self { raw: bytes.len() as u64, gzip, brotli })
    }

    /// Sizes of a file. Compressed copies next to the file spare compressing it again.
    fn of_file(file: &Path) -> Result<Self> {
        let copy = |ending: &str| {
            let mut name = file.as_os_str().to_owned();
            name.push(ending);
            fs::metadata(name).map(|copy| copy.len())
        };
        match (copy(".gz"), copy(".br")) {
            (Ok(gzip), Ok(brotli)) => Ok(Self { raw: fs::metadata(file)?.len(), gzip, brotli }),
            _ => Self::of(&fs::read(file)?),
        }
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
    let (sql, others): (Vec<_>, Vec<_>) =
        files(dist)?.into_iter().partition(|(name, _)| name.starts_with(SQL));
    let (engine, page): (Vec<_>, Vec<_>) = others.into_iter().partition(|(name, _)| name.starts_with(ENGINE));
    let sizes = [
        ("first load", page, BAR),
        ("engine, right behind it", engine, ENGINE_BAR),
        ("SQL, when its tab is shown", sql, SQL_BAR),
    ];
    for (what, files, bar) in sizes {
        let total: Weight = files.iter().map(|(_, weight)| *weight).sum();
        print!("{}", table(what, &files, total, bar));
        // A site may be built without SQL.
        ensure!(
            (!files.is_empty() || bar == SQL_BAR) && total.brotli < bar,
            "{what}: {} bytes, {bar} are allowed",
            total.brotli
        );
    }
    Ok(())
}

/// Size of the engine of the site in `dist`.
pub fn engine(dist: &Path) -> Result<Weight> {
    let is_engine = |(name, weight): (String, Weight)| name.starts_with(ENGINE).then_some(weight);
    Ok(files(dist)?.into_iter().filter_map(is_engine).sum())
}

/// Size of the SQL program of the site in `dist`.
pub fn sql(dist: &Path) -> Result<Weight> {
    let is_sql = |(name, weight): (String, Weight)| name.starts_with(SQL).then_some(weight);
    Ok(files(dist)?.into_iter().filter_map(is_sql).sum())
}

/// All files of the site except those in [`ON_DEMAND`] and compressed copies, largest first.
fn files(dist: &Path) -> Result<Vec<(String, Weight)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dist).with_context(|| format!("no site in {}", dist.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if ON_DEMAND.iter().any(|begin| name.starts_with(begin)) || site::is_copy(&name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            bail!(
                "unknown folder {name}/ in the site: add it to ON_DEMAND in xtask/src/weight.rs if the first load does not fetch it"
            );
        } else {
            files.push((name, Weight::of_file(&entry.path())?));
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
