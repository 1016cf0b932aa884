//! One filter for all views: its field, its errors, its link, and what the views show.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::accessibility;
use crate::page::Page;

const BAR: &str = "document.querySelector('.filter-bar')";
const LIST: &str = "document.querySelector('#queries .count')?.innerText";

/// Replaces the text of the field in the bar.
fn filter(page: &Page, text: &str) -> Result<()> {
    page.browser.run(
        "const field = document.querySelector('#page-filter'); field.value = arguments[0]; \
         field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));",
        json!([text]),
    )?;
    Ok(())
}

#[test]
fn a_filter_applies_to_list_statements_and_pivot_and_is_in_the_link() -> Result<()> {
    let page = Page::with_run("filter")?;
    page.eval("document.querySelector('.picture').focus()")?;
    page.browser.run(
        "document.querySelector('.picture').dispatchEvent(new KeyboardEvent('keydown', { key: 'F', shiftKey: true, bubbles: true, composed: true }))",
        json!([]),
    )?;
    page.browser.wait("the focused field", "document.activeElement?.id === 'page-filter'")?;
    // The queries take 280, 330, … 530 µs.
    page.browser.keys("kind = query duration >= 430us")?;
    page.browser.wait("three queries", &format!("{LIST} === '3 of 6'"))?;
    page.browser.wait("their number", &format!("{BAR}.innerText.includes('3 matches')"))?;
    page.browser.wait("the link", "location.hash.includes('filter=kind')")?;
    ensure!(
        page.eval("document.querySelector('#filter').value")? == "kind = query duration >= 430us",
        "another text"
    );
    if let Some(axe) = accessibility::axe()? {
        let found = accessibility::findings(&page.browser, &axe)?;
        ensure!(found.is_empty(), "{found:?}");
    }
    page.tab("statements")?;
    page.browser.wait(
        "three executions",
        "document.querySelector('.statements')?.innerText.includes('3 executions')",
    )?;
    page.tab("pivot")?;
    page.browser.wait("three points", "document.querySelector('.pivot-sum')?.innerText.includes('3')")?;
    // Another filter, and none.
    page.tab("gantt")?;
    filter(&page, "failed")?;
    page.browser.wait("the failed query", &format!("{LIST} === '1 of 6'"))?;
    page.browser.click(".filter-bar > button")?;
    page.browser.wait("no filter", &format!("{BAR} === null && !location.hash.includes('filter=')"))?;
    page.is_quiet()
}

#[test]
fn a_wrong_filter_says_where_and_keeps_the_last_valid_one() -> Result<()> {
    let page = Page::with_run("filter-wrong")?;
    page.browser.click("#filter-button")?;
    page.browser.wait("the field", "document.querySelector('#page-filter')")?;
    filter(&page, "duration >= 430us")?;
    page.browser.wait("three queries", &format!("{LIST} === '3 of 6'"))?;
    for (text, wrong) in [
        ("duration >= 430us nope > 3", "nope > 3"),
        ("duration > soon", "duration > soon"),
        ("failed > ", "failed >"),
    ] {
        filter(&page, text)?;
        page.browser.wait(
            "the wrong part",
            &format!("document.querySelector('.filter-bar mark')?.innerText.trim() === '{wrong}'"),
        )?;
        page.browser.wait(
            "the state of the field",
            "document.querySelector('#page-filter').ariaInvalid === 'true'",
        )?;
        ensure!(page.eval(LIST)? == "3 of 6", "another list");
        ensure!(!page.eval("location.hash")?.contains("nope"), "the link has a wrong filter");
    }
    filter(&page, "")?;
    page.browser.wait("all queries", &format!("{LIST} === '6'"))?;
    page.is_quiet()
}
