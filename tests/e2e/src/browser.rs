//! A WebDriver client: the calls that these tests need, one HTTP request each.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::chromium::{Chromium, arguments};
use crate::firefox::Firefox;

/// How long a page may take to reach a state. Generous: the machine may be busy, and a test that waits fails only once.
const PATIENCE: Duration = Duration::from_secs(20);
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

/// One browser with one page.
pub struct Browser {
    driver: Driver,
    http: ureq::Agent,
    session: String,
}

impl Browser {
    /// Starts a driver and a browser.
    pub fn start(options: Options) -> Result<Self> {
        let chromium = Chromium::find().ok_or_else(|| {
            anyhow!("no Chromium or no chromedriver: install both, or set CHROMIUM and CHROMEDRIVER")
        })?;
        let browser = Self::with(
            &chromium.driver,
            &json!({
                "goog:chromeOptions": {
                    "binary": chromium.browser,
                    "args": arguments(&options),
                },
                "goog:loggingPrefs": { "browser": "ALL" },
            }),
        )?;
        browser.resize(options.width, options.height)?;
        Ok(browser)
    }

    /// Starts Firefox and its driver. What needs the DevTools protocol fails there: `drop`, `resize`, `devtools`,
    /// `console`.
    pub fn firefox(firefox: &Firefox, options: Options) -> Result<Self> {
        let browser = Self::with(&firefox.driver, &firefox.capabilities())?;
        browser.post("/window/rect", &json!({ "width": options.width, "height": options.height }))?;
        Ok(browser)
    }

    fn with(driver: &Path, capabilities: &Value) -> Result<Self> {
        let driver = Driver::start(driver)?;
        let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None).build();
        let mut browser = Browser { driver, http: config.into(), session: String::new() };
        let mut wanted = json!({ "timeouts": { "script": 600_000, "pageLoad": 60_000 } });
        if let (Some(wanted), Some(own)) = (wanted.as_object_mut(), capabilities.as_object()) {
            wanted.extend(own.clone());
        }
        let wanted = json!({ "capabilities": { "alwaysMatch": wanted } });
        // Drivers give a browser a time to start that a busy machine may exceed: the second start finds it in memory.
        let reply = browser.post("", &wanted).or_else(|_| browser.post("", &wanted))?;
        let id = reply["sessionId"].as_str().context("the driver gave no session")?;
        browser.session = format!("/{id}");
        Ok(browser)
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
        let picture = self.get("/screenshot")?;
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
        self.driver.child.id()
    }

    fn element(&self, css: &str) -> Result<String> {
        let reply = self.post("/element", &json!({ "using": "css selector", "value": css }))?;
        let id = reply.as_object().and_then(|o| o.values().next()).and_then(Value::as_str);
        id.map(str::to_owned).with_context(|| format!("no element {css}"))
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let url = format!("{}{}{path}", self.driver.url, self.session);
        let reply = self.http.post(&url).content_type("application/json").send(body.to_string());
        value(path, reply)
    }

    fn get(&self, path: &str) -> Result<Value> {
        value(path, self.http.get(format!("{}{}{path}", self.driver.url, self.session)).call())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Without this the browser outlives its driver. A driver that is gone already needs no goodbye.
        self.http.delete(format!("{}{}", self.driver.url, self.session)).call().ok();
    }
}

fn list(arguments: Value) -> Value {
    if arguments.is_array() { arguments } else { json!([arguments]) }
}

fn absolute(file: &Path) -> Result<String> {
    let file = fs::canonicalize(file).with_context(|| format!("no file {}", file.display()))?;
    Ok(file.to_string_lossy().into_owned())
}

fn value(path: &str, reply: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value> {
    let mut reply = reply.with_context(|| format!("the driver does not answer {path}"))?;
    let text = reply.body_mut().with_config().limit(256 << 20).read_to_string()?;
    let mut message: Value = serde_json::from_str(&text).context("the driver did not answer in JSON")?;
    let value = message["value"].take();
    if let Some(error) = value.get("error").and_then(Value::as_str)
        && value.get("stacktrace").is_some()
    {
        bail!("{path}: {error}: {}", value["message"].as_str().unwrap_or_default());
    }
    Ok(value)
}

/// A running driver process.
struct Driver {
    child: Child,
    url: String,
}

impl Driver {
    fn start(program: &Path) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = Command::new(program)
            .arg(format!("--port={port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let driver = Driver { child, url: format!("http://127.0.0.1:{port}/session") };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            ensure!(begun.elapsed() < PATIENCE, "{} does not answer", program.display());
            sleep(Duration::from_millis(20));
        }
        Ok(driver)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to do.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
