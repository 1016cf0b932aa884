//! The static site in `dist/`.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::{run, tools};

/// Builds it, in release form. Nothing happens but a second of checks when nothing has changed.
pub fn build() -> Result<PathBuf> {
    let path = tools::path()?;
    // Trunk is told to stay offline, so that it never fetches a tool of its own choice; the packages must be there.
    run::run(run::cargo().args(["fetch", "--locked"]))?;
    let begun = Instant::now();
    println!("building the site (a minute or two the first time)");
    let mut trunk = run::command("trunk");
    // Trunk 0.21 wants `true` or `false` in NO_COLOR and fails on the usual `1`.
    trunk.args(["build", "--release"]).env("PATH", &path).env_remove("NO_COLOR");
    run::run(&mut trunk).context("the site could not be built")?;
    println!("built the site in {}", run::seconds(begun));
    queryscope_e2e::site()
}
