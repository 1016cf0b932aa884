//! Selecting an area of the timeline, by pointer and by keys: its sums, its tables, and its link.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::accessibility;
use crate::fixtures::{self, file, folder};
use crate::page::Page;

const SHIFT: u32 = 8;
const ENTER: &str = "\u{e007}";
const AREA: &str = "document.querySelector('#area')?.innerText";

/// Drags with Shift over the whole chart, from a point on it to another, both as shares of its width and height.
fn drag(page: &Page, from: (f64, f64), to: (f64, f64)) -> Result<()> {
    let find = "const box = document.querySelector('.picture').getBoundingClientRect(); return [box.x, box.y, box.width, box.height]";
    let found = page.browser.run(find, json!([]))?;
    let number = |at: usize| found[at].as_f64().context("a number");
    let [left, top, width, height] = [number(0)?, number(1)?, number(2)?, number(3)?];
    let at = |(x, y): (f64, f64)| (left + width * x, top + height * y);
    let half = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
    for (kind, place) in [
        ("mouseMoved", from),
        ("mousePressed", from),
        ("mouseMoved", half),
        ("mouseMoved", to),
        ("mouseReleased", to),
    ] {
        let (x, y) = at(place);
        let held = u32::from(kind != "mouseMoved" || place != from);
        let event = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": held, "clickCount": 1, "modifiers": SHIFT
        });
        page.browser.devtools("Input.dispatchMouseEvent", event)?;
    }
    Ok(())
}

#[test]
fn shift_drag_selects_an_area_whose_names_lead_to_spans() -> Result<()> {
    let page = Page::with_run("area")?;
    drag(&page, (0.02, 0.05), (0.9, 0.6))?;
    page.browser.wait("the panel", &format!("{AREA}?.includes('wall time')"))?;
    page.browser.wait("the link", "location.hash.includes('area=') && location.hash.includes('range=')")?;
    page.browser.wait("names", "document.querySelectorAll('#area .grid-rows button').length > 0")?;
    accessibility::passes(&page)?;
    // By keyboard: the spans of the first name, then one of them on the timeline.
    page.eval("document.querySelector('#area .grid-rows button').focus()")?;
    page.browser.keys(ENTER)?;
    page.browser.wait("its spans", &format!("{AREA}?.includes('Spans named')"))?;
    page.says("Duration in area")?;
    page.browser.wait("the link of the spans", "location.hash.includes('area.spans=')")?;
    page.browser.wait("span rows", "document.querySelectorAll('#area .grid-rows button').length > 0")?;
    page.eval("document.querySelector('#area .grid-rows button').focus()")?;
    page.browser.keys(ENTER)?;
    page.browser.wait("the details", "document.querySelector('#details') !== null")?;
    // The link leads to the same area, and Back to the one without it.
    let sums = page.eval("document.querySelector('.area-sums').innerText")?;
    page.browser.wait("the link of the span", "location.hash.includes('item=')")?;
    page.browser.run("history.back(); return 0", json!([]))?;
    page.browser.wait("no details", "document.querySelector('#details') === null")?;
    page.browser.run("history.back(); return 0", json!([]))?;
    page.browser.wait("the names", &format!("{AREA}?.includes('All spans')"))?;
    ensure!(page.eval("document.querySelector('.area-sums').innerText")? == sums, "other sums");
    // Under a filter, the area has other names, so that their list is shown again.
    page.eval("document.querySelector('#area .grid-rows button').click()")?;
    page.browser.wait("the spans of a name", &format!("{AREA}?.includes('Spans named')"))?;
    page.focus_filter()?;
    page.browser.keys("failed")?;
    let filtered = format!("{AREA}?.includes('(filtered)') && {AREA}.includes('All spans')");
    page.browser.wait("the names of what matches", &filtered)?;
    page.eval(
        "[...document.querySelectorAll('#area button')].find(b => b.innerText === 'Clear area').click()",
    )?;
    page.browser
        .wait("no area", "document.querySelector('#area') === null && !location.hash.includes('area=')")?;
    page.is_quiet()
}

#[test]
fn a_drag_below_the_tracks_says_that_it_selects_none() -> Result<()> {
    let page = Page::open()?;
    let events = fixtures::query_events("a", 0).join("\n");
    page.load(&[&file(&folder("area-below")?, "a.ndjson", events)?], 1)?;
    drag(&page, (0.1, 0.97), (0.6, 0.99))?;
    page.says("No track selected.")?;
    page.is_quiet()
}

#[test]
fn keys_select_an_area_and_extend_it() -> Result<()> {
    let page = Page::with_run("area-keys")?;
    page.select_first_query()?;
    page.eval("document.querySelector('.picture').focus()")?;
    page.browser.keys("t")?;
    page.browser.wait("one track", &format!("{AREA}?.includes('on 1 track')"))?;
    page.browser
        .wait("its announcement", "document.querySelector('#status').innerText.startsWith('Area')")?;
    page.eval("document.querySelector('.picture').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', shiftKey: true, bubbles: true, composed: true }))")?;
    page.browser.wait("two tracks", &format!("{AREA}?.includes('on 2 tracks')"))?;
    page.browser.keys("t")?;
    // The track of the selection leaves the area, and the one above it stays.
    page.browser.wait("one track again", &format!("{AREA}?.includes('on 1 track')"))?;
    page.is_quiet()
}
