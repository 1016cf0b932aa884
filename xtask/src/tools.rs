//! The tools that build the site, at the pinned versions.
//!
//! A tool is taken from the PATH if its version matches, else from the user's cache folder, which all clones share, else
//! it is built once into this folder. The user's global tools are never changed.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::{npm, python, run};

/// Settings that build a tool in two fifths of the time, at the price of seconds when it works.
const NOT_OPTIMIZED: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
];

/// Compilation target of the page and of the site's other programs.
pub const TARGET: &str = "wasm32-unknown-unknown";

struct Tool {
    /// Name of the program.
    program: &'static str,
    /// Package that contains the program.
    package: &'static str,
    version: &'static str,
    /// Other programs of the package that are required at the same version.
    others: &'static [&'static str],
    /// Whether to build the tool with its own lock file.
    locked: bool,
    /// Further arguments of `cargo install`.
    arguments: &'static [&'static str],
    /// Whether the tool has so much to do that its optimization pays.
    optimized: bool,
    /// Typical duration of the build, as a text.
    takes: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool {
        program: "wasm-bindgen",
        package: "wasm-bindgen-cli",
        version: "0.2.130",
        others: &["wasm-bindgen-test-runner"],
        // The package's own lock file names a package version that is not available everywhere.
        locked: false,
        arguments: &[],
        // It reads and writes programs of 70 MB.
        optimized: true,
        takes: "two to four minutes",
    },
    Tool {
        program: "trunk",
        package: "trunk",
        version: "0.21.14",
        others: &[],
        locked: true,
        arguments: &[],
        optimized: false,
        takes: "one to three minutes",
    },
];

/// Firefox's driver, which works with every Firefox since 2021.
const GECKODRIVER: Tool = Tool {
    program: "geckodriver",
    package: "geckodriver",
    version: "0.37.1",
    others: &[],
    locked: true,
    arguments: &[],
    optimized: false,
    takes: "two to four minutes",
};

/// npm package of the accessibility checker, which the browser tests use, and its version.
const AXE: (&str, &str) = ("axe-core", "4.14.1");

/// Python packages of the tools whose snippets the handbook shows. The browser tests build these snippets.
const DOCUMENTATION_TOOLS: &[&str] = &["mkdocs==1.6.1", "sphinx==9.0.4", "ipython==9.18.1"];

/// Python package of DuckDB, which reads data sets in the SQL tests.
const DUCKDB: &str = "duckdb==2.0.1";

/// npm package of the compiler of MDX pages, which the browser tests run on the handbook's snippets, and its version.
const MDX: (&str, &str) = ("@mdx-js/mdx", "3.1.1");

/// Folder of the programs `mkdocs`, `sphinx-build` and `ipython`, installed if they are missing.
pub fn documentation_tools() -> Result<PathBuf> {
    let versions = DOCUMENTATION_TOOLS.join("-").replace("==", "-");
    python::programs(&cache()?.join(versions), DOCUMENTATION_TOOLS)
}

/// A Python that has DuckDB, installed if it is missing.
pub fn duckdb() -> Result<PathBuf> {
    Ok(python::programs(&cache()?.join(DUCKDB.replace("==", "-")), &[DUCKDB])?.join("python"))
}

/// Folder of the compiler of MDX pages, fetched if it is missing.
pub fn mdx() -> Result<PathBuf> {
    let (package, version) = MDX;
    npm::package(&cache()?.join(format!("mdx-{version}")), package, version)
}

/// Path of Firefox's driver, built if it is missing.
pub fn geckodriver() -> Result<PathBuf> {
    let folder = GECKODRIVER.folder()?;
    Ok(folder.map_or(PathBuf::from(GECKODRIVER.program), |folder| folder.join(GECKODRIVER.program)))
}

/// Path of the accessibility script, fetched if it is missing.
pub fn axe() -> Result<PathBuf> {
    let (package, version) = AXE;
    let script =
        npm::package(&cache()?.join(format!("{package}-{version}")), package, version)?.join("axe.min.js");
    ensure!(script.is_file(), "there is no {}", script.display());
    Ok(script)
}

/// The tool that checks licences, sources and known defects of dependencies.
const DENY: Tool = Tool {
    program: "cargo-deny",
    package: "cargo-deny",
    version: "0.20.2",
    others: &[],
    locked: true,
    arguments: &[],
    optimized: false,
    takes: "one to three minutes",
};

/// Path of `cargo-deny`, built if it is missing.
pub fn deny() -> Result<PathBuf> {
    let folder = DENY.folder()?;
    Ok(folder.map_or_else(|| PathBuf::from(DENY.program), |folder| folder.join(DENY.program)))
}

/// The tool that makes the handbook, without its server.
const MDBOOK: Tool = Tool {
    program: "mdbook",
    package: "mdbook",
    version: "0.5.4",
    others: &[],
    locked: true,
    arguments: &["--no-default-features", "--features", "search"],
    optimized: false,
    takes: "two to five minutes",
};

/// Path of mdBook, built if it is missing.
pub fn mdbook() -> Result<PathBuf> {
    let folder = MDBOOK.folder()?;
    Ok(folder.map_or_else(|| PathBuf::from(MDBOOK.program), |folder| folder.join(MDBOOK.program)))
}

