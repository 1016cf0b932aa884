//! The numbers of a comparison of runs lead to their executions in the query list.

use std::path::{Path, PathBuf};

use anyhow::Result;
use queryscope_e2e::tab;
use serde_json::json;

use crate::fixtures::{self, QUERIES, file, folder};
use crate::page::Page;

/// Opens runs of [`QUERIES`] executions of one statement, each longer than the previous one; the third fails. Shows their
/// comparison.
fn runs(test: &str, names: &[&str]) -> Result<Page> {
    let folder = folder(test)?;
    let files = names.iter().map(|name| file(&folder, &format!("{name}.json"), fixtures::array(name)));
    let files = files.collect::<Result<Vec<_>>>()?;
    let page = Page::open()?;
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    page.load(&paths, QUERIES * names.len() as u64)?;
    page.browser.click_on(&tab("Compare"))?;
    page.browser.wait("the address", "location.hash.includes('view=compare')")?;
    Ok(page)
}

/// Clicks the number at `at` among the buttons of the row of a table, and checks how many executions the query list shows.
fn follow(page: &Page, table: &str, row: &str, at: usize, listed: &str) -> Result<()> {
    let rows = format!("[...document.querySelectorAll('{table} .grid-rows .grid-row')]");
    let button = format!(
        "{rows}.find(row => row.innerText.trim().startsWith({row:?}))?.querySelectorAll('button')[{at}]"
    );
    page.browser.wait(&format!("the number of {row}"), &button)?;
    page.browser.wait("what it leads to", &format!("/^(Show|List) .*executions/.test({button}.title)"))?;
    page.eval(&format!("{button}.click()"))?;
    let count = "document.querySelector('#queries .count')?.innerText.trim()";
    page.browser.wait(&format!("{listed} for {row}"), &format!("{count} === {listed:?}"))?;
    page.browser.wait("the address", "!location.hash.includes('view=')")?;
    Ok(())
}

/// Follows a number, then goes back to the comparison, with the filter that it had.
fn leads(page: &Page, table: &str, row: &str, at: usize, listed: &str) -> Result<()> {
    follow(page, table, row, at, listed)?;
    page.browser.run("history.back()", json!([]))?;
    page.browser.wait("the comparison", "location.hash.includes('view=compare')")?;
    Ok(())
}

#[test]
fn numbers_of_two_runs_lead_to_their_executions() -> Result<()> {
    let page = runs("compared-counts", &["a", "b"])?;
    let totals = "[aria-labelledby=compared-totals]";
    // Both sides are equal: the 3rd of 6 durations is the median, the longest one the 95th percentile.
    for (row, listed) in [
        ("Executions", "6 of 12"),
        ("p50", "4 of 12"),
        ("p95", "1 of 12"),
        ("max", "1 of 12"),
        ("Rows read", "6 of 12"),
        ("Bytes", "6 of 12"),
        ("Failed", "1 of 12"),
    ] {
        leads(&page, totals, row, 0, listed)?;
        leads(&page, totals, row, 1, listed)?;
    }
    // In the list of statements: the counts of both sides, after the name.
    let list = ".compared-runs .shapes";
    leads(&page, list, "SELECT total", 1, "6 of 12")?;
    leads(&page, list, "SELECT total", 2, "6 of 12")?;
    page.browser.click(".compared-runs .shapes .grid-rows .grid-row:first-child button")?;
    page.browser.wait("its address", "location.hash.includes('runs.group=')")?;
    let group = "[aria-labelledby=compared-one]";
    leads(&page, group, "Executions", 1, "6 of 12")?;
    follow(&page, group, "p95", 0, "1 of 12")?;
    page.browser
        .wait("the filter of the statement", "decodeURIComponent(location.hash).includes('[shape]')")?;
    page.is_quiet()
}

#[test]
fn numbers_of_three_runs_lead_to_their_executions() -> Result<()> {
    let page = runs("compared-counts-each", &["a", "b", "c"])?;
    // The first button of another run is its name, the second one its number of executions, the last one that of failed ones.
    let totals = "[aria-labelledby=each-totals]";
    leads(&page, totals, "b", 1, "6 of 18")?;
    let buttons =
        format!("document.querySelectorAll('{totals} .grid-rows .grid-row')[1]?.querySelectorAll('button')");
    page.browser.wait("the numbers again", &format!("{buttons}?.length > 1"))?;
    let failed = page.eval(&format!("{buttons}.length - 1"))?.parse()?;
    leads(&page, totals, "b", failed, "1 of 18")?;
    // The median of the base.
    leads(&page, ".each-run", "SELECT total", 0, "4 of 18")?;
    page.is_quiet()
}

#[test]
fn a_filter_restricts_the_comparison() -> Result<()> {
    let page = runs("compared-filter", &["a", "b"])?;
    let text = "document.querySelector('.compared-runs')?.innerText.replace(/\\s+/g, ' ')";
    page.browser.wait("all executions", &format!("{text}?.includes('Executions 6 6 0')"))?;
    page.browser.click("#filter-button")?;
    // The queries of each run take 280, 330, … 530 µs.
    page.filter("duration >= 430us")?;
    page.browser.wait("three executions", &format!("{text}?.includes('Executions 3 3 0')"))?;
    let heading = "document.querySelector('#compared-totals')?.textContent";
    page.browser.wait("the heading", &format!("{heading} === 'Totals (filtered)'"))?;
    page.browser.wait("the filter in the address", "location.hash.includes('filter=')")?;
    let totals = "[aria-labelledby=compared-totals]";
    leads(&page, totals, "Executions", 0, "3 of 12")?;
    leads(&page, ".compared-runs .shapes", "SELECT total", 2, "3 of 12")?;
    page.filter("run = a duration >= 430us")?;
    page.browser
        .wait("no other run", &format!("{text}?.includes('With this filter, new has no executions')"))?;
    page.filter("")?;
    page.browser.wait("all executions again", &format!("{text}?.includes('Executions 6 6 0')"))?;
    page.is_quiet()
}
