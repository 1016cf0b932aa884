//! Everything can be reached: what lies on something else, what is far below, what has no room.

use anyhow::{Result, ensure};
use queryscope_e2e::button;
use serde_json::json;

use crate::fixtures::{self, file};
use crate::page::Page;

const END: &str = "\u{e010}";
const HOME: &str = "\u{e011}";
const ARROW_UP: &str = "\u{e013}";
const ARROW_DOWN: &str = "\u{e015}";

fn loaded(test: &str, events: &[String]) -> Result<Page> {
    let folder = fixtures::folder(test)?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "trace.json", format!("[{}]", events.join(",")))?], 0)?;
    Ok(page)
}

fn slice(tid: u32, name: &str, ts: u32, dur: u32) -> String {
    format!(r#"{{"ph":"X","pid":1,"tid":{tid},"name":"{name}","ts":{ts},"dur":{dur}}}"#)
}

fn selected(page: &Page, name: &str) -> Result<()> {
    let test = format!("document.querySelector('#details h2')?.innerText === {name:?}");
    page.browser.wait(&format!("{name} in the details"), &test).map(|_| ())
}

/// A click at a share of the picture's width, so high above it, when it is no double click any more.
fn click(page: &Page, x: f64, y: f64) -> Result<()> {
    std::thread::sleep(std::time::Duration::from_millis(600));
    let place = "document.querySelector('#gantt').getBoundingClientRect()";
    let x = page.eval(&format!("{place}.x + {x}"))?.parse::<f64>()?;
    let y = page.eval(&format!("{place}.y + {y}"))?.parse::<f64>()?;
    for (kind, buttons) in [("mousePressed", 1), ("mouseReleased", 0)] {
        let event =
            json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
        page.browser.devtools("Input.dispatchMouseEvent", event)?;
    }
    Ok(())
}

#[test]
fn clicks_at_one_place_go_through_what_lies_there() -> Result<()> {
    let zeros = ["a", "b", "c"].map(|name| slice(1, name, 500, 0));
    let page = loaded("pile", &[&[slice(1, "outer", 0, 1000)][..], &zeros].concat())?;
    page.picture()?;
    let here = |at: u32| format!("document.querySelector('#details')?.innerText.includes('{at} of 3')");
    // The details that open with the first click move nothing under the pointer.
    let x = page.eval("document.querySelector('#gantt').getBoundingClientRect().width / 2")?.parse()?;
    for (name, at) in [("a", 1), ("b", 2), ("c", 3), ("a", 1)] {
        // Below the run's header, its process and the row of the slice that is around them.
        click(&page, x, 28.0 + 20.0 + 18.0 + 9.0)?;
        selected(&page, name)?;
        page.browser.wait("its number", &here(at))?;
    }
    page.is_quiet()
}

#[test]
fn arrow_keys_lead_on_to_the_next_track() -> Result<()> {
    let page =
        loaded("next-track", &[slice(1, "first", 0, 10), slice(2, "early", 0, 4), slice(2, "late", 50, 10)])?;
    for (key, name) in [(ARROW_DOWN, "first"), (ARROW_DOWN, "early"), (ARROW_UP, "first")] {
        page.browser.keys(key)?;
        selected(&page, name)?;
    }
    page.is_quiet()
}

#[test]
fn keys_lead_to_the_last_row_and_back_and_rows_say_where_they_are() -> Result<()> {
    let levels: Vec<String> = (0..2_000).map(|at| slice(1, &at.to_string(), at, 9_000 - 2 * at)).collect();
    let page = loaded("rows", &levels)?;
    for tab in ["gantt", "flame"] {
        page.tab(tab)?;
        // On a tab, the key leads to the last tab.
        page.browser.run("document.activeElement.blur()", json!([]))?;
        let first = page.picture()?;
        page.browser.keys(END)?;
        ensure!(page.picture()? != first, "{tab}: the last row is the first");
        let inks = "(() => { const c = document.querySelector('#headings'); const copy = new OffscreenCanvas(c.width, c.height); \
            const x = copy.getContext('2d'); x.drawImage(c, 0, 0); const d = x.getImageData(0, 0, c.width, 40 * devicePixelRatio).data; \
            return new Set(new Uint32Array(d.buffer)).size })()";
        let inks: u32 = page.eval(inks)?.parse()?;
        ensure!(inks > 5, "{tab}: {inks} colours are no name");
        page.browser.keys(HOME)?;
        ensure!(page.picture()? == first, "{tab}: not where it began");
    }
    page.is_quiet()
}

#[test]
fn what_is_wider_than_a_narrow_window_can_be_scrolled() -> Result<()> {
    let page = Page::open()?;
    page.browser.click_on(&button("Open sample run"))?;
    page.phase("ready")?;
    page.browser.resize(420, 800)?;
    page.tab("overview")?;
    page.browser.wait("the runs", "document.querySelector('.grid-rows .grid-row')")?;
    let frames = "[...document.querySelectorAll('.grid.framed')].every(frame => frame.tabIndex === 0 && \
        frame.role === 'grid' && (frame.ariaLabel || document.getElementById(frame.getAttribute('aria-labelledby'))))";
    ensure!(
        page.eval(&format!("Boolean({frames})"))? == "true",
        "a table cannot be reached by keys, or has no name"
    );
    let wide = "document.querySelector('.grid.framed').scrollWidth > document.querySelector('.grid.framed').clientWidth";
    ensure!(page.eval(wide)? == "true", "there is nothing to scroll");
    let tools = "document.querySelector('.tabs .tools').getBoundingClientRect().right <= innerWidth";
    ensure!(page.eval(tools)? == "true", "the tools beside the tabs are out of sight");
    page.is_quiet()
}
