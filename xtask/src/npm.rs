//! npm packages, fetched once at a fixed version into a separate folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run;

/// The folder of a package, fetched into `prefix` if it is missing. Other packages in `prefix` are removed.
pub fn package(prefix: &Path, package: &str, version: &str) -> Result<PathBuf> {
    let folder = prefix.join("node_modules").join(package);
    if !folder.join("package.json").exists() {
        std::fs::create_dir_all(prefix)?;
        let install =
            ["install", "--silent", "--no-save", "--no-package-lock", "--ignore-scripts", "--prefix"];
        let package = format!("{package}@{version}");
        run::run(run::command("npm").args(install).arg(prefix).arg(&package))
            .with_context(|| format!("{package} was not fetched"))?;
    }
    Ok(folder)
}
