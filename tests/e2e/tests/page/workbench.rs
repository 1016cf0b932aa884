//! The timeline as a workbench: jumps to other spans, hidden, moved and filtered tracks, and gathered spans.

use anyhow::{Result, ensure};
use queryscope_e2e::Named;
use serde_json::json;

use crate::accessibility;
use crate::page::Page;

const TOAST: &str = "document.querySelector('.toast')?.innerText.replace(/\\s+/g, ' ')";
const TITLE: &str = "document.querySelector('#details h2')?.innerText";

/// Presses a key on the timeline.
fn press(page: &Page, key: &str, shift: bool) -> Result<()> {
    let script = "const picture = document.querySelector('.picture'); picture.focus(); picture.dispatchEvent(\
        new KeyboardEvent('keydown', { key: arguments[0], shiftKey: arguments[1], bubbles: true, composed: true, cancelable: true }))";
    page.browser.run(script, json!([key, shift])).map(|_| ())
}

fn says(page: &Page, words: &str) -> Result<()> {
    page.browser.wait(words, &format!("{TOAST}?.includes({words:?})")).map(|_| ())
}

fn click(page: &Page, name: &str) -> Result<()> {
    page.browser.click_on(&Named::new("button", name))
}

/// Waits until the link has followed the page: it is another one than at the last call, and stays the same for longer than the page takes
/// to write it.
fn link_follows(page: &Page, what: &str) -> Result<()> {
    let rests = "(() => {
        const now = performance.now();
        if (window.seenLink !== location.hash) [window.seenLink, window.seenAt] = [location.hash, now];
        const rests = now - window.seenAt > 700 && location.hash !== window.lastLink;
        if (rests) window.lastLink = location.hash;
        return rests;
    })()";
    page.browser.wait(what, rests).map(|_| ())
}

#[test]
fn keys_and_buttons_go_to_other_spans() -> Result<()> {
    let page = Page::with_run("jumps")?;
    // The third of six queries fails.
    press(&page, "b", false)?;
    says(&page, "failed span")?;
    page.browser.wait("the failed query", &format!("{TITLE}?.includes('id = 2')"))?;
    page.browser.wait("the link", "location.hash.includes('item=')")?;
    // All statements have the same shape.
    press(&page, ".", false)?;
    says(&page, "4 of 6 executions of the statement “")?;
    page.browser.wait("the fourth query", &format!("{TITLE}?.includes('id = 3')"))?;
    press(&page, ",", false)?;
    page.browser.wait("the third query", &format!("{TITLE}?.includes('id = 2')"))?;
    press(&page, ",", false)?;
    page.browser.wait("the second query", &format!("{TITLE}?.includes('id = 1')"))?;
    click(&page, "Previous span of the same name or statement (,)")?;
    says(&page, "First of 6 executions")?;
    click(&page, "Previous span of the same name or statement (,)")?;
    says(&page, "Last of 6 executions")?;
    link_follows(&page, "the link of the last query")?;
    // Each query lasts longer than the one before: there is none that is longer than the last.
    press(&page, "L", true)?;
    says(&page, "Shortest of 6 executions")?;
    page.browser.wait("the first query", &format!("{TITLE}?.includes('id = 0')"))?;
    link_follows(&page, "the link of the shortest")?;
    press(&page, "l", false)?;
    says(&page, "Longest of")?;
    accessibility::passes(&page)?;
    link_follows(&page, "the link of the longest")?;
    page.browser.run("history.back(); return 0", json!([]))?;
    page.browser.wait("the first query again", &format!("{TITLE}?.includes('id = 0')"))?;
    page.is_quiet()
}

const COUNTS: &str = "document.querySelector('.track-counts')?.innerText";
const FIELD: &str = "document.querySelector('#track-filter')";

