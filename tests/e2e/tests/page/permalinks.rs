//! A link is everything: what was set by hand returns in a new tab, notes and pinned tracks included; a link to a local file
//! asks for that file and notices another one.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Named, button, dialog, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

/// What is set, as the page shows it.
const SHOWN: &str = "[document.querySelector('#app').dataset.view, \
    document.querySelector('.queryscope').dataset.theme ?? 'system', \
    document.querySelector('#details h2')?.textContent, \
    document.querySelector('#search').value, \
    document.querySelector('#filter')?.value, \
    document.querySelector('.filter-bar [aria-pressed=true]')?.innerText, \
    document.querySelector('#color-by')?.value, \
    document.querySelector('#range .range-title span')?.textContent, \
    document.querySelector('#notes-button .badge')?.textContent, \
    document.querySelector('.timeline-corner.small')?.textContent].join(' | ')";

fn served(test: &str) -> Result<Page> {
    let folder = fixtures::folder(test)?;
    let trace = file(&folder, "run.json", fixtures::array("a"))?;
    let page = Page::at(vec![Mount::new("/", site()?), Mount::new("/run.json", trace)], "#trace=run.json")?;
    complete(&page)?;
    Ok(page)
}

fn complete(page: &Page) -> Result<()> {
    page.ready(QUERIES)?;
    page.browser.wait("the trace", "!document.querySelector('.loading')").map(|_| ())
}

fn written(page: &Page, part: &str) -> Result<()> {
    page.browser
        .wait(&format!("{part} in the address"), &format!("location.hash.includes({part:?})"))
        .map(|_| ())
}

/// Opens the link as somebody else would, whose browser stored nothing.
fn in_new_tab(page: &Page, link: &str) -> Result<()> {
    page.browser.run("localStorage.clear()", json!([]))?;
    page.browser.open("about:blank")?;
    page.browser.open(link)
}

fn typed(page: &Page, css: &str, text: &str) -> Result<()> {
    let script = "const field = document.querySelector(arguments[0]); field.value = arguments[1]; \
        field.dispatchEvent(new Event('input', { bubbles: true }))";
    page.browser.run(script, json!([css, text])).map(|_| ())
}

fn choose(page: &Page, css: &str, choice: &str) -> Result<()> {
    let script = "const list = document.querySelector(arguments[0]); \
        list.selectedIndex = [...list.options].findIndex(o => o.textContent === arguments[1]); \
        list.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.run(script, json!([css, choice])).map(|_| ())
}

fn add_note(page: &Page, text: &str) -> Result<()> {
    page.browser.keys("m")?;
    page.browser.shows(&dialog("Notes"))?;
    page.browser.wait("the field", "document.activeElement.matches('.note-form input')")?;
    page.browser.keys(text)?;
    page.browser.keys(ENTER)?;
    let listed =
        format!("[...document.querySelectorAll('.note-list p')].some(p => p.textContent === {text:?})");
    page.browser.wait("the note in the list", &listed)?;
    page.browser.keys(ESCAPE)?;
    page.browser.wait("no dialog", "!document.querySelector('dialog')").map(|_| ())
}

#[test]
fn everything_that_was_set_returns_in_a_new_tab() -> Result<()> {
    let page = served("permalink-all")?;
    for _ in 0..2 {
        page.browser.click("#theme-button")?;
    }
    add_note(&page, "slow, isn't it? 100 % & more")?;
    page.select_first_query()?;
    page.browser.wait("the details", "document.querySelector('#details h2')?.textContent")?;
    page.browser.keys("p")?;
    page.says("1 pinned")?;
    page.browser.keys("w")?;
    page.browser.keys("r")?;
    add_note(&page, "the selection")?;
    choose(&page, "#color-by", "outcome")?;
    typed(&page, "#search", "orders")?;
    typed(&page, "#filter", "failed")?;
    page.browser.click(".filter-bar [data-label=Hide]")?;
    page.tab("overview")?;
    page.browser.click("#run [role=columnheader]:nth-child(3) button, #run-grid [role=columnheader]:nth-child(3) button, .overview [role=columnheader]:nth-child(3) button")?;
    written(&page, "orders=")?;
    page.tab("gantt")?;
    for part in [
        "theme=dark",
        "pins=",
        "range=",
        "color=outcome",
        "find=orders",
        "filter=failed",
        "unmatched=hidden",
        "item=",
        "t=",
    ] {
        written(&page, part)?;
    }
    page.browser.wait("two notes in the address", "location.hash.split('note=').length === 3")?;
    // The address rests.
    page.browser.wait("the tab in the address", "!location.hash.includes('view=')")?;
    let (link, shown) = (page.eval("location.href")?, page.eval(SHOWN)?);
    let order = "document.querySelector('.overview [role=columnheader]:nth-child(3)')?.ariaSort";
    ensure!(shown.contains("dark") && shown.contains("1 pinned"), "{shown}");
    in_new_tab(&page, &link)?;
    complete(&page)?;
    page.browser.wait("the same state", &format!("({SHOWN}) === {shown:?}"))?;
    page.browser.wait("the same link", &format!("location.href === {link:?}"))?;
    page.tab("overview")?;
    page.browser.wait("the same order", &format!("['ascending', 'descending'].includes({order})"))?;
    page.is_quiet()
}

