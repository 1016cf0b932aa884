//! Two runs of Kubling, compared: verdict, statements, one statement, its executions, and the link.

use anyhow::{Result, ensure};
use queryscope_e2e::{Named, button, root, tab};

use crate::accessibility::{axe, findings};
use crate::fixtures::{self, QUERIES, file, folder};
use crate::page::Page;

const TEXT: &str = "document.querySelector('.compared-runs')?.innerText.replace(/\\s+/g, ' ')";
/// The address without what the comparison does not choose.
const SIDES: &str = "['runs.base', 'runs.new', 'runs.group'].map(name => new URLSearchParams(location.hash.slice(1)).get(name))";

/// The difference of two executions in timelines, and that of the selected step.
const NOTE: &str = "document.querySelector('#side-by-side')?.innerText";
const STEP: &str = "document.querySelector('#side-by-side b')?.innerText";

fn two_runs() -> Result<Page> {
    let page = Page::open()?;
    let sample = root().join("web/assets/sample");
    page.load(&[&sample.join("no-buffer.json.gz"), &sample.join("buffer-rocks.json.gz")], 120)?;
    Ok(page)
}

fn check_accessibility(page: &Page, place: &str) -> Result<()> {
    let Some(axe) = axe()? else { return Ok(()) };
    for theme in ["light", "dark"] {
        page.browser.prefer(theme)?;
        page.browser.run_async("await new Promise(r => setTimeout(r, 250))", serde_json::json!([]))?;
        let found = findings(&page.browser, &axe)?;
        ensure!(found.is_empty(), "{place}, {theme}: {found:?}");
    }
    Ok(())
}

/// The numbers are those of `queryscope compare` on the same files: see docs/comparing-runs.md.
#[test]
fn three_clicks_lead_from_two_runs_to_the_steps_of_two_executions() -> Result<()> {
    let page = two_runs()?;
    page.browser.click_on(&tab("Compare"))?;
    page.browser
        .wait("the verdict", &format!("{TEXT}?.includes('No statement differs beyond noise (6 tested).')"))?;
    for line in [
        "Wall time 21.11 ms 23.39 ms +2.277 ms +11 %",
        "Executions 60 60 0",
        "Total 65.59 ms 67.38 ms +1.796 ms +2.7 %",
        "p50 670.0 µs 626.0 µs −43.95 µs −6.6 %",
        "p95 3.722 ms 2.932 ms −790.0 µs −21 %",
    ] {
        page.browser.wait(line, &format!("{TEXT}.includes({line:?})"))?;
    }
    check_accessibility(&page, "the list of statements")?;
    page.browser.click(".compared-runs .shapes .grid-rows .grid-row:first-child button")?;
    page.browser.wait(
        "the verdict on it",
        &format!(
            "{TEXT}?.includes('9 executions in base, 13 in new; typical change +25 % (−68 % … +316 %)')"
        ),
    )?;
    page.browser.wait("its bars", "document.querySelectorAll('.histogram.both .of-new').length > 10")?;
    page.browser.wait("the link", &format!("Number({SIDES}[2]) > 9999"))?;
    check_accessibility(&page, "one statement")?;
    page.browser.click_on(&button("Compare medians step by step"))?;
    page.browser.wait("the steps", "document.querySelector('#compare-b')?.value.length > 0")?;
    page.browser.wait("its link", "location.hash.includes('compare=executions')")?;
    page.eval("history.back()")?;
    page.browser.wait("the statement again", &format!("{TEXT}?.includes('9 executions in base')"))?;
    page.browser.click_on(&button("← All groups"))?;
    page.browser.wait("the list", &format!("{TEXT}?.includes('Δ total')"))?;
    page.is_quiet()
}