#[test]
fn tracks_are_filtered_hidden_and_moved() -> Result<()> {
    let page = Page::with_run("tracks")?;
    let all = page.picture()?;
    let typed = "const field = document.querySelector('#track-filter'); field.value = arguments[0]; field.dispatchEvent(new Event('input', { bubbles: true, composed: true }))";
    page.browser.run(typed, json!(["id = 3"]))?;
    page.browser.wait("the count", &format!("{COUNTS}?.startsWith('1 of ')"))?;
    page.browser.wait("the link", "location.hash.includes('tracks.name=')")?;
    ensure!(page.picture()? != all, "the filter changes nothing");
    // Without a match, a sentence stands in place of the tracks.
    let note = "document.querySelector('.matched-note')?.innerText";
    page.browser.run(typed, json!(["nowhere"]))?;
    page.browser.wait("the sentence", &format!("{note}?.startsWith('No tracks: no name or statement')"))?;
    page.browser.run(typed, json!(["id = 3"]))?;
    page.browser.wait("no sentence", &format!("!{note}"))?;
    // A jump to a track that is filtered out removes the filter.
    press(&page, "b", false)?;
    says(&page, "Track shown again")?;
    page.browser.wait("no filter", &format!("{FIELD}.value === ''"))?;
    // The menu of the selection's track hides it.
    press(&page, "o", false)?;
    page.browser.wait("the menu", "document.activeElement?.innerText === 'Hide'")?;
    accessibility::passes(&page)?;
    click(&page, "Move up")?;
    page.browser.wait("its place", "document.querySelector('.track-menu')?.innerText.includes('2 of 6')")?;
    page.browser.wait("the move in the link", "location.hash.includes('tracks.moved=')")?;
    click(&page, "Hide")?;
    page.browser.wait("the count", &format!("{COUNTS}?.includes('hidden')"))?;
    page.browser.wait("the link", "location.hash.includes('tracks.hidden=')")?;
    accessibility::passes(&page)?;
    // Back undoes, the link leads back.
    let link = page.eval("location.href")?;
    page.browser.run("history.back(); return 0", json!([]))?;
    page.browser.wait("none hidden", "!location.hash.includes('tracks.hidden=')")?;
    page.browser.run("location.href = arguments[0]", json!([link]))?;
    page.browser.wait("hidden again", &format!("{COUNTS}?.includes('hidden')"))?;
    // A jump to a hidden track shows it again and says so.
    page.browser.wait("the query", &format!("{TITLE}?.includes('id = 2')"))?;
    page.browser.run("history.back(); return 0", json!([]))?;
    page.browser.wait("none hidden", "!location.hash.includes('tracks.hidden=')")?;
    click(&page, "Reset order")?;
    page.browser.wait("no move", "!location.hash.includes('tracks.moved=')")?;
    ensure!(!page.eval("decodeURIComponent(location.hash)")?.contains("SELECT"), "words of the trace");
    page.is_quiet()
}

#[test]
fn several_spans_are_gathered() -> Result<()> {
    let page = Page::with_run("gathered")?;
    page.select_first_query()?;
    press(&page, " ", false)?;
    page.browser.wait("the panel", "document.querySelector('#area')?.innerText.includes('1 gathered')")?;
    press(&page, ".", false)?;
    // The list begins with the longest query, which is the last one: the next is the first again.
    page.browser.wait("the next query", &format!("{TITLE}?.includes('id = 0')"))?;
    press(&page, " ", false)?;
    // Queries of 530 and 280 µs.
    page.browser.wait("two", "document.querySelector('#area')?.innerText.includes('2 gathered')")?;
    page.browser.wait(
        "the sums",
        "document.querySelector('.area-sums')?.innerText.includes('2 spans · wall time 810.0 µs · total 810.0 µs')",
    )?;
    page.browser.wait("the link", "/gathered=[^&]+_/.test(location.hash)")?;
    accessibility::passes(&page)?;
    press(&page, "Escape", false)?;
    page.browser.wait("none", "document.querySelector('#area') === null")?;
    page.browser.wait("the link without them", "!location.hash.includes('gathered=')")?;
    page.browser.run("history.back(); return 0", json!([]))?;
    page.browser.wait("two again", "document.querySelector('#area')?.innerText.includes('2 gathered')")?;
    page.is_quiet()
}
