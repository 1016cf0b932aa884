//! Builds the static site in `dist/`.

mod compressed;
mod files;
mod names;
mod offline;
mod scripts;
mod source_paths;
mod sql_program;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};

use crate::{element, run, single_file, tools};

pub use compressed::{brotli, gzip, is_copy};
pub use files::{PAGE, ProgramFiles, below};
pub use names::ENGINE;
pub use scripts::stripped;
pub use source_paths::shortened;
pub use sql_program::SQL;

/// Builds the release site. If nothing has changed, this takes about a second.
pub fn build() -> Result<PathBuf> {
    let path = tools::path()?;
    // Trunk runs offline, so that it never fetches tools of its own choice; the packages must be fetched before.
    run::run(run::cargo().args(["fetch", "--locked"]))?;
    let begun = Instant::now();
    println!("building the site (ten minutes or more the first time)");
    // Linking a program takes a minute of one core, so the programs are compiled side by side. The SQL program has its own profile,
    // so that cargo does not make one build wait for the other.
    let (page, sql) = thread::scope(|scope| {
        let sql = scope.spawn(sql_program::compile);
        (page(&path), sql.join())
    });
    page?;
    let sql = sql.map_err(|_| anyhow!("the build of the SQL program ended early"))??;
    let dist = queryscope_e2e::site()?;
    names::by_content(&dist)?;
    match sql {
        Some(module) => sql_program::write(&dist, &module, &path)?,
        None => names::leave_out(&dist, SQL)?,
    }
    println!("built the site in {}", run::seconds(begun));
    offline::write(&dist)?;
    element::write(&dist)?;
    single_file::build(&dist, &path)?;
    Ok(dist)
}

/// Builds the page and the engine, then runs Trunk, which makes the site of them. `path` is the PATH with the tools of the site.
fn page(path: &OsStr) -> Result<()> {
    // Trunk builds one program after the other; built before in one command, both are linked at the same time.
    let programs = [
        "build",
        "--locked",
        "--release",
        "--package",
        "queryscope-web",
        "--bins",
        "--target",
        tools::TARGET,
    ];
    let (flags, paths) = shortened()?;
    run::run(run::cargo().args(programs).env(flags, &paths)).context("the page could not be built")?;
    let mut trunk = run::command("trunk");
    // Trunk 0.21 accepts only `true` or `false` in NO_COLOR and fails on the usual `1`.
    trunk.args(["build", "--release"]).env("PATH", path).env(flags, &paths).env_remove("NO_COLOR");
    run::run(&mut trunk).context("the site could not be built")
}

/// Builds the release site for a host: with compressed copies of all files.
pub fn publish() -> Result<PathBuf> {
    let dist = build()?;
    let begun = Instant::now();
    let n_files = compressed::write(&dist)?;
    println!("compressed {n_files} files in {}", run::seconds(begun));
    Ok(dist)
}