#[test]
fn sides_are_swapped_and_chosen() -> Result<()> {
    let page = two_runs()?;
    page.browser.keys("6")?;
    page.browser.wait("the verdict", &format!("{TEXT}?.includes('beyond noise')"))?;
    page.browser.click_on(&button("Swap"))?;
    page.browser.wait("the sides in the link", &format!("{SIDES}.slice(0, 2).join() === '1,0'"))?;
    page.browser
        .wait("swapped totals", &format!("{TEXT}?.includes('Wall time 23.39 ms 21.11 ms −2.277 ms')"))?;
    let choose = "(side => { side.value = '1'; side.dispatchEvent(new Event('change', { bubbles: true })) })\
        (document.querySelector('#runs-new'))";
    page.eval(choose)?;
    page.browser.wait("a sentence", &format!("{TEXT}?.includes('Base and new are the same executions')"))?;
    let link = "location.hash = '#v=3&view=compare&compare=runs&runs.base=0_in_0,5000000&runs.new=0_out_0,5000000&runs.order=-count'";
    page.eval(link)?;
    page.browser.wait("the range", &format!("{TEXT}?.includes('Wall time 5.000 ms 16.11 ms')"))?;
    page.eval("location.hash = '#v=3&view=compare&compare=runs&runs.new=1_in_0,1&runs.group=99'")?;
    page.browser.wait("no such group", &format!("{TEXT}?.includes('does not exist in this comparison')"))?;
    page.is_quiet()
}

#[test]
fn one_run_asks_for_a_range() -> Result<()> {
    let page = Page::open()?;
    page.load(&[&file(&folder("compare-one-run")?, "a.json", fixtures::array("a"))?], QUERIES)?;
    page.browser.keys("6")?;
    page.browser.wait("executions", "document.querySelector('#compare-a')")?;
    page.browser.click_on(&button("Runs").within(Named::new("group", "What is compared")))?;
    page.browser.wait("a sentence", &format!("{TEXT}?.includes('There is one run.')"))?;
    page.is_quiet()
}

/// With a range and no selection, the tab opens on runs; an execution belongs to the side in which it starts, also in the list that its
/// count leads to.
#[test]
fn the_count_of_a_range_leads_to_the_executions_that_start_in_it() -> Result<()> {
    let page = Page::open()?;
    page.load(&[&file(&folder("compare-range")?, "a.json", fixtures::array("a"))?], QUERIES)?;
    // The first execution ends and the second starts in the range.
    let counts = "[...document.querySelectorAll('.compared-runs .grid-row')].find(row => row.innerText.startsWith('Executions'))";
    // The rest is compared with the range: a button for each.
    for (side, sign) in [(0, "!="), (1, "=")] {
        page.eval("location.hash = '#v=3&view=compare&range=100000,1000000'")?;
        page.browser.wait("the totals", counts)?;
        let button = format!("{counts}.querySelectorAll('button')[{side}]");
        let count = page.eval(&format!("{button}.innerText"))?;
        page.eval(&format!("{button}.click()"))?;
        page.browser.wait(
            "the filter",
            &format!("decodeURIComponent(location.hash).includes('filter=start {sign} 100000ns..1000000ns')"),
        )?;
        let listed = "document.querySelector('#queries')?.innerText";
        page.browser.wait("as many", &format!("{listed}?.includes('{count} of {QUERIES}')"))?;
    }
    page.is_quiet()
}

#[test]
fn a_query_of_two_runs_is_one_line() -> Result<()> {
    let page = two_runs()?;
    page.tab("gantt")?;
    page.browser.wait("the run", "document.querySelector('#queries .run')")?;
    // The name of the run and the statement are next to each other.
    let (run, text) = ("document.querySelector('#queries .run')", "document.createRange()");
    let same_line = format!(
        "const run = {run}, text = {text}; text.selectNode(run.nextSibling); \
         return Math.abs(run.getBoundingClientRect().top - text.getBoundingClientRect().top) < 6;"
    );
    ensure!(page.browser.run(&same_line, serde_json::json!([]))? == true, "two lines");
    page.is_quiet()
}

