//! The page as the tests see it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Firefox, Mount, Named, Options, Server, button, dialog, site, tab};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};

/// A browser with the site open in it.
pub struct Page {
    pub browser: Browser,
    pub server: Server,
}

impl Page {
    /// The site at the root of its own server, as it looks before a trace is opened.
    pub fn open() -> Result<Self> {
        let page = Self::at(vec![Mount::new("/", site()?)], "")?;
        page.phase("landing")?;
        Ok(page)
    }

    /// A server with these mounts, opened at `path`, which may have a query and a fragment.
    pub fn at(mounts: Vec<Mount>, path: &str) -> Result<Self> {
        let server = Server::start(mounts)?;
        let browser = Browser::fresh()?;
        browser.open(&format!("{}{path}", server.url()))?;
        Ok(Page { browser, server })
    }

    /// A server with these mounts, and a Firefox; `None`, and a line that says so, where that is not installed.
    pub fn in_firefox(mounts: Vec<Mount>) -> Result<Option<Self>> {
        let Some(firefox) = Firefox::find() else {
            eprintln!("skipped: no Firefox with a geckodriver (FIREFOX, GECKODRIVER, or on the PATH)");
            return Ok(None);
        };
        let server = Server::start(mounts)?;
        Ok(Some(Page { browser: Browser::firefox(&firefox, Options::default())?, server }))
    }

    /// Waits for a phase: landing, loading, ready, error.
    pub fn phase(&self, phase: &str) -> Result<()> {
        let test = format!("document.querySelector('#app')?.dataset.phase === {phase:?}");
        self.browser.wait(&format!("phase {phase}"), &test).map(|_| ())
    }

    /// Waits until a trace with this many queries is there and drawn.
    pub fn ready(&self, queries: u64) -> Result<()> {
        let test = "['ready', 'error'].includes(document.querySelector('#app')?.dataset.phase)";
        self.browser.wait("a trace", test)?;
        let count = format!("document.querySelector('#app').dataset.queries === '{queries}'");
        self.browser.wait(&format!("{queries} queries"), &count)?;
        self.browser.wait("the trace to be drawn", &format!("({COLOURS})('#gantt, #flame') > 3")).map(|_| ())
    }

    /// Picks files and waits for them.
    pub fn load(&self, files: &[&Path], queries: u64) -> Result<()> {
        self.browser.pick("#file-input", files)?;
        self.ready(queries)
    }

    /// Opens the site and a run of [`QUERIES`] queries from a file in the folder of a test, and waits until it is drawn.
    pub fn with_run(test: &str) -> Result<Self> {
        let folder = fixtures::folder(test)?;
        let page = Self::open()?;
        page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
        page.picture()?;
        Ok(page)
    }

    /// Shows the bar of the filter by its key in the timeline, and waits until its field has the focus.
    pub fn focus_filter(&self) -> Result<()> {
        self.browser.run(
            "document.querySelector('.picture').dispatchEvent(new KeyboardEvent('keydown', { key: 'F', shiftKey: true, bubbles: true, composed: true }))",
            json!([]),
        )?;
        self.browser.wait("the focused field", "document.activeElement?.id === 'page-filter'").map(|_| ())
    }

    /// Replaces the text of the field in the bar of the filter.
    pub fn filter(&self, text: &str) -> Result<()> {
        let script = "const field = document.querySelector('#page-filter'); field.value = arguments[0]; \
            field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));";
        self.browser.run(script, json!([text])).map(|_| ())
    }

    /// Clicks a tab by its key: overview, gantt, flame.
    pub fn tab(&self, key: &str) -> Result<()> {
        let (first, rest) = key.split_at(1);
        let name = if key == "sql" { "SQL".to_owned() } else { format!("{}{rest}", first.to_uppercase()) };
        self.browser.click_on(&tab(&name))?;
        // The tab of statements is called after slices, where there are no statements.
        let view = if key == "slices" { "statements" } else { key };
        let test = format!("document.querySelector('#app').dataset.view === {view:?}");
        self.browser.wait(&format!("the tab {key}"), &test).map(|_| ())
    }

    /// Agrees to open the traces of a link from another site.
    pub fn agree(&self) -> Result<()> {
        self.browser.click_on(&button("Open trace"))
    }

    /// Opens the import report.
    pub fn open_report(&self) -> Result<()> {
        // Its button counts the problems behind these words.
        self.browser.click_on(&Named::with("button", "Import report"))?;
        self.browser.shows(&dialog("Import report"))
    }

    /// Selects the query that stands first in the list.
    pub fn select_first_query(&self) -> Result<()> {
        self.browser.click_on(&first_row(Named::new("grid", "Queries")))
    }

    /// Waits until the page says something, in any case.
    pub fn says(&self, text: &str) -> Result<()> {
        let lower = text.to_lowercase();
        let test = format!("document.body.innerText.toLowerCase().includes({lower:?})");
        self.browser.wait(&format!("the words {text:?}"), &test).map(|_| ())
    }

    /// The value of an expression, as text.
    pub fn eval(&self, expression: &str) -> Result<String> {
        let value = self.browser.run(&format!("return String({expression})"), json!([]))?;
        value.as_str().map(str::to_owned).context("a string")
    }

    /// Nothing went wrong that the user was not told: no error in the console, no panic.
    pub fn is_quiet(&self) -> Result<()> {
        let log = self.browser.console()?;
        // Chromium tells that it ignores the integrity of preloads: a limit of its own, without effect.
        let bad: Vec<&String> = log
            .iter()
            .filter(|l| l.starts_with("SEVERE") || l.contains("panicked"))
            .filter(|l| !l.contains("integrity"))
            .collect();
        ensure!(bad.is_empty(), "the console holds errors: {bad:#?}");
        Ok(())
    }

    /// A number that changes when the picture does.
    pub fn picture(&self) -> Result<String> {
        // Two frames: what was asked for has been drawn.
        let script = format!(
            "await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))); \
             await new Promise(r => setTimeout(r, 150)); return ({HASH})('#gantt, #flame')"
        );
        Ok(self.browser.run_async(&script, json!([]))?.to_string())
    }
}

/// The panel with what is known of the selection.
pub fn details() -> Named {
    Named::new("complementary", "Details of the selection")
}

/// The first row of a table below its head.
pub fn first_row(table: Named) -> Named {
    Named::with("row", "").within(Named::new("rowgroup", "").within(table))
}

/// How many colours the first canvas of a selection that is shown holds.
const COLOURS: &str = "css => { const c = [...document.querySelectorAll(css)].find(c => c.checkVisibility() && c.width); \
    if (!c) return 0; const copy = new OffscreenCanvas(c.width, c.height); const x = copy.getContext('2d'); \
    x.drawImage(c, 0, 0); const d = new Uint32Array(x.getImageData(0, 0, c.width, c.height).data.buffer); \
    return new Set(d).size }";

/// A hash of the same canvas.
const HASH: &str = "css => { const c = [...document.querySelectorAll(css)].find(c => c.checkVisibility() && c.width); \
    if (!c) return 0; const copy = new OffscreenCanvas(c.width, c.height); const x = copy.getContext('2d'); \
    x.drawImage(c, 0, 0); const d = new Uint32Array(x.getImageData(0, 0, c.width, c.height).data.buffer); \
    let h = 0; for (const p of d) h = (Math.imul(h, 31) + p) | 0; return h }";
