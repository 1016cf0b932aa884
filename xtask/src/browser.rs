//! Finds the browsers for the tests and the accessibility rules, or installs them if permitted.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use queryscope_e2e::{Chromium, Firefox};

use crate::{run, tools};

const WANTED: &str = "the browser tests need Chromium and its chromedriver.
  Debian:  apt-get install chromium chromium-driver
  Fedora:  dnf install chromium chromedriver
  Arch:    pacman -S chromium
  macOS:   brew install --cask chromium && brew install chromedriver
  Ubuntu has them as snaps only: snap install chromium, then CHROMEDRIVER=/snap/bin/chromium.chromedriver
Both are looked for on the PATH; CHROMIUM and CHROMEDRIVER name others.";

/// Finds Chromium and its driver, or installs them if permitted.
pub fn find() -> Result<Chromium> {
    if let Some(chromium) = Chromium::find() {
        return Ok(chromium);
    }
    if may_install() {
        install(&["chromium", "chromium-driver"])?;
        if let Some(chromium) = Chromium::find() {
            return Ok(chromium);
        }
    }
    bail!("{WANTED}")
}

/// Finds Firefox and its driver. A missing driver is built; a missing browser is installed if permitted.
///
/// # Errors
/// If Firefox or its driver is not available. Only the tests in Firefox need them.
pub fn firefox() -> Result<Firefox> {
    if let Some(firefox) = Firefox::find() {
        return Ok(firefox);
    }
    if Firefox::browser().is_none() && may_install() {
        install(&["firefox-esr"])?;
    }
    let browser = Firefox::browser().context("there is no Firefox (FIREFOX, or on the PATH)")?;
    Ok(Firefox { browser, driver: tools::geckodriver()? })
}

/// Finds the script of axe-core, from npm; npm itself is installed if permitted.
///
/// # Errors
/// If the script is not available.
pub fn axe() -> Result<PathBuf> {
    if run::first_line(run::command("npm").arg("--version")).is_none() && may_install() {
        install(&["npm"])?;
    }
    tools::axe()
}

fn install(packages: &[&str]) -> Result<()> {
    println!("installing {} with apt-get (a minute or two)", packages.join(", "));
    run::run(apt().arg("update"))?;
    run::run(apt().args(["install", "--yes", "--no-install-recommends"]).args(packages))
}

fn apt() -> std::process::Command {
    let mut apt = run::command("apt-get");
    apt.arg("--quiet").env("DEBIAN_FRONTEND", "noninteractive").stdin(std::process::Stdio::null());
    apt
}

/// Whether packages can be installed: only by root on Debian, so that no password prompt appears.
fn may_install() -> bool {
    let root = run::first_line(run::command("id").arg("-u")).as_deref() == Some("0");
    root && Path::new("/etc/debian_version").is_file()
}
