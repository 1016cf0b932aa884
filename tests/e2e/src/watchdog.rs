//! Ends child processes when the test process ends, even if it is killed.
//!
//! The test runner exits without dropping statics, and a killed process drops nothing. But the system always closes its
//! pipes: a shell waits for the end of a pipe, then ends the registered processes.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// Whether watchdogs work on this system. Otherwise, browsers are not kept from one test to the next.
pub(crate) const AVAILABLE: bool = cfg!(unix);

/// Reads process ids until the pipe ends; the line `done` means that no process is left to end. Processes get five
/// seconds to exit, because a browser's child processes may end after its main process and still write files.
const SCRIPT: &str = r#"
while read -r word; do
    [ "$word" = done ] && exit 0
    all="$all $word"
done
for one in $all; do kill "$one"; done
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
    left=
    for one in $all; do kill -0 "$one" && left="$left $one"; done
    [ -z "$left" ] && break
    sleep 0.2
done
for one in $left; do kill -9 "$one"; done
for _ in 1 2 3 4 5; do rm -rf -- "$1" && break; sleep 0.2; done
"#;

/// A shell that ends registered processes when this process ends.
pub(crate) struct Watchdog {
    shell: Option<Child>,
}

impl Watchdog {
    /// Starts a watchdog that also removes a folder.
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        if !AVAILABLE {
            return Ok(Watchdog { shell: None });
        }
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "watchdog"]).arg(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A separate process group protects the watchdog from Ctrl+C in the terminal, so that it can end the other processes.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(Watchdog { shell: Some(command.spawn().context("cannot start sh")?) })
    }

    /// Registers a process that must end with this process.
    pub(crate) fn guard(&mut self, process: u32) -> Result<()> {
        self.write(&process.to_string())
    }

    /// Records that no process is left to end.
    pub(crate) fn dismiss(&mut self) {
        // If the shell has ended, nothing needs to be sent.
        self.write("done").ok();
    }

    /// Ends the registered processes unless the watchdog was dismissed, and waits for the watchdog.
    pub(crate) fn end(&mut self) {
        if let Some(mut shell) = self.shell.take() {
            drop(shell.stdin.take());
            shell.wait().ok();
        }
    }

    fn write(&mut self, line: &str) -> Result<()> {
        let pipe = self.shell.as_mut().and_then(|shell| shell.stdin.as_mut());
        pipe.map_or(Ok(()), |pipe| writeln!(pipe, "{line}")).context("the watchdog is gone")
    }
}
