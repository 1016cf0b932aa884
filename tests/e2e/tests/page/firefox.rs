//! The same page in Firefox, where that is installed: another engine for wasm, canvases, workers and keys.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

#[test]
fn a_trace_is_opened_and_looked_at() -> Result<()> {
    let Some(page) = Page::in_firefox()? else { return Ok(()) };
    let folder = fixtures::folder("firefox")?;
    page.browser
        .run("window.errors = []; addEventListener('error', e => errors.push(e.message))", json!([]))?;
    page.load(&[&file(&folder, "run.json.gz", fixtures::gzip(&fixtures::array("a"))?)?], QUERIES)?;
    let before = page.picture()?;
    page.browser.click(".query-row")?;
    let shows = |text: &str| format!("document.querySelector('#details')?.innerText.includes({text:?})");
    page.browser.wait("the statement", &shows("orders"))?;
    page.browser.click("#details .raw summary")?;
    page.browser.wait("the record as it stands in the file", &shows("QUERY_START"))?;
    page.browser.run("document.activeElement.blur()", json!([]))?;
    page.browser.keys("wwd")?;
    ensure!(page.picture()? != before, "keys changed nothing in the picture");
    page.tab("flame")?;
    page.ready(QUERIES)?;
    page.tab("overview")?;
    page.browser.wait("a chart", "document.querySelector('.chart-frame canvas')?.width > 100")?;
    page.browser.keys("?")?;
    page.browser.wait("the help", "document.querySelector('#help')?.checkVisibility()")?;
    page.browser.keys("\u{e00c}")?;
    page.browser.wait("the help to close", "!document.querySelector('#help')?.checkVisibility()")?;
    page.browser.screenshot(&queryscope_e2e::root().join("target/screens/firefox.png"))?;
    ensure!(page.eval("errors.join()")?.is_empty(), "{}", page.eval("errors.join()")?);
    Ok(())
}
