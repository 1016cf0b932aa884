//! The main tasks in Firefox, where that is installed: another engine for wasm, canvases, workers, keys and history.
//!
//! Each is done by a Firefox of its own: one that has compiled the programs a dozen times may stop compiling, and every page
//! in it stays blank.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use queryscope_e2e::{Mount, Named, button, dialog, disclosure, site, tab};
use serde_json::{Value, json};

use crate::accessibility;
use crate::fixtures::{self, QUERIES, file};
use crate::page::{Page, details};
use crate::{privacy, sql};

const ARROW_DOWN: &str = "\u{e015}";
const ARROW_RIGHT: &str = "\u{e014}";
const CTRL: char = '\u{e009}';
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

/// A task and what does it.
type Task = (&'static str, fn(&Page) -> Result<()>);

const TASKS: [Task; 14] = [
    ("open a picked file", open_a_picked_file),
    ("open dropped files", open_dropped_files),
    ("open an address", open_an_address),
    ("look at every view of each engine", look_at_every_view),
    ("use the keyboard", use_the_keyboard),
    ("select in the list", select_in_the_list),
    ("zoom and pan by mouse", zoom_and_pan),
    ("copy a link and reload", copy_a_link_and_reload),
    ("go back and forward", go_back_and_forward),
    ("switch between light and dark", switch_the_theme),
    ("read the report of a damaged file", read_the_report),
    ("embed it", embed_it),
    ("run SQL", run_sql),
    ("send nothing elsewhere", send_nothing_elsewhere),
];

#[test]
fn the_main_tasks() -> Result<()> {
    let folder = fixtures::folder("firefox-traces")?;
    file(&folder, "run.json", fixtures::array("a"))?;
    let mut failed = Vec::new();
    for (name, task) in TASKS {
        let mounts = vec![Mount::new("/", site()?), Mount::new("/traces/", folder.clone())];
        let Some(page) = Page::in_firefox(mounts)? else { return Ok(()) };
        if let Err(error) = opened(&page, "").and_then(|()| task(&page)).and_then(|()| threw_nothing(&page)) {
            failed.push(format!("{name}: {error:#}"));
        }
    }
    ensure!(failed.is_empty(), "{} of {} tasks failed:\n{}", failed.len(), TASKS.len(), failed.join("\n\n"));
    Ok(())
}

/// Opens the site as it is for somebody who never used it.
fn opened(page: &Page, address: &str) -> Result<()> {
    page.browser.open(page.server.url())?;
    page.browser.run("localStorage.clear(); sessionStorage.clear()", json!([]))?;
    page.browser.open(&format!("{}{address}", page.server.url()))?;
    let watch = "window.errors = []; addEventListener('error', event => errors.push(event.message)); \
        addEventListener('unhandledrejection', event => errors.push(String(event.reason)))";
    page.browser.run(watch, json!([]))?;
    page.browser.wait("the page", "document.querySelector('#app')?.dataset.phase").map(|_| ())
}

/// Firefox gives no console to its driver; what nobody caught is heard by the page, if it was not loaded again.
fn threw_nothing(page: &Page) -> Result<()> {
    let errors = page.eval("(window.errors ?? []).join()")?;
    ensure!(errors.is_empty(), "the page threw {errors}");
    Ok(())
}

fn loaded(page: &Page, test: &str) -> Result<()> {
    let folder = fixtures::folder(test)?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)
}

/// Does something, and waits until the timeline is drawn otherwise.
fn changes(page: &Page, what: &str, act: impl FnOnce() -> Result<()>) -> Result<()> {
    let before = page.picture()?;
    act()?;
    for _ in 0..40 {
        if page.picture()? != before {
            return Ok(());
        }
    }
    anyhow::bail!("{what} changed nothing in the timeline")
}

fn open_a_picked_file(page: &Page) -> Result<()> {
    let folder = fixtures::folder("firefox-picked")?;
    page.load(&[&file(&folder, "run.json.gz", fixtures::gzip(&fixtures::array("a"))?)?], QUERIES)
}

fn run_sql(page: &Page) -> Result<()> {
    loaded(page, "firefox-sql")?;
    if sql::is_built()? { sql::answers(page) } else { Ok(()) }
}

