//! What a page takes from an element as a file, and how it tells an element to read: the report, images, the format of traces,
//! the limit of bytes, and a large trace next to other elements.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::element::Handbook;

/// Images of the view: text stays text in SVG, PNG has twice as many pixels, and each theme has its colours.
const IMAGES: &str = "
    const a = page.element('a');
    const [light, dark, same, png] = [await a.exportAs('svg', { theme: 'light' }), await a.exportAs('svg', { theme: 'dark' }),
        await a.toBlob('image/svg+xml'), await a.toBlob()];
    const texts = await Promise.all([light, dark, same].map(blob => blob.text()));
    const root = new DOMParser().parseFromString(texts[0], 'image/svg+xml').documentElement;
    const image = await createImageBitmap(png);
    return { types: [light.type, png.type, (await a.exportAs('png')).type].join(),
        isText: root.textContent.includes('SELECT') && root.textContent.includes('run.json'),
        isSafe: root.querySelectorAll('script, parsererror, image, style, foreignObject').length === 0,
        isDark: texts[0] !== texts[1], isCurrent: texts[2] === texts[0],
        isDouble: image.width === 2 * root.getAttribute('width') && image.height === 2 * root.getAttribute('height') }";

fn takes(page: &Handbook) -> Result<()> {
    page.add("a", json!({ "src": "/run.json", "view": "gantt", "loading": "eager", "theme": "light" }))?;
    page.drawn("a")?;
    let images = page.run_async(IMAGES)?;
    let expected = json!({ "types": "image/svg+xml,image/png,image/png", "isText": true, "isSafe": true, "isDark": true,
        "isCurrent": true, "isDouble": true });
    ensure!(images == expected, "{images}");
    let reports = page.run_async(
        "const a = page.element('a'); const json = await (await a.exportAs('report-json')).text(); \
         return [JSON.parse(json).files[0].name, (await (await a.exportAs('report')).text()).includes('run.json')]",
    )?;
    ensure!(reports == json!(["run.json", true]), "{reports}");
    let refusal = |call: &str, words: &str| -> Result<()> {
        let said = page.run_async(&format!(
            "const a = page.element('a'); try {{ await {call}; return 'a file' }} catch (error) {{ return `${{error.code}}: ${{error.message}}` }}"
        ))?;
        let said = said.as_str().context("a text")?;
        ensure!(said.starts_with("source: ") && said.contains(words), "{call}: {said}");
        Ok(())
    };
    refusal("a.exportAs('exe')", "report-json, svg or png")?;
    refusal("a.exportAs()", "report-json, svg or png")?;
    refusal("a.toBlob('image/webp')", "report-json, svg or png")?;
    page.run("page.element('a').view = 'overview'")?;
    page.wait("the overview", "page.data('a').view === 'overview'")?;
    refusal("a.toBlob()", "show the Gantt view")?;
    page.run("page.element('a').close()")?;
    page.wait("no trace", "page.element('a').status === 'idle'")?;
    for format in ["report", "svg"] {
        refusal(&format!("a.exportAs('{format}')"), "No trace is open")?;
    }
    page.is_quiet()
}

#[test]
fn a_page_takes_files_from_an_element() -> Result<()> {
    takes(&Handbook::open("files")?)
}

#[test]
fn a_page_takes_files_from_an_element_in_firefox() -> Result<()> {
    Handbook::firefox("files-firefox")?.map_or(Ok(()), |page| takes(&page))
}

#[test]
fn an_element_reads_in_the_format_and_within_the_limit_of_its_attributes() -> Result<()> {
    let page = Handbook::open("read")?;
    for (id, attributes) in [
        ("kubling", json!({ "format": "kubling" })),
        ("limit", json!({ "src": "/large.ndjson", "max-bytes": "1000000" })),
        ("other", json!({ "format": "folded" })),
        ("unknown", json!({ "format": "<b>" })),
    ] {
        let mut all = json!({ "src": "/run.json", "loading": "eager" });
        if let (Some(all), Some(attributes)) = (all.as_object_mut(), attributes.as_object()) {
            all.extend(attributes.clone());
        }
        page.add(id, all)?;
        page.wait(id, &format!("['ready', 'error'].includes(page.element('{id}').status)"))?;
    }
    ensure!(page.eval("page.element('kubling').info.queries")? == json!(6));
    let read = page.eval("page.element('limit').info?.queries")?;
    ensure!(read.as_u64().is_some_and(|queries| (1..60_000).contains(&queries)), "{read} of 60,000 queries");
    let errors = page.eval("['other', 'unknown'].map(id => page.last(id, 'error')?.code)")?;
    ensure!(errors == json!(["read", "start"]), "{errors}");
    let said = page.eval("page.last('unknown', 'error').message")?;
    ensure!(said.as_str().is_some_and(|said| said.contains("“<b>”") && said.contains("kubling")), "{said}");
    page.is_quiet()
}

/// Pans an element while the trace of another is read, and counts the different images that it shows until then.
const PAN: &str = "
    const pictures = new Set();
    for (let at = 0; page.element('e4').status === 'loading'; at++) {
        page.element('e0').zoomTo({ start: at * 10000, end: at * 10000 + 600000 });
        await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));
        const picture = page.picture('e0');
        if (page.element('e4').status === 'loading') pictures.add(picture);
    }
    return [pictures.size, page.element('e4').status, page.element('e4').info?.queries]";

/// A large trace is read by an engine of its own, so the other elements go on.
#[test]
fn an_element_is_panned_while_another_loads_a_large_trace() -> Result<()> {
    let page = Handbook::open("pan")?;
    for at in 0..4 {
        page.add(&format!("e{at}"), json!({ "src": "/run.json", "view": "gantt", "loading": "eager" }))?;
    }
    for at in 0..4 {
        page.drawn(&format!("e{at}"))?;
    }
    page.add("e4", json!({ "src": "/large.ndjson", "view": "gantt", "loading": "eager" }))?;
    let panned = page.run_async(PAN)?;
    ensure!(panned[1] == json!("ready") && panned[2] == json!(60_000), "{panned}");
    ensure!(panned[0].as_u64().is_some_and(|images| images >= 5), "{panned}: the other element stood still");
    page.is_quiet()
}
