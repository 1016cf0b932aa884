//! Too much for memory, and parts of what was given; and engines that end.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Named, button, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

/// The site with so many MiB of memory before reading stops.
fn page_with(memory: u32) -> Result<Page> {
    let page = Page::at(vec![Mount::new("/", site()?)], &format!("?memory={memory}"))?;
    page.phase("landing")?;
    Ok(page)
}

fn set(page: &Page, css: &str, value: &str) -> Result<()> {
    let script = "const field = document.querySelector(arguments[0]); field.value = arguments[1]; \
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))";
    page.browser.run(script, json!([css, value])).map(|_| ())
}

/// Waits until reading is over, and gives the number of records that were read.
fn records(page: &Page) -> Result<u64> {
    page.phase("ready")?;
    page.browser.wait("the end of reading", "!document.querySelector('#cancel-button')")?;
    Ok(page.eval("document.querySelector('#app').dataset.events")?.parse()?)
}

fn report_says(page: &Page, text: &str) -> Result<()> {
    page.open_report()?;
    let says = format!("document.querySelector('#report')?.innerText.includes({text:?})");
    page.browser.wait(&format!("{text} in the report"), &says)?;
    page.browser.keys("\u{e00c}")?;
    page.browser.wait("the report to close", "!document.querySelector('#report')").map(|_| ())
}

#[test]
fn before_memory_is_full_a_part_can_be_chosen() -> Result<()> {
    let folder = fixtures::folder("memory-full")?;
    let queries = 40_000;
    let large = file(&folder, "large.ndjson", fixtures::large(queries))?;
    let page = page_with(8)?;
    page.browser.pick("#file-input", &[&large])?;
    page.browser
        .wait("what was not read", "document.querySelector('.toast')?.innerText.includes('could be read')")?;
    let read = records(&page)?;
    ensure!(read > 0 && read < queries * 8, "{read} records were read");
    report_says(&page, "not read to its end")?;
    page.browser.click(".toast .offer")?;
    page.browser
        .wait("how much there is", "document.querySelector('#part')?.innerText.includes('% of the bytes')")?;
    // 0.4 ms for each query: the first hundred.
    set(&page, "#part-from", "0.3 ms")?;
    set(&page, "#part-to", "40 ms")?;
    page.browser.click_on(&button("Load subset"))?;
    page.browser.wait("a part", "document.querySelector('.opened')?.innerText.includes('subset')")?;
    let all = records(&page)?;
    ensure!(all == queries * 8, "{all} records were read again");
    let shown: u64 = page.eval("document.querySelector('#app').dataset.queries")?.parse()?;
    ensure!((95..=105).contains(&shown), "{shown} queries are shown");
    report_says(&page, "left out by choice")?;
    page.says("times count from +")?;
    // The first in time stands above the rest once the list is ordered by it.
    page.browser.run(
        "[...document.querySelectorAll('#queries-head button')].find(b => b.innerText.includes('Start')).click()",
        json!([]),
    )?;
    page.says("began before")?;
    // A small trace after a large one has all the memory again.
    let small = file(&folder, "small.ndjson", fixtures::lines("small"))?;
    page.browser.click_on(&Named::with("button", "queryscope"))?;
    page.phase("landing")?;
    page.load(&[&small], QUERIES)?;
    page.is_quiet()
}

#[test]
fn some_runs_of_many_are_loaded() -> Result<()> {
    let folder = fixtures::folder("some-runs")?;
    let text = ["a", "b", "c"].map(fixtures::lines).concat();
    let page = Page::open()?;
    page.load(&[&file(&folder, "runs.ndjson", text)?], 3 * QUERIES)?;
    page.open_report()?;
    page.browser.click_on(&button("Load subset…"))?;
    page.browser.wait("the runs", "document.querySelectorAll('#part [type=checkbox]').length === 3")?;
    page.browser.click_on(&Named::with("checkbox", "b"))?;
    page.browser.click_on(&button("Load subset"))?;
    page.ready(2 * QUERIES)?;
    report_says(&page, "48 left out by choice")?;
    page.open_report()?;
    page.browser.click_on(&button("Load subset…"))?;
    page.browser.click_on(&button("Load all"))?;
    page.ready(3 * QUERIES)?;
    page.is_quiet()
}

