//! The pointer over the timeline: what the wheel moves, whose the wheel is in another page, and the line under it.

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, button, dialog};
use serde_json::{Value, json};

use crate::embedding::Embedding;
use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

const CTRL: u32 = 2;
const SHIFT: u32 = 8;
const ESCAPE: &str = "\u{e00c}";
/// Length of the run that [`fixtures::events`] makes, in nanoseconds: from its first event to the end of its last query.
const RUN: f64 = 5.0 * 400_000.0 + 300_000.0 + 5.0 * 50_000.0;

fn loaded(test: &str) -> Result<Page> {
    let folder = fixtures::folder(test)?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    Ok(page)
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().with_context(|| format!("{value} is no number"))
}

fn mouse(browser: &Browser, kind: &str, (x, y): (f64, f64), extra: Value) -> Result<()> {
    let mut event = json!({ "type": kind, "x": x, "y": y });
    if let (Some(event), Some(extra)) = (event.as_object_mut(), extra.as_object()) {
        event.extend(extra.clone());
    }
    browser.devtools("Input.dispatchMouseEvent", event).map(|_| ())
}

/// Turns the wheel once, and waits until a browser no longer counts another turn as the same scrolling.
fn turn(browser: &Browser, at: (f64, f64), pixels: f64, modifiers: u32) -> Result<()> {
    mouse(browser, "mouseWheel", at, json!({ "deltaX": 0, "deltaY": pixels, "modifiers": modifiers }))?;
    browser.run_async("await new Promise(r => setTimeout(r, 700))", json!([])).map(|_| ())
}

/// Left, top, width and height of an element.
fn place(page: &Page, css: &str) -> Result<[f64; 4]> {
    let find = "const box = document.querySelector(arguments[0]).getBoundingClientRect(); \
        return [box.x, box.y, box.width, box.height]";
    let found = page.browser.run(find, json!([css]))?;
    Ok([number(&found[0])?, number(&found[1])?, number(&found[2])?, number(&found[3])?])
}

fn middle([x, y, width, height]: [f64; 4]) -> (f64, f64) {
    (x + width / 2.0, y + height / 2.0)
}

/// What is in view: how far the rows are scrolled, as the scroll bar's thumb tells it, and how long the time axis is.
fn view(page: &Page) -> Result<(String, String)> {
    page.picture()?;
    let rows = page.eval("document.querySelector('.scrollbar .thumb').style.transform")?;
    Ok((rows, page.eval("document.querySelector('.timeline-corner').innerText")?))
}

#[test]
fn the_wheel_scrolls_pans_with_shift_and_zooms_with_ctrl() -> Result<()> {
    let page = loaded("wheel-rows")?;
    page.browser.resize(1200, 620)?;
    let at = middle(place(&page, "#gantt")?);
    let first = view(&page)?;
    turn(&page.browser, at, 60.0, 0)?;
    let scrolled = view(&page)?;
    ensure!(scrolled.0 != first.0 && scrolled.1 == first.1, "a wheel: {first:?} and {scrolled:?}");
    turn(&page.browser, at, -100.0, CTRL)?;
    let zoomed = view(&page)?;
    ensure!(zoomed.0 == scrolled.0 && zoomed.1 != scrolled.1, "with Ctrl: {scrolled:?} and {zoomed:?}");
    let before = page.picture()?;
    turn(&page.browser, at, 100.0, SHIFT)?;
    ensure!(page.picture()? != before && view(&page)? == zoomed, "with Shift it does not pan");
    // Set back to what it was in earlier versions, also for the next time.
    page.browser.keys("?")?;
    page.browser.click_on(&button("zooms").within(dialog("Keyboard and pointer")))?;
    let told = "[...document.querySelectorAll('#help .keys div')].some(line => \
        line.innerText.startsWith('Zoom at the pointer') && line.querySelector('kbd')?.innerText === 'Wheel')";
    page.browser.wait("the list to tell so", told)?;
    page.browser.screenshot(&queryscope_e2e::root().join("target/screens/wheel-choice.png"))?;
    page.browser.keys(ESCAPE)?;
    turn(&page.browser, at, -100.0, 0)?;
    let closer = view(&page)?;
    ensure!(closer.0 == zoomed.0 && closer.1 != zoomed.1, "a wheel that zooms: {zoomed:?} and {closer:?}");
    turn(&page.browser, at, -300.0, CTRL)?;
    ensure!(view(&page)?.0 != closer.0, "Ctrl does not scroll where the wheel zooms");
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    ensure!(page.eval("localStorage.getItem('queryscope-wheel')")? == "zoom", "it is not remembered");
    let folder = fixtures::folder("wheel-again")?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    let whole = view(&page)?;
    turn(&page.browser, at, -100.0, 0)?;
    ensure!(view(&page)?.1 != whole.1, "the wheel does not zoom after a reload");
    page.is_quiet()
}

