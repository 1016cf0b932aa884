//! Tables: sorted by their heads, operated by keys, copied with exact values, of any length.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::fixtures::{self, file};
use crate::page::Page;

const ENTER: &str = "\u{e007}";
const END: &str = "\u{e010}";
const HOME: &str = "\u{e011}";
const ARROW_LEFT: &str = "\u{e012}";
const ARROW_UP: &str = "\u{e013}";
const ARROW_RIGHT: &str = "\u{e014}";
const ARROW_DOWN: &str = "\u{e015}";

/// What stands for the clipboard: a test has no say in what a browser permits.
const CLIPBOARD: &str =
    "window.written = ''; navigator.clipboard.writeText = async text => { window.written = text }";

/// Slices of three names: `a` once for 10 ms, `b` twice for 1 ms each, `c` three times for 0.5 ms each.
fn slices() -> String {
    let slice = |name: &str, at: u32, us: u32| {
        format!(r#"{{"ph":"X","pid":1,"tid":{at},"name":"{name}","ts":{},"dur":{us}}}"#, at * 100_000)
    };
    let all = [("a", 10_000), ("b", 1_000), ("b", 1_000), ("c", 500), ("c", 500), ("c", 500)];
    let all = (1..).zip(all).map(|(at, (name, us))| slice(name, at, us));
    format!("[{}]", all.collect::<Vec<_>>().join(","))
}

fn opened(test: &str, name: &str, text: impl AsRef<[u8]>, queries: u64) -> Result<Page> {
    let folder = fixtures::folder(test)?;
    let page = Page::open()?;
    page.load(&[&file(&folder, name, text)?], queries)?;
    page.browser.run(CLIPBOARD, json!([]))?;
    Ok(page)
}

/// Waits until a column of a table reads like this, from its first row on.
fn column(page: &Page, table: &str, column: u32, expected: &str) -> Result<()> {
    let shown = format!(
        "[...document.querySelectorAll('{table} .grid-rows .grid-row > :nth-child({column})')].map(cell => cell.innerText.trim()).join()"
    );
    page.browser.wait(&format!("{table}: {expected}"), &format!("({shown}) === {expected:?}")).map(|_| ())
}

fn active(page: &Page, table: &str, row: u32) -> Result<()> {
    let test = format!(
        "document.getElementById(document.querySelector('{table}').getAttribute('aria-activedescendant'))?.ariaRowIndex === '{row}'"
    );
    page.browser.wait(&format!("{table}: the cursor on row {row}"), &test).map(|_| ())
}

/// A key with another one that is held.
fn press(page: &Page, table: &str, key: &str, held: &str) -> Result<()> {
    let press = "document.querySelector(arguments[0]).dispatchEvent(new KeyboardEvent('keydown', \
        { key: arguments[1], [arguments[2]]: true, bubbles: true, cancelable: true }))";
    page.browser.run(press, json!([table, key, held])).map(|_| ())
}

fn written(page: &Page) -> Result<String> {
    page.browser.wait("what was copied", "written !== ''")?;
    let text = page.eval("written")?;
    page.browser.run("window.written = ''", json!([]))?;
    Ok(text)
}

#[test]
fn heads_sort_a_table_both_ways_and_back() -> Result<()> {
    let page = opened("table-sort", "slices.json", slices(), 0)?;
    page.tab("overview")?;
    let names = ".grid.names";
    column(&page, names, 1, "a,b,c")?;
    let head = |at: u32| format!("{names} .grid-head > :nth-child({at}) button");
    for (at, sort, expected) in [
        (4, "descending", "c,b,a"),
        (4, "ascending", "a,b,c"),
        (5, "descending", "a,b,c"),
        (5, "ascending", "c,b,a"),
        (1, "ascending", "a,b,c"),
        (1, "descending", "c,b,a"),
    ] {
        page.browser.click(&head(at))?;
        column(&page, names, 1, expected)?;
        let sorted = format!("document.querySelector('{names} .grid-head > :nth-child({at})').ariaSort");
        ensure!(page.eval(&sorted)? == sort, "{at} {sort}");
    }
    page.browser.click(&head(1))?;
    column(&page, names, 1, "a,b,c")?;
    ensure!(page.eval(&format!("document.querySelector('{names} [aria-sort$=ending]')"))? == "null");
    page.is_quiet()
}

#[test]
fn a_table_is_used_by_keys_alone() -> Result<()> {
    let page = opened("table-keys", "slices.json", slices(), 0)?;
    page.tab("overview")?;
    let names = ".grid.names";
    column(&page, names, 1, "a,b,c")?;
    page.browser.run(&format!("document.querySelector('{names}').focus()"), json!([]))?;
    for (keys, row) in [(ARROW_DOWN, 2), (ARROW_DOWN, 3), (END, 4), (HOME, 2)] {
        page.browser.keys(keys)?;
        active(&page, names, row)?;
    }
    // From the first row to the heads, along them, and back.
    page.browser.keys(&format!("{ARROW_UP}{ARROW_RIGHT}{ENTER}{ARROW_DOWN}"))?;
    let sorted =
        format!("document.querySelector('{names} .grid-head > :nth-child(2)').ariaSort === 'descending'");
    page.browser.wait("the order by the second column", &sorted)?;
    let focused = format!("document.activeElement === document.querySelector('{names}')");
    page.browser.wait("the focus on the table", &focused)?;
    // To the button of a row and back.
    page.browser.keys(ARROW_RIGHT)?;
    page.browser.wait("the focus on the button", "document.activeElement.closest('.grid-row') !== null")?;
    page.browser.keys(ARROW_LEFT)?;
    page.browser.wait("the focus on the table", &focused)?;
    // One stop for the Tab key.
    let stops = format!("[...document.querySelectorAll('{names} *')].filter(e => e.tabIndex >= 0).length");
    ensure!(page.eval(&stops)? == "0", "more than one stop");
    page.browser.keys(ENTER)?;
    page.browser
        .wait("the search for the name", "document.querySelector('.hits')?.innerText.startsWith('1 hit')")?;
    page.is_quiet()
}

#[test]
fn tables_are_copied_with_exact_values_and_units() -> Result<()> {
    let page = opened("table-copy", "slices.json", slices(), 0)?;
    page.tab("overview")?;
    let names = ".grid.names";
    column(&page, names, 1, "a,b,c")?;
    page.browser.click("[aria-labelledby=names] .copy-table")?;
    let all = "Name\tBusy (ns)\tInclusive time (ns)\tSpans\tLongest (ns)\n\
        a\t10000000\t10000000\t1\t10000000\nb\t2000000\t2000000\t2\t1000000\nc\t1500000\t1500000\t3\t500000\n";
    let text = written(&page)?;
    ensure!(text == all, "{text}");
    // In the order that is shown; some rows by keys.
    page.browser.click(&format!("{names} .grid-head > :nth-child(4) button"))?;
    column(&page, names, 1, "c,b,a")?;
    page.browser.run(&format!("document.querySelector('{names}').focus()"), json!([]))?;
    page.browser.keys(HOME)?;
    active(&page, names, 2)?;
    press(&page, names, "ArrowDown", "shiftKey")?;
    active(&page, names, 3)?;
    press(&page, names, "c", "ctrlKey")?;
    let text = written(&page)?;
    let lines: Vec<&str> = text.lines().collect();
    ensure!(lines.len() == 3 && lines[1].starts_with("c\t") && lines[2].starts_with("b\t"), "{text}");
    page.is_quiet()
}

#[test]
fn a_table_is_copied_as_csv_markdown_and_json() -> Result<()> {
    let page = opened("table-copy-forms", "slices.json", slices(), 0)?;
    page.tab("overview")?;
    let names = ".grid.names";
    column(&page, names, 1, "a,b,c")?;
    let menu = "document.querySelector('[aria-labelledby=names] .copy-forms')";
    for (at, expected) in [
        (2, "Name,Busy (ns),Inclusive time (ns),Spans,Longest (ns)\na,10000000,10000000,1,10000000\n"),
        (
            3,
            "| Name | Busy (ns) | Inclusive time (ns) | Spans | Longest (ns) |\n| --- | ---: | ---: | ---: | ---: |\n| a | 10000000 |",
        ),
        (
            4,
            "[\n  { \"Name\": \"a\", \"Busy (ns)\": 10000000, \"Inclusive time (ns)\": 10000000, \"Spans\": 1, \"Longest (ns)\": 10000000 },\n",
        ),
    ] {
        page.browser.click("[aria-labelledby=names] .copy-as")?;
        page.browser.wait("the menu", &format!("{menu}.matches(':popover-open')"))?;
        page.browser.click(&format!("[aria-labelledby=names] .copy-forms button:nth-child({at})"))?;
        page.browser.wait("the menu is closed", &format!("!{menu}.matches(':popover-open')"))?;
        let text = written(&page)?;
        ensure!(text.starts_with(expected), "{text}");
        page.browser
            .wait("a confirmation", "document.querySelector('[aria-labelledby=names] [data-copied=true]')")?;
    }
    page.is_quiet()
}

#[test]
fn all_queries_are_copied_and_one_by_keys() -> Result<()> {
    let events: Vec<String> = (0..1_200).flat_map(|query| fixtures::query_events("long", query)).collect();
    let page = opened("table-copy-all", "long.ndjson", events.join("\n"), 1_200)?;
    page.browser.wait("the rows", "document.querySelector('.query-row')")?;
    let rows = "document.querySelectorAll('#queries .grid-row').length";
    ensure!(page.eval(rows)?.parse::<u32>()? < 100, "all rows are in the document");
    page.browser.click("#queries .copy-table")?;
    let text = written(&page)?;
    let lines: Vec<&str> = text.lines().collect();
    ensure!(lines.len() == 1_201, "{} lines", lines.len());
    ensure!(lines[0].starts_with("Query\tStart (ns)\tDuration (ns)\t"), "{}", lines[0]);
    // The longest first: 300 µs, and 50 µs more with each query.
    for (at, query) in [(1, 1_199), (2, 1_198), (1_200, 0)] {
        let expected = format!("SELECT total FROM orders WHERE id = {query}\t");
        let duration = format!("\t{}\t", 280_000 + query * 50_000);
        ensure!(lines[at].starts_with(&expected) && lines[at].contains(&duration), "{}", lines[at]);
    }
    page.browser.click("#queries .query-row:nth-child(2)")?;
    active(&page, "#queries .grid", 3)?;
    std::thread::sleep(Duration::from_millis(300));
    page.browser.run("document.querySelector('#queries .grid').focus()", json!([]))?;
    press(&page, "#queries .grid", "c", "ctrlKey")?;
    let text = written(&page)?;
    ensure!(text.lines().count() == 2 && text.contains("id = 1198\t"), "{text}");
    page.is_quiet()
}

#[test]
fn a_long_table_has_its_visible_rows_in_the_document_and_all_can_be_reached() -> Result<()> {
    let events: Vec<String> =
        (0..700).flat_map(|run| fixtures::query_events(&format!("run-{run:03}"), 0)).collect();
    let page = opened("table-long", "runs.ndjson", events.join("\n"), 700)?;
    page.tab("overview")?;
    let runs = "[aria-labelledby=runs] .grid";
    page.browser.wait("the runs", &format!("document.querySelector('{runs}')?.ariaRowCount === '701'"))?;
    let rows = format!("document.querySelectorAll('{runs} .grid-rows .grid-row').length");
    page.browser.wait("some rows", &format!("{rows} > 0 && {rows} < 100"))?;
    page.browser.run(&format!("document.querySelector('{runs}').focus()"), json!([]))?;
    page.browser.keys(END)?;
    active(&page, runs, 701)?;
    page.browser
        .wait("the last run", &format!("document.querySelector('{runs}').innerText.includes('run-699')"))?;
    page.is_quiet()
}

#[test]
fn heads_and_first_columns_stay_in_view() -> Result<()> {
    let page = opened("table-sticky", "slices.json", fixtures::array("a"), fixtures::QUERIES)?;
    page.browser.resize(420, 800)?;
    for (tab, table) in
        [("pivot", ".pivot .grid"), ("overview", "[aria-labelledby=runs] .grid"), ("gantt", "#queries .grid")]
    {
        page.tab(tab)?;
        page.browser.wait("rows", &format!("document.querySelector('{table} .grid-rows .grid-row')"))?;
        let stays = format!(
            "(() => {{ const t = document.querySelector('{table}'); t.scrollLeft = 150; const box = t.getBoundingClientRect(); \
             return ['.grid-head', '.grid-rows .grid-row'].map(row => {{ const cell = t.querySelector(row + ' > :first-child').getBoundingClientRect(); \
             return t.scrollLeft > 0 && Math.abs(cell.left - box.left) < 2 && cell.width <= box.width * 0.5 }}).join() }})()"
        );
        let found = page.eval(&stays)?;
        ensure!(found == "true,true", "{tab}: {found}");
    }
    page.is_quiet()
}
