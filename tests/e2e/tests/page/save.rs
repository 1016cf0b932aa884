//! The trace saved as one HTML file or as a session file, and opened again: from `file://`, without a server.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::read::DeflateDecoder;
use queryscope_e2e::{Browser, Firefox, Mount, Named, Options, Server, button, dialog, root, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::{Page, details};
use crate::privacy;

/// Keeps what the page offers for download in `window.saved`.
const KEEP: &str = "const make = URL.createObjectURL; window.saved = null; \
    URL.createObjectURL = blob => { window.saved = blob; return make.call(URL, blob) }; \
    HTMLAnchorElement.prototype.click = function () { window.savedName = this.download }";

/// The kept file as base64, in parts that the driver can carry.
const PART_OF_SAVED: &str = "const [at, length] = arguments; \
    const bytes = new Uint8Array(await saved.slice(at, at + length).arrayBuffer()); \
    let text = ''; for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192)); \
    return btoa(text)";

/// Bytes of a saved file that are read at a time.
const PART: usize = 1 << 20;

/// What to choose in the dialog: options by the words in their names.
pub struct Choice<'a> {
    pub options: &'a [(&'static str, &'static str)],
    pub notes: &'a str,
}

const AS_IT_IS: Choice = Choice { options: &[], notes: "" };

/// Saves the trace by the dialog and writes the file, under the name that the page gives it, into the folder.
pub fn save(page: &Page, folder: &Path, choice: &Choice) -> Result<PathBuf> {
    page.browser.run(KEEP, json!([]))?;
    page.browser.click_on(&button("Save"))?;
    page.browser.shows(&dialog("Save"))?;
    for (role, words) in choice.options {
        page.browser.click_on(&Named::with(role, words).within(dialog("Save")))?;
    }
    if !choice.notes.is_empty() {
        page.browser.click("#save textarea")?;
        page.browser.keys(choice.notes)?;
    }
    page.browser
        .wait("the content", "document.querySelector('#save footer [role=status]').innerText === ''")?;
    page.browser.click_on(&button("Save file"))?;
    page.browser.wait("the saved file", "window.saved")?;
    page.browser.says(&dialog("Save"), "Saved ")?;
    let size: usize = page.eval("saved.size")?.parse()?;
    let mut bytes = Vec::with_capacity(size);
    while bytes.len() < size {
        let part = page.browser.run_async(PART_OF_SAVED, json!([bytes.len(), PART]))?;
        bytes.extend(STANDARD.decode(part.as_str().context("base64")?)?);
    }
    let name = page.eval("savedName")?;
    page.browser.click_on(&button("Close").within(dialog("Save")))?;
    file(folder, &name, bytes)
}

/// A page at a file of this machine. Its server serves nothing and must not be asked.
fn at_file(browser: Browser, path: &Path) -> Result<Page> {
    let server = Server::start(vec![Mount::new("/", site()?)])?;
    browser.open(&format!("file://{}", fs::canonicalize(path)?.display()))?;
    Ok(Page { browser, server })
}

/// A run in the flame graph with a selected query.
fn with_a_view(page: &Page, test: &str) -> Result<PathBuf> {
    let folder = fixtures::folder(test)?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    page.select_first_query()?;
    page.tab("flame")?;
    page.browser.wait(
        "the view in the address",
        "location.hash.includes('view=flame') && location.hash.includes('item=')",
    )?;
    Ok(folder)
}

/// The trace is shown as it was saved, and nothing is asked for or stored.
fn shows_the_saved_view(page: &Page) -> Result<()> {
    page.ready(QUERIES)?;
    page.browser.wait("the saved view", "document.querySelector('#app').dataset.view === 'flame'")?;
    page.browser.shows(&details())?;
    page.browser.says(&details(), "orders")?;
    ensure!(page.eval("location.protocol")? == "file:");
    let asked = page.eval("performance.getEntriesByType('resource').map(entry => entry.name).filter(name => !name.startsWith('blob:')).join()")?;
    ensure!(asked.is_empty(), "the file asked for {asked}");
    ensure!(page.eval("localStorage.length")? == "0", "the file stores something");
    ensure!(!page.browser.has(&button("Copy link"))?, "a link to a file on this machine is offered");
    Ok(())
}

