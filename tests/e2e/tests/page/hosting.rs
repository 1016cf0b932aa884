//! The site works on any static host, under any path.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, button, site};

use crate::page::Page;

fn works_at(folder: &str, path: &str) -> Result<()> {
    let page = Page::at(vec![Mount::new(&format!("/{folder}"), site()?)], path)?;
    page.phase("landing")?;
    page.browser.click_on(&button("Open sample run"))?;
    page.browser
        .wait("the sample's queries", "Number(document.querySelector('#app').dataset.queries) > 10")?;
    page.phase("ready")?;
    page.is_quiet()?;
    let prefix = format!("/{folder}");
    let visits = page.server.visits();
    let outside = visits.iter().find(|v| !v.path.starts_with(&prefix) || v.method != "GET");
    ensure!(outside.is_none(), "asked for {outside:?}, which is not its own");
    Ok(())
}

#[test]
fn at_the_root() -> Result<()> {
    works_at("", "")
}

#[test]
fn under_a_path() -> Result<()> {
    works_at("deep/sub/", "deep/sub/")
}

#[test]
fn under_a_path_by_file_name() -> Result<()> {
    works_at("deep/sub/", "deep/sub/index.html")
}