/// Installs the wasm target and all tools if they are missing; returns a PATH on which the tools come first.
pub fn path() -> Result<OsString> {
    add_target()?;
    let mut folders = Vec::new();
    for tool in TOOLS {
        folders.extend(tool.folder()?);
    }
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    env::join_paths(folders).context("a folder on the PATH cannot be part of a PATH")
}

/// Adds the compilation target of the page to the Rust toolchain if it is missing.
pub fn add_target() -> Result<()> {
    let sysroot =
        run::first_line(run::command("rustc").args(["--print", "sysroot"])).context("rustc does not run")?;
    if Path::new(&sysroot).join("lib/rustlib").join(TARGET).is_dir() {
        return Ok(());
    }
    println!("adding the target {TARGET} to the Rust toolchain (some seconds)");
    let added = run::run(run::command("rustup").args(["target", "add", TARGET]));
    added.with_context(|| {
        format!("the Rust toolchain in {sysroot} has no {TARGET}: run `rustup target add {TARGET}`, or install its standard library")
    })
}

impl Tool {
    /// The folder to put on the PATH; `None` if the PATH already has the tool.
    fn folder(&self) -> Result<Option<PathBuf>> {
        if self.matches(|program| PathBuf::from(program)) {
            return Ok(None);
        }
        let home = cache()?.join(format!("{}-{}", self.program, self.version));
        let bin = home.join("bin");
        if !self.matches(|program| bin.join(program)) {
            self.install(&home)?;
            ensure!(self.matches(|program| bin.join(program)), "{} was built but does not run", self.program);
        }
        Ok(Some(bin))
    }

    /// Whether all programs of the tool run and have the pinned version.
    fn matches(&self, place: impl Fn(&str) -> PathBuf) -> bool {
        let mut programs = self.others.iter().chain([&self.program]);
        programs.all(|program| {
            let line = run::first_line(Command::new(place(program)).arg("--version"));
            // mdBook writes a `v` before its version.
            let version = line.as_deref().and_then(|l| l.split_whitespace().nth(1));
            version.is_some_and(|v| v.trim_start_matches('v') == self.version)
        })
    }

    /// Builds the tool in a temporary folder and moves it when complete, so that two clones can build it at the same time.
    fn install(&self, home: &Path) -> Result<()> {
        let begun = Instant::now();
        println!("building {} {} into {} ({}, once)", self.package, self.version, home.display(), self.takes);
        let mut draft = home.as_os_str().to_owned();
        draft.push(format!(".{}", std::process::id()));
        let draft = PathBuf::from(draft);
        let mut cargo = run::cargo();
        cargo
            .args(["install", self.package, "--version", &format!("={}", self.version), "--root"])
            .arg(&draft);
        if self.locked {
            cargo.arg("--locked");
        }
        cargo.args(self.arguments);
        if !self.optimized {
            cargo.envs(NOT_OPTIMIZED);
        }
        // RUSTFLAGS for the project's own code (sanitizers, wasm features) must not affect the tools.
        run::run(cargo.env_remove("RUSTFLAGS").env_remove("CARGO_BUILD_TARGET"))?;
        fs::remove_dir_all(home).or_else(ignore_missing)?;
        if let Err(error) = fs::rename(&draft, home) {
            fs::remove_dir_all(&draft).or_else(ignore_missing)?;
            // If another clone has finished first, its tool is used.
            ensure!(
                home.join("bin").is_dir(),
                "cannot move {} to {}: {error}",
                draft.display(),
                home.display()
            );
        }
        println!("built {} in {}", self.package, run::seconds(begun));
        Ok(())
    }
}

fn ignore_missing(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// The project's folder in the user's cache, which all clones share.
pub fn cache() -> Result<PathBuf> {
    match cache_in(|name| env::var_os(name).filter(|v| !v.is_empty())) {
        Some(folder) => Ok(folder.join("queryscope")),
        None => bail!("no cache folder for the tools: set XDG_CACHE_HOME (or HOME; LOCALAPPDATA on Windows)"),
    }
}

fn cache_in(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let below = |name: &str, rest: &str| variable(name).map(|v| Path::new(&v).join(rest));
    let chosen =
        variable("XDG_CACHE_HOME").filter(|v| Path::new::<OsStr>(v).is_absolute()).map(PathBuf::from);
    chosen.or_else(|| match env::consts::OS {
        "windows" => below("LOCALAPPDATA", ""),
        "macos" => below("HOME", "Library/Caches"),
        _ => below("HOME", ".cache"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wasm_bindgen_is_the_one_of_the_lock_file() {
        let lock = fs::read_to_string(queryscope_e2e::root().join("Cargo.lock"))
            .expect("the lock file is committed");
        let wanted = format!("name = \"wasm-bindgen\"\nversion = \"{}\"", TOOLS[0].version);
        assert!(
            lock.replace("\r\n", "\n").contains(&wanted),
            "the tool and the library must be of one version"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_cache_is_where_the_user_keeps_caches() {
        let all = |name: &str| Some(OsString::from(if name == "HOME" { "/h" } else { "/x" }));
        let home = |name: &str| (name == "HOME").then(|| OsString::from("/h"));
        let relative = |name: &str| Some(OsString::from(if name == "HOME" { "/h" } else { "x" }));
        assert_eq!(cache_in(all), Some(PathBuf::from("/x")));
        assert_eq!(cache_in(home), Some(PathBuf::from("/h/.cache")));
        assert_eq!(cache_in(relative), Some(PathBuf::from("/h/.cache")));
        assert_eq!(cache_in(|_| None), None);
    }
}