#[test]
fn an_html_file_opens_without_a_server_at_the_saved_view() -> Result<()> {
    let page = Page::open()?;
    let folder = with_a_view(&page, "save-html")?;
    let saved = save(&page, &folder, &AS_IT_IS)?;
    ensure!(saved.ends_with("run.html"), "{}", saved.display());
    page.is_quiet()?;
    let page = at_file(Browser::fresh()?, &saved)?;
    shows_the_saved_view(&page)?;
    ensure!(page.eval("document.title")?.contains("run"), "{}", page.eval("document.title")?);
    page.is_quiet()?;
    // A file that was saved by a saved file is as good.
    let again = save(&page, &fixtures::folder("save-html-again")?, &AS_IT_IS)?;
    let page = at_file(Browser::fresh()?, &again)?;
    shows_the_saved_view(&page)?;
    page.is_quiet()?;
    let sizes = [&saved, &again].map(|path| fs::metadata(path).map_or(0, |data| data.len()));
    ensure!(sizes[0].abs_diff(sizes[1]) < 2_000, "{sizes:?}: it grows each time");
    privacy::is_tight(&page)
}

#[test]
fn an_html_file_opens_in_firefox() -> Result<()> {
    let Some(page) = Page::in_firefox(vec![Mount::new("/", site()?)])? else { return Ok(()) };
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    let folder = with_a_view(&page, "save-firefox")?;
    let saved = save(&page, &folder, &AS_IT_IS)?;
    let Some(firefox) = Firefox::find() else { return Ok(()) };
    let page = at_file(Browser::firefox(&firefox, Options::default())?, &saved)?;
    shows_the_saved_view(&page)?;
    privacy::is_tight(&page)
}

/// The session in an HTML file, unpacked: the texts of its entries with their names.
fn entries(saved: &Path) -> Result<Vec<(String, String)>> {
    let bytes = fs::read(saved)?;
    let zip = match String::from_utf8(bytes.clone()) {
        Ok(html) if html.starts_with('<') => {
            let start = "<script id=\"queryscope-session\" type=\"application/octet-stream\">";
            let (_, rest) = html.split_once(start).context("a session")?;
            STANDARD.decode(rest.split_once("</script>").context("its end")?.0)?
        }
        _ => bytes,
    };
    let mut found = Vec::new();
    let mut rest = &zip[..];
    while rest.starts_with(b"PK\x03\x04") {
        let number = |at: usize| u32::from(rest[at]) | u32::from(rest[at + 1]) << 8;
        let packed = (number(18) | number(20) << 16) as usize;
        let content = 30 + (number(26) + number(28)) as usize;
        let name = String::from_utf8(rest[30..30 + number(26) as usize].to_vec())?;
        let stored = &rest[content..content + packed];
        let mut text = String::new();
        match number(8) {
            0 => text = String::from_utf8_lossy(stored).into_owned(),
            _ => drop(DeflateDecoder::new(stored).read_to_string(&mut text)?),
        }
        found.push((name, text));
        rest = &rest[content + packed..];
    }
    ensure!(!found.is_empty(), "{} holds no session", saved.display());
    Ok(found)
}

