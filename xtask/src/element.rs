//! The element `<queryscope-viewer>` and the protocol of frames, as files of the site and as an npm package.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use queryscope_e2e::root;

use crate::site::{ENGINE, PAGE, ProgramFiles, stripped};

/// Folder of the site that holds the element.
pub const FOLDER: &str = "element";

/// Upper limit for the element's script in bytes: all that a page loads before an element comes near the screen.
const BAR: usize = 15_000;

const SCRIPT: &str = "queryscope-viewer.js";
const TYPES: &str = "queryscope-viewer.d.ts";
const SOURCE: &str = "trace-source.js";
const PROTOCOL: &str = "frame.js";

/// Writes the element and the protocol to the site, and the npm package to `target/npm/viewer`.
///
/// # Errors
/// If a file cannot be written, if the site lacks a file, or if the element's script is longer than allowed.
pub fn write(dist: &Path) -> Result<()> {
    let names = ProgramFiles::of(dist)?;
    let folder = dist.join(FOLDER);
    fs::create_dir_all(&folder)?;
    write_script(&folder, &names, "../")?;
    copy_stripped(PROTOCOL, &folder)?;
    package(dist, &names, &root().join("target/npm/viewer"))
}

/// Writes the npm package: the element, the files that it loads, and `package.json`.
fn package(dist: &Path, names: &ProgramFiles, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    write_script(folder, names, "./")?;
    for name in names.all() {
        fs::copy(dist.join(name), folder.join(name)).with_context(|| format!("{name} was not copied"))?;
    }
    fs::copy(here("README.md"), folder.join("README.md"))?;
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root().join(license), folder.join(license))?;
    }
    let description = fs::read_to_string(here("package.json"))?;
    let named = description.replace("\"0.0.0\"", &format!("\"{}\"", env!("CARGO_PKG_VERSION")));
    ensure!(named != description, "package.json has no version to replace");
    Ok(fs::write(folder.join("package.json"), named)?)
}

fn here(name: &str) -> PathBuf {
    root().join("web/element").join(name)
}

/// Writes the element's script with the names of the viewer's files in the folder `prefix`.
fn write_script(folder: &Path, names: &ProgramFiles, prefix: &str) -> Result<()> {
    let mut script = stripped(&fs::read_to_string(here(SCRIPT))?);
    for (base, end, name) in [
        (PAGE, ".js", &names.page),
        (PAGE, "_bg.wasm", &names.page_module),
        (ENGINE, ".js", &names.engine),
        (ENGINE, "_bg.wasm", &names.engine_module),
    ] {
        let literal = format!("\"./{base}{end}\"");
        ensure!(script.matches(&literal).count() == 1, "{SCRIPT} must name {literal} once");
        script = script.replace(&literal, &format!("\"{prefix}{name}\""));
    }
    ensure!(script.len() <= BAR, "{SCRIPT} has {} bytes, {BAR} are allowed", script.len());
    fs::write(folder.join(SCRIPT), script)?;
    copy_stripped(SOURCE, folder)?;
    fs::copy(here(TYPES), folder.join(TYPES))?;
    Ok(())
}

fn copy_stripped(name: &str, folder: &Path) -> Result<()> {
    Ok(fs::write(folder.join(name), stripped(&fs::read_to_string(here(name))?))?)
}