#[test]
fn a_difference_is_a_flame_graph() -> Result<()> {
    let page = two_runs()?;
    page.browser.keys("6")?;
    page.browser.click_on(&button("Difference flame graph"))?;
    page.browser.wait("the flame graph", "document.querySelector('#app').dataset.view === 'flame'")?;
    let difference = "new URLSearchParams(location.hash.slice(1)).get('difference')";
    page.browser.wait("the sides in the link", &format!("{difference} === '0~1~new'"))?;
    page.browser.wait(
        "what the colours mean",
        "document.querySelector('.difference-key')?.innerText.includes('more in new')",
    )?;
    page.browser.click_on(&button("Base").within(Named::new("group", "width of")))?;
    page.browser.wait("the width in the link", &format!("{difference} === '0~1~base'"))?;
    check_accessibility(&page, "the difference flame graph")?;
    page.browser.click_on(&button("End difference"))?;
    page.browser.wait("no difference", &format!("{difference} === null"))?;
    page.is_quiet()
}

/// The timelines of two executions: their durations are those of the list, keys stay within them, the link leads back.
#[test]
fn two_executions_are_shown_in_timelines() -> Result<()> {
    let page = two_runs()?;
    page.browser.keys("6")?;
    page.browser.click(".compared-runs .shapes .grid-rows .grid-row:first-child button")?;
    let median = |side: &str| {
        let button = format!(
            "[...document.querySelectorAll('.compare-examples button')].find(one => one.innerText.startsWith('median of {side}'))"
        );
        page.browser.wait("the medians", &button)?;
        page.eval(&format!("{button}.innerText.match(/\\((.*)\\)/)[1]"))
    };
    let (base, new) = (median("base")?, median("new")?);
    page.browser.click_on(&button("Timelines of medians"))?;
    page.browser.wait("the durations", &format!("{NOTE}?.startsWith('Base {base}, new {new}: ')"))?;
    check_accessibility(&page, "timelines")?;
    const UP: &str = "\u{e013}";
    const DOWN: &str = "\u{e015}";
    const RIGHT: &str = "\u{e014}";
    page.eval("document.querySelector('.picture').focus()")?;
    let mut seen = std::collections::BTreeSet::new();
    for key in [RIGHT, DOWN, RIGHT, DOWN, RIGHT, RIGHT, RIGHT, UP, RIGHT, RIGHT, DOWN, RIGHT] {
        page.browser.keys(key)?;
        page.browser.wait("a step of both", &format!("{STEP}?.length > 0"))?;
        seen.insert(page.eval(STEP)?);
    }
    ensure!(seen.len() > 1, "keys do not move: {seen:?}");
    page.browser
        .wait("the link", "location.hash.includes('flame=side-by-side') && location.hash.includes('a=')")?;
    page.is_quiet()
}

/// Traces without queries have no steps, but timelines.
#[test]
fn two_slices_of_two_files_are_shown_in_timelines() -> Result<()> {
    let folder = folder("compared-slices")?;
    let slices = |factor: u32| {
        let slice = |name: &str, ts: u32, dur: u32| {
            format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":{dur},"name":"{name}"}}"#)
        };
        let tasks = (0..8).map(|at| {
            let start = at * 10_000;
            format!("{},{}", slice("task", start, 1_000 * factor), slice("read", start + 1, 700 * factor))
        });
        format!("[{}]", tasks.collect::<Vec<_>>().join(","))
    };
    let page = Page::open()?;
    page.load(&[&file(&folder, "a.json", slices(1))?, &file(&folder, "b.json", slices(2))?], 0)?;
    page.browser.keys("6")?;
    page.browser.click(".compared-runs .shapes .grid-rows .grid-row:first-child button")?;
    page.browser.click_on(&button("Timelines of medians"))?;
    page.browser
        .wait("both durations", &format!("{NOTE}?.includes('1.000 ms') && {NOTE}.includes('2.000 ms')"))?;
    page.is_quiet()
}
