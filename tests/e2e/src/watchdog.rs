//! Ends processes when this one is gone, however it ends.
//!
//! The test runner ends by `exit`, which drops no static, and a killed process drops nothing at all. What always happens is
//! that the system closes its pipes: a shell waits for the end of one, and then ends the processes it was told.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// Whether processes end with this one. Elsewhere browsers are not kept from one test to the next.
pub(crate) const AVAILABLE: bool = cfg!(unix);

/// Reads process numbers until the pipe ends; a line `done` means that there is nothing left to end. Processes get five seconds
/// to end by themselves. Some of a browser's processes end after its first one and still write.
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

/// A shell that waits for the end of this process.
pub(crate) struct Watchdog {
    shell: Option<Child>,
}

impl Watchdog {
    /// Starts one that also removes a folder.
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        if !AVAILABLE {
            return Ok(Watchdog { shell: None });
        }
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "watchdog"]).arg(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Out of reach of Ctrl+C in the terminal, which would end it before it has ended the others.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(Watchdog { shell: Some(command.spawn().context("cannot start sh")?) })
    }

    /// Has a process end with this one.
    pub(crate) fn guard(&mut self, process: u32) -> Result<()> {
        self.write(&process.to_string())
    }

    /// Nothing is left to end.
    pub(crate) fn dismiss(&mut self) {
        // A shell that is gone has nothing to be told.
        self.write("done").ok();
    }

    /// Ends what was guarded, unless the watchdog was dismissed, and waits for it.
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
