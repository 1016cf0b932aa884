//! Statements by shape: the list, one shape's distribution, and its executions.

use anyhow::{Result, ensure};
use queryscope_e2e::{Named, button};

use crate::fixtures::{self, QUERIES, file, folder};
use crate::page::Page;

const ENTER: &str = "\u{e007}";
const TEXT: &str = "document.querySelector('.statements')?.innerText";

#[test]
fn a_shape_leads_to_its_executions_and_they_to_the_timeline() -> Result<()> {
    let page = Page::open()?;
    page.load(&[&file(&folder("statements")?, "a.json", fixtures::array("a"))?], QUERIES)?;
    page.browser.keys("9")?;
    page.browser.wait("the summary", &format!("{TEXT}?.includes('1 shape, 6 executions')"))?;
    let shape = "SELECT total FROM orders WHERE id = ?";
    page.browser.wait("its row", &format!("{TEXT}.includes({shape:?})"))?;
    // By keyboard: the only shape, a bar of its histogram, and back to all executions.
    page.eval("document.querySelector('.shapes .grid-rows button').focus()")?;
    page.browser.keys(ENTER)?;
    page.browser.wait(
        "the distribution",
        "document.querySelectorAll('.histogram button:not(:disabled)').length > 0",
    )?;
    page.browser.wait(
        "all executions",
        "document.querySelector('[aria-label=Executions] .grid-rows')?.children.length >= 6",
    )?;
    page.browser.wait("the link", "location.hash.includes('shape=0')")?;
    page.eval("document.querySelector('.histogram button:not(:disabled)').focus()")?;
    page.browser.keys(ENTER)?;
    page.browser
        .wait("a pressed bar", "document.querySelectorAll('.histogram [aria-pressed=true]').length === 1")?;
    page.browser.wait("the button for all", &format!("{TEXT}.includes('All durations')"))?;
    page.browser.wait("the link of the bar", "location.hash.includes('shape.durations=')")?;
    page.browser.click_on(&button("All durations"))?;
    page.browser
        .wait("no pressed bar", "document.querySelector('.histogram [aria-pressed=true]') === null")?;
    // The dots of the chart are out of reach of the keyboard; the list has the same executions.
    let by_start =
        "[...document.querySelectorAll('.charts button')].find(b => b.innerText === 'List by start')";
    page.eval(&format!("{by_start}.focus()"))?;
    page.browser.keys(ENTER)?;
    page.browser.wait("the focus", "document.activeElement?.matches('[aria-label=Executions].grid')")?;
    let sorted = "document.activeElement.querySelector('[aria-sort=ascending]')?.innerText.includes('Start')";
    page.browser.wait("the order", sorted)?;
    page.browser.click_on(
        &button("SELECT total FROM orders WHERE id = 2").within(Named::new("grid", "Executions")),
    )?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser
        .wait("the details", "document.querySelector('#details')?.innerText.includes('no answer')")?;
    page.browser.keys("9")?;
    page.browser.click_on(&button("← All statements"))?;
    page.browser.wait("the list", &format!("{TEXT}.includes('1 shape')"))?;
    page.is_quiet()
}

#[test]
fn an_execution_is_compared_with_the_typical_one() -> Result<()> {
    let page = Page::open()?;
    page.load(&[&file(&folder("statements-compare")?, "a.json", fixtures::array("a"))?], QUERIES)?;
    page.browser.keys("9")?;
    page.browser.click_on(&button("SELECT total FROM orders WHERE id = ?"))?;
    page.browser.click_on(&button("Compare").within(Named::new("grid", "Executions")))?;
    page.browser.wait("the comparison", "document.querySelector('#app').dataset.view === 'compare'")?;
    page.is_quiet()
}

