//! [`SideTable`]: tables in the files that are not events, of all runs of a trace under one name.

use datafusion::arrow::datatypes::SchemaRef;
use queryscope::trace::{Table, Trace};

use super::cells::Cells;
use crate::schema::{self, SOURCE_NAME};

/// The side tables of a trace that have one name.
pub struct SideTable {
    /// Name in SQL.
    pub name: String,
    pub schema: SchemaRef,
    pub parts: Vec<SideTablePart>,
}

/// The side table of one run.
pub struct SideTablePart {
    /// Position among all side tables of the trace.
    pub at: usize,
    /// Rows of the parts before it.
    pub first: usize,
}

impl SideTablePart {
    /// The table in the trace.
    pub fn table<'t>(&self, trace: &'t Trace) -> Option<&'t Table> {
        trace.tables.iter().nth(self.at)
    }
}

/// The side tables of a trace, by name.
pub fn side_tables(trace: &Trace) -> Vec<SideTable> {
    let mut named: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, table) in trace.tables.iter().enumerate() {
        let name = schema::side_table_name(trace.str(table.name));
        match named.iter_mut().find(|(known, _)| *known == name) {
            Some((_, list)) => list.push(at),
            None => named.push((name, vec![at])),
        }
    }
    let merged = |(name, list): (String, Vec<usize>)| {
        let mut columns: Vec<&str> = Vec::new();
        let (mut parts, mut first) = (Vec::new(), 0);
        for at in list {
            let Some(table) = trace.tables.iter().nth(at) else { continue };
            for &column in table.columns() {
                if !columns.contains(&trace.str(column)) {
                    columns.push(trace.str(column));
                }
            }
            parts.push(SideTablePart { at, first });
            first += table.len();
        }
        SideTable { name, schema: schema::side_table_schema(columns), parts }
    };
    named.into_iter().map(merged).collect()
}

impl SideTable {
    /// Number of rows.
    pub fn len(&self, trace: &Trace) -> usize {
        self.parts.iter().filter_map(|part| part.table(trace)).map(Table::len).sum()
    }

    /// The values of a column, by its name in SQL.
    pub fn cells<'a>(&'a self, trace: &'a Trace, column: &str) -> Cells<'a> {
        let field = self.schema.field_with_name(column).ok();
        let source = field.and_then(|field| field.metadata().get(SOURCE_NAME)).map_or("", String::as_str);
        let is_run = column == "run_id";
        // By part: the table, and the position of the column in it.
        let parts: Vec<(usize, &Table, Option<usize>)> = self
            .parts
            .iter()
            .filter_map(|part| {
                let table = part.table(trace)?;
                let at = table.columns().iter().position(|&known| trace.str(known) == source);
                Some((part.first, table, at.filter(|_| !source.is_empty())))
            })
            .collect();
        let part_of = move |row: usize| {
            let after = parts.partition_point(|(first, ..)| *first <= row);
            parts[..after].last().copied()
        };
        match (is_run, source.is_empty()) {
            (true, _) => Cells::number(move |row| Some(i64::from(part_of(row)?.1.run.0))),
            (false, true) => Cells::number(move |row| Some((row - part_of(row)?.0) as i64)),
            (false, false) => Cells::id(move |row| {
                let (first, table, at) = part_of(row)?;
                table.cell(row - first, at?)
            }),
        }
    }
}
