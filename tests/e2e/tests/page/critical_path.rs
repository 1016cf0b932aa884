//! The critical path: in the details, on the timeline, as tables, and for all executions of a statement.

use anyhow::Result;
use queryscope_e2e::{Named, button};

use crate::fixtures::{self, QUERIES, file, folder};
use crate::page::Page;

const DETAILS: &str = "document.querySelector('#details .critical')?.innerText";
const TABLES: &str = "document.querySelector('.parallel')?.innerText";

fn loaded(name: &str) -> Result<Page> {
    let page = Page::open()?;
    page.load(&[&file(&folder(name)?, "a.json", fixtures::array("a"))?], QUERIES)?;
    page.select_first_query()?;
    page.browser.wait("the section", &format!("{DETAILS}?.includes('%')"))?;
    Ok(page)
}

#[test]
fn the_path_of_a_query_leads_to_its_table_and_its_steps() -> Result<()> {
    let page = loaded("critical")?;
    page.browser.click_on(&button("All steps"))?;
    page.browser.wait("the tab", "document.querySelector('#app').dataset.view === 'parallel'")?;
    page.browser.wait("the rule", &format!("{TABLES}?.includes('the nested span that ended last')"))?;
    page.browser.wait("what would be saved", &format!("{TABLES}?.includes('−')"))?;
    page.browser.wait(
        "the steps",
        "document.querySelectorAll('[aria-label=\"Critical path\"] .grid-rows .link').length > 1",
    )?;
    page.eval("document.querySelector('[aria-label=\"Critical path\"] .grid-rows .link').focus()")?;
    page.browser.keys("\u{e007}")?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.is_quiet()
}

#[test]
fn the_path_is_marked_on_the_timeline_and_in_the_link() -> Result<()> {
    let page = loaded("critical-marks")?;
    let before = page.picture()?;
    page.browser.keys("x")?;
    page.browser.wait("a pressed switch", "document.querySelector('#mark-path')?.ariaPressed === 'true'")?;
    page.browser.wait("the link", "location.hash.includes('critical=marked')")?;
    let changed = || (0..30).any(|_| page.picture().is_ok_and(|after| after != before));
    anyhow::ensure!(changed(), "nothing is marked");
    page.browser.click("#mark-path")?;
    page.browser
        .wait("a switch that is off", "document.querySelector('#mark-path')?.ariaPressed === 'false'")?;
    page.browser.wait("the link without it", "!location.hash.includes('critical=')")?;
    page.is_quiet()
}

#[test]
fn without_a_selection_a_message_says_what_to_do() -> Result<()> {
    let page = Page::with_run("critical-nothing")?;
    page.browser.keys("x")?;
    page.says("Nothing selected.")?;
    page.is_quiet()
}

#[test]
fn a_shape_shows_what_was_on_the_paths_of_its_executions() -> Result<()> {
    let page = Page::open()?;
    page.load(&[&file(&folder("critical-shape")?, "a.json", fixtures::array("a"))?], QUERIES)?;
    page.browser.keys("9")?;
    page.browser.click_on(&button("SELECT total FROM orders WHERE id = ?"))?;
    let table = "document.querySelector('[aria-label=\"On the critical paths\"]')";
    page.browser.wait("the table", &format!("{table}?.innerText.includes('self time')"))?;
    page.browser.wait("its executions", &format!("/\\d of \\d/.test({table}.innerText)"))?;
    page.browser.click_on(&button("(self time)").within(Named::new("grid", "On the critical paths")))?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.is_quiet()
}
