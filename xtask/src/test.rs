//! All checks in one run, as in CI.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::{browser, docs, run, site, tools, viewers, weight};

#[derive(clap::Args)]
pub struct Arguments {
    /// Run only the parts whose names contain this text.
    only: Option<String>,
}

/// Result of a part: numbers of tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
    /// Number of passed tests that failed in their first attempt.
    second_try: u64,
}

/// Maximum number of failed browser tests that are run a second time: on a busy machine, a browser sometimes takes longer than a test
/// waits. If more tests fail, this is no accident.
const SECOND_TRIES: usize = 3;

struct Part {
    name: &'static str,
    run: fn(&Setting) -> Result<Counts>,
}

/// State that all parts share.
struct Setting {
    /// A PATH with the tools on it, or the reason why they are missing.
    path: Result<OsString>,
    /// The build of the site. It begins before the first part and goes on while others run: for minutes, it links or compresses one program on
    /// one core. Empty once the part [`SITE`] has taken it.
    site: Mutex<Option<JoinHandle<Result<PathBuf>>>>,
}

/// Name of the part that waits for the site.
const SITE: &str = "site and first load";

/// The engine, and SQL on one machine, in the page and on a cluster. Their tests are one command, so that the engine and DataFusion are
/// compiled only once: the feature `native` enables the features of DataFusion that the cluster's packages need. The page's SQL program,
/// which the browser tests run, is compiled without these features.
const ENGINE_AND_SQL: &[&str] =
    &["queryscope", "queryscope-work", "queryscope-sql", "queryscope-sql-page", "queryscope-sql-cluster"];

/// The packages that build and test the page. Their tests are chosen as one set as well, so that their dependencies are compiled once.
const TOOLS: &[&str] = &["xtask", "queryscope-e2e", "queryscope-unpack"];

/// What is compiled for browsers only: the page, and the engine as the program whose instructions a test of the engine counts. They are chosen
/// together wherever one of them is compiled, so that the engine is compiled once, with the features that both need.
const PAGE: &[&str] = &["queryscope-web", "queryscope-work"];

const PARTS: &[Part] = &[
    Part { name: "formatting", run: |_| check(&["fmt", "--all", "--check"]) },
    Part { name: "documentation", run: documentation },
    Part { name: "dependencies", run: |_| dependencies() },
    // The lints are those of the compilation of the tests, which comes first.
    Part { name: "engine and SQL tests", run: |_| engine_and_sql_tests() },
    Part { name: "engine and SQL lints", run: |_| lints(ENGINE_AND_SQL, &["--all-targets"]) },
    Part { name: "tool tests", run: |_| tests(&mut test_command(TOOLS, &["--lib", "--bins"])) },
    Part { name: "tool lints", run: |_| lints(TOOLS, &["--all-targets"]) },
    Part { name: "page tests", run: page_tests },
    Part { name: "page lints", run: |_| lints(PAGE, &["--all-targets", "--target", tools::TARGET]) },
    Part { name: SITE, run: site_and_first_load },
    // Built after the site, because it is in the site's folder and embeds the site's viewer.
    Part { name: "handbook", run: |_| docs::build().map(|_| Counts::default()) },
    Part { name: "browser tests", run: browser_tests },
];

/// Runs all parts, even if an earlier part fails.
pub fn test(arguments: &Arguments) -> Result<()> {
    let is_chosen = |name: &str| arguments.only.as_deref().is_none_or(|only| name.contains(only));
    let chosen = |part: &&Part| is_chosen(part.name);
    let path = tools::path();
    let site = Mutex::new(is_chosen(SITE).then(|| thread::spawn(site::publish)));
    let setting = Setting { path, site };
    let mut rows = Vec::new();
    let mut total = Counts::default();
    for part in PARTS.iter().filter(chosen) {
        println!("\n== {} ==", part.name);
        let begun = Instant::now();
        let outcome = (part.run)(&setting);
        if let Err(error) = &outcome {
            println!("error: {error:#}");
        }
        let counts = outcome.unwrap_or(Counts { failed: 1, ..Counts::default() });
        total = total.plus(counts);
        rows.push((part.name, counts, run::seconds(begun)));
    }
    if rows.is_empty() {
        bail!(
            "no part is called so; the parts are: {}",
            PARTS.iter().map(|p| p.name).collect::<Vec<_>>().join(", ")
        );
    }
    print!("{}", summary(&rows, total));
    if total.failed > 0 { bail!("{} failed", total.failed) } else { Ok(()) }
}

