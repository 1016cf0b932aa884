//! Data sets in the page: trends, one trace, SQL, links, and servers and files that are not as they should be.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Mount, Named, Server, button, root, site, tab};
use serde_json::json;

use crate::fixtures::{self, file};
use crate::page::Page;
use crate::{accessibility, sql};

/// Number of runs, and the first that is slower.
const RUNS: usize = 20;
const SLOWER: usize = 12;
/// Statements of a run.
const QUERIES: u64 = 40;
const MANIFEST: &str = "queryscope-dataset.json";

/// A run whose queries take 1 ms and a little more; from [`SLOWER`] on, every other one 1.5 ms.
fn run(at: usize) -> String {
    let mut text = "{\"queryscope\":\"trace\",\"version\":1}\n{\"run\":\"nightly\"}\n{\"track\":\"session\",\"kind\":\"thread\"}\n".to_owned();
    let mut start = 0;
    for query in 0..QUERIES as usize {
        let is_first = query.is_multiple_of(2);
        let factor = if is_first && at >= SLOWER { 150 } else { 100 };
        let duration = 10_000 * factor + (at * 7 + query * 13) % 11 * 3_000;
        let statement =
            format!("SELECT * FROM {} WHERE id = {query}", if is_first { "orders" } else { "items" });
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{{\"span\":\"q{query}\",\"kind\":\"query\",\"start\":{start},\"duration\":{duration},\"texts\":{{\"SQL\":\"{statement}\"}}}}"
        );
        start += duration + 10;
    }
    text
}

/// The program that writes data sets: next to the tests, where the tests of its package have built it; built if it is not there.
fn program() -> Result<PathBuf> {
    let tests = env::current_exe()?;
    let folder = tests.parent().and_then(Path::parent).context("a folder of built programs")?;
    let program = folder.join(format!("queryscope-sql{}", env::consts::EXE_SUFFIX));
    if !program.is_file() {
        let mut build = Command::new(env::var_os("CARGO").context("cargo runs the tests")?);
        build.current_dir(root()).args(["build", "--quiet", "--package", "queryscope-sql"]);
        ensure!(build.status()?.success(), "queryscope-sql could not be built");
    }
    Ok(program)
}

/// Makes a data set of [`RUNS`] runs with the command line.
fn data_set(test: &str) -> Result<PathBuf> {
    let folder = fixtures::folder(test)?;
    let runs = folder.join("runs");
    fs::create_dir_all(&runs)?;
    let set = folder.join("nightly");
    let mut convert = Command::new(program()?);
    convert.current_dir(&runs).args(["convert", "--day", "2026-03-31", "-o"]).arg(&set);
    for at in 0..RUNS {
        let name = format!("run-{at:02}.ndjson");
        file(&runs, &name, run(at))?;
        convert.arg(name);
    }
    let output = convert.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(set)
}

fn mounts(set: &Path) -> Result<Vec<Mount>> {
    Ok(vec![Mount::new("/", site()?), Mount::new("/sets/nightly/", set)])
}

fn groups() -> Named {
    Named::new("grid", "Statements")
}

/// The requests for files of the data set: path and number of bytes.
fn reads(server: &Server) -> Vec<(String, Option<u64>)> {
    let visits = server.visits().into_iter().filter(|visit| visit.path.starts_with("/sets/"));
    visits.map(|visit| (visit.path, visit.range.map(|(first, last)| last + 1 - first))).collect()
}

/// Waits for a trace of the data set, all of whose events are queries.
fn opened(page: &Page) -> Result<()> {
    let test = format!("document.querySelector('#app')?.dataset.events === '{QUERIES}'");
    page.browser.wait("the trace", &test).map(|_| ())
}

/// What a data set at an address shows, in any browser.
pub fn shows(page: &Page) -> Result<()> {
    page.browser.says(&groups(), "SELECT * FROM orders WHERE id = ?")?;
    page.browser.says(&groups(), "from run-12.ndjson")?;
    page.says("20 runs: run-00.ndjson")?;
    page.browser.click_on(&button("SELECT * FROM orders WHERE id = ?").within(groups()))?;
    page.browser.shows(&Named::new("grid", "Changes"))?;
    page.says("12 + 8")?;
    // An execution opens its trace.
    page.browser.click_on(&Named::with("button", "run-12.ndjson").within(Named::new("grid", "Changes")))?;
    opened(page)?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser.click_on(&tab("Trends"))?;
    page.browser.shows(&Named::new("grid", "Changes"))
}

#[test]
fn trends_lead_to_traces_and_statements_read_the_same_files() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set")?;
    let page = Page::at(mounts(&set)?, "#dataset=sets/nightly/")?;
    page.browser.says(&groups(), "from run-12.ndjson")?;
    let read = reads(&page.server);
    let whole: Vec<_> = read.iter().filter(|(_, bytes)| bytes.is_none()).collect();
    ensure!(
        whole.len() == 1 && whole[0].0.ends_with(MANIFEST),
        "more than the manifest was fetched whole: {whole:?}"
    );
    let of_index = read.iter().filter(|(path, _)| path.contains("/trend_index/")).count();
    ensure!(of_index == 2 && read.len() == 3, "the groups, and the executions near changes: {read:?}");
    accessibility::passes(&page)?;
    shows(&page)?;
    accessibility::passes(&page)?;
    // The link has the group as a number, and the trace.
    page.browser.wait(
        "the link",
        "location.hash.includes('stored=run-12.ndjson') && /trends.group=[0-9a-f]+/.test(location.hash)",
    )?;
    ensure!(!page.eval("location.hash")?.contains("orders"), "no statement is in the link");
    page.browser.click_on(&tab("SQL"))?;
    page.browser.fill(
        &Named::new("textbox", "SQL statement"),
        "SELECT count(*) AS n, count(DISTINCT trace_id) AS t FROM spans WHERE kind = 'query'",
    )?;
    page.browser.click_on(&button("Run"))?;
    page.says(&format!("{}", RUNS as u64 * QUERIES))?;
    page.says("requests")?;
    // Trends wait for a statement, and go on without it; cancelling them does not end it.
    page.browser.fill(&Named::new("textbox", "SQL statement"), sql::CROSS_JOIN)?;
    page.browser.click_on(&button("Run"))?;
    page.browser.click_on(&tab("Trends"))?;
    page.says("Waiting for the statement in the SQL tab")?;
    page.browser.click_on(&button("Cancel"))?;
    page.says("Cancelled.")?;
    page.browser.click_on(&tab("SQL"))?;
    page.says("Running…")?;
    page.browser.click_on(&tab("Trends"))?;
    page.browser.click_on(&button("Stop the statement"))?;
    page.browser.shows(&Named::new("grid", "Changes"))?;
    page.is_quiet()
}

