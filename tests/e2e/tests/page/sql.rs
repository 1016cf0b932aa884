//! SQL over the trace: statements, their errors, what takes too long, and links.

use std::fs;

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Named, button, site, tab};
use serde_json::json;

use crate::accessibility;
use crate::fixtures::{self, QUERIES, file};
use crate::page::{Page, details};

const ARROW_DOWN: char = '\u{e015}';
const ENTER: char = '\u{e007}';
const TAB: char = '\u{e004}';
const ESCAPE: char = '\u{e00c}';
/// Whether the list stands right below the second line of the editor, and right of its left edge.
const BELOW_SECOND_LINE: &str = "(() => { const list = document.querySelector('.completions')?.getBoundingClientRect(); \
    const editor = document.querySelector('.sql textarea'); const box = editor.getBoundingClientRect(); \
    const line = parseFloat(getComputedStyle(editor).lineHeight); \
    return list && list.top >= box.top + 2 * line && list.top <= box.top + 3 * line && list.left > box.left + 30; })()";
/// Presses Ctrl Enter in a field.
const RUN_KEYS: &str = "arguments[0].dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true, composed: true }))";
/// Presses Ctrl Space in a field.
const NAMES_KEYS: &str = "arguments[0].dispatchEvent(new KeyboardEvent('keydown', { key: ' ', ctrlKey: true, bubbles: true, cancelable: true, composed: true }))";
/// The text of the editor.
const VALUE: &str = "document.querySelector('.sql textarea').value";
/// A statement that would give 10¹² rows.
pub const CROSS_JOIN: &str = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a.value + b.value <> 0";

fn statement() -> Named {
    Named::new("textbox", "SQL statement")
}

/// The table of the rows.
pub fn result() -> Named {
    Named::new("grid", "Result")
}

/// Whether the site has SQL; if not, says that the test is skipped.
pub fn is_built() -> Result<bool> {
    let page = fs::read_to_string(site()?.join("index.html"))?;
    let is_built = page.contains("data-sql=\"./queryscope-sql-");
    if !is_built {
        eprintln!("skipped: the site was built without SQL, because no clang was found");
    }
    Ok(is_built)
}

/// The rows of the result as text: cells between commas, rows between semicolons.
const ROWS: &str = "[...document.querySelectorAll('.sql .grid-rows .grid-row')].map(row => \
    [...row.children].map(cell => cell.innerText.trim()).join()).join(';')";

fn run(page: &Page, sql: &str) -> Result<()> {
    page.browser.fill(&statement(), sql)?;
    page.browser.click_on(&button("Run"))
}

/// Runs a statement and waits for its rows.
pub fn gives(page: &Page, sql: &str, expected: &str) -> Result<()> {
    run(page, sql)?;
    page.browser.wait(&format!("{sql}: {expected}"), &format!("({ROWS}) === {expected:?}")).map(|_| ())
}

/// What the fixture's queries take: 280 µs, and 50 µs more for each after the first.
fn durations() -> Vec<u64> {
    (0..QUERIES).map(|query| 280_000 + query * 50_000).collect()
}

/// Runs statements in the page of any browser.
pub fn answers(page: &Page) -> Result<()> {
    page.browser.click_on(&tab("SQL"))?;
    let sum: u64 = durations().iter().sum();
    gives(
        page,
        "SELECT count(*) AS n, sum(duration_ns) AS t FROM spans WHERE kind = 'query'",
        &format!("{QUERIES},{sum}"),
    )?;
    gives(page, "SELECT 9007199254740993 AS n, NULL AS x, 'a' AS a, true AS b", "9007199254740993,–,a,true")
}