fn summary(rows: &[(&str, Counts, String)], total: Counts) -> String {
    let mut text = format!("\n{:<22}{:>8}{:>8}{:>8}{:>10}\n", "part", "passed", "failed", "skipped", "time");
    for (name, c, time) in rows {
        text.push_str(&format!("{name:<22}{:>8}{:>8}{:>8}{time:>10}\n", c.passed, c.failed, c.skipped));
    }
    let word = if total.failed == 0 { "ok" } else { "FAILED" };
    let Counts { passed, failed, skipped, second_try } = total;
    if second_try > 0 {
        text.push_str(&format!(
            "\npassed at the second try only: {second_try}, which the browser tests name\n"
        ));
    }
    text.push_str(&format!("\ntest result: {word}. {passed} passed; {failed} failed; {skipped} ignored\n"));
    text.push_str(&format!("{passed} passed, {failed} failed, {skipped} skipped\n"));
    text
}

fn check(arguments: &[&str]) -> Result<Counts> {
    run::run(run::cargo().args(arguments))?;
    Ok(Counts::default())
}

fn documentation(_: &Setting) -> Result<Counts> {
    let mut cargo = run::cargo();
    run::run(cargo.args(["doc", "-p", "queryscope", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Counts::default())
}

/// Checks licences and sources of all dependencies, and their known defects if the list of advisories can be
/// fetched.
fn dependencies() -> Result<Counts> {
    let deny = tools::deny()?;
    let check = |what: &[&str]| {
        let mut command = run::command(&deny);
        command.args(["--workspace", "check"]).args(what);
        run::run(&mut command)
    };
    check(&["licenses", "bans", "sources"])?;
    let fetched = run::run(run::command(&deny).args(["fetch", "db"]));
    if let Err(error) = fetched {
        println!("skipped: advisories, as the list of known defects cannot be fetched ({error:#})");
        return Ok(Counts { skipped: 1, ..Counts::default() });
    }
    check(&["advisories"])?;
    Ok(Counts::default())
}

/// A command of cargo for packages, `build` or `test`, that lints them while it compiles them. Clippy is a compiler: with `cargo clippy`, which compiles
/// nothing that can run, all dependencies would be compiled twice. Warnings do not stop the tests; see [`lints`].
fn linting(what: &str, packages: &[&str]) -> Command {
    let mut command = run::cargo();
    command.args([what, "--config", "build.rustc-workspace-wrapper='clippy-driver'"]);
    command.args(packages.iter().flat_map(|name| ["--package", name]));
    command
}

/// Fails if the compilation of the tests gave warnings, which cargo has kept, and prints them. `arguments` choose targets of the packages.
fn lints(packages: &[&str], arguments: &[&str]) -> Result<Counts> {
    let mut command = linting("test", packages);
    command.args(arguments).args(["--no-run", "--message-format", "json"]);
    let output = command.stderr(Stdio::inherit()).output().context("cannot run cargo")?;
    ensure!(output.status.success(), "the tests could not be compiled");
    let mut n_warnings = 0;
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: serde_json::Value = serde_json::from_slice(line).context("a message of cargo")?;
        if message["reason"] == "compiler-message" {
            n_warnings += 1;
            println!("{}", message["message"]["rendered"].as_str().unwrap_or_default());
        }
    }
    ensure!(n_warnings == 0, "warnings: {n_warnings}");
    Ok(Counts::default())
}

/// A command that runs tests. `--show-output` makes tests that skip something report it.
fn test_command(packages: &[&str], targets: &[&str]) -> Command {
    let mut command = linting("test", packages);
    command.args(targets).args(["--no-fail-fast", "--", "--show-output"]);
    // The message of a failing test says what happened; a backtrace would only show where the test is.
    command.env("RUST_LIB_BACKTRACE", "0");
    command
}

fn engine_and_sql_tests() -> Result<Counts> {
    let mut command = test_command(ENGINE_AND_SQL, &[]);
    command.env("QUERYSCOPE_WORK", counted_engine()?);
    match tools::duckdb() {
        Ok(python) => {
            command.env("QUERYSCOPE_DUCKDB_PYTHON", python);
        }
        Err(error) => println!("DuckDB reads no data set: {error:#}"),
    }
    tests(&mut command)
}

/// Path of the engine as a program whose instructions can be counted, compiled with the page's tests.
fn counted_engine() -> Result<PathBuf> {
    tools::add_target()?;
    let mut command = linting("build", PAGE);
    run::run(command.args(["--lib", "--target", tools::TARGET]))?;
    Ok(run::target().join(tools::TARGET).join("debug/queryscope_work.wasm"))
}

fn page_tests(setting: &Setting) -> Result<Counts> {
    let chromium = browser::find()?;
    let mut command = linting("test", PAGE);
    command.args(["--target", tools::TARGET, "--no-fail-fast"]);
    command.env("CHROMEDRIVER", chromium.driver).env("PATH", setting.path()?);
    tests(&mut command)
}

fn site_and_first_load(setting: &Setting) -> Result<Counts> {
    let building = setting.site.lock().unwrap_or_else(PoisonError::into_inner).take();
    let built = building.context("the site is not being built")?.join();
    weight::check(&built.map_err(|_| anyhow!("the build of the site ended early"))??)?;
    Ok(Counts::default())
}

fn browser_tests(_: &Setting) -> Result<Counts> {
    let chromium = browser::find()?;
    println!("in {}", chromium.version());
    let mut command = test_command(TOOLS, &["--test", "*"]);
    command.env("CHROMIUM", chromium.browser).env("CHROMEDRIVER", chromium.driver);
    // Tests that need a missing program report that they were skipped.
    match browser::firefox() {
        Ok(firefox) => {
            command.env("FIREFOX", firefox.browser).env("GECKODRIVER", firefox.driver);
        }
        Err(error) => println!("nothing is tried in Firefox: {error:#}"),
    }
    match browser::axe() {
        Ok(script) => {
            command.env("AXE", script);
        }
        Err(error) => println!("accessibility is not checked: {error:#}"),
    }
    installed(
        &mut command,
        "saved traces are not opened in it",
        [("SPEEDSCOPE", viewers::speedscope()), ("PERFETTO", viewers::perfetto())],
    );
    documentation_tools(&mut command);
    let mut run = test_run(&mut command)?;
    let again = std::mem::take(&mut run.failed_tests);
    if again.is_empty() || again.len() > SECOND_TRIES || run.counts.failed != again.len() as u64 {
        return Ok(run.counts);
    }
    println!("\n== once more, alone: {} ==", again.join(", "));
    let alone = test_run(command.arg("--exact").arg("--test-threads=1").args(&again))?;
    println!("second try: {} of {} passed: {}", alone.counts.passed, again.len(), again.join(", "));
    Ok(run.counts.after_second_try(alone.counts))
}

/// Gives the browser tests the tools with which they build the handbook's snippets, as far as they can be installed.
fn documentation_tools(command: &mut Command) {
    let tools = [
        ("MDBOOK", tools::mdbook()),
        ("DOCUMENTATION_TOOLS", tools::documentation_tools()),
        ("MDX", tools::mdx()),
    ];
    installed(command, "snippets that need it are not tried", tools);
}

/// Names installed tools to the tests by environment variables. Says what the tests leave out where there is none.
fn installed<const N: usize>(command: &mut Command, left_out: &str, tools: [(&str, Result<PathBuf>); N]) {
    for (name, tool) in tools {
        match tool {
            Ok(path) => {
                command.env(name, path);
            }
            Err(error) => println!("{left_out}: {error:#}"),
        }
    }
}

impl Setting {
    fn path(&self) -> Result<&OsString> {
        self.path.as_ref().map_err(|error| anyhow!("{error:#}"))
    }
}

fn tests(command: &mut Command) -> Result<Counts> {
    Ok(test_run(command)?.counts)
}

/// Result of one test command.
struct TestRun {
    counts: Counts,
    failed_tests: Vec<String>,
}

/// Runs tests, shows their output and counts results. A run that fails without a failing test (a compile error, a
/// killed process) counts as one failure.
fn test_run(command: &mut Command) -> Result<TestRun> {
    let mut running = run::Running::start(command.stdout(Stdio::piped())).context("cannot run cargo")?;
    let output = running.child().stdout.take().context("the output is piped")?;
    let mut counts = Counts::default();
    let mut failed_tests = Vec::new();
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        println!("{line}");
        counts = counts.plus(count(&line));
        failed_tests.extend(failed_test(&line).map(str::to_owned));
    }
    if !running.wait()?.success() && counts.failed == 0 {
        counts.failed = 1;
    }
    Ok(TestRun { counts, failed_tests })
}

