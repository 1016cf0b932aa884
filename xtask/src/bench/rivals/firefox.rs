//! Firefox Profiler: its page is in no package, but its importer is, as a command line. That draws nothing, so a page takes
//! longer.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::{Trace, npm};
use crate::run;

/// Its command line.
pub fn fetch() -> Result<PathBuf> {
    Ok(npm("@firefox-devtools/profiler-cli", "0.10.0")?.join("dist/profiler-cli.js"))
}

/// What it takes to import the trace, in ms: to import hardly anything, which starts it too, is left out.
pub fn import(program: &Path, trace: &Trace, few: &Trace) -> Result<f64> {
    let (few, all) = (load(program, few)?, load(program, trace)?);
    Ok(all - few)
}

fn load(program: &Path, trace: &Trace) -> Result<f64> {
    // The name of a socket in it may have about a hundred bytes.
    let sessions = std::env::temp_dir().join("queryscope-bench");
    let asked = |arguments: &[&str]| {
        let mut command = run::command("node");
        command.arg(program).args(arguments).env("PROFILER_CLI_SESSION_DIR", &sessions).stdout(Stdio::null());
        command
    };
    trace.warm()?;
    let begun = Instant::now();
    let done = asked(&["load"]).arg(&trace.path).status()?;
    let taken = begun.elapsed().as_secs_f64() * 1e3;
    // It goes on as a server of its own.
    asked(&["stop", "--all"]).status()?;
    ensure!(done.success(), "Firefox Profiler's command line failed ({done})");
    Ok(taken)
}
