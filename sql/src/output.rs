//! Results as a table for people, CSV, JSON and Markdown.

use std::io::{self, Write};

use queryscope::internal::{csv, markdown, text};

use crate::cells::{self, Cell, is_number};
use crate::statement::ResultRows;

/// Format in which a result is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputForm {
    Table,
    Csv,
    /// An array of objects.
    Json,
    Markdown,
}

/// Longest text in a cell of a table for people, in characters.
const LONGEST_CELL: usize = 100;

/// Writes all rows of a result.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(result: &ResultRows, form: OutputForm, out: &mut impl Write) -> io::Result<()> {
    let names: Vec<&str> = result.schema.fields().iter().map(|field| field.name().as_str()).collect();
    match form {
        OutputForm::Table => write_table(&names, result, out),
        OutputForm::Markdown => write_markdown(&names, result, out),
        OutputForm::Csv => {
            let header: Vec<_> = names.iter().map(|name| csv::field(name)).collect();
            writeln!(out, "{}", header.join(","))?;
            cells::rows(result).try_for_each(|row| {
                let fields: Vec<String> = row?.into_iter().map(csv_field).collect();
                writeln!(out, "{}", fields.join(","))
            })
        }
        OutputForm::Json => write_json(&names, result, out),
    }
}

/// A value as a CSV field: NULL is an empty field, an empty text is `""`.
fn csv_field(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => csv::field(&text).into_owned(),
        cell => cell.into_text().unwrap_or_default(),
    }
}

fn write_json(names: &[&str], result: &ResultRows, out: &mut impl Write) -> io::Result<()> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let keys: Vec<String> = unique(names).iter().map(|name| quoted(name)).collect();
    let mut before = "[";
    for row in cells::rows(result) {
        let members = keys.iter().zip(row?).map(|(key, cell)| {
            let value = match cell {
                Cell::Null => "null".to_owned(),
                // JSON has no infinite numbers and no NaN.
                Cell::Number(number) if !csv::is_number(&number) => quoted(&number),
                Cell::Number(number) => number,
                Cell::Boolean(value) => value.to_string(),
                Cell::Text(text) => quoted(&text),
            };
            format!("{key}:{value}")
        });
        let members: Vec<String> = members.collect();
        write!(out, "{}\n{{{}}}", std::mem::replace(&mut before, ","), members.join(","))?;
    }
    writeln!(out, "{}", if before == "[" { "[]" } else { "\n]" })
}

/// Makes the names of an object's members unique: a repeated name gets a number, such as `name_2`.
fn unique(names: &[&str]) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for &name in names {
        let mut new = name.to_owned();
        let mut number = 2;
        while known.contains(&new) {
            new = format!("{name}_{number}");
            number += 1;
        }
        known.push(new);
    }
    known
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Null => "NULL".to_owned(),
        Cell::Number(number) => number.clone(),
        Cell::Boolean(value) => value.to_string(),
        Cell::Text(text) => text.chars().map(text::in_line).collect(),
    }
}

fn write_markdown(names: &[&str], result: &ResultRows, out: &mut impl Write) -> io::Result<()> {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    writeln!(out, "{}", line(names.iter().map(|name| markdown::cell(name).into_owned()).collect()))?;
    let rules = result.schema.fields().iter().map(|field| match is_number(field.data_type()) {
        true => "--:".to_owned(),
        false => "---".to_owned(),
    });
    writeln!(out, "{}", line(rules.collect()))?;
    cells::rows(result).try_for_each(|row| {
        let row = row?;
        let cells = row.iter().map(|cell| match cell {
            Cell::Text(text) => markdown::cell(text).into_owned(),
            Cell::Null => String::new(),
            _ => shown(cell),
        });
        writeln!(out, "{}", line(cells.collect()))
    })
}

fn write_table(names: &[&str], result: &ResultRows, out: &mut impl Write) -> io::Result<()> {
    let mut rows = vec![names.iter().map(|name| text::visible_name(name)).collect::<Vec<String>>()];
    for row in cells::rows(result) {
        rows.push(row?.iter().map(|cell| text::shortened(&shown(cell), LONGEST_CELL)).collect());
    }
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let to_right: Vec<bool> =
        result.schema.fields().iter().map(|field| is_number(field.data_type())).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).zip(&to_right).map(|((cell, &width), right)| match right {
            true => format!("{cell:>width$}"),
            false => format!("{cell:<width$}"),
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}
