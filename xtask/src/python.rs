//! Python packages, installed once at fixed versions into a virtual environment of their own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run;

/// Folder of the programs of a virtual environment with these packages. The environment is created in `home` if it is missing.
pub fn programs(home: &Path, packages: &[&str]) -> Result<PathBuf> {
    let bin = home.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let complete = home.join("complete");
    if complete.is_file() {
        return Ok(bin);
    }
    run::run(run::command("python3").args(["-m", "venv", "--clear"]).arg(home))
        .context("no virtual environment (on Debian, the package python3-venv makes them possible)")?;
    let mut pip = run::command(bin.join("python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    run::run(&mut pip).with_context(|| format!("{} were not installed", packages.join(", ")))?;
    fs::write(&complete, packages.join("\n")).context("cannot mark the virtual environment as complete")?;
    Ok(bin)
}
