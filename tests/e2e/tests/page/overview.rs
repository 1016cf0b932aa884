//! The overview answers first: what is worth a look, where the time went, and findings with thresholds that can be changed.

use anyhow::Result;
use queryscope_e2e::{Named, button, dialog, disclosure};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file, folder};
use crate::page::Page;

const TEXT: &str = "document.querySelector('.overview')?.innerText";

fn opened(test: &str) -> Result<Page> {
    let page = Page::open()?;
    page.load(&[&file(&folder(test)?, "a.json", fixtures::array("a"))?], QUERIES)?;
    page.browser.keys("1")?;
    page.browser.wait("the findings", "document.querySelectorAll('.worth li').length > 0")?;
    Ok(page)
}

/// Rules of the sentences at the top, in order.
const RULES: &str = "[...document.querySelectorAll('.worth li')].map(line => line.dataset.rule).join()";

fn set(page: &Page, name: &str, value: &str) -> Result<()> {
    let change = "const field = document.querySelector(`input[name='${arguments[0]}']`); field.closest('details').open = true; \
        field.value = arguments[1]; field.dispatchEvent(new Event('change', { bubbles: true })); return true";
    page.browser.run(change, json!([name, value])).map(|_| ())
}

#[test]
fn the_worst_comes_first_and_leads_to_its_span() -> Result<()> {
    let page = opened("overview-worth")?;
    // All queries wrote to secondary storage and read too much; one failed.
    page.browser.wait("their order", &format!("{RULES} === 'storage,over-fetch,failed'"))?;
    page.browser.wait("a share", &format!("{TEXT}.includes('100 % of query time')"))?;
    page.browser.wait("a sentence", &format!("{TEXT}.includes('1 failure reported: no answer')"))?;
    page.browser.click_on(&button("Show: SELECT total FROM orders WHERE id = 2"))?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser
        .wait("the details", "document.querySelector('#details')?.innerText.includes('no answer')")?;
    page.is_quiet()
}

#[test]
fn all_findings_of_a_rule_can_be_listed() -> Result<()> {
    let page = Page::open()?;
    page.load(&[&file(&folder("overview-all")?, "a.json", fixtures::large(60))?], 60)?;
    page.browser.keys("1")?;
    page.browser.click_on(&button("All 60: secondary storage"))?;
    let details = "document.querySelector('.finding[data-rule=storage][open]')";
    page.browser.wait("the focus", &format!("{details}?.contains(document.activeElement)"))?;
    page.browser.wait("the worst", &format!("{details}.querySelectorAll('li').length === 50"))?;
    page.browser.click_on(&button("Show 10 more"))?;
    page.browser.wait("the others", &format!("{details}.querySelectorAll('li').length === 60"))?;
    page.is_quiet()
}

#[test]
fn thresholds_are_in_the_link_and_in_the_history() -> Result<()> {
    let page = opened("overview-thresholds")?;
    page.browser.wait("all rules", &format!("{RULES}.includes('over-fetch')"))?;
    set(&page, "over-fetch.rows", "1001")?;
    page.browser.wait("one rule less", &format!("{RULES} === 'storage,failed'"))?;
    page.browser.wait("the link", "location.hash.includes('threshold=over-fetch.rows:1001')")?;
    set(&page, "over-fetch.rows", "many")?;
    page.browser.wait(
        "a sentence",
        &format!("{TEXT}.includes('over-fetch: rows read” (over-fetch.rows): “many” is not a number')"),
    )?;
    page.browser
        .wait("a marked field", "document.querySelector('.thresholds [aria-invalid=true]') !== null")?;
    page.browser.wait("the link of it", "location.hash.includes('threshold=over-fetch.rows:many')")?;
    page.browser.run("history.back()", json!([]))?;
    page.browser.wait("the threshold before", &format!("{RULES} === 'storage,failed'"))?;
    page.browser.click_on(&button("Reset to defaults"))?;
    page.browser.wait("the defaults", &format!("{RULES} === 'storage,over-fetch,failed'"))?;
    page.browser.wait("a link without", "!location.hash.includes('threshold')")?;
    page.is_quiet()
}

