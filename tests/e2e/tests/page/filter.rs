//! One filter for all views: its field, its errors, its link, and what the views show.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::accessibility;
use crate::page::Page;

const BAR: &str = "document.querySelector('.filter-bar')";
const LIST: &str = "document.querySelector('#queries .count')?.innerText";

#[test]
fn a_filter_applies_to_list_statements_and_pivot_and_is_in_the_link() -> Result<()> {
    let page = Page::with_run("filter")?;
    page.eval("document.querySelector('.picture').focus()")?;
    page.focus_filter()?;
    // The queries take 280, 330, … 530 µs.
    page.browser.keys("kind = query duration >= 430us")?;
    page.browser.wait("three queries", &format!("{LIST} === '3 of 6'"))?;
    page.browser.wait("their number", &format!("{BAR}.innerText.includes('3 matches')"))?;
    page.browser.wait("the link", "location.hash.includes('filter=kind')")?;
    ensure!(
        page.eval("document.querySelector('#filter').value")? == "kind = query duration >= 430us",
        "another text"
    );
    accessibility::passes(&page)?;
    page.tab("statements")?;
    page.browser.wait(
        "three executions",
        "document.querySelector('.statements')?.innerText.includes('3 executions')",
    )?;
    page.tab("pivot")?;
    page.browser.wait("three points", "document.querySelector('.pivot-sum')?.innerText.includes('3')")?;
    page.tab("gantt")?;
    hides_and_dims(&page)?;
    // Another filter, and none.
    page.filter("failed")?;
    page.browser.wait("the failed query", &format!("{LIST} === '1 of 6'"))?;
    page.filter("nowhere")?;
    page.tab("overview")?;
    let charts = "document.querySelector('.charts')?.innerText";
    page.browser.wait(
        "a sentence in place of charts",
        &format!("{charts}?.startsWith('Nothing to chart: no query')"),
    )?;
    page.browser.click(".filter-bar > button")?;
    page.browser.wait("no filter", &format!("{BAR} === null && !location.hash.includes('filter=')"))?;
    page.is_quiet()
}

/// Hides what does not match, by the keyboard: Back undoes it, arrow keys select what matches, and a jump to another span shows that.
fn hides_and_dims(page: &Page) -> Result<()> {
    page.filter("kind = \"source execution\"")?;
    page.browser.wait("executions", &format!("{BAR}.innerText.includes('matches')"))?;
    let is_on = |name: &str| format!("{BAR}.querySelector('[data-label={name}]').ariaPressed === 'true'");
    page.browser.wait("dimmed", &is_on("Dim"))?;
    let dimmed = page.picture()?;
    page.browser.run(&format!("{BAR}.querySelector('[data-label=Hide]').focus()"), json!([]))?;
    page.browser.keys("\u{e007}")?;
    page.browser.wait("hidden", &is_on("Hide"))?;
    page.browser.wait("the choice in the link", "location.hash.includes('unmatched=hidden')")?;
    ensure!(page.picture()? != dimmed, "hiding draws the same as dimming");
    accessibility::passes(page)?;
    page.browser.run("history.back()", json!([]))?;
    page.browser.wait("dimmed by Back", &is_on("Dim"))?;
    page.browser.run("history.forward()", json!([]))?;
    page.browser.wait("hidden by Forward", &is_on("Hide"))?;
    page.picture()?;
    // From a query, which is hidden, the arrow keys lead to what is shown.
    page.eval("document.querySelector('.picture').focus()")?;
    page.browser.keys("\u{e014}")?;
    let kind = "document.querySelector('#details .kicker')?.innerText.toLowerCase()";
    page.browser.wait("an execution", &format!("{kind}?.includes('source execution')"))?;
    // A jump to a hidden span shows it.
    page.select_first_query()?;
    page.says("Filter set to Dim")?;
    page.browser.wait("dimmed again", &is_on("Dim")).map(|_| ())
}

