//! Addresses and links hold no word of a trace, and lead back all the same.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Named, button, encode, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

/// A word that stands in names, statements, arguments and errors of these traces.
const SECRET: &str = "tenantacme";

fn chrome() -> String {
    let slice = |at: u32| {
        format!(
            r#"{{"ph":"X","pid":1,"tid":1,"name":"{SECRET} {at}","cat":"{SECRET}","ts":{at}0,"dur":9,"args":{{"{SECRET} text":"{SECRET} {at}","{SECRET} number":{at}}}}}"#
        )
    };
    format!("[{}]", (1..5).map(slice).collect::<Vec<_>>().join(","))
}

fn kubling() -> String {
    fixtures::array(SECRET).replace("orders", SECRET).replace("pg-conn", SECRET).replace("OrdersDB", SECRET)
}

fn served(test: &str, text: String) -> Result<Page> {
    let folder = fixtures::folder(test)?;
    let trace = file(&folder, "run.json", text)?;
    let page = Page::at(vec![Mount::new("/", site()?), Mount::new("/run.json", trace)], "#trace=run.json")?;
    page.phase("ready")?;
    page.browser.wait("the trace", "!document.querySelector('.loading')")?;
    Ok(page)
}

/// Waits until the address holds something, and looks for words of the trace in it.
fn address(page: &Page, part: &str) -> Result<String> {
    page.browser.wait(&format!("{part} in the address"), &format!("location.hash.includes({part:?})"))?;
    let hash = page.eval("decodeURIComponent(location.hash)")?.to_lowercase();
    ensure!(!hash.contains(SECRET) && !hash.contains("select"), "words of the trace in {hash}");
    page.eval("location.href")
}

fn choose(page: &Page, css: &str, choice: &str) -> Result<()> {
    let offered =
        format!("[...document.querySelectorAll('{css} option')].some(o => o.textContent === {choice:?})");
    page.browser.wait(&format!("{choice} among the choices"), &offered)?;
    let choose = "const list = document.querySelector(arguments[0]); \
        list.selectedIndex = [...list.options].findIndex(o => o.textContent === arguments[1]); \
        list.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.run(choose, json!([css, choice])).map(|_| ())
}

/// The labels of the pivot table's rows, and its chips.
const ROWS: &str =
    "[...document.querySelectorAll('.pivot .grid-rows .label')].map(l => l.innerText.trim()).join('|')";
const CHIPS: &str =
    "[...document.querySelectorAll('.pivot .chip-step')].map(c => c.firstChild.textContent).join('|')";

#[test]
fn an_opened_group_is_a_hash_and_opens_again() -> Result<()> {
    let page = served("links-groups", kubling())?;
    page.tab("pivot")?;
    page.browser.run("location.hash", json!([]))?;
    choose(&page, "#by-add", "SQL")?;
    page.browser.click(".pivot .grid-row.group:nth-child(2)")?;
    page.browser.wait("an inner group", "document.querySelector('.pivot .grid-row[aria-level=\"2\"]')")?;
    page.browser.click(".pivot .grid-row[aria-level='2']")?;
    page.browser
        .wait("an innermost group", "document.querySelector('.pivot .grid-row[aria-level=\"3\"]')")?;
    let rows = page.eval(ROWS)?;
    page.browser.wait("both groups in the address", "location.hash.split('open=').length === 3")?;
    let link = address(&page, "open=")?;
    page.browser.open(&link)?;
    page.phase("ready")?;
    page.browser.wait("the same rows", &format!("({ROWS}) === {rows:?}"))?;
    // What a link opened is closed as what a click did.
    page.browser.click(".pivot .group[aria-expanded=true]")?;
    page.browser.wait("no open group", "!document.querySelector('.pivot [aria-expanded=true]')")?;
    page.browser.wait("none in the address", "!location.hash.includes('open=')")?;
    page.is_quiet()
}

/// Links of versions that wrote the words themselves still lead where they led.
#[test]
fn an_old_link_with_words_still_opens() -> Result<()> {
    let page = served("links-old", fixtures::array("a"))?;
    let old = format!(
        "{}#trace=run.json&view=pivot&by={}&open={}&open={}",
        page.server.url(),
        encode("kind, SQL"),
        encode("query"),
        encode("query\u{1f}SELECT total FROM orders WHERE id = 1")
    );
    page.browser.open(&old)?;
    page.ready(QUERIES).ok();
    page.browser.wait(
        "the group of a statement, open",
        "document.querySelectorAll('.pivot [aria-expanded=true]').length === 2",
    )?;
    page.browser
        .wait("hashes in the place of the words", "!decodeURIComponent(location.hash).includes('orders')")?;
    page.is_quiet()
}