/// Name of the test that failed, in an output line of a test runner.
fn failed_test(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

/// Counts of one output line of a test runner: its closing line, or a test's report of a skip.
fn count(line: &str) -> Counts {
    let mut counts = Counts::default();
    if line.starts_with("skipped: ") {
        counts.skipped = 1;
    }
    let Some(rest) = line.strip_prefix("test result: ") else { return counts };
    let numbers = rest.split_once(". ").map_or(rest, |(_word, numbers)| numbers);
    for item in numbers.split(';') {
        let mut words = item.split_whitespace();
        let Some(number) = words.next().and_then(|n| n.parse::<u64>().ok()) else { continue };
        match words.next() {
            Some("passed") => counts.passed = number,
            Some("failed") => counts.failed = number,
            Some("ignored") => counts.skipped = number,
            _ => {}
        }
    }
    counts
}

impl Counts {
    fn plus(self, other: Counts) -> Counts {
        Counts {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
            second_try: self.second_try + other.second_try,
        }
    }

    /// The counts after the failed tests were run a second time with the results `again`.
    fn after_second_try(self, again: Counts) -> Counts {
        let passed = again.passed.min(self.failed);
        Counts {
            passed: self.passed + passed,
            failed: self.failed - passed,
            second_try: self.second_try + passed,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Features that only a cluster has of DataFusion: plans as messages, and compressed files of text, which no data set holds.
    const OF_A_CLUSTER: &[&str] = &[
        "async-compression",
        "bzip2",
        "compression",
        "default",
        "flate2",
        "liblzma",
        "proto",
        "tokio-util",
        "zstd",
    ];

    /// Features of the packages of DataFusion that a package is compiled with.
    fn features(package: &str) -> BTreeMap<String, BTreeSet<String>> {
        let tree =
            ["tree", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p} {f}"];
        let output = run::cargo().args(tree).output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut all = BTreeMap::<String, BTreeSet<String>>::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            if name.starts_with("datafusion") {
                let features = words.nth(1).unwrap_or_default().split(',').filter(|f| !f.starts_with("(*"));
                all.entry(name.to_owned()).or_default().extend(features.map(str::to_owned));
            }
        }
        all
    }

    /// Statements on one machine are tested with the DataFusion of a cluster.
    #[test]
    fn a_cluster_has_no_functions_of_its_own() {
        let (one, cluster) = (features("queryscope-sql"), features("queryscope-sql-cluster"));
        assert!(one["datafusion"].contains("sql"), "{one:?}");
        for (package, features) in &one {
            let more: Vec<_> = cluster[package].difference(features).collect();
            let more: Vec<_> = more.into_iter().filter(|f| !OF_A_CLUSTER.contains(&f.as_str())).collect();
            assert!(
                more.is_empty(),
                "{package} of the cluster has {more:?}, which sql/Cargo.toml does not name"
            );
        }
    }

    #[test]
    fn closing_lines_are_counted() {
        let counts = |passed, failed, skipped| Counts { passed, failed, skipped, ..Counts::default() };
        for (line, want) in [
            (
                "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 1 filtered out; finished in 0.1s",
                counts(12, 0, 3),
            ),
            (
                "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
                counts(1, 2, 0),
            ),
            ("skipped: no traces beside the repository", counts(0, 0, 1)),
            ("test a ... ok", counts(0, 0, 0)),
            ("test result: nonsense", counts(0, 0, 0)),
        ] {
            assert_eq!(count(line), want, "{line}");
        }
    }

    #[test]
    fn a_second_try_is_counted_and_told() {
        let of = |passed, failed, second_try| Counts { passed, failed, skipped: 1, second_try };
        for (first, again, want) in [
            (of(9, 2, 0), of(2, 0, 0), of(11, 0, 2)),
            (of(9, 2, 0), of(1, 1, 0), of(10, 1, 1)),
            (of(9, 2, 0), of(0, 2, 0), of(9, 2, 0)),
            // As many as failed at the most.
            (of(9, 1, 0), of(3, 0, 0), of(10, 0, 1)),
        ] {
            assert_eq!(first.after_second_try(again), want);
        }
        let text = summary(&[], of(11, 0, 2));
        assert!(text.contains("second try only: 2"), "{text}");
        assert!(!summary(&[], of(11, 0, 0)).contains("second try"));
        for (line, name) in [
            ("test a::b ... FAILED", Some("a::b")),
            ("test a::b ... ok", None),
            ("test result: FAILED. 1 passed", None),
        ] {
            assert_eq!(failed_test(line), name, "{line}");
        }
    }

    #[test]
    fn the_summary_ends_with_the_totals() {
        let failed = Counts { passed: 3, failed: 1, skipped: 2, second_try: 0 };
        let text = summary(&[("lints", failed, "1.0 s".into())], failed);
        assert!(
            text.ends_with(
                "test result: FAILED. 3 passed; 1 failed; 2 ignored\n3 passed, 1 failed, 2 skipped\n"
            ),
            "{text}"
        );
    }
}
