//! What the browser tests and the benchmark stand on: a static server and a WebDriver client.
//!
//! [`Server`] serves the built site from 127.0.0.1 as any static host would, and remembers what was asked of it.
//! [`Browser`] is one page in a headless browser: a browser of its own, or a context that shares nothing but the process
//! with the tests before. No process outlives the tests.

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

/// The root folder of the repository.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this package is two folders below the root")
}

/// The built site. An error that names the command to build it where there is none.
pub fn site() -> anyhow::Result<PathBuf> {
    let dist = root().join("dist");
    anyhow::ensure!(dist.join("index.html").is_file(), "no site in dist/: run `cargo xtask site` first");
    Ok(dist)
}
