//! Looking around: one selection everywhere, by pointer and by keyboard.

use anyhow::{Result, ensure};
use queryscope_e2e::{Named, button, dialog, disclosure};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::{Page, details};

const ESCAPE: &str = "\u{e00c}";
const ARROW_RIGHT: &str = "\u{e014}";
const ARROW_DOWN: &str = "\u{e015}";
const ENTER: &str = "\u{e007}";

fn loaded(test: &str) -> Result<Page> {
    let folder = fixtures::folder(test)?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    Ok(page)
}

/// Does something, and requires that the picture is another one afterwards.
fn changes(page: &Page, what: &str, act: impl FnOnce() -> Result<()>) -> Result<()> {
    let before = page.picture()?;
    act()?;
    // A busy machine takes its time.
    let changed =
        (0..20).map(|_| page.picture()).find(|after| after.as_ref().is_ok_and(|after| *after != before));
    ensure!(changed.is_some(), "{what} changed nothing in the picture");
    Ok(())
}

#[test]
fn selecting_a_query_shows_what_is_known_of_it() -> Result<()> {
    let page = loaded("select")?;
    changes(&page, "selecting a query", || page.select_first_query())?;
    for text in ["SELECT", "orders"] {
        page.browser.says(&details(), text)?;
    }
    page.browser.click_on(&disclosure("run.json").within(details()))?;
    page.browser.says(&details(), "QUERY_START")?;
    page.is_quiet()
}

#[test]
fn keys_move_and_zoom() -> Result<()> {
    let page = loaded("keys")?;
    page.select_first_query()?;
    page.browser.run("document.activeElement.blur()", json!([]))?;
    changes(&page, "w", || page.browser.keys("ww"))?;
    changes(&page, "d", || page.browser.keys("dd"))?;
    page.browser.keys("f")?;
    let fitted = page.picture()?;
    page.browser.keys("f")?;
    let all = page.picture()?;
    ensure!(fitted != all, "the second f shows the same as the first");
    let selected = || page.eval("document.querySelector('#details')?.innerText");
    let query = selected()?;
    page.browser.keys(ARROW_DOWN)?;
    page.browser.wait(
        "the child's details",
        &format!("document.querySelector('#details').innerText !== {query:?}"),
    )?;
    page.browser.keys(ARROW_RIGHT)?;
    page.picture()?;
    page.is_quiet()
}

#[test]
fn keys_open_search_and_help() -> Result<()> {
    let page = loaded("help")?;
    page.browser.keys("?")?;
    page.browser.shows(&dialog("Keyboard and pointer"))?;
    page.browser.keys(ESCAPE)?;
    page.browser.hides(&dialog("Keyboard and pointer"))?;
    page.browser.keys("/")?;
    page.browser.wait(
        "the focus in the search",
        "document.querySelector('#search').contains(document.activeElement)",
    )?;
    changes(&page, "searching", || page.browser.keys("no answer"))?;
    page.is_quiet()
}

/// Waits until the element that has the focus matches a selector.
fn focus_is_on(page: &Page, css: &str) -> Result<()> {
    let test = format!("document.activeElement?.matches({css:?})");
    page.browser.wait(&format!("the focus on {css}"), &test).map(|_| ())
}

#[test]
fn a_dialog_takes_the_focus_and_gives_it_back() -> Result<()> {
    let page = loaded("dialog-focus")?;
    let focus = "document.querySelector('#report-button').focus()";
    page.browser.run(focus, json!([]))?;
    page.browser.keys(ENTER)?;
    focus_is_on(&page, "#report > .body")?;
    page.browser.keys(ESCAPE)?;
    focus_is_on(&page, "#report-button")?;
    // From a dialog into another one: the button between them is gone when the second one closes.
    page.browser.keys(ENTER)?;
    focus_is_on(&page, "#report > .body")?;
    // What is in it comes with the engine's answer.
    page.browser.wait("the report", "document.querySelector('#part-button')")?;
    page.browser.run("document.querySelector('#part-button').focus()", json!([]))?;
    page.browser.keys(ENTER)?;
    focus_is_on(&page, "#part-from")?;
    page.browser.keys(ESCAPE)?;
    page.browser.wait("the dialog to close", "!document.querySelector('dialog')")?;
    focus_is_on(&page, "#report-button")?;
    page.is_quiet()
}