#[test]
fn a_drag_pans() -> Result<()> {
    let page = loaded("drag")?;
    let (x, y) = middle(place(&page, "#gantt")?);
    turn(&page.browser, (x, y), -100.0, CTRL)?;
    let before = page.picture()?;
    mouse(&page.browser, "mousePressed", (x, y), json!({ "button": "left", "buttons": 1, "clickCount": 1 }))?;
    for step in 1..=6 {
        let to = (x + 20.0 * f64::from(step), y);
        mouse(&page.browser, "mouseMoved", to, json!({ "button": "left", "buttons": 1 }))?;
    }
    mouse(&page.browser, "mouseReleased", (x + 120.0, y), json!({ "button": "left", "clickCount": 1 }))?;
    ensure!(page.picture()? != before, "dragging changed nothing in the picture");
    page.is_quiet()
}

/// How far the page around is scrolled, and the rows of the viewer in `a`.
fn scrolled(page: &Embedding) -> Result<(f64, String)> {
    let both = page.browser.run_async(
        "await page.settle(); return [scrollY, page.find('a', '.scrollbar .thumb').style.transform]",
        json!([]),
    )?;
    Ok((number(&both[0])?, both[1].as_str().unwrap_or_default().to_owned()))
}

#[test]
fn an_embedded_viewer_leaves_the_wheel_to_its_page_where_its_rows_end() -> Result<()> {
    let page = Embedding::open("wheel-embedded")?;
    page.mounted("a", "trace=/run.json&view=gantt")?;
    let [x, y] = [0, 1].map(|at| {
        let find = "(() => { const box = page.find('a', '#gantt').getBoundingClientRect(); \
            return [box.x + box.width / 2, box.y + box.height / 2] })()";
        page.eval(find).and_then(|found| number(&found[at]))
    });
    let at = (x?, y?);
    let first = scrolled(&page)?;
    turn(&page.browser, at, 30.0, 0)?;
    let down = scrolled(&page)?;
    ensure!(first.0 == 0.0 && down.0 == 0.0 && down.1 != first.1, "rows: {first:?} and {down:?}");
    // One turn that leads beyond the last row is the viewer's: it moved something.
    turn(&page.browser, at, 5_000.0, 0)?;
    let last = scrolled(&page)?;
    ensure!(last.0 == 0.0 && last.1 != down.1, "to the last row: {down:?} and {last:?}");
    turn(&page.browser, at, 40.0, 0)?;
    let beyond = scrolled(&page)?;
    ensure!(beyond.0 > 0.0 && beyond.1 == last.1, "at the last row: {last:?} and {beyond:?}");
    // Back up: the rows first, the page where they cannot.
    turn(&page.browser, at, -30.0, 0)?;
    let up = scrolled(&page)?;
    ensure!(up.0 == beyond.0 && up.1 != beyond.1, "up: {beyond:?} and {up:?}");
    // Zooming is never the page's.
    turn(&page.browser, at, 100.0, CTRL)?;
    ensure!(page.eval("visualViewport.scale")? == json!(1) && scrolled(&page)?.0 == up.0);
    page.is_quiet()
}

