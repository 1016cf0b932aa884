//! The viewers that the handbook's chapters embed: each opens its trace, and no chapter asks anything of another server.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Mount, Server, site};
use serde_json::json;

use crate::page::Page;

/// The built handbook; `None`, and a line that says so, where there is none.
fn handbook() -> Result<Option<PathBuf>> {
    let folder = site()?.join("handbook");
    if folder.join("index.html").is_file() {
        return Ok(Some(folder));
    }
    eprintln!("skipped: no handbook in dist/handbook (`cargo xtask docs` builds it)");
    Ok(None)
}

/// Names of the chapters with a viewer.
fn chapters(handbook: &PathBuf) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(handbook)? {
        let path = entry?.path();
        let name = path.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        let is_chapter = name.ends_with(".html") && name != "print.html" && name != "toc.html";
        if is_chapter && fs::read_to_string(&path)?.contains("<queryscope-viewer") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Waits until each viewer of the page, scrolled into view, shows its trace.
pub fn viewers_are_ready(browser: &Browser) -> Result<()> {
    browser.wait("the page's end", "document.readyState !== 'loading'")?;
    let count = browser.run("return document.querySelectorAll('queryscope-viewer').length", json!([]))?;
    let count = count.as_u64().context("a number")?;
    ensure!(count > 0, "there is no viewer on the page");
    for at in 0..count {
        let viewer = format!("document.querySelectorAll('queryscope-viewer')[{at}]");
        browser.run(&format!("{viewer}.scrollIntoView({{ block: 'center' }})"), json!([]))?;
        browser.wait("a viewer to end reading", &format!("['ready', 'error'].includes({viewer}.status)"))?;
        let status = browser.run(&format!("return {viewer}.status"), json!([]))?;
        ensure!(status == "ready", "viewer {at} of the page is in state {status}");
    }
    Ok(())
}

#[test]
fn viewers_of_all_chapters_show_their_traces() -> Result<()> {
    let Some(handbook) = handbook()? else { return Ok(()) };
    let chapters = chapters(&handbook)?;
    ensure!(chapters.len() > 10, "only {chapters:?} have viewers");
    let server = Server::start(vec![Mount::new("/deep/", site()?)])?;
    let page = Page { browser: Browser::fresh()?, server };
    for chapter in &chapters {
        page.browser.open(&format!("{}deep/handbook/{chapter}", page.server.url()))?;
        viewers_are_ready(&page.browser).with_context(|| chapter.clone())?;
        page.is_quiet().with_context(|| chapter.clone())?;
    }
    let visits = page.server.visits();
    let outside =
        visits.iter().find(|visit| !visit.path.starts_with("/deep/") && visit.path != "/favicon.ico");
    ensure!(outside.is_none(), "asked for {outside:?}, which is not the site's own");
    Ok(())
}
