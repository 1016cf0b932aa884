//! Sources and buffers: the lists, their links and the time range; and the scores in the query list.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Named, button, site};

use crate::fixtures::{self, QUERIES, file, folder};
use crate::page::Page;

const ENTER: &str = "\u{e007}";
const ARROW_RIGHT: &str = "\u{e014}";
const TEXT: &str = "document.querySelector('.views .overview')?.innerText";

fn opened(test: &str) -> Result<Page> {
    let page = Page::open()?;
    page.load(&[&file(&folder(test)?, "a.json", fixtures::array("a"))?], QUERIES)?;
    page.browser.keys("0")?;
    page.browser.wait("the summary", &format!("{TEXT}?.includes('1 row, 6 executions')"))?;
    Ok(page)
}

/// The cells of the first row of a table, with what cells without a value say.
fn first_row(label: &str) -> String {
    format!(
        "[...document.querySelectorAll('[role=grid][aria-label={label:?}] .grid-rows > :first-child > *')].map(cell => cell.innerText).join('|')"
    )
}

#[test]
fn a_source_leads_to_its_executions_and_they_to_the_timeline() -> Result<()> {
    let page = opened("sources")?;
    // 1,000 rows in 0.2 ms, 0.06 of which were spent reading.
    let row = "pg-conn|OrdersDB|QUERY|6|1.200 ms|200.0 µs|200.0 µs|200.0 µs|30 %|6,000|60|100|5,000,000|1";
    page.browser.wait("its row", &format!("{} === {row:?}", first_row("Sources")))?;
    page.browser.click_on(&button("Datasource"))?;
    page.browser.wait("no datasource", &format!("{}.startsWith('pg-conn|QUERY|')", first_row("Sources")))?;
    page.browser.click_on(&button("Pushed-down shape"))?;
    page.browser
        .wait("the command", &format!("{}.includes('SELECT c FROM OrdersDB')", first_row("Sources")))?;
    page.browser.wait("the link", "location.hash.includes('sources.by=connector,command-type,command')")?;
    page.eval("document.querySelector('[aria-label=Sources] .grid-rows button').focus()")?;
    page.browser.keys(ENTER)?;
    page.browser.wait("the executions", &format!("{TEXT}?.includes('Reading share 30 %')"))?;
    page.browser.wait("the link of the row", "location.hash.includes('source=0')")?;
    let link = page.eval("location.href")?;
    page.browser
        .click_on(&button("SELECT c FROM OrdersDB").within(Named::new("grid", "Source executions")))?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser.wait("the details", "document.querySelector('#details')?.innerText.includes('OrdersDB')")?;
    page.browser.keys("0")?;
    page.browser.click_on(&button("← All sources"))?;
    page.browser.wait("the list", &format!("{TEXT}?.includes('1 row, 6 executions')"))?;
    page.browser.wait("the mark of the execution", "document.querySelector('.chart-frame > .chart-item')")?;
    page.browser.wait("the visible time", "document.querySelector('.chart-frame > .chart-visible')")?;
    // The link names no word of the trace.
    ensure!(!link.contains("Orders") && !link.contains("pg-conn"), "{link}");
    page.eval("location.hash = '#view=sources&source=99&v=3'")?;
    page.browser.wait("a sentence", &format!("{TEXT}?.includes('does not exist in this trace')"))?;
    page.is_quiet()
}

#[test]
fn buffers_are_added_up_in_any_measure() -> Result<()> {
    let page = opened("buffers")?;
    page.browser.wait("the spill share", &format!("{TEXT}.includes('Spill share 100 %')"))?;
    let types = first_row("Buffer events by type");
    page.browser.wait("the type", &format!("{types} === 'SPILL|6|25 kB|100 %|96'"))?;
    let queries = first_row("Queries by buffer events");
    page.browser.wait("a query", &format!("{queries}.includes('|4.1 kB|16|1|4.1 kB|100 %|')"))?;
    for (name, legend) in [("Elements", "SPILL 96"), ("Events", "SPILL 6")] {
        page.browser.click_on(&button(name).within(Named::new("group", "Measure")))?;
        page.browser.wait("the legend", &format!("{TEXT}.includes({legend:?})"))?;
        page.browser.click_on(&button("Cumulative"))?;
        page.browser.wait("the sum", &format!("{TEXT}.includes({legend:?})"))?;
    }
    page.browser.wait("the link", "location.hash.includes('buffers=events,cumulative')")?;
    // A range of the chart is one of all views.
    page.eval("document.querySelector('.chart-frame canvas').focus()")?;
    page.browser.keys(&format!("{ENTER}{}{ENTER}", ARROW_RIGHT.repeat(12)))?;
    page.browser.wait("the range in the link", "location.hash.includes('range=')")?;
    page.browser.wait("fewer executions", &format!("!{TEXT}.includes('6 executions')"))?;
    page.browser.click_on(&button("Clear range").within(Named::new("region", "Buffers")))?;
    page.browser.wait("all executions", &format!("{TEXT}.includes('6 executions')"))?;
    page.is_quiet()
}