/// A row of SQL over the data set leads to its trace, and to the span in it.
#[test]
fn rows_of_sql_open_their_traces() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-rows")?;
    let page = Page::at(mounts(&set)?, "#dataset=sets/nightly/")?;
    page.browser.says(&groups(), "from run-12.ndjson")?;
    page.browser.click_on(&tab("SQL"))?;
    page.browser.fill(
        &Named::new("textbox", "SQL statement"),
        "SELECT r.trace, s.span_id, s.start_ns, s.duration_ns FROM spans s JOIN runs r ON r.trace_id = s.trace_id \
         WHERE s.kind = 'query' AND r.trace = 'run-07.ndjson' ORDER BY s.start_ns LIMIT 2",
    )?;
    page.browser.click_on(&button("Run"))?;
    let cell = "document.querySelector('.sql .grid-rows button[title=\"Show this execution in its trace\"]')";
    page.browser.wait("a span that can be shown", cell)?;
    ensure!(
        page.eval("document.querySelectorAll('.sql .grid-rows button[title=\"Open this trace\"]').length")?
            == "2"
    );
    page.eval(&format!("{cell}.click()"))?;
    page.browser.wait("the trace", "location.hash.includes('stored=run-07.ndjson')")?;
    page.browser
        .wait("the span", "document.querySelector('#details')?.innerText.includes('One of 20 executions')")?;
    page.is_quiet()
}

