//! Every view and dialog of a trace of each engine, light and dark, by the rules of axe-core; and where the focus is.

use std::env;
use std::fs;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Named, button, dialog};
use serde_json::{Value, json};

use crate::fixtures::{self, QUERIES, file};
use crate::page::{Page, first_row};

const ESCAPE: &str = "\u{e00c}";
const ENTER: &str = "\u{e007}";

/// Findings that axe-core calls less than serious, or does not look for by itself.
const BESIDES: [&str; 6] = [
    "empty-table-header",
    "heading-order",
    "label-content-name-mismatch",
    "landmark-unique",
    "page-has-heading-one",
    "scrollable-region-focusable",
];

/// Runs axe-core on what is shown; the findings that matter, each with the first elements.
const RUN: &str = "
    const rules = Object.fromEntries(arguments[0].map(id => [id, { enabled: true }]));
    const { violations } = await axe.run(document, { rules, resultTypes: ['violations'] });
    const matters = found => ['serious', 'critical'].includes(found.impact) || arguments[0].includes(found.id);
    return violations.filter(matters).map(found => `${found.id} (${found.impact}): `
        + found.nodes.slice(0, 3).map(node => node.html.slice(0, 200) + ' – ' + node.failureSummary).join(' | '))";

/// axe-core, which `AXE` names; `None`, and a line that says so, where it does not.
pub fn axe() -> Result<Option<String>> {
    let Some(script) = env::var_os("AXE") else {
        eprintln!("skipped: no axe-core (AXE names its axe.min.js; `cargo xtask test` fetches it)");
        return Ok(None);
    };
    fs::read_to_string(&script).map(Some).with_context(|| format!("cannot read {}", script.display()))
}