#[test]
fn a_session_file_keeps_traces_view_and_notes() -> Result<()> {
    let page = Page::open()?;
    let folder = with_a_view(&page, "save-session")?;
    let choice = Choice { options: &[("radio", "Session file")], notes: "look at \"this\"" };
    let saved = save(&page, &folder, &choice)?;
    ensure!(saved.ends_with("run.queryscope"), "{}", saved.display());
    let found = entries(&saved)?;
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    ensure!(names == ["session.json", "traces/run.json"], "{names:?}");
    ensure!(found[1].1 == fixtures::array("a"), "the trace was changed");
    ensure!(found[0].1.contains("view=flame") && found[0].1.contains("look at"), "{}", found[0].1);
    let page = Page::open()?;
    page.load(&[&saved], QUERIES)?;
    page.browser.wait("the saved view", "document.querySelector('#app').dataset.view === 'flame'")?;
    page.browser.says(&details(), "orders")?;
    page.browser.click("#notes-button")?;
    page.says("look at \"this\"")?;
    page.browser.keys("\u{e00c}")?;
    // Saved again, the trace in it is the same, and not a session in a session.
    let again = save(&page, &fixtures::folder("save-session-again")?, &choice)?;
    let names: Vec<String> = entries(&again)?.into_iter().map(|(name, _)| name).collect();
    ensure!(names == ["session.json", "traces/run.json"], "{names:?}");
    page.is_quiet()
}

#[test]
fn hostile_names_are_text_in_an_html_file() -> Result<()> {
    const IMAGE: &str = "<img src=x onerror=window.pwned=1>";
    let folder = fixtures::folder("save-hostile")?;
    let trace = fixtures::array(IMAGE)
        .replace("pg-conn", "</script><script>pwned=1</script>")
        .replace("SELECT total", &format!("SELECT '{IMAGE}', '<!--<script>' total"));
    let name = "<!--<script>\"'& <img src=x onerror=pwned=1>.json";
    let page = Page::open()?;
    page.load(&[&file(&folder, name, trace)?], QUERIES)?;
    let choice = Choice { options: &[], notes: "</script><svg onload=pwned=1>" };
    page.browser.run(KEEP, json!([]))?;
    let saved = save(&page, &folder, &choice)?;
    let page = at_file(Browser::fresh()?, &saved)?;
    page.ready(QUERIES)?;
    page.select_first_query()?;
    page.browser.says(&details(), "onerror")?;
    let strange =
        "document.querySelectorAll('img, svg[onload], #app script').length + Number(window.pwned ?? 0)";
    ensure!(page.eval(strange)? == "0", "a name became an element");
    page.is_quiet()
}

#[test]
fn what_is_removed_is_not_in_the_file() -> Result<()> {
    let page = Page::open()?;
    let folder = fixtures::folder("save-redacted")?;
    let trace = fixtures::array("a").replace("id = 3", "id = 3 AND name = 'Smith'");
    page.load(&[&file(&folder, "run.json", trace)?], QUERIES)?;
    // A search and a filter hold words of the trace, too.
    page.browser.click("#search")?;
    page.browser.keys("orders")?;
    page.browser.wait("the search in the address", "location.hash.includes('find=orders')")?;
    let options = [("radio", "HTML file"), ("checkbox", "Literals in SQL"), ("checkbox", "Names")];
    let saved = save(&page, &folder, &Choice { options: &options, notes: "" })?;
    let (html, found) = (fs::read_to_string(&saved)?, entries(&saved)?);
    for word in ["Smith", "orders", "OrdersDB", "total"] {
        for (name, text) in &found {
            ensure!(!text.contains(word), "{name} holds {word}: {text}");
        }
    }
    ensure!(!html.contains("Smith"), "the file holds a literal");
    let session = &found[0].1;
    ensure!(session.contains("\"removed\":[\"") && !session.contains("find="), "{session}");
    let page = at_file(Browser::fresh()?, &saved)?;
    page.ready(QUERIES)?;
    page.open_report()?;
    page.browser.says(&dialog("Import report"), "removed")?;
    page.is_quiet()?;
    // Without SQL and errors at all.
    let page = Page::open()?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    let options = [("radio", "Session file"), ("checkbox", "SQL and error")];
    let saved = save(&page, &folder, &Choice { options: &options, notes: "" })?;
    for (name, text) in entries(&saved)? {
        for word in ["SELECT", "no answer"] {
            ensure!(!text.contains(word), "{name} holds {word}: {text}");
        }
    }
    page.is_quiet()
}

