//! Nothing is lost by the way: a wheel scrolls the page that it is over, no swipe goes back in history, and the browser
//! asks before a trace is left that no address leads back to.

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Mount, Named, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

/// Turns the wheel over the middle of an element once it has stopped moving, as it does while results arrive; how far the view has scrolled
/// within five seconds.
fn turned(page: &Page, element: &str, view: &str) -> Result<f64> {
    let place = page.browser.run_async(
        "document.querySelector(arguments[1]).scrollTop = 0; \
         const place = () => { const box = document.querySelector(arguments[0]).getBoundingClientRect(); \
            return [box.x + box.width / 2, box.y + 12] }; \
         for (let now = place(), same = 0, n = 0; same < 3 && n < 50; n++) { \
            await new Promise(r => setTimeout(r, 100)); const next = place(); \
            same = String(next) === String(now) ? same + 1 : 0; now = next } \
         return place()",
        json!([element, view]),
    )?;
    let wheel = json!({ "type": "mouseWheel", "x": place[0], "y": place[1], "deltaX": 0, "deltaY": 160 });
    page.browser.devtools("Input.dispatchMouseEvent", wheel)?;
    let scrolled = "const view = document.querySelector(arguments[0]); \
        for (let n = 0; n < 50 && view.scrollTop === 0; n++) await new Promise(r => setTimeout(r, 100)); \
        return view.scrollTop";
    page.browser.run_async(scrolled, json!([view]))?.as_f64().context("a number")
}

/// Over every box that has nothing more to show, the view around it scrolls.
fn scrolls(page: &Page) -> Result<()> {
    page.browser.resize(1000, 500)?;
    let find = "const view = document.querySelector('.views > .overview'); let at = 0; \
        for (const box of view.querySelectorAll('.scrolls')) { \
            const full = box.scrollHeight <= box.clientHeight; \
            const top = box.getBoundingClientRect().top - view.getBoundingClientRect().top; \
            if (full && top > 0 && top < view.clientHeight - 30) box.dataset.full = at++; } \
        return [at, view.scrollHeight > view.clientHeight + 60]";
    let found = page.browser.run(find, json!([]))?;
    let count = found[0].as_u64().context("a number")?;
    ensure!(count > 0 && found[1] == true, "no box to turn the wheel over, or nothing to scroll: {found}");
    for at in 0..count {
        let moved = turned(page, &format!("[data-full='{at}']"), ".views > .overview")?;
        ensure!(moved > 0.0, "the wheel over box {at} moved nothing");
    }
    Ok(())
}

#[test]
fn a_wheel_over_a_table_scrolls_the_view() -> Result<()> {
    let folder = fixtures::folder("wheel")?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "plan.json", fixtures::plan(3))?], 1)?;
    page.tab("parallel")?;
    page.browser.wait("the tables", "document.querySelectorAll('.parallel .grid').length > 3")?;
    scrolls(&page)?;
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    page.tab("overview")?;
    page.browser.wait("the charts", "document.querySelector('.chart-frame canvas')?.width > 100")?;
    scrolls(&page)
}

#[test]
fn no_swipe_goes_back_in_history() -> Result<()> {
    let page = Page::open()?;
    for element in ["html", "body"] {
        let style =
            page.eval(&format!("getComputedStyle(document.querySelector('{element}')).overscrollBehaviorX"))?;
        ensure!(style == "none", "{element}: {style}");
    }
    Ok(())
}

/// Whether the page would have the browser ask.
const ASKS: &str = "(() => { const leaving = new Event('beforeunload', { cancelable: true }); \
    dispatchEvent(leaving); return leaving.defaultPrevented })()";

fn asks(page: &Page, expected: bool) -> Result<()> {
    page.browser.wait(&format!("asking to be {expected}"), &format!("({ASKS}) === {expected}")).map(|_| ())
}

#[test]
fn the_browser_asks_before_a_file_is_left_and_not_before_an_address_is() -> Result<()> {
    let folder = fixtures::folder("leaving")?;
    let trace = file(&folder, "run.json", fixtures::array("a"))?;
    let mounts = vec![Mount::new("/", site()?), Mount::new("/run.json", &trace)];
    let page = Page::at(mounts, "")?;
    page.phase("landing")?;
    asks(&page, false)?;
    page.load(&[&trace], QUERIES)?;
    asks(&page, true)?;
    page.browser.click_on(&Named::with("button", "queryscope"))?;
    page.phase("landing")?;
    asks(&page, false)?;
    page.browser.open(&format!("{}#trace=run.json", page.server.url()))?;
    page.ready(QUERIES)?;
    asks(&page, false)?;
    // With a file beside it the address leads to a part of the trace alone.
    page.browser.pick("#file-input", &[&file(&folder, "more.json", fixtures::array("b"))?])?;
    page.ready(2 * QUERIES)?;
    asks(&page, true)?;
    page.browser.wait("an address without a trace", "!location.hash.includes('trace=')").map(|_| ())
}
