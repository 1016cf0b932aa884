//! A browser as a test uses it: open an address, run scripts, press keys, wait.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::chromium;
use crate::context::BrowserContext;
use crate::driver::Driver;
use crate::firefox::Firefox;
use crate::pool::{self, Pooled};
use crate::webdriver::Session;

/// How long a page may take to reach a state. Generous: the machine may be busy, and a test that waits fails only once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How long files are dragged over the page before they are dropped: no hand is faster.
const OVER_THE_PAGE: Duration = Duration::from_millis(300);

/// How a browser is started.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Width of the page, in CSS pixels.
    pub width: u32,
    /// Height of the page, in CSS pixels.
    pub height: u32,
    /// Whether there is WebGL, which the processor draws then.
    pub webgl: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { width: 1440, height: 900, webgl: false }
    }
}

/// One page in a browser: Chromium, or Firefox for what has no need of the DevTools protocol.
pub struct Browser {
    instance: Instance,
}

/// Whose the browser is.
enum Instance {
    /// Started for this test, and ended with it.
    Own(Session),
    /// Shared with the tests before and after, in a context of its own; `None` once it was given back.
    Shared(Option<Box<(Pooled, BrowserContext)>>),
}

impl Browser {
    /// A page in which nothing happened yet, in a browser that other tests may have used: its storage, cookies, permissions,
    /// workers, emulation and console are its own.
    pub fn fresh() -> Result<Self> {
        let options = Options::default();
        let browser = Browser { instance: Instance::Shared(Some(Box::new(pool::take(options)?))) };
        browser.resize(options.width, options.height)?;
        Ok(browser)
    }

    /// Starts a browser for this test alone: for what is measured of its process, for WebGL, or for a test that ends it.
    pub fn start(options: Options) -> Result<Self> {
        let browser = Browser { instance: Instance::Own(chromium::start(&options)?) };
        browser.resize(options.width, options.height)?;
        Ok(browser)
    }

    /// Starts Firefox and its driver. What needs the DevTools protocol fails there: `drop`, `resize`, `devtools`, `prefer`,
    /// `console`.
    pub fn firefox(firefox: &Firefox, options: Options) -> Result<Self> {
        let session = Session::start(Driver::start(&firefox.driver)?, &firefox.capabilities())?;
        session.post("/window/rect", &json!({ "width": options.width, "height": options.height }))?;
        Ok(Browser { instance: Instance::Own(session) })
    }

    pub(crate) fn session(&self) -> &Session {
        match &self.instance {
            Instance::Own(session) => session,
            Instance::Shared(shared) => {
                &shared.as_ref().expect("it is given back by `drop` and nothing else").0.session
            }
        }
    }

    /// Opens an address, even when only its fragment differs from the current one.
    pub fn open(&self, url: &str) -> Result<()> {
        self.post("/url", &json!({ "url": "about:blank" }))?;
        self.post("/url", &json!({ "url": url }))?;
        Ok(())
    }

    /// Runs a function body in the page; `arguments` are its arguments.
    pub fn run(&self, script: &str, arguments: Value) -> Result<Value> {
        self.post("/execute/sync", &json!({ "script": script, "args": list(arguments) }))
    }

    /// Runs the body of an async function in the page and waits for what it returns.
    pub fn run_async(&self, script: &str, arguments: Value) -> Result<Value> {
        let script = format!(
            "const done = arguments[arguments.length - 1]; \
             (async function() {{ {script} }}).apply(null, arguments)\
             .then(value => done({{ value }}), error => done({{ error: String(error) }}))"
        );
        let reply = self.post("/execute/async", &json!({ "script": script, "args": list(arguments) }))?;
        match reply.get("error") {
            Some(error) => bail!("the page's script failed: {error}"),
            None => Ok(reply["value"].clone()),
        }
    }

