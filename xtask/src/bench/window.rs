//! Statements over a short time of one large trace, in the page.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Mount, Options, Server, root, tab};
use serde_json::{Value, json};

use super::median;
use super::sql::{MANIFEST, Read, reads, statement};
use crate::{generate, run};

/// A statement over a hundredth of the time of a trace.
pub struct Window {
    /// Identifier of the row in the documents.
    pub id: &'static str,
    /// What the statement selects, in words.
    pub selected: &'static str,
    /// Number of spans in the data set.
    pub all_spans: u64,
    /// Number of spans that start in this time.
    pub spans: u64,
    /// Time that the page shows for the statement, the first one after the data set was opened, in ms.
    pub ms: f64,
    /// Everything that the statement read, the ends of the files among it.
    pub read: Read,
}

/// Number of events of the trace, from which about 10⁷ spans are built.
const EVENTS: u64 = 23_500_000;
/// Number of spans that the trace must have, so that the documents can speak of 10⁷.
const SPANS: u64 = 10_000_000;

/// Identifier of the row in the documents, what is selected in words and in SQL, and the rest of the statement. Without totals the page
/// keeps only the first rows of the result.
const SELECTED: [(&str, &str, &str, &str); 2] = [
    (
        "window",
        "number and total duration by kind",
        "kind, count(*) AS n, sum(duration_ns) AS ns",
        "GROUP BY kind",
    ),
    ("window-all", "all columns of its first rows", "*", ""),
];

/// Script that returns the sum of the second column of the rows of a statement.
const COUNTED: &str = "
    const rows = [...document.querySelectorAll('.sql .grid-rows .grid-row')];
    return rows.map(row => Number(row.children[1].textContent.replace(/[^0-9]/g, ''))).reduce((sum, n) => sum + n, 0);";

pub fn measure(dist: &Path, program: &Path, runs: usize) -> Result<Vec<Window>> {
    let folder = root().join("target/bench/large-trace");
    let _ = fs::remove_dir_all(&folder);
    let trace = root().join("target/bench/large.ndjson");
    generate::write(&trace, EVENTS, 1)?;
    let mut convert = run::command(program);
    run::run(convert.args(["convert", "--name", "large", "-o"]).arg(&folder).arg(&trace))?;
    fs::remove_file(&trace)?;

    let ask = |sql: &str| -> Result<Value> {
        let output =
            run::command(program).args(["sql", "--format", "json"]).arg(&folder).arg(sql).output()?;
        ensure!(output.status.success(), "queryscope sql: {}", String::from_utf8_lossy(&output.stderr));
        let rows: Value = serde_json::from_slice(&output.stdout)?;
        rows.get(0).cloned().with_context(|| format!("no row of {sql}"))
    };
    let times = ask("SELECT count(*) AS n, min(start_ns) AS first, max(start_ns) AS last FROM spans")?;
    let all_spans = integer(&times, "n")?;
    ensure!(all_spans >= SPANS as i64, "{all_spans} spans, fewer than {SPANS}");
    let first = integer(&times, "first")?;
    let last = integer(&times, "last")?;
    let begin = first + (last - first) / 2;
    let within = format!("FROM spans WHERE start_ns BETWEEN {begin} AND {}", begin + (last - first) / 100);
    let spans = integer(&ask(&format!("SELECT count(*) AS n {within}"))?, "n")?;

    let windows = SELECTED.iter().map(|&(id, selected, columns, rest)| {
        let statement = format!("SELECT {columns} {within} {rest}");
        let (ms, read) = in_page(dist, &folder, &statement, runs, (columns != "*").then_some(spans))?;
        Ok(Window { id, selected, all_spans: all_spans as u64, spans: spans as u64, ms, read })
    });
    let windows = windows.collect::<Result<_>>();
    fs::remove_dir_all(&folder)?;
    windows
}

/// An integer of a row in JSON, where large ones are text.
fn integer(row: &Value, column: &str) -> Result<i64> {
    let value = row.get(column).with_context(|| format!("no column {column}"))?;
    let parsed = value.as_i64().or_else(|| value.as_str()?.parse().ok());
    parsed.with_context(|| format!("{column} is {value}"))
}

/// Opens the data set as often as `runs` says, and runs the statement as the first one. Returns the median time, and what it read.
/// The second column of the result must have the sum `expected`, if there is one.
fn in_page(dist: &Path, folder: &Path, sql: &str, runs: usize, expected: Option<i64>) -> Result<(f64, Read)> {
    let whole = fs::metadata(folder.join(MANIFEST))?.len();
    let mut times = Vec::new();
    let mut read = None;
    for _ in 0..runs {
        let server = Server::start(vec![Mount::new("/", dist), Mount::new("/sets/large/", folder)])?;
        let browser = Browser::start(Options::default())?;
        browser.open(&format!("{}#dataset=sets/large/", server.url()))?;
        let shown = "while (!document.querySelector('.trends .grid-rows .grid-row')) await new Promise(r => setTimeout(r, 5));";
        browser.run_async(shown, json!([]))?;
        let opened = reads(&server, whole);
        browser.click_on(&tab("SQL"))?;
        times.push(statement(&browser, sql)?);
        if let Some(expected) = expected {
            let counted = browser.run(COUNTED, json!([]))?;
            ensure!(counted.as_i64() == Some(expected), "{counted} spans of {expected} were counted");
        }
        let all = reads(&server, whole);
        read = Some(Read { requests: all.requests - opened.requests, bytes: all.bytes - opened.bytes });
    }
    Ok((median(times), read.context("a run")?))
}
