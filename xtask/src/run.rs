//! Runs other programs in the root of the repository.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::{env, time};

use anyhow::{Context, Result, ensure};

/// A command that runs in the root of the repository.
pub fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.current_dir(queryscope_e2e::root());
    command
}

/// A command of the cargo that runs this task. Unless `CARGO_INCREMENTAL` is set, it compiles incrementally only if the target folder
/// already has an incremental build of the engine: the first incremental build takes a quarter longer than a normal build.
pub fn cargo() -> Command {
    static INCREMENTAL: LazyLock<bool> = LazyLock::new(is_incremental);
    let mut cargo = command(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    if !*INCREMENTAL && env::var_os("CARGO_INCREMENTAL").is_none() {
        cargo.env("CARGO_INCREMENTAL", "0");
    }
    cargo
}

/// Path of the target folder, in which cargo builds.
pub fn target() -> PathBuf {
    let named = env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    queryscope_e2e::root().join(named)
}

/// Whether the target folder has an incremental build of the engine.
fn is_incremental() -> bool {
    let kept = std::fs::read_dir(target().join("debug/incremental")).into_iter().flatten().flatten();
    kept.map(|folder| folder.file_name()).any(|name| name.to_string_lossy().starts_with("queryscope-"))
}

/// Runs a program with its output on the terminal; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_owned();
    let program = program.to_string_lossy();
    let status = Running::start(command).and_then(|mut child| child.wait());
    let status = status.with_context(|| format!("cannot run {program}"))?;
    ensure!(status.success(), "{program} failed ({status})");
    Ok(())
}

/// Process IDs of the programs that currently run, for [`end_together`].
static NOW: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A running program in its own process group, so that it can be ended together with its children.
pub struct Running(Child);

impl Running {
    /// Starts the program in a new process group.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = command.spawn()?;
        NOW.lock().unwrap_or_else(PoisonError::into_inner).push(child.id());
        Ok(Self(child))
    }

    /// The operating-system process.
    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Waits until it has ended.
    pub fn wait(&mut self) -> std::io::Result<std::process::ExitStatus> {
        let status = self.0.wait();
        NOW.lock().unwrap_or_else(PoisonError::into_inner).retain(|&id| id != self.0.id());
        status
    }
}

/// Makes signals that end this program (Ctrl-C, a closed terminal, `kill`) also end the programs that it runs. A build
/// that continued unnoticed would hold the lock that the next build needs.
pub fn end_together() -> Result<()> {
    let end = || {
        for group in NOW.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // Without a `kill` program nothing can be done; process groups exist only on Unix.
            let _ = Command::new("kill").args(["-TERM", "--", &format!("-{group}")]).status();
        }
        std::process::exit(130);
    };
    ctrlc::set_handler(end).context("signals cannot be heard")
}

/// The first line of a program's output; `None` if the program does not run or fails.
pub fn first_line(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    text.lines().next().map(str::to_owned)
}

/// Formats the elapsed time, such as `12.3 s`.
pub fn seconds(since: time::Instant) -> String {
    format!("{:.1} s", since.elapsed().as_secs_f64())
}