#[test]
fn the_theme_can_be_switched() -> Result<()> {
    let page = loaded("theme")?;
    let colour = "getComputedStyle(document.querySelector('#app').parentElement).backgroundColor";
    let before = page.eval(colour)?;
    changes(&page, "the other theme", || {
        // The button goes through system, light and dark: one of its next two states is the other theme.
        page.browser.click_on(&Named::with("button", "Theme: "))?;
        if page.eval(colour)? == before {
            page.browser.click_on(&Named::with("button", "Theme: "))?;
        }
        page.browser.wait("another background", &format!("{colour} !== {before:?}")).map(|_| ())
    })?;
    page.is_quiet()
}

#[test]
fn all_views_show_the_run() -> Result<()> {
    let page = loaded("all-views")?;
    for view in ["flame", "gantt"] {
        page.tab(view)?;
        page.ready(QUERIES)?;
    }
    page.tab("overview")?;
    page.says("run.json")?;
    page.is_quiet()
}

#[test]
fn colours_are_named_whatever_they_tell_apart() -> Result<()> {
    let page = loaded("legend")?;
    let names = "[...document.querySelectorAll('.legend > *')].map(entry => entry.innerText)";
    for (color, name) in [("kind", "source execution"), ("datasource", "OrdersDB"), ("outcome", "ok")] {
        let choose = "const choice = document.querySelector('#color-by'); \
            choice.value = arguments[0]; choice.dispatchEvent(new Event('change', { bubbles: true }))";
        page.browser.run(choose, json!([color]))?;
        page.browser.wait(&format!("{name} in the legend"), &format!("{names}.includes({name:?})"))?;
    }
    // Where there is no room beside the tabs, a button shows all of them.
    page.browser.resize(380, 760)?;
    page.browser.click_on(&button("Show what each colour means"))?;
    let shown = "document.querySelector('#legend-all').matches(':popover-open')";
    page.browser.wait("all colours", shown)?;
    page.browser.keys(ESCAPE)?;
    page.browser.wait("the colours to close", &format!("!{shown}"))?;
    page.is_quiet()
}

#[test]
fn in_a_narrow_window_the_views_stay_while_something_is_selected() -> Result<()> {
    let page = loaded("narrow")?;
    page.browser.resize(380, 760)?;
    page.select_first_query()?;
    page.browser
        .wait("a line about the selection", "document.querySelector('#details h2')?.checkVisibility()")?;
    let height: f64 =
        page.eval("document.querySelector('.views').getBoundingClientRect().height")?.parse()?;
    ensure!(height > 300.0, "{height} pixels are left for the views");
    let code = "document.querySelector('#details .code')?.checkVisibility()";
    ensure!(page.eval(code)? != "true", "the details cover the views");
    page.browser.click_on(&button("Show all details"))?;
    page.browser.wait("all details", code)?;
    let wide = page.eval("document.documentElement.scrollWidth")?;
    ensure!(wide == "380", "the page is {wide} pixels wide");
    page.is_quiet()
}

#[test]
fn a_time_range_is_chosen_by_keyboard() -> Result<()> {
    let page = loaded("range-keys")?;
    let chip = "document.querySelector('#queries .chip')?.innerText";
    page.browser.keys("wwr")?;
    page.browser.wait("the range in view", chip)?;
    page.browser.keys("r")?;
    page.browser.wait("all times", &format!("!{chip}"))?;
    page.tab("overview")?;
    // A canvas that was never drawn is 300 pixels wide.
    let focused = "(() => { const chart = document.querySelector('.chart-frame canvas'); chart?.focus(); \
                   return chart && document.activeElement === chart && chart.width !== 300; })()";
    page.browser.wait("a chart with the focus", focused)?;
    page.browser.keys(&format!("{ENTER}{}{ENTER}", ARROW_RIGHT.repeat(12)))?;
    page.browser.wait("the range of the chart", chip)?;
    page.is_quiet()
}

