//! Paths of source files in the programs of the site. A panic names the file of its place; for packages from a registry, its path begins
//! with the home folder of the builder, which does not belong in a published site and makes the sizes of programs depend on the machine.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// Environment variable with flags of the compiler for the programs, in addition to those in `.cargo/config.toml`.
const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

/// Returns an environment variable, with its value, with which cargo shortens the paths of all fetched packages to `crates/…`. The packages
/// must have been fetched. Paths with white space stay as they are, because the variable separates flags by it.
pub fn shortened() -> Result<(&'static str, String)> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    // A folder for each registry; none if all packages are vendored.
    let sources = fs::read_dir(home.join("registry/src")).into_iter().flatten();
    let folders = sources.map(|folder| folder.map(|folder| folder.path()));
    let mut folders = folders.collect::<std::io::Result<Vec<_>>>()?;
    folders.sort();
    let paths = folders.iter().filter_map(|path| path.to_str());
    let paths = paths.filter(|path| !path.contains(char::is_whitespace));
    let flags: Vec<_> = paths.map(|path| format!("--remap-path-prefix={path}=crates")).collect();
    Ok((FLAGS, flags.join(" ")))
}