/// WebDriver has no way to drop files from outside: the page gets the events of a drop, with files made in the page.
fn open_dropped_files(page: &Page) -> Result<()> {
    let content = [("one.json", fixtures::array("a")), ("two.ndjson", fixtures::lines("b"))];
    let files = content.map(|(name, text)| json!([name, STANDARD.encode(text)]));
    let drop = "
        const data = new DataTransfer();
        for (const [name, text] of arguments[0]) data.items.add(new File([atob(text)], name));
        const over = document.elementFromPoint(300, 300);
        for (const kind of ['dragenter', 'dragover', 'drop'])
            over.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true, composed: true }));
        return data.files.length";
    ensure!(page.browser.run(drop, json!([files]))? == json!(2), "the page could not make two files");
    page.ready(2 * QUERIES)
}

fn open_an_address(page: &Page) -> Result<()> {
    opened(page, "#trace=traces/run.json&view=flame")?;
    page.ready(QUERIES)?;
    page.browser
        .wait("the view of the address", "document.querySelector('#app').dataset.view === 'flame'")?;
    opened(page, "#trace=traces/none.json")?;
    page.phase("error")?;
    page.says("404")
}

/// A sample of each engine, as files with names.
fn samples() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let own = |text: &str| text.to_owned();
    let mysql = crate::transactions::FILES.map(|(name, text)| (name, own(text)));
    vec![
        ("kubling", vec![("run.json", fixtures::array("a"))]),
        ("monetdb", vec![("plan.ndjson", own(include_str!("../../../traces/monetdb/mitosis.ndjson")))]),
        ("mysql", mysql.to_vec()),
        ("chrome", vec![("flows.json", own(include_str!("../../../traces/chrome/flows.json")))]),
        ("topoexec", vec![("trace.json", own(include_str!("../../../traces/topoexec/steps.trace.json")))]),
    ]
}

/// The words in the view that is shown, and for each of its canvases how many colours it has.
const SHOWN: &str = "
    const view = document.querySelector('.views');
    const colours = canvas => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height), ink = copy.getContext('2d');
        ink.drawImage(canvas, 0, 0);
        return new Set(new Uint32Array(ink.getImageData(0, 0, copy.width, copy.height).data.buffer)).size };
    const canvases = [...view.querySelectorAll('canvas')].filter(c => c.checkVisibility() && c.width && c.height);
    return [view.innerText.trim().length, canvases.filter(c => c.matches('.picture, figure *')).map(colours)]";

