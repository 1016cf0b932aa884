//! The element `<queryscope-viewer>` in a page of somebody else's: attributes, methods, events, and what must not break it.

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Firefox, Mount, Options, Server, root, site};
use serde_json::{Value, json};

use crate::embedding::SCRAPS;
use crate::fixtures::{self, file};

/// A page that holds elements, with traces beside it.
pub struct Handbook {
    browser: Browser,
    server: Server,
}

impl Handbook {
    pub fn open(test: &str) -> Result<Self> {
        Self::with(test, Browser::fresh()?)
    }

    pub fn firefox(test: &str) -> Result<Option<Self>> {
        let Some(firefox) = Firefox::find() else {
            eprintln!("skipped: no Firefox with a geckodriver (FIREFOX, GECKODRIVER, or on the PATH)");
            return Ok(None);
        };
        Self::with(test, Browser::firefox(&firefox, Options::default())?).map(Some)
    }

    fn with(test: &str, browser: Browser) -> Result<Self> {
        let server = Server::start(mounts(test)?)?;
        browser.open(&format!("{}embed/element.html", server.url()))?;
        browser.wait("the page's script", "window.page?.isDefined")?;
        Ok(Self { browser, server })
    }

    pub fn run(&self, script: &str) -> Result<Value> {
        self.browser.run(script, json!([]))
    }

    pub fn run_async(&self, script: &str) -> Result<Value> {
        self.browser.run_async(script, json!([]))
    }

    pub fn eval(&self, expression: &str) -> Result<Value> {
        self.run(&format!("return ({expression})"))
    }

    pub fn wait(&self, what: &str, expression: &str) -> Result<()> {
        self.browser.wait(what, expression).map(|_| ())
    }

    pub fn add(&self, id: &str, attributes: Value) -> Result<()> {
        self.browser.run("page.add(arguments[0], arguments[1])", json!([id, attributes])).map(|_| ())
    }

    pub fn drawn(&self, id: &str) -> Result<()> {
        let drawn = self.wait(&format!("the trace in {id}"), &format!("page.drawn('{id}')"));
        drawn.with_context(|| format!("heard: {:?}", self.eval("JSON.stringify(page.heard.slice(-9), (_, value) => typeof value === 'bigint' ? String(value) : value)")))
    }

    /// A number that changes when the picture of a viewer does, after the frames that are due: a view that got another size
    /// is empty until its next frame.
    fn picture(&self, id: &str) -> Result<Value> {
        self.run_async("await page.settle()")?;
        self.wait(&format!("a picture in {id}"), &format!("page.picture('{id}') !== 0"))?;
        self.eval(&format!("page.picture('{id}')"))
    }

    fn screenshot(&self, name: &str) -> Result<()> {
        self.run_async("await page.settle()")?;
        self.browser.screenshot(&root().join("target/screens").join(format!("{name}.png")))
    }

    /// Nothing was thrown that nobody caught.
    pub fn is_quiet(&self) -> Result<()> {
        let errors = self.eval("page.errors.join()")?;
        ensure!(errors == json!(""), "the page threw {errors}");
        Ok(())
    }
}

fn mounts(test: &str) -> Result<Vec<Mount>> {
    let folder = fixtures::folder(&format!("element-{test}"))?;
    let run = file(&folder, "run.json", fixtures::array("a"))?;
    let two: Vec<String> = (0..2).flat_map(|query| fixtures::query_events("b", query)).collect();
    let other = file(&folder, "other.json", format!("[{}]", two.join(",")))?;
    let large = file(
        &folder,
        "large.ndjson",
        if ["pan", "read"].contains(&test) { fixtures::large(60_000) } else { String::new() },
    )?;
    Ok(vec![
        Mount::new("/", site()?),
        Mount::new("/embed/", root().join("tests/e2e/pages")),
        Mount::new("/run.json", run),
        Mount::new("/other.json", other),
        Mount::new("/large.ndjson", large),
    ])
}

fn run() -> Value {
    json!({ "src": "/run.json", "view": "gantt" })
}

/// Adds an element, waits for its trace, and removes it, so often.
fn come_and_go(page: &Handbook, times: u32) -> Result<()> {
    for time in 0..times {
        page.add("a", run())?;
        page.drawn("a").with_context(|| format!("time {time}"))?;
        page.run("page.remove('a')")?;
        page.wait("its engine to end", "page.workers() === 0 && page.blobs() === 0")?;
    }
    page.is_quiet()
}