/// The labels of both charts of a shape have room: of one execution, and with a median next to the shortest duration.
#[test]
fn labels_of_the_charts_do_not_overlap() -> Result<()> {
    let boxes = "[...document.querySelectorAll('.axes .histogram-axis span')] \
        .filter(label => !label.firstElementChild && label.innerText).map(label => label.getBoundingClientRect())";
    let meet = "a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1";
    let overlap = format!("(boxes => boxes.some((a, at) => boxes.slice(at + 1).some(b => {meet})))({boxes})");
    for (queries, width, median) in [(&[0][..], 1200, false), (&[0, 5], 1200, true), (&[0, 5], 390, true)] {
        let events: Vec<_> = queries.iter().flat_map(|&query| fixtures::query_events("a", query)).collect();
        let page = Page::open()?;
        page.browser.resize(width, 900)?;
        let name = format!("statements-labels-{}-{width}", queries.len());
        page.load(&[&file(&folder(&name)?, "a.ndjson", events.join("\n"))?], queries.len() as u64)?;
        page.eval("location.hash = '#v=3&view=statements&shape=0'")?;
        page.browser.wait("the labels", &format!("({boxes}).length > 5"))?;
        ensure!(page.eval(&overlap)? == "false", "{queries:?} at {width}");
        let shown = page.eval("document.querySelector('.axes .median')?.innerText")?;
        ensure!(
            shown == if median { "p50 280.0 µs" } else { "undefined" },
            "{queries:?} at {width}: {shown}"
        );
    }
    Ok(())
}

/// A trace without statements lists its slices by name.
#[test]
fn slices_are_grouped_by_name() -> Result<()> {
    let text = r#"[{"ph":"X","name":"draw","cat":"gpu","ts":1,"dur":5,"pid":1,"tid":1},{"ph":"X","name":"draw","cat":"gpu","ts":10,"dur":50,"pid":1,"tid":1}]"#;
    let page = Page::open()?;
    page.load(&[&file(&folder("slices")?, "a.json", text)?], 0)?;
    page.browser.keys("9")?;
    page.browser.wait("the slices", &format!("{TEXT}?.includes('draw (gpu)')"))?;
    page.browser.wait(
        "the tab",
        "[...document.querySelectorAll('[role=tab]')].some(tab => tab.innerText.includes('Slices'))",
    )?;
    page.is_quiet()
}

/// Without executions, the page names the filter as the reason; without executions of the chosen durations, it says so.
#[test]
fn a_filter_without_executions_is_the_reason() -> Result<()> {
    let page = Page::open()?;
    page.load(&[&file(&folder("statements-filtered")?, "a.json", fixtures::array("a"))?], QUERIES)?;
    page.eval("location.hash = '#v=3&view=statements&shape=0&filter=nowhere'")?;
    page.browser.wait("the filter", &format!("{TEXT}?.includes('No executions match the filter.')"))?;
    ensure!(page.eval("document.querySelector('[aria-label=Executions]')")? == "null", "an empty table");
    page.eval("location.hash = '#v=3&view=statements&shape=0&shape.durations=1,2'")?;
    let none = "No executions of these durations in this trace.";
    page.browser.wait("the durations", &format!("{TEXT}?.includes({none:?})"))?;
    page.browser.click_on(&button("All durations"))?;
    page.browser.wait("all executions", &format!("!{TEXT}.includes({none:?})"))?;
    page.is_quiet()
}

/// A link to a shape that the trace does not exist in this trace says so.
#[test]
fn a_shape_that_does_not_exist() -> Result<()> {
    let page = Page::open()?;
    page.load(&[&file(&folder("statements-none")?, "a.json", fixtures::array("a"))?], QUERIES)?;
    page.eval("location.hash = '#v=3&view=statements&shape=99'")?;
    page.browser.wait("a sentence", &format!("{TEXT}?.includes('does not exist in this trace')"))?;
    page.is_quiet()
}

/// A slice of a trace without statements is compared with the others of its name, and shown beside a typical one.
#[test]
fn a_slice_is_compared_with_the_others_of_its_name() -> Result<()> {
    let slice = |name: &str, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":{dur},"name":"{name}"}}"#)
    };
    let tasks = [(0, 100, 10), (1_000, 120, 20), (2_000, 900, 700)];
    let events =
        tasks.map(|(ts, dur, read)| format!("{},{}", slice("task", ts, dur), slice("read", ts + 1, read)));
    let page = Page::open()?;
    page.load(&[&file(&folder("statements-slices")?, "a.json", format!("[{}]", events.join(",")))?], 0)?;
    page.browser.keys("9")?;
    page.browser.click("button[title^='Show the longest execution']")?;
    let note = "document.querySelector('#details .siblings')?.innerText";
    page.browser.wait(
        "the sentence",
        &format!(
            "{note}?.startsWith('Longest of 3 spans of this name, 7.5 × the median; +680.0 µs in slice read')"
        ),
    )?;
    page.browser.click_on(&button("Timelines"))?;
    page.browser.wait("both timelines", "document.querySelector('#side-by-side')?.innerText.length > 0")?;
    page.is_quiet()
}
