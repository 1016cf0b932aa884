//! Nothing leaves the page's origin but a request for a trace that the user gave.

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Server, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

/// Ways in which a page could tell another origin something.
const LEAKS: &str = "
    const url = arguments[0];
    const outcome = await fetch(url + 'fetch').then(() => 'sent', () => 'refused');
    navigator.sendBeacon(url + 'beacon', 'x');
    new Image().src = url + 'image';
    const link = document.createElement('link'); link.rel = 'stylesheet'; link.href = url + 'style'; document.head.append(link);
    for (const [rel, as] of [['prefetch', ''], ['preload', 'fetch'], ['preload', 'image'], ['modulepreload', ''], ['icon', ''], ['manifest', '']]) {
        const hint = document.createElement('link'); hint.rel = rel; if (as) hint.as = as; hint.href = url + rel + as; document.head.append(hint);
    }
    const script = document.createElement('script'); script.src = url + 'script'; document.head.append(script);
    const frame = document.createElement('iframe'); frame.src = url + 'frame'; document.body.append(frame);
    try { new WebSocket(url.replace('http', 'ws') + 'socket') } catch {}
    try { new EventSource(url + 'events') } catch {}
    await new Promise(r => setTimeout(r, 1000));
    return outcome";

/// The policy refuses all of them, and the foreign server sees none.
pub fn is_tight(page: &Page) -> Result<()> {
    let foreign = Server::shared(vec![Mount::new("/", site()?)])?;
    let outcome = page.browser.run_async(LEAKS, json!([foreign.url()]))?;
    ensure!(outcome == json!("refused"), "fetch to a foreign origin was {outcome}");
    ensure!(foreign.visits().is_empty(), "a foreign origin was asked for {:?}", foreign.visits());
    Ok(())
}

#[test]
fn a_trace_never_leaves_the_page() -> Result<()> {
    let folder = fixtures::folder("privacy")?;
    let page = Page::open()?;
    page.load(&[&file(&folder, "secret-name.json", fixtures::array("a"))?], QUERIES)?;
    page.select_first_query()?;
    let asked = page.server.visits();
    let odd = asked.iter().find(|v| v.method != "GET" || v.path.contains("secret"));
    ensure!(odd.is_none(), "the page's own host was told {odd:?}");
    is_tight(&page)
}

#[test]
fn an_address_that_was_given_opens_no_other() -> Result<()> {
    let folder = fixtures::folder("privacy-url")?;
    let trace = file(&folder, "run.json", fixtures::array("a"))?;
    let foreign = Server::shared(vec![Mount::new("/run.json", trace)])?;
    let page = Page::at(vec![Mount::new("/", site()?)], &format!("#trace={}run.json", foreign.url()))?;
    page.says("Open a trace from 127.0.0.1")?;
    ensure!(foreign.visits().is_empty(), "asked for {:?} before the user agreed", foreign.visits());
    page.agree()?;
    page.ready(QUERIES)?;
    let paths: Vec<String> = foreign.visits().into_iter().map(|v| v.path).collect();
    ensure!(paths.iter().all(|p| p == "/run.json"), "asked for more than the trace: {paths:?}");
    is_tight(&page)
}

#[test]
fn the_landing_page_tells_nobody() -> Result<()> {
    is_tight(&Page::open()?)
}
