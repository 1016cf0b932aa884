//! Viewers in a page of somebody else's: mounted and destroyed, several at once, each in its own element.

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Firefox, Mount, Options, Server, root, site};
use serde_json::{Value, json};

use crate::fixtures::{self, file};

const ESCAPE: &str = "\u{e00c}";
const ARROW_RIGHT: &str = "\u{e014}";

/// A page that holds viewers, with two traces beside it.
pub struct Embedding {
    pub browser: Browser,
    _server: Server,
}

/// What an option `state` needs to open the one trace or the other.
const RUN: &str = "trace=/run.json&view=gantt";
const OTHER: &str = "trace=/other.json&view=gantt";

/// Bytes by which the heap may grow between mounts, since what outlives one lies between what does not. A viewer with a trace takes
/// more than a fiftieth of this: fifty that are left would be seen.
pub const SCRAPS: f64 = 1_048_576.0;

impl Embedding {
    pub fn open(test: &str) -> Result<Self> {
        Self::with(test, Browser::fresh()?)
    }

    fn with(test: &str, browser: Browser) -> Result<Self> {
        let folder = fixtures::folder(test)?;
        let run = file(&folder, "run.json", fixtures::array("a"))?;
        let two: Vec<String> = (0..2).flat_map(|query| fixtures::query_events("b", query)).collect();
        let other = file(&folder, "other.json", format!("[{}]", two.join(",")))?;
        let server = Server::start(vec![
            Mount::new("/", site()?),
            Mount::new("/embed/", root().join("tests/e2e/pages")),
            Mount::new("/run.json", run),
            Mount::new("/other.json", other),
        ])?;
        browser.open(&format!("{}embed/embed.html", server.url()))?;
        browser.wait("the page's script", "window.page && true")?;
        Ok(Self { browser, _server: server })
    }

    pub fn run(&self, script: &str) -> Result<Value> {
        self.browser.run(script, json!([]))
    }

    pub fn eval(&self, expression: &str) -> Result<Value> {
        self.run(&format!("return ({expression})"))
    }

    pub fn wait(&self, what: &str, expression: &str) -> Result<()> {
        self.browser.wait(what, expression).map(|_| ())
    }

    fn mount(&self, id: &str, options: Value) -> Result<()> {
        self.browser.run("page.mount(arguments[0], arguments[1])", json!([id, options])).map(|_| ())
    }

    pub fn mounted(&self, id: &str, state: &str) -> Result<()> {
        self.mount(id, json!({ "state": state }))?;
        self.drawn(id)
    }

    fn drawn(&self, id: &str) -> Result<()> {
        self.wait(&format!("the trace in {id}"), &format!("page.drawn('{id}')"))
    }

    /// An event of the page: its picture after the frames that are due.
    fn picture(&self, id: &str) -> Result<Value> {
        self.browser.run_async("await page.settle(); return page.picture(arguments[0])", json!([id]))
    }