#[test]
fn a_frame_leaves_the_wheel_to_its_page() -> Result<()> {
    let page = Embedding::open("wheel-frame")?;
    page.run(
        "const frame = document.createElement('iframe'); frame.id = 'frame'; frame.width = 900; frame.height = 700; \
         frame.src = '/?embed#trace=/run.json&view=gantt'; document.body.prepend(frame)",
    )?;
    let inside = "document.getElementById('frame').contentDocument";
    page.wait("the trace", &format!("{inside}?.querySelector('#app')?.dataset.queries === '6'"))?;
    let thumb = format!("{inside}.querySelector('.scrollbar .thumb').style.transform");
    page.wait("the rows", &format!("{inside}.querySelector('#gantt')?.width > 100 && {thumb} !== ''"))?;
    turn(&page.browser, (500.0, 400.0), 2_000.0, 0)?;
    page.eval("scrollTo(0, 0)")?;
    let last = page.eval(&thumb)?;
    turn(&page.browser, (500.0, 400.0), 120.0, 0)?;
    ensure!(page.eval(&thumb)? == last, "the rows go on below the last one");
    page.wait("the page to scroll", "scrollY > 0")
}

/// The crosshair's line, its time and the length, each `null` where it is not shown: left edge, and text.
const CROSSHAIR: &str = "['.crosshair', '.crosshair-time', '.crosshair-distance'].map(css => { \
    const element = document.querySelector(css), box = element.getBoundingClientRect(); \
    return getComputedStyle(element).visibility === 'visible' ? [box.x, element.textContent] : null })";

/// Nanoseconds that a text like "1.234 5 ms" tells, and those of its last digit.
fn nanoseconds(text: &str) -> Result<(f64, f64)> {
    let (number, unit) = text.rsplit_once(' ').with_context(|| format!("no unit in {text:?}"))?;
    let scale = match unit {
        "s" => 1e9,
        "ms" => 1e6,
        "µs" => 1e3,
        "ns" => 1.0,
        _ => anyhow::bail!("{text:?} is no time"),
    };
    let digits = number.replace(['\u{2009}', ','], "").replace('−', "-");
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Ok((digits.parse::<f64>()? * scale, scale / 10_f64.powi(i32::try_from(decimals)?)))
}

#[test]
fn a_line_tells_the_time_under_the_pointer() -> Result<()> {
    let page = loaded("crosshair")?;
    let [left, top, width, height] = place(&page, "#gantt")?;
    let before = page.picture()?;
    let find = || page.browser.run(&format!("return {CROSSHAIR}"), json!([]));
    ensure!(find()? == json!([null, null, null]), "there is a line without a pointer: {}", find()?);
    // All is in view, with a fiftieth of it free at both ends.
    let (start, span) = (-RUN * 0.02, RUN * 1.04);
    let time_at = |x: f64| start + (x - left) / width * span;
    for share in [0.1, 0.31, 0.62, 0.97] {
        let x = (left + width * share).round();
        // Above the line that changes the height of the list, and beside the scroll bar.
        mouse(&page.browser, "mouseMoved", (x, top + height - 24.0), json!({}))?;
        page.browser.wait("the line", &format!("({CROSSHAIR})[0]"))?;
        let found = find()?;
        let line = number(&found[0][0])?;
        ensure!((line - x).abs() <= 1.0 && line >= left, "the line is at {line}, the pointer at {x}");
        let (time, digit) = nanoseconds(found[1][1].as_str().unwrap_or_default())?;
        let pixel = span / width;
        ensure!((time - time_at(x)).abs() <= pixel + digit, "{found} at {x}: {} ns", time_at(x));
        ensure!(digit <= pixel, "{found}: a pixel is {pixel} ns");
        ensure!(found[2].is_null(), "a length without a range: {found}");
    }
    page.browser.screenshot(&queryscope_e2e::root().join("target/screens/crosshair.png"))?;
    for (zone, x, y) in [("the headings", left - 30.0, top + 40.0), ("the tabs", left + 50.0, 60.0)] {
        mouse(&page.browser, "mouseMoved", (x, y), json!({}))?;
        ensure!(find()? == json!([null, null, null]), "a line while the pointer is over {zone}: {}", find()?);
    }
    // Nothing was painted or zoomed for it.
    ensure!(page.picture()? == before, "the picture changed");
    a_range_tells_its_length(&page, (left, width), time_at)
}

