//! Plans of instructions: the parts that an optimizer makes of one step, and times that nobody measured.

use anyhow::{Result, ensure};

use crate::fixtures::{self, file};
use crate::page::Page;

const PARTS: &str = include_str!("../../../traces/monetdb/mitosis.ndjson");
const TRACE: &str = include_str!("../../../traces/monetdb/trace.csv");
const FUNCTIONS: &str = r#"{"sessionid":"1", "clk":110, "thread":10, "phase":"text_to_sql", "tstart":82, "tag":25, "query":"select 1;", "usec":5}
{"sessionid":"1","clk":200,"thread":10,"phase":"mal_engine","pc":0,"tag":25,"module":"user","function":"main","operator":"function","usec":80}
"#;

fn opened(name: &str, text: &str) -> Result<Page> {
    let folder = fixtures::folder(name)?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "trace.txt", text)?], 1)?;
    Ok(page)
}

#[test]
fn parts_of_one_step_are_one_row_that_leads_to_the_slowest() -> Result<()> {
    let page = opened("parts", PARTS)?;
    page.browser.keys("5")?;
    let rows = "[...document.querySelectorAll('[aria-label=\"Partition skew\"] .grid-rows .grid-row')].map(row => row.innerText.replace(/\\s+/g, ' '))";
    page.browser.wait("the steps", &format!("{rows}.length === 4"))?;
    // Two parts of 10 and 30 microseconds: the longest is one and a half times the average.
    let row = page.eval(&format!("{rows}.find(row => row.includes('aggr.sum(l_tax)'))"))?;
    ensure!(row.contains("2 40.00 µs 10.00 µs 30.00 µs 30.00 µs 1.5"), "{row}");
    page.browser.click("[aria-label='Partition skew'] .grid-rows .grid-row:first-child .link")?;
    page.browser.wait("the Gantt view", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser
        .wait("its details", "document.querySelector('#details h2')?.innerText.includes('aggr.sum')")?;
    page.is_quiet()
}

#[test]
fn every_view_says_that_times_were_not_measured() -> Result<()> {
    let page = opened("reconstructed", TRACE)?;
    for tab in ["overview", "gantt", "flame", "pivot", "parallel"] {
        page.tab(tab)?;
        let said = "document.querySelector('.reconstructed')?.checkVisibility()";
        page.browser.wait(&format!("the line above {tab}"), said)?;
    }
    page.browser.resize(380, 760)?;
    let wide = page.eval("document.documentElement.scrollWidth")?;
    ensure!(wide == "380", "the page is {wide} pixels wide");
    page.is_quiet()
}

/// A recording of functions alone has no instructions to begin a pivot table with.
#[test]
fn a_pivot_table_of_functions_alone_is_not_empty() -> Result<()> {
    let page = opened("functions-alone", FUNCTIONS)?;
    page.browser.keys("4")?;
    page.browser
        .wait("functions", "document.querySelector('.pivot')?.innerText.includes('sub-statement')")?;
    page.is_quiet()
}
