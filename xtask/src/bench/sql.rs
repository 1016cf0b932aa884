//! SQL in the page, and data sets: statements over a large trace, converting it, and trends over many traces.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Mount, Named, Options, Server, button, root};
use serde_json::{Value, json};

use super::load::{draw, open};
use super::window::{self, Window};
use super::{Trace, median};
use crate::weight::{self, Weight};
use crate::{generate, run};

/// Measurements of SQL and of data sets.
pub struct Sql {
    pub events: u64,
    /// Size of the SQL program.
    pub program: Weight,
    /// Time from a click on the tab SQL, in a page that has not fetched the program, until the first statement has its rows, in ms.
    pub first_ms: f64,
    /// Time that the page shows for a join with groups, in ms.
    pub join_ms: f64,
    pub convert: Convert,
    /// The same trace with a memory limit of [`MEMORY_LIMIT`], into which it does not fit.
    pub in_parts: Convert,
    pub trends: Trends,
    pub windows: Vec<Window>,
}

/// Memory limit for a conversion in parts, in bytes.
pub const MEMORY_LIMIT: u64 = 64_000_000;

/// A trace that was added to a data set.
pub struct Convert {
    pub json_bytes: u64,
    pub parquet_bytes: u64,
    /// Number of traces in the data set: one, or the parts.
    pub traces: usize,
    pub ms: f64,
    /// Largest resident memory of the program; `None` if the system does not report it.
    pub peak: Option<u64>,
}

/// Trends of a data set in the page.
pub struct Trends {
    pub traces: usize,
    pub spans: u64,
    /// Number of different traces; each is in the data set under several names.
    pub distinct: u64,
    /// Time from the navigation to the data set until the groups are shown, in ms.
    pub ms: f64,
    pub read: Read,
}

/// What the page read of the files of a data set.
pub struct Read {
    pub requests: u64,
    pub bytes: u64,
}

const FIRST: &str = "SELECT kind, count(*) AS n FROM spans GROUP BY kind";
const JOIN: &str = "SELECT q.name, count(*) AS n, sum(s.duration_ns) AS ns FROM spans s JOIN spans q ON s.query_span_id = q.span_id \
                    GROUP BY q.name ORDER BY ns DESC LIMIT 20";
/// Number of traces in the data set whose trends are measured.
const TRACES: usize = 1_000;
/// Number of different traces among them.
const DISTINCT: u64 = 10;
/// Number of events of each trace, from which about 100,000 spans are built.
const EVENTS: u64 = 250_000;
pub const MANIFEST: &str = "queryscope-dataset.json";

/// Script that sets `window.began` once the page shows that a statement runs.
const WATCH: &str = "
    window.began = false;
    const said = document.querySelector('.sql-tools [role=status]');
    new MutationObserver(() => { window.began ||= said.textContent.endsWith('…'); })
        .observe(said, { childList: true, characterData: true, subtree: true });";

/// Script that waits until the rows of the statement are shown. Returns the status text of the page.
const RESULT: &str = "
    const said = document.querySelector('.sql-tools [role=status]');
    while (!window.began || !/rows?,? in /.test(said.textContent)) await new Promise(r => setTimeout(r, 5));
    return said.textContent;";

/// Script that opens the tab SQL and runs a statement as soon as there is an editor. Returns the time from the click on the tab until the
/// rows are shown, in ms. It is one script, because looking for elements by their names from outside would take longer than the page does.
const FIRST_ANSWER: &str = r"
    const [statement] = arguments;
    const found = async find => {
        for (;;) {
            const element = find();
            if (element) return element;
            await new Promise(r => setTimeout(r, 2));
        }
    };
    const named = (kind, text) => [...document.querySelectorAll(kind)].find(element => element.textContent.trim() === text);
    const begun = performance.now();
    named('[role=tab]', 'SQL').click();
    const editor = await found(() => document.querySelector('.sql-editor textarea'));
    editor.value = statement;
    editor.dispatchEvent(new InputEvent('input', { bubbles: true }));
    const run = await found(() => [named('button', 'Run')].find(button => button && !button.disabled));
    run.click();
    await found(() => [...document.querySelectorAll('.sql-tools [role=status]')].some(said => /rows? in /.test(said.textContent)));
    return performance.now() - begun;";

