//! Builds the static site in `dist/`.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::{element, run, tools};

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
    name_engine(&dist)?;
    element::write(&dist)?;
    Ok(dist)
}

/// Base name of the engine's files, as Trunk names them.
pub const ENGINE: &str = "queryscope-engine";

/// Adds a hash of the content to the names of the engine's files, as Trunk does for the page, so that a page never loads
/// the engine of another build from a cache.
fn name_engine(dist: &Path) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    let endings = [".js", "_bg.wasm"];
    for ending in endings {
        let file = dist.join(format!("{ENGINE}{ending}"));
        hasher.write(&fs::read(&file).with_context(|| format!("no {}", file.display()))?);
    }
    let name = format!("{ENGINE}-{:016x}", hasher.finish());
    for ending in endings {
        fs::rename(dist.join(format!("{ENGINE}{ending}")), dist.join(format!("{name}{ending}")))?;
    }
    let index = dist.join("index.html");
    let page = fs::read_to_string(&index)?;
    let named = page.replace(&format!("{ENGINE}\""), &format!("{name}\""));
    ensure!(named != page, "the page does not say where its engine is");
    Ok(fs::write(index, named)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_is_named_by_its_content() -> Result<()> {
        let dist = std::env::temp_dir().join(format!("queryscope-site-{}", std::process::id()));
        fs::create_dir_all(&dist)?;
        let name = |wasm: &str| -> Result<String> {
            fs::write(dist.join("queryscope-engine.js"), "glue")?;
            fs::write(dist.join("queryscope-engine_bg.wasm"), wasm)?;
            fs::write(dist.join("index.html"), "<script data-engine=\"./queryscope-engine\"></script>")?;
            name_engine(&dist)?;
            let page = fs::read_to_string(dist.join("index.html"))?;
            let name = page.split('"').nth(1).context("a name")?.to_owned();
            assert_eq!(fs::read_to_string(dist.join(format!("{name}_bg.wasm")))?, wasm);
            assert_eq!(fs::read_to_string(dist.join(format!("{name}.js")))?, "glue");
            Ok(name)
        };
        let names = [name("a")?, name("b")?, name("a")?];
        assert_eq!((names[0] == names[1], names[0] == names[2]), (false, true));
        Ok(fs::remove_dir_all(&dist)?)
    }
}
