//! The SQL program of the page, a package of its own. It is built only if a C compiler for WebAssembly is found, which one of its
//! dependencies needs.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};

use super::{names, shortened};
use crate::run;
use crate::tools::TARGET;

/// Base name of the program's files in the site.
pub const SQL: &str = "queryscope-sql";
/// Package of the program.
const PACKAGE: &str = "queryscope-sql-page";
/// Profile with which cargo builds the program.
const PROFILE: &str = "sql-page";
/// Setting of cargo with which the program takes random numbers from the browser.
const FLAGS: &str =
    "target.wasm32-unknown-unknown.rustflags=[\"--cfg\", \"getrandom_backend=\\\"wasm_js\\\"\"]";
/// Environment variables that choose the C compiler and the archiver.
const VARIABLES: [&str; 2] = ["CC_wasm32_unknown_unknown", "AR_wasm32_unknown_unknown"];
/// Versions of clang that are looked for under their versioned names, such as `clang-19`.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=30;

/// Compiles the program and returns the path of its module. If no C compiler for WebAssembly is found, prints a message and returns `None`.
pub fn compile() -> Result<Option<PathBuf>> {
    let Some(compiler) = compiler() else {
        println!("without SQL: no clang for {TARGET} was found; {} may name one", VARIABLES[0]);
        return Ok(None);
    };
    let begun = Instant::now();
    let mut cargo = run::cargo();
    // It is built next to the page, whose build shows its progress.
    cargo.args([
        "build",
        "--quiet",
        "--locked",
        "--package",
        PACKAGE,
        "--target",
        TARGET,
        "--profile",
        PROFILE,
    ]);
    cargo.args(["--config", FLAGS]).envs(compiler).envs([shortened()?]);
    run::run(&mut cargo).context("the SQL program could not be built")?;
    println!("built the SQL program in {}", run::seconds(begun));
    Ok(Some(run::target().join(TARGET).join(PROFILE).join(format!("{}.wasm", PACKAGE.replace('-', "_")))))
}

/// Writes the program into the site. `path` is the PATH with the tools of the site.
pub fn write(dist: &Path, module: &Path, path: &OsStr) -> Result<()> {
    let mut bindgen = run::command("wasm-bindgen");
    bindgen.args(["--target", "no-modules", "--no-typescript", "--out-name", SQL, "--out-dir"]);
    run::run(bindgen.arg(dist).arg(module).env("PATH", path)).context("the SQL program has no glue")?;
    let script = dist.join(format!("{SQL}.js"));
    let glue = fs::read_to_string(&script)?;
    fs::write(&script, glue + names::START)?;
    names::rename(dist, SQL, &[".js", "_bg.wasm"])
}

/// Environment variables for a build with the first clang that supports WebAssembly; `None` if there is none. Empty if the environment already
/// names a compiler.
fn compiler() -> Option<Vec<(&'static str, String)>> {
    if env::var_os(VARIABLES[0]).is_some() {
        return Some(Vec::new());
    }
    let versioned = VERSIONS.rev().map(|version| format!("-{version}"));
    let mut suffixes = std::iter::once(String::new()).chain(versioned);
    let suffix = suffixes.find(|suffix| {
        let output = run::command(format!("clang{suffix}")).arg("--print-targets").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("wasm32"))
    })?;
    let archiver = format!("llvm-ar{suffix}");
    let has_archiver = run::first_line(run::command(&archiver).arg("--version")).is_some();
    let mut variables = vec![(VARIABLES[0], format!("clang{suffix}"))];
    variables.extend(has_archiver.then_some((VARIABLES[1], archiver)));
    Some(variables)
}
