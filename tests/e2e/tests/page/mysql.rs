//! A server's Performance Schema: threads, its clocks, its own sums beside those of its events, what leads to an execution;
//! and an export of sums alone.

use std::fmt::Write as _;

use anyhow::Result;
use queryscope_e2e::button;
use serde_json::json;

use crate::fixtures::{file, folder};
use crate::page::Page;

/// Picoseconds of a second, of a millisecond and of a microsecond.
const SECOND: u64 = 1_000_000_000_000;
const MILLI: u64 = 1_000_000_000;
const MICRO: u64 = 1_000_000;
/// How long each file access took, as the clock of waits has it: one part in a thousand too long.
const WAIT: u64 = 8 * MILLI / 1_000 * 1_001;
/// Statements of each of the two threads.
const STATEMENTS: u64 = 3;

const STATEMENT_COLUMNS: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tSQL_TEXT\tROWS_SENT\tROWS_EXAMINED\tNO_INDEX_USED\n";
const STAGE_COLUMNS: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tWORK_COMPLETED\tWORK_ESTIMATED\n";
const WAIT_COLUMNS: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tOBJECT_NAME\tOPERATION\tNUMBER_OF_BYTES\n";
const THREADS: &str = "THREAD_ID\tNAME\tPROCESSLIST_ID\tPROCESSLIST_USER\tPROCESSLIST_HOST\n\
    11\tthread/sql/one_connection\t101\tapp\tshop.example\n\
    12\tthread/sql/one_connection\t102\treport\tshop.example\n";
const SUM_COLUMNS: &str =
    "EVENT_NAME\tCOUNT_STAR\tSUM_TIMER_WAIT\tMIN_TIMER_WAIT\tAVG_TIMER_WAIT\tMAX_TIMER_WAIT\n";
const FILE: &str = "wait/io/file/innodb/innodb_data_file";

