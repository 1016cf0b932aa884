//! The generated parts of the handbook's chapter: tables and columns of the schema, statements, options. `BLESS=1 cargo test
//! -p queryscope-sql --test handbook` rewrites them.

use std::fs;
use std::path::Path;
use std::process::Command;

use queryscope_sql::schema::{ColumnInfo, PARTITIONS, TABLES};
use queryscope_sql::statements::STATEMENTS;

/// Compares a generated text with the one between two marks of the chapter, or replaces it if `BLESS` is set.
fn check(mark: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/sql.md");
    let old = fs::read_to_string(&path).expect("the page exists").replace("\r\n", "\n");
    let command = "BLESS=1 cargo test -p queryscope-sql --test handbook";
    let (begin, end) = (format!("<!-- {mark}: written by `{command}` -->\n"), format!("<!-- /{mark} -->"));
    let (before, rest) = old.split_once(&begin).expect("the page has a place for the text");
    let (_, after) = rest.split_once(&end).expect("the place has an end");
    let new = format!("{before}{begin}{text}{end}{after}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, new).expect("the page can be written");
    } else {
        assert_eq!(old, new, "docs/sql.md is out of date: run {command}");
    }
}

fn row(column: &ColumnInfo) -> String {
    let unit = if column.unit.is_empty() { String::new() } else { format!(", {}", column.unit) };
    let example = match column.example {
        "" => String::new(),
        example => format!("`{}`", example.replace('|', "\\|")),
    };
    format!("| `{}` | {}{unit} | {} | {example} |\n", column.name, column.type_name(), column.about)
}

// One test, because all three parts are in one file.
#[test]
fn the_chapter_is_up_to_date() {
    let mut text = String::new();
    for table in TABLES {
        let rows: String = table.columns.iter().map(row).collect();
        let head = "| column | type | meaning | example |\n|---|---|---|---|\n";
        text.push_str(&format!("### `{}`\n\n{}\n\n{head}{rows}\n", table.name, table.about));
    }
    let rows: String = PARTITIONS.iter().map(row).collect();
    let head = "| column | type | meaning | example |\n|---|---|---|---|\n";
    text.push_str(&format!("### In every table\n\n{head}{rows}\n"));
    check("tables", &text);
    let row = |statement: &queryscope_sql::statements::ReadyStatement| {
        format!("| `{}` | {} |\n", statement.name, statement.about())
    };
    let rows: String = STATEMENTS.iter().map(row).collect();
    check("statements", &format!("| name | answers |\n|---|---|\n{rows}"));
    let mut text = String::new();
    for command in ["sql", "convert"] {
        let run = Command::new(env!("CARGO_BIN_EXE_queryscope-sql")).args([command, "--help"]).output();
        let help = String::from_utf8(run.expect("the program runs").stdout).expect("text");
        let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        let help = lines.join("\n").replace("queryscope-sql.exe", "queryscope-sql");
        text.push_str(&format!("```text\n{help}\n```\n\n"));
    }
    check("options", &text);
}
