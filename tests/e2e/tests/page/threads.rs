//! What threads did beside each other, and executions of a statement beside each other.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Named, button, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

const ARROW_LEFT: &str = "\u{e012}";
const ARROW_RIGHT: &str = "\u{e014}";
const ARROW_DOWN: &str = "\u{e015}";
const ENTER: &str = "\u{e007}";

/// An instruction of a MonetDB server, as it is told when it ends: thread, end, pc, function, duration, arguments.
fn instruction(
    tag: u32,
    (thread, end, pc): (u32, u32, u32),
    function: &str,
    usec: u32,
    args: &str,
) -> String {
    let (module, name) = function.split_once('.').unwrap_or(("user", function));
    let sort = match (function, pc) {
        ("language.dataflow", _) => r#","barrier":"barrier""#,
        (_, 0) => r#","operator":"function""#,
        _ => "",
    };
    format!(
        r#"{{"sessionid":"1","clk":{end},"thread":{thread},"phase":"mal_engine","pc":{pc},"tag":{tag}{sort},"module":"{module}","function":"{name}","usec":{usec},"args":[{args}]}}"#
    )
}

/// A statement that two workers run, `slow` times as long as it might; two joins need what a select made.
fn statement(tag: u32, start: u32, slow: u32) -> Vec<String> {
    let at = |time: u32| start + time * slow;
    let made = |name: &str| format!(r#"{{"ret":0,"var":"{name}","type":"bat[:int]","count":10,"size":40}}"#);
    let read = |name: &str| format!(r#"{{"arg":1,"var":"{name}","type":"bat[:int]","count":10,"size":40}}"#);
    let both = |a: &str, b: &str| format!("{},{}", made(a), read(b));
    let query = format!(
        r#"{{"sessionid":"1", "clk":{start}, "thread":1, "phase":"text_to_sql", "tstart":1, "tag":{tag}, "query":"select {tag} from t;", "usec":10}}"#
    );
    vec![
        query,
        instruction(tag, (2, at(100), 2), "algebra.select", 100 * slow, &made("X_1")),
        instruction(tag, (2, at(200), 3), "algebra.join", 90 * slow, &both("X_2", "X_1")),
        instruction(tag, (3, at(180), 4), "algebra.join", 70 * slow, &both("X_3", "X_1")),
        instruction(
            tag,
            (1, at(210), 1),
            "language.dataflow",
            210 * slow,
            r#"{"ret":0,"var":"X_9","type":"bit"}"#,
        ),
        instruction(tag, (1, at(220), 0), "user.main", 220 * slow, ""),
    ]
}

fn server(name: &str) -> Result<Page> {
    let folder = fixtures::folder(name)?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "stream.json", recording())?], 2)?;
    Ok(page)
}

fn recording() -> String {
    [statement(7, 1_000, 1), statement(8, 9_000, 3)].concat().join("\n")
}

/// Gives an element the keyboard.
fn focus(page: &Page, css: &str) -> Result<()> {
    page.browser.wait(css, &format!("document.querySelector({css:?})"))?;
    page.browser.run(&format!("document.querySelector({css:?}).focus()"), json!([])).map(|_| ())
}

const READOUT: &str = "document.querySelector('.heat-line output')?.innerText";