fn fifty(page: &Handbook) -> Result<()> {
    let memory = || page.run_async("return page.memory()")?.as_f64().context("a number of bytes");
    come_and_go(page, 10)?;
    let before = memory()?;
    come_and_go(page, 50)?;
    let after = memory()?;
    ensure!(after <= before + SCRAPS, "memory of wasm: {before} and {after}");
    let fetched =
        page.eval("[page.fetched('_bg.wasm'), document.querySelectorAll('queryscope-viewer').length]")?;
    ensure!(fetched == json!([2, 0]), "programs fetched and elements left: {fetched}");
    Ok(())
}

#[test]
fn fifty_elements_leave_nothing_behind() -> Result<()> {
    fifty(&Handbook::open("fifty")?)
}

#[test]
fn fifty_elements_leave_nothing_behind_in_firefox() -> Result<()> {
    Handbook::firefox("fifty-firefox")?.map_or(Ok(()), |page| fifty(&page))
}

#[test]
fn elements_load_when_they_come_near_the_screen() -> Result<()> {
    let page = Handbook::open("twenty")?;
    for at in 0..20 {
        page.add(&format!("e{at}"), run())?;
    }
    page.drawn("e0")?;
    page.drawn("e1")?;
    let started = page.eval("page.workers()")?.as_f64().context("a count")?;
    ensure!((2.0..6.0).contains(&started), "{started} of twenty have started");
    ensure!(page.eval("page.element('e19').status")? == json!("idle"));
    page.run("page.element('e19').scrollIntoView()")?;
    page.drawn("e19")?;
    ensure!(page.eval("page.element('e9').status")? == json!("idle"), "what was scrolled past has started");
    page.run("document.querySelectorAll('queryscope-viewer').forEach(element => element.loading = 'eager')")?;
    for at in 0..20 {
        page.drawn(&format!("e{at}"))?;
    }
    ensure!(page.eval("[page.workers(), page.fetched('_bg.wasm')]")? == json!([20, 2]));
    page.run("document.querySelectorAll('queryscope-viewer').forEach(element => element.remove())")?;
    page.wait("all engines to end", "page.workers() === 0")?;
    page.is_quiet()
}

/// Five elements, of which four are zoomed while the fifth loads: each has its own engine and its own state.
#[test]
fn five_elements_on_a_page_keep_apart() -> Result<()> {
    let page = Handbook::open("five")?;
    for at in 0..4 {
        page.add(&format!("e{at}"), json!({ "src": "/run.json", "view": "gantt", "loading": "eager" }))?;
    }
    for at in 0..4 {
        page.drawn(&format!("e{at}"))?;
    }
    let other = page.picture("e1")?;
    page.add("e4", json!({ "src": "/other.json", "view": "flame", "loading": "eager" }))?;
    page.run("page.element('e0').zoomTo({ start: 0n, end: '400000' })")?;
    page.drawn("e4")?;
    page.wait("what was zoomed", "page.element('e0').viewState.t === '0,400000'")?;
    page.run_async("await page.settle()")?;
    ensure!(page.picture("e1")? == other, "zooming one element changed another");
    ensure!(
        page.eval("[page.data('e4').queries, page.data('e4').view, page.workers()]")?
            == json!(["2", "flame", 5])
    );
    page.is_quiet()
}

#[test]
fn a_hostile_style_sheet_breaks_nothing() -> Result<()> {
    let page = Handbook::open("hostile")?;
    // A view without the list of queries, for which a page that takes the height leaves no room.
    page.add("a", json!({ "src": "/run.json", "view": "flame" }))?;
    page.drawn("a")?;
    // The height that it has without that of the page.
    page.run("page.element('a').style.height = '320px'")?;
    page.run_async("await page.settle(); await page.settle()")?;
    let friendly = page.eval("page.look('a')")?;
    page.run("document.getElementById('hostile').media = 'all'")?;
    page.run_async("await page.settle(); await page.settle()")?;
    page.drawn("a")?;
    page.screenshot("element-hostile")?;
    let hostile = page.eval("page.look('a')")?;
    let pairs = friendly.as_array().zip(hostile.as_array()).context("lists")?;
    ensure!(pairs.0.len() > 50, "{} elements", pairs.0.len());
    let other = pairs.0.iter().zip(pairs.1).find(|(a, b)| a != b);
    ensure!(other.is_none(), "{other:#?}");
    let height = page.eval("page.find('a', '.queryscope').getBoundingClientRect().height")?;
    ensure!(height.as_f64().is_some_and(|height| height >= 320.0), "it is {height} high");
    page.is_quiet()
}