/// What axe-core finds on the page that is shown.
pub fn findings(browser: &Browser, axe: &str) -> Result<Vec<String>> {
    if browser.run("return typeof window.axe", json!([]))? == "undefined" {
        browser.run(axe, json!([]))?;
    }
    let found = browser.run_async(RUN, json!([BESIDES]))?;
    Ok(found.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Fails if axe-core finds something on the page that is shown.
pub fn passes(page: &Page) -> Result<()> {
    let Some(axe) = axe()? else { return Ok(()) };
    let found = findings(&page.browser, &axe)?;
    ensure!(found.is_empty(), "{found:?}");
    Ok(())
}

/// A page that is checked again and again.
struct Checked {
    page: Page,
    axe: String,
    /// What was found, with where.
    found: Vec<String>,
}

impl Checked {
    fn open(axe: String) -> Result<Self> {
        let page = Page::open()?;
        Ok(Self { page, axe, found: Vec::new() })
    }

    /// Notes what is wrong with what is shown, light and dark.
    fn check(&mut self, place: &str) -> Result<()> {
        let browser = &self.page.browser;
        for theme in ["light", "dark"] {
            browser.prefer(theme)?;
            // Colours change in steps.
            browser.run_async("await new Promise(r => setTimeout(r, 250))", json!([]))?;
            for finding in findings(browser, &self.axe)? {
                self.found.push(format!("{place}, {theme}: {finding}"));
            }
        }
        Ok(())
    }

    /// Every tab of the trace that is open, with something selected, and every dialog.
    fn check_all(&mut self, trace: &str) -> Result<()> {
        let names = "[...document.querySelectorAll('[role=tab]')].map(tab => tab.textContent).join()";
        for tab in self.page.eval(names)?.to_lowercase().split(',') {
            self.page.tab(tab)?;
            // What the view asked for is there.
            self.page.browser.run_async("await new Promise(r => setTimeout(r, 500))", json!([]))?;
            self.check(&format!("{trace}, {tab}"))?;
            if tab == "flame" {
                self.page.browser.click_on(&button("Merged"))?;
                self.page.browser.wait("the chips", "document.querySelector('.chip-step')")?;
                self.check(&format!("{trace}, merged flame graph"))?;
            }
            if tab == "pivot" {
                self.page.browser.click_on(&first_row(Named::new("treegrid", "Groups")))?;
                self.page.browser.wait("an open group", "document.querySelector('[aria-expanded=true]')")?;
                self.check(&format!("{trace}, open group"))?;
            }
        }
        for (opener, heading) in [
            (Named::with("button", "Import report"), "Import report"),
            (button("Load subset…"), "Load subset"),
            (button("Keyboard shortcuts"), "Keyboard and pointer"),
            (button("Save"), "Save"),
        ] {
            self.page.browser.click_on(&opener)?;
            self.page.browser.shows(&dialog(heading))?;
            self.page.browser.run_async("await new Promise(r => setTimeout(r, 300))", json!([]))?;
            self.check(&format!("{trace}, {heading}"))?;
            if heading != "Import report" {
                self.page.browser.keys(ESCAPE)?;
                self.page.browser.wait("no dialog", "!document.querySelector('dialog')")?;
            }
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        ensure!(self.found.is_empty(), "{} findings:\n{}", self.found.len(), self.found.join("\n"));
        Ok(())
    }
}

/// Opens these files in a page of their own, and checks all of it.
fn check(name: &str, files: &[(&str, &str)]) -> Result<()> {
    let Some(axe) = axe()? else { return Ok(()) };
    let folder = fixtures::folder(&format!("axe-{name}"))?;
    let paths = files.iter().map(|(name, text)| file(&folder, name, text)).collect::<Result<Vec<_>>>()?;
    let mut checked = Checked::open(axe)?;
    let files: Vec<_> = paths.iter().map(|path| path.as_path()).collect();
    checked.page.browser.pick("#file-input", &files)?;
    checked.page.phase("ready")?;
    checked.page.browser.wait("the trace", "!document.querySelector('.loading')")?;
    checked.page.browser.keys("q")?;
    if checked.page.eval("Boolean(document.querySelector('.query-row'))")? == "true" {
        checked.page.select_first_query()?;
    }
    checked.check_all(name)?;
    checked.end()
}

#[test]
fn kubling() -> Result<()> {
    let text = fixtures::array("a").replace("BUFFER_EVENT", "NEW_TYPE");
    check("kubling", &[("a.json", &fixtures::array("a")), ("b.json", &text)])
}

#[test]
fn monetdb() -> Result<()> {
    check("monetdb", &[("mitosis.ndjson", include_str!("../../../traces/monetdb/mitosis.ndjson"))])
}

#[test]
fn mysql() -> Result<()> {
    let files = crate::transactions::FILES;
    check("mysql", &files)
}

#[test]
fn chrome() -> Result<()> {
    check("chrome", &[("flows.json", include_str!("../../../traces/chrome/flows.json"))])
}

#[test]
fn topoexec() -> Result<()> {
    check("topoexec", &[("trace.json", include_str!("../../../traces/topoexec/steps.trace.json"))])
}

#[test]
fn before_a_trace_is_open() -> Result<()> {
    let Some(axe) = axe()? else { return Ok(()) };
    let mut checked = Checked::open(axe)?;
    checked.check("landing page")?;
    let folder = fixtures::folder("axe-error")?;
    checked.page.browser.pick("#file-input", &[&file(&folder, "notes.txt", "nothing of a trace")?])?;
    checked.page.phase("error")?;
    checked.check("no trace")?;
    checked.page.open_report()?;
    checked.page.browser.wait("the report", "document.querySelector('.report-file')")?;
    checked.check("report of no trace")?;
    checked.end()
}

/// Whether an element has the focus, for [`crate::page::Page::browser`].
fn has_focus(css: &str) -> String {
    format!("document.activeElement?.matches({css:?})")
}

#[test]
fn the_focus_goes_where_keys_are_of_use() -> Result<()> {
    let folder = fixtures::folder("focus")?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    page.browser.wait("the focus on the view", &has_focus("canvas.picture"))?;
    page.browser.keys("q")?;
    page.browser.wait("the focus on the query list", &has_focus("#queries [role=grid]"))?;
    page.browser.keys("\u{e015}")?;
    page.browser.wait("a selected query", "document.querySelector('.query-row[aria-selected=true]')")?;
    // A closed list opens.
    page.browser.click_on(&button("Query list"))?;
    page.browser.wait("the heading of the list alone", "document.querySelector('#queries.closed')")?;
    page.browser.keys("q")?;
    page.browser.wait("the focus on the list again", &has_focus("#queries [role=grid]"))?;
    // Fields are left by Esc, and keep what was typed; the search gives up what it found.
    page.browser.run("document.querySelector('#filter').focus()", json!([]))?;
    page.browser.keys("orders")?;
    page.browser.keys(ESCAPE)?;
    page.browser.wait("the focus on the view", &has_focus("canvas.picture"))?;
    ensure!(page.eval("document.querySelector('#filter').value")? == "orders", "the filter is gone");
    page.browser.keys("/")?;
    page.browser.wait("the focus on the search", &has_focus("#search"))?;
    page.browser.keys(ESCAPE)?;
    page.browser.wait("the focus on the view", &has_focus("canvas.picture"))?;
    page.tab("pivot")?;
    page.browser.wait("the table", "document.querySelector('.pivot .grid-row.group')")?;
    page.browser.run("document.querySelector('#pivot-filter').focus()", json!([]))?;
    page.browser.keys(ESCAPE)?;
    page.browser.wait("the focus on the table", &has_focus(".pivot [role=treegrid]"))?;
    // The key is in the list of keys.
    page.browser.keys("?")?;
    page.browser
        .wait("the key of the list", "document.querySelector('#help')?.innerText.includes('Query list')")?;
    page.browser.keys(ENTER)?;
    page.is_quiet()
}