#[test]
fn a_statement_that_reads_much_asks_before_it_reads_more_than_footers() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-large")?;
    // The manifest alone makes it large.
    let path = set.join(MANIFEST);
    let mut manifest: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    let files = manifest["traces"][3]["files"].as_array_mut().context("files")?;
    let spans = files.iter_mut().find(|file| file["table"] == "spans").context("spans")?;
    spans["bytes"] = 80_000_000.into();
    fs::write(&path, manifest.to_string())?;
    let page = Page::at(mounts(&set)?, "#dataset=sets/nightly/")?;
    page.browser.says(&groups(), "from run-12.ndjson")?;
    page.browser.click_on(&tab("SQL"))?;
    let run = |sql: &str| {
        page.browser.fill(&Named::new("textbox", "SQL statement"), sql)?;
        page.browser.click_on(&button("Run"))
    };
    run("SELECT max(duration_ns) FROM spans")?;
    page.says("The statement reads up to 81 MB")?;
    page.says(&format!("in {RUNS} files"))?;
    let read: Vec<_> = reads(&page.server).into_iter().filter(|(path, _)| path.contains("/spans/")).collect();
    ensure!(read.len() <= 1, "more than the end of the large file was read: {read:?}");
    accessibility::passes(&page)?;
    // Fewer traces are few bytes.
    run(
        "SELECT count(*) AS n FROM spans WHERE kind = 'query' AND trace_id IN (SELECT max(trace_id) FROM runs)",
    )?;
    page.says("The statement reads up to 81 MB")?;
    let id = manifest["traces"][5]["trace_id"].as_str().context("an id")?;
    run(&format!("SELECT count(*) + 700 AS n FROM spans WHERE kind = 'query' AND trace_id = {id}"))?;
    page.says(&(700 + QUERIES).to_string())?;
    // What is asked is read, and found to be shorter than the manifest says.
    run("SELECT max(duration_ns) FROM spans")?;
    page.browser.click_on(&button("Run anyway"))?;
    page.says("Convert “run-03.ndjson” again")
}

#[test]
fn links_open_a_trace_of_a_data_set() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-link")?;
    let page = Page::at(
        mounts(&set)?,
        "#dataset=sets/nightly/queryscope-dataset.json&stored=run-03.ndjson&view=flame",
    )?;
    opened(&page)?;
    page.browser.wait("the tab of the link", "document.querySelector('#app').dataset.view === 'flame'")?;
    page.browser
        .wait("the link", "location.hash.startsWith('#dataset=') && location.hash.includes('view=flame')")?;
    page.is_quiet()
}

#[test]
fn a_statement_of_a_link_is_highlighted_before_a_trace_is_open() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-statement")?;
    let page = Page::at(mounts(&set)?, "#dataset=sets/nightly/&view=sql&sql=SELECT%2012%20FROM%20spans")?;
    page.browser
        .wait("a word in its colour", "document.querySelector('.sql pre span')?.innerText === 'SELECT'")?;
    page.is_quiet()
}

#[test]
fn a_dropped_folder_is_a_data_set() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-dropped")?;
    let page = Page::open()?;
    page.browser.drop(&[&set])?;
    shows(&page)?;
    page.browser.click_on(&Named::with("button", "All groups"))?;
    back_and_forward(&page)?;
    page.is_quiet()
}

/// Opens two traces of the list of traces, and goes back to the list and to the first one.
fn back_and_forward(page: &Page) -> Result<()> {
    let traces = || Named::new("grid", "Traces");
    let view = |name: &str| {
        page.browser.wait(name, &format!("document.querySelector('#app').dataset.view === '{name}'"))
    };
    let name = |trace: &str| page.browser.wait(trace, &format!("document.title.includes('{trace}')"));
    let go = |step: &str| page.browser.run(&format!("history.{step}(); return 0"), json!([]));
    // A moment after the last change, the step is in the history.
    let rest = || std::thread::sleep(Duration::from_millis(600));
    page.browser.shows(&traces())?;
    rest();
    for trace in ["run-04.ndjson", "run-05.ndjson"] {
        page.browser.click_on(&button(trace).within(traces()))?;
        view("gantt")?;
        name(trace)?;
        rest();
        go("back")?;
        view("trends")?;
        page.browser.shows(&traces())?;
        rest();
        go("forward")?;
        view("gantt")?;
        name(trace)?;
        page.browser.click_on(&tab("Trends"))?;
        page.browser.shows(&traces())?;
        rest();
    }
    // From the list to the second trace, to the list, and to the first trace, which is opened again.
    for (expected, trace) in
        [("gantt", "run-05.ndjson"), ("trends", "run-05.ndjson"), ("gantt", "run-04.ndjson")]
    {
        go("back")?;
        view(expected)?;
        name(trace)?;
        rest();
    }
    Ok(())
}

#[test]
fn back_leads_from_traces_to_the_list() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-back")?;
    let page = Page::at(mounts(&set)?, "#dataset=sets/nightly/")?;
    back_and_forward(&page)?;
    page.browser.wait("the link", "location.hash.includes('stored=run-04.ndjson')")?;
    page.is_quiet()
}

