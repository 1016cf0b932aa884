//! Measures the built site in a real browser, compared with the minimum work in the same browser.

mod answers;
mod first;
mod frames;
mod load;
mod memory;
mod pivot;
mod quiet;
mod report;
mod rivals;
mod rows;
mod sharing;
mod sql;
mod table;
mod tenfold;
mod window;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::{browser, generate, run, site};
use quiet::{Ticks, quietest};

#[derive(clap::Args)]
pub struct Arguments {
    /// Number of events of the Kubling, Chrome and MySQL traces. Frame times are also measured at a tenth and a hundredth of it.
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// Number of repetitions of each measurement, whose median counts.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Leave out the trace of ten times as many events, which needs some gigabytes on disk.
    #[arg(long)]
    short: bool,
    /// Leave docs/bench.json, docs/bench.md and README.md as they are.
    #[arg(long)]
    dry: bool,
    /// Measure only this part. The documents get its rows if the others are from this machine and browser.
    #[arg(long, value_enum, conflicts_with = "render")]
    only: Option<Part>,
    /// Measure nothing: write docs/bench.md and README.md from docs/bench.json.
    #[arg(long, conflicts_with = "dry")]
    render: bool,
}

/// A part of the measurements that can be taken alone.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Part {
    /// Answers about the large trace.
    Answers,
    /// SQL in the page, and data sets. Not among the other measurements, because the converting program takes ten minutes to build.
    Sql,
}

/// A generated trace.
pub struct Trace {
    pub events: u64,
    pub path: PathBuf,
    pub bytes: u64,
}

impl Trace {
    /// Reads the file into the system's cache, so that no measurement includes disk time. Call it directly before opening
    /// the file, because the system may drop cached files within seconds.
    pub fn warm(&self) -> Result<()> {
        let mut file = fs::File::open(&self.path)?;
        let read = io::copy(&mut file, &mut io::sink())?;
        ensure!(read == self.bytes, "{} has another size than it was written with", name(&self.path));
        Ok(())
    }
}

/// All measurements. Times are in ms, sizes in bytes.
pub struct Results {
    pub chromium: String,
    /// Share of the required CPU time that other guests of a virtual machine's host took (0 to 1); `None` if unknown.
    pub stolen: Option<f64>,
    pub trace: Trace,
    pub first: first::First,
    pub load: load::Load,
    pub frames: Vec<frames::Frames>,
    pub answers: Vec<answers::Answer>,
    pub pivot: Vec<pivot::Answer>,
    /// Pivot tables of MySQL waits, because users of this format mostly begin with tables.
    pub waits_pivot: Vec<pivot::Answer>,
    /// Memory of the page per MySQL wait.
    pub wait_bytes: Option<f64>,
    pub native_ms: f64,
    pub sharing: sharing::Sharing,
    pub tenfold: Option<tenfold::Tenfold>,
    pub rivals: rivals::Rivals,
    /// Traces of other formats than Kubling and Chrome.
    pub others: Vec<Other>,
}

/// Measurements of a trace in another format.
pub struct Other {
    pub what: &'static str,
    pub trace: Trace,
    pub opened: rivals::Opened,
    /// Size of the Chrome trace for comparison, and the time until it is drawn.
    pub chrome: (u64, f64),
}

/// Number of records in the MonetDB stream, 33 MB, as in a large stream of a real server.
const STREAM: u64 = 61_176;

/// Number of events of a small trace.
const FEW: u64 = 10_000;

/// Measures everything, prints the results and writes the documents.
pub fn bench(arguments: &Arguments) -> Result<()> {
    if arguments.render {
        return table::Table::stored()?.publish();
    }
    ensure!(arguments.runs > 0, "--runs must be at least 1");
    let begun = Ticks::now();
    let chromium = browser::find()?.version();
    let dist = site::build()?;
    let trace = trace(arguments.events)?;
    if let Some(part) = arguments.only {
        let sections = match part {
            Part::Answers => {
                vec![rows::of_answers(&answers::measure(&dist, &trace, arguments.runs)?, trace.events)]
            }
            Part::Sql => rows::sql(&sql::measure(&dist, &trace, arguments.runs)?),
        };
        return report::write_part(sections, &chromium, arguments.dry);
    }
    println!("first load");
    let first = first::measure(&dist, arguments.runs)?;
    println!("loading {} events", trace.events);
    let load = load::measure(&dist, &trace, arguments.runs)?;
    let mut all_frames = Vec::new();
    for events in [arguments.events / 100, arguments.events / 10, arguments.events] {
        println!("frames at {events} events");
        all_frames.push(frames::measure(&dist, &self::trace(events)?)?);
    }
    println!("answers");
    let answers = answers::measure(&dist, &trace, arguments.runs)?;
    println!("pivot tables");
    let pivot = pivot::measure(&dist, &trace, pivot::QUERIES, arguments.runs)?;
    println!("the command line");
    let program = program()?;
    let native_ms = native(&program, &trace, arguments.runs)?;
    println!("what is shared");
    let sharing = sharing::measure(&dist, self::trace, &program, arguments.runs)?;
    println!("a Chrome trace of {} events, here and in other viewers", arguments.events);
    let (few, chrome) = (chrome(FEW)?, chrome(arguments.events)?);
    let rivals = rivals::measure(&dist, &chrome, &few, arguments.runs)?;
    let waits = self::waits(arguments.events)?;
    let (opened, beside) = rivals::in_turns(&dist, &waits, &chrome, arguments.runs)?;
    let wait_bytes = each(&dist, arguments, &opened)?;
    println!("pivot tables of waits");
    let waits_pivot = pivot::measure(&dist, &waits, pivot::WAITS, arguments.runs)?;
    let chrome = (chrome.bytes, beside.drawn_ms);
    let waits = Other { what: "MySQL table of waits", trace: waits, opened, chrome };
    let others = vec![waits, stream(&dist, arguments)?];
    // Earlier measurements are printed even if this one fails.
    let tenfold = (!arguments.short).then(|| tenfold(&dist, arguments.events * 10)).transpose();
    let (tenfold, failed) = tenfold.map_or_else(|error| (None, Err(error)), |found| (found, Ok(())));
    let stolen = Ticks::now().zip(begun).map(|(now, begun)| now.stolen_since(begun));
    let results = Results {
        chromium,
        stolen,
        trace,
        first,
        load,
        frames: all_frames,
        answers,
        pivot,
        waits_pivot,
        wait_bytes,
        native_ms,
        sharing,
        tenfold,
        rivals,
        others,
    };
    report::write(&results, arguments.dry || failed.is_err())?;
    failed
}

