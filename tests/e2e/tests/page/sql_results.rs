//! What can be done with the rows of a statement: history, filter, chart, track of the timeline, Parquet.

use anyhow::{Result, ensure};
use queryscope_e2e::{Named, button, tab};
use serde_json::json;

use crate::accessibility;
use crate::fixtures::QUERIES;
use crate::offline::STORED;
use crate::page::{Page, details};
use crate::sql::{gives, is_built, result};

const SPANS: &str =
    "SELECT span_id, name, start_ns, duration_ns FROM spans WHERE kind = 'query' ORDER BY start_ns";

fn history() -> Named {
    Named::new("combobox", "History")
}

/// Texts of the entries of the history.
const ENTRIES: &str = "[...document.querySelectorAll('.sql-tools select')[1].options].slice(1).map(entry => entry.text).join(';')";

/// Opens the SQL tab and waits for its program.
fn open(page: &Page) -> Result<()> {
    page.browser.click_on(&tab("SQL"))?;
    page.browser.wait("the program", "document.querySelector('.sql select')?.disabled === false").map(|_| ())
}

/// Opens the site again, with the sample run and its SQL tab.
fn sample(page: &Page) -> Result<()> {
    page.browser.open("about:blank")?;
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    page.browser.click_on(&button("Open sample run"))?;
    page.phase("ready")?;
    open(page)
}

/// Runs the statement of all queries.
fn spans(page: &Page) -> Result<()> {
    open(page)?;
    page.browser.fill(&Named::new("textbox", "SQL statement"), SPANS)?;
    page.browser.click_on(&button("Run"))?;
    page.browser.says(&result(), "duration_ns")
}

#[test]
fn the_history_and_the_program_outlive_a_reload() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql-history")?;
    open(&page)?;
    for sql in ["SELECT 1 AS a", "SELECT 2 AS b", "SELECT 1 AS a"] {
        gives(&page, sql, &sql[7..8])?;
    }
    page.browser
        .wait("the entries", &format!("({ENTRIES}) === 'SELECT 1 AS a;SELECT 2 AS b;Clear history'"))?;
    // The first visit stores the site; from the second on the page is served from there.
    page.browser.run_async(STORED, json!([]))?;
    sample(&page)?;
    let downloads =
        || page.server.visits().iter().filter(|visit| visit.path.contains("queryscope-sql-")).count();
    let before = downloads();
    sample(&page)?;
    page.browser
        .wait("the entries", &format!("({ENTRIES}) === 'SELECT 1 AS a;SELECT 2 AS b;Clear history'"))?;
    ensure!(downloads() == before, "the program was downloaded again: {:?}", page.server.visits());
    page.browser.choose(&history(), "SELECT 2 AS b")?;
    page.browser.wait("the text", "document.querySelector('.sql textarea').value === 'SELECT 2 AS b'")?;
    page.browser.choose(&history(), "Clear history")?;
    page.browser.wait("no entries", "document.querySelectorAll('.sql-tools select')[1].disabled")?;
    ensure!(page.eval("localStorage.getItem('queryscope-sql-history')")?.is_empty());
    page.is_quiet()
}

#[test]
fn rows_are_a_filter_and_a_track() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql-filter")?;
    open(&page)?;
    gives(&page, "SELECT span_id FROM spans WHERE kind = 'query' AND failed", "9")?;
    page.browser.click_on(&button("Filter by these spans"))?;
    page.browser.wait("the link", "decodeURIComponent(location.hash).includes('span_id = 9')")?;
    page.tab("gantt")?;
    page.browser.wait("the list", "document.querySelectorAll('.query-row').length === 1")?;
    spans(&page)?;
    page.browser.click_on(&button("Draw as a track"))?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.says("1 pinned")?;
    page.browser.wait("its row", "document.querySelector('#pins').clientHeight > 10")?;
    page.browser.click_on(&button("Unpin all"))?;
    page.browser.wait("no row", "document.querySelector('#pins').clientHeight === 0")?;
    page.is_quiet()
}

#[test]
fn rows_are_charts() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql-chart")?;
    spans(&page)?;
    page.browser.click_on(&button("Chart"))?;
    // Bars by name, and then a line over time.
    page.browser.wait("bars", &format!("document.querySelectorAll('.sql-bars li').length === {QUERIES}"))?;
    page.browser.wait("a length", "document.querySelector('.sql-bars').innerText.includes('280')")?;
    page.browser.wait("the link", "/sql.chart=[0-9]+,[0-9]+/.test(location.hash)")?;
    let x_axis = "document.querySelectorAll('.sql-chart select')[1]?.selectedOptions[0].text";
    accessibility::passes(&page)?;
    page.browser.choose(&Named::new("combobox", "X axis"), "start_ns")?;
    page.browser.wait(
        "a line",
        "document.querySelector('.sql-chart svg.line path')?.getAttribute('d').startsWith('M0 ')",
    )?;
    page.browser.wait("its axis", "document.querySelector('.sql-plot').innerText.includes('530')")?;
    accessibility::passes(&page)?;
    // The columns are kept by their names, as long as the result has them.
    for (sql, expected) in [
        (format!("SELECT duration_ns, start_ns FROM ({SPANS}) ORDER BY start_ns"), "start_ns"),
        ("SELECT 'a' AS word, 1 AS start_ns".to_owned(), "word"),
        (SPANS.to_owned(), "name"),
    ] {
        page.browser.fill(&Named::new("textbox", "SQL statement"), &sql)?;
        page.browser.click_on(&button("Run"))?;
        page.browser.wait(expected, &format!("({x_axis}) === {expected:?}"))?;
    }
    page.browser.choose(&Named::new("combobox", "X axis"), "name")?;
    page.browser.wait("bars", "document.querySelectorAll('.sql-bars li').length > 0")?;
    // In a narrow window, labels, bars and numbers stand next to each other, and the table below the chart.
    for (width, height) in [(500, 900), (380, 640)] {
        page.browser.resize(width, height)?;
        for x in ["name", "start_ns"] {
            page.browser.choose(&Named::new("combobox", "X axis"), x)?;
            page.browser.wait("parts side by side", APART)?;
        }
    }
    page.browser.click_on(&button("Chart"))?;
    page.browser.wait("no chart", "!document.querySelector('.sql-chart')")?;
    page.is_quiet()
}

