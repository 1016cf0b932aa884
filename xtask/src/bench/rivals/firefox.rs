//! Firefox Profiler. Its page is in no package, but its importer is available as a command-line program. The program
//! draws nothing, so the page itself takes longer than the measured time.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::{Trace, npm};
use crate::run;

/// Path of the command-line program, fetched if it is missing.
pub fn fetch() -> Result<PathBuf> {
    Ok(npm("@firefox-devtools/profiler-cli", "0.10.0")?.join("dist/profiler-cli.js"))
}

/// Time to import the trace, in ms, without the startup time, which is measured with the small trace.
pub fn import(program: &Path, trace: &Trace, few: &Trace) -> Result<f64> {
    let (few, all) = (load(program, few)?, load(program, trace)?);
    Ok(all - few)
}

fn load(program: &Path, trace: &Trace) -> Result<f64> {
    // A short path, because the session folder contains a socket, whose path is limited to about a hundred bytes.
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
    // The program continues as a server.
    asked(&["stop", "--all"]).status()?;
    ensure!(done.success(), "Firefox Profiler's command line failed ({done})");
    Ok(taken)
}
