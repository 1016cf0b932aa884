//! Every way to open a trace, and every shape of it.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use queryscope_e2e::{button, disclosure};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

fn refs(files: &[PathBuf]) -> Vec<&Path> {
    files.iter().map(PathBuf::as_path).collect()
}

fn opens(name: &str, content: impl AsRef<[u8]>) -> Result<()> {
    let folder = fixtures::folder(&format!("opens-{name}"))?;
    let page = Page::open()?;
    page.load(&[&file(&folder, name, content)?], QUERIES)?;
    page.is_quiet()
}

#[test]
fn json_lines() -> Result<()> {
    opens("run.ndjson", fixtures::lines("a"))
}

#[test]
fn json_array() -> Result<()> {
    opens("run.json", fixtures::array("a"))
}

#[test]
fn pretty_json_under_a_wrong_name() -> Result<()> {
    opens("run.csv", fixtures::pretty("a"))
}

#[test]
fn gzip() -> Result<()> {
    opens("run.json.gz", fixtures::gzip(&fixtures::array("a"))?)
}

#[test]
fn several_files_of_one_run_dropped_together() -> Result<()> {
    let folder = fixtures::folder("dropped-files")?;
    let write =
        |q| file(&folder, &format!("q{q}.json"), format!("[{}]", fixtures::query_events("a", q).join(",")));
    let files: Result<Vec<PathBuf>> = (0..QUERIES).map(write).collect();
    let page = Page::open()?;
    page.browser.drop(&refs(&files?))?;
    page.ready(QUERIES)?;
    page.is_quiet()
}

#[test]
fn a_dropped_folder_with_folders() -> Result<()> {
    let folder = fixtures::folder("dropped-folder")?;
    std::fs::create_dir(folder.join("inner"))?;
    file(&folder, "one.ndjson", fixtures::lines("a"))?;
    file(&folder.join("inner"), "two.json", fixtures::array("b"))?;
    let page = Page::open()?;
    page.browser.drop(&[&folder])?;
    page.ready(2 * QUERIES)?;
    page.is_quiet()
}

#[test]
fn an_empty_folder_says_so_and_the_page_lives_on() -> Result<()> {
    let folder = fixtures::folder("empty-folder")?;
    std::fs::create_dir_all(folder.join("inner/most"))?;
    let page = Page::open()?;
    page.browser.drop(&[&folder.join("inner")])?;
    page.says("The dropped folder contains no files")?;
    page.browser.drop(&[&file(&folder, "good.json", fixtures::array("a"))?])?;
    page.ready(QUERIES)?;
    page.browser.drop(&[&folder.join("inner")])?;
    page.says("The dropped folder contains no files")?;
    page.ready(QUERIES)?;
    page.is_quiet()
}

#[test]
fn a_picked_folder() -> Result<()> {
    let folder = fixtures::folder("picked-folder")?;
    file(&folder, "one.ndjson", fixtures::lines("a"))?;
    file(&folder, "two.json", fixtures::array("b"))?;
    let page = Page::open()?;
    page.browser.pick("#folder-input", &[&folder])?;
    page.ready(2 * QUERIES)?;
    page.browser
        .wait("its name", "document.querySelector('.opened h1').innerText === 'picked-folder (2 files)'")?;
    page.browser
        .wait("its name in the title", "document.title.startsWith('picked-folder (2 files)')")
        .map(|_| ())
}

#[test]
fn three_runs_at_once() -> Result<()> {
    let folder = fixtures::folder("three-runs")?;
    let names = ["no-buffer", "buffer-normal", "buffer-rocks"];
    let files: Result<Vec<PathBuf>> =
        names.iter().map(|run| file(&folder, &format!("{run}.json"), fixtures::array(run))).collect();
    let page = Page::open()?;
    page.load(&refs(&files?), 3 * QUERIES)?;
    for run in names {
        page.says(run)?;
    }
    Ok(())
}