/// Every tab has words or a canvas with something on it, no canvas is empty, and axe-core finds nothing serious.
fn look_at_every_view(page: &Page) -> Result<()> {
    let axe = accessibility::axe()?;
    let mut found = Vec::new();
    for (engine, files) in samples() {
        opened(page, "")?;
        let folder = fixtures::folder(&format!("firefox-{engine}"))?;
        let paths =
            files.iter().map(|(name, text)| file(&folder, name, text)).collect::<Result<Vec<PathBuf>>>()?;
        page.browser.pick("#file-input", &paths.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
        page.phase("ready")?;
        page.browser.wait("the trace", "!document.querySelector('.loading')")?;
        let tabs =
            page.eval("[...document.querySelectorAll('[role=tab]')].map(tab => tab.textContent).join()")?;
        ensure!(tabs.split(',').count() >= 4, "{engine} has the tabs {tabs}");
        for key in tabs.to_lowercase().split(',') {
            page.tab(key).with_context(|| format!("{engine}, {key}"))?;
            is_drawn(page, key).with_context(|| format!("{engine}, {key}"))?;
            if let Some(axe) = &axe {
                let findings = accessibility::findings(&page.browser, axe)?;
                found.extend(findings.into_iter().map(|finding| format!("{engine}, {key}: {finding}")));
            }
        }
        threw_nothing(page)?;
    }
    ensure!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
    Ok(())
}

fn is_drawn(page: &Page, key: &str) -> Result<()> {
    let mut shown = Value::Null;
    for _ in 0..80 {
        page.picture()?;
        shown = page.browser.run(SHOWN, json!([]))?;
        let canvases: Vec<u64> = serde_json::from_value(shown[1].clone())?;
        let is_timeline = ["gantt", "flame"].contains(&key);
        let is_full = canvases.iter().all(|colours| *colours > if is_timeline { 3 } else { 1 });
        if is_full && if is_timeline { !canvases.is_empty() } else { shown[0].as_u64() > Some(40) } {
            return Ok(());
        }
    }
    anyhow::bail!("nothing is drawn: characters, and colours of canvases: {shown}")
}

fn use_the_keyboard(page: &Page) -> Result<()> {
    loaded(page, "firefox-keys")?;
    page.browser.wait("the focus on the view", "document.activeElement?.matches('canvas.picture')")?;
    page.browser.keys(ARROW_RIGHT)?;
    page.browser.shows(&details())?;
    let heading = "document.querySelector('#details h2')?.textContent";
    let first = page.eval(heading)?;
    page.browser.keys(ARROW_DOWN)?;
    page.browser.wait("what is inside it", &format!("{heading} !== {first:?}"))?;
    changes(page, "zooming by W", || page.browser.keys("ww"))?;
    changes(page, "panning by D", || page.browser.keys("dd"))?;
    page.browser.keys("?")?;
    page.browser.shows(&dialog("Keyboard and pointer"))?;
    page.browser.keys(ESCAPE)?;
    page.browser.hides(&dialog("Keyboard and pointer"))?;
    page.browser.keys("/")?;
    page.browser.wait("the focus on the search", "document.activeElement?.matches('#search')")?;
    page.browser.keys("no answer")?;
    page.browser.wait("a hit", "document.querySelector('.hits')?.innerText.includes('1')")?;
    page.browser.keys(ENTER)?;
    page.browser.says(&details(), "no answer")?;
    page.browser.keys(ESCAPE)?;
    page.browser.wait("the focus on the view again", "document.activeElement?.matches('canvas.picture')")?;
    page.browser.keys("q")?;
    page.browser
        .wait("the focus on the list", "document.activeElement?.matches('#queries [role=grid]')")
        .map(|_| ())
}

fn select_in_the_list(page: &Page) -> Result<()> {
    loaded(page, "firefox-list")?;
    changes(page, "selecting a query", || page.select_first_query())?;
    page.browser.says(&details(), "orders")?;
    page.browser.click_on(&disclosure("run.json").within(details()))?;
    page.browser.says(&details(), "QUERY_START")?;
    page.browser.click_on(&button("Close details"))?;
    page.browser.hides(&details())
}

fn zoom_and_pan(page: &Page) -> Result<()> {
    loaded(page, "firefox-mouse")?;
    let place = page.browser.run(
        "const box = document.querySelector('#gantt').getBoundingClientRect(); \
         return [box.x + box.width / 2, box.y + box.height / 2]",
        json!([]),
    )?;
    let (x, y): (f64, f64) = serde_json::from_value(place)?;
    let axis = || page.eval("document.querySelector('.timeline-corner').innerText");
    let whole = axis()?;
    changes(page, "the wheel with Ctrl", || page.browser.wheel((x, y), -200, Some(CTRL)))?;
    let zoomed = axis()?;
    ensure!(zoomed != whole && page.eval("visualViewport.scale")? == "1", "{whole}, then {zoomed}");
    changes(page, "a drag", || page.browser.drag(&[(x, y), (x + 40.0, y), (x + 120.0, y)]))?;
    ensure!(axis()? == zoomed, "a drag zooms: {zoomed}, then {}", axis()?);
    Ok(())
}

fn copy_a_link_and_reload(page: &Page) -> Result<()> {
    opened(page, "#trace=traces/run.json")?;
    page.ready(QUERIES)?;
    page.select_first_query()?;
    page.browser.wait("the selection in the address", "location.hash.includes('item=')")?;
    page.tab("flame")?;
    page.browser.wait("the view in the address", "location.hash.includes('view=flame')")?;
    // What a browser permits is not the test's to say.
    page.browser.run("navigator.clipboard.writeText = async text => { window.written = text }", json!([]))?;
    page.browser.click_on(&button("Copy link"))?;
    page.browser.wait("the link", "window.written === location.href")?;
    let link = page.eval("window.written")?;
    let heading = page.eval("document.querySelector('#details h2').textContent")?;
    let is_the_same = |page: &Page| -> Result<()> {
        page.ready(QUERIES)?;
        page.browser.wait("the same view", "document.querySelector('#app').dataset.view === 'flame'")?;
        let same = format!("document.querySelector('#details h2')?.textContent === {heading:?}");
        page.browser.wait("the same selection", &same).map(|_| ())
    };
    page.browser.run("window.isOld = true; location.reload()", json!([]))?;
    page.browser.wait("another document", "!window.isOld")?;
    is_the_same(page)?;
    page.browser.open(&link)?;
    is_the_same(page)
}

fn go_back_and_forward(page: &Page) -> Result<()> {
    opened(page, "#trace=traces/run.json")?;
    page.ready(QUERIES)?;
    page.browser.run("window.isTheSame = true", json!([]))?;
    // What stands in the address at first is the step that Back returns to.
    page.browser.wait("the first step", "history.state !== null")?;
    for key in ["flame", "pivot"] {
        page.tab(key)?;
        page.browser.wait("the view in the address", &format!("location.hash.includes('view={key}')"))?;
    }
    for (go, key) in [("back", "flame"), ("back", "gantt"), ("forward", "flame"), ("forward", "pivot")] {
        page.browser.run(&format!("history.{go}()"), json!([]))?;
        let shown = format!("document.querySelector('#app').dataset.view === '{key}'");
        page.browser.wait(&format!("{key} after {go}"), &shown)?;
        // As its tab says, too.
        page.browser.wait(
            "its tab",
            &format!("document.querySelector('[role=tab][aria-selected=true]').textContent.toLowerCase() === '{key}'"),
        )?;
    }
    ensure!(page.eval("window.isTheSame")? == "true", "the page was loaded again");
    page.browser.shows(&tab("Pivot"))
}

fn switch_the_theme(page: &Page) -> Result<()> {
    loaded(page, "firefox-theme")?;
    let colour = "getComputedStyle(document.querySelector('#app').parentElement).backgroundColor";
    let theme = Named::with("button", "Theme: ");
    let mut seen = Vec::new();
    // As the system, then light, then dark.
    for name in ["light", "dark"] {
        page.browser.click_on(&theme)?;
        page.browser.shows(&Named::with("button", &format!("Theme: {name}")))?;
        let timeline = page.picture()?;
        seen.push((page.eval(colour)?, timeline));
    }
    ensure!(seen[0].0 != seen[1].0, "the background is {} in both", seen[0].0);
    ensure!(seen[0].1 != seen[1].1, "the timeline is the same in both");
    page.browser.screenshot(&queryscope_e2e::root().join("target/screens/firefox.png"))
}

fn read_the_report(page: &Page) -> Result<()> {
    let folder = fixtures::folder("firefox-damaged")?;
    let whole = fixtures::array("a");
    page.load(&[&file(&folder, "cut.json", &whole[..whole.len() - 60])?], QUERIES)?;
    page.open_report()?;
    for words in ["cut.json", "cut off"] {
        page.browser.says(&dialog("Import report"), words)?;
    }
    page.browser.click_on(&button("Close").within(dialog("Import report")))?;
    page.browser.hides(&dialog("Import report"))
}

fn embed_it(page: &Page) -> Result<()> {
    opened(page, "?embed#trace=traces/run.json")?;
    page.ready(QUERIES)?;
    for hidden in [Named::with("button", "Import report"), Named::with("row", "SELECT"), tab("Gantt")] {
        ensure!(!page.browser.has(&hidden)?, "the {hidden} is shown");
    }
    page.browser.wait("the legend", "document.querySelector('.embed-bar .legend > *')")?;
    let href = page.eval("document.querySelector('.embed-bar a').href")?;
    ensure!(href.contains("#trace=traces/run.json") && !href.contains("embed"), "{href}");
    Ok(())
}

fn send_nothing_elsewhere(page: &Page) -> Result<()> {
    loaded(page, "firefox-privacy")?;
    let asked = page.server.visits();
    let odd = asked.iter().find(|visit| visit.method != "GET" || visit.path.contains("firefox-privacy"));
    ensure!(odd.is_none(), "the page's own host was told {odd:?}");
    privacy::is_tight(page)
}
