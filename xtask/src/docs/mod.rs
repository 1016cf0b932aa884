//! Builds the handbook from `docs/` into `dist/handbook/`, next to the site whose viewer it embeds.

mod html;
mod links;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::{run, tools};

/// Folder of the book's settings and theme.
const BOOK: &str = "xtask/handbook";
/// Folder of the built handbook within the site.
pub const FOLDER: &str = "dist/handbook";

/// Rewrites the generated pages, builds the handbook, and checks its links.
pub fn build_all() -> Result<PathBuf> {
    let mut generate = run::cargo();
    generate
        .args(["test", "--quiet", "--package", "queryscope", "--test", "engine", "handbook"])
        .env("BLESS", "1");
    run::run(&mut generate).context("the generated pages of the handbook could not be written")?;
    build()
}

/// Builds the handbook from the pages as they are, and checks its links.
pub fn build() -> Result<PathBuf> {
    let mdbook = tools::mdbook()?;
    let begun = Instant::now();
    let folder = queryscope_e2e::root().join(FOLDER);
    let mut build = run::command(&mdbook);
    build.args(["build", BOOK, "--dest-dir"]).arg(&folder);
    run::run(&mut build).context("the handbook could not be built")?;
    // mdBook copies all files; the snippets are projects of their own, which chapters quote.
    fs::remove_dir_all(folder.join("snippets")).context("the snippets are not where they are expected")?;
    let wrong = links::problems(&folder)?;
    ensure!(wrong.is_empty(), "the handbook has links that lead nowhere:\n  {}", wrong.join("\n  "));
    println!("built the handbook in {}", run::seconds(begun));
    Ok(folder)
}
