//! The browsers of the tests, and the rules by which they check pages: found, or installed where that is allowed.

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

/// A browser and its driver.
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

/// Firefox and its driver: the driver is built where it is missing, the browser installed where that is allowed.
///
/// # Errors
/// Why there is none. Nothing but the tests in Firefox needs it.
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

/// The script of axe-core, from npm; npm itself is installed where that is allowed.
///
/// # Errors
/// Why there is none.
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

/// Only the superuser of a Debian may; nobody is ever asked for a password.
fn may_install() -> bool {
    let root = run::first_line(run::command("id").arg("-u")).as_deref() == Some("0");
    root && Path::new("/etc/debian_version").is_file()
}