#[test]
fn hundreds_of_runs_are_all_in_the_table() -> Result<()> {
    let folder = fixtures::folder("many-runs")?;
    let events: Vec<String> =
        (0..250).flat_map(|run| fixtures::query_events(&format!("run-{run}"), 0)).collect();
    let page = Page::open()?;
    page.load(&[&file(&folder, "runs.ndjson", events.join("\n"))?], 250)?;
    page.tab("overview")?;
    page.browser.wait(
        "all runs",
        "document.querySelectorAll('[aria-label=Runs] .grid-rows .grid-row').length === 250",
    )?;
    page.is_quiet()
}

/// Three slices, one after the other, with an arrow from each to the next.
const CHAIN: &str = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"first"},{"ph":"X","pid":1,"tid":2,"ts":20,"dur":10,"name":"middle"},
    {"ph":"X","pid":1,"tid":3,"ts":40,"dur":10,"name":"last"},{"ph":"X","pid":1,"tid":4,"ts":60,"dur":10,"name":"afterwards"},
    {"ph":"s","pid":1,"tid":1,"ts":5,"id":1,"name":"f"},{"ph":"f","bp":"e","pid":1,"tid":2,"ts":25,"id":1,"name":"f"},
    {"ph":"s","pid":1,"tid":2,"ts":26,"id":2,"name":"f"},{"ph":"f","bp":"e","pid":1,"tid":3,"ts":45,"id":2,"name":"f"},
    {"ph":"s","pid":1,"tid":3,"ts":46,"id":3,"name":"f"},{"ph":"f","bp":"e","pid":1,"tid":4,"ts":65,"id":3,"name":"f"}]"#;

#[test]
fn arrows_of_the_selection_are_its_own_or_the_whole_chain() -> Result<()> {
    let folder = fixtures::folder("arrows")?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "chain.json", CHAIN)?], 0)?;
    page.browser.keys("/")?;
    page.browser.keys("middle")?;
    page.browser.keys(ENTER)?;
    let pressed = |name: &str| {
        format!(
            "[...document.querySelectorAll('#arrows button')].find(b => b.textContent === {name:?})?.ariaPressed === 'true'"
        )
    };
    page.browser.wait("the whole chain", &pressed("Whole chain · 3"))?;
    page.browser.run("document.activeElement.blur()", json!([]))?;
    changes(&page, "only its own arrows", || page.browser.keys("c"))?;
    page.browser.wait("its own arrows", &pressed("Direct · 2"))?;
    page.browser.wait("the address to tell", "location.hash.includes('arrows=direct')")?;
    changes(&page, "the whole chain again", || page.browser.click_on(&button("Whole chain · 3")))?;
    page.browser.wait("the whole chain again", &pressed("Whole chain · 3"))?;
    page.is_quiet()
}

#[test]
fn a_trace_without_queries_says_where_its_time_went() -> Result<()> {
    let folder = fixtures::folder("names")?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "chain.json", CHAIN)?], 0)?;
    page.tab("overview")?;
    page.browser
        .wait("the names", "document.querySelectorAll('.grid.names .grid-rows .grid-row').length === 4")?;
    page.browser.run("document.querySelector('.grid.names .grid-rows button').focus()", json!([]))?;
    page.browser.keys(ENTER)?;
    page.browser.wait(
        "the hit, without a word of queries",
        "document.querySelector('.hits')?.innerText === '1 hit'",
    )?;
    page.is_quiet()
}

#[test]
fn a_heading_explains_its_term() -> Result<()> {
    let folder = fixtures::folder("term")?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "chain.json", CHAIN)?], 0)?;
    page.tab("overview")?;
    let help = || button("What is self time?");
    let shown = "document.querySelector('#term-self-time').matches(':popover-open')";
    page.browser.click_on(&help())?;
    page.browser.wait("the definition", shown)?;
    page.says("Time of a span that is not covered by nested spans.")?;
    page.browser.keys(ESCAPE)?;
    page.browser.wait("the definition to close", &format!("!{shown}"))?;
    focus_is_on(&page, "[popovertarget=term-self-time]")?;
    page.browser.keys(ENTER)?;
    page.browser.wait("the definition by keyboard", shown)?;
    page.browser.click_on(&help())?;
    page.browser.wait("the definition to close again", &format!("!{shown}"))?;
    page.is_quiet()
}