    /// Waits until an expression is true and gives its value. `what` is how the failure is told.
    pub fn wait(&self, what: &str, expression: &str) -> Result<Value> {
        let begun = Instant::now();
        loop {
            let value = self.run(&format!("return ({expression})"), json!([]))?;
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return Ok(value);
            }
            if begun.elapsed() > PATIENCE {
                let text = self.run("return document.body.innerText.slice(0, 1500)", json!([]))?;
                let log = self.console().unwrap_or_default();
                bail!("waited in vain for {what}: {expression}\npage: {text}\nconsole: {log:#?}");
            }
            sleep(Duration::from_millis(25));
        }
    }

    /// Waits for an element that is shown and clicks it.
    pub fn click(&self, css: &str) -> Result<()> {
        self.wait(
            &format!("{css} to be shown"),
            &format!("document.querySelector({css:?})?.checkVisibility()"),
        )?;
        let click = || {
            let element = self.element(css)?;
            self.post(&format!("/element/{element}/click"), &json!({})).map(|_| ())
        };
        // A page that draws itself anew may put another element in its place between the two calls.
        click().or_else(|_| click())
    }

    /// Gives files to a file input, as a user who picks them.
    pub fn pick(&self, css: &str, files: &[&Path]) -> Result<()> {
        let element = self.element(css)?;
        let paths: Result<Vec<String>> = files.iter().map(|f| absolute(f)).collect();
        self.post(&format!("/element/{element}/value"), &json!({ "text": paths?.join("\n") }))?;
        Ok(())
    }

    /// Drops files or folders onto the middle of the page, as the system's file manager would. A hand is over the page for
    /// a moment before it lets go.
    pub fn drop(&self, files: &[&Path]) -> Result<()> {
        let paths: Result<Vec<String>> = files.iter().map(|f| absolute(f)).collect();
        let data = json!({ "items": [], "files": paths?, "dragOperationsMask": 1 });
        for step in ["dragEnter", "dragOver", "drop"] {
            if step == "drop" {
                sleep(OVER_THE_PAGE);
            }
            self.devtools(
                "Input.dispatchDragEvent",
                json!({ "type": step, "x": 300, "y": 300, "data": data }),
            )?;
        }
        Ok(())
    }

    /// Presses and releases keys, one after the other, wherever the focus is.
    pub fn keys(&self, keys: &str) -> Result<()> {
        let strokes = keys.chars().flat_map(|key| {
            [
                json!({ "type": "keyDown", "value": key.to_string() }),
                json!({ "type": "keyUp", "value": key.to_string() }),
            ]
        });
        let actions: Vec<Value> = strokes.collect();
        self.post(
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] }),
        )?;
        Ok(())
    }

    /// Sets the size of the page (not of the window, of which headless browsers take a share).
    pub fn resize(&self, width: u32, height: u32) -> Result<()> {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size)?;
        Ok(())
    }

    /// A command of the DevTools protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Result<Value> {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Has the page believe that the user prefers this: `light` or `dark`.
    pub fn prefer(&self, scheme: &str) -> Result<()> {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", features).map(|_| ())
    }

    /// What the page wrote to the console since the last call, and what the browser had to say about it.
    pub fn console(&self) -> Result<Vec<String>> {
        let log = self.post("/se/log", &json!({ "type": "browser" }))?;
        let line = |entry: &Value| {
            format!(
                "{}: {}",
                entry["level"].as_str().unwrap_or("?"),
                entry["message"].as_str().unwrap_or("?")
            )
        };
        Ok(log.as_array().map(|entries| entries.iter().map(line).collect()).unwrap_or_default())
    }

    /// A picture of the page: a PNG in base64.
    pub fn screenshot_text(&self) -> Result<String> {
        let picture = self.session().get("/screenshot")?;
        Ok(picture.as_str().context("no picture")?.to_owned())
    }

    /// Saves a picture of the page.
    pub fn screenshot(&self, file: &Path) -> Result<()> {
        let bytes = STANDARD.decode(self.screenshot_text()?)?;
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
    }

    /// The driver's process; the browser's processes are below it.
    pub fn process(&self) -> u32 {
        self.session().process()
    }

    /// How many windows the browser has, also those of no test.
    pub fn windows(&self) -> Result<usize> {
        let handles = self.session().get("/window/handles")?;
        handles.as_array().map(Vec::len).context("a list of windows")
    }

    fn element(&self, css: &str) -> Result<String> {
        let reply = self.post("/element", &json!({ "using": "css selector", "value": css }))?;
        let id = reply.as_object().and_then(|o| o.values().next()).and_then(Value::as_str);
        id.map(str::to_owned).with_context(|| format!("no element {css}"))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.session().post(path, body)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Instance::Shared(shared) = &mut self.instance
            && let Some(shared) = shared.take()
        {
            let (browser, context) = *shared;
            pool::give_back(browser, &context);
        }
    }
}

fn list(arguments: Value) -> Value {
    if arguments.is_array() { arguments } else { json!([arguments]) }
}

fn absolute(file: &Path) -> Result<String> {
    let file = fs::canonicalize(file).with_context(|| format!("no file {}", file.display()))?;
    Ok(file.to_string_lossy().into_owned())
}