#[test]
fn arguments_are_hashes_and_known_again() -> Result<()> {
    let page = served("links-arguments", chrome())?;
    page.tab("flame")?;
    page.browser.click_on(&button("Merged"))?;
    choose(&page, ".chip-add", &format!("{SECRET} text"))?;
    choose(&page, "#weight", &format!("{SECRET} number"))?;
    page.tab("pivot")?;
    choose(&page, "#by-add", &format!("{SECRET} text"))?;
    choose(&page, "#measure-add", &format!("max({SECRET} number)"))?;
    page.browser.wait("the chips", &format!("({CHIPS}).includes('max({SECRET} number)')"))?;
    let chips = page.eval(CHIPS)?;
    for part in ["path=", "width=", "by=", "measure="] {
        address(&page, part)?;
    }
    let link = page.eval("location.href")?;
    page.browser.open(&link)?;
    page.phase("ready")?;
    page.browser.wait("the same chips", &format!("({CHIPS}) === {chips:?}"))?;
    page.tab("flame")?;
    let names = "[...document.querySelectorAll('.timeline-tools .chip-step')].map(c => c.innerText).join()";
    page.browser.wait("the argument's name", &format!("({names}).includes('{SECRET} text')"))?;
    let width = "document.querySelector('#weight')?.selectedOptions[0]?.textContent";
    page.browser.wait("the number's name", &format!("{width} === '{SECRET} number'"))?;
    page.is_quiet()
}

/// Whatever else is selected, searched, filtered or looked at.
#[test]
fn no_view_writes_a_word_into_the_address() -> Result<()> {
    let page = served("links-views", kubling())?;
    page.select_first_query()?;
    address(&page, "item=")?;
    for tab in ["overview", "flame", "pivot", "compare"] {
        page.tab(tab)?;
        address(&page, tab)?;
    }
    page.tab("gantt")?;
    choose(&page, "#color-by", "connector")?;
    address(&page, "color=")?;
    page.browser.click_on(&button("Copy link"))?;
    page.says("no other names, statements or values")?;
    page.is_quiet()
}

/// Expanded tracks, and the colours that stand out.
#[test]
fn a_link_holds_expanded_tracks_and_switched_colours() -> Result<()> {
    let page = served("links-tracks", kubling())?;
    let colour = || button("query").within(Named::new("group", "Legend next to the tabs"));
    page.browser.keys("e")?;
    address(&page, "tracks=expanded")?;
    page.browser.click_on(&colour())?;
    let link = address(&page, "only=")?;
    page.browser.open("about:blank")?;
    page.browser.open(&link)?;
    page.phase("ready")?;
    let is_pressed = page.browser.of(&colour(), "return arguments[0].ariaPressed")?;
    ensure!(is_pressed == "true", "the colour is not switched on: {is_pressed}");
    ensure!(page.eval("location.href")? == link, "another address");
    // Both are taken back where they were set.
    page.browser.click_on(&colour())?;
    page.browser.wait("no colour in the address", "!location.hash.includes('only=')")?;
    page.browser.keys("e")?;
    page.browser.wait("collapsed tracks in the address", "location.hash.includes('tracks=collapsed')")?;
    page.is_quiet()
}

/// The frame that a merged flame graph is about, which Back leaves.
#[test]
fn a_link_holds_the_focus_of_a_merged_flame_graph() -> Result<()> {
    let page = served("links-focus", kubling())?;
    page.tab("flame")?;
    page.browser.click_on(&button("Merged"))?;
    page.browser.wait("the merged graph in the address", "location.hash.includes('flame=merged')")?;
    page.picture()?;
    let place = page.browser.run(
        "const r = document.querySelector('#flame').getBoundingClientRect(); return [r.left + 40, r.top + 30]",
        json!([]),
    )?;
    let at = (place[0].as_f64().unwrap_or(0.0), place[1].as_f64().unwrap_or(0.0));
    page.browser.drag(&[at])?;
    let crumbs = "document.querySelector('nav.crumbs')?.innerText ?? ''";
    page.browser.wait("the focus above the graph", &format!("({crumbs}).includes('›')"))?;
    let focus = page.eval(crumbs)?;
    let link = address(&page, "focus=")?;
    page.browser.open("about:blank")?;
    page.browser.open(&link)?;
    page.phase("ready")?;
    page.browser.wait("the same focus, by its names", &format!("({crumbs}) === {focus:?}"))?;
    page.is_quiet()
}

#[test]
fn an_address_that_is_none_is_named() -> Result<()> {
    for (address, words) in
        [("http://[::1", "is not a valid URL"), ("ftp://example.org/a.json", "only http: and https:")]
    {
        let page = Page::at(vec![Mount::new("/", site()?)], &format!("#trace={}", encode(address)))?;
        page.phase("error")?;
        page.says(&format!("“{address}” (after trace=)"))?;
        page.says(words)?;
    }
    let page = Page::at(vec![Mount::new("/", site()?)], "#dataset=ftp://example.org/a")?;
    page.says("“ftp://example.org/a” (after dataset=) begins with ftp:")
}

/// A link to the sample names the sample, which is beside every page.
#[test]
fn a_link_to_the_sample_opens_the_sample() -> Result<()> {
    let page = Page::open()?;
    page.browser.click_on(&button("Open sample run"))?;
    page.phase("ready")?;
    let link = address(&page, "trace=sample/")?;
    let queries = page.eval("document.querySelector('#app').dataset.queries")?;
    page.browser.open(&link)?;
    page.phase("ready")?;
    page.browser
        .wait("the same queries", &format!("document.querySelector('#app').dataset.queries === '{queries}'"))
        .map(|_| ())
}