#[test]
fn a_wrong_filter_says_where_and_keeps_the_last_valid_one() -> Result<()> {
    let page = Page::with_run("filter-wrong")?;
    page.browser.click("#filter-button")?;
    page.browser.wait("the field", "document.querySelector('#page-filter')")?;
    page.filter("duration >= 430us")?;
    page.browser.wait("three queries", &format!("{LIST} === '3 of 6'"))?;
    for (text, wrong) in [
        ("duration >= 430us nope > 3", "nope > 3"),
        ("duration > soon", "duration > soon"),
        ("failed > ", "failed >"),
    ] {
        page.filter(text)?;
        page.browser.wait(
            "the wrong part",
            &format!("document.querySelector('.filter-bar mark')?.innerText.trim() === '{wrong}'"),
        )?;
        page.browser.wait(
            "the state of the field",
            "document.querySelector('#page-filter').ariaInvalid === 'true'",
        )?;
        ensure!(page.eval(LIST)? == "3 of 6", "another list");
        ensure!(!page.eval("location.hash")?.contains("nope"), "the link has a wrong filter");
    }
    page.filter("kind:queri")?;
    page.browser.wait(
        "what nothing meets",
        &format!(
            "{BAR}.querySelector('mark')?.innerText === 'kind:queri' && {BAR}.innerText.includes('values include ')"
        ),
    )?;
    page.browser.wait("an empty list", &format!("{LIST} === '0 of 6'"))?;
    page.filter("")?;
    page.browser.wait("all queries", &format!("{LIST} === '6'"))?;
    page.is_quiet()
}

/// Conditions that a query meets only together with what is inside it.
#[test]
fn queries_that_match_as_a_whole_are_counted_where_no_span_matches() -> Result<()> {
    let page = Page::with_run("filter-whole")?;
    page.browser.click("#filter-button")?;
    page.filter("kind = query connector = pg-conn")?;
    page.browser.wait("the list", &format!("{LIST} === '6 of 6' || {LIST} === '6'"))?;
    let both = "6 queries match as a whole, but no single span or event meets all conditions";
    page.browser.wait("both numbers", &format!("{BAR}.innerText.includes('{both}')"))?;
    page.tab("pivot")?;
    page.browser.wait("the same and what to do",
        &format!("document.querySelector('.pivot')?.innerText.includes('{both}') && document.querySelector('.pivot').innerText.includes('in Statements')"),
    )?;
    accessibility::passes(&page)?;
    page.is_quiet()
}

/// The texts of the completions.
const OPTIONS: &str = "[...document.querySelectorAll('.filter-bar [role=option] > :first-child')].map(one => one.innerText).join()";
const FIELD: &str = "document.querySelector('#page-filter').value";
const CHIPS: &str = "[...document.querySelectorAll('.filter-bar [role=listitem]')].map(one => one.innerText.trim().split('\\n')[0]).join()";

