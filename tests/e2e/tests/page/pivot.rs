//! The pivot table: grouped, measured, opened, filtered and taken away, by mouse and by keyboard.

use anyhow::{Result, ensure};
use queryscope_e2e::{Named, button};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const ARROW_LEFT: &str = "\u{e012}";
const ARROW_RIGHT: &str = "\u{e014}";
const ARROW_DOWN: &str = "\u{e015}";
const DELETE: &str = "\u{e017}";

/// The table of a run of [`QUERIES`] queries, by kind and name.
fn table(test: &str) -> Result<Page> {
    let folder = fixtures::folder(test)?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    page.tab("pivot")?;
    groups(&page, "request")?;
    Ok(page)
}

/// Waits until the first column of the table begins with these labels, one per line.
fn groups(page: &Page, labels: &str) -> Result<()> {
    let shown =
        "[...document.querySelectorAll('.pivot .grid-rows .label')].map(label => label.innerText.trim())";
    let count = labels.lines().count();
    let test = format!("{shown}.slice(0, {count}).join('\\n') === {labels:?}");
    page.browser.wait(&format!("the groups {labels:?}"), &test).map(|_| ())
}

/// Waits for the line above the table.
fn sum(page: &Page, text: &str) -> Result<()> {
    let test = format!("document.querySelector('.pivot-sum')?.innerText === {text:?}");
    page.browser.wait(text, &test).map(|_| ())
}

/// Waits until a list of chips reads like this.
fn chips(page: &Page, list: &str, expected: &str) -> Result<()> {
    let shown = format!(
        "[...document.querySelectorAll('[aria-labelledby={list}-label] [role=listitem]')]\
         .map(chip => chip.firstChild.textContent.trim()).join(', ')"
    );
    page.browser.wait(&format!("the chips {expected:?}"), &format!("{shown} === {expected:?}")).map(|_| ())
}

/// Chooses what is added to a list.
fn add(page: &Page, list: &str, choice: &str) -> Result<()> {
    let offered =
        format!("[...document.querySelectorAll('#{list}-add option')].some(o => o.value === {choice:?})");
    page.browser.wait(&format!("{choice} among the choices"), &offered)?;
    let choose = "const choice = document.querySelector(arguments[0]); choice.value = arguments[1]; \
        choice.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.run(choose, json!([format!("#{list}-add"), choice])).map(|_| ())
}

fn focus(page: &Page, css: &str) -> Result<()> {
    page.browser.run("document.querySelector(arguments[0]).focus()", json!([css])).map(|_| ())
}

fn filter(page: &Page, text: &str) -> Result<()> {
    let set = "const field = document.querySelector('#pivot-filter'); field.value = arguments[0]; \
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))";
    page.browser.run(set, json!([text])).map(|_| ())
}

#[test]
fn dimensions_and_measures_come_and_go_by_mouse() -> Result<()> {
    let page = table("pivot-mouse")?;
    sum(&page, "30 spans and events in 10 groups")?;
    add(&page, "by", "status")?;
    chips(&page, "by", "kind, name, status")?;
    let heads = "[...document.querySelectorAll('.pivot [role=columnheader]')].map(head => head.innerText.trim()).join()";
    page.browser.wait("the new head", &format!("{heads}.startsWith('kind › name › status')"))?;
    // A click on its cross rolls up.
    page.browser.click_on(&button("Remove name"))?;
    chips(&page, "by", "kind, status")?;
    add(&page, "measure", "max(rows read)")?;
    page.browser.wait("the new column", &format!("{heads}.endsWith('rows read, max')"))?;
    let cell = "[...document.querySelectorAll('.pivot .total [role=gridcell]')].at(-1)?.title === '1000'";
    page.browser.wait("the most rows read", cell)?;
    page.is_quiet()
}

