//! Back and Forward walk through what was looked at; an address that is typed leads there without a reload.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

/// What is looked at, in one line.
const PLACE: &str = "[document.querySelector('#app').dataset.view, \
    document.querySelector('#details h2')?.textContent ?? 'nothing', \
    document.querySelector('#queries .chip, .pivot .chip.on') ? 'a range' : 'all times'].join(', ')";

fn at(page: &Page, place: &str) -> Result<()> {
    page.browser.wait(place, &format!("{PLACE} === {place:?}")).map(|_| ())
}

/// Waits until the address has followed what was done.
fn written(page: &Page, part: &str) -> Result<()> {
    page.browser
        .wait(&format!("{part} in the address"), &format!("location.hash.includes({part:?})"))
        .map(|_| ())
}

fn go(page: &Page, steps: i32) -> Result<()> {
    page.browser.run("history.go(arguments[0])", json!([steps])).map(|_| ())
}

/// Waits until the address would have followed.
fn rest(milliseconds: u64) {
    std::thread::sleep(std::time::Duration::from_millis(milliseconds));
}

fn opened(test: &str) -> Result<Page> {
    let folder = fixtures::folder(test)?;
    let trace = file(&folder, "run.json", fixtures::array("a"))?;
    let other = file(&folder, "other.json", fixtures::array("b"))?;
    let mounts =
        vec![Mount::new("/", site()?), Mount::new("/run.json", trace), Mount::new("/other.json", other)];
    let page = Page::at(mounts, "#trace=run.json")?;
    page.ready(QUERIES)?;
    page.browser.wait("the trace", "!document.querySelector('.loading')")?;
    page.browser.wait("rows", "document.querySelectorAll('#queries .grid-row').length > 1")?;
    Ok(page)
}

fn select_first(page: &Page) -> Result<String> {
    page.select_first_query()?;
    page.browser.wait("the details", "document.querySelector('#details h2')?.textContent")?;
    written(page, "item=")?;
    page.eval("document.querySelector('#details h2').textContent")
}

#[test]
fn back_and_forward_walk_through_selections_tabs_and_ranges() -> Result<()> {
    let page = opened("history-steps")?;
    at(&page, "gantt, nothing, all times")?;
    // What stands in the address at first is the step that Back returns to.
    rest(500);
    let name = select_first(&page)?;
    page.tab("pivot")?;
    written(&page, "view=pivot")?;
    page.tab("gantt")?;
    page.browser.wait("the tab in the address", "!location.hash.includes('view=')")?;
    page.browser.keys("r")?;
    written(&page, "range=")?;
    at(&page, &format!("gantt, {name}, a range"))?;
    for (step, place) in [
        (-1, format!("gantt, {name}, all times")),
        (-1, format!("pivot, {name}, all times")),
        (-1, format!("gantt, {name}, all times")),
        (-1, "gantt, nothing, all times".to_owned()),
        (4, format!("gantt, {name}, a range")),
        (-4, "gantt, nothing, all times".to_owned()),
        (1, format!("gantt, {name}, all times")),
    ] {
        go(&page, step)?;
        at(&page, &place)?;
        // The address says the same a moment later: going back made no step.
        rest(450);
        at(&page, &place)?;
    }
    page.is_quiet()
}

/// Back leads from a statement, and from a source, to the list that it was opened from.
#[test]
fn back_leads_from_executions_to_their_list() -> Result<()> {
    let page = opened("history-executions")?;
    rest(500);
    for (tab, row, part) in [
        ("statements", "[aria-label=Statements] .grid-rows button", "shape=0"),
        ("sources", "[aria-label=Sources] .grid-rows button", "source=0"),
    ] {
        let all = format!(
            "[...document.querySelectorAll('.views button')].some(button => button.innerText === '← All {tab}')"
        );
        page.tab(tab)?;
        written(&page, &format!("view={tab}"))?;
        page.browser.click(row)?;
        written(&page, part)?;
        page.browser.wait("the executions", &all)?;
        go(&page, -1)?;
        page.browser.wait("the list", &format!("!{all}"))?;
        page.browser.wait("its tab", &format!("document.querySelector('#app').dataset.view === {tab:?}"))?;
        go(&page, 1)?;
        page.browser.wait("the executions again", &all)?;
    }
    page.is_quiet()
}

#[test]
fn panning_and_typing_make_no_step() -> Result<()> {
    let page = opened("history-replaced")?;
    rest(500);
    let before = page.eval("history.length")?;
    page.browser.keys("w")?;
    written(&page, "t=")?;
    page.browser.run(
        "const field = document.querySelector('#search'); field.value = 'orders'; \
         field.dispatchEvent(new Event('input', { bubbles: true }))",
        json!([]),
    )?;
    written(&page, "find=orders")?;
    let after = page.eval("history.length")?;
    ensure!(before == after, "{before} steps, then {after}");
    page.is_quiet()
}

#[test]
fn an_address_that_is_typed_leads_there_without_a_reload() -> Result<()> {
    let page = opened("history-typed")?;
    page.browser.run("window.isTheSame = true", json!([]))?;
    page.browser.run(
        "location.hash = '#trace=run.json&view=flame&range=0,1000000&list=-duration&filter=orders'",
        json!([]),
    )?;
    page.browser.wait("the flame graph", "document.querySelector('#app').dataset.view === 'flame'")?;
    page.browser.run("location.hash = '#trace=other.json&view=gantt'", json!([]))?;
    page.browser.wait("the other trace", "document.title.includes('other')")?;
    page.ready(QUERIES)?;
    go(&page, -1)?;
    page.browser.wait("the trace before it", "document.title.includes('run')")?;
    page.browser.wait("its view", "document.querySelector('#app').dataset.view === 'flame'")?;
    // Of a megabyte nothing is understood, and nothing that is open is lost.
    page.browser.run("location.hash = '#' + 'x'.repeat(1 << 20)", json!([]))?;
    page.says("Link not understood")?;
    ensure!(page.eval("document.querySelector('#app').dataset.view")? == "flame", "another view");
    ensure!(page.eval("window.isTheSame")? == "true", "the page was loaded again");
    page.is_quiet()
}

/// The details that open again with the selection take nothing of the time that the link shows.
#[test]
fn a_reload_shows_the_same_time() -> Result<()> {
    let page = opened("history-reload")?;
    page.browser.keys("w")?;
    written(&page, "t=")?;
    select_first(&page)?;
    rest(900);
    let before = page.eval("location.hash")?;
    for _ in 0..2 {
        page.browser.run("location.reload()", json!([]))?;
        page.ready(QUERIES)?;
        page.browser.wait("the details", "document.querySelector('#details h2')?.textContent")?;
        rest(900);
        let after = page.eval("location.hash")?;
        ensure!(before == after, "{before}, then {after}");
    }
    page.is_quiet()
}

#[test]
fn a_link_holds_the_search_and_the_list() -> Result<()> {
    let page = opened("history-list")?;
    let link = "#trace=run.json&find=orders&list=-duration&filter=orders&v=99";
    page.browser.open("about:blank")?;
    page.browser.open(&format!("{}{link}", page.server.url()))?;
    page.ready(QUERIES)?;
    page.says("Link from a newer version")?;
    let fields = "[document.querySelector('#search').value, document.querySelector('#filter').value, \
        document.querySelector('#queries [aria-sort=descending]')?.textContent.trim() ?? ''].join('|')";
    page.browser.wait("what the link says", &format!("({fields}).startsWith('orders|orders|Duration')"))?;
    page.is_quiet()
}