fn tenfold(dist: &Path, events: u64) -> Result<tenfold::Tenfold> {
    println!("loading {events} events");
    let trace = trace(events)?;
    let found = tenfold::measure(dist, &trace);
    fs::remove_file(&trace.path)?;
    found
}

/// Generates a Kubling trace with this number of events.
fn trace(events: u64) -> Result<Trace> {
    let folder = queryscope_e2e::root().join("target/bench");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("sim-{events}.ndjson"));
    // Always generated again, because a file from another version of the generator would differ.
    generate::write(&path, events, 1)?;
    let bytes = fs::metadata(&path)?.len();
    Ok(Trace { events, path, bytes })
}

/// Generates a Chrome trace with this number of events.
fn chrome(events: u64) -> Result<Trace> {
    let path = queryscope_e2e::root().join("target/bench").join(format!("chrome-{events}.json"));
    generate::chrome::write(&path, events, 1)?;
    let bytes = fs::metadata(&path)?.len();
    Ok(Trace { events, path, bytes })
}

/// Generates a table with this number of MySQL waits.
fn waits(events: u64) -> Result<Trace> {
    println!("a table of {events} waits of MySQL");
    let path = queryscope_e2e::root().join("target/bench").join(format!("mysql-waits-{events}.tsv"));
    generate::mysql::write(&path, events, 1)?;
    let bytes = fs::metadata(&path)?.len();
    Ok(Trace { events, path, bytes })
}

/// Memory of the page's process per wait, in bytes: from the difference between all waits and a tenth of them, which excludes
/// memory that does not depend on the number of waits.
fn each(dist: &Path, arguments: &Arguments, all: &rivals::Opened) -> Result<Option<f64>> {
    let few = waits(arguments.events / 10)?;
    let opened = rivals::other(dist, &few, arguments.runs)?;
    let more = (arguments.events - few.events) as f64;
    Ok(all.resident.zip(opened.resident).map(|(all, few)| all.saturating_sub(few) as f64 / more))
}

/// Measures a stream of MonetDB's profiler, and a Chrome trace of the same size.
fn stream(dist: &Path, arguments: &Arguments) -> Result<Other> {
    println!("a stream of {STREAM} events of MonetDB");
    let path = queryscope_e2e::root().join("target/bench/monetdb-stream.json");
    generate::monetdb::write(&path, STREAM, 1)?;
    let bytes = fs::metadata(&path)?.len();
    let trace = Trace { events: STREAM, path, bytes };
    let alike = as_large(bytes)?;
    let (opened, beside) = rivals::in_turns(dist, &trace, &alike, arguments.runs)?;
    let chrome = (alike.bytes, beside.drawn_ms);
    Ok(Other { what: "MonetDB stream", trace, opened, chrome })
}

/// Generates a Chrome trace of about this number of bytes.
fn as_large(bytes: u64) -> Result<Trace> {
    let few = chrome(FEW)?;
    chrome(bytes * few.events / few.bytes)
}

/// Builds the command line.
fn program() -> Result<PathBuf> {
    run::run(run::cargo().args(["build", "--release", "--bin", "queryscope"]))?;
    Ok(run::target().join("release/queryscope"))
}

/// Wall time of `queryscope report`, in ms.
fn native(program: &Path, trace: &Trace, runs: usize) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..runs {
        times.push(quietest(|| {
            trace.warm()?;
            let begun = Instant::now();
            let line = run::first_line(
                run::command(program).arg("report").arg(&trace.path).args(["--format", "json"]),
            );
            line.context("queryscope report failed")?;
            Ok(begun.elapsed().as_secs_f64() * 1e3)
        })?);
    }
    Ok(median(times))
}

/// The median; for an even number of values, the mean of the two middle values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    if n == 0 { f64::NAN } else { (values[(n - 1) / 2] + values[n / 2]) / 2.0 }
}

/// The value at this position (0 to 1) of the sorted values.
fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (share * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(at).copied().unwrap_or(f64::NAN)
}

/// File name without the folder.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_percentiles() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(vec![]).is_nan());
        assert_eq!(percentile((0..=100).map(f64::from).collect(), 0.95), 95.0);
        assert!(percentile(vec![], 0.5).is_nan());
    }
}