#[test]
fn the_heat_map_tells_how_busy_each_thread_was_by_keyboard() -> Result<()> {
    let page = server("heat")?;
    page.browser.keys("5")?;
    let colours = "(() => { const c = document.querySelector('.heat canvas'); if (!c || c.width < 9) return 0; \
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; \
        return new Set(new Uint32Array(d.buffer)).size })()";
    page.browser.wait("idle and busy cells", &format!("{colours} > 1"))?;
    focus(&page, ".heat canvas")?;
    page.browser.keys(ARROW_DOWN)?;
    page.browser.wait("the second thread", &format!("{READOUT}.startsWith('thread')"))?;
    let before = page.eval(READOUT)?;
    page.browser.keys(&ARROW_LEFT.repeat(3))?;
    page.browser.wait("another moment", &format!("{READOUT} !== {before:?}"))?;
    // The range that is chosen here is everybody's.
    page.browser.keys(&format!("{ENTER}{}{ENTER}", ARROW_RIGHT.repeat(40)))?;
    page.browser.wait("the range", "document.querySelector('#queries .chip')")?;
    page.browser.wait("a way back", "document.querySelector('.parallel-head .btn')")?;
    page.browser.click_on(&button("Clear range").within(Named::new("region", "Parallelism")))?;
    page.browser.wait("all times", "!document.querySelector('#queries .chip')")?;
    page.is_quiet()
}

#[test]
fn the_plan_and_the_selection_follow_each_other() -> Result<()> {
    let page = server("plan")?;
    page.browser.keys("5")?;
    let title = "document.querySelector('#details h2')?.innerText";
    let marked = "document.querySelector('.parallel .grid-row.current .link')?.innerText";
    page.browser.wait("the plan", "document.querySelectorAll('[aria-label=Plan] .link').length >= 4")?;
    page.browser.click("[aria-label=Plan] .grid-rows .grid-row:nth-child(3) .link")?;
    page.browser.wait("its details", &format!("{title}?.includes('algebra')"))?;
    page.browser.wait("its mark", &format!("{marked}?.includes('algebra')"))?;
    page.is_quiet()
}

#[test]
fn executions_stand_beside_each_other_and_lead_to_their_spans() -> Result<()> {
    let page = server("compare")?;
    page.browser.keys("6")?;
    let rows = "[...document.querySelectorAll('.compare .grid-rows .grid-row')].map(row => row.innerText.replace(/\\s+/g, ' '))";
    page.browser.wait("the steps", &format!("{rows}.length >= 5"))?;
    // Three times as long, wherever it stands.
    let select = page.eval(&format!("{rows}.find(row => row.includes('algebra.select'))"))?;
    ensure!(select.contains("100.0 µs 300.0 µs +200.0 µs 3.0"), "{select}");
    page.browser.click(".compare .grid-head > :nth-child(1) button")?;
    let sorted = "document.querySelector('.compare .grid-head > :nth-child(1)')?.getAttribute('aria-sort')";
    page.browser.wait("the order of the plan", &format!("{sorted} === 'ascending'"))?;
    // A jump shows a span of the one or of the other, and what is compared stays.
    let chosen =
        "document.querySelector('#compare-a')?.value + '/' + document.querySelector('#compare-b')?.value";
    let before = page.eval(chosen)?;
    page.browser.click(".compare .grid-rows .grid-row:nth-child(3) > :nth-child(2) .link")?;
    page.browser.wait("the Gantt view", "document.querySelector('#app').dataset.view === 'gantt'")?;
    page.browser
        .wait("the details of the span", "document.querySelector('#details h2')?.innerText.length > 0")?;
    page.browser.keys("6")?;
    page.browser.wait("the same executions", &format!("{chosen} === {before:?}"))?;
    page.is_quiet()
}

