//! Reading a file that is cancelled, is interrupted, or takes long.

use anyhow::{Result, ensure};
use queryscope_e2e::button;
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

/// Queries of a file that takes long enough to read to be cancelled.
const LARGE: u64 = 60_000;

/// Replaces how the engine reads a file: `pull` gives `bytes` the next part of `all`, the file's own bytes.
fn reading(pull: &str) -> String {
    format!(
        "const before = `
            const {{ stream }} = Blob.prototype;
            Blob.prototype.stream = function () {{
                const all = stream.call(this).getReader();
                const began = performance.now();
                let begun = false;
                const pull = async bytes => {{ {pull} }};
                return new ReadableStream({{ type: 'bytes', pull }});
            }};`;
        const Blob = window.Blob;
        window.Blob = function (parts, options) {{ return new Blob([before, ...parts], options) }}"
    )
}

/// Gives the engine the first bytes of a large file, and what `then` does instead of the others.
fn first_bytes(then: &str) -> String {
    reading(&format!("if (begun) return {then}; begun = true; bytes.enqueue((await all.read()).value);"))
}

/// Reads slowly for two seconds: a fast computer reads all of a file before it would show a part.
fn slow_disk() -> String {
    reading(
        "if (performance.now() - began < 2000) await new Promise(then => setTimeout(then, 20));
        const { done, value } = await all.read();
        if (done) { bytes.close(); bytes.byobRequest?.respond(0); } else bytes.enqueue(value);",
    )
}

/// Presses Cancel as soon as a part is shown: a driver may take longer to find the button than reading takes.
const CANCEL: &str = "
    new MutationObserver((_, observer) => {
        const button = document.querySelector('.loading.slim #cancel-button');
        if (button) { observer.disconnect(); window.hold?.(); button.focus(); button.click(); window.cancelled = true; }
    }).observe(document.body, { childList: true, subtree: true })";

#[test]
fn loading_can_be_cancelled() -> Result<()> {
    let folder = fixtures::folder("cancel")?;
    let large = file(&folder, "large.ndjson", fixtures::large(LARGE))?;
    let page = Page::open()?;
    page.browser.run(&slow_disk(), json!([]))?;
    page.browser.run(CANCEL, json!([]))?;
    page.browser.pick("#file-input", &[&large])?;
    page.browser.wait("a press of Cancel", "window.cancelled")?;
    // What was read until then stays, and the report says that more was there.
    page.phase("ready")?;
    page.says("Reading was cancelled")?;
    page.browser.wait("the end of reading", "!document.querySelector('.loading, .loading-page')")?;
    page.browser.wait("a badge", "document.querySelector('#report-button .badge')?.checkVisibility()")?;
    let read: u64 = page.eval("document.querySelector('#app').dataset.queries")?.parse()?;
    ensure!(read < LARGE, "all of the file was read");
    let focused = page.eval("document.activeElement.getAttribute('role')")?;
    ensure!(focused == "application", "the focus went with the button, to {focused}");
    page.load(&[&file(&folder, "good.json", fixtures::array("a"))?], read + QUERIES)?;
    page.is_quiet()
}

#[test]
fn what_becomes_of_a_file_while_it_is_read_is_told() -> Result<()> {
    let folder = fixtures::folder("interrupted")?;
    let large = file(&folder, "large.ndjson", fixtures::large(LARGE))?;
    for (then, told) in [
        ("(bytes.close(), bytes.byobRequest?.respond(0))", "It became shorter"),
        ("bytes.error(new Error('the disk is gone'))", "the disk is gone"),
    ] {
        let page = Page::open()?;
        page.browser.run(&first_bytes(then), json!([]))?;
        page.browser.pick("#file-input", &[&large])?;
        page.phase("ready")?;
        page.says("of large.ndjson could be read")?;
        page.says(told)?;
        page.is_quiet()?;
    }
    Ok(())
}

#[test]
fn cancel_does_not_wait_for_bytes_that_do_not_come() -> Result<()> {
    let folder = fixtures::folder("cancel-early")?;
    let large = file(&folder, "large.ndjson", fixtures::large(LARGE))?;
    let page = Page::open()?;
    page.browser.run(&first_bytes("new Promise(() => {})"), json!([]))?;
    page.browser.pick("#file-input", &[&large])?;
    page.browser.click_on(&button("Cancel"))?;
    page.says("Reading was cancelled")?;
    page.browser.wait("the end of reading", "!document.querySelector('.loading, .loading-page')")?;
    page.is_quiet()
}

/// Holds back what the page tells its worker from `hold` on, until it is let go at once.
const HOLD_MESSAGES: &str = "const post = Worker.prototype.postMessage; window.held = [];
    window.hold = () => {
        // Without its program, a worker would never be ready for messages.
        Worker.prototype.postMessage = function (...given) {
            if (given[0] instanceof WebAssembly.Module) post.apply(this, given);
            else held.push(() => post.apply(this, given));
        };
    };
    window.release = () => { Worker.prototype.postMessage = post; held.forEach(say => say()) }";

#[test]
fn what_is_dropped_right_behind_cancel_is_read() -> Result<()> {
    let folder = fixtures::folder("cancel-and-drop")?;
    let large = file(&folder, "large.ndjson", fixtures::large(LARGE))?;
    let small = file(&folder, "small.ndjson", fixtures::query_events("a", 1).join("\n"))?;
    // The worker hears of both while it reads, or of all three before it has begun.
    for (early, held) in [(false, 2), (true, 3)] {
        let page = Page::open()?;
        page.browser.run(&first_bytes("new Promise(() => {})"), json!([]))?;
        page.browser.run(HOLD_MESSAGES, json!([]))?;
        if early {
            page.browser.run("hold()", json!([]))?;
        }
        page.browser.pick("#file-input", &[&large])?;
        page.browser.wait("reading", "document.querySelector('#cancel-button')")?;
        if !early {
            page.browser.run("hold()", json!([]))?;
        }
        page.browser.click_on(&button("Cancel"))?;
        page.browser.drop(&[&small])?;
        page.browser.wait("all messages", &format!("window.held.length >= {held}"))?;
        page.browser.run("release()", json!([]))?;
        page.browser.wait("both files", "document.querySelector('.opened')?.innerText.includes('+ 1')")?;
        page.browser.wait("the end of reading", "!document.querySelector('.loading, .loading-page')")?;
        page.is_quiet()?;
    }
    Ok(())
}

#[test]
fn cancel_that_comes_too_late_leaves_the_page_as_it_is() -> Result<()> {
    let folder = fixtures::folder("cancel-late")?;
    let large = file(&folder, "large.ndjson", fixtures::large(LARGE))?;
    let page = Page::open()?;
    // From the press on, the worker hears nothing until all is read.
    page.browser.run(HOLD_MESSAGES, json!([]))?;
    page.browser.run(&slow_disk(), json!([]))?;
    page.browser.run(CANCEL, json!([]))?;
    page.browser.pick("#file-input", &[&large])?;
    page.browser.wait("a press of Cancel", "window.cancelled")?;
    page.browser
        .wait("all queries", &format!("document.querySelector('#app').dataset.queries === '{LARGE}'"))?;
    page.browser.run("release()", json!([]))?;
    page.browser.wait("the end of reading", "!document.querySelector('.loading, .loading-page')")?;
    page.is_quiet()
}
