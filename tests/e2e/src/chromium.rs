//! Where Chromium and its driver are on this machine, and with what flags the browser runs.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use crate::browser::Options;
use crate::driver::Driver;
use crate::webdriver::Session;

/// A browser and its driver.
#[derive(Clone, Debug)]
pub struct Chromium {
    /// The browser's program.
    pub browser: PathBuf,
    /// Its driver's program.
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
    /// `CHROMIUM` and `CHROMEDRIVER` of the environment, else the usual names on the PATH. `None` if one is missing.
    pub fn find() -> Option<Self> {
        Some(Chromium { browser: program("CHROMIUM", BROWSERS)?, driver: program("CHROMEDRIVER", DRIVERS)? })
    }

    /// What the browser calls itself: "Chromium 156.0.1".
    pub fn version(&self) -> String {
        let output = Command::new(&self.browser).arg("--version").output();
        let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        text.split(" built").next().unwrap_or_default().trim().to_owned()
    }
}

/// Starts a driver and its browser.
pub(crate) fn start(options: &Options) -> Result<Session> {
    let chromium = Chromium::find()
        .context("no Chromium or no chromedriver: install both, or set CHROMIUM and CHROMEDRIVER")?;
    let capabilities = json!({
        "goog:chromeOptions": { "binary": chromium.browser, "args": arguments(options) },
        "goog:loggingPrefs": { "browser": "ALL" },
    });
    Session::start(Driver::start(&chromium.driver)?, &capabilities)
}

/// A program that a variable of the environment names, else one of the usual names.
pub(crate) fn program(variable: &str, names: &[&str]) -> Option<PathBuf> {
    let chosen = env::var_os(variable).map(PathBuf::from).filter(|p| p.is_file());
    chosen.or_else(|| names.iter().find_map(|name| which(name)))
}

fn which(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders = env::split_paths(&path);
    // An absolute name replaces the folder it is joined to.
    let file = |folder: PathBuf| [folder.join(name), folder.join(format!("{name}.exe"))];
    folders.flat_map(file).find(|candidate| candidate.is_file())
}

/// Quiet, alone, and without a screen. The browser's own background traffic is off, so that what reaches a server comes
/// from the page.
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
        // The suggestions of the address bar, which nobody sees here, are two pages with a process each, in every window.
        "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    ];
    let mut all: Vec<String> = fixed.iter().map(|&a| a.to_owned()).collect();
    let graphics = if options.webgl { "--enable-unsafe-swiftshader" } else { "--disable-gpu" };
    all.push(graphics.to_owned());
    if is_root() {
        // Chromium refuses to run its sandbox as root, which is what containers are.
        all.push("--no-sandbox".to_owned());
    }
    all.push(format!("--window-size={},{}", options.width, options.height));
    all
}

/// Whether this process is the superuser; asked without any unsafe call.
fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("Uid:"));
    line.and_then(|l| l.split_whitespace().nth(1)) == Some("0")
}