/// SQL reads the whole data set, or the trace of it that is open.
#[test]
fn statements_read_what_is_chosen() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-source")?;
    let page = Page::at(mounts(&set)?, "#dataset=sets/nightly/&stored=run-04.ndjson")?;
    opened(&page)?;
    page.browser.click_on(&tab("SQL"))?;
    let all = "SELECT count(*) AS n FROM spans WHERE kind = 'query'";
    sql::gives(&page, all, &(RUNS as u64 * QUERIES).to_string())?;
    let source = Named::new("combobox", "Read from");
    page.browser.choose(&source, "run-04.ndjson")?;
    sql::gives(&page, all, &QUERIES.to_string())?;
    page.browser.wait("the link", "location.hash.includes('sql.of=trace')")?;
    accessibility::passes(&page)?;
    // Its rows lead to spans, and are a filter.
    sql::gives(&page, "SELECT span_id FROM spans ORDER BY start_ns LIMIT 1", "0")?;
    page.browser.shows(&button("Filter by these spans"))?;
    page.browser.click_on(&button("0").within(sql::result()))?;
    page.browser.wait("the timeline", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser.click_on(&tab("SQL"))?;
    page.browser.choose(&source, "All traces of nightly")?;
    sql::gives(&page, all, &(RUNS as u64 * QUERIES).to_string())?;
    page.is_quiet()
}

/// While another answer is read, the rows of the last one are shown as outdated.
#[test]
fn another_grouping_marks_the_old_rows() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-grouping")?;
    let page = Page::at(mounts(&set)?, "#dataset=sets/nightly/")?;
    page.browser.says(&groups(), "from run-12.ndjson")?;
    let watch = "window.busy = 0; new MutationObserver(() => { window.busy += document.querySelectorAll('.trends section[inert][aria-busy]').length }) \
        .observe(document.querySelector('.trends'), { subtree: true, attributes: true })";
    page.browser.run(watch, json!([]))?;
    page.browser.choose(&Named::new("combobox", "Group by"), "Name")?;
    page.browser.shows(&Named::new("grid", "Names"))?;
    page.browser.wait(
        "rows that were outdated, and are not",
        "window.busy > 0 && !document.querySelector('.trends [inert]')",
    )?;
    page.is_quiet()
}

#[test]
fn what_is_wrong_with_a_data_set_is_said() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-wrong")?;
    let page = Page::at(mounts(&set)?, "#dataset=sets/none/")?;
    page.says("sets/none/queryscope-dataset.json: the server answered 404")?;
    let server = Server::of_whole_files(vec![Mount::new("/sets/nightly/", &set)])?;
    page.browser.open(&format!("{}#dataset={}sets/nightly/", page.server.url(), server.url()))?;
    page.browser.click_on(&button("Open data set"))?;
    page.says("the server sends whole files only")?;
    let server = Server::start(vec![Mount::new("/sets/nightly/", &set)])?;
    page.browser.open(&format!("{}#dataset={}sets/nightly/", page.server.url(), server.url()))?;
    page.browser.click_on(&button("Open data set"))?;
    page.says("Access-Control-Allow-Origin")?;
    // A file that is shorter than the manifest says: the others are still usable.
    let manifest: serde_json::Value = serde_json::from_str(&fs::read_to_string(set.join(MANIFEST))?)?;
    let cut = |trace: usize, table: &str| -> Result<()> {
        let files = manifest["traces"][trace]["files"].as_array().context("files")?;
        let file = files.iter().find(|file| file["table"] == table).and_then(|file| file["path"].as_str());
        let path = set.join(file.context("a file")?);
        let content = fs::read(&path)?;
        Ok(fs::write(&path, &content[..content.len() / 2])?)
    };
    cut(3, "spans")?;
    cut(5, "execution_groups")?;
    fs::remove_dir_all(set.join("trend_index"))?;
    page.browser.open(&format!("{}#dataset=sets/nightly/", page.server.url()))?;
    page.browser.says(&groups(), "from run-12.ndjson")?;
    page.says("19 runs: run-00.ndjson")?;
    page.says("The index of trends is not used, so the files of each trace are read")?;
    page.says("“run-05.ndjson” is left out")?;
    accessibility::passes(&page)?;
    page.browser.click_on(&button("run-03.ndjson").within(Named::new("grid", "Traces")))?;
    page.says("Convert “run-03.ndjson” again")?;
    page.browser.click_on(&button("run-04.ndjson").within(Named::new("grid", "Traces")))?;
    opened(&page)
}

#[test]
fn data_sets_open_in_firefox() -> Result<()> {
    if !sql::is_built()? {
        return Ok(());
    }
    let set = data_set("data-set-firefox")?;
    let Some(page) = Page::in_firefox(mounts(&set)?)? else { return Ok(()) };
    page.browser.open(&format!("{}#dataset=sets/nightly/", page.server.url()))?;
    shows(&page)
}