/// Whether nothing of the chart covers anything else.
const APART: &str = "(() => { const box = element => element.getBoundingClientRect(); \
    const chart = document.querySelector('.sql-chart'); if (!chart) return false; \
    const above = (upper, lower) => box(upper).bottom <= box(lower).top + 1; \
    const rows = [...chart.querySelectorAll('.sql-bars li')].every(row => { const [label, bar, number] = row.children; \
        const text = document.createRange(); text.selectNodeContents(number); \
        return box(label).right <= box(bar).left && box(bar).right <= box(text).left + 1 && box(text).right <= innerWidth; }); \
    const parts = [...chart.children]; \
    return rows && parts.length > 1 && parts.every((part, at) => at === 0 || above(parts[at - 1], part)) && \
        box(parts[parts.length - 1]).bottom <= box(chart).bottom + 1 && above(chart, document.querySelector('.sql .table-rows')) })()";

#[test]
fn ids_lead_to_spans_or_say_that_there_is_none() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql-ids")?;
    open(&page)?;
    gives(&page, "SELECT 4000 AS span_id, 5000 AS event_id", "4000,5000")?;
    for (id, words) in
        [("4000", "Span 4000 is not in this trace"), ("5000", "Event 5000 is not in this trace")]
    {
        page.browser.click_on(&button(id).within(result()))?;
        page.says(words)?;
    }
    ensure!(page.eval("document.querySelector('#app').dataset.view")? == "sql", "there is nothing to show");
    // The parent of a source execution, next to its own id.
    gives(&page, "SELECT 9 AS parent_id, 100 AS event_id", "9,100")?;
    page.browser.click_on(&button("9").within(result()))?;
    page.browser.says(&details(), "no answer")?;
    // A link to a span of another trace.
    page.browser
        .run("location.hash = location.hash.replace(/&item=[^&]*/, '') + '&item=4000,0,1'", json!([]))?;
    page.says("Span 4000 is not in this trace")?;
    page.is_quiet()
}

#[test]
fn what_parquet_does_not_have_is_said() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql-interval")?;
    open(&page)?;
    page.browser.fill(&Named::new("textbox", "SQL statement"), "SELECT 1 AS n, INTERVAL '1' DAY AS pause")?;
    page.browser.click_on(&button("Run"))?;
    page.browser.says(&result(), "pause")?;
    page.browser.click_on(&button("Copy as …"))?;
    page.browser.click_on(&button("Save as Parquet"))?;
    page.says("The column “pause” cannot be saved: Parquet has no type Interval")?;
    accessibility::passes(&page)?;
    page.is_quiet()
}

#[test]
fn rows_are_saved_as_parquet() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql-parquet")?;
    spans(&page)?;
    let keep = "const make = URL.createObjectURL.bind(URL); window.saved = ''; \
        URL.createObjectURL = blob => { blob.arrayBuffer().then(bytes => { window.saved = new TextDecoder('latin1').decode(bytes) }); return make(blob) }";
    page.browser.run(keep, json!([]))?;
    page.browser.click_on(&button("Copy as …"))?;
    page.browser.click_on(&button("Save as Parquet"))?;
    page.browser.wait("the file", "window.saved.startsWith('PAR1') && window.saved.endsWith('PAR1')")?;
    ensure!(page.eval("window.saved.includes('duration_ns')")? == "true");
    page.is_quiet()
}

#[test]
fn clicking_a_row_of_the_track_selects_its_span() -> Result<()> {
    if !is_built()? {
        return Ok(());
    }
    let page = Page::with_run("sql-track")?;
    open(&page)?;
    gives(
        &page,
        "SELECT span_id, 'slow' AS name, 0 AS start_ns, 2000000 AS duration_ns FROM spans WHERE kind = 'query' AND failed",
        "9,slow,0,2000000",
    )?;
    page.browser.click_on(&button("Draw as a track"))?;
    page.says("1 pinned")?;
    page.picture()?;
    let place = page.browser.run(
        "const r = document.querySelector('#pins').getBoundingClientRect(); return [r.left + r.width / 4, r.top + 8]",
        json!([]),
    )?;
    page.browser.drag(&[(place[0].as_f64().unwrap_or(0.0), place[1].as_f64().unwrap_or(0.0))])?;
    page.browser.says(&details(), "no answer")?;
    page.is_quiet()
}
