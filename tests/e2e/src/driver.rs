//! The process of a browser's driver, and the promise that nothing of it or of its browser outlives the test process.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::watchdog::Watchdog;

/// How long a driver may take to listen on its port.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// Numbers the temporary folders of this process.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// A running driver process with a temporary folder of its own, in which its browser keeps its profile.
pub(crate) struct Driver {
    child: Child,
    folder: PathBuf,
    watchdog: Watchdog,
    /// Address under which sessions are made, without a slash at its end.
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
            // Drivers and browsers leave profiles and sockets in the temporary folder, even when they end as they should.
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

    /// Has the browser's process end with the driver's, whatever ends the driver.
    pub(crate) fn guard_browser(&mut self, process: u32) -> Result<()> {
        self.watchdog.guard(process)
    }

    /// The process number.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Says that the browser has ended already, so that nothing but the driver is left to end.
    pub(crate) fn browser_has_ended(&mut self) {
        self.watchdog.dismiss();
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to do.
        self.child.kill().ok();
        // The driver's number stays taken until it is waited for: the watchdog cannot meet another process under it.
        self.watchdog.end();
        self.child.wait().ok();
        fs::remove_dir_all(&self.folder).ok();
    }
}