/// Two executions that nobody would choose, the link that was made of them, and the page that it leads to.
#[test]
fn a_link_leads_to_the_same_executions() -> Result<()> {
    let folder = fixtures::folder("compare-link")?;
    file(&folder, "a.json", fixtures::array("a"))?;
    let mounts =
        || -> Result<_> { Ok(vec![Mount::new("/", site()?), Mount::new("/traces/", folder.clone())]) };
    let address = "#trace=traces/a.json&view=compare&times=whole&order=a";
    let page = Page::at(mounts()?, address)?;
    let chosen =
        "document.querySelector('#compare-a')?.value + '/' + document.querySelector('#compare-b')?.value";
    let options = "document.querySelectorAll('#compare-b option').length";
    page.browser.wait("all executions", &format!("{options} === {}", QUERIES + 1))?;
    let mut items = Vec::new();
    for (select, option) in [("a", 4), ("b", 2)] {
        let choose = format!(
            "const list = document.querySelector('#compare-{select}'); list.value = list.options[{option}].value; \
             list.dispatchEvent(new Event('change', {{ bubbles: true }})); return list.value"
        );
        let item = page.browser.run(&choose, json!([]))?.as_str().unwrap_or_default().to_owned();
        let named = format!("location.hash.includes('&{select}={item},')");
        page.browser.wait("the choice in the address", &named)?;
        items.push(item);
    }
    let (before, link) = (items.join("/"), page.eval("location.hash")?);
    ensure!(link.contains("times=inclusive") && link.contains("order=a"), "{link}");
    let again = Page::at(mounts()?, &link)?;
    again.browser.wait("the same executions", &format!("{chosen} === {before:?}"))?;
    let whole = "[...document.querySelectorAll('.compare-switches [aria-pressed=true]')].at(-1)?.innerText";
    again.browser.wait("inclusive times", &format!("{whole} === 'Inclusive time'"))?;
    again.is_quiet()
}

#[test]
fn the_pivot_table_begins_with_the_functions_of_plans() -> Result<()> {
    let page = server("functions")?;
    page.browser.keys("4")?;
    let shown = "document.querySelector('.pivot')?.innerText.replace(/\\s+/g, ' ')";
    page.browser.wait("modules", &format!("{shown}.includes('algebra')"))?;
    page.browser.wait("what they made", &format!("{shown}.toLowerCase().includes('sum(bytes)')"))?;
    // What waits for the workers is no work of a function.
    ensure!(page.eval(&format!("{shown}.includes('language')"))? == "false");
    page.is_quiet()
}

#[test]
fn an_execution_stands_beside_all_others_of_its_statement() -> Result<()> {
    let folder = fixtures::folder("siblings")?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    page.browser.keys("6")?;
    let options = "document.querySelectorAll('#compare-b option').length";
    page.browser.wait("all executions", &format!("{options} === {}", QUERIES + 1))?;
    let choose = "const b = document.querySelector('#compare-b'); b.value = 'others'; \
        b.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.run(choose, json!([]))?;
    page.says("base is the average of 5 executions")?;
    // Nothing of one only: each has a request, a source and an execution.
    ensure!(page.eval("document.querySelectorAll('.compare .pill').length")? == "0");
    page.browser.resize(380, 760)?;
    let wide = page.eval("document.documentElement.scrollWidth")?;
    ensure!(wide == "380", "the page is {wide} pixels wide");
    page.is_quiet()
}

#[test]
fn the_overview_has_the_columns_in_which_there_is_something() -> Result<()> {
    let page = server("columns")?;
    page.tab("overview")?;
    let head = "[...document.querySelectorAll('.overview [role=columnheader]')].map(cell => cell.innerText).join().toLowerCase()";
    page.browser.wait("the runs", &format!("{head}.includes('unfinished')"))?;
    let head = page.eval(head)?;
    ensure!(!head.contains("buffer") && !head.contains("rows read"), "{head}");
    page.browser.wait("the charts", "document.querySelectorAll('.charts figure').length === 2")?;
    page.is_quiet()
}

#[test]
fn a_recording_that_is_opened_twice_is_told_of() -> Result<()> {
    let folder = fixtures::folder("twice")?;
    let page = Page::open()?;
    let files = [file(&folder, "one.json", recording())?, file(&folder, "copy.json", recording())?];
    page.browser.pick("#file-input", &[&files[0], &files[1]])?;
    page.phase("ready")?;
    page.browser.wait("a badge", "document.querySelector('#report-button .badge')?.checkVisibility()")?;
    page.open_report()?;
    page.says("duplicate file")?;
    page.is_quiet()
}
