//! Recent traces: kept only if the user wants that, offered again, and deleted.

use std::path::Path;

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

/// Turns keeping on and keeps one trace; shows the landing page then.
fn keeps_one(page: &Page, folder: &Path) -> Result<()> {
    page.browser.click(SWITCH)?;
    page.load(&[&file(folder, "old.json", fixtures::array("old"))?], QUERIES)?;
    let kept = "const { list } = await import(document.querySelector('script[data-recents]').dataset.recents); \
        while ((await list()).length === 0) await new Promise(r => setTimeout(r, 50))";
    page.browser.run_async(kept, json!([]))?;
    visit_again(page)?;
    waits_for_names(page, "old.json")
}

/// A script that imports the function which lists the kept traces, as stored.
const LIST: &str =
    "const { list } = await import(document.querySelector('script[data-recents]').dataset.recents);";

/// Names of the kept traces, as stored.
fn stored(page: &Page) -> Result<String> {
    let names = format!("{LIST} return (await list()).map(trace => trace.name).join()");
    Ok(page.browser.run_async(&names, json!([]))?.as_str().unwrap_or_default().to_owned())
}

/// Waits until no trace is stored, which is a little later than until none is shown.
fn waits_for_nothing_stored(page: &Page) -> Result<()> {
    let deleted = format!("{LIST} while ((await list()).length) await new Promise(r => setTimeout(r, 20))");
    page.browser.run_async(&deleted, json!([])).map(|_| ())
}

/// A condition of the browser's storage, as a script that simulates it, what the page says to it, and what is kept then.
struct Condition {
    script: &'static str,
    says: &'static [&'static str],
    kept: &'static str,
}

/// The script that undoes a condition.
const UNDO: &str = "window.undo?.()";

const FORBIDDEN: &str = "const open = indexedDB.open; \
    IDBFactory.prototype.open = () => { throw new DOMException('the policy of this machine forbids it.', 'SecurityError') }; \
    window.undo = () => { IDBFactory.prototype.open = open }";

const WHEN_KEEPING: &[Condition] = &[
    Condition {
        script: FORBIDDEN,
        says: &["Trace not kept.", "does not allow it: the policy of this machine forbids it."],
        kept: "old.json",
    },
    Condition {
        // Refused at once. The trace that would have made room stays.
        script: "const put = IDBObjectStore.prototype.put; \
            IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError') }; \
            Object.defineProperty(Blob.prototype, 'size', { get: () => 999999999, configurable: true }); \
            window.undo = () => { IDBObjectStore.prototype.put = put }",
        says: &["Trace not kept.", "storage for this site is full"],
        kept: "old.json",
    },
    Condition {
        // Refused when the changes are written.
        script: "const put = IDBObjectStore.prototype.put; \
            IDBObjectStore.prototype.put = function (value) { const request = put.call(this, value); \
              Object.defineProperty(this.transaction, 'error', { get: () => new DOMException('', 'QuotaExceededError') }); \
              request.onsuccess = null; this.transaction.abort(); return request }; \
            window.undo = () => { IDBObjectStore.prototype.put = put }",
        says: &["Trace not kept.", "storage for this site is full"],
        kept: "old.json",
    },
    Condition {
        script: "Object.defineProperty(Blob.prototype, 'size', { get: () => 1000000001, configurable: true })",
        says: &["Trace not kept.", "This trace is 1.0 GB; traces of at most 1.0 GB are kept."],
        kept: "old.json",
    },
    Condition {
        script: "Object.defineProperty(Blob.prototype, 'size', { get: () => 999999999, configurable: true })",
        says: &["“old.json” deleted to make room for this trace."],
        kept: "new.json",
    },
];

#[test]
fn a_trace_that_is_not_kept_and_one_that_makes_room_are_named() -> Result<()> {
    let folder = fixtures::folder("recents-limits")?;
    let new = file(&folder, "new.json", fixtures::array("new"))?;
    for (number, condition) in WHEN_KEEPING.iter().enumerate() {
        let page = Page::open()?;
        keeps_one(&page, &folder)?;
        page.browser.run(condition.script, json!([]))?;
        page.load(&[&new], QUERIES)?;
        for words in condition.says {
            page.says(words)?;
        }
        page.browser.run(UNDO, json!([]))?;
        let kept = stored(&page)?;
        ensure!(kept == condition.kept, "condition {number}: {kept} is kept");
    }
    Ok(())
}

#[test]
fn a_list_that_cannot_be_read_or_changed_says_why() -> Result<()> {
    let folder = fixtures::folder("recents-refused")?;
    let page = Page::open()?;
    keeps_one(&page, &folder)?;
    let delete = button("Delete old.json");
    page.browser.run(
        "const { delete: one, clear } = IDBObjectStore.prototype; \
         const refuse = () => { throw new DOMException('the disk is read-only', 'UnknownError') }; \
         Object.assign(IDBObjectStore.prototype, { delete: refuse, clear: refuse }); \
         window.undo = () => Object.assign(IDBObjectStore.prototype, { delete: one, clear })",
        json!([]),
    )?;
    page.browser.click_on(&delete)?;
    page.says("Not deleted: the disk is read-only.")?;
    page.browser.click(SWITCH)?;
    page.browser.wait("the switch to be on again", "document.querySelector('.recent input').checked")?;
    waits_for_names(&page, "old.json")?;
    page.browser.run(UNDO, json!([]))?;
    page.browser.run(FORBIDDEN, json!([]))?;
    page.browser.click_on(&Named::new("button", "old.json"))?;
    page.says("The trace cannot be read: the policy of this machine forbids it.")?;
    page.browser.run(UNDO, json!([]))?;
    page.browser.click(SWITCH)?;
    waits_for_names(&page, "")?;
    waits_for_nothing_stored(&page)?;
    page.browser.run(FORBIDDEN, json!([]))?;
    page.browser.click(SWITCH)?;
    page.says("The kept traces cannot be listed: the policy of this machine forbids it.")?;
    page.browser.run(UNDO, json!([]))?;
    ensure!(stored(&page)?.is_empty(), "a trace is still kept");
    Ok(())
}

#[test]
fn a_setting_that_cannot_be_stored_keeps_nothing() -> Result<()> {
    let page = Page::open()?;
    page.browser.run(
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError') }",
        json!([]),
    )?;
    page.browser.click(SWITCH)?;
    page.says("does not allow this page to store the setting")?;
    ensure!(page.eval("document.querySelector('.recent input').checked")? == "false", "the switch is on");
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