#[test]
fn statements_are_answered_and_rows_lead_to_spans() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql")?;
    let is_fetched = || page.server.visits().iter().any(|visit| visit.path.contains("queryscope-sql-"));
    ensure!(!is_fetched(), "SQL was downloaded before its tab was shown");
    answers(&page)?;
    ensure!(is_fetched());
    // A statement that comes with the page: queries and failed queries of the run.
    page.browser.fill(&statement(), "SELECT 'typed'")?;
    page.browser.choose(&Named::new("combobox", "Ready-made statements"), "run_summary")?;
    let is_filled = format!("{VALUE}.includes('WITH queries')");
    page.browser.wait("the text", &is_filled)?;
    // Undo restores what was typed, and the history has it.
    page.eval("document.execCommand('undo')")?;
    page.browser.wait("the typed text", &format!("{VALUE} === \"SELECT 'typed'\""))?;
    page.browser.choose(&Named::new("combobox", "Ready-made statements"), "run_summary")?;
    page.browser.wait("the text", &is_filled)?;
    page.browser.choose(&Named::new("combobox", "History"), "SELECT 'typed'")?;
    page.browser.choose(&Named::new("combobox", "Ready-made statements"), "run_summary")?;
    page.browser.wait("the text", &is_filled)?;
    page.browser.of(&statement(), RUN_KEYS)?;
    page.browser.says(&result(), "queries")?;
    let [average, count] = [durations().iter().sum::<u64>() / QUERIES, QUERIES];
    page.browser
        .wait("its rows", &format!("({ROWS}).includes(',{count},') && ({ROWS}).includes('{average}')"))?;
    accessibility::passes(&page)?;
    // The failed query.
    gives(&page, "SELECT span_id FROM spans WHERE kind = 'query' AND failed", "9")?;
    page.browser.click_on(&button("9").within(result()))?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser.says(&details(), "no answer")?;
    // The result is still there, and statements that were run.
    page.browser.click_on(&tab("SQL"))?;
    page.browser.wait("the result", &format!("({ROWS}) === '9'"))?;
    page.browser.choose(
        &Named::new("combobox", "History"),
        "SELECT 9007199254740993 AS n, NULL AS x, 'a' AS a, true AS b",
    )?;
    page.browser
        .wait("the statement", "document.querySelector('.sql textarea').value.startsWith('SELECT 900')")?;
    page.is_quiet()
}

#[test]
fn errors_move_the_caret_and_what_takes_too_long_is_cancelled() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql-errors")?;
    page.browser.click_on(&tab("SQL"))?;
    let caret = "document.querySelector('.sql textarea').selectionStart";
    for (sql, words, at) in [
        ("SELECT name,\n  nme FROM spans", "Line 2, column 3", 15),
        ("SELEC 1", "Line 1, column 1", 0),
        ("DROP TABLE spans", "can only read", -1),
    ] {
        run(&page, sql)?;
        page.browser.wait(
            words,
            &format!("document.querySelector('.sql [role=alert]')?.innerText.includes({words:?})"),
        )?;
        page.browser.wait("the caret", &format!("{at} < 0 || {caret} === {at}"))?;
    }
    accessibility::passes(&page)?;
    // Another statement ends the one that runs.
    run(&page, CROSS_JOIN)?;
    page.browser.fill(&statement(), "SELECT 42 AS quick")?;
    page.browser.of(&statement(), RUN_KEYS)?;
    page.browser.wait("the row of the other statement", &format!("({ROWS}) === '42'"))?;
    run(&page, CROSS_JOIN)?;
    page.browser.click_on(&button("Cancel"))?;
    page.says("Cancelled.")?;
    // The views go on, and the next statement is answered by a new worker.
    answers(&page)?;
    page.browser.click_on(&tab("Gantt"))?;
    page.picture()?;
    page.is_quiet()
}

