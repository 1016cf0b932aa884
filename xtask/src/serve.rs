//! Serves the site on 127.0.0.1, reachable only from this machine.

use std::env;
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Mount, Server, encode};

use crate::site;

#[derive(clap::Args)]
pub struct Arguments {
    /// Traces to open in the page.
    files: Vec<PathBuf>,
    /// Preferred port; if it is in use, the next free port.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Print the address without opening a browser.
    #[arg(long)]
    no_open: bool,
}

/// Builds the site and serves it until interrupted.
pub fn serve(arguments: &Arguments) -> Result<()> {
    let (mut mounts, fragment) = mounts(&arguments.files)?;
    mounts.push(Mount::new("/", site::build()?));
    let server = Server::on(listen(arguments.port)?, mounts, false)?;
    let address = format!("{}{fragment}", server.url());
    println!("\n    {address}\n\nserving on this machine only; stop with Ctrl-C");
    if !arguments.no_open {
        open(&address);
    }
    loop {
        std::thread::park();
    }
}

/// The mounts that serve the files, and the URL fragment that makes the page open them.
fn mounts(files: &[PathBuf]) -> Result<(Vec<Mount>, String)> {
    let mut mounts = Vec::new();
    let mut parts = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let path = fs::canonicalize(file).with_context(|| format!("cannot open {}", file.display()))?;
        ensure!(path.is_file(), "{} is no file: drop a folder onto the page instead", file.display());
        let name = file.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        parts.push(format!("trace=open/{number}/{}", encode(&name)));
        mounts.push(Mount::new(&format!("/open/{number}/{name}"), path));
    }
    let fragment = if parts.is_empty() { String::new() } else { format!("#{}", parts.join("&")) };
    Ok((mounts, fragment))
}

fn listen(port: u16) -> Result<TcpListener> {
    let near = (port..=port.saturating_add(19)).chain([0]);
    let mut sockets = near.map(|port| TcpListener::bind(("127.0.0.1", port)));
    sockets.find_map(Result::ok).context("no free port on 127.0.0.1")
}

/// Opens a browser if there is a display. Otherwise the printed address is enough.
fn open(address: &str) {
    let set = |name: &str| env::var_os(name).is_some_and(|v| !v.is_empty());
    if set("CI") || set("SSH_CONNECTION") {
        return;
    }
    let program = match env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ if set("DISPLAY") || set("WAYLAND_DISPLAY") => "xdg-open",
        _ => return,
    };
    let started = Command::new(program).arg(address).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = started {
        println!("no browser opened ({program}: {error})");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_opened_by_address() {
        let (mounts, fragment) =
            mounts(&[PathBuf::from("Cargo.toml"), PathBuf::from("src/main.rs")]).expect("they exist");
        assert_eq!(fragment, "#trace=open/0/Cargo.toml&trace=open/1/main.rs");
        assert_eq!(mounts[1].at, "/open/1/main.rs");
        assert!(mounts[1].path.is_absolute());
    }

    #[test]
    fn what_is_no_file_is_named() {
        for bad in ["src", "no-such-file"] {
            let error = super::mounts(&[PathBuf::from(bad)]).expect_err("no file");
            assert!(format!("{error:#}").contains(bad), "{error:#}");
        }
    }
}