#[test]
fn what_was_chosen_returns_from_the_link() -> Result<()> {
    let trace = file(&folder("sources-link")?, "run.json", fixtures::array("a"))?;
    let state = "#trace=run.json&view=sources&sources=-over-fetch&sources.by=datasource&buffers=elements,cumulative&buffer-queries=-spill-share&list=-score&weights=1,0.5,0&v=3";
    let page = Page::at(vec![Mount::new("/", site()?), Mount::new("/run.json", trace)], state)?;
    page.browser.wait("the row", &format!("{}.startsWith('OrdersDB|6|')", first_row("Sources")))?;
    let sorted = "[...document.querySelectorAll('[aria-sort=ascending]')].map(head => head.innerText).join()";
    page.browser.wait(
        "the orders",
        &format!("{sorted}.includes('Over-fetch') && {sorted}.includes('Spill share')"),
    )?;
    page.browser.wait("the measure", &format!("{TEXT}.includes('SPILL 96')"))?;
    page.browser.wait("the same link", &format!("location.hash === {state:?} || location.hash"))?;
    for part in state.trim_start_matches('#').split('&') {
        page.browser.wait(part, &format!("location.hash.includes({part:?})"))?;
    }
    page.is_quiet()
}

#[test]
fn scores_follow_their_weights() -> Result<()> {
    let page = opened("scores")?;
    page.tab("gantt")?;
    let head = "[...document.querySelectorAll('#queries [role=columnheader]')].find(head => head.innerText.includes('Score'))";
    page.browser.wait("the column", head)?;
    let at = format!("[...{head}.parentElement.children].indexOf({head})");
    let scores = format!(
        "[...document.querySelectorAll('#queries .query-row')].map(row => row.children[{at}].innerText).join()"
    );
    // All read and moved the same; the longest took all of 0.53 ms, the shortest 0.28 ms.
    page.browser.wait("the scores", &format!("{scores}.startsWith('1.000,')"))?;
    page.browser.click_on(&button("Score weights"))?;
    let set = |at: u32, text: &str| {
        page.eval(&format!(
            "(() => {{ const field = document.querySelectorAll('#score-weights input')[{at}]; field.value = {text:?}; \
             field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
        ))
    };
    set(0, "0")?;
    page.browser.wait("equal scores", &format!("{scores}.split(',').every(score => score === '0.400')"))?;
    page.browser.wait("the link", "location.hash.includes('weights=0,0.3,0.1')")?;
    for text in ["-1", "NaN", "many", ""] {
        set(1, text)?;
        page.browser.wait(
            "a sentence",
            "document.querySelector('#score-weights [role=alert]')?.innerText.includes('from 0 to')",
        )?;
        page.browser
            .wait("the old weight", "document.querySelectorAll('#score-weights input')[1].value === '0.3'")?;
    }
    page.browser.click_on(&button("Reset"))?;
    page.browser.wait("the old scores", &format!("{scores}.startsWith('1.000,')"))?;
    page.browser.wait("no sentence", "!document.querySelector('#score-weights [role=alert]')")?;
    page.is_quiet()
}

/// A trace without sources and buffer events has no such tab.
#[test]
fn only_traces_with_sources_have_the_tab() -> Result<()> {
    let page = Page::open()?;
    let text = r#"[{"ph":"X","name":"draw","cat":"gpu","ts":1,"dur":5,"pid":1,"tid":1}]"#;
    page.load(&[&file(&folder("no-sources")?, "a.json", text)?], 0)?;
    page.browser.keys("0")?;
    let tabs = "[...document.querySelectorAll('[role=tab]')].map(tab => tab.textContent).join()";
    ensure!(!page.eval(tabs)?.contains("Sources"), "{}", page.eval(tabs)?);
    page.browser.wait("the same view", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.is_quiet()
}