#[test]
fn names_are_completed_and_results_are_saved() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql-names")?;
    page.browser.click_on(&tab("SQL"))?;
    page.browser.wait("the program", "document.querySelector('.sql select')?.disabled === false")?;
    page.browser.focus_on(&statement())?;
    let value = VALUE;
    let list = "[...document.querySelectorAll('.completions li')].map(name => name.innerText.trim()).join()";
    for (typed, names, whole) in [
        ("SELECT du", "duration_ns", "SELECT duration_ns"),
        (" FROM sp", "spans", "SELECT duration_ns FROM spans"),
        (
            " s WHERE s.quer",
            "query_span_id,query_id",
            "SELECT duration_ns FROM spans s WHERE s.query_span_id",
        ),
    ] {
        page.browser.keys(typed)?;
        page.browser.wait(names, &format!("({list}) === {names:?}"))?;
        page.browser.keys(&format!("{ARROW_DOWN}{ENTER}"))?;
        page.browser.wait(whole, &format!("{value} === {whole:?} && ({list}) === ''"))?;
    }
    page.browser.keys(" FROM ")?;
    page.browser.wait("tables", &format!("({list}).startsWith('runs,tracks,spans')"))?;
    accessibility::passes(&page)?;
    // Keywords, but not in strings; the list stands below its word, and Escape closes it.
    page.browser.fill(&statement(), "SELECT 1,\n  'fr")?;
    page.browser.keys("o")?;
    page.browser.wait("nothing", &format!("{value}.endsWith('fro') && ({list}) === ''"))?;
    page.browser.keys("' FR")?;
    page.browser.wait("a keyword", &format!("({list}).startsWith('FROM,from_span_id')"))?;
    page.browser.wait("its place", BELOW_SECOND_LINE)?;
    page.browser.keys(&ESCAPE.to_string())?;
    page.browser.wait("no list", &format!("({list}) === ''"))?;
    page.browser.keys("O")?;
    page.browser.wait("the keyword", &format!("({list}).startsWith('FROM,from_span_id')"))?;
    // Tab accepts the first one, and undo takes it back. Without a list, Tab leaves the field.
    page.browser.keys(&TAB.to_string())?;
    page.browser.wait("the keyword", &format!("{value}.endsWith(\"'fro' FROM\")"))?;
    page.eval("document.execCommand('undo')")?;
    page.browser.wait("the word", &format!("{value}.endsWith(\"'fro' FRO\")"))?;
    page.browser.fill(&statement(), "SELECT 1 FROM tracks WHERE ")?;
    page.browser.of(&statement(), NAMES_KEYS)?;
    page.browser.wait(
        "columns and functions",
        &format!("({list}).includes('track_id,') && ({list}).includes(',sum,')"),
    )?;
    page.browser.keys(&format!("{ESCAPE}{TAB}"))?;
    page.browser
        .wait("another focus", "document.activeElement !== document.querySelector('.sql textarea')")?;
    gives(&page, "SELECT 1 AS a, 'x,y' AS b", "1,x,y")?;
    let keep = "const make = URL.createObjectURL.bind(URL); window.saved = ''; \
        URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text }); return make(blob) }";
    page.browser.run(keep, json!([]))?;
    page.browser.click_on(&button("Copy as …"))?;
    page.browser.click_on(&button("Save as CSV"))?;
    page.browser.wait("the file", "window.saved === 'a,b\\n1,\"x,y\"\\n'")?;
    page.is_quiet()
}

#[test]
fn a_link_fills_the_editor_and_runs_nothing() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let folder = fixtures::folder("sql-link")?;
    file(&folder, "run.json", fixtures::array("a"))?;
    let mounts = vec![Mount::new("/", site()?), Mount::new("/traces/", folder)];
    let page = Page::at(
        mounts,
        "#trace=traces/run.json&view=sql&sql=SELECT%20count(*)%20FROM%20spans%20--%20%E2%82%AC",
    )?;
    page.phase("ready")?;
    page.browser.wait(
        "the text",
        "document.querySelector('.sql textarea')?.value === 'SELECT count(*) FROM spans -- €'",
    )?;
    page.browser.wait("the program", "document.querySelector('.sql select').disabled === false")?;
    let text = page.eval("document.querySelector('.sql').innerText")?;
    ensure!(page.eval(ROWS)?.is_empty() && !text.contains("Running"), "{text}");
    page.browser.click_on(&button("Run"))?;
    page.browser.says(&result(), "count(*)")?;
    page.browser.wait("the link", "decodeURIComponent(location.hash).includes('sql=SELECT')")?;
    page.browser.run("location.reload()", json!([])).ok();
    page.browser.wait(
        "the text again",
        "document.querySelector('.sql textarea')?.value.startsWith('SELECT count')",
    )?;
    page.is_quiet()
}