#[test]
fn a_file_that_is_cut_off_shows_what_it_holds_and_says_what_is_missing() -> Result<()> {
    let folder = fixtures::folder("cut-off")?;
    let whole = fixtures::array("a");
    let page = Page::open()?;
    page.load(&[&file(&folder, "cut.json", &whole[..whole.len() - 60])?], QUERIES)?;
    page.browser.wait("a badge", "document.querySelector('#report-button .badge')?.checkVisibility()")?;
    page.open_report()?;
    page.browser.wait("the report", "document.querySelector('#report')?.checkVisibility()")?;
    for words in ["cut.json", "cut off"] {
        page.says(words)?;
    }
    Ok(())
}

/// A place of the report opens to the record that stands there, and leads to what it became.
#[test]
fn places_of_problems_lead_to_records_and_into_the_timeline() -> Result<()> {
    let folder = fixtures::folder("places")?;
    let begin = |at: u32| format!(r#"{{"ph":"B","pid":1,"tid":1,"ts":{at},"name":"open{at}"}}"#);
    let events: Vec<String> = (0..120).map(begin).collect();
    let page = Page::open()?;
    page.browser.pick("#file-input", &[&file(&folder, "b.json", format!("[{}]", events.join(",\n")))?])?;
    page.browser.wait("a badge", "document.querySelector('#report-button .badge')?.checkVisibility()")?;
    page.open_report()?;
    let shows = |n: u32| format!("document.querySelectorAll('.problem li').length === {n}");
    page.browser.wait("the first places", &shows(5))?;
    page.says("Show 100 of 120 locations")?;
    page.says("and at 115 more locations")?;
    page.browser.click_on(&button("Show 100 of 120 locations"))?;
    page.browser.wait("all that are known", &shows(100))?;
    page.says("and 20 more (locations not recorded)")?;
    page.browser.click_on(&disclosure("line 3,"))?;
    page.says(&begin(2))?;
    page.browser.click_on(&button("Show in timeline"))?;
    page.browser.wait("the timeline", "!document.querySelector('dialog')")?;
    page.says("open2")?;
    page.is_quiet()
}

#[test]
fn what_is_no_trace_is_named_and_the_page_lives_on() -> Result<()> {
    let folder = fixtures::folder("no-trace")?;
    for (name, content) in
        [("empty.json", &b""[..]), ("noise.bin", &[0, 159, 146, 150, 0, 1, 2]), ("prose.txt", b"Dear all,\n")]
    {
        let page = Page::open()?;
        page.browser.pick("#file-input", &[&file(&folder, name, content)?])?;
        page.says(name)?;
        page.says("queryscope reads traces of Kubling")?;
        page.load(&[&file(&folder, "good.json", fixtures::array("a"))?], QUERIES)?;
        page.is_quiet()?;
    }
    Ok(())
}

#[test]
fn files_that_are_no_trace_are_counted_beside_one() -> Result<()> {
    let folder = fixtures::folder("no-traces-beside")?;
    for at in 0..30 {
        file(&folder, &format!("{at:02}.txt"), format!("Dear {at},\n"))?;
    }
    file(&folder, "run.json", fixtures::array("a"))?;
    let page = Page::open()?;
    page.browser.drop(&[&folder])?;
    page.ready(QUERIES)?;
    let badge = "document.querySelector('#report-button .badge')?.innerText === '1'";
    page.browser.wait("one kind of problem", badge)?;
    page.says("30 of 31 files are not traces")?;
    page.browser.click(".toast .offer")?;
    page.browser.wait("the message to go", "!document.querySelector('.toast')")?;
    page.says("30 of 31 files are not traces")?;
    let cards = "[...document.querySelectorAll('#report .body > .report-file')].map(card => card.className)";
    page.browser.wait("two cards", &format!("{cards}.join() === 'report-file many,report-file'"))?;
    page.browser.click_on(&disclosure("Files of this group"))?;
    page.says("and 10 more")?;
    page.is_quiet()
}

#[test]
fn a_trace_without_records_is_recognised_all_the_same() -> Result<()> {
    let folder = fixtures::folder("no-records")?;
    let page = Page::open()?;
    let header = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_WAIT\n";
    page.browser.pick("#file-input", &[&file(&folder, "waits.tsv", header)?])?;
    page.says("waits.tsv contains nothing to show")?;
    page.says("MySQL and MariaDB Performance Schema, tab-separated values")?;
    page.load(&[&file(&folder, "run.ndjson", fixtures::lines("a"))?], QUERIES)?;
    page.is_quiet()
}

/// Holds the worker's answers back while `held` is a list, as they are while it makes the list of a large trace.
const HOLD_ANSWERS: &str = "const Worker = window.Worker; window.held = null;
    window.Worker = function (...given) {
        const worker = new Worker(...given);
        let hear = () => {};
        worker.addEventListener('message', event => {
            const late = window.held && event.data?.Answer;
            late ? held.push(() => hear.call(worker, event)) : hear.call(worker, event);
        });
        Object.defineProperty(worker, 'onmessage', { get: () => hear, set: f => { hear = f } });
        return worker;
    };
    window.release = () => { const late = held; window.held = null; late.forEach(say => say()) }";

#[test]
fn a_click_on_a_row_of_an_earlier_list_leads_to_its_query() -> Result<()> {
    let folder = fixtures::folder("earlier-list")?;
    let part = |queries: std::ops::Range<u64>| -> Vec<String> {
        queries.flat_map(|query| fixtures::query_events("a", query)).collect()
    };
    let late = file(&folder, "late.ndjson", part(3..QUERIES).join("\n"))?;
    let early = file(&folder, "early.ndjson", part(0..3).join("\n"))?;
    let page = Page::open()?;
    page.browser.run(HOLD_ANSWERS, json!([]))?;
    page.load(&[&late], QUERIES - 3)?;
    page.browser.wait("the list", "document.querySelectorAll('.query-row').length === 3")?;
    page.browser.run("window.held = []", json!([]))?;
    page.browser.drop(&[&early])?;
    page.browser.wait("rows that wait", "document.querySelectorAll('.query-row.old').length === 3")?;
    page.says("updating…")?;
    // What this row's query (the longest) was called is another one's name by now.
    page.select_first_query()?;
    page.browser.run("release()", json!([]))?;
    let selected = "document.querySelector('.query-row[aria-selected=true]')?.innerText.includes('id = 5')";
    page.browser.wait("the query of the row", selected)?;
    page.browser.wait("all rows", "document.querySelectorAll('.query-row:not(.old)').length === 6")?;
    page.is_quiet()
}

/// The browser gives the installed page files that the user opened in the file manager.
#[test]
fn files_from_the_file_manager_are_opened() -> Result<()> {
    let page = Page::open()?;
    let queue = "Object.defineProperty(self, 'launchQueue', { value: { setConsumer: consume => { window.launch = consume } } })";
    page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": queue }))?;
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    page.browser.wait("the page to take files", "window.launch")?;
    let give = "const [texts] = arguments; \
        const handle = ([name, text]) => ({ kind: 'file', name, getFile: async () => new File([text], name) }); \
        await launch({ targetURL: location.href, files: texts.map(handle) })";
    page.browser.run_async(give, json!([[]]))?;
    page.phase("landing")?;
    page.browser
        .run_async(give, json!([[["a.json", fixtures::array("a")], ["b.json", fixtures::array("b")]]]))?;
    page.ready(2 * QUERIES)?;
    // Files that are opened later replace the trace.
    page.browser.run_async(give, json!([[["c.json", fixtures::array("c")]]]))?;
    page.ready(QUERIES)?;
    page.browser.wait("its name", "document.title.startsWith('c.json')")?;
    let manifest = page.browser.run_async(
        "return (await fetch(document.querySelector('link[rel=manifest]').href)).json()",
        json!([]),
    )?;
    let accepted = manifest["file_handlers"][0]["accept"].to_string();
    for ending in [".json", ".ndjson", ".gz", ".zip", ".queryscope"] {
        ensure!(accepted.contains(&format!("\"{ending}\"")), "{ending} is not in {accepted}");
    }
    page.is_quiet()
}
