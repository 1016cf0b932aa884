//! Fuzzing with any compiler: libFuzzer is a library and needs only the compiler's coverage counters.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::run;

/// Compiler flags that count which branches were taken.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing";
/// Maximum duration of one input, in seconds; a slower input is a failure.
const SLOW_SECONDS: u32 = 10;
const MEGABYTES: u32 = 2_048;

#[derive(clap::Args)]
pub struct Arguments {
    /// Run only the targets whose names contain this text: the ID of a format, or a container.
    only: Option<String>,
    /// Duration of each target, in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

/// Runs one target after the other. Failing inputs are written to fuzz/artifacts; each should become a test in tests/traces.
pub fn fuzz(arguments: &Arguments) -> Result<()> {
    let root = queryscope_e2e::root().join("fuzz");
    let host = host()?;
    let mut names: Vec<String> = fs::read_dir(root.join("fuzz_targets"))?
        .flatten()
        .filter_map(|file| Some(file.path().file_stem()?.to_string_lossy().into_owned()))
        .filter(|name| arguments.only.as_deref().is_none_or(|only| name.contains(only)))
        .collect();
    names.sort();
    ensure!(!names.is_empty(), "no target is called so");
    let mut cargo = run::cargo();
    cargo.args(["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", &host]);
    for name in &names {
        cargo.args(["--bin", name]);
    }
    run::run(cargo.env("RUSTFLAGS", COVERAGE))
        .context("the fuzz targets need a C++ compiler, for libFuzzer")?;
    let mut failed = Vec::new();
    for name in &names {
        println!("\n== {name} ==");
        if run::run(&mut target(name, &root, &host, arguments.seconds)?).is_err() {
            failed.push(name.as_str());
        }
    }
    ensure!(failed.is_empty(), "found something: {} (fuzz/artifacts)", failed.join(", "));
    Ok(())
}

fn target(name: &str, root: &Path, host: &str, seconds: u32) -> Result<std::process::Command> {
    let (corpus, artifacts) = (root.join("corpus").join(name), root.join("artifacts").join(name));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let built = root.join("target").join(host).join("release").join(name);
    let mut command = run::command(built);
    command.arg(&corpus);
    // The test traces are the initial corpus.
    let traces = queryscope_e2e::root().join("tests/traces");
    let seeds = Some(traces.join(name)).filter(|folder| folder.is_dir()).unwrap_or(traces.join("containers"));
    command.arg(seeds);
    let dictionary = root.join("dictionaries").join(name).with_extension("dict");
    if dictionary.is_file() {
        command.arg(format!("-dict={}", dictionary.display()));
    }
    command.arg(format!("-max_total_time={seconds}"));
    command.arg(format!("-timeout={SLOW_SECONDS}")).arg(format!("-rss_limit_mb={MEGABYTES}"));
    command.arg("-max_len=65536").arg("-print_final_stats=1");
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    Ok(command)
}

/// The compiler's own target. Naming it as `--target` keeps the coverage flags away from build scripts.
fn host() -> Result<String> {
    let about = run::command("rustc").arg("-vV").output().context("rustc does not run")?.stdout;
    let about = String::from_utf8_lossy(&about).into_owned();
    let line = about.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("rustc does not say what it runs on")
}
