//! The viewer in a frame of another page, or in a window that it opened: the protocol between them, and hostile pages.

use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, ensure};
use queryscope_e2e::{Browser, Firefox, Mount, Options, Server, button, root, site};
use serde_json::{Value, json};

use crate::fixtures::{self, file};

/// Time after which the buttons of the question take a click.
const GUARD: Duration = Duration::from_millis(600);

/// A page of one origin and a viewer of another.
struct Talk {
    browser: Browser,
    viewer: Server,
    page: Server,
}

impl Talk {
    fn open(test: &str) -> Result<Self> {
        Self::with(test, Browser::fresh()?)
    }

    fn with(test: &str, browser: Browser) -> Result<Self> {
        Self::served(test, browser, Server::start)
    }

    /// `serve` starts the servers of the page and the viewer.
    fn served(
        test: &str,
        browser: Browser,
        serve: fn(Vec<Mount>) -> std::io::Result<Server>,
    ) -> Result<Self> {
        let folder = fixtures::folder(&format!("frame-{test}"))?;
        let run = file(&folder, "run.json", fixtures::array("a"))?;
        let mounts = || {
            let pages = root().join("tests/e2e/pages");
            Ok::<_, anyhow::Error>(vec![
                Mount::new("/", site()?),
                Mount::new("/embed/", pages),
                Mount::new("/run.json", run.clone()),
            ])
        };
        let talk = Self { browser, viewer: serve(mounts()?)?, page: serve(mounts()?)? };
        talk.at(&talk.page)?;
        Ok(talk)
    }

    /// Goes to the page of an origin, without a viewer.
    fn at(&self, server: &Server) -> Result<()> {
        self.browser.open(&format!("{}embed/frame.html", server.url()))?;
        self.browser.wait("the page's script", "window.page && true")?;
        Ok(())
    }

    /// Holds the viewer in a frame, and waits until it is ready.
    fn hold(&self, address: &str) -> Result<()> {
        let address = format!("{}{address}", self.viewer.url());
        self.browser.run("page.hold(arguments[0])", json!([address]))?;
        self.wait("the viewer", "page.of('ready').length > 0")
    }

    fn run(&self, script: &str) -> Result<Value> {
        self.browser.run(script, json!([]))
    }

    fn wait(&self, what: &str, expression: &str) -> Result<()> {
        self.browser.wait(what, expression).map(|_| ())
    }

    /// The answer to a request of this id.
    fn answer(&self, id: &str) -> Result<Value> {
        self.browser.wait(&format!("an answer to {id}"), &format!("page.answer('{id}')"))
    }

    /// Sends a request and returns its answer, without the fields that are the same for all.
    fn ask(&self, kind: &str, id: &str, fields: Value) -> Result<Value> {
        self.browser.run("page.ask(...arguments)", json!([kind, id, fields]))?;
        self.answer(id)
    }

    /// Sends the page's trace.
    fn give(&self, id: &str) -> Result<()> {
        self.browser.run_async("await page.give(arguments[0], '/run.json')", json!([id])).map(|_| ())
    }

    /// Answers the question in the viewer's frame.
    fn choose(&self, label: &str) -> Result<()> {
        self.browser.enter(Some("#viewer"))?;
        self.browser.shows(&queryscope_e2e::dialog(&format!("Open a trace from {}?", self.origin())))?;
        sleep(GUARD);
        self.browser.screenshot(&root().join("target/screens/frame-question.png"))?;
        self.browser.click_on(&button(label))?;
        self.browser.enter(None)
    }

    /// Origin of the page.
    fn origin(&self) -> &str {
        self.page.url().trim_end_matches('/')
    }
}

fn code(answer: &Value) -> &str {
    answer["code"].as_str().unwrap_or_default()
}

