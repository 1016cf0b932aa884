//! The sample traces, one by one and together, where they are: `QUERYSCOPE_TRACES`, or `shared/traces` beside the
//! repository.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;
use queryscope_e2e::root;

use crate::page::Page;

/// The folder of the Kubling samples; `None`, and a line that says so, where there is none.
fn samples() -> Option<PathBuf> {
    let chosen = env::var_os("QUERYSCOPE_TRACES").map(PathBuf::from);
    let folder = chosen.unwrap_or_else(|| root().join("../shared/traces")).join("own/kubling");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no sample traces in {}", folder.display());
    None
}

fn drops(page: &Page, files: &[PathBuf], queries: u64) -> Result<()> {
    page.browser.open(page.server.url())?;
    page.phase("landing")?;
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    page.browser.drop(&files)?;
    page.ready(queries)?;
    page.is_quiet()
}

#[test]
fn every_shape_of_a_run_has_its_queries() -> Result<()> {
    let Some(folder) = samples() else { return Ok(()) };
    let page = Page::open()?;
    // The zips hold the files of the first 40 queries.
    let shapes = [
        ("json", 60),
        ("pretty.json", 60),
        ("json.gz", 60),
        ("ndjson", 60),
        ("log", 60),
        ("per-query.zip", 40),
    ];
    for run in ["no-buffer", "buffer-normal", "buffer-rocks"] {
        for (shape, queries) in shapes {
            let file = folder.join(format!("{run}.{shape}"));
            if file.is_file() {
                drops(&page, &[file], queries)?;
            }
        }
    }
    Ok(())
}

#[test]
fn all_runs_and_all_tables_together() -> Result<()> {
    let Some(folder) = samples() else { return Ok(()) };
    let page = Page::open()?;
    let runs = ["no-buffer", "buffer-normal", "buffer-rocks"].map(|run| folder.join(format!("{run}.ndjson")));
    drops(&page, &runs, 180)?;
    drops(&page, &[folder.join("tables")], 180)
}