pub fn measure(dist: &Path, trace: &Trace, runs: usize) -> Result<Sql> {
    let (mut firsts, mut joins) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let (browser, _server) = open(dist)?;
        draw(&browser, trace, trace.events)?;
        let first = browser.run_async(FIRST_ANSWER, json!([FIRST]))?;
        firsts.push(first.as_f64().context("a time")?);
        // Columns that no earlier statement read are fetched from the engine the first time.
        statement(&browser, JOIN)?;
        joins.push(statement(&browser, JOIN)?);
    }
    let program = program()?;
    let folder = root().join("target/bench/data-set");
    let convert_within = |memory: &[&str]| convert(&program, &trace.path, &folder, memory);
    let convert = convert_within(&[])?;
    let in_parts = convert_within(&["--memory", &format!("{MEMORY_LIMIT}B")])?;
    let trends = trends(dist, &program, runs)?;
    let windows = window::measure(dist, &program, runs)?;
    let (first_ms, join_ms) = (median(firsts), median(joins));
    Ok(Sql {
        events: trace.events,
        program: weight::sql(dist)?,
        first_ms,
        join_ms,
        convert,
        in_parts,
        trends,
        windows,
    })
}

/// Runs a statement. Returns the time that the page reports, in ms.
pub fn statement(browser: &Browser, sql: &str) -> Result<f64> {
    browser.fill(&Named::new("textbox", "SQL statement"), sql)?;
    browser.run(WATCH, json!([]))?;
    browser.click_on(&button("Run"))?;
    let found = browser.run_async(RESULT, json!([]))?;
    let text = found.as_str().context("a sentence")?;
    text.split(" in ").nth(1).and_then(milliseconds).with_context(|| text.to_owned())
}

/// Converts a time as the page shows it, such as `1.2 s`, to ms; `None` if the text is no such time.
fn milliseconds(text: &str) -> Option<f64> {
    let (number, rest) = text.split_once([' ', '\u{a0}'])?;
    let number: f64 = number.parse().ok()?;
    match rest.split(|c: char| !c.is_alphanumeric()).next()? {
        "s" => Some(number * 1e3),
        "ms" => Some(number),
        "µs" => Some(number / 1e3),
        _ => None,
    }
}

/// Builds the program that writes data sets.
fn program() -> Result<PathBuf> {
    run::run(run::cargo().args(["build", "--profile", "native", "--package", "queryscope-sql"]))?;
    Ok(run::target().join("native/queryscope-sql"))
}

fn convert(program: &Path, trace: &Path, folder: &Path, memory: &[&str]) -> Result<Convert> {
    let _ = fs::remove_dir_all(folder);
    let mut command = run::command(program);
    command.args(["convert", "--name", "trace", "-o"]).arg(folder).arg(trace).args(memory);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let (mut peak, mut ended) = (None, None);
    while ended.is_none() {
        peak = resident(&child).max(peak);
        std::thread::sleep(Duration::from_millis(10));
        ended = child.try_wait()?;
    }
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    ensure!(ended.is_some_and(|status| status.success()), "queryscope convert failed");
    let manifest = manifest(folder)?;
    let bytes = files(&manifest).iter().filter_map(|file| file["bytes"].as_u64()).sum();
    let traces = manifest["traces"].as_array().map_or(0, Vec::len);
    Ok(Convert { json_bytes: fs::metadata(trace)?.len(), parquet_bytes: bytes, traces, ms, peak })
}

/// Largest resident memory of a process so far, in bytes; `None` if the system does not report it.
fn resident(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib << 10)
}

fn manifest(folder: &Path) -> Result<Value> {
    Ok(serde_json::from_str(&fs::read_to_string(folder.join(MANIFEST))?)?)
}

fn files(manifest: &Value) -> Vec<&Value> {
    let traces = manifest["traces"].as_array().into_iter().flatten();
    traces.flat_map(|trace| trace["files"].as_array().into_iter().flatten()).collect()
}