/// Everything that the page owns stays as it is, with the focus outside the element and inside it.
#[test]
fn the_page_keeps_its_keys_title_history_and_storage() -> Result<()> {
    let page = Handbook::open("page")?;
    let of_page = "[document.title, location.href, history.length, localStorage.length, \
        getComputedStyle(document.getElementById('heading')).font]";
    let before = page.eval(of_page)?;
    page.add("a", run())?;
    page.drawn("a")?;
    let picture = page.picture("a")?;
    page.run("document.getElementById('field').focus()")?;
    page.browser.keys("3w/?")?;
    ensure!(page.eval("document.getElementById('field').value")? == json!("3w/?"), "a key was taken");
    ensure!(page.picture("a")? == picture);
    page.run("page.find('a', '#gantt').focus()")?;
    page.browser.keys("3")?;
    page.wait("the flame graph", "page.data('a').view === 'flame'")?;
    page.wait("the state", "page.last('a', 'viewchange')?.state.includes('view=flame')")?;
    ensure!(page.eval(of_page)? == before, "the page changed");
    page.is_quiet()
}

#[test]
fn a_moved_element_keeps_its_trace_and_a_removed_one_starts_again() -> Result<()> {
    let page = Handbook::open("moved")?;
    page.add("a", run())?;
    page.drawn("a")?;
    page.run("page.element('a').remove(); document.getElementById('elsewhere').append(page.element('a'))")?;
    page.run_async("await page.settle()")?;
    page.drawn("a")?;
    ensure!(page.eval("[page.workers(), page.count('a', 'load')]")? == json!([1, 1]), "it was loaded again");
    // The view is kept by an element that is away for longer.
    page.run("page.element('a').view = 'flame'")?;
    page.wait("the flame graph", "page.element('a').viewState.view === 'flame'")?;
    page.run("page.element('a').remove()")?;
    page.wait("its engine to end", "page.workers() === 0")?;
    page.run("document.getElementById('place').append(page.element('a'))")?;
    page.drawn("a")?;
    ensure!(page.eval("[page.data('a').view, page.count('a', 'load')]")? == json!(["flame", 2]));
    page.is_quiet()
}

#[test]
fn an_element_that_is_removed_while_it_loads_ends() -> Result<()> {
    let page = Handbook::open("removed")?;
    for (at, script) in [
        "page.remove(id)",
        "await Promise.resolve(); page.remove(id)",
        "await new Promise(done => page.element(id).addEventListener('qs-ready', done)); page.remove(id)",
        "const opened = page.element(id).open(new ReadableStream({ pull: () => new Promise(() => {}) })); \
         setTimeout(() => page.remove(id), 300); window.code = await page.refused(() => opened)",
        "page.element(id).dispose(); page.remove(id)",
    ]
    .into_iter()
    .enumerate()
    {
        let add = format!("const id = 'e{at}'; page.add(id, {{ src: '/run.json', loading: 'eager' }}); ");
        page.run_async(&(add + script))?;
        page.wait(&format!("the end after {script:?}"), "page.workers() === 0 && page.blobs() === 0")?;
        ensure!(page.eval(&format!("page.element('e{at}').status"))? == json!("idle"), "{script}");
    }
    ensure!(page.eval("window.code")? == json!("aborted"));
    page.is_quiet()
}

#[test]
fn a_second_definition_and_a_hidden_element_do_no_harm() -> Result<()> {
    let page = Handbook::open("twice")?;
    page.run_async(
        "window.first = customElements.get('queryscope-viewer'); await import(`${page.script}?again`)",
    )?;
    ensure!(page.eval("customElements.get('queryscope-viewer') === first")? == json!(true));
    page.browser
        .run("page.add('a', arguments[0]); page.element('a').className = 'hidden'", json!([run()]))?;
    page.run_async("await page.settle(); await page.settle()")?;
    ensure!(page.eval("[page.element('a').status, page.workers()]")? == json!(["idle", 0]));
    page.run("page.element('a').className = ''")?;
    page.drawn("a")?;
    // Properties that were set before the script came are not lost.
    page.run(
        "const early = document.createElement('div'); Object.defineProperty(window, 'early', { value: early }); \
         const element = new (customElements.get('queryscope-viewer'))(); element.data = '/other.json'; \
         element.id = 'late'; document.getElementById('place').append(element)",
    )?;
    page.wait("the trace of a property", "document.getElementById('late').info?.queries === 2")?;
    page.is_quiet()
}