/// Values of a second dimension as columns: one for each, then what all have together, which is what was there before.
#[test]
fn a_dimension_across_makes_columns() -> Result<()> {
    let page = table("pivot-across")?;
    for measure in ["sum(self time)", "avg", "p95", "max"] {
        page.browser.click_on(&button(&format!("Remove {measure}")))?;
    }
    add(&page, "by", "status")?;
    page.browser.click_on(&button("Remove name"))?;
    let text = |selector: &str| {
        format!(
            "[...document.querySelectorAll('.pivot {selector}')].map(cell => cell.innerText.trim()).join('|')"
        )
    };
    let totals = format!("({}).split('|').slice(-2).join('|')", text(".total [role=gridcell]"));
    page.browser
        .wait("two measures", &format!("({}).split('|').length === 3", text("[role=columnheader]")))?;
    let all = page.eval(&totals)?;
    add(&page, "across", "kind")?;
    chips(&page, "across", "kind")?;
    page.browser.wait("a column for queries", &format!("({}).includes('query')", text(".grid-heads")))?;
    let after = page.eval(&totals)?;
    ensure!(after == all, "{all} without columns, {after} for all of them");
    let heads = page.eval(&text("[role=columnheader]"))?;
    ensure!(heads.split('|').count() > 6, "{heads}");
    page.browser.wait("the columns in the address", "location.hash.includes('across=kind')")?;
    page.browser.click_on(&button("Remove kind").within(Named::new("list", "Columns by")))?;
    page.browser
        .wait("two measures again", &format!("({}).split('|').length === 3", text("[role=columnheader]")))?;
    page.is_quiet()
}

#[test]
fn groups_open_down_to_what_they_are_made_of() -> Result<()> {
    let page = table("pivot-open")?;
    page.browser.click_on(&Named::with("row", "request").within(Named::new("treegrid", "Groups")))?;
    groups(&page, "request\nrequest")?;
    page.browser.click("#pivot-1")?;
    page.browser.wait("the requests", "document.querySelectorAll('.pivot .point').length === 6")?;
    page.browser.click("#pivot-2")?;
    page.browser
        .wait("its details", "document.querySelector('#details h2')?.innerText.includes('request')")?;
    // Closed by the head of its group, with all that is in it.
    page.browser.click("#pivot-0")?;
    page.browser.wait("the group to close", "!document.querySelector('.pivot .point')")?;
    page.is_quiet()
}

#[test]
fn the_table_is_used_by_keyboard() -> Result<()> {
    let page = table("pivot-keys")?;
    focus(&page, ".pivot .grid")?;
    page.browser.keys(&format!("{ARROW_RIGHT}{ARROW_RIGHT}"))?;
    let cursor = |at: u32| {
        format!(
            "document.querySelector('.pivot .grid').getAttribute('aria-activedescendant') === 'pivot-{at}'"
        )
    };
    page.browser.wait("the group's first row", "document.querySelector('#pivot-1')?.ariaLevel === '2'")?;
    page.browser.keys(ARROW_DOWN)?;
    page.browser.keys(ARROW_LEFT)?;
    page.browser.keys(ARROW_LEFT)?;
    page.browser
        .wait("the cursor on a group", &format!("{} || {} || {}", cursor(0), cursor(1), cursor(2)))?;
    focus(&page, "[aria-labelledby=by-label] [role=listitem]:nth-child(2)")?;
    page.browser.keys(ARROW_LEFT)?;
    chips(&page, "by", "name, kind")?;
    let focused = "document.activeElement?.closest('[role=listitem]')?.innerText.startsWith('name')";
    page.browser.wait("the focus on the chip that moved", focused)?;
    page.browser.keys(DELETE)?;
    chips(&page, "by", "kind")?;
    page.is_quiet()
}

#[test]
fn projections_are_chosen_and_composed_by_hand() -> Result<()> {
    let page = table("pivot-projections")?;
    add(&page, "by", "SQL[shape]")?;
    chips(&page, "by", "kind, name, SQL (statement shape)")?;
    // A chip is changed where it stands: another projection after the first.
    focus(&page, "[aria-labelledby=by-label] [role=listitem]:nth-child(3)")?;
    page.browser.keys(ENTER)?;
    page.browser.wait(
        "the field",
        "document.activeElement?.matches('.chip-edit') && document.activeElement.value === 'SQL[shape]'",
    )?;
    page.browser.keys(&format!("SQL[shape][ 1]{ENTER}"))?;
    chips(&page, "by", "kind, name, SQL (statement shape, first word)")?;
    page.browser.wait(
        "the composed head",
        "document.querySelector('.pivot [role=columnheader]').innerText.includes('SQL (statement shape, first word)')",
    )?;
    // What is not understood is said, and can be taken back.
    add(&page, "measure", "=")?;
    page.browser.wait("an empty field", "document.activeElement?.matches('.chip-edit')")?;
    page.browser.keys(&format!("p42(nothing){ENTER}"))?;
    page.says("unknown number “nothing”")?;
    page.browser.click_on(&button("Remove p42(nothing)"))?;
    groups(&page, "request")?;
    add(&page, "measure", "=")?;
    page.browser.wait("an empty field", "document.activeElement?.matches('.chip-edit')")?;
    page.browser.keys(ESCAPE)?;
    page.browser.wait("the field to go", "!document.querySelector('.chip-edit')")?;
    page.is_quiet()
}