    fn data(&self, id: &str, name: &str) -> Result<String> {
        let value = self.eval(&format!("page.data('{id}').{name} ?? null"))?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// Selects the first query and waits for its details.
    fn select(&self, id: &str) -> Result<()> {
        self.wait("a row", &format!("page.find('{id}', '.query-row')"))?;
        self.run(&format!("page.find('{id}', '.query-row').click()"))?;
        self.wait("its details", &format!("page.text('{id}', '#details').includes('SELECT')"))
    }

    /// Gives the focus to an element of a viewer and presses keys there.
    pub fn keys(&self, id: &str, css: &str, keys: &str) -> Result<()> {
        self.browser.run("page.find(...arguments).focus()", json!([id, css]))?;
        self.browser.keys(keys)
    }

    fn screenshot(&self, name: &str) -> Result<()> {
        self.browser.run_async("await page.settle()", json!([]))?;
        self.browser.screenshot(&root().join("target/screens").join(format!("{name}.png")))
    }

    /// Nothing was thrown that nobody caught.
    pub fn is_quiet(&self) -> Result<()> {
        let errors = self.eval("page.errors.join()")?;
        ensure!(errors == json!(""), "the page threw {errors}");
        Ok(())
    }
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().with_context(|| format!("{value} is no number"))
}

/// Mounts a viewer, waits for its trace, and destroys it, so often.
fn come_and_go(page: &Embedding, times: u32) -> Result<()> {
    for time in 0..times {
        page.mounted("a", RUN).with_context(|| format!("time {time}"))?;
        page.run("page.destroy('a')")?;
        let left = page.eval("[page.workers(), page.blobs(), page.all('a', '*').length]")?;
        ensure!(left == json!([0, 0, 0]), "workers, blobs and elements after the end: {left}");
    }
    page.browser.run_async("await page.settle()", json!([]))?;
    page.is_quiet()
}

#[test]
fn fifty_viewers_leave_nothing_behind() -> Result<()> {
    // What is counted is the process's: that of a browser of its own.
    let page = Embedding::with("fifty", Browser::start(Options::default())?)?;
    page.browser.devtools("Performance.enable", json!({}))?;
    // What is made once for all viewers is there after the first.
    come_and_go(&page, 10)?;
    let before = Counts::of(&page)?;
    come_and_go(&page, 50)?;
    let after = Counts::of(&page)?;
    ensure!(after.workers == 0.0, "{} workers are left", after.workers);
    ensure!(after.listeners <= before.listeners, "listeners: {} and {}", before.listeners, after.listeners);
    ensure!(after.nodes <= before.nodes + 20.0, "nodes: {} and {}", before.nodes, after.nodes);
    ensure!(after.memory <= before.memory + SCRAPS, "memory of wasm: {} and {}", before.memory, after.memory);
    let grown = after.heap - before.heap;
    ensure!(grown < 400_000.0, "the heap grew by {grown} bytes, {} for each viewer", grown / 50.0);
    Ok(())
}

/// What a browser counts after it has collected its garbage.
struct Counts {
    workers: f64,
    listeners: f64,
    nodes: f64,
    heap: f64,
    memory: f64,
}

impl Counts {
    fn of(page: &Embedding) -> Result<Self> {
        for _ in 0..3 {
            page.browser.devtools("HeapProfiler.collectGarbage", json!({}))?;
        }
        let metrics = page.browser.devtools("Performance.getMetrics", json!({}))?;
        let all = metrics["metrics"].as_array().context("metrics")?;
        let of = |name: &str| {
            let found = all.iter().find(|metric| metric["name"] == name);
            found.with_context(|| format!("no metric {name}")).and_then(|metric| number(&metric["value"]))
        };
        Ok(Self {
            workers: of("WorkerGlobalScopes")?,
            listeners: of("JSEventListeners")?,
            nodes: of("Nodes")?,
            heap: of("JSHeapUsedSize")?,
            memory: number(&page.eval("page.memory()")?)?,
        })
    }
}

#[test]
fn fifty_viewers_come_and_go_in_firefox() -> Result<()> {
    let Some(firefox) = Firefox::find() else {
        eprintln!("skipped: no Firefox with a geckodriver (FIREFOX, GECKODRIVER, or on the PATH)");
        return Ok(());
    };
    let page = Embedding::with("fifty-firefox", Browser::firefox(&firefox, Options::default())?)?;
    come_and_go(&page, 10)?;
    let before = number(&page.eval("page.memory()")?)?;
    come_and_go(&page, 50)?;
    let after = number(&page.eval("page.memory()")?)?;
    ensure!(after <= before + SCRAPS, "memory of wasm: {before} and {after}");
    Ok(())
}

#[test]
fn two_viewers_on_a_page_keep_apart() -> Result<()> {
    let page = Embedding::open("two")?;
    let own = page.eval("[document.title, location.href, page.own()]")?;
    page.mount("a", json!({ "state": RUN, "storage": "first", "theme": "light" }))?;
    page.mount("b", json!({ "state": OTHER, "theme": "dark" }))?;
    page.drawn("a")?;
    page.drawn("b")?;
    ensure!((page.data("a", "queries")?, page.data("b", "queries")?) == ("6".into(), "2".into()));
    // Keys act in the viewer that has the focus, and in no other.
    let other = page.picture("b")?;
    page.keys("a", "#gantt", "3")?;
    page.wait("the flame graph in a", "page.data('a').view === 'flame'")?;
    page.keys("a", "#flame", "2")?;
    page.wait("the Gantt view in a", "page.data('a').view === 'gantt'")?;
    let before = page.picture("a")?;
    page.keys("a", "#gantt", "wwd")?;
    ensure!(page.picture("a")? != before, "keys changed nothing in a");
    // A selection and what is searched for, too.
    page.select("a")?;
    ensure!(
        page.eval("page.text('b', '#details').includes('SELECT')")? == json!(false),
        "b shows a's selection"
    );
    page.keys("a", "#gantt", "/")?;
    let focused =
        page.eval("page.find('a', '#search') === document.getElementById('a').shadowRoot.activeElement")?;
    ensure!(focused == json!(true), "the search of a has no focus");
    page.browser.keys("1.5")?;
    page.wait("what was typed", "page.find('a', '#search').value === '1.5'")?;
    ensure!(page.data("a", "view")? == "gantt", "typing in a field switched the view");
    page.run("page.find('a', '#theme-button').click()")?;
    page.wait("a in the dark", "page.find('a', '.queryscope').dataset.theme === 'dark'")?;
    ensure!(page.picture("b")? == other, "something changed in b");
    ensure!(page.data("b", "view")? == "gantt");
    // What is remembered is the one's that has a place for it.
    let keys = page.eval("Object.keys(localStorage).filter(key => !key.startsWith('first')).join()")?;
    let stored = page.eval("localStorage.getItem('first-theme')")?;
    ensure!((keys, stored) == (json!(""), json!("dark")), "the storage holds other things");
    // The page's title, address and looks are its own.
    ensure!(page.eval("[document.title, location.href, page.own()]")? == own, "the page changed");
    page.screenshot("embedded-two")?;
    page.run("page.destroy('a')")?;
    page.keys("b", "#gantt", "1")?;
    page.wait("b without a", "page.data('b').view === 'overview'")?;
    page.run("page.destroy('b')")?;
    page.is_quiet()
}

#[test]
fn what_happens_outside_a_viewer_is_not_its_business() -> Result<()> {
    let page = Embedding::open("outside")?;
    page.mounted("a", RUN)?;
    let before = page.picture("a")?;
    let paste = "const data = new DataTransfer(); data.setData('text/plain', arguments[1]); \
        const place = arguments[0] ? page.find('a', arguments[0]) : document.getElementById('field'); \
        place.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, composed: true }))";
    page.run("document.getElementById('field').focus()")?;
    page.browser.keys("1w?")?;
    page.run("document.activeElement.blur()")?;
    page.browser.keys("3w?")?;
    page.browser.keys(ESCAPE)?;
    page.browser.run(paste, json!(["", fixtures::lines("c")]))?;
    ensure!(page.picture("a")? == before, "keys of the page changed the picture");
    ensure!(page.data("a", "view")? == "gantt" && page.data("a", "queries")? == "6");
    ensure!(page.eval("page.find('a', 'dialog')")? == Value::Null, "a key of the page opened the help");
    // Inside it is.
    page.browser.run(paste, json!(["#gantt", fixtures::lines("c")]))?;
    page.wait("what was pasted", "page.data('a').queries === '12'")?;
    page.keys("a", "#gantt", "?")?;
    page.wait("the help", "page.find('a', '#help')?.checkVisibility()")?;
    page.run("page.destroy('a')")?;
    page.wait("the dialog to go", "page.all('a', '*').length === 0")?;
    page.is_quiet()
}

#[test]
fn a_click_on_a_viewer_gives_it_the_keys() -> Result<()> {
    let page = Embedding::open("click")?;
    page.mounted("a", RUN)?;
    let (x, y) = (
        "page.find('a', '.topbar').getBoundingClientRect()",
        "document.getElementById('a').getBoundingClientRect()",
    );
    let at = |expression: String| page.eval(&expression).and_then(|value| number(&value));
    let (x, y) = (at(format!("{x}.x + {x}.width / 2"))?, at(format!("{y}.y + 6"))?);
    for (kind, buttons) in [("mousePressed", 1), ("mouseReleased", 0)] {
        let event =
            json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
        page.browser.devtools("Input.dispatchMouseEvent", event)?;
    }
    page.browser.keys("3")?;
    page.wait("the flame graph", "page.data('a').view === 'flame'")?;
    page.is_quiet()
}

#[test]
fn a_hostile_page_changes_nothing_inside() -> Result<()> {
    let page = Embedding::open("hostile-page")?;
    let own = page.eval("page.own()")?;
    page.mounted("a", RUN)?;
    page.select("a")?;
    ensure!(page.eval("page.own()")? == own, "the viewer's style leaks into the page");
    for view in ["gantt", "overview", "pivot"] {
        let key = match view {
            "gantt" => "2",
            "overview" => "1",
            _ => "4",
        };
        page.keys("a", ".queryscope", key)?;
        page.wait(view, &format!("page.data('a').view === '{view}'"))?;
        page.browser.run_async("await page.settle(); await page.settle()", json!([]))?;
        page.run("document.getElementById('hostile').media = 'not all'")?;
        page.browser.run_async("await page.settle()", json!([]))?;
        let friendly = page.eval("page.look('a')")?;
        page.run("document.getElementById('hostile').media = 'all'")?;
        page.browser.run_async("await page.settle()", json!([]))?;
        let hostile = page.eval("page.look('a')")?;
        page.screenshot(&format!("embedded-hostile-{view}"))?;
        let pairs = friendly.as_array().zip(hostile.as_array()).context("lists")?;
        ensure!(
            pairs.0.len() > 50 && pairs.0.len() == pairs.1.len(),
            "{} and {} elements",
            pairs.0.len(),
            pairs.1.len()
        );
        let other = pairs.0.iter().zip(pairs.1).find(|(a, b)| a != b);
        ensure!(other.is_none(), "{view}: {other:#?}");
    }
    page.is_quiet()
}

#[test]
fn a_small_viewer_stays_inside_its_element() -> Result<()> {
    let page = Embedding::open("small")?;
    let wide = page.eval("document.documentElement.scrollWidth")?;
    for (name, width, height) in [("600", 600, 400), ("380", 380, 640), ("320", 320, 320)] {
        let size =
            "document.getElementById('a').style.cssText = `width:${arguments[0]}px;height:${arguments[1]}px`";
        page.browser.run(size, json!([width, height]))?;
        page.mount("a", json!({}))?;
        page.wait("the landing page", "page.data('a').phase === 'landing'")?;
        page.screenshot(&format!("embedded-{name}-landing"))?;
        stays_inside(&page, "landing")?;
        page.run("page.destroy('a')")?;
        page.mounted("a", RUN)?;
        page.run("page.find('a', '.query-row')?.click()")?;
        for (key, view) in
            [("1", "overview"), ("2", "gantt"), ("3", "flame"), ("4", "pivot"), ("6", "compare")]
        {
            page.keys("a", ".queryscope", key)?;
            page.wait(view, &format!("page.data('a').view === '{view}'"))?;
            page.screenshot(&format!("embedded-{name}-{view}"))?;
            stays_inside(&page, &format!("{name} {view}"))?;
        }
        page.run("page.destroy('a')")?;
    }
    ensure!(page.eval("document.documentElement.scrollWidth")? == wide, "the page became wider");
    page.is_quiet()
}

fn stays_inside(page: &Embedding, what: &str) -> Result<()> {
    let outside = page.eval("page.outside('a')")?;
    ensure!(outside == json!([]), "{what}: outside are {outside}");
    Ok(())
}

#[test]
fn the_legend_hangs_below_its_button() -> Result<()> {
    let page = Embedding::open("legend")?;
    page.run("document.getElementById('b').before(document.getElementById('elsewhere'))")?;
    page.mounted("b", RUN)?;
    page.run("scrollTo(0, 300); page.find('b', '.legend-button').click()")?;
    page.wait("the legend", "page.find('b', '#legend-all').matches(':popover-open')")?;
    let places = page.eval(
        "(() => { const [a, b] = ['.legend-button', '#legend-all'].map(css => page.find('b', css).getBoundingClientRect()); \
         return [Math.round(b.top - a.bottom), Math.round(b.right - a.right)] })()",
    )?;
    ensure!(places == json!([5, 0]), "below and right of its button by {places}");
    page.is_quiet()
}

#[test]
fn a_viewer_that_is_hidden_at_first_is_drawn_when_it_is_shown() -> Result<()> {
    let page = Embedding::open("hidden")?;
    page.run("document.getElementById('a').style.display = 'none'")?;
    page.mount("a", json!({ "state": RUN }))?;
    page.wait("the trace", "page.data('a').queries === '6'")?;
    ensure!(page.eval("page.drawn('a')")? == json!(false), "it is drawn though nobody can see it");
    page.run("document.getElementById('a').style.display = ''")?;
    page.drawn("a")?;
    page.screenshot("embedded-shown-later")?;
    page.is_quiet()
}

#[test]
fn a_viewer_that_is_moved_stays_as_it_is() -> Result<()> {
    let page = Embedding::open("moved")?;
    page.mounted("a", RUN)?;
    page.select("a")?;
    page.run("document.getElementById('elsewhere').append(document.getElementById('a'))")?;
    page.drawn("a")?;
    ensure!(
        page.eval("page.text('a', '#details').includes('SELECT')")? == json!(true),
        "the selection is gone"
    );
    let before = page.picture("a")?;
    page.keys("a", "#gantt", "ww")?;
    ensure!(page.picture("a")? != before, "keys change nothing after the move");
    page.is_quiet()
}

#[test]
fn a_viewer_whose_element_is_removed_waits_until_it_is_back_or_destroyed() -> Result<()> {
    let page = Embedding::open("removed")?;
    page.mounted("a", RUN)?;
    page.run("window.place = document.getElementById('a'); place.remove()")?;
    page.browser.keys("3w?")?;
    page.browser.keys(ARROW_RIGHT)?;
    page.run("document.documentElement.style.fontSize = '20px'; window.dispatchEvent(new Event('resize'))")?;
    page.run("document.body.append(place)")?;
    page.drawn("a")?;
    ensure!(page.data("a", "view")? == "gantt", "it heard keys while it was away");
    page.keys("a", "#gantt", "3")?;
    page.wait("the flame graph", "page.data('a').view === 'flame'")?;
    page.run("place.remove(); page.destroy('a')")?;
    ensure!(page.eval("[page.workers(), page.blobs()]")? == json!([0, 0]), "its engine still runs");
    page.run("document.body.append(place)")?;
    // The element is free again.
    page.mounted("a", OTHER)?;
    page.is_quiet()
}

#[test]
fn a_second_viewer_in_one_element_is_refused() -> Result<()> {
    let page = Embedding::open("second")?;
    page.mounted("a", RUN)?;
    let refusals = page.eval(
        "[() => page.mount('a'), () => page.mount('b', { engine: undefined })]\
         .map(call => { try { call(); return '' } catch (error) { return String(error) } })",
    )?;
    let refusals: Vec<&str> = refusals.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    ensure!(
        refusals.len() == 2 && refusals[0].contains("already") && refusals[1].contains("engine"),
        "{refusals:?}"
    );
    page.drawn("a")?;
    page.is_quiet()
}
