//! A trace by its address, and the view in the fragment.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

/// The site, and a trace beside it.
fn mounts(test: &str) -> Result<Vec<Mount>> {
    let folder = fixtures::folder(test)?;
    file(&folder, "a.json", fixtures::array("a"))?;
    file(&folder, "b.json", fixtures::array("b"))?;
    Ok(vec![Mount::new("/", site()?), Mount::new("/traces/", folder)])
}

fn opens(test: &str, address: &str, queries: u64) -> Result<Page> {
    let page = Page::at(mounts(test)?, address)?;
    page.ready(queries)?;
    Ok(page)
}

#[test]
fn behind_a_question_mark_and_behind_a_hash() -> Result<()> {
    opens("url-query", "?trace=traces/a.json", QUERIES)?;
    opens("url-hash", "#trace=traces/a.json&trace=traces/b.json", 2 * QUERIES)?;
    Ok(())
}

fn explains(test: &str, address: &str, words: &[&str]) -> Result<()> {
    let page = Page::at(mounts(test)?, address)?;
    page.phase("error")?;
    for word in words {
        page.says(word)?;
    }
    Ok(())
}

/// Notes that the page told how much there is: a driver may look less often than that is shown.
const LENGTH: &str = "
    new MutationObserver(() => {
        window.told ||= / of [0-9.]+ MB/.test(document.querySelector('.loading')?.innerText ?? '');
    }).observe(document, { childList: true, subtree: true, characterData: true })";

#[test]
fn an_address_says_how_much_is_left() -> Result<()> {
    let mut mounts = mounts("url-length")?;
    let large = file(&fixtures::folder("url-large")?, "large.ndjson", fixtures::large(60_000))?;
    mounts.push(Mount::new("/large.ndjson", large));
    let page = Page::at(mounts, "")?;
    page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": LENGTH }))?;
    page.browser.open(&format!("{}#trace=large.ndjson", page.server.url()))?;
    page.ready(60_000)?;
    page.browser.wait("how much of it was read", "window.told")?;
    page.is_quiet()
}

#[test]
fn an_address_without_a_file() -> Result<()> {
    explains("url-404", "#trace=traces/none.json", &["404", "none.json"])
}

#[test]
fn an_address_that_is_no_trace() -> Result<()> {
    explains("url-html", "#trace=index.html", &["index.html", "not"])
}

#[test]
fn a_link_opens_where_it_was_copied() -> Result<()> {
    let page = opens("url-view", "#trace=traces/a.json", QUERIES)?;
    page.select_first_query()?;
    page.browser
        .wait("the selection in the address", "location.hash.length > '#trace=traces/a.json'.length")?;
    let item = page.eval("document.querySelector('.query-row[aria-selected=true]').dataset.item")?;
    let link = page.eval("location.href")?;
    page.browser.open(&link)?;
    page.ready(QUERIES)?;
    let selected =
        format!("document.querySelector('.query-row[aria-selected=true]')?.dataset.item === '{item}'");
    page.browser.wait("the same selection", &selected)?;
    page.is_quiet()
}

#[test]
fn embedded_it_shows_only_the_views() -> Result<()> {
    let page = opens("url-embed", "?embed#trace=traces/a.json", QUERIES)?;
    for hidden in [".query-row", "#search", "#report-button", "#theme-button"] {
        let shown = page.eval(&format!("document.querySelector({hidden:?})?.checkVisibility() ?? false"))?;
        ensure!(shown == "false", "{hidden} is shown");
    }
    page.browser.wait("the legend", "document.querySelector('.embed-bar .legend > *')")?;
    let href = page.eval("document.querySelector('.embed-bar a').href")?;
    ensure!(href.contains("#trace=traces/a.json") && !href.contains("embed"), "{href}");
    page.browser.keys("4")?;
    page.browser.run_async("await new Promise(r => setTimeout(r, 200))", json!([]))?;
    ensure!(page.eval("document.querySelector('#app').dataset.view")? == "gantt", "a key led to a tab");
    page.browser.screenshot(&queryscope_e2e::root().join("target/screens/embed.png"))
}