#[test]
fn notes_are_added_edited_shown_and_deleted() -> Result<()> {
    let page = served("permalink-notes")?;
    add_note(&page, "first")?;
    // The range is a step of its own only after the address was written without it.
    written(&page, "note=")?;
    page.browser.keys("r")?;
    written(&page, "range=")?;
    add_note(&page, "second")?;
    page.browser.wait("a note on the range", "location.hash.includes('note=range,')")?;
    // Going back leaves the time range, and takes no note away.
    page.browser.run("history.back()", json!([]))?;
    page.browser.wait("no range", "!document.querySelector('#range')")?;
    page.browser.wait("both notes", "document.querySelector('#notes-button .badge')?.textContent === '2'")?;
    page.browser.click("#notes-button")?;
    page.browser.click_on(&Named::with("button", "Edit: second"))?;
    page.browser.wait("the field", "document.querySelector('.note-list input')?.value === 'second'")?;
    typed(&page, ".note-list input", "changed")?;
    page.browser.click_on(&button("Save"))?;
    page.says("changed")?;
    page.browser.click_on(&Named::with("button", "Delete: first"))?;
    page.browser.wait("one note", "document.querySelectorAll('.note-list li').length === 1")?;
    page.browser.click_on(&Named::with("button", "range ").within(dialog("Notes")))?;
    page.browser.wait("the range of the note", "document.querySelector('#range')")?;
    page.browser.wait("the deletion in the address", "!location.hash.includes('first')")?;
    page.browser.run("location.reload()", json!([]))?;
    complete(&page)?;
    page.browser.wait("the note", "document.querySelector('#notes-button .badge')?.textContent === '1'")?;
    page.is_quiet()
}

#[test]
fn a_marker_on_the_ruler_leads_to_the_notes() -> Result<()> {
    let page = served("permalink-marker")?;
    page.browser.run("location.hash = '#trace=run.json&note=range,200000,900000,look%20here'", json!([]))?;
    page.browser.wait("the note", "document.querySelector('#notes-button .badge')")?;
    page.picture()?;
    let find = "const c = document.querySelector('#ruler'); const r = c.getBoundingClientRect(); \
        const d = c.getContext('2d').getImageData(0, 2, c.width, 1).data; const p = [...d.slice(0, 3)].join(); \
        for (let x = 0; x < c.width; x++) if ([...d.slice(4 * x, 4 * x + 3)].join() !== p && d[4 * x] > d[4 * x + 2] + 40) \
        return [r.left + x * r.width / c.width + 3, r.top + 4]; return null";
    let place = page.browser.run(find, json!([]))?;
    ensure!(place.is_array(), "no marker on the ruler");
    let at = (place[0].as_f64().unwrap_or(0.0), place[1].as_f64().unwrap_or(0.0));
    page.browser.drag(&[at])?;
    page.browser.shows(&dialog("Notes"))?;
    page.says("look here")?;
    page.is_quiet()
}

#[test]
fn notes_that_make_a_link_too_long_are_left_out_and_counted() -> Result<()> {
    let page = served("permalink-long")?;
    let notes: String = (0..40).map(|at| format!("&note=trace,{at}{}", "x".repeat(400))).collect();
    page.browser.run("location.hash = arguments[0]", json!([format!("#trace=run.json{notes}")]))?;
    page.browser.wait("all notes", "document.querySelector('#notes-button .badge')?.textContent === '40'")?;
    page.browser.click_on(&button("Copy link"))?;
    page.says("too long for")?;
    page.browser.run("location.hash = '#trace=run.json&view=flame&notes-left-out=7'", json!([]))?;
    page.is_quiet()
}

