//! Call stacks of the merged flame graph: callees and callers, one name, hidden names; by buttons, keys, links and Back.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Named, button, site};
use serde_json::json;

use crate::fixtures::{self, file};
use crate::page::Page;

const DOWN: &str = "\u{e015}";
const STACKS: &str =
    "tenantmain;tenantb;tenantc 1\ntenantmain;tenantb;tenantb 2\ntenantmain;tenantc;tenantb 4\n";

fn served(test: &str) -> Result<Page> {
    let folder = fixtures::folder(test)?;
    let trace = file(&folder, "run.folded", STACKS)?;
    let page = Page::at(
        vec![Mount::new("/", site()?), Mount::new("/run.folded", trace)],
        "#trace=run.folded&view=flame&flame=merged",
    )?;
    page.phase("ready")?;
    page.browser.wait("the trace", "!document.querySelector('.loading')")?;
    page.picture()?;
    Ok(page)
}

fn address(page: &Page, part: &str) -> Result<String> {
    page.browser.wait(&format!("{part} in the address"), &format!("location.hash.includes({part:?})"))?;
    ensure!(!page.eval("decodeURIComponent(location.hash)")?.contains("tenant"), "a name in the address");
    page.eval("location.href")
}

/// The chips of shown and hidden calls, as the page shows them.
fn chips(page: &Page, expected: &str) -> Result<()> {
    let chips = "[...document.querySelectorAll('[aria-label=\"Shown and hidden calls\"] [role=listitem]')]\
        .map(chip => chip.innerText.trim()).join('|')";
    page.browser.wait(&format!("the chips {expected:?}"), &format!("({chips}) === {expected:?}")).map(|_| ())
}

/// Moves the focus to the widest frame below. A button that was clicked keeps the arrow keys for itself.
fn down(page: &Page) -> Result<()> {
    page.picture()?;
    page.browser.run("document.activeElement.blur()", json!([]))?;
    page.browser.keys(DOWN)
}

fn focus(page: &Page, expected: &str) -> Result<()> {
    let crumbs = "document.querySelector('nav.crumbs')?.innerText ?? ''";
    page.browser
        .wait(&format!("the focus {expected}"), &format!("({crumbs}).includes({expected:?})"))
        .map(|_| ())
}

#[test]
fn without_a_match_a_sentence_stands_in_place_of_the_frames() -> Result<()> {
    let page = served("stacks-no-match")?;
    let note = "document.querySelector('.matched-note.blank')?.innerText";
    page.browser.run("location.hash += '&filter=nowhere'; return 0", json!([]))?;
    page.browser.wait("the sentence", &format!("{note}?.startsWith('No frames: nothing that matches')"))?;
    page.browser.run("history.back(); return 0", json!([]))?;
    page.browser.wait("frames again", &format!("!{note}"))?;
    page.is_quiet()
}

#[test]
fn stacks_are_inverted_restricted_and_hidden() -> Result<()> {
    let page = served("stacks")?;
    page.browser.click_on(&button("Callers (inverted)"))?;
    address(&page, "stacks=inverted")?;
    page.browser.wait(
        "self time as the only time",
        "[...document.querySelector('#weight').options].every(o => o.textContent !== 'time') \
            && document.querySelector('#weight').selectedOptions[0].textContent === 'self time'",
    )?;
    // The widest name is tenantb: 6 of 7 samples.
    down(&page)?;
    focus(&page, "tenantb")?;
    let call = Named::new("group", "Focused call");
    page.browser.click_on(&button("Callees").within(call))?;
    chips(&page, "only tenantb")?;
    let link = address(&page, "stacks=callees:~")?;
    down(&page)?;
    focus(&page, "tenantb")?;
    page.browser.keys("k")?;
    address(&page, "stacks=callers:~")?;
    down(&page)?;
    focus(&page, "tenantb")?;
    page.browser.keys("h")?;
    chips(&page, "without tenantb")?;
    address(&page, "hide=~")?;
    page.browser.click_on(&button("Show all again"))?;
    page.browser.wait("nothing hidden", "!location.hash.includes('hide=')")?;
    page.browser.run("history.back()", json!([]))?;
    chips(&page, "without tenantb")?;
    page.browser.click_on(&button("Collapse recursion"))?;
    address(&page, "recursion=collapsed")?;
    page.browser.open("about:blank")?;
    page.browser.open(&link)?;
    page.phase("ready")?;
    chips(&page, "only tenantb")?;
    page.browser.click_on(&button("Show all calls"))?;
    page.browser.wait("all calls", "!location.hash.includes('stacks=')")?;
    page.is_quiet()
}
