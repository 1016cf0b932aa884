//! The generated parts of the handbook's chapter: tables and columns of the schema, statements, options. `BLESS=1 cargo test
//! -p queryscope-sql handbook` rewrites them.

use crate::support;

use std::process::Command;

use queryscope_sql::schema::{ColumnSchema, PARTITIONS, SIDE_COLUMNS, TABLES, TableSchema};
use queryscope_sql::statements::STATEMENTS;
use queryscope_sql::trend::TREND_TABLES;

/// Compares a generated part of the chapter.
fn check(mark: &str, text: &str) {
    let command = "BLESS=1 cargo test -p queryscope-sql handbook";
    support::generated::check(&support::root().join("docs/sql.md"), command, mark, text);
}

fn row(column: &ColumnSchema) -> String {
    let unit = if column.unit.is_empty() { String::new() } else { format!(", {}", column.unit) };
    let ColumnSchema { name, about, example, .. } = column;
    assert!(!about.is_empty() && !example.is_empty(), "{name} has no description or no example");
    let example = example.replace('|', "\\|");
    format!("| `{name}` | {}{unit} | {about} | `{example}` |\n", column.type_name())
}

// One test, because all three parts are in one file.
#[test]
fn the_chapter_is_up_to_date() {
    let head = "| column | type | meaning | example |\n|---|---|---|---|\n";
    let described = |table: &TableSchema| {
        let rows: String = table.columns.iter().map(row).collect();
        format!("### `{}`\n\n{}\n\n{head}{rows}\n", table.name, table.about)
    };
    let mut text: String = TABLES.iter().map(described).collect();
    let rows: String = SIDE_COLUMNS.iter().map(row).collect();
    text.push_str(&format!("### In every side table\n\n{head}{rows}\n"));
    let rows: String = PARTITIONS.iter().map(row).collect();
    text.push_str(&format!("### In every table\n\n{head}{rows}\n"));
    check("tables", &text);
    check("trend tables", &TREND_TABLES.iter().map(described).collect::<String>());
    let row = |statement: &queryscope_sql::statements::ReadyStatement| {
        format!("| `{}` | {} |\n", statement.name, statement.about())
    };
    let rows: String = STATEMENTS.iter().map(row).collect();
    check("statements", &format!("| name | answers |\n|---|---|\n{rows}"));
    let mut text = String::new();
    for command in ["sql", "convert", "trend"] {
        let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql")).args([command, "--help"]).output();
        let help = String::from_utf8(run.expect("the program runs").stdout).expect("text");
        let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        let help = lines.join("\n").replace("queryscope-sql.exe", "queryscope-sql");
        text.push_str(&format!("```text\n{help}\n```\n\n"));
    }
    check("options", &text);
}