#[test]
fn an_engine_that_ends_is_told_and_replaced() -> Result<()> {
    let folder = fixtures::folder("engine-ends")?;
    let page = Page::open()?;
    // Whatever is wrong with an engine reaches the page as an error of its worker.
    let keep = "const Worker = window.Worker; window.workers = []; \
        window.Worker = function (...given) { const worker = new Worker(...given); workers.push(worker); return worker }";
    page.browser.run(keep, json!([]))?;
    page.load(&[&file(&folder, "run.ndjson", fixtures::lines("a"))?], QUERIES)?;
    page.browser.run(
        "workers.at(-1).onerror(new ErrorEvent('error', { message: 'unreachable executed' }))",
        json!([]),
    )?;
    page.phase("error")?;
    page.says("Trace engine crashed")?;
    page.says("unreachable executed")?;
    page.browser.click(".notice .offer")?;
    page.ready(QUERIES)?;
    page.is_quiet()
}

#[test]
fn a_file_that_changes_after_it_was_given_is_reported_and_the_others_are_read() -> Result<()> {
    let folder = fixtures::folder("changing-files")?;
    let page = Page::open()?;
    let first = file(&folder, "a.ndjson", fixtures::lines("a"))?;
    let gone = file(&folder, "gone.ndjson", fixtures::lines("gone"))?;
    let shrinks = file(&folder, "shrinks.ndjson", fixtures::lines("shrinks"))?;
    let shrinks_much = file(&folder, "shrinks-much.ndjson", fixtures::large(10_000))?;
    // The page is given them; before it reads them, one is taken away and one is cut.
    let give = "addEventListener('change', event => { window.given = true; event.stopImmediatePropagation() }, \
        { capture: true, once: true })";
    page.browser.run(give, json!([]))?;
    page.browser.pick("#file-input", &[&first, &gone, &shrinks, &shrinks_much])?;
    page.browser.wait("the files to be held", "window.given")?;
    std::fs::remove_file(&gone)?;
    std::fs::write(&shrinks, "{}")?;
    std::fs::write(&shrinks_much, "{}")?;
    page.browser.run(
        "document.querySelector('#file-input').dispatchEvent(new Event('change', { bubbles: true }))",
        json!([]),
    )?;
    page.ready(QUERIES)?;
    page.says("could not be read")?;
    report_says(&page, "gone.ndjson\nNot read: it no longer exists")?;
    report_says(&page, "shrinks.ndjson, shrinks-much.ndjson\nNot read: it was changed")
}

#[test]
fn a_file_of_a_folder_that_cannot_be_opened_is_reported_and_the_others_are_read() -> Result<()> {
    let folder = fixtures::folder("closed-file")?;
    file(&folder, "a.ndjson", fixtures::lines("a"))?;
    file(&folder, "locked.ndjson", fixtures::lines("locked"))?;
    let page = Page::open()?;
    // As for a file without the right to read it, which the user of this test may always do.
    let lock = "const entry = DataTransferItem.prototype.webkitGetAsEntry;
        const lock = file => { file.file = (found, failed) => failed(new DOMException('', 'NotReadableError')); };
        DataTransferItem.prototype.webkitGetAsEntry = function () {
            const folder = entry.call(this), reader = folder.createReader();
            folder.createReader = () => ({ readEntries: (found, failed) => reader.readEntries(entries => {
                entries.filter(file => file.name.startsWith('locked')).forEach(lock);
                found(entries);
            }, failed) });
            return folder;
        };";
    page.browser.run(lock, json!([]))?;
    page.browser.drop(&[&folder])?;
    page.ready(QUERIES)?;
    page.says("could not be read")?;
    report_says(&page, "locked.ndjson")
}

#[test]
fn thousands_of_tiny_files_are_one_trace() -> Result<()> {
    let folder = fixtures::folder("tiny-files")?;
    for query in 0..2_000 {
        let events = fixtures::query_events("tiny", query).join("\n");
        file(&folder, &format!("query-{query:05}.ndjson"), events)?;
    }
    let page = Page::open()?;
    page.browser.drop(&[&folder])?;
    page.ready(2_000)?;
    report_says(&page, "in 2,000 files")?;
    page.is_quiet()
}
