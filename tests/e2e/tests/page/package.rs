//! The npm package of the element: packed, installed into a fresh folder, and used with a bundler and without.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Browser, Mount, Server, root};
use serde_json::json;

use crate::fixtures::{self, file};

/// The bundler that the package is tried with.
const VITE: &str = "vite@7.1.7";

const PAGE: &str = "<!DOCTYPE html><meta charset=\"utf-8\"><title>Fresh</title><link rel=\"icon\" href=\"data:,\">\
    <script type=\"module\" src=\"SCRIPT\"></script><queryscope-viewer src=\"/run.json\" view=\"gantt\"></queryscope-viewer>";

/// Runs npm in a folder; `None` if there is no npm.
fn npm(folder: &Path, arguments: &[&str]) -> Result<Option<std::process::Output>> {
    match Command::new("npm").args(arguments).current_dir(folder).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        output => Ok(Some(output?)),
    }
}

/// Packs the package into `folder` and returns the file; `None` if there is no npm.
fn packed(folder: &Path) -> Result<Option<PathBuf>> {
    let package = root().join("target/npm/viewer");
    let folder_text = folder.to_str().context("a path in UTF-8")?;
    let Some(output) = npm(&package, &["pack", "--silent", "--pack-destination", folder_text])? else {
        return Ok(None);
    };
    ensure!(output.status.success(), "npm pack: {}", String::from_utf8_lossy(&output.stderr));
    Ok(Some(folder.join(String::from_utf8(output.stdout)?.trim())))
}

/// Installs packages into a folder; `false` if the registry cannot be reached.
fn installs(folder: &Path, packages: &[&str]) -> Result<bool> {
    let flags =
        ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"];
    let output = npm(folder, &[&flags, packages].concat())?.context("npm was there before")?;
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_offline = ["ENOTFOUND", "ECONNREFUSED", "ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH"]
        .iter()
        .any(|code| error.contains(code));
    ensure!(output.status.success() || is_offline, "npm install: {error}");
    Ok(output.status.success())
}

fn shows_a_trace(folder: &Path, site: &Path) -> Result<()> {
    let run = file(folder, "run.json", fixtures::array("a"))?;
    let server = Server::start(vec![Mount::new("/", site), Mount::new("/run.json", run)])?;
    let browser = Browser::fresh()?;
    browser.open(server.url())?;
    browser.wait("the trace", "document.querySelector('queryscope-viewer')?.info?.queries === 6")?;
    // What is read as bytes needs another file of the package.
    let read = browser.run_async(
        "const bytes = await (await fetch('/run.json')).arrayBuffer(); \
         return (await document.querySelector('queryscope-viewer').open(bytes)).queries",
        json!([]),
    )?;
    ensure!(read == json!(6), "{read}");
    Ok(())
}

#[test]
fn the_package_works_without_a_bundler() -> Result<()> {
    let folder = fixtures::folder("package-plain")?;
    let Some(package) = packed(&folder)? else {
        eprintln!("skipped: no npm on the PATH");
        return Ok(());
    };
    file(&folder, "package.json", r#"{ "name": "fresh", "private": true }"#)?;
    ensure!(
        installs(&folder, &[package.to_str().context("a path in UTF-8")?])?,
        "the package has dependencies"
    );
    let page = PAGE.replace("SCRIPT", "/node_modules/@queryscope/viewer/queryscope-viewer.js");
    file(&folder, "index.html", page)?;
    shows_a_trace(&folder, &folder)
}

#[test]
fn the_package_works_with_vite() -> Result<()> {
    let folder = fixtures::folder("package-vite")?;
    let Some(package) = packed(&folder)? else {
        eprintln!("skipped: no npm on the PATH");
        return Ok(());
    };
    file(&folder, "package.json", r#"{ "name": "fresh", "private": true, "type": "module" }"#)?;
    if !installs(&folder, &[package.to_str().context("a path in UTF-8")?, VITE])? {
        eprintln!("skipped: the npm registry cannot be reached for {VITE}");
        return Ok(());
    }
    file(&folder, "main.js", "import \"@queryscope/viewer\";\n")?;
    file(&folder, "index.html", PAGE.replace("SCRIPT", "/main.js"))?;
    let build = npm(&folder, &["exec", "--", "vite", "build"])?.context("npm was there before")?;
    ensure!(build.status.success(), "vite build: {}", String::from_utf8_lossy(&build.stderr));
    shows_a_trace(&folder, &folder.join("dist"))
}