/// Traces of the other engines than that of [`fixtures`], and words of its statements, names and errors.
const OF_ENGINES: &[(&str, &[&str])] = &[
    ("mysql/rows.ndjson", &["customers", "country", "customer_id", "shop", "=44"]),
    ("monetdb/mitosis.ndjson", &["lineitem", "l_tax", "l_qty"]),
    ("topoexec/steps.trace.json", &["<b>"]),
    ("chrome/arguments.json", &["a.rs", "stripped"]),
];

#[test]
fn no_removed_word_of_any_engine_is_in_the_file() -> Result<()> {
    let folder = fixtures::folder("save-redacted-engines")?;
    for (trace, secrets) in OF_ENGINES {
        let source = root().join("tests/traces").join(trace);
        let text = fs::read_to_string(&source)?;
        let page = Page::open()?;
        page.browser.pick("#file-input", &[&source])?;
        page.phase("ready").with_context(|| *trace)?;
        let options = [("radio", "Session file"), ("checkbox", "Literals in SQL"), ("checkbox", "Names")];
        let saved = save(&page, &folder, &Choice { options: &options, notes: "" }).with_context(|| *trace)?;
        for word in *secrets {
            ensure!(text.contains(word), "{trace} does not hold {word}");
            for (name, content) in entries(&saved)? {
                ensure!(!content.contains(word), "{trace}: {name} holds {word}: {content}");
            }
        }
        page.is_quiet()?;
    }
    Ok(())
}

/// A zip archive of entries that are not compressed.
fn zip(entries: &[(&str, &str)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in entries {
        let mut crc = flate2::Crc::new();
        crc.update(text.as_bytes());
        let mut fields = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        [crc.sum(), text.len() as u32, text.len() as u32].iter().for_each(|n| fields.extend(n.to_le_bytes()));
        fields.extend([name.len() as u8, 0, 0, 0]);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&fields);
        archive.extend(name.as_bytes());
        archive.extend(text.as_bytes());
    }
    let count = [entries.len() as u8, 0];
    let (length, start) = ((directory.len() as u32).to_le_bytes(), (archive.len() as u32).to_le_bytes());
    archive
        .extend([&directory, &b"PK\x05\x06\0\0\0\0"[..], &count, &count, &length, &start, &[0, 0]].concat());
    archive
}

/// The command line writes notes as text, one per line.
#[test]
fn notes_of_a_session_file_are_shown() -> Result<()> {
    let folder = fixtures::folder("save-notes")?;
    let session = "{\"queryscope\":\"session\",\"version\":1,\"state\":\"view=flame\",\"notes\":\"first & last\\n\\n<b>second</b>\"}";
    let archive = zip(&[("session.json", session), ("traces/run.json", &fixtures::array("a"))]);
    let page = Page::open()?;
    page.load(&[&file(&folder, "noted.queryscope", archive)?], QUERIES)?;
    page.browser.wait("the notes", "document.querySelector('#notes-button .badge')?.textContent === '2'")?;
    page.browser.click("#notes-button")?;
    page.says("first & last")?;
    page.says("<b>second</b>")?;
    ensure!(
        page.eval("document.querySelector('#app').dataset.view")? == "flame",
        "the view of the session is lost"
    );
    page.is_quiet()
}

#[test]
fn a_session_file_that_lies_is_explained() -> Result<()> {
    let folder = fixtures::folder("save-lying-session")?;
    let run = fixtures::array("a");
    let state = |state: &str| {
        format!("{{\"queryscope\":\"session\",\"version\":1,\"state\":{state},\"notes\":\"\"}}")
    };
    let newer = "{\"queryscope\":\"session\",\"version\":99,\"state\":\"view=flame\"}";
    let long = format!("\"find={}\"", "x".repeat(100_000));
    // A trace is shown, and what is wrong is said.
    for (name, session, words) in [
        ("newer", newer.to_owned(), Some("newer version")),
        ("no-json", "{{{{".to_owned(), None),
        ("no-text", state("5"), None),
        ("long", state(&long), None),
        ("nonsense", state("\"view=nothing&t=9,1&item=x&note=,,&__proto__=1\""), None),
    ] {
        let archive = zip(&[("session.json", &session), ("traces/run.json", &run)]);
        let page = Page::open()?;
        page.load(&[&file(&folder, &format!("{name}.queryscope"), archive)?], QUERIES)
            .with_context(|| name)?;
        if let Some(words) = words {
            let is_said = format!("document.body.innerText.toLowerCase().includes({words:?})");
            if page.eval(&is_said)? != "true" {
                page.open_report()?;
            }
            page.says(words).with_context(|| name)?;
        }
        page.is_quiet()?;
    }
    let page = Page::open()?;
    let empty = zip(&[("session.json", &state("\"\""))]);
    page.browser.pick("#file-input", &[&file(&folder, "empty.queryscope", empty)?])?;
    page.phase("error")?;
    page.says("contains no records")?;
    page.is_quiet()
}