/// Opens a trace after a question, and uses every request.
fn converse(talk: &Talk) -> Result<()> {
    talk.hold("?embed")?;
    let hello = talk.ask("hello", "h", json!({}))?;
    ensure!(
        hello["type"] == "ready" && hello["formats"].as_array().is_some_and(|all| all.len() > 3),
        "{hello}"
    );
    let early = talk.ask("zoom", "early", json!({ "start": "0", "end": "1" }))?;
    ensure!(code(&early) == "not-allowed", "{early}");
    talk.give("no")?;
    talk.choose("Do not open")?;
    ensure!(code(&talk.answer("no")?) == "not-allowed");
    talk.give("yes")?;
    talk.choose("Open trace")?;
    talk.wait("the trace", "page.answer('yes', 'loaded')?.info?.queries === 6")?;
    talk.wait("the state", "page.of('viewchange').length > 0")?;
    // The answer holds for this page.
    talk.give("again")?;
    talk.wait("the trace again", "page.answer('again', 'loaded')?.info?.queries === 6")?;
    let zoom = talk.ask("zoom", "zoom", json!({ "start": "100", "end": "9007199254740993" }))?;
    ensure!(zoom["type"] == "result", "{zoom}");
    talk.wait(
        "the range",
        "page.of('viewchange').some(message => message.state.includes('t=100,9007199254740993'))",
    )?;
    let state = talk.ask("getState", "state", json!({}))?;
    ensure!(state["state"].as_str().is_some_and(|state| state.contains("t=100,")), "{state}");
    let select = talk.ask("select", "select", json!({ "target": { "query": "a-q3" } }))?;
    ensure!(select["found"] == true, "{select}");
    talk.wait("the selection", "page.of('select').at(-1)?.selection?.start.length > 0")?;
    talk.browser.run(
        "const { item, start, duration } = page.of('select').at(-1).selection; \
         page.ask('select', 'same', { target: { item, start, duration } })",
        json!([]),
    )?;
    ensure!(talk.answer("same")?["found"] == true);
    ensure!(talk.ask("search", "search", json!({ "text": "orders" }))?["type"] == "result");
    let set = talk.ask("setState", "set", json!({ "state": "view=flame" }))?;
    ensure!(set["type"] == "result", "{set}");
    talk.wait("the flame graph", "page.of('viewchange').at(-1).state.includes('view=flame')")?;
    talk.run("page.ask('export', 'export', { format: 'report' })")?;
    talk.wait("the report", "page.answer('export')?.blob.size > 0")?;
    for (format, kind) in [("svg", "image/svg+xml"), ("png", "image/png")] {
        let exported = talk.ask("export", format, json!({ "format": format, "theme": "dark" }))?;
        ensure!(exported["type"] == "result" && exported["format"] == format, "{exported}");
        let blob = talk.run(&format!(
            "const {{ blob }} = page.answer('{format}'); return [blob.size > 100, blob.type]"
        ))?;
        ensure!(blob == json!([true, kind]), "{format}: {blob}");
    }
    let unknown = talk.ask("export", "unknown", json!({ "format": "toString" }))?;
    ensure!(code(&unknown) == "bad-message", "{unknown}");
    ensure!(talk.ask("close", "close", json!({}))?["type"] == "result");
    talk.wait("no trace", "page.of('closed').length === 1")?;
    ensure!(code(&talk.ask("getState", "closed", json!({}))?) == "not-allowed");
    Ok(())
}

#[test]
fn a_page_opens_a_trace_in_a_frame_and_steers_it() -> Result<()> {
    converse(&Talk::open("steers")?)
}

#[test]
fn a_page_opens_a_trace_in_a_frame_and_steers_it_in_firefox() -> Result<()> {
    let Some(firefox) = Firefox::find() else {
        eprintln!("skipped: no Firefox with a geckodriver (FIREFOX, GECKODRIVER, or on the PATH)");
        return Ok(());
    };
    converse(&Talk::with("firefox", Browser::firefox(&firefox, Options::default())?)?)
}

#[test]
fn the_own_origin_needs_no_question() -> Result<()> {
    let talk = Talk::open("own")?;
    talk.at(&talk.viewer)?;
    talk.hold("?embed")?;
    talk.give("a")?;
    talk.wait("the trace", "page.answer('a', 'loaded')?.info?.queries === 6")
}

#[test]
fn an_origin_that_was_declined_often_is_not_asked_about_again() -> Result<()> {
    let talk = Talk::open("declined")?;
    talk.hold("?embed")?;
    for time in ["1", "2", "3"] {
        talk.give(time)?;
        talk.choose("Do not open")?;
        ensure!(code(&talk.answer(time)?) == "not-allowed");
    }
    talk.give("4")?;
    let answer = talk.answer("4")?;
    ensure!(
        code(&answer) == "not-allowed"
            && answer["message"].as_str().is_some_and(|m| m.contains("not asked again")),
        "{answer}"
    );
    talk.browser.enter(Some("#viewer"))?;
    ensure!(talk.run("return document.querySelectorAll('#frame-question').length")? == json!(0));
    talk.browser.enter(None)
}

