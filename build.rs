//! Embeds the single-file viewer in the command line, for `queryscope html`: the environment variable `QUERYSCOPE_VIEWER` is the path of
//! `dist/queryscope-single.html`, which `cargo xtask site` builds. Without it nothing is embedded.

use std::path::PathBuf;
use std::{env, fs, io};

const VIEWER: &str = "QUERYSCOPE_VIEWER";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed={VIEWER}");
    println!("cargo::rerun-if-changed=build.rs");
    let viewer = match env::var_os(VIEWER).filter(|path| !path.is_empty()) {
        Some(path) => {
            println!("cargo::rerun-if-changed={}", PathBuf::from(&path).display());
            fs::read(&path)?
        }
        None => Vec::new(),
    };
    let folder = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(folder.join("viewer.html"), viewer)
}