#[test]
fn a_damaged_or_lying_file_is_explained() -> Result<()> {
    let folder = fixtures::folder("save-lying")?;
    let template = fs::read_to_string(site()?.join("queryscope-single.html"))?;
    let mark = "<script id=\"queryscope-session\" type=\"application/octet-stream\">";
    for (name, session, words) in [
        ("empty.html", String::new(), "drop"),
        ("no-base64.html", "!!!".to_owned(), "damaged"),
        ("no-zip.html", STANDARD.encode("Dear reader"), "no-zip.queryscope"),
        ("cut.html", STANDARD.encode("PK\x03\x04\x14\0\0\x08\0\0"), "cut.queryscope"),
    ] {
        let html = template.replacen(mark, &format!("{mark}{session}"), 1);
        let page = at_file(Browser::fresh()?, &file(&folder, name, html)?)?;
        page.says(words).with_context(|| name)?;
    }
    Ok(())
}

/// Files for other programs: they hold the trace, and the dialog says what they do not hold.
#[test]
fn formats_of_other_programs_are_written() -> Result<()> {
    let page = Page::open()?;
    let folder = with_a_view(&page, "save-foreign")?;
    for (option, name, sign) in [
        ("Chrome JSON", "run.chrome.json", "traceEvents"),
        ("speedscope JSON", "run.speedscope.json", "profiles"),
        ("OpenTelemetry JSON", "run.otlp.json", "resourceSpans"),
    ] {
        let saved = save(&page, &folder, &Choice { options: &[("radio", option)], notes: "" })?;
        ensure!(saved.ends_with(name), "{}", saved.display());
        let value: serde_json::Value = serde_json::from_slice(&fs::read(&saved)?)?;
        ensure!(value[sign].as_array().is_some_and(|list| !list.is_empty()), "{name}: no {sign}");
    }
    let saved = save(&page, &folder, &Choice { options: &[("radio", "Folded stacks")], notes: "" })?;
    ensure!(saved.ends_with("run.folded"), "{}", saved.display());
    let is_line = |line: &str| line.rsplit_once(' ').is_some_and(|(_, weight)| weight.parse::<u64>().is_ok());
    let text = fs::read_to_string(&saved)?;
    ensure!(!text.is_empty() && text.lines().all(is_line), "{text}");
    page.is_quiet()
}

/// The clipboard gets a summary of the selection, and of the time range.
#[test]
fn a_summary_is_copied_for_an_issue() -> Result<()> {
    let page = Page::open()?;
    with_a_view(&page, "copy-issue")?;
    page.browser.run("navigator.clipboard.writeText = async text => { window.written = text }", json!([]))?;
    page.browser.click_on(&button("Copy for an issue").within(details()))?;
    page.browser
        .wait("a summary", "window.written?.startsWith('**query**') && written.includes('SELECT')")?;
    page.browser.wait("the confirmation", "document.querySelector('#details [data-copied=true]')")?;
    page.browser.keys("r")?;
    page.browser.wait("the time range", "document.querySelector('#range')")?;
    page.browser.click("#range .copying button")?;
    page.browser.wait("a summary of the range", "window.written?.startsWith('**time range**')")?;
    page.is_quiet()
}
