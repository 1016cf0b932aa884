//! Three runs, each compared with the first: verdicts, places, one run and one group of it, and the link.

use anyhow::Result;
use queryscope_e2e::{Named, button, tab};

use crate::accessibility;
use crate::fixtures::{file, folder};
use crate::page::Page;

const TEXT: &str = "document.querySelector('.compared-runs')?.innerText.replace(/\\s+/g, ' ')";
const ROWS: &str = "[...document.querySelectorAll('.each-run .grid-rows .grid-row')].map(row => row.innerText.replace(/\\s+/g, ' '))";

/// A Chrome trace with a slice `work` of each of these durations, in milliseconds, and five of 10 ms called `rest`.
fn trace(work: [u64; 5]) -> String {
    let event = |name: &str, at: u64, duration: u64| {
        format!(
            r#"{{"name":"{name}","ph":"X","ts":{},"dur":{},"pid":1,"tid":1}}"#,
            at * 1_000_000,
            duration * 1_000
        )
    };
    let work = (0..).zip(work).map(|(at, duration)| event("work", at, duration));
    let rest = (10..15).map(|at| event("rest", at, 10));
    format!("[{}]", work.chain(rest).collect::<Vec<_>>().join(","))
}

fn three_runs(test: &str) -> Result<Page> {
    let folder = folder(test)?;
    let named = |name: &str, work| file(&folder, name, trace(work));
    let files = [
        named("a.json", [10, 11, 12, 13, 14])?,
        named("b.json", [100, 101, 102, 103, 104])?,
        named("c.json", [9, 11, 12, 14, 16])?,
    ];
    let page = Page::open()?;
    page.load(&[&files[0], &files[1], &files[2]], 0)?;
    page.browser.click_on(&tab("Compare"))?;
    page.browser.wait(
        "the verdict",
        &format!("{TEXT}?.includes('1 of 2 runs differs from base beyond noise in at least one of 2 groups (4 tests).')"),
    )?;
    Ok(page)
}

#[test]
fn three_runs_are_compared_in_one_table() -> Result<()> {
    let page = three_runs("run-table")?;
    for part in [
        "work 12.00 msfastest 102.0 ms▲ +750 % Slower beyond noise: 5 executions; typical change +750 %",
        "slowest 12.00 ms≈ 0 % No difference shown: 5 executions; typical change 0 %",
    ] {
        page.browser.wait(part, &format!("{ROWS}[0]?.includes({part:?})"))?;
    }
    accessibility::passes(&page)?;
    page.browser.click_on(&button("max").within(Named::new("group", "Measure")))?;
    page.browser.wait("the longest", &format!("{ROWS}[0]?.startsWith('work 14.00 ms')"))?;
    page.browser.wait("the link", "location.hash.includes('runs.measure=max')")?;
    let link = page.eval("location.href")?;
    // The value of the base leads to its slices, that of another run to the executions of both, and Back to the table.
    page.browser.click(".each-run .grid-rows .grid-row:first-child [role=gridcell]:nth-child(2) button")?;
    page.browser.wait("the slice", "document.body.innerText.includes('Executions of 14.00 ms')")?;
    page.browser.wait("the filter", "location.hash.includes('filter=run')")?;
    page.browser.run("history.back(); return 0", serde_json::json!([]))?;
    page.browser.wait("the same table", &format!("{ROWS}.length === 2"))?;
    page.browser.click(".each-run .grid-rows .grid-row:first-child [role=gridcell]:nth-child(3) button")?;
    page.browser.wait(
        "one group",
        &format!("{TEXT}?.includes('Slower beyond noise: 5 executions in base, 5 in new')"),
    )?;
    page.browser.wait("its link", "location.hash.includes('runs.group=')")?;
    page.browser.run("history.back(); return 0", serde_json::json!([]))?;
    page.browser.wait("the table", &format!("{ROWS}.length === 2"))?;
    // A run leads to the comparison of this run alone, and the choice of all others back to the table.
    page.browser.click("[aria-labelledby=each-totals] .grid-rows .grid-row:nth-child(2) button")?;
    page.browser.wait("one run", &format!("{TEXT}?.includes('Δ total')"))?;
    page.browser.run(
        "const chosen = document.querySelector('#runs-new'); chosen.value = 'each'; chosen.dispatchEvent(new Event('change', { bubbles: true })); return 0",
        serde_json::json!([]),
    )?;
    page.browser.wait("the table again", &format!("{ROWS}.length === 2"))?;
    page.browser.wait("the same link", &format!("location.href === {link:?}"))?;
    page.is_quiet()
}