/// A page in a sandbox, as of a site for code snippets, cannot be told from any other page without an origin: the user is asked
/// each time, an answer is never kept, and it gets no data. Its frames, and so the viewer, are in the sandbox too.
#[test]
fn a_page_without_an_origin_is_asked_about_each_time() -> Result<()> {
    let talk = Talk::served("sandbox", Browser::fresh()?, Server::shared)?;
    talk.browser.run(
        "const host = document.createElement('iframe'); host.id = 'host'; host.sandbox = 'allow-scripts'; \
         host.style.cssText = 'width: 1000px; height: 600px'; host.src = location.href; document.body.append(host)",
        json!([]),
    )?;
    talk.browser.enter(Some("#host"))?;
    talk.wait("the page's script", "window.page && true")?;
    ensure!(talk.run("return self.origin")? == json!("null"));
    talk.hold("?embed")?;
    for (time, answer) in [("no", "no"), ("first", "yes"), ("second", "yes")] {
        talk.give(time)?;
        talk.browser.enter(Some("#viewer"))?;
        let question = "document.querySelector('#frame-question')?.innerText.includes('Open a trace from a page without an address?')";
        talk.wait("the question", question)?;
        sleep(GUARD);
        // No answer lasts.
        ensure!(talk.run("return document.querySelectorAll('#frame-question button').length")? == json!(2));
        talk.browser.click(&format!("#frame-question footer button[value={answer}]"))?;
        talk.browser.enter(None)?;
        talk.browser.enter(Some("#host"))?;
        if time == "no" {
            ensure!(code(&talk.answer(time)?) == "not-allowed");
            continue;
        }
        talk.wait("the trace", &format!("page.answer('{time}', 'loaded')"))?;
        ensure!(talk.run(&format!("return 'info' in page.answer('{time}', 'loaded')"))? == json!(false));
        for (kind, fields) in [("getState", json!({})), ("export", json!({ "format": "report" }))] {
            let answer = talk.ask(kind, &format!("{kind}-{time}"), fields)?;
            ensure!(code(&answer) == "not-allowed", "{answer}");
        }
    }
    ensure!(talk.run("return page.of('viewchange').length + page.of('select').length")? == json!(0));
    Ok(())
}

/// What the user or the address opened is nobody else's, nor what the viewer read from an address of another origin.
#[test]
fn data_go_only_to_who_gave_them() -> Result<()> {
    let talk = Talk::open("owner")?;
    talk.hold("?embed#trace=/run.json&view=flame")?;
    let url = format!("{}run.json", talk.viewer.url());
    let refused = |id: &str| -> Result<()> {
        for (kind, fields) in [("getState", json!({})), ("export", json!({ "format": "report" }))] {
            let answer = talk.ask(kind, &format!("{kind}-{id}"), fields)?;
            ensure!(code(&answer) == "not-allowed", "{id}: {answer}");
        }
        ensure!(
            talk.run("return page.of('viewchange').length + page.of('select').length")? == json!(0),
            "{id}"
        );
        Ok(())
    };
    talk.browser.enter(Some("#viewer"))?;
    talk.browser
        .wait("the trace of the address", "document.querySelector('#app')?.dataset.phase === 'ready'")?;
    talk.browser.enter(None)?;
    refused("address")?;
    // The viewer may read what the page could not.
    talk.browser.run("page.ask('open', 'url', { source: { url: arguments[0] } })", json!([url]))?;
    talk.choose("Open trace")?;
    talk.wait("the trace of the url", "page.answer('url', 'loaded')")?;
    ensure!(talk.run("return 'info' in page.answer('url', 'loaded')")? == json!(false));
    ensure!(talk.ask("zoom", "zoom", json!({ "start": "0", "end": "9" }))?["type"] == "result");
    sleep(GUARD);
    refused("url")?;
    // To add one's own trace to it gives no right to it.
    talk.browser.run_async("await page.give('add', '/run.json', { append: true })", json!([]))?;
    talk.wait("what was added", "page.answer('add', 'loaded')")?;
    refused("append")?;
    // Another window than the parent and the opener is not heard.
    talk.run(
        "const other = document.createElement('iframe'); other.id = 'other'; document.body.append(other); \
         const script = other.contentDocument.createElement('script'); \
         script.textContent = `parent.page.window().postMessage({ queryscope: 1, type: 'close', id: 'other' }, '*')`; \
         other.contentDocument.body.append(script)",
    )?;
    ensure!(talk.ask("hello", "after", json!({}))?["type"] == "ready");
    ensure!(talk.run("return page.answer('other')")? == Value::Null, "a window that is no partner was heard");
    Ok(())
}

