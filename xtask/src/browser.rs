//! The browser of the tests: found, or installed where that is allowed.

use std::path::Path;

use anyhow::{Result, bail};
use queryscope_e2e::Chromium;

use crate::run;

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
        println!("installing Chromium and its driver with apt-get (a minute or two)");
        run::run(apt().arg("update"))?;
        run::run(apt().args(["install", "--yes", "--no-install-recommends", "chromium", "chromium-driver"]))?;
        if let Some(chromium) = Chromium::find() {
            return Ok(chromium);
        }
    }
    bail!("{WANTED}")
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
