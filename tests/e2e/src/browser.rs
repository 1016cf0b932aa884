//! A browser under test: opening addresses, running scripts, pressing keys, waiting.

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

/// Maximum time until a page reaches an expected state. Long, because the machine may be busy and only failing tests wait
/// for it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// Time for which files are dragged over the page before the drop. Users are slower than this.
const OVER_THE_PAGE: Duration = Duration::from_millis(300);

/// Settings for starting a browser.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Width of the page, in CSS pixels.
    pub width: u32,
    /// Height of the page, in CSS pixels.
    pub height: u32,
    /// Whether WebGL is available, rendered by the CPU.
    pub webgl: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { width: 1440, height: 900, webgl: false }
    }
}

/// One page in a browser: Chromium, or Firefox for tests without the DevTools protocol.
pub struct Browser {
    instance: Instance,
}

/// Ownership of the browser process.
enum Instance {
    /// A browser that was started for this test and ends with it.
    Own(Session),
    /// A context in a browser that is shared with other tests. `None` after the browser was returned to the pool.
    Shared(Option<Box<(Pooled, BrowserContext)>>),
}

impl Browser {
    /// Opens an empty page in a browser that other tests may have used. Storage, cookies, permissions, workers, emulation
    /// and console are not shared.
    pub fn fresh() -> Result<Self> {
        let options = Options::default();
        let browser = Browser { instance: Instance::Shared(Some(Box::new(pool::take(options)?))) };
        browser.resize(options.width, options.height)?;
        Ok(browser)
    }

    /// Starts a browser for this test only: for measurements of its process, for WebGL, or for tests that end the browser.
    pub fn start(options: Options) -> Result<Self> {
        let browser = Browser { instance: Instance::Own(chromium::start(&options, &[])?) };
        browser.resize(options.width, options.height)?;
        Ok(browser)
    }

    /// Starts Firefox and its driver. Methods that need the DevTools protocol fail in Firefox: `drop`, `resize`,
    /// `devtools`, `prefer`, `console`.
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

    /// Opens an address, with a full load even if only the fragment differs from the current address.
    pub fn open(&self, url: &str) -> Result<()> {
        self.post("/url", &json!({ "url": "about:blank" }))?;
        self.post("/url", &json!({ "url": url }))?;
        Ok(())
    }

    /// Runs a function body in the page with these arguments, and returns its result.
    pub fn run(&self, script: &str, arguments: Value) -> Result<Value> {
        self.post("/execute/sync", &json!({ "script": script, "args": list(arguments) }))
    }

    /// Runs the body of an async function in the page, and returns its result.
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

    /// Waits until an expression is truthy, and returns its value. `what` describes the expected state in the error message.
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

    /// Waits until an element is visible, and clicks it.
    pub fn click(&self, css: &str) -> Result<()> {
        self.wait(
            &format!("{css} to be shown"),
            &format!("document.querySelector({css:?})?.checkVisibility()"),
        )?;
        let click = || {
            let element = self.element(css)?;
            self.post(&format!("/element/{element}/click"), &json!({})).map(|_| ())
        };
        // The page may replace the element between finding and clicking it, so a failure is retried once.
        click().or_else(|_| click())
    }

    /// Continues in the frame that a CSS selector finds in the current document; `None` returns to the whole page.
    pub fn enter(&self, frame: Option<&str>) -> Result<()> {
        let id = match frame {
            Some(css) => {
                self.wait(&format!("the frame {css}"), &format!("document.querySelector({css:?})"))?
            }
            None => Value::Null,
        };
        self.post("/frame", &json!({ "id": id })).map(|_| ())
    }

    /// Puts files into a file input, as if the user had picked them.
    pub fn pick(&self, css: &str, files: &[&Path]) -> Result<()> {
        let element = self.element(css)?;
        let paths: Result<Vec<String>> = files.iter().map(|f| absolute(f)).collect();
        self.post(&format!("/element/{element}/value"), &json!({ "text": paths?.join("\n") }))?;
        Ok(())
    }

    /// Drops files or folders onto the centre of the page, after a short drag over the page as with a system file
    /// manager.
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

    /// Presses and releases keys one after the other, in the focused element.
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

    /// Sets the size of the page, which is smaller than the window in headless browsers.
    pub fn resize(&self, width: u32, height: u32) -> Result<()> {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size)?;
        Ok(())
    }

    /// Sends a command of the DevTools protocol and returns its result.
    pub fn devtools(&self, command: &str, parameters: Value) -> Result<Value> {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Emulates the user's colour scheme preference, `light` or `dark`.
    pub fn prefer(&self, scheme: &str) -> Result<()> {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", features).map(|_| ())
    }

    /// Returns the console messages of the page and the browser since the last call.
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

    /// Returns a screenshot of the page, as a PNG in base64.
    pub fn screenshot_text(&self) -> Result<String> {
        let picture = self.session().get("/screenshot")?;
        Ok(picture.as_str().context("no picture")?.to_owned())
    }

    /// Saves a screenshot of the page as a PNG file.
    pub fn screenshot(&self, file: &Path) -> Result<()> {
        let bytes = STANDARD.decode(self.screenshot_text()?)?;
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Id of the driver's process, whose descendants are the browser's processes.
    pub fn process(&self) -> u32 {
        self.session().process()
    }

    /// Number of windows of the browser, including windows that belong to no test.
    pub fn windows(&self) -> Result<usize> {
        let handles = self.session().get("/window/handles")?;
        handles.as_array().map(Vec::len).context("a list of windows")
    }

    /// Continues in an open window, counted from 0 in the order of opening.
    pub fn enter_window(&self, number: usize) -> Result<()> {
        let handles = self.session().get("/window/handles")?;
        let handle = handles.get(number).with_context(|| format!("no window {number}"))?;
        self.post("/window", &json!({ "handle": handle })).map(|_| ())
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
