//! Pictures of the views, compared with `tests/e2e/pictures/*.txt` (`BLESS=1` writes them anew).
//!
//! Each is a screenshot shrunk to a few cells of mean colours: fonts and edges of another machine change a cell by a little,
//! a panel that is missing or a colour that is another one changes many by much.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::root;
use serde_json::json;

use crate::fixtures::{self, file};
use crate::page::Page;

/// Cells of a picture, across and down.
const CELLS: (usize, usize) = (36, 24);
/// By how much a colour's red, green and blue may differ together (of 765).
const SMALL: u32 = 60;
/// How many cells may differ by more: a line of text that is broken elsewhere.
const MANY: usize = CELLS.0 * CELLS.1 / 40;

const SHRINK: &str = "const bytes = Uint8Array.from(atob(arguments[0]), c => c.charCodeAt(0)); \
    const whole = await createImageBitmap(new Blob([bytes], { type: 'image/png' })); \
    const [across, down] = arguments[1]; const canvas = new OffscreenCanvas(whole.width, whole.height); \
    const ink = canvas.getContext('2d', { willReadFrequently: true }); ink.drawImage(whole, 0, 0); \
    const cells = []; for (let row = 0; row < down; row++) for (let column = 0; column < across; column++) { \
    const [x, y] = [column * whole.width / across | 0, row * whole.height / down | 0]; \
    const [w, h] = [(column + 1) * whole.width / across - x | 0, (row + 1) * whole.height / down - y | 0]; \
    const data = ink.getImageData(x, y, w, h).data; const sum = [0, 0, 0]; \
    for (let at = 0; at < data.length; at += 4) for (let c = 0; c < 3; c++) sum[c] += data[at + c]; \
    cells.push(sum.map(s => Math.round(s / (w * h)))); } return cells";

type Picture = Vec<[u32; 3]>;

fn taken(page: &Page) -> Result<Picture> {
    page.picture()?;
    let shot = page.browser.screenshot_text()?;
    let cells = page.browser.run_async(SHRINK, json!([shot, [CELLS.0, CELLS.1]]))?;
    serde_json::from_value(cells).context("colours of cells")
}

fn text(picture: &Picture) -> String {
    let mut text = String::new();
    for row in picture.chunks(CELLS.0) {
        for [red, green, blue] in row {
            // Into a text nothing fails.
            let _ = write!(text, "{red:02x}{green:02x}{blue:02x} ");
        }
        text = text.trim_end().to_owned() + "\n";
    }
    text
}

fn parsed(text: &str) -> Option<Picture> {
    let part = |cell: &str, at: usize| u32::from_str_radix(cell.get(at..at + 2)?, 16).ok();
    text.split_whitespace().map(|cell| Some([part(cell, 0)?, part(cell, 2)?, part(cell, 4)?])).collect()
}

/// How many cells are of another colour.
fn others(a: &Picture, b: &Picture) -> usize {
    let distance = |(a, b): (&[u32; 3], &[u32; 3])| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).sum::<u32>();
    a.iter().zip(b).map(distance).filter(|distance| *distance > SMALL).count() + a.len().abs_diff(b.len())
}

fn check(page: &Page, name: &str) -> Result<()> {
    let path = root().join("tests/e2e/pictures").join(format!("{name}.txt"));
    let found = taken(page)?;
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().context("a folder")?)?;
        return fs::write(&path, text(&found)).context("the picture");
    }
    let known =
        fs::read_to_string(&path).with_context(|| format!("{}: write it by BLESS=1", path.display()))?;
    let differ = others(&found, &parsed(&known).context("a picture as text")?);
    if differ > MANY {
        page.browser.screenshot(&root().join("target/screens").join(format!("{name}.png")))?;
    }
    ensure!(
        differ <= MANY,
        "{name}: {differ} of {} cells are of another colour: look at target/screens/{name}.png, then BLESS=1",
        found.len()
    );
    Ok(())
}

/// Views of one trace, each light and dark.
fn pictures(engine: &str, name: &str, trace: &str, views: &[&str]) -> Result<()> {
    let page = Page::open()?;
    page.browser.resize(1280, 800)?;
    let folder = fixtures::folder(&format!("pictures-{engine}"))?;
    page.browser.pick("#file-input", &[&file(&folder, name, trace)?])?;
    page.phase("ready")?;
    page.browser.wait("the trace", "!document.querySelector('.loading')")?;
    for view in views {
        page.tab(view)?;
        for scheme in ["light", "dark"] {
            page.browser.prefer(scheme)?;
            check(&page, &format!("{engine}-{view}-{scheme}"))?;
        }
    }
    page.is_quiet()
}

#[test]
fn kubling() -> Result<()> {
    pictures("kubling", "run.json", &fixtures::array("a"), &["overview", "gantt", "pivot"])
}

#[test]
fn chrome() -> Result<()> {
    let trace = include_str!("../../../traces/chrome/begin-end.json");
    pictures("chrome", "trace.json", trace, &["gantt", "flame"])
}

#[test]
fn topoexec() -> Result<()> {
    let trace = include_str!("../../../traces/topoexec/steps.trace.json");
    pictures("topoexec", "trace.json", trace, &["gantt", "parallel"])
}

/// The comparison sees what people would.
#[test]
fn another_theme_is_another_picture_and_a_hover_is_none() -> Result<()> {
    let page = Page::open()?;
    page.browser.resize(1280, 800)?;
    page.browser.prefer("light")?;
    let light = taken(&page)?;
    ensure!(others(&light, &parsed(&text(&light)).context("a picture")?) == 0, "what is written is not read");
    page.browser.run("document.querySelector('#sample-button').focus()", json!([]))?;
    ensure!(others(&light, &taken(&page)?) <= MANY, "a focus ring is another picture");
    page.browser.prefer("dark")?;
    ensure!(others(&light, &taken(&page)?) > MANY, "the dark is the light");
    Ok(())
}