#[test]
fn time_is_divided_by_what_the_trace_has() -> Result<()> {
    let page = opened("overview-time")?;
    let table = "document.querySelector('[aria-label=\"Where the time went\"]')?.innerText";
    page.browser
        .wait("the statements", &format!("{table}?.includes('SELECT total FROM orders WHERE id = ?')"))?;
    page.eval(
        "(() => { const select = [...document.querySelectorAll('.overview .choice select')].at(-1); \
         select.selectedIndex = [...select.options].findIndex(option => option.text === 'Connector'); \
         select.dispatchEvent(new Event('change', { bubbles: true })) })()",
    )?;
    page.browser.wait("the connector", &format!("{table}?.includes('pg-conn')"))?;
    page.browser.wait("the link", "location.hash.includes('time.by=connector')")?;
    page.browser.click_on(&button("pg-conn").within(Named::new("grid", "Where the time went")))?;
    page.browser.wait("the pivot table", "document.querySelector('#app').dataset.view === 'pivot'")?;
    page.browser.wait("its spans", "document.querySelectorAll('.pivot .grid-row[data-item]').length > 0")?;
    page.is_quiet()
}

/// A trace without anything remarkable says so; a finding about its file leads to the import report.
#[test]
fn nothing_worth_a_look_is_a_sentence() -> Result<()> {
    let text = r#"[{"ph":"X","name":"draw","ts":1,"dur":5,"pid":1,"tid":1},{"ph":"X","name":"draw","ts":10,"dur":5,"pid":1,"tid":1}]"#;
    let (page, folder) = (Page::open()?, folder("overview-nothing")?);
    page.load(&[&file(&folder, "a.json", text)?], 0)?;
    page.browser.keys("1")?;
    page.browser.wait("a sentence", &format!("{TEXT}?.includes('No rule found a problem')"))?;
    page.eval("location.hash = '#v=3&view=overview&range=0,5000&filter=nowhere'")?;
    let filtered = "No findings match the filter in this time range.";
    page.browser.wait("the filter", &format!("{TEXT}?.includes({filtered:?})"))?;
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    page.load(&[&file(&folder, "cut.json", &text[..text.len() - 9])?], 0)?;
    page.browser.keys("1")?;
    page.browser.click_on(&disclosure("lost records"))?;
    page.browser.click_on(&Named::with("button", "cut.json").within(Named::new("region", "Findings")))?;
    page.browser.shows(&dialog("Import report"))?;
    page.is_quiet()
}

/// Counts of the table of runs lead to the queries that they count, the longest to its span.
#[test]
fn numbers_of_runs_lead_to_their_queries() -> Result<()> {
    let page = opened("overview-runs")?;
    page.eval("document.querySelector('[aria-label=Runs] button[title*=\"status = failed\"]').click()")?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser.wait("the filter", "decodeURIComponent(location.hash).includes('status = failed')")?;
    page.browser.wait("their number", "document.querySelector('#queries')?.innerText.includes('1 of 6')")?;
    page.browser.keys("1")?;
    let longest = "document.querySelector('[aria-label=Runs] button[title^=\"Show the longest\"]')";
    page.browser.wait("the runs again", longest)?;
    page.eval(&format!("{longest}.click()"))?;
    page.browser
        .wait("its details", "document.querySelector('#details')?.innerText.includes('SELECT total')")?;
    page.browser.keys("1")?;
    let median = "document.querySelector('.chart-legend button.link')";
    page.browser.wait("the percentiles", median)?;
    page.eval(&format!("{median}.click()"))?;
    page.browser.wait("its condition", "decodeURIComponent(location.hash).includes('duration >=')")?;
    page.browser.wait("its query", "document.querySelector('#queries')?.innerText.includes('1 of 6')")?;
    page.is_quiet()
}