/// Where an element is: left, right, and the middle of its height.
fn place(page: &Page, css: &str) -> Result<[f64; 3]> {
    let script = "const b = document.querySelector(arguments[0]).getBoundingClientRect(); \
        return [b.left, b.right, (b.top + b.bottom) / 2]";
    Ok(serde_json::from_value(page.browser.run(script, json!([css]))?)?)
}

/// Lets go of the first chip of a list at a place: what the browser tells the page of a drag.
fn drag_first(page: &Page, list: &str, x: f64, y: f64) -> Result<()> {
    // The site's viewer is the first of its page.
    let item = json!({ "mimeType": format!("application/x-queryscope-0-{list}"), "data": "0" });
    let data = json!({ "items": [item], "files": [], "dragOperationsMask": 16 });
    for step in ["dragEnter", "dragOver", "drop"] {
        let event = json!({ "type": step, "x": x, "y": y, "data": data });
        page.browser.devtools("Input.dispatchDragEvent", event)?;
        if step == "dragOver" {
            let marked = "document.querySelector('.drop-before, .drop-behind')";
            page.browser.wait("the place where it would go", marked)?;
        }
    }
    page.browser.wait("the mark to go", "!document.querySelector('.drop-before, .drop-behind')").map(|_| ())
}

#[test]
fn chips_are_dragged_into_another_order() -> Result<()> {
    let page = table("pivot-drag")?;
    chips(&page, "measure", "count, sum, sum(self time), avg, p95, max")?;
    let [left, _, y] = place(&page, "[aria-labelledby=measure-label] [role=listitem]:nth-child(3)")?;
    drag_first(&page, "measure", left + 3.0, y)?;
    chips(&page, "measure", "sum, count, sum(self time), avg, p95, max")?;
    // The rows stay in the order of the same measure.
    page.browser.wait(
        "the order by sum",
        "document.querySelector('.pivot [aria-sort=descending]').innerText.trim() === 'duration, sum'",
    )?;
    let [_, right, y] = place(&page, "[aria-labelledby=measure-label] [role=listitem]:nth-child(6)")?;
    drag_first(&page, "measure", right + 14.0, y)?;
    chips(&page, "measure", "count, sum(self time), avg, p95, max, sum")?;
    page.is_quiet()
}

#[test]
fn a_filter_and_a_time_range_narrow_it() -> Result<()> {
    let page = table("pivot-filter")?;
    filter(&page, "kind = request")?;
    sum(&page, "6 spans and events in 1 group")?;
    filter(&page, "kind = request duration < 1ns")?;
    page.says("No matching spans or events")?;
    filter(&page, "duration >")?;
    page.says("Invalid expression")?;
    page.browser.click_on(&button("Clear filter"))?;
    sum(&page, "30 spans and events in 10 groups")?;
    page.tab("gantt")?;
    page.browser.keys("wwr")?;
    page.tab("pivot")?;
    let fewer = "/^[12]?[0-9] spans/.test(document.querySelector('.pivot-sum')?.innerText)";
    page.browser.wait("fewer spans", fewer)?;
    page.browser.click_on(&button("Clear range"))?;
    sum(&page, "30 spans and events in 10 groups")?;
    page.is_quiet()
}

#[test]
fn the_whole_table_is_saved_as_csv() -> Result<()> {
    let page = table("pivot-csv")?;
    let catch = "window.saved = []; URL.createObjectURL = blob => { blob.text().then(text => saved.push(text)); return 'data:,' }";
    page.browser.run(catch, json!([]))?;
    filter(&page, "kind = query")?;
    sum(&page, "6 spans and events in 6 groups")?;
    let save = "[...document.querySelectorAll('.pivot button')].find(b => b.innerText.includes('Save as CSV')).click()";
    page.browser.run(save, json!([]))?;
    page.browser.wait("the file", "saved.length === 1")?;
    let text = page.eval("saved[0]")?;
    let lines: Vec<&str> = text.lines().collect();
    ensure!(lines.len() == 7, "{text}");
    ensure!(
        lines[0]
            == "kind,name,count,\"duration, sum (ns)\",\"self time, sum (ns)\",\"duration, avg (ns)\",\"duration, p95 (ns)\",\"duration, max (ns)\"",
        "{text}"
    );
    ensure!(lines[1].starts_with("query,") && lines[1].contains(",1,"), "{text}");
    page.is_quiet()
}
