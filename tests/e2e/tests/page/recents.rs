//! Recent traces: kept only if the user wants that, offered again, and deleted.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Named, button, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

const SWITCH: &str = ".recent input";
const NAMES: &str = "[...document.querySelectorAll('.recent li .link')].map(e => e.textContent).join()";

fn visit_again(page: &Page) -> Result<()> {
    page.browser.open("about:blank")?;
    page.browser.open(page.server.url())?;
    page.phase("landing")
}

fn waits_for_names(page: &Page, names: &str) -> Result<()> {
    page.browser.wait(&format!("the list {names:?}"), &format!("{NAMES} === {names:?}")).map(|_| ())
}

fn keeps_and_deletes(page: &Page, test: &str) -> Result<()> {
    page.phase("landing")?;
    let folder = fixtures::folder(test)?;
    let [a, b] = ["a", "b"].map(|name| file(&folder, &format!("{name}.json"), fixtures::array(name)));
    let (a, b) = (a?, b?);
    page.load(&[&a], QUERIES)?;
    visit_again(page)?;
    ensure!(page.eval(NAMES)?.is_empty(), "a trace was kept although nobody asked for it");
    let databases = page.browser.run_async("return (await indexedDB.databases()).length", json!([]))?;
    ensure!(databases == json!(0), "{databases} databases");
    page.browser.click(SWITCH)?;
    for trace in [&a, &b] {
        page.load(&[trace], QUERIES)?;
        let kept = "const { list } = await import(document.querySelector('script[data-recents]').dataset.recents); \
            while (!(await list()).some(t => t.name.startsWith(arguments[0]))) await new Promise(r => setTimeout(r, 50))";
        let name = trace.file_stem().unwrap_or_default().to_string_lossy();
        page.browser.run_async(kept, json!([name]))?;
        visit_again(page)?;
    }
    waits_for_names(page, "b.json,a.json")?;
    page.browser.click_on(&Named::new("button", "a.json"))?;
    page.ready(QUERIES)?;
    visit_again(page)?;
    waits_for_names(page, "a.json,b.json")?;
    page.browser.click_on(&button("Delete a.json"))?;
    waits_for_names(page, "b.json")?;
    page.browser.click(SWITCH)?;
    waits_for_names(page, "")?;
    visit_again(page)?;
    ensure!(page.eval("document.querySelector('.recent input').checked")? == "false", "it is on again");
    page.browser.click(SWITCH)?;
    page.browser.run_async("await new Promise(r => setTimeout(r, 300))", json!([]))?;
    ensure!(page.eval(NAMES)?.is_empty(), "a deleted trace is there again");
    Ok(())
}

#[test]
fn traces_are_kept_only_if_the_user_wants_that() -> Result<()> {
    keeps_and_deletes(&Page::open()?, "recents")
}

#[test]
fn traces_are_kept_in_firefox() -> Result<()> {
    let Some(page) = Page::in_firefox(vec![Mount::new("/", site()?)])? else { return Ok(()) };
    page.browser.open(page.server.url())?;
    keeps_and_deletes(&page, "recents-firefox")
}
