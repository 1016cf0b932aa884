//! The generated part of the handbook's chapter: the options. `BLESS=1 cargo test -p queryscope-sql-cluster --test handbook` rewrites it.

#[path = "../../../tests/support/generated.rs"]
mod generated;

use std::path::Path;
use std::process::Command;

#[test]
fn the_chapter_is_up_to_date() {
    let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql-cluster")).arg("--help").output();
    let help = String::from_utf8(run.expect("the program runs").stdout).expect("text");
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    let help = lines.join("\n").replace("queryscope-sql-cluster.exe", "queryscope-sql-cluster");
    let command = "BLESS=1 cargo test -p queryscope-sql-cluster --test handbook";
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cluster.md");
    generated::check(&page, command, "options", &format!("```text\n{help}\n```\n"));
}