/// Makes a data set of [`TRACES`] traces and returns its folder and its number of spans. Only [`DISTINCT`] traces are generated and
/// converted; the others are hard links to the same files under other names, so that gigabytes need not be written. One trace is converted
/// again after that, which adds the links to the index of trends.
fn data_set(program: &Path) -> Result<(PathBuf, u64)> {
    let folder = root().join("target/bench/many-traces");
    let _ = fs::remove_dir_all(&folder);
    let convert = |at: u64| -> Result<()> {
        let trace = root().join(format!("target/bench/of-many-{at}.ndjson"));
        generate::write(&trace, EVENTS, at + 1)?;
        let mut convert = run::command(program);
        convert.args(["convert", "--name", &format!("run-{at:04}"), "--day", "2026-03-31", "-o"]);
        run::run(convert.arg(&folder).arg(&trace))?;
        Ok(fs::remove_file(&trace)?)
    };
    (0..DISTINCT).try_for_each(convert)?;
    let mut manifest = manifest(&folder)?;
    let written = manifest["traces"].as_array().cloned().context("traces")?;
    let mut traces = written.clone();
    for (at, from) in (written.len()..TRACES).zip(written.iter().cycle()) {
        let mut trace = from.clone();
        let name = format!("run-{at:04}");
        (trace["trace_id"], trace["name"]) = (trace_id(&name).to_string().into(), name.into());
        for file in trace["files"].as_array_mut().context("files")? {
            let path = file["path"].as_str().context("a path")?.to_owned();
            let linked = path.replace(".parquet", &format!("-{at}.parquet"));
            fs::hard_link(folder.join(&path), folder.join(&linked))?;
            file["path"] = linked.into();
        }
        traces.push(trace);
    }
    manifest["traces"] = traces.into();
    fs::write(folder.join(MANIFEST), manifest.to_string())?;
    convert(0)?;
    manifest = self::manifest(&folder)?;
    let spans = files(&manifest).into_iter().filter(|file| file["table"] == "spans");
    let spans = spans.filter_map(|file| file["rows"].as_u64()).sum();
    Ok((folder, spans))
}

/// Id of the trace with this name: the FNV-1a hash of the name, without its last bit.
fn trace_id(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash >> 1
}

fn trends(dist: &Path, program: &Path, runs: usize) -> Result<Trends> {
    let (folder, spans) = data_set(program)?;
    let mounts = || vec![Mount::new("/", dist), Mount::new("/sets/many/", &folder)];
    let whole = fs::metadata(folder.join(MANIFEST))?.len();
    let mut times = Vec::new();
    let mut read = None;
    for _ in 0..runs {
        let server = Server::start(mounts())?;
        let browser = Browser::start(Options::default())?;
        browser.open(&format!("{}#dataset=sets/many/", server.url()))?;
        let shown = "while (!document.querySelector('.trends .grid-rows .grid-row')) await new Promise(r => setTimeout(r, 5)); \
                     return performance.now()";
        times.push(browser.run_async(shown, json!([]))?.as_f64().context("a time")?);
        read = Some(reads(&server, whole));
    }
    fs::remove_dir_all(&folder)?;
    let read = read.context("a run")?;
    Ok(Trends { traces: TRACES, spans, distinct: DISTINCT, ms: median(times), read })
}

/// What was read of the data set so far, whose manifest has `whole` bytes and is the only file that is read without a range.
pub fn reads(server: &Server, whole: u64) -> Read {
    let visits = server.visits().into_iter().filter(|visit| visit.path.starts_with("/sets/"));
    let bytes: Vec<u64> =
        visits.map(|visit| visit.range.map_or(whole, |(first, last)| last + 1 - first)).collect();
    Read { requests: bytes.len() as u64, bytes: bytes.iter().sum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_shown() {
        for (text, expected) in [
            ("84 ms", Some(84.0)),
            ("1.25 s; 3 kB read", Some(1250.0)),
            ("900\u{a0}µs", Some(0.9)),
            ("x", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
