//! Running other programs, from the root of the repository.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, time};

use anyhow::{Context, Result, ensure};

/// A program in the root of the repository.
pub fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.current_dir(queryscope_e2e::root());
    command
}

/// The cargo that runs this task.
pub fn cargo() -> Command {
    command(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// Runs a program with its output on the terminal; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_owned();
    let program = program.to_string_lossy();
    let status = command.status().with_context(|| format!("cannot run {program}"))?;
    ensure!(status.success(), "{program} failed ({status})");
    Ok(())
}

/// The first line that a program writes, if it runs and succeeds.
pub fn first_line(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    text.lines().next().map(str::to_owned)
}

/// "12.3 s"
pub fn seconds(since: time::Instant) -> String {
    format!("{:.1} s", since.elapsed().as_secs_f64())
}
