//! Checks of documents and workflows: commands and files exist, the Rust version is the same everywhere, and no
//! measurements can become outdated.

use std::fs;
use std::path::{Path, PathBuf};

use super::{files, root};

/// Documents that must not contain measured times or sizes. Measurements belong in docs/bench.md and the README's block,
/// which `cargo xtask bench` writes.
const WITHOUT_MEASUREMENTS: &[&str] = &["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/// Units of measurements. Limits in the code are powers of two (MiB), whose units are not listed.
const UNITS: &[&str] = &["ns", "µs", "ms", "s", "kB", "MB", "GB", "MB/s", "bytes"];

/// Returns every number with a unit of measurement, such as "12 ms" or "1.5kB".
fn measurements(text: &str) -> Vec<String> {
    let text = text.replace(['\n', '\u{a0}'], " ");
    let mut found = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let is_part_of_a_name = rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        rest = &rest[at..];
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '½'));
        let digits = &rest[..rest.len() - number.len()];
        let unit: String = number
            .strip_prefix(' ')
            .unwrap_or(number)
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '/')
            .collect();
        if !is_part_of_a_name && UNITS.contains(&unit.as_str()) {
            found.push(format!("{digits} {unit}"));
        }
        rest = number;
    }
    found
}

/// Returns the repository's text files with one of these endings: path from the root, and content.
fn texts(endings: &[&str]) -> Vec<(String, String)> {
    let all = files(root()).into_iter();
    let wanted = all.filter(|p| p.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)));
    let named = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(&path).unwrap_or_default())
    };
    wanted.map(named).collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_default()
}

/// Returns the words that follow each occurrence of `before`.
fn words_after<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let rests = text.match_indices(before).map(|(at, _)| &text[at + before.len()..]);
    rests.map(|rest| &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]).collect()
}

/// Returns the names of the `cargo xtask` commands, from the enum of its arguments.
fn tasks() -> Vec<String> {
    let main = read("xtask/src/main.rs");
    let body = main.split("enum Command {").nth(1).and_then(|rest| rest.split("\n}").next());
    let variants = body.unwrap_or_default().lines().map(str::trim).filter(|l| !l.starts_with("//"));
    let name = |line: &str| line.split(['(', ',']).next().unwrap_or_default().to_lowercase();
    variants.map(name).filter(|name| !name.is_empty()).collect()
}

#[test]
fn documents_hold_no_measurement_that_grows_old() {
    let mut wrong = Vec::new();
    for name in WITHOUT_MEASUREMENTS {
        let found = measurements(&read(name));
        wrong.extend(found.into_iter().map(|m| format!("{name}: {m} (docs/bench.md is for numbers)")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tasks_that_are_named_exist() {
    let tasks = tasks();
    let mut wrong = Vec::new();
    for (name, text) in texts(&["md", "yml"]) {
        for task in words_after(&text, "cargo xtask ") {
            let task = task.trim_end_matches('.');
            if !task.is_empty() && !tasks.iter().any(|known| known == task) && task != "help" {
                wrong.push(format!("{name}: cargo xtask {task}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn links_of_documents_lead_somewhere() {
    let mut wrong = Vec::new();
    for (name, text) in texts(&["md"]) {
        let folder = root().join(&name).parent().map(Path::to_owned).unwrap_or_default();
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split([')', '#']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !folder.join(target).exists() {
                wrong.push(format!("{name}: {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn workflows_use_the_oldest_rust_that_the_packages_promise() {
    let manifest = read("Cargo.toml");
    let rust = manifest.split("rust-version = \"").nth(1).and_then(|r| r.split('"').next());
    let rust = rust.expect("the workspace names a Rust version");
    let ci = read(".github/workflows/ci.yml");
    let mut used = words_after(&ci, "cargo +");
    used.extend(words_after(&ci, "rustup toolchain install "));
    used.retain(|version| *version != "stable");
    assert!(used.len() >= 2 && used.iter().all(|version| *version == rust), "{used:?}, not {rust}");
    let readme = read("README.md");
    assert_eq!(words_after(&readme, "\nRust "), [rust], "README.md");
}

#[test]
fn workflows_name_packages_and_files_that_exist() {
    let mut manifests = texts(&["toml"]);
    manifests.retain(|(name, _)| name.ends_with("Cargo.toml"));
    let is_package = |package: &str| {
        manifests.iter().any(|(_, text)| text.lines().any(|line| line == format!("name = \"{package}\"")))
    };
    let mut wrong = Vec::new();
    for (name, text) in texts(&["yml"]).into_iter().filter(|(name, _)| name.starts_with(".github/")) {
        for before in ["--package ", "--exclude ", "--bin "] {
            let unknown = words_after(&text, before).into_iter().filter(|package| !is_package(package));
            wrong.extend(unknown.map(|package| format!("{name}: {before}{package}")));
        }
        for word in text.split([' ', '\n', '\'', '"', ',', '(', ')']) {
            let in_repository =
                ["web/", "xtask/", "tests/", "docs/"].iter().any(|folder| word.starts_with(folder));
            if in_repository && !root().join(word.trim_end_matches('.')).exists() {
                wrong.push(format!("{name}: {word}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn security_names_tests_that_exist() {
    let text = read("SECURITY.md");
    let quoted = text.split('`').skip(1).step_by(2);
    let is_path = |word: &&str| word.contains('/') && !word.contains(' ');
    let missing: Vec<&str> = quoted.filter(is_path).filter(|word| !root().join(word).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn terms_of_the_glossary_are_in_order() {
    let text = read("docs/glossary.md");
    let terms: Vec<String> = text
        .lines()
        .filter_map(|l| l.strip_prefix("**")?.split("**").next().map(str::to_lowercase))
        .collect();
    let wrong: Vec<_> = terms.windows(2).filter(|pair| pair[0] >= pair[1]).collect();
    assert!(terms.len() > 20 && wrong.is_empty(), "{wrong:?}");
}

#[test]
fn the_page_defines_terms_as_the_glossary_does() {
    let plain = |text: &str| text.replace(['*', '`'], "");
    let defined: Vec<String> = read("docs/glossary.md").lines().map(plain).collect();
    let source = read("web/src/words/glossary.rs");
    let table = source.split("match self {").nth(1).and_then(|rest| rest.split("\n        }\n").next());
    let quoted: Vec<&str> = table.expect("a table of terms").split('"').skip(1).step_by(2).collect();
    let entries: Vec<String> = quoted.chunks(2).map(|entry| entry.join(": ")).collect();
    let wrong: Vec<_> = entries.iter().filter(|entry| !defined.contains(entry)).collect();
    assert!(entries.len() > 10 && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn these_checks_can_fail() {
    assert_eq!(measurements("takes 12 ms, 1.5kB or 3\nbytes"), ["12 ms", "1.5 kB", "3 bytes"]);
    assert!(measurements("MySQL 5.6 to 9.7, 8 MiB, 64-bit, 3 spans, utf-8 s, 40 bits").is_empty());
    assert_eq!(words_after("cargo +1.90 check, cargo +stable", "cargo +"), ["1.90", "stable"]);
    assert!(tasks().iter().any(|task| task == "bench"), "{:?}", tasks());
}
