//! However large a trace is, no view fills the document with elements.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::button;
use serde_json::json;

use crate::fixtures::{self, file};
use crate::page::Page;

/// Elements that the document may hold. Views of small traces have up to three thousand.
const MOST: usize = 12_000;

const ESCAPE: &str = "\u{e00c}";

fn bounded(page: &Page, place: &str) -> Result<()> {
    // Answers of large traces take a while: until the number stays the same.
    let count = "let before = -1; \
        for (let same = 0; same < 4; ) { \
            const now = document.querySelectorAll('*').length; \
            same = now === before ? same + 1 : 0; before = now; \
            await new Promise(r => setTimeout(r, 250)); } \
        return before";
    let count = page.browser.run_async(count, json!([]))?.as_u64().context("a number")?;
    eprintln!("{place}: {count} elements");
    ensure!((count as usize) < MOST, "{place}: {count} elements");
    Ok(())
}

/// Every view and dialog of a trace.
fn check(name: &str, files: &[PathBuf]) -> Result<()> {
    let page = Page::open()?;
    page.browser.pick("#file-input", &files.iter().map(|file| file.as_path()).collect::<Vec<_>>())?;
    page.phase("ready")?;
    page.browser.wait("the trace", "!document.querySelector('.loading')")?;
    let tabs =
        page.eval("[...document.querySelectorAll('[role=tab]')].map(tab => tab.textContent).join()")?;
    for tab in tabs.to_lowercase().split(',') {
        page.tab(tab)?;
        bounded(&page, &format!("{name}, {tab}"))?;
        if tab == "flame" {
            page.browser.click_on(&button("Merged"))?;
            bounded(&page, &format!("{name}, merged flame graph"))?;
        }
        if tab == "pivot" {
            page.browser.click("[aria-labelledby=by-label] .chip-step")?;
            page.browser.keys("\u{e007}")?;
            page.browser.wait("a field", "document.querySelector('.chip-edit')")?;
            bounded(&page, &format!("{name}, a dimension that is written"))?;
        }
    }
    page.browser.run("document.activeElement.blur()", json!([]))?;
    page.open_report()?;
    page.browser.wait("the report", "document.querySelector('.report-file')")?;
    page.browser.run("document.querySelectorAll('dialog details').forEach(d => d.open = true)", json!([]))?;
    bounded(&page, &format!("{name}, import report"))?;
    page.browser.keys(ESCAPE)?;
    page.is_quiet()
}

#[test]
fn a_plan_of_thousands_of_instructions() -> Result<()> {
    let folder = fixtures::folder("elements-plan")?;
    check("plan", &[file(&folder, "plan.json", fixtures::plan(6_000))?])
}

#[test]
fn thousands_of_threads_arguments_and_groups() -> Result<()> {
    let slice = |at: u32| {
        format!(
            r#"{{"ph":"X","pid":1,"tid":{},"name":"name {at}","ts":{},"dur":9,"args":{{"number {}":{at},"text {}":"t{at}"}}}}"#,
            at % 2_500,
            at * 3,
            at % 1_500,
            at % 1_500
        )
    };
    let flow = |at: u32| {
        let (tid, ts) = (at % 2_500, at * 3);
        let next = at + 1;
        format!(
            r#"{{"ph":"s","pid":1,"tid":{tid},"id":{at},"cat":"f","name":"f","ts":{}}},{{"ph":"f","bp":"e","pid":1,"tid":{},"id":{at},"cat":"f","name":"f","ts":{}}}"#,
            ts + 1,
            next % 2_500,
            next * 3 + 1
        )
    };
    let events: Vec<String> = (0..20_000).map(slice).chain((0..5_000).map(flow)).collect();
    let folder = fixtures::folder("elements-chrome")?;
    check("chrome", &[file(&folder, "trace.json", format!("[{}]", events.join(",\n")))?])
}

#[test]
fn thousands_of_transactions_and_waits() -> Result<()> {
    let mut events =
        String::from("THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\tSQL_TEXT\n");
    let mut locks = String::from(
        "OBJECT_TYPE\tOBJECT_SCHEMA\tOBJECT_NAME\tLOCK_TYPE\tLOCK_DURATION\tLOCK_STATUS\tOWNER_THREAD_ID\tOWNER_EVENT_ID\n",
    );
    for thread in 1..2_500_u64 {
        let start = thread * 1_000_000_000;
        // Writing into memory cannot fail.
        write!(
            events,
            "{thread}\t1\t4\ttransaction\t{start}\t90000000000\tNULL\n\
             {thread}\t2\t3\tstatement/sql/update\t{}\t50000000000\tUPDATE t{thread} SET n = 1\n",
            start + 1_000
        )
        .ok();
        let (kind, status) =
            if thread % 2 == 1 { ("SHARED_WRITE", "GRANTED") } else { ("EXCLUSIVE", "PENDING") };
        writeln!(
            locks,
            "TABLE\tshop\ttable{}\t{kind}\tTRANSACTION\t{status}\t{thread}\t2",
            thread.div_ceil(2)
        )
        .ok();
    }
    let folder = fixtures::folder("elements-mysql")?;
    check("mysql", &[file(&folder, "events.tsv", events)?, file(&folder, "metadata_locks.tsv", locks)?])
}

#[test]
fn hundreds_of_files_with_problems() -> Result<()> {
    let folder = fixtures::folder("elements-files")?;
    let mut files = Vec::new();
    for at in 0..300 {
        let text = fixtures::lines(&format!("run{at}")).replace("BUFFER_EVENT", "NEW_TYPE")
            + "{\"runId\":\n{\"type\":7}\n[\n";
        files.push(file(&folder, &format!("run{at}.ndjson"), text)?);
        files.push(file(&folder, &format!("notes{at}.txt"), format!("note {at}"))?);
    }
    check("files", &files)
}
