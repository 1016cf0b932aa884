//! The process of a browser's driver. The driver and its browser never outlive the test process.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::watchdog::Watchdog;

/// Maximum time for a driver to listen on its port.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// Number of drivers started so far, for unique names of temporary folders.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// A running driver process with its own temporary folder, which also holds the browser's profile.
pub(crate) struct Driver {
    child: Child,
    folder: PathBuf,
    watchdog: Watchdog,
    /// Address under which sessions are created, without a slash at its end.
    pub(crate) url: String,
}

impl Driver {
    /// Starts a driver on a free port and waits until it listens.
    pub(crate) fn start(program: &Path) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("queryscope-e2e-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut watchdog = Watchdog::start(&folder)?;
        let child = Command::new(program)
            .arg(format!("--port={port}"))
            // Even on a normal exit, drivers and browsers leave profiles and sockets in the temporary folder.
            .env("TMPDIR", &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        watchdog.guard(child.id())?;
        let driver = Driver { child, folder, watchdog, url: format!("http://127.0.0.1:{port}/session") };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            ensure!(begun.elapsed() < START_TIMEOUT, "{} does not answer", program.display());
            sleep(Duration::from_millis(20));
        }
        Ok(driver)
    }

    /// Makes the browser's process end with the driver's, even if the driver is killed.
    pub(crate) fn guard_browser(&mut self, process: u32) -> Result<()> {
        self.watchdog.guard(process)
    }

    /// Id of the driver's process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Records that the browser has ended, so that only the driver is left to end.
    pub(crate) fn browser_has_ended(&mut self) {
        self.watchdog.dismiss();
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Fails only if the process has ended already.
        self.child.kill().ok();
        // The process id is not reused before `wait`, so the watchdog cannot kill an unrelated process.
        self.watchdog.end();
        self.child.wait().ok();
        fs::remove_dir_all(&self.folder).ok();
    }
}
