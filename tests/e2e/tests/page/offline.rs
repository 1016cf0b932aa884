//! The site without a network, after one visit.

use std::fs;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Mount, button, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;
use crate::privacy;

/// Waits until the site is stored, and returns the names of the caches.
pub const STORED: &str = "
    const worker = await navigator.serviceWorker.ready;
    while (worker.active?.state !== 'activated') await new Promise(r => setTimeout(r, 50));
    return await caches.keys()";

/// Makes the browser look for a new service worker, and waits until that is in charge.
const UPGRADED: &str = "
    const registration = await navigator.serviceWorker.ready;
    const before = registration.active;
    await registration.update();
    while (registration.active === before || registration.active.state !== 'activated') await new Promise(r => setTimeout(r, 50));";

fn works_without_a_network(page: &Page) -> Result<()> {
    page.phase("landing")?;
    let caches = page.browser.run_async(STORED, json!([]))?;
    ensure!(caches.as_array().is_some_and(|names| names.len() == 1), "{caches}");
    // The first visit stores; from the second on the page is served from there.
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    page.server.stop();
    for address in ["", "index.html", "?x=1"] {
        page.browser.open("about:blank")?;
        page.browser.open(&format!("{}{address}", page.server.url()))?;
        page.phase("landing")?;
        page.browser.click_on(&button("Open sample run"))?;
        page.browser.wait("the sample", "Number(document.querySelector('#app')?.dataset.queries) > 10")?;
        page.phase("ready")?;
    }
    Ok(())
}

#[test]
fn a_second_visit_needs_no_network() -> Result<()> {
    works_without_a_network(&Page::open()?)
}

#[test]
fn a_second_visit_needs_no_network_in_firefox() -> Result<()> {
    let Some(page) = Page::in_firefox(vec![Mount::new("/", site()?)])? else { return Ok(()) };
    page.browser.open(page.server.url())?;
    works_without_a_network(&page)
}

/// The settings of a site are optional, without a network as well.
#[test]
fn a_site_without_settings_needs_no_network() -> Result<()> {
    let dist = fixtures::folder("offline-no-settings")?;
    copy(&site()?, &dist)?;
    fs::remove_file(dist.join("config.json"))?;
    works_without_a_network(&Page::at(vec![Mount::new("/", dist)], "")?)
}

/// A stored site sends nothing elsewhere, either: neither the page, nor the service worker on its behalf.
#[test]
fn a_stored_site_tells_nobody() -> Result<()> {
    let page = Page::open()?;
    page.browser.run_async(STORED, json!([]))?;
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    let folder = fixtures::folder("offline-privacy")?;
    page.load(&[&file(&folder, "secret-name.json", fixtures::array("a"))?], QUERIES)?;
    let asked = page.server.visits();
    let odd = asked.iter().find(|v| v.method != "GET" || v.path.contains("secret"));
    ensure!(odd.is_none(), "the page's own host was told {odd:?}");
    privacy::is_tight(&page)
}

/// The policy of a page does not bind its service worker, so its script is looked at: it requests only what its own list
/// names, or what the page asked for itself.
#[test]
fn the_service_worker_names_no_other_address() -> Result<()> {
    let script = fs::read_to_string(site()?.join("sw.js")).context("the service worker")?;
    for word in
        ["http", "//", "importScripts", "XMLHttpRequest", "WebSocket", "sendBeacon", "eval", "import("]
    {
        let found = script.lines().find(|line| line.contains(word) && !line.trim_start().starts_with("//"));
        ensure!(found.is_none(), "{word} in {found:?}");
    }
    let fetches = script.matches("fetch(").count();
    ensure!(fetches == script.matches("fetch(request)").count() && fetches == 2, "{fetches} calls of fetch");
    Ok(())
}

/// After an upgrade, the new page is shown at once if there is a network; a page of the version before goes on.
#[test]
fn an_upgrade_is_shown_at_once() -> Result<()> {
    let dist = fixtures::folder("offline-upgrade")?;
    copy(&site()?, &dist)?;
    let page = Page::at(vec![Mount::new("/", dist.clone())], "")?;
    page.phase("landing")?;
    page.browser.run_async(STORED, json!([]))?;
    for (name, from, to) in [
        ("index.html", "<title>queryscope</title>", "<title>upgraded</title>"),
        ("sw.js", "const VERSION = \"", "const VERSION = \"2"),
    ] {
        let text = fs::read_to_string(dist.join(name))?;
        ensure!(text.contains(from), "{name} is not as it was");
        fs::write(dist.join(name), text.replace(from, to))?;
    }
    page.browser.open(&format!("{}?again", page.server.url()))?;
    page.phase("landing")?;
    let html = page.browser.run_async("return await (await fetch('./')).text()", json!([]))?;
    ensure!(html.as_str().is_some_and(|html| html.contains("upgraded")), "the old page: {html}");
    page.browser.run_async(UPGRADED, json!([]))?;
    page.server.stop();
    page.browser.open(&format!("{}?offline", page.server.url()))?;
    page.phase("landing")?;
    let html = page.browser.run_async("return await (await fetch('./')).text()", json!([]))?;
    ensure!(html.as_str().is_some_and(|html| html.contains("upgraded")), "the old page: {html}");
    Ok(())
}

fn copy(from: &std::path::Path, to: &std::path::Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
