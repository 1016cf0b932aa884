//! "Save image": the view as SVG and as PNG, from the keyboard as well, with names as text.

use anyhow::{Result, ensure};
use queryscope_e2e::Mount;
use queryscope_e2e::site;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

/// Keeps what the page offers for download.
const WATCH: &str = "window.saved = []; const make = URL.createObjectURL; \
    URL.createObjectURL = blob => { if (blob instanceof Blob) saved.push(blob); return make.call(URL, blob); }; return ''";

/// A button that saves a picture.
fn saver(format: &str) -> String {
    format!(
        "[...document.querySelectorAll('.timeline-tools [aria-label=\"Save image\"] button')].find(b => b.innerText === {format:?})"
    )
}

/// Waits for a saved file of this type and returns an expression of it.
fn saved(page: &Page, kind: &str) -> Result<String> {
    let blob = format!("saved.findLast(blob => blob.type === {kind:?})");
    page.browser.wait(kind, &blob)?;
    Ok(blob)
}

fn check(page: &Page) -> Result<()> {
    page.browser.run(WATCH, serde_json::json!([]))?;
    // By keyboard: focus and Enter, which a button takes as a click.
    page.browser.run(
        &format!("{}.focus(); document.activeElement.click(); return ''", saver("SVG")),
        serde_json::json!([]),
    )?;
    let svg = saved(page, "image/svg+xml")?;
    page.browser
        .run(&format!("{svg}.text().then(text => window.svg = text); return ''"), serde_json::json!([]))?;
    page.browser.wait("the text of the picture", "window.svg")?;
    let parsed = "new DOMParser().parseFromString(svg, 'image/svg+xml')";
    let texts = page
        .eval(&format!("[...{parsed}.querySelectorAll('text')].map(text => text.textContent).join('|')"))?;
    ensure!(texts.contains("run.json") && texts.contains("SELECT"), "the picture says {texts}");
    ensure!(
        page.eval(&format!("{parsed}.querySelectorAll('script, parsererror, image, style').length"))? == "0",
        "{texts}"
    );
    page.browser.run(&format!("{}.click(); return ''", saver("PNG")), serde_json::json!([]))?;
    let png = saved(page, "image/png")?;
    page.browser.run(
        &format!("createImageBitmap({png}).then(image => window.size = image.width + ' ' + image.height); return ''"),
        serde_json::json!([]),
    )?;
    page.browser.wait("the size of the picture", "window.size")?;
    let doubled = format!(
        "(() => {{ const root = {parsed}.documentElement; return 2 * root.getAttribute('width') + ' ' + 2 * root.getAttribute('height') }})()"
    );
    ensure!(
        page.eval("window.size")? == page.eval(&doubled)?,
        "the picture has {} pixels",
        page.eval("window.size")?
    );
    Ok(())
}

#[test]
fn a_view_is_saved_as_a_picture() -> Result<()> {
    let folder = fixtures::folder("picture")?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    check(&page)?;
    page.is_quiet()
}

#[test]
fn a_view_is_saved_as_a_picture_in_firefox() -> Result<()> {
    let folder = fixtures::folder("picture-firefox")?;
    let Some(page) = Page::in_firefox(vec![Mount::new("/", site()?)])? else { return Ok(()) };
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    page.load(&[&file(&folder, "run.json", fixtures::array("a"))?], QUERIES)?;
    check(&page)
}