#[test]
fn messages_that_are_no_requests_are_refused_with_a_reason() -> Result<()> {
    let talk = Talk::open("refused")?;
    talk.at(&talk.viewer)?;
    talk.hold("?embed")?;
    for (at, (message, expected)) in [
        ("{ type: 'open', source: new ArrayBuffer(0) }", "source"),
        ("{ type: 'open', source: 'a text' }", "source"),
        ("{ type: 'open', source: { url: '/relative' } }", "source"),
        ("{ type: 'open', source: { url: 'javascript:alert(1)' } }", "source"),
        ("{ type: 'open', source: { url: 'https://elsewhere.example/x' } }", "source"),
        ("{ type: 'open', source: { url: 'http://me:pw@127.0.0.1/x' } }", "source"),
        ("{ type: 'open', source: new ArrayBuffer(9), name: {} }", "bad-message"),
        ("{ type: 'open', source: new ArrayBuffer(9), state: 'trace=/run.json' }", "bad-message"),
        ("{ type: 'setState', state: 'x'.repeat(70000) }", "bad-message"),
        ("{ type: 'setState', state: 'trace=https://elsewhere.example/x' }", "bad-message"),
        ("{ type: 'zoom', start: 1, end: 2 }", "bad-message"),
        ("{ type: 'zoom', start: '9223372036854775808', end: '1' }", "bad-message"),
        ("{ type: 'select', target: { item: -0.5 } }", "bad-message"),
        ("{ type: 'toString' }", "unknown-type"),
        ("{ type: '__proto__' }", "unknown-type"),
        ("{ type: ['close'] }", "unknown-type"),
        ("{ ['__proto__']: { type: 'close' }, type: 'close' }", "bad-message"),
        ("{ constructor: 1, type: 'close' }", "bad-message"),
        ("{ type: 'open', source: new ReadableStream({ start(to) { to.enqueue(7) } }) }", "source"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("m{at}");
        let script = format!(
            "const message = Object.assign({{ queryscope: 1, id: arguments[0] }}, {message}); \
             for (const [name, value] of Object.entries({message})) Object.defineProperty(message, name, {{ value, enumerable: true }}); \
             page.send(message, message.source instanceof ReadableStream ? [message.source] : [])"
        );
        talk.browser.run(&script, json!([id]))?;
        let answer = talk.answer(&id)?;
        ensure!(
            code(&answer) == expected && !answer["message"].as_str().unwrap_or_default().is_empty(),
            "{message}: {answer}"
        );
        // Within the rate.
        sleep(Duration::from_millis(60));
    }
    // What is not of this protocol has no answer.
    talk.run("for (const message of [null, 7, [], { queryscope: 2, type: 'hello', id: 'x' }, { queryscopeIgnore: true }]) page.send(message)")?;
    let before = talk.run("return page.messages.length")?;
    ensure!(talk.ask("hello", "sound", json!({}))?["type"] == "ready");
    ensure!(talk.run("return page.messages.length - 1")? == before);
    // A flood is refused once in a second, and the page goes on.
    talk.run("for (let at = 0; at < 5000; at++) page.ask('hello', `flood${at}`)")?;
    talk.wait("a refusal", "page.of('error').some(message => message.code === 'rate')")?;
    let answered =
        talk.run("return page.of('ready').filter(message => String(message.id).startsWith('flood')).length")?;
    ensure!(answered.as_f64().is_some_and(|answered| answered < 500.0), "{answered} of 5,000 were answered");
    sleep(Duration::from_secs(2));
    ensure!(talk.ask("hello", "later", json!({}))?["type"] == "ready");
    Ok(())
}

/// A message of another page never becomes markup: the name of a trace, and the origin.
#[test]
fn the_question_shows_names_as_text() -> Result<()> {
    let talk = Talk::open("names")?;
    talk.hold("?embed")?;
    talk.browser.run_async(
        "await page.give('a', '/run.json', { name: '<img src=x onerror=\"window.hurt = 1\">\\u202E\\n' + 'n'.repeat(500) })",
        json!([]),
    )?;
    talk.browser.enter(Some("#viewer"))?;
    let text = talk.browser.wait("the question", "document.querySelector('#frame-question')?.innerText")?;
    let text = text.as_str().unwrap_or_default();
    ensure!(text.contains("<img src=x") && !text.contains('\u{202E}') && text.len() < 700, "{text}");
    ensure!(
        talk.run("return document.querySelectorAll('#frame-question img').length + (window.hurt ?? 0)")?
            == json!(0)
    );
    // No is the answer of Enter and of Esc; in a frame, no answer lasts.
    let buttons = talk.run(
        "return [...document.querySelectorAll('#frame-question button')].map(button => button.textContent)",
    )?;
    ensure!(buttons == json!(["Do not open", "Open trace"]), "{buttons}");
    ensure!(talk.run("return document.activeElement.value")? == json!("no"));
    // A click that was meant for something else opens nothing.
    talk.browser.enter(None)?;
    Ok(())
}

#[test]
fn a_window_that_a_page_opened_offers_to_remember_its_origin() -> Result<()> {
    // The windows of a shared browser are those of other tests as well.
    let talk = Talk::with("window", Browser::start(Options::default())?)?;
    let address = talk.viewer.url().to_owned();
    talk.browser.run("page.openWindow(arguments[0])", json!([address]))?;
    talk.wait("the viewer", "page.of('ready').length > 0")?;
    talk.give("a")?;
    talk.browser.enter_window(1)?;
    talk.browser.shows(&queryscope_e2e::dialog(&format!("Open a trace from {}?", talk.origin())))?;
    sleep(GUARD);
    talk.browser.click_on(&button("Always open from this site"))?;
    talk.browser.wait("the trace", "document.querySelector('#app').dataset.phase === 'ready'")?;
    let stored = talk.run("return JSON.parse(localStorage.getItem('queryscope-origins'))")?;
    ensure!(stored == json!([talk.origin()]), "{stored}");
    // The next window does not ask.
    talk.run("location.reload()")?;
    talk.browser.enter_window(0)?;
    talk.wait("the viewer again", "page.of('ready').length > 1")?;
    talk.give("b")?;
    talk.wait("the trace", "page.answer('b', 'loaded')?.info?.queries === 6")
}

/// Old links with `embed`, and the parameters of a frame: what is hidden is reached by no key.
#[test]
fn a_frame_shows_the_controls_that_its_address_asks_for() -> Result<()> {
    let talk = Talk::open("controls")?;
    for (address, controls) in [
        ("?embed#trace=/run.json&view=gantt", "minimal"),
        ("#trace=/run.json&view=gantt&embed=1", "minimal"),
        ("?embed&controls=none#trace=/run.json&view=gantt", "none"),
        ("?embed&controls=full#trace=/run.json&view=gantt", "full"),
        ("?embed=0#trace=/run.json&view=gantt", "full"),
    ] {
        talk.browser.open(&format!("{}{address}", talk.viewer.url()))?;
        talk.wait("the trace", "document.querySelector('#app')?.dataset.phase === 'ready'")?;
        let data = talk.run("return document.querySelector('#app').dataset.controls")?;
        ensure!(data == json!(controls), "{address}: {data}");
        talk.run("document.querySelector('#gantt').focus()")?;
        talk.browser.keys("3")?;
        talk.browser.keys("/")?;
        let view = talk.run("return document.querySelector('#app').dataset.view")?;
        let is_full = controls == "full";
        ensure!((view == json!("flame")) == is_full, "{address}: {view}");
        ensure!(talk.run("return document.activeElement.id === 'search'")? == json!(is_full), "{address}");
        let tools = talk.run("return document.querySelector('.timeline-tools').checkVisibility()")?;
        ensure!(tools == json!(controls != "none"), "{address}");
    }
    Ok(())
}