#[test]
fn a_poster_is_shown_until_the_trace_is() -> Result<()> {
    let page = Handbook::open("poster")?;
    let pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=";
    page.browser
        .run("page.add('a', arguments[0], 'place', 'A picture in words')", json!([{ "poster": pixel }]))?;
    let shown = "['.poster', '.place'].map(css => { const part = page.element('a').shadowRoot.querySelector(css); \
        return part.checkVisibility() && getComputedStyle(part).visibility === 'visible' })";
    page.wait("the poster", &format!("{shown}.join() === 'true,false'"))?;
    page.run("page.element('a').src = '/run.json'; page.element('a').loading = 'eager'")?;
    page.drawn("a")?;
    page.wait("the viewer instead of the poster", &format!("{shown}.join() === 'false,true'"))?;
    page.is_quiet()
}

/// Every kind of trace that can be given, and what is refused with which code.
#[test]
fn traces_are_opened_from_everything_that_holds_bytes() -> Result<()> {
    let page = Handbook::open("sources")?;
    page.add("a", json!({ "loading": "eager" }))?;
    page.wait("the viewer", "page.count('a', 'ready') === 1")?;
    page.run_async("window.bytes = await (await fetch('/run.json')).arrayBuffer()")?;
    for source in [
        "bytes",
        "new Uint8Array(bytes)",
        "new DataView(bytes)",
        "new Blob([bytes])",
        "new File([bytes], 'run.json')",
        "new Blob([bytes]).stream()",
        "await fetch('/run.json')",
        "'/run.json'",
        "new URL('/run.json', location.href)",
    ] {
        let info = page.run_async(&format!(
            "const info = await page.element('a').open({source}, {{ name: 'n\\u202Eame' }}); \
             return [info.queries, typeof info.end, page.element('a').status]"
        ))?;
        ensure!(info == json!([6, "bigint", "ready"]), "{source}: {info}");
    }
    for (source, code) in [
        ("structuredClone(bytes, { transfer: [bytes] }) && bytes", "source"),
        ("{}", "source"),
        ("null", "source"),
        ("Object.create({ url: '/run.json' })", "source"),
        ("new Blob(['no trace at all'])", "read"),
        ("await fetch('/none.json')", "fetch"),
        ("'/none.json'", "read"),
        ("'http://'", "source"),
        ("'javascript:alert(1)'", "source"),
        ("new ReadableStream({ pull(to) { to.enqueue(7) } })", "source"),
        ("new ReadableStream({ pull(to) { to.error(new Error('gone')) } })", "fetch"),
    ] {
        let refused = page.run_async(&format!(
            "return [await page.refused(async () => page.element('a').open({source})), page.element('a').status]"
        ))?;
        ensure!(refused == json!([code, "error"]), "{source}: {refused}");
    }
    page.run("page.element('a').maxBytes = 1000")?;
    let refused =
        page.run_async("return page.refused(() => page.element('a').open(new Blob(['x'.repeat(1001)])))")?;
    ensure!(refused == json!("too-large"), "{refused}");
    page.is_quiet()
}

