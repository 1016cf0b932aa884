//! A static server and a WebDriver client, for the browser tests and the benchmark.
//!
//! [`Server`] serves the built site from 127.0.0.1 as any static host would, and records the requests. [`Browser`] is one
//! page in a headless browser: in its own browser, or in a context that shares only the process with previous tests. No
//! process outlives the tests.

mod browser;
mod chromium;
mod context;
mod driver;
mod firefox;
mod http;
mod lookup;
mod pointer;
mod pool;
mod server;
mod watchdog;
mod webdriver;

use std::path::{Path, PathBuf};

pub use browser::{Browser, Options};
pub use chromium::Chromium;
pub use firefox::Firefox;
pub use lookup::{Named, button, dialog, disclosure, tab};
pub use server::{Mount, Server, Visit, encode};

/// Returns the root folder of the repository.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this package is two folders below the root")
}

/// Returns the folder of the built site, or an error that names the build command.
pub fn site() -> anyhow::Result<PathBuf> {
    let dist = root().join("dist");
    anyhow::ensure!(dist.join("index.html").is_file(), "no site in dist/: run `cargo xtask site` first");
    Ok(dist)
}