/// The tables of a server that has run for a thousand seconds: statement › stage › wait, three times in two threads.
fn tables() -> [(&'static str, String); 5] {
    let [mut statements, mut stages, mut waits] =
        [STATEMENT_COLUMNS, STAGE_COLUMNS, WAIT_COLUMNS].map(str::to_owned);
    for (thread, at) in [11, 12].into_iter().flat_map(|thread| (0..STATEMENTS).map(move |at| (thread, at))) {
        let (id, start) = (10 * at + 1, 1_000 * SECOND + at * 20 * MILLI + thread * MICRO);
        let printed = (start + MILLI) / 1_000 * 1_001;
        // Writing into memory cannot fail.
        writeln!(statements, "{thread}\t{id}\t{}\tstatement/sql/select\t{start}\t{}\tSELECT * FROM stock WHERE n = {at}\t2\t900\t1", id + 3, 10 * MILLI).ok();
        writeln!(
            stages,
            "{thread}\t{}\t{}\tstage/sql/executing\t{}\t{}\tNULL\tNULL",
            id + 1,
            id + 2,
            start + MILLI,
            8 * MILLI
        )
        .ok();
        writeln!(
            waits,
            "{thread}\t{}\t{}\t{FILE}\t{printed}\t{WAIT}\t/data/shop/stock.ibd\tread\t16384",
            id + 2,
            id + 2
        )
        .ok();
    }
    [
        ("events_statements_history_long.tsv", statements),
        ("events_stages_history_long.tsv", stages),
        ("events_waits_history_long.tsv", waits),
        ("threads.tsv", THREADS.to_owned()),
        ("events_waits_summary_global_by_event_name.tsv", sums()),
    ]
}

fn sums() -> String {
    format!(
        "{SUM_COLUMNS}{FILE}\t6\t{}\t{WAIT}\t{WAIT}\t{WAIT}\nwait/io/file/sql/binlog\t0\t0\t0\t0\t0\n",
        6 * WAIT
    )
}

fn loaded(test: &str) -> Result<Page> {
    let folder = folder(test)?;
    let page = Page::open()?;
    let files = tables().map(|(name, text)| file(&folder, name, text));
    let files = files.into_iter().collect::<Result<Vec<_>>>()?;
    page.load(&files.iter().map(|path| path.as_path()).collect::<Vec<_>>(), 2)?;
    Ok(page)
}

/// Waits until an element says something.
fn says(page: &Page, css: &str, text: &str) -> Result<()> {
    let test = format!("document.querySelector({css:?})?.innerText.includes({text:?})");
    page.browser.wait(&format!("{text:?} in {css}"), &test).map(|_| ())
}

#[test]
fn threads_clocks_and_findings_of_a_server() -> Result<()> {
    let page = loaded("mysql")?;
    // Threads are lanes with their owners: from one statement to what it is made of, by keyboard.
    page.browser.keys("\u{e014}")?;
    says(&page, "#details", "SELECT * FROM stock")?;
    says(&page, "#details", "app@shop.example")?;
    page.browser.keys("\u{e015}")?;
    says(&page, "#details h2", "stage/sql/executing")?;
    page.browser.keys("\u{e015}")?;
    says(&page, "#details h2", FILE)?;
    // Both clocks: a thousandth of a thousand seconds would be a second.
    page.tab("overview")?;
    page.says("Wait timestamps corrected by −999.0")?;
    page.says("6 waits inside statements and stages")?;
    // A finding leads to its execution.
    let finding = "const button = [...document.querySelectorAll('.finding button')]\
        .find(button => button.textContent.includes('SELECT * FROM stock')); button.click(); return true";
    page.browser.run(finding, json!([]))?;
    says(&page, "#details", "900 rows read")?;
    page.is_quiet()
}

#[test]
fn a_servers_sums_are_those_of_its_events() -> Result<()> {
    let page = loaded("mysql-sums")?;
    page.tab("pivot")?;
    let exact = |label: &str, column: usize| {
        format!(
            "[...document.querySelectorAll('.pivot .grid-row')].find(row => row.innerText.startsWith({label:?}))\
             ?.querySelectorAll('[role=gridcell]')[{column}]?.title"
        )
    };
    // By kind and event name, in the server's own numbers: its count, its sum, …
    page.browser.wait("the sum of all waits", &format!("{} === '{}'", exact("wait", 1), 6 * WAIT))?;
    page.browser.wait("how many they are", &format!("{} === '6'", exact("wait", 0)))?;
    page.browser.wait("their average", &format!("{} === '{WAIT}'", exact("wait", 2)))?;
    // Rolled up: without the kind, then without anything.
    page.browser.click_on(&button("Remove kind"))?;
    page.browser.wait("the same by event name", &format!("{} === '{}'", exact(FILE, 1), 6 * WAIT))?;
    page.browser.click_on(&button("Remove event name"))?;
    let all = 6 * (WAIT + 18 * MILLI);
    page.browser.wait("the sum of all", &format!("{} === '{all}'", exact("Total", 1)))?;
    // The server's table says the same, cell by cell.
    page.open_report()?;
    says(&page, ".reconciliation", "none differ")?;
    page.is_quiet()
}

#[test]
fn an_export_of_sums_alone_is_looked_at_as_tables() -> Result<()> {
    let folder = folder("mysql-tables")?;
    let page = Page::open()?;
    let path = file(&folder, "events_waits_summary_global_by_event_name.tsv", sums())?;
    page.browser.pick("#file-input", &[&path])?;
    page.phase("ready")?;
    page.browser.wait("the tab", "document.querySelector('#app').dataset.view === 'tables'")?;
    page.says("No event tables in the files")?;
    says(&page, ".table-tools", "2 rows")?;
    let first = |text: &str| {
        format!("document.querySelector('.table-rows .grid-rows .grid-row')?.innerText.includes({text:?})")
    };
    page.browser.wait("rows as in the file", &first(FILE))?;
    // Twice on a name, by keyboard: the smallest first.
    for expected in ["descending", "ascending"] {
        page.browser.run(
            "document.querySelector('.table-rows [role=columnheader]:nth-child(3) button').focus()",
            json!([]),
        )?;
        page.browser.keys("\u{e007}")?;
        page.browser
            .wait(expected, &format!("document.querySelector('.table-rows [aria-sort={expected}]')"))?;
    }
    page.browser.wait("the other row", &first("binlog"))?;
    // Rows without anything are left out, and every digit is shown.
    page.browser.click_on(&button("Hide zero rows"))?;
    says(&page, ".table-tools", "1 of 2 rows")?;
    page.browser.click_on(&button("Raw values"))?;
    page.browser.wait("all digits", &first(&(6 * WAIT).to_string()))?;
    // Events that come later bring the timeline.
    let events =
        tables().map(|(name, text)| file(&folder, name, text)).into_iter().collect::<Result<Vec<_>>>()?;
    page.browser.pick("#file-input", &events.iter().map(|path| path.as_path()).collect::<Vec<_>>())?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.is_quiet()
}