fn a_range_tells_its_length(
    page: &Page,
    (left, width): (f64, f64),
    time_at: impl Fn(f64) -> f64,
) -> Result<()> {
    let ruler = place(page, "#ruler")?;
    let y = middle(ruler).1;
    let (from, to) = ((left + width * 0.25).round(), (left + width * 0.75).round());
    mouse(
        &page.browser,
        "mousePressed",
        (from, y),
        json!({ "button": "left", "buttons": 1, "clickCount": 1 }),
    )?;
    for x in [from + 30.0, to] {
        mouse(&page.browser, "mouseMoved", (x, y), json!({ "button": "left", "buttons": 1 }))?;
    }
    let found = page.browser.run(&format!("return {CROSSHAIR}"), json!([]))?;
    let text = found[2][1].as_str().with_context(|| format!("no length: {found}"))?;
    let (ends, length) = text.split_once(" · ").context("a length")?;
    let (begin, end) = ends.split_once(" … ").context("two ends")?;
    let pixel = time_at(left + 1.0) - time_at(left);
    for (text, expected) in
        [(begin, time_at(from)), (end, time_at(to)), (length, time_at(to) - time_at(from))]
    {
        let (time, digit) = nanoseconds(text)?;
        ensure!((time - expected).abs() <= 2.0 * pixel + digit, "{text} is not {expected} ns");
    }
    page.browser.prefer("dark")?;
    page.picture()?;
    page.browser.screenshot(&queryscope_e2e::root().join("target/screens/crosshair-range.png"))?;
    mouse(&page.browser, "mouseReleased", (to, y), json!({ "button": "left", "clickCount": 1 }))?;
    mouse(&page.browser, "mouseMoved", (to - 3.0, y), json!({}))?;
    page.browser.wait("the length to go", &format!("({CROSSHAIR})[2] === null"))?;
    page.is_quiet()
}

/// What stands for the clipboard: a test has no say in what a browser permits.
const CLIPBOARD: &str = "navigator.clipboard.writeText = async text => { \
    if (window.refused) throw new DOMException('no', 'NotAllowedError'); window.written = text }";

#[test]
fn what_was_copied_is_told_for_a_moment() -> Result<()> {
    let page = loaded("copying")?;
    page.browser.run(CLIPBOARD, json!([]))?;
    page.select_first_query()?;
    let details = "#details .copying";
    check_copying(&page, details, "written.includes('SELECT')", true)?;
    check_copying(&page, ".topbar .copying", "written === location.href", false)?;
    page.tab("pivot")?;
    page.browser.wait("the table", "document.querySelector('.pivot-tools .copying')")?;
    check_copying(&page, ".pivot-tools .copying", "written.includes('count')", true)?;
    page.is_quiet()
}

fn check_copying(page: &Page, css: &str, written: &str, announced: bool) -> Result<()> {
    page.browser.wait("the button", &format!("document.querySelector('{css} button')"))?;
    let text = format!("document.querySelector('{css} button').innerText");
    let usual = page.eval(&text)?;
    for (refused, word, sentence) in [(false, "Copied", "Copied"), (true, "Not copied", "browser")] {
        page.browser.run("window.refused = arguments[0]; window.written = ''", json!([refused]))?;
        page.browser.click(&format!("{css} button"))?;
        page.browser.wait(&format!("{css}: {word}"), &format!("{text} === '{word}'"))?;
        if announced {
            let live = format!("document.querySelector('{css} [role=status]').textContent");
            page.browser.wait("the announcement", &format!("{live}.includes('{sentence}')"))?;
        }
        ensure!(refused || page.eval(written)? == "true", "{css}: copied {}", page.eval("written")?);
        page.browser.wait("the usual label", &format!("{text} === {usual:?}"))?;
    }
    Ok(())
}
