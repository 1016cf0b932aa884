//! Locating Chromium and its driver, and the flags that Chromium is started with.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use crate::browser::Options;
use crate::driver::Driver;
use crate::webdriver::Session;

/// Programs of Chromium and its driver.
#[derive(Clone, Debug)]
pub struct Chromium {
    /// Path of the browser's program.
    pub browser: PathBuf,
    /// Path of the driver's program.
    pub driver: PathBuf,
}

const BROWSERS: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const DRIVERS: &[&str] =
    &["chromedriver", "/usr/lib/chromium/chromedriver", "/usr/lib/chromium-browser/chromedriver"];

impl Chromium {
    /// Finds both programs: by the variables `CHROMIUM` and `CHROMEDRIVER`, else on the PATH. `None` if one is missing.
    pub fn find() -> Option<Self> {
        Some(Chromium { browser: program("CHROMIUM", BROWSERS)?, driver: program("CHROMEDRIVER", DRIVERS)? })
    }

    /// Version that the browser reports, such as "Chromium 156.0.1".
    pub fn version(&self) -> String {
        let output = Command::new(&self.browser).arg("--version").output();
        let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        text.split(" built").next().unwrap_or_default().trim().to_owned()
    }
}

/// Starts a driver and its browser, with `flags` in addition to those of every browser.
pub(crate) fn start(options: &Options, flags: &[&str]) -> Result<Session> {
    let chromium = Chromium::find()
        .context("no Chromium or no chromedriver: install both, or set CHROMIUM and CHROMEDRIVER")?;
    let mut arguments = arguments(options);
    arguments.extend(flags.iter().map(|&flag| flag.to_owned()));
    let capabilities = json!({
        "goog:chromeOptions": { "binary": chromium.browser, "args": arguments },
        "goog:loggingPrefs": { "browser": "ALL" },
    });
    Session::start(Driver::start(&chromium.driver)?, &capabilities)
}

/// Returns the program that an environment variable names, or else the first of these names on the PATH.
pub(crate) fn program(variable: &str, names: &[&str]) -> Option<PathBuf> {
    let chosen = env::var_os(variable).map(PathBuf::from).filter(|p| p.is_file());
    chosen.or_else(|| names.iter().find_map(|name| which(name)))
}

fn which(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders = env::split_paths(&path);
    // Joining an absolute path replaces the folder.
    let file = |folder: PathBuf| [folder.join(name), folder.join(format!("{name}.exe"))];
    folders.flat_map(file).find(|candidate| candidate.is_file())
}

/// Returns the flags for a headless browser without background traffic, so that all requests to a server come from the
/// page.
fn arguments(options: &Options) -> Vec<String> {
    let fixed = [
        "--headless=new",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-default-apps",
        "--disable-dev-shm-usage",
        "--force-color-profile=srgb",
        "--hide-scrollbars",
        // Address bar suggestions, invisible in tests, would add two pages with a process each to every window.
        "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    ];
    let mut all: Vec<String> = fixed.iter().map(|&a| a.to_owned()).collect();
    let graphics = if options.webgl { "--enable-unsafe-swiftshader" } else { "--disable-gpu" };
    all.push(graphics.to_owned());
    if is_root() {
        // Chromium refuses to run its sandbox as root, the usual user in containers.
        all.push("--no-sandbox".to_owned());
    }
    all.push(format!("--window-size={},{}", options.width, options.height));
    all
}

/// Whether this process runs as root, found without unsafe calls.
fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("Uid:"));
    line.and_then(|l| l.split_whitespace().nth(1)) == Some("0")
}
