//! Builds the static site in `dist/`.

mod compressed;
mod files;
mod names;
mod offline;
mod scripts;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::{element, run, single_file, tools};

pub use compressed::{brotli, gzip, is_copy};
pub use files::{PAGE, ProgramFiles, below};
pub use names::ENGINE;
pub use scripts::stripped;

/// Builds the release site. If nothing has changed, this takes about a second.
pub fn build() -> Result<PathBuf> {
    let path = tools::path()?;
    // Trunk runs offline, so that it never fetches tools of its own choice; the packages must be fetched before.
    run::run(run::cargo().args(["fetch", "--locked"]))?;
    let begun = Instant::now();
    println!("building the site (a minute or two the first time)");
    let mut trunk = run::command("trunk");
    // Trunk 0.21 accepts only `true` or `false` in NO_COLOR and fails on the usual `1`.
    trunk.args(["build", "--release"]).env("PATH", &path).env_remove("NO_COLOR");
    run::run(&mut trunk).context("the site could not be built")?;
    println!("built the site in {}", run::seconds(begun));
    let dist = queryscope_e2e::site()?;
    names::by_content(&dist)?;
    offline::write(&dist)?;
    element::write(&dist)?;
    single_file::build(&dist, &path)?;
    Ok(dist)
}

/// Builds the release site for a host: with compressed copies of all files.
pub fn publish() -> Result<PathBuf> {
    let dist = build()?;
    let begun = Instant::now();
    let n_files = compressed::write(&dist)?;
    println!("compressed {n_files} files in {}", run::seconds(begun));
    Ok(dist)
}