#[test]
fn names_operators_and_values_are_completed_by_keys() -> Result<()> {
    let (down, enter) = ("\u{e015}", "\u{e007}");
    let (tab, escape) = ("\u{e004}", "\u{e00c}");
    let page = Page::with_run("filter-completion")?;
    page.browser.click("#filter-button")?;
    page.browser.wait("the focused field", "document.activeElement?.id === 'page-filter'")?;
    page.browser.keys("kin")?;
    page.browser.wait("a name", &format!("{OPTIONS} === 'kind'"))?;
    // A name without its condition is not a word to search for.
    page.browser.wait("a hint", &format!("{BAR}.innerText.includes('Press Enter')"))?;
    ensure!(page.eval(LIST)? == "6", "an unfinished filter applies");
    accessibility::passes(&page)?;
    page.browser.keys(down)?;
    page.browser.wait(
        "the highlighted name",
        "document.querySelector('#page-filter').getAttribute('aria-activedescendant') === 'page-filter-0'",
    )?;
    page.browser.keys(enter)?;
    page.browser.wait("the name", &format!("{FIELD} === 'kind '"))?;
    page.browser.wait("operators", &format!("{OPTIONS} === '=,!=,~,!~'"))?;
    page.browser.keys("= qu")?;
    page.browser.wait("a value", &format!("{OPTIONS} === 'query,request' || {OPTIONS} === 'query'"))?;
    page.browser.keys(down)?;
    page.browser.keys(tab)?;
    page.browser.wait("the filter", &format!("{FIELD} === 'kind = query ' && {LIST} === '6'"))?;
    page.browser.keys("dur")?;
    page.browser.wait("a name", &format!("{OPTIONS}.startsWith('duration')"))?;
    page.browser.keys(escape)?;
    page.browser
        .wait("no list", &format!("{OPTIONS} === '' && document.activeElement?.id === 'page-filter'"))?;
    page.browser
        .wait("a field without a list", "document.querySelector('#page-filter').ariaExpanded === 'false'")?;
    page.browser.wait("the word in the link", "/filter=kind[^&]*dur(&|$)/.test(location.hash)")?;
    page.is_quiet()
}

#[test]
fn conditions_are_turned_and_removed() -> Result<()> {
    let page = Page::with_run("filter-conditions")?;
    page.browser.click("#filter-button")?;
    page.filter("kind = query duration >= 430us")?;
    page.browser.wait("conditions", &format!("{CHIPS} === 'kind = query,duration >= 430us'"))?;
    accessibility::passes(&page)?;
    page.browser.click("[aria-label='Change to duration < 430us']")?;
    page.browser
        .wait("the others", &format!("{FIELD} === 'kind = query duration < 430us' && {LIST} === '3 of 6'"))?;
    page.browser.click("[aria-label='Remove kind = query']")?;
    page.browser.wait(
        "one condition",
        &format!("{FIELD} === 'duration < 430us' && {CHIPS} === 'duration < 430us'"),
    )?;
    for (tab, says) in
        [("flame", "that do not match"), ("compare", "not filtered"), ("statements", "inside them")]
    {
        page.tab(tab)?;
        page.browser.wait("what it does", &format!("{BAR}.innerText.includes('{says}')"))?;
    }
    page.tab("overview")?;
    page.browser.wait("the heading", "document.querySelector('#worth')?.innerText.includes('(filtered)')")?;
    page.is_quiet()
}

#[test]
fn a_value_is_included_and_excluded_by_its_menu() -> Result<()> {
    let page = Page::with_run("filter-menu")?;
    page.select_first_query()?;
    page.browser.click("#details [aria-label='Filter by kind: query']")?;
    page.browser.wait(
        "the menu with the focus",
        "document.activeElement?.innerText === 'Only this' && document.querySelector('#filter-menu code').innerText === 'kind = query'",
    )?;
    accessibility::passes(&page)?;
    page.browser.keys("\u{e007}")?;
    page.browser.wait("the filter", &format!("{FIELD} === 'kind = query' && {LIST} === '6'"))?;
    page.browser.wait("no menu", "!document.querySelector('#filter-menu').matches(':popover-open')")?;
    page.tab("pivot")?;
    page.browser.click(".pivot [aria-label^='Filter by']")?;
    page.browser.wait("the menu", "document.querySelector('#filter-menu').matches(':popover-open')")?;
    page.browser.click("#filter-menu button:nth-of-type(2)")?;
    page.browser.wait("no menu", "!document.querySelector('#filter-menu').matches(':popover-open')")?;
    page.browser.wait("a condition that is already there, once", &format!("{FIELD} === 'kind = query'"))?;
    page.tab("statements")?;
    page.browser.click(".statements [aria-label^='Filter by']")?;
    page.browser.click("#filter-menu button:nth-of-type(3)")?;
    page.browser.wait("the excluded statement", &format!("{FIELD}.includes('SQL[shape] != ')"))?;
    page.is_quiet()
}
