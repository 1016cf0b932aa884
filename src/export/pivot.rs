//! Export of pivot tables as text, CSV, JSON or Markdown. See `docs/command-line.md`.

use std::io::{self, Write};

use serde_json::Value;

use super::comparison::as_markdown;
use super::table::{Align, TextTable};
use crate::base::{markdown, text};
use crate::pivot::{Pivot, PivotError, choices};
use crate::protocol::{PivotView, PlainField};
use crate::trace::Trace;

/// Output format of a pivot table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PivotFormat {
    /// Text with aligned columns and units.
    Table,
    /// CSV with a header; numbers without units.
    Csv,
    /// A JSON array of objects; missing values are `null`.
    Json,
    /// A Markdown table with units.
    Markdown,
}

/// Writes one row per group. Notes about the numbers are written below a text table, and returned for other formats. If
/// the specification is not valid, nothing is written and the inner result is the error.
pub fn write_pivot(
    trace: &Trace,
    pivot: &mut Pivot,
    view: &PivotView,
    format: PivotFormat,
    out: &mut impl Write,
) -> io::Result<Result<Vec<String>, PivotError>> {
    let written = match format {
        PivotFormat::Csv => pivot.csv(trace, view).map(|text| out.write_all(text.as_bytes())),
        PivotFormat::Table => table(trace, pivot, view).map(|table| write_text(table, out)),
        PivotFormat::Json => rows(trace, pivot, view, false).map(|rows| json(&rows, out)),
        PivotFormat::Markdown => table(trace, pivot, view).map(|table| write_markdown(table, out)),
    };
    let notes = match written {
        Err(error) => return Ok(Err(error)),
        Ok(written) => written.map(|()| pivot.notes(trace, &view.spec).map(<[String]>::to_vec))?,
    };
    match (format, notes) {
        // For a text table, notes are part of the output.
        (PivotFormat::Table, Ok(notes)) => {
            notes.iter().try_for_each(|note| writeln!(out, "{}", super::table::plain(note)))?;
            Ok(Ok(Vec::new()))
        }
        (_, notes) => Ok(notes),
    }
}

/// The column names, then one row per finest group. `people` selects formatted text instead of plain numbers.
fn rows(
    trace: &Trace,
    pivot: &mut Pivot,
    view: &PivotView,
    people: bool,
) -> Result<Vec<Vec<PlainField>>, PivotError> {
    let mut rows: Vec<Vec<PlainField>> = Vec::new();
    pivot.each(trace, view, people, &mut |fields| rows.push(fields.to_vec()))?;
    Ok(rows)
}

/// A table of formatted texts.
struct WrittenTable {
    heading: String,
    /// Number of leading columns that are dimensions; the others are measures.
    dimensions: usize,
    titles: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn table(trace: &Trace, pivot: &mut Pivot, view: &PivotView) -> Result<WrittenTable, PivotError> {
    let rows = rows(trace, pivot, view, true)?;
    let page = pivot.page(trace, view, 0, 0);
    let mut rows =
        rows.iter().map(|row| row.iter().map(|field| written(field).to_owned()).collect::<Vec<_>>());
    let titles = rows.next().unwrap_or_default();
    let rows: Vec<Vec<String>> = rows.collect();
    let points = text::counted(page.points, "span or event", "spans and events");
    let groups = text::counted(rows.len() as u64, "group", "groups");
    let heading = format!("{points} in {groups}");
    Ok(WrittenTable { heading, dimensions: page.dimensions.len(), titles, rows })
}

fn write_text(of: WrittenTable, out: &mut impl Write) -> io::Result<()> {
    let align = |at: usize| if at < of.dimensions { Align::Left } else { Align::Right };
    let titles: Vec<(&str, Align)> = of.titles.iter().map(String::as_str).zip((0..).map(align)).collect();
    let mut table = TextTable::new(&titles);
    of.rows.into_iter().for_each(|row| table.row(row));
    table.write(&of.heading, out)
}

fn write_markdown(of: WrittenTable, out: &mut impl Write) -> io::Result<()> {
    let cells = |row: &[String]| row.iter().map(|cell| markdown::cell(cell).into_owned()).collect::<Vec<_>>();
    writeln!(out, "{}\n", of.heading)?;
    as_markdown::table(&cells(&of.titles), of.dimensions, of.rows.iter().map(|row| cells(row)), out)
}

fn written(field: &PlainField) -> &str {
    match field {
        PlainField::None => text::NOT_REPORTED,
        PlainField::Text(text) | PlainField::Number(text) => text,
    }
}

fn json(rows: &[Vec<PlainField>], out: &mut impl Write) -> io::Result<()> {
    let none = Vec::new();
    let (head, rows) = rows.split_first().unwrap_or((&none, &[]));
    let names: Vec<Value> = head.iter().map(value).collect();
    out.write_all(b"[")?;
    for (at, row) in rows.iter().enumerate() {
        out.write_all(if at == 0 { b"\n{" } else { b",\n{" })?;
        for (at, (name, field)) in names.iter().zip(row).enumerate() {
            write!(out, "{}{name}:{}", if at == 0 { "" } else { "," }, value(field))?;
        }
        out.write_all(b"}")?;
    }
    out.write_all(b"\n]\n")
}

/// Converts a field to JSON. Numbers keep all their digits, as JSON numbers of any length.
fn value(field: &PlainField) -> Value {
    match field {
        PlainField::None => Value::Null,
        PlainField::Text(text) => Value::String(text.clone()),
        PlainField::Number(digits) => serde_json::from_str(digits).unwrap_or(Value::Null),
    }
}

/// Writes the dimensions and quantities that the trace offers.
pub fn write_choices(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let found = choices(trace);
    writeln!(out, "Dimensions (--by)")?;
    for (heading, names) in &found.dimensions {
        writeln!(out, "  {heading}")?;
        names.iter().try_for_each(|name| writeln!(out, "    {}", super::table::plain(name)))?;
    }
    if !found.server.is_empty() {
        writeln!(out, "\nServer-defined measures (--measure)")?;
        found.server.iter().try_for_each(|name| writeln!(out, "  {name}"))?;
    }
    writeln!(out, "\nNumbers (--measure \"sum(…)\")")?;
    found.quantities.iter().try_for_each(|name| writeln!(out, "  {}", super::table::plain(name)))
}
