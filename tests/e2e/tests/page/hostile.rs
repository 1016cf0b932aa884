//! Names, statements and errors are text, whatever they hold.

use anyhow::{Result, ensure};
use queryscope_e2e::disclosure;

use crate::fixtures::{self, QUERIES, file};
use crate::page::{Page, details};

const IMAGE: &str = "<img src=x onerror=window.pwned=1>";

#[test]
fn markup_in_a_trace_is_shown_and_never_becomes_an_element() -> Result<()> {
    let folder = fixtures::folder("hostile")?;
    let trace = fixtures::array(IMAGE)
        .replace("pg-conn", &format!("{IMAGE}<script>pwned=1</script>"))
        .replace("SELECT total", &format!("SELECT '{IMAGE}', '</script><svg onload=pwned=1>' total"))
        .replace("no answer", IMAGE)
        .replace("BUFFER_EVENT", "<b>NEW_TYPE</b>");
    let page = Page::open()?;
    page.load(&[&file(&folder, "<img src=x onerror=pwned=1>.json", trace)?], QUERIES)?;
    page.select_first_query()?;
    page.browser
        .wait("the statement", "document.querySelector('#details')?.innerText.includes('onerror')")?;
    page.open_report()?;
    page.says("new_type")?;
    let strange = "document.querySelectorAll('img[onerror], svg[onload], #app script, b > b').length + Number(window.pwned ?? 0)";
    ensure!(page.eval(strange)? == "0", "a name became an element");
    page.is_quiet()
}

/// What the details hold is bounded, whatever a statement holds.
#[test]
fn an_endless_statement_does_not_stop_the_page() -> Result<()> {
    let folder = fixtures::folder("endless")?;
    let endless = "x".repeat(30_000_000);
    let trace = fixtures::lines("a");
    // The longest query, which stands first.
    let last = format!("SELECT total FROM orders WHERE id = {}\"", QUERIES - 1);
    ensure!(trace.contains(&last), "the fixture has {last}");
    let trace = trace.replace(&last, &format!("SELECT '{endless}'\""));
    let page = Page::open()?;
    page.load(&[&file(&folder, "endless.ndjson", trace)?], QUERIES)?;
    page.select_first_query()?;
    page.browser
        .wait("what is left out", "document.querySelector('#details')?.innerText.includes('record below')")?;
    let length: usize = page.eval("document.querySelector('#details').textContent.length")?.parse()?;
    ensure!(length < 100_000, "the details hold {length} characters");
    page.browser.click_on(&disclosure("endless.ndjson").within(details()))?;
    page.browser.wait("the record's start", "document.querySelector('#details .raw pre')")?;
    page.is_quiet()
}