#[test]
fn a_page_steers_an_element() -> Result<()> {
    let page = Handbook::open("steered")?;
    page.add("a", json!({ "src": "/run.json", "view": "gantt", "loading": "eager", "theme": "light" }))?;
    page.drawn("a")?;
    let found = page.run_async(
        "const a = page.element('a'); const found = await a.select({ query: 'a-q3' }); \
         await new Promise(done => a.addEventListener('qs-select', done, { once: true })); \
         const { item, start, duration, name } = a.selection; window.kept = { item, start, duration }; \
         await a.select(null); return [found, typeof start, name.includes('SELECT')]",
    )?;
    ensure!(found == json!([true, "bigint", true]), "{found}");
    page.wait("nothing selected", "page.element('a').selection === null")?;
    let again = page.run_async(
        "const a = page.element('a'); \
         return [await a.select(kept), await a.select({ ...kept, start: kept.start + 1n }), await a.select({ query: 'nothing like it' })]",
    )?;
    ensure!(again == json!([true, false, false]), "{again}");
    page.run("const a = page.element('a'); a.zoomTo({ start: '100', end: 200n }); a.search('orders'); a.theme = 'dark'")?;
    page.wait(
        "time and text",
        "page.element('a').viewState.t === '100,200' && page.element('a').viewState.find === 'orders'",
    )?;
    page.wait("the dark theme", "page.find('a', '.queryscope').dataset.theme === 'dark'")?;
    let link = page.eval("page.element('a').permalink({ base: 'https://viewer.example/' })")?;
    let link = link.as_str().context("a link")?;
    ensure!(link.starts_with("https://viewer.example/#trace=") && link.contains("t=100,200"), "{link}");
    // The link names what is open, not what `src` says.
    let link = page.run_async(
        "const a = page.element('a'); const text = await (await fetch(a.src)).text(); await a.open(new Blob([text]), { name: 'run.json' }); \
         const none = a.permalink(); await a.open(a.src); return [none, a.permalink()]",
    )?;
    let traces = |at: usize| link[at].as_str().map_or(0, |link| link.matches("trace=").count());
    ensure!((traces(0), traces(1)) == (0, 1), "{link}");
    let report = page.run_async("return (await page.element('a').exportAs('report-json')).text()")?;
    ensure!(report.as_str().is_some_and(|report| report.contains("run.json")), "{report}");
    for (controls, parts) in
        [("minimal", [false, true, true]), ("none", [false, false, false]), ("full", [true, false, true])]
    {
        page.browser.run("page.element('a').controls = arguments[0]", json!([controls]))?;
        page.wait(controls, &format!("page.data('a').controls === '{controls}'"))?;
        page.run_async("await page.settle()")?;
        let shown = page.eval("['.topbar', '.embed-bar', '.timeline-tools'].map(css => page.find('a', css)?.checkVisibility() ?? false)")?;
        ensure!(shown == json!(parts), "{controls}: {shown}");
        page.screenshot(&format!("element-{controls}"))?;
    }
    for call in [
        "a.zoomTo({ start: 1.5, end: 2 })",
        "a.zoomTo({ start: 2, end: 1 })",
        "a.zoomTo({ start: 0, end: 2n ** 63n })",
        "a.select({ item: 'x' })",
        "a.viewState = { t: 'x'.repeat(70000) }",
    ] {
        let refused =
            page.run_async(&format!("const a = page.element('a'); return page.refused(() => {{ {call} }})"))?;
        ensure!(refused.as_str().is_some_and(|name| name.ends_with("Error")), "{call}: {refused}");
    }
    page.run("page.element('a').close()")?;
    page.wait("no trace", "page.element('a').status === 'idle' && page.element('a').info === null")?;
    page.is_quiet()
}

#[test]
fn an_element_works_from_another_origin() -> Result<()> {
    let page = Handbook::open("origin")?;
    let foreign = Server::shared(vec![Mount::new("/", site()?)])?;
    let origin = foreign.url().trim_end_matches('/');
    page.browser.open(&format!("{}embed/element.html?from={origin}", page.server.url()))?;
    page.wait("the script of another origin", "window.page?.isDefined")?;
    page.add("a", run())?;
    page.drawn("a")?;
    let trace = foreign.visits().into_iter().find(|visit| visit.path.ends_with(".json"));
    ensure!(trace.is_none(), "the other origin was asked for {trace:?}");
    page.is_quiet()
}

#[test]
fn the_main_tasks_of_an_element_work_in_firefox() -> Result<()> {
    let Some(page) = Handbook::firefox("firefox")? else { return Ok(()) };
    for at in 0..5 {
        page.add(&format!("e{at}"), json!({ "src": "/run.json", "view": "gantt", "loading": "eager" }))?;
    }
    for at in 0..5 {
        page.drawn(&format!("e{at}"))?;
    }
    let found = page.run_async("return page.element('e0').select({ query: 'a-q3' })")?;
    ensure!(found == json!(true), "{found}");
    page.wait("the selection", "page.element('e0').selection?.name.includes('SELECT')")?;
    page.run("page.element('e0').zoomTo({ start: 100, end: 200 })")?;
    page.wait("the range", "page.element('e0').viewState.t === '100,200'")?;
    page.run("page.element('e0').view = 'flame'; document.getElementById('hostile').media = 'all'")?;
    page.wait("the flame graph", "page.data('e0').view === 'flame'")?;
    page.drawn("e0")?;
    let stream = page.run_async(
        "const { body } = await fetch('/other.json'); return (await page.element('e1').open(body)).queries",
    )?;
    ensure!(stream == json!(2), "{stream}");
    page.is_quiet()
}
