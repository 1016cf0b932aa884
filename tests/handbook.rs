//! The generated pages and sections of the handbook: formats and recipes of the registry, and the options of the command
//! line. `BLESS=1 cargo test handbook`, which `cargo xtask docs` runs, rewrites them.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::Command;

use queryscope::import::ABOUT;
use queryscope::import::recipes::RECIPES;

/// Compares a generated part of a page.
fn check(page: &str, mark: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
    support::generated::check(&path, "cargo xtask docs", mark, text);
}

/// Chapter of the handbook on a format; each has one.
fn chapter(id: &str) -> String {
    let page = format!("{id}.md");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(&page);
    assert!(path.is_file(), "the format {id} has no chapter docs/{page}");
    page
}

#[test]
fn every_page_is_a_chapter() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("the handbook has a summary");
    let pages = fs::read_dir(&docs).expect("the folder exists").flatten();
    let names = pages.map(|page| page.file_name().to_string_lossy().into_owned());
    let missing: Vec<String> = names
        .filter(|name| {
            name.ends_with(".md") && name != "SUMMARY.md" && !summary.contains(&format!("]({name})"))
        })
        .collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
}

#[test]
fn the_formats_are_those_of_the_registry() {
    let row = |about: &queryscope::import::About| {
        format!("| [{}]({}) | `{}` | {} |\n", about.name, chapter(about.id), about.id, about.how_to_record)
    };
    let rows: String = ABOUT.iter().map(row).collect();
    check(
        "formats.md",
        "formats",
        &format!("| format | `--as` | how to record one |\n|---|---|---|\n{rows}"),
    );
}

#[test]
fn the_recipes_are_those_of_the_command_line() {
    let row = |recipe: &queryscope::import::recipes::Recipe| {
        format!("| `queryscope recipe {}` | `{}` | {} |\n", recipe.id, recipe.file, recipe.about)
    };
    let rows: String = RECIPES.iter().map(row).collect();
    check("formats.md", "recipes", &format!("| command | file | script |\n|---|---|---|\n{rows}"));
}

#[test]
fn the_rules_of_findings_are_those_of_the_engine() {
    let row = |rule: queryscope::internal::stats::RuleInfo| {
        let thresholds: Vec<String> =
            rule.thresholds.iter().map(|(key, default)| format!("`{key}` = {default}")).collect();
        let of = if rule.shares.is_empty() { "–".to_owned() } else { rule.shares.join(", ") };
        let thresholds = if thresholds.is_empty() { "–".to_owned() } else { thresholds.join(", ") };
        format!("| {} | {} | {thresholds} | {of} |\n", rule.name, rule.meaning)
    };
    let rows: String = queryscope::internal::stats::finding_rules().into_iter().map(row).collect();
    check(
        "overview.md",
        "rules",
        &format!("| rule | finds | thresholds | share of |\n|---|---|---|---|\n{rows}"),
    );
}

/// Help of the command line, as it is printed without a terminal.
fn help(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_queryscope"))
        .args(arguments)
        .arg("--help")
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{arguments:?} has no help");
    let text = String::from_utf8(output.stdout).expect("the help is text");
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n").replace("queryscope.exe", "queryscope")
}

#[test]
fn the_options_are_those_of_the_command_line() {
    let all = help(&[]);
    let commands = all.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let names = commands.expect("the help lists the commands").lines().filter_map(|line| {
        let line = line.strip_prefix("  ")?;
        (!line.starts_with(' ')).then(|| line.split(' ').next())?
    });
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.contains(&"report") && names.contains(&"recipe"), "{names:?}");
    let mut text = format!("```text\n{all}\n```\n\n");
    for name in names {
        text.push_str(&format!("### `queryscope {name}`\n\n```text\n{}\n```\n\n", help(&[name])));
    }
    check("options.md", "options", &text);
}