#[test]
fn a_link_to_a_local_file_asks_for_it_and_notices_another_one() -> Result<()> {
    let folder = fixtures::folder("permalink-local")?;
    let trace = file(&folder, "run, 1.json", fixtures::array("a"))?;
    let page = Page::open()?;
    page.load(&[&trace], QUERIES)?;
    page.browser.wait("the trace", "!document.querySelector('.loading')")?;
    page.select_first_query()?;
    page.browser.wait("the details", "document.querySelector('#details h2')?.textContent")?;
    let name = page.eval("document.querySelector('#details h2').textContent")?;
    page.tab("pivot")?;
    let named = r"/#file=run,%201\.json,\d+,[0-9a-f]{16}&/.test(location.hash)";
    page.browser
        .wait("the file in the address", &format!("{named} && location.hash.includes('view=pivot')"))?;
    let link = page.eval("location.href")?;
    page.browser.click_on(&button("Copy link"))?;
    page.says("a hash of its content")?;
    // The page asks before it is left, since a local file must be found again.
    page.browser.run("location.hash = '#'", json!([]))?;
    let asks = |page: &Page| -> Result<()> {
        in_new_tab(page, &link)?;
        page.phase("landing")?;
        page.says("This link is for the file run, 1.json (")?;
        page.says("Drop it here or choose it.")
    };
    asks(&page)?;
    page.browser.pick("#file-input", &[&trace])?;
    page.phase("ready")?;
    page.browser.wait("the view of the link", "document.querySelector('#app').dataset.view === 'pivot'")?;
    page.tab("gantt")?;
    page.browser
        .wait("the selection", &format!("document.querySelector('#details h2')?.textContent === {name:?}"))?;
    ensure!(
        page.eval("document.querySelector('.other-files')?.textContent ?? ''")?.is_empty(),
        "a false alarm"
    );
    page.browser.run("location.hash = '#'", json!([]))?;
    asks(&page)?;
    let other = file(&folder, "run, 1.json", fixtures::array("b"))?;
    page.browser.pick("#file-input", &[&other])?;
    page.says("This is not the file of the link")?;
    page.browser
        .wait("the view as far as it fits", "document.querySelector('#app').dataset.view === 'pivot'")?;
    page.is_quiet()
}

#[test]
fn pinned_tracks_stay_on_top_and_leave_room() -> Result<()> {
    let page = served("permalink-pins")?;
    let at_headings = |share: f64, y: f64| -> Result<(f64, f64)> {
        let place = page.browser.run(
            "const r = document.querySelector('#headings').getBoundingClientRect(); return [r.left, r.top, r.width]",
            json!([]),
        )?;
        let number = |at: usize| place[at].as_f64().unwrap_or(0.0);
        Ok((number(0) + number(2) * share - 10.0, number(1) + y))
    };
    page.browser.drag(&[at_headings(1.0, 60.0)?])?;
    page.says("1 pinned")?;
    page.browser.wait("a strip of pinned rows", "document.querySelector('#pins').clientHeight > 10")?;
    written(&page, "pins=")?;
    // The strip's own heading has the pin that takes it away.
    let strip = page.browser.run(
        "const r = document.querySelector('#pin-headings').getBoundingClientRect(); return [r.right - 10, r.top + 10]",
        json!([]),
    )?;
    page.browser.drag(&[(strip[0].as_f64().unwrap_or(0.0), strip[1].as_f64().unwrap_or(0.0))])?;
    page.browser.wait("no strip", "document.querySelector('#pins').clientHeight === 0")?;
    // Many pins take no more than two fifths.
    page.browser.resize(1_000, 520)?;
    let pinned =
        "+(document.querySelector('.timeline-corner.small [role=status]')?.textContent ?? '').split(' ')[0]";
    for at in 0..8 {
        let before = page.eval(pinned)?;
        page.browser.drag(&[at_headings(1.0, 20.0 + 12.0 * f64::from(at))?])?;
        page.browser.wait("another number of pins", &format!("String({pinned}) !== {before:?}")).ok();
    }
    let heights = "(p => [p.height, p.height / document.querySelector('.timeline-grid').clientHeight])(\
        document.querySelector('#pins').getBoundingClientRect())";
    page.browser
        .wait("a strip that leaves room", &format!("({heights})[0] > 20 && ({heights})[1] < 0.41"))?;
    page.browser.click_on(&button("Unpin all"))?;
    page.browser.wait("no strip", "document.querySelector('#pins').clientHeight === 0")?;
    page.browser.wait("no pins in the address", "!location.hash.includes('pins=')")?;
    page.is_quiet()
}

#[test]
fn hostile_links_do_no_harm() -> Result<()> {
    let page = served("permalink-hostile")?;
    for fragment in [
        "#trace=run.json&note=%E0%A4%A&__proto__=1&constructor=2&pins=x,0123456789.4294967295.4294967295&orders=a:b,__proto__:1&t=5,9&top=1e99&theme=moon&v=-1".to_owned(),
        "#trace=run.json&note=trace,%3Cimg%20src=x%20onerror=alert(1)%3E&view=gantt&merged=-5,9&table.order=--1&v=2".to_owned(),
        format!("#trace=run.json&find={}", "%F0%9F%98%80".repeat(100_000)),
        format!("#trace=run.json&{}", "note=item,1,2,3,x&".repeat(3_000)),
    ] {
        page.browser.run("location.hash = arguments[0]", json!([fragment]))?;
        std::thread::sleep(std::time::Duration::from_millis(500));
        complete(&page)?;
    }
    page.browser.click("#notes-button")?;
    page.browser.shows(&dialog("Notes"))?;
    page.says("<img src=x onerror=alert(1)>")?;
    ensure!(page.eval("document.querySelectorAll('#notes img').length")? == "0", "markup of a note");
    page.is_quiet()
}
